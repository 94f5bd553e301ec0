"""HMAC-SHA256 with the local key, for many short texts (ST-1, EV-1).

`hmac.digest` looks its algorithm up in OpenSSL each time, which costs an update of a few lines
more than the digests themselves. Here the two hashes that RFC 2104 begins with the key are begun
once per key, and copied: the same digest in a third of the time.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash

_BLOCK = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


def hexdigest(key: bytes, *parts: bytes | memoryview) -> str:
    """The digest of the parts one after the other, as 64 hex digits."""
    begun, end = _begun(key)
    inner, outer = begun.copy(), end.copy()
    for part in parts:
        inner.update(part)
    outer.update(inner.digest())
    return outer.hexdigest()


@lru_cache(maxsize=8)
def _begun(key: bytes) -> tuple[_Hash, _Hash]:
    if len(key) > _BLOCK:
        key = hashlib.sha256(key).digest()
    padded = key.ljust(_BLOCK, b"\0")
    return hashlib.sha256(padded.translate(_INNER)), hashlib.sha256(padded.translate(_OUTER))
