"""200 turns of each real client with paging on: nothing is refused, and the bill is the predicted.

The upstream binds thinking to its prefix. The client resumes, forks, rewinds, compacts, starts a
subagent, changes its model and rests until its cache has expired; each run has a proxy of its own,
so each begins from the ledger.
"""

from __future__ import annotations

import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

import pytest

from tests.clients.accounting import LIFETIMES_S, blocks_of, canonical
from tests.clients.agents import CLAUDE, OPENCODE, Agent, summary
from tests.clients.harness import FULL_CONTEXT_TOKENS, MODEL, Machine, Run
from tests.clients.scripts import (
    Answer,
    always,
    answer,
    is_subagent,
    is_summary,
    say,
    script,
    think,
    turns,
)
from tests.clients.upstream import Exchange
from tests.clients.wired import Wired
from wm.formats.ledger import LedgerBill, LedgerRecord
from wm.ops.local import open_runtime
from wm.settings.load import load
from wm.store import identity
from wm.store.paths import sid

pytestmark = pytest.mark.clients

REST_S = LIFETIMES_S["5m"] + 5.0
READ, WRITE = 0.05, 1.25
"""Prices of both models, as multiples of their input price."""
OTHER_MODELS = {"claude": "claude-sonnet-5-5", "opencode": "anthropic/claude-fable-5-1"}
"""With Fable, Claude Code takes back what it added to the end of the request before, and so moves
the prefix of the thinking itself."""
REPORT = """import random, sys

number = int(sys.argv[1])
chance = random.Random(number)
words = "berth ferry crew tide rope cargo gale pilot quay winch hull mast buoy chart".split()
for line in range(70):
    said = " ".join(chance.choices(words, k=chance.randint(4, 14)))
    print(chance.choice(["-", "*", "def", "the", "if"]), said, chance.randint(1, 99999))
print(f"berth_{number}_code = {number * 7919 % 100_000:05d}")
"""


@dataclass
class Task:
    """A client that works in runs, each behind a proxy that pages."""

    machine: Machine
    agent: Agent
    policy: str = "balanced"
    steps: int = 0
    runs: list[Run] = field(default_factory=list)

    def answers(self, count: int) -> list[Answer]:
        """So many steps, each with a long output; a file is read and changed now and then."""
        made = []
        for _ in range(count):
            self.steps += 1
            act = self.agent.shell(f"python3 report.py {self.steps}")
            if self.steps % 9 == 4:
                act = self.agent.look(self.machine, "report.py")
            made.append(answer(think(f"Step {self.steps}."), act))
        return made

    def works(self, count: int, *more: Answer, words: Sequence[str] = (), session: str = "") -> str:
        """One run of so many steps; the id of its session."""
        script_ = self.machine.upstream.script
        script_.rules[:0] = turns(*self.answers(count), *more, answer(say("Done.")))
        run = self._run([*words, f"Go on from {self.steps}."], session)
        assert run.code == 0, run.out + run.err
        assert script_.unused == [], f"{len(script_.unused)} answers were not asked for"
        script_.rules[:] = [rule for rule in script_.rules if rule.times]
        return run.session

    def _run(self, words: Sequence[str], session: str) -> Run:
        clients, resumed = self.machine.clients, [session] if session else []
        if self.agent is CLAUDE:
            line = [str(clients.claude), "-p", "--output-format", "json"]
            line += ["--allowedTools", "Bash,Read,Agent"]
            line += [] if "--model" in words else ["--model", MODEL]
            line += [part for name in resumed for part in ("--resume", name)]
        else:
            line = [str(clients.opencode), "run", "--format", "json"]
            line += [part for name in resumed for part in ("--session", name)]
        wm = ["wm", "run", "--quiet", "--policy", self.policy, "--"]
        return self.machine.run(self.agent.name, [*wm, *line, *words], 300.0)

    def compacts(self, session: str) -> Run:
        """The user's own `/compact`."""
        return self._run(["/compact"], session)

    def rewinds(self, session: str, steps: int) -> None:
        """Takes the last steps back, as the button of OpenCode's programs does."""
        line = [str(self.machine.clients.opencode), "serve"]
        with subprocess.Popen(
            line,
            cwd=self.machine.repo,
            env=self.machine.environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            assert server.stdout is not None
            url = next(said.split()[-1] for said in server.stdout if "listening on" in said)
            place = f"{url}/session/{session}"
            with urllib.request.urlopen(f"{place}/message") as answered:
                answers = [m for m in json.load(answered) if m["info"]["role"] == "assistant"]
            body = json.dumps({"messageID": answers[-steps]["info"]["id"]}).encode()
            json_ = {"content-type": "application/json"}
            urllib.request.urlopen(urllib.request.Request(f"{place}/revert", body, json_)).close()
            server.terminate()

    def records(self, session: str) -> list[LedgerRecord]:
        store = open_runtime(load(self.machine.environment)).store
        return list(store.ledger(identity.key_of(str(self.machine.repo)), sid(session)))


@pytest.mark.parametrize("agent", [CLAUDE, OPENCODE], ids=lambda agent: agent.name)
def test_200_turns(machine: Machine, agent: Agent) -> None:
    (machine.repo / "report.py").write_text(REPORT)
    machine.upstream.script = script(
        always(is_summary, summary("Go on with the reports.")),
        always(is_subagent, answer(say("Seen."))),
    )
    Wired(machine).setup()
    task = Task(machine, agent)
    is_claude = agent is CLAUDE
    model = ("--model", OTHER_MODELS[agent.name])
    first = task.works(40)
    task.works(30, answer(think("Ask."), agent.delegate()), session=first)
    task.works(25, words=model, session=first)
    forked = task.works(25, words=["--fork-session" if is_claude else "--fork"], session=first)
    assert forked != first
    task.works(25, session=first)
    time.sleep(REST_S)
    task.works(20, session=first)
    if is_claude:
        middle = answers_of(machine, first)[-20]
        task.works(20, words=["--resume-session-at", middle], session=first)
        assert task.compacts(first).code == 0
    else:
        task.rewinds(first, 20)
        task.works(20, session=first)
        task.works(1, agent.compacts(), *task.answers(25), session=first)
    task.works(30, session=first)
    assert machine.upstream.refused == []
    assert len(machine.upstream.of_kind("main")) > 200
    judge(machine.upstream.exchanges, task, first, is_long=True)
    judge(machine.upstream.exchanges, task, forked, is_long=False)


def answers_of(machine: Machine, session: str) -> list[str]:
    """The ids of the model's messages in the transcript of Claude Code."""
    (path,) = machine.home.glob(f".claude/projects/*/{session}.jsonl")
    lines = map(json.loads, path.read_text().splitlines())
    return [line["uuid"] for line in lines if line.get("type") == "assistant"]


def judge(exchanges: Sequence[Exchange], task: Task, session: str, *, is_long: bool) -> None:
    """Each answered request is in the ledger; what the cache holds of it shrinks, and thinking is
    dropped, at cuts only; the service's bill is the predicted one."""
    records = task.records(session)
    cuts = {one.request for one in records if is_cut(one)}
    of_session = [
        one
        for one in exchanges
        if one.request.session == session
        and one.usage is not None
        and one.kind in ("main", "summary")
    ]
    own = [one for one in of_session if one.kind == "main"]
    pairs = list(matched(own, [one for one in records if one.kind == "sent"]))
    assert len(pairs) == len(own)
    for (before, _), (now, record) in pairwise(pairs):
        assert before.usage is not None
        assert now.usage is not None
        is_same = before.request.body["model"] == now.request.body["model"]
        if record.request not in cuts and is_same and continues(now, of_session):
            assert now.usage.cache_read >= before.usage.cache_read, (
                f"{record.request}: of the client's own request {record.plain}, expected "
                f"{record.predicted}, reported {record.reported}"
            )
            assert set(now.dropped) <= set(before.dropped)
    compared = [
        one
        for _, one in pairs
        if one.predicted is not None
        and one.reported is not None
        and one.reported.written < FULL_CONTEXT_TOKENS / 2  # else the answer only says so
    ]
    assert len(compared) > 0.9 * len(pairs)
    predicted, reported, plain = (
        sum(cost(getattr(one, name)) for one in compared)
        for name in ("predicted", "reported", "plain")
    )
    print(f"{len(pairs)} requests, {predicted / reported:.3f} of the bill predicted")
    print(f"the bill is {reported / plain:.3f} of that without paging")
    assert predicted == pytest.approx(reported, rel=0.02)
    assert reported < 1.02 * plain
    if is_long:
        assert reported < 0.7 * plain


def continues(now: Exchange, of_session: Sequence[Exchange]) -> bool:
    """Whether the request before was no summary, and the client's history still has the end of it,
    as after a rewind it has not. The number of messages does not tell: cuts change it, too."""
    before = of_session[next(i for i, one in enumerate(of_session) if one is now) - 1]
    newest = {canonical(block) for block in blocks_of(before.request.messages[-1]["content"])}
    blocks = (blocks_of(message["content"]) for message in now.request.messages)
    is_there = any(canonical(block) in newest for block in chain.from_iterable(blocks))
    return before.kind == "main" and is_there


def matched(
    own: Sequence[Exchange], sent: Sequence[LedgerRecord]
) -> Iterator[tuple[Exchange, LedgerRecord]]:
    """Exchanges with their records: both in order, and the service reported the same tokens."""
    left = iter(sent)
    for one in own:
        assert one.usage is not None
        for record in left:
            if record.reported is not None and record.reported.read == one.usage.cache_read:
                yield one, record
                break


def is_cut(record: LedgerRecord) -> bool:
    """Whether the ledger says that this request has another prefix than the one before. On a busy
    machine some leave without the daemon's answer."""
    decided = record.kind == "decided" and any(one.reason == "cut" for one in record.decisions)
    return decided or record.kind in ("void", "dropped")


def cost(bill: LedgerBill | None) -> float:
    assert bill is not None
    return READ * bill.read + WRITE * bill.written
