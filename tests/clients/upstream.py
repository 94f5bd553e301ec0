"""A Messages API on the loopback: scripted answers, refusals like the service's, a full record.

Real TCP, streaming and plain answers, `HEAD /`, `count_tokens`, `models`. It never reaches any
other host. What it refuses is in `validity`, what it counts in `accounting`, what it says in
`scripts`.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.clients.accounting import (
    Block,
    PromptCache,
    ThinkingLedger,
    Unit,
    Usage,
    canonical,
    chain,
    signature_of,
    units,
)
from tests.clients.dialects import Dialect, Reply, dialect_of
from tests.clients.scripts import (
    Answer,
    Request,
    Script,
    is_main,
    is_messages,
    is_subagent,
    is_summary,
    is_title,
)
from tests.clients.validity import refusals, unpaired

BINDING_BETA = "thinking-binding-controls-2026-08-01"
PIECE_CHARS = 40
BOUND_ELSEWHERE = (
    "{place}: Invalid `signature` in `thinking` block. The block is bound to a different "
    "conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` "
    'to "drop_block".'
)


@dataclass(frozen=True)
class Exchange:
    """One request and what became of it."""

    request: Request
    status: int
    refused: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    usage: Usage | None = None
    rule: str = ""

    @property
    def kind(self) -> str:
        kinds = {"title": is_title, "summary": is_summary, "subagent": is_subagent, "main": is_main}
        return next((name for name, fits in kinds.items() if fits(self.request)), "other")


@dataclass(frozen=True)
class Verdict:
    """What is decided about a request before anything is sent."""

    status: int
    answer: Answer
    rule: str = ""
    refused: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    usage: Usage | None = None
    blocks: tuple[Block, ...] = ()
    number: int = 0


@dataclass
class Upstream:
    """The state behind the server. `binds_thinking` switches the prefix check on."""

    script: Script = field(default_factory=Script)
    binds_thinking: bool = True
    exchanges: list[Exchange] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    ledger: ThinkingLedger = field(default_factory=ThinkingLedger)
    cache: PromptCache = field(default_factory=PromptCache)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _server: ThreadingHTTPServer | None = None
    _answers: int = 0
    _calls: int = 0
    _prefixes: set[str] = field(default_factory=set)

    def __enter__(self) -> Upstream:
        upstream = self

        class Handler(_Handler):
            owner = upstream

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.faults = self.faults
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    @property
    def url(self) -> str:
        if self._server is None:
            raise RuntimeError("the upstream is not running: use it in a with statement")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def of_kind(self, kind: str, session: str | None = None) -> list[Exchange]:
        """Exchanges that are `main`, `subagent`, `title`, `summary` or `other`, in order."""
        return [
            x for x in self.exchanges if x.kind == kind and session in (None, x.request.session)
        ]

    @property
    def refused(self) -> list[str]:
        return [sentence for x in self.exchanges for sentence in x.refused]

    @property
    def dropped(self) -> list[str]:
        return [place for x in self.exchanges for place in x.dropped]

    def forget_exchanges(self) -> None:
        """Start a new record; issued signatures and the cache stay."""
        with self._lock:
            self.exchanges.clear()

    def decide(self, request: Request) -> Verdict:
        """Judge and record one Messages request, and settle every byte of its answer."""
        with self._lock:
            verdict = self._verdict(request)
            self.record(request, verdict)
        if verdict.answer.before is not None:
            verdict.answer.before()
        return verdict

    def record(self, request: Request, verdict: Verdict) -> None:
        self.exchanges.append(
            Exchange(
                request,
                verdict.status,
                verdict.refused,
                verdict.dropped,
                verdict.usage,
                verdict.rule,
            )
        )

    def _verdict(self, request: Request) -> Verdict:
        body = request.body or {}
        wrong = self._refusals(request)
        mismatched = self.ledger.mismatches(body) if self.binds_thinking and not wrong else []
        if mismatched and not _drops(body):
            wrong = [BOUND_ELSEWHERE.format(place=mismatched[0])]
        if wrong:
            answer = Answer(status=400, error_type="invalid_request_error")
            return Verdict(400, answer, refused=tuple(wrong))
        answer, rule = self.script.answer(request)
        if answer.status != 200:
            return Verdict(answer.status, answer, rule)
        usage = self.cache.account(body) if request.sent is None else self._prefix_usage(body)
        self._answers += 1
        blocks = tuple(self._finished(body, answer.blocks))
        return Verdict(200, answer, rule, (), tuple(mismatched), usage, blocks, self._answers)

    def _prefix_usage(self, body: dict[str, Any]) -> Usage:
        """The usage of an API that caches each prefix by itself."""
        row = units(body)
        seen = [link in self._prefixes for link in chain(row)]
        self._prefixes.update(chain(row))
        cached = sum(unit.tokens for unit, hit in zip(row, seen, strict=True) if hit)
        return Usage(sum(unit.tokens for unit in row) - cached, cached, 0)

    def _refusals(self, request: Request) -> list[str]:
        if request.sent is not None:
            return unpaired(request.messages)
        wrong = refusals(request.body, self.ledger)
        thinking = (request.body or {}).get("thinking") or {}
        beta = request.headers.get("anthropic-beta", "")
        if "block_binding" in thinking and BINDING_BETA not in beta:
            wrong.append(f"thinking.block_binding: needs the beta header {BINDING_BETA}")
        return wrong

    def _finished(self, body: dict[str, Any], blocks: tuple[Block, ...]) -> Iterator[Block]:
        """The answer's blocks with ids and signatures, each bound to all that precedes it."""
        omitted = (body.get("thinking") or {}).get("display") == "omitted"
        row = units(body)
        answered: list[Block] = []
        for block in blocks:
            done = dict(block)
            if done["type"] == "thinking":
                done["thinking"] = "" if omitted else done["thinking"]
                prefix = (chain([*row, *_as_units(answered)]) or [""])[-1]
                done["signature"] = self.ledger.issue(done["thinking"], prefix, self._answers)
            elif done["type"] == "tool_use":
                self._calls += 1
                done["id"] = f"toolu_scripted{self._calls:012d}"
                self.ledger.answers_of_tools[done["id"]] = self._answers
            answered.append(done)
            yield done


def _as_units(blocks: list[Block]) -> list[Unit]:
    return [Unit("answer", "messages", "assistant", block, False) for block in blocks]


def _drops(body: dict[str, Any]) -> bool:
    binding = (body.get("thinking") or {}).get("block_binding") or {}
    return binding.get("prefix_mismatch_behavior") == "drop_block"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    faults: list[str]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is its own business; anything else is a fault of the test."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            self.faults.append(f"{type(error).__name__}: {error}")


class _Handler(BaseHTTPRequestHandler):
    """HTTP only; every decision is the owner's."""

    owner: Upstream
    protocol_version = "HTTP/1.1"
    # Headers and events go out in separate writes: without this each pair costs a delayed ack.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: the record is the log."""

    def do_HEAD(self) -> None:
        self._note(200)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        route = self.path.partition("?")[0]
        if route != "/v1/models":
            self._note(404)
            self._error(404, "not_found_error", f"no route {route}")
            return
        self._note(200)
        models = [{"type": "model", "id": "claude-opus-5-5", "display_name": "Scripted"}]
        self._json(200, {"data": models, "has_more": False})

    def do_POST(self) -> None:
        request = self._request()
        dialect = dialect_of(request.route)
        if not {"x-api-key", "authorization", "x-goog-api-key"} & request.headers.keys():
            self._note(401, request)
            self._error(401, "authentication_error", "x-api-key header is required")
        elif request.route == "/v1/messages/count_tokens":
            self._count(request)
        elif is_messages(request):
            self._message(request)
        elif dialect is not None and request.body is not None:
            self._translated(dialect, request)
        else:
            self._note(404, request)
            self._error(404, "not_found_error", f"no route {request.route}")

    def _request(self) -> Request:
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length) if length else b""
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = None
        return Request(self.command, self.path, headers, body if isinstance(body, dict) else None)

    def _note(self, status: int, request: Request | None = None) -> None:
        self.owner.record(request or self._request(), Verdict(status, Answer()))

    def _count(self, request: Request) -> None:
        self._note(200, request)
        tokens = sum(unit.tokens for unit in units(request.body or {}))
        self._json(200, {"input_tokens": tokens})

    def _message(self, request: Request) -> None:
        verdict = self.owner.decide(request)
        if verdict.status != 200:
            text = verdict.refused[0] if verdict.refused else verdict.answer.error_type
            self._error(verdict.status, verdict.answer.error_type, text, verdict.answer.headers)
        elif (request.body or {}).get("stream"):
            self._stream(list(events(request, verdict)), verdict.answer.cut_after)
        else:
            self._json(200, whole(request, verdict), verdict.answer.headers)

    def _translated(self, dialect: Dialect, request: Request) -> None:
        """Answer a request of another API."""
        sent = request.body or {}
        verdict = self.owner.decide(replace(request, body=dialect.read(sent), sent=sent))
        if verdict.status != 200:
            text = verdict.refused[0] if verdict.refused else verdict.answer.error_type
            error = {"message": text, "type": verdict.answer.error_type, "code": verdict.status}
            self._json(verdict.status, {"error": error}, verdict.answer.headers)
            return
        reply = _reply(sent, verdict)
        if dialect.streams(request.route, sent):
            self._chunks(_lines(dialect, reply), verdict.answer.cut_after)
        else:
            self._json(200, dialect.whole(reply))

    def _json(self, status: int, value: object, headers: tuple[tuple[str, str], ...] = ()) -> None:
        raw = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.send_header("request-id", f"req_scripted{len(self.owner.exchanges):06d}")
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(raw)

    def _error(
        self, status: int, kind: str, text: str, headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self._json(status, {"type": "error", "error": {"type": kind, "message": text}}, headers)

    def _stream(self, row: list[dict[str, Any]], cut_after: int | None) -> None:
        lines = [f"event: {e['type']}\ndata: {json.dumps(e, ensure_ascii=False)}\n\n" for e in row]
        self._chunks(lines, cut_after)

    def _chunks(self, lines: list[str], cut_after: int | None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for raw in map(str.encode, lines[:cut_after]):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
        if cut_after is None:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True


def _lines(dialect: Dialect, reply: Reply) -> list[str]:
    lines = []
    for event in dialect.events(reply):
        head = f"event: {event['type']}\n" if dialect.named else ""
        lines.append(f"{head}data: {json.dumps(event, ensure_ascii=False)}\n\n")
    return [*lines, dialect.ends] if dialect.ends else lines


def _reply(sent: dict[str, Any], verdict: Verdict) -> Reply:
    usage = _usage(verdict)
    cached = usage["cache_read_input_tokens"]
    return Reply(
        number=verdict.number,
        model=str(sent.get("model") or "scripted"),
        blocks=tuple(block for block in verdict.blocks if block["type"] != "thinking"),
        prompt_tokens=usage["input_tokens"] + cached,
        cached_tokens=cached,
        output_tokens=usage["output_tokens"],
    )


def whole(request: Request, verdict: Verdict) -> dict[str, Any]:
    """The answer in one piece."""
    called = any(block["type"] == "tool_use" for block in verdict.blocks)
    message = {
        "id": f"msg_scripted{verdict.number:08d}",
        "type": "message",
        "role": "assistant",
        "model": (request.body or {}).get("model"),
        "content": list(verdict.blocks),
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": _usage(verdict),
    }
    if verdict.dropped:
        message["input_transformations"] = [
            {"type": "thinking_dropped", "path": place, "reason": "prefix_mismatch"}
            for place in verdict.dropped
        ]
    return message


def _usage(verdict: Verdict) -> dict[str, int]:
    output = sum(max(1, len(canonical(block)) // 4) for block in verdict.blocks)
    usage = verdict.usage or Usage(0, 0, 0)
    claimed = verdict.answer.context_tokens
    if claimed is not None:
        cached = usage.cache_read + usage.cache_creation
        usage = Usage(max(0, claimed - cached), usage.cache_read, usage.cache_creation)
    return usage.wire(output)


def events(request: Request, verdict: Verdict) -> Iterator[dict[str, Any]]:
    """The answer as the events of a stream, in the order the service keeps."""
    message = whole(request, verdict)
    final = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    usage = message["usage"]
    opening = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": {**opening, "usage": {**usage, "output_tokens": 1}}}
    yield {"type": "ping"}
    for index, block in enumerate(verdict.blocks):
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": final, "usage": usage}
    yield {"type": "message_stop"}


def _empty(block: Block) -> Block:
    if block["type"] == "text":
        return {"type": "text", "text": ""}
    if signature_of(block) is not None:
        return {"type": "thinking", "thinking": "", "signature": ""}
    return {**block, "input": {}}


def _deltas(block: Block) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        yield from ({"type": "text_delta", "text": part} for part in _pieces(block["text"]))
    elif block["type"] == "tool_use":
        parts = _pieces(json.dumps(block["input"]))
        yield from ({"type": "input_json_delta", "partial_json": part} for part in parts)
    else:
        parts = _pieces(block["thinking"])
        yield from ({"type": "thinking_delta", "thinking": part} for part in parts)
        yield {"type": "signature_delta", "signature": block["signature"]}


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE_CHARS):
        yield text[start : start + PIECE_CHARS]
