"""A body as a row of parts that other bodies of its conversation share. Pure (PX-11).

A part is a tool, a block of content, or what stands between two of them. Together they are the
body.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wm.wire.body import Body, Span, items, members


def parts(body: Body) -> list[bytes]:
    """A request, cut at its tools and blocks."""
    blocks = [*body.tools, *body.system, *(b for m in body.messages for b in m.blocks)]
    return _cut(body.raw, (block.span for block in blocks))


def answer_parts(raw: bytes) -> list[bytes]:
    """An answer, cut at its blocks; whole where it has none."""
    content = (members(raw, Span(0, len(raw))) or {}).get("content")
    return _cut(raw, items(raw, content) if content is not None else ())


def _cut(raw: bytes, spans: Iterable[Span]) -> list[bytes]:
    found, at = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        found += [raw[at : span.start], raw[span.start : span.end]]
        at = span.end
    return [*found, raw[at:]]


def shared(before: Sequence[bytes], now: Sequence[bytes]) -> int:
    """How many parts (or digests of parts) at the beginning are the same."""
    for number, (old, new) in enumerate(zip(before, now, strict=False)):
        if old != new:
            return number
    return min(len(before), len(now))
