"""What is needed again of what paging removes, beside rules of age at the same share (PX-11).

`python -m tests.bench same_share FILE… [--as NAME] [--rules]`. A rule that removes more is needed
more often, so two rules are comparable only where they remove about as much of the same kinds of
content: rules of age down to the share of `balanced`, and `balanced` with limits that keep as much
as `age-20`.

`--rules` compares `balanced` with other limits for files instead, at both lifetimes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from tests.bench.harness import Row, at_most, report
from wm.api.replay import PolicyShare
from wm.domain.paging.levels import BALANCED, PagingLimits
from wm.domain.paging.stubs import SHORT_CHARS
from wm.ops.paging.policy import PagingPolicy
from wm.replay import report as replaying
from wm.replay.rivals import by_age
from wm.settings import PruningSettings
from wm.wire.policy import Policy

HALF = 0.5
KEEPS = replace(BALANCED, keep=20, collapse=40, newest=40)
"""Removes about as much as `age-20-inputs`."""
RULES = {
    "balanced": BALANCED,
    "files of the last 9 results": replace(BALANCED, hot=9),
    "the newest copy until 40 results": replace(BALANCED, newest=40),
    "the newest copy always": replace(BALANCED, newest=0),
    "and no room for inputs": replace(BALANCED, newest=0, short=SHORT_CHARS),
    "results alone, like age-20": replace(KEEPS, short=10**9, collapse=0),
}
HEAD_TOKENS = 8000


def _paging(limits: PagingLimits) -> PagingPolicy:
    return PagingPolicy(limits, pruning=PruningSettings())


PAIRS: tuple[tuple[tuple[str, Policy], tuple[str, Policy]], ...] = (
    (("balanced", _paging(BALANCED)), ("age-1-inputs", by_age(1, inputs=True))),
    (("balanced-keep-20", _paging(KEEPS)), ("age-20-inputs", by_age(20, inputs=True))),
)


def main(words: Sequence[str]) -> int:
    options = argparse.ArgumentParser()
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--as", dest="model", default="claude-opus-4-8")
    options.add_argument("--rules", action="store_true")
    given = options.parse_args(words)

    def shares_of(policies: Mapping[str, Policy], ttl: str) -> dict[str, PolicyShare]:
        made = replaying.replay(
            given.files,
            clock=time.perf_counter,
            progress=lambda _done, _total: None,
            rivals=policies,
            assumed=replaying.assumptions(given.model, HEAD_TOKENS, ttl),
        )
        return {share.name: share for share in made.compared}

    if given.rules:
        for ttl in ("5m", "1h"):
            found = shares_of({name: _paging(limits) for name, limits in RULES.items()}, ttl)
            report(f"rules for files, {given.model}, {ttl}", [*map(_rule, found.values())])
        return 0
    shares = shares_of({name: policy for pair in PAIRS for name, policy in pair}, "5m")
    rows = [
        row for (ours, _), (theirs, _) in PAIRS for row in _compared(shares[ours], shares[theirs])
    ]
    return 0 if report("needed again at the same share", rows) else 1


def _rule(one: PolicyShare) -> Row:
    bills = f"bill {one.bill:.3f}, long {one.long or 1:.3f}, worst {one.worst:.3f}"
    lines, reads = (1e6 * n / max(1, one.removed_tokens) for n in (one.exact_faults, one.rereads))
    removed = f"{one.removed_tokens / 1e3:.1f}k tokens removed"
    return Row(one.name, f"{bills}; {removed}; {lines:.1f} lines, {reads:.1f} reads per million")


def _compared(ours: PolicyShare, theirs: PolicyShare) -> list[Row]:
    rows = [
        Row(one.name, f"{one.removed_tokens / 1e6:.1f}M tokens removed, bill {one.bill:.3f}")
        for one in (ours, theirs)
    ]
    for what, field in (("by a line", "exact_faults"), ("read again", "rereads")):
        own, other = (
            1e6 * getattr(one, field) / max(1, one.removed_tokens) for one in (ours, theirs)
        )
        note = f"  ({own:.3g} against {other:.3g} per million)"
        value = own / other if other else float(own > 0)
        rows.append(at_most(f"{ours.name}: {what}", value, HALF, f"of {theirs.name}", note))
    return rows
