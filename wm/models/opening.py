"""Open an embedder by name. Imports its heavy packages only then.

Decides nothing: `wm.ops.search.model_choice` chooses the name, `wm.models.worker` owns the result.
"""

from __future__ import annotations

from pathlib import Path

from wm.models.embed import EMBEDDED, NONE, Embedder
from wm.settings import RecallSettings


def open_embedder(name: str, settings: RecallSettings) -> Embedder | None:
    """Open `embedded` or the folder of a local model; returns None for `none`.

    Raises ModelUnavailable with what to do.
    """
    if name == NONE:
        return None
    # Lazy: both load numpy.
    from wm.models import local, static

    if name == EMBEDDED:
        return static.StaticEmbedder(settings)
    return local.LocalEmbedder(Path(name), settings)
