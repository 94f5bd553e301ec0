"""The two agents behind one face, so that a scene is written once and played by both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.clients.accounting import Block
from tests.clients.harness import FULL_CONTEXT_TOKENS, Machine, Run
from tests.clients.scripts import Answer, answer, call, say


@dataclass(frozen=True)
class Agent:
    """How one client is run, and how its tools are called."""

    name: str
    run: Callable[..., Run]
    bash: str
    read: str
    edit: str
    path_argument: str
    old_argument: str
    new_argument: str

    def shell(self, command: str) -> Block:
        return call(self.bash, command=command, description=f"Run {command}")

    def look(self, machine: Machine, name: str) -> Block:
        return call(self.read, **{self.path_argument: str(machine.repo / name)})

    def change(self, machine: Machine, name: str, old: str, new: str) -> Block:
        arguments = {
            self.path_argument: str(machine.repo / name),
            self.old_argument: old,
            self.new_argument: new,
        }
        return call(self.edit, **arguments)

    def delegate(self) -> Block:
        explain = {"description": "look", "prompt": "SUBAGENT look around"}
        if self.name == "claude":
            return call("Agent", subagent_type="Explore", run_in_background=False, **explain)
        return call("task", subagent_type="general", **explain)

    def compacts(self) -> Answer:
        """An answer without thinking after which the client compacts by itself."""
        return answer(self.shell("echo long"), context_tokens=FULL_CONTEXT_TOKENS)


CLAUDE = Agent(
    "claude", Machine.run_claude, "Bash", "Read", "Edit", "file_path", "old_string", "new_string"
)
OPENCODE = Agent(
    "opencode", Machine.run_opencode, "bash", "read", "edit", "filePath", "oldString", "newString"
)
BOTH = (CLAUDE, OPENCODE)


def summary(words: str) -> Answer:
    """What the model answers when it is asked to compact."""
    return answer(say(f"<summary>\n## Goal\n{words}\n</summary>"))
