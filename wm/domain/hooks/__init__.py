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
from wm.domain.hooks.parsed import Outcome, Parsed, Reply, Want
from wm.errors import HostError

__all__ = ["AGENTS", "Outcome", "Parsed", "Reply", "Want", "parse", "reply"]

JSON = "application/json"
PLAIN_TEXT = "text/plain; charset=utf-8"


class Adapter(Protocol):
    """What an agent's module offers."""

    def parse(self, name: str, payload: Any, project: str = "") -> Parsed: ...

    def reply(self, name: str, outcome: Outcome) -> Reply: ...


AGENTS: Mapping[str, Adapter] = {"claude-code": claude_code, "opencode": opencode}
"""The word in `/v1/hooks/{agent}/{event}`, and who speaks that agent's language."""


def parse(agent: str, name: str, payload: Any, project: str = "") -> Parsed:
    """The events of one hook call, and what its reply needs.

    project: the folder that the agent was started for, as the hook's client knows it, or "".
    Raises HostError for a payload that cannot be read, and for an agent that we do not know.
    """
    return _adapter(agent).parse(name, payload, project)


def reply(agent: str, name: str, outcome: Outcome) -> tuple[str, str]:
    """Content type and body of what that hook must print; an empty body prints nothing."""
    said = _adapter(agent).reply(name, outcome)
    if isinstance(said, str):
        return PLAIN_TEXT, said
    if said is None:
        return JSON, ""
    return JSON, json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def _adapter(agent: str) -> Adapter:
    found = AGENTS.get(agent)
    if found is None:
        raise HostError(
            f"There are no hooks for an agent called {agent!r}.",
            fix=f"Known are: {', '.join(AGENTS)}.",
            status=404,
            code="unknown_agent",
        )
    return found
