"""Check the code that entries describe, and mark entries whose code changed (WM-9).

Reads project files before any lock is taken, at the start of a session and when a person lists
entries. Reads only files below the workspace's root, each once, and keeps only digests of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence

from wm.api.protocol import Scoped, WorkspacePlace
from wm.domain.facts import Fact, Refusal
from wm.domain.memory import anchors
from wm.errors import UserError
from wm.formats.workspace_memory import Anchor, MemoryEntry, WorkspaceMemory
from wm.ops.place import memory_ref
from wm.ops.runtime import Runtime
from wm.store.project import read_regular

MAX_FILE_BYTES = 512 * 1024
"""Larger files are not checked."""
MAX_FILES = 64
"""Maximum files per session."""
LOOK_S = 0.3
"""Time limit; a session waits for it. Entries not reached keep their mark."""

States = dict[Anchor, str]


def look(runtime: Runtime, place: WorkspacePlace, folder: str = "") -> States:
    """The state of the anchored code in the worktree that contains `folder`. Call without a lock.
    Not cached across sessions, because two worktrees may have different code."""
    memory = runtime.store.read(memory_ref(place.key)).document
    wanted = _anchors(memory.entries) if memory is not None else ()
    return _look(_worktree(place, folder), wanted) if wanted else {}


def mark(memory: WorkspaceMemory, states: States) -> tuple[WorkspaceMemory, tuple[Fact, ...]]:
    """The memory with the marks that follow from the states, and the changes."""
    entries, facts = anchors.mark(memory.entries, states)
    return (memory.model_copy(update={"entries": entries}) if facts else memory), facts


def seen(place: WorkspacePlace, memory: WorkspaceMemory, folder: str = "") -> WorkspaceMemory:
    """The memory with current marks, for display. Writes nothing."""
    entries = seen_now(place, memory.entries, folder)
    if entries is memory.entries:
        return memory
    return memory.model_copy(update={"entries": entries})


def seen_now(
    place: WorkspacePlace, entries: Sequence[MemoryEntry], folder: str
) -> Sequence[MemoryEntry]:
    """The entries with current marks; the same object if nothing changed."""
    wanted = _anchors(entries)
    if not wanted:
        return entries
    marked, facts = anchors.mark(tuple(entries), _look(_worktree(place, folder), wanted))
    return marked if facts else entries


def states(
    place: WorkspacePlace, entry: MemoryEntry, folder: str = ""
) -> Sequence[tuple[Anchor, str]]:
    """The anchors of one entry with their current state."""
    found = _look(_worktree(place, folder), entry.anchors)
    return [(anchor, found.get(anchor, anchors.UNREAD)) for anchor in entry.anchors]


def parsed(place: WorkspacePlace, request: Scoped, asked: Sequence[str]) -> tuple[Anchor, ...]:
    """Parse a person's anchors and add current digests. Paths are relative to the folder of the
    request, else to the workspace's root. Raises UserError."""
    if len(asked) > anchors.MAX_ANCHORS:
        raise UserError.of("anchor.too_many", most=anchors.MAX_ANCHORS)
    found = []
    for text in asked:
        root = _worktree(place, request.directory)
        done = anchors.parse(_from_root(root, request.directory or root, text))
        if not isinstance(done, Refusal):
            done = anchors.with_digest(done, _source(root, done.path))
        if isinstance(done, Refusal):
            raise UserError(done.message, fix="Write it as path, path:symbol or path:12-40.")
        found.append(done)
    return tuple(dict.fromkeys(found))


def _worktree(place: WorkspacePlace, folder: str) -> str:
    """The root of the worktree that contains the folder; a linked worktree has code of its own."""
    at = os.path.realpath(folder) if folder else ""
    while at and at != os.path.dirname(at):
        if os.path.lexists(os.path.join(at, ".git")):
            return at
        at = os.path.dirname(at)
    return place.root


def _from_root(root: str, folder: str, text: str) -> str:
    """The anchor with its path made relative to the root."""
    path, colon, part = text.rpartition(":")
    if not colon:
        path, part = text, ""
    full = os.path.realpath(os.path.join(folder, path))
    inside = os.path.relpath(full, os.path.realpath(root or "/"))
    return f"{inside}{colon}{part}"


def from_root(place: WorkspacePlace, request: Scoped, path: str) -> str:
    """A path, given relative to the folder of the request or to the workspace's root, made relative
    to the root. A path without a file is kept as it is: it may be deleted. Raises UserError for a
    path outside the workspace."""
    folder = request.directory or place.root
    if not folder:
        return path
    is_here = os.path.isabs(path) or path.startswith(".")
    if not is_here and not os.path.lexists(os.path.join(folder, path)):
        return path
    root = _worktree(place, request.directory)
    inside = _from_root(root, folder, path)
    if inside.split(os.sep)[0] == os.pardir:
        raise UserError.of("anchor.outside", path=path, root=root)
    return inside


def _anchors(entries: Iterable[MemoryEntry]) -> tuple[Anchor, ...]:
    """The distinct anchors of the active entries."""
    live = (e for e in entries if e.anchors and e.status in ("active", "inbox"))
    return tuple(dict.fromkeys(anchor for entry in live for anchor in entry.anchors))


def _look(root: str, wanted: Iterable[Anchor]) -> States:
    """The state of each anchor; files over the limits have none."""
    states: States = {}
    sources: dict[str, str | None] = {}
    end = time.monotonic() + LOOK_S
    if not root or not os.path.isdir(root):
        return states  # the checkout is not on this machine: no verdict
    for anchor in wanted:
        if anchor.path not in sources:
            if len(sources) >= MAX_FILES or time.monotonic() > end:
                continue
            sources[anchor.path] = _source(root, anchor.path)
        states[anchor] = anchors.state(anchor, sources[anchor.path])
    return states


def _source(root: str, path: str) -> str | None:
    """The text of a file below the root; None if there is none or permission denied."""
    full = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath((full, os.path.realpath(root))) != os.path.realpath(root):
        return None
    try:
        raw, _status = read_regular(full, MAX_FILE_BYTES)
    except (OSError, ValueError):
        return None
    return None if len(raw) > MAX_FILE_BYTES else raw.decode("utf-8", "replace")
