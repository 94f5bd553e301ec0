"""`wm models helper` and the helper's row of `wm status`."""

from __future__ import annotations

import pytest

from tests.cli.terminal import Terminal
from tests.docs.schemas import validate_printed


def configured(terminal: Terminal, text: str) -> Terminal:
    folder = terminal.home / ".config" / "wm"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(f"[helper]\n{text}\n")
    return terminal


def test_without_a_model_it_says_so_and_status_is_silent(terminal: Terminal) -> None:
    said = terminal.wm("models", "helper")
    assert (said.code, said.out) == (
        0,
        "No helper model: `helper.model` in config.toml names one.\n",
    )
    validate_printed("models helper", terminal.wm("models", "helper", "--json").json)
    assert "helper" not in terminal.wm("status", "--json").json


def test_another_machine_is_agreed_to_once(terminal: Terminal) -> None:
    configured(terminal, 'model = "anthropic/claude-haiku-4-5"')
    before = terminal.wm("models", "helper")
    assert before.code == 1
    assert "api.anthropic.com" in before.out
    assert "about $0.52 for 200 turns" in " ".join(before.out.split())
    assert "are sent to api.anthropic.com" in before.sentences
    assert before.out.count("api.anthropic.com\n") == 1
    assert before.sentences.endswith("It is not used: `wm models helper --yes` agrees.")
    assert "is not used: `wm models helper`" in " ".join(terminal.wm("status").out.split())
    agreed = terminal.wm("models", "helper", "--yes", "--json")
    assert (agreed.code, agreed.json["host"], agreed.json["reason"]) == (0, "api.anthropic.com", "")
    validate_printed("models helper", agreed.json)
    validate_printed("status", terminal.wm("status", "--json").json)
    assert "nothing today" in terminal.wm("status").out
    assert terminal.wm("models", "helper").code == 0


def test_a_model_on_this_machine_needs_no_agreement(terminal: Terminal) -> None:
    configured(terminal, 'model = "ollama/qwen2.5:3b"')
    said = terminal.wm("models", "helper")
    assert (said.code, "this machine" in said.out, said.err) == (0, True, "")


@pytest.mark.parametrize("value", ['"gpt-5"', '"anthropic/"', "5"])
def test_a_model_without_a_provider_is_refused_with_the_fix(terminal: Terminal, value: str) -> None:
    configured(terminal, f"model = {value}")
    said = terminal.wm("config").sentences + terminal.wm("config").out
    assert 'Write "anthropic/NAME", "ollama/NAME"' in " ".join(said.split())
