"""Write a BERT encoder as ONNX, with numpy and onnx alone: a development tool.

    python -m tests.models.bert SOURCE TARGET

SOURCE is a folder as sentence-transformers publishes it (`config.json`, `model.safetensors`, the
tokenizer's files), TARGET one that `recall.model` may name.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
ATTENTION = ("query", "key", "value")


class Graph:
    """Nodes and constants, named in the order of their making."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        self._weights = weights
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(self._weights[name])

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def dense(self, x: str, name: str) -> str:
        turned = self.op("MatMul", x, self.constant(self._weights[f"{name}.weight"].T))
        return self.op("Add", turned, self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str, epsilon: float) -> str:
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)


def build(config: Mapping[str, Any], weights: Mapping[str, Any]) -> Any:
    """The model: token ids, mask and types in, the last hidden state out."""
    size, heads = config["hidden_size"], config["num_attention_heads"]
    epsilon = config["layer_norm_eps"]
    g = Graph(weights)
    split = g.constant(np.array([0, 0, heads, size // heads]))
    merge = g.constant(np.array([0, 0, size]))
    scale = g.constant(np.array((heads / size) ** 0.5, np.float32))
    half, one = g.constant(np.array(0.5, np.float32)), g.constant(np.array(1, np.float32))
    root, much = g.constant(np.array(2**0.5, np.float32)), g.constant(np.array(1e9, np.float32))
    length = g.op("Gather", g.op("Shape", "input_ids"), g.constant(np.array([1])))
    words = g.op("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids")
    kinds = g.op("Gather", g.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
    places = g.weight("embeddings.position_embeddings.weight")
    places = g.op("Slice", places, g.constant(np.array([0])), length)
    x = g.op("Add", g.op("Add", words, kinds), places)
    x = g.norm(x, "embeddings.LayerNorm", epsilon)
    mask = g.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    mask = g.op("Unsqueeze", mask, g.constant(np.array([1, 2])))
    mask = g.op("Mul", g.op("Sub", mask, one), much)
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        q, k, v = (g.op("Reshape", g.dense(x, f"{layer}.attention.self.{a}"), split)
                   for a in ATTENTION)  # fmt: skip
        q, v = (g.op("Transpose", part, perm=[0, 2, 1, 3]) for part in (q, v))
        k = g.op("Transpose", k, perm=[0, 2, 3, 1])
        seen = g.op("Add", g.op("Mul", g.op("MatMul", q, k), scale), mask)
        seen = g.op("MatMul", g.op("Softmax", seen, axis=-1), v)
        seen = g.op("Reshape", g.op("Transpose", seen, perm=[0, 2, 1, 3]), merge)
        x = g.op("Add", g.dense(seen, f"{layer}.attention.output.dense"), x)
        x = g.norm(x, f"{layer}.attention.output.LayerNorm", epsilon)
        wide = g.dense(x, f"{layer}.intermediate.dense")
        bent = g.op("Add", g.op("Erf", g.op("Div", wide, root)), one)
        wide = g.op("Mul", g.op("Mul", wide, half), bent)
        x = g.op("Add", g.dense(wide, f"{layer}.output.dense"), x)
        x = g.norm(x, f"{layer}.output.LayerNorm", epsilon)
    g.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    axes = ["batch", "length"]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, axes) for n in INPUTS]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, size])
    graph = helper.make_graph(g.nodes, "bert", inputs, [output], g.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def export(source: Path, target: Path) -> None:
    from safetensors.numpy import load_file

    target.mkdir(parents=True, exist_ok=True)
    weights = load_file(source / "model.safetensors")
    weights = {name.removeprefix("bert."): values for name, values in weights.items()}
    model = build(json.loads((source / "config.json").read_text("utf-8")), weights)
    onnx.save(model, target / "model.onnx")
    for name in FILES:
        shutil.copy(source / name, target / name)


if __name__ == "__main__":
    export(Path(sys.argv[1]), Path(sys.argv[2]))
