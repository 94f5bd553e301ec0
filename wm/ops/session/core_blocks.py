"""The core blocks of a session: change them, announce changes, hand them over (CB-1, CB-5).

A model changes the blocks of its own session with a tool; a person changes those of any session
with a command. A person's change to a session with a frozen prompt is announced at its next message
(EP-1). Blocks move to another session only on request: `core/next.json` names the source session,
and the next new session takes its blocks in their state at that moment.

Blocks must not flow into the workspace memory. A tainted block that is handed over counts in its
new session as text of unknown origin (TR-3).
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.api.sessions import SessionScoped
from wm.domain.facts import Fact
from wm.domain.memory.gate import reads_as_instruction
from wm.domain.session import core_blocks
from wm.errors import UserError
from wm.formats.core_memory import BLOCKS, NEXT, CoreMemory
from wm.formats.session_state import SessionState
from wm.ops.learning import provenance
from wm.ops.operation import LocatedWork, granted
from wm.ops.session.hot_state import core_ref, load_session, save_session, session_ref
from wm.store.base import Ref
from wm.store.paths import sid


def next_ref(key: str) -> Ref[CoreMemory]:
    """The document that names the blocks for the next session."""
    return Ref(CoreMemory, key, NEXT)


def load_core(work: LocatedWork, state: SessionState) -> CoreMemory:
    """The session's blocks, or empty ones. The store keeps an unreadable file."""
    found = work.read(core_ref(work.key, state.session_id)).document
    return found or CoreMemory(
        session_id=state.session_id, agent=state.agent, workspace_key=work.key
    )


def save_core(work: LocatedWork, core: CoreMemory) -> None:
    work.put(core_ref(work.key, core.session_id), core)
    work.notify(CoreMemory.slug, sid(core.session_id))


def text(work: LocatedWork, state: SessionState) -> str:
    """The blocks for a new epoch. Clears pending announcements: the prompt shows the changes."""
    core = load_core(work, state)
    if core.untold:
        save_core(work, core.model_copy(update={"untold": ()}))
    return core_blocks.render(core, work.settings.core)


def take_announcements(work: LocatedWork, state: SessionState) -> tuple[str, ...]:
    """What a person changed since the prompt was frozen; each change is announced once."""
    core = work.read(core_ref(work.key, state.session_id)).document
    if core is None or not core.untold:
        return ()
    save_core(work, core.model_copy(update={"untold": ()}))
    hidden = {name: core_blocks.of(CoreMemory(session_id=""), name) for name in BLOCKS}
    for name in core.untold:
        if name in BLOCKS:
            hidden[name] = core_blocks.of(core, name)
    changed = core.model_copy(update={"blocks": core.blocks.model_copy(update=hidden)})
    emptied = [n for n in core.untold if n in BLOCKS and not hidden[n].content.strip()]
    lines = [core_blocks.render(changed, work.settings.core)]
    lines += [f"The block {name} is empty now." for name in emptied]
    return ("\n".join(("The user changed your core memory:", *filter(None, lines))),)


def change(
    work: LocatedWork, state: SessionState, block: str, content: str, operation: str, *, by: str
) -> tuple[CoreMemory, str]:
    """Change one block; return the blocks and a sentence. Raises UserError if the change is
    refused."""
    settings = work.settings.core
    before = load_core(work, state)
    written = work.redact(content)
    model = by == "agent"
    if model and reads_as_instruction(written):
        raise UserError.of("core.reads_like_order")
    tainted = model and provenance.judge(work, state.session_id, written).tainted
    done = core_blocks.update(
        before, block, written, operation, by=by, now=work.now, settings=settings, tainted=tainted
    )
    made = granted(done)
    chars, most = len(core_blocks.of(made, block).content), core_blocks.limit(block, settings)
    if made is before:
        return before, f"{block} already says so: {chars} of {most} characters."
    if not model and state.epoch:
        made = made.model_copy(update={"untold": tuple(dict.fromkeys((*made.untold, block)))})
    save_core(work, made)
    fact = Fact(
        "core_changed",
        "agent" if model else "user",
        "changed",
        details={"block": block, "chars": chars, "operation": operation, "by": by},
    )
    work.log([fact], session=sid(state.session_id))
    return made, f"{block} has {chars} of {most} characters now."


def take_waiting(work: LocatedWork, state: SessionState) -> None:
    """Give a new session the blocks that wait for it."""
    waiting = work.read(next_ref(work.key)).document
    if waiting is None or state.subagent:
        return
    source = work.read(core_ref(work.key, waiting.carried_from)).document or waiting
    hand_over(work, source, waiting.carried_from, state)
    work.delete(next_ref(work.key))


def hand_over(
    work: LocatedWork, source: CoreMemory, source_id: str, state: SessionState
) -> CoreMemory:
    """Fill the empty blocks of a session from another one; return the blocks."""
    named = source.model_copy(update={"session_id": source_id})
    before = load_core(work, state)
    after = core_blocks.carry(named, before, now=work.now)
    if after is before:
        return before
    taken = tuple(n for n in BLOCKS if core_blocks.of(after, n) != core_blocks.of(before, n))
    if state.epoch:
        after = after.model_copy(update={"untold": tuple(dict.fromkeys((*after.untold, *taken)))})
    save_core(work, after)
    _count_as_foreign(
        work, state, [b.content for n in taken if (b := core_blocks.of(after, n)).tainted]
    )
    fact = Fact(
        "core_carried", "session", "changed", details={"from": sid(source_id), "blocks": taken}
    )
    work.log([fact], session=sid(state.session_id))
    return after


def _count_as_foreign(work: LocatedWork, state: SessionState, texts: Sequence[str]) -> None:
    """Count the words of these texts, whose speaker is unknown, as foreign in this session."""
    if texts:
        ref = session_ref(work.key, state.session_id)
        known = work.read(ref).document or state
        work.put(ref, provenance.record_project_text(work, known, "\n".join(texts)))


# --- tools of the model ---------------------------------------------------------------------


def of_caller(work: LocatedWork, session_id: str) -> SessionState:
    """The session that a model calls from. Raises UserError if the client does not name it, and for
    a subagent, which has no session memory (EP-2)."""
    if not session_id:
        raise UserError.of("session.no_id")
    state = load_session(
        work, SessionScoped(workspace=work.key, directory=work.place.root, session_id=session_id)
    )
    if state.subagent:
        raise UserError.of("session.of_subagent")
    return state


def begin(work: LocatedWork, state: SessionState) -> None:
    """Create the session's state if it is missing: other session files belong to a state."""
    if work.read(session_ref(work.key, state.session_id)).document is None:
        save_session(work, state)
