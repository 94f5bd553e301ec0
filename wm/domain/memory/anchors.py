"""Anchors: the code that an entry describes, and whether that code changed (WM-9).

An anchor names a file, and optionally a symbol or a line range in it, with the digest of that
code. Indentation, blank lines and the position in the file do not count, so moving a function or
editing next to it changes nothing. A symbol is found by the common forms of definitions; no
language is parsed. Pure: the caller passes the file's text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from wm.domain.counts import counted
from wm.domain.facts import Fact, Refusal
from wm.formats.workspace_memory import Anchor, MemoryEntry
from wm.text.patterns import Lazy, Pattern, compile, words

SAME, CHANGED, GONE, UNREAD = "same", "changed", "gone", "unread"
MAX_LINES = 400
"""Maximum lines of a range; a longer one says little about one fact."""
MAX_ANCHORS = 8
"""Maximum anchors per entry."""

_OPENING_CHARS = 16
_NAME = Lazy(r"^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*)*$")
_RANGE = Lazy(r"^([1-9]\d{0,6})-([1-9]\d{0,6})$")
_KEYWORDS = (
    "class|def|defmodule|defp|enum|fn|fun|func|function|impl|interface|macro|module|namespace|"
    "object|package|protocol|record|struct|trait|type|typedef|union|const|let|var|val|static"
)
_STATEMENTS = words(
    "return await throw raise yield if elif else while for switch case new not and or assert "
    "delete defer go print echo in is with match when unless until do try catch"
)
_CLOSING = (")", "]", "}")


def parse(text: str) -> Anchor | Refusal:
    """Parse `path`, `path:symbol` or `path:12-40` into an anchor without a digest. Refusals:
    bad_anchor."""
    path, _, part = text.strip().rpartition(":")
    if not path:
        path, part = part, ""
    if not path or path.startswith(("/", "~")) or ".." in path.split("/"):
        message = f"{text!r} is not a file in this project: give the path from the project root."
        return Refusal("bad_anchor", message)
    span = _RANGE.match(part)
    if span is not None:
        first, last = int(span.group(1)), int(span.group(2))
        if not first <= last < first + MAX_LINES:
            return Refusal("bad_anchor", f"{text!r} is not a range of 1 to {MAX_LINES} lines.")
        return Anchor(path=path, symbol="", lines=last - first + 1, digest=part)
    if part and _NAME.match(part) is None:
        return Refusal("bad_anchor", f"{part!r} is neither a symbol nor a range such as 12-40.")
    return Anchor(path=path, symbol=part)


def with_digest(asked: Anchor, source: str | None) -> Anchor | Refusal:
    """The anchor with the digest of the current code. Refusals: no_file, no_symbol."""
    if source is None:
        message = f"There is no text file {asked.path} in this project, or it is too large."
        return Refusal("no_file", message)
    if asked.symbol:
        span = _symbol(source, asked.symbol)
        if not span:
            return Refusal("no_symbol", f"Nothing in {asked.path} defines {asked.symbol}.")
        return asked.model_copy(update={"digest": _digest(span)})
    if asked.lines:
        first = int(asked.digest.partition("-")[0])
        span = _plain(source.splitlines()[first - 1 : first - 1 + asked.lines])
        if not span:
            return Refusal("no_symbol", f"{asked.path} has no text at these lines.")
        found = {"lines": len(span), "digest": _digest(span), "opening": _opening(span[0])}
        return asked.model_copy(update=found)
    return asked


def state(anchor: Anchor, source: str | None) -> str:
    """same, changed or gone. source: the file's text, None if the file does not exist."""
    if source is None:
        return GONE
    if anchor.symbol:
        span = _symbol(source, anchor.symbol)
        if not span:
            return GONE
        return SAME if _digest(span) == anchor.digest or not anchor.digest else CHANGED
    if anchor.lines and anchor.digest:
        return SAME if _occurs(_plain(source.splitlines()), anchor) else CHANGED
    return SAME


def name(anchor: Anchor) -> str:
    """The anchor as people write it."""
    part = anchor.symbol or (counted(anchor.lines, "line") if anchor.lines else "")
    return f"{anchor.path}:{part}" if part else anchor.path


def worst(states: Iterable[str]) -> str:
    """The mark of an entry whose anchors have these states: gone, changed, or ""."""
    found = set(states)
    return GONE if GONE in found else CHANGED if CHANGED in found else ""


def mark(
    entries: tuple[MemoryEntry, ...], states: Mapping[Anchor, str]
) -> tuple[tuple[MemoryEntry, ...], tuple[Fact, ...]]:
    """The entries with marks from the states; an entry with an unread anchor keeps its mark."""
    marked: list[MemoryEntry] = []
    facts: list[Fact] = []
    for entry in entries:
        known = [states.get(anchor, UNREAD) for anchor in entry.anchors]
        suspect = worst(known)
        if not known or UNREAD in known or suspect == entry.suspect:
            marked.append(entry)
            continue
        marked.append(entry.model_copy(update={"suspect": suspect}))
        code = f"anchor_{suspect or SAME}"
        named = tuple(name(a) for a in entry.anchors if states[a] != SAME)
        details = {"anchors": named} if named else {}
        facts.append(Fact("memory_suspect", "retention", "changed", entry.id, (code,), details))
    return (tuple(marked) if facts else entries), tuple(facts)


def _symbol(source: str, symbol: str) -> list[str]:
    """The lines that define the symbol; for `Class.method` those of the method in the class."""
    lines = source.splitlines()
    for part in symbol.replace("::", ".").replace("#", ".").split("."):
        at = _definition(lines, part)
        if at < 0:
            return []
        lines = _block(lines, at)
    return _plain(lines)


def _definition(lines: list[str], name: str) -> int:
    """The index of the definition of `name`: after a keyword, else a method, else an assignment."""
    for pattern in _definitions(name):
        for at, line in enumerate(lines):
            if name in line and pattern.search(line) is not None and not _uses(line):
                return at
    return -1


def _definitions(name: str) -> tuple[Pattern, ...]:
    quoted = "".join(f"\\{c}" if c == "$" else c for c in name)
    edge = r"(?:$|[^\p{L}\p{N}_$])"
    return (
        compile(rf"^\s*(?:[\w@()]+\s+)*(?:{_KEYWORDS})\b(?:\s+|\s*\([^)]*\)\s*){quoted}{edge}"),
        compile(rf"^\s*(?:[\w<>\[\],*&?:]+\s+)+[*&]*{quoted}\s*(?:<[^>]*>)?\([^;]*$"),
        compile(rf"^\s*[*#]?{quoted}\s*(?:<[^>]*>)?\(.*\{{\s*$"),
        compile(rf"^\s*[\"']?{quoted}[\"']?\s*(?::|=|:=)(?:$|[^=])"),
    )


def _uses(line: str) -> bool:
    """Whether the line uses a name instead of defining it: `return berth(1)`."""
    return line.split(maxsplit=1)[0] in _STATEMENTS


def _block(lines: list[str], at: int) -> list[str]:
    """The definition at `at`: the line, the indented lines below it, and the closing line."""
    indent = _indent(lines[at])
    end = at + 1
    for index in range(at + 1, len(lines)):
        line = lines[index].strip()
        if not line:
            continue
        deeper = _indent(lines[index]) > indent
        closes = line.startswith(_CLOSING) or line.split()[0] == "end"
        if not deeper and not (closes and _indent(lines[index]) == indent):
            break
        end = index + 1
    return lines[at:end]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _plain(lines: Iterable[str]) -> list[str]:
    return [text for line in lines if (text := line.strip())]


def _occurs(lines: list[str], anchor: Anchor) -> bool:
    """Whether the range occurs anywhere in the file. Hashes only where its first line matches."""
    for at, line in enumerate(lines):
        if anchor.opening and _opening(line) != anchor.opening:
            continue
        if _digest(lines[at : at + anchor.lines]) == anchor.digest:
            return True
    return False


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()


def _opening(line: str) -> str:
    return _digest([line])[:_OPENING_CHARS]
