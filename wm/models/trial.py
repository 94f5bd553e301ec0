"""Try a model: does it open, what does it cost, are similar texts similar (RC-2).

Embeds a few fixed sentences, never a user's text, and keeps nothing.
"""

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
    """load_s: time to the first vectors. short_ms, long_ms: time for a sentence and for a text of
    about 250 tokens, best of several rounds. memory_bytes: growth of the process; 0 if unknown."""

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
    """Open the model of this name or folder and embed a few texts. Raises ModelUnavailable, also if
    the vectors are unreliable."""
    before, begun = resident(), time.perf_counter()
    embedder = open_embedder(name, settings)
    if embedder is None:
        raise ModelUnavailable.of("model.nothing_to_try")
    first = embedder.embed([SAID, AGAIN, OTHER])
    load_s = time.perf_counter() - begun
    card = embedder.card
    why = _fault(first, embedder.embed([SAID, AGAIN, OTHER]), card)
    if why:
        raise ModelUnavailable.of("model.does_not_work", card=card.id, why=why)

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
        return f"its vectors have {one.shape[-1]} numbers, but config.json says {card.dimension}"
    if not one.any(axis=1).all():  # embedders return zeros for such vectors
        return "its vectors contain values that are not finite numbers"
    if np.abs(np.linalg.norm(one, axis=1) - 1).max() > CLOSE_ENOUGH:
        return "its vectors do not have length 1"
    if np.abs(one - two).max() > CLOSE_ENOUGH:
        return "the same text gives different vectors"
    return ""


def resident() -> int:
    """Resident memory of this process in bytes; 0 if the system does not report it."""
    if not sys.platform.startswith("linux"):
        return 0
    try:
        text = Path("/proc/self/status").read_text("ascii", "replace")
    except OSError:
        return 0
    line = next((row for row in text.splitlines() if row.startswith("VmRSS:")), "VmRSS: 0")
    return int(line.split()[1]) * 1024
