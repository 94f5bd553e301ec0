"""What is released: the wheel has every file of the package, and a workflow checks it first."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOW: dict[Any, Any] = yaml.safe_load(
    (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
)
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"


def files_of(*patterns: str) -> list[str]:
    """The files that git knows."""
    words = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run([*words, "--", *patterns], capture_output=True, check=True, text=True)
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Built from a copy: a build leaves files beside its sources."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in files_of("wm", "pyproject.toml", "README.md", "LICENSE"):
        copy = folder / "source" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)],
        cwd=folder / "source",
        capture_output=True,
        check=True,
        text=True,
    )
    return zipfile.ZipFile(folder / done.stdout.splitlines()[-1])


def test_the_wheel_contains_every_file_of_the_package_and_nothing_else(
    wheel: zipfile.ZipFile,
) -> None:
    inside = {name for name in wheel.namelist() if not name.startswith("wm_memory-")}
    assert inside == set(files_of("wm"))


def test_the_command_is_wm_and_the_distribution_has_a_name_of_its_own(
    wheel: zipfile.ZipFile,
) -> None:
    [about] = [name for name in wheel.namelist() if name.endswith("/METADATA")]
    metadata = wheel.read(about).decode()
    assert metadata.startswith("Metadata-Version: 2.4\nName: wm-memory\n")
    entry = wheel.read(about.replace("METADATA", "entry_points.txt")).decode()
    assert entry == "[console_scripts]\nwm = wm.cli.main:main\n"


def test_the_base_install_asks_for_nothing_that_an_extra_brings() -> None:
    def names(rows: list[str]) -> set[str]:
        return {re.split(r"[<>=\[ ]", row)[0] for row in rows}

    extras = PROJECT["optional-dependencies"]
    assert names(PROJECT["dependencies"]).isdisjoint(names(extras["large"] + extras["models"]))


def test_a_release_is_checked_on_every_python_and_published_only_from_a_tag() -> None:
    jobs = WORKFLOW["jobs"]
    versions = [row.rsplit(" ", 1)[1] for row in PROJECT["classifiers"] if ":: 3." in row]
    assert jobs["check"]["strategy"]["matrix"]["python"] == versions
    assert ".ci/release" in [step.get("run") for step in jobs["check"]["steps"]]
    publish = jobs["publish"]
    assert (publish["needs"], publish["if"]) == ("check", "startsWith(github.ref, 'refs/tags/v')")
    assert "workflow_dispatch" in WORKFLOW[True]  # YAML reads `on` so
