"""Try a model: does it load, what does it cost, does it tell alike from different (RC-2)."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from msgspec import Struct

from wm.errors import ModelUnavailable
from wm.models.embed import ModelCard
from wm.models.opening import open_embedder
from wm.settings import RecallSettings

SAID = "The release is shipped from the harbour branch every Friday morning."
AGAIN = "Each Friday morning we ship the release from the branch called harbour."
OTHER = "A list comprehension is faster than appending in a loop."
LONG_WORDS = 180
ROUNDS = 5
CLOSE_ENOUGH = 1e-3


class Trial(Struct, frozen=True):
    """load_s: until the first vector. short_ms, long_ms: a sentence, and a text of some 250
    tokens, at best of some rounds. memory_bytes: what the process grew by; 0 where unknown."""

    card: ModelCard
    load_s: float
    short_ms: float
    long_ms: float
    memory_bytes: int
    alike: float
    apart: float

    @property
    def sane(self) -> bool:
        return self.alike > self.apart


def trial(name: str, settings: RecallSettings) -> Trial:
    """Open the model of this name or folder and embed a little. Raises ModelUnavailable, also for
    one whose vectors are not to be relied on."""
    before, begun = resident(), time.perf_counter()
    embedder = open_embedder(name, settings)
    if embedder is None:
        raise ModelUnavailable(
            "There is no model to try: words alone are searched.",
            fix="`wm models use embedded` chooses the one that is always there.",
        )
    first = embedder.embed([SAID, AGAIN, OTHER])
    load_s = time.perf_counter() - begun
    card = embedder.card
    why = _fault(first, embedder.embed([SAID, AGAIN, OTHER]), card)
    if why:
        raise ModelUnavailable(
            f"The model {card.id} cannot be relied on: {why}.",
            fix="Its files are damaged, or it is of a kind that wm cannot run.",
        )

    def spent(text: str) -> float:
        begin = time.perf_counter()
        embedder.embed([text])
        return 1000 * (time.perf_counter() - begin)

    long = " ".join(f"{word}" for word in (SAID.split() * LONG_WORDS)[:LONG_WORDS])
    return Trial(
        card,
        load_s,
        min(spent(SAID) for _ in range(ROUNDS)),
        min(spent(long) for _ in range(ROUNDS)),
        max(0, resident() - before),
        float(first[0] @ first[1]),
        float(first[0] @ first[2]),
    )


def _fault(first: object, second: object, card: ModelCard) -> str:
    one, two = np.asarray(first), np.asarray(second)
    if one.shape != (3, card.dimension):
        return f"it gives {one.shape[-1]} numbers a text, its config says {card.dimension}"
    if not one.any(axis=1).all():  # an embedder gives zeros instead
        return "some numbers of its vectors are no numbers"
    if np.abs(np.linalg.norm(one, axis=1) - 1).max() > CLOSE_ENOUGH:
        return "its vectors have no length of one"
    if np.abs(one - two).max() > CLOSE_ENOUGH:
        return "the same text gives another vector the second time"
    return ""


def resident() -> int:
    """Bytes of this process in memory; 0 where the system does not say."""
    if not sys.platform.startswith("linux"):
        return 0
    try:
        text = Path("/proc/self/status").read_text("ascii", "replace")
    except OSError:
        return 0
    line = next((row for row in text.splitlines() if row.startswith("VmRSS:")), "VmRSS: 0")
    return int(line.split()[1]) * 1024
