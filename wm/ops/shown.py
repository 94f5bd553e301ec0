"""What agents put before a model without an event that says so (TR-3).

Instruction files, files that a message names with `@`, and the last commits, which Claude Code
quotes at the start of a session. Only read, never kept: the words become digests
(`wm.ops.origins`). Does not know what the model did with them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from itertools import islice

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

MAX_LOOKED_AT = 1000
"""Mentions of one message, however often it has the same one."""
LONGEST_MENTION = 1000
"""Characters of a path. Counted here, because a pattern that counts so far is built for 15 ms."""
_MENTION = Lazy(r"(?:^|[\s(\[,;:'`])@[^\s'`]")
_BARE = Lazy(r"[^\s\"'`]+")


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
    last = 0
    places = _MENTION.spans(message) if "@" in message else iter(())
    for start, end in islice(places, MAX_LOOKED_AT):
        if start < last:
            continue  # inside the path before
        name = _named(message[end - 1 : end + LONGEST_MENTION + 1])
        last = end - 1 + len(name)
        path = name.strip('"') if name[:1] == '"' else name.partition("#")[0].rstrip(".,;:!?)]}>")
        if path:
            found[path] = None
        if len(found) == MAX_MENTIONS:
            break
    return tuple(found)


def _named(text: str) -> str:
    """The path at the start of a text, with the marks around it where it is quoted; "" for none."""
    if text[0] != '"':
        bare = _BARE.match(text)
        return str(bare.group())[:LONGEST_MENTION] if bare is not None else ""
    end = text.find('"', 1)
    return text[: end + 1] if end > 1 and "\n" not in text[:end] else ""


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
