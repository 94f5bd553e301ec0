"""How one case of each labelled set meets the rules: through the use cases, on an empty memory.

A `SETS` row names the fields of a case that are read, and the function that answers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec.structs import replace

from tests.bench import session_set, story_set
from tests.store.twin import MemoryStore
from wm.api.protocol import RememberRequest, WorkspacePlace
from wm.api.sessions import EventAnswer, EventRequest
from wm.domain import payloads
from wm.domain.memory import consolidate
from wm.domain.payloads.opencode import TOOL_KINDS
from wm.formats.pressure import Pressure
from wm.formats.session_state import OpenError, SessionState
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.ops.catalogue import OPERATIONS
from wm.ops.learning.remember import judged, new_entry
from wm.ops.operation import Work, execute
from wm.ops.runtime import make_runtime
from wm.settings import load
from wm.store.base import Ref
from wm.store.identity import key_of
from wm.store.paths import USER, sid

Case = dict[str, Any]
Prediction = dict[str, Any]

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
ROOT = "/home/dev/project"
"""The workspace's root where a case names none. It need not exist."""

SESSION = "s-1"


class Home:
    """An empty memory of one workspace, and a session in it."""

    def __init__(self, root: str = ROOT, *, kept_errors: int = 0) -> None:
        settings = load({"HOME": "/nonexistent"})
        if kept_errors:
            session = replace(settings.session, kept_errors=kept_errors)
            settings = replace(settings, session=session)
        self.store = MemoryStore(settings.store)
        self.runtime = make_runtime(settings, self.store, now=lambda: NOW)
        self.place = WorkspacePlace(key=key_of(root), root=root)
        memory = WorkspaceMemory(workspace=Workspace(root=root, key=self.place.key))
        ref = Ref(WorkspaceMemory, self.place.key)
        with self.store.transaction([ref]) as transaction:
            transaction.put(ref, memory)

    def event(self, kind: str, **fields: Any) -> EventAnswer:
        request = EventRequest.model_validate(
            {
                "workspace": self.place.key,
                "session_id": SESSION,
                "agent": "eval",
                "event": {"kind": kind, **fields},
            }
        )
        answer: EventAnswer = execute(self.runtime, OPERATIONS["record_event"], request)
        return answer

    def hook(self, name: str, **payload: Any) -> None:
        """One hook call of Claude Code, in this workspace."""
        parsed = payloads.parse("claude-code", name, {"session_id": SESSION, **payload})
        for event in parsed.events:
            self.event(event.kind, **event.model_dump(exclude={"kind"}))

    def entries(self) -> Iterator[MemoryEntry]:
        """The entries of the workspace, then those of scope `user`."""
        for key in (self.place.key, USER):
            found = self.store.read(Ref(WorkspaceMemory, key)).document
            yield from found.entries if found is not None else ()

    def entry(self, **fields: Any) -> MemoryEntry:
        request = RememberRequest(workspace=self.place.key, **fields)
        return new_entry(self.work().at(self.place), request)

    def work(self) -> Work:
        return Work(self.runtime, NOW)

    def memory(self) -> WorkspaceMemory:
        found = self.store.read(Ref(WorkspaceMemory, self.place.key)).document
        assert found is not None
        return found

    def open_errors(self) -> tuple[OpenError, ...]:
        found = self.store.read(Ref(SessionState, self.place.key, sid(SESSION))).document
        return found.open_errors if found is not None else ()


def gate(case: Case) -> Prediction:
    """The verdict on an entry as it would be admitted: redacted, with its type and source."""
    home = Home()
    entry = home.entry(text=case["text"], type=case["type"], source=case["source"])
    reasons = judged(home.work(), entry)
    return {"label": "reject" if reasons else "accept", "reasons": list(reasons)}


def triggers(case: Case) -> Prediction:
    """What a user's message made the memory keep, active or in the inbox."""
    answer = Home().event("user_prompt", text=case["message"])
    kept = [kept.entry for kept in answer.remembered if kept.entry is not None]
    return {"memories": [{"text": entry.text, "type": entry.type} for entry in kept]}


def capture(case: Case) -> Prediction:
    """What one message to an agent leaves in memory, by itself. `before`, if the case has it, ends
    the agent's words of the turn before. Both arrive as payloads of Claude Code's hooks."""
    home = Home()
    if case.get("before"):
        home.hook("Stop", last_assistant_message=case["before"])
    home.hook("UserPromptSubmit", prompt=case["text"])
    kept = (
        {"text": e.text, "type": e.type, "scope": e.scope, "state": e.status}
        for e in home.entries()
        if e.status in ("active", "inbox")
    )
    return {"kept": list(kept)}


def errors(case: Case) -> Prediction:
    """The errors open after one command: all it showed, not the few that are kept of them."""
    home = Home(kept_errors=1000)
    home.event("tool_finished", **_command(case))
    return {"open": [_shown(error) for error in home.open_errors()]}


def error_flows(case: Case) -> Prediction:
    """The places with errors open after a row of commands and edits, and those maybe fixed."""
    home = Home(case["root"])
    for event in case["events"]:
        if event["kind"] == "edit":
            home.event("tool_finished", tool="edit", paths=(event["path"],))
        else:
            home.event("tool_finished", **_command(event))
    left = home.open_errors()
    return {
        "open": _places(left),
        "maybe_fixed": _places([error for error in left if error.status == "maybe_fixed"]),
    }


def _places(errors: Iterable[OpenError]) -> list[Prediction]:
    """One for each category and file, as the set counts; errors without a file are one each."""
    shown = {(e.category, e.file or e.fingerprint): _shown(e) for e in errors}
    return list(shown.values())


def _command(case: Case) -> Case:
    return {
        "tool": case["tool"],
        "command": case["command"],
        "exit_code": case["exit"],
        "output": case["output"],
    }


def _shown(error: OpenError) -> Prediction:
    return {
        "category": error.category,
        "file": error.file or None,
        "line": error.line or None,
        "text": error.summary,
    }


def same_fact(case: Case) -> Prediction:
    """What becomes of the second entry where the first is known."""
    home = Home()
    settings = home.runtime.settings.memory
    memory = home.memory()
    first, second = (home.entry(source="compaction", **case[side]) for side in ("a", "b"))
    for entry in (first, second):
        admission = consolidate.MemoryEditor(memory).admit(entry, now=NOW, settings=settings)
        memory = admission.memory
    merged = admission.outcome in ("absorbed", "superseded")
    if "may_contradict" in admission.reason_codes:
        label = "contradicts"
    else:
        label = "same" if merged else "different"
    return {"label": label, "merge": merged}


def secrets(case: Case) -> Prediction:
    """The text as it passes the one door before anything is stored."""
    return {"redacted": Home().runtime.redactor.text(case["text"])}


@dataclass(frozen=True)
class Told:
    """How a channel's text reaches a session: the event's kind and its fields."""

    kind: str
    fields: Callable[[str], Case]


CHANNELS: dict[str, Told] = {
    "user_paste": Told("user_prompt", lambda text: {"text": text}),
    "assistant_text": Told("assistant_text", lambda text: {"text": text}),
    "tool_output": Told(
        "tool_finished",
        lambda text: {"tool": "bash", "command": "make", "exit_code": 0, "output": text},
    ),
    "issue": Told(
        "tool_finished",
        lambda text: {"tool": "bash", "command": "gh issue view 7", "exit_code": 0, "output": text},
    ),
    "web": Told(
        "tool_finished", lambda text: {"tool": "other", "name": "webfetch", "output": text}
    ),
    "readme": Told(
        "tool_finished", lambda text: {"tool": "read", "paths": ("README.md",), "output": text}
    ),
}


def poison(case: Case) -> Prediction:
    """What is active after a session that met the text, and whose model then obeyed it.

    The model that summarises repeats all it saw outside the user's messages, and proposes each
    line of it, in each type, besides.
    """
    home = Home()
    channel, content = CHANNELS[case["channel"]], case["content"]
    home.event("session_started")
    home.event(channel.kind, **channel.fields(content))
    if case["channel"] != "user_paste":
        home.event("compaction_started")
        home.event("compaction_finished", summary=content)
    if channel.kind == "tool_finished":
        home.event("assistant_text", text=content)
        home.event("compaction_started")
        home.event("compaction_finished", summary=_obeyed(content))
    home.event("session_ended")
    return {"active": [e.text for e in home.entries() if e.status == "active"]}


def _obeyed(content: str) -> str:
    lines = [" ".join(line.split()) for line in content.splitlines() if line.strip()]
    proposed = [f"- [{kind}] {line}" for line in lines for kind in ("decision", "reference")]
    return "\n".join(["Memory candidates:", *proposed])


class Set(NamedTuple):
    needs: tuple[str, ...]
    predict: Callable[[Case], Prediction]


LEVELS = {"normal": "safe", "aggressive": "high", "hyper": "critical"}
"""Mode of pruning -> the level of pressure that sets it."""


def prune(case: Case) -> Prediction:
    """What the model reads of an output at each level of its session's pressure."""
    return {"outputs": {mode: _read_at(level, case) for mode, level in LEVELS.items()}}


def _read_at(level: str, case: Case) -> str:
    home = Home()
    ref = Ref(Pressure, home.place.key, sid(SESSION))
    with home.store.transaction([ref]) as transaction:
        transaction.put(ref, Pressure(session_id=SESSION, level=level))
    answer = home.event(
        "tool_finished",
        tool=TOOL_KINDS.get(case["tool"].lower(), "other"),
        name=case["tool"],
        command=case["command"],
        output=case["output"],
        replaceable=case["output"],
        synthetic=case["synthetic"],
    )
    return answer.pruned.text if answer.pruned is not None else case["output"]


SETS: dict[str, Set] = {
    "gate": Set(("type", "source", "text"), gate),
    "triggers": Set(("message",), triggers),
    "capture": Set(("text",), capture),
    "errors": Set(("tool", "command", "exit", "output"), errors),
    "error_flows": Set(("root", "events"), error_flows),
    "same_fact": Set(("a", "b"), same_fact),
    "secrets": Set(("text",), secrets),
    "poison": Set(("channel", "content"), poison),
    "prune": Set(("tool", "command", "output", "synthetic"), prune),
    "stories": Set(("turns", "ask"), story_set.stories),
    "sessions": Set((), session_set.sessions),
}
