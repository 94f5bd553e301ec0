"""Folders in memory, and counts that are printed beside the result."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.crash.states import ram


@pytest.fixture
def folder() -> Iterator[Path]:
    """A scratch folder in memory if possible: no test here needs a real drive."""
    made = Path(tempfile.mkdtemp(prefix="wm-crash-", dir=ram()))
    try:
        yield made
    finally:
        shutil.rmtree(made)


Report = Callable[[str, Mapping[str, object]], None]


@pytest.fixture
def report(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Report:
    """Print counts of a test at full size; the fast tier prints nothing."""

    def print_counts(name: str, counts: Mapping[str, object]) -> None:
        if request.node.get_closest_marker("crash"):
            words = ", ".join(f"{key} {value}" for key, value in counts.items())
            with capsys.disabled():
                print(f"\n{name}: {words}", flush=True)

    return print_counts
