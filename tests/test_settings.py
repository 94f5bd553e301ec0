"""Every option is read: one that nobody asks for promises what it does not do. Also what else the
settings hold."""

from __future__ import annotations

import ast
import os
from functools import cache

import pytest

from tests.test_layers import modules
from wm.settings import (
    NUMERIC_THREADS,
    SECTIONS,
    TOKENIZING_THREADS,
    one_numeric_thread,
    one_tokenizing_thread,
)

OPTIONS = [(section, name) for section, kind in SECTIONS.items() for name in kind.options]


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


@pytest.mark.parametrize(("section", "option"), OPTIONS)
def test_every_option_is_read_somewhere(section: str, option: str) -> None:
    """As `….section.option`, or in a module that is handed the section by its type."""
    kind = SECTIONS[section].__name__
    for module, _ in modules():
        names, taken = reads(module)
        by_type = kind in names and option in {attribute for _, attribute in taken}
        if module != "settings" and ((section, option) in taken or by_type):
            return
    pytest.fail(f"nobody reads {section}.{option}")


def test_texts_are_taken_apart_on_one_thread_unless_the_environment_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for before in (None, "true"):
        monkeypatch.delenv(TOKENIZING_THREADS, raising=False)
        if before:
            monkeypatch.setenv(TOKENIZING_THREADS, before)
        one_tokenizing_thread()
        assert os.environ[TOKENIZING_THREADS] == (before or "false")


def test_what_is_imported_for_numbers_leaves_the_environment_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for before in (None, "4"):
        monkeypatch.delenv(NUMERIC_THREADS, raising=False)
        if before:
            monkeypatch.setenv(NUMERIC_THREADS, before)
        with one_numeric_thread():
            assert os.environ[NUMERIC_THREADS] == (before or "1")
        assert os.environ.get(NUMERIC_THREADS) == before
