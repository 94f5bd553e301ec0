"""Some traffic of every kind through a recording proxy and a real daemon: no canary is kept.

The whole, with a thousand requests and every write recorded, is the scene "the proxy" of
`python -m tests.canary`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.canary.recorder import Net, Written
from tests.canary.test_canary import SEED
from tests.canary.tokens import Mint
from tests.canary.traffic import Driver, Upstream
from tests.cli.terminal import Terminal
from tests.proxy.scripted import played


@pytest.fixture
def user() -> Iterator[Terminal]:
    with tempfile.TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        made = Terminal(Path(folder))
        assert made.wm("up", "--quiet").code == 0
        yield made
        made.wm("down")


def test_no_file_contains_a_canary_of_proxied_traffic(user: Terminal) -> None:
    mint = Mint(SEED)
    with Upstream() as upstream:
        driver = Driver(mint, user.repo, upstream)
        made = played(
            user.settings(),
            upstream.url,
            lambda made: driver.drive(made.proxy.base_url, 1),
            record=True,
        )
    user.wm("down")
    assert made.faults == []
    assert made.reporter.handover.recorded > 30
    assert upstream.requests > 50
    kept = [p for p in user.data.rglob("*") if p.is_file()]
    assert any(path.parent.name == "recordings" for path in kept)
    pieces = [Written("what is left", str(path), path.read_bytes()) for path in kept]
    pieces += [Written("what is left", "(a name)", str(path).encode()) for path in kept]
    assert [str(leak)[:300] for leak in Net(mint.made).leaks(pieces)] == []
