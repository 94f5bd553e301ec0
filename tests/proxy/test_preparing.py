"""A policy between real sockets: what is sent upstream, also after a restart."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.clients.accounting import ThinkingLedger
from tests.clients.validity import refusals
from tests.ops.test_turns import PLACE as AT
from tests.proxy.parts import Bench, Visit, bench, within
from tests.wire.conversations import Conversation, conversations
from tests.wire.policies import stubbing
from wm.domain.paging.ledger import folded
from wm.errors import Unavailable
from wm.formats.base import dump
from wm.formats.flow import FlowNote
from wm.formats.ledger import LedgerRecord
from wm.ops.paging.ledger import answer_of
from wm.ops.paging.turns import PlannedTurn, Recovered
from wm.proxy.managing import ManagingPreparer
from wm.proxy.observing import Note, Observer
from wm.proxy.preparing import PREPARE_DEADLINE_S
from wm.wire.body import Body
from wm.wire.history import ConversationHistory
from wm.wire.identity import RequestIdentity
from wm.wire.policy import Decision, Log, Moment, Policy, nothing

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
PLACE = "X-Wm-Workspace: /quay"


class FileLedger:
    """A line for each record of a conversation. It refuses the kinds that a test names."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.full = False

    async def read(self, whose: RequestIdentity) -> Recovered:
        state = folded(self.records(_name(whose))).whole
        return Recovered.of(answer_of(state, AT, ()))

    async def write(self, whose: RequestIdentity, turn: PlannedTurn) -> tuple[tuple[str, ...], str]:
        await asyncio.sleep(0)  # another request may come in between
        if self.full:
            raise Unavailable("no space")
        with self.path.open("a", encoding="utf-8") as log:
            for record in turn.records:
                log.write(json.dumps([_name(whose), dump(record)]) + "\n")
        return (), ""

    async def call(self, whose: RequestIdentity, tool: str, arguments: Mapping[str, Any]) -> str:
        raise Unavailable("no daemon")

    def records(self, name: str = "s/") -> list[LedgerRecord]:
        lines = self.path.read_text("utf-8").splitlines() if self.path.exists() else []
        found = [json.loads(line) for line in lines]
        return [LedgerRecord.model_validate(fields) for whose, fields in found if whose == name]

    @property
    def kept(self) -> int:
        return sum(len(record.decisions) for record in self.records())


def _name(whose: RequestIdentity) -> str:
    return f"{whose.session}/{whose.subagent}"


def preparer(
    ledger: FileLedger,
    policy: Policy,
    *,
    faults: list[Exception] | None = None,
    clock: Callable[[], float] = time.time,
) -> ManagingPreparer:
    """Pages by this policy, whatever it costs. faults: receives those of the policy."""
    return ManagingPreparer(
        "balanced",
        ledger,
        lambda _name: policy,
        [].append if faults is None else faults.append,
        bounded=False,
        clock=clock,
    )


async def accept(visit: Visit) -> None:
    """Answer whatever comes, on and on."""
    while True:
        head = (await visit.head()).lower()
        if b"transfer-encoding" in head:
            size = int((await visit.reader.readline()).strip(), 16)
            visit.raw += await visit.reader.readexactly(size + 7)
        else:
            await visit.body(int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0]))
        await visit.say(OK)


async def send(b: Bench, raw: bytes, *headers: str, session: str = "s") -> bytes:
    """Ask for a message; the body that the upstream got."""
    named = (f"X-Claude-Code-Session-Id: {session}", PLACE) if session else ()
    size = (f"Content-Length: {len(raw)}",)
    client = await b.ask(b.head("POST /v1/messages", *named, *size, *headers), raw)
    assert b"".join((await client.head(), await client.body(2))) == OK
    client.writer.close()
    got = bytes(b.upstream.visits[-1].raw)
    return got.rpartition(b"\r\n\r\n")[2]


def history_of(results: int, text: str = "long " * 9) -> bytes:
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for n in range(results):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"{text}{n}"}
        messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    body = {"model": "m", "max_tokens": 9, "tools": [{"name": "t"}], "messages": messages}
    return json.dumps(body).encode()


def all_but_last(
    body: Body, history: ConversationHistory, log: Log, moment: Moment
) -> tuple[Decision, ...]:
    return tuple(d for seed in range(3) for d in stubbing(seed)(body, history, log, moment))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(conversations(most_turns=2))
def test_any_history_is_accepted_upstream_and_has_the_same_bytes_after_a_restart(
    tmp_path_factory: pytest.TempPathFactory, made: Conversation
) -> None:
    folder = tmp_path_factory.mktemp("ledger")
    asked = made.requests()

    hours = itertools.count(step=3601.0)  # nothing is cached, so no request gets marks of ours

    async def passed(ledger: str, policy: Policy, requests: list[bytes]) -> list[bytes]:
        made = preparer(FileLedger(folder / ledger), policy, clock=lambda: next(hours))
        async with bench(accept, preparer=made) as b:
            return [await send(b, raw) for raw in requests]

    async def test() -> None:
        first = await passed("one", stubbing(1), asked)
        for got in first:
            assert refusals(json.loads(got), made.ledger) == []
        restarted = [await passed("two", stubbing(1), [raw, raw]) for raw in asked]
        assert restarted == [[got, got] for got in first]
        # Switched off: what was decided stays, nothing is added.
        assert await passed("two", nothing, asked[-1:]) == first[-1:]

    within(test)


def test_old_results_are_shortened_and_listed_in_the_flow(tmp_path: Path) -> None:
    async def test() -> None:
        ledger = FileLedger(tmp_path / "log")
        async with bench(accept, preparer=preparer(ledger, all_but_last)) as b:
            raw = history_of(5)
            got = await send(b, raw)
            shortened = json.loads(got)["messages"]
            assert [m["content"][0]["content"][:10] for m in shortened[2::2]] == [
                *["[taken out"] * 3,
                *["long long "] * 2,
            ]
            assert refusals(json.loads(got), ThinkingLedger()) == []
            await b.seen[0].over.wait()
            assert b.seen[0].sent == raw
            assert len(b.seen[0].decisions) == ledger.kept == 3

    within(test)


@pytest.mark.parametrize(
    ("line", "headers", "session"),
    [
        ("POST /v1/messages/count_tokens", (), "s"),
        ("POST /v1/messages", (), ""),
        ("POST /v1/messages", ("Content-Encoding: gzip",), "s"),
        ("PUT /v1/messages", (), "s"),
    ],
)
def test_a_request_outside_the_policy_is_unchanged(
    tmp_path: Path, line: str, headers: tuple[str, ...], session: str
) -> None:
    async def test() -> None:
        raw = history_of(5)
        made = preparer(FileLedger(tmp_path / "log"), all_but_last)
        async with bench(accept, preparer=made) as b:
            named = (f"X-Session-Id: {session}", PLACE) if session else ()
            head = b.head(line, *named, f"Content-Length: {len(raw)}", *headers)
            client = await b.ask(head, raw)
            await client.head()
            assert bytes(b.upstream.visits[0].raw).endswith(b"\r\n\r\n" + raw)

    within(test)


@pytest.mark.parametrize("raw", [b"", b"no json", b'{"messages": 1}', b"\xff" * 3000])
def test_a_body_that_is_not_a_request_is_unchanged(tmp_path: Path, raw: bytes) -> None:
    async def test() -> None:
        made = preparer(FileLedger(tmp_path / "log"), all_but_last)
        async with bench(accept, preparer=made) as b:
            assert await send(b, raw) == raw

    within(test)


def test_without_space_for_new_decisions_only_old_ones_apply(tmp_path: Path) -> None:
    async def test() -> None:
        ledger = FileLedger(tmp_path / "log")
        async with bench(accept, preparer=preparer(ledger, all_but_last)) as b:
            await send(b, history_of(3))
            ledger.full = True
            got = await send(b, history_of(9))
            contents = [m["content"][0]["content"][:6] for m in json.loads(got)["messages"][2::2]]
            assert contents == ["[taken", *["long l"] * 8]
            ledger.full = False
            await send(b, history_of(9))
            kinds = [record.kind for record in ledger.records()]
            assert kinds == ["decided", "sent", "void", "sent", "decided"]
            assert b.failures == []

    within(test)


def test_a_failing_policy_loses_no_request_and_no_old_decision(tmp_path: Path) -> None:
    def broken(
        _body: Body, _history: ConversationHistory, _log: Log, _moment: Moment
    ) -> tuple[Decision, ...]:
        raise ValueError("a bug")

    async def test() -> None:
        path = tmp_path / "log"
        faults: list[Exception] = []
        made = preparer(FileLedger(path), broken, faults=faults)
        async with bench(accept, preparer=preparer(FileLedger(path), all_but_last)) as b:
            before = await send(b, history_of(4))
        async with bench(accept, preparer=made) as b:
            assert await send(b, history_of(4)) == before
            assert await send(b, history_of(4), session="other") == history_of(4)
            assert [str(error) for error in faults] == ["a bug"] * 2

    within(test)


def test_a_failing_decision_log_loses_no_request(tmp_path: Path) -> None:
    class Broken(FileLedger):
        async def read(self, whose: RequestIdentity) -> Recovered:
            raise OSError(f"no disk for {whose.session}")

    async def test() -> None:
        async with bench(accept, preparer=preparer(Broken(tmp_path / "log"), all_but_last)) as b:
            assert await send(b, history_of(4)) == history_of(4)
            assert len(b.failures) == 1
            assert b.seen[0].trouble == "failed"

    within(test)


def test_simultaneous_requests_of_a_conversation_get_the_same_bytes(tmp_path: Path) -> None:
    async def test() -> None:
        ledger = FileLedger(tmp_path / "log")
        async with bench(accept, preparer=preparer(ledger, all_but_last)) as b:
            raw = history_of(6)
            head = b.head(
                "POST /v1/messages", "X-Session-Id: s", PLACE, f"Content-Length: {len(raw)}"
            )
            clients = [await b.ask(head, raw) for _ in range(5)]
            for client in clients:
                await client.head()
            sent = [r for visit in b.upstream.visits for r in bytes(visit.raw).split(b"POST ")[1:]]
            assert len(sent) == 5
            assert len(set(sent)) == 1
            assert ledger.kept == 4

    within(test)


def test_a_chunked_request_is_shortened_too(tmp_path: Path) -> None:
    async def test() -> None:
        made = preparer(FileLedger(tmp_path / "log"), all_but_last)
        async with bench(accept, preparer=made) as b:
            raw = history_of(4)
            pieces = b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in (raw[:99], raw[99:]))
            head = b.head(
                "POST /v1/messages", "X-Session-Id: s", PLACE, "Transfer-Encoding: chunked"
            )
            client = await b.ask(head, pieces + b"0\r\n\r\n")
            await client.head()
            got = bytes(b.upstream.visits[0].raw)
            assert got.count(b"[taken out") == 2
            assert got.endswith(b"\r\n0\r\n\r\n")

    within(test)


def test_a_chunked_request_with_an_empty_body_ends_once(tmp_path: Path) -> None:
    async def test() -> None:
        made = preparer(FileLedger(tmp_path / "log"), nothing)
        async with bench(accept_empty, preparer=made) as b:
            head = b.head(
                "POST /v1/messages", "X-Session-Id: s", PLACE, "Transfer-Encoding: chunked"
            )
            client = await b.ask(head, b"0\r\n\r\n")
            assert await client.head() + await client.body(2) == OK
            await client.say(b.head("GET /v1/models"))
            assert await client.head() + await client.body(2) == OK
            assert bytes(b.upstream.visits[0].raw).count(b"0\r\n\r\n") == 1

    within(test)


async def accept_empty(visit: Visit) -> None:
    await visit.head()
    visit.raw += await visit.reader.readuntil(b"0\r\n\r\n")
    await visit.say(OK)
    await visit.head()
    await visit.say(OK)
    await visit.gone()


def test_each_conversation_is_decided_one_request_at_a_time_above_the_cache_limit(
    tmp_path: Path,
) -> None:
    class Waits(FileLedger):
        now: list[str] = []  # noqa: RUF012 - of one test
        most = 0
        go = asyncio.Event()

        async def write(
            self, whose: RequestIdentity, turn: PlannedTurn
        ) -> tuple[tuple[str, ...], str]:
            self.now.append(whose.session)
            self.most = max(self.most, self.now.count(whose.session))
            await self.go.wait()
            self.now.remove(whose.session)
            return await super().write(whose, turn)

    async def test() -> None:
        ledger = Waits(tmp_path / "log")
        names = [f"s{number}" for number in range(20)]
        async with bench(accept, preparer=preparer(ledger, all_but_last)) as b:
            sent = [asyncio.create_task(send_one(b, name)) for name in [*names, *names]]
            while len(ledger.now) < len(names):
                await asyncio.sleep(0.001)
            for _ in range(100):
                await asyncio.sleep(0)
            ledger.go.set()
            await asyncio.gather(*sent)
            assert ledger.most == 1

    within(test)


async def send_one(b: Bench, session: str) -> None:
    raw = history_of(6)
    named = (f"X-Claude-Code-Session-Id: {session}", f"Content-Length: {len(raw)}")
    client = await b.ask(b.head("POST /v1/messages", PLACE, *named), raw)
    assert await client.head() + await client.body(2) == OK


# --- the deadline ---------------------------------------------------------------------------


class Silent(FileLedger):
    """Never answers; once its cancellation comes, it goes on waiting."""

    stubborn = False

    async def read(self, whose: RequestIdentity) -> Recovered:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if not self.stubborn:
                raise
            await asyncio.Event().wait()
        return Recovered()


class Slow(FileLedger):
    """Answers within the deadline."""

    async def write(self, whose: RequestIdentity, turn: PlannedTurn) -> tuple[tuple[str, ...], str]:
        await asyncio.sleep(PREPARE_DEADLINE_S / 5)
        return await super().write(whose, turn)


def test_a_long_plan_leaves_the_ledger_its_time(tmp_path: Path) -> None:
    """Only what is waited for counts: a plan longer than the deadline still gets its decisions."""

    def plans_long(body: Body, past: ConversationHistory, log: Log, moment: Moment) -> Any:
        time.sleep(2 * PREPARE_DEADLINE_S)
        return all_but_last(body, past, log, moment)

    async def test() -> None:
        made = preparer(Slow(tmp_path / "log"), plans_long)
        async with bench(accept, preparer=made, prepare_deadline_s=PREPARE_DEADLINE_S) as b:
            await send(b, history_of(5))
            await b.seen[0].over.wait()
            assert b.seen[0].trouble == ""
            assert b.seen[0].decisions != ()

    within(test)


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_preparer_that_never_answers_costs_the_deadline_and_changes_no_byte(
    tmp_path: Path, stubborn: bool
) -> None:
    async def test() -> None:
        ledger = Silent(tmp_path / "log")
        ledger.stubborn = stubborn
        made = preparer(ledger, all_but_last)
        loop = asyncio.get_running_loop()
        async with bench(accept, preparer=made, prepare_deadline_s=PREPARE_DEADLINE_S) as b:
            raw = history_of(5)
            await send(b, raw, session="")  # no ledger is asked; the connections are made
            begun = loop.time()
            assert await send(b, raw) == raw
            took_s = loop.time() - begun
            assert PREPARE_DEADLINE_S <= took_s < PREPARE_DEADLINE_S + 0.5  # a busy machine
            await b.seen[1].over.wait()
            assert [seen.trouble for seen in b.seen] == ["", "late"]
            assert b.seen[1].decisions == ()
            assert b.failures == []

    assert PREPARE_DEADLINE_S == 0.05
    within(test)


def test_records_on_a_slow_disk_are_written_before_the_next_request_leaves_or_at_the_deadline(
    tmp_path: Path,
) -> None:
    class Hangs(FileLedger):
        go = asyncio.Event()

        async def write(
            self, whose: RequestIdentity, turn: PlannedTurn
        ) -> tuple[tuple[str, ...], str]:
            await self.go.wait()
            return await super().write(whose, turn)

    async def test() -> None:
        ledger, known = Hangs(tmp_path / "log"), []

        async def count(visit: Visit) -> None:
            while True:
                head = (await visit.head()).lower()
                await visit.body(int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0]))
                known.append(len(ledger.records()))
                await visit.say(OK)

        made, loop = preparer(ledger, nothing), asyncio.get_running_loop()
        async with bench(count, preparer=made, prepare_deadline_s=PREPARE_DEADLINE_S) as b:
            await send(b, history_of(1))
            begun = loop.time()
            assert await send(b, history_of(2)) == history_of(2)
            took_s = loop.time() - begun
            assert PREPARE_DEADLINE_S <= took_s < PREPARE_DEADLINE_S + 0.5  # a busy machine
            ledger.go.set()
            await send(b, history_of(3))
            assert known == [0, 0, 2]
            ends = [record.end for record in ledger.records()]
            assert len({*ends}) == len(ends)

    within(test)


def test_the_record_of_an_exchange_marks_an_unprepared_request(tmp_path: Path) -> None:
    async def test() -> None:
        notes: list[Note] = []
        made = preparer(Silent(tmp_path / "log"), all_but_last)
        async with bench(accept, preparer=made, prepare_deadline_s=0.01) as b:
            observer = Observer(notes.append, b.failures.append)
            b.proxy.server._observe = observer.observe
            await send(b, history_of(2))
            while not notes:
                await asyncio.sleep(0.001)
        fields = notes[0].fields
        recorded = (fields["policy"], fields["decisions"], fields["unprepared"])
        assert recorded == ("balanced", [], "late")
        assert FlowNote.model_validate(dict(fields)).unprepared == "late"

    within(test)
