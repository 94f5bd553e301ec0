"""A made-up machine for setup: a home of its own, nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from wm.agents import setup
from wm.agents.claude_hooks import WmCommand
from wm.settings import HookSettings, find_agent_paths, find_paths

COMMAND = WmCommand(wm=("/opt/wm/python", "-I", "m.py"), hook=("/opt/wm/python", "h.py"))


@dataclass
class Machine:
    """The paths that setup touches, and setup itself on them."""

    home: Path
    platform: str = "linux"
    command: WmCommand = COMMAND
    ran: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "XDG_RUNTIME_DIR": "/run/user/7", "PATH": "/nowhere"}

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def plugin(self) -> Path:
        return self.home / ".config" / "opencode" / "plugin" / "wm.js"

    @property
    def record(self) -> Path:
        return self.home / ".config" / "wm" / "setup.json"

    def look(self) -> setup.MachineFacts:
        env = self.environment
        return setup.look(
            find_agent_paths(env), find_paths(env), self.command, HookSettings(), self.platform
        )

    def setup(self, *agents: str, service: bool = False) -> setup.SetupPlan:
        plan = setup.plan_setup(self.look(), agents=agents, service=service)
        setup.apply(plan, self._run)
        return plan

    def unsetup(self, *agents: str) -> setup.SetupPlan:
        plan = setup.plan_unsetup(self.look(), agents=agents)
        setup.apply(plan, self._run)
        return plan

    def tree(self) -> dict[str, bytes | None]:
        """Every file and folder below the home."""
        return {
            str(path.relative_to(self.home)): path.read_bytes() if path.is_file() else None
            for path in sorted(self.home.rglob("*"))
        }

    def _run(self, words: object) -> str:
        assert isinstance(words, tuple)
        self.ran.append(words)
        return ""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A home where both agents have been used."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".config" / "opencode").mkdir(parents=True)
    return Machine(tmp_path)
