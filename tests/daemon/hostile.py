"""A grammar of hostile inputs for the daemon's socket: broken HTTP, wrong JSON, odd hook payloads.

Every input is the bytes of one or several requests, drawn from a seed. Nothing here knows how the
daemon answers; `test_hostile` does.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from wm.daemon.routes import ROUTES, Route, camel
from wm.domain.payloads.normaliser import TABLES
from wm.ops.catalogue import OPERATIONS

LONG = 70_000
DEEP = 3_000

STRINGS: tuple[str, ...] = (
    *("", " ", "\0", "a\0b", "\n", "\r\nX: y", "\t", "%00", "%", "..", "../../etc/passwd"),
    *("/", "//", "~", ".", "a/b", "CON", "-rf", "--help", "'", '"', "\\", "{}", "[]", "null"),
    *("\u202e\u2066evil", "\u200b\u200d\ufeff", "\U0001f469\u200d\U0001f469\u200d\U0001f467"),
    *("\ud800", "\udfff\ud800", "\x1b[2J\x1b]0;x\x07", "\x85\u2028\u2029", "İ", "ß" * 300),
    *("x" * LONG, "é" * 5_000, "\n" * 5_000, "(" * 2_000, "a " * 9_000, "0" * 400),
    *("1e999", "NaN", "-1", "2026-13-45T99:99:99Z", "9999-12-31T23:59:59Z", "0000-00-00"),
    *("m_", "m_zz", "e_0", "t_0", "user", "branch:", "branch:../x", "workspace", "</system>"),
)
NUMBERS: tuple[Any, ...] = (0, -1, 1, 2**31, 2**63, -(2**63), 2**64, 10**40, 0.5, -0.0, 1e308)
KINDS: tuple[Any, ...] = (None, True, False, [], {}, [[]], [None], {"": ""}, [{}] * 50)


class World(Struct):
    """What the inputs may name: folders, sessions, ids of entries."""

    folder: str
    others: tuple[str, ...]
    ids: tuple[str, ...]


def deep(kind: str) -> bytes:
    return b"[" * DEEP + b"]" * DEEP if kind == "list" else b'{"a":' * DEEP + b"1" + b"}" * DEEP


# --- JSON -----------------------------------------------------------------------------------------


def anything(rng: random.Random, depth: int = 0) -> Any:
    """A value of any kind."""
    draw = rng.random()
    if draw < 0.45:
        return rng.choice(STRINGS)
    if draw < 0.65:
        return rng.choice(NUMBERS)
    if draw < 0.85 or depth > 2:
        return rng.choice(KINDS)
    if draw < 0.93:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(STRINGS[:40]): anything(rng, depth + 1) for _ in range(rng.randrange(4))}


WORDS = (
    "Remember that the north crane is serviced on Mondays.",
    "we deploy with `make ship`",
    "error: cannot find module berth",
    "Never push to trunk.",
)


def plausible(rng: random.Random, name: str, world: World) -> Any:
    """A value that fits a field of this name."""
    if name in ("directory", "cwd", "project", "root", "old", "new"):
        return rng.choice((world.folder, world.folder, *world.others))
    if "session" in name or name == "parent":
        return rng.choice(("s-1", "s-2", "0b7b4f3e-9f7e-4d53-8d6b-0b0c8b1f2a11"))
    if name in ("id", "act", "entry") and world.ids:
        return rng.choice(world.ids)
    return rng.choice(WORDS)


def valued(rng: random.Random, schema: dict[str, Any], defs: dict[str, Any], world: World) -> Any:
    """A value that a schema accepts, more or less."""
    if "$ref" in schema:
        return valued(rng, defs[schema["$ref"].rpartition("/")[2]], defs, world)
    for word in ("oneOf", "anyOf", "allOf"):
        if word in schema:
            return valued(rng, rng.choice(schema[word]), defs, world)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        needed = schema.get("required", ())
        return {
            name: plausible(rng, name, world)
            if of.get("type") == "string"
            else valued(rng, of, defs, world)
            for name, of in fields.items()
            if name in needed or "const" in of or rng.random() < 0.4
        }
    if kind == "array":
        items = schema.get("items", {})
        return [valued(rng, items, defs, world) for _ in range(rng.randrange(4))]
    simple: dict[Any, Callable[[], Any]] = {
        "string": lambda: rng.choice(WORDS),
        "integer": lambda: rng.choice((0, 1, 7, 200)),
        "number": lambda: rng.choice((0, 0.5, 3.5)),
        "boolean": lambda: rng.random() < 0.5,
    }
    return simple.get(kind, lambda: None)()


def spoiled(rng: random.Random, value: Any) -> Any:
    """The value with one to three places replaced, added or removed."""
    for _ in range(rng.randint(1, 3)):
        value = _spoil(rng, value)
    return value


def _spoil(rng: random.Random, value: Any) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.96:
        name = rng.choice(list(value))
        draw = rng.random()
        if draw < 0.12:
            return {one: of for one, of in value.items() if one != name}
        if draw < 0.22:
            return {**value, rng.choice(STRINGS[:40]): anything(rng)}
        return {**value, name: _spoil(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.5:
        at = rng.randrange(len(value))
        return [*value[:at], _spoil(rng, value[at]), *value[at + 1 :]]
    return anything(rng)


def encoded(rng: random.Random, value: Any) -> bytes:
    """JSON, at times damaged: cut, of another encoding, with a name twice, too deep."""
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    draw = rng.random()
    if draw < 0.88:
        return text
    damaged = {
        0: lambda: text[: rng.randrange(len(text))],
        1: lambda: b"\xff\xfe" + text,
        2: lambda: text[:-1] + b',"text":"a","text":"b"}' if text[-1:] == b"}" else text * 2,
        3: lambda: deep(rng.choice(("list", "object"))),
        4: lambda: text.replace(b'"', b"'", 2),
        5: lambda: text.replace(b":", b":NaN,", 1),
        6: lambda: b"\xef\xbb\xbf" + text,
        7: lambda: b"9" * 6_000,
    }
    return damaged[rng.randrange(len(damaged))]()


# --- requests -------------------------------------------------------------------------------------


def request(method: str, target: str, body: bytes = b"", *more: str) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: wm", "Connection: close", *more]
    if body or method in ("POST", "PATCH"):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape") + body


SKIPPED = ("shutdown", "changes")
"""One ends the daemon; the other has no end."""


def of_route(rng: random.Random, world: World, routes: list[tuple[Route, dict[str, Any]]]) -> bytes:
    """A request for one route, with its fields in path, query or body."""
    route, schema = rng.choice(routes)
    fields = valued(rng, schema, schema.get("$defs", {}), world)
    fields = spoiled(rng, fields) if rng.random() < 0.9 else fields
    rest = dict(fields) if isinstance(fields, dict) else {}
    if "directory" in schema.get("properties", {}) and rng.random() < 0.85:
        # Most requests get past the search for their workspace.
        rest = {k: v for k, v in rest.items() if k not in ("workspace", "explicit")}
        rest["directory"] = world.folder
    path = route.path
    for name in route.parameters:
        value = rest.pop(camel(name), rest.pop(name, None))
        value = plausible(rng, name, world) if value is None else value
        shown = value if isinstance(value, str) else json.dumps(value)
        safe = quote(shown[:6_000].encode("utf-8", "surrogatepass"), safe="")
        path = path.replace(f"{{{name}}}", safe)
    if not route.in_query:
        return request(
            route.method, path, encoded(rng, rest if rest or rng.random() < 0.8 else fields)
        )
    pairs = []
    for name, value in rest.items():
        shown = value if isinstance(value, str) else json.dumps(value)
        words = [one[:6_000].encode("utf-8", "surrogatepass") for one in (name, shown)]
        pairs.append("=".join(quote(word, safe="") for word in words))
    query = "&".join(pairs)
    body = encoded(rng, rest) if rng.random() < 0.05 else b""
    return request(route.method, f"{path}?{query}" if query else path, body)


PAYLOAD: dict[str, Any] = {
    "session_id": "s-1",
    "sessionID": "s-1",
    "transcript_path": "/nowhere/t.jsonl",
    "hook_event_name": "UserPromptSubmit",
    "prompt": WORDS[0],
    "source": "startup",
    "trigger": "auto",
    "reason": "clear",
    "tool_name": "Bash",
    "tool_input": {"command": "make test", "file_path": "src/a.py", "pattern": "x"},
    "tool_response": {"stdout": "line\n" * 80, "stderr": "", "exit_code": 1},
    "tool_use_id": "toolu_1",
    "error": "Exit code 1",
    "compact_summary": "Memory candidates:\n- [project] The crane is red and stands at pier 9.",
    "parts": [{"type": "text", "text": "hello"}],
    "output": {"title": "x", "output": "y\n" * 60, "metadata": {"exit": 0}},
    "messages": [{"role": "user", "content": "hello"}],
    "context_window": {"used_percentage": 40, "context_window_size": 200_000},
    "workspace": {"project_dir": "/"},
}


def hooks() -> list[tuple[str, str]]:
    """Agent and event of every hook, and some that no agent has."""
    known = [
        (name, event) for name in TABLES.names() for event in TABLES.table(name).get("events", {})
    ]
    known += [
        ("opencode", name) for name in ("chat.message", "tool.execute.after", "session.start")
    ]
    return [*known, ("nobody", "Nothing"), ("claude-code", "../x"), ("claude-code", "statusline")]


def of_hook(rng: random.Random, world: World, known: list[tuple[str, str]]) -> bytes:
    """A hook's payload with some of its fields replaced."""
    agent, event = rng.choice(known)
    names = rng.sample(sorted(PAYLOAD), rng.randint(2, len(PAYLOAD)))
    payload = spoiled(rng, {"cwd": world.folder, **{name: PAYLOAD[name] for name in names}})
    project = rng.choice((*world.others, "", "/\0", "\udcff/x", "relative"))
    if isinstance(payload, dict) and rng.random() < 0.85:
        project, payload = world.folder, {**payload, "session_id": "s-1", "sessionID": "s-1"}
    header = () if not project or "\0" in project else (f"X-Wm-Project: {project}",)
    path = f"/v1/hooks/{quote(agent, safe='')}/{quote(event, safe='')}"
    return request("POST", path, encoded(rng, payload), *header)


# --- HTTP itself ------------------------------------------------------------------------------

METHODS = (
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
    "HEAD",
    "OPTIONS",
    "CONNECT",
    "TRACE",
    "get",
    "",
)
TARGETS = (
    *("/", "*", "", "//", "/v1", "/v1/", "/v1/status", "/v1/entries?", "/v1/entries?x=1&x=2"),
    *("/v1/status?" + "a=b&" * 300, "/v1/../v1/status", "/v1/%2e%2e/status", "/v1/status#x"),
    *("http://wm/v1/status", "/v1/entries/%ff%fe", "/v1/entries/" + "a" * 9_000, "/\x7f", "/é"),
    *("/v1/sessions//events", "/v1/hooks/%00/%0a", "/v1/search?query=%zz&limit=1e9", "/metrics?x"),
)
HEADERS = (
    *("Host: wm", "Host:", "Host : wm", "Content-Length: 5", "Content-Length: -1"),
    *("Content-Length: 99999999999999999999", "Content-Length: 5, 5", "Content-Length: 0x5"),
    *("Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: x"),
    *("Expect: 100-continue", "Expect: nothing", "Connection: upgrade", "Upgrade: websocket"),
    *("Content-Type: text/xml", "Content-Type: application/json", "X: " + "y" * 40_000),
    *(" folded: line", "no colon", "X-Wm-Project: /\x80", "Cookie: a\0b", ": empty", "X:\ty"),
)
BODIES = (
    b"",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"hello",
    b"zz\r\n",
    b"FFFFFFFFFFFF\r\n",
    b"{}",
    b"\0" * 99,
)


def of_http(rng: random.Random) -> bytes:
    """Bytes that are almost a request, or several."""
    parts = []
    for _ in range(rng.randint(1, 3)):
        version = rng.choice(
            ("HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9", "", "XTTP/1.1")
        )
        end = rng.choice(("\r\n", "\r\n", "\r\n", "\n", "\r"))
        head = [f"{rng.choice(METHODS)} {rng.choice(TARGETS)} {version}"]
        head += rng.sample(HEADERS, rng.randint(0, 5))
        parts.append(end.join([*head, "", ""]).encode("latin-1", "replace") + rng.choice(BODIES))
    raw = bytearray(b"".join(parts))
    for _ in range(rng.choice((0, 0, 1, 4))):
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    return bytes(raw[: rng.randrange(len(raw) + 1)] if rng.random() < 0.1 else raw)


def inputs(seed: int, count: int, world: World) -> Iterator[tuple[str, bytes]]:
    """`count` inputs with the name of their kind: two of five for routes, two for hooks."""
    rng = random.Random(seed)
    routes = [
        (route, OPERATIONS[route.operation].request.model_json_schema())
        for route in ROUTES
        if not route.control
    ]
    known = hooks()
    for number in range(count):
        if number % 5 in (0, 1):
            yield "route", of_route(rng, world, routes)
        elif number % 5 in (2, 3):
            yield "hook", of_hook(rng, world, known)
        else:
            yield "http", of_http(rng)
