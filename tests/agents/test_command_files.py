"""The commands of both agents: installed, removed, and no words of the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.conftest import Machine
from wm.agents import setup
from wm.agents.command_files import NAMES, commands
from wm.api import tools
from wm.domain.memory.echo_guard import without_injected

FOREIGN = b"---\ndescription: mine\n---\nSay hello.\n"


def folder(machine: Machine) -> Path:
    return machine.home / ".claude" / "commands" / "wm"


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_command_is_not_a_text_of_the_user(name: str) -> None:
    (one,) = (c for c in commands() if c.name == name)
    assert one.description
    typed = without_injected(one.template.replace("$ARGUMENTS", "we deploy with make ship"))
    assert typed.strip() == ("Remember: we deploy with make ship" if name == "remember" else "")


def test_setup_writes_the_commands_and_unsetup_removes_them(machine: Machine) -> None:
    machine.setup()
    assert {p.stem: p.read_bytes() for p in folder(machine).iterdir()} == {
        one.name: one.raw for one in commands()
    }
    line = next(x for x in machine.plugin.read_text().splitlines() if "const COMMANDS" in x)
    assert line == "const COMMANDS = {"
    machine.unsetup()
    assert not folder(machine).exists()


def test_a_command_of_the_user_with_the_same_name_stays(machine: Machine) -> None:
    folder(machine).mkdir(parents=True)
    own = folder(machine) / "recap.md"
    own.write_bytes(FOREIGN)
    machine.setup()
    assert own.read_bytes() == FOREIGN
    assert "recap.md is not a file of wm" in setup.remarks(machine.look())["claude-code"]
    assert machine.setup().nothing_to_do
    machine.unsetup()
    assert own.read_bytes() == FOREIGN
    assert [p.name for p in folder(machine).iterdir()] == ["recap.md"]


def test_an_installation_without_the_commands_is_refreshed(machine: Machine) -> None:
    machine.setup()
    (folder(machine) / "inbox.md").unlink()
    assert setup.states(machine.look())["claude-code"] == setup.STALE
    machine.setup()
    assert (folder(machine) / "inbox.md").exists()
    assert setup.states(machine.look())["claude-code"] == setup.CURRENT


def test_the_plugin_of_opencode_has_the_same_commands(machine: Machine) -> None:
    machine.setup()
    text = machine.plugin.read_text()
    begin = text.index("const COMMANDS = ") + len("const COMMANDS = ")
    found, _ = json.JSONDecoder().raw_decode(text[begin:])
    assert found == {
        f"wm:{one.name}": {"template": one.template, "description": one.description}
        for one in commands()
    }


def test_the_sentence_that_says_when_to_remember_is_part_of_the_tool() -> None:
    tool = tools.find("remember")
    assert tool is not None
    assert (
        "Call it when the user states or confirms a rule, a choice or a lasting fact that your "
        "prompt does not show."
    ) in tool.description
