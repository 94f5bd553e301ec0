"""The bytes of a large document made out of those that it was read from.

Most updates change a few of thousands of records. What was read or written once stands in the
file as it has to stand in the next one, so only the records that are new objects are written
anew, and set between slices of the old bytes. Pure; knows no checksum and no key.

Protects: a record that was not touched keeps its very bytes; whatever does not look as our writer
sets it is written as a whole (None) instead (ST-1).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import compress, count, islice
from operator import is_, is_not
from typing import TypeVar

from msgspec import Struct

_BEGIN = b"    {\n"
_END = b"\n    }"
_BETWEEN = b",\n"
_FEW = 64
"""So many records that changed in their places are each set in by themselves."""

T = TypeVar("T")


class Rows(Struct, frozen=True):
    """Where the records of one list stand in a document's bytes: the first at `begin`, each as
    many bytes behind the one before it as that one's length, its comma included. size: of all."""

    field: str
    begin: int
    lengths: array[int]
    size: int

    def place(self, number: int) -> int:
        """Where this record begins; told from the nearer end, for most are added at the end."""
        if 2 * number <= len(self.lengths):
            return self.begin + sum(self.lengths[:number])
        return self.begin + self.size - sum(self.lengths[number:])


class Plan(Struct, frozen=True):
    """How a list came out of another one. kept: from, to in the old list, and where they begin in
    the new one; fresh: places in the new list, which lie between them."""

    kept: tuple[tuple[int, int, int], ...]
    fresh: tuple[int, ...]


def plan(old: Sequence[object], new: Sequence[object]) -> Plan | None:
    """What of `new` are still the same objects; one at least is fresh, so that there is a place
    for them. None where less than a half are."""
    changed = _changed(old, new)
    found = _in_place(old, new, changed) if len(changed) <= _FEW else _in_one_span(old, new)
    if 2 * len(found.fresh) > len(new):
        found = _in_one_span(old, new)
    if not found.fresh and found.kept:
        *kept, (begin, end, place) = found.kept
        found = Plan((*kept, *_nonempty((begin, end - 1, place))), (len(new) - 1,))
    return None if not found.fresh or 2 * len(found.fresh) > len(new) else found


def _changed(old: Sequence[object], new: Sequence[object]) -> list[int]:
    """The first places where they differ, of those that both have. Most often none does, which is
    told in half the time."""
    if all(map(is_, old, new)):
        return []
    return list(islice(compress(count(), map(is_not, old, new)), _FEW + 1))


def _nonempty(*kept: tuple[int, int, int]) -> tuple[tuple[int, int, int], ...]:
    return tuple(span for span in kept if span[1] > span[0])


def _in_place(old: Sequence[object], new: Sequence[object], changed: Sequence[int]) -> Plan:
    """Some were replaced, some were added behind or taken from the end."""
    both = min(len(old), len(new))
    begins = (0, *(at + 1 for at in changed))
    kept = ((begin, end, begin) for begin, end in zip(begins, (*changed, both), strict=True))
    return Plan(_nonempty(*kept), (*changed, *range(both, len(new))))


def _in_one_span(old: Sequence[object], new: Sequence[object]) -> Plan:
    """What stands between the same beginning and the same end is another."""
    both = min(len(old), len(new))
    before = next(compress(count(), map(is_not, old, new)), both)
    behind = next(compress(count(), map(is_not, reversed(old), reversed(new))), both)
    behind = min(behind, both - before)
    kept = ((0, before, 0), (len(old) - behind, len(old), len(new) - behind))
    return Plan(_nonempty(*kept), tuple(range(before, len(new) - behind)))


def rows(body: bytes, field: str, many: int) -> Rows | None:
    """Where the `many` records of a list stand; None where they are not set as we set them."""
    begin = body.find(b'\n  "%s": [\n' % field.encode("ascii") + _BEGIN)
    if begin < 0:
        return None
    begin = body.index(b"[", begin) + 2
    lengths = array("L", _lengths(body, begin))
    return Rows(field, begin, lengths, sum(lengths)) if len(lengths) == many else None


def _lengths(body: bytes, begin: int) -> Iterator[int]:
    while body.startswith(_BEGIN, begin):
        end = body.find(_END, begin) + len(_END)
        if end < begin:
            return
        yield end + len(_BETWEEN) - begin
        if not body.startswith(_BETWEEN, end):
            return
        begin = end + len(_BETWEEN)


def splice(
    written: bytes, at: Rows, told: bytes, fresh: Rows, plan: Plan
) -> tuple[list[bytes | memoryview], Rows] | None:
    """The parts of the new document, and where its records stand. told: the new document with
    the fresh ones of these records only."""
    old, new = memoryview(written), memoryview(told)
    pieces: list[tuple[int, memoryview, array[int]]] = []
    for begin, end, place in plan.kept:
        pieces.append((place, old[at.place(begin) : at.place(end)], at.lengths[begin:end]))
    first = fresh.begin
    for place, length in zip(plan.fresh, fresh.lengths, strict=True):
        pieces.append((place, new[first : first + length], array("L", [length])))
        first += length
    pieces.sort(key=lambda piece: piece[0])
    parts: list[bytes | memoryview] = [new[: fresh.begin]]
    all_lengths = array("L")
    for _, piece, lengths in pieces:
        body = piece[: -len(_BETWEEN)]
        if body[: len(_BEGIN)] != _BEGIN or body[-len(_END) :] != _END:
            return None
        parts += [body, _BETWEEN]
        all_lengths += lengths
    parts[-1] = new[first - len(_BETWEEN) :]
    size = sum(len(piece) for _, piece, _ in pieces)
    return parts, Rows(at.field, fresh.begin, all_lengths, size)


def merged(new: Sequence[T], plan: Plan, fresh: Sequence[T]) -> tuple[T, ...]:
    """The new list with the fresh ones as they were read back."""
    whole = list(new)
    for place, record in zip(plan.fresh, fresh, strict=True):
        whole[place] = record
    return tuple(whole)
