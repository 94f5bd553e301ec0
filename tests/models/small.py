"""A small BERT of random weights, as a folder that `recall.model` may name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.models.bert import build

CONFIG = {
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "layer_norm_eps": 1e-12,
    "pad_token_id": 0,
    "max_position_embeddings": 64,
}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "ship", "harbour", "dawn", "the", "at"]


def weights(seed: int = 7) -> dict[str, Any]:
    random = np.random.default_rng(seed)

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


def write(path: Path, seed: int = 7) -> Path:
    """The folder, made; another seed, another model."""
    path.mkdir(parents=True, exist_ok=True)
    onnx.save(build(CONFIG, weights(seed)), path / "model.onnx")
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
