"""Fixtures of the client tests: the installed programs and a fresh machine per test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.clients import install, others
from tests.clients.harness import Machine
from tests.clients.upstream import Upstream
from tests.clients.wired import Wired

OUTCOME = pytest.StashKey[pytest.TestReport]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Real clients take minutes: they run when they are asked for by their marker."""
    if "clients" in (config.getoption("markexpr") or ""):
        return
    unasked = pytest.mark.skip(reason="needs the real clients: python -m tests.clients")
    for item in items:
        if item.get_closest_marker("clients") is not None:
            item.add_marker(unasked)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[OUTCOME] = report
    return report


@pytest.fixture(scope="session")
def clients() -> install.Installed:
    found = install.find()
    if found is None:
        pytest.skip(install.missing_reason())
    return found


@pytest.fixture
def machine(clients: install.Installed, request: pytest.FixtureRequest) -> Iterator[Machine]:
    """One person's machine: empty home, one repository, all clients, an upstream.

    Its folder is short, because sockets live below it and a socket's path has 107 bytes.
    """
    root = Path(tempfile.mkdtemp(prefix="wmc-")).resolve()
    with Upstream() as upstream:
        machine = Machine(root, clients, upstream)
        machine.prepare()
        others.seed(machine)
        try:
            yield machine
        finally:
            machine.end_strays()
            report = request.node.stash.get(OUTCOME, None)
            if report is not None and report.failed:
                print(machine.transcript())
            shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def config() -> str:
    """The text of config.toml when wm is set up; a module may have a fixture of its own."""
    return ""


@pytest.fixture
def wm(machine: Machine, config: str) -> Wired:
    """wm, installed on the machine and wired into both agents."""
    if config:
        file = machine.home / ".config" / "wm" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(config)
    wired = Wired(machine)
    wired.setup()
    return wired
