"""The synchronous client of the socket (IF-1).

Small on purpose: it opens a Unix socket and reads HTTP by itself, so that a command pays
neither for an event loop nor for an HTTP library. It starts nothing; `wm.daemon.lifecycle`
does. It protects one rule: a request whose fate is not known is never sent a second time.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import socket
import time
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeGuard

from msgspec import Struct, field

from wm.daemon.peer import is_owner
from wm.daemon.routes import Router, compose
from wm.errors import (
    Busy,
    Conflict,
    Corrupt,
    HostError,
    ModelUnavailable,
    NotFound,
    StoreError,
    TooNew,
    Unanswered,
    Unavailable,
    UserError,
    WmError,
)
from wm.settings import Settings

_ERRORS: dict[str, type[WmError]] = {
    kind.code: kind
    for kind in (
        UserError,
        NotFound,
        Unavailable,
        Unanswered,
        StoreError,
        Corrupt,
        Busy,
        Conflict,
        TooNew,
        ModelUnavailable,
    )
}
_MAX_HEAD = 64 * 1024
_READ = 64 * 1024
SAFE = ("GET", "HEAD")
"""Methods whose requests change nothing, so that an answer that is missing costs nothing."""
_NOT_THERE = (errno.ENOENT, errno.ECONNREFUSED, errno.ENOTDIR, errno.ENOTSOCK)


class Dumpable(Protocol):
    """A request model."""

    def model_dump(self, **options: Any) -> dict[str, Any]: ...


Fields = Mapping[str, Any] | Dumpable


class Answer(Struct, frozen=True):
    """What came back. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    def json(self) -> Any:
        """The body as JSON. Raises Unavailable where it is none: that is no daemon of ours."""
        try:
            return json.loads(self.body)
        except ValueError:
            raise Unavailable("What answers on the socket does not speak JSON.") from None


class Event(Struct, frozen=True):
    """One server-sent event."""

    id: str
    event: str
    data: Any


def plain(fields: Fields | None) -> dict[str, Any]:
    """A request as plain JSON values. Defaults go along: the `kind` of an event is one."""
    if fields is None:
        return {}
    if _is_model(fields):
        return fields.model_dump(mode="json", by_alias=True)
    assert isinstance(fields, Mapping)
    return dict(fields)


def encode(
    method: str, target: str, body: Any = None, headers: Mapping[str, str] | None = None
) -> bytes:
    """The bytes of a request. `body` bytes go as they are, anything else as JSON."""
    lines = [f"{method} {target} HTTP/1.1", "host: wm"]
    payload = b""
    if body is not None:
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines.append("content-type: application/json")
    if body is not None or method in ("POST", "PUT", "PATCH"):
        lines.append(f"content-length: {len(payload)}")
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + payload


def parse_head(head: bytes) -> tuple[int, dict[str, str]]:
    """Status and headers of an answer. Raises Unavailable for what is no HTTP."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdecimal():
        raise Unavailable("What answers on the socket does not speak HTTP.")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return int(words[1]), headers


def checked(answer: Answer) -> Answer:
    """The answer, or the error that its problem+json stands for: Unavailable also for what is too
    long for a line of HTTP."""
    if answer.status < 400:
        return answer
    try:
        problem = json.loads(answer.body)
    except ValueError:
        problem = {}
    if not isinstance(problem, dict) or "type" not in problem:
        raise HostError(
            f"What answers on the socket is no daemon of wm; it said {answer.status}.",
            fix="Stop that program, or set WM_SOCKET to another path.",
            status=answer.status,
        )
    code = str(problem["type"])
    detail = str(problem.get("detail", f"The daemon answered {answer.status}."))
    fix = str(problem.get("fix", ""))
    if answer.status == 431:
        # Nothing of it was done, and the files answer a question of any length.
        raise Unavailable(f"The daemon takes no question of this length: {detail}", fix=fix)
    kind = _ERRORS.get(code)
    if kind is not None:
        raise kind(detail, fix=fix)
    raise HostError(detail, fix=fix, status=answer.status, code=code)


def turned_away(answer: Answer) -> float | None:
    """After how many seconds to come back to a daemon that had no place for the request, and so
    has done nothing of it; None for every other answer."""
    if answer.status != 503 or b'"too_busy"' not in answer.body:
        return None
    told = answer.headers.get("retry-after", "")
    return float(told) if told.isdecimal() else None


class Events:
    """Takes the bytes of an event stream apart. Pure: bytes in, events out."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Event]:
        self._rest += data
        while b"\n\n" in self._rest:
            block, _, self._rest = self._rest.partition(b"\n\n")
            fields = {"id": "", "event": "message", "data": ""}
            for line in block.decode("utf-8", "replace").split("\n"):
                name, _, value = line.partition(":")
                if name in fields:
                    fields[name] = value.removeprefix(" ")
            if fields["data"]:
                yield Event(fields["id"], fields["event"], json.loads(fields["data"]))


class Chunks:
    """Takes the framing of a chunked body away. Pure."""

    def __init__(self) -> None:
        self._rest = b""
        self.ended = False

    def feed(self, data: bytes) -> bytes:
        self._rest += data
        out = []
        while not self.ended:
            line, mark, rest = self._rest.partition(b"\r\n")
            if not mark:
                break
            try:
                size = int(line.split(b";")[0], 16)
            except ValueError:
                raise Unavailable("The answer's framing is damaged.") from None
            if len(rest) < size + 2:
                break
            out.append(rest[:size])
            self._rest = rest[size + 2 :]
            self.ended = size == 0
        return b"".join(out)


class Client(Struct):
    """One keep-alive connection to the daemon, opened at the first call.

    `deadline_s` is the longest that a call may take; within it the client comes back to a daemon
    that is full. Raises Unavailable where the daemon
    cannot be reached (then nothing was done, and the files may be used instead), Unanswered
    where it took an update and did not answer, and its own refusals as the WmError they were.
    """

    settings: Settings
    _sock: socket.socket | None = None
    _router: Router = field(default_factory=Router)

    def call(
        self, operation: str, fields: Fields | None = None, *, deadline_s: float | None = None
    ) -> Any:
        """Run a use case by its name; its response as plain JSON values (text as str)."""
        route = self._router.named(operation)
        target, body = compose(route, plain(fields))
        answer = self.request(route.method, target, body, deadline_s=deadline_s)
        if answer.headers.get("content-type", "").startswith("application/json") and not route.text:
            return answer.json()
        return answer.body.decode("utf-8", "replace")

    def request(
        self, method: str, target: str, body: Any = None, *, deadline_s: float | None = None
    ) -> Answer:
        """One request by method and path."""
        until = time.monotonic() + (patience(self.settings, deadline_s))
        data = encode(method, target, body)
        while True:
            sock = self._connected(until)
            try:
                answer = self._exchange(sock, data, method, until)
            except BaseException:
                self.close()
                raise
            if answer.headers.get("connection", "").lower() == "close":
                self.close()
            pause = turned_away(answer)
            if pause is None or time.monotonic() + pause >= until:
                return checked(answer)
            time.sleep(pause)

    def changes(self, workspace: str = "", last_id: str = "") -> Iterator[Event]:
        """Follow what changes, on a connection of its own, until the daemon ends it."""
        pairs = {"workspace": workspace, "lastEventId": last_id}
        target, _ = compose(self._router.named("changes"), {k: v for k, v in pairs.items() if v})
        until = time.monotonic() + patience(self.settings)
        with contextlib.closing(self._connect(until)) as sock:
            sock.settimeout(patience(self.settings))
            sock.sendall(encode("GET", target))
            reader = _Reader(sock, until)
            status, headers = reader.head()
            if status >= 400:
                checked(Answer(status, headers, reader.body(headers)))
            sock.settimeout(None)
            chunks, events = Chunks(), Events()
            data = reader.rest
            while not chunks.ended:
                yield from events.feed(chunks.feed(data))
                data = sock.recv(_READ)
                if not data:
                    return

    def close(self) -> None:
        sock, self._sock = self._sock, None
        if sock is not None:
            sock.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _connected(self, until: float) -> socket.socket:
        if self._sock is not None and _is_readable(self._sock):
            self.close()  # the daemon closed it while it was idle: nothing was sent yet
        if self._sock is None:
            self._sock = self._connect(until)
        return self._sock

    def _connect(self, until: float) -> socket.socket:
        until = min(until, time.monotonic() + self.settings.daemon.connect_timeout_s)
        path = os.fspath(self.settings.paths.socket)
        pause = 0.001
        while True:
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                sock.settimeout(max(0.001, until - time.monotonic()))
                sock.connect(path)
                return ours(sock, path)
            except OSError as error:
                sock.close()
                left = until - time.monotonic()
                # EAGAIN: the queue of the listener is full; a wait would not be one.
                if error.errno != errno.EAGAIN or left <= 0:
                    raise unreachable(path, error) from error
                time.sleep(min(left, pause * (0.5 + os.urandom(1)[0] / 256)))
                pause = min(pause * 2, 0.05)

    def _exchange(self, sock: socket.socket, data: bytes, method: str, until: float) -> Answer:
        refused: OSError | None = None
        try:
            sock.settimeout(_left(until))
            sock.sendall(data)
        except TimeoutError as error:
            raise Unavailable("The daemon did not take the request in time.") from error
        except OSError as error:
            refused = error  # it may have answered before it closed: a refusal without reading
        reader = _Reader(sock, until)
        try:
            status, headers = reader.head()
            return Answer(status, headers, b"" if method == "HEAD" else reader.body(headers))
        except Unavailable as error:
            if refused is not None or method in SAFE:
                raise
            raise unanswered(error) from None


def patience(settings: Settings, deadline_s: float | None = None) -> float:
    """How long a call may take: as told, else a little longer than the daemon's own deadline."""
    return settings.daemon.request_timeout_s + 2.0 if deadline_s is None else deadline_s


def unanswered(error: Unavailable) -> Unanswered:
    """The same trouble, of a request that may have been done."""
    return Unanswered(error.message, fix="Look at the result before you repeat it.")


class _Reader:
    """Reads one answer from a blocking socket within a deadline."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock = sock
        self._until = until
        self.rest = b""

    def head(self) -> tuple[int, dict[str, str]]:
        while True:
            head, mark, rest = self.rest.partition(b"\r\n\r\n")
            if mark:
                self.rest = rest
                status, headers = parse_head(head)
                if status != 100:
                    return status, headers
                continue
            if len(self.rest) > _MAX_HEAD:
                raise Unavailable("What answers on the socket does not speak HTTP.")
            if not self._more():
                raise Unavailable("The daemon closed the connection without an answer.")

    def body(self, headers: Mapping[str, str]) -> bytes:
        length = int(headers.get("content-length", "0"))
        parts, got = [self.rest], len(self.rest)
        while got < length:
            self.rest = b""
            if not self._more():
                raise Unavailable("The daemon closed the connection within its answer.")
            parts.append(self.rest)
            got += len(self.rest)
        whole = b"".join(parts)
        self.rest = whole[length:]
        return whole[:length]

    def _more(self) -> bool:
        try:
            self._sock.settimeout(_left(self._until))
            data = self._sock.recv(_READ)
        except TimeoutError as error:
            raise Unavailable("The daemon did not answer in time.") from error
        except OSError as error:
            raise Unavailable(f"The connection to the daemon broke: {error}.") from error
        self.rest += data
        return bool(data)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("deadline")
    return left


def _is_readable(sock: socket.socket) -> bool:
    poll = select.poll()
    poll.register(sock, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(0))


def _is_model(fields: object) -> TypeGuard[Dumpable]:
    return hasattr(fields, "model_dump")


def ours(sock: socket.socket, path: str) -> socket.socket:
    """The connected socket, if our own user serves it: nobody else hears or tells us anything.

    Raises Unavailable, and closes it, where somebody else does (TR-1).
    """
    if is_owner(sock):
        return sock
    sock.close()
    raise Unavailable(
        f"The socket {path} is served by another user, so nothing was sent there.",
        fix="Correct WM_SOCKET or XDG_RUNTIME_DIR: `su` and `sudo` pass on those of somebody else.",
    )


def unreachable(path: str, error: OSError) -> Unavailable:
    """The error for a connection that could not be made."""
    if error.errno in _NOT_THERE:
        return Unavailable(f"No daemon listens on {path}.", fix="`wm up` starts it.")
    if error.errno == errno.EAGAIN or isinstance(error, TimeoutError):
        return Unavailable("The daemon is too busy to take a connection.", fix="Try again.")
    return Unavailable(f"The daemon's socket {path} cannot be reached: {error.strerror}.")
