"""Add up the figures of replayed requests, and group them by conversation (PX-11).

Computes no cost: `wm.replay.report` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from wm.api.replay import Bills, ReplayedSum, ReplayedTurn, TokenCounts

R = TypeVar("R", TokenCounts, Bills)
T = TypeVar("T")


def by_conversation(turns: Sequence[ReplayedTurn], values: Sequence[T]) -> dict[str, list[T]]:
    """The values of the turns, by conversation."""
    found: dict[str, list[T]] = {}
    for one, value in zip(turns, values, strict=True):
        found.setdefault(one.conversation, []).append(value)
    return found


def added(turns: Sequence[ReplayedTurn]) -> ReplayedSum:
    """The sum of these requests."""
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
        removals=sum(one.replaced for one in turns),
        faults=sum(one.faults for one in turns),
        exact_faults=sum(one.exact_faults for one in turns),
        refetch=_sum(Bills, [one.refetch for one in turns]),
        rereads=sum(one.rereads for one in turns),
        passages=sum(one.passages for one in turns),
        used_passages=sum(one.used_passages for one in turns),
        broken_thinking=sum(one.broken_thinking for one in turns),
        wrong=sum(bool(one.wrong) for one in turns),
        seconds=sum(one.seconds for one in turns),
    )


def _sum(kind: type[R], many: Sequence[R]) -> R:
    """The sum of each field."""
    return kind(**{name: sum(getattr(one, name) for one in many) for name in kind.model_fields})
