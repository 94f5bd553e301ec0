"""Open the embedder of a name. Heavy packages are imported here, when one is opened."""

from __future__ import annotations

from pathlib import Path

from wm.models.embed import EMBEDDED, NONE, Embedder
from wm.settings import RecallSettings


def open_embedder(name: str, settings: RecallSettings) -> Embedder | None:
    """The embedder of this name: `embedded`, the folder of a local model, or None for `none`.

    Raises ModelUnavailable with what to do.
    """
    if name == NONE:
        return None
    if name == EMBEDDED:
        from wm.models.static import StaticEmbedder

        return StaticEmbedder(settings)
    from wm.models.local import LocalEmbedder

    return LocalEmbedder(Path(name), settings)
