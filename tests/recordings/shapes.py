"""The shape of a JSON value, or of what a JSON schema allows: one line per field.

A line is a path and the types that stand there: `hits[].entry.id: str`. `*` stands for a member
whose name is data (an id, a path, a digest). Two shapes compare by lines, so that a difference
reads as one field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Shape = dict[str, str]
"""Path -> types, joined by `|`."""

NO_JSON: Shape = {"$": "no JSON"}

NAMES_OF_DATA = re.compile(r"[0-9a-f]{12,}|[/ .:~]|^\d+$")
"""A member's name that is data: it holds a digest, an id, or what no field name may hold."""

CODES = frozenset((
    "agent", "agents", "cause", "code", "evidence", "health", "kind", "level", "method",
    "omitted", "origin", "outcome", "outcomes", "phase", "reason", "reasonCodes", "reasons",
    "role", "rule", "scope", "severity", "source", "stage", "status", "type",
    "userImportance", "verdict", "zone",
))  # fmt: skip
"""Fields whose values are words for programs: their values belong to the shape."""

WORD = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "null",
    "object": "object",
    "array": "list",
}
"""Names of JSON schema -> names in a shape."""


def of_value(value: Any) -> Shape:
    """The shape of one JSON value."""
    return _joined(_value_lines(value, "$", ""))


def of_values(values: Iterable[Any]) -> Shape:
    """The shape of several values at one place; NO_JSON without any."""
    lines = [line for value in values for line in _value_lines(value, "$", "")]
    return _joined(lines) or NO_JSON


def of_schema(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Shape:
    """The shape that a schema allows. document: what its references point into."""
    return _joined(_schema_lines(schema, document, "$", "", ()))


def nested(shape: Shape) -> Any:
    """The shape as it is written: members are in their object, `[]` is what a list holds, and
    "" is what stands there besides an object."""
    root: dict[str, Any] = {}
    for path, types in shape.items():
        node = root
        for step in _steps(path):
            node = node.setdefault(step, {})
        if types != "object":
            node[""] = types
    return _plain(root)


def _plain(node: dict[str, Any]) -> Any:
    """A place that has only types is written as these."""
    if list(node) == [""]:
        return node[""]
    return {name: inner if name == "" else _plain(inner) for name, inner in node.items()}


def flat(node: Any, path: str = "$") -> Shape:
    """The shape that was written by `nested`."""
    if isinstance(node, str):
        return {path: node}
    shape = {path: node.get("", "object")}
    for name, inner in node.items():
        if name:
            shape |= flat(inner, path + name if name.startswith("[") else f"{path}.{name}")
    return shape


def _steps(path: str) -> list[str]:
    return re.findall(r"\[\d*\]|[^.\[]+", path.removeprefix("$"))


def missing(recorded: Shape, found: Shape) -> dict[str, str]:
    """Path -> what was recorded there, and is gone now or has another type."""
    return {
        path: f"{types}, now {found.get(path, 'gone')}"
        for path, types in recorded.items()
        if not _holds(types, found.get(path))
    }


def _holds(types: str, now: str | None) -> bool:
    """Further types and values may come; none may go."""
    return now is not None and set(types.split("|")) <= set(now.split("|"))


def _joined(lines: Iterable[tuple[str, str]]) -> Shape:
    found: dict[str, set[str]] = {}
    for path, kind in lines:
        found.setdefault(path, set()).add(kind)
    return {path: "|".join(sorted(found[path])) for path in sorted(found)}


def _value_lines(value: Any, path: str, name: str) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            yield path, "object"
            for member, inner in value.items():
                known = "*" if NAMES_OF_DATA.search(member) else member
                yield from _value_lines(inner, f"{path}.{known}", member)
        case list():
            yield path, "list"
            for item in value:
                yield from _value_lines(item, f"{path}[]", name)
        case bool():
            yield path, "bool"
        case str():
            yield path, f"={value}" if name in CODES and WORD.fullmatch(value) else "str"
        case None:
            yield path, "null"
        case int() if name == "version":
            yield path, f"={value}"
        case _:
            # An integer may occur where a fraction does: 1.0 and 1 are one type of JSON.
            yield path, "number"


def _schema_lines(
    schema: Mapping[str, Any],
    document: Mapping[str, Any],
    path: str,
    optional: str,
    within: tuple[str, ...],
) -> Iterator[tuple[str, str]]:
    reference = schema.get("$ref")
    if reference is not None:
        if reference in within:
            yield path, f"{optional}recursive"
            return
        target = _target(reference, document)
        yield from _schema_lines(target, document, path, optional, (*within, reference))
        return
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    for branch in branches:
        yield from _schema_lines(branch, document, path, optional, within)
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    for value in values:
        yield path, f"{optional}={value}"
    kinds = schema.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if not values:
            yield path, optional + TYPES[kind]
    if not (branches or values or kinds):
        yield path, f"{optional}any"
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        mark = "" if name in required else "optional "
        yield from _schema_lines(inner, document, f"{path}.{name}", mark, within)
    for key, under in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(key), dict):
            yield from _schema_lines(schema[key], document, path + under, "", within)
    for number, item in enumerate(schema.get("prefixItems", ())):
        yield from _schema_lines(item, document, f"{path}[{number}]", "", within)


def resolved(part: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part itself, or what it refers to."""
    return _target(part["$ref"], document) if "$ref" in part else part


def _target(reference: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
    target: Any = document
    for part in reference.removeprefix("#/").split("/"):
        target = target[part]
    assert isinstance(target, dict)
    return target
