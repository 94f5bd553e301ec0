"""The helper model: one question to a small model over HTTP, one answer or one reason (HM-1).

`anthropic` uses the official SDK, `ollama` plain HTTP. Knows neither what is asked nor whether it
may be: `wm.ops.helper` decides, redacts and counts. Nothing here raises for what a server does.
"""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from wm.settings import ANTHROPIC, OLLAMA

_MOST_BYTES = 1 << 20
"""Of an answer; a longer one is not read."""


class HelperCall(Struct, frozen=True):
    """instructions: ours. text: what they are about. wait_s: for the whole answer."""

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
    except ImportError:
        return HelperFailure("no_package", 'Install it: pip install "wm-memory[helper]".')

    def only_ours(request: Any) -> None:
        # The SDK adds headers that the environment names for the user's own client.
        for name in list(request.headers):
            if not name.lower().startswith(_SENT_HEADERS):
                del request.headers[name]
        request.headers["x-api-key"] = call.key

    where = server_at(call.url)
    local = where is not None and where.local
    begun = time.monotonic()
    try:
        with (
            anthropic.DefaultHttpxClient(
                follow_redirects=False,  # a redirect could lead to a host that nobody confirmed
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
            raw = _read(answer.iter_bytes(), begun + call.wait_s)
    except anthropic.APITimeoutError:
        return HelperFailure("timeout", may_cost=True)
    except anthropic.APIStatusError as error:
        return _status(error.status_code)
    except anthropic.APIConnectionError as error:
        why = type(error.__cause__ or error).__name__
        return HelperFailure("unreachable", why, may_cost=not why.startswith("Connect"))
    except (anthropic.AnthropicError, OSError, ValueError, RuntimeError) as error:
        return HelperFailure("unreadable", type(error).__name__, may_cost=True)
    return raw if isinstance(raw, HelperFailure) else _parsed(raw, _of_messages)


def _of_messages(found: Mapping[str, Any]) -> HelperReply:
    text = "".join(part["text"] for part in found["content"] if part["type"] == "text")
    usage = found.get("usage") or {}
    return HelperReply(text, _count(usage, "input_tokens"), _count(usage, "output_tokens"))


# --- ollama ---------------------------------------------------------------------------------------


def _ask_ollama(call: HelperCall) -> HelperReply | HelperFailure:
    import http.client  # here, not above: most daemons have no helper model
    import ssl

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
    ends = time.monotonic() + call.wait_s
    connection = made(where.host, where.port, timeout=call.wait_s)
    try:
        connection.request("POST", f"{where.path}/api/chat", json.dumps(body).encode(), headers)
        answer = connection.getresponse()
        if answer.status != 200:
            return _status(answer.status)
        raw = _read(iter(lambda: answer.read1(1 << 16), b""), ends)
    except TimeoutError:
        return HelperFailure("timeout", may_cost=True)
    except (ConnectionRefusedError, ssl.SSLError) as error:
        return HelperFailure("unreachable", type(error).__name__)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return HelperFailure("unreachable", type(error).__name__, may_cost=True)
    finally:
        connection.close()
    return raw if isinstance(raw, HelperFailure) else _parsed(raw, _of_chat)


def _of_chat(found: Mapping[str, Any]) -> HelperReply:
    text = found["message"]["content"]
    return HelperReply(text, _count(found, "prompt_eval_count"), _count(found, "eval_count"))


_PROVIDERS: Mapping[str, Callable[[HelperCall], HelperReply | HelperFailure]] = MappingProxyType(
    {ANTHROPIC: _ask_anthropic, OLLAMA: _ask_ollama}
)


# --- both -----------------------------------------------------------------------------------------


def _read(chunks: Iterable[bytes], ends: float) -> bytes | HelperFailure:
    """The bytes of an answer, within its time and size."""
    parts, size = [], 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > _MOST_BYTES:
            return HelperFailure("unreadable", "too long", may_cost=True)
        if time.monotonic() > ends:
            return HelperFailure("timeout", may_cost=True)
    return b"".join(parts)


def _parsed(
    raw: bytes, of: Callable[[Mapping[str, Any]], HelperReply]
) -> HelperReply | HelperFailure:
    try:
        reply = of(json.loads(raw))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return HelperFailure("unreadable", "not an answer of this API", may_cost=True)
    if not isinstance(reply.text, str):
        return HelperFailure("unreadable", "no text", may_cost=True)
    return reply


def _status(status: int) -> HelperFailure:
    """What a status means. A refused request costs nothing; one that failed later may."""
    reason = "overloaded" if status in (429, 503, 529) else "refused"
    return HelperFailure(reason, f"status {status}", may_cost=status >= 500)


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and value > 0 else 0
