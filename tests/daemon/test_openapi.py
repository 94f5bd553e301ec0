"""The description that is built from the table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.daemon.toys import OPERATIONS, TOYS
from tests.docs.openapi import build
from wm.daemon.routes import ROUTES
from wm.ops import catalogue

TOY = build(OPERATIONS, TOYS)


def parameters(path: str, method: str) -> list[tuple[str, str, bool]]:
    declared = [_whole(one) for one in TOY["paths"][path][method].get("parameters", ())]
    return [(p["name"], p["in"], p["required"]) for p in declared]


def _whole(parameter: dict[str, Any]) -> Any:
    """The parameter itself, where several rows share it."""
    name = parameter.get("$ref", "").removeprefix("#/components/parameters/")
    return TOY["components"]["parameters"][name] if name else parameter


def body(path: str) -> Any:
    return TOY["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]


def test_fields_are_described_where_they_are_sent() -> None:
    assert parameters("/v1/notes", "get") == [
        ("workspace", "query", False),
        ("limit", "query", False),
        ("labels", "query", False),
    ]
    assert parameters("/v1/spaces/{workspace}/notes", "post") == [("workspace", "path", True)]
    assert sorted(body("/v1/spaces/{workspace}/notes")["properties"]) == [
        "copies",
        "gate",
        "labels",
        "text",
    ]
    assert body("/v1/spaces/{workspace}/notes")["required"] == ["text"]


def test_an_agents_payload_is_the_complete_body() -> None:
    assert parameters("/v1/print/{agent}", "post") == [
        ("agent", "path", True),
        ("project", "query", False),
    ]
    assert body("/v1/print/{agent}")["type"] == "object"
    answer = TOY["paths"]["/v1/print/{agent}"]["post"]["responses"]["200"]
    assert answer["content"]["text/plain"]["schema"] == {"type": "string"}


def test_the_daemons_own_answers_are_described() -> None:
    kinds = {
        path: next(iter(TOY["paths"][path]["get"]["responses"]["200"]["content"]))
        for path in ("/v1/status", "/v1/changes", "/metrics")
    }
    assert kinds == {
        "/v1/status": "application/json",
        "/v1/changes": "text/event-stream",
        "/metrics": "text/plain",
    }


@pytest.mark.parametrize(
    ("operations", "routes"),
    [(OPERATIONS, TOYS), (catalogue.OPERATIONS, ROUTES)],
    ids=["toys", "the table"],
)
def test_every_reference_resolves_and_every_name_is_unique(operations: Any, routes: Any) -> None:
    described = build(operations, routes)
    names = [
        entry["operationId"] for path in described["paths"].values() for entry in path.values()
    ]
    assert sorted(names) == sorted(route.operation for route in routes)
    text = json.dumps(described)
    for kind, known in described["components"].items():
        references = {part.split('"')[0] for part in text.split(f'"#/components/{kind}/')[1:]}
        assert references == set(known)
    assert build(operations, routes) == described
