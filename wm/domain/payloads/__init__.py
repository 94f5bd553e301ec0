"""Translate the agents' hook payloads into events, and outcomes into the output of a hook.

One adapter per agent, all pure: a `Dialect` of the normaliser, and a module for OpenCode, whose
plugin is ours. An adapter knows names and shapes; it decides nothing about memory. It protects two
rules: an unreadable payload is a one-sentence error for that hook alone (never for the agent's
run); and text for a conversation goes only where the agent keeps it permanently, so that the prompt
prefix is unchanged (EP-1, IF-1…3).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from wm.domain.payloads import claude_code, opencode, tool_results
from wm.domain.payloads.hook_values import HookOutcome, ParsedHook, Reply
from wm.domain.payloads.normaliser import Dialect
from wm.errors import HostError

JSON = "application/json"
PLAIN_TEXT = "text/plain; charset=utf-8"


class Adapter(Protocol):
    """What an agent's module or dialect does."""

    def parse(self, name: str, payload: Any, project: str = "") -> ParsedHook: ...

    def reply(self, name: str, outcome: HookOutcome) -> Reply: ...


DIALECTS = (
    Dialect("claude-code", claude_code.read_result, claude_code.replaced),
    Dialect("codex", tool_results.codex),
    Dialect("copilot", tool_results.copilot, tool_results.copilot_replaced),
    Dialect("cursor", tool_results.cursor),
    Dialect("gemini", tool_results.gemini),
    Dialect("qwen", tool_results.qwen),
)

AGENTS: Mapping[str, Adapter] = {
    "opencode": opencode,
    **{dialect.agent: dialect for dialect in DIALECTS},
}
"""The agent's name in `/v1/hooks/{agent}/{event}`, and its adapter."""

LIMITED = {dialect.agent: dialect.limited for dialect in DIALECTS if dialect.limited}
"""Agents that cut a hook's output at `hooks.context_chars`, and the unit: "chars" or "bytes"."""


def dialect_of(agent: str) -> Dialect:
    """The dialect of an agent that is known to have one."""
    return next(dialect for dialect in DIALECTS if dialect.agent == agent)


def parse(agent: str, name: str, payload: Any, project: str = "") -> ParsedHook:
    """Return the events of one hook call, and what its reply needs.

    project: the folder that the agent was started for, as the hook's client knows it, or "".
    Raises HostError for a payload that cannot be read, and for an unknown agent.
    """
    return _adapter(agent).parse(name, payload, project)


def reply(agent: str, name: str, outcome: HookOutcome) -> tuple[str, str]:
    """Return content type and body of the hook's output; an empty body prints nothing."""
    output = _adapter(agent).reply(name, outcome)
    if isinstance(output, str):
        return PLAIN_TEXT, output
    if output is None:
        return JSON, ""
    return JSON, json.dumps(output, ensure_ascii=False, separators=(",", ":"))


def _adapter(agent: str) -> Adapter:
    found = AGENTS.get(agent)
    if found is None:
        unknown = HostError.of("hooks.unknown_agent", agent=agent, known=", ".join(AGENTS))
        raise unknown.with_status(404, "unknown_agent")
    return found
