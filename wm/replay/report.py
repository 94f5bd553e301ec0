"""The report of a replay: turns, conversations and sums (`wm.api.replay`).

Adds up what `run` counted, and compares a policy with none. Prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

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
from wm.domain.times import iso
from wm.replay.files import Progress, requests_of
from wm.replay.requests import SkippedRequests
from wm.replay.run import Counted, Factors, ReplayRun, scaled
from wm.settings import PriceSettings
from wm.wire.cachesim import dollars, uncached
from wm.wire.policy import POLICIES, Policy, nothing
from wm.wire.prices import DATED, PriceOf, price_of, prices
from wm.wire.rows import Measure, estimate
from wm.wire.usage import Usage

R = TypeVar("R", TokenCounts, Bills)


def replay(
    paths: Sequence[Path],
    *,
    clock: Callable[[], float],
    progress: Progress,
    policy: str = "none",
    rule: Policy | None = None,
    measure: Measure = estimate,
    own: PriceSettings | None = None,
) -> ReplayReport:
    """Run all recordings through a policy. rule: the policy itself, if it has no name.

    measure: the token estimate, corrected later by reported usage. own: the user's prices.

    Raises UserError for a file that is not a recording.
    """
    chosen = rule or POLICIES[policy]
    left = SkippedRequests()
    counted: list[Counted] = []
    before: list[Counted] = []
    plain = ReplayRun(nothing, clock, measure) if chosen is not nothing else None
    run = ReplayRun(chosen, clock, measure)
    for sent in requests_of(paths, left, progress):
        one = run.count(sent)
        if one is None:
            left.add("bodies that are no request")
            continue
        counted.append(light(one))
        if plain is not None and (as_it_came := plain.count(sent)) is not None:
            before.append(light(as_it_came))
    return report(counted, before, policy, paths, left, prices(own or PriceSettings()))


def report(
    counted: list[Counted],
    before: list[Counted],
    policy: str,
    paths: Sequence[Path],
    left: SkippedRequests,
    find: PriceOf = price_of,
) -> ReplayReport:
    factors = factors_of(before or counted)
    turns = [turn(number, one, factors, find) for number, one in enumerate(counted, start=1)]
    old = [turn(number, one, factors, find) for number, one in enumerate(before, start=1)]
    by_name: dict[str, list[ReplayedTurn]] = {}
    for one in turns:
        by_name.setdefault(one.conversation, []).append(one)
    return ReplayReport(
        policy=policy,
        prices=DATED,
        files=tuple(map(str, paths)),
        total=added(turns),
        before=added(old) if old else None,
        conversations=tuple(
            ReplayedConversation(name=name, model=own[-1].model, sum=added(own))
            for name, own in by_name.items()
        ),
        turns=tuple(turns),
        models=models(counted, factors, find),
        left=dict(left.counts),
        timed=any(one.sent.at is not None for one in counted),
    )


def light(one: Counted) -> Counted:
    """The same without the request's bytes: a long session holds gigabytes of them."""
    return replace(one, sent=replace(one.sent, raw=b"", outline=None))


def factors_of(counted: Iterable[Counted]) -> Factors:
    factors = Factors()
    for one in counted:
        factors.learn(one)
    return factors


def turn(number: int, one: Counted, factors: Factors, find: PriceOf = price_of) -> ReplayedTurn:
    factor, _ = factors.of(one.model)
    usage = scaled(one.usage, factor)
    moment = one.sent.at
    return ReplayedTurn(
        number=number,
        conversation=one.sent.conversation,
        call=one.sent.call,
        model=one.model,
        at=iso(datetime.fromtimestamp(moment, UTC)) if moment is not None else "",
        bytes=one.bytes,
        messages=one.messages,
        tokens=tokens(usage),
        bills=bills(one, factor, find),
        reported=tokens(one.sent.usage) if one.sent.usage else None,
        replaced=one.replaced,
        faults=one.faults,
        broken_thinking=one.broken,
        wrong=one.wrong,
        seconds=one.seconds,
    )


def tokens(usage: Usage) -> TokenCounts:
    return TokenCounts(prompt=usage.prompt, **asdict(usage))


def bills(one: Counted, factor: float, find: PriceOf = price_of) -> Bills:
    price = find(one.model)
    as_marked, five, hour = (scaled(usage, factor) for usage in one.ways)
    return Bills(
        as_marked=dollars(as_marked, price),
        five_minutes=dollars(five, price),
        one_hour=dollars(hour, price),
        uncached=dollars(uncached(as_marked), price),
    )


def models(
    counted: Sequence[Counted], factors: Factors, find: PriceOf = price_of
) -> tuple[ReplayedModel, ...]:
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


def added(turns: Sequence[ReplayedTurn]) -> ReplayedSum:
    if not turns:
        return ReplayedSum()
    reported = [one.reported for one in turns if one.reported is not None]
    return ReplayedSum(
        requests=len(turns),
        tokens=_sum(TokenCounts, [one.tokens for one in turns]),
        bills=_sum(Bills, [one.bills for one in turns]),
        reported_requests=len(reported),
        reported=_sum(TokenCounts, reported),
        last_tokens=turns[-1].tokens.prompt,
        last_bytes=turns[-1].bytes,
        largest_tokens=max(one.tokens.prompt for one in turns),
        replaced=turns[-1].replaced,
        faults=sum(one.faults for one in turns),
        broken_thinking=sum(one.broken_thinking for one in turns),
        wrong=sum(bool(one.wrong) for one in turns),
        seconds=sum(one.seconds for one in turns),
    )


def _sum(kind: type[R], many: Sequence[R]) -> R:
    """The sum of each field."""
    return kind(**{name: sum(getattr(one, name) for one in many) for name in kind.model_fields})
