"""`local.key`: the secret key of document checksums and digests (ID-4, TR-1).

One line: `wm-key-1 <64 hex key> <16 hex check>`, 0600, with a previous copy on a separate inode.
It proves who wrote a document; it does not keep a secret from programs of the same user.

Protects: the key never changes by accident. It is created once, race-free, by linking a
finished file to the name. The check digits detect a flipped bit, which is repaired from the
previous copy. A damaged key without an intact previous copy is an error, never a reason to make a
new key (F12, F13).
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import secrets

from wm.errors import Corrupt
from wm.store import atomic, paths
from wm.store.fsops import Disk, Handle, explained
from wm.store.quarantine import Quarantine

KEY_BYTES = 32
_MARK = b"wm-key-1"
_SPARE = paths.previous_copy(paths.KEY_FILE)
_LIMIT = 4096


def load(disk: Disk) -> bytes | None:
    """The key, from the file or its previous copy; None if there is neither. Writes nothing.

    Raises Corrupt if there is a file and no copy is intact.
    """
    with explained("read", disk.home, paths.KEY_FILE):
        try:
            with disk.folder("") as home:
                return _load(disk, home)
        except FileNotFoundError:
            return None


def ensure(disk: Disk, quarantine: Quarantine) -> bytes:
    """The key; created if there is none, repaired if one copy is damaged or missing."""
    with explained("write", disk.home, paths.KEY_FILE), disk.folder("") as home:
        key = _load(disk, home)
        if key is None:
            _create(disk, home, paths.KEY_FILE, secrets.token_bytes(KEY_BYTES))
            key = _load(disk, home)
            assert key is not None
        for name in (paths.KEY_FILE, _SPARE):
            raw = _copy(disk, home, name)
            if raw is None or decode(raw) != key:
                if raw is not None:
                    _set_aside(disk, home, name, quarantine)
                _create(disk, home, name, key)
        return key


def renew(disk: Disk, quarantine: Quarantine) -> bytes:
    """Make a new key if no copy is intact (`wm fsck repair`); the damaged copies are kept.

    Every document then reads as changed outside, and waits for review.
    """
    with explained("write", disk.home, paths.KEY_FILE), disk.folder("") as home:
        for name in (paths.KEY_FILE, _SPARE):
            raw = _copy(disk, home, name)
            if raw is not None and decode(raw) is None:
                _set_aside(disk, home, name, quarantine)
    return ensure(disk, quarantine)


def encode(key: bytes) -> bytes:
    """The file's one line."""
    return b" ".join((_MARK, key.hex().encode(), _check(key))) + b"\n"


def decode(raw: bytes) -> bytes | None:
    """The key in a file's bytes, None unless every byte is as it was written."""
    words = raw.split()
    if len(words) != 3:
        return None
    try:
        key = bytes.fromhex(words[1].decode("ascii"))
    except ValueError:
        return None
    return key if len(key) == KEY_BYTES and encode(key) == raw else None


def damaged(disk: Disk) -> list[str]:
    """Names of the copies that exist and are damaged, for `wm doctor` and `wm fsck`."""
    with explained("read", disk.home, paths.KEY_FILE), disk.folder("") as home:
        found = ((name, _copy(disk, home, name)) for name in (paths.KEY_FILE, _SPARE))
        return [name for name, raw in found if raw is not None and decode(raw) is None]


def _check(key: bytes) -> bytes:
    return hashlib.sha256(_MARK + key).hexdigest()[:16].encode()


def _load(disk: Disk, home: Handle) -> bytes | None:
    copies = [_copy(disk, home, name) for name in (paths.KEY_FILE, _SPARE)]
    for raw in copies:
        if raw is not None and (key := decode(raw)) is not None:
            return key
    if all(raw is None for raw in copies):
        return None
    raise Corrupt.of("key.damaged", path=disk.home / paths.KEY_FILE)


def _copy(disk: Disk, home: Handle, name: str) -> bytes | None:
    try:
        return disk.read(home, name, _LIMIT)
    except FileNotFoundError:
        return None


def _create(disk: Disk, home: Handle, name: str, key: bytes) -> None:
    """Link a finished file to the name; of two processes at once, the first one's key stays."""
    with (
        atomic.temporary(disk, home, paths.KEY_FILE, [encode(key)], durable=True) as temp,
        contextlib.suppress(FileExistsError),
    ):
        disk.link(home, temp, name)
    disk.unlink(home, temp)
    disk.flush(home)


def _set_aside(disk: Disk, home: Handle, name: str, quarantine: Quarantine) -> None:
    """Move a damaged copy into quarantine."""
    quarantine.keep(home, name, "damaged key file")
    disk.remove(home, name)


def digest(key: bytes, text: str) -> str:
    """The keyed digest of a text: 32 hex digits."""
    data = b"digest\0" + text.encode("utf-8", "surrogatepass")
    return hmac.digest(key, data, "sha256").hex()[:32]
