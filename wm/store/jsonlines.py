"""Lines of a log: one record each, ending in `,"checksum":"<16 hex>"}`. Pure.

The checksum is keyed like that of a document. A reader verifies line by line, so a bad record
costs that record only (ST-3, F14, F15), even if the damaged byte was the newline between
two records.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic_core import from_json

_MARK = b',"checksum":"'
_DIGITS = 16
_TAIL = len(_MARK) + _DIGITS + len(b'"}')
_PURPOSE = b"line\0"
# A line can contain any number of false record ends; after this many it counts as damaged.
_MAX_ENDS = 64


class LogLines(NamedTuple):
    """The contents of a part of a log. records: verified JSON objects without their checksum.

    damaged: lines (or parts of lines) that do not verify. complete_bytes: where the last complete
    line ends; torn_bytes: the number of bytes behind it without a newline.
    """

    records: tuple[bytes, ...]
    damaged: int
    complete_bytes: int
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


def read(raw: bytes, key: bytes) -> LogLines:
    """All records in a log's bytes."""
    complete = raw.rfind(b"\n") + 1
    records: list[bytes] = []
    damaged = 0
    for line in raw[:complete].split(b"\n")[:-1]:
        found = list(split(line, key))
        records += [body for body, _ in found]
        rest = line[found[-1][1] :] if found else line
        damaged += bool(rest.strip(b"\0")) if len(rest) > 1 else not found
    tail = raw[complete:]
    for body, end in split(tail, key):
        records.append(body)
        complete = len(raw) - len(tail) + end
    return LogLines(tuple(records), damaged, complete, len(raw) - complete)


def split(line: bytes, key: bytes) -> Iterator[tuple[bytes, int]]:
    """The records of one line, and where each ends. There are several if a newline was damaged:
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


def json_object(raw: bytes) -> dict[str, Any] | None:
    """A JSON object, unverified; None for anything else."""
    try:
        found = from_json(raw, allow_inf_nan=False, cache_strings="keys")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _checksum(start: bytes, key: bytes) -> bytes:
    return hmac.digest(key, _PURPOSE + start, "sha256").hex()[:_DIGITS].encode("ascii")
