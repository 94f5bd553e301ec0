"""Entries that are near in meaning and may state the same, or contradict each other: hints for a
person (RC-1, WM-8). Reads only; nothing is merged for its likeness, and no write waits for this.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from wm.domain.workspace.likeness import hint
from wm.formats.diag import Alike, AlikePair, DiagRequest
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.base import Operation, Work
from wm.ops.diag.ground import ground
from wm.ops.search import embedding
from wm.ops.words import reason
from wm.settings import RecallSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 5000
"""Entries that are compared: the newest."""
LISTED = 100
BATCH = 64


def _run(work: Work, request: DiagRequest) -> Alike:
    found = ground(work, request)
    kept = [e for e in found.memory.entries if e.status in ("active", "inbox") and not e.outside]
    kept = sorted(kept, key=lambda e: (e.created_at, e.id))[-MOST:]
    vectors = _vectors(work, [entry.text for entry in kept])
    if vectors is None:
        return Alike(place=found.place, compared=0, problem=_problem(work))
    pairs = islice(_pairs(work, kept, vectors), LISTED)
    return Alike(place=found.place, compared=len(kept), pairs=tuple(pairs))


def _pairs(
    work: Work, kept: Sequence[MemoryEntry], vectors: Sequence[NDArray[np.float32]]
) -> list[AlikePair]:
    """Hints, the nearest first. The newer entry of a pair stands first."""
    from wm.domain.recall.pairs import near_pairs

    settings: RecallSettings = work.runtime.settings.recall
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
    """The rows of each text, in order; None where no model makes them in time."""
    worker = embedding(work.runtime)
    made: list[NDArray[np.float32]] = []
    until = time.monotonic() + work.runtime.settings.recall.hint_wait_s
    for begin in range(0, len(texts), BATCH):
        done = threading.Event()
        own: list[NDArray[np.float32]] = []

        def take(
            _card: object,
            rows: Sequence[NDArray[np.float32]],
            own: list[NDArray[np.float32]] = own,
            done: threading.Event = done,
        ) -> None:
            own.extend(rows)
            done.set()

        part = texts[begin : begin + BATCH]
        if not worker.submit(part, take) or not done.wait(until - time.monotonic()):
            return None
        if len(own) != len(part):
            return None
        made += own
    return made


def _problem(work: Work) -> str:
    return embedding(work.runtime).problem or "the model did not make the vectors in time"


diag_alike = Operation("diag_alike", DiagRequest, Alike, _run)
