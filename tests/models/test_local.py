"""A model folder, run by fastembed: a small BERT of random weights, made here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.models import reference, small
from tests.models.bert import build
from wm.errors import ModelUnavailable
from wm.models.local import LocalEmbedder
from wm.settings import RecallSettings


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.write(tmp_path_factory.mktemp("model"))


def test_a_local_model_gives_the_vectors_of_its_weights(folder: Path) -> None:
    embedder = LocalEmbedder(folder, RecallSettings())
    assert (embedder.card.dimension, len(embedder.card.revision)) == (8, 16)
    texts = ["ship at dawn", "the harbour"]
    asked = ([2, 4, 8, 6, 3], [2, 7, 5, 3])
    wanted = [reference.vector(small.CONFIG, small.weights(), ids) for ids in asked]
    np.testing.assert_allclose(embedder.embed(texts), wanted, atol=1e-6)
    assert embedder.pieces("ship at dawn") == ["ship at dawn"]


def test_a_text_with_a_nan_vector_has_none_and_others_keep_theirs(tmp_path: Path) -> None:
    folder, broken = small.write(tmp_path / "model"), small.weights()
    broken["embeddings.word_embeddings.weight"][small.WORDS.index("harbour")] = np.nan
    onnx.save(build(small.CONFIG, broken), folder / "model.onnx")
    rows = LocalEmbedder(folder, RecallSettings()).embed(["ship at dawn", "the harbour"])
    wanted = reference.vector(small.CONFIG, small.weights(), [2, 4, 8, 6, 3])
    np.testing.assert_allclose(rows, [wanted, np.zeros(8)], atol=1e-6)


def test_opening_a_model_twice_succeeds(folder: Path) -> None:
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
def test_a_folder_that_is_not_a_model_is_refused_with_the_fix(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ModelUnavailable, match=said) as raised:
        LocalEmbedder(tmp_path, RecallSettings())
    assert "wm models" in raised.value.fix
