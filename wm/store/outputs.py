"""Keep what was cut from a conversation, until the sweep takes it (PR-3, ID-4, GV-2).

These files are copies of what a tool printed: written once, under a name that follows from
their content, and read rarely. So they take no lock, have no second copy and wait for no flush
of their own: the next one brings them to disk, as class relaxed. What a power cut or a hand
damages reads as damaged, by its checksum, and costs that file only.

Protects: a reader meets a whole file or none. Does not know which outputs deserve it, nor which
are old.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TypeVar

from wm.errors import StoreError, Unwritable
from wm.formats.base import Document
from wm.store import atomic, envelope, paths
from wm.store.base import CACHED, Ref
from wm.store.core import Core, Wait
from wm.store.failures import explained

D = TypeVar("D", bound=Document)


def keep(core: Core, ref: Ref[D], document: D) -> None:
    """See `store.base.Store.keep`."""
    place = _place(ref)
    raw, _again = envelope.encode(document, 1, core.key_to_write())
    limit = core.settings.max_document_bytes
    if len(raw) > limit:
        raise Unwritable(f"{place.path} would have {len(raw)} bytes, more than {limit}.")
    temp = paths.temp(place.name, secrets.token_hex(8))
    with explained("write", core.home, place.path), core.make_folder(place.folder) as folder:
        try:
            atomic.write_new(core.disk, folder, temp, raw)
            # A second time the same output: replacing by name would wait for the drive.
            atomic.swap_in(core.disk, folder, temp, place.name)
        except BaseException:
            _drop(core, place.folder, temp)
            raise
    core.wait_for(place, Wait.FILE)


def discard(core: Core, refs: Sequence[Ref[Document]]) -> int:
    """See `store.base.Store.discard`."""
    places = [_place(ref) for ref in refs]
    for place in places:
        core.drop_waits(place)
    return sum(_drop(core, place.folder, place.name) for place in places)


def _drop(core: Core, path: str, name: str) -> bool:
    """Delete a file; False if there is none."""
    with explained("delete", core.home, path, name):
        try:
            with core.disk.folder(path) as folder:
                core.disk.unlink(folder, name)
        except FileNotFoundError:
            return False
    return True


def _place(ref: Ref[Document]) -> paths.Place:
    if ref.model not in CACHED:
        raise StoreError(f"A {ref.slug} document is written in a transaction.")
    return paths.place(ref)
