"""The JSON schemas of files and of command output, made from the models (ID-5, IF-5).

`schemas/<slug>.schema.json` describes a file, `schemas/cli.schema.json` the output of all verbs.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from pydantic.json_schema import models_json_schema

from tests.docs.pages import meanings
from tests.docs.printed import PRINTS
from wm.formats.base import Document, Record
from wm.formats.registry import IN_PROJECTS, REGISTRY, current_version

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MARGIN = 90
"""Columns of a line of JSON, without the name of a field before it."""


def schema(slug: str) -> dict[str, Any]:
    """The schema of one format in its current version, with the envelope."""
    model = REGISTRY[slug]
    made = model.model_json_schema(by_alias=True, mode="validation")
    explained = meanings(slug)
    for name, part in {model.__name__: made, **made.get("$defs", {})}.items():
        _explain(part, explained.get(name, {}))
    made["properties"] |= {
        "version": {**made["properties"]["version"], "const": current_version(model)},
        "checksum": _checksum(model, explained.get(model.__name__, {})),
    }
    made["properties"]["version"].pop("default", None)
    made["required"] = ["version", *(n for n in made.get("required", ()) if n != "version")]
    head = {"$schema": DIALECT, "$id": f"urn:wm:{slug}:{current_version(model)}", "title": slug}
    made.pop("title", None)
    return {**head, **made}


def project_schema(slug: str) -> dict[str, Any]:
    """The schema of a file of the user's project: no envelope, no version."""
    model = IN_PROJECTS[slug]
    made = model.model_json_schema(by_alias=True, mode="validation")
    _explain(made, meanings(slug).get(model.__name__, {}))
    return {"$schema": DIALECT, "$id": f"urn:wm:{slug}", "title": slug, **made}


def project_text(slug: str) -> str:
    return json_text(project_schema(slug)) + "\n"


def _checksum(model: type[Record], explained: dict[str, str]) -> dict[str, Any]:
    digits = 64 if issubclass(model, Document) else 16
    described = explained.get("checksum", "Keyed digest of the file, made by the store.")
    return {"type": "string", "pattern": f"^[0-9a-f]{{{digits}}}$", "description": described}


def _explain(part: dict[str, Any], explained: dict[str, str]) -> None:
    """Drop what pydantic makes up from names, add what the page says."""
    part.pop("title", None)
    if "description" in part:
        part["description"] = part["description"].partition("\n\n")[0].replace("\n", " ")
    for name, field in part.get("properties", {}).items():
        field.pop("title", None)
        if name in explained:
            field["description"] = explained[name]


def text(slug: str) -> str:
    return json_text(schema(slug)) + "\n"


@lru_cache(maxsize=1)
def printed_schemas() -> dict[str, Any]:
    """What every verb prints with --json (IF-5): a property for each verb, definitions shared."""
    models = sorted(set(PRINTS.values()), key=lambda model: model.__name__)
    named, made = models_json_schema([(model, "serialization") for model in models])
    for part in made["$defs"].values():
        _explain(part, {})
    return {
        "$schema": DIALECT,
        "$id": "urn:wm:cli",
        "title": "cli",
        "description": "What a verb prints with --json, by the name of the verb.",
        "type": "object",
        "properties": {verb: named[model, "serialization"] for verb, model in PRINTS.items()},
        "additionalProperties": False,
        "$defs": made["$defs"],
    }


def validate_printed(verb: str, value: Any) -> None:
    """Hold what a verb printed to its schema. Raises ValidationError."""
    Draft202012Validator(printed_schemas()).validate({verb: value})


def printed() -> str:
    """`schemas/cli.schema.json`."""
    return json_text(printed_schemas()) + "\n"


def json_text(value: Any, indent: str = "") -> str:
    """`value` as JSON. What fits into one line is on one line, so a field is read at a glance."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) < MARGIN or not isinstance(value, dict | list) or not value:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        rows = [f"{json.dumps(name)}: {json_text(one, inner)}" for name, one in value.items()]
    else:
        rows = [json_text(one, inner) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(rows) + f"\n{indent}{closing}"
