"""The catalogue: every use case under its own name, each imported when it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from wm.ops.catalogue import OPERATIONS, answer_model


def test_every_operation_is_listed_under_its_own_name() -> None:
    assert {name: operation.name for name, operation in OPERATIONS.items()} == {
        name: name for name in OPERATIONS
    }


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        OPERATIONS["nothing"]


def test_the_answer_of_every_operation_is_found_without_loading_it() -> None:
    found = {name: answer_model(name) for name in OPERATIONS}
    assert found == {name: operation.response for name, operation in OPERATIONS.items()}


def test_the_models_import_no_use_case() -> None:
    program = (
        "import sys; from wm.ops.catalogue import answer_model; answer_model('remember');"
        "print([m for m in sys.modules if m.startswith(('wm.ops.', 'wm.store', 'wm.domain'))])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "['wm.ops.catalogue']\n"


def test_a_use_case_imports_no_other() -> None:
    program = (
        "import sys; from wm.ops.catalogue import OPERATIONS; OPERATIONS['remember'];"
        "print([m for m in sys.modules if m.startswith(('wm.ops.diagnosis', 'wm.ops.import'))])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
