"""Phantom tools between real sockets: streams, plain and compressed answers, and failures."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.clients.scripts import Answer, Request, call, say, think
from tests.clients.upstream import Verdict, events, whole
from tests.proxy.parts import Bench, Play, Visit, bench, within
from tests.proxy.test_preparing import FileLedger
from wm.domain.paging.ledger import folded
from wm.domain.paging.levels import LEVELS
from wm.errors import Unavailable
from wm.net.messages import ResponseHead
from wm.ops.paging.phantoms import NAMES
from wm.ops.paging.policy import PagingPolicy
from wm.ops.paging.turns import PlannedTurn
from wm.proxy.exchange import ExchangeOutcome
from wm.proxy.managing import ManagingPreparer
from wm.proxy.phantom_side import PhantomSide
from wm.wire.answer import message
from wm.wire.identity import RequestIdentity
from wm.wire.phantom_answer import PhantomAnswer
from wm.wire.policy import nothing

TOOLS = [{"name": "Read", "input_schema": {"type": "object"}}]
ASKS = (think("Hm."), call("memory_query", query="quay"))
SAYS = (say("At the quay."),)
BOTH = (say("Both."), call("memory_query", query="quay"), call("Read", path="a"))


class Answering(FileLedger):
    """Answers the tools, if the daemon is there."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.is_there = True
        self.answers_after_s = 0.0
        self.was_cancelled = asyncio.Event()
        self.may_write = asyncio.Event()
        self.may_write.set()
        self.hangs_after_call = False
        self.steps: list[str] = []
        """The texts of the steps that were written."""
        self.when_asked: list[str] = []

    async def write(self, whose: RequestIdentity, turn: PlannedTurn) -> tuple[tuple[str, ...], str]:
        await self.may_write.wait()
        self.steps += [part.text for one in turn.objects for part in one.parts]
        return await super().write(whose, turn)

    async def call(self, whose: RequestIdentity, tool: str, arguments: Mapping[str, Any]) -> str:
        self.asked.append((tool, arguments))
        self.when_asked = list(self.steps)
        if self.hangs_after_call:
            self.may_write.clear()
        try:
            await asyncio.sleep(self.answers_after_s)
        except asyncio.CancelledError:
            self.was_cancelled.set()
            raise
        if not self.is_there:
            raise Unavailable("no daemon", fix="Start it.")
        return f"{whose.session}: berth 7"


def preparer(ledger: FileLedger, calls_s: float = 8.0) -> ManagingPreparer:
    return ManagingPreparer(
        "safe", ledger, lambda _name: nothing, [].append, offers=True, calls_s=calls_s
    )


def request(*messages: Any, stream: bool = True) -> bytes:
    listed = [
        {"role": "assistant" if number % 2 else "user", "content": content}
        for number, content in enumerate(messages or ("go",))
    ]
    body = {"model": "m", "max_tokens": 9, "stream": stream, "tools": TOOLS, "messages": listed}
    return json.dumps(body).encode()


def verdict(*blocks: Any, number: int = 1) -> Verdict:
    made = []
    for at, block in enumerate(blocks):
        extra = {
            "tool_use": {"id": f"toolu_{number}_{at}"},
            "thinking": {"signature": f"s{number}"},
        }
        made.append({**block, **extra.get(block["type"], {})})
    return Verdict(200, Answer(), blocks=tuple(made), number=number)


def streamed(*blocks: Any, number: int = 1) -> bytes:
    row = events(Request("POST", "/", {}, {}), verdict(*blocks, number=number))
    body = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in row).encode()
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    return (
        head
        + b"".join(
            b"%x\r\n%b\r\n" % (len(part), part)
            for part in (body[at : at + 37] for at in range(0, len(body), 37))
        )
        + b"0\r\n\r\n"
    )


def plain(*blocks: Any, number: int = 1, pack: bool = False) -> bytes:
    body = json.dumps(whole(Request("POST", "/", {}, {}), verdict(*blocks, number=number))).encode()
    body, coding = (gzip.compress(body), b"Content-Encoding: gzip\r\n") if pack else (body, b"")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%bContent-Length: %d\r\n\r\n"
    return head % (coding, len(body)) + body


def refusal(status: int) -> bytes:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    body = json.dumps(error).encode()
    head = b"HTTP/1.1 %d No\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (status, len(body)) + body


def answers(*said: bytes) -> Play:
    """One answer for each request, over any number of connections; b"" breaks the connection."""
    left = list(said)

    async def script(visit: Visit) -> None:
        while left:
            head = (await visit.head()).lower()
            await visit.body(int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0]))
            one = left.pop(0)
            if not one:
                return
            await visit.say(one)
        await visit.gone()

    return script


async def asks(b: Bench, raw: bytes) -> Visit:
    named = ("X-Claude-Code-Session-Id: s", "X-Wm-Workspace: /quay", "Accept-Encoding: gzip, br")
    return await b.ask(b.head("POST /v1/messages", *named, f"Content-Length: {len(raw)}"), raw)


async def got(client: Visit) -> tuple[bytes, bytes]:
    """Head and body of an answer."""
    head = await client.head()
    lower = head.lower()
    if b"content-length" in lower:
        size = int(lower.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return head, await client.body(size)
    parts = []
    while size := int((await client.reader.readline()).strip(), 16):
        parts.append((await client.reader.readexactly(size + 2))[:-2])
    await client.reader.readexactly(2)
    return head, b"".join(parts)


def sent(b: Bench) -> list[dict[str, Any]]:
    """The bodies that the upstream got."""
    raw = b"".join(bytes(visit.raw) for visit in b.upstream.visits)
    found = []
    while raw:
        head, _, rest = raw.partition(b"\r\n\r\n")
        assert b"accept-encoding: identity" in head.lower()
        size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        found.append(json.loads(rest[:size]))
        raw = rest[size:]
    return found


def scene(
    tmp_path: Path,
    play: Play,
    act: Callable[[Bench, Answering], Any],
    calls_s: float = 8.0,
    **deadline: float,
) -> None:
    async def test() -> None:
        ledger = Answering(tmp_path / "log")
        async with bench(play, preparer=preparer(ledger, calls_s), **deadline) as b:
            await act(b, ledger)
            assert b.failures == []

    within(test)


@pytest.mark.parametrize("kind", ["stream", "plain", "gzip"])
def test_the_generation_continues_and_one_message_arrives(tmp_path: Path, kind: str) -> None:
    def made(*blocks: Any, number: int) -> bytes:
        if kind == "stream":
            return streamed(*blocks, number=number)
        return plain(*blocks, number=number, pack=kind == "gzip")

    async def act(b: Bench, ledger: Answering) -> None:
        client = await asks(b, request(stream=kind == "stream"))
        head, raw = await got(client)
        assert b"content-encoding" not in head.lower()
        found = json.loads(message([raw]) or b"{}" if kind == "stream" else raw)
        assert [block["type"] for block in found["content"]] == ["thinking", "text"]
        assert found["stop_reason"] == "end_turn"
        assert found["usage"]["output_tokens"] > 20  # of both answers
        assert not any(name.encode() in raw for name in NAMES)
        assert ledger.asked == [("memory_query", {"query": "quay"})]
        first, second = sent(b)
        assert second["messages"][:1] == first["messages"]
        assert second["tools"] == first["tools"]
        said, results = second["messages"][1:]
        assert [block["type"] for block in said["content"]] == ["thinking", "tool_use"]
        assert results["content"] == [
            {"type": "tool_result", "tool_use_id": "toolu_1_1", "content": "s: berth 7"}
        ]
        assert folded(ledger.records()).whole.phantoms == 1
        # The next request of the client has it where it happened.
        history = ("go", found["content"], "more")
        await got(await asks(b, request(*history, stream=kind == "stream")))
        assert sent(b)[2]["messages"][:3] == second["messages"]

    scene(
        tmp_path, answers(made(*ASKS, number=1), made(*SAYS, number=2), made(*SAYS, number=3)), act
    )


def test_an_answer_without_calls_of_ours_keeps_its_bytes(tmp_path: Path) -> None:
    for number, said in enumerate((streamed(think("Hm."), *SAYS), plain(*SAYS))):

        async def act(b: Bench, _ledger: Answering, said: bytes = said) -> None:
            _, raw = await got(await asks(b, request(stream=said.startswith(b"HTTP"))))
            expected = said.partition(b"\r\n\r\n")[2]
            assert raw in (expected, unchunked(expected))

        (tmp_path / str(number)).mkdir()
        scene(tmp_path / str(number), answers(said), act)


def unchunked(raw: bytes) -> bytes:
    parts = []
    while raw and b"\r\n" in raw:
        size, _, rest = raw.partition(b"\r\n")
        if not all(sign in b"0123456789abcdef" for sign in size):
            return b""
        length = int(size, 16)
        parts.append(rest[:length])
        raw = rest[length + 2 :]
    return b"".join(parts)


def test_with_real_calls_the_client_has_its_turn_first(tmp_path: Path) -> None:
    async def act(b: Bench, ledger: Answering) -> None:
        _, raw = await got(await asks(b, request()))
        found = json.loads(message([raw]) or b"{}")
        assert [block.get("name") for block in found["content"]] == [None, "Read"]
        assert found["stop_reason"] == "tool_use"
        assert len(sent(b)) == 1
        assert folded(ledger.records()).whole.phantoms == 1  # before the client got the end
        result = {"type": "tool_result", "tool_use_id": "toolu_1_2", "content": "a file"}
        await got(await asks(b, request("go", found["content"], [result])))
        results = sent(b)[1]["messages"][2]["content"]
        assert [one["tool_use_id"] for one in results] == ["toolu_1_1", "toolu_1_2"]

    scene(tmp_path, answers(streamed(*BOTH), streamed(*SAYS, number=2)), act)


def test_a_query_finds_the_steps_of_the_request_before(tmp_path: Path) -> None:
    """Steps are written some time after an answer, and a fast model asks sooner."""
    policy, text = PagingPolicy(LEVELS["balanced"]), "berth 7\n" * 200
    result = {"type": "tool_result", "tool_use_id": "toolu_1_0", "content": text}

    async def test() -> None:
        ledger = Answering(tmp_path / "log")
        one = ManagingPreparer("balanced", ledger, lambda _name: policy, [].append, offers=True)
        said = [(call("Bash", command="ls"),), SAYS, ASKS, SAYS]
        play = answers(*(streamed(*row, number=n) for n, row in enumerate(said, start=1)))
        async with bench(play, preparer=one) as b:
            history: list[Any] = ["go"]
            for more in ([result], "more", ""):
                _, raw = await got(await asks(b, request(*history)))
                history += [json.loads(message([raw]) or b"{}")["content"], more]
            assert text in ledger.when_asked

    within(test)


def test_a_failed_tool_informs_the_model(tmp_path: Path) -> None:
    async def act(b: Bench, ledger: Answering) -> None:
        ledger.is_there = False
        await got(await asks(b, request()))
        (result,) = sent(b)[1]["messages"][2]["content"]
        assert (result["is_error"], result["content"]) == (True, "no daemon Start it.")

    scene(tmp_path, answers(streamed(*ASKS), streamed(*SAYS, number=2)), act)


@pytest.mark.parametrize(
    ("after_s", "within_s", "expected"),
    [(0.2, 8.0, "s: berth 7"), (5.0, 0.2, "wm could not answer in time.")],
)
def test_a_late_result_is_recorded_as_it_was_sent(
    tmp_path: Path, after_s: float, within_s: float, expected: str
) -> None:
    """Later than a request may wait for the ledger; and later than a call may take."""

    async def act(b: Bench, ledger: Answering) -> None:
        ledger.answers_after_s = after_s
        _, raw = await got(await asks(b, request()))
        second = sent(b)[1]
        assert second["messages"][2]["content"][0]["content"] == expected
        recorded = folded(ledger.records()).whole.unseen.values()
        assert any(expected in one.text for one in recorded)
        history = ("go", json.loads(message([raw]) or b"{}")["content"], "more")
        await got(await asks(b, request(*history)))
        assert sent(b)[2]["messages"][:3] == second["messages"]

    said = (streamed(*ASKS), streamed(*SAYS, number=2), streamed(*SAYS, number=3))
    scene(tmp_path, answers(*said), act, within_s)


async def leaves_during_a_call(b: Bench, ledger: Answering) -> None:
    """A client goes away while a call is carried out, and asks again without having seen it."""
    client = await asks(b, request())
    while not ledger.asked:
        await asyncio.sleep(0.001)
    client.writer.close()
    await b.seen[0].over.wait()
    await got(await asks(b, request("go", [say("Both.")], "more")))


def test_the_next_request_has_an_exchange_that_is_not_on_disk_yet(tmp_path: Path) -> None:
    async def act(b: Bench, ledger: Answering) -> None:
        ledger.hangs_after_call = True
        await leaves_during_a_call(b, ledger)
        said, results, *_ = sent(b)[1]["messages"][1:]
        assert [block["type"] for block in said["content"]] == ["text", "tool_use"]
        assert results["content"][0]["content"] == "s: berth 7"
        ledger.may_write.set()
        while not folded(ledger.records()).whole.phantoms:
            await asyncio.sleep(0.001)

    asked = (say("Both."), call("memory_query", query="quay"))
    scene(
        tmp_path, answers(streamed(*asked), streamed(*SAYS, number=2)), act, prepare_deadline_s=1.0
    )


def test_calls_that_a_client_did_not_wait_for_leave_no_trace(tmp_path: Path) -> None:
    async def act(b: Bench, ledger: Answering) -> None:
        ledger.answers_after_s = 30.0
        await leaves_during_a_call(b, ledger)
        await ledger.was_cancelled.wait()
        await got(await asks(b, request("go", [say("Both.")], "more", SAYS, "end")))
        second, third = sent(b)[1:]
        assert (
            third["messages"][:3]
            == second["messages"]
            == [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": [say("Both.")]},
                {"role": "user", "content": "more"},
            ]
        )

    asked = (say("Both."), call("memory_query", query="quay"))
    said = (streamed(*asked), streamed(*SAYS, number=2), streamed(*SAYS, number=3))
    scene(tmp_path, answers(*said), act)


def test_a_model_that_asks_without_end_is_stopped(tmp_path: Path) -> None:
    many = [streamed(*ASKS, number=number) for number in range(1, 30)]

    async def act(b: Bench, _ledger: Answering) -> None:
        _, raw = await got(await asks(b, request()))
        found = json.loads(message([raw]) or b"{}")
        assert found["stop_reason"] == "end_turn"
        assert len(sent(b)) == 9

    scene(tmp_path, answers(*many), act)


@pytest.mark.parametrize("more", [refusal(529), b""])
def test_a_stream_whose_rest_does_not_come_ends_in_an_error_event(
    tmp_path: Path, more: bytes
) -> None:
    async def act(b: Bench, _ledger: Answering) -> None:
        _, raw = await got(await asks(b, request()))
        last = json.loads(raw.rpartition(b"data: ")[2])
        kind = "overloaded_error" if more else "api_error"
        assert (last["type"], last["error"]["type"]) == ("error", kind)
        # Asked again, it gets its answer, and the first one does not disturb it.
        _, raw = await got(await asks(b, request()))
        assert [block["type"] for block in json.loads(message([raw]) or b"{}")["content"]] == [
            "text"
        ]

    scene(tmp_path, answers(streamed(*ASKS), more, streamed(*SAYS, number=3)), act)


def test_a_plain_answer_whose_rest_is_refused_is_that_refusal(tmp_path: Path) -> None:
    async def act(b: Bench, _ledger: Answering) -> None:
        head, raw = await got(await asks(b, request(stream=False)))
        assert head.startswith(b"HTTP/1.1 529")
        assert json.loads(raw)["error"]["type"] == "overloaded_error"

    scene(tmp_path, answers(plain(*ASKS), refusal(529)), act)


def test_damaged_compressed_answers_end_in_an_error(tmp_path: Path) -> None:
    broken = plain(*SAYS, pack=True)

    async def test() -> None:
        async with bench(
            answers(broken[:-180] + b"\xff" * 180), preparer=preparer(Answering(tmp_path / "log"))
        ) as b:
            head, raw = await got(await asks(b, request(stream=False)))
            assert head.startswith(b"HTTP/1.1 502")
            assert json.loads(raw)["type"] == "error"

    within(test)


def test_an_answer_whose_end_cannot_be_read_keeps_its_bytes(tmp_path: Path) -> None:
    said = streamed(*SAYS)

    async def test() -> None:
        raw = unchunked(said.partition(b"\r\n\r\n")[2])
        raw = raw.replace(b'{"type": "message_stop"}', b'{"type": "message_stop",')
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n"
        play = answers(head % len(raw) + raw)
        async with bench(play, preparer=preparer(Answering(tmp_path / "log"))) as b:
            _, got_raw = await got(await asks(b, request()))
            assert got_raw == raw
            assert b"message_delta" in raw
            assert len(b.failures) == 1

    within(test)


def test_a_plain_answer_that_is_too_long_to_read_passes_unread() -> None:
    long = json.dumps(whole(Request("POST", "/", {}, {}), verdict(say("quay " * 900)))).encode()
    head = ResponseHead(200, b"OK", [(b"Content-Type", b"application/json")])
    side = PhantomSide(PhantomAnswer(NAMES), b"", b"", 1000, [].append, 0.0)
    assert side.head(head) is None
    passed = [side.body(long[at : at + 300]) for at in range(0, len(long), 300)]
    passed.append(side.end())
    assert [one for one, _ in passed if one] == [head]
    assert b"".join(data for _, data in passed) == long
    assert max(len(data) for _, data in passed) <= 1300
    assert not side.has_calls


@pytest.mark.parametrize("kind", ["stream", "plain"])
def test_cleanup_tags_are_taught_and_only_the_service_sees_them(tmp_path: Path, kind: str) -> None:
    """Also by a client with our tools, which is offered none."""
    text = 'Both.\n<wm:drop of="a"/>\nMore.'
    made = streamed if kind == "stream" else plain
    policy = PagingPolicy(LEVELS["balanced"], reads_tags=True)
    ours = {"name": "mcp__wm__memory_query", "input_schema": {"type": "object"}}

    def asked(*messages: Any) -> bytes:
        found = json.loads(request(*messages, stream=kind == "stream"))
        return json.dumps({**found, "tools": [ours], "system": "Be brief."}).encode()

    async def test() -> None:
        ledger = Answering(tmp_path / "log")
        one = ManagingPreparer("balanced", ledger, lambda _name: policy, [].append, offers=True)
        play = answers(made(say(text)), made(*SAYS, number=2), made(*SAYS, number=3))
        async with bench(play, preparer=one) as b:
            _, raw = await got(await asks(b, asked()))
            found = json.loads(message([raw]) or b"{}" if kind == "stream" else raw)
            assert found["content"] == [say("Both.\nMore.")]
            await got(await asks(b, asked("go", found["content"], "more")))
            await got(await asks(b, asked("go", "Both.\nMore.", "more", [*SAYS], "end")))
            first, second, third = sent(b)
            assert [block["type"] for block in first["system"]] == ["text", "text"]
            assert "<wm:drop of=" in first["system"][1]["text"]
            assert first["system"] == second["system"] == third["system"]
            assert second["messages"][1]["content"] == third["messages"][1]["content"]
            assert second["messages"][1]["content"] == [say(text)]
            assert len(first["tools"]) == 1
            assert folded(ledger.records()).whole.phantoms == 0
            assert b.failures == []

    within(test)


def test_an_answer_with_tags_alone_does_not_count_as_use_of_a_hidden_tool(tmp_path: Path) -> None:
    policy = PagingPolicy(LEVELS["balanced"], reads_tags=True)
    tagged = say('Berth 7.\n<wm:drop of="a"/>\n')

    async def test() -> None:
        ledger = Answering(tmp_path / "log")
        one = ManagingPreparer("balanced", ledger, lambda _name: policy, [].append, offers=True)
        async with bench(answers(plain(*ASKS), plain(tagged, number=2)), preparer=one) as b:
            await got(await asks(b, request(stream=False)))
            assert folded(ledger.records()).whole.phantoms == 1
            assert b.failures == []

    within(test)


def test_a_client_that_leaves_ends_the_further_request(tmp_path: Path) -> None:
    async def act(b: Bench, _ledger: Answering) -> None:
        client = await asks(b, request())
        while len(b.upstream.visits) < 1 or b"tool_result" not in b.upstream.visits[0].raw:
            await asyncio.sleep(0.001)
        client.writer.close()
        await b.seen[0].over.wait()
        assert b.seen[0].outcome is ExchangeOutcome.CLIENT_LEFT

    async def stalls(visit: Visit) -> None:
        await answers(streamed(*ASKS), streamed(*SAYS)[:200], b"")(visit)

    scene(tmp_path, stalls, act)
