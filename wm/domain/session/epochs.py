"""Prompt epochs: a session's injected text stays byte-identical until the epoch ends (EP-1…3).

Providers cache by exact prefix and bind signed thinking to it, so an epoch is a value that is
made once and never changed. Renders nothing and reads no files: it orders the blocks,
records their digests and sizes, and decides which calls get them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

from wm.domain.times import iso
from wm.formats.prompt_epoch import BLOCKS, Omission, PromptBlock, PromptEpoch

MAIN_CALL = "main"
"""The one kind of call that gets memory. Titles, summaries and subagents get none (EP-2): their
prompts are short and their own, and our text must not be learned again from their answers."""


def gets_memory(call: str) -> bool:
    """Does this kind of call get the blocks? Only `main` does; an unknown kind does not."""
    return call == MAIN_CALL


def block(
    name: str, text: str, *, included: Sequence[str] = (), omitted: Iterable[Omission] = ()
) -> PromptBlock:
    """Return a block with the hash and length of its text, and what it includes and omits
    (EP-3)."""
    return PromptBlock(
        name=name,
        text=text,
        sha256=sha256(text),
        chars=len(text),
        included=tuple(included),
        omitted=tuple(omitted),
    )


def is_intact(made: PromptBlock) -> bool:
    """Does the text still match the hash and length it was made with?"""
    return made.sha256 == sha256(made.text) and made.chars == len(made.text)


def sha256(text: str) -> str:
    """Return the hex digest of the text as it is sent, in UTF-8. A lone surrogate cannot be sent;
    it counts as the replacement character that takes its place."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def open_epoch(
    *,
    epoch_id: str,
    session: str,
    agent: str,
    number: int,
    reason: str,
    blocks: Iterable[PromptBlock],
    memory_generation: int,
    now: datetime,
    previous: str,
) -> PromptEpoch:
    """Return the epoch, its blocks in the order in which clients place them: workspace memory
    first, because it changes least. Empty blocks are left out."""
    order = {name: at for at, name in enumerate(BLOCKS)}
    filled = [b for b in blocks if b.text]
    filled.sort(key=lambda b: order.get(b.name, len(order)))
    return PromptEpoch(
        id=epoch_id,
        session_id=session,
        agent=agent,
        number=number,
        reason=reason,
        created_at=iso(now),
        memory_generation=memory_generation,
        blocks=tuple(filled),
        previous=previous,
    )
