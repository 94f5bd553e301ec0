"""The recording at the top of the README can be made again, and shows what it is to show."""

from __future__ import annotations

import pytest

from tests.clients import recording
from tests.clients.harness import Machine

pytestmark = pytest.mark.clients


def test_the_scene_of_the_recording_runs_with_both_agents(machine: Machine) -> None:
    lines = list(recording.scene(machine))
    asked = lines.index('$ opencode run "How do we deploy?"')
    again = lines.index('$ claude -p "Run the tests."')
    assert "> - we deploy with `make ship`." in lines[asked:again]
    assert lines[again + 1].startswith("> This failure was seen before, and ended on ")
    assert max(map(len, lines)) <= recording.COLUMNS
    assert recording.TARGET.read_text("utf-8").count("<text ") == len(list(filter(None, lines)))
