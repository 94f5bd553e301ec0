"""What summaries of all that paging removes would cost, beside the bill of the sessions (HM-1).

`python -m tests.bench helper_cost FILE… [--helper NAME] [--as NAME]`. No model is called: the
policy `balanced` runs over recorded sessions, and each removed text that is long enough for a
summary counts as one call that reads it and writes both forms at the length asked for, and one call
for the check. Every fourth summary is audited, which reads its text again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from wm.domain.paging.abstracts import most_chars
from wm.domain.paging.levels import BALANCED
from wm.domain.paging.stubs import handle_of
from wm.ops.helper.asking import prompt
from wm.ops.paging.contents import block_text
from wm.ops.paging.policy import SHORT, PagingPolicy
from wm.replay import report as replaying
from wm.settings import HelperSettings, PruningSettings
from wm.wire.block import CHARS_PER_TOKEN
from wm.wire.body import Body
from wm.wire.history import ConversationHistory
from wm.wire.policy import Decision, Log, Moment
from wm.wire.prices import price_of

FORM_CHARS = 900
"""Losses, questions and JSON around a summary."""
AUDIT_EVERY = 4


class Watched(PagingPolicy):
    """`balanced`, and the texts that it removes, once each."""

    def __init__(self) -> None:
        super().__init__(BALANCED, pruning=PruningSettings())
        self.removed: dict[str, int] = {}

    def __call__(
        self, body: Body, past: ConversationHistory, log: Log, moment: Moment
    ) -> tuple[Decision, ...]:
        new = super().__call__(body, past, log, moment)
        gone = {decision.block for decision in new if decision.level >= SHORT}
        for message, places in zip(body.messages, past.places, strict=True):
            for block, place in zip(message.blocks, places, strict=True):
                if place in gone:
                    text = block_text(block, is_result=block.type == "tool_result")
                    self.removed[handle_of(text)] = len(text)
        return new


def main(words: Sequence[str]) -> int:
    options = argparse.ArgumentParser()
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--helper", default="claude-haiku-4-5")
    options.add_argument("--as", dest="model", default="claude-opus-4-5")
    given = options.parse_args(words)
    policy, limits, price = Watched(), HelperSettings(), price_of(given.helper)
    found = replaying.replay(
        given.files,
        clock=time.perf_counter,
        progress=lambda _done, _all: None,
        rule=policy,
        policy="balanced",
        assumed=replaying.assumptions(given.model, 8_000, ""),
    )
    long = [
        chars
        for chars in policy.removed.values()
        if limits.least_chars <= chars <= limits.read_chars
    ]
    read = written = 0
    for number, chars in enumerate(long):
        forms = most_chars("x" * chars, 1) + most_chars("x" * chars, 2)
        read += len(prompt("summary")) + chars + len(prompt("check")) + forms
        written += forms + 2 * FORM_CHARS
        if number % AUDIT_EVERY == 0:
            read += len(prompt("audit")) + chars + forms + FORM_CHARS
            written += FORM_CHARS
    cost = (read * price.input + written * price.output) / CHARS_PER_TOKEN / 1_000_000
    bill = found.total.bills.as_marked
    print(f"{len(policy.removed):,} texts removed, {len(long):,} of them get a summary")
    print(f"{given.helper}: ${cost:.2f}, sessions as {given.model}: ${bill:.2f}: {cost / bill:.1%}")
    return 0
