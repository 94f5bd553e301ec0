"""Extract the dependencies of a manifest as one line of names and versions (CB-2).

Reads package.json, pyproject.toml, requirements*.txt, go.mod and Cargo.toml as a tool showed
them: with or without line numbers, perhaps cut. It extracts names and versions by their own
alphabet and nothing else, so that no sentence of a file is included. Pure and linear.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wm.text.jsontext import as_list, as_object, as_text
from wm.text.patterns import Lazy

Pair = tuple[str, str]
"""A name and its version, "" if there is none."""

_NUMBERED = Lazy(r"^\s{0,8}\d{1,6}(?:[|:\t→]|\s*[|→]) ?(.*)$")
_NAME = Lazy(r"^@?[A-Za-z0-9][A-Za-z0-9._~/-]{0,79}$")
_VERSION = Lazy(r"^[0-9A-Za-z.*^~<>=!|,+_ -]{1,24}$")
_NPM = Lazy(r'^\s*"([^"\\]{1,80})"\s*:\s*"([^"\\]{0,60})"\s*,?\s*$')
_NPM_SECTION = Lazy(r'^\s*"(?:dev|peer|optional)?[dD]ependencies"\s*:\s*\{')
_GO = Lazy(
    r"^\s*(?:require\s+)?([a-z0-9][A-Za-z0-9._~/-]{2,79}) (v[0-9][0-9A-Za-z.+-]{0,40})\s*(//.*)?$"
)
_REQUIREMENT = Lazy(
    r"^\s*([A-Za-z0-9][A-Za-z0-9._-]{0,79})(?:\[[^\]]{0,60}\])?"
    r"\s*([=<>!~]{1,3}\s?[^;#\s]{1,24})?\s*(?:[;#].*)?$"
)


def is_manifest(path: str) -> bool:
    """Is it the file name of a supported manifest?"""
    return _reader(path) is not None


def line(path: str, text: str, max_chars: int) -> str:
    """Return `path: a 1.2, b ^3 (+4 more)` within `max_chars`; "" for a file without
    dependencies."""
    reader = _reader(path)
    pairs = dict(reader(_plain(text))) if reader is not None else {}
    words = [f"{name} {version}".strip() for name, version in pairs.items()]
    head = f"{path}: "
    for count in range(len(words), 0, -1):
        more = f" (+{len(words) - count} more)" if count < len(words) else ""
        shown = head + ", ".join(words[:count]) + more
        if len(shown) <= max_chars:
            return shown
    return ""


def _reader(path: str) -> Callable[[str], Iterator[Pair]] | None:
    name = path.replace("\\", "/").rpartition("/")[2]
    if name.startswith("requirements") and name.endswith(".txt"):
        return _requirements
    return READERS.get(name)


def _plain(text: str) -> str:
    """Remove the line numbers that a tool added."""
    lines = text.splitlines()
    numbered = [_NUMBERED.match(one) for one in lines]
    if sum(match is not None for match in numbered) * 2 < len(lines):
        return text
    return "\n".join(match.group(1) if match is not None else "" for match in numbered)


def _npm(text: str) -> Iterator[Pair]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        yield from _npm_lines(text)
        return
    for section in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        table = found.get(section) if isinstance(found, dict) else None
        yield from _pairs(table)


def _npm_lines(text: str) -> Iterator[Pair]:
    """Read a file of which only a part is shown."""
    inside = False
    for one in text.splitlines():
        if _NPM_SECTION.match(one) is not None:
            inside = True
        elif inside and "}" in one:
            inside = False
        elif inside and (match := _NPM.match(one)) is not None:
            yield from _pair(match.group(1), match.group(2))


def _toml(text: str) -> Mapping[str, Any]:
    import tomllib  # here: few sessions read such a file, and it would slow every start

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _pyproject(text: str) -> Iterator[Pair]:
    found = _toml(text)
    project = as_object(found.get("project"))
    groups = (
        as_object(project.get("optional-dependencies")),
        as_object(found.get("dependency-groups")),
    )
    lists = [project.get("dependencies"), *(table for group in groups for table in group.values())]
    for table in lists:
        for requirement in as_list(table):
            if isinstance(requirement, str):
                yield from _requirements(requirement)
    poetry = as_object(as_object(found.get("tool")).get("poetry"))
    yield from (pair for pair in _pairs(poetry.get("dependencies")) if pair[0] != "python")


def _cargo(text: str) -> Iterator[Pair]:
    found = _toml(text)
    for section in ("dependencies", "dev-dependencies", "build-dependencies"):
        yield from _pairs(found.get(section))
    yield from _pairs(as_object(found.get("workspace")).get("dependencies"))


def _go(text: str) -> Iterator[Pair]:
    for one in text.splitlines():
        match = _GO.match(one)
        if match is not None and "indirect" not in (match.group(3) or ""):
            yield from _pair(match.group(1), match.group(2))


def _requirements(text: str) -> Iterator[Pair]:
    for one in text.splitlines():
        match = _REQUIREMENT.match(one)
        if match is not None:
            yield from _pair(match.group(1), (match.group(2) or "").removeprefix("=="))


def _pairs(table: object) -> Iterator[Pair]:
    for name, version in table.items() if isinstance(table, dict) else ():
        number = version.get("version") if isinstance(version, dict) else version
        yield from _pair(str(name), as_text(number))


def _pair(name: str, version: str) -> Iterator[Pair]:
    if _NAME.match(name) is not None:
        yield name, version if _VERSION.match(version) is not None else ""


READERS: Mapping[str, Callable[[str], Iterator[Pair]]] = {
    "package.json": _npm,
    "pyproject.toml": _pyproject,
    "go.mod": _go,
    "Cargo.toml": _cargo,
}
