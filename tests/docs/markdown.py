"""What our pages contain: their lines of prose, code blocks, links and headings.

Reads as much Markdown as the pages use, not more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.docs.pages import ROOT

_FENCE = re.compile(r"^```(\w*)\s*$")
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
_MARKS = re.compile(r"[^\w\s-]")


@dataclass(frozen=True)
class Block:
    """A code block. language: what the fence says, "" for an indented one."""

    page: str
    language: str
    text: str


def pages() -> tuple[str, ...]:
    """Every page by its path from the root, README.md first."""
    found = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))
    return ("README.md", *found)


@cache
def text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


@cache
def parts(page: str) -> tuple[str, tuple[Block, ...]]:
    """The prose of a page, and its code blocks, fenced and indented."""
    prose: list[str] = []
    blocks: list[Block] = []
    code: list[str] | None = None
    language = ""
    for line in text(page).splitlines():
        fence = _FENCE.match(line)
        if code is not None:
            if line.startswith("```"):
                blocks.append(Block(page, language, "\n".join(code)))
                code = None
            else:
                code.append(line)
        elif fence:
            code, language = [], fence.group(1)
        elif line.startswith("    ") and (not prose or not _is_list(prose)):
            blocks.append(Block(page, "", line.strip()))
        else:
            prose.append(line)
    return "\n".join(prose), tuple(blocks)


def _is_list(prose: list[str]) -> bool:
    """Whether an indented line goes on with a list item above it."""
    last = next((line for line in reversed(prose) if line.strip()), "")
    return bool(re.match(r"\s*(?:[-*]|\d+\.) ", last)) and prose[-1].strip() != ""


def blocks(*languages: str) -> Iterator[Block]:
    for page in pages():
        yield from (b for b in parts(page)[1] if b.language in languages)


def inline(page: str) -> tuple[str, ...]:
    """Texts between backticks in the prose; a line break in it counts as a space."""
    joined = re.sub(r"(?<=\S)\n(?=\S)", " ", parts(page)[0])
    return tuple(match.group(1) for match in _INLINE.finditer(joined))


def links(page: str) -> tuple[str, ...]:
    return tuple(match.group(1) for match in _LINK.finditer(parts(page)[0]))


def anchors(page: Path) -> set[str]:
    """The names under which GitHub links to the headings of a page."""
    lines = page.read_text("utf-8").splitlines()
    heads = (line.lstrip("#").strip() for line in lines if line.startswith("#"))
    return {_MARKS.sub("", head.lower()).replace(" ", "-") for head in heads}


def table(page: str, *columns: str) -> list[tuple[str, ...]]:
    """The rows of the one table of a page that has exactly these columns."""
    lines = [line.strip().strip("|") for line in parts(page)[0].splitlines()]
    cells = [tuple(cell.strip() for cell in line.split("|")) for line in lines]
    at = cells.index(columns)
    rows = cells[at + 2 :]
    end = next((i for i, row in enumerate(rows) if len(row) != len(columns)), len(rows))
    return rows[:end]
