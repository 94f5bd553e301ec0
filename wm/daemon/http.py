"""The listeners and their connections: accept, refuse, drain (IF-1, IF-6).

`connection` handles the requests of one connection; the owner of the server provides a `Handler`.
Rule: with any number of clients, each one is served, or asked to come back, or waits in the
kernel's queue, and never interrupts the requests of another.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
from collections.abc import Callable

from msgspec import Struct, field

from wm.daemon.connection import Connection
from wm.daemon.messages import Handler, encode_head, too_busy
from wm.settings import DaemonSettings

_BACKLOG = 512
_RETRY_S = 0.25
"""How long a listener pauses if no file descriptor is free."""
_LAST_TURNS = 4
"""Turns of the event loop from a connection in the kernel's queue to its first request read."""


class HttpServer(Struct, eq=False):
    """The listeners and their connections.

    allow: whether a newly accepted socket may be served (the peer check).
    on_accept: called before each accept; the owner checks its lock and data folder there.
    """

    handler: Handler
    limits: DaemonSettings
    allow: Callable[[socket.socket], bool] = lambda _sock: True
    on_accept: Callable[[], None] = lambda: None
    draining: bool = False
    accepted: int = 0
    refused: int = 0
    last_request: float = 0.0
    connections: set[Connection] = field(default_factory=set)
    _idle: dict[Connection, None] = field(default_factory=dict)
    _silent: dict[Connection, None] = field(default_factory=dict)
    """Connections that never sent a complete request, oldest first."""
    _buffered: int = 0
    _opening: int = 0
    _unopened: set[socket.socket] = field(default_factory=set)
    """Accepted sockets whose opening task has not run yet; cancelled before that, it never closes
    them."""
    _pending: set[asyncio.Task[None]] = field(default_factory=set)
    _spare_fd: int = -1
    _listeners: set[socket.socket] = field(default_factory=set)
    _empty: asyncio.Event = field(default_factory=asyncio.Event)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    def listen(self, listener: socket.socket) -> None:
        """Serve another bound socket. One spare descriptor stays open, to refuse clients with
        when all others are used."""
        listener.setblocking(False)
        listener.listen(_BACKLOG)
        if self._spare_fd < 0:
            self._spare_fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self._listeners.add(listener)
        self.loop.add_reader(listener.fileno(), self._accept, listener)

    def stop_listening(self) -> None:
        for listener in self._listeners:
            self.loop.remove_reader(listener.fileno())
            listener.close()
        self._listeners.clear()

    async def drain(self, within_s: float) -> bool:
        """Refuse new connections and let running requests finish. True if all did.

        What clients have sent already is read first: closing a socket with unread bytes resets it,
        and the client could not know whether its update was done.
        """
        for _ in range(_LAST_TURNS):
            await asyncio.sleep(0)
        self.draining = True
        self.stop_listening()
        for connection in tuple(self.connections):
            connection.finish()
        try:
            async with asyncio.timeout(within_s):
                while self.connections or self._pending:
                    self._empty.clear()
                    await self._empty.wait()
        except TimeoutError:
            return False
        finally:
            self._give_up()
        return True

    def _give_up(self) -> None:
        for connection in tuple(self.connections):
            connection.transport.abort()
        if self._spare_fd >= 0:
            os.close(self._spare_fd)
            self._spare_fd = -1

    # -- accepting ---------------------------------------------------------------------------

    def _accept(self, listener: socket.socket) -> None:
        for _ in range(64):
            self.on_accept()
            if listener not in self._listeners:
                return
            try:
                sock, _address = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    raise
                self._refuse_without_descriptor(listener)
                return
            self._admit(sock)

    def _admit(self, sock: socket.socket) -> None:
        self.accepted += 1
        sock.setblocking(False)
        if not self.allow(sock):
            self.refused += 1
            sock.close()
            return
        if self._places() <= 0:
            self._evict()
        if self._places() <= 0:
            self._turn_away(sock)
            return
        self._opening += 1
        self._unopened.add(sock)
        task = self.loop.create_task(self._connect(sock))
        self._pending.add(task)
        task.add_done_callback(lambda done: self._connected(sock, done))

    def _places(self) -> int:
        return self.limits.max_connections - len(self.connections) - self._opening

    async def _connect(self, sock: socket.socket) -> None:
        self._unopened.remove(sock)
        try:
            await self.loop.connect_accepted_socket(lambda: Connection(self), sock)
        except OSError:
            self._opening -= 1
            sock.close()

    def _connected(self, sock: socket.socket, task: asyncio.Task[None]) -> None:
        self._pending.discard(task)
        if sock in self._unopened:
            self._unopened.remove(sock)
            self._opening -= 1
            sock.close()
        if self.draining:
            self._empty.set()

    def _evict(self) -> None:
        """Close one connection: the one idle longest, else the oldest that has not sent anything
        yet. A client that has a request sends it at once."""
        oldest = next(iter(self._idle), None) or next(iter(self._silent), None)
        if oldest is not None:
            self.closed(oldest, 0)
            oldest.transport.close()

    def _turn_away(self, sock: socket.socket) -> None:
        self.refused += 1
        response = too_busy("Too many connections are open.", close=True)
        head = encode_head(response, length=len(response.body), version="1.1", keep=False)
        with contextlib.suppress(OSError):  # the client has left already
            sock.send(head + response.body)
        sock.close()

    def _refuse_without_descriptor(self, listener: socket.socket) -> None:
        """No descriptor is left (F09): use the spare one to answer a client with 503."""
        if self._spare_fd >= 0:
            os.close(self._spare_fd)
            self._spare_fd = -1
            try:
                sock, _address = listener.accept()
                sock.setblocking(False)
                self._turn_away(sock)
            except OSError:
                pass  # another thread took the descriptor first; the client waits in the queue
        if not self._has_spare_descriptor():
            # No descriptor at all: the clients wait in the kernel's queue until the next try.
            self.loop.remove_reader(listener.fileno())
            self.loop.call_later(_RETRY_S, self._recover, listener)

    def _recover(self, listener: socket.socket) -> None:
        if listener not in self._listeners:
            return
        if not self._has_spare_descriptor():
            self.loop.call_later(_RETRY_S, self._recover, listener)
            return
        self.loop.add_reader(listener.fileno(), self._accept, listener)

    def _has_spare_descriptor(self) -> bool:
        """Whether a spare descriptor is open or can be opened."""
        if self._spare_fd < 0:
            with contextlib.suppress(OSError):
                self._spare_fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        return self._spare_fd >= 0

    # -- connections -------------------------------------------------------------------------

    def opened(self, connection: Connection) -> None:
        self._opening -= 1
        self.connections.add(connection)
        self._silent[connection] = None
        if self.draining:
            connection.transport.close()

    def closed(self, connection: Connection, buffered: int) -> None:
        self.connections.discard(connection)
        self._idle.pop(connection, None)
        self._silent.pop(connection, None)
        self.release(buffered)
        if self.draining:
            self._empty.set()

    def idle(self, connection: Connection) -> None:
        self._idle[connection] = None

    def busy(self, connection: Connection) -> None:
        self.last_request = self.loop.time()
        self._idle.pop(connection, None)
        self._silent.pop(connection, None)

    def reserve(self, size: int) -> bool:
        """Whether `size` more bytes of incomplete bodies fit into memory."""
        if self._buffered + size > self.limits.max_buffered_bytes:
            return False
        self._buffered += size
        return True

    def release(self, size: int) -> None:
        self._buffered -= size
