"""Opens compressed answers for watching. What passes on stays as it came. Pure.

gzip and deflate are in the standard library; br and zstd are opened where a library for them is
installed, else such an answer is passed on unwatched. A few packed bytes may stand for gigabytes:
what is opened of one answer is bounded.
"""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import Any, Protocol

_SLICE_BYTES = 16
"""A library without a bound gets so little at a time: more than a few blocks, 16 MB of br each or
128 KB of zstd, do not fit."""
_AT_ONCE_BYTES = 1024 * 1024


class TooLong(ValueError):
    """An answer is longer, unpacked, than is read of one."""


class Opener(Protocol):
    """Opens one answer, piece by piece."""

    def feed(self, piece: bytes) -> bytes:
        """What this piece adds. Raises ValueError for bytes that are not of this encoding, and
        TooLong."""


class _Plain:
    def feed(self, piece: bytes) -> bytes:
        return piece


class _Bounded:
    """What is left of the bytes that may be opened."""

    def __init__(self, most: int) -> None:
        self._left = most

    def _take(self, opened: bytes) -> bytes:
        self._left -= len(opened)
        if self._left < 0:
            raise TooLong
        return opened


class _Zlib(_Bounded):
    def __init__(self, bits: int, most: int) -> None:
        super().__init__(most)
        self._inner = zlib.decompressobj(bits)

    def feed(self, piece: bytes) -> bytes:
        found = []
        try:
            while piece and not self._inner.eof:  # what follows its end it would keep
                found.append(self._take(self._inner.decompress(piece, _AT_ONCE_BYTES)))
                piece = self._inner.unconsumed_tail
        except zlib.error as error:
            raise ValueError(str(error)) from error
        return b"".join(found)


class _Foreign(_Bounded):
    """One of the libraries that are not ours: what they raise is their own."""

    def __init__(self, inner: Any, method: str, error: type[Exception], most: int) -> None:
        super().__init__(most)
        self._feed = getattr(inner, method)
        self._error = error

    def feed(self, piece: bytes) -> bytes:
        slices = (piece[at : at + _SLICE_BYTES] for at in range(0, len(piece), _SLICE_BYTES))
        try:
            return b"".join([self._take(bytes(self._feed(one))) for one in slices])
        except self._error as error:
            raise ValueError(str(error)) from error


def opener(encoding: str, most: int) -> Opener | None:
    """What opens this `Content-Encoding`, up to so many bytes; None for one that we cannot open."""
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":
            return _Zlib(16 + zlib.MAX_WBITS, most)
        case "deflate":
            return _Zlib(zlib.MAX_WBITS, most)
        case "br":
            library = _library("brotli")
            return library and _Foreign(library.Decompressor(), "process", library.error, most)
        case "zstd":
            library = _library("zstandard")
            return library and _Foreign(
                library.ZstdDecompressor().decompressobj(), "decompress", library.ZstdError, most
            )
    return None


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None
