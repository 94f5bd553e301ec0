"""Outputs that stay byte for byte because the model asked to read them (PR-3).

These are the outputs of tools that read files, and of commands that print the text of files:
`cat`, `sed -n 1,80p`, `git show HEAD:path`. Logs, lockfiles and JSON are data, not sources: they
are pruned unless a range of lines was asked for.
"""

from __future__ import annotations

from itertools import pairwise

from wm.domain.pruning.rule import TABLES
from wm.domain.pruning.tool_call import CommandPart, PrunableCall

FILE_TOOLS = frozenset(TABLES.words("file_tools"))
ANSWERING_TOOLS = frozenset(TABLES.words("answering_tools"))
"""Tools whose output was written for the model: reports of subagents, lists of its own."""

OWN_TOOLS = TABLES.words("own_tools")

PAGERS = frozenset(("cat", "bat", "batcat", "less", "more", "nl", "tac", "view", "head", "tail"))
DATA_ENDINGS = TABLES.words("data_endings")
LOCKFILES = frozenset(TABLES.words("lockfiles"))


def is_never_pruned(call: PrunableCall) -> bool:
    """Is the output exempt whatever it looks like? True for tools that read files or answer, for
    our own tools, and for output that the client marked as synthetic."""
    name = call.name.lower()
    short = name.rpartition("__")[2]
    if call.synthetic or call.tool in ("read", "edit", "write"):
        return True
    if short in FILE_TOOLS or short in ANSWERING_TOOLS or short.startswith(OWN_TOOLS):
        return True
    return any(part.program == "wm" or part.name == "wm" for part in call.parts)


def shows_sources(call: PrunableCall) -> bool:
    """Does the output contain the text of sources or documents?"""
    upstream = False
    for part in call.parts:
        cuts = part.name in PAGERS or part.name in ("sed", "awk", "gawk")
        source = _is_source(part) or (upstream and cuts)
        if source and part.last:
            return True
        upstream = source and not part.last
    return False


def _is_source(part: CommandPart) -> bool:
    if part.program == "git show":
        named = [a for a in part.plain if ":" in a]
        return bool(named) and not all(is_data(a.partition(":")[2]) for a in named)
    if part.program == "git blame":
        return True
    if part.name in ("sed", "awk", "gawk"):
        return _reads_range(part)
    if part.name in ("find", "fd"):
        after = [b for a, b in pairwise(part.arguments) if a in ("-exec", "-execdir", "-x", "-X")]
        return any(word in PAGERS or word == "sed" for word in after)
    files = _files(part) if part.name in PAGERS else ()
    return bool(files) and not all(map(is_data, files))


def _reads_range(part: CommandPart) -> bool:
    """`sed -n 1,80p FILE`, `awk 'NR>=5 && NR<=90' FILE`: a range of lines requested by number."""
    words = part.plain
    if len(words) < 2 or is_log(words[-1]) or is_lockfile(words[-1]):
        return False
    if part.name == "sed":
        return any(a.startswith("-") and "n" in a for a in part.arguments) and "p" in words[0]
    return "NR" in words[0]


def _files(part: CommandPart) -> tuple[str, ...]:
    """The files given to a pager; the number after `-n` is not one."""
    plain = part.plain
    if part.name in ("head", "tail"):
        plain = tuple(a for a in plain if not a.lstrip("+-").isdigit())
    return plain


def is_data(path: str) -> bool:
    """A file to search rather than to read: a log, a lockfile, JSON."""
    kernel = path.startswith(("/proc/", "/sys/"))
    return kernel or is_lockfile(path) or is_log(path) or path.lower().endswith(DATA_ENDINGS)


def is_log(path: str) -> bool:
    name = path.lower().rpartition("/")[2]
    return ".log" in name or name.endswith((".out", ".err")) or "/log/" in f"/{path.lower()}/"


def is_lockfile(path: str) -> bool:
    return path.lower().rpartition("/")[2] in LOCKFILES or path.lower().endswith(".lock")
