"""What a message and a long tool output cost as a whole use case (EX-6, TR-5).

    python -m tests.bench message

2 and 200 KB of many shapes go through `record_event` as the daemon runs it: redaction, requests,
forgets, the echo guard and the origins of words together, on a store in memory. Time of the
processor; each message comes to a session that has begun.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from tests.bench.harness import at_most, report
from tests.store.twin import MemoryStore
from wm.api.sessions import EventRequest
from wm.formats.events import Event, ToolFinished, UserPrompt
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import make_runtime
from wm.settings import load

KB = 1024
RECORD = OPERATIONS["record_event"]
SIZE = 200 * KB
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
NOTE = "A line of a note that a user pasted into a message to the agent.\n"
BLANK = "\n" * 30_000

MESSAGES = {
    "30,000 blank lines in a row": NOTE * 2580 + BLANK,
    "the same, and a request": NOTE * 2580 + BLANK + "Remember that the port is 7443.",
    "30,000 blank lines among short ones": "abc\n\n" * 30_000,
    "the same, and a request ": "Remember that the port is 7443.\n" + "abc\n\n" * 30_000,
    "one long line of words": NOTE.replace("\n", " "),
    "one long word": "a",
    "many short lines": "ok\n",
    "dense punctuation": "[(\"'=:,;.!?-",
    "Chinese": "服务器端口是七四四三，部署之前先运行测试。",
    "Chinese lines": "服务器端口是七四四三，部署之前先运行测试。\n",
    "Korean": "배포하기 전에 테스트를 실행합니다. ",
    "lines of a log": "2026-01-01T10:00:00Z ERROR bay[{n}]: timeout after {n} ms at gate.py:{n}\n",
    "source": "    value_{n} = bays[{n}].depart(at=now, by='ana')  # number {n}\n",
}  # fmt: skip
SHORT = {
    "a task": "Find out why export {n} is slow, and tell me what you would change in it. ",
    "facts and rules": "We always use pnpm for package p{n}, and never edit its output by hand. ",
}
OUTPUTS = {
    "source": MESSAGES["source"],
    "lines of a log": MESSAGES["lines of a log"],
    "prose": NOTE,
    "Chinese": MESSAGES["Chinese"],
    "words that never come again": "x{n}y value{n} ",
}


def main() -> bool:
    return all([_short_messages(), _messages(), _outputs()])


def _short_messages() -> bool:
    rows = []
    for name, text in SHORT.items():
        cost = _cost(partial(_typed, sized(text, 2 * KB)), tries=15)
        rows.append(at_most(name, cost, 3, "ms"))
    return report("a message of 2 KB", rows)


def _messages() -> bool:
    rows = []
    for name, text in MESSAGES.items():
        whole = sized(text)
        # Nothing that was found for one message may serve the next one.
        rows.append(at_most(name, _cost(partial(_typed, whole)), 10, "ms"))
    return report("a message of 200 KB", rows)


def _outputs() -> bool:
    rows = []
    for name, text in OUTPUTS.items():
        output = sized(text)
        cost = _cost(partial(_shown, output))
        rows.append(at_most(name, cost / (len(output.encode()) / KB), 0.1, "ms per KB"))
    return report("an output of 200 KB that a tool showed", rows)


def _typed(text: str, number: int) -> Event:
    return UserPrompt(text=f"{number} {text}")


def _shown(text: str, number: int) -> Event:
    return ToolFinished(tool="read", output=f"{number} {text}", exit_code=0)


def sized(unit: str, size: int = SIZE) -> str:
    """A text of so many bytes; `{n}` counts."""
    size = size * len(unit) // len(unit.encode())
    if "{n}" in unit:
        lines = (unit.replace("{n}", str(n)) for n in range(size // (len(unit) - 2) + 1))
        return "".join(lines)[:size]
    return (unit * (size // len(unit) + 1))[-size:]


def _cost(event: Callable[[int], Event], tries: int = 7) -> float:
    """Milliseconds of the processor: the shortest of a few runs, each in a world of its own."""
    best = float("inf")
    settings = load({"HOME": "/nonexistent"})
    for number in range(tries):
        runtime = make_runtime(settings, MemoryStore(settings.store), now=lambda: NOW)
        request = EventRequest(
            directory="/tmp", session_id=f"s{number}", agent="claude-code", event=event(number)
        )
        hello = UserPrompt(text=f"hello {number}")
        execute(runtime, RECORD, request.model_copy(update={"event": hello}))
        begun = time.process_time()
        execute(runtime, RECORD, request)
        best = min(best, time.process_time() - begun)
    return best * 1e3
