"""Examples in the pages run, and their data fits the schemas."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.daemon.process import started
from tests.docs import markdown, schemas
from tests.docs.pages import ROOT
from wm.daemon.client import Client
from wm.formats.registry import REGISTRY
from wm.settings import Settings, daemon_environment

FOLDER = "/home/ann/ferry"


def test_json_in_a_page_is_valid_and_fits_the_format_of_its_page() -> None:
    for block in markdown.blocks("json"):
        value = json.loads(block.text)
        slug = Path(block.page).stem
        if block.page.startswith("docs/formats/") and slug in REGISTRY:
            assert list(Draft202012Validator(schemas.schema(slug)).iter_errors(value)) == []


def test_every_python_example_is_run_by_a_test() -> None:
    assert [block.page for block in markdown.blocks("python")] == ["docs/protocol.md"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **daemon_environment(),
        "HOME": str(tmp_path),
        "WM_HOME": str(tmp_path / "wm"),
        "WM_SOCKET": str(tmp_path / "s"),
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
    }


@pytest.fixture
def daemon(environment: dict[str, str]) -> Iterator[Settings]:
    with started(environment) as settings:
        yield settings


def test_the_example_of_the_socket_page_runs_against_a_daemon(
    daemon: Settings, environment: dict[str, str], tmp_path: Path
) -> None:
    project = tmp_path / "ferry"
    project.mkdir()
    [example] = markdown.blocks("python")
    assert FOLDER in example.text
    running = subprocess.Popen(
        [sys.executable, "-c", example.text.replace(FOLDER, str(project))],
        env={**environment, "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        receives_change(running, daemon, project)
    finally:
        running.kill()
        running.communicate()
    with Client(daemon) as client:
        kept = client.call("inspect", {"directory": str(project)})["entries"]
    assert "We deploy with make ship." in [view["entry"]["text"] for view in kept]


def receives_change(running: subprocess.Popen[str], settings: Settings, project: Path) -> None:
    """Wait until the example tells of a changed memory. It may not listen yet when we change
    something, so we go on changing."""
    assert running.stdout is not None
    with Client(settings) as client:
        for number in range(400):
            text = f"Ferry number {number} leaves from bay {number}."
            client.call("remember", {"directory": str(project), "text": text})
            while select.select([running.stdout], [], [], 0.05)[0]:
                line = running.stdout.readline()
                assert line, "the example ended"
                if "workspace_memory" in line:
                    return
    raise AssertionError("the example received no change")
