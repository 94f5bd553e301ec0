"""Generated documents equal what they are generated from; format pages name every field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.docs import build, pages, schemas
from wm.formats.registry import REGISTRY


@pytest.mark.parametrize("path", build.GENERATORS)
def test_a_generated_document_is_up_to_date(path: str) -> None:
    written = (pages.ROOT / path).read_text("utf-8")
    assert written == build.GENERATORS[path](), "run: python -m tests.docs.build"


def test_every_schema_is_generated() -> None:
    there = (pages.ROOT / "schemas").rglob("*.json")
    names = {str(path.relative_to(pages.ROOT)) for path in there}
    assert names == {path for path in build.GENERATORS if path.startswith("schemas/")}


def test_the_schema_of_command_output_is_one() -> None:
    Draft202012Validator.check_schema(schemas.printed_schemas())


def fields_of(slug: str) -> dict[str, set[str]]:
    """Record name -> fields, of all records that a format is made of."""
    made = schemas.schema(slug)
    parts: dict[str, Any] = {REGISTRY[slug].__name__: made, **made.get("$defs", {})}
    return {name: set(part["properties"]) for name, part in parts.items()}


@pytest.mark.parametrize("slug", REGISTRY)
def test_a_format_page_explains_every_field_of_its_records(slug: str) -> None:
    shared = {**pages.meanings("workspace_memory"), **pages.meanings("recaps")}
    explained = {**shared, **pages.meanings(slug)}
    for record, fields in fields_of(slug).items():
        assert fields == set(explained.get(record, {})), record


@pytest.mark.parametrize("slug", REGISTRY)
def test_a_format_page_has_the_required_rows(slug: str) -> None:
    text = pages.page(slug)
    for word in ("| File |", "| Class |", "| Writers |", "| Readers |", "| Versions |"):
        assert word in text
    assert "## What always holds" in text
    assert f"[{slug}]({slug}.md)" in pages.page("README")


@pytest.mark.parametrize("slug", REGISTRY)
def test_the_example_of_a_format_fits_its_schema(slug: str) -> None:
    example = json.loads((pages.ROOT / "examples" / "files" / f"{slug}.json").read_text("utf-8"))
    schema = schemas.schema(slug)
    Draft202012Validator.check_schema(schema)
    assert list(Draft202012Validator(schema).iter_errors(example)) == []


@pytest.mark.parametrize("slug", REGISTRY)
def test_a_schema_refuses_another_version_and_a_file_without_its_fields(slug: str) -> None:
    validator = Draft202012Validator(schemas.schema(slug))
    assert not validator.is_valid({})
    example = json.loads((pages.ROOT / "examples" / "files" / f"{slug}.json").read_text("utf-8"))
    assert not validator.is_valid({**example, "version": 99})
