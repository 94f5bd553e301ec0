"""A request as the row of blocks that the service reads: tools, system, messages. Pure (PX-11).

Each block has the digest of everything up to and including it. Marks and spelling are no content
(`history`). Tools that are loaded later stand outside the row. A row is built on the one before
it: what a body reused is not read again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from wm.wire.body import Block, Body
from wm.wire.history import MARK, content_of, identity

Section = Literal["tools", "system", "messages"]
Measure = Callable[[Block], int]
"""How many tokens a block has."""

CHARS_PER_TOKEN = 4
IMAGE_TOKENS = 1_600
_DIGEST_BYTES = 16
_SIGNED = {"thinking": "signature", "redacted_thinking": "data"}


class Unit(Struct, frozen=True):
    """One block. message: the number of its message, -1 for what stands before all messages.

    ttl: of its mark, "" without one. thinking: what the service signed of it, "" for any other.
    """

    section: Section
    role: str
    message: int
    identity: str
    tokens: int
    kind: str = ""
    ttl: str = ""
    thinking: str = ""


class Row(Struct, frozen=True):
    """units, and for each the digest of the prefix that ends with it, and that prefix's tokens.

    chain: with what a cache depends on beside content (the model, modes); content: without.
    head: how many units stand before the messages.
    """

    units: tuple[Unit, ...]
    chain: tuple[bytes, ...]
    content: tuple[bytes, ...]
    tokens: tuple[int, ...]
    model: str
    head: int
    salts: tuple[bytes, bytes]

    @property
    def prompt(self) -> int:
        """Tokens of all that the model reads."""
        return self.tokens[-1] if self.tokens else 0


def estimate(block: Block) -> int:
    """A token for four characters, the usual rule of thumb; marks and spelling do not count.

    An image counts as much as a large one does; what lies in a PDF is not looked at.
    """
    value = content_of(block)
    images = 0
    for part in (value, *_parts(value)):
        if part.get("type") == "image" and part.pop("source", None) is not None:
            images += 1
    chars = len(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) if value else 0
    return max(1, (chars or len(block.raw)) // CHARS_PER_TOKEN + images * IMAGE_TOKENS)


def _parts(value: dict[str, Any]) -> list[dict[str, Any]]:
    parts = value.get("content")
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def row(body: Body, before: Row | None = None, measure: Measure = estimate) -> Row:
    """The row of a body. before: the row of the body that this one was indexed with."""
    head = (*_tools(body, measure), *_system(body, measure))
    kept: tuple[Unit, ...] = ()
    if before is not None:
        kept = tuple(u for u in before.units[before.head :] if u.message < body.reused)
    units = _with_automatic_mark(body, (*head, *kept, *_messages(body, measure)))
    model = _text(body.value("model"))
    salts = (model.encode("utf-8", "replace"), modes(body))
    goes_on = before is not None and _same_head(before, head) and before.salts == salts
    known = len(head) + len(kept) if goes_on and kept else 0
    return _made(units, len(head), model, salts, (before, known))


def row_of(units: tuple[Unit, ...], before: Row | None, model: str, told_modes: bytes) -> Row:
    """A row of ready units. before: an earlier one of the conversation; what both begin with is
    taken from it."""
    salts = (model.encode("utf-8", "replace"), told_modes)
    head = sum(unit.message < 0 for unit in units)
    known = 0
    if before is not None and before.salts == salts and before.head == head:
        pairs = zip(before.units, units, strict=False)
        known = next((n for n, (a, b) in enumerate(pairs) if a != b), -1)
        known = min(len(before.units), len(units)) if known < 0 else known
    return _made(units, head, model, salts, (before, known))


def _made(
    units: tuple[Unit, ...],
    head: int,
    model: str,
    salts: tuple[bytes, bytes],
    begin: tuple[Row | None, int],
) -> Row:
    """begin: an earlier row, and how many of its units these begin with."""
    before, known = begin
    return Row(
        units,
        _digests(units, before.chain[:known] if before else (), head, salts),
        _digests(units, before.content[:known] if before else (), head, (b"", b"")),
        tuple(accumulate(unit.tokens for unit in units)),
        model,
        head,
        salts,
    )


def _same_head(before: Row, head: tuple[Unit, ...]) -> bool:
    old = before.units[: before.head]
    return [(u.section, u.identity) for u in old] == [(u.section, u.identity) for u in head]


def _digests(
    units: tuple[Unit, ...], known: tuple[bytes, ...], head: int, salts: tuple[bytes, bytes]
) -> tuple[bytes, ...]:
    """The digests of all prefixes, from those that are known on. salts: mixed in before the first
    unit, and before the first of the messages."""
    found = list(known)
    state = known[-1] if known else b""
    for number in range(len(known), len(units)):
        unit = units[number]
        digest = hashlib.blake2b(state, digest_size=_DIGEST_BYTES)
        if number == 0:
            digest.update(salts[0])
        if number == head:
            digest.update(b"|" + salts[1])
        digest.update(f"{unit.section}/{unit.role}:{unit.identity}".encode())
        state = digest.digest()
        found.append(state)
    return tuple(found)


def _tools(body: Body, measure: Measure) -> Iterator[Unit]:
    for block in body.tools:
        if not block.value.get("defer_loading"):
            yield _unit("tools", "", -1, block, measure)


def _system(body: Body, measure: Measure) -> Iterator[Unit]:
    for block in body.system:
        if not _empty(block):
            yield _unit("system", "", -1, block, measure)


def _messages(body: Body, measure: Measure) -> Iterator[Unit]:
    """Those that were not reused."""
    for number, message in enumerate(body.messages[body.reused :], start=body.reused):
        for block in message.blocks:
            if not _empty(block):
                yield _unit("messages", message.role, number, block, measure)


def _empty(block: Block) -> bool:
    return block.text and block.raw == b'""'


def size(block: Block, measure: Measure = estimate) -> int:
    """Tokens of a block, 0 for one that stands in no row."""
    return 0 if _empty(block) else measure(block)


def _unit(section: Section, role: str, message: int, block: Block, measure: Measure) -> Unit:
    value = block.value
    signed = _text(value.get(_SIGNED.get(block.type, "")))
    ttl = ttl_of(value)
    return Unit(section, role, message, identity(block), measure(block), block.type, ttl, signed)


def ttl_of(value: dict[str, Any]) -> str:
    """Of the mark of a block, or of one in the parts of a result; "" without one."""
    mark = value.get(MARK)
    if isinstance(mark, dict):
        return "1h" if mark.get("ttl") == "1h" else "5m"
    if value.get("type") != "tool_result":
        return ""
    return next((ttl for part in _parts(value) if (ttl := ttl_of(part))), "")


def _with_automatic_mark(body: Body, units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """The mark of the request itself stands at its last block, where that has none."""
    mark = body.value(MARK)
    if not isinstance(mark, dict) or not units or units[-1].ttl:
        return units
    return (*units[:-1], replace(units[-1], ttl="1h" if mark.get("ttl") == "1h" else "5m"))


def modes(body: Body) -> bytes:
    """What changes how messages are read, and spares tools and system."""
    thinking = body.value("thinking")
    thinking = thinking if isinstance(thinking, dict) else {}
    told = [body.value("tool_choice"), thinking.get("type"), thinking.get("budget_tokens")]
    return json.dumps(told, sort_keys=True).encode()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
