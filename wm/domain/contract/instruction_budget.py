"""Check the size of a project's instruction files, and plan what moves to the archive (CT-4).

Works on bytes: text that is not moved stays the same, whatever its encoding or line ends. Opens
no files. It protects three rules: an entry moves completely or not at all; a line inside a code
fence or a comment is never a heading; and every byte of the file is afterwards either in the file
or in the archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from wm.api.instruction_budget import BudgetFinding
from wm.settings import BudgetSettings
from wm.text.patterns import compile_raw
from wm.text.tables import Tables

_FINDINGS: dict[str, list[str]] = Tables("wm.domain.contract").table("budget")

MILESTONES = "AGENTS.md"
"""The file with dated entries, an archive, and limits in bytes."""

BOM = b"\xef\xbb\xbf"

_HEADING = compile_raw(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*\z")
_DATE = compile_raw(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[^0-9]|\z)")
_LIKE_DATE = compile_raw(r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}(?:[^0-9]|\z)")
_FENCE = compile_raw(r" {0,3}(`{3,}|~{3,})(.*)\z")
_BULLET = compile_raw(r"( {0,3})(?:[-*+]|[0-9]{1,9}[.)])([ \t]+)[^ \t\n\r\f\v]")
_RULE = compile_raw(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\z")
_UNDERLINE = compile_raw(r" {0,3}(?:=+|-+)[ \t]*\z")


class Entry(Struct, frozen=True):
    """One dated entry: from its heading to the next heading of the same or a higher rank.

    line counts from 1; begin and end are byte offsets in the file.
    """

    day: date
    title: str
    line: int
    begin: int
    end: int = 0
    lines: int = 0
    bullets: int = 0


class Outline(Struct, frozen=True):
    """lines: of the whole file. misdated: lines whose heading resembles a date but is not valid."""

    lines: int
    entries: tuple[Entry, ...] = ()
    misdated: tuple[int, ...] = ()

    @property
    def standing_lines(self) -> int:
        """Number of lines outside dated entries."""
        return self.lines - sum(entry.lines for entry in self.entries)


class PrunePlan(Struct, frozen=True):
    """The plan of a prune: `moved`, oldest first; `rest` is the content of the file afterwards."""

    moved: tuple[Entry, ...]
    rest: bytes
    blocks: tuple[bytes, ...]


class _Open(Struct):
    """An entry whose end was not reached yet. content: the column at which the text of the last
    top-level item begins."""

    entry: Entry
    bullets: int = 0
    content: int = 0

    def closed(self, next_line: int, end: int) -> Entry:
        lines = next_line - self.entry.line
        return replace(self.entry, end=end, lines=lines, bullets=self.bullets)


def outline(raw: bytes) -> Outline:
    """Find the dated entries of a file, in file order. One pass."""
    lines = raw.splitlines(keepends=True)
    entries: list[Entry] = []
    misdated: list[int] = []
    entry: _Open | None = None
    inside = _Inside()
    place = 0
    previous = b""
    for number, raw_line in enumerate(lines, start=1):
        line = raw_line.rstrip(b"\r\n")
        begin = place
        place += len(raw_line)
        if number == 1:
            line = line.removeprefix(BOM)
            begin += len(BOM) if raw.startswith(BOM) else 0
        if inside.takes(line):
            previous = b""
            continue
        heading = _HEADING.match(line)
        ends = heading is not None and len(heading.group(1)) <= 3
        if entry is not None and not ends and _is_underlined(previous, line):
            # The line above is the heading of the next part.
            above = begin - len(lines[number - 2])
            entries.append(entry.closed(number - 1, above))
            entry = None
        if ends and entry is not None:
            entries.append(entry.closed(number, begin))
            entry = None
        if heading is not None and len(heading.group(1)) == 3:
            day, title = _dated(heading.group(2) or b"")
            if day is not None:
                entry = _Open(Entry(day, title, number, begin))
            elif title:
                misdated.append(number)
        elif entry is not None:
            _count_bullet(entry, line)
        previous = line
    if entry is not None:
        entries.append(entry.closed(len(lines) + 1, len(raw)))
    return Outline(len(lines), tuple(entries), tuple(misdated))


class _Inside(Struct, eq=False):
    """Track code fences and comments, which contain no headings."""

    _fence: bytes = b""
    _comment: bool = False

    def takes(self, line: bytes) -> bool:
        """Does the line belong to a fence or a comment, including its first and last line?"""
        if self._comment:
            self._comment = b"-->" not in line
            return True
        match = _FENCE.match(line)
        if self._fence:
            if match is not None and not match.group(2).strip():
                mark = match.group(1)
                if mark[:1] == self._fence[:1] and len(mark) >= len(self._fence):
                    self._fence = b""
            return True
        if match is not None and not (match.group(1)[:1] == b"`" and b"`" in match.group(2)):
            self._fence = match.group(1)
            return True
        if line.lstrip(b" ").startswith(b"<!--"):
            self._comment = b"-->" not in line
            return True
        return False


def _dated(text: bytes) -> tuple[date | None, str]:
    """Return (day, heading) of a dated heading; (None, heading) of one whose date is not
    valid or only resembles one; (None, "") of any other."""
    title = text.decode("utf-8", "replace").strip()
    match = _DATE.match(text)
    if match is not None:
        try:
            return date(*map(int, match.groups())), title
        except ValueError:
            return None, title
    return (None, title) if _LIKE_DATE.match(text) else (None, "")


def _is_underlined(above: bytes, line: bytes) -> bool:
    """Are two lines a heading with its underline? A list item, a quotation or indented text above a
    row of hyphens is not a heading."""
    if not _UNDERLINE.match(line) or not above.strip():
        return False
    plain = not (_BULLET.match(above) or _HEADING.match(above) or _RULE.match(above))
    return plain and above[:1] not in (b" ", b"\t", b">", b"|")


def _count_bullet(entry: _Open, line: bytes) -> None:
    match = _BULLET.match(line)
    if match is None or _RULE.match(line):
        return
    indent = len(match.group(1))
    if entry.bullets and indent >= entry.content:
        return
    entry.bullets += 1
    entry.content = match.end() - 1


# --- findings --------------------------------------------------------------------------------


def finding(code: str, line: int = 0, **values: object) -> BudgetFinding:
    """A finding in the words of words.toml. line: of the file, 0 for all of it."""
    message, fix = (words.format(**values) for words in _FINDINGS[code])
    return BudgetFinding(code=code, line=line, message=message, fix=fix)


def findings(name: str, raw: bytes, settings: BudgetSettings) -> tuple[BudgetFinding, ...]:
    """Return the limits that a file exceeds. name: the last part of its path selects the limits."""
    found = outline(raw)
    if name != MILESTONES:
        return tuple(_too_long(found.lines, "lines", settings))
    return (
        *_too_large(len(raw), settings),
        *_too_long(found.standing_lines, "lines outside of dated entries", settings),
        *(finding("no_date", line) for line in found.misdated),
        *_too_many(found.entries, settings),
    )


def left_over(rest: bytes, settings: BudgetSettings) -> tuple[BudgetFinding, ...]:
    """Return what still exceeds the budget after a prune, although nothing more may be moved."""
    if len(rest) < settings.prune_bytes:
        return ()
    return (finding("still_too_large", size=len(rest)),)


def _too_large(size: int, settings: BudgetSettings) -> Iterator[BudgetFinding]:
    if size >= settings.refuse_bytes:
        yield finding("refused", size=size, limit=settings.refuse_bytes)
    elif size >= settings.prune_bytes:
        yield finding("prune", size=size, limit=settings.prune_bytes)


def _too_long(lines: int, what: str, settings: BudgetSettings) -> Iterator[BudgetFinding]:
    if lines > settings.max_lines:
        yield finding("too_many_lines", lines=lines, what=what, limit=settings.max_lines)


def _too_many(entries: Sequence[Entry], settings: BudgetSettings) -> Iterator[BudgetFinding]:
    most = settings.max_bullets
    for entry in entries:
        if entry.bullets > most:
            about = {"day": entry.day, "bullets": entry.bullets, "limit": most}
            yield finding("too_many_bullets", entry.line, **about)


# --- pruning ---------------------------------------------------------------------------------


def plan(raw: bytes, settings: BudgetSettings) -> PrunePlan:
    """Choose the oldest entries to move so that at most `target_bytes` remain. The newest entry
    stays; a file below `prune_bytes` is unchanged."""
    moved: list[Entry] = []
    size = len(raw)
    if size >= settings.prune_bytes:
        for entry in _oldest_first(outline(raw).entries)[:-1]:
            if size <= settings.target_bytes:
                break
            moved.append(entry)
            size -= entry.end - entry.begin
    blocks = tuple(raw[entry.begin : entry.end] for entry in moved)
    return PrunePlan(tuple(moved), _without(raw, moved), blocks)


def _oldest_first(entries: Sequence[Entry]) -> list[Entry]:
    """Sort by day, then by order of writing, which is bottom to top in a file with its newest entry
    on top."""
    newest_on_top = bool(entries) and entries[0].day > entries[-1].day
    sign = -1 if newest_on_top else 1
    return sorted(entries, key=lambda entry: (entry.day, sign * entry.begin))


def _without(raw: bytes, entries: Sequence[Entry]) -> bytes:
    kept, last = [], 0
    for entry in sorted(entries, key=lambda entry: entry.begin):
        kept.append(raw[last : entry.begin])
        last = entry.end
    return b"".join((*kept, raw[last:]))


def archived(archive: bytes | None, blocks: Sequence[bytes], raw: bytes) -> bytes:
    """Return the archive with these blocks appended; the same bytes if it already holds all of
    them. A block that is already there verbatim, after an interrupted run, is not added again."""
    end = b"\r\n" if b"\r\n" in raw else b"\n"
    if archive is None:
        title = f"# Archive of {MILESTONES}".encode()
        note = b"`wm budget prune` moves old entries here. Agents need not read it."
        archive = end.join((title, b"", note, b"", b""))
    known = {_core(archive[entry.begin : entry.end]) for entry in outline(archive).entries}
    for block in blocks:
        if _core(block) in known:
            continue
        known.add(_core(block))
        if not archive.endswith((b"\n", b"\r")):
            archive += end
        archive += block
    return archive


def _core(block: bytes) -> bytes:
    """Return a block without trailing white space, which depends on the following text."""
    return block.rstrip()
