"""The only place that prints. Text for people, JSON for programs, problems on stderr.

Stored text may hold terminal escapes or direction marks; everything that comes from a file
goes through `safe` (TR-1). Colour only on a terminal and never with NO_COLOR.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import click

from wm.domain.text import safe
from wm.formats.base import Record, dump
from wm.settings import wants_colour

WIDTH = 80


def width() -> int:
    """Columns to use: what the terminal has, 100 at most; 80 where there is none."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(60, min(100, shutil.get_terminal_size((WIDTH, 24)).columns))


def colour() -> bool:
    return sys.stdout.isatty() and wants_colour()


def line(text: str = "") -> None:
    click.echo(text, color=colour())


def lines(texts: Iterable[str]) -> None:
    for text in texts:
        line(text)


def as_json(value: Record | dict[str, Any] | list[Any]) -> None:
    """One JSON document on stdout, names as on the socket."""
    plain = dump(value) if isinstance(value, Record) else value
    click.echo(json.dumps(plain, ensure_ascii=False, indent=2), color=False)


def problem(message: str, *, fix: str = "") -> None:
    """A sentence on stderr, and what to do about it."""
    head = click.style("wm:", fg="red", bold=True) if sys.stderr.isatty() else "wm:"
    click.echo(f"{head} {safe(message)}", err=True)
    if fix:
        click.echo(f"    {safe(fix)}", err=True)


def note(message: str) -> None:
    """A remark for people on stderr; programs read stdout."""
    click.echo(safe(message), err=True)


def bold(text: str) -> str:
    return click.style(text, bold=True)


def dim(text: str) -> str:
    return click.style(text, dim=True)


def good(text: str) -> str:
    return click.style(text, fg="green")


def warn(text: str) -> str:
    return click.style(text, fg="yellow")


def bad(text: str) -> str:
    return click.style(text, fg="red")


def pairs(rows: Sequence[tuple[str, str]], *, indent: int = 2) -> list[str]:
    """`name  value` rows, names padded to one column, values wrapped under themselves."""
    column = max((len(name) for name, _ in rows), default=0) + 2
    room = width() - indent - column
    out = []
    for name, value in rows:
        wrapped = wrap(value, room) or [""]
        out.append(" " * indent + dim(name.ljust(column)) + wrapped[0])
        out += [" " * (indent + column) + rest for rest in wrapped[1:]]
    return out


def wrap(text: str, room: int) -> list[str]:
    """Lines of at most `room` characters; long words (paths) are broken rather than overflow."""
    return textwrap.wrap(safe(text), max(20, room), break_on_hyphens=False) or [""]


def home_short(path: str) -> str:
    """A path with the user's home as `~`."""
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if home != "/" and path.startswith(home + "/") else path


def count(number: int, one: str, many: str = "") -> str:
    """`1 entry`, `2 entries`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ago(seconds: float) -> str:
    """How long ago, in one unit."""
    for size, unit in (
        (86400 * 365, "year"),
        (86400 * 30, "month"),
        (86400, "day"),
        (3600, "hour"),
        (60, "minute"),
    ):
        if seconds >= size:
            return f"{count(int(seconds // size), unit)} ago"
    return "just now"


def wrap_block(text: str, *, indent: int) -> list[str]:
    """A text with its own line breaks kept, each line wrapped and indented."""
    return [
        " " * indent + part
        for own in text.splitlines() or [""]
        for part in wrap(own, width() - indent)
    ]
