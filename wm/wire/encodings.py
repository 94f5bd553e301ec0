"""Decompresses answers for observation; the forwarded bytes stay unchanged. Pure.

gzip and deflate are in the standard library; br and zstd need an installed library, otherwise such
an answer is forwarded unread. A few compressed bytes can expand to gigabytes, so the output per
answer is limited.
"""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import Any, Protocol

_SLICE_BYTES = 16
"""Input per step for a library without an output limit: it holds only a few blocks, at most 16 MB
of output each for br or 128 KB for zstd."""
_AT_ONCE_BYTES = 1024 * 1024


class TooLong(ValueError):
    """The decompressed answer exceeds the limit."""


class Opener(Protocol):
    """Decompresses one answer, piece by piece."""

    def feed(self, piece: bytes) -> bytes:
        """The output of this piece. Raises ValueError for invalid data, and TooLong."""


class _Plain:
    def feed(self, piece: bytes) -> bytes:
        return piece


class _Bounded:
    """Counts the bytes that may still be decompressed."""

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
            while piece and not self._inner.eof:  # at eof it would buffer the input
                found.append(self._take(self._inner.decompress(piece, _AT_ONCE_BYTES)))
                piece = self._inner.unconsumed_tail
        except zlib.error as error:
            raise ValueError(str(error)) from error
        return b"".join(found)


class _Foreign(_Bounded):
    """Wraps a third-party library, which raises exceptions of its own."""

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
    """A decompressor for this `Content-Encoding`, limited to `most` bytes; None if unsupported."""
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
