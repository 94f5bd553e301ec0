"""What a document and its spare say together: which text is in force, and how healthy it is.

`judge` is pure; `find` reads the two files and judges. Takes no lock and writes nothing
(ST-2). Protects: damage or an edit in one copy never hides the last write that was
acknowledged, and a file of a newer version is never taken for a damaged one (ST-3, ST-4, F18).
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from wm.formats.base import Document
from wm.store import envelope, paths
from wm.store.base import Health, Reading
from wm.store.envelope import Decoded, State, Written
from wm.store.fsops import Disk, Handle
from wm.store.splice import Rows

D = TypeVar("D", bound=Document)
D_co = TypeVar("D_co", bound=Document, covariant=True)

# A copy that answers so is there and cannot be read: the other one serves.
UNREADABLE = frozenset({errno.EIO})
# What may not stand in the place of a spare; it is set aside before the next write.
_ODD = frozenset(
    {errno.EIO, errno.ELOOP, errno.EISDIR, errno.EINVAL, errno.EFBIG, errno.ENXIO, errno.ESPIPE}
)

# A generation beyond this was typed by somebody: JSON numbers of other programs end there.
_MAX_GENERATION = 2**53


class Found(Struct, Generic[D_co], frozen=True):
    """raw: the document file's bytes as judged, None if absent or unreadable.

    generation: the highest that counts. keep_main, keep_spare: why that file must go to
    quarantine before it is replaced, "" if it need not. old_version: of a whole document in an
    older format, else 0. unfinished: what `reading` already counts and `raw` does not have. rows:
    where its records stand in `raw`, if that is known. damaged: the document, its spare.
    """

    reading: Reading[D_co]
    raw: bytes | None
    generation: int
    keep_main: str = ""
    keep_spare: str = ""
    old_version: int = 0
    unfinished: Unfinished | None = None
    rows: Rows | None = None
    damaged: tuple[bool, bool] = (False, False)

    def to_keep(self, *, absorbs: bool) -> tuple[str, str]:
        """`keep_main` and `keep_spare`. absorbs: what replaces them has taken the outside change
        in, so it need not be kept; what could not be read was taken in by nobody."""
        taken_in = absorbs and self.reading.health is Health.OUTSIDE
        whys = zip((self.keep_main, self.keep_spare), self.damaged, strict=True)
        main, spare = ("" if taken_in and not damaged else why for why, damaged in whys)
        return main, spare

    @property
    def written(self) -> Written[Any]:
        """The document in force, with its bytes where it was read from `raw` as this version
        writes it."""
        plain = self.reading.health is Health.OK and not (self.unfinished or self.old_version)
        raw = self.raw if plain and self.raw is not None else b""
        return Written(self.reading.document, raw, self.rows if raw else None)


class Unfinished(Struct, frozen=True):
    """An update that was on disk and had not taken its name when its process or the machine
    died. It counts. `file` has to take the name `target`."""

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
) -> Found[D]:
    """Read and judge. Raises OSError where the document may be whole but cannot be reached.

    next_files: those that no writer is at work on; see `transaction`.

    The spare is read first: it is written last, so it is never newer than the document.
    """
    nexts = {file: _read(disk, folder, file, limit, _ODD) for file in next_files}
    spare = _read(disk, folder, paths.spare(name), limit, _ODD)
    main = _read(disk, folder, name, limit, UNREADABLE)
    if main == "" and spare != "":
        # Deleted between the two looks? The spare goes first, so look there again.
        spare = _read(disk, folder, paths.spare(name), limit, _ODD)
    decoded = _decode(model, main, key)
    if any(nexts.values()):
        copies = {file: _decode(model, found, key) for file, found in nexts.items()}
        return _judge_ahead(name, decoded, _decode(model, spare, key), copies, _raw(main))
    if decoded.state is State.WHOLE and _is_behind(spare, decoded, key):
        return judge(decoded, decoded, _raw(main))
    return judge(decoded, _decode(model, spare, key), _raw(main), relaxed=relaxed)


def _judge_ahead(
    name: str,
    main: Decoded[D],
    spare: Decoded[D],
    nexts: Mapping[str, Decoded[D]],
    raw: bytes | None,
) -> Found[D]:
    """`judge` where an update may be unfinished: it counts as the document that it was to
    replace, or as the second copy of one that has since been edited, damaged or put back."""
    whole = [(copy.generation, file) for file, copy in nexts.items() if copy.state is State.WHOLE]
    generation, file = max(whole, default=(0, ""))
    if main.state is State.WHOLE and main.generation < generation <= main.generation + 2:
        found = judge(nexts[file], nexts[file], raw)
        return replace(found, unfinished=Unfinished(file, name))
    known = [copy.generation for copy in (main, spare) if copy.state is State.WHOLE]
    if generation > max(known, default=0):
        found = judge(main, nexts[file], raw)
        return replace(found, unfinished=Unfinished(file, paths.spare(name)))
    return judge(main, spare, raw)


def is_overtaken(disk: Disk, folder: Handle, name: str, generation: int) -> bool:
    """Whether the spare claims a later generation, so that a file of this one was put back; also
    where it does not tell: `find` asks a drive twice, and has what is no file set aside."""
    try:
        with disk.open(folder, paths.spare(name)) as spare:
            claimed = envelope.generation(disk.read_at(spare, 0, envelope.HEAD_BYTES))
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno not in _ODD:
            raise
        return True
    return claimed > generation


def judge(
    main: Decoded[D], spare: Decoded[D], raw: bytes | None, *, relaxed: bool = False
) -> Found[D]:
    """The rule of ST-3 and ST-4 as one table."""
    reading, keep_main = _rule(main, spare, relaxed=relaxed)
    whole = [copy.generation for copy in (main, spare) if copy.state is State.WHOLE]
    claimed = [min(max(copy.generation, 0), _MAX_GENERATION) for copy in (main, spare)]
    odd_spare = spare.state in (State.DAMAGED, State.FOREIGN, State.NEWER)
    return Found(
        reading,
        raw,
        max(whole) if whole else max(claimed),
        keep_main,
        f"spare: {spare.detail or 'changed outside wm'}" if odd_spare else "",
        main.version
        if main.state in (State.WHOLE, State.FOREIGN)
        and main.document is not None
        and main.version < type(main.document).current_version
        else 0,
        damaged=(main.state is State.DAMAGED, spare.state is State.DAMAGED),
    )


def _rule(main: Decoded[D], spare: Decoded[D], *, relaxed: bool) -> tuple[Reading[D], str]:
    if State.NEWER in (main.state, spare.state) and main.state is not State.WHOLE:
        newer = main if main.state is State.NEWER else spare
        older = spare.document if spare.state is State.WHOLE else None
        return Reading(newer.document or older, Health.TOO_NEW, detail=newer.detail), ""
    if main.state is State.WHOLE:
        return _whole(main, spare, relaxed=relaxed)
    if main.state is State.FOREIGN:
        in_force = spare.document if spare.state is State.WHOLE else None
        detail = "changed outside wm"
        return Reading(in_force, Health.OUTSIDE, main.document, detail), detail
    return _without_main(main, spare)


def _whole(main: Decoded[D], spare: Decoded[D], *, relaxed: bool) -> tuple[Reading[D], str]:
    if spare.state is not State.WHOLE or spare.generation <= main.generation:
        return Reading(main.document, Health.OK), ""
    if relaxed:
        # A power cut took the unflushed rename back; the flushed spare is newer.
        detail = "the last flushed generation is newer than the file"
        return Reading(spare.document, Health.RESTORED, detail=detail), ""
    detail = (
        f"generation {main.generation} was put back from outside wm; "
        f"wm last wrote generation {spare.generation}"
    )
    return Reading(spare.document, Health.OUTSIDE, main.document, detail), detail


def _without_main(main: Decoded[D], spare: Decoded[D]) -> tuple[Reading[D], str]:
    gone = main.state is State.ABSENT
    detail = "the file is gone" if gone else main.detail
    keep = "" if gone else detail
    if spare.state is State.WHOLE:
        return Reading(spare.document, Health.RESTORED, detail=f"{detail}; its spare serves"), keep
    if spare.state is State.FOREIGN:
        told = f"{detail}; its spare was changed outside wm"
        return Reading(None, Health.OUTSIDE, spare.document, told), keep
    if gone and spare.state is State.ABSENT:
        return Reading(None, Health.MISSING), ""
    told = detail if spare.state is State.ABSENT else f"{detail}; its spare: {spare.detail}"
    return Reading(None, Health.LOST, detail=told), keep


def _read(
    disk: Disk, folder: Handle, name: str, limit: int, unreadable: frozenset[int]
) -> bytes | str:
    """The bytes; "" if there is no file; else a sentence why it cannot be read.

    A drive that fails is asked a second time: what it says of a file decides what is in force.
    """
    try:
        return disk.read(folder, name, limit)
    except FileNotFoundError:
        return ""
    except OSError as error:
        if error.errno not in unreadable:
            raise
    try:
        return disk.read(folder, name, limit)
    except FileNotFoundError:
        return ""
    except OSError as error:
        if error.errno not in unreadable:
            raise
        return f"it cannot be read: {error.strerror}"


def _is_behind(spare: bytes | str, main: Decoded[D], key: bytes) -> bool:
    """Whether the spare is ours and not newer: then what it says does not matter."""
    return (
        isinstance(spare, bytes)
        and envelope.generation(spare) <= main.generation
        and envelope.is_ours(spare, key)
    )


def _raw(found: bytes | str) -> bytes | None:
    return found if isinstance(found, bytes) else None


def _decode(model: type[D], found: bytes | str, key: bytes) -> Decoded[D]:
    if isinstance(found, bytes):
        return envelope.decode(model, found, key)
    if not found:
        return Decoded(State.ABSENT, None)
    return Decoded(State.DAMAGED, None, detail=found)
