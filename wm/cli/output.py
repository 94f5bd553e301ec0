"""The only place that prints. Text for people, JSON for programs, problems on stderr.

Stored text may hold terminal escapes or direction marks; everything that comes from a file
goes through `safe` (TR-1). Colour only on a terminal and never with NO_COLOR.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from wm.cli import streams
from wm.domain.counts import counted
from wm.settings import wants_colour

if TYPE_CHECKING:  # `wm --help` pays for no model
    from wm.formats.base import Record

WIDTH = 80
NARROW, WIDE = 40, 100
"""Fewer columns than these are not wrapped to, more are not used: long lines are hard to read."""

MOST_WORD = 1000
"""Characters of one word in a sentence on stderr; a whole file may have been given as a name."""

Paint = Callable[[str], str]
Row = tuple[str, str] | tuple[str, str, Paint]
"""Name, value, and how the value is coloured. Values are plain: colour comes after wrapping."""


class ReaderGone(Exception):
    """Whoever read our output stopped (`wm inspect | head`): nothing is wrong."""


class Unprintable(Exception):
    """Standard output takes nothing more (a full disk); `str()` is the reason."""


def width() -> int:
    """Columns to use: what the terminal has, 80 where there is none."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(NARROW, min(WIDE, shutil.get_terminal_size((WIDTH, 24)).columns))


def colour() -> bool:
    return sys.stdout.isatty() and wants_colour()


def line(text: str = "") -> None:
    with _printing():
        click.echo(text, color=colour())


def flush() -> None:
    """What was printed is out, or raises ReaderGone or Unprintable."""
    with _printing():
        sys.stdout.flush()


@contextlib.contextmanager
def _printing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        closed = error.errno == errno.EBADF
        why = "standard output is closed" if closed else error.strerror or str(error)
        raise Unprintable(why) from None


def lines(texts: Iterable[str]) -> None:
    for text in texts:
        line(text)


def as_json(value: Record | dict[str, Any]) -> None:
    """One JSON document on stdout, names as on the socket."""
    plain = value if isinstance(value, dict) else value.model_dump(mode="json", by_alias=True)
    line(json_text(plain))


def json_text(value: Any) -> str:
    """JSON for people and programs: what could steer a terminal or hide there is escaped, which
    means the same to a program (TR-1)."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    odd = {char for char in set(text) if char != "\n" and safe(char) != char}
    return text.translate({ord(char): _escaped(char) for char in odd}) if odd else text


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if char <= "\uffff" else json.dumps(char)[1:-1]


def problem(message: str, *, fix: str = "") -> None:
    """A sentence on stderr, and what to do about it."""
    paints = sys.stderr.isatty() and wants_colour()
    first, *rest = _sentence(message, WIDTH - len("wm: "))
    _aside(f"{click.style('wm:', fg='red', bold=True)} {first}", color=paints)
    for line in (*rest, *(_sentence(fix, WIDTH - 4) if fix else ())):
        _aside(f"    {line}")


def note(message: str) -> None:
    """A remark for people on stderr; programs read stdout."""
    for line in _sentence(message, WIDTH):
        _aside(line)


def _sentence(message: str, room: int) -> list[str]:
    """A sentence in lines that fit; lines of its own (a traceback) and words (a path, a command
    to copy) stay whole, unless they are no words any more."""
    words = (_short(own) for own in message.split("\n"))
    return [line for own in words for line in wrap(own, room, whole=True)]


def _short(line: str) -> str:
    if len(line) <= MOST_WORD:
        return line
    return " ".join(w if len(w) <= MOST_WORD else f"{w[:MOST_WORD]}…" for w in line.split())


def _aside(text: str, *, color: bool | None = None) -> None:
    """A line on stderr. Where that takes nothing, the exit code alone has to do."""
    try:
        click.echo(text, err=True, color=color)
    except OSError:
        streams.abandon(sys.stderr.fileno())


def agreed(question: str, *, aside: bool = False) -> bool:
    """Whether a person says yes; False where none sits there. Raises click.Abort, on a line of
    its own. aside: ask on stderr, where stdout is for programs."""
    if not sys.stdin.isatty():
        return False
    try:
        return click.confirm(question, default=True, err=aside)
    except click.Abort:
        click.echo(err=aside)
        raise


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


# --- text in columns ----------------------------------------------------------------------


def safe(text: str) -> str:
    """The text in one line, with nothing in it that could steer the terminal or hide (TR-1)."""
    if text.isascii() and text.isprintable():
        return text
    from wm.domain import text as texts

    return texts.safe(text)


def safe_lines(text: str) -> list[str]:
    """The text line by line, with nothing in it that could steer the terminal."""
    return [safe(one) for one in text.splitlines()]


def cells(text: str) -> int:
    """Columns that a text takes: East Asian wide characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) != 0 for char in text)


def wrap(text: str, room: int, *, whole: bool = False) -> list[str]:
    """Lines of at most `room` columns; words that are longer (paths) are broken, or with `whole`
    stand alone in a longer line."""
    room = max(20, room)
    found, current = [], ""
    for word in map(safe, text.split()):
        if current and cells(current) + 1 + cells(word) <= room:
            current += " " + word
            continue
        if current:
            found.append(current)
        *full, current = [word] if whole else _pieces(word, room)
        found += full
    return [*found, current] if current or not found else found


def _pieces(word: str, room: int) -> list[str]:
    """A word cut where it fills the room."""
    if cells(word) <= room:
        return [word]
    pieces = [""]
    for char in word:
        if cells(pieces[-1] + char) > room:
            pieces.append("")
        pieces[-1] += char
    return pieces


def cut(text: str, room: int) -> str:
    """The text in one line of at most `room` columns, with an ellipsis where it was longer."""
    text = safe(" ".join(text.split()))
    if cells(text) <= room:
        return text
    while cells(text) > room - 1:
        text = text[:-1]
    return text + "…"


def padded(text: str, columns: int) -> str:
    return text + " " * max(0, columns - cells(text))


def hang(head: str, text: str, column: int, paint: Paint = str) -> list[str]:
    """`head` padded to `column`, then the text, wrapped under itself."""
    first, *rest = wrap(text, width() - column)
    return [
        padded(head, column) + paint(first),
        *(" " * column + paint(more) for more in rest),
    ]


def pairs(rows: Sequence[Row], *, indent: int = 2, least: int = 0) -> list[str]:
    """`name  value` rows, names padded to one column, values wrapped under themselves."""
    column = max((len(row[0]) for row in rows), default=0)
    column = indent + max(least, column) + 2
    out = []
    for name, value, *paint in rows:
        first, *rest = hang(" " * indent + name, value, column, paint[0] if paint else str)
        out += [dim(first[:column]) + first[column:], *rest]
    return out


def wrap_block(text: str, *, indent: int) -> list[str]:
    """A text with its own line breaks kept, each line wrapped and indented."""
    return [
        " " * indent + part
        for own in text.splitlines() or [""]
        for part in wrap(own, width() - indent)
    ]


# --- words --------------------------------------------------------------------------------


def home_short(path: str) -> str:
    """A path in one line, with the user's home as `~`."""
    home = os.path.expanduser("~").rstrip("/")
    if home and (path == home or path.startswith(home + "/")):
        path = "~" + path[len(home) :]
    return safe(path)


count = counted


def size(number: int) -> str:
    """`31 KB`, `1.5 MB`: bytes in the unit that fits."""
    megabyte = 1024 * 1024
    return f"{number / megabyte:.1f} MB" if number >= megabyte else f"{max(1, number // 1024)} KB"


def moment(iso: str) -> str:
    """A time of a file, to the minute."""
    return iso[:16].replace("T", " ") + " UTC" if iso else "never"


def lasting(seconds: float) -> str:
    """A time span in one unit."""
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= size:
            return count(int(seconds // size), unit)
    return "0 seconds"
