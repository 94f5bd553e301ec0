"""Edit an entry as a person asks; what the gate refuses waits in the inbox (EX-3).

Apart from `entries`, because only this needs the rules of what may be learned.
"""

from __future__ import annotations

from wm.api.protocol import EditRequest, EntryAnswer
from wm.domain.memory import edits
from wm.ops import explanations
from wm.ops.learning.remember import judged
from wm.ops.memory import anchors
from wm.ops.memory.documents import memory_refs, save_memory
from wm.ops.memory.entries import change_entry, load_to_change
from wm.ops.operation import LocatedWork, Operation, located


def _edit(work: LocatedWork, request: EditRequest) -> EntryAnswer:
    if request.text is not None:
        waits = _edit_that_waits(work, request, request.text)
        if waits is not None:
            return waits

    noted = None
    if request.anchors is not None:
        noted = anchors.parsed(work.place, request, request.anchors)

    return change_entry(
        work,
        request.id,
        lambda memory, entry_id: edits.edit(
            memory,
            entry_id,
            text=None if request.text is None else work.redact(request.text.strip()),
            rationale=None if request.rationale is None else work.redact(request.rationale.strip()),
            type=request.type,
            importance=request.importance,
            pinned=request.pinned,
            anchors=noted,
            now=work.now,
            settings=work.settings.memory,
        ),
    )


def _edit_that_waits(work: LocatedWork, request: EditRequest, text: str) -> EntryAnswer | None:
    """Send an edit that the gate refuses to the inbox, like any text (EX-3); the old text stays in
    force. None: the gate has no objection, or the edit itself will fail with a message."""
    memory, entry = load_to_change(work, request.id)
    if entry.status != "active":
        return None
    text = work.redact(text.strip())
    asked = entry.model_copy(update={"text": text, "source": "manual"})
    reasons = judged(work, asked)
    if not reasons or text == entry.text or {"empty", "too_long"} & set(reasons):
        return None
    changed, waiting, fact = edits.propose(
        memory, asked, reasons, new_id=work.new_id("m_"), now=work.now
    )
    save_memory(work, changed, [fact])
    why = explanations.reasons(reasons)
    return EntryAnswer(
        entry=waiting,
        message=f"The new text waits in the inbox, because {why}. "
        f"`wm inbox accept {waiting.id}` replaces {entry.id} by it.",
    )


edit_entry = Operation("edit_entry", EditRequest, EntryAnswer, located(_edit), memory_refs)
