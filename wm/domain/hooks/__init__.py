"""Translate the agents' own hook payloads into events, and outcomes into what a hook prints.

One adapter per agent, all pure. An adapter knows names and shapes; it decides nothing about
memory. It protects two rules: a payload that we cannot read is an error of one sentence for
that hook alone (never of the agent's run), and what we put into a conversation goes only
where the agent keeps it for good, so that the prefix stays what it was (EP-1, IF-1…3).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from wm.domain.hooks import claude_code, opencode
from wm.domain.hooks.parsed import Block, Outcome, Parsed, Reply, Want
from wm.errors import HostError
from wm.formats.protocol import HookAnswer

__all__ = ["AGENTS", "Block", "Outcome", "Parsed", "Reply", "Want", "adapter", "printed"]


class Adapter(Protocol):
    """What an agent's module offers."""

    def parse(self, name: str, payload: Mapping[str, Any]) -> Parsed:
        """The events of one hook call. Raises HostError for a payload that cannot be read."""

    def reply(self, name: str, outcome: Outcome) -> Reply:
        """What that hook must print or hand back; None: nothing at all."""


AGENTS: Mapping[str, Adapter] = {"claude-code": claude_code, "opencode": opencode}
"""The word in `/v1/hooks/{agent}/{event}`, and who speaks that agent's language."""


def adapter(agent: str) -> Adapter:
    """The adapter of an agent. Raises HostError (404) for one that we do not know."""
    found = AGENTS.get(agent)
    if found is None:
        raise HostError(
            f"There are no hooks for an agent called {agent!r}.",
            fix=f"Known are: {', '.join(AGENTS)}.",
            status=404,
            code="unknown_agent",
        )
    return found


def printed(reply: Reply) -> HookAnswer:
    """The bytes of a reply: JSON for an object, plain text for a string, empty for None."""
    if reply is None:
        return HookAnswer(body="")
    if isinstance(reply, str):
        return HookAnswer(content_type="text/plain; charset=utf-8", body=reply)
    return HookAnswer(body=json.dumps(reply, ensure_ascii=False, separators=(",", ":")))
