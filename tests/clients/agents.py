"""The agents behind one face, so that a scene is written once and played by each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.clients.accounting import Block
from tests.clients.harness import FULL_CONTEXT_TOKENS, Machine, Run
from tests.clients.scripts import Answer, answer, call, say


@dataclass(frozen=True)
class Agent:
    """How one client is run, and how its tools are called. An agent without a tool for files reads
    and changes them in the shell."""

    name: str
    run: Callable[..., Run]
    bash: str
    read: str = ""
    edit: str = ""
    path_argument: str = ""
    old_argument: str = ""
    new_argument: str = ""
    command_argument: str = "command"

    def shell(self, command: str) -> Block:
        explain: dict[str, object] = {"description": f"Run {command}"}
        if self.name == "qwen":
            explain["is_background"] = False
        return call(self.bash, **{self.command_argument: command}, **explain)

    def look(self, machine: Machine, name: str) -> Block:
        if not self.read:
            return self.shell(f"cat {name}")
        return call(self.read, **{self.path_argument: str(machine.repo / name)})

    def change(self, machine: Machine, name: str, old: str, new: str) -> Block:
        if not self.edit:
            return self.shell(f"sed -i 's/{old}/{new}/' {name}")
        arguments = {
            self.path_argument: str(machine.repo / name),
            self.old_argument: old,
            self.new_argument: new,
        }
        explain = {"instruction": f"Replace {old}"} if self.name == "gemini" else {}
        return call(self.edit, **arguments, **explain)

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
