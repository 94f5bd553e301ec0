"""The core blocks of a session: who changes them, who is told, and where they go (CB-1, CB-5).

A model changes its own session's blocks by a tool, a person anybody's by a command. What a person
changes while the session's prompt is frozen is told at its next message (EP-1). Blocks go on in
another session only when asked: `core/next.json` names the session whose blocks the next one of
the workspace takes over as they are then.

Nothing flows from blocks into the workspace memory. A tainted block that is carried counts in its
new session as text that nobody said (TR-3).
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.domain.facts import Fact, Refusal
from wm.domain.session import blocks
from wm.domain.workspace.quality import reads_as_instruction
from wm.errors import UserError
from wm.formats.base import Document
from wm.formats.core_memory import BLOCKS, NEXT, CoreMemory
from wm.formats.protocol import Place, SessionScoped
from wm.formats.session_state import SessionState
from wm.ops import origins
from wm.ops.base import Work
from wm.ops.runtime import Runtime
from wm.ops.sessions import core_ref, load_session, save_session, session_ref
from wm.store.base import Health, Ref
from wm.store.paths import sid


def next_ref(key: str) -> Ref[CoreMemory]:
    """The blocks that wait for the next session."""
    return Ref(CoreMemory, key, NEXT)


def load_core(work: Work, place: Place, state: SessionState) -> CoreMemory:
    """The session's blocks, or empty ones. What cannot be read is kept by the store."""
    found = work.read(core_ref(place.key, state.session_id)).document
    return found or CoreMemory(
        session_id=state.session_id, agent=state.agent, workspace_key=place.key
    )


def save_core(work: Work, place: Place, core: CoreMemory) -> None:
    work.put(core_ref(place.key, core.session_id), core)
    work.notify(place.key, CoreMemory.slug, sid(core.session_id))


def text(work: Work, place: Place, state: SessionState) -> str:
    """The blocks as a new epoch shows them; whoever changed them needs no telling any more."""
    core = load_core(work, place, state)
    if core.untold:
        save_core(work, place, core.model_copy(update={"untold": ()}))
    return blocks.render(core, work.runtime.settings.core)


def news(work: Work, place: Place, state: SessionState) -> tuple[str, ...]:
    """What a person changed since the prompt was frozen, told once."""
    core = work.read(core_ref(place.key, state.session_id)).document
    if core is None or not core.untold:
        return ()
    save_core(work, place, core.model_copy(update={"untold": ()}))
    hidden = {name: blocks.of(CoreMemory(session_id=""), name) for name in BLOCKS}
    for name in core.untold:
        if name in BLOCKS:
            hidden[name] = blocks.of(core, name)
    changed = core.model_copy(update={"blocks": core.blocks.model_copy(update=hidden)})
    emptied = [n for n in core.untold if n in BLOCKS and not hidden[n].content.strip()]
    told = [blocks.render(changed, work.runtime.settings.core)]
    told += [f"The block {name} is empty now." for name in emptied]
    return ("\n".join(("The user changed your core memory:", *filter(None, told))),)


def change(
    work: Work,
    place: Place,
    state: SessionState,
    block: str,
    content: str,
    operation: str,
    *,
    by: str,
) -> tuple[CoreMemory, str]:
    """Change one block; the blocks and a sentence. Raises UserError for what is refused."""
    settings = work.runtime.settings.core
    before = load_core(work, place, state)
    written = work.runtime.redactor.text(content)
    model = by == "agent"
    if model and reads_as_instruction(written):
        raise UserError(
            "This reads like an order to an agent, not like a note, so it was not written.",
            fix="Say in your own words what is to be done and why.",
        )
    tainted = model and origins.judge(work, place, state.session_id, written).tainted
    made = blocks.update(
        before, block, written, operation, by=by, now=work.now, settings=settings, tainted=tainted
    )
    if isinstance(made, Refusal):
        raise UserError(made.message, fix=made.fix)
    chars, most = len(blocks.of(made, block).content), blocks.limit(block, settings)
    if made is before:
        return before, f"{block} says so already: {chars} of {most} characters."
    if not model and state.epoch:
        made = made.model_copy(update={"untold": tuple(dict.fromkeys((*made.untold, block)))})
    save_core(work, place, made)
    fact = Fact(
        "core_changed",
        "agent" if model else "user",
        "changed",
        details={"block": block, "chars": chars, "operation": operation, "by": by},
    )
    work.log(place.key, [fact], session=sid(state.session_id))
    return made, f"{block} has {chars} of {most} characters now."


def take_waiting(work: Work, place: Place, state: SessionState) -> None:
    """A new session begins: blocks that wait for it become its own."""
    waiting = work.read(next_ref(place.key)).document
    if waiting is None or state.subagent:
        return
    source = work.read(core_ref(place.key, waiting.carried_from)).document or waiting
    hand_over(work, place, source, waiting.carried_from, state)
    work.delete(next_ref(place.key))


def start_refs(runtime: Runtime, place: Place, session_id: str) -> Sequence[Ref[Document]]:
    """What `take_waiting` may write: nothing where nothing waits."""
    waits = runtime.store.read(next_ref(place.key)).health is not Health.MISSING
    return (next_ref(place.key), core_ref(place.key, session_id)) if waits else ()


def hand_over(
    work: Work, place: Place, source: CoreMemory, source_id: str, state: SessionState
) -> CoreMemory:
    """The session's blocks after those of another one filled what was empty."""
    named = source.model_copy(update={"session_id": source_id})
    before = load_core(work, place, state)
    after = blocks.carry(named, before, now=work.now)
    if after is before:
        return before
    taken = tuple(n for n in BLOCKS if blocks.of(after, n) != blocks.of(before, n))
    if state.epoch:
        after = after.model_copy(update={"untold": tuple(dict.fromkeys((*after.untold, *taken)))})
    save_core(work, place, after)
    _hear(work, place, state, [b.content for n in taken if (b := blocks.of(after, n)).tainted])
    fact = Fact(
        "core_carried", "session", "changed", details={"from": sid(source_id), "blocks": taken}
    )
    work.log(place.key, [fact], session=sid(state.session_id))
    return after


def _hear(work: Work, place: Place, state: SessionState, texts: Sequence[str]) -> None:
    """Texts that nobody is known to have said: their words are foreign in this session."""
    if texts:
        ref = session_ref(place.key, state.session_id)
        known = work.read(ref).document or state
        work.put(ref, origins.hear_given(work, known, "\n".join(texts)))


# --- by a model's tool ----------------------------------------------------------------------


def of_caller(work: Work, place: Place, session_id: str) -> SessionState:
    """The session that a model calls from. Raises UserError where nobody says which it is, and
    for a subagent's: it has no memory of its own (EP-2)."""
    if not session_id:
        raise UserError(
            "This client does not say which session it is, so it has no session memory.",
            fix="Claude Code, and OpenCode with the plugin of `wm setup`, say so.",
        )
    state = load_session(
        work,
        place,
        SessionScoped(workspace=place.key, directory=place.root, session_id=session_id),
    )
    if state.subagent:
        raise UserError(
            "A subagent has no session memory.",
            fix="Tell the result to the session that started you.",
        )
    return state


def begin(work: Work, place: Place, state: SessionState) -> None:
    """A session's files stand beside its state: without one they would belong to nobody."""
    if work.read(session_ref(place.key, state.session_id)).document is None:
        save_session(work, place, state)
