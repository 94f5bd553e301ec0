"""The data of the page's charts. Pure: values in, plain JSON out; `charts.js` draws it with uPlot.

A chart is {kind: lines | bars, x: [...], time: whether x are seconds, unit, series: [...]}. A
series has a label, values (null: no point) and the name of its colour in the style sheet. borders:
where on the x axis a dashed line divides it. at: the point whose values are shown; else the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import accumulate, pairwise
from typing import Any

from wm.api.context import ExchangeCost
from wm.api.diag import Explanation
from wm.api.replay import ReplayedTurn, TokenCounts
from wm.domain.times import parse

MOST_BARS = 240
"""Requests that a chart shows one by one; of more, each bar is the largest of its neighbours."""

CACHE_PARTS = (("from the cache", "read"), ("written to it", "write"), ("not cached", "new"))


def strength_chart(explanation: Explanation, now: datetime) -> dict[str, Any]:
    """The strength of an entry until now, and as it fades on."""
    moments = [(at.timestamp(), p.strength) for p in explanation.course if (at := parse(p.at))]
    present = now.timestamp()
    past = [value if at <= present + 60 else None for at, value in moments]
    ahead = [value if at >= present - 60 else None for at, value in moments]
    return {
        "kind": "lines",
        "time": True,
        "unit": "",
        "at": sum(at <= present + 60 for at, _ in moments) - 1,
        "borders": [round(present)],
        "x": [round(at) for at, _ in moments],
        "series": [
            {"label": "strength", "colour": "main", "values": past},
            {"label": "if nothing happens", "colour": "main", "dashed": True, "values": ahead},
        ],
    }


def _token_bars(counts: Sequence[TokenCounts]) -> dict[str, Any]:
    size = -(-len(counts) // MOST_BARS) or 1
    starts = range(0, len(counts), size)
    shown = [max(counts[at : at + size], key=lambda one: one.prompt) for at in starts]
    parts = [(one.cache_read, one.cache_write, one.input) for one in shown]
    return {
        "kind": "bars",
        "time": False,
        "unit": "tokens",
        "x": [at + 1 for at in starts],
        "series": [
            {"label": label, "colour": colour, "values": [part[number] for part in parts]}
            for number, (label, colour) in enumerate(CACHE_PARTS)
        ],
    }


def _bill_lines(rows: Sequence[tuple[str, str, Sequence[float]]]) -> dict[str, Any]:
    """Sums of dollars, request by request. rows: label, colour, dollars of each request."""
    count = len(rows[0][2])
    return {
        "kind": "lines",
        "time": False,
        "unit": "usd",
        "x": list(range(count + 1)),
        "series": [
            {
                "label": label,
                "colour": colour,
                "dashed": colour == "soft",
                "values": [round(value, 5) for value in accumulate(dollars, initial=0.0)],
            }
            for label, colour, dollars in rows
        ],
    }


def context_chart(exchanges: Sequence[ExchangeCost]) -> dict[str, Any]:
    """The tokens that each main request of a session read."""
    return _token_bars([one.tokens for one in exchanges if one.call == "main"])


def cost_chart(exchanges: Sequence[ExchangeCost]) -> dict[str, Any]:
    """The bill of a session so far, and without a cache."""
    rows = (
        ("without a cache", "soft", [one.uncached for one in exchanges]),
        ("as it was", "main", [one.bill for one in exchanges]),
    )
    return _bill_lines(rows)


def replay_tokens_chart(turns: Sequence[ReplayedTurn]) -> dict[str, Any]:
    return {**_token_bars([one.tokens for one in turns]), "borders": _borders(turns)}


def _borders(turns: Sequence[ReplayedTurn]) -> list[float]:
    pairs = enumerate(pairwise(turns), start=1)
    return [at + 0.5 for at, (one, next_one) in pairs if one.conversation != next_one.conversation]


def replay_bill_chart(turns: Sequence[ReplayedTurn]) -> dict[str, Any]:
    """The bill of a replay. With a policy beside the one without it: the distance is the credit."""
    bills = [one.bills.as_marked for one in turns]
    if any(one.unmanaged is not None for one in turns):
        before = [(one.unmanaged or one.bills).as_marked for one in turns]
        return _bill_lines(
            (("without the policy", "soft", before), ("with the policy", "main", bills))
        )
    bare = [one.bills.uncached for one in turns]
    return _bill_lines((("without a cache", "soft", bare), ("with the cache", "main", bills)))
