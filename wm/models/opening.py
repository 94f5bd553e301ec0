"""Open the embedder of a name. Heavy packages are imported here, when one is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wm.models.embed import EMBEDDED, NONE, Embedder
from wm.settings import RecallSettings


def open_embedder(
    name: str, settings: RecallSettings, rest: Callable[[], None] = lambda: None
) -> Embedder | None:
    """The embedder of this name: `embedded`, the folder of a local model, or None for `none`. rest:
    called between two short steps where there are any.

    Raises ModelUnavailable with what to do.
    """
    if name == NONE:
        return None
    if name == EMBEDDED:
        from wm.models.static import StaticEmbedder

        return StaticEmbedder(settings, rest)
    from wm.models.local import LocalEmbedder

    return LocalEmbedder(Path(name), settings)
