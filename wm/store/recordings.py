"""Recorded bodies, a log for each session: `recordings/<sid>.jsonl` (PX-11).

As with flows, a line is written before its acknowledgement and flushed with the next relaxed
flush, and a torn tail is cut by the next writer. What the log holds already is known by an index
in memory, which counts only as long as the log has the size that it was made at. A log that has
reached its limit takes nothing more: its lines build on each other.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from pydantic import ValidationError

from wm.domain.recording import Index
from wm.formats.recording import Recording
from wm.store import jsonlines, paths
from wm.store.core import Core, Wait
from wm.store.failures import explained
from wm.store.fsops import Handle
from wm.store.paths import Place

MAX_LOG_BYTES = 1024 * 1024 * 1024
"""No limit that somebody sets makes a log larger than this."""

_MAX_INDEXES = 4
Make = Callable[[Index], Recording | None]
"""What is to be written, by what the log holds already; None for nothing."""


State = tuple[int, int]


class Indexes:
    """The indexes of the logs that were written last, by place, each with its log's inode and
    size."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: OrderedDict[str, tuple[State, Index]] = OrderedDict()

    def get(self, place: Place, state: State) -> Index | None:
        """The index of a log in this state. It leaves: who takes it puts it back."""
        with self._guard:
            found = self._known.pop(place.path, None)
        return found[1] if found is not None and found[0] == state else None

    def put(self, place: Place, state: State, index: Index) -> None:
        with self._guard:
            self._known[place.path] = (state, index)
            while len(self._known) > _MAX_INDEXES:
                self._known.popitem(last=False)


def encode(line: Recording, key: bytes) -> bytes:
    return jsonlines.encode(line.__pydantic_serializer__.to_json(line, by_alias=True), key)


def decode(raw: bytes, key: bytes) -> tuple[Recording, ...]:
    """The lines of a log in order; what cannot be read is left out (ST-3)."""
    found = []
    for body in jsonlines.read(raw, key).records:
        try:
            found.append(Recording.model_validate_json(body))
        except ValidationError:
            continue
    return tuple(found)


def indexed(raw: bytes, key: bytes) -> tuple[Index, int]:
    """What a log holds, and where its last whole line ends."""
    index = Index()
    for line in decode(raw, key):
        index.learn(line)
    return index, jsonlines.read(raw, key).whole_bytes


def append(
    core: Core, indexes: Indexes, workspace: str, session: str, most: int, make: Make
) -> bool:
    """See `store.base.Store.append_recording`."""
    place = paths.recordings_place(workspace, session)
    key = core.key_to_write()
    with explained("write", core.home, place.path), core.make_folder(place.folder) as folder:
        held = core.locks.take_all([(folder, place.name)])
        try:
            fits = _append_locked(core, indexes, folder, place, most, make, key)
        finally:
            core.locks.release_all(held)
    core.wait_for(place, Wait.LOG)
    return fits


def _append_locked(
    core: Core, indexes: Indexes, folder: Handle, place: Place, most: int, make: Make, key: bytes
) -> bool:
    disk = core.disk
    try:
        file = disk.open(folder, place.name, write=True)
    except FileNotFoundError:
        file = disk.create(folder, place.name)
    with file:
        inode, size = disk.status(file).st_ino, disk.status(file).st_size
        index = indexes.get(place, (inode, size))
        if index is None:
            raw = disk.read(folder, place.name, MAX_LOG_BYTES)
            index, whole = indexed(raw, key)
            if whole < size:
                disk.truncate(file, whole)
                size = whole
        line = make(index)
        data = encode(line, key) if line is not None else b""
        fits = size + len(data) <= most
        if line is not None and fits:
            disk.write(file, data)
            index.learn(line)
            size += len(data)
        indexes.put(place, (inode, size), index)
    return fits


def read(core: Core, workspace: str, session: str) -> tuple[Recording, ...]:
    """See `store.base.Store.recordings`."""
    place = paths.recordings_place(workspace, session)
    with explained("read", core.home, place.path):
        try:
            with core.disk.folder(place.folder) as folder:
                raw = core.disk.read(folder, place.name, MAX_LOG_BYTES)
        except FileNotFoundError:
            return ()
    return decode(raw, core.key_to_read())


def sessions(names: Sequence[str]) -> tuple[str, ...]:
    """The sessions whose logs are among these file names."""
    found = (paths.session_of_flows(name) for name in names)
    return tuple(sorted(name for name in found if name is not None))


def discard(core: Core, workspace: str, session: str) -> bool:
    """See `store.base.Store.discard_recordings`."""
    place = paths.recordings_place(workspace, session)
    core.drop_waits(place)
    with explained("delete", core.home, place.path):
        try:
            with core.disk.folder(place.folder) as folder:
                core.disk.unlink(folder, place.name)
        except FileNotFoundError:
            return False
    return True
