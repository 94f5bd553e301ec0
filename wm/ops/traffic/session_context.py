"""What fills the context of a proxied session, and what its requests cost, from its flows (UI-1).

The parts are those of the newest main request; subagents, titles and summaries count in the bill.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import asdict

from wm.api.context import ContextPart, ContextRequest, ExchangeCost, SessionContext
from wm.api.replay import TokenCounts
from wm.errors import NotFound
from wm.formats.flow import Flow
from wm.ops.operation import LocatedWork, Operation, located
from wm.ops.session.hot_state import full_session
from wm.ops.traffic.conversations import measured
from wm.store.paths import FLOWS, sid
from wm.wire.cachesim import dollars, uncached
from wm.wire.outline import Unfolding
from wm.wire.prices import PriceOf, prices
from wm.wire.rows import BlockRow, Unit
from wm.wire.usage import Usage

MAIN = "main"


def _run(work: LocatedWork, request: ContextRequest) -> SessionContext:
    store, settings = work.store, work.settings
    wanted = request.session_id
    known = wanted in store.sessions_with(work.key, FLOWS)
    session = wanted if known else sid(full_session(work, wanted))
    flows = store.flows(work.key, session)
    if not flows:
        raise NotFound.of("session.not_forwarded", wanted=wanted)
    find = prices(settings.prices)
    costs = [_cost(flow, find) for flow in flows]
    main = [flow for flow in flows if flow.call == MAIN and not flow.subagent]
    full = (measured(flow, settings.pressure) for flow in reversed(main))
    return SessionContext(
        place=work.place,
        session=session,
        usage=next(filter(None, full), None),
        parts=_parts(main),
        exchanges=tuple(costs[-request.limit :]),
        requests=len(costs),
        tokens=_added(one.tokens for one in costs),
        bill=sum(one.bill for one in costs),
        uncached=sum(one.uncached for one in costs),
        unpriced=tuple(sorted({f.model for f in flows if f.usage and not find(f.model).known})),
    )


def _cost(flow: Flow, find: PriceOf) -> ExchangeCost:
    usage = Usage.of(flow.usage) if flow.usage is not None else Usage()
    price = find(flow.model)
    return ExchangeCost(
        at=flow.created_at,
        call=flow.call,
        model=flow.model,
        policy=flow.policy,
        change=flow.change,
        decisions=len(flow.decisions),
        failed=flow.outcome != "whole" or flow.status >= 400 or bool(flow.error),
        tokens=TokenCounts(prompt=usage.prompt, **asdict(usage)),
        bill=dollars(usage, price),
        uncached=dollars(uncached(usage), price),
    )


def _added(counts: Iterable[TokenCounts]) -> TokenCounts:
    many = list(counts)
    return TokenCounts(
        **{name: sum(getattr(one, name) for one in many) for name in TokenCounts.model_fields}
    )


def _parts(flows: Sequence[Flow]) -> tuple[ContextPart, ...]:
    """The parts of the newest request that the log holds whole."""
    unfolding = Unfolding()
    row: BlockRow | None = None
    common = 0
    for flow in flows:
        taken = unfolding.take(flow)
        row, common = (taken, flow.common) if taken is not None else (row, common)
    if row is None:
        return ()
    blocks, tokens, new = Counter[str](), Counter[str](), Counter[str]()
    for unit in row.units:
        kind = _kind(unit)
        blocks[kind] += 1
        tokens[kind] += unit.tokens
        new[kind] += unit.tokens if unit.message >= common else 0
    return tuple(
        ContextPart(kind=kind, blocks=blocks[kind], tokens=tokens[kind], new=new[kind])
        for kind in tokens
    )


def _kind(unit: Unit) -> str:
    return unit.role if unit.section == "messages" else unit.section


session_context = Operation("session_context", ContextRequest, SessionContext, located(_run))
