"""The dependency table of docs/architecture.md, checked against the imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "wm"

MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "settings": {"errors", "settings"},
    "net": {"errors", "settings", "net"},
    "formats": {"errors", "formats"},
    "api": {"errors", "formats", "api"},
    "text": {"errors", "settings", "text"},
    "secrets": {"errors", "settings", "text", "secrets"},
    "domain": {"errors", "settings", "formats", "api", "text", "secrets", "domain"},
    "search": {"errors", "settings", "formats", "api", "text", "domain", "search"},
    "wire": {"errors", "settings", "formats", "text.jsontext", "wire"},
    "store": {"errors", "settings", "formats", "text", "secrets", "domain", "store"},
    "models": {"errors", "settings", "models"},
    "ops": {
        *("errors", "settings", "formats", "api", "text", "secrets", "domain", "search", "wire"),
        *("store", "models", "ops"),
    },
    "replay": {
        *("errors", "settings", "formats", "api", "text.jsontext", "domain", "wire"),
        *("store.paths", "ops.paging", "replay"),
    },
    "daemon": {"errors", "settings", "net", "formats", "api", "domain.times", "ops", "daemon"},
    "proxy": {
        *("errors", "settings", "net", "formats", "wire", "daemon.client", "daemon.client_async"),
        *("api.paging", "domain.paging", "ops.paging", "proxy"),
    },
    "page": {
        *("errors", "settings", "net", "formats", "api", "wire", "daemon.client"),
        *("daemon.client_async", "domain.times", "domain.counts", "text.escape", "ops", "page"),
    },
    "agents": {
        *("errors", "settings", "formats", "api", "domain.payloads", "daemon.client"),
        "agents",
        "text.jsontext",
    },
    "library": {"errors", "settings", "formats", "daemon.client", "ops"},
    "cli": {
        *("errors", "settings", "formats", "api", "text.escape", "text.tables"),
        *("domain.counts", "daemon", "ops"),
        *("agents", "library", "replay", "proxy", "page", "cli"),
    },
}
"""Package -> what of `wm` it may import (a package, or one module of it)."""

EXCEPTIONS = {
    # The hook client falls back to the library on the files; the import happens only then.
    ("agents.hook_client", "ops.local_hooks")
}

NEVER: dict[str, set[str]] = {
    "formats": {"os", "pathlib", "time", "asyncio", "socket", "subprocess"},
    "api": {"os", "pathlib", "time", "asyncio", "socket", "subprocess"},
    "search": {"os", "pathlib", "time", "asyncio", "socket", "subprocess", "random", "secrets"},
    "domain": {"os", "pathlib", "time", "asyncio", "socket", "subprocess", "random", "secrets"},
    "text": {"os", "pathlib", "time", "asyncio", "socket", "subprocess", "random", "secrets"},
    "secrets": {"os", "pathlib", "time", "asyncio", "socket", "subprocess", "random", "secrets"},
    "wire": {"os", "pathlib", "time", "asyncio", "socket", "subprocess", "random", "secrets"},
    "ops": {"socket", "asyncio", "click", "subprocess"},
}
"""Standard library that a pure package has no business with."""


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    return tuple(
        (module_name(path), ast.parse(path.read_text("utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
    )


def module_name(path: Path) -> str:
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    return name.removesuffix(".__init__")


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            module = node.module or ""
            known = PACKAGE.parent.joinpath(*module.split("."))
            for alias in node.names:
                sub = known / alias.name
                is_module = sub.is_dir() or sub.with_suffix(".py").is_file()
                yield f"{module}.{alias.name}" if is_module else module


def allowed(package: str, target: str) -> bool:
    return any(target == ok or target.startswith(ok + ".") for ok in MAY_IMPORT[package])


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_packages_import_only_what_the_table_allows(package: str) -> None:
    wrong = []
    for name, tree in modules():
        if name.split(".")[0] != package:
            continue
        for imported in imports(tree):
            if imported == "wm" or not imported.startswith("wm."):
                continue
            target = imported.removeprefix("wm.")
            if not allowed(package, target) and (name, target) not in EXCEPTIONS:
                wrong.append(f"{name} imports {target}")
    assert not wrong


@pytest.mark.parametrize("package", sorted(NEVER))
def test_pure_packages_do_no_input_or_output(package: str) -> None:
    wrong = [
        f"{name} imports {imported}"
        for name, tree in modules()
        if name.split(".")[0] == package
        for imported in imports(tree)
        if imported.split(".")[0] in NEVER[package]
    ]
    assert not wrong


def test_there_are_no_import_cycles() -> None:
    """Imports inside functions and under TYPE_CHECKING count: they are knowledge all the same."""
    graph = {
        name: {imported.removeprefix("wm.") for imported in imports(tree)}
        for name, tree in modules()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_every_package_has_a_row_in_the_table() -> None:
    packages = {name.split(".")[0] for name, _ in modules()} - {"", "__main__", "__init__"}
    assert packages <= set(MAY_IMPORT)


def test_only_settings_reads_the_environment() -> None:
    wrong = []
    for name, tree in modules():
        # The hook client may not import settings: that alone costs more than its whole run.
        if name in ("settings.environment", "agents.hook_client"):
            continue
        wrong += [
            f"{name}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb")
        ]
    assert not wrong


def test_types_of_model_fields_are_not_strings() -> None:
    """pydantic would compile and evaluate each of them, at every start."""
    wrong = [
        name
        for name, tree in modules()
        if name.startswith("formats.")
        and any(target.startswith("wm.formats.base") for target in imports(tree))
        and "__future__" in imports(tree)
    ]
    assert not wrong


def test_values_are_structs_that_declare_their_fields() -> None:
    """A Struct has no room for another one, and the type checker does not look (ADR 0023)."""
    wrong = []
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                made = [ast.unparse(one) for one in node.decorator_list]
                wrong += [f"{name}:{node.name}" for one in made if "dataclass" in one]
            if isinstance(node, ast.ClassDef) and "Struct" in map(ast.unparse, node.bases):
                wrong += [f"{name}:{node.name}.{field}" for field in undeclared(node)]
    assert not wrong


def undeclared(struct: ast.ClassDef) -> set[str]:
    """The attributes that methods of a class set on `self`, and that it does not declare."""
    declared = {ast.unparse(n.target) for n in struct.body if isinstance(n, ast.AnnAssign)}
    return {
        node.attr
        for node in ast.walk(struct)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == "self"
    } - declared


def test_broad_catches_are_in_the_listed_modules_only() -> None:
    doors = {
        *("cli.app", "daemon.dispatch", "daemon.actors", "agents.mcp_stdio", "proxy.fallback"),
        *("agents.hook_client", "ops.background"),
    }
    wrong = []
    for name, tree in modules():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ExceptHandler) or name in doors:
                continue
            if node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"):
                # Cleaning up and raising again hides nothing.
                reraises = any(isinstance(n, ast.Raise) and n.exc is None for n in ast.walk(node))
                wrong += [] if reraises else [f"{name}:{node.lineno}"]
    assert not wrong


def test_functions_have_at_most_60_lines() -> None:
    long = [
        f"{name}:{node.lineno} {node.name} ({size} lines)"
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (size := (node.end_lineno or 0) - node.lineno + 1) > 60
    ]
    assert not long
