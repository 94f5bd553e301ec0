"""Carry out a model's tool call (IF-4), over any transport.

The caller is always a model, never a person. It reads active entries. What it wants to keep is
judged by where its words first appeared in the session (`wm.ops.learning.provenance`): a text
without support from the user or the model's own untainted words waits in the inbox, tainted, and so
does one without a session to check (TR-3, EX-5). A model may withdraw its own proposals and nothing
else: active and forgotten entries change only by a user's act.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from wm.api import tools
from wm.api.paging import ObjectsRequest
from wm.api.protocol import EntriesRequest, RememberRequest, SearchRequest, ToolAnswer, ToolRequest
from wm.domain.facts import Fact
from wm.domain.learning.provenance import standalone_sentences
from wm.domain.memory import edits, tombstones
from wm.domain.paging.passages import TextPassage
from wm.domain.session import core_blocks
from wm.errors import NotFound, UserError
from wm.formats.base import Document
from wm.formats.session_state import SessionState
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.diagnosis.inspection import inspect
from wm.ops.helper.answers import short_answer
from wm.ops.learning import provenance, recaps
from wm.ops.learning.remember import learn
from wm.ops.memory import documents
from wm.ops.memory.entries import to_trash, trash_ref
from wm.ops.operation import LocatedWork, Operation, Work
from wm.ops.paging import objects
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.ops.search.search import search
from wm.ops.session import core_blocks as core
from wm.ops.session import epochs, tool_outputs, working_memory
from wm.search import filter_syntax, tool_rendering
from wm.secrets.redact import labels_in
from wm.store.base import Ref
from wm.store.paths import sid
from wm.text.sentences import first_sentences
from wm.wire.block import CHARS_PER_TOKEN

Arguments = Mapping[str, Any]

MOST_TOKENS = 4_000
ANSWER = "answer"
"""The scope of a query that wants a short answer from removed content."""
PASSAGES = 4
"""Passages of removed content that a query adds to its hits."""
RECAPPED = 3
"""Sessions that `recap` shows if the model gives no number."""


def is_proposal(entry: MemoryEntry) -> bool:
    """True if a model's tool put the entry into the inbox and no person confirmed it."""
    by_model = entry.source == "manual" and entry.origin in ("agent", "tool")
    return entry.status == "inbox" and by_model and not entry.outside


# --- reading --------------------------------------------------------------------------------


def _query(work: LocatedWork, request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    scope = arguments.get("scope", "all")
    limit = int(arguments.get("limit", work.settings.tools.hits))
    room = CHARS_PER_TOKEN * int(arguments.get("max_tokens", MOST_TOKENS))
    room = min(room, work.settings.tools.answer_chars)
    only = filter_syntax.parse(arguments.get("only", ""))
    in_memory = only or scope == "memory"
    removed = () if in_memory else objects.passages(work, arguments["query"], PASSAGES)
    if scope in ("context", ANSWER):
        return _said(_about_removed(work, arguments, removed, room))
    asked = SearchRequest(**_scope(request), query=arguments["query"], limit=limit, **only)
    found = search.run(work, asked)
    prompted = epochs.in_prompt(work, found.standing, request) if found.standing else ()
    text, structured = tool_rendering.answer(found, room, in_prompt=prompted, narrowed=bool(only))
    if removed:
        more, data = tool_rendering.passages(removed, room // 2)
        text, structured = f"{text}\n{more}", {**structured, **data}
    return _said((text, structured))


def _about_removed(
    work: LocatedWork, arguments: Arguments, removed: Sequence[TextPassage], room: int
) -> tuple[str, dict[str, Any]]:
    """The helper model's short answer, if one was asked for and comes in time; else passages."""
    if arguments["scope"] != ANSWER or not work.settings.helper.model:
        return tool_rendering.passages(removed, room)
    found = short_answer(work, arguments["query"], removed)
    if found.answer is not None:
        return tool_rendering.short_answer(found.answer)
    text, structured = tool_rendering.passages(removed, room)
    said, data = tool_rendering.no_short_answer(found.reason, found.summary)
    return f"{said}\n{text}", {**structured, **data}


def _recap(work: LocatedWork, _request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    last = int(arguments.get("last", RECAPPED))
    shown = recaps.newest_first(work)[:last]
    memory = documents.read_memory(work)
    texts = {e.id: e.text for e in memory.entries if e.status == "active"}
    return _said(tool_rendering.sessions(shown, texts))


def _stats(work: LocatedWork, request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    del arguments
    found = inspect.run(work, EntriesRequest(**_scope(request)))
    trash = len(work.store.names(TrashedEntry, found.place.key))
    return _said(tool_rendering.stats(found, trash))


def _scope(request: ToolRequest) -> dict[str, Any]:
    return {
        "directory": request.directory,
        "workspace": request.workspace,
        "explicit": request.explicit,
    }


# --- proposing ------------------------------------------------------------------------------


def _remember(work: LocatedWork, request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    memory = documents.load_memory(work)
    proposed = arguments["text"]
    texts = provenance.split_by_support(work, request.session, proposed)
    parts = standalone_sentences(proposed) if len(texts) > 1 else ()
    for text in (proposed, *parts):
        refuse_forgotten(work, text)
    refuse_flood(work, memory)
    lines = []
    for text in texts:
        proposal = RememberRequest(
            text=text,
            type=arguments.get("type", ""),
            source="manual",
            origin="agent",
            session=request.session,
        )
        kept = learn(work, proposal)
        quote = f"“{first_sentences(text, QUOTED_CHARS)}”: " if len(texts) > 1 else ""
        lines.append(quote + kept.message + (WAITS if kept.outcome == "inbox" else ""))
    return _outcome("\n".join(lines), kept.entry, kept.outcome)


WAITS = " It is not in force before the user accepts it (`wm inbox`). Tell the user so."
QUOTED_CHARS = 60
"""Characters of each text that the answer quotes if a proposal was taken apart."""


def refuse_forgotten(work: LocatedWork, text: str) -> None:
    """Raises UserError for a text that the user forgot: a model must not restore it (WM-7)."""
    stones = documents.read_tombstones(work).stones
    redacted = work.redact(text.strip())
    if tombstones.is_forgotten(redacted, stones, work.store.digest):
        raise UserError.of("tool.forgotten_before")


def refuse_flood(work: Work, memory: WorkspaceMemory) -> None:
    """Raises UserError if too many proposals of models wait in the inbox."""
    limit = work.settings.tools.max_waiting
    if sum(map(is_proposal, memory.entries)) >= limit:
        raise UserError.of("tool.too_many_proposals", limit=limit)


# --- withdrawing ----------------------------------------------------------------------------


def _forget(work: LocatedWork, _request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    memory = documents.load_memory(work)
    entry = documents.find_entry(memory, arguments["id"])
    if not is_proposal(entry):
        raise UserError.of("tool.not_its_proposal", entry=tool_rendering.short_id(entry))
    withdraw(work, memory, entry, str(arguments.get("reason", "")))
    return _outcome(
        f"Withdrew {tool_rendering.short_id(entry)}; memory_restore takes it back.",
        entry,
        "trashed",
    )


def withdraw(
    work: LocatedWork, memory: WorkspaceMemory, entry: MemoryEntry, reason: str = ""
) -> WorkspaceMemory:
    """Move a proposal to the trash. No tombstone: only the agent wanted it removed."""
    memory, gone = edits.trash(memory, entry.id)
    to_trash(work, gone, reason=reason, stone=False)
    fact = Fact("memory_trashed", "agent", "trashed", gone.id, (), documents.entry_details(gone))
    documents.save_memory(work, memory, [fact], session=gone.session)
    return memory


def _restore(work: LocatedWork, request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    handle = str(arguments.get("id", "")).strip().lower()
    if handle.startswith("t_"):
        return _output(work, request, arguments)
    if handle.startswith("o_"):
        return _object(work, request, arguments)
    memory = documents.load_memory(work)
    name = documents.full_id(arguments["id"], work.store.names(TrashedEntry, work.key))
    kept = work.read(trash_ref(work.key, name)).document if name else None
    if kept is None:
        raise NotFound.of("tool.not_in_trash", id=arguments["id"][:40])
    entry = kept.entry
    # A user's rejection left a tombstone; a withdrawal leaves none.
    rejected = any(stone.id == entry.id for stone in documents.read_tombstones(work).stones)
    if rejected or not is_proposal(entry):
        raise UserError.of(
            "tool.removed_by_user", entry=tool_rendering.short_id(entry), id=entry.id
        )
    memory, facts = edits.restore(memory, entry, now=work.now)
    work.delete(trash_ref(work.key, entry.id))
    documents.save_memory(work, memory, [replace(fact, phase="agent") for fact in facts])
    return _outcome(f"{tool_rendering.short_id(entry)} waits in the inbox again.", entry, "inbox")


def _object(work: LocatedWork, _request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    """The text of a removed step or a part of it; it stays in the context for a while (OB-5)."""
    session, one, part = objects.find(work, arguments["id"])
    text = objects.text_of(one, part)
    lines = tool_outputs.chosen_lines(text, arguments.get("lines", ""), arguments.get("grep", ""))
    objects.note(work, session, "restored", one)
    name = one.id if part is None else part.id
    most = work.settings.tools.restored_chars
    return _said(tool_rendering.restored(name, one.label, text, lines, most, labels_in))


def _release(work: LocatedWork, _request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    session, one, _part = objects.find(work, arguments["id"])
    objects.note(work, session, "released", one)
    text = f"{one.id} may leave the context again; memory_restore brings it back."
    return ToolAnswer(text=text, structured={"id": one.id, "message": text})


def _objects(work: LocatedWork, request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    asked = ObjectsRequest(**_scope(request), type=arguments.get("type", ""))
    found = objects.list_objects.run(work, asked)
    session = sid(request.session)
    own = [one for one in found.objects if one.session == session] or list(found.objects)
    return _said(tool_rendering.removed([one for one in own if one.fidelity]))


def _output(work: LocatedWork, _request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    """Lines of a kept output, up to the size limit of an answer."""
    kept = tool_outputs.find(work, arguments["id"])
    lines, grep = (str(arguments.get(name, "")) for name in ("lines", "grep"))
    chosen = tool_outputs.chosen_lines(kept.text, lines, grep)
    return _said(tool_rendering.output(kept, chosen, work.settings.tools.output_chars))


def _said(rendering: tuple[str, dict[str, Any]]) -> ToolAnswer:
    """The answer with this text and these values."""
    text, structured = rendering
    return ToolAnswer(text=text, structured=structured)


def _outcome(text: str, entry: MemoryEntry | None, outcome: str) -> ToolAnswer:
    named = {"id": tool_rendering.short_id(entry)} if entry is not None else {}
    return ToolAnswer(text=text, structured={"outcome": outcome, **named, "message": text})


# --- the session's own memory -----------------------------------------------------------------


def _of_session(work: LocatedWork, request: ToolRequest, arguments: Arguments) -> ToolAnswer:
    """Run a tool on the caller's own session memory. The structured part repeats the text: Claude
    Code shows a model the structured part only."""
    state = core.of_caller(work, request.session)
    said = _session_tool(work, state, request.name, arguments)
    key = "blocks" if request.name == "core_memory_read" else "message"
    return ToolAnswer(text=said, structured={key: said})


def _session_tool(work: LocatedWork, state: SessionState, name: str, arguments: Arguments) -> str:
    edit = working_memory.WorkingEdit(work, state, "agent")
    text, slot = arguments.get("text", ""), arguments.get("slot", "")
    match name:
        case "core_memory_update":
            core.begin(work, state)
            block, content = arguments["block"], arguments["content"]
            operation = arguments.get("operation", "replace")
            return core.change(work, state, block, content, operation, by="agent")[1]
        case "core_memory_read":
            found = core.load_core(work, state)
            rendered = core_blocks.render(found, work.settings.core)
            return rendered or "The core blocks are empty."
        case "working_memory_add":
            core.begin(work, state)
            return edit.add(text, slot)[1]
        case "working_memory_clear_slot":
            return edit.clear_slot(slot)[1]
        case "working_memory_remove":
            return edit.remove(text)[1]
        case _:
            return edit.clear_all()[1]


# --- the operation --------------------------------------------------------------------------

RUNS: Mapping[str, Callable[[LocatedWork, ToolRequest, Arguments], ToolAnswer]] = {
    "memory_query": _query,
    "recap": _recap,
    "memory_stats": _stats,
    "remember": _remember,
    "forget": _forget,
    "memory_restore": _restore,
    "memory_release": _release,
    "memory_objects": _objects,
    "core_memory_update": _of_session,
    "core_memory_read": _of_session,
    "working_memory_add": _of_session,
    "working_memory_clear_slot": _of_session,
    "working_memory_remove": _of_session,
    "working_memory_clear": _of_session,
}
"""Tool -> its function; the names are those of `wm.api.tools.TOOLS`."""


def _run(work: Work, request: ToolRequest) -> ToolAnswer:
    tool = _tool(request)
    wrong = tools.problem(tool, request.arguments)
    if wrong:
        raise UserError(wrong, fix="Call it again with the arguments that its schema names.")
    work = work.at(locate(work.runtime, request))
    return RUNS[tool.name](work, request, request.arguments)


def _tool(request: ToolRequest) -> tools.Tool:
    tool = tools.find(request.name)
    if tool is None:
        known = ", ".join(tool.name for tool in tools.TOOLS)
        raise NotFound.of("tool.unknown", name=request.name[:40], known=known)
    return tool


def _refs(runtime: Runtime, request: ToolRequest) -> Sequence[Ref[Document]]:
    """A second run of `remember` would compare the text with the complete memory again."""
    return documents.memory_refs(runtime, request) if request.name == "remember" else ()


def _queue(runtime: Runtime, request: ToolRequest) -> str:
    """A call that may wait for the helper model keeps no update of its workspace waiting."""
    waits = request.name == "memory_query" and request.arguments.get("scope") == ANSWER
    return "answers" if waits else locate(runtime, request).key


call_tool = Operation("call_tool", ToolRequest, ToolAnswer, _run, _refs, _queue)
