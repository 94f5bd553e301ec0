"""Pressure, end to end: it rises through all levels, and the agent is told in its conversation."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.clients.agents import CLAUDE, OPENCODE
from tests.clients.harness import Machine
from tests.clients.scripts import answer, say, script, think, turns
from tests.clients.test_memory import (
    finished,
    mains,
    nothing_refused_or_dropped,
    prefix_only_grows,
)
from tests.clients.upstream import Exchange
from tests.clients.wired import Wired

pytestmark = pytest.mark.clients

PRESSURE = "[wm] Context pressure "
REPORTED = (500_000, 700_000, 850_000, 930_000, 940_000, 945_000)
"""Tokens that the answers report. Of this model's window OpenCode lets 968,000 fit."""
PRINTED = 12_000
"""Characters of each output where nobody reports tokens; 180,000 count as full."""


@pytest.fixture
def wm(machine: Machine) -> Wired:
    wired = Wired(machine)
    wired.setup()
    return wired


def told(exchange: Exchange) -> Counter[str]:
    """How often each level is spoken of in a request."""
    text = exchange.request.text
    return Counter(part.partition(":")[0] for part in text.split(PRESSURE)[1:])


def measured(wm: Wired, session: str) -> dict[str, Any]:
    found = wm.ask("session", "show", session)["pressure"]
    assert isinstance(found, dict)
    return found


def levels(wm: Wired, session: str) -> list[str]:
    """The levels in the order in which the session came to them, from the evidence."""
    records = json.loads(wm.machine.tool("wm", "export", "-o", "-"))["evidence"]
    assert session
    return [r["reasonCodes"][0] for r in records if r["type"] == "pressure_level"]


ALL_LEVELS = ["moderate", "high", "critical"]


def test_opencode_is_prompted_once_when_its_answers_come_to_critical(
    machine: Machine, wm: Wired
) -> None:
    machine.upstream.script = script(
        *turns(
            *(
                answer(
                    think(f"Step {number}."),
                    OPENCODE.shell(f"echo {number}; sleep 0.3"),
                    context_tokens=tokens,
                )
                for number, tokens in enumerate(REPORTED)
            ),
            answer(think("So."), say("Done."), context_tokens=REPORTED[-1]),
            answer(think("Well."), say("Still done."), context_tokens=REPORTED[-1]),
        )
    )
    first = OPENCODE.run(machine, "Work through it.")
    second = OPENCODE.run(machine, "And now?", session=first.session)
    finished(first, second)
    requests = mains(machine, first.session)
    assert told(requests[0]) == {}
    assert told(requests[-1]) == dict.fromkeys(ALL_LEVELS, 1)
    review = [
        message
        for message in requests[-1].request.messages
        if message.get("role") == "user" and f"{PRESSURE}critical" in json.dumps(message)
    ]
    assert len(review) == 1
    assert "What to do now" in json.dumps(review[0])
    found = measured(wm, first.session)
    assert (found["level"], found["basis"], found["limit"], found["interventionsSent"]) == (
        "critical",
        "tokens",
        968_000,
        1,
    )
    assert levels(wm, first.session) == ALL_LEVELS
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)


def test_claude_is_told_once_behind_the_tool_results_when_what_it_read_comes_to_critical(
    machine: Machine, wm: Wired
) -> None:
    command = f"python3 -c \"print(('word ' * 19 + 'end\\n') * {PRINTED // 100})\""
    machine.upstream.script = script(
        *turns(
            *(answer(think(f"Step {n}."), CLAUDE.shell(f"{command} # {n}")) for n in range(17)),
            answer(think("So."), say("Done.")),
            answer(think("Well."), say("Still done.")),
        )
    )
    first = CLAUDE.run(machine, "Work through it.")
    second = CLAUDE.run(machine, "And now?", session=first.session)
    finished(first, second)
    requests = mains(machine, first.session)
    assert told(requests[0]) == {}
    assert told(requests[-1]) == dict.fromkeys(ALL_LEVELS, 1)
    found = measured(wm, first.session)
    assert found["interventionsSent"] == 1
    assert levels(wm, first.session)[:3] == ALL_LEVELS
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)
