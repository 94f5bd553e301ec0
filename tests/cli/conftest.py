"""Terminals for the tests: one on the files, one whose home has a daemon."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.terminal import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A user without a daemon."""
    return Terminal(tmp_path)


@pytest.fixture(scope="session")
def home_with_daemon() -> Iterator[Terminal]:
    # Short, because a socket's path has a limit.
    with TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        terminal = Terminal(Path(folder))
        assert terminal.wm("up", "--quiet").code == 0
        yield terminal
        terminal.wm("down")


@pytest.fixture(params=["on the files", "through the daemon"])
def user(request: pytest.FixtureRequest, tmp_path: Path) -> Terminal:
    """Both ways in turn; each test has a repository of its own."""
    if request.param == "on the files":
        return Terminal(tmp_path)
    terminal: Terminal = request.getfixturevalue("home_with_daemon")
    return terminal.at(f"r{request.node.name[:24]}{tmp_path.name}")
