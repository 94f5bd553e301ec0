"""Decompresses answers for observation; the forwarded bytes stay unchanged. Pure.

gzip and deflate are in the standard library; br and zstd need an installed library, otherwise such
an answer is forwarded unread. A few compressed bytes can expand to gigabytes, so the output per
answer is limited.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from math import inf
from typing import Any

from msgspec import Struct

_SLICE_BYTES = 16
"""Input per step for a library without an output limit: it holds only a few blocks, at most 16 MB
of output each for br or 128 KB for zstd."""
_AT_ONCE_BYTES = 1024 * 1024


class TooLong(ValueError):
    """The decompressed answer exceeds the limit."""


class Opener(Struct, eq=False):
    """Decompresses one answer, piece by piece. steps: the output of a piece in parts of limited
    size. error: what it raises for invalid data. left: bytes that may still be decompressed."""

    steps: Callable[[bytes], Iterable[bytes]]
    error: type[Exception]
    left: float

    def feed(self, piece: bytes) -> bytes:
        """The output of this piece. Raises ValueError for invalid data, and TooLong."""
        found = []
        try:
            for opened in self.steps(piece):
                self.left -= len(opened)
                if self.left < 0:
                    raise TooLong
                found.append(opened)
        except self.error as error:
            raise ValueError(str(error)) from error
        return b"".join(found)


def opener(encoding: str, most: int) -> Opener | None:
    """A decompressor for this `Content-Encoding`, limited to `most` bytes; None if unsupported."""
    match encoding.strip().lower():
        case "" | "identity":
            return Opener(lambda piece: (piece,), OSError, inf)
        case "gzip" | "x-gzip":
            return Opener(_zlib(16 + zlib.MAX_WBITS), zlib.error, most)
        case "deflate":
            return Opener(_zlib(zlib.MAX_WBITS), zlib.error, most)
        case "br" if library := _library("brotli"):
            return Opener(_sliced(library.Decompressor().process), library.error, most)
        case "zstd" if library := _library("zstandard"):
            inner = library.ZstdDecompressor().decompressobj()
            return Opener(_sliced(inner.decompress), library.ZstdError, most)
    return None


def _zlib(bits: int) -> Callable[[bytes], Iterator[bytes]]:
    inner = zlib.decompressobj(bits)

    def steps(piece: bytes) -> Iterator[bytes]:
        while piece and not inner.eof:  # at eof it would buffer the input
            yield inner.decompress(piece, _AT_ONCE_BYTES)
            piece = inner.unconsumed_tail

    return steps


def _sliced(feed: Callable[[bytes], bytes]) -> Callable[[bytes], Iterator[bytes]]:
    def steps(piece: bytes) -> Iterator[bytes]:
        for at in range(0, len(piece), _SLICE_BYTES):
            yield bytes(feed(piece[at : at + _SLICE_BYTES]))

    return steps


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None
