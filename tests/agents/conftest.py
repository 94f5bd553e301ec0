"""A made-up machine for setup: a home of its own, nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from wm.agents import setup, setup_apply, setup_facts
from wm.agents.hook_lines import WmCommand
from wm.settings import HookSettings, find_agent_paths, find_paths

COMMAND = WmCommand(Path("/home/u/.config/wm/hook.sh"), "/opt/wm/python", "/opt/wm/wm")


@dataclass
class Machine:
    """The paths that setup touches, and setup itself on them."""

    home: Path
    platform: str = "linux"
    python: str = "/opt/wm/python"
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
    def script(self) -> Path:
        return self.home / ".config" / "wm" / "hook.sh"

    @property
    def record(self) -> Path:
        return self.home / ".config" / "wm" / "setup.json"

    def look(self) -> setup_facts.MachineFacts:
        env = self.environment
        agents = find_agent_paths(env)
        command = WmCommand(agents.script, self.python, "/opt/wm/wm")
        return setup_facts.look(agents, find_paths(env), command, HookSettings(), self.platform)

    def setup(self, *agents: str, service: bool = False) -> setup.SetupPlan:
        plan = setup.plan_setup(self.look(), agents=agents, service=service)
        setup_apply.apply(plan, self._run)
        return plan

    def unsetup(self, *agents: str) -> setup.SetupPlan:
        plan = setup.plan_unsetup(self.look(), agents=agents)
        setup_apply.apply(plan, self._run)
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
