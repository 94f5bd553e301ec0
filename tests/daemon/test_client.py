"""Both clients: answers, errors, deadlines, and what is never sent twice."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.daemon import foreign
from tests.daemon.foreign import speaking
from tests.daemon.inside import inside
from tests.daemon.process import wait_for
from tests.daemon.toys import TOYS, NoteRequest
from tests.daemon.wire import run
from tests.leaks import nothing_left
from wm.api.sessions import EventRequest
from wm.daemon.client import Client, Events, ServerEvent, encode, plain
from wm.daemon.client_async import AsyncClient
from wm.daemon.messages import encode_head, too_busy
from wm.daemon.routes import Router
from wm.errors import HostError, NotFound, Unanswered, Unavailable, WmError
from wm.formats.events import UserPrompt
from wm.net.parser import MessageEnd, ResponseReader
from wm.settings import Settings, load


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "home" / "run").mkdir(parents=True)
    return load({"HOME": str(tmp_path), "WM_HOME": str(tmp_path / "home")})


class Both:
    """One caller's interface over either client."""

    def __init__(self, settings: Settings, kind: str) -> None:
        self.settings = settings
        self.kind = kind

    def call(self, name: str, fields: Any = None, **options: Any) -> Any:
        if self.kind == "sync":
            with Client(self.settings, _router=Router(TOYS)) as client:
                return client.call(name, fields, **options)

        async def asked() -> Any:
            async with AsyncClient(self.settings, _router=Router(TOYS)) as client:
                return await client.call(name, fields, **options)

        return asyncio.run(asked())


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def with_daemon(folder: Path, work: Callable[[Settings], Any], **limits: Any) -> None:
    """Run blocking `work` in a thread beside a daemon inside this process."""

    async def scenario() -> None:
        async with inside(folder, **limits) as daemon:
            await asyncio.to_thread(work, daemon.settings)

    run(scenario)


def test_a_use_case_is_called_by_its_name(tmp_path: Path, kind: str) -> None:
    def work(settings: Settings) -> None:
        caller = Both(settings, kind)
        assert caller.call("note", {"text": "ü"}) == {"texts": ["ü"], "batch": 0}
        assert caller.call("note_in", NoteRequest(text="x", workspace="a" * 16))["texts"] == ["x"]
        assert caller.call("notes", {"limit": 1, "labels": ["a", "b"]})["texts"] == ["ü"]
        text = caller.call("print", {"agent": "a b", "payload": {"k": 1}, "project": "/p"})
        assert text == "a b /p ['k']"

    with_daemon(tmp_path, work)


ERRORS: list[tuple[dict[str, Any], type[WmError], str, int]] = [
    ({"text": "missing"}, NotFound, "not_found", 404),
    ({}, HostError, "invalid_request", 422),
    ({"text": "bug"}, HostError, "internal", 500),
]


@pytest.mark.parametrize(("fields", "error", "code", "status"), ERRORS)
def test_a_refusal_is_raised_as_the_original_error(
    tmp_path: Path, kind: str, fields: dict[str, Any], error: type[WmError], code: str, status: int
) -> None:
    def work(settings: Settings) -> None:
        with pytest.raises(error) as caught:
            Both(settings, kind).call("note", fields)
        assert (caught.value.code, caught.value.status) == (code, status)
        if code == "not_found":
            assert (caught.value.message, caught.value.fix) == (
                "There is no such note.",
                "Write one.",
            )

    with_daemon(tmp_path, work)


def test_one_connection_carries_many_calls(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:

            def work() -> None:
                with Client(daemon.settings, _router=Router(TOYS)) as client:
                    for number in range(20):
                        client.call("notes", {"limit": number})

            await asyncio.to_thread(work)
            async with AsyncClient(daemon.settings, _router=Router(TOYS)) as client:
                for number in range(20):
                    await client.call("notes", {"limit": number})
            assert daemon.server.accepted == 2

    run(scenario)


def test_without_a_listener_a_call_fails_at_once(settings: Settings, kind: str) -> None:
    with pytest.raises(Unavailable, match="No daemon listens"):
        Both(settings, kind).call("status")
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(settings.paths.socket))
    with pytest.raises(Unavailable, match="No daemon listens"):
        Both(settings, kind).call("status")


BROKEN: list[tuple[bytes, str]] = [
    (b"", "without an answer|ended without"),
    (
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{",
        "in the middle of its answer|expected bytes",
    ),
]


@pytest.mark.parametrize(("answer", "message"), BROKEN, ids=["nothing", "half an answer"])
def test_an_update_without_an_answer_is_not_sent_again(
    settings: Settings, kind: str, answer: bytes, message: str
) -> None:
    with speaking(settings, answer) as received, pytest.raises(Unanswered, match=message):
        Both(settings, kind).call("note", {"text": "x"})
    assert len(received) == 1
    with suppress(FileNotFoundError):
        settings.paths.socket.unlink()
    with speaking(settings, answer), pytest.raises(Unavailable):
        Both(settings, kind).call("notes")


@pytest.mark.parametrize(
    "answer",
    [b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nxyz"],
    ids=["another protocol", "no JSON"],
)
def test_another_server_on_the_socket_is_recognised(
    settings: Settings, kind: str, answer: bytes
) -> None:
    answer = answer.replace(b"OK\r\n", b"OK\r\ncontent-type: application/json\r\n")
    with speaking(settings, answer), pytest.raises(Unavailable, match="does not speak"):
        Both(settings, kind).call("notes")


def test_a_connection_closed_while_idle_is_reopened(settings: Settings) -> None:
    whole = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    with (
        speaking(settings, whole, whole) as received,
        Client(settings, _router=Router(TOYS)) as client,
    ):
        client.call("note", {"text": "1"})
        wait_for(lambda: len(received) == 1)
        client.call("note", {"text": "2"})
    assert len(received) == 2


def test_a_deadline_is_kept(tmp_path: Path, kind: str) -> None:
    gate = tmp_path / "gate"

    def work(settings: Settings) -> None:
        with pytest.raises(Unanswered, match="in time"):
            Both(settings, kind).call("note", {"text": "x", "gate": str(gate)}, deadline_s=0.1)
        gate.touch()

    with_daemon(tmp_path, work)


def test_a_full_listener_is_retried_until_the_deadline(settings: Settings, kind: str) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(settings.paths.socket))
    listener.listen(0)
    waiting = []
    with suppress(BlockingIOError):
        while True:
            sock = socket.socket(socket.AF_UNIX)
            waiting.append(sock)
            sock.setblocking(False)
            sock.connect(str(settings.paths.socket))
    with pytest.raises(Unavailable, match="too busy"):
        Both(settings, kind).call("status")
    patient = replace(settings, daemon=replace(settings.daemon, connect_timeout_s=5.0))
    whole = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(Both(patient, kind).call, "notes")
        for sock in waiting:
            sock.close()  # the queue stays full of them until they are accepted
        asked = b""
        while not asked:
            sock, _ = listener.accept()
            with sock:
                asked = sock.recv(65536)
                if asked:
                    sock.sendall(whole)
        assert call.result() == {}
    listener.close()


def full(retry_after: int) -> bytes:
    """What the daemon says to whom it has no place for."""
    busy = too_busy("Too many connections are open.", close=True)
    head = encode_head(busy, length=len(busy.body), version="1.1", keep=False)
    return head.replace(b"retry-after: 1", b"retry-after: %d" % retry_after) + busy.body


def test_a_client_retries_when_the_daemon_is_full(settings: Settings, kind: str) -> None:
    whole = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    with speaking(settings, full(0), full(0), whole) as received:
        assert Both(settings, kind).call("note", {"text": "x"}) == {}
        wait_for(lambda: len(received) == 3)
    assert len(set(received)) == 1


def test_without_time_for_a_retry_the_refusal_is_returned(settings: Settings, kind: str) -> None:
    with speaking(settings, full(60)), pytest.raises(HostError, match="Too many connections"):
        Both(settings, kind).call("note", {"text": "x"})


def test_200_clients_at_once_lose_no_update(tmp_path: Path) -> None:
    def work(settings: Settings) -> None:
        patient = replace(settings, daemon=replace(settings.daemon, connect_timeout_s=10.0))

        def one(number: int) -> None:
            with Client(patient, _router=Router(TOYS)) as client:
                client.call("note", {"text": str(number)})

        with ThreadPoolExecutor(50) as pool:
            list(pool.map(one, range(200)))
        texts = Both(settings, "sync").call("notes")["texts"]
        assert sorted(texts, key=int) == [str(number) for number in range(200)]

    with_daemon(tmp_path, work)


def test_a_client_can_follow_changes(tmp_path: Path) -> None:
    def work(settings: Settings) -> None:
        client = Client(settings, _router=Router(TOYS))
        events = client.changes()
        assert next(events).event == "hello"
        client.call("note", {"text": "x"})
        assert next(events).data["slug"] == "tombstones"
        events.close()  # type: ignore[attr-defined]
        client.close()

    with_daemon(tmp_path, work)


def test_an_event_stream_cut_at_every_byte_reads_the_same() -> None:
    data = b'retry: 1\nid: a-1\nevent: change\ndata: {"k": 1}\n\nid: a-2\nevent: x\ndata: {}\n\n'
    framed = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (data[:9], data[9:]))
    framed = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + framed + b"0\r\n\r\n"
    expected = [ServerEvent("a-1", "change", {"k": 1}), ServerEvent("a-2", "x", {})]
    for at in range(len(framed) + 1):
        reader, events = ResponseReader(b"GET"), Events()
        arrived = [one for part in (framed[:at], framed[at:]) for one in reader.feed(part)]
        pieces = [one for one in arrived if isinstance(one, bytes)]
        assert [event for piece in pieces for event in events.feed(piece)] == expected
        assert arrived[-1] == MessageEnd()


def test_a_request_model_is_sent_with_the_kind_of_its_event() -> None:
    request = EventRequest(session_id="s", event=UserPrompt(text="x"))
    assert plain(request)["event"] == {"kind": "user_prompt", "text": "x", "messageId": ""}
    assert plain({"a": None}) == {"a": None}
    assert encode("POST", "/x", {}).endswith(b"content-length: 2\r\n\r\n{}")
    assert encode("POST", "/x").endswith(b"content-length: 0\r\n\r\n")
    assert encode("GET", "/x") == b"GET /x HTTP/1.1\r\nhost: wm\r\n\r\n"


def test_the_client_imports_neither_an_event_loop_nor_models() -> None:
    program = (
        "import sys, wm.daemon.client, wm.daemon.lifecycle;"
        "print(sorted({'asyncio', 'pydantic'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, env=environment
    )
    assert done.stdout == b"[]\n"


@foreign.needs_root
def test_a_client_sends_nothing_to_a_daemon_of_another_user(settings: Settings, kind: str) -> None:
    answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    with foreign.listener(answer) as (path, pipe):
        paths = replace(settings.paths, socket=path)
        theirs = Both(replace(settings, paths=paths), kind)
        with pytest.raises(Unavailable, match="another user"):
            theirs.call("note", NoteRequest(text="a secret plan"))
        assert foreign.received(pipe) == b""


def test_a_call_cancelled_at_any_step_leaves_no_connection(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            client = AsyncClient(daemon.settings, _router=Router(TOYS))
            over = False
            turns = 0
            while not over:
                call = asyncio.ensure_future(client.call("notes", {"limit": 1}))
                for _ in range(turns):
                    await asyncio.sleep(0)
                over = call.done()
                call.cancel()
                with suppress(asyncio.CancelledError):
                    await call
                await client.close()
                while daemon.server.connections:
                    await asyncio.sleep(0.001)
                turns += 1
            assert turns > 3

    with nothing_left():
        run(scenario)


def test_a_client_closed_during_a_call_gets_its_answer_and_keeps_no_connection(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            async with AsyncClient(daemon.settings, _router=Router(TOYS)) as client:
                call = asyncio.ensure_future(client.call("notes", {"limit": 1}))
                while not daemon.server.accepted:
                    await asyncio.sleep(0)
            await call
            while daemon.server.connections:
                await asyncio.sleep(0.001)

    with nothing_left():
        run(scenario)
