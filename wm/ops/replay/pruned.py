"""Pruning at first appearance as a policy, so that its worth is computed by its own rules (PR-1).

Hooks prune before the agent sends an output; here it is done to outputs as they were sent. Only
the results behind the newest answer are looked at, which is where they first appear.
"""

from __future__ import annotations

from typing import Any

from wm.domain.context.pruning.call import Call
from wm.domain.context.pruning.modes import Mode
from wm.domain.context.pruning.prune import prune
from wm.domain.context.pruning.user import UserRules, user_rules
from wm.formats.tool_output import ID_DIGITS
from wm.ops.replay.reads import READERS, SHELLS
from wm.settings import PruningSettings
from wm.wire.body import Block, Body
from wm.wire.history import History
from wm.wire.policy import Decision, Log, Policy

HANDLE = "t_" + "0" * ID_DIGITS
"""As long as the name of a kept output is."""


def pruning(settings: PruningSettings) -> Policy:
    """The policy of these settings, at a calm pressure."""
    rules = user_rules(settings.rules)

    def policy(body: Body, told: History, log: Log) -> tuple[Decision, ...]:
        last = max((n for n, m in enumerate(body.messages) if m.role == "assistant"), default=-1)
        if last < 0:
            return ()
        calls = {str(block.value.get("id", "")): block for block in body.messages[last].blocks}
        found = []
        for number in range(last + 1, len(body.messages)):
            for block, name in zip(
                body.messages[number].blocks, told.lines[number].blocks, strict=True
            ):
                made = calls.get(str(block.value.get("tool_use_id", "")))
                if block.type == "tool_result" and made is not None and name not in log:
                    shorter = _shorter(made, text_of(block.value.get("content")), settings, rules)
                    found += [Decision(name, shorter, "pruned")] if shorter else []
        return tuple(found)

    return policy


def text_of(content: Any) -> str:
    """The text of a result that is nothing else; "" for one with other parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    whole = len(texts) == len(parts) and all(isinstance(text, str) for text in texts)
    return "\n".join(map(str, texts)) if whole else ""


def _shorter(made: Block, output: str, settings: PruningSettings, rules: UserRules | None) -> str:
    value = made.value
    name = str(value.get("name", ""))
    given = value.get("input")
    command = given.get("command") if isinstance(given, dict) else ""
    call = Call(
        tool=_tool(name.lower()),
        name=name,
        command=command if isinstance(command, str) else "",
        output=output,
    )
    cut = prune(call, Mode.NORMAL, settings, rules) if output else None
    return cut.text(HANDLE) if cut else ""


def _tool(name: str) -> str:
    """One of our words for tools."""
    if name in SHELLS:
        return "bash"
    if name in READERS:
        return "read"
    return name if name in ("write", "edit", "grep") else "other"
