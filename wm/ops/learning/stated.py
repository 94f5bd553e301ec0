"""Keep what the user states as lasting without asking to remember it (EX-7).

`[memory] learn` in config.toml, or `wm learn MODE` for one workspace, says whether a statement
becomes an active entry, waits in the inbox, or is not learned. The gate judges each statement; one
that it refuses is dropped, because nobody asked to keep it. Only the person is told, never the
model.
"""

from __future__ import annotations

from wm.api.protocol import Learning, LearningRequest, Remembered, RememberRequest, WorkspacePlace
from wm.domain.facts import Fact
from wm.domain.learning import stated
from wm.domain.learning.requests import Requests
from wm.domain.memory.scope import USER
from wm.errors import UserError
from wm.ops.learning.remember import CHANGE_READS_LIKE, judge, learn_or_wait, new_entry
from wm.ops.memory.documents import load_memory, memory_editor, read_memory, save_memory
from wm.ops.operation import Operation, Work
from wm.ops.place import locate, memory_ref
from wm.ops.runtime import Runtime
from wm.ops.session.hot_state import session_ref
from wm.secrets.redact import PRIVATE_LABEL
from wm.settings.memory import LEARN_MODES
from wm.store.paths import sid
from wm.text.letters import canonical

ACTIVE, INBOX, OFF = LEARN_MODES
UNSURE = "stated_unsure"
"""The reason of a statement that waits because it may not be meant to last."""

CHOSEN = "stated_waits"
"""The reason of a statement that waits because the user chose the mode `inbox`."""

MAX_LEARNED = 6
"""Statements of one message that are learned; a message with more is a document."""


def mode(runtime: Runtime, place: WorkspacePlace) -> str:
    """How this workspace learns in passing: its own choice, else that of config.toml."""
    memory = runtime.store.read(memory_ref(place.key)).document
    chosen = memory.learn if memory is not None else ""
    allowed = runtime.settings.memory.learn
    if allowed not in LEARN_MODES:
        return OFF  # config.toml is unusable, so the user's consent is unknown
    return chosen if chosen in LEARN_MODES else allowed


def find(
    runtime: Runtime, place: WorkspacePlace, session: str, text: str, asked: Requests
) -> tuple[stated.Statement, ...]:
    """What the message states as lasting, without what it asks to remember anyway."""
    if mode(runtime, place) == OFF:
        return ()
    state = runtime.store.read(session_ref(place.key, session)).document
    found = stated.statements(text, state.last_answer if state is not None else "")
    known = [canonical(item.text) for item in asked.found]
    return tuple(
        one
        for one in found[:MAX_LEARNED]
        if PRIVATE_LABEL not in one.text
        and not any(canonical(one.text) in other or other in canonical(one.text) for other in known)
    )


def keep(
    work: Work, place: WorkspacePlace, found: tuple[stated.Statement, ...], session: str
) -> tuple[Remembered, ...]:
    """Admit the statements that the gate accepts."""
    kept: list[Remembered] = []
    waits = mode(work.runtime, place) == INBOX
    for one in found:
        refused = judge(work.runtime, one.text, type=one.type, source="stated").reasons
        unsure = one.only_change or refused or not one.is_certain
        changes = bool(unsure) and _changes_known(work, place, one)
        if one.only_change and not changes:
            continue
        if refused and not (changes and CHANGE_READS_LIKE.issuperset(refused)):
            details = {"preview": one.text}
            fact = Fact("stated_ignored", "gate", "rejected", "", refused, details)
            work.log(place.key, [fact], session=sid(session))
            continue
        reasons = (() if one.is_certain or changes else (UNSURE,)) + ((CHOSEN,) if waits else ())
        wanted = RememberRequest(
            text=one.text,
            type=one.type,
            source="stated",
            origin="user",
            session=session,
            user=one.scope == USER,
        )
        kept.append(learn_or_wait(work, place, wanted, reasons[:1]))
    return tuple(kept)


def _changes_known(work: Work, place: WorkspacePlace, one: stated.Statement) -> bool:
    """Whether the statement says that something known is different now (WM-8)."""
    memory = read_memory(work, place)
    if not memory.entries:
        return False
    entry = new_entry(
        work, place, RememberRequest(text=one.text, type=one.type, source="stated", origin="user")
    )
    with memory_editor(work, place, memory) as editor:
        return editor.changes(entry)


def notice(kept: tuple[Remembered, ...]) -> str:
    """What the person reads about statements that became active, with the way to undo each."""
    lines = [
        f"wm learned: “{k.entry.text}” (undo: wm undo {k.entry.id[:10]}"
        f"{' --workspace user' if k.entry.scope == USER else ''})"
        for k in kept
        if k.entry is not None and k.outcome in ("promoted", "superseded")
    ]
    return "\n".join(lines)


def _run(work: Work, request: LearningRequest) -> Learning:
    place = locate(work.runtime, request)
    if request.mode and request.mode not in (*LEARN_MODES, "default"):
        raise UserError(
            f"{request.mode!r} is not a mode of learning.",
            fix=f"Use one of: {', '.join(LEARN_MODES)}, default.",
        )
    if request.mode or request.user is not None:
        memory = load_memory(work, place)
        chosen = {"": memory.learn, "default": ""}.get(request.mode, request.mode)
        without = memory.without_user if request.user is None else not request.user
        fact = Fact("learning_changed", "user", "changed", details={"mode": request.mode})
        changed = memory.model_copy(update={"learn": chosen, "without_user": without})
        save_memory(work, place, changed, [fact])
        found = chosen or work.runtime.settings.memory.learn
        return Learning(mode=found, chosen=bool(chosen), user=not without)
    known = work.runtime.store.read(memory_ref(place.key)).document
    return Learning(
        mode=mode(work.runtime, place),
        chosen=known is not None and bool(known.learn),
        user=known is None or not known.without_user,
    )


learning = Operation(
    "learning",
    LearningRequest,
    Learning,
    _run,
    lambda runtime, request: (memory_ref(locate(runtime, request).key),),
)
