"""Collects the facts about agents on this machine, for plans of `wm.agents.setup`. Reads only."""

from __future__ import annotations

import sys
from pathlib import Path

import wm
from wm.agents import setup as wiring
from wm.agents.claude_hooks import installed
from wm.settings import Settings, find_agent_paths

states = wiring.states


def look(settings: Settings) -> wiring.MachineFacts:
    """The facts about this machine that setup needs. Raises UserError."""
    command = installed(sys.executable, Path(wm.__file__).parent)
    return wiring.look(find_agent_paths(), settings.paths, command, settings.hooks, sys.platform)
