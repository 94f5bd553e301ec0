"""A daemon whose files are replaced or removed while it runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.inside import inside
from tests.daemon.process import Home, wait_for
from tests.daemon.test_dispatch import ask
from tests.daemon.wire import run
from wm.daemon.code import PACKAGE, LoadedCode, stamps
from wm.daemon.instance import probe
from wm.errors import Unavailable

ASKED = ("status", "why make ship", "search ship", "inspect")
UP = "from wm.cli.main import main; main()"


def copy_of_wm(folder: Path) -> Path:
    kept = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PACKAGE, folder / "wm", ignore=kept))


def test_a_daemon_whose_code_was_replaced_makes_way_for_the_new_one(
    place: Home, tmp_path: Path
) -> None:
    package, project = copy_of_wm(tmp_path / "old"), tmp_path / "project"
    project.mkdir()

    def wm(*words: str, payload: str = "", path: str = place.environment["PYTHONPATH"]) -> str:
        done = subprocess.run(
            [sys.executable, "-c", UP, *words],
            env={**place.environment, "PYTHONPATH": path},
            cwd=project,
            input=payload,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def hook(name: str, **fields: Any) -> None:
        call = {"session_id": "s1", "cwd": str(project), "hook_event_name": name, **fields}
        wm("hook", "claude-code", name, payload=json.dumps(call))

    wm("up", "--quiet", path=os.pathsep.join([str(package.parent), os.path.dirname(PACKAGE)]))
    old = place.status()
    assert old["package"] == str(package)
    wm("remember", "We ship with make ship.")
    hook("SessionStart")
    wait_for(lambda: [*place.settings.paths.home.glob("workspaces/*/sweep.json")])
    package.rename(tmp_path / "gone")
    read = {"filePath": str(project / "a.py"), "content": "x\n", "numLines": 1}
    hook(
        "PostToolUse",
        tool_name="Read",
        tool_use_id="t1",
        tool_input={"file_path": str(project / "a.py")},
        tool_response={"type": "text", "file": read},
    )
    for words in ASKED:
        assert "internal" not in wm(*words.split())
    wait_for(lambda: (probe(place.settings) or old).get("package") == PACKAGE, 60.0)
    assert place.status()["pid"] != old["pid"]
    kept = json.loads(wm("inspect", "--json"))
    assert [row["entry"]["text"] for row in kept["entries"]] == ["We ship with make ship."]
    assert [row["activeFiles"] for row in kept["sessions"]] == [1]
    events = [line for line in place.log() if line["event"] in ("incident", "stopped")]
    assert [line.get("why") for line in events] == ["its code was replaced"]


def test_only_a_module_that_changed_is_refused() -> None:
    tabs = os.path.join(PACKAGE, "page", "tabs.py")
    reports: list[str] = []
    code = LoadedCode(lambda: reports.append("replaced"), {**stamps(), tabs: (1, 1)})
    for name in ("wm.page.visit", "wm.never.was", "json.tool"):
        assert code.find_spec(name, None) is None  # type: ignore[func-returns-value]
    assert reports == []
    with pytest.raises(Unavailable, match="was replaced"):
        code.find_spec("wm.page.tabs", None)
    assert code.is_replaced()
    assert reports == ["replaced"] * 2
    assert not LoadedCode().is_replaced()


def test_a_removed_virtual_environment_counts_as_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code = LoadedCode()
    assert not code.is_replaced()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    assert code.is_replaced()


def test_a_failure_of_replaced_code_is_refused_and_loses_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            daemon.dispatcher.is_replaced = lambda: True
            wire = await daemon.connect()
            status, problem, _ = await ask(wire, "GET", "/v1/notes?labels=bug")
            assert (status, problem["type"]) == (503, "unavailable")
            assert (await ask(wire, "POST", "/v1/notes-later", {"text": "bug"}))[0] == 202
            assert (await ask(wire, "POST", "/v1/notes", {"text": "y"}))[0] == 200
            assert [json.loads(one.body) for one in daemon.dispatcher.unserved] == [{"text": "bug"}]
            assert (daemon.metrics.incidents, daemon.metrics.lost_events) == (0, 0)
            await wire.close()

    run(scenario)
