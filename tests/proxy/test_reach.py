"""A connect that is cancelled at any step of the loop leaves no socket open."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.leaks import nothing_left
from wm.proxy.origin import Origin
from wm.proxy.reach import reach
from wm.proxy.upstream import Pool, UpstreamConnection
from wm.settings import Network, ProxySettings

NAME = "api.example"
ORIGIN = Origin("https", NAME, 443)

Address = tuple[int, tuple[Any, ...]]
Close = Callable[[], object]
Begin = Callable[[], Coroutine[Any, Any, Close]]
"""It connects, and says how to close what is connected."""


class Loop(asyncio.SelectorEventLoop):
    """It knows the addresses of one name, and how many were tried."""

    addresses: tuple[Address, ...] = ()
    tried = 0

    async def getaddrinfo(self, host: Any, port: Any, **words: Any) -> list[Any]:
        if host != NAME:
            return await super().getaddrinfo(host, port, **words)
        await asyncio.sleep(0)
        return [(family, socket.SOCK_STREAM, 6, "", place) for family, place in self.addresses]

    async def sock_connect(self, sock: socket.socket, address: Any) -> None:
        self.tried += 1
        await super().sock_connect(sock, address)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        raise AssertionError(context["message"])  # nothing is to be said behind a cancellation


@contextlib.contextmanager
def listening(backlog: int = 512) -> Iterator[tuple[socket.socket, Address]]:
    """Nobody accepts there before the test asks who came."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(backlog)
        yield listener, (socket.AF_INET, listener.getsockname())


@contextlib.contextmanager
def silent() -> Iterator[Address]:
    """An address that neither answers nor refuses: its queue is full."""
    with listening(0) as (_listener, place), contextlib.ExitStack() as waiting:
        for _ in range(3):
            sock = waiting.enter_context(socket.socket())
            sock.setblocking(False)
            sock.connect_ex(place[1])
        yield place


@contextlib.contextmanager
def refusing() -> Iterator[Address]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield (socket.AF_INET, bound.getsockname())


def all_left(listener: socket.socket) -> int:
    """How many came; each of them is gone."""
    came = 0
    listener.setblocking(False)
    while True:
        try:
            sock, _address = listener.accept()
        except BlockingIOError:
            return came
        with sock, contextlib.suppress(ConnectionResetError):
            sock.settimeout(5)
            while sock.recv(65536):
                pass
        came += 1


async def cancelled_at(turn: int, begin: Begin, behind: int) -> bool:
    """Whether it was over by itself. behind: so many addresses are tried before turns count."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    loop.tried = 0
    task = asyncio.ensure_future(begin())
    while loop.tried < behind and not task.done():
        await asyncio.sleep(0)
    for _ in range(turn):
        await asyncio.sleep(0)
    over = task.done()
    task.cancel()
    try:
        close = await task
    except asyncio.CancelledError:
        return False
    assert over, f"turn {turn} took the cancellation for somebody else's"
    close()
    return True


MOST_TURNS = 150
"""A handshake takes the more turns, the slower the other side is: not all of them are tried."""


async def at_each_turn(begin: Begin, behind: int) -> int:
    """The loop goes on."""
    turn = 0
    while turn < MOST_TURNS and not await cancelled_at(turn, begin, behind):
        turn += 1
    await asyncio.sleep(0.05)  # what was aborted is closed behind it
    return turn


async def ends_at(turn: int, begin: Begin) -> asyncio.Task[Close]:
    """The loop ends behind it: it cancels what is under way."""
    task = asyncio.ensure_future(begin())
    for _ in range(turn):
        await asyncio.sleep(0)
    return task


def cancelled(addresses: tuple[Address, ...], begin: Begin, behind: int = 0) -> None:
    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.get_loop().addresses = addresses  # type: ignore[attr-defined]
        turns = runner.run(at_each_turn(begin, behind))
    assert turns > 1
    for turn in range(0 if behind else turns):
        with asyncio.Runner(loop_factory=Loop) as runner:
            runner.get_loop().addresses = addresses  # type: ignore[attr-defined]
            task = runner.run(ends_at(turn, begin))
        if not task.cancelled():  # the end takes some turns itself
            task.result()()


@pytest.mark.parametrize("which", ["one", "two", "refusing first"])
def test_a_connect_cancelled_at_any_step_leaves_no_socket(which: str) -> None:
    async def begin() -> Close:
        return (await reach(NAME, 80)).close

    with listening() as (first, one), listening() as (second, two), refusing() as dead:
        places = {"one": (one,), "two": (one, two), "refusing first": (dead, two)}[which]
        with nothing_left():
            cancelled(places, begin)
        assert all_left(first) + all_left(second) > 3


@pytest.mark.parametrize("patience_s", [0.01, 1e-6])
def test_a_cancelled_connect_with_a_silent_address_leaves_no_socket(patience_s: float) -> None:
    async def begin() -> Close:
        return (await reach(NAME, 80, patience_s=patience_s)).close

    with silent() as none, listening() as (listener, one), nothing_left():
        cancelled((none, one), begin, behind=2)
        cancelled((one, none), begin)
        assert all_left(listener) > 3


def test_a_local_name_with_two_address_families_leaves_no_socket() -> None:
    async def begin() -> Close:
        return (await reach("localhost", port)).close

    with listening() as (_listener, place), contextlib.ExitStack() as stack:
        port = place[1][1]
        if socket.has_ipv6:
            with contextlib.suppress(OSError):  # a machine without it
                other = stack.enter_context(socket.socket(socket.AF_INET6))
                other.bind(("::1", port))
                other.listen(512)
                stack.callback(lambda: all_left(other))
        with nothing_left():
            cancelled((), begin, behind=1)


@dataclass
class Farewell:
    """A TLS server, in a thread, that answers no farewell: it waits for the end of the socket."""

    listener: socket.socket
    context: ssl.SSLContext
    faults: list[str] = field(default_factory=list)
    came: int = 0

    def serve(self) -> None:
        while True:
            try:
                sock, _address = self.listener.accept()
            except OSError:
                return
            self.came += 1
            self._serve(sock)

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(5)
        if not self._asks(sock):  # whoever came has gone already
            sock.close()
            return
        talk = self.context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        with contextlib.suppress(OSError):
            talk.do_handshake()
            talk.recv(1)
        with socket.socket(fileno=talk.detach()) as raw:
            raw.settimeout(5)
            try:
                while raw.recv(4096):
                    pass
            except ConnectionError:
                pass
            except TimeoutError:
                self.faults.append("it is still open")

    @staticmethod
    def _asks(sock: socket.socket) -> bool:
        """Whether a handshake begins, behind what is said to a forward proxy."""
        try:
            if sock.recv(1, socket.MSG_PEEK) == b"C":
                ask = b""
                while data := sock.recv(4096) if b"\r\n\r\n" not in ask else b"":
                    ask += data
                sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            return bool(sock.recv(1, socket.MSG_PEEK))
        except OSError:
            return False


@contextlib.contextmanager
def farewell(certificate: Path) -> Iterator[tuple[Farewell, Address]]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    with listening() as (listener, place):
        server = Farewell(listener, context)
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            yield server, place
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize("way", ["straight", "through a forward proxy"])
def test_a_tls_connect_cancelled_at_any_step_leaves_no_socket(certificate: Path, way: str) -> None:
    network = Network("" if way == "straight" else f"http://{NAME}")
    settings = ProxySettings(ca_file=str(certificate / "cert.pem"))
    pools: dict[asyncio.AbstractEventLoop, Pool] = {}

    async def begin() -> Close:
        loop = asyncio.get_running_loop()
        if loop not in pools:
            pools[loop] = Pool(ORIGIN, settings, network)
        return (await pools[loop].connect()).transport.abort

    with farewell(certificate) as (server, place), refusing() as dead:
        with nothing_left():
            cancelled((dead, place), begin, behind=2)
        assert server.came > 1
    assert server.faults == []


def test_a_connect_cancelled_after_its_handshake_closes_the_socket_at_once(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = UpstreamConnection.connection_made
    handshakes = []  # ended at the client; the server may see its end only as a closed socket

    async def test() -> None:
        def made_and_cancelled(self: UpstreamConnection, transport: asyncio.BaseTransport) -> None:
            made(self, transport)
            handshakes.append(self)
            task.cancel()

        monkeypatch.setattr(UpstreamConnection, "connection_made", made_and_cancelled)
        task = asyncio.ensure_future(Pool(ORIGIN, settings).connect())
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()

    settings = ProxySettings(ca_file=str(certificate / "cert.pem"))
    with farewell(certificate) as (server, place):
        with nothing_left(), asyncio.Runner(loop_factory=Loop) as runner:
            runner.get_loop().addresses = (place,)  # type: ignore[attr-defined]
            runner.run(test())
        assert len(handshakes) == server.came == 1
    assert server.faults == []


def test_a_name_without_an_address_cannot_be_reached() -> None:
    with asyncio.Runner(loop_factory=Loop) as runner, pytest.raises(OSError, match="no address"):
        runner.run(reach(NAME, 80))
