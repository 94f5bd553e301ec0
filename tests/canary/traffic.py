"""Requests of every kind through a proxy, with canaries wherever a client or a service can put one.

The upstream answers each request with the bytes that were made for it, and with nothing at all
where that is the point.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.canary.tokens import Mint
from tests.listening import listening

SESSION = "canary-1"
PATIENCE_S = 20.0
BY_NUMBER = b"x-number: "


@dataclass(frozen=True)
class Sent:
    """A request as bytes, without its base path where it begins with `METHOD /…`, and the answer
    that waits for it. cut: the client leaves instead of hearing it."""

    head: str
    body: bytes = b""
    answer: bytes = b""
    raw: bytes = b""
    cut: bool = False


@dataclass
class Upstream:
    """Answers by number; what it does not know it breaks off."""

    answers: dict[int, bytes] = field(default_factory=dict)
    requests: int = 0
    port: int = 0
    _open: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Upstream:
        self.port = self._open.enter_context(listening(self._serve))
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError, ValueError):
            client.settimeout(PATIENCE_S)
            raw = b""
            while b"\r\n\r\n" not in raw:
                raw += _some(client)
            head, _, body = raw.partition(b"\r\n\r\n")
            size = int(_after(head.lower(), b"content-length: ") or 0)
            while len(body) < size:
                body += _some(client)
            self.requests += 1
            client.sendall(self.answers.get(int(_after(head.lower(), BY_NUMBER)), b""))


def _some(client: socket.socket) -> bytes:
    data = client.recv(65536)
    if not data:
        raise ValueError("it left")
    return data


def _after(head: bytes, name: bytes) -> bytes:
    return head.partition(name)[2].partition(b"\r\n")[0]


# --- answers --------------------------------------------------------------------------------


def _answer(status: str, body: bytes, *headers: str, chunked: bool = False) -> bytes:
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
    lines = "\r\n".join((f"HTTP/1.1 {status}", *headers, length, "Connection: close", "", ""))
    whole = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if chunked else body
    return lines.encode("latin-1", "replace") + whole


JSON = "Content-Type: application/json"
EVENTS = "Content-Type: text/event-stream; charset=utf-8"


def _message(mint: Mint, where: str) -> dict[str, Any]:
    blocks = [
        {"type": "thinking", "thinking": mint.text(f"{where} thinking"), "signature": "c2Vh"},
        {"type": "text", "text": f"{mint.text(where)}\n{mint.block(where)}"},
        {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": mint.member(where)},
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": mint.name(f"{where} model"),
        "content": blocks,
        "stop_reason": mint.name(f"{where} stop reason"),
        "usage": {"input_tokens": 9, "output_tokens": 3},
    }


def _stream(mint: Mint, where: str) -> bytes:
    """A message in events, each secret cut in the middle."""
    message = _message(mint, where)
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for number, block in enumerate(message["content"]):
        kind, name = block["type"], {"text": "text", "thinking": "thinking"}.get(block["type"])
        empty = {**block, **({name: ""} if name else {"input": {}})}
        events.append({"type": "content_block_start", "index": number, "content_block": empty})
        text = block[name] if name else json.dumps(block["input"])
        names = ("partial_json", "input_json_delta") if not name else (name, f"{kind}_delta")
        for at in range(0, len(text), 11):
            delta = {"type": names[1], names[0]: text[at : at + 11]}
            events.append({"type": "content_block_delta", "index": number, "delta": delta})
    events.append({"type": "news", "text": mint.text(f"{where} unknown event")})
    delta = {"stop_reason": message["stop_reason"]}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}})
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


def answers(mint: Mint) -> Iterator[bytes]:
    """Every way in which a service answers, and fails to."""
    whole = json.dumps(_message(mint, "answer")).encode()
    yield _answer("200 OK", whole, JSON, f"request-id: {mint.name('answer header')}")
    yield _answer("200 OK", _stream(mint, "stream"), EVENTS, chunked=True)
    packed = gzip.compress(_stream(mint, "gzip stream"))
    yield _answer("200 OK", packed, EVENTS, "Content-Encoding: gzip", chunked=True)
    packed = zlib.compress(json.dumps(_message(mint, "deflated")).encode())
    yield _answer("200 OK", packed, JSON, "Content-Encoding: deflate")
    yield _answer("200 OK", b"\x0b" + mint.text("br").encode(), JSON, "Content-Encoding: br")
    broken = gzip.compress(mint.text("broken gzip").encode())[:-9] + b"\0" * 9
    yield _answer("200 OK", broken, JSON, "Content-Encoding: gzip")
    cut = _answer("200 OK", _stream(mint, "cut stream"), EVENTS, chunked=True)
    yield cut[: len(cut) * 2 // 3]
    error = {"type": mint.name("error type"), "message": mint.text("error message")}
    failure = json.dumps({"type": "error", "error": error}).encode()
    for status in ("400 Bad", "401 No", "403 No", "404 No", "413 Large", "500 Oops", "503 Away"):
        yield _answer(status, failure, JSON)
    yield _answer("429 Slow", failure, JSON, f"retry-after: {mint.name('retry')}")
    yield _answer("529 Busy", failure, JSON)
    yield _answer("502 Bad", mint.text("a page of a gateway").encode(), "Content-Type: text/html")
    yield _answer(f"418 {mint.name('reason')}", b"", JSON)
    yield _answer("307 Go", b"", f"Location: https://{mint.name('location')}.example.org/")
    inside = json.dumps({"type": "error", "error": error})
    yield _answer("200 OK", f"event: error\ndata: {inside}\n\n".encode(), EVENTS, chunked=True)
    yield _answer("200 OK", f"data: {mint.text('no json')}\n\n".encode(), EVENTS)
    yield f"{mint.name('no HTTP')}\r\n\r\n".encode()
    yield f"HTTP/1.1 200 OK\r\n{mint.name('a header that breaks off')}".encode()
    yield b""


# --- requests -------------------------------------------------------------------------------


def body(mint: Mint, folder: Path, where: str) -> dict[str, Any]:
    """A request as an agent sends it."""
    reminder = f"<system-reminder>\nPrimary working directory: {folder}\n</system-reminder>"
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": mint.member(where)}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": mint.text(where)}
    mark = {"type": "ephemeral", "ttl": mint.name(f"{where} mark")}
    return {
        "model": mint.name(f"{where} model"),
        "stream": True,
        "tools": [{"name": "Bash", "description": mint.text(f"{where} tool")}],
        "system": [{"type": "text", "text": mint.text(f"{where} system"), "cache_control": mark}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": reminder}]},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result, {"type": "text", "text": mint.block(where)}]},
            {"role": "user", "content": mint.text(f"{where} words")},
        ],
        "metadata": {"user_id": mint.name(f"{where} user")},
        mint.name(f"{where} field"): 1,
    }


def requests(mint: Mint, folder: Path) -> Iterator[Sent]:
    """One of each kind, every answer among them."""
    post = "POST /v1/messages?beta=true"
    for number, answer in enumerate(answers(mint)):
        text = json.dumps(body(mint, folder, f"body {number}"), ensure_ascii=number % 2 > 0)
        yield Sent(post, text.encode(), answer)
    good = _answer("200 OK", json.dumps(_message(mint, "good")).encode(), JSON)
    payload = json.dumps(body(mint, folder, "headers")).encode()
    for head in (
        f"Authorization: Bearer {mint.name('bearer')}",
        f"Authorization: Basic {mint.name('basic')}",
        f"Cookie: sessionid={mint.name('cookie')}",
        f"anthropic-beta: {mint.name('beta')}",
        f"User-Agent: {mint.name('user agent')}",
        f"x-claude-code-agent-id: {mint.name('agent id', known=True)}",
        f"x-parent-session-id: {mint.name('parent', known=True)}",
        f"x-wm-workspace: /{mint.name('folder in a header', known=True)}",
        f"{mint.name('header name')}: 1",
        f"Origin: https://{mint.name('origin')}.example.org",
        f"Sec-Fetch-Site: {mint.name('fetch')}",
        f"x-long: {mint.text('a header that is too long') * 2000}",
    ):
        yield Sent(f"{post}\n{head}", payload, good)
    for target in (
        f"/v1/messages?key={mint.name('query')}",
        "/v1/messages/count_tokens",
        "/v1/messages/batches",
        f"/v1/files/{mint.name('file')}",
        f"/v1/{mint.name('unknown path')}/messages",
    ):
        payload = json.dumps(body(mint, folder, target)).encode()
        yield Sent(f"POST {target}", payload, good)
        yield Sent(f"POST {target}", payload[: len(payload) // 2], good)
        yield Sent(f"GET {target}", b"", good)
        yield Sent(f"DELETE {target}", b"", _answer("404 No", mint.text("gone").encode()))
    for wrong in (
        f'{{"messages": [{mint.text("bare word")}]}}',
        f'{{"messages": {mint.name("scalar")}}}',
        mint.text("no json"),
        json.dumps([mint.text("a list")]),
        json.dumps(mint.text("a text")),
    ):
        yield Sent(post, wrong.encode(), good)
    large = {**body(mint, folder, "large"), "x": [mint.text("large")] * 40_000}
    yield Sent(post, json.dumps(large).encode(), good)
    yield Sent(post, json.dumps(body(mint, folder, "client leaves")).encode(), good, cut=True)
    for raw in (
        f"POST /t/{mint.name('token')}/v1/messages HTTP/1.1\r\nHost: {{host}}\r\n\r\n",
        f"{mint.name('method')} / HTTP/1.1\r\nHost: {{host}}\r\n\r\n",
        f"GET {{base}}/v1/models HTTP/1.1\r\nHost: {mint.name('host')}\r\n\r\n",
        f"GET {{base}}/w/{mint.name('workspace')}/v1/models HTTP/1.1\r\nHost: {{host}}\r\n\r\n",
        f"{mint.text('no request at all')}\r\n\r\n",
        f"POST {{base}}/v1/messages HTTP/1.1\r\nContent-Length: {mint.name('size')}\r\n\r\n",
        f"GET {{base}}/v1/models HTTP/1.1\r\n{mint.name('half a head')}",
    ):
        yield Sent("", raw=raw.encode())


@dataclass
class Driver:
    """Sends requests through a proxy. counted: how many."""

    mint: Mint
    folder: Path
    upstream: Upstream
    counted: int = 0

    def drive(self, base_url: str, least: int) -> None:
        """All kinds, again and again with new canaries, until there were `least` of them."""
        end = self.counted + least
        while self.counted < end:
            for sent in requests(self.mint, self.folder):
                self.send(base_url, sent)

    def send(self, base_url: str, sent: Sent) -> None:
        self.counted += 1
        self.upstream.answers[self.counted] = sent.answer
        parts = urlsplit(base_url)
        assert parts.hostname is not None
        assert parts.port is not None
        host, path = parts.netloc.encode(), parts.path.encode()
        raw = sent.raw.replace(b"{host}", host).replace(b"{base}", path)
        raw = raw or self._plain(sent, parts.netloc, parts.path)
        with (
            contextlib.suppress(OSError),
            socket.create_connection((parts.hostname, parts.port), PATIENCE_S) as sock,
        ):
            sock.sendall(raw)
            if sent.raw:
                sock.shutdown(socket.SHUT_WR)
            while not sent.cut and sock.recv(65536):
                pass

    def _plain(self, sent: Sent, host: str, path: str) -> bytes:
        line, *more = sent.head.split("\n")
        method, _, target = line.partition(" ")
        lines = [
            f"{method} {path}{target} HTTP/1.1",
            f"Host: {host}",
            "Content-Type: application/json",
            f"x-api-key: {self.mint.name('x-api-key')}",
            f"x-claude-code-session-id: {SESSION}",
            f"x-number: {self.counted}",
            f"Content-Length: {len(sent.body)}",
            "Connection: close",
            *more,
        ]
        return "\r\n".join((*lines, "", "")).encode("latin-1", "replace") + sent.body
