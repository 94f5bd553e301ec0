"""The files in the user's project: other things in their place, their mode, and other writers."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from wm.store.project import ProjectFile, Trouble, project_root


@pytest.fixture
def file(tmp_path: Path) -> ProjectFile:
    return ProjectFile(str(tmp_path.resolve()), "state", "s.json")


def placed(file: ProjectFile, data: bytes = b"one") -> Path:
    path = Path(file.path)
    path.parent.mkdir()
    path.write_bytes(data)
    return path


def test_written_text_is_read_back_and_leaves_no_temporary_file(file: ProjectFile) -> None:
    assert file.read(10) is None
    assert not file.exists
    assert file.replace(b"one", over=None)
    assert file.read(10) == b"one"
    assert file.replace(b"two", over=b"one")
    assert file.read(10) == b"two"
    assert file.exists
    assert os.listdir(Path(file.path).parent) == ["s.json"]


def test_a_longer_file_returns_one_byte_over_the_limit(file: ProjectFile) -> None:
    placed(file, b"x" * 100)
    assert file.read(10) == b"x" * 11


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o640])
def test_the_mode_of_the_file_stays(file: ProjectFile, mode: int) -> None:
    path = placed(file)
    path.chmod(mode)
    assert file.replace(b"two", over=b"one")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize(("root", "made"), [(0o755, 0o644), (0o700, 0o600), (0o775, 0o664)])
def test_a_new_file_gets_the_mode_of_the_project(file: ProjectFile, root: int, made: int) -> None:
    os.chmod(file.root, root)
    before = os.umask(0)
    try:
        file.replace(b"one", over=None)
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(file.path).st_mode) == made


def test_a_faster_writer_is_not_overwritten(file: ProjectFile) -> None:
    path = placed(file)
    assert not file.replace(b"two", over=b"other")
    assert not file.replace(b"two", over=None)
    assert path.read_bytes() == b"one"
    path.unlink()
    assert not file.replace(b"two", over=b"one")
    assert os.listdir(path.parent) == []


def _folder(path: Path) -> None:
    path.mkdir(parents=True)


def _link(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to("/etc/hostname")


def _broken_link(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to("nowhere")


def _linked_folder(path: Path) -> None:
    other = path.parent.parent / "elsewhere"
    other.mkdir()
    (other / path.name).write_bytes(b"one")
    path.parent.symlink_to(other)


def _pipe(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)


def _file_for_folder(path: Path) -> None:
    path.parent.write_bytes(b"")


@pytest.mark.parametrize(
    ("place", "reads", "writes"),
    [
        (_folder, "folder", "folder"),
        (_link, "link", "link"),
        (_broken_link, "link", "link"),
        (_linked_folder, "link", "link"),
        (_pipe, "not_a_file", "not_a_file"),
        (_file_for_folder, "folder_is_file", "folder_is_file"),
    ],
)
def test_only_regular_files_are_read_and_written(
    file: ProjectFile, place: object, reads: str, writes: str
) -> None:
    place(Path(file.path))  # type: ignore[operator]
    assert file.exists or place is _file_for_folder
    with pytest.raises(Trouble) as reading:
        file.read(10)
    with pytest.raises(Trouble) as writing:
        file.replace(b"two", over=None)
    assert (reading.value.kind, writing.value.kind) == (reads, writes)
    assert reading.value.fix


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permissions_is_named_in_the_error(file: ProjectFile) -> None:
    placed(file).chmod(0)
    with pytest.raises(Trouble) as trouble:
        file.read(10)
    assert trouble.value.kind == "no_right"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_folder_that_cannot_be_created_names_the_one_above(file: ProjectFile) -> None:
    os.chmod(file.root, 0o500)
    with pytest.raises(Trouble) as trouble:
        file.replace(b"one", over=None)
    assert trouble.value.fix.endswith(f"chmod u+rw {file.root}")


def test_the_project_is_the_nearest_folder_with_the_file_within_the_worktree(
    tmp_path: Path,
) -> None:
    top = tmp_path.resolve()
    (top / "repo" / ".git").mkdir(parents=True)
    (top / "repo" / "part" / "src").mkdir(parents=True)
    (top / "state").mkdir()
    (top / "state" / "s.json").write_text("{}")

    def found(folder: str) -> str:
        return os.path.relpath(project_root(str(top / folder), marker="state/s.json"), top)

    assert found("repo/part/src") == "repo"
    (top / "repo" / "part" / "state").mkdir()
    (top / "repo" / "part" / "state" / "s.json").write_text("{}")
    assert found("repo/part/src") == "repo/part"
    assert found("repo") == "repo"
    (top / "plain" / "deep").mkdir(parents=True)
    assert found("plain/deep") == "plain/deep"
