"""A home in which a project was worked on for four months, for tests and screenshots of the page.

Everything enters through use cases, at simulated times: entries, an inbox, recaps, a session with
its exchanges, refusals and acts. `crowd` adds thousands of entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from wm.formats.base import Record
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.place import locate, memory_ref
from wm.ops.runtime import Runtime, make_runtime
from wm.settings import Settings
from wm.store.files import FileStore

AGENT = "claude-code"
LIVE = "4be1c2a0-live"
"""The session that is still running."""

EXPLICIT = (
    (118, "decision", "Tickets are sold through the harbour API; the old SOAP service is gone."),
    (116, "feedback", "Write tests before the code, then run those of the folder you touched."),
    (115, "project", "The ferry timetable lives in data/timetable.toml, read at start."),
    (112, "decision", "Money is stored in cents as integers, never as floats."),
    (109, "reference", "Harbour API documentation: https://docs.harbour.example/api/v3"),
    (96, "feedback", "Keep commit messages short and in the imperative."),
    (90, "decision", "Every list endpoint uses cursor pagination, never offset."),
    (84, "project", "Staging runs at staging.ferry.example and is reset every Sunday night."),
    (83, "project", "The crossing from Brodick to Ardrossan takes 55 minutes in summer."),
    (71, "decision", "We use pnpm in this repository; npm and yarn lock files are not committed."),
    (70, "feedback", "لا تستخدم الاختصارات في أسماء المتغيرات، واكتب الأسماء كاملة."),
    (64, "reference", "The colour tokens are defined in web/src/theme/tokens.css."),
    (58, "decision", "Feature flags are plain TOML files, one per flag, in config/flags."),
    (51, "feedback", "回答问题时先给结论，再解释原因。"),
    (44, "project", "Ana owns the booking flow; ask her before changing the refund rules."),
    (37, "decision", "Dates cross the API as ISO 8601 in UTC and are shown in local time."),
    (30, "feedback", "Do not touch the generated files under web/src/api/generated."),
    (23, "reference", "Runbook for failed payments: docs/runbooks/payments.md"),
    (16, "project", "Release branches are cut on Tuesday; hotfixes go there first."),
    (9, "decision", "Background jobs run in Postgres with SKIP LOCKED; Redis is only a cache."),
    (3, "feedback", "Explain what a migration does to existing rows before you run it."),
)  # fmt: skip

PROMPTS = (
    (5, "s-refund", "Refunds of group tickets fail with a 500. Find out why and fix it.",
     ("booking/refund.py", "tests/test_refund.py"), 1),
    (3, "s-timetable", "Add the winter timetable, and warn where a crossing has no vessel.",
     ("data/timetable.toml", "ferry/timetable.py"), 0),
    (1, "s-cursor", "The crossing list still uses offset. Move it to cursors.",
     ("api/crossings.py", "api/cursor.py", "tests/test_crossings.py"), 1),
)  # fmt: skip

STATED = (
    "We never deploy on Friday afternoon.",
    "In this project we always use structlog, never print.",
    "The staging database is restored from production every Sunday, so never test refunds there.",
)

REFUSED = (
    "Currently debugging the failing refund test",
    "src/a.py src/b.py src/c.py src/d.py src/e.py changed",
    "Tests pass: 214 passed in 3.20s",
)

WAITING = (
    "Vessel names are matched without regard to case in the booking search.",
    "The refund job retries three times and then writes to refund_failures.",
    "The payment provider wants amounts as decimal strings.",
    "Use the harbour API's batch endpoint for more than twenty tickets.",
)


class Clock:
    """The time of the simulated months."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def at(self, days_ago: float) -> Clock:
        return Clock(self.now - timedelta(days=days_ago))


class Furniture:
    """Use cases on the files of one home, at any time."""

    def __init__(self, runtime: Runtime, directory: Path, moment: Clock) -> None:
        self.runtime, self.directory, self.moment = runtime, str(directory), moment
        self.today = moment.now

    def do(self, operation_name: str, /, **fields: Any) -> Any:
        operation = OPERATIONS[operation_name]
        request = operation.request.model_validate({"directory": self.directory, **fields})
        answer: Record = execute(self.runtime, operation, request)
        return answer

    def days_ago(self, days: float) -> None:
        self.moment.now = self.today - timedelta(days=days)

    def event(self, session: str, kind: str, **fields: Any) -> Any:
        event = {"kind": kind, **fields}
        return self.do("record_event", sessionId=session, agent=AGENT, event=event)


@contextmanager
def furniture(settings: Settings, directory: Path) -> Iterator[Furniture]:
    store = FileStore(settings.paths.home, settings.store)
    moment = Clock(datetime.now(UTC))
    try:
        yield Furniture(make_runtime(settings, store, now=lambda: moment.now), directory, moment)
    finally:
        store.close()


def furnish(settings: Settings, directory: Path) -> None:
    """The whole home."""
    with furniture(settings, directory) as home:
        _entries(home)
        _sessions(home)
        _acts(home)
        _live(home)
        home.days_ago(0)


def _entries(home: Furniture) -> None:
    for days, kind, text in EXPLICIT:
        home.days_ago(days)
        home.do("remember", text=text, type=kind)
    for days in (40, 20, 6):
        home.days_ago(days)
        home.do("remember", text=EXPLICIT[3][2], type="decision")
    home.days_ago(12)
    home.do("remember", text="We use bun in this repository instead of pnpm now.", type="decision")
    home.days_ago(60)
    answer = "Answer in short paragraphs without bullet points."
    home.do("remember", text=answer, type="feedback", user=True)


def _sessions(home: Furniture) -> None:
    for days, session, asked, files, exit_code in PROMPTS:
        home.days_ago(days)
        home.event(session, "session_started")
        home.event(session, "user_prompt", text=asked)
        for number, path in enumerate(files):
            home.days_ago(days - 0.01 * (number + 1))
            fields = {"tool": "edit", "name": "Edit", "paths": (path,), "output": "ok"}
            home.event(session, "tool_finished", **fields)
        _check(home, session, exit_code)
        if exit_code:
            home.days_ago(days - 0.05)
            home.event(session, "tool_finished", tool="edit", name="Edit", paths=(files[0],))
            _check(home, session, 0)
        home.event(session, "user_prompt", text=STATED[days % 3])
        home.event(session, "session_ended")


def _check(home: Furniture, session: str, exit_code: int) -> None:
    failed = "FAILED tests/test_refund.py::test_group - AssertionError: 500 != 200\n1 failed"
    output = failed if exit_code else "214 passed in 3.20s"
    fields = {"tool": "bash", "name": "Bash", "command": "pytest -q", "output": output}
    home.event(session, "tool_finished", exit_code=exit_code, **fields)


def _acts(home: Furniture) -> None:
    home.days_ago(2)
    for text in REFUSED:
        home.do("remember", text=text, origin="agent", source="compaction", session="s-refund")
    for number, text in enumerate(WAITING):
        home.days_ago(1.5 - number / 10)
        home.do("call_tool", name="remember", arguments={"text": text}, session="s-cursor")
    entries = home.do("inspect").entries
    by_text = {view.entry.text: view.entry.id for view in entries}
    home.days_ago(0.5)
    home.do("edit_entry", id=by_text[EXPLICIT[1][2]], pinned=True)
    home.do("edit_entry", id=by_text[EXPLICIT[2][2]], importance="high")
    home.do("forget_entry", id=by_text[EXPLICIT[8][2]], reason="it is in the timetable")


def _live(home: Furniture) -> None:
    """A running session through a proxy: its context grows, and the cache carries most of it."""
    home.days_ago(0.06)
    home.event(LIVE, "session_started")
    home.event(LIVE, "user_prompt", text="Add seat reservations to the booking flow.")
    fields = {"tool": "edit", "name": "Edit", "output": "ok"}
    home.event(LIVE, "tool_finished", paths=("booking/seats.py",), **fields)
    _check(home, LIVE, 1)
    for number in range(40):
        home.days_ago(0.06 - number * 0.0014)
        note = exchange(number, home.moment.now)
        home.do("finish_request", sessionId=LIVE, agent=AGENT, note=note)
    _paging(home)


def _paging(home: Furniture) -> None:
    """The steps of the running session: some shortened, one removed and needed again."""
    steps = (
        ("file_context", "Read booking/seats.py", 5200, 0),
        ("file_context", "Read booking/refund.py", 7400, 3),
        ("tool_result", "Bash: pytest -q", 9300, 3),
        ("tool_result", "Grep: def reserve", 2100, 1),
        ("error_context", "Bash: pytest tests/test_seats.py", 3100, 0),
        ("plan", "Plan the seat map", 1500, 0),
        ("tool_result", "Bash: git log -n 40", 4100, 4),
    )
    at = home.moment.now.isoformat()
    objects = [
        {"id": f"o_{number:012x}", "at": at, "places": [f"{number:016x}"], "number": number,
         "type": kind, "label": label, "tokens": tokens}
        for number, (kind, label, tokens, _) in enumerate(steps, start=1)
    ]  # fmt: skip
    decisions = [
        {"block": f"{number:016x}", "text": "[wm: removed]", "reason": "cut", "level": level}
        for number, (_, _, _, level) in enumerate(steps, start=1)
        if level
    ]
    bill = {"read": 150_000, "written": 3_000}
    sent = {"at": at, "request": "r_1", "policy": "balanced"}
    records = [
        {"kind": "decided", **sent, "decisions": decisions},
        {"kind": "sent", **sent, "saved": 214_000.0, "removed": 22_900,
         "plain": bill, "predicted": bill, "reported": bill},
        {"kind": "fault", "at": at, "saved": -12_000.0, "objects": ["o_000000000003"]},
        {"kind": "restored", "at": at, "objects": ["o_000000000003"]},
    ]  # fmt: skip
    home.do("append_paging", sessionId=LIVE, objects=objects, records=records, durable=True)


def exchange(number: int, at: datetime) -> dict[str, Any]:
    """One more request of a session, as a proxy reports it."""
    name = f"{number:04x}"
    new = _new_tokens(number)
    before = 24_000 + sum(map(_new_tokens, range(number)))
    asked = {"role": "user", "blocks": [f"{name}aaaaaaaaaaaa"], "sizes": [new]}
    said = {"role": "assistant", "blocks": [f"{name}bbbbbbbbbbbb"], "sizes": [400]}
    head = [
        {"role": "tools", "blocks": ["1111111111111111"], "sizes": [14_000]},
        {"role": "system", "blocks": ["2222222222222222"], "sizes": [6_000]},
    ]
    read = {"cacheRead": before, "cacheWrite5m": new} if number else {"cacheWrite5m": before + new}
    return {
        "agent": AGENT,
        "call": "main",
        "model": "claude-opus-4-6",
        "status": 200,
        "path": "/v1/messages",
        "messages": 2 * number + 1,
        "common": max(0, 2 * number - 1),
        "change": "appended" if number else "first",
        "lines": [said, asked] if number else [asked],
        "before": [] if number else head,
        "marks": ["s.0", f"{2 * number}.0"],
        "head": "3333333333333333",
        "startedAt": at.isoformat(),
        "requestBytes": 4 * before,
        "usage": {"input": 12, "output": 380 + 40 * (number % 5), **read},
        "times": {"sent": 4.0, "firstByte": 900.0, "ended": 6200.0},
    }


def _new_tokens(number: int) -> int:
    return 900 + 700 * (number % 7) + (9000 if number % 11 == 5 else 0)


def crowd(settings: Settings, directory: Path, count: int) -> None:
    """Thousands of entries more, written as one document."""
    kinds = ("project", "decision", "reference", "feedback")
    with furniture(settings, directory) as home:
        request = OPERATIONS["inspect"].request.model_validate({"directory": str(directory)})
        ref = memory_ref(locate(home.runtime, request).key)
        with home.runtime.store.transaction([ref]) as transaction:
            memory = transaction.read(ref).document
            assert isinstance(memory, WorkspaceMemory)
            more = tuple(_one_of_many(home, n, kinds[n % 4]) for n in range(count))
            entries = (*memory.entries, *more)
            transaction.put(ref, memory.model_copy(update={"entries": entries}))
            transaction.commit()


def _one_of_many(home: Furniture, number: int, kind: str) -> MemoryEntry:
    at = (home.today - timedelta(days=number % 300, minutes=number)).isoformat()
    port = ("Brodick", "Ardrossan", "Oban", "Mallaig", "Uig", "Lochmaddy")[number % 6]
    hour, cars = f"{5 + number % 4}:{number % 60:02}", number % 97
    text = f"Pier {number} of {port} opens at {hour} and takes {cars} cars."
    return MemoryEntry(
        id=f"m_{number:020x}", type=kind, text=text, source="explicit", created_at=at, updated_at=at
    )
