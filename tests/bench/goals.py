"""Is a return to an earlier subject noticed, and is what it needs in the context? `bench goals`

60 generated sessions of a user who works on several subjects and comes back to them
(`goal_topics.toml`). A third consists of subjects that were not looked at while the rules were
chosen. Found: a return that was noticed; false: prompts that were taken for one, in 20. That a
message begins a new subject is not looked for; what a limit would find is shown. Needed: the
request of a return contains the line that its answer quotes. The bills contain what restoring that
line costs where it is missing, and are shares of the bill without paging.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.bench.harness import Row, at_least, at_most, report
from wm.domain.paging.goals import calibrated, known_messages, returned, says_much
from wm.models.opening import open_embedder
from wm.ops.paging.goals import MOST_SAID, GoalModel
from wm.ops.paging.policy import paging_policy
from wm.ops.paging.uncertainty import TURNS
from wm.replay.requests import SkippedRequests
from wm.replay.run import ReplayRun
from wm.replay.sessions import sessions
from wm.settings import RecallSettings
from wm.wire.cachesim import dollars
from wm.wire.policy import Policy, nothing
from wm.wire.prices import price_of
from wm.wire.rows import AssumedHead

SESSIONS = 60
MODEL = "claude-opus-4-6"
HEAD_TOKENS = 8_000
TOKENS = 450
VISITS = ((0, 1, 0, 2, 1), (0, 1, 2, 0), (0, 1, 2, 1, 0))
SHORT = ("ok, go on", "yes", "looks good", "do it", "thanks")
SHORT_SHARE, LONG_SHARE = 0.2, 0.15
STEP_S, NAMED_SHARE = 20.0, 0.35
PLAIN = (
    *("value", "result", "index", "item", "request", "user", "config", "state", "parent", "child"),
    *("count", "buffer", "source", "target", "entry", "field", "model", "store", "client", "key"),
    *("server", "option", "event", "callback", "handler", "node", "name", "path"),
)
ANSWERS = (
    "I changed {file}: the {a} is checked before the {b} is used. The tests pass.",
    "Done. The {a} and the {b} are handled apart now, with a case for the {c}.",
    "The cause was the {a}: it was read after the {b}. Fixed.",
    "Nothing else depends on the {c}, so I left the {a} alone.",
)
FOUND_GOAL, NEEDED_GOAL, FALSE_GOAL = 0.85, 0.7, 1.0
FALSE = (1, 2, 3, 5)
_FILE = Path(__file__).with_name("goal_topics.toml")


@dataclass
class GoalSession:
    """A session with labels. prompts: text of each message of the user, and whether it continues,
    begins or returns. needs: number of the answer to a return -> the line that it quotes. times:
    seconds, of each message. files: what was read before."""

    name: str
    messages: list[dict[str, Any]] = field(default_factory=list)
    prompts: list[tuple[str, str]] = field(default_factory=list)
    needs: dict[int, str] = field(default_factory=dict)
    times: list[float] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    calls: int = 0
    now: float = 0.0

    def prompt(self, text: str, kind: str, pause_s: float) -> None:
        self.now += pause_s
        self.messages.append({"role": "user", "content": [{"type": "text", "text": text}]})
        self.prompts.append((text, kind))
        self.times.append(self.now)

    def answers(self) -> list[str]:
        """The beginning of what the model wrote after each prompt, as the proxy compares it."""
        found: list[str] = []
        for message in self.messages:
            (block,) = message["content"]
            if block["type"] == "text" and message["role"] == "user":
                found.append("")
            elif message["role"] == "assistant":
                said = block["text"] if "text" in block else "\n".join(block["input"].values())
                found[-1] += f"\n{said}"
        return [one[:MOST_SAID].strip() for one in found]

    def says(self, text: str) -> None:
        self.messages.append({"role": "assistant", "content": [{"type": "text", "text": text}]})
        self.times.append(self.now)

    def step(self, tool: str, given: dict[str, Any], result: str) -> None:
        self.calls += 1
        self.now += STEP_S
        self.times += [self.now, self.now]
        name = f"call_{self.calls}"
        call = {"type": "tool_use", "id": name, "name": tool, "input": given}
        answer = {"type": "tool_result", "tool_use_id": name, "content": result}
        self.messages.append({"role": "assistant", "content": [call]})
        self.messages.append({"role": "user", "content": [answer]})


def generated(number: int, topics: Sequence[dict[str, Any]]) -> GoalSession:
    """Session of this number, about three of the topics."""
    rng = random.Random(number)
    made = GoalSession(f"goals-{number}")
    chosen = rng.sample(list(topics), 3)
    order = VISITS[number % len(VISITS)]
    used = [0] * len(chosen)
    visits = [0] * len(chosen)
    for index in order:
        topic = chosen[index]
        count = rng.randint(3, 5) if not visits[index] else rng.randint(1, 3)
        turns = topic["turns"][used[index] : used[index] + count]
        used[index] += len(turns)
        if visits[index]:
            _comes_back(made, topic, visits[index] - 1, _pause(rng))
        shown_at = [rng.randrange(len(turns)) for _ in topic["needs"]]
        for at, text in enumerate(turns):
            begins = not visits[index] and not at and bool(made.prompts)
            made.prompt(text, "begins" if begins else "continues", _pause(rng))
            hidden = [n for n, turn in zip(topic["needs"], shown_at, strict=True) if turn == at]
            _works(made, topic, () if visits[index] else hidden, rng)
            if rng.random() < SHORT_SHARE:
                made.prompt(rng.choice(SHORT), "short", _pause(rng))
                _works(made, topic, (), rng)
        visits[index] += 1
    return made


def _pause(rng: random.Random) -> float:
    """Seconds before a prompt; some pauses are longer than the cache lives."""
    return rng.uniform(400, 1_500) if rng.random() < LONG_SHARE else rng.uniform(10, 120)


def _comes_back(made: GoalSession, topic: dict[str, Any], before: int, pause_s: float) -> None:
    """The user asks about a topic that was left; the answer quotes a line of its work."""
    made.prompt(topic["back"][before % 2], "returns", pause_s)
    line = topic["needs"][before % 2]
    made.needs[len(made.messages)] = line
    made.says(f"It is `{line}`; I found:\n{line}\n")


def _works(
    made: GoalSession, topic: dict[str, Any], needs: Sequence[str], rng: random.Random
) -> None:
    """Some steps on a topic, and an answer. needs: lines that one of the results shows."""
    folder, _, name = topic["file"].rpartition("/")
    count = rng.randint(2, 4)
    hidden = rng.randrange(count) if needs else -1
    for number in range(count):
        lines = [_line(topic, rng) for _ in range(rng.randint(25, 70))]
        for need in needs if number == hidden else ():
            lines.insert(rng.randrange(len(lines)), need)
        text = "\n".join(lines)
        word = rng.choice(topic["names"])
        kind = rng.random()
        if kind < 0.5:
            made.step("Bash", {"command": f"grep -rn {word} {folder} | head -{len(lines)}"}, text)
        elif kind < 0.8:
            path = f"{folder}/{word}_{name}"
            text = made.files.setdefault(path, text) if number != hidden else text
            made.step("Read", {"file_path": path}, text)
        else:
            made.step("Bash", {"command": f"pytest {folder} -k {word} -q"}, text)
    a, b, c = (one.replace("_", " ") for one in rng.sample(topic["names"], 3))
    made.says(rng.choice(ANSWERS).format(file=topic["file"], a=a, b=b, c=c))


def _line(topic: dict[str, Any], rng: random.Random) -> str:
    """A line of code. Most lines of a real result do not name its subject."""
    subject = rng.choice(topic["names"]) if rng.random() < NAMED_SHARE else rng.choice(PLAIN)
    a, b = rng.sample(PLAIN, 2)
    number = rng.randrange(10_000)
    return rng.choice(
        (
            f"{a}_{b}_{number} = {b}_of({subject}, limit={number})",
            f"    return {a}.{subject}_{number}({b}, {number % 7})",
            f"def {a}_for_{subject}_{number}(self, {b}): ...",
            f"# {a} {number}: see {subject}",
        )
    )


# --- what is noticed ------------------------------------------------------------------------------


def noticed(made: Sequence[GoalSession], model: str) -> list[Row]:
    """The pure rule on the prompts."""
    embedder = open_embedder(model, RecallSettings())
    assert embedder is not None
    limits = calibrated(list(embedder.embed(known_messages())))
    found = returns = wrong = others = 0
    alike: dict[str, list[float]] = {}
    for one in made:
        before: list[Any] = []
        asked: list[Any] = []
        for (text, kind), answer in zip(one.prompts, one.answers(), strict=True):
            is_return = False
            if says_much(text):
                vector = embedder.embed([text])[0]
                is_return = returned(before, vector, limits, asked) is not None
                if asked:
                    newest = sum(asked[-2:])
                    alike.setdefault(kind, []).append(
                        float(newest @ vector / (newest @ newest) ** 0.5)
                    )
                asked.append(vector)
                before.append(vector + embedder.embed([answer])[0])
            returns += kind == "returns"
            found += kind == "returns" and is_return
            others += kind != "returns"
            wrong += kind != "returns" and is_return
    return [
        Row(f"limits of {model}", ", ".join(f"{limit:.3f}" for limit in limits)),
        at_least("returns found", found / returns, FOUND_GOAL, "", f"of {returns}"),
        at_most("false in 20 prompts", 20 * wrong / others, FALSE_GOAL, "", f"of {others}"),
        Row(
            f"new subjects, at {', '.join(map(str, FALSE))} false in 20",
            ", ".join(f"{share:.2f}" for share in _new_found(alike))
            + f" of {len(alike['begins'])}",
        ),
    ]


def _new_found(alike: dict[str, list[float]]) -> Iterator[float]:
    """Share of new subjects whose first message is less similar to the two before it than a limit
    that takes so many of 20 messages that continue for one."""
    same = sorted(alike["continues"])
    for wrong in FALSE:
        limit = same[wrong * len(same) // 20]
        yield sum(one < limit for one in alike["begins"]) / len(alike["begins"])


# --- what it is good for --------------------------------------------------------------------------


@dataclass
class Outcome:
    bill: float = 0.0
    present: int = 0
    needed: int = 0
    texts: int = 0
    used: int = 0
    faults: int = 0


def outcome(made: Sequence[GoalSession], policy: Policy) -> Outcome:
    """All sessions under one policy."""
    found = Outcome()
    price = price_of(MODEL)
    for one in made:
        run = ReplayRun(
            policy,
            time.perf_counter,
            assumed=AssumedHead(MODEL, HEAD_TOKENS),
            ttl="5m",
            bounded=True,
        )
        answers = [n for n, message in enumerate(one.messages) if message["role"] == "assistant"]
        whole = {"id": one.name, "model": MODEL, "messages": one.messages}
        for number, sent in zip(answers, sessions([whole], SkippedRequests(), _FILE), strict=True):
            counted = run.count(replace(sent, at=one.times[number]))
            assert counted is not None
            for usage in (counted.usage, counted.refetch):
                found.bill += dollars(usage, price)
            found.texts += counted.passages
            found.used += counted.used_passages
            found.faults += counted.faults
            if number in one.needs:
                found.needed += 1
                found.present += one.needs[number] in _sent(run)
    return found


def _sent(run: ReplayRun) -> str:
    """All text of the last request as it went upstream."""
    (conversation,) = run._conversations.values()
    assert conversation.talk.sent is not None
    return "\n".join(_texts(json.loads(conversation.talk.sent.body.raw)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def compared(made: Sequence[GoalSession]) -> list[Row]:
    """Paging without passages, with those on the model's behaviour, and with returns as well."""
    plain = outcome(made, nothing).bill
    goals = GoalModel(RecallSettings(), wait_s=30.0)
    recency = outcome(made, paging_policy("balanced"))
    behaviour = outcome(made, paging_policy("balanced", TOKENS))
    whole = outcome(made, paging_policy("balanced", TOKENS, goals))
    rows = []
    for name, one in (("recency", recency), ("behaviour", behaviour), ("with returns", whole)):
        share = f"{one.present / one.needed:.2f} of {one.needed}"
        counts = f"{one.faults} faults, {one.texts} texts, {one.used} of them used"
        rows.append(Row(name, f"needed line there {share}; bill {one.bill / plain:.4f}; {counts}"))
    return [
        *rows,
        at_least("needed line there", whole.present / whole.needed, NEEDED_GOAL, ""),
        at_most("bill beside recency", whole.bill / recency.bill, 1.0),
        at_most(f"unused texts in {TURNS} answers", _unused(made, whole), 1.0, ""),
    ]


def _unused(made: Sequence[GoalSession], one: Outcome) -> float:
    answers = sum(m["role"] == "assistant" for session in made for m in session.messages)
    return TURNS * (one.texts - one.used) / answers


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench goals", description=__doc__)
    parser.add_argument("--model", default="embedded", help="for what is noticed; or a folder")
    parser.add_argument("--part", choices=("dev", "kept", "both"), default="both")
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    asked = parser.parse_args(argv)
    topics = tomllib.loads(_FILE.read_text("utf-8"))["topics"]
    met = True
    for part in ("dev", "kept") if asked.part == "both" else (asked.part,):
        own = [topic for topic in topics if topic.get("kept", False) is (part == "kept")]
        first, count = (
            (0, asked.sessions * 2 // 3) if part == "dev" else (1000, asked.sessions // 3)
        )
        made = [generated(number, own) for number in range(first, first + count)]
        met &= report(f"{part}: returns noticed ({count} sessions)", noticed(made, asked.model))
        met &= report(f"{part}: what they need", compared(made))
    return 0 if met else 1
