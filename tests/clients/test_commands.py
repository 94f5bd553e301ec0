"""The commands of wm in the real clients: typed there, kept at once, and no words of the user."""

from __future__ import annotations

import pytest

from tests.clients.harness import Machine, Run
from tests.clients.scripts import answer, say, script, turns
from tests.clients.wired import Wired

pytestmark = pytest.mark.clients

FACT = "we deploy with make ship"


def opencode_command(machine: Machine, name: str, words: str) -> Run:
    program = str(machine.clients.opencode)
    command = [program, "run", "--format", "json", "--command", name, words]
    return machine.run("opencode", command, 60)


def test_remember_and_recall_in_claude_code(machine: Machine, wm: Wired) -> None:
    machine.upstream.script = script(*turns(answer(say("Noted.")), answer(say("make ship."))))
    first = machine.run_claude(f"/wm:remember {FACT}")
    second = machine.run_claude("/wm:recall how do we deploy")
    assert (first.code, second.code) == (0, 0)
    assert wm.texts() == [FACT]
    asked = machine.upstream.of_kind("main", second.session)[0].request.last_user_text
    assert "The query is: how do we deploy" in asked


def test_remember_and_recall_in_opencode(machine: Machine, wm: Wired) -> None:
    machine.upstream.script = script(*turns(answer(say("Noted.")), answer(say("make ship."))))
    first = opencode_command(machine, "wm:remember", FACT)
    second = opencode_command(machine, "wm:recall", "how do we deploy")
    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert wm.texts() == [FACT]
    asked = machine.upstream.of_kind("main", second.session)[0].request.last_user_text
    assert "The query is:" in asked
    assert "how do we deploy" in asked
