"""Lines of a log: one record each, ending in `,"checksum":"<16 hex>"}`. Pure.

The checksum is keyed like that of a document. A reader judges line by line, so a bad record
costs that record only (ST-3, F14, F15), even where the damaged byte was the newline between
two records.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from typing import NamedTuple

from wm.store import keyed

_MARK = b',"checksum":"'
_DIGITS = 16
_TAIL = len(_MARK) + _DIGITS + len(b'"}')
_PURPOSE = b"line\0"
# A line can hold any number of false ends; this many are tried before it counts as damaged.
_MAX_ENDS = 64


class Lines(NamedTuple):
    """What a stretch of a log holds. records: verified JSON objects without their checksum.

    damaged: lines (or rests of lines) that no longer verify. whole_bytes: where the last
    whole line ends; torn_bytes: how much lies behind it without a newline.
    """

    records: tuple[bytes, ...]
    damaged: int
    whole_bytes: int
    torn_bytes: int


def encode(body: bytes, key: bytes) -> bytes:
    """The line of a JSON object, newline included. `body` is compact JSON, not empty."""
    start = body[:-1]
    return b'%s%s%s"}\n' % (start, _MARK, _checksum(start, key))


def verify(line: bytes, key: bytes) -> bytes | None:
    """The JSON object of a line without its newline, None if a byte changed."""
    if len(line) < _TAIL or not line.endswith(b'"}'):
        return None
    start, tail = line[:-_TAIL], line[-_TAIL:]
    if not tail.startswith(_MARK):
        return None
    if not hmac.compare_digest(tail[len(_MARK) : -2], _checksum(start, key)):
        return None
    return start + b"}"


def read(raw: bytes, key: bytes) -> Lines:
    """Everything that a log's bytes hold."""
    whole = raw.rfind(b"\n") + 1
    records: list[bytes] = []
    damaged = 0
    for line in raw[:whole].split(b"\n")[:-1]:
        found = list(split(line, key))
        records += [body for body, _ in found]
        rest = line[found[-1][1] :] if found else line
        damaged += bool(rest.strip(b"\0")) if len(rest) > 1 else not found
    tail = raw[whole:]
    for body, end in split(tail, key):
        records.append(body)
        whole = len(raw) - len(tail) + end
    return Lines(tuple(records), damaged, whole, len(raw) - whole)


def split(line: bytes, key: bytes) -> Iterator[tuple[bytes, int]]:
    """The records of one line, and where each ends. More than one if a newline was damaged:
    the one byte between them is then skipped."""
    begin = 0
    search = 0
    for _ in range(_MAX_ENDS):
        mark = line.find(_MARK, search)
        if mark < 0:
            return
        end = mark + _TAIL
        search = mark + len(_MARK)
        body = verify(line[begin:end], key)
        if body is None and begin:
            body = verify(line[begin + 1 : end], key)
        if body is not None:
            yield body, end
            begin = search = end


def _checksum(start: bytes, key: bytes) -> bytes:
    return keyed.hexdigest(key, _PURPOSE, start)[:_DIGITS].encode("ascii")
