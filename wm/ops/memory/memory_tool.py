"""Run one command of the provider's memory tool on a workspace's memory (IF-4).

Loads, lets `wm.domain.memory.memory_tool` decide, saves. An entry written by the tool is like any
other: redacted before it is stored, judged by the gate, kept in the same file, moved to the trash
when deleted. Like every request of a model it is a proposal (TR-3): it waits in the inbox until
the user accepts it, and no prompt shows it before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from wm.api.protocol import MemoryFilesAnswer, MemoryFilesRequest, RememberRequest
from wm.domain.facts import Detail, Fact
from wm.domain.memory import memory_tool
from wm.domain.memory.entry_list import added, replaced
from wm.domain.memory.memory_tool import File, FolderError, FolderPlan, Write
from wm.errors import UserError
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops import explanations
from wm.ops.learning.remember import judged, new_entry
from wm.ops.memory.documents import entry_details, load_memory, read_memory, save_memory
from wm.ops.operation import LocatedWork, Operation, Work, as_written, located
from wm.ops.tools import refuse_flood, refuse_forgotten, withdraw

AGENT_FILE = "agent_file"
NEVER_READ_AGAIN = "prompt_injection"
"""A text that reads like instructions to a model is not shown to another one, not even from the
inbox."""

_PATHS = ("path", "old_path", "new_path")


def _run(work: LocatedWork, request: MemoryFilesRequest) -> MemoryFilesAnswer:
    longest = work.settings.tools.file_chars
    room = work.settings.tools.view_chars
    load = read_memory if _reads(request) else load_memory
    memory = load(work)
    try:
        command = _redacted(work, request.command)
        found = memory_tool.folder(memory.entries, work.place.branch)
        plan = memory_tool.plan(command, found, longest, room)
        _ToolCall(work, found, request.session).carry_out(memory, plan)
    except FolderError as error:
        return MemoryFilesAnswer(text=work.redact(str(error)), failed=True)
    except UserError as error:
        return MemoryFilesAnswer(text=f"Error: {error.message} {error.fix}".strip(), failed=True)
    return MemoryFilesAnswer(text=work.redact(plan.answer))


def _reads(request: MemoryFilesRequest) -> bool:
    return request.command.get("command") not in memory_tool.COMMANDS[1:]


def _redacted(work: Work, command: Mapping[str, Any]) -> dict[str, Any]:
    """The command without secrets, so that it matches the stored text."""
    for name in _PATHS:
        path = command.get(name)
        if isinstance(path, str) and work.redact(path) != path:
            raise FolderError("Error: The path contains what looks like a secret; choose another")
    return {k: work.redact(v) if isinstance(v, str) else v for k, v in command.items()}


class _ToolCall(Struct, frozen=True):
    """A command that is carried out for a session, and the folder that it found."""

    work: LocatedWork
    found: memory_tool.Folder
    session: str

    def carry_out(self, memory: WorkspaceMemory, plan: FolderPlan) -> None:
        if plan.write is not None:
            self._write(memory, plan.write, self.found.files.get(plan.write.path, File("")))
        for draft in plan.remove:
            memory = withdraw(self.work, memory, draft)
        for draft, path in plan.move:
            memory = self._move(memory, draft, path)

    def _write(self, memory: WorkspaceMemory, write: Write, file: File) -> None:
        refuse_forgotten(self.work, write.text)
        entry = self._entry(write, file)
        if NEVER_READ_AGAIN in entry.reasons:
            why = explanations.reason(NEVER_READ_AGAIN)
            raise FolderError(f"Error: {write.path} was not written, because {why}")
        details = entry_details(entry)
        if file.draft is None:
            refuse_flood(self.work, memory)
            details["file"] = entry.file
            fact = Fact("memory_inbox", "agent", "inbox", entry.id, entry.reasons, details)
            changed = added(memory, entry)
        else:
            details["textBefore"] = file.draft.text
            fact = Fact("memory_edited", "agent", "changed", entry.id, ("text",), details)
            changed = replaced(memory, entry)
        save_memory(self.work, changed, [fact], session=entry.session)

    def _entry(self, write: Write, file: File) -> MemoryEntry:
        """The entry of a written file: a new draft, or the existing one with another text."""
        known = file.draft or file.accepted
        asked = RememberRequest(
            text=write.text,
            type=known.type if known is not None else "",
            source="manual",
            origin="agent",
            session=self.session,
        )
        made = new_entry(self.work, asked)
        reasons = tuple(dict.fromkeys((AGENT_FILE, *judged(self.work, made), *made.reasons)))
        update: dict[str, object] = {"status": "inbox", "file": write.path, "reasons": reasons}
        if file.draft is not None:
            kept = ("id", "created_at", "supersedes", "admitted_by")
            update |= {name: getattr(file.draft, name) for name in kept}
        elif file.accepted is not None:
            update["supersedes"] = (file.accepted.id,)
        return made.model_copy(update=update)

    def _move(self, memory: WorkspaceMemory, draft: MemoryEntry, path: str) -> WorkspaceMemory:
        moved = draft.model_copy(update={"file": path, "updated_at": self.work.moment})
        changed = replaced(memory, moved)
        details: dict[str, Detail] = {"file": path, "fileBefore": draft.file}
        fact = Fact("draft_renamed", "agent", "changed", draft.id, (), details)
        save_memory(self.work, changed, [fact], session=draft.session)
        return changed


memory_files = Operation(
    "memory_files", MemoryFilesRequest, MemoryFilesAnswer, located(_run), as_written
)
