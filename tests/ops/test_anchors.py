"""WM-9: an entry whose code changed is suspect, ranks lower, and says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.terminal import repository
from tests.ops.conftest import CENTS, SHIP, Bench
from wm.errors import UserError

CODE = "def berth(number):\n    return number + 1\n\n\ndef moor():\n    return None\n"


def code(bench: Bench, text: str = CODE) -> Path:
    file = bench.project / "src" / "dock.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def test_changed_code_makes_the_entry_suspect_until_it_is_restored(bench: Bench) -> None:
    file = code(bench)
    kept = bench.remember(SHIP, anchors=["src/dock.py:berth"])
    other = bench.remember(CENTS)
    bench.event("session_started")
    assert bench.memory().entries[0].suspect == ""
    file.write_text(CODE.replace("return None", "return 0"))
    bench.later(minutes=2)
    bench.event("session_started", "s-2")
    assert bench.recorded("memory_suspect") == []
    file.write_text(CODE.replace("+ 1", "+ 2"))
    bench.later(minutes=2)
    bench.event("session_started", "s-3")
    assert [e.suspect for e in bench.memory().entries] == ["changed", ""]
    assert [r.reason_codes for r in bench.recorded("memory_suspect")] == [("anchor_changed",)]
    strengths = {v.entry.id: v.strength for v in bench.call("inspect").entries}
    assert strengths[kept.id] == pytest.approx(strengths[other.id] / 4, rel=0.01)
    shown = bench.prompt("s-3").blocks[0].text
    assert f"- {SHIP} (suspect: the code that it describes changed)" in shown
    assert shown.index(CENTS) < shown.index(SHIP)
    file.write_text(CODE)
    bench.later(minutes=2)
    bench.event("session_started", "s-4")
    assert bench.memory().entries[0].suspect == ""


def test_every_read_checks_the_current_code(bench: Bench) -> None:
    file = code(bench)
    kept = bench.remember(SHIP, anchors=["src/dock.py:berth"])
    records = len(bench.recorded())
    file.unlink()
    assert bench.call("inspect").entries[0].entry.suspect == "gone"
    explained = bench.call("diag_explain", id=kept.id)
    assert [(a.symbol, a.state) for a in explained.anchors] == [("berth", "gone")]
    assert explained.suspect_rate == 0.25
    assert [r.code for r in bench.call("diag_quality").rows[0].remarks] == ["suspect"]
    assert (bench.memory().entries[0].suspect, len(bench.recorded())) == ("", records)


def test_editing_the_anchor_takes_a_new_digest(bench: Bench) -> None:
    file = code(bench)
    kept = bench.remember(SHIP, anchors=["src/dock.py:berth"])
    file.write_text(CODE.replace("+ 1", "+ 2"))
    bench.event("session_started")
    assert bench.memory().entries[0].suspect == "changed"
    edited = bench.call("edit_entry", id=kept.id, anchors=["src/dock.py:berth"]).entry
    assert edited.suspect == ""
    bench.event("session_started", "s-2")
    assert bench.memory().entries[0].suspect == ""
    with pytest.raises(UserError, match="does not hold the earlier anchor"):
        bench.call("undo")
    freed = bench.call("edit_entry", id=kept.id, anchors=[]).entry
    assert freed.anchors == ()


def test_a_missing_checkout_changes_no_mark(bench: Bench) -> None:
    file = code(bench)
    bench.remember(SHIP, anchors=["src/dock.py:berth"])
    file.unlink()
    file.parent.rmdir()
    bench.project.rename(bench.project.parent / "away")
    assert bench.call("inspect", workspace=bench.key, directory="").entries[0].entry.suspect == ""


def test_anchors_stay_inside_the_project(bench: Bench, tmp_path: Path) -> None:
    code(bench)
    outside = tmp_path / "secret.py"
    outside.write_text(CODE)
    (bench.project / "link.py").symlink_to(outside)
    os.mkfifo(bench.project / "pipe.py")
    for text in ("../secret.py", "link.py:berth", "pipe.py", "none.py", "src", "src/dock.py:pier"):
        with pytest.raises(UserError):
            bench.call("remember", text=SHIP, anchors=[text])
    assert bench.texts() == []


def test_paths_are_relative_to_the_folder_of_the_command(bench: Bench) -> None:
    code(bench)
    repository(bench.project)
    asked = bench.call(
        "remember", text=SHIP, anchors=["dock.py:berth"], directory=str(bench.project / "src")
    )
    assert asked.entry.anchors[0].path == "src/dock.py"


def test_the_number_of_anchors_of_an_entry_is_bounded(bench: Bench) -> None:
    code(bench)
    with pytest.raises(UserError, match="at most 8 anchors"):
        bench.call("remember", text=SHIP, anchors=["src/dock.py"] * 9)


def test_each_worktree_is_checked_separately(bench: Bench) -> None:
    """A linked worktree shares the memory and has code of its own."""
    code(bench)
    repository(bench.project)
    linked = bench.project.parent / "linked"
    pointer = bench.project / ".git" / "worktrees" / "linked"
    pointer.mkdir(parents=True)
    (pointer / "commondir").write_text("../..\n")
    (pointer / "gitdir").write_text(f"{linked}/.git\n")
    (pointer / "HEAD").write_text("ref: refs/heads/other\n")
    (linked / "src").mkdir(parents=True)
    (linked / ".git").write_text(f"gitdir: {pointer}\n")
    (linked / "src" / "dock.py").write_text(CODE.replace("+ 1", "+ 2"))
    bench.remember(SHIP, anchors=["src/dock.py:berth"])
    assert bench.call("inspect", directory=str(linked)).entries[0].entry.suspect == "changed"
    assert bench.call("inspect").entries[0].entry.suspect == ""
    here = bench.call(
        "remember", text=CENTS, anchors=["dock.py:berth"], directory=str(linked / "src")
    )
    assert here.entry.anchors[0].path == "src/dock.py"
    assert bench.call("inspect", directory=str(linked)).place.key == bench.key
