"""The route table: which row a path finds, and which path a request takes."""

from __future__ import annotations

from typing import Any

import pytest

from wm.daemon.routes import ROUTES, Match, Route, Router, camel, compose
from wm.ops.catalogue import OPERATIONS

FOUND: list[tuple[str, str, str, dict[str, str]]] = [
    ("GET", "/v1/status", "status", {}),
    ("HEAD", "/v1/status", "status", {}),
    ("GET", "/v1/entries", "inspect", {}),
    ("POST", "/v1/entries", "remember", {}),
    ("GET", "/v1/entries/m_1", "show_entry", {"id": "m_1"}),
    ("POST", "/v1/entries/m_1/accept", "accept_entry", {"id": "m_1"}),
    ("POST", "/v1/entries/accept-outside", "accept_outside", {}),
    ("GET", "/v1/entries/accept-outside", "show_entry", {"id": "accept-outside"}),
    ("GET", "/v1/sessions/a%2Fb%20c", "show_session", {"session_id": "a/b c"}),
    ("POST", "/v1/hooks/claude-code/Stop", "hook", {"agent": "claude-code", "name": "Stop"}),
    ("GET", "/v1/entries/%FF", "show_entry", {"id": "\ufffd"}),
]


@pytest.mark.parametrize(("method", "path", "operation", "values"), FOUND)
def test_a_path_finds_its_route(
    method: str, path: str, operation: str, values: dict[str, str]
) -> None:
    found = Router().find(method, path)
    assert isinstance(found, Match)
    assert (found.route.operation, dict(found.values)) == (operation, values)


def test_a_trailing_name_is_matched_beside_literals_and_after_other_names() -> None:
    rows = {
        "word": Route("GET", "/a/b/word", "word", ""),
        "end": Route("GET", "/a/b/{x}", "end", ""),
        "middle": Route("GET", "/a/{y}/c", "middle", ""),
        "both": Route("GET", "/{z}/b/{x}", "both", ""),
        "alone": Route("POST", "/e/{x}", "alone", ""),
    }
    router = Router(rows.values())
    for method, path, name, values in (
        ("GET", "/a/b/word", "word", {}),
        ("GET", "/a/b/e", "end", {"x": "e"}),
        ("GET", "/a/b/c", "middle", {"y": "b"}),
        ("GET", "/a/d/c", "middle", {"y": "d"}),
        ("GET", "/f/b/c", "both", {"z": "f", "x": "c"}),
        ("POST", "/e/%C3%BC", "alone", {"x": "ü"}),
    ):
        assert router.find(method, path) == Match(rows[name], values), path
    assert router.find("POST", "/e/") == frozenset()
    assert router.find("GET", "/e/g") == frozenset({"POST"})


LOST: list[tuple[str, str, set[str]]] = [
    ("GET", "/", set()),
    ("GET", "/v1", set()),
    ("GET", "/v1/entries/", set()),
    ("GET", "/v1/entries/m_1/accept/more", set()),
    ("GET", "//v1/status", set()),
    ("GET", "/v1/status/", set()),
    ("PUT", "/v1/entries", {"GET", "POST"}),
    ("POST", "/v1/status", {"GET"}),
    ("GET", "/v1/entries/m_1/accept", {"POST"}),
]


@pytest.mark.parametrize(("method", "path", "allowed"), LOST)
def test_another_path_finds_only_the_methods_it_would_allow(
    method: str, path: str, allowed: set[str]
) -> None:
    assert Router().find(method, path) == allowed


ENTRY = Route("DELETE", "/v1/entries/{id}", "forget", "")
EVENT = Route("POST", "/v1/sessions/{session_id}/events", "event", "")
HOOK = Route("POST", "/v1/hooks/{agent}/{name}", "hook", "", takes="payload")
FIND = Route("GET", "/v1/search", "search", "")

COMPOSED: list[tuple[Route, dict[str, Any], str, Any]] = [
    (ENTRY, {"id": "m/1", "reason": "a b", "none": None}, "/v1/entries/m%2F1?reason=a+b", None),
    (
        EVENT,
        {"sessionId": "s", "event": {"kind": "x"}},
        "/v1/sessions/s/events",
        {"event": {"kind": "x"}},
    ),
    (EVENT, {"session_id": "s"}, "/v1/sessions/s/events", {}),
    (
        HOOK,
        {"agent": "a", "name": "n", "payload": {"k": 1}, "project": "/p q"},
        "/v1/hooks/a/n?project=%2Fp+q",
        {"k": 1},
    ),
    (
        FIND,
        {"query": "ü", "tags": ["a", "b"], "deep": True},
        "/v1/search?query=%C3%BC&tags=a&tags=b&deep=true",
        None,
    ),
    (FIND, {}, "/v1/search", None),
]


@pytest.mark.parametrize(("route", "fields", "target", "body"), COMPOSED)
def test_a_request_gets_the_path_of_its_route(
    route: Route, fields: dict[str, Any], target: str, body: Any
) -> None:
    assert compose(route, fields) == (target, body)


def test_a_path_field_must_be_given() -> None:
    with pytest.raises(KeyError, match="id"):
        compose(ENTRY, {"reason": "x"})


def test_two_routes_for_one_path_are_refused() -> None:
    with pytest.raises(ValueError, match="two rows"):
        Router([ENTRY, Route("DELETE", "/v1/entries/{other}", "x", "")])


def test_every_route_has_a_use_case_and_every_use_case_a_route() -> None:
    rows = [route.operation for route in ROUTES if not route.control]
    assert sorted(rows) == sorted(OPERATIONS)
    assert len(set(rows)) == len(rows)


def test_names_are_sent_in_camel_case() -> None:
    assert [camel(name) for name in ("id", "session_id", "a_b_c")] == ["id", "sessionId", "aBC"]
