"""The tools that a model can call, as data: names, descriptions and argument schemas (IF-4).

`tools.toml` holds the one table for all clients: the MCP server lists it, `wm setup` writes it
into the OpenCode plugin, `wm.ops.tools` runs the tools. No pydantic here: the MCP server and
setup read it without loading the models.

Rule: the table is part of every prompt that has the tools, so it is the same bytes in every
session of one version of `wm` (EP-1), and short.
"""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Mapping
from typing import Any

import msgspec


class Tool(msgspec.Struct, frozen=True):
    """One tool. arguments: name -> JSON schema of the argument.

    reads: it changes nothing. destroys: it may delete something. repeatable: a second call
    with the same arguments changes nothing more.
    """

    name: str
    title: str
    description: str
    arguments: Mapping[str, Mapping[str, Any]] = {}
    required: tuple[str, ...] = ()
    reads: bool = False
    destroys: bool = False
    repeatable: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the whole input. Strict, so that a mistyped argument is reported, not
        ignored."""
        return {
            "type": "object",
            "properties": {name: dict(value) for name, value in self.arguments.items()},
            "required": list(self.required),
            "additionalProperties": False,
        }


_DATA = tomllib.loads((pkgutil.get_data("wm.api", "tools.toml") or b"").decode())

TOOLS = msgspec.convert(_DATA["tool"], tuple[Tool, ...])
INSTRUCTIONS: str = _DATA["instructions"]
"""The server's instructions to every model that has the tools."""


def find(name: str) -> Tool | None:
    """Return the tool of this name, None if there is none."""
    return next((tool for tool in TOOLS if tool.name == name), None)


def problem(tool: Tool, arguments: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments, as one sentence; "" if they are valid."""
    for name in arguments:
        if name not in tool.arguments:
            known = ", ".join(tool.arguments) or "none"
            return f"{tool.name} has no argument {name[:40]!r}; its arguments are: {known}."
    for name in tool.required:
        if name not in arguments:
            return f"{tool.name} needs the argument {name!r}."
    for name, value in arguments.items():
        wrong = _wrong(tool.arguments[name], value)
        if wrong:
            return f"The argument {name!r} of {tool.name} {wrong}."
    return ""


def _wrong(schema: Mapping[str, Any], value: Any) -> str:
    if schema["type"] == "integer":
        low, high = schema["minimum"], schema["maximum"]
        # JSON has one kind of number: 5.0 is an integer, true is not a number.
        whole = isinstance(value, int | float) and not isinstance(value, bool)
        fits = whole and value == value // 1 and low <= value <= high
        return "" if fits else f"must be a whole number from {low} to {high}"
    if not isinstance(value, str):
        return "must be a text"
    if "enum" in schema:
        return "" if value in schema["enum"] else f"must be one of {', '.join(schema['enum'])}"
    if not value.strip() and schema.get("minLength"):
        return "is empty"
    if len(value) > schema["maxLength"]:
        return f"has {len(value)} characters; it may have {schema['maxLength']}"
    return ""
