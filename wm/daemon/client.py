"""The synchronous client of the socket (IF-1).

It opens a Unix socket and parses answers with `wm.net`, so that a command loads no event loop. It
starts no daemon; `wm.daemon.lifecycle` does. Rule: a request that may have been carried out is
never sent a second time.
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
from itertools import chain
from typing import Any, Protocol

from msgspec import Struct, field

from wm import errors
from wm.daemon.peer import is_owner
from wm.daemon.routes import Route, Router, compose
from wm.net.messages import ResponseHead
from wm.net.parser import Broken, MessageEnd, ResponseReader
from wm.settings import Settings

_KINDS: tuple[type[errors.WmError], ...] = (
    *(errors.UserError, errors.NotFound, errors.Unavailable, errors.Unanswered, errors.StoreError),
    *(errors.Corrupt, errors.Busy, errors.Conflict, errors.TooNew, errors.ModelUnavailable),
)
_ERRORS = {kind.code: kind for kind in _KINDS}
_READ = 64 * 1024
_SAFE = ("GET", "HEAD")
"""Methods that change nothing, so that their requests can be repeated."""
_NOT_THERE = (errno.ENOENT, errno.ECONNREFUSED, errno.ENOTDIR, errno.ENOTSOCK)


class Dumpable(Protocol):
    """A request model."""

    def model_dump(self, **options: Any) -> dict[str, Any]: ...


Fields = Mapping[str, Any] | Dumpable


class Answer(Struct, frozen=True):
    """A response. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    def json(self) -> Any:
        """The body as JSON. Raises Unavailable if it is not JSON: then the server is not a wm
        daemon."""
        try:
            return json.loads(self.body)
        except ValueError:
            raise errors.Unavailable("The server on the socket does not speak JSON.") from None


class ServerEvent(Struct, frozen=True):
    """One server-sent event."""

    id: str
    event: str
    data: Any


def plain(fields: Fields | None) -> dict[str, Any]:
    """A request as plain JSON values, defaults included: the `kind` of an event is a default."""
    if fields is None:
        return {}
    if isinstance(fields, Mapping):
        return dict(fields)
    return fields.model_dump(mode="json", by_alias=True)


def encode(
    method: str, target: str, body: Any = None, headers: Mapping[str, str] | None = None
) -> bytes:
    """The bytes of a request. A `body` of bytes is sent unchanged, anything else as JSON."""
    lines = [f"{method} {target} HTTP/1.1", "host: wm"]
    payload = b""
    if body is not None:
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines.append("content-type: application/json")
    if body is not None or method in ("POST", "PUT", "PATCH"):
        lines.append(f"content-length: {len(payload)}")
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape") + payload


def checked(answer: Answer) -> Answer:
    """The answer, or raise the error that its problem+json describes. A request too long for an
    HTTP request line raises Unavailable."""
    if answer.status < 400:
        return answer
    try:
        problem = json.loads(answer.body)
    except ValueError:
        problem = {}
    if not isinstance(problem, dict) or "type" not in problem:
        foreign = errors.HostError.of("daemon.other_server", status=answer.status)
        raise foreign.with_status(answer.status)
    code = str(problem["type"])
    detail = str(problem.get("detail", f"The daemon answered {answer.status}."))
    fix = str(problem.get("fix", ""))
    if answer.status == 431:
        # The daemon has done nothing, and the library can answer a question of any length.
        raise errors.Unavailable(
            f"The daemon does not accept a request this long: {detail}", fix=fix
        )
    kind = _ERRORS.get(code)
    if kind is not None:
        raise kind(detail, fix=fix)
    raise errors.HostError(detail, fix=fix).with_status(answer.status, code)


def _retry_after_s(answer: Answer) -> float | None:
    """The seconds after which to try again if the daemon had no capacity and did nothing; None for
    every other answer."""
    if answer.status != 503 or b'"too_busy"' not in answer.body:
        return None
    after = answer.headers.get("retry-after", "")
    return float(after) if after.isdecimal() else None


class Events:
    """Parser of an event stream. Pure: bytes in, events out."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[ServerEvent]:
        self._rest += data
        while b"\n\n" in self._rest:
            block, _, self._rest = self._rest.partition(b"\n\n")
            fields = {"id": "", "event": "message", "data": ""}
            for line in block.decode("utf-8", "replace").split("\n"):
                name, _, value = line.partition(":")
                if name in fields:
                    fields[name] = value.removeprefix(" ")
            if fields["data"]:
                yield ServerEvent(fields["id"], fields["event"], json.loads(fields["data"]))


class Client(Struct):
    """One keep-alive connection to the daemon, opened at the first call.

    `deadline_s` is the longest that a call may take; within it the client retries while the daemon
    is full. Raises Unavailable if the daemon cannot be reached (nothing was done, so the files may
    be used instead), Unanswered if it accepted an update and did not answer, and the daemon's own
    refusals as the same WmError.
    """

    settings: Settings
    _sock: socket.socket | None = None
    _followed: socket.socket | None = None
    """The connection of `changes`."""
    _router: Router = field(default_factory=Router)

    def call(
        self, operation: str, fields: Fields | None = None, *, deadline_s: float | None = None
    ) -> Any:
        """Run a use case by its name; return its response as plain JSON values (text as str)."""
        route = self._router.named(operation)
        answer = self._answer(route, plain(fields), deadline_s)
        if answer.headers.get("content-type", "").startswith("application/json") and not route.text:
            return answer.json()
        return answer.body.decode("utf-8", "replace")

    def run(
        self, operation: str, fields: Fields | None = None, *, deadline_s: float | None = None
    ) -> dict[str, Any]:
        """Like `call`, but always return the members of the response model, as the library does: a
        hook's output comes as `contentType` and `body`."""
        route = self._router.named(operation)
        answer = self._answer(route, plain(fields), deadline_s)
        if not route.text:
            found: dict[str, Any] = answer.json()
            return found
        body = answer.body.decode("utf-8", "replace")
        return {"contentType": answer.headers.get("content-type", ""), "body": body}

    def _answer(self, route: Route, fields: dict[str, Any], deadline_s: float | None) -> Answer:
        project = str(fields.pop("project", "")) if route.text else ""
        target, body = compose(route, fields)
        is_line = project and "\r" not in project and "\n" not in project
        headers = {"x-wm-project": project} if is_line else {}
        return self.request(route.method, target, body, headers=headers, deadline_s=deadline_s)

    def request(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        deadline_s: float | None = None,
    ) -> Answer:
        """One request by method and path."""
        until = time.monotonic() + self._longest_s(deadline_s)
        data = encode(method, target, body, headers)
        while True:
            sock = self._connected(until)
            with errors.OnError(self._drop):
                answer = self._exchange(sock, data, method, until)
            if answer.headers.get("connection", "").lower() == "close":
                self._drop()
            pause = _retry_after_s(answer)
            if pause is None or time.monotonic() + pause >= until:
                return checked(answer)
            time.sleep(pause)

    def changes(self, workspace: str = "", last_id: str = "") -> Iterator[ServerEvent]:
        """Follow the changes on a separate connection until the daemon ends it."""
        pairs = {"workspace": workspace, "lastEventId": last_id}
        target, _ = compose(self._router.named("changes"), {k: v for k, v in pairs.items() if v})
        until, events = time.monotonic() + self._longest_s(None), Events()
        with contextlib.closing(self._connect(until)) as sock:
            sock.settimeout(_remaining_s(until))
            sock.sendall(encode("GET", target))
            self._followed = sock
            arriving = _arriving(sock, "GET", until, follow=True)
            for part in arriving:
                if isinstance(part, bytes):
                    yield from events.feed(part)
                elif part.status >= 400:
                    checked(_answer(chain([part], arriving)))

    def close(self) -> None:
        """Close the connection, and end `changes`, also in another thread."""
        self._drop()
        if self._followed is not None:
            with contextlib.suppress(OSError):  # it is closed already
                self._followed.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _drop(self) -> None:
        sock, self._sock = self._sock, None
        if sock is not None:
            sock.close()

    def _longest_s(self, deadline_s: float | None) -> float:
        """How long a call may take: the given time, or a little longer than the daemon's own."""
        own_s = self.settings.daemon.request_timeout_s + 2.0
        return own_s if deadline_s is None else deadline_s

    def _connected(self, until: float) -> socket.socket:
        if self._sock is not None and _is_readable(self._sock):
            self._drop()  # the daemon closed it while idle: nothing was sent yet
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
                return _require_owner(sock, path)
            except OSError as error:
                sock.close()
                left = until - time.monotonic()
                # EAGAIN: the listener's queue is full, and connect returns at once instead of
                # waiting.
                if error.errno != errno.EAGAIN or left <= 0:
                    raise _unreachable(path, error) from error
                time.sleep(min(left, pause * (0.5 + os.urandom(1)[0] / 256)))
                pause = min(pause * 2, 0.05)

    def _exchange(self, sock: socket.socket, data: bytes, method: str, until: float) -> Answer:
        refused: OSError | None = None
        try:
            sock.settimeout(_remaining_s(until))
            sock.sendall(data)
        except TimeoutError as error:
            raise errors.Unavailable("The daemon did not accept the request in time.") from error
        except OSError as error:
            refused = error  # it may have answered before it closed: a refusal without reading
        try:
            return _answer(_arriving(sock, method, until))
        except errors.Unavailable as error:
            if refused is not None or method in _SAFE:
                raise
            # It may have been carried out.
            raise errors.Unanswered(
                error.message, fix="Check the result before you repeat it."
            ) from None


def _arriving(
    sock: socket.socket, method: str, until: float, *, follow: bool = False
) -> Iterator[ResponseHead | bytes]:
    """The head of an answer, then the pieces of its body. follow: wait for these without a limit,
    and end with the connection."""
    reader = ResponseReader(method.encode())
    while True:
        head = reader.head
        data = _received(sock, None if follow and head else until)
        if not data and (reader.ends_here() or (follow and head)):
            return
        if not data:
            where = "in the middle of its answer" if head else "without an answer"
            raise errors.Unavailable(f"The daemon closed the connection {where}.")
        for event in reader.feed(data):
            if isinstance(event, Broken):
                raise errors.Unavailable("The server on the socket does not speak HTTP.")
            if isinstance(event, MessageEnd):
                return
            yield event


def _received(sock: socket.socket, until: float | None) -> bytes:
    try:
        sock.settimeout(None if until is None else _remaining_s(until))
        return sock.recv(_READ)
    except TimeoutError as error:
        raise errors.Unavailable("The daemon did not answer in time.") from error
    except OSError as error:
        raise errors.Unavailable(f"The connection to the daemon broke: {error}.") from error


def _answer(arriving: Iterator[ResponseHead | bytes]) -> Answer:
    head, body = ResponseHead(0, b"", ()), []
    for part in arriving:
        if isinstance(part, ResponseHead):
            head = part
        else:
            body.append(part)
    pairs = ((n.decode("latin-1"), v.decode("latin-1")) for n, v in head.first.items())
    return Answer(head.status, dict(pairs), b"".join(body))


def _remaining_s(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("deadline")
    return left


def _is_readable(sock: socket.socket) -> bool:
    poll = select.poll()
    poll.register(sock, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(0))


def _require_owner(sock: socket.socket, path: str) -> socket.socket:
    """The connected socket if our own user serves it. Otherwise nothing is sent or read (TR-1).

    Closes the socket and raises Unavailable if another user serves it.
    """
    if is_owner(sock):
        return sock
    sock.close()
    raise errors.Unavailable.of("daemon.other_user", path=path)


def _unreachable(path: str, error: OSError) -> errors.Unavailable:
    """The error for a connection that could not be made."""
    if error.errno in _NOT_THERE:
        return errors.Unavailable.of("daemon.not_running", path=path)
    if error.errno == errno.EAGAIN or isinstance(error, TimeoutError):
        return errors.Unavailable.of("daemon.accepts_none")
    return errors.Unavailable(f"The daemon's socket {path} cannot be reached: {error.strerror}.")
