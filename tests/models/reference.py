"""A BERT encoder by hand, in double precision: what the exported file must agree with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def vector(config: Mapping[str, Any], weights: Mapping[str, Any], ids: Sequence[int]) -> Any:
    """The mean of the tokens' last states, of length one."""
    w = {name: values.astype(np.float64) for name, values in weights.items() if values.ndim}
    size, heads = config["hidden_size"], config["num_attention_heads"]
    own = size // heads

    def norm(x: Any, name: str) -> Any:
        spread = ((x - x.mean(-1, keepdims=True)) ** 2).mean(-1, keepdims=True)
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(spread + config["layer_norm_eps"])
        return x * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x: Any, name: str) -> Any:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][list(ids)]
    x = x + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x + w["embeddings.position_embeddings.weight"][: len(ids)], "embeddings.LayerNorm")
    for n in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{n}"
        q, k, v = (dense(x, f"{layer}.attention.self.{a}") for a in ("query", "key", "value"))
        parts = []
        for h in (slice(at, at + own) for at in range(0, size, own)):
            scores = np.exp(q[:, h] @ k[:, h].T / math.sqrt(own))
            parts.append(scores / scores.sum(-1, keepdims=True) @ v[:, h])
        seen = dense(np.concatenate(parts, -1), f"{layer}.attention.output.dense")
        x = norm(seen + x, f"{layer}.attention.output.LayerNorm")
        wide = dense(x, f"{layer}.intermediate.dense")
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = norm(dense(wide, f"{layer}.output.dense") + x, f"{layer}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)
