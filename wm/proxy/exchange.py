"""One request and its answer on their way through (PX-1, PX-10).

Every piece goes on at once and as it came; where a policy is at work, a turn (`wm.wire.turn`) is
told what comes and says what goes on. Whoever cannot take more stops the other end. A client that
leaves ends the upstream's call; an upstream that breaks off breaks the client's answer off at the
same byte. A watcher sees everything and can change nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from msgspec import Struct, field

from wm.proxy import heads
from wm.proxy.guard import Admitted, Refused
from wm.proxy.heads import Framing, RequestHead, ResponseHead
from wm.proxy.turns import Held
from wm.proxy.upstream import WAITING_BYTES, Connection, Pool
from wm.wire.turn import Begin, Command, Commands, End, Forward, Hand, Prepare, Turn

STALE_S = 2.0
"""Within this time the loss of a kept connection means that it had been given up before."""
_TOGETHER_BYTES = 64 * 1024


class Outcome(Enum):
    """How an exchange ended."""

    WHOLE = "whole"
    CLIENT_LEFT = "client_left"
    UPSTREAM_CUT = "upstream_cut"
    UNREACHABLE = "unreachable"


class Client(Protocol):
    """What an exchange needs of the client's connection."""

    def send(self, data: bytes) -> None:
        """Write these bytes to the client."""

    def takes(self, ready: bool) -> None:
        """Whether more of the request is wanted now."""

    def done(self, *, keep: bool) -> None:
        """The answer is complete; the connection may go on or ends."""

    def cut(self, *, seen: bool) -> None:
        """Break off: the client must see that the answer is not whole. seen: it does where the
        connection just ends."""


class Watcher(Protocol):
    """Sees one exchange. Called behind the writes; what it raises ends the watching only."""

    def decided(self, policy: str, blocks: tuple[str, ...]) -> None:
        """A policy saw the request; these it decided now. Before `request`."""

    def request(self, body: list[bytes], size: int) -> None:
        """The whole request has gone on; these are the pieces that came, none of one that is too
        long to be kept."""

    def head(self, head: ResponseHead) -> None:
        """The head of the answer has gone on."""

    def body(self, data: bytes) -> None:
        """A piece of the answer has gone on."""

    @property
    def held_bytes(self) -> int:
        """What it keeps of bodies until it concludes."""

    def ended(self, outcome: Outcome) -> None:
        """Nothing follows."""

    def conclude(self) -> None:
        """Make something of all that was seen. Some time after the end, when others have what
        they wait for."""


class _Request(Struct):
    """What was sent of the request, kept until nothing can make us send it again."""

    chunked: bool
    most: int
    head: bytes = b""
    body: list[bytes] = field(default_factory=list)
    size: int = 0
    ended: bool = False

    @property
    def kept(self) -> bool:
        """Nothing of a request that is too long is kept."""
        return self.size <= self.most

    def keep(self, data: bytes) -> None:
        self.size += len(data)
        if self.kept:
            self.body.append(data)
        else:
            self.body.clear()

    def give_up(self) -> None:
        """Nothing can make us send it again. Who was given the body goes on holding it."""
        self.body, self.most = [], 0


class Exchange:
    """Sink of an upstream connection, driven by a client's connection. On the event loop."""

    def __init__(
        self,
        pool: Pool,
        client: Client,
        head: RequestHead,
        admitted: Admitted,
        held: Held | None,
        watcher: Watcher,
        failed: Failed,
    ) -> None:
        self._pool = pool
        self._client = client
        self._asked = head
        self._admitted = admitted
        self._held = held
        self._turn = held.turn if held is not None else None
        most = pool.kept_request_bytes
        self._request = _Request(head.get(b"transfer-encoding") is not None, most)
        self._came = _Request(chunked=False, most=most) if self._held else self._request
        self._watcher: Watcher | None = watcher
        self._failed = failed
        self._connection: Connection | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._unsent: list[bytes] = []
        self._stopped = False
        """The client was told to wait until there is a connection."""
        self._takes = True
        self._framing: Framing | None = None
        self._to_client: list[bytes] = []
        self._unwatched: list[Look] = []
        self._keep = False
        self._begun = 0.0
        self._tried_again = False
        self._over = False
        pool.later.begun()

    # -- from the client -----------------------------------------------------------------------

    def start(self) -> None:
        """With a turn it is the turn that says when."""
        if self._turn is None:
            self._begin(None)

    def more(self, data: bytes) -> None:
        """A piece of the request's body."""
        if self._turn is None:
            self._forward(data)
        else:
            self._came.keep(data)
            self._do(self._turn.came(data))

    def end(self) -> None:
        """The request is whole."""
        if self._turn is None:
            self._end_of_request()
        else:
            self._do(self._turn.whole())
        self.flush()
        if self._request.ended:
            self._asked_all()

    def flush(self) -> None:
        """Send on what has come since."""
        if self._connection is not None:
            self._connection.asked_all = self._request.ended
            _write(self._connection, self._unsent)

    # -- what the turn says --------------------------------------------------------------------

    def _do(self, commands: Commands) -> None:
        for command in commands:
            if isinstance(command, Forward):
                self._forward(command.data)
            elif isinstance(command, Hand):
                self._hand(command.data)
            elif isinstance(command, Begin):
                self._begin(command.length)
            elif isinstance(command, End):
                self._end_of_request()
            else:
                self._wait_for(command)

    def _end_of_request(self) -> None:
        self._request.ended = True
        if self._request.chunked:
            self._unsent.append(b"0\r\n\r\n")

    def _begin(self, length: int | None) -> None:
        origin = self._pool.origin
        target = origin.target(self._admitted.target)
        self._request.head = heads.to_upstream(
            self._asked, target=target, host=origin.authority, length=length
        )
        connection = self._pool.at_hand()
        if connection is not None:
            self._use(connection)
        else:
            self._connect()

    def _forward(self, data: bytes) -> None:
        if not data:  # as a chunk it would be the end
            return
        self._request.keep(data)
        self._unsent.append(_chunk(data) if self._request.chunked else data)
        if self._connection is None and self._request.size > WAITING_BYTES and not self._stopped:
            self._stopped = True
            self._client.takes(False)

    def _hand(self, data: bytes) -> None:
        assert self._framing is not None
        self._to_client.append(_chunk(data) if self._framing.chunked else data)

    def _wait_for(self, command: Command) -> None:
        """Of the commands only `Prepare` comes here: a turn's `Keep` is done with it."""
        assert isinstance(command, Prepare)
        assert self._held is not None
        self._preparing = self._pool.loop.create_task(self._through(self._held, command))

    async def _through(self, held: Held, command: Prepare) -> None:
        """One of the doors with a broad catch: a fault of ours costs no request."""
        try:
            commands = await held.through(command)
        except Exception as error:  # noqa: BLE001 - the proxy's fallback
            self._failed(error)
            commands = held.turn.failed()
        if self._over:  # the client left; what was decided stays decided
            return
        self._do(commands)
        if self._request.ended:
            self.flush()
            self._watch(lambda w: w.decided(held.policy, tuple(one.block for one in held.decided)))
            self._asked_all()

    def _asked_all(self) -> None:
        came, size = self._came.body, self._came.size
        self._watch(lambda watcher: watcher.request(came, size))

    @property
    def answering(self) -> bool:
        """Something of an answer has gone to the client."""
        return self._framing is not None

    def client_left(self) -> None:
        self._finish(Outcome.CLIENT_LEFT)

    def client_takes(self, ready: bool) -> None:
        """The client is (not) able to take more of the answer."""
        self._takes = ready
        if self._connection is not None:
            if ready:
                self._connection.resume()
            else:
                self._connection.pause()

    # -- connecting ----------------------------------------------------------------------------

    def _connect(self) -> None:
        self._connecting = self._pool.loop.create_task(self._connected())

    async def _connected(self) -> None:
        """One of the doors with a broad catch: nobody else would tell the client."""
        try:
            connection = await self._pool.connect()
        except OSError as error:
            self._connecting = None
            self._unreachable(str(error) or "it did not answer in time")
            return
        except Exception as error:  # noqa: BLE001 - also some Pythons' IndexError for no answer
            self._connecting = None
            self._failed(error)
            self._unreachable("connecting failed by a fault of ours")
            return
        self._connecting = None
        if self._over:
            connection.abort()
            return
        self._use(connection)
        self.flush()

    def _use(self, connection: Connection) -> None:
        self._connection = connection
        self._begun = self._pool.loop.time()
        connection.begin(self, self._asked.method)
        if not self._takes:
            connection.pause()
        self._unsent.insert(0, self._request.head)
        if self._stopped:
            self._stopped = False
            self._client.takes(True)

    def _unreachable(self, reason: str) -> None:
        if self._over:
            return
        where = self._pool.origin.authority.decode("ascii")
        message = f"wm proxy cannot reach {where}: {reason}."
        self._client.send(refusal(Refused(502, message), version=self._asked.version))
        self._finish(Outcome.UNREACHABLE)
        self._client.done(keep=False)

    # -- from the upstream -----------------------------------------------------------------------

    def answer_soon(self, head: ResponseHead) -> None:
        version = self._asked.version
        if self._framing is None and version == "1.1":
            said = heads.to_client(head, framing=Framing(bodiless=True), keep=True, version=version)
            self._client.send(said)

    def answer_head(self, head: ResponseHead) -> None:
        version = self._asked.version
        self._framing = heads.framing(head, method=self._asked.method, version=version)
        # A client that still sends is not done with this request.
        self._keep = self._asked.keep and self._request.ended and not self._framing.closes
        self._request.give_up()
        self._to_client.append(
            heads.to_client(head, framing=self._framing, keep=self._keep, version=version)
        )
        if self._turn is not None:
            self._turn.answered(events=self._framing.chunked and _events(head))
        self._unwatched.append(lambda watcher: watcher.head(head))

    def answer_body(self, data: bytes) -> None:
        if self._framing is None or self._framing.bodiless:
            return
        if self._turn is None:
            self._hand(data)
        else:
            self._do(self._heard(self._turn, self._turn.answer, data))
        self._unwatched.append(lambda watcher: watcher.body(data))

    def answer_read(self, *, last: bool = False) -> None:
        if last:
            if self._turn is not None:
                self._do(self._heard(self._turn, self._turn.answer_ended))
            if self._framing is not None and self._framing.chunked:
                self._to_client.append(b"0\r\n\r\n")
        if self._to_client:
            parts, self._to_client = self._to_client, []
            self._client.send(parts[0] if len(parts) == 1 else b"".join(parts))
        if self._unwatched:  # behind the write
            looks, self._unwatched = self._unwatched, []
            for look in looks:
                self._watch(look)

    def answer_ended(self) -> None:
        self._connection = None
        self._finish(Outcome.WHOLE)
        self._client.done(keep=self._keep)

    def _heard(self, turn: Turn, listen: Callable[..., Commands], *heard: bytes) -> Commands:
        """One of the doors with a broad catch: a fault of the ear costs no byte."""
        try:
            return listen(*heard)
        except Exception as error:  # noqa: BLE001 - the proxy's fallback
            self._failed(error)
            return turn.deaf()

    def upstream_lost(self, reason: str) -> None:
        gone, self._connection = self._connection, None
        unheard = gone is not None and gone.used > 0 and not gone.heard and self._request.kept
        self._client.takes(True)  # nobody else takes back what the lost connection said
        if self._framing is not None:
            if self._turn is not None:
                self._do(self._turn.deaf())  # what it waited to hear the end of
            self.answer_read()
            self._finish(Outcome.UPSTREAM_CUT)
            self._client.cut(seen=not self._framing.closes)
        elif unheard and not self._tried_again and self._pool.loop.time() - self._begun < STALE_S:
            self._again()
        else:
            self._unreachable(reason)

    def upstream_takes(self, ready: bool) -> None:
        self._client.takes(ready)

    def _again(self) -> None:
        """A kept connection closed at the moment that our request set out on it, without a byte
        of an answer: the upstream had given it up before. The request goes once more, on a new
        one, as it would have gone without a proxy that keeps connections."""
        self._tried_again = True
        request = self._request
        self._unsent = [_chunk(d) if request.chunked else d for d in request.body]
        if request.ended and request.chunked:
            self._unsent.append(b"0\r\n\r\n")
        self._connect()

    # -- the end -----------------------------------------------------------------------------------

    def _finish(self, outcome: Outcome) -> None:
        if self._over:
            return
        self._over = True
        if self._connecting is not None:
            self._connecting.cancel()
        if self._connection is not None:
            self._connection.abort()
            self._connection = None
        self._unsent.clear()
        self._request.give_up()
        later = self._pool.later
        later.ended()
        held = [0]

        def ended(watcher: Watcher) -> None:
            watcher.ended(outcome)
            held[0] = watcher.held_bytes

        self._watch(ended)
        later.do(lambda: self._watch(lambda watcher: watcher.conclude()), held[0])

    def _watch(self, look: Look) -> None:
        """One of the doors with a broad catch: what is passed on stays as it is."""
        if self._watcher is None:
            return
        try:
            look(self._watcher)
        except Exception as error:  # noqa: BLE001 - the proxy's fallback
            self._watcher = None
            self._failed(error)


class Look(Protocol):
    """Tells a watcher something."""

    def __call__(self, watcher: Watcher, /) -> None: ...


class Failed(Protocol):
    """Hears of a fault of ours beside the path of the bytes."""

    def __call__(self, error: Exception, /) -> None: ...


def refusal(refused: Refused, *, version: str = "1.1") -> bytes:
    """An answer of our own, in the form that clients of the Messages API read."""
    kind = {403: "permission_error", 404: "not_found_error"}.get(refused.status, "api_error")
    if refused.status in (400, 405, 408, 413, 431, 501, 505):
        kind = "invalid_request_error"
    body = json.dumps(
        {"type": "error", "error": {"type": kind, "message": refused.message}}
    ).encode()
    head = ResponseHead(
        refused.status,
        b"Bad Gateway" if refused.status == 502 else b"Refused by wm",
        ((b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))),
    )
    return heads.to_client(head, framing=Framing(), keep=False, version=version) + body


def _events(head: ResponseHead) -> bool:
    """Whether its body is a stream of events that can be read as it comes."""
    kind = (head.get(b"content-type") or b"").lower()
    return kind.startswith(b"text/event-stream") and head.get(b"content-encoding") is None


def _write(connection: Connection, parts: list[bytes]) -> None:
    """Write and clear. Small parts go together, so that they are one packet; copying a large one
    would cost more than it saves."""
    if len(parts) > 1 and sum(map(len, parts)) <= _TOGETHER_BYTES:
        connection.write(b"".join(parts))
    else:
        for part in parts:
            connection.write(part)
    parts.clear()


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)
