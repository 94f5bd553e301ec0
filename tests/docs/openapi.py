"""The OpenAPI 3.1 description, built from the route table and the models (IF-1).

`wm/daemon/openapi.json` holds it; the daemon serves that file at `/v1/openapi.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from wm import __version__
from wm.api.control import DaemonStatus, Problem, Stopping
from wm.daemon.messages import JSON_TYPE, PROBLEM_TYPE
from wm.daemon.routes import ROUTES, Route, camel
from wm.formats.base import Record
from wm.ops.operation import Operation

_REF = "#/components/schemas/{model}"
_PROBLEM = "#/components/responses/Problem"
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
    """The whole description. Deterministic: routes in table order, schemas by name."""
    rows = tuple(routes)
    used = [operations[row.operation] for row in rows if not row.control]
    requests = {operation.request for operation in used}
    answers = {o.response for o in used} | {DaemonStatus, Stopping, Problem}
    pairs: list[tuple[type[Any], Any]] = [(model, "validation") for model in requests]
    pairs += [(model, "serialization") for model in answers]
    pairs.sort(key=lambda pair: (pair[0].__name__, pair[1]))
    named, definitions = models_json_schema(pairs, ref_template=_REF)
    schemas: dict[str, Any] = _without_titles(definitions.get("$defs", {}))
    paths: dict[str, dict[str, Any]] = {}
    for row in rows:
        operation = None if row.control else operations[row.operation]
        request, whole, answer = None, {}, _control_answer(row, named)
        if operation is not None:
            whole = named[operation.request, "validation"]
            request = schemas[_name(whole["$ref"])]
            answer = _answer(row, named[operation.response, "serialization"])
        path = "/".join(
            "{" + camel(part[1:-1]) + "}" if part.startswith("{") else part
            for part in row.path.split("/")
        )
        entry = _entry(row, request, whole, answer)
        if operation is not None and operation.at_once is not None:
            description = "Accepted and queued, not written yet."
            entry["responses"]["202"] = {**answer, "description": description}
        paths.setdefault(path, {})[row.method.lower()] = entry
    parameters = _shared_parameters(paths)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "wm",
            "version": __version__,
            "description": "The Unix socket of the memory daemon.",
        },
        "paths": paths,
        "components": {
            "schemas": _used([paths, parameters], schemas),
            "parameters": parameters,
            "responses": {"Problem": _problem()},
        },
    }


def _name(reference: str) -> str:
    return reference.rpartition("/")[2]


def _without_titles(value: Any) -> Any:
    """Drop the titles that pydantic derives from names; they are a tenth of the file."""
    if isinstance(value, dict):
        titled = isinstance(value.get("title"), str)
        return {k: _without_titles(v) for k, v in value.items() if not (titled and k == "title")}
    return [_without_titles(one) for one in value] if isinstance(value, list) else value


def _used(users: Any, schemas: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas that are referred to, by name. Query fields are described as parameters."""
    found: dict[str, Any] = {"Problem": schemas["Problem"]}
    new: list[Any] = [users, found["Problem"]]
    while new:
        for name in map(_name, _references(new.pop())):
            if name in schemas and name not in found:
                found[name] = schemas[name]
                new.append(schemas[name])
    return dict(sorted(found.items()))


def _shared_parameters(paths: Mapping[str, Any]) -> dict[str, Any]:
    """The query parameters that several routes share, by name; the routes now refer to them."""
    lists = [e["parameters"] for row in paths.values() for e in row.values() if "parameters" in e]
    known: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    for one in (one for parameters in lists for one in parameters if one["in"] == "query"):
        if known.setdefault(one["name"], one) is not one and known[one["name"]] == one:
            shared[one["name"]] = one
    for parameters in lists:
        parameters[:] = [
            {"$ref": f"#/components/parameters/{one['name']}"}
            if shared.get(one["name"]) == one
            else one
            for one in parameters
        ]
    return dict(sorted(shared.items()))


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(reference := value.get("$ref"), str):
            yield reference
        value = list(value.values())
    for one in value if isinstance(value, list) else ():
        yield from _references(one)


def _problem() -> dict[str, Any]:
    schema = {"$ref": _REF.format(model="Problem")}
    described = "An error; `type` is its code."
    return {"description": described, "content": {PROBLEM_TYPE: {"schema": schema}}}


def _entry(
    row: Route, request: dict[str, Any] | None, whole: Mapping[str, Any], answer: dict[str, Any]
) -> dict[str, Any]:
    """The entry of one route. request: the schema of the use case's request; whole: the reference
    to it."""
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
            "content": {JSON_TYPE: {"schema": rest if row.parameters else dict(whole)}},
        }
    parameters += [
        {"name": name, "in": "query", "required": False, "schema": {"type": "string"}}
        for name in row.asks
    ]
    if parameters:
        entry["parameters"] = parameters
    entry["responses"] = {"200": answer, "default": {"$ref": _PROBLEM}}
    return entry


def _query_parameters(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    required = set(schema.get("required", ()))
    return [
        {"name": name, "in": "query", "required": name in required, "schema": part}
        for name, part in schema["properties"].items()
    ]


def _without(schema: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """An object schema without the fields that travel in the path."""
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
