"""The report of a replay: turns, conversations and sums (`wm.api.replay`).

Adds up what `run` counted, and compares a policy with none. Prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from wm.api.replay import (
    Bills,
    ReplayedConversation,
    ReplayedModel,
    ReplayedSum,
    ReplayedTurn,
    ReplayReport,
    TokenCounts,
)
from wm.domain.paging.goals import GoalLimits
from wm.domain.paging.levels import LEVELS
from wm.domain.times import iso
from wm.errors import UserError
from wm.ops.paging.goals import GoalModel
from wm.ops.paging.policy import PagingPolicy, paging_policy
from wm.replay.comparison import compared_with
from wm.replay.files import Progress, requests_of
from wm.replay.requests import Sent, SkippedRequests
from wm.replay.rivals import RIVALS
from wm.replay.run import Counted, Factors, ReplayRun, scaled
from wm.replay.samples import ChangedSample
from wm.replay.totals import added, by_conversation
from wm.settings import PriceSettings, RecallSettings
from wm.wire.cachesim import dollars, uncached
from wm.wire.policy import Policy, nothing
from wm.wire.prices import DATED, TABLE, PriceOf, price_of, prices
from wm.wire.rows import AS_RECORDED, AssumedHead, Measure, estimate
from wm.wire.usage import Usage

POLICIES = ("none", "safe", "balanced", "tight", *RIVALS)


class Assumptions(Struct, frozen=True):
    """What requests are counted as. ttl: the lifetime of every mark; "" takes the recorded ones."""

    head: AssumedHead = AS_RECORDED
    ttl: str = ""


def assumptions(model: str, head_tokens: int, ttl: str) -> Assumptions:
    """Raises UserError for a model without a price: it would make every bill zero."""
    if model and not price_of(model).known:
        raise UserError.of("replay.no_price", model=model, known=", ".join(TABLE))
    return Assumptions(AssumedHead(model, head_tokens), ttl)


class ReplayedRun(Struct):
    """One policy, and the requests counted under it."""

    name: str
    run: ReplayRun
    counted: list[Counted] = field(default_factory=list)


_PATIENCE_S = 30.0
"""A replay waits for the model that finds returns to a subject, so that it repeats itself."""
NO_RIVALS: Mapping[str, Policy] = {}
OVER = "requests larger than the model's window"


def replay(
    paths: Sequence[Path],
    *,
    clock: Callable[[], float],
    progress: Progress,
    policy: str = "none",
    rule: Policy | None = None,
    rivals: Mapping[str, Policy] = NO_RIVALS,
    passages: int = 0,
    measure: Measure = estimate,
    own: PriceSettings | None = None,
    assumed: Assumptions | None = None,
    sample: ChangedSample | None = None,
) -> ReplayReport:
    """Run all recordings through a policy. rule: the policy itself, if it has no name. rivals:
    policies to compare it with, by name. passages: tokens of removed content that the policy
    appends at most when it seems to be needed. sample: is offered the requests that the policy
    changed.

    measure: the token estimate, corrected later by reported usage. own: the user's prices.

    Raises UserError for a file that is not a recording, and for passages of a policy without cuts.
    """
    given = assumed or Assumptions()

    def run(name: str, chosen: Policy) -> ReplayedRun:
        bounded = isinstance(chosen, PagingPolicy)
        own_run = ReplayRun(
            chosen, clock, measure, assumed=given.head, ttl=given.ttl, bounded=bounded
        )
        return ReplayedRun(name, own_run)

    left = SkippedRequests()
    chosen = rule or _named(policy, passages)
    plain = run("none", nothing)
    runs = [run(policy, chosen)] if chosen is not nothing else []
    runs += [run(name, rival) for name, rival in rivals.items() if name != policy]
    for sent in requests_of(paths, left, progress):
        _count(sent, [plain, *runs], left)
        if sample is not None and runs and (changed := runs[0].run.changed) is not None:
            sample.offer(*changed)
    managed = runs[0] if chosen is not nothing else plain
    counted = ManagedRequests(managed.counted, plain.counted if managed is not plain else [])
    find = prices(own or PriceSettings())
    made = report(counted, policy, paths, left, find)
    compared = []
    for one in runs if rivals else ():
        turns, old = ManagedRequests(one.counted, plain.counted).turns(find)
        tokens_removed = sum(counted.removed[1] for counted in one.counted)
        compared.append(compared_with(one.name, turns, old, tokens_removed))
    return made.model_copy(
        update={
            "assumed_model": given.head.model,
            "head_tokens": given.head.tokens,
            "ttl": given.ttl,
            "return_limits": _return_limits(chosen),
            "compared": tuple(compared),
        }
    )


def _named(policy: str, passages: int) -> Policy:
    if passages and not (policy in LEVELS and LEVELS[policy].stubs):
        raise UserError.of("replay.no_passages", policy=policy)
    if policy == "none":
        return nothing
    return RIVALS.get(policy) or paging_policy(
        policy, passages, GoalModel(RecallSettings(), wait_s=_PATIENCE_S)
    )


def _return_limits(policy: Policy) -> GoalLimits:
    goals = policy.goals if isinstance(policy, PagingPolicy) else None
    return (goals.limits if goals is not None else None) or ()


def _count(sent: Sent, runs: Sequence[ReplayedRun], left: SkippedRequests) -> None:
    """Count a request under all policies. One that was never sent is left out of all."""
    found = runs[0].run.count(sent)
    if found is None or found.over:
        left.add("bodies that are not requests" if found is None else OVER)
        return
    runs[0].counted.append(light(found))
    for other in runs[1:]:
        counted = other.run.count(sent)
        if counted is not None:
            other.counted.append(light(counted))


class ManagedRequests(Struct, frozen=True):
    """counted: the requests under a policy. before: the same without it, if there is one."""

    counted: Sequence[Counted]
    before: Sequence[Counted] = ()

    def turns(self, find: PriceOf) -> tuple[list[ReplayedTurn], list[ReplayedTurn]]:
        """Both as turns of a report; each managed one names its bills without the policy."""
        factors = factors_of(self.before or self.counted)
        old = [turn(number, one, factors, find) for number, one in enumerate(self.before, start=1)]
        new = [turn(number, one, factors, find) for number, one in enumerate(self.counted, start=1)]
        if old:
            pairs = zip(new, old, strict=True)
            new = [one.model_copy(update={"unmanaged": was.bills}) for one, was in pairs]
        return new, old


def report(
    requests: ManagedRequests,
    policy: str,
    paths: Sequence[Path],
    left: SkippedRequests,
    find: PriceOf = price_of,
) -> ReplayReport:
    """The report of all requests that were replayed. left: those that were not, by reason."""
    counted = requests.counted
    turns, old = requests.turns(find)
    removed = by_conversation(turns, [one.removed for one in counted])
    by_name = by_conversation(turns, turns)
    were = by_conversation(old, old)
    return ReplayReport(
        policy=policy,
        prices=DATED,
        files=tuple(map(str, paths)),
        total=with_removed(added(turns), [one.removed for one in counted]),
        before=added(old) if old else None,
        conversations=tuple(
            ReplayedConversation(
                name=name,
                model=own[-1].model,
                sum=with_removed(added(own), removed[name]),
                unmanaged=added(were[name]) if name in were else None,
            )
            for name, own in by_name.items()
        ),
        turns=tuple(turns),
        models=models(counted, factors_of(requests.before or counted), find),
        left=dict(left.counts),
        timed=any(one.sent.at is not None for one in counted),
    )


def with_removed(total: ReplayedSum, removed: Sequence[tuple[int, int]]) -> ReplayedSum:
    blocks, tokens = sum(one for one, _ in removed), sum(one for _, one in removed)
    return total.model_copy(update={"removed_blocks": blocks, "removed_tokens": tokens})


def light(one: Counted) -> Counted:
    """The same without the request's bytes: a long session holds gigabytes of them."""
    return replace(one, sent=replace(one.sent, raw=b"", outline=None))


def factors_of(counted: Iterable[Counted]) -> Factors:
    factors = Factors()
    for one in counted:
        factors.learn(one)
    return factors


_FIGURES = ReplayedTurn.model_fields.keys() & {*Counted.__struct_fields__} - {"refetch"}
"""What is counted for a request and reported under the same name."""


def turn(number: int, one: Counted, factors: Factors, find: PriceOf = price_of) -> ReplayedTurn:
    """One request in the units of the report: tokens by the service's count, and dollars."""
    factor, _ = factors.of(one.model)
    usage = scaled(one.usage, factor)
    moment = one.sent.at
    figures = {name: getattr(one, name) for name in _FIGURES}
    return ReplayedTurn(
        **figures,
        number=number,
        conversation=one.sent.conversation,
        call=one.sent.call,
        at=iso(datetime.fromtimestamp(moment, UTC)) if moment is not None else "",
        tokens=tokens(usage),
        bills=bills(one, factor, find),
        reported=tokens(one.sent.usage) if one.sent.usage else None,
        refetch=_refetched(one, factor, find),
    )


def tokens(usage: Usage) -> TokenCounts:
    return TokenCounts(prompt=usage.prompt, **asdict(usage))


def bills(one: Counted, factor: float, find: PriceOf = price_of) -> Bills:
    """What one request costs, under each way to cache it."""
    price = find(one.model)
    as_marked, five, hour, blocks = (scaled(usage, factor) for usage in one.ways)
    return Bills(
        as_marked=dollars(as_marked, price),
        five_minutes=dollars(five, price),
        one_hour=dollars(hour, price),
        in_blocks=dollars(blocks, price),
        uncached=dollars(uncached(as_marked), price),
        answers=dollars(as_marked, price) - dollars(replace(as_marked, output=0), price),
    )


def _refetched(one: Counted, factor: float, find: PriceOf) -> Bills:
    """What restoring removed blocks costs."""
    if not one.faults:
        return Bills()
    price, usage = find(one.model), scaled(one.refetch, factor)
    hour = replace(usage, cache_write_5m=0, cache_write_1h=usage.cache_write_5m)
    five, long = dollars(usage, price), dollars(hour, price)
    as_marked = long if one.usage.cache_write_1h else five
    return Bills(
        as_marked=as_marked,
        in_blocks=as_marked,
        five_minutes=five,
        one_hour=long,
        uncached=dollars(uncached(usage), price),
    )


def models(
    counted: Sequence[Counted], factors: Factors, find: PriceOf
) -> tuple[ReplayedModel, ...]:
    """Each model of the requests: how often it was used, and where its prices come from."""
    names = dict.fromkeys(one.model for one in counted)
    return tuple(
        ReplayedModel(
            name=name,
            priced_as=find(name).family,
            known=find(name).known,
            own=find(name).own,
            requests=sum(one.model == name for one in counted),
            factor=round(factors.of(name)[0], 4),
            reported=factors.of(name)[1],
        )
        for name in names
    )
