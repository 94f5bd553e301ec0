"""A compaction: the numbered list given to the summariser, and what comes back (EX-2).

`start` writes down which entry each [M#] means, with the digest of its text; `finish` obeys
only commands that carry this snapshot's id, and only on entries that are still what they were.
Candidates that cannot be admitted now wait in the journal. A summary that arrives twice is
taken once.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.domain.facts import Fact
from wm.domain.session.origin import UNATTRIBUTABLE
from wm.domain.text import canonical
from wm.domain.times import iso
from wm.domain.workspace import candidates, consolidate, echo, retention
from wm.domain.workspace.candidates import Candidate
from wm.domain.workspace.entries import replaced
from wm.errors import Corrupt, TooNew
from wm.formats.events import CompactionFinished
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.protocol import Place, Remembered, RememberRequest
from wm.formats.session_state import CompactionState, MemoryRef, SessionState
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops import origins, working
from wm.ops.base import Work
from wm.ops.contract_file import after_compaction
from wm.ops.journal import learn_or_wait
from wm.ops.memory import ledger_of, load_memory, read_memory, save_memory
from wm.ops.place import workspace_of
from wm.ops.remember import new_entry, refusal_reasons
from wm.ops.render import rendered
from wm.ops.sessions import compaction_ref, load_compaction
from wm.store.base import Ref
from wm.store.paths import sid

ECHOES = ("workspace_memory", "handoff")
"""Blocks whose text is nothing new when a summary repeats it."""

PREVIEW_CHARS = 300
"""So much of a line that is no candidate is kept as evidence."""


def start(work: Work, place: Place, state: SessionState) -> str:
    """Number the shown memories for the summariser; the text to give it."""
    memory = read_memory(work, place)
    shown = rendered(work, place, memory).selection.shown
    refs = tuple(
        MemoryRef(ref=f"M{number}", id=entry.id, digest=_digest(work, entry.text))
        for number, entry in enumerate(shown, start=1)
    )
    snapshot_id = work.runtime.ids.new("c_")
    compaction = load_compaction(work, place, state.session_id)
    work.put(
        compaction_ref(place.key, state.session_id),
        compaction.model_copy(
            update={
                "snapshot_id": snapshot_id,
                "snapshot_at": iso(work.now),
                "epoch": state.epoch,
                "refs": refs,
                "updated_at": iso(work.now),
            }
        ),
    )
    numbered = tuple(
        (ref.ref, entry.type, entry.text) for ref, entry in zip(refs, shown, strict=True)
    )
    return candidates.instructions(numbered, snapshot_id)


def finish(
    work: Work, place: Place, state: SessionState, event: CompactionFinished
) -> tuple[SessionState, tuple[Remembered, ...]]:
    """Take the summary's candidates in, end the epoch, and count the compaction (CT-2)."""
    compaction = load_compaction(work, place, state.session_id)
    digest = _digest(work, event.summary) if event.summary else ""
    if digest and digest == compaction.last_summary_digest and not compaction.snapshot_id:
        return state, ()
    working.compacted(work, place, state)
    compaction = load_compaction(work, place, state.session_id)
    remembered: tuple[Remembered, ...] = ()
    if event.summary:
        remembered = _take(work, place, state, compaction, event.summary)
    remembered += _decisions(work, place, state)
    count = compaction.count + 1
    work.put(
        compaction_ref(place.key, state.session_id),
        compaction.model_copy(
            update={
                "count": count,
                "last_summary_digest": digest,
                "updated_at": iso(work.now),
                "snapshot_id": "",
                "epoch": "",
                "refs": (),
            }
        ),
    )
    after = state.model_copy(
        update={
            "epoch": state.epoch if _opened_since(state, compaction) else "",
            "compactions": count,
            "recent_decisions": (),
            "pending_memories": (),
        }
    )
    after_compaction(work, place, state.root, state.session_id, count)
    return after, remembered


def _opened_since(state: SessionState, compaction: CompactionState) -> bool:
    """Whether the epoch after this compaction is open already: Claude Code asks for it before
    it hands the summary over. Closing it again would part the prompt from its file."""
    return bool(compaction.snapshot_id) and state.epoch not in ("", compaction.epoch)


def _take(
    work: Work,
    place: Place,
    state: SessionState,
    compaction: CompactionState,
    summary: str,
) -> tuple[Remembered, ...]:
    parsed = candidates.parse(summary)
    facts = [
        Fact(
            "candidate_refused",
            "extraction",
            "rejected",
            reason_codes=(refused.code,),
            details={"preview": refused.line[:PREVIEW_CHARS]},
        )
        for refused in parsed.refused
    ]
    facts += [
        Fact("candidates_deprecated", "extraction", "noticed", details={"note": note})
        for note in parsed.notes
    ]
    work.log(place.key, facts, session=sid(state.session_id))
    injected = _injected(work, place, state)
    remembered = []
    for item in parsed.items:
        if item.action == "add":
            remembered.append(_add(work, place, state, item, injected))
        else:
            remembered.append(_command(work, place, state, compaction, item, parsed.snapshot_id))
    return tuple(remembered)


def _injected(work: Work, place: Place, state: SessionState) -> tuple[str, ...]:
    """What this session's prompt told it of the memory: repeating that teaches nothing.

    The bytes that it got, which also hold what was edited or forgotten since, and of entries
    that were shown in part the whole.
    """
    epoch = work.read(Ref(PromptEpoch, place.key, state.epoch)).document if state.epoch else None
    told: list[str] = []
    included: set[str] = set()
    for _ in range(2):  # the epoch, and the one that the compacted conversation began with
        if epoch is None:
            break
        told += [block.text for block in epoch.blocks if block.name in ECHOES]
        included.update(i for block in epoch.blocks for i in block.included)
        before = epoch.previous
        epoch = work.read(Ref(PromptEpoch, place.key, before)).document if before else None
    included.update(note.id for note in state.recalled)
    memory = _readable(work, place)
    return (*told, *(entry.text for entry in memory.entries if entry.id in included))


def _readable(work: Work, place: Place) -> WorkspaceMemory:
    try:
        return read_memory(work, place)
    except Corrupt:
        return WorkspaceMemory(workspace=workspace_of(place))


def _add(
    work: Work, place: Place, state: SessionState, item: Candidate, injected: Sequence[str]
) -> Remembered:
    if echo.is_echo(item.text, injected):
        return _rejected(work, place, state, item, "echo")
    request = RememberRequest(
        text=item.text,
        type=item.type,
        source="compaction",
        origin="agent",
        session=state.session_id,
    )
    entry = new_entry(work, place, request)
    reasons = refusal_reasons(work, place, entry)
    if reasons:
        # What the model proposed and the gate refuses is evidence, not inbox: nobody asked.
        return _rejected(work, place, state, item, *reasons)
    return learn_or_wait(work, place, request)


def _command(
    work: Work,
    place: Place,
    state: SessionState,
    compaction: CompactionState,
    item: Candidate,
    snapshot_id: str,
) -> Remembered:
    """REINFORCE or REPLACE, on this compaction's list only."""
    if not snapshot_id:
        return _rejected(work, place, state, item, "missing_compaction_snapshot_id")
    if snapshot_id != compaction.snapshot_id:
        return _rejected(work, place, state, item, "compaction_snapshot_mismatch")
    ref = next((r for r in compaction.refs if r.ref == item.ref), None)
    if ref is None:
        return _rejected(work, place, state, item, "invalid_memory_ref")
    try:
        memory = load_memory(work, place)
    except (Corrupt, TooNew) as error:
        return _rejected(work, place, state, item, error.code)
    entry = next((e for e in memory.entries if e.id == ref.id and e.status == "active"), None)
    if entry is None:
        return _rejected(work, place, state, item, "memory_ref_target_unavailable")
    if _digest(work, entry.text) != ref.digest:
        return _rejected(work, place, state, item, "memory_ref_target_changed")
    if item.action == "reinforce":
        if not origins.may_confirm(work, place, state.session_id, entry.text):
            return _rejected(work, place, state, item, UNATTRIBUTABLE)
        return _reinforce(work, place, state, memory, entry)
    return _replace(work, place, state, memory, entry, item)


def _reinforce(
    work: Work, place: Place, state: SessionState, memory: WorkspaceMemory, entry: MemoryEntry
) -> Remembered:
    result = retention.reinforce(
        entry,
        session=sid(state.session_id),
        now=work.now,
        settings=work.runtime.settings.memory,
    )
    fact = Fact(
        "memory_reinforced",
        "retention",
        result.outcome,
        entry.id,
        result.reason_codes,
        result.details,
    )
    save_memory(
        work,
        place,
        replaced(memory, result.entry),
        [fact],
        session=sid(state.session_id),
    )
    return Remembered(outcome=result.outcome, entry=result.entry, reason_codes=result.reason_codes)


def _replace(
    work: Work,
    place: Place,
    state: SessionState,
    memory: WorkspaceMemory,
    old: MemoryEntry,
    item: Candidate,
) -> Remembered:
    request = RememberRequest(
        text=item.text,
        type=item.type or old.type,
        source="compaction",
        origin="agent",
        session=state.session_id,
    )
    with ledger_of(work, place, memory) as ledger:
        entry = origins.weighed(ledger, new_entry(work, place, request))
        reasons = refusal_reasons(work, place, entry)
        if reasons:
            return _rejected(work, place, state, item, *reasons)
        admission = consolidate.supersede(
            ledger, old.id, entry, now=work.now, settings=work.runtime.settings.memory
        )
    fact = Fact(
        f"memory_{admission.outcome}",
        "promotion",
        admission.outcome,
        admission.entry_id,
        admission.reason_codes,
        {**admission.details, "replaces": old.id, "text": entry.text},
    )
    save_memory(work, place, admission.memory, [fact], session=sid(state.session_id))
    return Remembered(outcome=admission.outcome, reason_codes=admission.reason_codes)


def _decisions(work: Work, place: Place, state: SessionState) -> tuple[Remembered, ...]:
    """What the session decided is a candidate now (HS-3)."""
    injected = _injected(work, place, state)
    items = (
        Candidate(action="add", type="decision", text=decision.text)
        for decision in state.recent_decisions
    )
    return tuple(_add(work, place, state, item, injected) for item in items)


def _rejected(
    work: Work, place: Place, state: SessionState, item: Candidate, *codes: str
) -> Remembered:
    fact = Fact(
        "candidate_rejected",
        "gate",
        "rejected",
        reason_codes=codes,
        details={"action": item.action, "type": item.type, "text": item.text},
    )
    work.log(place.key, [fact], session=sid(state.session_id))
    return Remembered(outcome="rejected", reason_codes=codes)


def _digest(work: Work, text: str) -> str:
    return work.runtime.store.digest(canonical(text))
