"""Look at the code that entries speak of, and mark those whose code changed (WM-9).

The project's files are read before the locks are taken, at the start of a session, and where a
person looks at the entries. Only files below the workspace's root are read, each once, and
nothing of them is kept but digests.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Sequence

from wm.domain.facts import Fact, Refusal
from wm.domain.workspace import anchors
from wm.errors import UserError
from wm.formats.diag import AnchorView
from wm.formats.protocol import Place, Scoped
from wm.formats.workspace_memory import Anchor, MemoryEntry, WorkspaceMemory
from wm.ops.base import Work
from wm.ops.place import memory_ref
from wm.ops.runtime import Runtime

MAX_FILE_BYTES = 512 * 1024
"""Larger files are not looked at."""
MAX_PARTS = 64
"""Reads that one file may take; one that grows all the time is not followed."""
MAX_FILES = 64
"""Files that are read for one session."""
LOOK_S = 0.3
"""So long is looked; a session waits for it. What was not reached keeps its mark."""
ASKED_AGAIN_S = 60.0

States = dict[Anchor, str]


def ask(runtime: Runtime, place: Place, folder: str = "") -> None:
    """Look at the anchored files in the worktree that `folder` lies in. Call it without a lock;
    `mark` uses what was found."""
    memory = runtime.store.read(memory_ref(place.key)).document
    wanted = _anchors(memory.entries) if memory is not None else ()
    if wanted:
        _known(runtime, place, wanted, root=_worktree(place, folder))


def mark(
    work: Work, place: Place, memory: WorkspaceMemory
) -> tuple[WorkspaceMemory, tuple[Fact, ...]]:
    """The memory with the marks that `ask` found, and what changed."""
    wanted = _anchors(memory.entries)
    if not wanted:
        return memory, ()
    states = _known(work.runtime, place, wanted)
    entries, facts = anchors.mark(memory.entries, states)
    return (memory.model_copy(update={"entries": entries}) if facts else memory), facts


def seen(place: Place, memory: WorkspaceMemory, folder: str = "") -> WorkspaceMemory:
    """The memory with the marks of this moment, for somebody who looks. Writes nothing."""
    entries = seen_now(place, memory.entries, folder)
    if entries is memory.entries:
        return memory
    return memory.model_copy(update={"entries": entries})


def seen_now(
    place: Place, entries: Sequence[MemoryEntry], folder: str = ""
) -> Sequence[MemoryEntry]:
    """The entries with the marks of this moment; the same object where nothing is another."""
    wanted = _anchors(entries)
    if not wanted:
        return entries
    marked, facts = anchors.mark(tuple(entries), _look(_worktree(place, folder), wanted))
    return marked if facts else entries


def views(place: Place, entry: MemoryEntry, folder: str = "") -> tuple[AnchorView, ...]:
    """The anchors of one entry as they are now."""
    states = _look(_worktree(place, folder), entry.anchors)
    return tuple(
        AnchorView(path=a.path, symbol=a.symbol, state=states.get(a, anchors.UNREAD))
        for a in entry.anchors
    )


def taken(place: Place, request: Scoped, asked: Sequence[str]) -> tuple[Anchor, ...]:
    """Anchors as a person wrote them, with the digests of what stands there now. Paths are from
    the folder of the request, else from the workspace's root. Raises UserError."""
    if len(asked) > anchors.MAX_ANCHORS:
        raise UserError(f"An entry carries at most {anchors.MAX_ANCHORS} anchors.")
    found = []
    for text in asked:
        root = _worktree(place, request.directory)
        parsed = anchors.parse(_from_root(root, request.directory or root, text))
        done = parsed if isinstance(parsed, Refusal) else _taken(root, parsed)
        if isinstance(done, Refusal):
            raise UserError(done.message, fix="Write it as path, path:symbol or path:12-40.")
        found.append(done)
    return tuple(dict.fromkeys(found))


def _taken(root: str, asked: Anchor) -> Anchor | Refusal:
    return anchors.taken(asked, _source(root, asked.path))


def _worktree(place: Place, folder: str) -> str:
    """The root of the worktree that the folder lies in: a linked one has code of its own."""
    at = os.path.realpath(folder) if folder else ""
    while at and at != os.path.dirname(at):
        if os.path.lexists(os.path.join(at, ".git")):
            return at
        at = os.path.dirname(at)
    return place.root


def _from_root(root: str, folder: str, text: str) -> str:
    """The anchor with its path from the root, as it was meant in the folder."""
    path, colon, part = text.rpartition(":")
    if not colon:
        path, part = text, ""
    full = os.path.realpath(os.path.join(folder, path))
    inside = os.path.relpath(full, os.path.realpath(root or "/"))
    return f"{inside}{colon}{part}"


def from_root(place: Place, request: Scoped, path: str) -> str:
    """A path as it was meant in the folder of the request, else in the workspace's root, from that
    root. One that is not there is taken as it is: it may be gone. Raises UserError for one
    elsewhere."""
    folder = request.directory or place.root
    if not folder:
        return path
    is_here = os.path.isabs(path) or path.startswith(".")
    if not is_here and not os.path.lexists(os.path.join(folder, path)):
        return path
    root = _worktree(place, request.directory)
    inside = _from_root(root, folder, path)
    if inside.split(os.sep)[0] == os.pardir:
        raise UserError(f"{path} lies outside of {root}.", fix="Give a path of this project.")
    return inside


def _anchors(entries: Iterable[MemoryEntry]) -> tuple[Anchor, ...]:
    """Anchors of entries in force, each once."""
    live = (e for e in entries if e.anchors and e.status in ("active", "inbox"))
    return tuple(dict.fromkeys(anchor for entry in live for anchor in entry.anchors))


def _known(runtime: Runtime, place: Place, wanted: tuple[Anchor, ...], *, root: str = "") -> States:
    """What was found in this minute; with a root it is looked for there, now."""
    minute = runtime.now().timestamp() // ASKED_AGAIN_S
    inputs = (tuple((a.path, a.symbol, a.digest) for a in wanted), minute)
    if root:
        # Each session looks for itself: two worktrees may have different code.
        runtime.anchors.forget(place.key)
    states: States = runtime.anchors.get(
        place.key, inputs, lambda: _look(root, wanted) if root else {}
    )
    if not states:
        runtime.anchors.forget(place.key)
    return states


def _look(root: str, wanted: Iterable[Anchor]) -> States:
    """The state of each anchor; of files over the limits none."""
    states: States = {}
    sources: dict[str, str | None] = {}
    end = time.monotonic() + LOOK_S
    if not root or not os.path.isdir(root):
        return states  # the checkout is not here: nothing can be said
    for anchor in wanted:
        if anchor.path not in sources:
            if len(sources) >= MAX_FILES or time.monotonic() > end:
                continue
            sources[anchor.path] = _source(root, anchor.path)
        states[anchor] = anchors.state(anchor, sources[anchor.path])
    return states


def _source(root: str, path: str) -> str | None:
    """The text of a file below the root; None where there is none that may be read."""
    full = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath((full, os.path.realpath(root))) != os.path.realpath(root):
        return None
    try:
        # Not blocking: a pipe in the place of a file must not hold a session up.
        fd = os.open(full, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            return None
        return _all(fd).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(fd)


def _all(fd: int) -> bytes:
    parts: list[bytes] = []
    while (part := os.read(fd, MAX_FILE_BYTES)) != b"" and len(parts) < MAX_PARTS:
        parts.append(part)
    return b"".join(parts)
