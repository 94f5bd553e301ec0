"""Store an explicit request: redact, judge, admit, and report the result.

A request that passes the gate is active in `workspace-memory.json` before the answer, so every
later session has it, even if its own session ends now (WM-6). One that fails waits in the inbox
with the reasons (EX-3). If the memory is not writable, because a newer wm wrote it or no copy is
readable, the request waits in the pending journal. A request is never dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.api.protocol import Remembered, RememberRequest, WorkspacePlace
from wm.domain.change.statement import marks_change
from wm.domain.facts import Fact
from wm.domain.learning.entry_type import infer_type
from wm.domain.learning.provenance import SupportVerdict
from wm.domain.learning.stated import lasting_score
from wm.domain.memory import gate, tombstones
from wm.domain.memory.consolidate import Admission, MemoryEditor
from wm.domain.memory.entry_list import added
from wm.domain.memory.scope import BRANCH, USER, WORKSPACE
from wm.domain.memory.select import FRAME_CHARS
from wm.errors import Corrupt, TooNew, UserError
from wm.formats.base import Document
from wm.formats.pending_journal import PendingMemory
from wm.formats.workspace_memory import (
    CONFIDENCE,
    IMPORTANCES,
    ORIGINS,
    SOURCES,
    MemoryEntry,
    WorkspaceMemory,
)
from wm.ops import explanations
from wm.ops.learning import provenance
from wm.ops.memory import anchors, documents
from wm.ops.memory.render import rendered
from wm.ops.operation import LocatedWork, Operation, Work
from wm.ops.place import USER_PLACE, locate, memory_ref
from wm.ops.runtime import Runtime
from wm.store.base import Ref
from wm.store.paths import sid
from wm.text.letters import canonical

CHANGE_READS_LIKE = frozenset({"progress_snapshot", "temporary_status", "path_heavy"})
"""Reasons of the gate that do not apply to a change: "we moved CI to X" reports progress in a
model's summary, and is a fact in the user's words or where something is known of the CI (WM-8)."""


NEVER_TYPED = frozenset({"secret", "prompt_injection", "empty", "too_short", "too_long"})
"""Reasons that apply to what a person types in a terminal, too (EX-3)."""


def learn_refs(key: str) -> Sequence[Ref[Document]]:
    """The documents that `learn` may write; with the tombstones, against a concurrent forget."""
    return (memory_ref(key), documents.tombstones_ref(key))


Codes = tuple[str, ...]


def learn(
    work: LocatedWork, request: RememberRequest, reasons: Codes = (), refused: Codes | None = None
) -> Remembered:
    """Admit one memory; stage the memory and its evidence.

    reasons: send it to the inbox for these, whatever the gate decides. refused: the gate's reasons
    against this text and type, if they are known.
    """
    work = work.at(USER_PLACE) if request.user else work
    memory = documents.load_memory(work)
    with documents.memory_editor(work, memory, MemoryEditor) as editor:
        entry = provenance.weighed(editor, new_entry(work, request))
        reasons = (*reasons, *refusal_reasons(work, entry, refused))
        return _learn(work, request, entry, editor, reasons)


def _learn(
    work: LocatedWork,
    request: RememberRequest,
    entry: MemoryEntry,
    editor: MemoryEditor,
    reasons: Codes,
) -> Remembered:
    if reasons and CHANGE_READS_LIKE.issuperset(reasons):
        moved = entry.source == "stated" and marks_change(entry.text)
        reasons = () if moved or editor.retired_by(entry) else reasons
    doubts: tuple[str, ...] = ()
    if request.typed and reasons and NEVER_TYPED.isdisjoint(reasons):
        doubts, reasons = reasons, ()
        entry = entry.model_copy(update={"status": "active", "reasons": ()})
    if reasons:
        update = {"status": "inbox", "reasons": (*reasons, *entry.reasons)}
        entry = entry.model_copy(update=update)
    same = provenance.restated(work, editor, entry)
    if reasons and not same:
        return _to_inbox(work, editor.memory, editor.with_outdated(entry))
    settings = work.settings.memory
    admission = editor.admit(entry, now=work.now, settings=settings, same=same)
    lifted = documents.lift_tombstones(work, entry) if entry.source != "compaction" else ()
    fact = Fact(
        type=f"memory_{admission.outcome}",
        phase="promotion",
        outcome=admission.outcome,
        entry=admission.entry_id,
        reason_codes=admission.reason_codes,
        details={
            **admission.details,
            **documents.entry_details(entry),
            **({"lifted": lifted} if lifted else {}),
        },
    )
    event = work.log([fact], session=entry.session)[0]
    kept = editor.find(admission.entry_id)
    if kept is not None and not kept.admitted_by:
        # A new entry names the evidence record that admitted it (EV-2).
        kept = kept.model_copy(update={"admitted_by": event})
        editor.amend(kept)
    before = documents.read_memory(work)
    documents.save_memory(work, editor.memory)
    said = _message(admission, kept or entry)
    if admission.outcome == "absorbed" and kept is not None:
        if canonical(kept.text) != canonical(entry.text):
            said += f" It says: {explanations.quoted([kept])}."
        if not request.session:
            said += _not_taken(request, entry, kept)
    if doubts:
        said += f" Check it: {explanations.reasons(doubts)}."
    if request.typed and kept is not None and admission.outcome in ("promoted", "superseded"):
        said += _place_in_prompts(work, before, kept)
    return Remembered(
        outcome=admission.outcome, entry=kept, reason_codes=admission.reason_codes, message=said
    )


def _not_taken(request: RememberRequest, entry: MemoryEntry, kept: MemoryEntry) -> str:
    """What the request gives beside the text and the known entry does not have: a text that is
    known changes nothing else, and the person must be informed. Or ""."""
    differs = {
        "type": request.type and entry.type != kept.type,
        "rationale": entry.rationale and entry.rationale != kept.rationale,
        "importance": entry.user_importance not in ("normal", kept.user_importance),
        "tags": not set(entry.tags) <= set(kept.tags),
        "anchors": not {(a.path, a.symbol) for a in entry.anchors}
        <= {(a.path, a.symbol) for a in kept.anchors},
        "branch": request.branch_only and entry.scope != kept.scope,
    }
    names = ", ".join(name for name, other in differs.items() if other)
    fix = f"`wm edit {kept.id}` and `wm importance {kept.id}` change an entry."
    return f" It stays as it was, without the given {names}: {fix}" if names else ""


def _place_in_prompts(work: LocatedWork, before: WorkspaceMemory, entry: MemoryEntry) -> str:
    """What a person must know of an addition to a full prompt: that it is not shown, or which
    entries it pushes out (WM-4). "" while everything is shown. Ranks the whole memory twice, so it
    is for what a person types, not for hooks."""
    after = documents.read_memory(work)
    limits = work.settings.memory
    if len(after.entries) * limits.shown_text_chars < limits.rendered_chars - FRAME_CHARS:
        return ""
    now = rendered(work, after).selection
    if not now.counts:
        return ""
    shown = {e.id for e in now.shown}
    if entry.id not in shown:
        return " Prompts do not show it, because stronger entries fill them: pin it, or search."
    gone = [e for e in rendered(work, before).selection.shown if e.id not in shown]
    gone = [e for e in gone if e.id not in entry.supersedes]
    return f" In prompts it takes the place of {explanations.quoted(gone)}." if gone else ""


def new_entry(work: LocatedWork, request: RememberRequest) -> MemoryEntry:
    """The redacted entry of a request. Raises UserError for unknown values."""
    _check_word("type", request.type, (*work.settings.memory.types, ""))
    _check_word("source", request.source, SOURCES)
    _check_word("importance", request.importance, IMPORTANCES)
    _check_word("origin", request.origin, ORIGINS)
    redact = work.redact
    moment = work.moment
    text = redact(request.text.strip())
    found = _verdict(work, request, text)
    return MemoryEntry(
        id=work.new_id("m_"),
        type=request.type or infer_type(request.text),
        text=text,
        rationale=redact(request.rationale.strip()),
        source=request.source,
        confidence=CONFIDENCE[request.source],
        origin=found.origin,
        tainted=found.tainted or found.origin == "tool",
        # A doubtful origin is a reason of its own for the inbox.
        status="inbox" if found.reasons else "active",
        reasons=found.reasons,
        scope=_scope(work.place, request),
        tags=tuple(redact(tag) for tag in request.tags),
        created_at=moment,
        updated_at=moment,
        retention_clock=moment,
        user_importance=request.importance,
        session=sid(request.session) if request.session else "",
        anchors=anchors.parsed(work.place, request, request.anchors) if request.anchors else (),
    )


def _verdict(work: LocatedWork, request: RememberRequest, text: str) -> SupportVerdict:
    """The origin of the text. A call of a model's tool is the agent's act, even with the user's
    words."""
    if request.origin != "agent":
        return SupportVerdict(request.origin)
    found = provenance.judge(work, request.session, text)
    if request.source != "compaction" and found.origin == "user":
        return SupportVerdict("agent")
    return found


def _scope(place: WorkspacePlace, request: RememberRequest) -> str:
    if place.key == USER_PLACE.key:
        if request.branch_only:
            raise UserError(
                "What is kept for all projects belongs to no branch.",
                fix="Omit the branch option, or the user option.",
            )
        return USER
    if not request.branch_only:
        return WORKSPACE
    if not place.branch:
        raise UserError(
            "No branch is checked out here, so the entry cannot be bound to one.",
            fix="Omit the branch option, or check out a branch.",
        )
    return BRANCH + place.branch


def refusal_reasons(work: LocatedWork, entry: MemoryEntry, refused: Codes | None = None) -> Codes:
    """The reasons why this entry may not become active without a person; () if it may. refused: as
    in `learn`."""
    stones = documents.read_tombstones(work)
    # A person may ask again for a forgotten text; automatic learning may not bring it back.
    by_model = entry.source == "compaction" or entry.origin != "user"
    forgotten = by_model and tombstones.is_forgotten(entry.text, stones.stones, work.store.digest)
    refused = judged(work, entry) if refused is None else refused
    return (*refused, *(("forgotten",) if forgotten else ()))


def judged(work: Work, entry: MemoryEntry) -> tuple[str, ...]:
    """The gate's reasons against the entry (EX-3). A proposal that the user said, and that would be
    learned from the user's words alone, is judged by the rules only."""
    said = entry.source == "compaction" and entry.origin == "user"
    return judge(
        work.runtime,
        entry.text,
        type=entry.type,
        source=entry.source,
        by_rules=said and lasting_score(entry.text) >= 0,
    ).reasons


def judge(
    runtime: Runtime,
    text: str,
    *,
    type: str,
    source: str,
    redacted: bool = False,
    by_rules: bool = False,
) -> gate.GateVerdict:
    """The gate's verdict on a redacted text, with the user's settings and allowances. The caller
    decides what happens to the text. source: explicit, manual or compaction. redacted: a moment
    ago, so that no secret is looked for again. by_rules: as in the gate."""
    return gate.judge(
        text,
        type=type,
        source=source,
        settings=runtime.settings.gate,
        max_chars=runtime.settings.memory.max_text_chars,
        redactor=None if redacted else runtime.redactor,
        by_rules=by_rules,
    )


def _to_inbox(work: LocatedWork, memory: WorkspaceMemory, waiting: MemoryEntry) -> Remembered:
    reasons = waiting.reasons
    limit = work.settings.memory.max_text_chars
    if "too_long" in reasons and waiting.source == "manual":
        raise UserError(
            f"The text has {len(waiting.text)} characters; an entry holds {limit}.",
            fix="Shorten it, or keep it in a file and remember where it is.",
        )
    own = canonical(waiting.text)
    others = (e for e in memory.entries if e.status == "inbox" and canonical(e.text) == own)
    twin = next(others, None)
    entry = twin or waiting
    fact = Fact(
        "memory_inbox", "gate", "inbox", entry.id, reasons, documents.entry_details(waiting)
    )
    changed = memory if twin else added(memory, waiting)
    documents.save_memory(work, changed, [fact], session=waiting.session)
    return Remembered(
        outcome="inbox",
        entry=entry,
        reason_codes=reasons,
        message=f"It waits in the inbox as {entry.id}, because {explanations.reasons(reasons)}.",
    )


def _message(admission: Admission, entry: MemoryEntry) -> str:
    if "tainted_recurrence" in admission.reason_codes:
        return f"Known already, as {entry.id}."
    match admission.outcome:
        case "promoted":
            where = ", in all your projects" if entry.scope == USER else ""
            if entry.scope.startswith(BRANCH):
                where = f", only on branch {entry.scope.removeprefix(BRANCH)}"
            said = f"Remembered as {entry.id} ({entry.type}{where})."
        case "absorbed":
            said = f"Known already, as {entry.id}{_again(admission)}."
        case "superseded":
            named = _quoted(admission, "replaces") or "an older entry"
            # By id: the agent may show this after other acts, which plain `wm undo` would undo.
            undo = f" `wm undo {entry.id}` restores it."
            undo = undo if "changed" in admission.reason_codes else ""
            said = f"Remembered as {entry.id}; it replaces {named}.{undo}"
        case "inbox":
            said = f"It waits in the inbox, because {explanations.reasons(entry.reasons)}."
        case outcome:
            said = f"Not kept as active: {outcome}."
    named = _quoted(admission, "contradicts")
    return f"{said} It may contradict {named}." if named else said


def _quoted(admission: Admission, detail: str) -> str:
    """The texts of the entries that a detail of an admission names; "" without any."""
    ids = admission.details.get(detail)
    if not isinstance(ids, tuple):
        return ""
    return explanations.quoted(e for e in admission.memory.entries if e.id in ids)


def _again(admission: Admission) -> str:
    if "min_elapsed_window" in admission.reason_codes:
        return f"; it is {explanations.reason('min_elapsed_window')}"
    return "; it counts as seen again" if "elapsed_window" in admission.reason_codes else ""


def _check_word(what: str, word: str, known: Sequence[str]) -> None:
    if word not in known:
        raise UserError(
            f"{word!r} is not a known {what}.",
            fix=f"Use one of: {', '.join(w for w in known if w)}.",
        )


def learn_or_journal(
    work: LocatedWork, request: RememberRequest, reasons: Codes, refused: Codes | None = None
) -> Remembered:
    """Learn it, or put it into the journal if the memory is not writable. reasons, refused: as in
    `learn`."""
    try:
        return learn(work, request, reasons, refused)
    except (Corrupt, TooNew) as error:
        work = work.at(USER_PLACE) if request.user else work
        entry, is_new = add_to_journal(work, request, reasons, failure=error.code)
        if is_new:
            codes, details = (error.code,), documents.entry_details(entry)
            fact = Fact("memory_retryable", "journal", "retryable", entry.id, codes, details)
            work.log([fact], session=entry.session)
        return Remembered(
            outcome="retryable",
            entry=entry,
            reason_codes=(error.code,),
            message="It could not be stored yet and waits in the journal for the next session; "
            f"the memory is not writable: {error.message}",
        )


def add_to_journal(
    work: LocatedWork, request: RememberRequest, reasons: tuple[str, ...], *, failure: str
) -> tuple[MemoryEntry, bool]:
    """Add it to the journal. Returns the waiting entry, and whether it is new."""
    entry = new_entry(work, request)
    reasons = (*reasons, *judged(work, entry))
    if reasons:
        entry = entry.model_copy(update={"status": "inbox", "reasons": reasons})
    journal = documents.read_journal(work)
    for pending in journal.entries:
        if _same(pending.entry, entry):
            return pending.entry, False
    pending = PendingMemory(entry=entry, owner_session=entry.session, last_failure=failure)
    entries = (*journal.entries, pending)
    documents.save_journal(work, journal.model_copy(update={"entries": entries}))
    return entry, True


def _same(one: MemoryEntry, other: MemoryEntry) -> bool:
    return (one.type, canonical(one.text)) == (other.type, canonical(other.text))


def _run(work: Work, request: RememberRequest) -> Remembered:
    if not request.text.strip():
        raise UserError("There is no text to remember.", fix="Say what to keep.")
    limit = work.settings.memory.max_waiting_chars
    if len(request.text.strip()) > limit:
        raise UserError(
            f"The text has {len(request.text.strip())} characters; the inbox takes {limit}, and "
            f"an entry {work.settings.memory.max_text_chars}.",
            fix="Shorten it, or keep it in a file and remember where it is.",
        )
    limit = work.settings.memory.max_rationale_chars
    if len(request.rationale.strip()) > limit:
        raise UserError(
            f"The rationale has {len(request.rationale.strip())} characters; an entry holds "
            f"{limit}.",
            fix="Shorten it, or say it in the text.",
        )
    return learn(work.at(locate(work.runtime, request)), request)


remember = Operation("remember", RememberRequest, Remembered, _run, documents.memory_refs)
