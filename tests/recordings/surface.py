"""What wm promises to programs, read off the tree: commands, schemas, codes, the library.

Schemas are read from `schemas/`, which tests hold to the models, so that a renamed class changes
nothing here.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from typing import Any

import click

from tests.docs.pages import ROOT
from tests.recordings.shapes import Shape, of_schema, resolved
from wm import library
from wm.cli.app import application, commands
from wm.ops import explanations

Commands = dict[str, dict[str, Any]]

NOT_FORMATS = ("openapi.json", "cli.schema.json")
METHODS = ("get", "put", "post", "patch", "delete")


def command_tree() -> Commands:
    """Verb and sub-verbs -> `options`, `arguments`, and whether help shows it."""
    found: Commands = {"wm": _command(application)}
    for verb, command in commands().items():
        found |= dict(_commands(f"wm {verb}", command))
    return found


def _commands(path: str, command: click.Command) -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, _command(command)
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _commands(f"{path} {name}", command.commands[name])


def _command(command: click.Command) -> dict[str, Any]:
    options: dict[str, str] = {}
    arguments = []
    for param in command.params:
        if isinstance(param, click.Option):
            options |= _option(param)
        else:
            many = "*" if param.nargs < 0 else str(param.nargs)
            arguments.append(f"{param.human_readable_name} × {many}, {_needed(param)}")
    return {"hidden": command.hidden, "arguments": arguments, "options": options}


def _option(param: click.Option) -> dict[str, str]:
    kind = "flag" if param.is_flag else _kind(param.type)
    parts = [kind, *(["several"] if param.multiple else []), _needed(param)]
    whole = max(param.opts, key=len)
    names = {name: ", ".join(parts) for name in (*param.opts, *param.secondary_opts)}
    return {n: text if len(n) > 2 or n == whole else f"as {whole}" for n, text in names.items()}


def _kind(kind: Any) -> str:
    if isinstance(kind, click.Choice):
        return " / ".join(map(str, kind.choices))
    return str(kind.name)


def _needed(param: click.Parameter) -> str:
    return "required" if param.required else "optional"


def formats() -> dict[str, Shape]:
    """File format -> the shape that its schema allows; `version` is in it."""
    return {
        path.name.partition(".")[0]: of_schema(document, document)
        for path in sorted((ROOT / "schemas").glob("*.json"))
        if path.name not in NOT_FORMATS
        for document in (json.loads(path.read_text("utf-8")),)
    }


def printed() -> dict[str, Shape]:
    """Verb -> the shape of what it prints with --json."""
    bundle = ROOT / "schemas/cli.schema.json"
    if bundle.exists():
        document = json.loads(bundle.read_text("utf-8"))
        verbs = document["properties"]
        return {v.replace(" ", "-"): of_schema(verbs[v], document) for v in sorted(verbs)}
    found = {}
    for path in sorted((ROOT / "schemas/cli").glob("*.json")):
        document = json.loads(path.read_text("utf-8"))
        verb = document["$id"].rpartition(":")[2]
        found[verb] = of_schema(document, document)
    return found


def routes() -> dict[str, dict[str, Any]]:
    """Method and path -> shapes of parameters, body and answer."""
    document = json.loads((ROOT / "schemas/openapi.json").read_text("utf-8"))
    return {
        f"{method.upper()} {path}": _route(entry, document)
        for path, entries in document["paths"].items()
        for method, entry in entries.items()
        if method in METHODS
    }


def _route(entry: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    parts: dict[str, Any] = {"use case": {"$": entry["operationId"]}}
    for parameter in (resolved(one, document) for one in entry.get("parameters", ())):
        shape = of_schema(parameter["schema"], document)
        needed = "" if parameter["required"] else "optional "
        place = f"{parameter['in']} {parameter['name']}"
        parts[place] = {path: f"{needed}{types}" for path, types in shape.items()}
    for name, content in (("body", entry.get("requestBody", {})), *entry["responses"].items()):
        for kind, media in resolved(content, document).get("content", {}).items():
            parts[f"{name} {kind}"] = of_schema(media.get("schema", {}), document)
    return parts


def codes() -> list[str]:
    """Words for programs: reason codes, evidence types, phases, outcomes, types of problems."""
    return sorted(set(_declared()))


def is_written(code: str, literals: tuple[set[str], set[str]]) -> bool:
    """Whether the code of wm writes it out, or puts it together behind a beginning (`anchor_`)."""
    whole, begun = literals
    return code in whole or any(code.startswith(head) for head in begun)


def literals() -> tuple[set[str], set[str]]:
    """Every text that the code of wm writes out, and the beginnings of those it puts together.

    Texts that only key a dictionary are left out: a table of what codes mean in words does not
    make them happen.
    """
    whole: set[str] = set()
    begun: set[str] = set()
    for path in (ROOT / "wm").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        keys = {
            id(part)
            for node in nodes
            if isinstance(node, ast.Dict)
            for key in node.keys
            if key is not None
            for part in ast.walk(key)
        }
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole.update(() if id(node) in keys else (node.value,))
            elif isinstance(node, ast.JoinedStr):
                begun.update(_head(node))
    return whole, begun


def _head(text: ast.JoinedStr) -> Iterator[str]:
    first = text.values[0] if text.values else None
    if isinstance(first, ast.Constant) and re.fullmatch(r"[a-z]+_", str(first.value)):
        yield str(first.value)


def _declared() -> Iterator[str]:
    """Those that a page or the table of words names."""
    yield from explanations.REASONS
    for kind, outcome in explanations.HAPPENED:
        yield from (kind, outcome)
    page = (ROOT / "docs/formats/evidence.md").read_text("utf-8")
    yield from re.findall(r"`([a-z]+(?:_[a-z]+)+)`", page)
    errors = ast.parse((ROOT / "wm/errors.py").read_text("utf-8"))
    for node in ast.walk(errors):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "code":
            yield ast.literal_eval(node.value)


def library_names() -> dict[str, list[str]]:
    """Public functions of `wm.library` -> their parameters."""
    found = {}
    for name, value in inspect.getmembers(library.Library, inspect.isfunction):
        if not name.startswith("_") or name == "__init__":
            parameters = inspect.signature(value).parameters.values()
            bare = (one.replace(annotation=inspect.Parameter.empty) for one in parameters)
            found[f"Library.{name}"] = [f"{one} ({one.kind.description})" for one in bare]
    return found
