"""`[[prices.models]]` is checked at load: the model, the field, and what to write instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wm.errors import UserError
from wm.settings import ModelPrice, Settings, apply_config, find_paths

WHERE = "config.toml"


def applied(models: Any) -> tuple[ModelPrice, ...]:
    settings = Settings(paths=find_paths({"HOME": str(Path("/home/ann"))}))
    return apply_config(settings, {"prices": {"models": models}}, where=WHERE).prices.models


def test_a_price_is_read_as_written() -> None:
    given = {"name": "mine", "input": 2, "output": 10.5, "cache_read": 0.2}
    assert applied([given]) == (ModelPrice("mine", 2, 10.5, 0.2),)


@pytest.mark.parametrize(
    ("models", "said", "fix"),
    [
        ({"name": "x"}, "[prices] models must be tables", "[[prices.models]]"),
        ([{"input": 1}], "model 1 has no name", "name ="),
        ([{"name": "--", "input": 1, "output": 1}], "model 1 has no name", "name ="),
        ([{"name": "x", "output": 1}], "model 1 (x) has no input", "Write input"),
        ([{"name": "x", "input": 1}], "model 1 (x) has no output", "Write output"),
        ([{"name": "x", "input": "1"}], "(x): input is '1'", "dollars per million"),
        ([{"name": "x", "input": -1}], "(x): input is -1", "dollars per million"),
        ([{"name": "x", "input": True}], "(x): input is True", "dollars per million"),
        ([{"name": "x", "inptu": 1}], "(x) has no field 'inptu'", "Fields are: name, input"),
        (
            [{"name": "x", "input": 1, "output": 1}] * 2,
            "model 2: 'x' has a price already",
            "Remove one",
        ),
    ],
)
def test_an_invalid_price_is_reported(models: Any, said: str, fix: str) -> None:
    with pytest.raises(UserError) as raised:
        applied(models)
    assert said in raised.value.message
    assert fix in raised.value.fix
