"""pytest: failure sections and the short summary; each completes the other.

A test is one error, whether one of the two parts was cut off or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from wm.domain.failures.detected import DetectedError, is_foreign, line_no, same_file
from wm.text import patterns

_TITLE = patterns.Lazy(r"^_{3,} (.+?) _{3,}$")
_RULE = patterns.Lazy(r"^=+ (.+?) =+$")
_PLACE = patterns.Lazy(r"^(?:E\s+)?(\S.*?\.py):(\d+): ?(.*)$")
_DECLARED = patterns.Lazy(r"^(?:E\s+|\s+)?(?:file|File) \"?(\S.*?\.py)\"?, line (\d+)")
_SUMMARY = patterns.Lazy(r"^(?:FAILED|ERROR) (\S+\.py(?:::.*?)?)(?: - (.*))?$")
_NO_TESTS = patterns.Lazy(r"^ERROR: ((?:file or directory not found|not found): .+)$")
_EXCEPTION = patterns.Lazy(r"^[\w.]+(?:Error|Exception|Warning|Exit)\b")

MAX_PLACES = 200


class _FailureSection(Struct):
    """One failure section. places: file and line, in order."""

    title: str
    at: int
    until: int = 0
    message: str = ""
    quotes: bool = False
    """Only quoted source so far; the error itself follows."""
    places: tuple[tuple[str, int], ...] = ()


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    sections = _sections(lines)
    listed = _listed(lines)
    for number, text in enumerate(lines):
        missing = _NO_TESTS.match(text) if text.startswith("ERROR: ") else None
        if missing is not None:
            yield DetectedError("test", missing.group(1), at=number, until=number + 1)
    if not listed:
        yield from map(_unlisted, sections) if sections else _bare(lines)
        return
    free: dict[str, list[_FailureSection]] = {}
    for known in sections:
        free.setdefault(known.title, []).append(known)
    one_line = _one_line_places(lines)
    for i, test, message in listed:
        file, _, name = test.partition("::")
        section = _taken(free, file, name)
        if section is not None:
            line, detail = _line(section.places, file), section.message or message
            at, until = section.at, section.until
        else:
            detail = message or next((found.message for found in _bare(lines)), "")
            line = _line_of(one_line, file, message)
            at, until = i, i + 1
        title = name.replace("::", ".") or "collection"
        yield DetectedError("test", detail or "failed", file, line, at, until, title)
    # `-rf` lists failures but not collection errors.
    left = (section for waiting in free.values() for section in waiting)
    yield from (_unlisted(section) for section in left if section.title.startswith("ERROR "))


def _bare(lines: Sequence[str]) -> Iterator[DetectedError]:
    """A truncated report may end with only its last lines."""
    for i, line in enumerate(lines):
        said = line[1:].strip() if line.startswith("E   ") else ""
        if _EXCEPTION.match(said) or said.startswith("assert "):
            yield DetectedError("test", said, at=i, until=i + 1)
            return


def _unlisted(section: _FailureSection) -> DetectedError:
    file, line = next(((p, n) for p, n in section.places if not is_foreign(p)), ("", 0))
    detail = section.message or "failed"
    title = section.title.removeprefix("ERROR at setup of ").removeprefix("ERROR collecting ")
    return DetectedError("test", detail, file, line, section.at, section.until, title)


def _sections(lines: Sequence[str]) -> list[_FailureSection]:
    """The sections under FAILURES and ERRORS."""
    sections: list[_FailureSection] = []
    inside = headed = False
    for i, line in enumerate(lines):
        if line.startswith("==="):
            rule = _RULE.match(line)
            if rule:
                inside = rule.group(1) in ("FAILURES", "ERRORS")
                headed = False
                continue
        if not inside:
            continue
        title = _TITLE.match(line) if line.startswith("___") else None
        if title:
            sections.append(_FailureSection(title.group(1), i))
            headed = True
        elif headed:
            section = sections[-1]
            section.until = i + 1
            _read(section, line)
    return sections


def _read(section: _FailureSection, line: str) -> None:
    if line.startswith("E  ") and (not section.message or section.quotes):
        said = line[1:].strip()
        section.quotes = section.quotes or said.startswith('File "')
        if not section.quotes or _EXCEPTION.match(said):
            section.message, section.quotes = said, False
    place = _PLACE.match(line) if ".py:" in line else None
    place = place or (_DECLARED.match(line) if ", line " in line else None)
    if place:
        section.places = (*section.places[:40], (place.group(1), line_no(place.group(2))))


def _listed(lines: Sequence[str]) -> list[tuple[int, str, str]]:
    """Lines of the short summary."""
    found: dict[str, tuple[int, str, str]] = {}
    named = ((i, m) for i, t in enumerate(lines) if ".py" in t and (m := _SUMMARY.match(t)))
    for i, match in named:
        found.setdefault(match.group(1), (i, match.group(1), match.group(2) or ""))
    return list(found.values())


def _taken(free: dict[str, list[_FailureSection]], file: str, name: str) -> _FailureSection | None:
    """Take the first remaining section with the test's name.

    Two files may hold tests of one name; their sections come in the order of the summary.
    """
    dotted = name.replace("::", ".")
    bare = dotted.rsplit(".", 1)[-1]
    for title in (dotted, f"ERROR at setup of {dotted}", f"ERROR at teardown of {dotted}",
                  f"ERROR collecting {file}", bare, f"ERROR at setup of {bare}"):  # fmt: skip
        waiting = free.get(title)
        if waiting:
            own = (s for s in islice(waiting, 8) if any(same_file(p, file) for p, _n in s.places))
            chosen = next(own, waiting[0])
            waiting.remove(chosen)
            return chosen
    return None


def _line(places: tuple[tuple[str, int], ...], file: str) -> int:
    """The last place in the test's own file."""
    return next((number for path, number in reversed(places) if same_file(path, file)), 0)


Places = dict[str, list[tuple[str, int, str]]]


def _one_line_places(lines: Sequence[str]) -> Places:
    """`--tb=line` writes place and message on one line; keyed by file name."""
    found: Places = {}
    for line in lines:
        if ".py:" in line and not line.startswith(("FAILED", "ERROR")):
            match = _PLACE.match(line)
            if match:
                path, number, said = match.groups()
                found.setdefault(path.rsplit("/", 1)[-1], []).append((path, line_no(number), said))
    return found


def _line_of(places: Places, file: str, message: str) -> int:
    for path, number, said in places.get(file.rsplit("/", 1)[-1], [])[:MAX_PLACES]:
        agrees = not message or said.startswith(message[:40]) or message.startswith(said[:40])
        if agrees and same_file(path, file):
            return number
    return 0
