"""Keep what the user states as lasting without asking to remember it (EX-7).

`[memory] learn` in config.toml, or `wm learn MODE` for one workspace, says whether a statement
becomes an active entry, waits in the inbox, or is not learned. The gate judges each statement; one
that it refuses is dropped, because the user did not ask to keep it. Only the person sees it, never
the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from wm.api.protocol import Learning, LearningRequest, Remembered, RememberRequest, WorkspacePlace
from wm.domain.change.statement import marks_change
from wm.domain.facts import Detail, Fact
from wm.domain.learning import stated
from wm.domain.learning.agreed import agreed
from wm.domain.learning.requests import Requests, taught
from wm.domain.learning.sentence_features import opening_before
from wm.domain.memory import edits
from wm.domain.memory.acts import ASKED
from wm.domain.memory.consolidate import MemoryEditor
from wm.domain.memory.scope import USER
from wm.domain.since import moment
from wm.domain.times import iso, parse
from wm.errors import Corrupt, TooNew, UserError
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops import explanations
from wm.ops.explanations import SHORT_CHARS
from wm.ops.learning.remember import CHANGE_READS_LIKE, judge, learn_or_journal, new_entry
from wm.ops.memory.documents import load_memory, memory_editor, read_memory, save_memory
from wm.ops.memory.entries import to_trash
from wm.ops.operation import LocatedWork, Operation, Work, located
from wm.ops.place import USER_PLACE, locate, memory_ref
from wm.ops.runtime import Runtime
from wm.ops.session.hot_state import readable_sessions, require_state, save_session, session_ref
from wm.settings.memory import LEARN_MODES
from wm.store.paths import sid

ACTIVE, INBOX, OFF = LEARN_MODES
UNSURE = "stated_unsure"
"""The reason of a statement that waits because it may not be meant to last."""

AGREED = "agreed"
"""The reason of a statement that waits because the agent said it, and the user only agreed."""

CROWDED_OUT = "crowded_out"
"""The reason why an unsure statement went to the trash when its session ended."""

MOST_WAITING = 4
"""Unsure statements of one session that a person is asked about: in 84 real sessions, all but one
of those that last are among the best four."""

CHOSEN = "stated_waits"
"""The reason of a statement that waits because the user chose the mode `inbox`."""

DEFAULT, PAUSE, RESUME = "default", "pause", "resume"
"""What a person may ask for besides a mode: follow config.toml, learn nothing for a time, go on."""

FOREVER = "9999-12-31T00:00:00.000Z"
"""The end of a pause that lasts until a person resumes learning."""

REPEATED = timedelta(seconds=10)
"""Longer than a hook waits for the daemon and for the library."""


def mode(runtime: Runtime, place: WorkspacePlace, state: SessionState | None = None) -> str:
    """How this workspace learns in passing: its own choice, else that of config.toml; `off` while
    it is paused here or in this session."""
    memory = runtime.store.read(memory_ref(place.key)).document
    allowed = runtime.settings.memory.learn
    if allowed not in LEARN_MODES:
        return OFF  # config.toml is unusable, so the user's consent is unknown
    if state is not None and state.learn_paused:
        return OFF
    if memory is None:
        return allowed
    if memory.learn_paused_until > iso(runtime.now()):
        return OFF
    return memory.learn if memory.learn in LEARN_MODES else allowed


def find(
    runtime: Runtime, place: WorkspacePlace, session: str, text: str, asked: Requests
) -> tuple[stated.Statement, ...]:
    """What the message teaches; nothing while learning is off."""
    state = runtime.store.read(session_ref(place.key, session)).document
    if mode(runtime, place, state) == OFF:
        return ()
    before, offer = (state.last_answer, state.offer) if state is not None else ("", "")
    chosen = agreed(offer, text) if not asked.found else ()
    said = (
        one for one in taught(text, before, asked) if not any(one.text in x.agreed for x in chosen)
    )
    return (*chosen, *said)


def keep(
    work: LocatedWork, found: tuple[stated.Statement, ...], session: str
) -> tuple[Remembered, ...]:
    """Admit the statements that the gate accepts."""
    kept: list[Remembered] = []
    waits = mode(work.runtime, work.place) == INBOX
    for one in _completed(work, found):
        refused = judge(work.runtime, one.text, type=one.type, source="stated").reasons
        effect = _effect(work, one, is_sure=one.is_certain and not (one.only_change or refused))
        if one.only_change and not effect.changes:
            continue
        marked = effect.changes or (one.is_certain and marks_change(one.text))
        if refused and not (marked and CHANGE_READS_LIKE.issuperset(refused)):
            details = {"preview": one.text}
            fact = Fact("stated_ignored", "gate", "rejected", "", refused, details)
            work.log([fact], session=sid(session))
            continue
        reasons = _doubts(one, effect.retired) or ((CHOSEN,) if waits else ())
        wanted = _wanted(one, session, user=effect.user)
        kept.append(learn_or_journal(work, wanted, reasons, refused if one.type else None))
    return tuple(kept)


class _Effect(NamedTuple):
    """user: whether a statement is kept for every workspace. retired, unclear: the known entries
    that it would retire there, and those that it may."""

    user: bool
    retired: Sequence[MemoryEntry]
    unclear: Sequence[MemoryEntry]

    @property
    def changes(self) -> bool:
        return bool(self.retired or self.unclear)


def _effect(work: LocatedWork, one: stated.Statement, *, is_sure: bool) -> _Effect:
    """Where a statement is kept, and what it changes. A wish for every workspace that changes what
    was said for this one is kept here. is_sure: it is kept anyway, so what it retires in its own
    memory is left to the admission."""
    user = one.scope == USER
    place = work.at(USER_PLACE) if user else work
    retired, unclear = ([], []) if is_sure else _outdated_by(place, one.text, one.only_change)
    if user and not retired:
        here, maybe = _outdated_by(work, one.text, one.only_change)
        if here or (maybe and one.only_change and not unclear):
            return _Effect(False, here, maybe)
    return _Effect(user, retired, unclear)


def _doubts(one: stated.Statement, retired: Sequence[MemoryEntry]) -> tuple[str, ...]:
    """The reason why a statement waits. What may be misread retires neither what was asked for nor
    what itself waits: the person is asked."""
    learned = (e.status == "active" and e.source not in ASKED for e in retired)
    if one.is_certain or (retired and all(learned) and not one.is_hearsay):
        return ()
    return (AGREED if one.agreed else UNSURE,)


def _wanted(one: stated.Statement, session: str, *, user: bool) -> RememberRequest:
    wanted = RememberRequest(
        text=one.text, type=one.type, source="stated", origin="user", session=session, user=user
    )
    if not one.agreed:
        return wanted
    proposed = {"origin": "agent", "rationale": f"you answered “{one.agreed}”"}
    return wanted.model_copy(update=proposed)


def _completed(work: LocatedWork, found: Iterable[stated.Statement]) -> Iterator[stated.Statement]:
    """Each statement, with the text around it if only that changes a known entry: "Jenkins is gone,
    builds run on Buildkite". Without those that a text before them contains."""
    taken: list[str] = []
    for one in found:
        if any(one.text in text for text in taken):
            continue
        texts = (one.text, *one.around)
        changing = (text for text in texts if _outdated_by(work, text, one.only_change)[0])
        text = next(changing, one.text)
        taken += [text] if text != one.text else []
        yield one._replace(text=text)


def with_opening(work: LocatedWork, wanted: RememberRequest, message: str) -> RememberRequest:
    """The request, with the words before its text if only these say that it changes a known entry:
    "from now on deploys go through fly"."""
    head, text, _ = message.partition(wanted.text)
    opening = opening_before(head)
    # Without a `text` the request is worded otherwise than the message, so nothing precedes it.
    if not (text and marks_change(opening)) or len(opening) > SHORT_CHARS:
        return wanted
    place, longer = work.at(USER_PLACE) if wanted.user else work, f"{opening}{text}"
    known, gone = (_outdated_by(place, one)[0] for one in (text, longer))
    return wanted.model_copy(update={"text": longer}) if gone and not known else wanted


def _outdated_by(
    work: LocatedWork, text: str, in_passing: bool = False
) -> tuple[list[MemoryEntry], list[MemoryEntry]]:
    """The known entries that a statement would retire, and those that it may retire (WM-8); none
    of a memory that cannot be read, for which the statement waits. in_passing: as in `judge`."""
    try:
        memory = read_memory(work)
    except Corrupt:
        return [], []
    if not memory.entries:
        return [], []
    entry = new_entry(work, RememberRequest(text=text, source="stated"))
    with memory_editor(work, memory, MemoryEditor) as editor:
        return editor.outdated_by(entry, in_passing=in_passing)


def leave_best(work: LocatedWork, session: str) -> None:
    """At the end of a session, move all but its best unsure statements from the inbox to the trash.
    A memory that cannot be written stays as it is. session: as in an entry."""
    try:
        if len(_unsure(read_memory(work), session)) <= MOST_WAITING:
            return
        memory, facts = load_memory(work), []
    except (Corrupt, TooNew):
        return
    ranked = sorted(
        _unsure(memory, session), key=lambda e: stated.lasting_score(e.text), reverse=True
    )
    for one in ranked[MOST_WAITING:]:
        memory, gone = edits.trash(memory, one.id)
        to_trash(work, gone, reason=CROWDED_OUT, stone=False)
        details: dict[str, Detail] = {"text": gone.text, "stone": False}
        facts.append(
            Fact("memory_trashed", "retention", "trashed", gone.id, (CROWDED_OUT,), details)
        )
    save_memory(work, memory, facts, session=session)


def _unsure(memory: WorkspaceMemory, session: str) -> list[MemoryEntry]:
    waiting = (e for e in memory.entries if e.status == "inbox" and e.session == session)
    return [e for e in waiting if UNSURE in e.reasons]


def notice(work: LocatedWork, kept: tuple[Remembered, ...]) -> str:
    """What the person reads about statements that became active, with what each replaced and the
    way to undo it, and about those that could not be stored."""
    lines = [
        f"wm learned: “{entry.text}”{_compared(work, entry)} (undo: {_undo(entry)})"
        for entry in _active(kept)
    ]
    lines += [
        f"wm did not store “{one.entry.text}” yet: {one.message}"
        for one in kept
        if one.outcome == "retryable" and one.entry is not None
    ]
    return "\n".join(lines)


def notice_again(work: LocatedWork, found: tuple[stated.Statement, ...]) -> str:
    """The notice of a message that arrives twice: if the daemon is slower than a hook waits, the
    library gets the event, too, and its answer is the one that the person sees."""
    texts, since = {one.text for one in found}, iso(work.now - REPEATED)
    try:
        known = [e for p in (work, work.at(USER_PLACE)) for e in read_memory(p).entries]
    except Corrupt:
        return ""
    new = (e for e in known if e.text in texts and e.created_at > since and e.status == "active")
    return notice(work, tuple(Remembered(outcome="promoted", entry=e) for e in new))


def _compared(work: LocatedWork, entry: MemoryEntry) -> str:
    memory = read_memory(work.at(USER_PLACE) if entry.scope == USER else work)
    known = {e.id: e for e in memory.entries}
    replaced = (e for e in memory.entries if e.superseded_by == entry.id)
    against = (known[x] for x in known.get(entry.id, entry).conflicts if x in known)
    inbox = "wm inbox --workspace user" if entry.scope == USER else "wm inbox"
    asks = f"; `{inbox}` asks whether it replaces "
    return _quoted(" in place of ", replaced) + _quoted(asks, against)


def _quoted(before: str, entries: Iterable[MemoryEntry]) -> str:
    texts = explanations.quoted(entries)
    return f"{before}{texts}" if texts else ""


def upgrade_notice(work: LocatedWork, kept: tuple[Remembered, ...]) -> str:
    """What the person of an installation from before reads at the first statement that waits: that
    wm learns in passing, and how to choose (EX-7)."""
    new = [k.entry for k in kept if k.entry is not None and CHOSEN in k.entry.reasons]
    if not new or work.settings.learn_set_by != "upgrade":
        return ""
    memory = work.read(memory_ref(work.key)).document
    waiting = [e for e in memory.entries if CHOSEN in e.reasons] if memory is not None else new
    if len(waiting) > len(new):
        return ""
    return (
        f"wm now notices what you say in passing: “{new[0].text}” waits in the inbox (wm inbox). "
        "wm setup --learn active keeps such sentences at once, wm learn off ignores them here."
    )


def short_notice(kept: tuple[Remembered, ...]) -> str:
    """The same on one line, for a status line: the newest statement, and how many more."""
    *others, newest = [None, *_active(kept)]
    if newest is None:
        return ""
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    text = explanations.shortened(newest.text)
    return f"learned “{text}”{more} (undo: {_undo(newest)})"


def _active(kept: tuple[Remembered, ...]) -> list[MemoryEntry]:
    done = ("promoted", "superseded")
    return [k.entry for k in kept if k.entry is not None and k.outcome in done]


def _undo(entry: MemoryEntry) -> str:
    return f"wm undo {entry.id[:10]}{' --workspace user' if entry.scope == USER else ''}"


def _run(work: LocatedWork, request: LearningRequest) -> Learning:
    known = (*LEARN_MODES, DEFAULT, PAUSE, RESUME)
    if request.mode and request.mode not in known:
        raise UserError(
            f"{request.mode!r} is not a mode of learning.", fix=f"Use one of: {', '.join(known)}."
        )
    paused = request.mode in (PAUSE, RESUME)
    if (request.session and not paused) or (request.until and request.mode != PAUSE):
        raise UserError("A session or an end belongs to a pause only.", fix="Use `wm learn pause`.")
    if request.session:
        _pause_session(work, request)
    elif request.mode or request.user is not None:
        _change(work, request)
    return _shown(work)


def _change(work: LocatedWork, request: LearningRequest) -> None:
    memory = load_memory(work)
    update: dict[str, object] = {}
    if request.mode == PAUSE:
        update["learn_paused_until"] = _end(work, request.until)
    elif request.mode == RESUME:
        update["learn_paused_until"] = ""
    elif request.mode:
        # A mode that is chosen now ends a pause.
        chosen = "" if request.mode == DEFAULT else request.mode
        update |= {"learn": chosen, "learn_paused_until": ""}
    if request.user is not None:
        update["without_user"] = not request.user
    fact = Fact("learning_changed", "user", "changed", details={"mode": request.mode})
    save_memory(work, memory.model_copy(update=update), [fact])


def _pause_session(work: LocatedWork, request: LearningRequest) -> None:
    if request.until:
        raise UserError(
            "A pause of one session lasts until the session ends or you resume it.",
            fix="Leave the end out, or pause the workspace.",
        )
    state = require_state(work, request.session)
    update = {"learn_paused": request.mode == PAUSE}
    save_session(work, state.model_copy(update=update))
    details = {"mode": request.mode}
    fact = Fact("learning_changed", "user", "changed", details=details)
    work.log([fact], session=sid(state.session_id))


def _end(work: Work, until: str) -> str:
    """When a pause ends. Raises UserError for a time that is unreadable or not in the future."""
    if not until:
        return FOREVER
    found = moment(until, work.now)
    if found is not None and found < work.now and until[:1].isdigit() and parse(until) is None:
        found = work.now + (work.now - found)  # a span, which `moment` counts backwards
    if found is None or found <= work.now:
        raise UserError(
            f"{until[:40]!r} is not a time in the future.", fix="Give 30m, 2h, 3d or 2026-12-01."
        )
    return iso(found)


def _shown(work: LocatedWork) -> Learning:
    memory = read_memory(work)
    chosen = memory.learn in LEARN_MODES
    ends = memory.learn_paused_until
    paused = (s for s in readable_sessions(work) if s.learn_paused and not s.ended_at)
    return Learning(
        mode=memory.learn if chosen else work.settings.memory.learn or OFF,
        chosen=chosen,
        set_by="workspace" if chosen else work.settings.learn_set_by,
        paused_until=ends if ends > work.moment else "",
        paused_sessions=tuple(sid(s.session_id) for s in paused),
        user=not memory.without_user,
    )


learning = Operation(
    "learning",
    LearningRequest,
    Learning,
    located(_run),
    lambda runtime, request: (memory_ref(locate(runtime, request).key),),
)
