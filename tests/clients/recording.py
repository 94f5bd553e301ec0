"""`python -m tests.clients.recording`: docs/recording.svg, the recording at the top of the README.

Both real agents run on one machine of the client tests, with `wm` set up by `wm setup`. What is
drawn is what they sent and printed: the memory in the agent's first request, and what an agent
reads when an error returns. Only the model's answers are scripted, so they are not shown.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from itertools import takewhile
from pathlib import Path

from tests.clients import install
from tests.clients.agents import CLAUDE, OPENCODE
from tests.clients.harness import Machine, Run
from tests.clients.scripts import answer, say, script, think, turns
from tests.clients.upstream import Upstream
from tests.clients.wired import REPOSITORY, Wired, memory_blocks

TARGET = REPOSITORY / "docs" / "recording.svg"
ASK = "Remember that we deploy with `make ship`."
CHECK = "python3 -m pytest -q test_calc.py"
COLUMNS = 92
PATIENCE_S = 600.0
LINE_PX, COLUMN_PX, MARGIN_PX = 19, 8.4, 18
COLOURS = {"$": "#e6edf3", "#": "#7d8590", ">": "#7ee787", " ": "#adbac7"}
"""By the first character of a line: a command, a comment, text of wm, other output."""


def main() -> int:
    found = install.find()
    if found is None:
        print(install.missing_reason(), file=sys.stderr)
        return 1
    root = Path(tempfile.mkdtemp(prefix="wmc-")).resolve()
    try:
        with Upstream() as upstream:
            machine = Machine(root, found, upstream)
            machine.prepare()
            try:
                TARGET.write_text(drawn(list(scene(machine))), "utf-8")
            finally:
                machine.end_strays()
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print(f"{TARGET} is written")
    return 0


def scene(machine: Machine) -> Iterator[str]:
    """The lines of the recording."""
    config = machine.home / ".config" / "wm" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[hooks]\nevent_timeout_s = 20\n")  # a busy machine
    wm = Wired(machine)
    machine.upstream.script = script(*turns(*_answers(machine)))
    yield "# one command connects the agents of this machine"
    yield "$ wm setup --yes && wm status"
    wm.setup()
    machine.tool("wm", "up", timeout=PATIENCE_S)
    yield "  …"
    yield from _agents(machine)
    yield "  …"
    yield ""
    yield "# you tell one agent …"
    yield f'$ claude -p "{ASK}"'
    _ran(CLAUDE.run(machine, ASK, timeout=PATIENCE_S))
    yield ""
    yield "# … and the other agent knows it: the first request of OpenCode contains"
    yield '$ opencode run "How do we deploy?"'
    asked = _ran(OPENCODE.run(machine, "How do we deploy?", timeout=PATIENCE_S))
    yield from _quoted(_memory(machine, asked))
    yield ""
    yield "# one session repairs a failing check; when it returns, a later session knows the fix"
    yield '$ claude -p "Make the tests pass."'
    _ran(CLAUDE.run(machine, "Make the tests pass.", timeout=PATIENCE_S))
    machine.tool("git", "checkout", "-q", "calc.py")
    yield '$ claude -p "Run the tests."'
    again = _ran(CLAUDE.run(machine, "Run the tests.", timeout=PATIENCE_S))
    yield from _quoted(_seen_before(machine, again))
    yield ""
    yield "# all of it is plain JSON, and every line has its reason"
    yield "$ wm why make ship"
    yield from machine.tool("wm", "why", "make ship").splitlines()


def _answers(machine: Machine) -> Iterator[object]:
    """What the scripted model does, request by request."""
    yield answer(think("Noted."), say("I will."))
    yield answer(think("Known."), say("With make ship."))
    yield answer(CLAUDE.shell(CHECK))
    # Not `a + b`: bytecode of a file of the same size and second would be taken for current.
    yield answer(CLAUDE.change(machine, "calc.py", "return a - b", "return sum((a, b))"))
    yield answer(CLAUDE.shell(CHECK))
    yield answer(say("It passes."))
    yield answer(CLAUDE.shell(CHECK))
    yield answer(say("It fails again."))


def _ran(run: Run) -> Run:
    if run.code != 0:
        raise SystemExit(f"{run.name} ended with {run.code}:\n{run.out}{run.err}")
    return run


def _agents(machine: Machine) -> list[str]:
    """The row `agents` of `wm status`, of one or several lines."""
    lines = machine.tool("wm", "status").splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("  agents"))
    behind = takewhile(lambda line: line.startswith("      "), lines[begin + 1 :])
    return [lines[begin], *behind]


def _memory(machine: Machine, run: Run) -> str:
    [block] = memory_blocks(machine.upstream.of_kind("main", run.session)[0].request)
    return block


def _seen_before(machine: Machine, run: Run) -> str:
    """The sentence behind the failing output, in the last request."""
    text = str(machine.upstream.of_kind("main", run.session)[-1].request.messages)
    at = text.find("This failure was seen before")
    if at < 0:
        raise SystemExit(f"Claude Code was not told of the earlier error:\n{text[-4000:]}")
    return text[at:].partition("\\n")[0].partition("'")[0]


def _quoted(text: str) -> Iterator[str]:
    for line in filter(None, text.splitlines()):
        rest = line
        while rest:
            cut = len(rest) if len(rest) <= COLUMNS - 4 else rest.rfind(" ", 0, COLUMNS - 4)
            yield f"> {rest[:cut]}"
            rest = rest[cut:].lstrip()


def _spaced(line: str) -> str:
    """With no-break spaces, because SVG folds ordinary ones."""
    return line.replace(" ", "\N{NO-BREAK SPACE}")


def drawn(lines: list[str]) -> str:
    """A picture of a terminal with these lines."""
    width = round(COLUMNS * COLUMN_PX + 2 * MARGIN_PX)
    height = len(lines) * LINE_PX + 2 * MARGIN_PX
    rows = [
        f'<text x="{MARGIN_PX}" y="{MARGIN_PX + (number + 1) * LINE_PX - 5}" '
        f'fill="{COLOURS.get(line[:1], COLOURS[" "])}">{_spaced(escape(line, quote=False))}</text>'
        for number, line in enumerate(lines)
        if line
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="ui-monospace,Menlo,Consolas,monospace" '
            'font-size="14">',
            '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
            *rows,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
