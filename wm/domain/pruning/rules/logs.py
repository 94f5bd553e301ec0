"""Logs with time stamps or levels, and endlessly repeated lines (PR-2).

Equal lines become a count; errors, refused requests and rare warnings stay.
"""

from __future__ import annotations

from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.rule import Folds, OutputRule
from wm.text.patterns import Lazy

_STAMP = Lazy(
    r"\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b"
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2} \d\d:"
    r"|^\[?\s*\d+\.\d{3,6}\]|\b\d{2}/[A-Z][a-z]{2}/\d{4}:\d\d"
)
_LEVEL = Lazy(
    r"(?:^|[\s\[|\"=])(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|debug|info|warn|error)"
    r"(?:[\s\]:|\",]|$)"
)


def looks_logged(lines: OutputLines) -> bool:
    return lines.share(_is_entry) > 0.6


def _is_entry(line: str) -> bool:
    start = line[:120]
    return _STAMP.search(start) is not None or _LEVEL.search(start) is not None


def looks_repeated(lines: OutputLines) -> bool:
    """Do nearly all lines have one of a few shapes?"""
    common = sum(count for _shape, count in lines.counts.most_common(5))
    return common >= 0.8 * len(lines)


LOGS = OutputRule("log", "log lines", looks=looks_logged, folds=Folds.ALIKE)
REPEATED = OutputRule("repeated", "lines", looks=looks_repeated, folds=Folds.ALIKE)
