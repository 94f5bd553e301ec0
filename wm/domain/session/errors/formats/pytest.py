"""pytest: sections of failures and the short summary, each completing the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wm.domain import patterns
from wm.domain.session.errors.found import Found, is_foreign, whole

_TITLE = patterns.compile(r"^_{3,} (.+?) _{3,}$")
_RULE = patterns.compile(r"^=+ (.+?) =+$")
_PLACE = patterns.compile(r"^(?:E\s+)?(\S.*?\.py):(\d+): ?(.*)$")
_DECLARED = patterns.compile(r"^(?:E\s+)?(?:file|File) \"?(\S.*?\.py)\"?, line (\d+)")
_SUMMARY = patterns.compile(r"^(FAILED|ERROR) (\S+\.py(?:::.*?)?)(?: - (.*))?$")
_VERBOSE = patterns.compile(r"^(?:\[gw\d+\] )?(?:\[[ \d]+%\] )?(\S+\.py::.+?) (FAILED|ERROR)\b")


@dataclass
class _Section:
    """A failure as its section tells it. places: file and line, in order."""

    title: str
    at: int
    until: int = 0
    message: str = ""
    places: tuple[tuple[str, int], ...] = ()


def find(lines: Sequence[str]) -> Iterator[Found]:
    sections = _sections(lines)
    listed = _listed(lines)
    used: set[int] = set()
    for i, test, message in listed:
        file, _, name = test.partition("::")
        number = _match(sections, file, name, used)
        section = sections[number] if number is not None else None
        if number is not None:
            used.add(number)
        line = _line(section.places if section else (), file)
        if section is None:
            line = _one_line_place(lines, file, message)
        told = (section.message if section else "") or message or "failed"
        at = section.at if section else i
        until = section.until if section else i + 1
        title = name.replace("::", ".") or "collection"
        yield Found("test", told, file, line, at, until, title)
    if listed:
        return
    for section in sections:
        file, line = _first(section.places)
        yield Found(
            "test",
            section.message or "failed",
            file,
            line,
            section.at,
            section.until,
            section.title,
        )


def _sections(lines: Sequence[str]) -> list[_Section]:
    """The parts under FAILURES and ERRORS."""
    sections: list[_Section] = []
    inside = False
    for i, line in enumerate(lines):
        if line.startswith("==="):
            rule = _RULE.match(line)
            if rule:
                inside = rule.group(1) in ("FAILURES", "ERRORS")
                continue
        if not inside:
            continue
        title = _TITLE.match(line) if line.startswith("___") else None
        if title:
            sections.append(_Section(title.group(1), i))
        elif sections:
            section = sections[-1]
            section.until = i + 1
            _read(section, line)
    return sections


def _read(section: _Section, line: str) -> None:
    if line.startswith("E  ") and not section.message:
        said = line[1:].strip()
        if not said.startswith('File "'):
            section.message = said
    place = _PLACE.match(line) if ".py:" in line else None
    place = place or (_DECLARED.match(line) if ", line " in line else None)
    if place:
        section.places = (*section.places[:40], (place.group(1), whole(place.group(2))))


def _listed(lines: Sequence[str]) -> list[tuple[int, str, str]]:
    """Lines of the short summary; without one, of the verbose progress."""
    found: list[tuple[int, str, str]] = []
    seen: dict[str, None] = {}
    for i, line in enumerate(lines):
        if line.startswith(("FAILED ", "ERROR ")):
            match = _SUMMARY.match(line)
            if match and match.group(2) not in seen:
                seen[match.group(2)] = None
                found.append((i, match.group(2), match.group(3) or ""))
    if found:
        return found
    for i, line in enumerate(lines):
        if ".py::" in line and (" FAILED" in line or " ERROR" in line):
            match = _VERBOSE.match(line)
            if match and match.group(1) not in seen:
                seen[match.group(1)] = None
                found.append((i, match.group(1), ""))
    return found


def _match(sections: list[_Section], file: str, name: str, used: set[int]) -> int | None:
    """The section of a test: by its name, the first of that name that is still free."""
    dotted = name.replace("::", ".")
    titles = (dotted, f"ERROR at setup of {dotted}", f"ERROR at teardown of {dotted}",
              f"ERROR collecting {file}", dotted.rsplit(".", 1)[-1],
              f"ERROR at setup of {dotted.rsplit('.', 1)[-1]}")  # fmt: skip
    fitting = [i for i, s in enumerate(sections) if i not in used and s.title in titles]
    here = [i for i in fitting if any(_same(p, file) for p, _n in sections[i].places)]
    return next(iter(here or fitting), None)


def _line(places: tuple[tuple[str, int], ...], file: str) -> int:
    """The last place in the test's own file."""
    return next((number for path, number in reversed(places) if _same(path, file)), 0)


def _first(places: tuple[tuple[str, int], ...]) -> tuple[str, int]:
    return next(((p, n) for p, n in places if not is_foreign(p)), ("", 0))


def _one_line_place(lines: Sequence[str], file: str, message: str) -> int:
    """`--tb=line` writes place and message on one line."""
    for line in lines:
        if ".py:" in line and not line.startswith(("FAILED", "ERROR")):
            match = _PLACE.match(line)
            if match and _same(match.group(1), file):
                said = match.group(3)
                if not message or said.startswith(message[:40]) or message.startswith(said[:40]):
                    return whole(match.group(2))
    return 0


def _same(path: str, file: str) -> bool:
    return path == file or path.endswith(f"/{file}") or file.endswith(f"/{path}")
