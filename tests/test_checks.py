"""Linter, formatter and types are part of the tests, so that one command says it all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

CHECKS = {
    "lint": ["ruff", "check", "wm", "tests"],
    "format": ["ruff", "format", "--check", "wm", "tests"],
    "types": ["mypy"],
}


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_the_tree_is_clean(name: str) -> None:
    command = [sys.executable, "-m", *CHECKS[name]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
