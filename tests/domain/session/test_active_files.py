"""Active files: actions, counts, and which file a full list drops (HS-1)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from wm.domain.session.active_files import score, shown, touch
from wm.domain.session.file_paths import folder, normalised_path
from wm.formats.events import ToolFinished
from wm.formats.session_state import ActiveFile
from wm.settings import SessionSettings

ROOT = "/home/ana/shop"
START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
SETTINGS = SessionSettings()


def play(*calls: tuple[str, str], files: tuple[ActiveFile, ...] = ()) -> tuple[ActiveFile, ...]:
    """The list after calls (tool, path), a second apart."""
    for second, (tool, path) in enumerate(calls):
        event = ToolFinished(tool=tool, paths=(path,), cwd=ROOT)
        now = START + timedelta(seconds=second)
        files = touch(files, event, root=ROOT, now=now, settings=SETTINGS)
    return files


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([("read", "a.py")], [("a.py", "read", 1, 23)]),
        ([("grep", "a.py")], [("a.py", "grep", 1, 33)]),
        ([("write", "a.py")], [("a.py", "write", 1, 48)]),
        ([("edit", "a.py")], [("a.py", "edit", 1, 53)]),
        ([("read", "a.py"), ("edit", "a.py")], [("a.py", "edit", 2, 56)]),
        ([("edit", "a.py"), ("read", "a.py")], [("a.py", "edit", 2, 56)]),
        ([("write", "a.py"), ("grep", "a.py")], [("a.py", "write", 2, 51)]),
        (
            [("read", "a.py"), ("edit", "b.py"), ("read", "c.py")],
            [("b.py", "edit", 1, 53), ("c.py", "read", 1, 23), ("a.py", "read", 1, 23)],
        ),
        ([("bash", "a.py"), ("other", "b.py")], []),
    ],
)
def test_files_are_ordered_by_weight_and_count(
    calls: list[tuple[str, str]], expected: list[tuple[str, str, int, int]]
) -> None:
    files = play(*calls)
    assert [(f.path, f.action, f.count, score(f, SETTINGS)) for f in files] == expected


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("a.py", ROOT, "a.py"),
        ("a.py", "", "a.py"),
        (f"{ROOT}/src/a.py", ROOT, "src/a.py"),
        ("./src//a.py", ROOT, "src/a.py"),
        ("src/../a.py", ROOT, "a.py"),
        ("a.py", f"{ROOT}/src", "src/a.py"),
        ("../a.py", f"{ROOT}/src", "a.py"),
        ("../other/a.py", ROOT, "/home/ana/other/a.py"),
        (f"{ROOT}/../../../etc/passwd", ROOT, "/etc/passwd"),
        ("../../../../../../etc/passwd", ROOT, "/etc/passwd"),
        ("/home/ana/shopping/a.py", ROOT, "/home/ana/shopping/a.py"),
        ("file:///home/ana/shop/a.py", ROOT, "a.py"),
        ("C:\\work\\a.py", ROOT, "C:/work/a.py"),
        ("with space.py", ROOT, "with space.py"),
        ("データ.py", ROOT, "データ.py"),
        (ROOT, ROOT, ROOT),
        ("https://example.org/a.py", ROOT, ""),
        ("~/a.py", ROOT, ""),
        ("a\nb.py", ROOT, ""),
        ("a\u202eb.py", ROOT, ""),
        ("a" * 2000, ROOT, ""),
        ("", ROOT, ""),
        (".", ROOT, ""),
    ],
)
def test_one_file_has_one_spelling(path: str, cwd: str, expected: str) -> None:
    assert normalised_path(path, root=ROOT, cwd=cwd) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [("packages/web", "packages/web"), (".", ""), (ROOT, ""), ("..", "/home/ana"), ("a/..", "")],
)
def test_a_folder_is_spelled_like_a_file(path: str, expected: str) -> None:
    assert folder(path, root=ROOT, cwd=ROOT) == expected


def test_a_windows_root_holds_its_files() -> None:
    assert normalised_path("C:\\work\\src\\a.py", root="C:\\work") == "src/a.py"


def test_a_failed_call_touches_no_file() -> None:
    event = ToolFinished(tool="edit", paths=("a.py",), failed=True)
    assert touch((), event, root=ROOT, now=START, settings=SETTINGS) == ()


def test_one_search_touches_each_of_its_files_once() -> None:
    event = ToolFinished(tool="grep", paths=("a.py", "./a.py", f"{ROOT}/b.py"), cwd=ROOT)
    files = touch((), event, root=ROOT, now=START, settings=SETTINGS)
    assert [(f.path, f.count) for f in files] == [("a.py", 1), ("b.py", 1)]


EDITS = [("edit", f"old{n}.py") for n in range(20) for _ in range(3)]


def test_a_new_file_enters_a_list_of_edits() -> None:
    files = play(*EDITS, ("read", "new.py"))
    assert len(files) == 20
    assert files[-1].path == "new.py"


def test_two_new_files_read_alternately_both_gain_weight() -> None:
    turns = [("read", "a.py"), ("read", "b.py")] * 5
    counts = {f.path: f.count for f in play(*EDITS, *turns)}
    assert (counts["a.py"], counts["b.py"]) == (5, 5)


def test_the_strongest_old_files_are_kept_beside_the_newest() -> None:
    reads = [("read", f"new{n}.py") for n in range(30)]
    paths = [f.path for f in play(*EDITS, *reads)]
    assert [p for p in paths if p.startswith("new")] == [f"new{n}.py" for n in range(29, 24, -1)]
    assert sum(p.startswith("old") for p in paths) == 15


def test_a_search_with_too_many_files_keeps_the_first() -> None:
    event = ToolFinished(tool="grep", paths=tuple(f"f{n}.py" for n in range(30)), cwd=ROOT)
    files = touch((), event, root=ROOT, now=START, settings=SETTINGS)
    assert {f.path for f in files} == {f"f{n}.py" for n in range(20)}


def test_eight_are_shown_best_first() -> None:
    files = play(*[("read", f"r{n}.py") for n in range(9)], ("edit", "e.py"))
    found = [f.path for f in shown(files, SETTINGS)]
    assert found == ["e.py", *(f"r{n}.py" for n in range(8, 1, -1))]
