"""Proposals to keep two similar entries as one text, which the helper model words (HM-1, WM-5).

A proposal waits in the inbox; accepted, it replaces both entries. It is made only if both texts
together support it and it supports each of them (TR-3), so it adds nothing and leaves nothing out.
No entry changes before a person accepts, and no pair is asked about twice while the answer is
known.
"""

from __future__ import annotations

from functools import partial

from wm.api.diag import AlikePair, DiagRequest
from wm.api.protocol import Noticed, Scoped
from wm.domain.memory import edits
from wm.domain.memory.acts import SOURCE_RANK
from wm.domain.memory.questions import pair_id
from wm.domain.memory.similarity import SAME
from wm.domain.paging.entities import entities, json_in, missing_in
from wm.formats.tombstones import TrashedEntry
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.diagnosis.similar_pairs import diag_alike
from wm.ops.helper import asking
from wm.ops.learning import provenance
from wm.ops.learning.remember import refusal_reasons
from wm.ops.memory import documents
from wm.ops.operation import LocatedWork, Operation, Work, execute, located
from wm.ops.place import unrooted
from wm.ops.runtime import Runtime

MERGES = "merges"
"""The reason of such a proposal in the inbox."""
_TOKENS = 400


def propose_merge(runtime: Runtime, workspace: str) -> None:
    """Ask about the most similar pair that was not asked about yet, if the memory changed since the
    last call. Raises StoreError."""
    work = Work(runtime, runtime.now()).at(unrooted(workspace))
    view, generation = ("merges", workspace), documents.read_memory(work).generation
    if asking.why_not(runtime) or runtime.caches.views.peek(view) == generation:
        return
    runtime.caches.views.put(view, generation)
    known = _known(work)
    found = execute(runtime, diag_alike, DiagRequest(workspace=workspace)).pairs
    pair = next((one for one in found if _is_open(one) and _name(one) not in known), None)
    text = _merged(runtime, pair) if pair is not None else ""
    if pair is not None and text:
        operation = Operation(
            "propose_merge",
            Scoped,
            Noticed,
            located(partial(_put, pair, text)),
            documents.memory_refs,
        )
        execute(runtime, operation, Scoped(workspace=workspace))


def _known(work: LocatedWork) -> frozenset[str]:
    """The ids of all entries and of those that were forgotten or rejected."""
    entries = (entry.id for entry in documents.read_memory(work).entries)
    stones = (stone.id for stone in documents.read_tombstones(work).stones)
    return frozenset((*entries, *stones, *work.store.names(TrashedEntry, work.key)))


def _is_open(pair: AlikePair) -> bool:
    both = (pair.entry, pair.other)
    return pair.code == SAME and all(e.status == "active" and not e.tainted for e in both)


def _name(pair: AlikePair) -> str:
    """The id of the proposal: the same for the same texts."""
    first, second = sorted((pair.entry.text, pair.other.text))
    return pair_id(MERGES, first, second)


def _merged(runtime: Runtime, pair: AlikePair) -> str:
    """One text for both; "" if there is none, or it fails the check."""
    both = (pair.entry.text, pair.other.text)
    try:
        reply = asking.answer(runtime, "merge", asking.fenced("\n".join(both)), _TOKENS)
    except asking.NoAnswer:
        return ""
    text = (json_in(reply) or {}).get("text")
    merged = text.strip() if isinstance(text, str) and _says_both(runtime, text, both) else ""
    asking.note(runtime, "merge" if merged else "unsupported_merge")
    return merged


def _says_both(runtime: Runtime, text: str, both: tuple[str, str]) -> bool:
    """Whether the text says what both say, and nothing else."""
    joined = "\n".join(both)
    return (
        not missing_in(joined, entities(text))
        and not missing_in(text, entities(joined))
        and provenance.supports(runtime, both, text)
        and all(provenance.supports(runtime, (text,), one) for one in both)
    )


def _put(pair: AlikePair, text: str, work: LocatedWork, _request: Scoped) -> Noticed:
    memory = documents.load_memory(work)
    texts = {e.id: e.text for e in memory.entries if e.status == "active"}
    if _name(pair) in _known(work) or any(
        texts.get(one.id) != one.text for one in (pair.entry, pair.other)
    ):
        return Noticed()
    merged = _worded(pair, text)
    if refusal_reasons(work, merged):
        return Noticed()
    memory, _waiting, fact = edits.propose(
        memory,
        merged,
        (MERGES,),
        new_id=_name(pair),
        replaces=(pair.entry.id, pair.other.id),
        now=work.now,
    )
    documents.save_memory(work, memory, [fact])
    return Noticed(waiting=1)


def _worded(pair: AlikePair, text: str) -> MemoryEntry:
    """The entry with the stronger source, with the text of both. It is the words of a model."""
    strength = (
        (SOURCE_RANK.get(one.source, 0), one.created_at, one) for one in (pair.entry, pair.other)
    )
    best = max(strength, key=lambda row: row[:2])[2]
    update = {"text": text, "origin": "agent", "session": "", "admitted_by": ""}
    return best.model_copy(update=update)
