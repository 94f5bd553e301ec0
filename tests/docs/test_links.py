"""Every link, path and name in the pages leads somewhere."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from tests.docs import markdown
from tests.docs.pages import ROOT
from wm.daemon.routes import ROUTES

PACKAGES = ("agents", "cli", "daemon", "domain", "formats", "ops", "store")
TOP = ("wm", "tests", "docs", "schemas", "examples")
_PATH = re.compile(rf"^(?:{'|'.join(TOP + PACKAGES)})/[\w./<>*-]*[\w/>*]$")
_DOTTED = re.compile(r"^(?:wm|tests)(?:\.\w+)+$")


@pytest.mark.parametrize("page", markdown.pages())
def test_links_lead_to_existing_files_and_headings(page: str) -> None:
    here = (ROOT / page).parent
    broken = []
    for link in markdown.links(page):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (here / path).resolve() if path else ROOT / page
        if not target.exists() or (anchor and anchor not in markdown.anchors(target)):
            broken.append(link)
    assert not broken


def is_there(path: str) -> bool:
    """A path of the tree: exact, with `<word>` for any name, as a module, or as its member.
    Packages of `wm` may be named without it."""
    pattern = re.sub(r"<\w+>", "*", path)
    for base in (ROOT, ROOT / "wm"):
        if any(base.glob(pattern)) or any(base.glob(pattern + ".py")):
            return True
        module, _, member = pattern.rpartition(".")
        file = base / (module + ".py")
        if module and file.is_file() and re.search(rf"\b{member}\b", file.read_text("utf-8")):
            return True
    return False


@pytest.mark.parametrize("page", markdown.pages())
def test_paths_of_the_tree_that_a_page_names_exist(page: str) -> None:
    named = {name for name in markdown.inline(page) if _PATH.match(name)}
    assert [name for name in sorted(named) if not is_there(name)] == []


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("wm/settings/load.py", True),
        ("ops/operation.execute_batch", True),
        ("docs/formats/<slug>.md", True),
        ("tests/domain", True),
        ("wm/domain/nowhere.py", False),
        ("ops/operation.nothing_like_it", False),
    ],
)
def test_the_check_of_paths_detects_bad_paths(path: str, there: bool) -> None:
    assert is_there(path) is there


@pytest.mark.parametrize("page", markdown.pages())
def test_modules_and_members_that_a_page_names_exist(page: str) -> None:
    for name in markdown.inline(page):
        if _DOTTED.match(name) and not name.endswith((".sock", ".js", ".json")):
            assert is_importable(name), name


def is_importable(name: str) -> bool:
    """Walks down the dots; a package that runs with `-m` need not be imported for it."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        base = ROOT.joinpath(*parts[:end])
        if not (base.is_dir() or base.with_suffix(".py").is_file()):
            continue
        found: object = importlib.import_module(".".join(parts[:end]))
        for part in parts[end:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def test_every_page_can_be_reached_from_the_readme() -> None:
    """A link to a folder leads to its README, or to all its pages where it has none."""
    seen: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page.is_dir():
            index = page / "README.md"
            todo += [index] if index.is_file() else page.glob("*.md")
        elif page.suffix == ".md" and page.is_file() and page not in seen:
            seen.add(page)
            links = markdown.links(str(page.relative_to(ROOT)))
            todo += [(page.parent / link.partition("#")[0]).resolve() for link in links]
    lost = {ROOT / page for page in markdown.pages()} - seen
    assert sorted(str(page.relative_to(ROOT)) for page in lost) == []


def test_decision_records_have_their_four_parts_and_a_line_in_the_index() -> None:
    folder = ROOT / "docs" / "adr"
    records = sorted(folder.glob("[0-9]*.md"))
    numbers = [int(path.name[:4]) for path in records]
    assert numbers == list(range(1, len(records) + 1))
    index = markdown.links("docs/adr/README.md")
    for path in records:
        text = path.read_text("utf-8")
        assert text.startswith(f"# {path.name[:4]} "), path.name
        assert path.name in index
        for part in ("**Context.**", "**Options.**", "**Choice.**", "**Cost.**"):
            assert part in text, (path.name, part)


_PLACEHOLDER = re.compile(r"<\w+>|\{\w+\}|\$\w+")
_ROUTE = re.compile(r"/v1/[\w/<>{}.$-]+|(?<=http://wm)/metrics")


@pytest.mark.parametrize("page", markdown.pages())
def test_paths_of_the_socket_that_a_page_names_are_served(page: str) -> None:
    served = [re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(route.path)) for route in ROUTES]
    named = {_PLACEHOLDER.sub("x", path) for path in _ROUTE.findall(markdown.text(page))}
    assert [p for p in sorted(named) if not any(re.fullmatch(s, p) for s in served)] == []


_NAME = re.compile(r"^(?:[A-Z][a-z]+(?:[A-Z][a-z]+)+|[A-Z]{3,}(?:_[A-Z]+)*)$")
_FOREIGN = {"AGENTS", "API_KEY", "CLAUDE", "PATH", "XDG_RUNTIME_DIR"}


@pytest.mark.parametrize("page", markdown.pages())
def test_names_that_a_page_quotes_are_in_the_code(page: str) -> None:
    named = {name for name in markdown.inline(page) if _NAME.match(name)} - _FOREIGN
    assert sorted(named - names_in_code()) == []


@cache
def names_in_code() -> set[str]:
    files = [p for top in ("wm", "tests") for p in (ROOT / top).rglob("*.py")]
    return {name for p in files for name in re.findall(r"\b[A-Z]\w+", p.read_text("utf-8"))}
