"""`python -m tests.ops.histories [COUNT]`: so many generated histories through paging, validated.

A session has up to thirty requests, and each of them is a history that paging sees. The client
appends, retries, rewinds, edits, forks, compacts, waits and changes its model; it calls tools in
parallel, thinks, adds reminders, gets images, errors and nothing; a second conversation begins like
the first. The proxy is restarted, and in half of the sessions its ledger fails, too.

Of each request: the service takes it; the ledger explains its bytes; all that it lacks is stored
before it leaves; its prefix and its thinking change only at a cut that is booked. Without faults
the bill is bounded. `one SEED` repeats a session.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count, islice, takewhile
from random import Random
from typing import Any

from tests.clients.accounting import chain, signature_of, units
from tests.clients.scripts import Request, always, answer, call, say, script, think
from tests.clients.upstream import Upstream
from tests.ops.test_paging import EAGER, LINES, words
from tests.ops.test_turns import PLACE, DiskLedger
from wm.domain.paging.ledger import folded
from wm.formats.ledger import LedgerRecord
from wm.ops.paging.contents import strings
from wm.ops.paging.ledger import answer_of
from wm.ops.paging.policy import PagingPolicy
from wm.ops.paging.turns import (
    ManagedConversation,
    NamedPolicies,
    PlannedTurn,
    Recovered,
    decision_of,
)
from wm.wire.binding import BETA
from wm.wire.body import index
from wm.wire.conversation import Conversation
from wm.wire.history import history
from wm.wire.policy import Decision, Policy, Prepared
from wm.wire.prices import price_of
from wm.wire.usage import Usage

HISTORIES = 100_000
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUFB"}}
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1")
"""They bind thinking, as the upstream does."""
LIFETIMES = {"5m": 300.0, "1h": 3600.0}
ACTS = (
    *(["on"] * 24),
    *("retry", "rewind", "edit", "fork", "switch", "switch", "compact", "wait", "model", "kill"),
)
FAULTS = ("full", "late", "secret", "unread", "overloaded", "behind", "dies")
NAMED = NamedPolicies()
EAGERLY = PagingPolicy(EAGER)
ROUNDING = 0.01
"""Tokens are counted by block here, and by request there."""
REMINDERS = [f"<system-reminder>\n{words(n, 4)}\n</system-reminder>" for n in (0, 40)]
Row = list[str]


def eager(_name: str) -> Policy:
    """Cuts so early that short sessions have many cuts."""
    return EAGERLY


class Bills:
    """What the client's own requests cost, and those that were sent: a prefix that was sent before,
    to this model and within the lifetime of the cache, is read, and the rest is written."""

    def __init__(self, lifetime: str) -> None:
        self._lifetime = lifetime
        self._until: dict[str, float] = {}
        self._known: dict[tuple[str, str], set[str]] = {}
        self.totals = Counter[str]()

    def add(self, model: str, at: float, rows: dict[str, tuple[Row, list[int]]]) -> None:
        price = price_of(model)
        write = price.cache_write_1h if self._lifetime == "1h" else price.cache_write_5m
        is_cold = at > self._until.get(model, 0.0)
        self._until[model] = at + LIFETIMES[self._lifetime]
        for name, (links, tokens) in rows.items():
            known = self._known.setdefault((name, model), set())
            if is_cold:
                known.clear()
            read = max((n + 1 for n, link in enumerate(links) if link in known), default=0)
            cost = price.cache_read * sum(tokens[:read]) + write * sum(tokens[read:])
            self.totals[name] += round(1000 * cost)
            known.update(links)


@dataclass
class Sent:
    """A request that went out. row: of what was sent. decisions: the new ones."""

    name: str
    raw: bytes
    row: Row
    process: Process
    decisions: tuple[Decision, ...]
    is_answered: bool
    is_dropped: bool
    model: str
    at: float
    thought: set[str] = field(default_factory=set)
    """Signatures of the thinking in its answer."""

    @cached_property
    def places(self) -> list[str]:
        body = index(self.raw)
        assert body is not None
        return [place for line in history(body).places for place in line]

    def shared(self, other: Sent) -> int:
        """Number of equal blocks at the beginning."""
        pairs = zip(self.places, other.places, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def takes_unseen(self) -> bool:
        """Whether a cut removes results that no answer has followed yet."""
        body = index(self.raw)
        assert body is not None
        unseen: set[str] = set()
        for message, line in zip(body.messages, history(body).places, strict=True):
            unseen = set() if message.role == "assistant" else unseen | set(line)
        return any(one.reason == "cut" and one.block in unseen for one in self.decisions)

    def is_before(self, other: Sent) -> bool:
        """Whether the other one contains the history of this one."""
        return self.shared(other) == len(self.places)


@dataclass(frozen=True)
class Process:
    """A run of the proxy. begun: records when it began. is_lost: it could not read them."""

    begun: int = 0
    is_lost: bool = False


class StoredLedger(DiskLedger):
    """Also the texts of the stored steps."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self.calls = ""

    def take(self, turn: PlannedTurn) -> None:
        super().take(turn)
        for part in (part for one in turn.objects for part in one.parts):
            self.texts.add(part.text)
            self.calls += f"{part.text}\n" if part.kind == "call" else ""

    def holds(self, text: str) -> bool:
        return text in self.texts or json.dumps(text)[1:-1] in self.calls


@dataclass
class Talk:
    """One conversation of the session, its branches, and what went out of it."""

    name: str
    managed: ManagedConversation
    bills: Bills
    messages: list[dict[str, Any]]
    branches: list[list[dict[str, Any]]] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    excused: set[str] = field(default_factory=set)
    """Signatures of thinking that was lost at a cut, or when decisions were lost."""
    process: Process = Process()
    is_pure: bool = True
    """Without a fault so far."""


class Session:
    """Everything in one session of one client comes from its seed."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.has_reminders = seed % 6 == 4
        self.policy = self.chance.choice(("safe", "balanced", "tight"))
        is_eager = self.policy == "tight" and self.chance.random() < 0.7
        self.policies: Callable[[str], Policy] = eager if is_eager else NAMED
        self.lifetime = self.chance.choice(("5m", "5m", "1h"))
        self.faults = FAULTS if self.chance.random() < 0.5 else ()
        self.model = self.chance.choice(MODELS)
        self.upstream = Upstream(script=script(always(lambda _request: True, self._says)))
        self.disk = StoredLedger()
        self.at = 1000.0
        self.numbers = count(1)
        first = [{"role": "user", "content": [{"type": "text", "text": f"Go. {words(seed, 3)}"}]}]
        self.talks = [
            Talk(name, self._started(name), Bills(self.lifetime), list(first))
            for name in ("", "agent-1")
        ]

    def run(self) -> int:
        """The number of histories. Raises AssertionError."""
        for _ in range(self.chance.randint(6, 30)):
            talk = self.talks[self.chance.random() < 0.2]
            self._act(talk, self.chance.choice(ACTS))
        for talk in self.talks:
            self._explain(talk)
        return sum(len(talk.sent) for talk in self.talks)

    # -- the client ---------------------------------------------------------------------------

    def _says(self, _request: Request) -> Any:
        chance = self.chance
        blocks = [think(words(chance.randrange(400), 2))] if chance.random() < 0.5 else []
        if chance.random() < 0.3:
            blocks.append(say(words(chance.randrange(400), 1)))
        for _ in range(chance.choice((0, 1, 1, 1, 1, 2, 3)) or not blocks):
            blocks.append(self._call())
        return answer(*blocks)

    def _call(self) -> Any:
        chance, path = self.chance, f"src/{self.chance.randrange(5)}.py"
        kind = chance.randrange(3)
        if kind == 0:
            return call("Read", file_path=path)
        if kind == 1:
            return call("Write", file_path=path, content=words(chance.randrange(400), 25))
        return call("Bash", command=f"./ferry {chance.randrange(9)}")

    def _result(self, name: str) -> dict[str, Any]:
        chance = self.chance
        text = words(chance.randrange(0, 400, 40), chance.randint(1, 40))
        content: Any = chance.choice([text] * 9 + ["", [], [IMAGE], None])
        if chance.random() < 0.1:
            content = [{"type": "text", "text": text}, IMAGE][: chance.randint(1, 2)]
        result = {"type": "tool_result", "tool_use_id": name, "content": content}
        if content is None:
            del result["content"]
        return result | ({"is_error": True} if chance.random() < 0.1 else {})

    def _answered(self, talk: Talk, said: list[dict[str, Any]]) -> None:
        calls = [block["id"] for block in said if block["type"] == "tool_use"]
        content = [self._result(name) for name in calls]
        if not calls or self.chance.random() < 0.1:
            content.append({"type": "text", "text": words(self.chance.randrange(400), 1)})
            content += [IMAGE] if self.chance.random() < 0.1 else []
        if self.has_reminders and self.chance.random() < 0.4:
            content.append({"type": "text", "text": self.chance.choice(REMINDERS)})
        talk.messages += [
            {"role": "assistant", "content": said},
            {"role": "user", "content": content},
        ]
        if self.chance.random() < 0.05:
            number = self.chance.randrange(400)
            is_again = self.has_reminders and number % 3
            text = REMINDERS[number % 2] if is_again else words(number, 1)
            talk.messages.append({"role": "system", "content": text})

    def _act(self, talk: Talk, act: str) -> None:
        self.at += 1.0
        if act == "wait":
            self.at += LIFETIMES[self.lifetime] + 100
        elif act == "model":
            self.model = self.chance.choice(MODELS)
        elif act == "kill":
            self._restart(talk)
        else:
            self._turned(talk, act)
        fault = self.chance.choice((*[""] * 6, *self.faults))
        self._request(talk, fault)

    def _turned(self, talk: Talk, act: str) -> None:
        """Another history than the last one."""
        ends = [n for n, m in enumerate(talk.messages, 1) if m["role"] == "user"]
        if act in ("retry", "rewind"):
            keep = ends[-1] if act == "retry" else self.chance.choice(ends)
            del talk.messages[keep:]
        elif act == "edit":
            self._edit(talk, self.chance.choice(ends) - 1)
        elif act == "fork":
            talk.branches.append(list(talk.messages))
        elif act == "switch" and talk.branches:
            other = self.chance.randrange(len(talk.branches))
            talk.messages, talk.branches[other] = talk.branches[other], talk.messages
        elif act == "compact":
            text = f"So far: {words(self.chance.randrange(400), 5)}"
            talk.messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]

    def _edit(self, talk: Talk, number: int) -> None:
        """A text is added to a message, and thinking after it is given up."""
        more = {"type": "text", "text": words(self.chance.randrange(400), 1)}
        message = talk.messages[number]
        talk.messages[number] = {**message, "content": [*message["content"], more]}
        for later in range(number + 1, len(talk.messages)):
            content = talk.messages[later]["content"]
            if talk.messages[later]["role"] == "assistant":
                kept = [block for block in content if signature_of(block) is None]
                talk.messages[later] = {"role": "assistant", "content": kept or [more]}

    # -- the proxy ------------------------------------------------------------------------------

    def _started(self, name: str, *, is_lost: bool = False) -> ManagedConversation:
        found = Recovered(lost=True) if is_lost else self.disk.recovered(name)
        return ManagedConversation(name, found, self.policies)

    def _restart(self, talk: Talk, *, is_lost: bool = False) -> None:
        talk.managed = self._started(talk.name, is_lost=is_lost)
        talk.process = Process(len(self.disk.lines), is_lost)

    def _request(self, talk: Talk, fault: str) -> None:
        if fault == "unread":
            self._restart(talk, is_lost=True)
        talk.is_pure &= not fault
        raw, name = self._raw(talk), f"r_{next(self.numbers):016x}"
        dropped = talk.managed.totals.dropped
        made = self._prepared(talk, raw, name, fault)
        body = json.loads(made.raw)
        headers = {"anthropic-beta": BETA} if made.tolerant else {}
        verdict = self.upstream.decide(Request("POST", "/v1/messages", headers, body))
        assert verdict.status == 200, verdict.refused
        row = units(body)
        sent = Sent(
            made.request, raw, chain(row), talk.process, made.decisions, fault != "overloaded",
            talk.managed.totals.dropped > dropped, self.model, self.at,
        )  # fmt: skip
        self._check(talk, sent, body, verdict.dropped, made)
        talk.sent.append(sent)
        talk.managed.answered(made.request, ok=sent.is_answered)
        if not sent.is_answered:
            return  # the client sends it again
        plain = units(json.loads(raw))
        rows = {
            "plain": (chain(plain), [one.tokens for one in plain]),
            "sent": (sent.row, [one.tokens for one in row]),
        }
        talk.bills.add(self.model, self.at, rows)
        used = verdict.usage
        assert used is not None
        if fault != "dies":
            usage = Usage(used.input_tokens, 9, used.cache_read, used.cache_creation)
            talk.managed.used(made.request, usage)
            talk.managed.examine()
            self._write_behind(talk, is_failing=fault == "behind")
        else:
            self._restart(talk)
        sent.thought = _signatures({"messages": [{"content": list(verdict.blocks)}]})
        self._answered(talk, list(verdict.blocks))

    def _prepared(self, talk: Talk, raw: bytes, name: str, fault: str) -> Prepared:
        turn = talk.managed.plan(raw, self.policy, name, self.at)
        assert turn is not None
        if not turn.must_wait:
            return turn.prepared
        if fault == "full":
            return talk.managed.hold(turn)
        self.disk.take(turn)
        if fault == "late":
            made = talk.managed.reuse_decisions(raw, name, self.at)
            talk.managed.unwritten(turn)
            return made
        refused = [one.block for one in turn.prepared.decisions[:1]] if fault == "secret" else ()
        return talk.managed.accept(turn, refused)

    def _write_behind(self, talk: Talk, *, is_failing: bool) -> None:
        while (turn := talk.managed.take_due()) is not None:
            if is_failing:
                talk.managed.unwritten(turn)
                return
            self.disk.take(turn)
            talk.managed.stored(turn)

    def _raw(self, talk: Talk) -> bytes:
        mark = {"cache_control": {"type": "ephemeral", "ttl": self.lifetime}}
        last = max(n for n, m in enumerate(talk.messages) if m["role"] != "assistant")
        message = talk.messages[last]
        content = message["content"]
        if isinstance(content, str):  # a list while it has the mark, as Claude Code does
            content = [{"type": "text", "text": content}]
        marked = {**message, "content": [*content[:-1], {**content[-1], **mark}]}
        body = {
            "model": self.model,
            "max_tokens": 9,
            "thinking": {"type": "adaptive"},
            "system": [{"type": "text", "text": "\n".join(LINES[:9]), **mark}],
            "messages": [*talk.messages[:last], marked, *talk.messages[last + 1 :]],
        }
        return json.dumps(body).encode()

    # -- the validator --------------------------------------------------------------------------

    def _check(
        self, talk: Talk, sent: Sent, body: Any, dropped: tuple[str, ...], made: Prepared
    ) -> None:
        """What was sent keeps the prefix that was sent before, and all thinking, except at cuts."""
        before = next((one for one in reversed(talk.sent) if one.is_answered), None)
        known = [one for one in reversed(talk.sent) if one.is_answered]
        # The last one with the longest shared beginning, of those that its cache holds.
        cached = [one for one in self._cached(known, sent) if sent.shared(one)]
        continued = max(cached or known, key=sent.shared, default=None)
        is_cut = any(one.level > 1 for one in made.decisions) or sent.is_dropped
        is_excused = is_cut or before is None or before.process is not sent.process
        lost = {_signature_at(body, place) for place in dropped}
        talk.excused |= self._unproven(talk, sent)
        if cached:  # it is sent as they were, also if it was sent differently to another cache
            begun = max(known.index(max(some, key=sent.shared)) for some in (known, cached))
            is_excused |= any(one.level > 1 for o in known[:begun] for one in o.decisions)
        if is_excused:
            # What a cut removed may come back after a rewind into its turn, where it cannot be
            # verified: it was lost at the cut.
            talk.excused |= lost | _signatures(json.loads(sent.raw)) - _signatures(body)
            # So is that of other answers to a request that it contains and now sends differently.
            talk.excused |= {
                one
                for other in talk.sent
                if other.is_before(sent) and sent.row[: len(other.row)] != other.row
                for one in other.thought
            }
        assert lost <= talk.excused, "thinking was dropped outside a cut"
        assert not sent.takes_unseen() or not talk.is_pure, "the model never saw what a cut takes"
        shown = set(_texts(body))
        for text in _texts(json.loads(sent.raw)):
            assert text in shown or self.disk.holds(text), (
                f"what was removed is not stored: {text[:300]!r}"
            )
        is_whole = continued is not None and continued.is_before(sent)
        if continued is not None and is_whole and not is_cut and continued.process is sent.process:
            is_same = sent.row[: len(continued.row)] == continued.row
            assert is_same, "the prefix changed outside a cut"

    def _cached(self, known: list[Sent], sent: Sent) -> Iterator[Sent]:
        """The requests to its model since the last gap, the newest first."""
        at = sent.at
        for one in known:
            if at - one.at > LIFETIMES[self.lifetime]:
                return
            at = one.at
            if one.model == sent.model:
                yield one

    def _unproven(self, talk: Talk, sent: Sent) -> set[str]:
        """Signatures of answers that this request is the first to continue, if their process died
        before its record. Their decisions are void and proposed again by the next process only; a
        second restart forgets them, and the ledger or the credit may refuse them."""
        found = [
            one
            for number, one in enumerate(talk.sent)
            if one.decisions and one.process is not sent.process and one.is_before(sent)
            if not any(x.is_answered and one.is_before(x) for x in talk.sent[number + 1 :])
        ]
        known = {r.request for r in self.disk.records() if r.kind == "sent"} if found else ()
        return {signature for one in found if one.name not in known for signature in one.thought}

    def _explain(self, talk: Talk) -> None:
        """The ledger gives the same bytes, and the bill is bounded."""
        records = self.disk.records()
        decided = {one.request: one.decisions for one in records if one.kind == "decided"}
        again, process = Conversation(), None
        for one in talk.sent:
            if one.process is not process:
                process = one.process
                known = records[: process.begun]
                again = Conversation() if process.is_lost else _resumed(known, talk.name)
            logged = tuple(map(decision_of, decided.get(one.name, ()))) if one.decisions else ()
            made = again.prepare(one.raw, partial(_as_logged, logged), one.at)
            again.keep(logged)
            assert made is not None
            assert chain(units(json.loads(made.raw))) == one.row, "not as the ledger says"
            if not one.is_answered:
                again.void()
        totals = talk.bills.totals
        if talk.is_pure:
            assert totals["sent"] <= (1 + ROUNDING) * totals["plain"], "dearer than without paging"


def _as_logged(logged: tuple[Decision, ...], *_: Any) -> tuple[Decision, ...]:
    return logged


def _resumed(records: list[LedgerRecord], name: str) -> Conversation:
    found = Recovered.of(answer_of(folded(records).of(name), PLACE, ()))
    talk = Conversation(dict(found.log))
    known = found.answer
    is_known = bool(known.alive) and not known.requests
    talk.resume(0.0, known.alive, found.ends, is_known=is_known)
    return talk


def _texts(body: Any) -> Iterator[str]:
    """What the blocks of messages say, without thinking."""
    for message in body["messages"]:
        content = message["content"]
        for block in [{"text": content}] if isinstance(content, str) else content:
            parts = block.get("content")
            yield from strings([block.get("text"), block.get("input")])
            yield from strings(
                [p.get("text", p) for p in parts] if isinstance(parts, list) else parts
            )


def _signatures(body: Any) -> set[str]:
    blocks = (b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"])
    return {found for block in blocks if (found := signature_of(block))}


def _signature_at(body: Any, place: str) -> str:
    _, number, _, index_ = place.split(".")
    return signature_of(body["messages"][int(number)]["content"][int(index_)]) or ""


def sessions(seeds: tuple[int, ...]) -> int:
    """Run these sessions; the number of their histories."""
    done = 0
    for seed in seeds:
        try:
            done += Session(seed).run()
        except AssertionError as error:
            raise AssertionError(f"session {seed}: {error}") from error
    return done


def soak(histories: int) -> int:
    """So many, on all processors. Raises AssertionError."""
    begun, done = time.monotonic(), 0
    with ProcessPoolExecutor() as pool:
        seeds = count()
        while done < histories:
            for made in pool.map(sessions, [tuple(islice(seeds, 50)) for _ in range(16)]):
                done += made
            print(f"{time.monotonic() - begun:6.0f} s  {done:,} histories", file=sys.stderr)
    return done


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        print(sessions((int(sys.argv[2]),)))
    else:
        print(soak(int(sys.argv[1]) if sys.argv[1:] else HISTORIES))
