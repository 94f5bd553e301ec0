"""Opens compressed answers for watching. What passes on stays as it came. Pure.

gzip and deflate are in the standard library; br and zstd are opened where a library for them is
installed, else such an answer is passed on unwatched.
"""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import Any, Protocol


class Opener(Protocol):
    """Opens one answer, piece by piece."""

    def feed(self, piece: bytes) -> bytes:
        """What this piece adds. Raises ValueError for bytes that are not of this encoding."""


class _Plain:
    def feed(self, piece: bytes) -> bytes:
        return piece


class _Zlib:
    def __init__(self, bits: int) -> None:
        self._inner = zlib.decompressobj(bits)

    def feed(self, piece: bytes) -> bytes:
        try:
            return self._inner.decompress(piece)
        except zlib.error as error:
            raise ValueError(str(error)) from error


class _Foreign:
    """One of the libraries that are not ours: what they raise is their own."""

    def __init__(self, inner: Any, method: str, error: type[Exception]) -> None:
        self._feed = getattr(inner, method)
        self._error = error

    def feed(self, piece: bytes) -> bytes:
        try:
            return bytes(self._feed(piece))
        except self._error as error:
            raise ValueError(str(error)) from error


def opener(encoding: str) -> Opener | None:
    """What opens this `Content-Encoding`; None for one that we cannot open."""
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":
            return _Zlib(16 + zlib.MAX_WBITS)
        case "deflate":
            return _Zlib(zlib.MAX_WBITS)
        case "br":
            library = _library("brotli")
            return library and _Foreign(library.Decompressor(), "process", library.error)
        case "zstd":
            library = _library("zstandard")
            return library and _Foreign(
                library.ZstdDecompressor().decompressobj(), "decompress", library.ZstdError
            )
    return None


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None
