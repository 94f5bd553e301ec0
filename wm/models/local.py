"""A model folder on this machine, run by fastembed (RC-2). Never downloads.

The folder holds `model.onnx` (or `onnx/model.onnx`) and the tokenizer's files as published, and
`wm-model.json` that `wm models import` wrote: dimension, pooling, revision. One onnxruntime
thread, batches of 16 at most: with two threads on a busy machine each answer takes longer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wm.errors import ModelUnavailable
from wm.models.embed import ModelCard, cut, missing
from wm.settings import RecallSettings

ABOUT = "wm-model.json"
SPECIAL_TOKENS = 2
LONGEST_CHARS = 8


class LocalEmbedder:
    """Safe for several threads. Embedding releases the GIL."""

    def __init__(self, folder: Path, settings: RecallSettings) -> None:
        about = read_about(folder)
        self.card = ModelCard(
            id=folder.name,
            revision=about["revision"],
            dimension=about["dimension"],
            token_limit=settings.piece_tokens,
        )
        self._most = settings.max_pieces
        self._batch = settings.embed_batch
        self._model = _open(folder, about)
        self._tokenizer = _tokenizer(folder)

    def pieces(self, text: str) -> list[str]:
        limit = self.card.token_limit - SPECIAL_TOKENS
        encoded = self._tokenizer.encode(
            text[: limit * self._most * LONGEST_CHARS], add_special_tokens=False
        )
        return cut(text, encoded.offsets, limit, self._most)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts of like length go together: a batch is padded to its longest."""
        found = np.zeros((len(texts), self.card.dimension), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), self._batch):
            batch = order[start : start + self._batch]
            rows = list(self._model.embed([texts[at] for at in batch], batch_size=len(batch)))
            found[batch] = np.asarray(rows, np.float32)
        return found


def read_about(folder: Path) -> dict[str, Any]:
    """What import wrote about a model. Raises ModelUnavailable."""
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
        return {
            "revision": str(about["revision"]),
            "dimension": int(about["dimension"]),
            "pooling": str(about["pooling"]),
            "file": str(about["file"]),
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(
            f"There is no usable model in {folder}: {error}.",
            fix="Import it again with `wm models import PATH`, or `wm models use embedded`.",
        ) from error


def _open(folder: Path, about: dict[str, Any]) -> Any:
    try:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType
    except ImportError as error:
        raise missing("fastembed", error) from error
    name = f"wm/{folder.name}-{about['revision']}-{about['pooling']}".lower()
    if name not in (known["model"].lower() for known in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.CLS if about["pooling"] == "cls" else PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(url="file:///nowhere"),
            dim=about["dimension"],
            model_file=about["file"],
        )
    try:
        return TextEmbedding(
            name,
            specific_model_path=str(folder),
            local_files_only=True,
            threads=1,
            cuda=False,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelUnavailable(
            f"The model in {folder} cannot be opened: {error}.",
            fix="Import it again with `wm models import PATH`, or `wm models use embedded`.",
        ) from error


def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text("utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
