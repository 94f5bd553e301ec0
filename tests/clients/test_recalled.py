"""Entries that a message recalls, appended to it in the two real agents (RC-1, EP-1, EP-2)."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.clients.accounting import Block, blocks_of
from tests.clients.agents import BOTH, CLAUDE, OPENCODE, Agent
from tests.clients.harness import Machine
from tests.clients.screen import run_claude_screen
from tests.clients.scripts import Request, answer, call, is_subagent, say, script, think, turns
from tests.clients.test_memory import (
    by_name,
    finished,
    mains,
    nothing_refused_or_dropped,
    prefix_only_grows,
    summaries,
)
from tests.clients.wired import Wired, memory_blocks
from tests.socket_http import OnSocket

pytestmark = pytest.mark.clients

FACT = "Invoices are rounded half to even, because the tax office of Bremen refused half up."
QUESTION = "Look into calc.py first. How is the sum of an invoice rounded?"
AGAIN = "And which tax office refused the other rounding of invoices?"
OTHER = "Who feeds the zebra in the zoo of Antwerp?"
LABEL = "Recalled for this message:"
# What a per-event hook waits for the daemon; an agent goes on without an answer behind it.
DEADLINE_SECONDS = 1.0
PATIENCE_SECONDS = 90.0

# Every import of numpy in this installation waits while the file is there: no index is made. Other
# imports do not wait, as they would for a finder, which holds the lock of all imports.
HOLD = """
import builtins, os, time

plain = builtins.__import__


def delayed(name, *rest, **named):
    end = time.monotonic() + 120
    while name == "numpy" and os.path.exists({hold!r}) and time.monotonic() < end:
        time.sleep(0.01)
    return plain(name, *rest, **named)


builtins.__import__ = delayed
"""
SERVICES = ("ledger", "harbour", "quarry", "beacon", "granary", "foundry", "orchard", "tannery")
SAYINGS = (
    "The {0} service listens on port {1}.",
    "Backups of {0} leave for host store-{1} every night.",
    "Team {0}-{1} is on call for the {0} dashboards.",
    "Feature flags of {0} live in flags/{0}-{1}.toml.",
    "The {0} container needs {1} MB of memory to start.",
    "Metrics of {0} are scraped under the job name {0}_{1}.",
)


@dataclass
class Remembering:
    """A workspace that remembers more than a prompt shows; FACT is among what is left out."""

    machine: Machine
    wired: Wired

    def fill(self) -> None:
        self.machine.tool("wm", "up", "--quiet")
        entries = [{"text": FACT, "type": "project", "importance": "low"}]
        for saying in SAYINGS:
            for service in SERVICES:
                text = saying.format(service, 4100 + 7 * len(entries))
                entries.append({"text": text, "type": "project"})
        with closing(OnSocket(self.wired.socket, PATIENCE_SECONDS)) as link:
            for entry in entries:
                self._keep(link, entry)

    def _keep(self, link: OnSocket, entry: dict[str, Any]) -> None:
        body = json.dumps({"directory": str(self.machine.repo), **entry})
        link.request("POST", "/v1/entries", body, {"content-type": "application/json"})
        answered = link.getresponse()
        content = answered.read()
        assert answered.status == 200, content
        assert json.loads(content)["outcome"] == "promoted", content

    def hold_index(self) -> Path:
        """Nothing can be searched in before the file that is returned is gone."""
        hold = self.machine.root / "hold"
        hold.touch()
        packages = next(self.wired.installation.glob("lib/python*/site-packages"))
        (packages / "hold_numpy.py").write_text(HOLD.format(hold=str(hold)))
        (packages / "hold_numpy.pth").write_text("import hold_numpy\n")
        return hold

    def ask_daemon(self, session: str, message: str) -> tuple[float, bytes]:
        """What Claude Code's hook would receive for a message, and how long that takes."""
        body = {"session_id": session, "prompt": message, "cwd": str(self.machine.repo)}
        with closing(OnSocket(self.wired.socket, PATIENCE_SECONDS)) as link:
            began = time.monotonic()
            link.request("POST", "/v1/hooks/claude-code/UserPromptSubmit", json.dumps(body))
            response = link.getresponse().read()
        return time.monotonic() - began, response

    def have_index(self) -> None:
        """Once a search found it by words, its words are in the daemon's index."""
        found = self.wired.ask("search", "rounded invoices")
        assert found["hits"][0]["entry"]["text"] == FACT


@pytest.fixture
def wired(machine: Machine, wm: Wired) -> Remembering:
    return Remembering(machine, wm)


@pytest.fixture
def full(wired: Remembering) -> Remembering:
    wired.fill()
    wired.have_index()
    return wired


def texts_behind(request: Request, words: str) -> list[str]:
    """The texts between the user's block that holds these words and the model's answer to it."""
    found: list[str] | None = None
    for message in request.messages:
        if message["role"] == "assistant" and found is not None:
            break
        for block in blocks_of(message.get("content")):
            text = str(block.get("text", ""))
            if found is not None:
                found.append(text)
            elif words in text:
                found = []
    return found or []


def shown_once(request: Request) -> bool:
    return request.text.count(FACT) == 1 and request.text.count(LABEL) == 1


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_a_message_recalls_an_omitted_entry_once_and_the_prefix_only_grows(
    machine: Machine, full: Remembering, agent: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(think("Look."), agent.look(machine, "calc.py")),
            answer(think("So."), say("Half to even.")),
            answer(think("Try."), agent.shell("echo two")),
            answer(think("Well."), say("Bremen.")),
            answer(think("Hm."), say("Nobody.")),
        )
    )
    first = agent.run(machine, QUESTION)
    second = agent.run(machine, AGAIN, session=first.session)
    third = agent.run(machine, OTHER, session=first.session)
    finished(first, second, third)
    sent = [x.request for x in mains(machine, first.session)]
    assert len(sent) == 5
    assert FACT not in memory_blocks(sent[0])[0]
    assert [shown_once(request) for request in sent] == [True] * 5
    assert any(FACT in text for text in texts_behind(sent[0], QUESTION))
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_an_unrelated_message_recalls_nothing(
    machine: Machine, full: Remembering, agent: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(think("Try."), agent.shell("echo one")),
            answer(think("So."), say("Nobody knows.")),
            answer(think("Well."), say("Done.")),
        )
    )
    first = agent.run(machine, OTHER)
    second = agent.run(machine, "Please go on then.", session=first.session)
    finished(first, second)
    sent = [x.request for x in mains(machine, first.session)]
    assert [LABEL in request.text for request in sent] == [False] * 3
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)


def ask_subagent(agent: Agent) -> Block:
    """A subagent is asked the very question that the user asked."""
    kind = {"description": "round", "prompt": f"SUBAGENT {QUESTION}"}
    if agent is CLAUDE:
        return call("Agent", subagent_type="Explore", run_in_background=False, **kind)
    return call("task", subagent_type="general", **kind)


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_subagents_titles_and_summaries_get_no_recall_and_a_new_epoch_gets_it_again(
    machine: Machine, full: Remembering, agent: Agent
) -> None:
    machine.upstream.script = script(
        *turns(
            answer(ask_subagent(agent)),
            agent.compacts(),
            answer(say("Half to even.")),
            answer(say("Half to even, as I said.")),
        ),
        *turns(answer(agent.look(machine, "calc.py")), answer(say("Seen.")), when=is_subagent),
        *summaries(),
    )
    first = agent.run(machine, QUESTION)
    second = agent.run(machine, AGAIN, session=first.session)
    finished(first, second)
    asked = machine.upstream.of_kind("subagent")
    assert [QUESTION in x.request.text for x in asked] == [True, True]
    titles = machine.upstream.of_kind("title")
    assert [FACT in x.request.text for x in [*asked, *titles]] == [False] * (2 + len(titles))
    assert len(titles) == (1 if agent is OPENCODE else 0)
    # A summary is written of the conversation, and nothing is put into it besides.
    (summary,) = machine.upstream.of_kind("summary")
    assert summary.request.text.count(FACT) == 1
    *before, after = [x.request for x in mains(machine, first.session)]
    assert [shown_once(request) for request in before[:2]] == [True, True]
    assert any(FACT in text for text in texts_behind(after, AGAIN))
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)


def test_claudes_title_call_gets_no_recall(machine: Machine, full: Remembering) -> None:
    upstream = machine.upstream

    def both_answered() -> bool:
        return bool(upstream.of_kind("title") and upstream.of_kind("main"))

    run_claude_screen(machine, (QUESTION, both_answered))
    assert [shown_once(x.request) for x in upstream.of_kind("main")] == [True]
    assert [FACT in x.request.text for x in upstream.of_kind("title")] == [False]
    nothing_refused_or_dropped(machine)


@pytest.mark.parametrize("agent", BOTH, ids=by_name)
def test_no_message_waits_for_an_index_and_the_next_one_finds_it(
    machine: Machine, wired: Remembering, agent: Agent
) -> None:
    hold = wired.hold_index()
    wired.fill()
    machine.upstream.script = script(
        *turns(answer(think("Hm."), say("I do not know.")), answer(think("Now."), say("Bremen.")))
    )
    first = agent.run(machine, QUESTION)
    waited, response = wired.ask_daemon("another", QUESTION)
    assert waited < DEADLINE_SECONDS
    assert FACT.encode() not in response
    hold.unlink()
    wired.have_index()
    second = agent.run(machine, AGAIN, session=first.session)
    finished(first, second)
    before, after = [x.request for x in mains(machine, first.session)]
    assert FACT not in before.text
    assert shown_once(after)
    assert any(FACT in text for text in texts_behind(after, AGAIN))
    prefix_only_grows(machine, first.session)
    nothing_refused_or_dropped(machine)
