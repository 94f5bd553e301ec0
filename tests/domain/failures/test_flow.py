"""Open errors across tool calls: opened, refreshed, marked, cleared, kept (HS-2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from wm.domain.failures.detected import fingerprint
from wm.domain.failures.open_errors import after_tool
from wm.formats.events import ToolFinished
from wm.formats.session_state import OpenError
from wm.settings import SessionSettings

ROOT = "/home/ana/shop"
START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
SETTINGS = SessionSettings()

Call = tuple[str, int | None, str] | str


def play(*calls: Call) -> tuple[OpenError, ...]:
    """Open errors after commands (command, exit code, output) and edits (a path)."""
    errors: tuple[OpenError, ...] = ()
    for second, call in enumerate(calls):
        if isinstance(call, str):
            event = ToolFinished(tool="edit", paths=(call,), cwd=ROOT)
        else:
            command, code, output = call
            event = ToolFinished(
                tool="bash", command=command, exit_code=code, output=output, cwd=ROOT
            )
        now = START + timedelta(seconds=second)
        errors = after_tool(errors, event, root=ROOT, now=now, settings=SETTINGS)
    return errors


def files(errors: tuple[OpenError, ...]) -> list[tuple[str, str]]:
    return [(e.file, e.status) for e in errors]


def tsc(*places: str) -> Call:
    lines = [f"{place}(3,1): error TS2304: Cannot find name 'x'.\n" for place in places]
    return ("npx tsc --noEmit", 2, "".join(lines))


TSC_OK: Call = ("npx tsc --noEmit", 0, "")


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([tsc("a.ts")], [("a.ts", "open")]),
        ([tsc("a.ts"), TSC_OK], []),
        ([tsc("a.ts"), ("npx tsc --noEmit || true", 0, "")], [("a.ts", "open")]),
        ([tsc("a.ts"), ("npx tsc --noEmit | tail", 0, "")], [("a.ts", "open")]),
        ([tsc("a.ts"), ("npx tsc --noEmit; echo", 0, "")], [("a.ts", "open")]),
        ([tsc("a.ts"), ("npx tsc && npx jest", 0, "")], []),
        ([tsc("a.ts"), ("npx tsc --noEmit", None, "")], [("a.ts", "open")]),
        ([tsc("a.ts"), ("npx eslint .", 0, "")], [("a.ts", "open")]),
        ([tsc("a.ts"), "a.ts"], [("a.ts", "maybe_fixed")]),
        ([tsc("a.ts"), f"{ROOT}/a.ts"], [("a.ts", "maybe_fixed")]),
        ([tsc("a.ts"), "a.tsx"], [("a.ts", "open")]),
        ([tsc("a.tsx"), "a.ts"], [("a.tsx", "open")]),
        ([tsc("x/index.ts"), "y/index.ts"], [("x/index.ts", "open")]),
        ([tsc("a.ts", "b.ts"), "b.ts"], [("a.ts", "open"), ("b.ts", "maybe_fixed")]),
        ([tsc("a.ts"), "a.ts", tsc("a.ts")], [("a.ts", "open")]),
        ([tsc("a.ts", "b.ts"), tsc("b.ts")], [("b.ts", "open")]),
        ([("npx tsc", None, "a.ts(1,1): error TS2304: x\n")], []),
        ([("npx tsc", 0, "a.ts(1,1): error TS2304: x\n")], []),
        (
            [
                ("pytest t/a.py", 1, "FAILED t/a.py::test_x - assert 0\n"),
                ("pytest t/b.py", 1, "FAILED t/b.py::test_y - assert 0\n"),
                ("pytest t/a.py -q", 0, "1 passed\n"),
            ],
            [("t/b.py", "open")],
        ),
    ],
)
def test_events_open_and_clear_errors(calls: list[Call], expected: list[tuple[str, str]]) -> None:
    assert files(play(*calls)) == expected


def test_an_error_that_moved_is_the_same_error() -> None:
    errors = play(
        ("npx tsc", 2, "a.ts(3,1): error TS2304: Cannot find name 'x'.\n"),
        ("npx tsc", 2, "a.ts(9,5): error TS2304: Cannot find name 'x'.\n"),
    )
    (error,) = errors
    assert (error.line, error.count) == (9, 2)
    assert error.first_seen_at == "2026-11-21T09:00:00.000Z"
    assert error.last_seen_at == "2026-11-21T09:00:01.000Z"


def test_the_fingerprint_covers_category_and_words_without_line_numbers() -> None:
    assert fingerprint("test", "a.py:3: x at line 9") == fingerprint("test", "a.py:44: x at line 1")
    assert fingerprint("test", "a.py:3: x") != fingerprint("lint", "a.py:3: x")
    assert fingerprint("test", "a.py: x") == "9080cc1852ba"


def test_the_sixth_failing_command_drops_the_oldest() -> None:
    calls: list[Call] = [
        (f"pytest t/{n}.py", 1, f"FAILED t/{n}.py::test_x - assert {n}\n") for n in range(6)
    ]
    assert [e.file for e in play(*calls)] == [f"t/{n}.py" for n in range(1, 6)]


def test_many_errors_of_one_command_keep_another_commands_error() -> None:
    flood = tsc(*(f"f{n}.ts" for n in range(40)))
    errors = play(("pytest t/a.py", 1, "FAILED t/a.py::test_x - assert 0\n"), flood)
    assert [e.file for e in errors] == ["t/a.py", "f0.ts", "f1.ts", "f2.ts", "f3.ts"]


def test_a_file_with_many_errors_does_not_hide_the_others() -> None:
    lines = [f"a.ts({n},1): error TS2304: Cannot find name 'x{'y' * n}'.\n" for n in range(1, 30)]
    lines += [f"{name}.ts(1,1): error TS2304: Cannot find name 'x'.\n" for name in "bcde"]
    errors = play(("npx tsc", 2, "".join(lines)))
    assert {e.file for e in errors} == {"a.ts", "b.ts", "c.ts", "d.ts", "e.ts"}


def test_if_the_second_of_a_chain_fails_the_first_succeeded() -> None:
    jest = "FAIL a.test.js\n  ● adds\n\n    boom\n"
    errors = play(tsc("a.ts"), ("npx tsc --noEmit && npx jest", 1, jest))
    assert [(e.category, e.file) for e in errors] == [("test", "a.test.js")]


def test_an_interrupted_run_clears_nothing_that_it_did_not_reach() -> None:
    failed = "FAILED t/a.py::test_x - assert 0\nFAILED t/b.py::test_y - assert 0\n"
    stopped = "FAILED t/a.py::test_x - assert 0\n!!!!! stopping after 1 failures !!!!!\n"
    errors = play(("pytest", 1, failed), ("pytest -x", 1, stopped))
    assert sorted(e.file for e in errors) == ["t/a.py", "t/b.py"]


@pytest.mark.parametrize(
    "event",
    [
        ToolFinished(tool="edit", paths=("a.ts",), failed=True),
        ToolFinished(tool="read", paths=("a.ts",)),
        ToolFinished(tool="bash", command="npx tsc", exit_code=None, failed=True),
        ToolFinished(tool="bash", command="ls", exit_code=0),
        ToolFinished(tool="other", output="error: x", exit_code=1),
    ],
)
def test_an_irrelevant_event_returns_the_same_value(event: ToolFinished) -> None:
    errors = play(tsc("a.ts"))
    assert after_tool(errors, event, root=ROOT, now=START, settings=SETTINGS) is errors
