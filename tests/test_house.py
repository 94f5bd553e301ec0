"""The shape of the tree: rooms of a readable size, one name for one thing, few lazy imports.

Each bound is one that the tree keeps today; a change that breaks one needs another room, not
another bound.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict

from tests.test_layers import PACKAGE, modules
from wm import errors

MOST_FILES = 24
"""Modules in one folder, its `__init__` included; a reader takes in no more at a glance."""
MOST_IN_A_WING = 13
"""Modules in one wing of `ops`, its `__init__` included."""
MOST_LAZY_IMPORTS = 15
"""Own modules that are imported inside functions; each has its reason beside it."""
MOST_BROAD_CATCHES = 12
"""`except Exception` and wider, and `suppress(Exception)`. Steps are undone by `errors.OnError`."""


def folders() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        found[path.parent.relative_to(PACKAGE).as_posix()].append(path.name)
    return found


def test_folders_have_at_most_24_modules() -> None:
    files = {folder: len(names) for folder, names in folders().items()}
    assert {folder: count for folder, count in files.items() if count > MOST_FILES} == {}
    wings = {f: n for f, n in files.items() if f.startswith("ops/") and n > MOST_IN_A_WING}
    assert wings == {}


def test_a_class_name_belongs_to_one_folder() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(path.parent.relative_to(PACKAGE).as_posix())
    assert {name: sorted(found) for name, found in homes.items() if len(found) > 1} == {}


def test_lazy_imports_of_own_modules_are_bounded() -> None:
    lazy = {
        (name, node.lineno)
        for name, tree in modules()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wm")
    }
    assert len(lazy) <= MOST_LAZY_IMPORTS


def test_broad_catches_are_few() -> None:
    broad = [
        f"{name}:{node.lineno}"
        for name, tree in modules()
        for node in ast.walk(tree)
        if any(kind is None or getattr(kind, "id", "") in BROAD for kind in caught(node))
    ]
    assert len(broad) <= MOST_BROAD_CATCHES, broad
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text("utf-8")
    listed = page.partition("Broad `except`")[2].partition("##")[0]
    homes = {name.replace("/", ".") for name in re.findall(r"`([\w/]+)\.py`", listed)}
    assert {place.partition(":")[0] for place in broad} == homes


BROAD = ("Exception", "BaseException")


def caught(node: ast.AST) -> list[ast.expr | None]:
    """What a handler or a `suppress` catches; None: everything."""
    if isinstance(node, ast.ExceptHandler):
        return [*node.type.elts] if isinstance(node.type, ast.Tuple) else [node.type]
    if isinstance(node, ast.Call) and "suppress" in ast.unparse(node.func):
        return [*node.args]
    return []


def test_every_module_has_a_docstring() -> None:
    silent = [name for name, tree in modules() if not ast.get_docstring(tree)]
    assert silent == []


def rows_made(kinds: set[str]) -> dict[str, set[frozenset[str]]]:
    """Row of a table of sentences -> the values that each error or refusal of it is made with."""
    found: dict[str, set[frozenset[str]]] = defaultdict(set)
    for _, tree in modules():
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(kind) | ast.Attribute(attr=kind), attr="of"),
                    args=[ast.Constant(str(row))],
                ) if kind in kinds:
                    found[row].add(frozenset(str(word.arg) for word in node.keywords))
    return found


def values_named(rows: dict[str, list[str]]) -> dict[str, set[frozenset[str]]]:
    """Row -> the values that stand in braces in its sentences."""
    return {
        row: {frozenset(re.findall(r"\{(\w+)[!:}]", " ".join(words)))}
        for row, words in rows.items()
    }


def test_each_sentence_of_an_error_is_used_with_the_values_that_it_names() -> None:
    assert rows_made(set(vars(errors))) == values_named(errors.sentences())


def test_each_sentence_of_a_refusal_is_used_with_the_values_that_it_names() -> None:
    table = tomllib.loads((PACKAGE / "domain" / "refusals.toml").read_text(encoding="utf-8"))
    rows = {f"{topic}.{name}": row for topic, named in table.items() for name, row in named.items()}
    assert rows_made({"Refusal"}) == values_named(rows)


def test_the_sentences_of_errors_are_in_order_and_have_a_fix() -> None:
    rows = errors.sentences()
    assert list(rows) == sorted(rows)
    assert [row for row, words in rows.items() if len(words) != 2] == []
