"""The embedder that needs no download: static token vectors from wordllama's wheel (RC-2).

A text is the mean of its tokens' vectors. The wheel's two files are read where the package lies:
its own loader would import an HTTP client and look for its tokenizer in the wrong folder first.
The vectors stay a mapped file of half-precision numbers that all processes share.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wm.models.embed import EMBEDDED, ModelCard, cut, open_tokenizer
from wm.models.folder import WEIGHTS, package_folder, package_revision, tensor, unreadable
from wm.settings import RecallSettings

TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
LONGEST_CHARS = 8
"""Characters of a token on average, at the very most: what is beyond need not be looked at."""


class StaticEmbedder:
    """About 0.05 ms a short text, half of it with the interpreter's lock released. Safe for several
    threads: nothing in it changes."""

    at_once = 4

    def __init__(self, settings: RecallSettings) -> None:
        folder = package_folder()
        self._vectors = _tensor(folder / WEIGHTS)
        self._tokenizer = _tokenizer(folder / TOKENIZER)
        self._most = settings.max_pieces
        self.card = ModelCard(
            id=EMBEDDED,
            revision=package_revision(folder),
            dimension=int(self._vectors.shape[1]),
            token_limit=settings.piece_tokens,
        )

    def pieces(self, text: str) -> list[str]:
        limit, most = self.card.token_limit, self._most
        if len(text.encode("utf-8", "replace")) < limit:
            return [text]  # no token is shorter than a byte
        # Of a batch of one, because `encode` keeps the interpreter's lock while it works.
        encoded = self._tokenizer.encode_batch(
            [text[: limit * most * LONGEST_CHARS]], add_special_tokens=False
        )[0]
        return cut(text, encoded.offsets, limit, most)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self.card.dimension), np.float32)
        last = len(self._vectors) - 1
        encoded = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        for row, one in zip(found, encoded, strict=True):
            tokens = one.ids
            if tokens:
                rows = self._vectors.take(np.minimum(np.asarray(tokens), last), axis=0)
                np.add.reduce(rows.astype(np.float32), axis=0, out=row)
                row /= len(tokens)
                row /= max(float(np.sqrt(row @ row)), 1e-9)
        return found


def _tokenizer(path: Path) -> Any:
    try:
        path.open("rb").close()
    except OSError as error:
        raise unreadable(path, error) from error
    tokenizer = open_tokenizer(path)
    if tokenizer is None:
        raise unreadable(path, ValueError("it holds no tokenizer"))
    return tokenizer


def _tensor(path: Path) -> NDArray[np.float16]:
    """The vectors, mapped."""
    try:
        found = tensor(path)
        mapped = np.memmap(path, np.float16, "r", found.offset, (found.rows, found.columns))
        return np.asarray(mapped)  # a plain array over it: each look into a memmap costs more
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
