"""One MCP session, message in, message out (IF-4). Pure: no streams, no clock, no daemon.

JSON-RPC 2.0 as MCP uses it on stdio: one message per line. `feed` takes a line and returns the
answers to send at once and the tool calls to carry out; `finish` takes the outcome of a call.
Written by hand because this page covers all that we need, and the official package takes many times
as long at every start of an agent (docs/adr/0010-tools-from-one-table.md).

Rules. Any input gets a valid answer or none, and the session continues. The texts for the model are
the same bytes through a connection: they are part of the prompt's prefix, to which caches and
signed thinking are bound (EP-1). So no list ever changes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from wm.api.tools import INSTRUCTIONS, TOOLS, Tool, find

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Supported protocol versions, the oldest first. They sort as text."""

LATEST = VERSIONS[-1]
ANNOTATED, STRUCTURED = "2025-03-26", "2025-06-18"
"""The first versions with tool annotations, and with titles and structured content."""

BATCHED = ("2025-03-26",)
"""Versions with batches: one added them, the next removed them."""

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602

MAX_PENDING = 64
"""Maximum number of calls in progress; a further one is refused."""

MAX_QUOTE = 60
"""Maximum characters of the client's words that an error repeats."""

Id = str | int | float | None


class ToolCall(Struct, frozen=True):
    """A tool call. Its outcome goes to `McpSession.finish` under this number. session: the agent's
    session, if the client names it."""

    number: int
    name: str
    arguments: Mapping[str, Any]
    session: str = ""


class ToolOutcome(Struct, frozen=True):
    """The outcome of a call, as the model reads it. failed: it was not done, and why."""

    text: str
    structured: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False


class SessionStep(Struct, frozen=True):
    """The result of a line: messages to write, calls to carry out in this order."""

    replies: tuple[bytes, ...] = ()
    calls: tuple[ToolCall, ...] = ()


class _Batch(Struct):
    """Requests that are answered together, in one array."""

    open: int
    replies: list[dict[str, Any]] = field(default_factory=list)


class _Pending(Struct):
    id: Id
    batch: _Batch | None


class ProtocolError(Exception):
    """A message that is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, id: Id = None) -> None:
        super().__init__(message)
        self.code, self.message, self.id = code, message, id


class McpSession:
    """The state of one connection: the version, and the calls in progress."""

    def __init__(self, server_version: str, instructions: str = INSTRUCTIONS) -> None:
        self._server_version = server_version
        self._instructions = instructions
        self._version = ""
        self._pending: dict[int, _Pending] = {}
        self._last = 0
        self._freed: list[bytes] = []
        """Batches whose last open call was cancelled."""

    @property
    def version(self) -> str:
        """The negotiated version; the latest one before the negotiation."""
        return self._version or LATEST

    def feed(self, line: bytes) -> SessionStep:
        """Handle one line from the client."""
        if not line.strip():
            return SessionStep()
        try:
            message = _parse(line)
            if isinstance(message, list):
                return self._several(message)
        except ProtocolError as error:
            return SessionStep((_line(_error(error)),))
        reply, calls = self._handle_message(message, None)
        freed, self._freed = self._freed, []
        return SessionStep((*freed, _line(reply)) if reply else tuple(freed), calls)

    def too_long(self, limit: int) -> SessionStep:
        """Handle a line that exceeded the limit and was skipped."""
        error = ProtocolError(INVALID_REQUEST, f"A message must not be longer than {limit} bytes.")
        return SessionStep((_line(_error(error)),))

    def finish(self, number: int, outcome: ToolOutcome) -> bytes | None:
        """The message for a finished call; None if the client does not wait for it (any more)."""
        pending = self._pending.pop(number, None)
        if pending is None:
            return None
        return self._settled(pending, _result(pending.id, self._called(outcome)))

    # --- messages -------------------------------------------------------------------------

    def _several(self, messages: list[Any]) -> SessionStep:
        if self._version not in BATCHED:
            problem = f"MCP {self.version} has no batches: send one message per line."
            raise ProtocolError(INVALID_REQUEST, problem)
        if not messages:
            raise ProtocolError(INVALID_REQUEST, "The batch is empty.")
        batch = _Batch(open=1)  # kept open until the complete batch is read
        calls: list[ToolCall] = []
        for message in messages:
            reply, wanted = self._handle_message(message, batch)
            batch.replies += [reply] if reply else []
            batch.open += len(wanted)
            calls += wanted
        done = self._closed(batch)
        return SessionStep((done,) if done else (), tuple(calls))

    def _handle_message(
        self, message: Any, batch: _Batch | None
    ) -> tuple[dict[str, Any] | None, tuple[ToolCall, ...]]:
        """A reply, or none, and the calls that the message asks for."""
        try:
            method, params, id = _read(message)
            if id is None:
                self._notified(method, params)
                return None, ()
            if method == "tools/call":
                return self._call(params, id, batch)
            if method == "initialize" and batch is not None:
                raise ProtocolError(INVALID_REQUEST, "initialize must not be part of a batch.")
            return _result(id, self._answer(method, params)), ()
        except _Silent:
            return None, ()
        except ProtocolError as error:
            error.id = _id_of(message)
            return _error(error), ()

    def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            return self._initialize(params)
        if method == "ping":
            return {}
        if method == "tools/list":
            if params.get("cursor") is not None:
                raise ProtocolError(
                    INVALID_PARAMS, "The list of tools has one page, so it takes no cursor."
                )
            return {"tools": [_described(tool, self.version) for tool in TOOLS]}
        raise ProtocolError(NO_METHOD, f"Unknown method: {_quoted(method)}.")

    def _initialize(self, params: Mapping[str, Any]) -> dict[str, Any]:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise ProtocolError(INVALID_PARAMS, "initialize needs a protocolVersion.")
        self._version = wanted if wanted in VERSIONS else LATEST
        title = {"title": "Workspace memory"} if self._version >= STRUCTURED else {}
        return {
            "protocolVersion": self._version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "wm", **title, "version": self._server_version},
            "instructions": self._instructions,
        }

    def _notified(self, method: str, params: Mapping[str, Any]) -> None:
        """Handle a notification. A cancelled call is not answered; it may still be carried out."""
        if method != "notifications/cancelled":
            return
        wanted = params.get("requestId")
        for number, pending in self._pending.items():
            if _is_id(wanted) and pending.id == wanted and type(pending.id) is type(wanted):
                del self._pending[number]
                done = self._closed(pending.batch) if pending.batch is not None else None
                self._freed += [done] if done else []
                return

    # --- calls ----------------------------------------------------------------------------

    def _call(
        self, params: Mapping[str, Any], id: Id, batch: _Batch | None
    ) -> tuple[dict[str, Any] | None, tuple[ToolCall, ...]]:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or find(name) is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {_quoted(name)}.")
        if arguments is not None and not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "The arguments of a tool must be an object.")
        if len(self._pending) >= MAX_PENDING:
            fix = "Wait until one ends, then try again."
            problem = f"{MAX_PENDING} calls are already running. {fix}"
            return _result(id, self._called(ToolOutcome(problem, failed=True))), ()
        self._last += 1
        self._pending[self._last] = _Pending(id, batch)
        return None, (ToolCall(self._last, name, arguments or {}, _session(params)),)

    def _called(self, outcome: ToolOutcome) -> dict[str, Any]:
        structured = (
            {"structuredContent": dict(outcome.structured)}
            if outcome.structured and self.version >= STRUCTURED
            else {}
        )
        text = {"type": "text", "text": outcome.text}
        return {"content": [text], **structured, "isError": outcome.failed}

    def _settled(self, pending: _Pending, reply: dict[str, Any]) -> bytes | None:
        if pending.batch is None:
            return _line(reply)
        pending.batch.replies.append(reply)
        return self._closed(pending.batch)

    def _closed(self, batch: _Batch) -> bytes | None:
        """The array, once every request of the batch is answered or cancelled."""
        batch.open -= 1
        return _line(batch.replies) if batch.open <= 0 and batch.replies else None


class _Silent(Exception):
    """A message that is not answered."""


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ProtocolError(PARSE_ERROR, "This line is not valid JSON.") from None


def _session(params: Mapping[str, Any]) -> str:
    """The session that Codex names in each call; "" for one of a subagent, whose thread is another:
    it does not have the conversation of the session."""
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        return ""
    session = meta.get("sessionId")
    thread = meta.get("threadId", session)
    return session if isinstance(session, str) and thread == session else ""


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _read(message: Any) -> tuple[str, Mapping[str, Any], Id]:
    """Method, params and id (None: a notification). Raises ProtocolError for an invalid message."""
    if not isinstance(message, dict):
        raise ProtocolError(INVALID_REQUEST, "A message must be a JSON object.")
    if "method" not in message and ("result" in message or "error" in message):
        raise _Silent  # a response: we send no requests, so it answers none
    if message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'A message must contain "jsonrpc": "2.0".')
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "A request must name its method.")
    if "id" not in message:
        return method, params if isinstance(params, dict) else {}, None
    if not _is_id(message["id"]):
        raise ProtocolError(INVALID_REQUEST, "The id of a request must be a string or a number.")
    if params is not None and not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "The params of a request must be an object.")
    return method, params or {}, message["id"]


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _id_of(message: Any) -> Id:
    found = message.get("id") if isinstance(message, dict) else None
    return found if _is_id(found) else None


def _quoted(word: Any) -> str:
    return ascii(word[:MAX_QUOTE]) if isinstance(word, str) else "nothing"


def _described(tool: Tool, version: str) -> dict[str, Any]:
    """A tool as `tools/list` shows it. `openWorldHint` is false: tools use only local files."""
    title = {"title": tool.title} if version >= STRUCTURED else {}
    hints = {
        "title": tool.title,
        "readOnlyHint": tool.reads,
        "destructiveHint": tool.destroys,
        "idempotentHint": tool.repeatable,
        "openWorldHint": False,
    }
    return {
        "name": tool.name,
        **title,
        "description": tool.description,
        "inputSchema": tool.schema,
        **({"annotations": hints} if version >= ANNOTATED else {}),
    }


def _result(id: Id, result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def _error(error: ProtocolError) -> dict[str, Any]:
    body = {"code": error.code, "message": error.message}
    return {"jsonrpc": "2.0", "id": error.id, "error": body}


def _line(message: Any) -> bytes:
    """One line. ASCII, so that a lone surrogate from the client can be sent back."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
