"""Decide from a document and its previous copy which text is in force, and how healthy it is.

`judge` is pure; `find` reads the two files and judges. Takes no lock and writes nothing
(ST-2). Protects: damage or an edit in one copy never hides the last acknowledged write, and a file
of a newer version is never treated as damaged (ST-3, ST-4, F18).
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from typing import Generic

from msgspec import Struct
from msgspec.structs import replace

from wm.store import envelope, paths
from wm.store.base import D, D_co, Health, Reading
from wm.store.envelope import CopyState, Decoded
from wm.store.fsops import Disk, Handle

_NO_FILE = "a pipe, a socket or a device is in its place"
_IN_ITS_PLACE = {
    errno.EISDIR: "a folder is in its place",
    errno.ELOOP: "a symbolic link is in its place",
    errno.EINVAL: _NO_FILE,
    errno.ENODEV: _NO_FILE,
    errno.ENXIO: _NO_FILE,
    errno.ESPIPE: _NO_FILE,
}
UNREADABLE = frozenset({errno.EIO, errno.EACCES, errno.EPERM, errno.EFBIG, *_IN_ITS_PLACE})
"""Errors of a name that exists and cannot be read as a document. The other copy is used, and the
next locked writer moves the file to quarantine. Other errors (no descriptors left, a stale
folder) say nothing about the document, and are raised."""

# A generation beyond this was typed by a person: integers in other JSON programs end here.
_MAX_GENERATION = 2**53


class CopiesFound(Struct, Generic[D_co], frozen=True):
    """raw: the document file's bytes as judged, None if absent or unreadable.

    generation: the highest that counts. keep_main, keep_previous: why the document or its
    previous copy must go to quarantine before it is replaced, "" if it need not. old_version: the
    version of an intact document in an older format, else 0. unfinished: an update that `reading`
    already includes and `raw` does not. damaged: whether the document and its previous copy are
    damaged.
    """

    reading: Reading[D_co]
    raw: bytes | None
    generation: int
    keep_main: str = ""
    keep_previous: str = ""
    old_version: int = 0
    unfinished: Unfinished | None = None
    damaged: tuple[bool, bool] = (False, False)

    def to_keep(self, *, absorbs: bool) -> tuple[str, str]:
        """`keep_main` and `keep_previous`. absorbs: the replacement includes the outside change, so
        that change need not be kept; a file that could not be read is always kept."""
        taken_in = absorbs and self.reading.health is Health.OUTSIDE
        whys = zip((self.keep_main, self.keep_previous), self.damaged, strict=True)
        main, previous = ("" if taken_in and not damaged else why for why, damaged in whys)
        return main, previous


class Unfinished(Struct, frozen=True):
    """An update that was on disk but not renamed into place when its process or the machine died.
    It counts. `file` must be renamed to `target`."""

    file: str
    target: str


def find(
    disk: Disk,
    folder: Handle,
    name: str,
    model: type[D],
    key: bytes,
    *,
    limit: int,
    relaxed: bool,
    next_files: Sequence[str] = (),
) -> CopiesFound[D]:
    """Read and judge. Raises the OSError of a document that cannot be read, unless another copy of
    it is intact (a drive that fails, EIO, makes it LOST).

    next_files: the next-generation files that no writer is working on; see `transaction`.

    The previous copy is read first: it is written last, so it is never newer than the document.
    """
    nexts = {file: _read(disk, folder, file, limit) for file in next_files}
    previous = _read(disk, folder, paths.previous_copy(name), limit)
    main = _read(disk, folder, name, limit)
    if main is None and previous is not None:
        # The document may have been deleted between the two reads. The previous copy is deleted
        # first, so read it again.
        previous = _read(disk, folder, paths.previous_copy(name), limit)
    decoded = _decode(model, main, key)
    if any(found is not None for found in nexts.values()):
        copies = {file: _decode(model, found, key) for file, found in nexts.items()}
        found = _judge_ahead(name, decoded, _decode(model, previous, key), copies, _raw(main))
    elif decoded.state is CopyState.INTACT and _is_behind(previous, decoded, key):
        return judge(decoded, decoded, _raw(main))
    else:
        found = judge(decoded, _decode(model, previous, key), _raw(main), relaxed=relaxed)
    # Without an intact copy there is nothing to serve: a person has to act, so raise the error,
    # which names the file.
    served = found.reading.health in (Health.RESTORED, Health.TOO_NEW)
    if isinstance(main, OSError) and main.errno != errno.EIO and not served:
        raise main
    return found


def _judge_ahead(
    name: str,
    main: Decoded[D],
    previous: Decoded[D],
    nexts: Mapping[str, Decoded[D]],
    raw: bytes | None,
) -> CopiesFound[D]:
    """`judge` with an unfinished update: it counts as the document that it was to replace, or as
    the previous copy of one that was since edited, damaged or put back. An update of a newer wm is
    left for that wm to finish (ID-5)."""
    newer = [copy for copy in nexts.values() if copy.state is CopyState.NEWER]
    if newer or CopyState.NEWER in (main.state, previous.state):
        older = main if main.state is CopyState.INTACT else previous
        return judge(newer[0], older, raw) if newer else judge(main, previous, raw)
    intact = [
        (copy.generation, file) for file, copy in nexts.items() if copy.state is CopyState.INTACT
    ]
    generation, file = max(intact, default=(0, ""))
    if main.state is CopyState.INTACT and main.generation < generation <= main.generation + 2:
        found = judge(nexts[file], nexts[file], raw)
        return replace(found, unfinished=Unfinished(file, name))
    known = [copy.generation for copy in (main, previous) if copy.state is CopyState.INTACT]
    if generation > max(known, default=0):
        found = judge(main, nexts[file], raw)
        return replace(found, unfinished=Unfinished(file, paths.previous_copy(name)))
    return judge(main, previous, raw)


def is_overtaken(disk: Disk, folder: Handle, name: str, generation: int) -> bool:
    """Whether the previous copy claims a later generation, so that an older file was put back. Also
    True if the copy cannot be read: `find` reads twice on a drive error, and has anything that is
    not a regular file moved to quarantine."""
    try:
        with disk.open(folder, paths.previous_copy(name)) as previous:
            claimed = envelope.generation(disk.read_at(previous, 0, envelope.HEAD_BYTES))
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno not in UNREADABLE:
            raise
        return True
    return claimed > generation


def judge(
    main: Decoded[D], previous: Decoded[D], raw: bytes | None, *, relaxed: bool = False
) -> CopiesFound[D]:
    """The rule of ST-3 and ST-4 as one table."""
    reading, keep_main = _rule(main, previous, relaxed=relaxed)
    generations = [copy.generation for copy in (main, previous) if copy.state is CopyState.INTACT]
    claimed = [min(max(copy.generation, 0), _MAX_GENERATION) for copy in (main, previous)]
    odd_previous = previous.state in (CopyState.DAMAGED, CopyState.FOREIGN, CopyState.NEWER)
    return CopiesFound(
        reading,
        raw,
        max(generations) if generations else max(claimed),
        keep_main,
        f"previous copy: {previous.detail or 'changed outside wm'}" if odd_previous else "",
        main.version
        if main.state in (CopyState.INTACT, CopyState.FOREIGN)
        and main.document is not None
        and main.version < type(main.document).current_version
        else 0,
        damaged=(main.state is CopyState.DAMAGED, previous.state is CopyState.DAMAGED),
    )


def _rule(main: Decoded[D], previous: Decoded[D], *, relaxed: bool) -> tuple[Reading[D], str]:
    if CopyState.NEWER in (main.state, previous.state) and main.state is not CopyState.INTACT:
        newer = main if main.state is CopyState.NEWER else previous
        older = previous.document if previous.state is CopyState.INTACT else None
        return Reading(newer.document or older, Health.TOO_NEW, detail=newer.detail), ""
    if main.state is CopyState.INTACT:
        return _judged(main, previous, relaxed=relaxed)
    if main.state is CopyState.FOREIGN:
        in_force = previous.document if previous.state is CopyState.INTACT else None
        detail = "changed outside wm"
        return Reading(in_force, Health.OUTSIDE, main.document, detail), detail
    return _without_main(main, previous)


def _judged(main: Decoded[D], previous: Decoded[D], *, relaxed: bool) -> tuple[Reading[D], str]:
    if previous.state is CopyState.NEWER and previous.generation > main.generation:
        # A newer wm wrote last, and an older file was put back.
        return Reading(previous.document, Health.TOO_NEW, detail=previous.detail), ""
    if previous.state is not CopyState.INTACT or previous.generation <= main.generation:
        return Reading(main.document, Health.OK), ""
    if relaxed:
        # A power cut reverted the unflushed rename; the flushed previous copy is newer.
        detail = "the last flushed generation is newer than the file"
        return Reading(previous.document, Health.RESTORED, detail=detail), ""
    detail = (
        f"generation {main.generation} was put back from outside wm; "
        f"wm last wrote generation {previous.generation}"
    )
    return Reading(previous.document, Health.OUTSIDE, main.document, detail), detail


def _without_main(main: Decoded[D], previous: Decoded[D]) -> tuple[Reading[D], str]:
    missing = main.state is CopyState.ABSENT
    detail = "the file is missing" if missing else main.detail
    keep = "" if missing else detail
    if previous.state is CopyState.INTACT:
        return Reading(
            previous.document, Health.RESTORED, detail=f"{detail}; using the previous copy"
        ), keep
    if previous.state is CopyState.FOREIGN:
        message = f"{detail}; its previous copy was changed outside wm"
        return Reading(None, Health.OUTSIDE, previous.document, message), keep
    if missing and previous.state is CopyState.ABSENT:
        return Reading(None, Health.MISSING), ""
    message = (
        detail
        if previous.state is CopyState.ABSENT
        else f"{detail}; its previous copy: {previous.detail}"
    )
    return Reading(None, Health.LOST, detail=message), keep


def _read(disk: Disk, folder: Handle, name: str, limit: int) -> bytes | OSError | None:
    """The bytes; None if there is no file; the error if it exists and cannot be read.

    After a drive error it reads a second time: the answer decides which text is in force.
    """
    failed: OSError | None = None
    for _try in range(2):
        try:
            return disk.read(folder, name, limit)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno not in UNREADABLE:
                raise
            failed = error
    return failed


def _is_behind(previous: bytes | OSError | None, main: Decoded[D], key: bytes) -> bool:
    """Whether the previous copy is ours and not newer; its content then does not matter."""
    return (
        isinstance(previous, bytes)
        and envelope.generation(previous) <= main.generation
        and envelope.is_ours(previous, key)
    )


def _raw(found: bytes | OSError | None) -> bytes | None:
    return found if isinstance(found, bytes) else None


def _decode(model: type[D], found: bytes | OSError | None, key: bytes) -> Decoded[D]:
    if isinstance(found, bytes):
        return envelope.decode(model, found, key)
    if found is None:
        return Decoded(CopyState.ABSENT, None)
    why = _IN_ITS_PLACE.get(found.errno or 0, found.strerror)
    return Decoded(CopyState.DAMAGED, None, detail=f"it cannot be read: {why}")
