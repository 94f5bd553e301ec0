"""What agents put before a model without an event that says so (TR-3).

Instruction files, files that a message names with `@`, and the last commits, which Claude Code
quotes at the start of a session. Only read, never kept: the words become digests
(`wm.ops.origins`). Does not know what the model did with them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from wm.domain.patterns import Lazy
from wm.ops.runtime import Runtime
from wm.store import identity

INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "GEMINI.md")

MAX_MENTIONS = 20
"""Files of one message that are read."""
COMMITS = 10
"""Commits whose subjects are read; Claude Code shows five."""
COMMITS_S = 0.5
"""So long git is waited for, once a minute; a session waits for it."""
ASKED_AGAIN_S = 60.0

_MENTION = Lazy(r"""(?:^|[\s(\[,;:'`])@(?:"([^"\n]{1,1000})"|([^\s"'`]{1,1000}))""")


def instructions(folders: Iterable[str], limit: int) -> Iterator[str]:
    """The texts of the instruction files of some folders, each cut at `limit` characters."""
    for folder in filter(None, dict.fromkeys(folders)):
        for name in INSTRUCTIONS:
            yield from _text(os.path.join(folder, name), limit)


def mentioned(message: str, folders: Iterable[str], limit: int) -> Iterator[str]:
    """The texts of the files that a message names, as far as there are such files."""
    known = tuple(filter(None, dict.fromkeys(folders)))
    for path in mentions(message):
        for folder in known:
            found = tuple(_text(os.path.join(folder, os.path.expanduser(path)), limit))
            yield from found
            if found:
                break


def mentions(message: str) -> tuple[str, ...]:
    """Paths behind an `@`, without the lines or the full stop that stand behind them."""
    found: dict[str, None] = {}
    for match in _MENTION.finditer(message) if "@" in message else ():
        path = match.group(1) or match.group(2).partition("#")[0].rstrip(".,;:!?)]}>")
        if path and len(found) < MAX_MENTIONS:
            found[path] = None
    return tuple(found)


def ask(runtime: Runtime, root: str) -> None:
    """Find out about the last commits. Call it without a lock."""
    _known(runtime, root, asks=True)


def commits(runtime: Runtime, root: str) -> str:
    """What `ask` found."""
    return _known(runtime, root, asks=False)


def _known(runtime: Runtime, root: str, *, asks: bool) -> str:
    minute = runtime.now().timestamp() // ASKED_AGAIN_S
    told: str = runtime.commits.get(
        root, (minute,), lambda: identity.subjects(root, COMMITS, COMMITS_S) if asks else ""
    )
    return told


def _text(path: str, limit: int) -> Iterator[str]:
    """The text of a regular file. Not blocking: a pipe in its place must not hold a session."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            with os.fdopen(fd, encoding="utf-8", errors="replace", closefd=False) as file:
                yield file.read(limit)
    except OSError:
        return
    finally:
        os.close(fd)
