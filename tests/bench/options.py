"""`balanced` with passages, phantom tools and cleanup tags, on recorded sessions.

`python -m tests.bench options FILE… [--as NAME]`. The bill, with faults, is a share of that of the
same sessions without any of them; every request has the tokens of the tools and of the text that
explains the tags. Faults are counted in the answers after an appended text, without passages and
with them. No model is called: `helper_cost` estimates the helper's part.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from tests.bench.harness import Row, at_most, report
from wm.api.replay import ReplayedSum, ReplayReport
from wm.ops.paging.phantoms import tags_text, tools_text
from wm.ops.paging.uncertainty import TURNS
from wm.replay import report as replaying
from wm.wire.block import CHARS_PER_TOKEN

HEAD_TOKENS = 8_000
ADDED_TOKENS = (len(tools_text()) + len(tags_text())) // CHARS_PER_TOKEN
PASSAGE_TOKENS = 450
LONG = 100
GOALS = {"5m": (0.56, 0.47), "1h": (0.61, 0.53)}
"""Lifetime of the cache -> most that all sessions, and those of over `LONG` requests, may cost, in
the model of the cache that the goals were set in (`BLOCKS`)."""
BLOCKS, MARKS = "in_blocks", "as_marked"


def bill(one: ReplayedSum, kind: str) -> float:
    bills = one.bills
    return getattr(bills, kind) - bills.answers + one.refetch.as_marked


def share(found: ReplayReport, plain: ReplayReport, least: int, kind: str) -> float:
    """plain: has the bills without a policy. least: requests of a session that counts."""
    now = was = 0.0
    for one, other in zip(found.conversations, plain.conversations, strict=True):
        if one.sum.requests > least and other.unmanaged is not None:
            now, was = now + bill(one.sum, kind), was + bill(other.unmanaged, kind)
    return now / was


def after(found: ReplayReport, signs: ReplayReport, count: int) -> int:
    """Faults of `found` in so many answers after one of the texts that `signs` appended."""
    left: dict[str, int] = {}
    faults = 0
    for one, sign in zip(found.turns, signs.turns, strict=True):
        rest = left.get(one.conversation, 0)
        faults += one.faults if rest else 0
        left[one.conversation] = count if sign.passages else max(0, rest - 1)
    return faults


def main(words: Sequence[str]) -> int:
    options = argparse.ArgumentParser(prog="python -m tests.bench options", description=__doc__)
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--as", dest="model", default="claude-opus-4-8")
    given = options.parse_args(words)
    met = True
    for ttl, goals in GOALS.items():
        plain, whole = (
            replaying.replay(
                given.files,
                clock=time.perf_counter,
                progress=lambda _done, _all: None,
                policy="balanced",
                passages=passages,
                assumed=replaying.assumptions(given.model, HEAD_TOKENS + more, ttl),
            )
            for passages, more in ((0, 0), (PASSAGE_TOKENS, ADDED_TOKENS))
        )
        rows = []
        for least, goal in zip((0, LONG), goals, strict=True):
            alone, marked = share(plain, plain, least, BLOCKS), share(whole, plain, least, MARKS)
            note = f" (balanced alone {alone:.3f}; with marks {marked:.3f})"
            name = f"sessions of over {least} requests"
            rows.append(at_most(name, share(whole, plain, least, BLOCKS), goal, note=note))
        total, answers = whole.total, len(whole.turns)
        unused = TURNS * (total.passages - total.used_passages) / answers
        note = f", of {total.passages} texts in {answers:,} answers"
        rows.append(at_most(f"unused texts in {TURNS} answers", unused, 1.0, "", note))
        for count in (3, 20, answers):
            faults = f"{after(plain, whole, count)} -> {after(whole, whole, count)}"
            rows.append(Row(f"faults within {count:,} answers after a text", faults))
        met &= report(f"{ttl}, {ADDED_TOKENS} tokens more in each request", rows)
    return 0 if met else 1
