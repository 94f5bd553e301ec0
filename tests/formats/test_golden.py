"""Every version ever written still loads, and nothing we do not know is lost (ID-5)."""

from __future__ import annotations

import copy
import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import from_json

import wm.formats
from wm.formats import base
from wm.formats.base import Document, Record
from wm.formats.migrate import STEPS, upgrade
from wm.formats.registry import DOCUMENTS, REGISTRY, current_version

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*/v*[0-9].json"))


def loaded(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def rewritten(slug: str, data: Any) -> Any:
    """What the file contains after one load and save."""
    record = REGISTRY[slug].model_validate(upgrade(slug, data))
    text = record.__pydantic_serializer__.to_json(record, indent=2, by_alias=True)
    return from_json(text, allow_inf_nan=False)


def subclasses(model: type[Record]) -> set[type[Record]]:
    direct = set(model.__subclasses__())
    return direct.union(*(subclasses(child) for child in direct))


def test_every_document_is_registered_under_its_slug() -> None:
    for module in pkgutil.iter_modules(wm.formats.__path__):
        importlib.import_module(f"wm.formats.{module.name}")
    ours = {m for m in subclasses(Document) if m.__module__.startswith("wm.formats")}
    # A format may lie in two places, as two models of one slug.
    assert {model.slug for model in ours} == set(DOCUMENTS)
    assert set(DOCUMENTS.values()) <= ours
    assert all(model.slug == slug for slug, model in DOCUMENTS.items())


@pytest.mark.parametrize("slug", REGISTRY)
def test_every_version_has_a_golden_file_and_a_converter(slug: str) -> None:
    versions = range(1, current_version(REGISTRY[slug]) + 1)
    assert [p.name for p in FILES if p.parent.name == slug] == [f"v{v}.json" for v in versions]
    assert {(slug, v) for v in versions[:-1]} <= set(STEPS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_golden_file_loads_and_is_written_in_the_current_version(path: Path) -> None:
    slug = path.parent.name
    data = loaded(path)
    newest = current_version(REGISTRY[slug])
    after = rewritten(slug, copy.deepcopy(data))
    assert after["version"] == newest
    if data["version"] == newest:
        assert after == data
    else:
        assert upgrade(slug, data) == loaded(path.with_stem(f"{path.stem}-upgraded"))


def test_version_1_of_the_memory_is_converted() -> None:
    memory = REGISTRY["workspace_memory"].model_validate(
        upgrade("workspace_memory", loaded(GOLDEN / "workspace_memory" / "v1.json"))
    )
    written = base.dump(memory)
    assert [(e["id"], e["origin"], e["scope"]) for e in written["entries"]] == [
        ("mem_17c2", "user", "workspace"),
        ("mem_0b11", "agent", "workspace"),
        ("mem_5e90", "agent", "workspace"),
    ]
    first, _, third = written["entries"]
    assert first["retentionClock"] == "2026-04-09T10:00:00.000Z"
    assert first["lastReinforcedAt"] == "2026-04-09T10:00:00.000Z"
    assert (first["staleAfterDays"], first["safetyCritical"]) == (90, True)
    assert third["supersedes"] == ["mem_4d00"]
    assert (third["pendingOwnerSessionID"], third["pendingNote"]) == ("ses_41", None)
    assert written["lastActivityAt"] == "2026-04-20T12:00:00.000Z"
    assert written["migrations"] == ["quality-cleanup"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1775728800000.5, "2026-04-09T10:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        ("2026-04-09", "2026-04-09"),
        (1e300, ""),
        (10**40, ""),
        (True, True),
    ],
)
def test_times_in_milliseconds_become_text(value: Any, text: Any) -> None:
    old = {"version": 1, "entries": [{"createdAt": value}]}
    assert upgrade("workspace_memory", old)["entries"][0]["createdAt"] == text


@pytest.mark.parametrize(
    "data",
    [
        {"version": 4, "entries": [{"retentionClock": 5}]},
        {"version": "1", "entries": []},
        {"version": True},
        {"entries": []},
        {"version": 0},
    ],
)
def test_a_newer_or_invalid_version_is_unchanged(data: dict[str, Any]) -> None:
    assert upgrade("workspace_memory", copy.deepcopy(data)) == data


@pytest.mark.parametrize("entries", [None, "x", [1, None, []], {"a": 1}])
def test_invalid_values_in_an_old_file_are_refused_by_the_model(entries: Any) -> None:
    assert upgrade("workspace_memory", {"version": 1, "entries": entries})["entries"] == entries


def test_the_old_value_is_not_changed_by_an_upgrade() -> None:
    data = loaded(GOLDEN / "workspace_memory" / "v1.json")
    before = copy.deepcopy(data)
    upgrade("workspace_memory", data)
    assert data == before


# --- unknown fields -------------------------------------------------------------------------

KNOWN = {
    name
    for model in subclasses(Record)
    for field, info in model.model_fields.items()
    for name in (field, info.alias)
}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
UNKNOWN = st.dictionaries(TEXT.filter(lambda name: name not in KNOWN), JSON, max_size=3)
OPEN = {
    *(("allowed_digests", "digests"), ("evidence", "details"), ("working_memory", "slots")),
    *(("sync", "authors"), ("sync", "records"), ("sync", "seen")),
    *(("helper_use", "outcomes"), ("summaries", "texts")),
}
"""Objects without fields of their own."""


def objects(slug: str, data: Any) -> list[dict[str, Any]]:
    """Every object of a document that is a record of ours."""
    if isinstance(data, list):
        return [found for item in data for found in objects(slug, item)]
    if not isinstance(data, dict):
        return []
    inner = [objects(slug, value) for name, value in data.items() if (slug, name) not in OPEN]
    return [data, *(found for part in inner for found in part)]


@pytest.mark.parametrize("slug", REGISTRY)
@settings(max_examples=25)
@given(data=st.data())
def test_unknown_fields_survive_load_and_save(slug: str, data: st.DataObject) -> None:
    document = loaded(GOLDEN / slug / f"v{current_version(REGISTRY[slug])}.json")
    for place in objects(slug, document):
        place.update(data.draw(UNKNOWN))
    again = from_json(json.dumps(document).encode())
    assert rewritten(slug, again) == document
