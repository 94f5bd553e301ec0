"""Weights in use are those that their fits make now (docs/testing.md, "Fitted weights").

A change of words, parsing or test cases that changes weights fails here; the command that the
message names writes the file anew.
"""

from __future__ import annotations

import tomllib
from types import ModuleType

import pytest

from tests.bench import fit_asking, fit_change, fit_gate, fit_type, fit_verdict
from wm.domain.learning.entry_type import TYPES

TOLERANCE = 0.1
"""A weight may differ by so much: one more case changes many weights a little."""


def weights(text: str) -> dict[str, float]:
    """The weights of a data file, by table and name."""
    tables = tomllib.loads(text)
    found = {
        f"weights {name}": float(w) for name, w in map(str.split, _rows(tables.get("weights", "")))
    }
    for table in ("grams", "forward", "back", *TYPES):
        rows = (row.split(None, 1) for row in _rows(tables.get(table, "")))
        found |= {f"{table} {name}": float(weight) for weight, name in rows}
    return found


def _rows(table: str) -> list[str]:
    return [row for row in table.splitlines() if row]


def check(fit: ModuleType) -> None:
    for path, text in fit.files().items():
        in_use, made = weights(path.read_text("utf-8")), weights(text)
        names = in_use.keys() | made.keys()
        apart = {name: made.get(name, 0.0) - in_use.get(name, 0.0) for name in names}
        other = {name: round(by, 2) for name, by in apart.items() if abs(by) > TOLERANCE}
        command = f"python -m tests.bench {fit.__name__.rpartition('.')[2]}"
        assert not other, f"{path.name} is not what `{command}` writes: {other}"


@pytest.mark.parametrize("fit", [fit_verdict, fit_type])
def test_the_weights_in_use_are_those_of_a_quick_fit(fit: ModuleType) -> None:
    check(fit)


@pytest.mark.soak
@pytest.mark.parametrize("fit", [fit_asking, fit_gate, fit_change])
def test_the_weights_in_use_are_those_of_a_slow_fit(fit: ModuleType) -> None:
    check(fit)
