"""`git diff`, `log`, `status`: every changed file stays named (PR-2).

Of each file the first changed lines stay; the rest is in the kept original.
"""

# ruff: noqa: E501  One expression, one line: a broken one is harder to read.

from __future__ import annotations

from bisect import bisect
from itertools import islice

from wm.domain.counts import counted
from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.rule import Folds, OutputRule, keeping
from wm.domain.pruning.selection import KeptLines

MOST_HEADERS = 40
"""Most file headers that stay; further files are named in the mark."""
MOST_NAMED = 60
_ACTS = ("Binary files", "rename ", "deleted file mode", "new file mode")
"""What happened to a file other than a change of its lines."""


def changed(lines: OutputLines) -> KeptLines:
    """The header of each file, and of each the first lines that changed."""
    plain = lines.plain
    headers = [i for i, line in enumerate(plain) if line.startswith(("diff --", "Index: "))]
    headers = headers or [i for i, line in enumerate(plain) if line.startswith("--- ")]
    conflicts = [i for i, line in enumerate(plain) if line.startswith(("<<<<<<<", ">>>>>>>"))]
    acts = [i for i, line in enumerate(plain) if line.startswith(_ACTS)]
    if len(headers) <= MOST_HEADERS:
        more = [*acts, *_first_changes(plain, headers)]
        return KeptLines(must=sorted({*headers, *conflicts}), more=more)
    named = sorted({*acts, *(headers[bisect(headers, i) - 1] for i in acts)})
    must = [*conflicts, *named] if len(named) <= MOST_HEADERS // 4 else conflicts
    return KeptLines(must=must, more=named, note=_named(plain, headers))


def _first_changes(plain: list[str], headers: list[int]) -> list[int]:
    """Each file's first hunk header with the line that changed there."""
    near = (range(header + 1, min(header + 14, len(plain))) for header in headers)
    return [i for span in near for i in islice((i for i in span if _changes(plain[i])), 1)]


def _changes(line: str) -> bool:
    return line[:1] in "+-" and not line.startswith(("+++", "---"))


def _named(plain: list[str], headers: list[int]) -> str:
    """`137 files: src/a.ts +3 -1, src/b.ts +1 -1, … and 77 more`."""
    said = []
    for start, stop in zip(headers[:MOST_NAMED], [*headers[1:], len(plain)], strict=False):
        body = plain[start:stop]
        added = sum(line.startswith("+") and not line.startswith("+++") for line in body)
        gone = sum(line.startswith("-") and not line.startswith("---") for line in body)
        said.append(f"{_path(plain[start])} +{added} -{gone}")
    more = len(headers) - MOST_NAMED
    rest = f", and {more:,} more" if more > 0 else ""
    return f"{counted(len(headers), 'file')}: {', '.join(said)}{rest}"


def _path(header: str) -> str:
    words = header.split(" ")
    return words[-1].removeprefix("b/")[:120]


def looks_like_diff(lines: OutputLines) -> bool:
    near = lines.plain[:200]
    named = any(line.startswith(("diff --git ", "Index: ")) for line in near)
    return named or {line[:4] for line in near} >= {"@@ -", "+++ "}


DIFFS = OutputRule(
    "diff",
    "lines of the diff",
    looks=looks_like_diff,
    reduce=changed,
    folds=Folds.NONE,
    states=False,
)
HISTORY = OutputRule(
    "git_log",
    "lines of the history",
    looks=lambda lines: sum(line.startswith("commit ") for line in lines.plain[:120]) > 3,
    reduce=keeping(r"^fatal: |^error: "),
    folds=Folds.NONE,
    states=False,
)
STATUS = OutputRule(
    "git_status",
    "files",
    reduce=keeping(
        r"^(?:On branch|Your branch|HEAD detached|CONFLICT|Unmerged|Untracked|Changes |error:|fatal:"
        r"|Automatic merge|no changes|nothing |\s+both (?:modified|added)|UU |AA |DU |UD |! \[)"
        r"|^ \d+ files? changed"
    ),
    folds=Folds.NONE,
)
GIT = (DIFFS, HISTORY, STATUS)
