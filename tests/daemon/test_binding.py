"""From request to model and from model to bytes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.daemon.toys import OPERATIONS, TOYS
from wm.daemon.binding import Binding, read_json
from wm.daemon.messages import HttpRequest
from wm.daemon.routes import ROUTES, Route
from wm.errors import HostError
from wm.ops import catalogue

ROWS = {route.operation: route for route in TOYS}


def fill(
    name: str,
    body: bytes = b"",
    query: str = "",
    values: dict[str, str] | None = None,
    headers: tuple[tuple[bytes, bytes], ...] = (),
) -> dict[str, Any]:
    route = ROWS[name]
    binding = Binding(route, OPERATIONS[name])
    request = HttpRequest(route.method, route.path, headers, body)
    return binding.request(request, values or {}, query).model_dump(exclude_unset=True)


FILLED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("note", {"body": b'{"text": "x", "copies": 2}'}, {"text": "x", "copies": 2}),
    ("note", {"body": b'{"text": "x", "new": {"a": 1}}'}, {"text": "x", "new": {"a": 1}}),
    ("note", {"body": b'{"text": "x"}', "query": "text=y"}, {"text": "y"}),
    (
        "note_in",
        {
            "body": b'{"text": "x", "workspace": "b"}',
            "query": "workspace=q",
            "values": {"workspace": "p"},
        },
        {"text": "x", "workspace": "p"},
    ),
    ("notes", {"query": "limit=3&labels=a&labels=b"}, {"limit": 3, "labels": ("a", "b")}),
    ("notes", {"query": "labels=a"}, {"labels": ("a",)}),
    ("notes", {"query": "workspace=%FF%20+x"}, {"workspace": "\ufffd  x"}),
    (
        "print",
        {
            "body": b'{"agent": "their own", "a": 1}',
            "values": {"agent": "me"},
            "query": "project=p",
        },
        {"agent": "me", "payload": {"agent": "their own", "a": 1}, "project": "p"},
    ),
    ("print", {"values": {"agent": "me"}}, {"agent": "me", "payload": {}}),
    ("note", {"body": b'{"text": "\\ud800 x"}'}, {"text": "? x"}),
    ("note", {"body": b'{"text": "\xff"}'}, {"text": "\ufffd"}),
    ("note", {"body": b'{"text": "\\u0000"}'}, {"text": "\x00"}),
    (
        "note",
        {
            "body": b'{"text": "x"}',
            "headers": ((b"content-type", b"application/json; charset=utf-8"),),
        },
        {"text": "x"},
    ),
    (
        "note",
        {
            "body": b'{"text": "x"}',
            "headers": ((b"content-type", b"application/x-www-form-urlencoded"),),
        },
        {"text": "x"},
    ),
]


@pytest.mark.parametrize(("name", "parts", "expected"), FILLED)
def test_fields_come_from_path_then_query_then_body(
    name: str, parts: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert fill(name, **parts) == expected


REFUSED: list[tuple[str, dict[str, Any], int, str]] = [
    ("note", {"body": b"{"}, 400, "is not JSON"),
    ("note", {"body": b"[1]"}, 400, "must be a JSON object"),
    ("note", {"body": b'"x"'}, 400, "must be a JSON object"),
    ("note", {"body": b'{"text": NaN}'}, 400, "is not JSON"),
    ("note", {"body": b'{"copies": Infinity}'}, 400, "is not JSON"),
    ("note", {"body": b'{"a":' * 100_000}, 400, "nested too deeply|is not JSON"),
    ("note", {"body": b"[" * 100_000}, 400, "nested too deeply|is not JSON"),
    ("note", {"body": b'{"copies": "many", "text": 7}'}, 422, "text: .*copies: "),
    ("note", {"body": b"{}"}, 422, "text: Field required"),
    ("note", {}, 422, "text: Field required"),
    ("note", {"body": b"{}", "headers": ((b"content-type", b"text/xml"),)}, 415, "must be JSON"),
    ("notes", {"query": "limit=x"}, 422, "limit: "),
    (
        "notes",
        {"query": "limit=1&label=a"},
        400,
        r"^GET /v1/notes has no query parameter 'label'\.$",
    ),
    ("notes", {"query": "private=x"}, 400, "has no query parameter 'private'"),
    ("notes", {"query": "&".join(f"a{n}=1" for n in range(200))}, 400, "query string"),
    ("notes", {"body": b"{}"}, 400, "must not have a body"),
]


@pytest.mark.parametrize(("name", "parts", "status", "message"), REFUSED)
def test_an_invalid_value_is_refused_with_its_field(
    name: str, parts: dict[str, Any], status: int, message: str
) -> None:
    with pytest.raises(HostError, match=message) as caught:
        fill(name, **parts)
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("name", "values", "known"),
    [
        ("notes", {}, "It has labels, limit, workspace."),
        ("note_in", {"workspace": "p"}, "It has copies, gate, labels, text."),
        ("print", {"agent": "me"}, "It has project."),
    ],
)
def test_an_unknown_query_parameter_is_refused_with_the_known_ones(
    name: str, values: dict[str, str], known: str
) -> None:
    with pytest.raises(HostError) as caught:
        fill(name, query="nmae=x", values=values)
    assert (caught.value.status, caught.value.code) == (400, "unknown_parameter")
    assert caught.value.fix == known


def test_a_refusal_never_quotes_the_value() -> None:
    with pytest.raises(HostError) as caught:
        fill("note", b'{"text": ["private words"], "copies": "private number"}')
    assert "private" not in caught.value.message


def test_big_numbers_are_read_as_they_are() -> None:
    number = 123456789012345678901234567890
    assert read_json(b'{"b": %d}' % number) == {"b": number}


@pytest.mark.parametrize(
    "body", [b'{"text": "x", "text": "y"}', b'{"text": "x", "new": {"a": 1, "a": 1}}']
)
def test_a_duplicate_name_is_refused(body: bytes) -> None:
    with pytest.raises(HostError, match="twice") as caught:
        fill("note", body)
    assert caught.value.status == 400


def test_in_an_agents_payload_the_last_duplicate_counts() -> None:
    filled = fill("print", b'{"a": 1, "a": 2}', values={"agent": "me"})
    assert filled["payload"] == {"a": 2}


def test_a_route_with_fields_missing_in_the_model_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\['nothing'\]"):
        Binding(Route("GET", "/v1/x/{nothing}", "notes", ""), OPERATIONS["notes"])


def test_every_route_matches_its_model() -> None:
    for route in ROUTES:
        if not route.control:
            Binding(route, catalogue.OPERATIONS[route.operation])
