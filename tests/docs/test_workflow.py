"""The workflow in `examples/` is valid, and its steps do what they say (CT-3)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import ROOT
from tests.docs.test_command_lines import in_code, understood

WORKFLOW = ROOT / "examples" / "github" / "handoff.yml"


def job() -> dict[str, Any]:
    made = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    [only] = made["jobs"].values()
    assert isinstance(only, dict)
    return only


def step(name: str) -> dict[str, Any]:
    [found] = [one for one in job()["steps"] if one.get("name", "").startswith(name)]
    assert isinstance(found, dict)
    return found


def test_the_workflow_validates_generates_and_uploads_in_this_order() -> None:
    made = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    assert made["permissions"] == {"contents": "read"}
    assert set(made[True]) == {"push", "pull_request", "workflow_dispatch"}  # YAML reads `on` so
    names = [one["name"].split()[0] for one in job()["steps"] if "name" in one]
    assert names == ["Install", "Validate", "No", "Generate", "Upload"]
    for one in job()["steps"]:
        assert ("uses" in one) != ("run" in one)
    assert step("Upload")["with"]["path"] == "handoff/latest.md"
    assert step("Upload")["uses"].startswith("actions/upload-artifact@v")


def test_every_command_of_the_workflow_is_valid() -> None:
    found = [words for one in job()["steps"] for words in in_code(one.get("run", ""))]
    assert [" ".join(words[:2]) for words in found] == [
        "state validate",
        "state validate",
        "handoff --force",
    ]
    assert {" ".join(words): said for words in found if (said := understood(words))} == {}


@pytest.fixture
def runner(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A checkout with a commit, and a `wm` in the path."""
    repo, programs = tmp_path / "ferry", tmp_path / "bin"
    repo.mkdir()
    programs.mkdir()
    program = f'#!/bin/sh\nexec {sys.executable} -m wm "$@"\n'
    (programs / "wm").write_text(program)
    (programs / "wm").chmod(0o755)
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "BASE": "HEAD",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    author = "-c user.name=ann -c user.email=ann@example.org"
    for script in (
        "git init -q && wm state init Ship it.",
        "wm state set legal_reviews --append 'Approved.'",
        f"git add -A && git {author} commit -qm one",
    ):
        assert shell(repo, environment, script) == 0, script
    return repo, environment


def shell(repo: Path, environment: dict[str, str], script: str) -> int:
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=repo, env=environment, check=False, capture_output=True
    ).returncode


def test_the_steps_run(runner: tuple[Path, dict[str, str]]) -> None:
    repo, environment = runner
    for name in ("Validate", "No legal", "Generate"):
        assert shell(repo, environment, step(name)["run"]) == 0, name
    page = (repo / "handoff" / "latest.md").read_text("utf-8")
    assert "Legal review: Approved." in page
    assert Path(environment["GITHUB_STEP_SUMMARY"]).read_text("utf-8") == page


def test_the_steps_stop_at_a_fault_and_a_removed_review(
    runner: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    repo, environment = runner
    fresh = {**environment, "WM_HOME": str(tmp_path / "ci")}  # as a runner, which knows nothing
    contract = repo / "state" / "session-state.json"
    said = json.loads(contract.read_text("utf-8"))
    contract.write_text(json.dumps({**said, "legal_reviews": []}))
    assert shell(repo, fresh, step("Validate")["run"]) == 0
    assert shell(repo, fresh, step("No legal")["run"]) == 1
    contract.write_text(json.dumps({**said, "goal": ""}))
    assert shell(repo, fresh, step("Validate")["run"]) == 1
    assert shell(repo, fresh, step("Generate")["run"]) == 1
