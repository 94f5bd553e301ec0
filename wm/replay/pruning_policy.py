"""Pruning at first appearance as a replay policy, computed by the pruning rules themselves (PR-1).

Hooks prune before the agent sends an output; this policy prunes outputs as they were sent. Only
the results after the newest answer are considered, because there they appear first.
"""

from __future__ import annotations

from wm.domain.pruning.user_rules import UserRules, user_rules
from wm.formats.tool_output import ID_DIGITS
from wm.ops.paging.first_pruning import pruned
from wm.settings import PruningSettings
from wm.wire.block import Block
from wm.wire.body import Body
from wm.wire.history import ConversationHistory
from wm.wire.policy import Decision, Log, Moment, Policy, result_text

HANDLE = "t_" + "0" * ID_DIGITS
"""As long as a real handle of a kept output."""


def pruning(settings: PruningSettings) -> Policy:
    """The policy for these settings at the lowest pressure."""
    rules = user_rules(settings.rules)

    def policy(
        body: Body, conversation: ConversationHistory, log: Log, _moment: Moment
    ) -> tuple[Decision, ...]:
        last = max((n for n, m in enumerate(body.messages) if m.role == "assistant"), default=-1)
        if last < 0:
            return ()
        calls = {block.call: block for block in body.messages[last].blocks}
        found = []
        for number in range(last + 1, len(body.messages)):
            for block, name in zip(
                body.messages[number].blocks, conversation.places[number], strict=True
            ):
                made = calls.get(block.call)
                if block.type == "tool_result" and made is not None and name not in log:
                    shorter = _shorter(
                        made, result_text(block.value.get("content")), settings, rules
                    )
                    found += [Decision(name, shorter, "pruned")] if shorter else []
        return tuple(found)

    return policy


def _shorter(made: Block, output: str, settings: PruningSettings, rules: UserRules | None) -> str:
    name, given = str(made.value.get("name", "")), made.value.get("input")
    cut = pruned(name, given, output, settings, rules)
    return cut.text(HANDLE) if cut else ""
