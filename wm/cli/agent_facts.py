"""Collects the facts about agents on this machine, for plans of `wm.agents.setup`. Reads only."""

from __future__ import annotations

import sys
from pathlib import Path

import wm
from wm.agents import setup, setup_facts
from wm.agents.hook_lines import WmCommand
from wm.settings import Settings, find_agent_paths

states = setup.states


def look(settings: Settings) -> setup_facts.MachineFacts:
    """The facts about this machine that setup needs. Raises UserError."""
    agents = find_agent_paths()
    command = WmCommand(agents.script, sys.executable, str(Path(wm.__file__).parent))
    return setup_facts.look(agents, settings.paths, command, settings.hooks, sys.platform)
