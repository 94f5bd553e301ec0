"""The two stores that keep the same promises: on files, and their twin in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.twin import MemoryStore
from wm.settings import StoreSettings
from wm.store.files import FileStore


@pytest.fixture(params=["files", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileStore]:
    """Both in turn, with the SETTINGS of the test's module."""
    settings: StoreSettings = request.module.SETTINGS
    on_files = request.param == "files"
    made = FileStore(tmp_path / "wm", settings) if on_files else MemoryStore(settings)
    yield made
    made.close()
