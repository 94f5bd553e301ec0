"""The OpenAPI 3.1 description, built from the route table and the models (IF-1).

`schemas/openapi.json` is this, written by the generator of the documents; the daemon serves
the same from `/v1/openapi.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from wm import __version__
from wm.daemon.messages import JSON_TYPE, PROBLEM_TYPE
from wm.daemon.routes import ROUTES, Route, camel
from wm.formats.base import Record
from wm.formats.control import DaemonStatus, Problem, Stopping
from wm.ops.base import Operation

_REF = "#/components/schemas/{model}"
_CONTROL_ANSWERS: dict[str, tuple[str, type[Record] | None]] = {
    "status": (JSON_TYPE, DaemonStatus),
    "changes": ("text/event-stream", None),
    "openapi": (JSON_TYPE, None),
    "shutdown": (JSON_TYPE, Stopping),
    "metrics": ("text/plain", None),
}


def build(
    operations: Mapping[str, Operation[Any, Any]], routes: Iterable[Route] = ROUTES
) -> dict[str, Any]:
    """The whole description. Deterministic: rows in table order, schemas by name."""
    rows = tuple(routes)
    used = [operations[row.operation] for row in rows if not row.control]
    requests = {operation.request for operation in used}
    answers = {o.response for o in used} | {DaemonStatus, Stopping, Problem}
    pairs: list[tuple[type[Any], Any]] = [(model, "validation") for model in requests]
    pairs += [(model, "serialization") for model in answers]
    pairs.sort(key=lambda pair: (pair[0].__name__, pair[1]))
    named, definitions = models_json_schema(pairs, ref_template=_REF)
    schemas: dict[str, Any] = definitions.get("$defs", {})
    paths: dict[str, dict[str, Any]] = {}
    for row in rows:
        operation = None if row.control else operations[row.operation]
        request, answer = None, _control_answer(row, named)
        if operation is not None:
            reference = named[operation.request, "validation"]["$ref"]
            request = schemas[reference.rsplit("/", 1)[1]]
            answer = _answer(row, named[operation.response, "serialization"])
        path = "/".join(
            "{" + camel(part[1:-1]) + "}" if part.startswith("{") else part
            for part in row.path.split("/")
        )
        entry = _entry(row, request, answer)
        if operation is not None and operation.at_once is not None:
            told = "Heard and queued, not written yet: nobody waits for what it brings."
            entry["responses"]["202"] = {**answer, "description": told}
        paths.setdefault(path, {})[row.method.lower()] = entry
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "wm",
            "version": __version__,
            "description": "The Unix socket of the memory daemon.",
        },
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def _entry(row: Route, request: dict[str, Any] | None, answer: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {"operationId": row.operation, "summary": row.summary}
    parameters = [
        {"name": camel(name), "in": "path", "required": True, "schema": {"type": "string"}}
        for name in row.parameters
    ]
    rest = _without(request, row.parameters) if request else {"properties": {}}
    if row.takes:
        body = rest["properties"].pop(camel(row.takes))
        rest["required"] = [n for n in rest.get("required", ()) if n != camel(row.takes)]
        entry["requestBody"] = {"required": True, "content": {JSON_TYPE: {"schema": body}}}
    if row.in_query or row.takes:
        parameters += _query_parameters(rest)
    elif request is not None:
        entry["requestBody"] = {
            "required": bool(rest.get("required")),
            "content": {JSON_TYPE: {"schema": rest}},
        }
    parameters += [
        {"name": name, "in": "query", "required": False, "schema": {"type": "string"}}
        for name in row.asks
    ]
    if parameters:
        entry["parameters"] = parameters
    problem = {"content": {PROBLEM_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}}}
    entry["responses"] = {
        "200": answer,
        "default": {"description": "An error; `type` is its code.", **problem},
    }
    return entry


def _query_parameters(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    required = set(schema.get("required", ()))
    return [
        {"name": name, "in": "query", "required": name in required, "schema": part}
        for name, part in schema["properties"].items()
    ]


def _without(schema: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """An object schema less the fields that travel in the path."""
    gone = {camel(name) for name in names}
    rest = dict(schema)
    properties = schema.get("properties", {})
    rest["properties"] = {n: part for n, part in properties.items() if n not in gone}
    required = [name for name in schema.get("required", ()) if name not in gone]
    rest.pop("required", None)
    if required:
        rest["required"] = required
    return rest


def _answer(row: Route, schema: Mapping[str, Any]) -> dict[str, Any]:
    if row.text:
        text = {"schema": {"type": "string"}}
        return {
            "description": "Exactly the bytes to print.",
            "content": {JSON_TYPE: text, "text/plain": text},
        }
    return {"description": "Done.", "content": {JSON_TYPE: {"schema": dict(schema)}}}


def _control_answer(row: Route, named: Mapping[Any, Any]) -> dict[str, Any]:
    kind, model = _CONTROL_ANSWERS.get(row.operation, (JSON_TYPE, None))
    schema = {} if model is None else dict(named[model, "serialization"])
    if kind != JSON_TYPE:
        schema = {"type": "string"}
    return {"description": "Done.", "content": {kind: {"schema": schema}}}
