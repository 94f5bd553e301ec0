"""The answer about learning in config.toml: one line, and nothing else of the file (EX-7)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.agents.conftest import Machine
from wm.agents import setup, setup_apply
from wm.agents.config_option import LearnOption
from wm.errors import UserError
from wm.settings import load

LINE = 'learn = "inbox"  # chosen in wm setup\n'


def part(mode: str = "inbox") -> LearnOption:
    return LearnOption(agent="learning", path=Path("config.toml"), purpose="", mode=mode)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"[memory]\n{LINE}"),
        ("", f"[memory]\n{LINE}"),
        ("[recall]\nmodel = 'x'\n", f"[recall]\nmodel = 'x'\n\n[memory]\n{LINE}"),
        ("[recall]\nmodel = 'x'", f"[recall]\nmodel = 'x'\n\n[memory]\n{LINE}"),
        ("[memory]\nuser_entries = 3\n[recall]\n", f"[memory]\n{LINE}user_entries = 3\n[recall]\n"),
        ("# mine\n[memory] # here", f"# mine\n[memory] # here\n{LINE}"),
        ("[memory]\nlearn = 'off' # mine\n", f"[memory]\n{LINE}"),
        ("[other]\nlearn = 1\n", f"[other]\nlearn = 1\n\n[memory]\n{LINE}"),
    ],
)
def test_the_line_is_added_and_removed(before: str | None, after: str) -> None:
    raw = None if before is None else before.encode()
    written = part().added_to(raw)
    assert written.decode() == after
    assert part().is_ours(written)
    assert part().is_current(written)
    left = part().without(written, raw)
    if before is None:
        assert left is None
    elif "'off'" not in before:
        assert left is not None
        assert tomllib.loads(left.decode()).get("memory", {}) == tomllib.loads(before).get(
            "memory", {}
        )


@pytest.mark.parametrize("text", ["memory = {user_entries = 1}\n", "memory.user_entries = 1\n"])
def test_a_file_that_cannot_be_extended_is_refused_with_the_line_to_add(text: str) -> None:
    with pytest.raises(UserError) as raised:
        part().added_to(text.encode())
    assert "learn" in raised.value.fix or "not changed" in raised.value.fix


def test_setup_records_the_answer_and_unsetup_takes_it_back(machine: Machine) -> None:
    config = machine.home / ".config" / "wm" / "config.toml"
    before = machine.tree()
    setup_apply.apply(setup.plan_setup(machine.look(), learn="off"), machine._run)
    assert tomllib.loads(config.read_text())["memory"]["learn"] == "off"
    assert setup.is_learning_chosen(machine.look())
    assert setup.plan_setup(machine.look(), learn="off").nothing_to_do
    assert "learning" not in setup.states(machine.look())
    machine.unsetup()
    assert machine.tree() == before


def settings(machine: Machine) -> tuple[str, str]:
    found = load(machine.environment)
    return found.memory.learn, found.learn_set_by


def test_an_installation_from_before_starts_with_the_inbox(machine: Machine) -> None:
    assert settings(machine) == ("active", "default")
    machine.setup()  # as a wm that did not ask
    assert setup.is_from_before(machine.look())
    assert settings(machine) == ("inbox", "upgrade")
    setup_apply.apply(setup.plan_setup(machine.look(), learn="active"), machine._run)
    assert settings(machine) == ("active", "config.toml")
    assert not setup.is_from_before(machine.look())
