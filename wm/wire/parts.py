"""Splits a body into parts that other bodies of its conversation share. Pure (PX-11).

A part is a tool, a content block, or the bytes between two of them. The parts joined are the body.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wm.wire.body import Body
from wm.wire.spans import ByteSpan, items, members


def parts(body: Body) -> list[bytes]:
    """A request, split at its tools and blocks."""
    blocks = [*body.tools, *body.system, *(b for m in body.messages for b in m.blocks)]
    return _cut(body.raw, (block.span for block in blocks))


def answer_parts(raw: bytes) -> list[bytes]:
    """An answer, split at its blocks; one part if it has none."""
    content = (members(raw, ByteSpan(0, len(raw))) or {}).get("content")
    return _cut(raw, items(raw, content) if content is not None else ())


def _cut(raw: bytes, spans: Iterable[ByteSpan]) -> list[bytes]:
    found, at = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        found += [raw[at : span.start], raw[span.start : span.end]]
        at = span.end
    return [*found, raw[at:]]


def shared(before: Sequence[bytes], now: Sequence[bytes]) -> int:
    """Number of equal parts (or digests of parts) at the beginning."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((n for n, (old, new) in pairs if old != new), min(len(before), len(now)))
