"""A request as the service reads it: a row of tools, system and message blocks. Pure (PX-11).

Each block has the digest of the prefix that ends with it. Cache marks and spelling are not content
(`wm.wire.block`). Tools that are loaded later are not part of the row. A row extends the previous
one: messages that the body reused are not read again.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate, islice
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from wm.text.jsontext import as_object, as_text
from wm.wire.block import Block
from wm.wire.body import Body

Section = Literal["tools", "system", "messages"]
Measure = Callable[[Block], int]
"""Counts the tokens of a block."""

_DIGEST_BYTES = 16


class Unit(Struct, frozen=True):
    """One block. message: the index of its message, -1 before all messages.

    ttl: lifetime of its cache mark, or "". thinking: the service's signature of a thinking block,
    or "".
    """

    section: Section
    role: str
    message: int
    identity: str
    tokens: int
    kind: str = ""
    ttl: str = ""
    thinking: str = ""


class BlockRow(Struct, frozen=True, dict=True):
    """The units, and for each the digest and the token count of the prefix that ends with it.

    chain: digests that include what the cache depends on besides content (model, modes). content:
    digests without it. head: number of units before the messages.
    """

    units: tuple[Unit, ...]
    chain: tuple[bytes, ...]
    content: tuple[bytes, ...]
    tokens: tuple[int, ...]
    model: str
    head: int
    salts: tuple[bytes, bytes]

    @cached_property
    def marked(self) -> tuple[int, ...]:
        """Positions of the units with a cache mark."""
        return tuple(number for number, unit in enumerate(self.units) if unit.ttl)

    @property
    def prompt(self) -> int:
        """Tokens of the complete prompt."""
        return self.tokens[-1] if self.tokens else 0


def estimate(block: Block) -> int:
    """The usual rule of thumb (`wm.wire.block.Block.tokens`)."""
    return block.tokens


class AssumedHead(Struct, frozen=True):
    """What a request is counted as. model: in place of its own; "" keeps it. tokens: of the tool
    schemas that precede it and are not in its recording."""

    model: str = ""
    tokens: int = 0


AS_RECORDED = AssumedHead()


def row(
    body: Body,
    before: BlockRow | None = None,
    measure: Measure = estimate,
    assumed: AssumedHead = AS_RECORDED,
) -> BlockRow:
    """The row of a body. before: the row of the body that this one was indexed with."""
    tools = [block for block in body.tools if not block.value.get("defer_loading")]
    system = [block for block in body.system if not is_empty(block)]
    lacking = (Unit("tools", "", -1, "assumed", assumed.tokens),) if assumed.tokens else ()
    head = (
        *lacking,
        *(_unit("tools", "", -1, block, measure) for block in tools),
        *(_unit("system", "", -1, block, measure) for block in system),
    )
    kept: tuple[Unit, ...] = ()
    if before is not None:
        units = before.units
        end = bisect_left(units, body.reused, before.head, key=lambda unit: unit.message)
        kept = units[before.head : end]
    units = _with_automatic_mark(body, (*head, *kept, *_messages(body, measure)))
    model = assumed.model or as_text(body.value("model"))
    salts = (model.encode("utf-8", "replace"), modes(body))
    goes_on = before is not None and _same_head(before, head) and before.salts == salts
    known = len(head) + len(kept) if goes_on and kept else 0
    return _made(units, len(head), model, salts, (before, known))


def row_of(units: tuple[Unit, ...], before: BlockRow | None, model: str, modes_: bytes) -> BlockRow:
    """A row of ready units. before: an earlier row of the conversation; their common prefix is
    taken from it."""
    salts = (model.encode("utf-8", "replace"), modes_)
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
    begin: tuple[BlockRow | None, int],
) -> BlockRow:
    """begin: an earlier row, and the number of its units that these begin with."""
    before, known = begin
    tokens = before.tokens[:known] if before else ()
    fresh = (unit.tokens for unit in units[known:])
    more = accumulate(fresh, initial=tokens[-1] if tokens else 0)
    return BlockRow(
        units,
        _digests(units, before.chain[:known] if before else (), head, salts),
        _digests(units, before.content[:known] if before else (), head, (b"", b"")),
        (*tokens, *islice(more, 1, None)),
        model,
        head,
        salts,
    )


def _same_head(before: BlockRow, head: tuple[Unit, ...]) -> bool:
    old = before.units[: before.head]
    return [(u.section, u.identity) for u in old] == [(u.section, u.identity) for u in head]


def _digests(
    units: tuple[Unit, ...], known: tuple[bytes, ...], head: int, salts: tuple[bytes, bytes]
) -> tuple[bytes, ...]:
    """The digests of all prefixes, continuing the known ones. salts: mixed in before the first
    unit, and before the first unit of the messages."""
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


def _messages(body: Body, measure: Measure) -> Iterator[Unit]:
    """The units of the messages that were not reused."""
    for number, message in enumerate(body.messages[body.reused :], start=body.reused):
        for block in message.blocks:
            if not is_empty(block):
                yield _unit("messages", message.role, number, block, measure)


def is_empty(block: Block) -> bool:
    """Whether the service drops it."""
    return block.text and block.raw == b'""'


def size(block: Block, measure: Measure = estimate) -> int:
    """Tokens of a block; 0 for one that is not part of a row."""
    return 0 if is_empty(block) else measure(block)


def _unit(section: Section, role: str, message: int, block: Block, measure: Measure) -> Unit:
    sized, kind = measure(block), block.type
    return Unit(section, role, message, block.identity, sized, kind, block.ttl, block.signature)


def _with_automatic_mark(body: Body, units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """The request's own cache mark applies to its last block, unless that has one."""
    ttl = body.ttl
    if not ttl or not units or units[-1].ttl:
        return units
    return (*units[:-1], replace(units[-1], ttl=ttl))


def modes(body: Body) -> bytes:
    """The fields that change how messages are read, but not tools and system."""
    thinking = as_object(body.value("thinking"))
    fields = [body.value("tool_choice"), thinking.get("type"), thinking.get("budget_tokens")]
    return json.dumps(fields, sort_keys=True).encode()
