"""Types of memory of a person's own, from config.toml (IF-8)."""

from __future__ import annotations

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_broken_config import write

CONFIG = """
[memory.type_caps]
runbook = 1

[memory.type_weights]
runbook = 3.0
"""
DRAIN = "Drain the queue before the workers are restarted."
ROTATE = "Rotate the signing keys in the vault, then restart the gateway."


@pytest.fixture
def configured(terminal: Terminal) -> Terminal:
    write(terminal, CONFIG)
    return terminal


def types(user: Terminal) -> dict[str, str]:
    entries = user.wm("inspect", "--json").json["entries"]
    return {one["entry"]["text"]: one["entry"]["type"] for one in entries}


def test_a_type_of_the_configuration_can_be_given_edited_filtered_and_shown(
    configured: Terminal,
) -> None:
    user = configured
    assert user.wm("remember", "--type", "runbook", DRAIN).code == 0
    assert user.wm("remember", ROTATE).code == 0
    entry = next(e for e in user.wm("inspect", "--json").json["entries"] if ROTATE in str(e))
    assert user.wm("edit", entry["entry"]["id"], "--type", "runbook").code == 0
    assert types(user) == {DRAIN: "runbook", ROTATE: "runbook"}
    assert len(user.wm("inspect", "--type", "runbook", "--json").json["entries"]) == 2
    assert user.wm("search", "queue", "--type", "runbook", "--json").json["hits"]
    assert user.wm("inspect", "--json").json["shownEntries"] == 2


def test_a_wrong_type_is_a_usage_error_that_names_the_known_ones(configured: Terminal) -> None:
    said = configured.wm("remember", "--type", "opinion", DRAIN)
    assert said.code == 2
    assert "reference" in said.err
