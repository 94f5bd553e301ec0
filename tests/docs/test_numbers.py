"""Numbers in the pages are those of the code."""

from __future__ import annotations

import ast
import re
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.docs import markdown
from tests.docs.pages import ROOT
from wm.agents.claude_hooks import HOOKS
from wm.domain.memory import retention
from wm.domain.payloads.opencode import EVENTS
from wm.domain.times import iso
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.settings import SECTIONS, MemorySettings, Paths, Settings, apply_config

OPTION = rf"(?:{'|'.join(SECTIONS)})\.\w+(?:\.\w+)?"
_QUOTED = re.compile(rf"(\d[\d,]*(?:\.\d+)?)(?: [a-z]+){{0,3}} \(`({OPTION})`\)")
_IN_PARENTHESES = re.compile(rf"\(`({OPTION})`\)")
_NAMED = re.compile(rf"^{OPTION}$")

NOW = datetime(2026, 11, 21, 19, tzinfo=UTC)


def default(option: str) -> object:
    """The default of `section.option`, or of `section.option.key`. Raises for unknown ones."""
    section, name, *key = option.split(".")
    value = getattr(SECTIONS[section](), name)
    return value[key[0]] if key else value


@pytest.mark.parametrize("page", markdown.pages())
def test_numbers_quoted_with_their_option_are_its_default(page: str) -> None:
    prose = markdown.parts(page)[0].replace("\n", " ")
    quoted = _QUOTED.findall(prose)
    wrong = [(n, o) for n, o in quoted if float(n.replace(",", "")) != default(o)]
    assert wrong == []
    assert sorted(o for _, o in quoted) == sorted(_IN_PARENTHESES.findall(prose))


@pytest.mark.parametrize("page", markdown.pages())
def test_options_that_a_page_names_exist(page: str) -> None:
    for name in markdown.inline(page):
        is_module = (ROOT / "wm" / name.replace(".", "/")).with_suffix(".py").is_file()
        if _NAMED.match(name) and not is_module and name not in EVENTS:
            default(name)


def test_configuration_examples_are_accepted() -> None:
    home = Path("/home/ann")
    settings = Settings(paths=Paths(home, home, home, home))
    for block in markdown.blocks("toml"):
        apply_config(settings, tomllib.loads(block.text), where=block.page)


COLUMNS = (
    *("type", "source", "importance", "reinforced", "age, days", "quiet, days"),
    *("effective age", "half-life", "strength"),
)


@pytest.mark.parametrize("row", markdown.table("docs/concepts/memory.md", *COLUMNS))
def test_the_worked_example_of_retention_matches_the_code(row: tuple[str, ...]) -> None:
    kind, source, importance, count, age, quiet, effective, half_life, strength = row
    begin = iso(NOW - timedelta(days=float(age)))
    entry = MemoryEntry(
        id="m_1",
        type=kind,
        text="We deploy with make ship.",
        source=source,
        user_importance=importance,
        reinforcement_count=int(count),
        created_at=begin,
        updated_at=begin,
        retention_clock=begin,
    )
    memory = WorkspaceMemory(
        workspace=Workspace(root="/ferry", key="0" * 16),
        entries=(entry,),
        last_activity_at=iso(NOW - timedelta(days=float(quiet))),
        updated_at=begin,
    )
    settings = MemorySettings()
    days = retention.ageing(memory, now=NOW, settings=settings).days(entry)
    assert f"{days:.1f}" == effective
    assert f"{retention.half_life_days(entry, settings):.1f}" == half_life
    assert f"{retention.strength(entry, memory, now=NOW, settings=settings):.3f}" == strength


def test_the_weights_of_actions_match_the_settings() -> None:
    text = markdown.text("docs/concepts/sessions-and-epochs.md")
    weights = SECTIONS["session"]().action_weights
    listed = ", ".join(f"{name} {weight}" for name, weight in weights.items())
    assert f"({listed})" in " ".join(text.split())


def test_the_names_of_measurements_match_the_tool() -> None:
    tree = ast.parse((ROOT / "tests" / "bench" / "__main__.py").read_text("utf-8"))
    names = next(
        ast.literal_eval(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "NAMES"
    )
    text = " ".join(markdown.text("docs/testing.md").split())
    assert ", ".join(f"`{name}`" for name in names) in text


def test_the_hooks_of_the_page_match_setup() -> None:
    columns = ("hook", "what `wm` does with it", "what Claude reads")
    rows = markdown.table("docs/concepts/agents.md", *columns)
    assert [row[0].strip("`") for row in rows] == list(dict.fromkeys(h.event for h in HOOKS))


def test_the_opencode_hooks_of_the_page_match_the_parser() -> None:
    columns = ("hook or event", "what `wm` does with it", "what the model reads")
    rows = markdown.table("docs/concepts/agents.md", *columns)
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row[0])}
    assert named == set(EVENTS)
