"""Pairs of entries with similar vectors that may state the same fact or contradict each other.

Hints for a person (RC-1, WM-8). Reads only: nothing is merged because it is similar, and no write
waits for this.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

from wm.api.diag import Alike, AlikePair, DiagRequest
from wm.domain.memory.similarity import hint
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.diagnosis.basis import DiagnosisBasis, from_basis
from wm.ops.explanations import reason
from wm.ops.operation import Operation, Work
from wm.ops.search.search import embedding
from wm.search.near_pairs import near_pairs
from wm.settings import RecallSettings

MOST = 5000
"""Number of newest entries that are compared."""
LISTED = 100
BATCH = 64


def _run(found: DiagnosisBasis, _request: DiagRequest) -> Alike:
    kept = [e for e in found.memory.entries if e.status in ("active", "inbox") and not e.outside]
    kept = sorted(kept, key=lambda e: (e.created_at, e.id))[-MOST:]
    vectors = _vectors(found.work, [entry.text for entry in kept])
    if vectors is None:
        return Alike(place=found.place, compared=0, problem=_problem(found.work))
    pairs = islice(_pairs(found.work, kept, vectors), LISTED)
    return Alike(place=found.place, compared=len(kept), pairs=tuple(pairs))


def _pairs(
    work: Work, kept: Sequence[MemoryEntry], vectors: Sequence[NDArray[np.float32]]
) -> list[AlikePair]:
    """Hints, most similar first; in each pair the newer entry first."""
    settings: RecallSettings = work.settings.recall
    floor = min(settings.same_hint, settings.against_hint)
    rows = []
    for old, new, likeness in near_pairs(vectors, floor, settings.hint_pairs):
        code = hint(kept[new], kept[old], likeness, settings)
        if code:
            rows.append(
                AlikePair(
                    entry=kept[new],
                    other=kept[old],
                    likeness=round(likeness, 3),
                    code=code,
                    sentence=reason(code),
                )
            )
    return sorted(rows, key=lambda row: (-row.likeness, row.entry.id))


def _vectors(work: Work, texts: Sequence[str]) -> list[NDArray[np.float32]] | None:
    """The vectors of the texts, in order; None if the model cannot make them in time."""
    worker = embedding(work.runtime)
    answers: SimpleQueue[Sequence[NDArray[np.float32]]] = SimpleQueue()
    made: list[NDArray[np.float32]] = []
    until = time.monotonic() + work.settings.recall.hint_wait_s
    for begin in range(0, len(texts), BATCH):
        part = texts[begin : begin + BATCH]
        if not worker.submit(part, lambda _card, rows: answers.put(rows)):
            return None
        try:
            rows = answers.get(timeout=max(0.0, until - time.monotonic()))
        except Empty:
            return None
        if len(rows) != len(part):
            return None
        made += rows
    return made


def _problem(work: Work) -> str:
    return embedding(work.runtime).problem or "the embedding model did not answer in time"


diag_alike = Operation("diag_alike", DiagRequest, Alike, from_basis(_run))
