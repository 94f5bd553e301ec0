"""Results of searches: the first hit of each file, as far as there is room (PR-2).

The other hits of a file are counted, so the reader knows where more are.
"""

from __future__ import annotations

from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.rule import OutputRule
from wm.domain.pruning.selection import KeptLines
from wm.text.patterns import Lazy

_NUMBERED = Lazy(r"^[^\s:][^:\n]{0,300}:\d+[:-]")

MOST_CHARS = 2000
_PLACED = r"(?i)^[^\s:][^:\n]{0,300}:\d+(?::\d+)?:?\s+"


def _of_severity(words: str) -> Lazy:
    """A finding whose severity is before its message, or in brackets behind it."""
    return Lazy(rf"{_PLACED}\W{{0,2}}(?:{words})|{_PLACED}.*[\[(](?:{words})\b[^\])]*[\])]\W?$")


_FINDING = _of_severity("fatal |error|warning|info|note|style|hint|[A-Z]{1,4}\\d{2,5}\\b")
_ERROR = _of_severity("fatal |error|[EF]\\d{4}:")


def hits(lines: OutputLines) -> KeptLines:
    """The first hit of each file."""
    seen: set[str] = set()
    first = []
    for index, line in enumerate(lines.plain):
        path, colon, _rest = line.partition(":")
        if colon and path and path not in seen and len(path) <= 300:
            seen.add(path)
            first.append(index)
    own = [i for i in first if lines.plain[i].startswith(("grep: ", "rg: ", "ag: ", "ack: "))]
    if lines.share(lambda line: _FINDING.search(line[:MOST_CHARS]) is not None) > 0.5:
        # Findings of a checker: the errors among the warnings are what it failed for.
        shown = (line[:MOST_CHARS] for line in lines.plain)
        own += [i for i, line in enumerate(shown) if _ERROR.search(line) is not None]
        return KeptLines(must=own, more=first)
    note = f"from {len(seen):,} files" if 1 < len(seen) <= len(lines) // 2 else ""
    return KeptLines(must=own[:20], more=first if note else (), note=note)


def looks_found(lines: OutputLines) -> bool:
    return lines.share(lambda line: _NUMBERED.search(line[:320]) is not None) > 0.8


GREPS = OutputRule("grep", "hits", looks=looks_found, reduce=hits)
