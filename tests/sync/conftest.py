from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sync.clones import World

MEMORY = "/dev/shm"
"""A file system in memory: what these tests kill are processes, whose files survive there, too."""


@pytest.fixture
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory(
        prefix="wm-", dir=MEMORY if os.path.isdir(MEMORY) else None
    ) as folder:
        made = World(Path(folder))
        yield made
        made.close()
