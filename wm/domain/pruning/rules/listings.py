"""Names of files: `ls`, `find`, `fd`, `glob`, `du`, and trees (PR-2).

A name like `error.ts` is not an error; only a complaint of the tool itself is.
"""

from __future__ import annotations

from collections import Counter

from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.rule import Folds, OutputRule
from wm.domain.pruning.selection import KeptLines
from wm.text.patterns import Lazy

_COMPLAINT = Lazy(
    r"^(?:/?[\w./-]*/)?"
    r"(?:(?:ls|find|fd|du|tree|rg|stat|git|bash|sh|zsh|eza|exa|glob):?|[\w+-]{2,30}:) .*"
    r"(?i:cannot|can't|denied|no such|error|not a directory|failed|fatal|loop|invalid|unknown"
    r"|refused)|error opening dir|^\[error"
    r"|[├└].* (?i:invalid|missing|extraneous|unmet|error|failed)(?::? |:?$)"
)
_TOTALS = Lazy(r"^\d+ (?:director(?:y|ies), \d+ files?|(?:files|matches|results)\b)")
_LONG = Lazy(r"^[-dlbcps][-rwxsStT]{9}[.+@]?\s+\d+\s")
_JOINTS = ("├", "└", "|-- ", "`-- ", "+---", "\\---")
_BRANCHES = (*_JOINTS, "│", "|   ")

MOST_ENDINGS = 6


def _endings(lines: OutputLines) -> str:
    """Counts of file name endings: `412 .py, 87 .md`."""
    counts: Counter[str] = Counter()
    for line in lines.plain:
        name = line.rstrip().rpartition("/")[2].rpartition(" ")[2]
        stem, dot, ending = name.rpartition(".")
        if dot and stem and ending.isalnum() and len(ending) <= 6:
            counts[f".{ending.lower()}"] += 1
    common = counts.most_common(MOST_ENDINGS)
    return ", ".join(f"{count:,} {ending}" for ending, count in common if count > 2)


def complaints(lines: OutputLines) -> KeptLines:
    """Keep the tool's own complaints and totals."""
    firsts = list(lines.first_of_shape.values())[:200_000]
    own = {lines.shapes[index] for index in firsts if _speaks(lines.plain[index])}
    kinds = _endings(lines)
    return KeptLines(must=lines.of_shapes(own), note=f"in all: {kinds}" if kinds else "")


def _speaks(line: str) -> bool:
    # Most names contain none of them; the expression runs only for the few that do.
    if not line[:1].isdigit() and not any(word in line for word in _SPEAKING):
        return False
    return _COMPLAINT.search(line[:400]) is not None or _TOTALS.search(line[:80]) is not None


_SPEAKING = (": ", "director", "rror ", " extraneous", " UNMET ")


def _is_name(line: str) -> bool:
    """Is the line a single path, not a sentence?"""
    text = line.strip()
    if not text or ("/" not in text and "." not in text):
        return False
    return not any(sign in text for sign in " :,;\t")


def looks_listed(lines: OutputLines) -> bool:
    long = lines.share(lambda line: _LONG.search(line) is not None)
    return long > 0.6 or lines.share(_is_name) > 0.9


def looks_like_tree(lines: OutputLines) -> bool:
    """Branches in most lines, and not only bars on the left: those are the frame of a message."""
    return lines.share(lambda line: line.lstrip(" \xa0").startswith(_BRANCHES)) > 0.7 and (
        lines.share(lambda line: any(joint in line for joint in _JOINTS)) > 0.2
    )


TREES = OutputRule(
    "tree",
    "lines of a tree",
    looks=looks_like_tree,
    reduce=complaints,
    folds=Folds.NONE,
    states=False,
)
LISTINGS = OutputRule(
    "listing", "names", looks=looks_listed, reduce=complaints, folds=Folds.NONE, states=False
)
