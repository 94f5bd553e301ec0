"""The helper model: one question to a small model over HTTP, one answer or one reason (HM-1).

`anthropic` uses the official SDK, `ollama` plain HTTP. Knows neither what is asked nor whether it
may be: `wm.ops.helper` decides, redacts and counts. Nothing here raises for what a server does.
"""

from __future__ import annotations

import ipaddress
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from wm.settings import ANTHROPIC, OLLAMA

_MOST_BYTES = 1 << 20
"""Of an answer; a longer one is not read."""
_MOST_TOKENS = 1_000_000_000
"""No call has more; a larger count could not be added up."""


class HelperCall(Struct, frozen=True):
    """instructions: ours. text: what they are about. wait_s: for the complete answer."""

    provider: str
    url: str
    name: str
    key: str
    instructions: str
    text: str
    max_tokens: int
    wait_s: float


class HelperReply(Struct, frozen=True):
    """Foreign text, and the tokens that the server counted; 0 if it did not say."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class HelperFailure(Struct, frozen=True):
    """Why there is no answer. reason: a stable code. may_cost: the server may have worked on it."""

    reason: str
    detail: str = ""
    may_cost: bool = False


class HelperServer(Struct, frozen=True):
    """Where the helper model is. local: on this machine."""

    host: str
    port: int | None
    path: str
    secure: bool
    local: bool


def server_at(url: str) -> HelperServer | None:
    """The server of a URL; None unless it is https, or http on this machine, without a password."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    local = host == "localhost" or _is_loopback(host)
    wrong = parts.username or parts.password or parts.query or parts.fragment
    if not host or wrong or not (parts.scheme == "https" or (parts.scheme == "http" and local)):
        return None
    return HelperServer(host, port, parts.path.rstrip("/"), parts.scheme == "https", local)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def ask(call: HelperCall) -> HelperReply | HelperFailure:
    """One call. It ends shortly after `wait_s` at the latest."""
    return _PROVIDERS[call.provider](call)


# --- anthropic ------------------------------------------------------------------------------------

_SENT_HEADERS = ("accept", "anthropic-", "content-", "host", "user-agent", "x-stainless-")


def _ask_anthropic(call: HelperCall) -> HelperReply | HelperFailure:
    try:
        import anthropic  # here, not above: it takes a second, and few users have it
        import httpx2  # that of the SDK; what it raises while an answer is read is not wrapped
    except ImportError:
        return HelperFailure("no_package", 'Install it: pip install "wm-memory[helper]".')
    limit = _TimeLimit(call.wait_s)

    def connected(event: str, info: Mapping[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            limit.watch(info["return_value"].get_extra_info("socket"))

    def only_ours(request: Any) -> None:
        # The SDK adds headers that the environment names for the user's own client.
        for name in list(request.headers):
            if not name.lower().startswith(_SENT_HEADERS):
                del request.headers[name]
        request.headers["x-api-key"] = call.key
        request.extensions["trace"] = connected

    where = server_at(call.url)
    local = where is not None and where.local
    unsent = (
        *(httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout),
        *(httpx2.ProxyError, httpx2.LocalProtocolError),
    )
    errors = (anthropic.AnthropicError, httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL)
    try:
        with (
            limit,
            anthropic.DefaultHttpxClient(
                follow_redirects=False,  # a redirect could lead to a host that was not confirmed
                trust_env=not local,
                event_hooks={"request": [only_ours]},
            ) as client,
            anthropic.Anthropic(
                api_key=call.key,
                base_url=call.url,
                timeout=call.wait_s,
                max_retries=0,  # what fails is asked for again after the next turn
                http_client=client,
            ).messages.with_streaming_response.create(
                model=call.name,
                max_tokens=call.max_tokens,
                system=call.instructions,
                messages=[{"role": "user", "content": call.text}],
            ) as answer,
        ):
            raw = _read(answer.iter_bytes(), limit)
    except anthropic.APIStatusError as error:
        return _status(error.status_code)
    except (*errors, OSError, ValueError) as error:
        # A key with a line break is a ValueError of the header, a damaged gzip one of the body.
        cause = error.__cause__ or error
        is_late = limit.is_over or isinstance(error, anthropic.APITimeoutError)
        is_late |= isinstance(cause, httpx2.TimeoutException)
        return _lost(cause, is_late=is_late, may_cost=not isinstance(cause, unsent))
    return raw if isinstance(raw, HelperFailure) else _parsed(raw, _of_messages)


def _of_messages(found: Mapping[str, Any]) -> HelperReply:
    text = "".join(part["text"] for part in found["content"] if part["type"] == "text")
    usage = found.get("usage") or {}
    return HelperReply(text, _count(usage, "input_tokens"), _count(usage, "output_tokens"))


# --- ollama ---------------------------------------------------------------------------------------


def _ask_ollama(call: HelperCall) -> HelperReply | HelperFailure:
    import http.client  # here, not above: most daemons have no helper model

    where = server_at(call.url)
    if where is None:
        return HelperFailure("unreachable", "not a URL")
    made = http.client.HTTPSConnection if where.secure else http.client.HTTPConnection
    body = {
        "model": call.name,
        "stream": False,
        "options": {"num_predict": call.max_tokens},
        "messages": [
            {"role": "system", "content": call.instructions},
            {"role": "user", "content": call.text},
        ],
    }
    headers = {"content-type": "application/json"}
    if call.key:
        headers["authorization"] = f"Bearer {call.key}"
    limit = _TimeLimit(call.wait_s)
    connection = made(where.host, where.port, timeout=call.wait_s)
    is_sent = False
    try:
        with limit:
            connection.connect()
            limit.watch(connection.sock)
            is_sent = True
            path = f"{where.path}/api/chat"
            connection.request("POST", path, json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            if answer.status != 200:
                return _status(answer.status)
            raw = _read(iter(lambda: answer.read1(1 << 16), b""), limit)
    except (OSError, http.client.HTTPException, ValueError) as error:
        is_late = limit.is_over or isinstance(error, TimeoutError)
        return _lost(error, is_late=is_late, may_cost=is_sent)
    finally:
        connection.close()
    return raw if isinstance(raw, HelperFailure) else _parsed(raw, _of_chat)


def _of_chat(found: Mapping[str, Any]) -> HelperReply:
    text = found["message"]["content"]
    return HelperReply(text, _count(found, "prompt_eval_count"), _count(found, "eval_count"))


_PROVIDERS: Mapping[str, Callable[[HelperCall], HelperReply | HelperFailure]] = {
    ANTHROPIC: _ask_anthropic,
    OLLAMA: _ask_ollama,
}


# --- both -----------------------------------------------------------------------------------------


class _TimeLimit:
    """Shuts a connection down when its time is over. Timeouts of sockets begin anew with each byte,
    so a server that sends its head slowly is not bounded by them."""

    def __init__(self, wait_s: float) -> None:
        self._ends = time.monotonic() + wait_s
        self._timer = threading.Timer(wait_s, self._shut_down)
        self._timer.daemon = True
        self._watched: socket.socket | None = None

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._ends

    def watch(self, connected: socket.socket) -> None:
        self._watched = connected.dup()  # TLS takes the original over
        if self.is_over:
            self._shut_down()

    def _shut_down(self) -> None:
        if self._watched is not None:
            with suppress(OSError):  # the server was faster
                self._watched.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> _TimeLimit:
        self._timer.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._watched is not None:
            self._watched.close()


def _read(chunks: Iterable[bytes], limit: _TimeLimit) -> bytes | HelperFailure:
    """The bytes of an answer, within its time and size."""
    parts, size = [], 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > _MOST_BYTES:
            return HelperFailure("unreadable", "too long", may_cost=True)
        if limit.is_over:
            break
    if limit.is_over:
        return HelperFailure("timeout", may_cost=True)
    return b"".join(parts)


def _lost(error: BaseException, *, is_late: bool, may_cost: bool) -> HelperFailure:
    """Why no answer came. A connection that was not made costs nothing."""
    if is_late and may_cost:
        return HelperFailure("timeout", may_cost=True)
    return HelperFailure("unreachable", type(error).__name__, may_cost)


def _parsed(
    raw: bytes, of: Callable[[Mapping[str, Any]], HelperReply]
) -> HelperReply | HelperFailure:
    try:
        reply = of(json.loads(raw))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return HelperFailure("unreadable", "not an answer of this API", may_cost=True)
    if not isinstance(reply.text, str) or not reply.text.strip():
        return HelperFailure("unreadable", "no text", may_cost=True)
    # Half a surrogate pair is valid JSON, but no file can contain it.
    return replace(reply, text=reply.text.encode("utf-8", "replace").decode())


def _status(status: int) -> HelperFailure:
    """What a status means. A refused request costs nothing; one that failed later may."""
    reason = "overloaded" if status in (429, 503, 529) else "refused"
    return HelperFailure(reason, f"status {status}", may_cost=status >= 500)


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return min(value, _MOST_TOKENS) if type(value) is int and value > 0 else 0
