"""Options and fixed figures: their number, their descriptions, and that each is used.
Reading a config.toml, also one that cannot be used. What else the settings do."""

from __future__ import annotations

import ast
import os
from functools import cache
from pathlib import Path

import pytest

from tests.test_layers import modules
from wm.settings import (
    NUMERIC_THREADS,
    SECTIONS,
    TOKENIZING_THREADS,
    Settings,
    describe,
    load,
    one_numeric_thread,
    one_tokenizing_thread,
    options_of,
)

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = [(section, name) for section, kind in SECTIONS.items() for name in options_of(kind)]
FIGURES = [(section, name) for section, kind in SECTIONS.items() for name in describe(kind)]
REMOVED = [
    line.split()
    for line in (ROOT / "wm/settings/removed.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def loaded(home: Path, text: str | bytes) -> Settings:
    """What is loaded from this config.toml."""
    file = home / ".config" / "wm" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load({"HOME": str(home)})


def test_a_byte_order_mark_of_an_editor_is_ignored(tmp_path: Path) -> None:
    assert loaded(tmp_path, b"\xef\xbb\xbf[memory]\nlearn = 'off'\n").memory.learn == "off"


def test_there_are_at_most_120_options_and_about_30_on_the_first_page() -> None:
    """An option is a field that config.toml may set, counted once whatever its value holds."""
    common = [name for section, name in OPTIONS if options_of(SECTIONS[section])[name].common]
    assert len(OPTIONS) <= 120
    assert 20 <= len(common) <= 35


def test_every_figure_has_a_description_with_its_rule() -> None:
    for section, kind in SECTIONS.items():
        fields = set(kind.__struct_fields__)
        assert set(describe(kind)) == fields, section


@cache
def reads(module: str) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """What a module names, and each attribute it takes with the last word before the dot."""
    tree = dict(modules())[module]
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    taken = {
        (ast.unparse(node.value).split(".")[-1], node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    return frozenset(names), frozenset(taken)


@pytest.mark.parametrize(("section", "option"), FIGURES)
def test_every_figure_is_read_somewhere(section: str, option: str) -> None:
    """As `….section.option`, in a module that is handed the section by its type, or as
    `core.settings.option` in the store."""
    kind = SECTIONS[section].__name__
    for module, _ in modules():
        names, taken = reads(module)
        by_type = kind in names and option in {attribute for _, attribute in taken}
        of_core = (
            section == "store" and module.startswith("store") and ("settings", option) in taken
        )
        known = (section, option) in taken or by_type or of_core
        if known and not module.startswith("settings"):
            return
    pytest.fail(f"nothing reads {section}.{option}")


def test_tokenizing_uses_one_thread_unless_the_environment_overrides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for before in (None, "true"):
        monkeypatch.delenv(TOKENIZING_THREADS, raising=False)
        if before:
            monkeypatch.setenv(TOKENIZING_THREADS, before)
        one_tokenizing_thread()
        assert os.environ[TOKENIZING_THREADS] == (before or "false")


def test_importing_numpy_does_not_change_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in (None, "4"):
        monkeypatch.delenv(NUMERIC_THREADS, raising=False)
        if before:
            monkeypatch.setenv(NUMERIC_THREADS, before)
        with one_numeric_thread():
            assert os.environ[NUMERIC_THREADS] == (before or "1")
        assert os.environ.get(NUMERIC_THREADS) == before


def test_removed_options_are_ignored_with_one_warning_that_names_each(tmp_path: Path) -> None:
    sections: dict[str, list[str]] = {}
    for name, *_ in REMOVED:
        section, _, option = name.partition(".")
        sections.setdefault(section, []).append(option)
    lines = [f"[{s}]\n" + "".join(f"{n} = 1\n" for n in names) for s, names in sections.items()]
    made = loaded(tmp_path, "".join(lines) + "[core]\ngoal_chars = 7\n")
    assert made.config_error is None
    assert made.core.goal_chars == 7
    reported = made.config_warning.removesuffix(".").split("removed: ")[1].split(", ")
    expected = [
        f"{name} (use {new[0]})" if new else f"{name} (its value is fixed now)"
        for name, *new in REMOVED
    ]
    assert sorted(reported) == sorted(expected)


def test_the_150_removed_options_are_not_options_any_more_and_their_replacements_are() -> None:
    options = {".".join(pair) for pair in OPTIONS}
    assert len(REMOVED) == 150
    assert not options & {name for name, *_ in REMOVED}
    assert {new[0] for _, *new in REMOVED if new} <= options


BROKEN: tuple[tuple[str | bytes, str, str], ...] = (
    ("[memory", " is not valid TOML: ", "(line 1)"),
    ("\n[memory]\n= 3\n", " is not valid TOML: ", ""),
    (b"\xff\xfe", " cannot be read: ", ""),
    ("a = " + "[" * 5000, " is not valid TOML: too deeply nested.", ""),
    (f"[daemon]\nmax_connections = {'9' * 5000}", " is not valid TOML: ", ""),
    ("[core]\ngoal_chars = 1\n\n[boats]\n", ": there is no section [boats].", "(line 4)"),
    ("\nmemory = 1", ": memory is not a section.", "(line 2)"),
    ("[memory]\n\nboats = 1", ": [memory] has no option 'boats'.", "(line 3)"),
    ("[core]\ngoal_chars = true", ": [core] goal_chars is True.", "(line 2)"),
    ("[core]\ngoal_chars = 1979-05-27", ": [core] goal_chars is ", "(line 2)"),
    ("core.goal_chars = 'x'", ": [core] goal_chars is 'x'.", "(line 1)"),
    ("\n\n[memory.type_caps]\nx = 'a'", ": [memory] type_caps.x is 'a'.", "(line 3)"),
    ("[proxy]\nport = 1\n[[pruning.rules]]\n", ": [pruning] rules, rule 1 has no name.", "3)"),
    (
        "[[gate.triggers]]\nname = 'nb'",
        ": [gate] triggers, trigger 1 (nb) does not say",
        "(line 1)",
    ),
    (
        "[[gate.triggers]]\nname = 'nb'\npattern = 'nb(?=x)'",
        ": [gate] triggers, trigger 1 (nb): 'nb(?=x)' is not a valid expression",
        "(line 1)",
    ),
    (
        "[[gate.triggers]]\nname = 'nb'\npattern = 'nb'\ntype = 'runbook'",
        ": [gate] triggers (nb): type is 'runbook'.",
        "(line 1)",
    ),
)


@pytest.mark.parametrize(("text", "message", "line"), BROKEN)
def test_a_broken_config_gives_the_defaults_and_names_the_place(
    tmp_path: Path, text: str | bytes, message: str, line: str
) -> None:
    made = loaded(tmp_path, text)
    assert made.config_error is not None
    file = tmp_path / ".config" / "wm" / "config.toml"
    assert made.config_error.message.startswith(f"{file}{message}")
    assert line in made.config_error.fix
    assert made.core.goal_chars == Settings(paths=made.paths).core.goal_chars
    assert made.config_notice.startswith(f"{file} cannot be used")


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_config_that_is_not_a_file_is_broken_and_read_without_waiting(
    tmp_path: Path, kind: str
) -> None:
    file = tmp_path / ".config" / "wm" / "config.toml"
    file.parent.mkdir(parents=True)
    if kind == "folder":
        file.mkdir()
    else:
        os.mkfifo(file)
    made = load({"HOME": str(tmp_path)})
    assert made.config_error is not None
    assert "cannot be read: " in made.config_error.message


def test_options_that_need_consent_are_off_while_the_config_is_broken(tmp_path: Path) -> None:
    wanting = [pair for pair in OPTIONS if options_of(SECTIONS[pair[0]])[pair[1]].needs_consent]
    assert sorted(wanting) == [
        ("helper", "base_url"),
        ("helper", "model"),
        ("memory", "learn"),
        ("proxy", "policy"),
        ("proxy", "upstream"),
        ("recall", "models_url"),
        ("team", "accept"),
    ]
    sound = '[proxy]\nupstream = "https://a.example"\n[recall]\nmodels_url = "https://b.example"\n'
    made = loaded(tmp_path, sound)
    assert (made.proxy.upstream, made.recall.models_url) == (
        "https://a.example",
        "https://b.example",
    )
    made = loaded(tmp_path, sound + "[boats]\n")
    assert not any(getattr(getattr(made, section), name) for section, name in wanting)


def test_the_notice_for_logs_and_prompts_quotes_no_value(tmp_path: Path) -> None:
    made = loaded(tmp_path, '[core]\ngoal_chars = "hunter2"\n')
    assert "hunter2" in str(made.config_error)
    assert "hunter2" not in made.config_notice
    assert "(line 2)" in made.config_notice


def test_a_near_name_is_suggested(tmp_path: Path) -> None:
    error = loaded(tmp_path, "[memory]\nrendered_entreis = 3\n").config_error
    assert error is not None
    assert "Did you mean rendered_entries?" in error.fix
