"""A model folder on this machine, run by fastembed (RC-2). Never downloads.

The folder is what a sentence-transformers model looks like with its ONNX file: `model.onnx` or
`onnx/model.onnx`, `config.json`, the tokenizer's files, and `1_Pooling/config.json` where the
first token stands for the text. One onnxruntime thread, batches of 16 at most: with two threads
on a busy machine each answer takes longer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wm.errors import ModelUnavailable
from wm.models.embed import ModelCard, cut, missing
from wm.settings import RecallSettings

FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx")
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
    """What is known of a model from its folder. Raises ModelUnavailable."""
    try:
        file = next(name for name in FILES if (folder / name).is_file())
        with (folder / file).open("rb") as data:
            revision = hashlib.file_digest(data, "sha256").hexdigest()[:16]
        config = json.loads((folder / "config.json").read_text("utf-8"))
        pooling = folder / "1_Pooling" / "config.json"
        by_first = pooling.is_file() and json.loads(pooling.read_text("utf-8")).get(
            "pooling_mode_cls_token"
        )
        return {
            "revision": revision,
            "dimension": int(config["hidden_size"]),
            "pooling": "cls" if by_first else "mean",
            "file": file,
        }
    except StopIteration as error:
        raise _unusable(folder, f"it has none of {', '.join(FILES)}") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unusable(folder, str(error)) from error


def _unusable(folder: Path, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"There is no usable model in {folder}: {why}.",
        fix="Name a folder with an ONNX model and its tokenizer in recall.model, "
        'or set it to "embedded".',
    )


def _open(folder: Path, about: dict[str, Any]) -> Any:
    try:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType
        from onnxruntime.capi import onnxruntime_pybind11_state as runtime
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
    except _errors_of(runtime) as error:
        raise _unusable(folder, str(error)) from error


def _errors_of(module: Any) -> tuple[type[Exception], ...]:
    """What opening a model may raise; onnxruntime's errors have no base of their own."""
    kinds = (kind for kind in vars(module).values() if isinstance(kind, type))
    own = (kind for kind in kinds if issubclass(kind, Exception))
    return (OSError, ValueError, RuntimeError, *own)


def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text("utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
