"""Keep forgotten texts forgotten (WM-7).

A tombstone keeps the keyed digest of a canonical text: it recognises the text but does not reveal
it. The caller decides whether a forgotten text may return; a person's explicit request may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from wm.api.imports import ImportFact
from wm.domain.change.alignment import slots
from wm.domain.change.compare import Pair
from wm.domain.change.statement import reading
from wm.domain.sync.portable import forgotten_digest
from wm.formats.tombstones import Tombstone
from wm.formats.workspace_memory import MemoryEntry
from wm.text.letters import canonical
from wm.text.scripts import is_cjk
from wm.text.terms import folded


def tombstone(
    entry: MemoryEntry, digest: Callable[[str], str], *, at: str, reason: str = ""
) -> Tombstone:
    """The tombstone of an entry that was forgotten at `at` (ISO 8601)."""
    return Tombstone(
        id=entry.id,
        digest=digest(canonical(entry.text)),
        type=entry.type,
        forgotten_at=at,
        reason=reason,
    )


Said = TypeVar("Said", MemoryEntry, ImportFact)


def named(statements: Iterable[Said], text: str) -> tuple[Said, ...]:
    """The statements that a person means by `text`: those with equal text, else those where one
    text contains the other, else those that have all its words of content, with other endings or
    in another place. One word ("what I said about Stripe") names each one that has it."""
    wanted = canonical(text)
    known = list(statements)
    exact = tuple(one for one in known if canonical(one.text) == wanted)
    if exact:
        return exact
    said = reading(text)
    contained = tuple(
        one
        for one in known
        if f" {wanted} " in f" {canonical(one.text)} "
        or f" {canonical(one.text)} " in f" {wanted} "
    )
    if len(wanted.split()) > 1 and contained:
        return tuple(e for e in contained if not _denies(Pair(said, reading(e.text))))
    begin = [w.term[: 2 if is_cjk(w.term[0]) else 3] for w in said.words if not w.is_verb]
    near = (e for e in known if begin and all(map(folded(e.text).__contains__, begin)))
    pairs = ((e, Pair(said, reading(e.text))) for e in near)
    if len(said.words) == 1:
        return tuple(e for e, pair in pairs if _is_about(pair))
    return tuple(e for e, pair in pairs if _has_all_words(pair))


def _is_about(pair: Pair) -> bool:
    """Whether an entry names the one word, and not only a path through it: "docs/security.md"."""
    return any("/" not in w.word for w in pair.shared) and pair.new.denies == pair.old.denies


def _denies(pair: Pair) -> bool:
    """Whether one says what the other one denies: "we use tabs", "we don't use tabs"."""
    return not (pair.lost or pair.added) and pair.new.denies != pair.old.denies


def _has_all_words(pair: Pair) -> bool:
    """Whether an entry has the words that a person names: all that it has itself, one of which may
    be elsewhere, as the verb of a clause is; or some that follow each other in it."""
    long = any(is_cjk(word.term[0]) and len(word.term) > 3 for word in pair.shared)
    if len(pair.shared) + long < 2 or any(not w.is_verb for w in pair.added) or _denies(pair):
        return False
    moved = sum(len(slot.new) for slot in slots(pair.old_words, pair.new_words))
    places = [at for at, word in enumerate(pair.old_words) if word in pair.shared]
    follow = places[-1] - places[0] < len(places)
    return (moved < 2 and len(pair.lost) < 2) or (not moved and follow)


def is_forgotten(text: str, stones: Iterable[Tombstone], digest: Callable[[str], str]) -> bool:
    """Whether this text was forgotten, in any spelling and under any type."""
    stones = tuple(stones)
    if not stones:
        return False
    wanted = digest(canonical(text))
    shared = forgotten_digest(text) if any(stone.shared_digest for stone in stones) else ""
    return any(
        stone.digest == wanted or (shared and stone.shared_digest == shared) for stone in stones
    )
