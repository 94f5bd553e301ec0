"""Run one command of the provider's memory tool on a workspace's memory (IF-4).

Loads, lets `wm.domain.memory.memory_tool` decide, saves. An entry written by the tool is like any
other: redacted before it is stored, judged by the gate, kept in the same file, moved to the trash
when deleted. Like every request of a model it is a proposal (TR-3): it waits in the inbox until
the user accepts it, and no prompt shows it before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wm.api.protocol import MemoryFilesAnswer, MemoryFilesRequest, RememberRequest, WorkspacePlace
from wm.domain.facts import Detail, Fact
from wm.domain.memory import memory_tool
from wm.domain.memory.entry_list import replaced
from wm.domain.memory.memory_tool import File, FolderError, FolderPlan, Write
from wm.domain.times import iso
from wm.errors import UserError
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops import explanations
from wm.ops.learning.remember import judged, new_entry
from wm.ops.memory.documents import load_memory, read_memory, save_memory
from wm.ops.operation import Operation, Work, as_written
from wm.ops.place import locate
from wm.ops.tools import refuse_flood, refuse_forgotten, withdraw

AGENT_FILE = "agent_file"
NEVER_READ_AGAIN = "prompt_injection"
"""A text that reads like instructions to a model is not shown to another one, not even from the
inbox."""

_PATHS = ("path", "old_path", "new_path")


def _run(work: Work, request: MemoryFilesRequest) -> MemoryFilesAnswer:
    place = locate(work.runtime, request)
    longest = work.runtime.settings.tools.file_chars
    room = work.runtime.settings.tools.view_chars
    load = read_memory if _reads(request) else load_memory
    memory = load(work, place)
    redact = work.runtime.redactor.text
    try:
        command = _redacted(work, request.command)
        found = memory_tool.folder(memory.entries, place.branch)
        plan = memory_tool.plan(command, found, longest, room)
        _carry_out(work, place, memory, found, plan, request.session)
    except FolderError as error:
        return MemoryFilesAnswer(text=redact(str(error)), failed=True)
    except UserError as error:
        return MemoryFilesAnswer(text=f"Error: {error.message} {error.fix}".strip(), failed=True)
    return MemoryFilesAnswer(text=redact(plan.answer))


def _reads(request: MemoryFilesRequest) -> bool:
    return request.command.get("command") not in memory_tool.COMMANDS[1:]


def _redacted(work: Work, command: Mapping[str, Any]) -> dict[str, Any]:
    """The command without secrets, so that it matches the stored text."""
    redact = work.runtime.redactor.text
    for name in _PATHS:
        path = command.get(name)
        if isinstance(path, str) and redact(path) != path:
            raise FolderError("Error: The path contains what looks like a secret; choose another")
    return {k: redact(v) if isinstance(v, str) else v for k, v in command.items()}


def _carry_out(
    work: Work,
    place: WorkspacePlace,
    memory: WorkspaceMemory,
    found: memory_tool.Folder,
    plan: FolderPlan,
    session: str,
) -> None:
    if plan.write is not None:
        file = found.files.get(plan.write.path, File(""))
        _write(work, place, memory, plan.write, file, session)
    for draft in plan.remove:
        memory = withdraw(work, place, memory, draft)
    for draft, path in plan.move:
        memory = _move(work, place, memory, draft, path)


def _write(
    work: Work,
    place: WorkspacePlace,
    memory: WorkspaceMemory,
    write: Write,
    file: File,
    session: str,
) -> None:
    refuse_forgotten(work, place, write.text)
    entry = _entry(work, place, write, file, session)
    if NEVER_READ_AGAIN in entry.reasons:
        told = explanations.reason(NEVER_READ_AGAIN)
        raise FolderError(f"Error: {write.path} was not written, because {told}")
    if file.draft is None:
        refuse_flood(work, memory)
        fact = _fact("memory_inbox", "inbox", entry, entry.reasons, {"file": entry.file})
        changed = memory.model_copy(update={"entries": (*memory.entries, entry)})
    else:
        before = {"textBefore": file.draft.text}
        fact = _fact("memory_edited", "changed", entry, ("text",), before)
        changed = replaced(memory, entry)
    save_memory(work, place, changed, [fact], session=entry.session)


def _entry(
    work: Work, place: WorkspacePlace, write: Write, file: File, session: str
) -> MemoryEntry:
    """The entry of a written file: a new draft, or the existing one with another text."""
    known = file.draft or file.accepted
    asked = RememberRequest(
        text=write.text,
        type=known.type if known is not None else "",
        source="manual",
        origin="agent",
        session=session,
    )
    made = new_entry(work, place, asked)
    reasons = dict.fromkeys((AGENT_FILE, *judged(work, made), *made.reasons))
    update: dict[str, object] = {"status": "inbox", "file": write.path, "reasons": tuple(reasons)}
    if file.draft is not None:
        kept = ("id", "created_at", "supersedes", "admitted_by")
        update |= {name: getattr(file.draft, name) for name in kept}
    elif file.accepted is not None:
        update["supersedes"] = (file.accepted.id,)
    return made.model_copy(update=update)


def _move(
    work: Work, place: WorkspacePlace, memory: WorkspaceMemory, draft: MemoryEntry, path: str
) -> WorkspaceMemory:
    moved = draft.model_copy(update={"file": path, "updated_at": iso(work.now)})
    changed = replaced(memory, moved)
    details: dict[str, Detail] = {"file": path, "fileBefore": draft.file}
    fact = Fact("draft_renamed", "agent", "changed", draft.id, (), details)
    save_memory(work, place, changed, [fact], session=draft.session)
    return changed


def _fact(
    type: str, outcome: Any, entry: MemoryEntry, codes: tuple[str, ...], more: Mapping[str, Detail]
) -> Fact:
    details: dict[str, Detail] = {
        "source": entry.source,
        "origin": entry.origin,
        "text": entry.text,
        **more,
    }
    return Fact(type, "agent", outcome, entry.id, codes, details)


memory_files = Operation("memory_files", MemoryFilesRequest, MemoryFilesAnswer, _run, as_written)
