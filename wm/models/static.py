"""The embedder that needs no download: static token vectors from wordllama's wheel (RC-2).

A text is the mean of its tokens' vectors. The wheel's two files are read where the package lies:
its own loader would import an HTTP client and look for its tokenizer in the wrong folder first.
The vectors stay a mapped file of half-precision numbers that all processes share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wm.domain.recall.halves import single
from wm.models.embed import EMBEDDED, ModelCard, cut, open_tokenizer
from wm.models.folder import WEIGHTS, package_folder, package_revision, tensor, unreadable
from wm.models.tokens import Span, known
from wm.settings import RecallSettings

TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
LONGEST_CHARS = 8
"""Characters of a token on average, at the very most: what is beyond need not be looked at."""


class StaticEmbedder:
    """About 0.04 ms a short text. Safe for several threads: what changes in it is only what its
    tokenizer remembers of words."""

    at_once = 1

    def __init__(self, settings: RecallSettings, rest: Callable[[], None] = lambda: None) -> None:
        """rest: called between two short steps of opening it."""
        folder = package_folder()
        self._vectors = _tensor(folder / WEIGHTS)
        self._tokenizer = _tokenizer(folder / TOKENIZER, rest)
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
        spans = self._tokenizer.spans(text[: limit * most * LONGEST_CHARS])
        return cut(text, spans, limit, most)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self.card.dimension), np.float32)
        last = len(self._vectors) - 1
        for row, text in zip(found, texts, strict=True):
            tokens = self._tokenizer.ids(text)
            if tokens:
                rows = self._vectors.take(np.minimum(np.asarray(tokens), last), axis=0)
                np.add.reduce(single(rows), axis=0, out=row)
                row /= len(tokens)
                row /= max(float(np.sqrt(row @ row)), 1e-9)
        return found


class _Tokenizer(Protocol):
    def ids(self, text: str) -> Sequence[int]: ...

    def spans(self, text: str) -> Sequence[Span]: ...


class _Packaged:
    """A tokenizer that its package opened. `encode` keeps the interpreter's lock while it works, a
    batch does not: so each text is one of its own."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def ids(self, text: str) -> Sequence[int]:
        found: list[int] = self._encoded(text).ids
        return found

    def spans(self, text: str) -> Sequence[Span]:
        found: list[Span] = self._encoded(text).offsets
        return found

    def _encoded(self, text: str) -> Any:
        return self._tokenizer.encode_batch([text], add_special_tokens=False)[0]


def _tokenizer(path: Path, rest: Callable[[], None] = lambda: None) -> _Tokenizer:
    try:
        ours = known(path, rest)
    except OSError as error:
        raise unreadable(path, error) from error
    if ours is not None:
        return ours
    theirs = open_tokenizer(path)
    if theirs is None:
        raise unreadable(path, ValueError("it holds no tokenizer"))
    return _Packaged(theirs)


def _tensor(path: Path) -> NDArray[np.float16]:
    """The vectors, mapped."""
    try:
        found = tensor(path)
        mapped = np.memmap(path, np.float16, "r", found.offset, (found.rows, found.columns))
        return np.asarray(mapped)  # a plain array over it: each look into a memmap costs more
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
