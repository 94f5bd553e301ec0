"""What other programs do with old tool results, as policies to compare with (PX-11).

Written from their documentation, with their defaults; each removes from the request as it would be
sent, so what was removed once stays removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from msgspec import Struct

from wm.wire.block import CHARS_PER_TOKEN, Block
from wm.wire.body import Body
from wm.wire.history import ConversationHistory, placed_blocks
from wm.wire.policy import Decision, Log, Moment, Policy, is_step
from wm.wire.rows import estimate

AGE_MIN_CHARS = 500
COMPACTED_TOKENS = 50_000
"""The lowest size at which the service's compaction can be set to begin."""
SUMMARY_TOKENS = 2_000
PRUNE_PROTECTED = 40_000
PRUNE_LEAST = 20_000
PRUNE_TURNS = 2


class _Use(Struct, frozen=True):
    """A tool call with its result, each with its place. message: number of the result's."""

    call: tuple[Block, str] | None
    result: tuple[Block, str]
    message: int

    @property
    def tokens(self) -> int:
        return estimate(self.result[0])


def _uses(body: Body, past: ConversationHistory) -> list[_Use]:
    calls: dict[str, tuple[Block, str]] = {}
    found = []
    for number, block, place in placed_blocks(body, past):
        if block.type == "tool_use":
            calls[block.call] = (block, place)
        elif block.type == "tool_result" and body.messages[number].role == "user":
            found.append(_Use(calls.get(block.call), (block, place), number))
    return found


def _cleared(use: _Use, text: str) -> Decision:
    return Decision(use.result[1], text, "rival")


def _emptied(call: Block, place: str) -> Decision:
    given = call.value.get("input")
    nothing = dict.fromkeys(given) if isinstance(given, dict) else {}
    return Decision(place, json.dumps(nothing), "rival", "input")


def by_age(age: int, *, inputs: bool = False) -> Policy:
    """pichay: every result older than so many turns is paged out, at every request. inputs: so are
    the inputs of calls, which pichay leaves."""

    def policy(
        body: Body, past: ConversationHistory, log: Log, _moment: Moment
    ) -> tuple[Decision, ...]:
        uses = _uses(body, past)
        turns = sorted({use.message for use in uses})
        old = set(turns[:-age])
        gone = [use for use in uses if use.message in old]
        calls = [use.call for use in gone if use.call is not None and inputs]
        found = [
            *(
                _cleared(use, f"[Paged out: {len(use.result[0].raw)} bytes of tool output]")
                for use in gone
                if len(use.result[0].raw) >= AGE_MIN_CHARS
            ),
            *(_emptied(*call) for call in calls if len(call[0].raw) >= AGE_MIN_CHARS),
        ]
        return tuple(one for one in found if one.block not in log)

    return policy


def compacted(
    body: Body, past: ConversationHistory, log: Log, moment: Moment
) -> tuple[Decision, ...]:
    """The service's compaction: a summary takes the place of all steps. Writing it is not
    counted."""
    if moment.prompt <= COMPACTED_TOKENS:
        return ()
    ends = [
        places[-1]
        for number, places in enumerate(past.places)
        if places and is_step(body.messages, number)
    ]
    new = [place for place in ends if place not in log]
    summary = "." * SUMMARY_TOKENS * CHARS_PER_TOKEN
    before = [one for one in log.values() if one.text == summary]
    return (
        *(Decision(one.block, ".", "rival", "step", one.level + 1) for one in before if new),
        *(Decision(p, "." if n else summary, "rival", "step") for n, p in enumerate(new)),
    )


def clear_tool_uses(trigger: int, keep: int, *, least: int = 0, inputs: bool = False) -> Policy:
    """The service's context editing `clear_tool_uses_20250919`: above `trigger` tokens all results
    but the newest `keep` are cleared, if that frees at least `least` tokens. inputs: clear the
    inputs of their calls too."""

    def policy(
        body: Body, past: ConversationHistory, log: Log, moment: Moment
    ) -> tuple[Decision, ...]:
        if moment.prompt <= trigger:
            return ()
        uses = [use for use in _uses(body, past)[:-keep] if use.result[1] not in log]
        freed = sum(use.tokens for use in uses)
        if inputs:
            freed += sum(estimate(use.call[0]) for use in uses if use.call)
        if not uses or freed < least:
            return ()
        found = [_cleared(use, "[cleared to save context]") for use in uses]
        if inputs:
            found += [_emptied(*use.call) for use in uses if use.call]
        return tuple(found)

    return policy


def opencode_prune(
    body: Body, past: ConversationHistory, log: Log, _moment: Moment
) -> tuple[Decision, ...]:
    """OpenCode: after two newer prompts and 40,000 tokens of newer results, older results are
    cleared once they have 20,000 tokens."""
    prompts = [
        number
        for number, message in enumerate(body.messages)
        if message.role == "user" and any(block.type == "text" for block in message.blocks)
    ]
    if len(prompts) < PRUNE_TURNS:
        return ()
    seen, pruned, old = 0, 0, []
    for use in reversed(_uses(body, past)):
        if use.message >= prompts[-PRUNE_TURNS]:
            continue
        if use.result[1] in log:
            break
        seen += use.tokens
        if seen > PRUNE_PROTECTED:
            pruned += use.tokens
            old.append(use)
    if pruned <= PRUNE_LEAST:
        return ()
    return tuple(_cleared(use, "[Old tool result content cleared]") for use in old)


RIVALS: Mapping[str, Policy] = {
    "age-4": by_age(4),
    "age-20": by_age(20),
    "age-4-inputs": by_age(4, inputs=True),
    "age-20-inputs": by_age(20, inputs=True),
    "clear-100k-3": clear_tool_uses(100_000, 3),
    "clear-50k-10": clear_tool_uses(50_000, 10, least=20_000, inputs=True),
    "opencode-prune": opencode_prune,
    "compact-50k": compacted,
}
