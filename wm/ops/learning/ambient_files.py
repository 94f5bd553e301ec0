"""Read the text that agents put into the prompt without reporting an event (TR-3).

Instruction files, files that a message mentions with `@`, and the last commits, which Claude Code
quotes at the start of a session. Stores nothing: `wm.ops.learning.provenance` turns the words into
digests.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from wm.ops.runtime import Runtime
from wm.store import identity
from wm.store.project import read_regular
from wm.text.patterns import Lazy

INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "GEMINI.md")

MAX_MENTIONS = 20
"""Maximum number of files read per message."""
COMMITS = 10
"""Number of commits whose subjects are read; Claude Code shows five."""
COMMITS_S = 0.5
"""Timeout for git, once a minute; a session waits for it."""

MAX_LOOKED_AT = 1000
"""Maximum number of mentions examined per message, repeated ones included."""
LONGEST_MENTION = 1000
"""Characters of a path. Checked in code: a pattern with this bound takes 15 ms to compile."""
_MENTION = Lazy(r"(?:^|[\s(\[,;:'`])@[^\s'`]")
_BARE = Lazy(r"[^\s\"'`]+")


def instructions(folders: Iterable[str], limit: int) -> Iterator[str]:
    """The texts of the instruction files in these folders, each cut at `limit` characters."""
    for folder in filter(None, dict.fromkeys(folders)):
        for name in INSTRUCTIONS:
            yield from _text(os.path.join(folder, name), limit)


def mentioned(message: str, folders: Iterable[str], limit: int) -> Iterator[str]:
    """The texts of the existing files that a message mentions."""
    known = tuple(filter(None, dict.fromkeys(folders)))
    for path in mentions(message):
        for folder in known:
            found = tuple(_text(os.path.join(folder, os.path.expanduser(path)), limit))
            yield from found
            if found:
                break


def mentions(message: str) -> tuple[str, ...]:
    """The paths behind an `@`, without line numbers or punctuation after them."""
    found: dict[str, None] = {}
    last = 0
    places = _MENTION.spans(message) if "@" in message else iter(())
    for start, end in islice(places, MAX_LOOKED_AT):
        if start < last:
            continue  # inside the previous path
        name = _named(message[end - 1 : end + LONGEST_MENTION + 1])
        last = end - 1 + len(name)
        path = name.strip('"') if name[:1] == '"' else name.partition("#")[0].rstrip(".,;:!?)]}>")
        if path:
            found[path] = None
        if len(found) == MAX_MENTIONS:
            break
    return tuple(found)


def _named(text: str) -> str:
    """The path at the start of a text, including its quotes; "" for none."""
    if text[0] != '"':
        bare = _BARE.match(text)
        return str(bare.group())[:LONGEST_MENTION] if bare is not None else ""
    end = text.find('"', 1)
    return text[: end + 1] if end > 1 and "\n" not in text[:end] else ""


def ask(runtime: Runtime, root: str) -> None:
    """Query git for the last commits and cache them. Call without a lock."""
    runtime.of_git(("commits", root), (), lambda: identity.subjects(root, COMMITS, COMMITS_S))


def commits(runtime: Runtime, root: str) -> str:
    """The commit subjects that `ask` cached."""
    return runtime.of_git(("commits", root), (), lambda: "")


def _text(path: str, limit: int) -> Iterator[str]:
    """The beginning of a text file."""
    try:
        raw, _status = read_regular(path, 4 * limit)  # no character has more bytes
    except (OSError, ValueError):
        return
    yield raw.decode("utf-8", "replace")[:limit]
