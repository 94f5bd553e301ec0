"""Instruction files of a project: found, judged, pruned, and never harmed (CT-4)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.ops.conftest import Bench
from wm.api.instruction_budget import PruneAnswer
from wm.errors import Conflict, UserError
from wm.ops.contract import instruction_budget as module
from wm.store.project import ProjectFile, Trouble

ENTRY = "### 2026-{month:02}-{day:02} Step {day}\n" + "- " + "w" * 997 + "\n"


@pytest.fixture
def agents(bench: Bench) -> Path:
    """An AGENTS.md of 90 entries of a kilobyte, the newest at the end."""
    (bench.project / ".git").mkdir(exist_ok=True)
    days = (ENTRY.format(month=1 + n // 28, day=1 + n % 28) for n in range(90))
    file = bench.project / "AGENTS.md"
    file.write_text("# Agents\n\nRun make check.\n\n" + "".join(days))
    return file


def prune(bench: Bench, *files: str, dry_run: bool = False) -> PruneAnswer:
    answer: PruneAnswer = bench.call("prune_budget", files=files, dry_run=dry_run)
    return answer


def found(bench: Bench, *files: str) -> dict[str, list[str]]:
    answer = bench.call("check_budget", files=files)
    assert answer.within is not any(file.findings for file in answer.files)
    return {file.file: [finding.code for finding in file.findings] for file in answer.files}


def test_the_instruction_files_of_all_agents_are_found(bench: Bench, agents: Path) -> None:
    for name, text in {
        "CLAUDE.md": "x\n" * 201,
        ".claude/CLAUDE.md": "x\n",
        ".opencode/instructions/style.md": "x\n" * 300,
        ".opencode/instructions/picture.png": "x\n" * 300,
        ".cursor/rules/a.mdc": "x\n",
        "docs/AGENTS.md": "x\n" * 300,
    }.items():
        (bench.project / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.project / name).write_text(text)
    assert found(bench) == {
        "AGENTS.md": ["prune"],
        "CLAUDE.md": ["too_many_lines"],
        ".claude/CLAUDE.md": [],
        ".opencode/instructions/style.md": ["too_many_lines"],
        ".cursor/rules/a.mdc": [],
    }
    assert found(bench, "docs/AGENTS.md") == {"docs/AGENTS.md": ["too_many_lines"]}


@pytest.mark.parametrize("operation", ["check_budget", "prune_budget"])
def test_a_workspace_without_a_known_folder_does_not_use_the_current_one(
    files: Bench, operation: str
) -> None:
    key = "0" * 16
    (files.settings.paths.home / "workspaces" / key).mkdir(mode=0o700, parents=True)
    with pytest.raises(UserError, match="The folder of the workspace"):
        files.call(operation, directory="", workspace=key)


def test_a_dry_run_reports_the_run_and_a_second_run_does_nothing(
    bench: Bench, agents: Path
) -> None:
    before = agents.read_bytes()
    agents.chmod(0o640)
    planned = prune(bench, dry_run=True)
    assert agents.read_bytes() == before
    assert sorted(os.listdir(bench.project)) == [".git", "AGENTS.md"]
    done = prune(bench)
    assert done == planned.model_copy(update={"dry_run": False})
    [file] = done.files
    archive = bench.project / "AGENTS.archive.md"
    assert (done.within, file.bytes_before, file.bytes_after) == (
        True,
        len(before),
        agents.stat().st_size,
    )
    assert agents.stat().st_size <= 60 * 1024
    assert agents.stat().st_mode & 0o777 == 0o640
    kept, gone = agents.read_bytes(), archive.read_bytes()
    head = before[: before.index(b"###")]
    assert kept.startswith(head + b"### 2026-02-")
    assert head + gone[gone.index(b"###") :] + kept[len(head) :] == before
    again = prune(bench)
    assert again.files[0].moved == ()
    assert (agents.read_bytes(), archive.read_bytes()) == (kept, gone)
    records = [r for r in bench.store.evidence(bench.key).records if r.type == "budget_pruned"]
    assert [r.details["moved"] for r in records] == [len(file.moved)]


def test_an_interrupted_run_archives_nothing_twice(bench: Bench, agents: Path) -> None:
    before = agents.read_bytes()
    prune(bench)
    archive = (bench.project / "AGENTS.archive.md").read_bytes()
    agents.write_bytes(before)  # as if the archive alone had been written
    prune(bench)
    assert (bench.project / "AGENTS.archive.md").read_bytes() == archive


def test_a_link_inside_the_project_is_followed_and_kept(bench: Bench, agents: Path) -> None:
    agents.rename(bench.project / "CLAUDE.md")
    agents.symlink_to("CLAUDE.md")
    assert found(bench) == {"AGENTS.md": ["prune"], "CLAUDE.md": []}
    assert prune(bench).within
    assert agents.is_symlink()
    assert (bench.project / "CLAUDE.md").stat().st_size <= 60 * 1024
    assert (bench.project / "AGENTS.archive.md").is_file()


def test_files_outside_the_project_are_neither_read_nor_written(
    bench: Bench, agents: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere.md"
    agents.rename(elsewhere)
    before = elsewhere.read_bytes()
    agents.symlink_to(elsewhere)
    assert found(bench) == {"AGENTS.md": ["outside"]}
    assert not prune(bench).within
    assert elsewhere.read_bytes() == before
    with pytest.raises(UserError, match="is outside the project"):
        found(bench, str(elsewhere))
    with pytest.raises(UserError, match="is outside the project"):
        found(bench, "../elsewhere.md")


def test_a_read_only_file_is_not_changed(bench: Bench, agents: Path) -> None:
    before = agents.read_bytes()
    agents.chmod(0o444)
    for dry_run in (True, False):
        answer = prune(bench, dry_run=dry_run)
        assert [f.code for f in answer.files[0].findings] == ["read_only"]
    assert agents.read_bytes() == before
    assert not (bench.project / "AGENTS.archive.md").exists()


def test_a_file_that_changes_during_the_run_is_not_changed(
    bench: Bench, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor saves between the archive and the file."""
    replace = ProjectFile.replace

    def slowly(file: ProjectFile, data: bytes, *, over: bytes | None) -> bool:
        if file.name == "AGENTS.md":
            agents.write_bytes(b"saved by an editor")
        return replace(file, data, over=over)

    monkeypatch.setattr(ProjectFile, "replace", slowly)
    with pytest.raises(Conflict, match="changed by another program"):
        prune(bench)
    assert agents.read_bytes() == b"saved by an editor"


def test_an_archive_that_is_not_a_regular_file_stops_the_run(bench: Bench, agents: Path) -> None:
    before = agents.read_bytes()
    (bench.project / "AGENTS.archive.md").symlink_to("/etc/passwd")
    with pytest.raises(Trouble, match="symbolic link"):
        prune(bench)
    assert agents.read_bytes() == before


def test_a_file_without_entries_is_for_people_to_shorten(bench: Bench, agents: Path) -> None:
    agents.write_bytes(b"x" * 110_000)
    answer = prune(bench)
    assert not answer.within
    assert [f.code for f in answer.files[0].findings] == ["still_too_large"]
    (bench.project / "CLAUDE.md").write_text("x")
    with pytest.raises(UserError, match="has an archive"):
        prune(bench, "CLAUDE.md")
    with pytest.raises(UserError, match="There is no file"):
        prune(bench, "agents.markdown")


def test_broken_links_pipes_and_giants_are_named(
    bench: Bench, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1000)
    (bench.project / "CLAUDE.md").symlink_to("nowhere.md")
    os.mkfifo(bench.project / "GEMINI.md")
    (bench.project / ".cursorrules").mkdir()
    assert found(bench) == {
        "AGENTS.md": ["too_large"],
        "CLAUDE.md": ["broken_link"],
        "GEMINI.md": ["not_a_file"],
        ".cursorrules": ["folder"],
    }
