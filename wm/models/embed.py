"""Texts as vectors, behind one interface (RC-2): which model is in use, and how it is opened.

Nothing here or behind it touches the network.
Heavy packages are imported when a model is opened, never before: a daemon that nobody asks
anything stays small.
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
"""The static vectors inside wordllama's wheel."""

NONE = "none"
"""Words only."""


class ModelCard(Struct, frozen=True):
    """What an index must know of the model that made its vectors; another card, another index.

    id: the name it is used by. revision: changes whenever its vectors would. token_limit: longer
    texts are cut into pieces of so many tokens.
    """

    id: str
    revision: str
    dimension: int
    token_limit: int


class Embedder(Protocol):
    """A model that is ready."""

    @property
    def card(self) -> ModelCard: ...

    @property
    def at_once(self) -> int:
        """Texts that are embedded in one step, so that it takes less than a millisecond, or is
        one text."""
        ...

    def pieces(self, text: str) -> list[str]:
        """The text in pieces that the model reads whole; at least one, at most `max_pieces`."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a text, as rows. A text without any token gets zeros, and so does one
        whose vector would be no numbers."""
        ...


def cut(text: str, offsets: Sequence[tuple[int, int]], limit: int, most: int) -> list[str]:
    """A text in pieces of `limit` tokens, given where each token stands in it."""
    if len(offsets) <= limit:
        return [text]
    starts = range(0, min(len(offsets), limit * most), limit)
    return [text[offsets[at][0] : offsets[min(at + limit, len(offsets)) - 1][1]] for at in starts]


def open_tokenizer(path: Path) -> Any:
    """The tokenizer in this file, for texts as they are; None where it cannot be read."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise missing("tokenizers", error) from error
    one_tokenizing_thread()
    # The package raises Exception itself, for whatever does not fit.
    with suppress(Exception):
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer
    return None


def missing(package: str, error: ImportError) -> ModelUnavailable:
    """What is said where an optional package is not installed."""
    return ModelUnavailable(
        f"The Python package {package} is not installed: {error}.",
        fix="Install wm with its extra [models] (in its clone: .venv/bin/pip install '.[models]'), "
        "or go back to the default: `wm models use embedded`.",
    )
