"""Only `fsops` opens files of the data folder (ST-6), so that a test can make each access fail."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import wm.store

STORE = Path(wm.store.__file__).parent
# These modules open files outside the data folder, or watch the folder without opening it.
OUTSIDE = {
    "fsops.py": "the door itself",
    "identity.py": "reads the pointer files of repositories",
    "fstype.py": "reads the table of mounts",
    "project.py": "replaces files of the user's project, by its own rules",
    "command.py": "runs git, which reads and writes the private mirrors",
    "watch.py": "asks the system for changes; reads through the door",
}
HARMLESS = {*("getpid", "register_at_fork", "stat_result", "fspath", "path")}
PATH_METHODS = {
    *("open", "read_bytes", "read_text", "write_bytes", "write_text", "unlink", "rename"),
    *("replace", "mkdir", "rmdir", "touch", "chmod", "symlink_to", "hardlink_to", "iterdir"),
    *("glob", "rglob", "exists", "is_file", "is_dir", "stat", "lstat", "resolve"),
}
MODULES = sorted(
    str(path.relative_to(STORE)) for path in STORE.rglob("*.py") if path.name not in OUTSIDE
)


def reaches(tree: ast.AST) -> list[str]:
    """Calls that could reach the file system without `fsops`."""
    found: list[str] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        target = node.func
        if isinstance(target, ast.Name) and target.id == "open":
            found.append(f"{node.lineno}: open")
        if not isinstance(target, ast.Attribute):
            continue
        owner = ast.unparse(target.value)
        if owner in ("os", "shutil", "tempfile", "io") and target.attr not in HARMLESS:
            found.append(f"{node.lineno}: {owner}.{target.attr}")
        if owner.endswith("home") and target.attr in PATH_METHODS:
            found.append(f"{node.lineno}: {owner}.{target.attr}")
        if owner == "Path" or owner.startswith("Path("):
            found.append(f"{node.lineno}: {owner}.{target.attr}")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_only_fsops_opens_files(module: str) -> None:
    assert reaches(ast.parse((STORE / module).read_text())) == []


def test_the_rule_detects_each_forbidden_call() -> None:
    source = "open('x')\nos.unlink('x')\nself.home.exists()\nPath('x').read_text()\nos.getpid()\n"
    assert [line.split(": ")[1] for line in reaches(ast.parse(source))] == [
        "open",
        "os.unlink",
        "self.home.exists",
        "Path('x').read_text",
    ]
