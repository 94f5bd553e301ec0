"""What a policy costs beside none, as a share of the bill for input (PX-11).

The answers cost the same under every policy, so they are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.api.replay import PolicyShare, ReplayedSum, ReplayedTurn
from wm.replay.totals import added, by_conversation

LONG_REQUESTS = 100
"""Conversations with more requests are compared apart: there a policy can save most."""


def compared_with(
    name: str, turns: Sequence[ReplayedTurn], old: Sequence[ReplayedTurn], removed_tokens: int
) -> PolicyShare:
    """A policy beside none. turns, old: the same requests with and without it."""
    by_name, were = by_conversation(turns, turns), by_conversation(old, old)
    totals = {key: (added(own), added(were[key])) for key, own in by_name.items()}
    total = (added(turns), added(old))
    long = [pair for pair in totals.values() if pair[0].requests > LONG_REQUESTS]
    return PolicyShare(
        name=name,
        bill=share(*total),
        bill_without_faults=share(*total, faults=False),
        in_blocks=_ratio(*(_in_blocks(one) for one in total)),
        worst=max((share(*pair) for pair in totals.values()), default=1.0),
        highest=max((_highest(own) for own in by_name.values()), default=1.0),
        last=_ratio(
            sum(now.last_tokens for now, _ in totals.values()),
            sum(was.last_tokens for _, was in totals.values()),
        ),
        long=_share_of(long),
        faults=total[0].faults,
        exact_faults=total[0].exact_faults,
        rereads=total[0].rereads,
        removed_tokens=removed_tokens,
    )


def _share_of(pairs: Sequence[tuple[ReplayedSum, ReplayedSum]]) -> float | None:
    if not pairs:
        return None
    return _ratio(sum(_input(now) for now, _ in pairs), sum(_input(was) for _, was in pairs))


def share(now: ReplayedSum, was: ReplayedSum, *, faults: bool = True) -> float:
    """The bill for input as a share of the one without the policy. faults: with their cost."""
    refetch = now.refetch.as_marked if not faults else 0.0
    return _ratio(_input(now) - refetch, _input(was))


def _input(total: ReplayedSum) -> float:
    bills = total.bills
    return bills.as_marked - bills.answers + total.refetch.as_marked


def _in_blocks(total: ReplayedSum) -> float:
    return total.bills.in_blocks - total.bills.answers + total.refetch.in_blocks


def _highest(turns: Sequence[ReplayedTurn]) -> float:
    """The highest share after any request, without faults."""
    now = was = highest = 0.0
    for one in turns:
        plain = one.unmanaged or one.bills
        now += one.bills.as_marked - one.bills.answers
        was += plain.as_marked - plain.answers
        highest = max(highest, _ratio(now, was))
    return highest


def _ratio(now: float, was: float) -> float:
    return now / was if was else 1.0
