"""Run a model folder on this machine with fastembed (RC-2). Never downloads.

The folder has the files of a sentence-transformers model with its ONNX file: `model.onnx` or
`onnx/model.onnx`, `config.json`, the tokenizer's files, and `1_Pooling/config.json` if the first
token represents the text. One onnxruntime thread, batches of 16 at most: with two threads on a
busy machine each answer takes longer. The telemetry of onnxruntime is switched off.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wm.models.embed import ModelCard, cut, missing, open_tokenizer
from wm.models.folder import ModelInfo, read_info, unusable
from wm.settings import RecallSettings, forbid_telemetry

SPECIAL_TOKENS = 2
LONGEST_CHARS = 8


class LocalEmbedder:
    """Embeds with a model folder. Thread-safe; embedding releases the GIL."""

    at_once = 1

    def __init__(self, folder: Path, settings: RecallSettings) -> None:
        about = read_info(folder)
        self.card = ModelCard(
            id=folder.name,
            revision=about.revision,
            dimension=about.dimension,
            token_limit=settings.piece_tokens,
        )
        self._most = settings.max_pieces
        self._batch = settings.embed_batch
        self._folder = folder
        self._tokenizer = _tokenizer(folder)
        self._model, self._errors = _open(folder, about)

    def pieces(self, text: str) -> list[str]:
        limit = self.card.token_limit - SPECIAL_TOKENS
        # A batch of one, because `encode` holds the GIL while it works.
        encoded = self._tokenizer.encode_batch(
            [text[: limit * self._most * LONGEST_CHARS]], add_special_tokens=False
        )[0]
        return cut(text, encoded.offsets, limit, self._most)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts of similar length share a batch, because it is padded to its longest."""
        found = np.zeros((len(texts), self.card.dimension), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), self._batch):
            batch = order[start : start + self._batch]
            try:
                rows = list(self._model.embed([texts[at] for at in batch], batch_size=len(batch)))
                found[batch] = np.asarray(rows, np.float32)
            except self._errors as error:
                raise unusable(self._folder, str(error)) from error
        # A value that is not finite would spread to the similarity of all other texts.
        found[~np.isfinite(found).all(axis=1)] = 0
        return found


def _open(folder: Path, about: ModelInfo) -> tuple[Any, tuple[type[Exception], ...]]:
    """The opened model, and the exceptions it may raise."""
    forbid_telemetry()
    try:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType
        from onnxruntime.capi import onnxruntime_pybind11_state as runtime
    except ImportError as error:
        raise missing("fastembed", error) from error
    name = f"wm/{folder.name}-{about.revision}-{about.pooling}".lower()
    if name not in (known["model"].lower() for known in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.CLS if about.pooling == "cls" else PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(url="file:///nowhere"),
            dim=about.dimension,
            model_file=about.file,
        )
    errors = _errors_of(runtime)
    try:
        model = TextEmbedding(
            name, specific_model_path=str(folder), local_files_only=True, threads=1, cuda=False
        )
    except errors as error:
        raise unusable(folder, str(error)) from error
    return model, errors


def _errors_of(module: Any) -> tuple[type[Exception], ...]:
    """Exceptions of opening or running a model; those of onnxruntime have no common base."""
    kinds = (kind for kind in vars(module).values() if isinstance(kind, type))
    own = (kind for kind in kinds if issubclass(kind, Exception))
    return (OSError, ValueError, RuntimeError, *own)


def _tokenizer(folder: Path) -> Any:
    tokenizer = open_tokenizer(folder / "tokenizer.json")
    if tokenizer is None:
        raise unusable(folder, "its tokenizer.json cannot be read")
    return tokenizer
