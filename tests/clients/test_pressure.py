"""Pressure, end to end: it rises through all levels, and the agent gets notices."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.clients.agents import CLAUDE, OPENCODE
from tests.clients.harness import Machine
from tests.clients.screen import run_claude_screen
from tests.clients.scripts import Answer, answer, say, script, think, turns
from tests.clients.test_memory import finished, mains, nothing_refused_or_dropped, prefix_only_grows
from tests.clients.upstream import Exchange
from tests.clients.wired import Wired, wait_for

pytestmark = pytest.mark.clients

PRESSURE = "[wm] Context pressure "
REPORTED = (500_000, 700_000, 850_000, 930_000, 940_000, 945_000)
"""Tokens that the answers report. Of this model's window OpenCode lets 968,000 fit."""
PRINTED = 12_000
"""Characters of each output where no client reports tokens; 180,000 count as full."""


def level_counts(exchange: Exchange) -> Counter[str]:
    """How often each level is spoken of in a request."""
    text = exchange.request.text
    return Counter(part.partition(":")[0] for part in text.split(PRESSURE)[1:])


def measured(wm: Wired, session: str) -> dict[str, Any]:
    found = wm.ask("session", "show", session)["pressure"]
    assert isinstance(found, dict)
    return found


def levels(wm: Wired) -> list[str]:
    """The levels in the order in which the only session came to them, from the evidence."""
    records = json.loads(wm.machine.tool("wm", "export", "-o", "-"))["evidence"]
    return [r["reasonCodes"][0] for r in records if r["type"] == "pressure_level"]


ALL_LEVELS = ["moderate", "high", "critical"]


def test_opencode_gets_one_review_when_its_answers_reach_critical(
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
    assert level_counts(requests[0]) == {}
    assert level_counts(requests[-1]) == dict.fromkeys(ALL_LEVELS, 1)
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
    assert levels(wm) == ALL_LEVELS
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)


def test_claude_gets_one_review_after_tool_results_when_its_reads_reach_critical(
    machine: Machine, wm: Wired
) -> None:
    # Too few lines to be cut.
    command = f"python3 -c \"print(('word ' * 239 + 'end\\n') * {PRINTED // 1200})\""
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
    assert level_counts(requests[0]) == {}
    assert level_counts(requests[-1]) == dict.fromkeys(ALL_LEVELS, 1)
    found = measured(wm, first.session)
    assert found["interventionsSent"] == 1
    assert levels(wm)[:3] == ALL_LEVELS
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)


def test_claudes_status_line_measures_and_the_next_tool_result_warns(
    machine: Machine, wm: Wired
) -> None:
    def reached(level: str) -> Callable[[], None]:
        return lambda: wait_for(level, lambda: level in levels(wm))

    def step(name: str, tokens: int, after: str = "") -> Answer:
        blocks = (think(f"Look at {name}."), CLAUDE.look(machine, name))
        return Answer(blocks, tokens, before=reached(after) if after else None)

    machine.upstream.script = script(
        *turns(
            step("calc.py", 700_000),
            step("check.py", 850_000, after="moderate"),
            step("test_calc.py", 930_000, after="high"),
            step("Makefile", 935_000, after="critical"),
            answer(think("So."), say("Done."), context_tokens=936_000),
        )
    )
    upstream = machine.upstream
    run_claude_screen(machine, ("Read it all.", lambda: len(upstream.of_kind("main")) == 5))
    requests = upstream.of_kind("main")
    assert level_counts(requests[0]) == {}
    assert level_counts(requests[-1]) == dict.fromkeys(ALL_LEVELS, 1)
    found = measured(wm, requests[0].request.session)
    assert (found["source"], found["limit"], found["interventionsSent"]) == (
        "statusline",
        967_000,
        1,
    )
    assert levels(wm) == ALL_LEVELS
    assert not upstream.of_kind("summary")
    prefix_only_grows(machine, requests[0].request.session)
    nothing_refused_or_dropped(machine)


def test_after_a_compaction_opencodes_next_rise_is_reported(machine: Machine, wm: Wired) -> None:
    def step(number: int, tokens: int) -> Answer:
        shell = OPENCODE.shell(f"echo {number}; sleep 0.3")
        return answer(think(f"Step {number}."), shell, context_tokens=tokens)

    machine.upstream.script = script(
        *turns(
            *(step(n, tokens) for n, tokens in enumerate((930_000, 940_000))),
            OPENCODE.compacts(),
            *(step(n, tokens) for n, tokens in enumerate((500_000, 930_000, 940_000))),
            answer(think("So."), say("Done."), context_tokens=945_000),
            answer(think("Well."), say("Still done."), context_tokens=946_000),
        )
    )
    first = OPENCODE.run(machine, "Work through it.")
    second = OPENCODE.run(machine, "And now?", session=first.session)
    finished(first, second)
    assert machine.upstream.of_kind("summary", first.session)
    found = measured(wm, first.session)
    assert (found["level"], found["interventionsSent"], found["warningsSent"]) == ("critical", 2, 0)
    assert levels(wm) == ["critical", "safe", "critical"]
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)
