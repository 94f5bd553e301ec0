"""A model folder, run by fastembed: a small BERT of random weights, made here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.models.bert import build
from wm.errors import ModelUnavailable
from wm.models.local import LocalEmbedder
from wm.settings import RecallSettings

CONFIG = {
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "layer_norm_eps": 1e-12,
    "pad_token_id": 0,
    "max_position_embeddings": 64,
}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "ship", "harbour", "dawn", "the", "at"]


def weights() -> dict[str, Any]:
    random = np.random.default_rng(7)

    def some(*shape: int) -> Any:
        return random.normal(0, 0.5, shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(len(WORDS), 8),
        "embeddings.token_type_embeddings.weight": some(2, 8),
        "embeddings.position_embeddings.weight": some(64, 8),
    }
    norms, dense = ["embeddings.LayerNorm"], []
    for n in range(2):
        layer = f"encoder.layer.{n}"
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        dense += [(f"{layer}.attention.self.{a}", 8, 8) for a in ("query", "key", "value")]
        dense += [
            (f"{layer}.attention.output.dense", 8, 8),
            (f"{layer}.intermediate.dense", 16, 8),
            (f"{layer}.output.dense", 8, 16),
        ]
    for name in norms:
        found |= {f"{name}.weight": 1 + some(8), f"{name}.bias": some(8)}
    for name, out, into in dense:
        found |= {f"{name}.weight": some(out, into), f"{name}.bias": some(out)}
    return found


def reference(w: Mapping[str, Any], ids: list[int]) -> Any:
    """The same encoder by hand, in double precision; the mean of its tokens, of length one."""
    w = {name: values.astype(np.float64) for name, values in w.items()}

    def norm(x: Any, name: str) -> Any:
        spread = ((x - x.mean(-1, keepdims=True)) ** 2).mean(-1, keepdims=True)
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(spread + 1e-12)
        return x * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x: Any, name: str) -> Any:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x + w["embeddings.position_embeddings.weight"][: len(ids)], "embeddings.LayerNorm")
    for n in range(2):
        layer = f"encoder.layer.{n}"
        q, k, v = (dense(x, f"{layer}.attention.self.{a}") for a in ("query", "key", "value"))
        parts = []
        for h in (slice(0, 4), slice(4, 8)):
            scores = np.exp(q[:, h] @ k[:, h].T / 2)
            parts.append(scores / scores.sum(-1, keepdims=True) @ v[:, h])
        seen = dense(np.concatenate(parts, -1), f"{layer}.attention.output.dense")
        x = norm(seen + x, f"{layer}.attention.output.LayerNorm")
        wide = dense(x, f"{layer}.intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = norm(dense(wide, f"{layer}.output.dense") + x, f"{layer}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model")
    onnx.save(build(CONFIG, weights()), path / "model.onnx")
    (path / "config.json").write_text(json.dumps(CONFIG))
    vocabulary = {word: at for at, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(path / "tokenizer.json"))
    about = {"model_max_length": 64, "pad_token": "[PAD]"}
    (path / "tokenizer_config.json").write_text(json.dumps(about))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}
    (path / "special_tokens_map.json").write_text(json.dumps(special))
    return path


def test_a_local_model_gives_the_vectors_of_its_weights(folder: Path) -> None:
    embedder = LocalEmbedder(folder, RecallSettings())
    assert (embedder.card.dimension, len(embedder.card.revision)) == (8, 16)
    texts = ["ship at dawn", "the harbour"]
    wanted = [reference(weights(), ids) for ids in ([2, 4, 8, 6, 3], [2, 7, 5, 3])]
    np.testing.assert_allclose(embedder.embed(texts), wanted, atol=1e-6)
    assert embedder.pieces("ship at dawn") == ["ship at dawn"]


def test_opening_it_twice_is_fine(folder: Path) -> None:
    for _ in range(2):
        assert LocalEmbedder(folder, RecallSettings()).embed([]).shape == (0, 8)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "it has none of model.onnx"),
        ({"model.onnx": "x"}, "config.json"),
        ({"model.onnx": "x", "config.json": "[]"}, "no usable model"),
        ({"model.onnx": "x", "config.json": '{"hidden_size": 8}'}, "no usable model"),
    ],
)
def test_a_folder_that_is_no_model_is_told_with_what_to_do(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ModelUnavailable, match=said) as told:
        LocalEmbedder(tmp_path, RecallSettings())
    assert "recall.model" in told.value.fix
