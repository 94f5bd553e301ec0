# ruff: noqa: E501  Outputs of one line.
"""Rows of commands and edits, and the places with open errors behind them (HS-2)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wm.domain.failures.open_errors import after_tool
from wm.formats.events import ToolFinished
from wm.formats.session_state import OpenError
from wm.settings import SessionSettings

ROOT = "/w"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

Places = list[tuple[str, str]]


def cmd(command: str, code: int | None, output: str = "") -> ToolFinished:
    return ToolFinished(tool="bash", command=command, exit_code=code, output=output, cwd=ROOT)


def ed(path: str) -> ToolFinished:
    return ToolFinished(tool="edit", paths=(path,))


TS = "src/a.ts(1,1): error TS2304: Cannot find name 'x'.\n"
PY = "FAILED tests/test_a.py::test_x - assert 1 == 2\n"
PY2 = "FAILED tests/test_b.py::test_y - assert 1 == 2\n"
MY = 'a.py:3: error: Name "x" is not defined  [name-defined]\n'
ES = (
    "\n/w/src/a.js\n  3:7  error  'x' is not defined  no-undef\n\n"
    "✖ 1 problem (1 error, 0 warnings)\n"
)
GO = "# ex/m\n./a.go:3:5: undefined: x\n"
G = "a.c:3:5: error: 'x' undeclared\n"

SEQUENCES: list[tuple[str, list[ToolFinished], Places, Places]] = [
    (
        "verbosity flag",
        [cmd("pytest tests/test_a.py -q", 1, PY), cmd("python -m pytest tests/test_a.py -vv", 0)],
        [],
        [],
    ),
    (
        "env prefix",
        [cmd("pytest tests/test_a.py", 1, PY), cmd("CI=1 pytest tests/test_a.py", 0)],
        [],
        [],
    ),
    ("npx same", [cmd("npx tsc --noEmit", 2, TS), cmd("tsc --noEmit", 0)], [], []),
    ("pnpm exec", [cmd("npx tsc --noEmit", 2, TS), cmd("pnpm exec tsc --noEmit", 0)], [], []),
    (
        "chain",
        [cmd("npx tsc --noEmit", 2, TS), cmd("npx tsc --noEmit && npx eslint src", 0)],
        [],
        [],
    ),
    (
        "chain second fails",
        [cmd("npx tsc --noEmit", 2, TS), cmd("npx tsc --noEmit && npx eslint src", 1, ES)],
        [("lint", "src/a.js")],
        [],
    ),
    (
        "other file passes",
        [cmd("pytest tests/test_a.py", 1, PY), cmd("pytest tests/test_b.py", 0)],
        [("test", "tests/test_a.py")],
        [],
    ),
    (
        "or true",
        [cmd("npx tsc --noEmit", 2, TS), cmd("npx tsc --noEmit || true", 0)],
        [("typecheck", "src/a.ts")],
        [],
    ),
    (
        "semicolon echo",
        [cmd("mypy a.py", 1, MY), cmd("mypy a.py; echo done", 0)],
        [("typecheck", "a.py")],
        [],
    ),
    ("pipe", [cmd("mypy a.py", 1, MY), cmd("mypy a.py | tail -1", 0)], [("typecheck", "a.py")], []),
    ("pipefail", [cmd("mypy a.py", 1, MY), cmd("set -o pipefail; mypy a.py | tail -1", 0)], [], []),
    (
        "edit",
        [cmd("mypy a.py", 1, MY), ed("a.py")],
        [("typecheck", "a.py")],
        [("typecheck", "a.py")],
    ),
    (
        "edit again fails",
        [cmd("mypy a.py", 1, MY), ed("a.py"), cmd("mypy a.py", 1, MY)],
        [("typecheck", "a.py")],
        [],
    ),
    ("edit other", [cmd("mypy a.py", 1, MY), ed("b/a.py")], [("typecheck", "a.py")], []),
    (
        "edit absolute",
        [cmd("mypy a.py", 1, MY), ed("/w/a.py")],
        [("typecheck", "a.py")],
        [("typecheck", "a.py")],
    ),
    ("null", [cmd("mypy a.py", 1, MY), cmd("mypy a.py", None)], [("typecheck", "a.py")], []),
    (
        "git log",
        [cmd("mypy a.py", 1, MY), cmd("git log", 0, "fix error")],
        [("typecheck", "a.py")],
        [],
    ),
    (
        "two tools one file",
        [
            cmd("mypy a.py", 1, MY),
            cmd("ruff check a.py", 1, "a.py:1:8: F401 [*] `os` imported but unused\n"),
            cmd("ruff check a.py", 0),
        ],
        [("typecheck", "a.py")],
        [],
    ),
    ("rebuild go", [cmd("go build ./...", 1, GO), cmd("go build ./...", 0)], [], []),
    (
        "go test not build",
        [cmd("go build ./...", 1, GO), cmd("go vet ./...", 0)],
        [("build", "a.go")],
        [],
    ),
    ("gcc other output", [cmd("gcc -c a.c", 1, G), cmd("gcc -c a.c -o a.o", 0)], [], []),
    ("gcc other file", [cmd("gcc -c a.c", 1, G), cmd("gcc -c b.c", 0)], [("build", "a.c")], []),
    (
        "rerun shows other error",
        [cmd("npx tsc --noEmit", 2, TS), cmd("npx tsc --noEmit", 2, TS.replace("a.ts", "b.ts"))],
        [("typecheck", "src/b.ts")],
        [],
    ),
    (
        "fail then fail other target",
        [cmd("pytest tests/test_a.py", 1, PY), cmd("pytest tests/test_b.py", 1, PY2)],
        [("test", "tests/test_a.py"), ("test", "tests/test_b.py")],
        [],
    ),
    (
        "line moved",
        [cmd("mypy a.py", 1, MY), cmd("mypy a.py", 1, MY.replace(":3:", ":9:"))],
        [("typecheck", "a.py")],
        [],
    ),
    ("npm script same", [cmd("npm run lint", 1, ES), cmd("npm run lint", 0)], [], []),
    (
        "npm test variants",
        [
            cmd(
                "npm test",
                1,
                " FAIL  src/a.test.js\n  ● x\n\n    boom\n\n      at Object.<anonymous> (src/a.test.js:3:1)\n",
            ),
            cmd("npm run test", 0),
        ],
        [],
        [],
    ),
    ("yarn", [cmd("yarn lint", 1, ES), cmd("yarn run lint", 0)], [], []),
    (
        "cd same",
        [cmd("cd pkg && npx tsc --noEmit", 2, TS), cmd("cd /w/pkg && npx tsc --noEmit", 0)],
        [],
        [],
    ),
    (
        "timeout wrapper",
        [cmd("pytest tests/test_a.py", 1, PY), cmd("timeout 60 pytest tests/test_a.py", 0)],
        [],
        [],
    ),
    (
        "k filter passes",
        [cmd("pytest tests/test_a.py", 1, PY), cmd("pytest tests/test_a.py -k other", 0)],
        [("test", "tests/test_a.py")],
        [],
    ),
    (
        "collect only",
        [cmd("pytest tests/test_a.py", 1, PY), cmd("pytest tests/test_a.py --collect-only", 0)],
        [("test", "tests/test_a.py")],
        [],
    ),
    (
        "uv run",
        [cmd("pytest tests/test_a.py", 1, PY), cmd("uv run pytest tests/test_a.py", 0)],
        [],
        [],
    ),
    (
        "program",
        [
            cmd(
                "python run.py",
                1,
                'Traceback (most recent call last):\n  File "/w/run.py", line 3, in <module>\nValueError: x\n',
            ),
            cmd("python run.py", 0),
        ],
        [],
        [],
    ),
    ("make", [cmd("make", 2, G + "make: *** [a.o] Error 1\n"), cmd("make", 0)], [], []),
    (
        "make other target",
        [cmd("make", 2, G + "make: *** [a.o] Error 1\n"), cmd("make clean", 0)],
        [("build", "a.c")],
        [],
    ),
    ("background", [cmd("mypy a.py", 1, MY), cmd("mypy a.py &", 0)], [("typecheck", "a.py")], []),
    ("subshell", [cmd("mypy a.py", 1, MY), cmd("(mypy a.py)", 0)], [], []),
    ("negated", [cmd("mypy a.py", 1, MY), cmd("! mypy a.py", 0)], [("typecheck", "a.py")], []),
]


@pytest.mark.parametrize(("name", "events", "left", "maybe"), SEQUENCES)
def test_sequences_of_commands_open_and_clear_errors(
    name: str, events: list[ToolFinished], left: Places, maybe: Places
) -> None:
    errors: tuple[OpenError, ...] = ()
    for event in events:
        errors = after_tool(errors, event, root=ROOT, now=NOW, settings=SessionSettings())
    assert sorted((e.category, e.file) for e in errors) == sorted(left)
    found = [(e.category, e.file) for e in errors if e.status == "maybe_fixed"]
    assert sorted(found) == sorted(maybe)
