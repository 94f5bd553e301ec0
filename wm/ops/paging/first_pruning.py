"""Prunes a result when it first appears, by the rules of `wm.domain.pruning` (PX-4, PR-1)."""

from __future__ import annotations

from typing import Any

from wm.domain.paging.files import READERS, SHELLS
from wm.domain.pruning.modes import Mode
from wm.domain.pruning.prune import PrunedText, prune
from wm.domain.pruning.tool_call import PrunableCall
from wm.domain.pruning.user_rules import UserRules
from wm.settings import PruningSettings


def pruned(
    tool: str, given: Any, output: str, settings: PruningSettings, rules: UserRules | None
) -> PrunedText | None:
    """The shortened output of a call; None if it stays. tool, given: its name and input."""
    command = given.get("command") if isinstance(given, dict) else ""
    call = PrunableCall(
        tool=_kind(tool.lower()),
        name=tool,
        command=command if isinstance(command, str) else "",
        output=output,
    )
    return prune(call, Mode.NORMAL, settings, rules) if output else None


def _kind(tool: str) -> str:
    """Our word for an agent's tool name."""
    if tool in SHELLS:
        return "bash"
    if tool in READERS:
        return "read"
    return tool if tool in ("write", "edit", "grep") else "other"
