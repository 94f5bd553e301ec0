"""Stories and whole sessions through the use cases, on an empty memory with a clock of its own.

Each turn of a story is a user message of a new session on its day. What is read afterwards is the
prompt of the next session and the answer to the story's question.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.store.twin import MemoryStore
from wm.api.protocol import RecapAnswer, RecapRequest, SearchAnswer, SearchRequest, WorkspacePlace
from wm.api.sessions import EventRequest, PromptRequest
from wm.domain import payloads
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import make_runtime
from wm.settings import load
from wm.store.base import Ref
from wm.store.identity import key_of
from wm.store.paths import USER

Case = dict[str, Any]
BEGIN = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)
ROOT = "/home/dev/project"
ASKED = "WM_EVAL_ASKED"
"""Environment variable: put these words before each turn (`remember that`), to measure what
happens to a change apart from whether the turn is learned."""


class Diary:
    """A workspace whose clock is set by hand."""

    def __init__(self, root: str = ROOT) -> None:
        self.now = BEGIN
        settings = load({"HOME": "/nonexistent", "WM_RECALL_MODEL": "none"})
        self.store = MemoryStore(settings.store)
        self.runtime = make_runtime(settings, self.store, now=lambda: self.now)
        self.place = WorkspacePlace(key=key_of(root), root=root)
        memory = WorkspaceMemory(workspace=Workspace(root=root, key=self.place.key))
        with self.store.transaction([Ref(WorkspaceMemory, self.place.key)]) as transaction:
            transaction.put(Ref(WorkspaceMemory, self.place.key), memory)

    def event(self, session: str, kind: str, **fields: Any) -> Any:
        request = EventRequest.model_validate(
            {
                "workspace": self.place.key,
                "session_id": session,
                "agent": "eval",
                "event": {"kind": kind, **fields},
            }
        )
        return execute(self.runtime, OPERATIONS["record_event"], request)

    def prompt(self, session: str) -> Any:
        request = PromptRequest(workspace=self.place.key, session_id=session)
        return execute(self.runtime, OPERATIONS["prompt"], request)

    def hook(self, session: str, name: str, payload: dict[str, Any]) -> None:
        """One hook call of Claude Code, in this workspace."""
        parsed = payloads.parse("claude-code", name, {"session_id": session, **payload})
        for event in parsed.events:
            self.event(session, event.kind, **event.model_dump(exclude={"kind"}))

    def recaps(self) -> list[dict[str, Any]]:
        """The recaps, newest first, in the words of the labelled set."""
        request = RecapRequest(workspace=self.place.key, last=5)
        answer: RecapAnswer = execute(self.runtime, OPERATIONS["recap_sessions"], request)
        return [
            {
                "goal": one.asked,
                "changed": list(one.main_files),
                "done": [answer.texts[name] for name in one.kept if name in answer.texts],
                "open": [f"{e.category} {e.file or e.check}" for e in one.open],
            }
            for one in answer.recaps
        ]

    def everything(self) -> Iterator[MemoryEntry]:
        """The entries of the workspace, then those of scope `user`."""
        for key in (self.place.key, USER):
            found = self.store.read(Ref(WorkspaceMemory, key)).document
            yield from found.entries if found is not None else ()

    def ask(self, question: str) -> SearchAnswer:
        request = SearchRequest(workspace=self.place.key, query=question)
        answer: SearchAnswer = execute(self.runtime, OPERATIONS["search"], request)
        return answer

    def entries(self) -> Iterable[MemoryEntry]:
        found = self.store.read(Ref(WorkspaceMemory, self.place.key)).document
        return found.entries if found is not None else ()


def stories(case: Case) -> Case:
    """Every line that the next prompt shows, and every hit of the question."""
    diary, prefix = Diary(), os.environ.get(ASKED, "")
    for number, turn in enumerate(case["turns"], 1):
        diary.now = BEGIN + timedelta(days=int(turn["day"]))
        session = f"s-{number}"
        diary.event(session, "session_started", source="startup")
        diary.prompt(session)
        diary.event(session, "user_prompt", text=f"{prefix} {turn['text']}".strip())
        diary.event(session, "session_ended")
    diary.now += timedelta(days=1)
    diary.event("s-next", "session_started", source="startup")
    lines = [
        {"text": line.removeprefix("- "), "current": True}
        for block in diary.prompt("s-next").blocks
        for line in block.text.splitlines()
        if block.name == "workspace_memory" and line.startswith("- ")
    ]
    hits = [
        {"text": hit.entry.text, "current": hit.entry.status != "superseded"}
        for hit in diary.ask(case["ask"]).hits
    ]
    return {"shown": [*lines, *hits]}
