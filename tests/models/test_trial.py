"""The trial of a model before it is used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.models import small
from tests.models.bert import build
from wm.errors import ModelUnavailable
from wm.models.embed import EMBEDDED, NONE
from wm.models.trial import trial
from wm.settings import RecallSettings


def test_the_embedded_model_separates_similar_from_different_texts() -> None:
    found = trial(EMBEDDED, RecallSettings())
    assert found.sane
    assert found.alike > 0.7 > 0.3 > found.apart
    assert (found.card.dimension, found.card.token_limit) == (256, 256)
    assert 0 < found.short_ms < 1000 * found.load_s


def test_a_model_whose_config_does_not_fit_is_refused(tmp_path: Path) -> None:
    folder = small.write(tmp_path / "liar")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "hidden_size": 12}))
    with pytest.raises(ModelUnavailable, match="shape mismatch"):
        trial(str(folder), RecallSettings())


def test_a_model_with_nan_vectors_is_refused(tmp_path: Path) -> None:
    folder, broken = small.write(tmp_path / "broken"), small.weights()
    broken["embeddings.LayerNorm.weight"][:] = np.nan
    onnx.save(build(small.CONFIG, broken), folder / "model.onnx")
    with pytest.raises(
        ModelUnavailable, match="vectors contain values that are not finite numbers"
    ):
        trial(str(folder), RecallSettings())


def test_an_invalid_onnx_file_is_refused(tmp_path: Path) -> None:
    folder = small.write(tmp_path / "torn")
    data = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(data[: len(data) // 2])
    with pytest.raises(ModelUnavailable, match="no usable model"):
        trial(str(folder), RecallSettings())


def test_without_a_model_the_message_names_the_choices() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        trial(NONE, RecallSettings())
    assert caught.value.message == "There is no model to try: search uses words only."
    assert caught.value.fix == "`wm models use embedded` chooses the built-in one."
