"""A scratch home for tests with real daemons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.process import Home, home


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path) as made:
        yield made
