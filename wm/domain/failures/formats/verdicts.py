"""Names of failed tests, of any runner: `name ... FAILED`, or a list below `Failures:` (HS-2).

The last word on tests: tried when no format found what failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures.detected import DetectedError
from wm.text import patterns

_DOTTED = patterns.Lazy(
    r"^\s*(?:test )?(\S.{0,160}?) ?\.{2,} ?(?:FAILED|FAIL|failed|ERROR)(?:[^\w:]|$)"
    r"|^ *\d+/\d+ (\S.{0,160}?) +(?:FAIL|ERROR|TIMEOUT)(?: |$)"
)
_TITLE = patterns.Lazy(
    r"(?i)^\W{0,3}(?:failures|failed tests|failing tests|(?:the following )?tests failed):?\W{0,3}$"
)
_ITEM = patterns.Lazy(r"^\s+(?:\d+[).] |[-*•✗✖×] )?(\S{2,160}|\S.{0,160}\S)$")
_NUMBERED = patterns.Lazy(r"^\s+\d+[).] ")


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    seen: set[str] = set()
    for i, line in enumerate(lines):
        dotted = _DOTTED.match(line) if ".." in line or "/" in line else None
        listed = _listed(lines, i) if not dotted and _TITLE.match(line) else ()
        for at, name in [(i, dotted.group(1) or dotted.group(2))] if dotted else listed:
            if name not in seen:
                seen.add(name)
                said = next((text.strip() for text in lines[at + 1 : at + 2]), "")
                detail = said if _NUMBERED.match(lines[at]) and said else "failed"
                yield DetectedError("test", detail, at=at, until=at + 1, name=name)


def _listed(lines: Sequence[str], title: int) -> Iterator[tuple[int, str]]:
    """The items right below a title, one a line; of a numbered list, those with a number."""
    begin = title + 1 + (lines[title + 1 : title + 2] == [""])
    numbered = begin < len(lines) and _NUMBERED.match(lines[begin]) is not None
    for at in range(begin, len(lines)):
        item = _ITEM.match(lines[at])
        if item is not None and (not numbered or _NUMBERED.match(lines[at])):
            yield at, item.group(1)
        elif item is None and not (numbered and not lines[at].strip()):
            return
