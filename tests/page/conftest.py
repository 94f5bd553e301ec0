"""One furnished home with a daemon and one open page for all fast tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.terminal import Terminal
from tests.page.opened import OpenPage, furnished, opened


@pytest.fixture(scope="session")
def user() -> Iterator[Terminal]:
    with furnished() as made:
        yield made


@pytest.fixture(scope="session")
def page(user: Terminal) -> Iterator[OpenPage]:
    with opened(user) as served:
        served.enter()
        yield served
