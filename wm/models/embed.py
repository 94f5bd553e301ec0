"""The interface of embedding models, and what they share (RC-2).

Neither this module nor its embedders use the network. Heavy packages are imported when a model
is opened, never before, so that an idle daemon stays small.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from wm.errors import ModelUnavailable
from wm.settings import one_tokenizing_thread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EMBEDDED = "embedded"
"""The static vectors in the wordllama package."""

NONE = "none"
"""No model: search by words only."""


class ModelCard(Struct, frozen=True):
    """The identity of the model that made an index's vectors; a different card needs new vectors.

    id: its name. revision: changes whenever its vectors would. token_limit: longer texts are split
    into pieces of this many tokens.
    """

    id: str
    revision: str
    dimension: int
    token_limit: int


class Embedder(Protocol):
    """An opened model."""

    @property
    def card(self) -> ModelCard: ...

    @property
    def at_once(self) -> int:
        """Number of texts per step: a step takes less than a millisecond or is a single text."""
        ...

    def pieces(self, text: str) -> list[str]:
        """The text split into pieces within the token limit; at least one, at most `max_pieces`."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per text, as rows. Zeros for a text without tokens or with a vector that
        is not finite."""
        ...


def cut(text: str, offsets: Sequence[tuple[int, int]], limit: int, most: int) -> list[str]:
    """Split a text into pieces of `limit` tokens. offsets: start and end of each token."""
    if len(offsets) <= limit:
        return [text]
    starts = range(0, min(len(offsets), limit * most), limit)
    return [text[offsets[at][0] : offsets[min(at + limit, len(offsets)) - 1][1]] for at in starts]


def open_tokenizer(path: Path) -> Any:
    """Open the tokenizer in this file, without padding and truncation; None if it is unreadable."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise missing("tokenizers", error) from error
    one_tokenizing_thread()
    # The package raises plain Exception for any fault.
    with suppress(Exception):
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer
    return None


def missing(package: str, error: ImportError) -> ModelUnavailable:
    """The error for an optional package that is not installed."""
    return ModelUnavailable.of("model.missing_package", package=package, error=error)
