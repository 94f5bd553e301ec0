"""Sessions and fixes from a table of parts: what is kept of them equals what happened (RF-1, RF-3).

A seed chooses the parts of a session; a second, plain account of the same parts says what its recap
must hold. The outputs are those of ten tools.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.ops.conftest import Bench, project_in, settings_of
from tests.store.twin import MemoryStore


class Check(NamedTuple):
    """A check of a project. {w}: a word of the case. {n}: the number of a line."""

    name: str
    command: str
    file: str
    failing: str
    passing: str


CHECKS = (
    Check("pytest", "python -m pytest -q tests", "tests/test_{w}.py",
          "FAILED tests/test_{w}.py::test_{w} - AssertionError: assert 1 == 2\n1 failed in 0.{n}s",
          "1 passed in 0.12s"),
    Check("tsc", "npx tsc --noEmit", "src/{w}.ts",
          "src/{w}.ts({n},5): error TS2322: Type 'string' is not assignable to type '{w}'.", ""),
    Check("ruff check", "ruff check src", "src/{w}.py",
          "src/{w}.py:{n}:8: F401 [*] `{w}` imported but unused\nFound 1 error.",
          "All checks passed!"),
    Check("mypy", "mypy src", "src/{w}.py",
          'src/{w}.py:{n}: error: Name "{w}" is not defined  [name-defined]\n'
          "Found 1 error in 1 file (checked 4 source files)",
          "Success: no issues found in 4 source files"),
    Check("go test", "go test ./...", "{w}/{w}_test.go",
          "--- FAIL: Test_{w} (0.00s)\n    {w}/{w}_test.go:{n}: got 1, want 2\nFAIL\n"
          "FAIL\texample.org/{w}\t0.003s\nFAIL",
          "ok  \texample.org/{w}\t0.003s"),
    Check("cargo build", "cargo build", "src/{w}.rs",
          "error[E0425]: cannot find value `{w}` in this scope\n --> src/{w}.rs:{n}:5\n",
          "    Finished dev [unoptimized + debuginfo] target(s) in 0.42s"),
    Check("eslint", "npx eslint src", "src/{w}.js",
          "src/{w}.js\n  {n}:7  error  '{w}' is assigned a value but never used  no-unused-vars\n\n"
          "✖ 1 problem (1 error, 0 warnings)", ""),
    Check("jest", "npx jest", "src/{w}.test.js",
          "FAIL src/{w}.test.js\n  ● {w} › adds\n\n    expect(received).toBe(expected)\n\n"
          "      at Object.<anonymous> (src/{w}.test.js:{n}:9)\n\nTests: 1 failed, 1 total",
          "PASS src/{w}.test.js\nTests: 1 passed, 1 total"),
    Check("make", "make all", "src/{w}.c",
          "src/{w}.c:{n}:3: error: unknown type name '{w}'\nmake: *** [Makefile:3: all] Error 1",
          "cc -o app src/{w}.c"),
    Check("rspec", "bundle exec rspec", "spec/{w}_spec.rb",
          "Failures:\n\n  1) {w} adds\n     Failure/Error: expect(1).to eq 2\n"
          "     # ./spec/{w}_spec.rb:{n}:in `block'\n\n1 example, 1 failure\n\n"
          "rspec ./spec/{w}_spec.rb:{n} # {w} adds",
          "1 example, 0 failures"),
)  # fmt: skip

WORDS = ("dock", "berth", "crane", "tide", "quay", "buoy", "hull", "mast")
ASKED = ("Make the {w} test pass.", "Why does {w} fail?", "Please clean up {w}.", "Rename {w}.")
FACTS = ("The {w} service runs on port {n}.", "We never call {w} from a handler.")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    settings = settings_of(tmp_path)
    made = Bench(settings, project_in(tmp_path), MemoryStore(settings.store))
    yield made
    made.store.close()


class Script:
    """A session: each step is sent as an event, and noted as the recap should tell it."""

    def __init__(self, bench: Bench, session: str) -> None:
        self.bench, self.session = bench, session
        self.asked = ""
        self.changed: list[str] = []
        self.edits: dict[str, int] = {}
        self.checks: dict[str, int] = {}
        self.commits: list[str] = []
        self.failing: dict[str, set[str]] = {}
        """The file of each open failure, and what was edited since."""
        self.fixes: list[tuple[str, set[str], str]] = []
        self.kept: list[str] = []
        bench.event("session_started", session=session)

    def prompt(self, text: str) -> None:
        self.bench.event("user_prompt", session=self.session, text=text)
        self.asked = self.asked or text

    def remember(self, text: str) -> None:
        self.prompt(f"Remember: {text}")
        self.kept.append(text)

    def read(self, path: str) -> None:
        self._tool("read", paths=(path,))

    def edit(self, path: str, tool: str = "edit") -> None:
        self._tool(tool, paths=(path,))
        self.changed = [*(p for p in self.changed if p != path), path]
        self.edits[path] = self.edits.get(path, 0) + 1
        for edited in self.failing.values():
            edited.add(path)

    def fail(self, check: Check, word: str, line: int) -> Any:
        path = check.file.format(w=word)
        self.failing.setdefault(path, set())
        return self._run(check, 1, check.failing.format(w=word, n=line))

    def succeed(self, check: Check, word: str) -> Any:
        path = check.file.format(w=word)
        if path in self.failing:
            self.fixes.append((path, self.failing.pop(path), ""))
        return self._run(check, 0, check.passing.format(w=word))

    def _run(self, check: Check, code: int, output: str) -> Any:
        self.checks.pop(check.name, None)
        self.checks[check.name] = code
        return self._tool("bash", command=check.command, exit_code=code, output=output)

    def commit(self, digest: str) -> None:
        output = f"[main {digest}] work\n 1 file changed"
        self._tool("bash", command="git commit -am work", exit_code=0, output=output)
        self.commits.append(digest)
        self.fixes = [(path, edited, commit or digest) for path, edited, commit in self.fixes]

    def look(self) -> None:
        self._tool("bash", command="git log --oneline", exit_code=0, output="4f1c2ab error: fix")

    def _tool(self, tool: str, **fields: Any) -> Any:
        return self.bench.event("tool_finished", session=self.session, tool=tool, **fields)

    def end(self) -> None:
        self.bench.event("session_ended", session=self.session)


def play(script: Script, draw: random.Random) -> None:
    """A session of random steps with one or two checks, each with a failure of its own."""
    words = draw.sample(WORDS, 4)
    checks = list(zip(draw.sample(CHECKS, draw.choice((1, 2))), words, strict=False))
    others = [f"lib/{word}.py" for word in words]
    script.prompt(draw.choice(ASKED).format(w=words[0]))
    for _ in range(draw.randint(4, 14)):
        check, word = draw.choice(checks)
        match draw.choice(
            ("edit", "edit", "write", "read", "fail", "pass", "commit", "say", "log")
        ):
            case "edit":
                script.edit(draw.choice((check.file.format(w=word), *others)))
            case "write":
                script.edit(draw.choice(others), "write")
            case "read":
                script.read(draw.choice(others))
            case "fail":
                script.fail(check, word, draw.randint(3, 90))
            case "pass":
                script.succeed(check, word)
            case "commit":
                script.commit(f"{draw.getrandbits(28):07x}")
            case "say":
                fact = draw.choice(FACTS).format(w=word, n=3000 + WORDS.index(word))
                script.remember(fact) if fact not in script.kept else script.prompt("Go on.")
            case _:
                script.look()


@pytest.mark.parametrize("seed", range(40))
def test_every_field_of_a_recap_equals_the_events_of_its_session(bench: Bench, seed: int) -> None:
    script = Script(bench, "s-1")
    play(script, random.Random(seed))
    script.end()
    (recap,) = bench.call("recap_sessions").recaps
    texts = {entry.id: entry.text for entry in bench.memory().entries}
    assert recap.asked == script.asked
    assert list(recap.changed) == script.changed
    assert {e.path: e.count for e in recap.edits} == {
        p: n for p, n in script.edits.items() if n > 1
    }
    assert [(r.name, r.exit_code) for r in recap.checks] == list(script.checks.items())
    assert list(recap.commits) == script.commits
    assert [(f.file, set(f.edited), f.commit) for f in recap.fixes] == script.fixes
    assert sorted(error.file for error in recap.open) == sorted(script.failing)
    assert [texts[name] for name in recap.kept] == script.kept
    assert recap.inbox == ()


def repeated(bench: Bench, check: Check, word: str) -> None:
    """The same failure, on another line of another session, is answered with its fix, once."""
    fixed(bench, check, word)
    later = Script(bench, "s-2")
    (line,) = later.fail(check, word, 41).notices
    assert f"edits of lib/{word}.py, then {check.name} passed." in line
    assert later.fail(check, word, 43).notices == ()


def fixed(bench: Bench, check: Check, word: str) -> Script:
    script = Script(bench, "s-1")
    assert script.fail(check, word, 12).notices == ()
    script.edit(f"lib/{word}.py")
    script.succeed(check, word)
    script.end()
    return script


def back_in_the_same_session(bench: Bench, check: Check, word: str) -> None:
    script = Script(bench, "s-1")
    script.fail(check, word, 12)
    script.edit(f"lib/{word}.py")
    script.succeed(check, word)
    (line,) = script.fail(check, word, 17).notices
    assert f"edits of lib/{word}.py" in line


def another_failure(bench: Bench, check: Check, word: str) -> None:
    fixed(bench, check, word)
    assert Script(bench, "s-2").fail(check, f"{word}side", 12).notices == ()


def never_fixed(bench: Bench, check: Check, word: str) -> None:
    script = Script(bench, "s-1")
    script.fail(check, word, 12)
    script.edit(f"lib/{word}.py")
    script.end()
    assert Script(bench, "s-2").fail(check, word, 12).notices == ()


def of_another_check(bench: Bench, check: Check, word: str) -> None:
    fixed(bench, check, word)
    other = CHECKS[(CHECKS.index(check) + 1) % len(CHECKS)]
    assert Script(bench, "s-2").fail(other, word, 12).notices == ()


def nothing_failed(bench: Bench, check: Check, word: str) -> None:
    fixed(bench, check, word)
    later = Script(bench, "s-2")
    assert later.succeed(check, word).notices == ()
    # The words of the failure in a file that the agent reads are not a failure.
    shown = check.failing.format(w=word, n=12)
    answer = bench.event("tool_finished", session="s-2", tool="bash", command="cat build.log",
                         exit_code=0, output=shown)  # fmt: skip
    assert answer.notices == ()


FLOWS = (
    repeated,
    back_in_the_same_session,
    another_failure,
    never_fixed,
    of_another_check,
    nothing_failed,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.__name__)
def test_a_fix_is_shown_for_a_repeated_failure_and_for_nothing_else(
    bench: Bench, flow: Any, check: Check
) -> None:
    flow(bench, check, WORDS[(CHECKS.index(check) + FLOWS.index(flow)) % len(WORDS)])
