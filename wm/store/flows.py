"""What proxies passed on, a log for each session: `flows/<sid>.jsonl` (PX-10).

Figures that nothing else depends on: a line is written before its acknowledgement and flushed
with the next relaxed flush; a torn tail is cut by the next writer. A log that has grown too
large keeps its newer half.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

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
    found = []
    for body in jsonlines.read(raw, key).records:
        try:
            found.append(Flow.model_validate_json(body))
        except ValidationError:
            continue
    return tuple(found)


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


def sessions(names: Sequence[str]) -> tuple[str, ...]:
    """The sessions whose logs are among these file names."""
    found = (paths.session_of_flows(name) for name in names)
    return tuple(sorted(name for name in found if name is not None))


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
