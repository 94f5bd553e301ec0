"""Keep what somebody asked to keep: redact, judge, admit, and say what became of it.

An explicit request that passes the gate is active in `workspace-memory.json` before the
answer, so every later session has it, also when its own session just ends (WM-6). One that
does not pass waits in the inbox with the reasons (EX-3). Nothing that was asked for is
dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.domain.facts import Fact
from wm.domain.session.infer import infer_type
from wm.domain.session.origin import Verdict
from wm.domain.text import canonical
from wm.domain.times import iso
from wm.domain.workspace import forget
from wm.domain.workspace.consolidate import Admission, Ledger
from wm.domain.workspace.scope import BRANCH, WORKSPACE
from wm.errors import UserError
from wm.formats.base import Document
from wm.formats.protocol import Place, Remembered, RememberRequest
from wm.formats.workspace_memory import (
    CONFIDENCE,
    IMPORTANCES,
    ORIGINS,
    SOURCES,
    TYPES,
    MemoryEntry,
    WorkspaceMemory,
)
from wm.ops import anchors, gate, origins, words
from wm.ops.base import Operation, Work
from wm.ops.memory import (
    ledger_of,
    load_memory,
    read_tombstones,
    save_memory,
    tombstones_ref,
)
from wm.ops.place import locate, memory_ref
from wm.ops.runtime import Runtime
from wm.store.base import Ref
from wm.store.paths import sid


def learn_refs(key: str) -> Sequence[Ref[Document]]:
    """What `learn` may write. Tombstones are held so that a forget cannot slip in between."""
    return (memory_ref(key), tombstones_ref(key))


def learn(work: Work, place: Place, request: RememberRequest) -> Remembered:
    """Admit one memory; stages the memory and its evidence."""
    memory = load_memory(work, place)
    with ledger_of(work, place, memory) as ledger:
        return _learn(work, place, request, ledger)


def _learn(work: Work, place: Place, request: RememberRequest, ledger: Ledger) -> Remembered:
    entry = origins.weighed(ledger, new_entry(work, place, request))
    reasons = refusal_reasons(work, place, entry)
    if reasons:
        return _to_inbox(work, place, ledger.memory, entry, (*reasons, *entry.reasons))
    admission = ledger.admit(entry, now=work.now, settings=work.runtime.settings.memory)
    lifted = _lift_stones(work, place, entry) if entry.source != "compaction" else ()
    fact = Fact(
        type=f"memory_{admission.outcome}",
        phase="promotion",
        outcome=admission.outcome,
        entry=admission.entry_id,
        reason_codes=admission.reason_codes,
        details={
            **admission.details,
            "source": entry.source,
            "origin": entry.origin,
            "text": entry.text,
            **({"lifted": lifted} if lifted else {}),
        },
    )
    event = work.log(place.key, [fact], session=entry.session)[0]
    kept = ledger.find(admission.entry_id)
    if kept is not None and not kept.admitted_by:
        # A new entry names the evidence that let it in (EV-2).
        kept = kept.model_copy(update={"admitted_by": event})
        ledger.amend(kept)
    save_memory(work, place, ledger.memory)
    return Remembered(
        outcome=admission.outcome,
        entry=kept,
        reason_codes=admission.reason_codes,
        message=_message(admission, kept or entry),
    )


def _lift_stones(work: Work, place: Place, entry: MemoryEntry) -> tuple[str, ...]:
    """What a person asked for again is no longer forgotten. The ids of the stones that go."""
    stones = read_tombstones(work, place)
    wanted = work.runtime.store.digest(canonical(entry.text)) if stones.stones else ""
    lifted = tuple(stone.id for stone in stones.stones if stone.digest == wanted)
    if lifted:
        kept = tuple(stone for stone in stones.stones if stone.digest != wanted)
        work.put(tombstones_ref(place.key), stones.model_copy(update={"stones": kept}))
    return lifted


def new_entry(work: Work, place: Place, request: RememberRequest) -> MemoryEntry:
    """The entry that a request asks for, redacted. Raises UserError for words we do not know."""
    _check_word("type", request.type, (*TYPES, ""))
    _check_word("source", request.source, SOURCES)
    _check_word("importance", request.importance, IMPORTANCES)
    _check_word("origin", request.origin, ORIGINS)
    redact = work.runtime.redactor.text
    moment = iso(work.now)
    text = redact(request.text.strip())
    found = _verdict(work, place, request, text)
    return MemoryEntry(
        id=work.runtime.ids.new("m_"),
        type=request.type or infer_type(request.text, ""),
        text=text,
        rationale=redact(request.rationale.strip()),
        source=request.source,
        confidence=CONFIDENCE[request.source],
        origin=found.origin,
        tainted=found.tainted or found.origin == "tool",
        # An origin that speaks against it is a reason of its own to wait.
        status="inbox" if found.reasons else "active",
        reasons=found.reasons,
        scope=_scope(place, request),
        tags=tuple(redact(tag) for tag in request.tags),
        created_at=moment,
        updated_at=moment,
        retention_clock=moment,
        user_importance=request.importance,
        session=sid(request.session) if request.session else "",
        anchors=anchors.taken(place, request, request.anchors),
    )


def _verdict(work: Work, place: Place, request: RememberRequest, text: str) -> Verdict:
    """Where the text comes from. A model's tool stays an agent's act, whoever's words it kept."""
    if request.origin != "agent":
        return Verdict(request.origin)
    found = origins.judge(work, place, request.session, text)
    if request.source != "compaction" and found.origin == "user":
        return Verdict("agent")
    return found


def _scope(place: Place, request: RememberRequest) -> str:
    if not request.branch_only:
        return WORKSPACE
    if not place.branch:
        raise UserError(
            "No branch is checked out here, so there is none to keep this for.",
            fix="Leave the branch option out, or check a branch out.",
        )
    return BRANCH + place.branch


def refusal_reasons(work: Work, place: Place, entry: MemoryEntry) -> tuple[str, ...]:
    """Why this entry may not become active by itself; () if it may."""
    stones = read_tombstones(work, place)
    # What a person asks for again is wanted again; only learning by itself is stopped.
    by_model = entry.source == "compaction" or entry.origin != "user"
    forgotten = by_model and forget.is_forgotten(
        entry.text, stones.stones, work.runtime.store.digest
    )
    return (*judged(work, entry), *(("forgotten",) if forgotten else ()))


def judged(work: Work, entry: MemoryEntry) -> tuple[str, ...]:
    """What the gate says against the entry (EX-3)."""
    return gate.judge(work.runtime, entry.text, type=entry.type, source=entry.source).reasons


def _to_inbox(
    work: Work,
    place: Place,
    memory: WorkspaceMemory,
    entry: MemoryEntry,
    reasons: tuple[str, ...],
) -> Remembered:
    limit = work.runtime.settings.memory.max_text_chars
    if "too_long" in reasons and entry.source == "manual":
        raise UserError(
            f"The text has {len(entry.text)} characters; an entry holds {limit}.",
            fix="Shorten it, or keep it in a file and remember where it is.",
        )
    waiting = entry.model_copy(update={"status": "inbox", "reasons": reasons})
    twin = next((e for e in memory.entries if e.status == "inbox" and e.text == waiting.text), None)
    fact = Fact(
        "memory_inbox",
        "gate",
        "inbox",
        (twin or waiting).id,
        reasons,
        {"source": entry.source, "origin": entry.origin, "text": entry.text},
    )
    entries = memory.entries if twin else (*memory.entries, waiting)
    save_memory(
        work, place, memory.model_copy(update={"entries": entries}), [fact], session=entry.session
    )
    return Remembered(
        outcome="inbox",
        entry=twin or waiting,
        reason_codes=reasons,
        message=f"It waits in the inbox as {(twin or waiting).id}, "
        f"because {words.reasons(reasons)}.",
    )


def _message(admission: Admission, entry: MemoryEntry) -> str:
    if "tainted_recurrence" in admission.reason_codes:
        return f"Known already, as {entry.id}."
    said = {
        "promoted": f"Remembered as {entry.id} ({entry.type}).",
        "absorbed": f"Known already, as {entry.id}{_again(admission)}.",
        "superseded": f"Remembered as {entry.id}; it replaces an older entry.",
        "inbox": f"It waits in the inbox, because {words.reasons(entry.reasons)}.",
    }
    against = admission.details.get("contradicts")
    named = ", ".join(map(str, against)) if isinstance(against, tuple) else ""
    doubt = f" It may contradict {named}." if named else ""
    return said.get(admission.outcome, f"Not kept as active: {admission.outcome}.") + doubt


def _again(admission: Admission) -> str:
    if "min_elapsed_window" in admission.reason_codes:
        return f"; it is {words.reason('min_elapsed_window')}"
    return "; it counts as seen again" if "elapsed_window" in admission.reason_codes else ""


def _check_word(what: str, word: str, known: Sequence[str]) -> None:
    if word not in known:
        raise UserError(
            f"{word!r} is no known {what}.",
            fix=f"Use one of: {', '.join(w for w in known if w)}.",
        )


def _run(work: Work, request: RememberRequest) -> Remembered:
    if not request.text.strip():
        raise UserError("There is no text to remember.", fix="Say what to keep.")
    limit = work.runtime.settings.memory.max_waiting_chars
    if len(request.text.strip()) > limit:
        raise UserError(
            f"The text has {len(request.text.strip())} characters; the inbox takes {limit}, and "
            f"an entry {work.runtime.settings.memory.max_text_chars}.",
            fix="Shorten it, or keep it in a file and remember where it is.",
        )
    limit = work.runtime.settings.memory.max_rationale_chars
    if len(request.rationale.strip()) > limit:
        raise UserError(
            f"The rationale has {len(request.rationale.strip())} characters; an entry holds "
            f"{limit}.",
            fix="Shorten it, or say it in the text.",
        )
    return learn(work, locate(work.runtime, request), request)


def _refs(runtime: Runtime, request: RememberRequest) -> Sequence[Ref[Document]]:
    return learn_refs(locate(runtime, request).key)


remember = Operation(
    "remember",
    RememberRequest,
    Remembered,
    _run,
    refs=_refs,
    queue=lambda runtime, request: locate(runtime, request).key,
)
