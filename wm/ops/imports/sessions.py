"""Import another program's session memory: core blocks, slots, paths, notes (CB-6).

A session is imported under its own id, as a finished one, so that `wm session continue ID` can
resume it. Nothing of ours is overwritten: blocks are imported if the session has none here, items
if the session is unknown here, so a second run changes nothing. Texts are redacted; text that
reads like instructions to a model is skipped; blocks count as text of unknown origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wm.api.imports import ImportedSession, ImportItem, ImportSession
from wm.domain.facts import Fact, Refusal
from wm.domain.memory.gate import reads_as_instruction
from wm.domain.session import core_blocks, pool, slots
from wm.domain.times import in_past, parse
from wm.formats.base import Document
from wm.formats.core_memory import CoreMemory
from wm.formats.session_state import SessionState
from wm.formats.working_memory import PoolItem, SlotItem, WorkingMemory
from wm.ops.operation import LocatedWork, Work
from wm.ops.session.hot_state import core_ref, session_ref, working_ref
from wm.store.base import Health, Ref
from wm.store.paths import sid

TYPE = "session_imported"
"""The type of the record of an imported session."""

BY = "import"
"""Who wrote an imported block or item."""

SPREAD = 20
"""Number of events over which imported pool items are spread by age, so that the oldest still
count."""


def session_refs(key: str, sessions: Iterable[ImportSession]) -> Sequence[Ref[Document]]:
    """The documents that `take` may write."""
    names = dict.fromkeys(one.session_id for one in sessions)
    return [
        ref
        for name in names
        for ref in (core_ref(key, name), working_ref(key, name), session_ref(key, name))
    ]


def unused(work: LocatedWork, name: str) -> str:
    """The id of the imported session `name`, or "" if it was used, changed or deleted since."""
    state = work.read(Ref(SessionState, work.key, name)).document
    core = work.read(Ref(CoreMemory, work.key, name)).document
    if state is None or not state.started_at == state.updated_at == state.ended_at:
        return ""
    blocks = core_blocks.filled(core) if core is not None else ()
    return state.session_id if all(block.by == BY for _, block in blocks) else ""


def take(
    work: LocatedWork, sessions: Sequence[ImportSession], command: str, *, dry_run: bool
) -> tuple[ImportedSession, ...]:
    """Import sessions, one file after another, and report each outcome. command: the record of the
    import, which each record of a session names."""
    longest = work.settings.session.max_id_chars
    fits = [one for one in sessions if 0 < len(one.session_id) <= longest]
    known = {
        one.session_id: work.read(session_ref(work.key, one.session_id)).health
        is not Health.MISSING
        for one in fits
    }
    return tuple(
        _take(work, one, command, known=known[one.session_id], dry_run=dry_run) for one in fits
    )


def _take(
    work: LocatedWork, one: ImportSession, command: str, *, known: bool, dry_run: bool
) -> ImportedSession:
    at = in_past(one.at, work.now) or work.moment
    has_core = work.read(core_ref(work.key, one.session_id)).health is not Health.MISSING
    core, refused = _core(work, one, at) if not has_core else (None, [])
    working, unfit = _working(work, one, at) if not known else (None, [])
    names = tuple(name for name, _ in core_blocks.filled(core)) if core is not None else ()
    items = len(working.pool) + sum(map(len, working.slots.values())) if working is not None else 0
    outcome = "imported" if names or items else "rejected" if refused or unfit else "unchanged"
    if outcome == "imported" and not dry_run:
        if not known:
            _begin(work, one, at, len(working.pool) if working is not None else 0)
        if core is not None and names:
            work.put(core_ref(work.key, one.session_id), core)
        if working is not None and items:
            work.put(working_ref(work.key, one.session_id), working)
        details = {"blocks": names, "items": items, "file": one.file, "command": command}
        fact = Fact(TYPE, "session", "changed", details=details)  # type: ignore[arg-type]
        work.log([fact], session=sid(one.session_id))
    return ImportedSession(
        outcome=outcome,
        session_id=one.session_id,
        blocks=names,
        items=items,
        reason_codes=tuple(dict.fromkeys((*refused, *unfit))),
        file=work.redact(one.file),
    )


def _core(work: LocatedWork, one: ImportSession, at: str) -> tuple[CoreMemory, list[str]]:
    core = CoreMemory(session_id=one.session_id, agent=one.agent, workspace_key=work.key)
    refused: list[str] = []
    for block in one.blocks:
        text = work.redact(block.content)
        made: CoreMemory | Refusal = (
            Refusal("prompt_injection", "")
            if reads_as_instruction(text)
            else core_blocks.update(
                core,
                block.name,
                text,
                by=BY,
                now=parse(in_past(block.at, work.now) or at) or work.now,
                settings=work.settings.core,
                tainted=True,
            )
        )
        if isinstance(made, Refusal):
            refused.append(made.code)
        else:
            core = made
    return core, refused


def _working(work: Work, one: ImportSession, at: str) -> tuple[WorkingMemory, list[str]]:
    settings = work.settings.working
    fit: list[ImportItem] = []
    refused: list[str] = []
    for item in one.items:
        text = " ".join(work.redact(item.text).split())
        code = "too_long" if len(text) > settings.item_chars else ""
        code = code or ("prompt_injection" if reads_as_instruction(text) else "")
        refused += [code] if code else []
        when = in_past(item.at, work.now) or at
        fit += [] if code else [item.model_copy(update={"text": text, "at": when})]
    fit.sort(key=lambda item: item.at)
    kept_slots: slots.Slots = {}
    pooled = [item for item in fit if not item.slot]
    for item in fit:
        if item.slot:
            made = SlotItem(text=item.text, by=BY, at=item.at)
            kept_slots = slots.add(kept_slots, item.slot, made, settings)
    kept: pool.Pool = ()
    for number, item in enumerate(pooled):
        event = 1 + number * (SPREAD - 1) // max(1, len(pooled) - 1)
        kind = "path" if item.kind == "path" else "note"
        new = PoolItem(text=item.text, kind=kind, by=BY, at=item.at, event=event)
        kept = pool.add(kept, [new], settings)
    memory = WorkingMemory(
        session_id=one.session_id, events=SPREAD, slots=dict(kept_slots), pool=kept, updated_at=at
    )
    return memory, refused


def _begin(work: LocatedWork, one: ImportSession, at: str, pooled: int) -> None:
    """Create the session's state, because its other files need one. It ended before the import."""
    state = SessionState(
        session_id=one.session_id,
        agent=one.agent,
        root=work.place.root,
        workspace_key=work.key,
        started_at=at,
        updated_at=at,
        ended_at=at,
        events=SPREAD if pooled else 0,
    )
    work.put(session_ref(work.key, one.session_id), state)
    work.notify(SessionState.slug, sid(one.session_id))
