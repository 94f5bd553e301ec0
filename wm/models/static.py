"""The default embedder, without a download: static token vectors from the wordllama package (RC-2).

A text's vector is the mean of its tokens' vectors. The two files are read from the package's
folder: its own loader would import an HTTP client and look for the tokenizer in the wrong folder
first. The vectors are a memory-mapped file in half precision that all processes share. Opening
the tokenizer blocks the interpreter for about a tenth of a second: never open it on the request
path.
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
"""Upper bound of characters per token on average: text beyond it is not tokenised."""


class StaticEmbedder:
    """Embeds with static vectors, about 0.05 ms per short text. Thread-safe."""

    at_once = 1

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
            return [text]  # a token has at least one byte
        spans = self._encoded(text[: limit * most * LONGEST_CHARS]).offsets
        return cut(text, spans, limit, most)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self.card.dimension), np.float32)
        last = len(self._vectors) - 1
        for row, text in zip(found, texts, strict=True):
            tokens = self._encoded(text).ids
            if tokens:
                rows = self._vectors.take(np.minimum(np.asarray(tokens), last), axis=0)
                np.add.reduce(rows.astype(np.float32), axis=0, out=row)
                row /= len(tokens)
                row /= max(float(np.sqrt(row @ row)), 1e-9)
        return found

    def _encoded(self, text: str) -> Any:
        # A batch, because `encode` of one text holds the GIL while it works. The package rejects
        # lone surrogates.
        text = text.encode("utf-8", "replace").decode()
        return self._tokenizer.encode_batch([text], add_special_tokens=False)[0]


def _tokenizer(path: Path) -> Any:
    found = open_tokenizer(path)
    if found is None:
        raise unreadable(path, ValueError("it contains no tokenizer"))
    return found


def _tensor(path: Path) -> NDArray[np.float16]:
    """The memory-mapped vectors."""
    try:
        found = tensor(path)
        mapped = np.memmap(path, np.float16, "r", found.offset, (found.rows, found.columns))
        return np.asarray(mapped)  # a plain array over it: every access to a memmap costs more
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
