"""The embedder that needs no download: static token vectors from wordllama's wheel (RC-2).

A text is the mean of its tokens' vectors. The wheel's two files are read where the package lies:
its own loader would import an HTTP client and look for its tokenizer in the wrong folder first.
The vectors stay a mapped file of half-precision numbers that all processes share.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wm.models.embed import EMBEDDED, ModelCard, cut, missing
from wm.models.folder import PACKAGE, WEIGHTS, package_folder, tensor, unreadable
from wm.settings import RecallSettings

TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
LONGEST_CHARS = 8
"""Characters of a token on average, at the very most: what is beyond need not be looked at."""


class StaticEmbedder:
    """About 0.1 ms a short text. Safe for several threads: nothing in it changes."""

    def __init__(self, settings: RecallSettings) -> None:
        folder = package_folder()
        self._vectors = _tensor(folder / WEIGHTS)
        self._tokenizer = _tokenizer(folder / TOKENIZER)
        self._most = settings.max_pieces
        self.card = ModelCard(
            id=EMBEDDED,
            revision=f"{PACKAGE}-{importlib.metadata.version(PACKAGE)}",
            dimension=int(self._vectors.shape[1]),
            token_limit=settings.piece_tokens,
        )

    def pieces(self, text: str) -> list[str]:
        limit, most = self.card.token_limit, self._most
        if len(text.encode("utf-8", "replace")) < limit:
            return [text]  # no token is shorter than a byte
        encoded = self._tokenizer.encode(
            text[: limit * most * LONGEST_CHARS], add_special_tokens=False
        )
        return cut(text, encoded.offsets, limit, most)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self.card.dimension), np.float32)
        last = len(self._vectors) - 1
        for row, text in zip(found, texts, strict=True):
            # One by one: a batch runs on all processors, which others need, and is no faster.
            tokens = self._tokenizer.encode(text, add_special_tokens=False).ids
            if tokens:
                ids = np.minimum(np.asarray(tokens), last)
                mean = self._vectors[ids].astype(np.float32).mean(axis=0)
                row[:] = mean / max(float(np.linalg.norm(mean)), 1e-9)
        return found


def _tokenizer(path: Path):  # type: ignore[no-untyped-def]
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise missing("tokenizers", error) from error
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise unreadable(path, error) from error
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _tensor(path: Path) -> NDArray[np.float16]:
    """The vectors, mapped."""
    try:
        found = tensor(path)
        return np.memmap(path, np.float16, "r", found.offset, (found.rows, found.columns))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
