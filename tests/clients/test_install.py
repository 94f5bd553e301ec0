"""Where the clients are put, with an npm that is a shell script."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import install

NPM = """#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin"
cd "$2/node_modules/.bin" && touch claude opencode codex copilot gemini qwen node
"""


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that WM_TEST_CLIENTS names, which is not there yet."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "npm").write_text(NPM)
    (programs / "npm").chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("WM_TEST_CLIENTS", "clients")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "clients"


@pytest.mark.parametrize("made", [True, False])
def test_the_clients_are_installed_where_the_variable_points(target: Path, made: bool) -> None:
    if made:
        target.mkdir()
    assert install.install().claude == target / "node_modules/.bin/claude"
    assert install.find() == install.install()
    assert {one.name for one in target.parent.iterdir()} == {"bin", "clients"}


def test_a_folder_with_foreign_content_is_refused_before_npm_runs(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target.mkdir()
    (target / "notes.txt").touch()
    assert install.main() == 1
    assert f"{target} holds other things than the agents" in capsys.readouterr().err
    assert [one.name for one in target.iterdir()] == ["notes.txt"]
