"""Show a session, and show, change and carry over its own memory, for people and programs.

The use cases of `wm session show | core | working | continue` and the socket; models use the tools
of `wm.ops.tools`. Separate from `core_blocks` and `working_memory`, so that a daemon that never
needs them does not load their models.
"""

from __future__ import annotations

from contextlib import suppress

from wm.api.session_memory import (
    BlockRequest,
    Blocks,
    BlockView,
    Continued,
    ContinueRequest,
    ItemRequest,
    ItemView,
    MemoryScoped,
    RemoveRequest,
    WorkingItems,
)
from wm.api.sessions import SessionAnswer, SessionScoped
from wm.domain.session import core_blocks, hot_snapshot, pool
from wm.domain.session.working_memory import render as render_items
from wm.errors import NotFound, StoreError, UserError
from wm.formats.core_memory import BLOCKS, CoreMemory
from wm.formats.flow import Flow, FlowSum
from wm.formats.session_state import SessionState, WordOrigins
from wm.formats.working_memory import WorkingMemory
from wm.ops.operation import LocatedWork, Operation, Work, as_written, located
from wm.ops.session import core_blocks as core
from wm.ops.session import hot_state, working_memory
from wm.store.base import Health
from wm.store.paths import sid

# --- core blocks ----------------------------------------------------------------------------


def _view_blocks(stored: CoreMemory, work: Work, message: str = "") -> Blocks:
    """The blocks for people and programs, including empty ones."""
    seen = []
    for name in BLOCKS:
        block = core_blocks.of(stored, name)
        seen.append(
            BlockView(
                name=name,
                content=block.content,
                chars=len(block.content),
                max=core_blocks.limit(name, work.settings.core),
                updated_at=block.updated_at,
                by=block.by,
                tainted=block.tainted,
            )
        )
    return Blocks(
        session_id=stored.session_id,
        blocks=tuple(seen),
        carried_from=stored.carried_from,
        message=message,
    )


def _read_blocks(work: LocatedWork, request: MemoryScoped) -> Blocks:
    return _view_blocks(
        _readable_core(work, hot_state.require_state(work, request.session_id)), work
    )


def _readable_core(work: LocatedWork, state: SessionState) -> CoreMemory:
    """The session's blocks, or empty ones. Raises Corrupt."""
    reading = work.read(hot_state.core_ref(work.key, state.session_id))
    hot_state.require_readable(reading, f"core memory of the session {state.session_id}")
    return core.load_core(work, state)


def _change_block(work: LocatedWork, request: BlockRequest) -> Blocks:
    state = hot_state.require_state(work, request.session_id)
    made, message = core.change(
        work, state, request.block, request.content, request.operation, by="user"
    )
    return _view_blocks(made, work, message)


def _continue(work: LocatedWork, request: ContinueRequest) -> Continued:
    if request.cancel:
        return _cancel(work)
    state = hot_state.require_state(work, request.session_id, with_core=True)
    source = _readable_core(work, state)
    names = tuple(name for name, _block in core_blocks.filled(source))
    if not names:
        raise NotFound.of("core.nothing_to_continue", session_id=state.session_id)
    block_names = ", ".join(names)
    if not request.to:
        waiting = source.model_copy(
            update={"session_id": "", "carried_from": state.session_id, "untold": ()}
        )
        work.put(core.next_ref(work.key), waiting)
        message = f"The next session here takes over {block_names} of {state.session_id}."
        return Continued(session_id=state.session_id, blocks=names, message=message)
    into = hot_state.require_state(work, request.to)
    if into.session_id == state.session_id:
        raise UserError.of("core.same_session")
    before = core.load_core(work, into)
    after = core.hand_over(work, source, state.session_id, into)
    taken = tuple(n for n in names if core_blocks.of(after, n) != core_blocks.of(before, n))
    message = (
        f"{into.session_id} has {', '.join(taken)} of {state.session_id} now."
        if taken
        else f"{into.session_id} has {block_names} of its own, which stay; nothing was changed."
    )
    return Continued(session_id=state.session_id, to=into.session_id, blocks=taken, message=message)


def _cancel(work: LocatedWork) -> Continued:
    if work.read(core.next_ref(work.key)).health is Health.MISSING:
        return Continued(message="No session's blocks wait here; nothing was changed.")
    work.delete(core.next_ref(work.key))
    return Continued(message="The next session here begins without blocks of another one.")


read_blocks = Operation("read_blocks", MemoryScoped, Blocks, located(_read_blocks))
change_block = Operation("change_block", BlockRequest, Blocks, located(_change_block), as_written)
continue_session = Operation(
    "continue_session", ContinueRequest, Continued, located(_continue), as_written
)


# --- slots and pool -------------------------------------------------------------------------


def _view_items(
    work: Work, state: SessionState, stored: WorkingMemory, message: str = ""
) -> WorkingItems:
    """Slots with their newest item first, then the pool by score."""
    events = max(state.events, stored.events)
    items = [
        ItemView(text=item.text, slot=slot, by=item.by, at=item.at)
        for slot, kept in stored.slots.items()
        for item in reversed(kept)
    ]
    items += [
        ItemView(
            text=item.text,
            kind=item.kind,
            by=item.by,
            at=item.at,
            score=round(pool.score(item, events, work.settings.working), 4),
        )
        for item in pool.best(stored.pool, events, work.settings.working)
    ]
    return WorkingItems(session_id=state.session_id, items=tuple(items), message=message)


def _read_working(work: LocatedWork, request: MemoryScoped) -> WorkingItems:
    state = hot_state.require_state(work, request.session_id)
    reading = work.read(hot_state.working_ref(work.key, state.session_id))
    hot_state.require_readable(reading, f"working memory of the session {state.session_id}")
    return _view_items(work, state, working_memory.load_working(work, state))


def _add(work: LocatedWork, request: ItemRequest) -> WorkingItems:
    edit = _edit(work, request)
    return _view_items(work, edit.state, *edit.add(request.text, request.slot))


def _edit(work: LocatedWork, request: MemoryScoped) -> working_memory.WorkingEdit:
    return working_memory.WorkingEdit(
        work, hot_state.require_state(work, request.session_id), "user"
    )


def _remove(work: LocatedWork, request: RemoveRequest) -> WorkingItems:
    edit = _edit(work, request)
    if request.text and request.slot:
        raise UserError.of("working.two_names")
    if request.text:
        stored, message = edit.remove(request.text)
    elif request.slot:
        stored, message = edit.clear_slot(request.slot)
    else:
        stored, message = edit.clear_all()
    return _view_items(work, edit.state, stored, message)


read_working = Operation("read_working", MemoryScoped, WorkingItems, located(_read_working))
add_item = Operation("add_item", ItemRequest, WorkingItems, located(_add), as_written)
remove_items = Operation("remove_items", RemoveRequest, WorkingItems, located(_remove), as_written)


# --- the session itself -----------------------------------------------------------------------


def _show(work: LocatedWork, request: SessionScoped) -> SessionAnswer:
    hot_state.require_session(request, work.settings.session)
    reading = work.read(
        hot_state.session_ref(work.key, hot_state.full_session(work, request.session_id))
    )
    state = hot_state.require_readable(reading, f"state of the session {request.session_id}")
    if state is None:
        raise hot_state.no_session(work.place, f"There is no session {request.session_id!r}")
    state = hot_state.with_memories_of_now(work, state)
    text = hot_snapshot.render(state, work.settings.session).text
    core, items = hot_state.session_memory(work, state)
    settings = work.settings
    if state.origins is not None:
        # The digests mean nothing to a reader; the reason for distrusting the model's words does.
        origins = WordOrigins(distrust=state.origins.distrust)
        state = state.model_copy(update={"origins": origins})
    return SessionAnswer(
        state=state,
        hot=text,
        core=core_blocks.render(core, settings.core) if core is not None else "",
        working=render_items(items, state.events, settings.working).text if items else "",
        pressure=hot_state.measured(work, state.session_id),
        passed=_passed(work, state.session_id),
    )


def _passed(work: LocatedWork, session_id: str) -> FlowSum | None:
    """Totals of the proxy's log. An unreadable log must not hide the session."""
    flows: tuple[Flow, ...] = ()
    with suppress(StoreError):
        flows = work.store.flows(work.key, sid(session_id))
    if not flows:
        return None
    used = [flow.usage for flow in flows if flow.usage is not None]
    return FlowSum(
        exchanges=len(flows),
        failed=sum(f.outcome != "whole" or f.status >= 400 or bool(f.error) for f in flows),
        read=sum(u.prompt for u in used),
        cached=sum(u.cache_read for u in used),
        written=sum(u.output for u in used),
        last_at=flows[-1].created_at,
    )


show_session = Operation("show_session", SessionScoped, SessionAnswer, located(_show))
