"""What proxies passed on, a log for each session: `flows/<sid>.jsonl` (PX-10).

Figures that nothing else depends on: a line is written before its acknowledgement and flushed
with the next relaxed flush; a torn tail is cut by the next writer. A log that has grown too
large keeps its newer half.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence

from pydantic import ValidationError

from wm.errors import StoreError
from wm.formats.flow import Flow
from wm.store import atomic, jsonlines, paths
from wm.store.core import Core, Wait
from wm.store.failures import explained
from wm.store.fsops import Handle
from wm.store.paths import Place

MAX_BYTES = 4 * 1024 * 1024
"""Some thousand exchanges; then the older half goes."""


def encode(flow: Flow, key: bytes, limit: int) -> bytes:
    """The line of a record. StoreError if it is larger than `limit`."""
    body = flow.__pydantic_serializer__.to_json(flow, by_alias=True)
    line = jsonlines.encode(body, key)
    if len(line) > limit:
        raise StoreError(f"The record of an exchange has {len(line)} bytes, more than {limit}.")
    return line


def decode(raw: bytes, key: bytes) -> tuple[Flow, ...]:
    """The records of a log in order; what cannot be read is left out (ST-3)."""
    return tuple(_decoded(jsonlines.read(raw, key).records))


def decode_newest(raw: bytes, key: bytes) -> Iterator[Flow]:
    """The same from the last one on; a record is taken apart when it is asked for."""
    return _decoded(reversed(jsonlines.read(raw, key).records))


def _decoded(records: Iterable[bytes]) -> Iterator[Flow]:
    for body in records:
        try:
            yield Flow.model_validate_json(body)
        except ValidationError:
            continue


def append(core: Core, workspace: str, session: str, flow: Flow) -> None:
    """See `store.base.Store.append_flow`."""
    place = paths.flows_place(workspace, session)
    line = encode(flow, core.key_to_write(), core.settings.max_record_bytes)
    with explained("write", core.home, place.path), core.make_folder(place.folder) as folder:
        held = core.locks.take_all([(folder, place.name)])
        try:
            _append_locked(core, folder, place, line)
        finally:
            core.locks.release_all(held)
    core.wait_for(place, Wait.LOG)


def _append_locked(core: Core, folder: Handle, place: Place, line: bytes) -> None:
    disk = core.disk
    try:
        file = disk.open(folder, place.name, write=True)
    except FileNotFoundError:
        file = disk.create(folder, place.name)
    with file:
        size = disk.status(file).st_size
        if size and (size > MAX_BYTES or disk.read_at(file, size - 1, 1) != b"\n"):
            _renew(core, folder, place.name, line)
        else:
            disk.write(file, line)


def _renew(core: Core, folder: Handle, name: str, line: bytes) -> None:
    """Write the log anew: whole lines only, the newer half where it is too large."""
    raw = core.disk.read(folder, name, 4 * MAX_BYTES)
    whole = raw[: raw.rfind(b"\n") + 1]
    if len(whole) > MAX_BYTES:
        whole = whole[whole.index(b"\n", len(whole) - MAX_BYTES // 2) + 1 :]
    temp = paths.temp(name, secrets.token_hex(8))
    atomic.write_new(core.disk, folder, temp, whole + line)
    atomic.swap_in(core.disk, folder, temp, name)


def read(core: Core, workspace: str, session: str) -> tuple[Flow, ...]:
    """See `store.base.Store.flows`."""
    place = paths.flows_place(workspace, session)
    with explained("read", core.home, place.path):
        try:
            with core.disk.folder(place.folder) as folder:
                raw = core.disk.read(folder, place.name, 4 * MAX_BYTES)
        except FileNotFoundError:
            return ()
    return decode(raw, core.key_to_read())


def newest(core: Core, workspace: str, session: str, most: int) -> Iterator[Flow]:
    """See `store.base.Store.newest_flows`."""
    place = paths.flows_place(workspace, session)
    with explained("read", core.home, place.path):
        try:
            with (
                core.disk.folder(place.folder) as folder,
                core.disk.open(folder, place.name) as log,
            ):
                size = core.disk.status(log).st_size
                raw = core.disk.read_at(log, max(0, size - most), most)
        except FileNotFoundError:
            return iter(())
    # What the first line lacks makes it one that does not verify.
    return decode_newest(raw, core.key_to_read())


def sessions(names: Sequence[str]) -> tuple[str, ...]:
    """The sessions whose logs are among these file names."""
    found = (paths.session_of_flows(name) for name in names)
    return tuple(sorted(name for name in found if name is not None))


def latest(core: Core, path: str, most: int) -> tuple[str, ...]:
    """See `store.base.Store.latest_flow_sessions`."""
    found = []
    with explained("read", core.home, path):
        try:
            with core.disk.folder(path) as folder:
                for name in core.disk.list(folder):
                    if session := paths.session_of_flows(name):
                        found.append((_written(core, folder, name), session))
        except FileNotFoundError:
            return ()
    return tuple(session for _at, session in sorted(found, reverse=True)[:most])


def _written(core: Core, folder: Handle, name: str) -> int:
    """When, in nanoseconds; 0 for one that is gone meanwhile."""
    try:
        return core.disk.stat(folder, name).st_mtime_ns
    except FileNotFoundError:
        return 0


def discard(core: Core, workspace: str, session: str) -> bool:
    """See `store.base.Store.discard_flows`. Its lock file goes along."""
    place = paths.flows_place(workspace, session)
    core.drop_waits(place)
    with explained("delete", core.home, place.path):
        try:
            folder = core.disk.folder(place.folder)
        except FileNotFoundError:
            return False
        with folder:
            held = core.locks.take_all([(folder, place.name)])
            try:
                return _unlink_locked(core, folder, place.name)
            finally:
                core.locks.remove(held[0])
                core.locks.release_all(held)


def _unlink_locked(core: Core, folder: Handle, name: str) -> bool:
    try:
        core.disk.unlink(folder, name)
    except FileNotFoundError:
        return False
    return True
