"""All that verbs print goes through here: text for people, JSON for programs, problems on stderr.

Stored text may contain terminal escapes or direction marks: all text from files passes through
`safe` (TR-1). Colour only on a terminal, and never with NO_COLOR.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import asdict

from wm.cli import streams
from wm.domain.counts import counted
from wm.domain.counts import dollars as _dollars
from wm.settings import wants_colour

WIDTH = 80
HEIGHT = 24
NARROW, WIDE = 40, 100
"""Minimum and maximum columns for wrapping: long lines are hard to read."""

MOST_WORD = 1000
"""Maximum characters of one word on stderr; an argument may be the text of a complete file."""

BAR_AFTER_S = 1.0
BAR_EVERY_S = 0.2
"""Seconds between two updates of a progress bar."""

Paint = Callable[[str], str]
Row = tuple[str, str] | tuple[str, str, Paint]
"""Name, value, and the value's colour. Values are plain: colour is added after wrapping."""

_COLLECTED: ContextVar[list[str] | None] = ContextVar("lines for the pager", default=None)


class OutputClosed(Exception):
    """The reader of our output closed the pipe (`wm inspect | head`); not an error."""


class Unprintable(Exception):
    """Standard output accepts no more data (a full disk); `str()` is the reason."""


def columns() -> int:
    """Columns of the terminal, or 80 without one: for a row that is cut."""
    return max(NARROW, _terminal_size()[0])


def width() -> int:
    """Columns for text that is wrapped."""
    return min(WIDE, columns())


def height() -> int:
    """Lines of one screen, less that of the next prompt."""
    return max(HEIGHT // 2, _terminal_size()[1]) - 1


def _terminal_size() -> tuple[int, int]:
    return shutil.get_terminal_size((WIDTH, HEIGHT)) if sys.stdout.isatty() else (WIDTH, HEIGHT)


def with_pager(show: Callable[[], None]) -> None:
    """Call a function that prints; what has no room on a terminal goes through the pager."""
    if not is_terminal():
        show()
        return
    collected: list[str] = []
    token = _COLLECTED.set(collected)
    try:
        show()
    finally:
        _COLLECTED.reset(token)
        text = "".join(f"{one}\n" for one in collected)
        if text.count("\n") > height():
            with _printing():
                click.echo_via_pager(text, color=colour())
        else:
            lines(collected)


def is_terminal() -> bool:
    """Whether a person types and reads here; False for a script and for an agent's tool call."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def colour() -> bool:
    return sys.stdout.isatty() and wants_colour()


def line(text: str = "") -> None:
    """Print one line, or add it to what a caller collects."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append(text)
        return
    with _printing():
        click.echo(text, color=colour())


def flush() -> None:
    """Flush standard output. Raises OutputClosed or Unprintable."""
    with _printing():
        sys.stdout.flush()


@contextlib.contextmanager
def _printing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise OutputClosed from None
    except OSError as error:
        closed = error.errno == errno.EBADF
        why = "standard output is closed" if closed else error.strerror or str(error)
        raise Unprintable(why) from None


def lines(texts: Iterable[str]) -> None:
    for text in texts:
        line(text)


def paragraph(text: str) -> None:
    lines(wrap(text, width()))


def hint(text: str) -> None:
    """Print a next step, after a blank line."""
    line()
    line(dim(text))


def message(answer: Any) -> None:
    """Print the message of an answer."""
    paragraph(answer.message)


def as_json(value: Any) -> None:
    """Print one JSON document on stdout, names as on the socket."""
    line(json_text(value))


def json_text(value: Any) -> str:
    """JSON for people and programs: terminal escapes and invisible characters are escaped, which
    means the same to a program (TR-1). Records and structs may occur anywhere in it."""
    some = (sys.stdout.encoding or "utf-8").lower() != "utf-8"  # the locale's encoding lacks some
    text = json.dumps(value, ensure_ascii=some, indent=2, default=_plain)
    odd = {char for char in set(text) if char != "\n" and safe(char) != char}
    return text.translate({ord(char): _escaped(char) for char in odd}) if odd else text


def _plain(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = (
        asdict(value) if isinstance(value, Struct) else value.model_dump(mode="json", by_alias=True)
    )
    return found


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if char <= "\uffff" else json.dumps(char)[1:-1]


def problem(message: str, *, fix: str = "") -> None:
    """Print an error on stderr, and its fix."""
    paints = sys.stderr.isatty() and wants_colour()
    first, *rest = _sentence(message, WIDTH - len("wm: "))
    _aside(f"{click.style('wm:', fg='red', bold=True)} {first}", color=paints)
    for line in (*rest, *(_sentence(fix, WIDTH - 4) if fix else ())):
        _aside(f"    {line}")


def note(message: str) -> None:
    """Print a remark for people on stderr; programs read stdout."""
    for line in _sentence(message, WIDTH):
        _aside(line)


def _sentence(message: str, room: int) -> list[str]:
    """Wrap a sentence. Its own lines (a traceback) and words (a path, a command to copy) are
    not broken, unless a word is extremely long."""
    words = (_short(own) for own in message.split("\n"))
    return [line for own in words for line in wrap(own, room, keep_words=True)]


def _short(line: str) -> str:
    if len(line) <= MOST_WORD:
        return line
    return " ".join(w if len(w) <= MOST_WORD else f"{w[:MOST_WORD]}…" for w in line.split())


def _aside(text: str, *, color: bool | None = None) -> None:
    """Print a line on stderr. If that fails, only the exit code reports the error."""
    try:
        click.echo(text, err=True, color=color)
    except OSError:
        streams.abandon(sys.stderr.fileno())


def confirm(question: str, *, aside: bool = False) -> bool:
    """Ask for a yes; False without a terminal. Raises click.Abort, after a line break. aside: ask
    on stderr, because stdout is for programs."""
    if not sys.stdin.isatty():
        return False
    try:
        return click.confirm(question, default=True, err=aside)
    except click.Abort:
        click.echo(err=aside)
        raise


def chosen(question: str, choices: Sequence[str], default: str) -> str:
    """Ask for one of these words; the default without a terminal. Raises click.Abort, after a line
    break."""
    if not sys.stdin.isatty():
        return default
    try:
        return str(click.prompt(question, type=click.Choice(choices), default=default))
    except click.Abort:
        click.echo()
        raise


bold: Paint = partial(click.style, bold=True)
dim: Paint = partial(click.style, dim=True)
good: Paint = partial(click.style, fg="green")
warn: Paint = partial(click.style, fg="yellow")
bad: Paint = partial(click.style, fg="red")


class Bar:
    """Progress bar on stderr, for runs longer than a second. On terminals only."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._begun = time.monotonic()
        self._next = self._begun + BAR_AFTER_S
        self._shown = False

    def __enter__(self) -> Bar:
        return self

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + BAR_EVERY_S
        percent = f"{100 * done // total} %" if total else "…"
        if sys.stderr.isatty():
            click.echo(f"\r{self._name}: {percent:<6}", nl=False, err=True)
        elif not self._shown:
            click.echo(f"{self._name}: this takes a while ({percent} so far)", err=True)
        self._shown = True

    def __exit__(self, *error: object) -> None:
        if self._shown and sys.stderr.isatty():
            click.echo("\r" + " " * (len(self._name) + 8) + "\r", nl=False, err=True)


# --- text in columns ----------------------------------------------------------------------

_OWN_SIGNS = str.maketrans("", "", "·…×→−“”")
"""Signs in our own sentences: a line with no others needs no expressions, whose engine takes some
milliseconds to load."""


def safe(text: str) -> str:
    """The text in one line, without terminal escapes or invisible characters (TR-1)."""
    plain = text.translate(_OWN_SIGNS)
    if plain.isascii() and plain.isprintable():
        return text
    from wm.text import escape as texts

    return texts.safe(text)


def safe_lines(text: str) -> list[str]:
    """The lines of a text, without terminal escapes."""
    return [safe(one) for one in text.splitlines()]


def cells(text: str) -> int:
    """Columns of a text: East Asian wide characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) != 0 for char in text)


def wrap(text: str, room: int, *, keep_words: bool = False) -> list[str]:
    """Wrap to lines of at most `room` columns. Longer words (paths) are broken; with `keep_words`
    each is a longer line of its own."""
    room = max(20, room)
    found, current = [], ""
    for word in map(safe, text.split()):
        if current and cells(current) + 1 + cells(word) <= room:
            current += " " + word
            continue
        if current:
            found.append(current)
        *full, current = [word] if keep_words else _pieces(word, room)
        found += full
    return [*found, current] if current or not found else found


def _pieces(word: str, room: int) -> list[str]:
    """A word split at the line width."""
    if cells(word) <= room:
        return [word]
    pieces = [""]
    for char in word:
        if cells(pieces[-1] + char) > room:
            pieces.append("")
        pieces[-1] += char
    return pieces


def cut(text: str, room: int) -> str:
    """The text in one line of at most `room` columns, truncated with an ellipsis."""
    text = safe(" ".join(text.split()))
    if cells(text) <= room:
        return text
    while cells(text) > room - 1:
        text = text[:-1]
    return text + "…"


def padded(text: str, columns: int) -> str:
    return text + " " * max(0, columns - cells(text))


def hang(head: str, text: str, column: int, paint: Paint = str, *, mark: Paint = str) -> list[str]:
    """`head` padded to `column`, then the text with a hanging indent. mark: colours the head."""
    first, *rest = wrap(text, width() - column)
    return [
        mark(padded(head, column)) + paint(first),
        *(" " * column + paint(more) for more in rest),
    ]


def pairs(rows: Sequence[Row], *, least: int = 0) -> list[str]:
    """`name  value` rows: names padded to one column, values with a hanging indent."""
    column = max((len(row[0]) for row in rows), default=0)
    column = 2 + max(least, column) + 2
    out = []
    for name, value, *paint in rows:
        out += hang(f"  {name}", value, column, *paint, mark=dim)
    return out


CHECK_NAME = 12
VERDICTS: dict[str, Paint] = {"ok": good, "note": dim, "warning": warn, "error": bad}


def check(verdict: str, name: str, detail: str, fix: str = "") -> None:
    """Print a check, or a step of the proof, with its detail; the fix below it."""
    column = 2 + 7 + 2 + CHECK_NAME + 1
    first, *rest = hang(f"  {verdict:<7}  {name:<{CHECK_NAME}} ", detail, column)
    line("  " + VERDICTS[verdict](first[2:9]) + first[9:])
    lines(rest)
    if fix:
        lines(hang("", f"→ {fix}", column))


def wrap_block(text: str, *, indent: int) -> list[str]:
    """Wrap and indent each line of a text, keeping its line breaks."""
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
dollars = _dollars


def size(number: int) -> str:
    """`31 KB`, `1.5 MB`: bytes in a suitable unit."""
    megabyte = 1024 * 1024
    return f"{number / megabyte:.1f} MB" if number >= megabyte else f"{max(1, number // 1024)} KB"


def minute(iso: str) -> str:
    """A stored timestamp, to the minute."""
    return iso[:16].replace("T", " ")


def moment(iso: str) -> str:
    """A stored timestamp to the minute, with its zone."""
    return f"{minute(iso)} UTC" if iso else "never"


def lasting(seconds: float) -> str:
    """A duration in one unit."""
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= size:
            return count(int(seconds // size), unit)
    return "0 seconds"
