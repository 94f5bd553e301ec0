"""Whose memory it is: keys, moves, branches, worktrees (ID-2, ID-3)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.ops.conftest import CENTS, SHIP, Bench, entry
from wm.errors import Corrupt, RootMismatch, UserError
from wm.formats.workspace_memory import Workspace, WorkspaceMemory
from wm.store.base import Ref
from wm.store.identity import key_of


def git(folder: Path, *words: str) -> None:
    author = {f"GIT_{who}_{what}": "ana@example.org" for who in ("AUTHOR", "COMMITTER")
              for what in ("NAME", "EMAIL")}  # fmt: skip
    env = {
        **os.environ,
        **author,
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
    }
    subprocess.run(["git", "-C", str(folder), *words], env=env, check=True, capture_output=True)


def repository(folder: Path) -> None:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "begin")


def test_two_roots_with_one_key_do_not_share(bench: Bench) -> None:
    """A forged collision: the memory under our key belongs to a root whose key is the same."""
    other = Workspace(root="/srv/other", key=bench.key)
    ref = Ref(WorkspaceMemory, bench.key)
    bench.put((ref, WorkspaceMemory(workspace=other, entries=(entry("m_1", SHIP),))))
    for name, fields in (
        ("inspect", {}),
        ("remember", {"text": CENTS}),
        ("prompt", {"session_id": "s-1"}),
    ):
        with pytest.raises(RootMismatch) as refused:
            bench.call(name, **fields)
        assert (refused.value.code, refused.value.status) == ("root_mismatch", 409)
    assert bench.texts() == [SHIP]


def test_what_a_user_says_of_this_branch_is_kept_for_this_branch(bench: Bench) -> None:
    repository(bench.project)
    said = "The tests need PIER=1, remember that for this branch only."
    (here,) = bench.event("user_prompt", text=said).remembered
    (every,) = bench.event("user_prompt", text="Remember that all branches are short.").remembered
    assert [one.entry.scope for one in (here, every)] == ["branch:main", "workspace"]
    assert here.message.endswith(", only on branch main).")


def test_a_moved_checkout_keeps_its_memory_in_both_directions(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    old, new = bench.project, bench.project.with_name("store")
    old.rename(new)
    moved = bench.call("move_workspace", old=str(old), new=str(new))
    assert (moved.key, moved.target) == (key_of(str(new)), key_of(str(old)))
    assert [v.entry.id for v in bench.call("inspect", directory=str(new)).entries] == [kept.id]
    assert bench.call("inspect", workspace=key_of(str(new))).place.root == str(new)
    old.mkdir()
    with pytest.raises(RootMismatch, match=f"The memory of {old} was given to {new}"):
        bench.call("remember", text=CENTS, directory=str(old))
    bench.call("move_workspace", old=str(new), new=str(old))
    bench.later()
    assert [v.entry.id for v in bench.call("inspect", directory=str(old)).entries] == [kept.id]
    assert bench.call("inspect", directory=str(new)).entries == ()
    assert [r.outcome for r in bench.recorded("workspace_moved")] == ["changed", "changed"]


def test_outside_git_a_folder_uses_the_memory_of_the_nearest_folder_above(bench: Bench) -> None:
    deep = bench.project / "notes" / "2026"
    deep.mkdir(parents=True)
    above = bench.remember(SHIP)
    shown = bench.call("inspect", directory=str(deep))
    assert (shown.place.root, [v.entry.id for v in shown.entries]) == (
        str(bench.project),
        [above.id],
    )
    repository(deep.parent)
    bench.later(minutes=1)
    assert bench.call("inspect", directory=str(deep)).place.root == str(deep.parent)


@pytest.mark.parametrize("everyone", [False, True])
def test_a_folder_uses_its_own_memory_and_that_of_no_shared_folder(
    bench: Bench, everyone: bool
) -> None:
    deep = bench.project / "notes"
    deep.mkdir()
    if everyone:
        bench.project.chmod(0o1777)
    else:
        bench.remember(CENTS, directory=str(deep))
    bench.remember(SHIP)
    assert bench.call("inspect", directory=str(deep)).place.root == str(deep)


def test_a_folder_stays_with_the_memory_above_after_its_only_entry_is_forgotten(
    bench: Bench,
) -> None:
    deep = bench.project / "notes"
    deep.mkdir()
    above = bench.remember(SHIP)
    bench.call("forget_entry", id=above.id, directory=str(deep))
    bench.later(minutes=1)
    assert bench.call("inspect", directory=str(deep)).place.root == str(bench.project)
    bench.call("undo", directory=str(deep))
    assert bench.texts() == [SHIP]


def test_a_folder_uses_the_memory_that_the_folder_above_is_linked_to(bench: Bench) -> None:
    other, deep = bench.project.with_name("other"), bench.project / "notes"
    for folder in (other, deep):
        folder.mkdir()
    there = bench.remember(SHIP, directory=str(other))
    bench.call("link_workspace", old=str(other))
    found = bench.call("inspect", directory=str(deep))
    assert (found.place.root, [one.entry.id for one in found.entries]) == (
        str(bench.project),
        [there.id],
    )
    bench.call("link_workspace", unlink=True)
    bench.later(minutes=1)
    assert bench.call("inspect", directory=str(deep)).place.root == str(deep)


@pytest.mark.parametrize("which", ["above", "own"])
def test_a_damaged_memory_is_not_hidden_by_another_one(bench: Bench, which: str) -> None:
    deep = bench.project / "notes"
    deep.mkdir()
    if which == "own":
        bench.remember(CENTS, directory=str(deep))
    bench.remember(SHIP)
    damaged = bench.project if which == "above" else deep
    folder = bench.settings.paths.home / "workspaces" / key_of(damaged)
    if not folder.is_dir():
        pytest.skip("the memory store has no files")
    for name in ("workspace-memory.json", ".workspace-memory.json.spare"):
        (folder / name).write_text("{")
    bench.later(minutes=1)
    with pytest.raises(Corrupt, match=f"workspace {key_of(damaged)} cannot be read"):
        bench.call("inspect", directory=str(deep))


def test_a_home_folder_that_is_named_uses_no_memory_above_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = bench.project / "home"
    home.mkdir()
    bench.remember(SHIP)
    monkeypatch.setenv("HOME", str(home))
    found = bench.call("inspect", directory=str(home), explicit=True)
    assert found.place.root == str(home)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("/gone/shop", "{here}", "There is no memory of that folder"),
        ("{here}", "{here}", "already uses the memory of"),
        ("", "{here}", "The move names no old folder."),
        ("{here}", "", "The move names no new folder."),
    ],
)
def test_an_impossible_move_is_refused(bench: Bench, old: str, new: str, message: str) -> None:
    bench.remember(SHIP)
    here = str(bench.project)
    with pytest.raises(UserError, match=message):
        bench.call("move_workspace", old=old.format(here=here), new=new.format(here=here))


def test_linked_worktrees_share_memory_and_branches_keep_their_own(bench: Bench) -> None:
    repository(bench.project)
    tree = bench.project.with_name("tree")
    git(bench.project, "worktree", "add", "-q", "-b", "spike", str(tree))
    kept = bench.remember(SHIP)
    bound = bench.remember(CENTS, directory=str(tree), branch_only=True)
    assert bound.scope == "branch:spike"
    shown = {}
    for folder in (bench.project, tree):
        bench.event("session_started", session=folder.name, directory=str(folder))
        text = bench.prompt(folder.name, directory=str(folder)).blocks[0].text
        shown[folder.name] = [t for t in (SHIP, CENTS) if t in text]
    assert shown == {"shop": [SHIP], "tree": [SHIP, CENTS]}
    assert {e.id for e in bench.memory().entries} == {kept.id, bound.id}


def merge_spike(bench: Bench) -> None:
    git(bench.project, "commit", "-q", "--allow-empty", "-m", "work")
    git(bench.project, "checkout", "-q", "main")
    git(bench.project, "merge", "-q", "--no-ff", "-m", "merged", "spike")


def delete_spike(bench: Bench) -> None:
    git(bench.project, "checkout", "-q", "main")
    git(bench.project, "branch", "-q", "-D", "spike")


@pytest.mark.parametrize(
    ("end", "reason"), [(merge_spike, "branch_merged"), (delete_spike, "branch_gone")]
)
def test_entries_of_a_finished_branch_are_offered_once(
    files: Bench, end: object, reason: str
) -> None:
    assert callable(end)
    repository(files.project)
    git(files.project, "checkout", "-q", "-b", "spike")
    bound = files.remember(CENTS, branch_only=True)
    files.event("session_started")
    assert files.texts("inbox") == []
    end(files)
    for number in range(2):
        files.later(minutes=2)
        files.event("session_started", session=f"s-{number}")
    (offer,) = [e for e in files.memory().entries if e.status == "inbox"]
    assert (offer.text, offer.scope, offer.reasons, offer.supersedes) == (
        CENTS,
        "workspace",
        (reason,),
        (bound.id,),
    )
    accepted = files.call("accept_entry", id=offer.id).entry
    assert (accepted.status, accepted.scope) == ("active", "workspace")
    assert files.call("show_entry", id=bound.id).entry.status == "superseded"


def test_a_rejected_offer_is_not_repeated_and_blocks_nothing(files: Bench) -> None:
    repository(files.project)
    git(files.project, "checkout", "-q", "-b", "spike")
    files.remember(CENTS, branch_only=True)
    delete_spike(files)
    files.later(minutes=2)
    files.event("session_started")
    (offer,) = [e for e in files.memory().entries if e.status == "inbox"]
    files.call("reject_entry", id=offer.id)
    assert files.stones() == []
    files.later(minutes=2)
    files.event("session_started", session="s-2")
    assert files.texts("inbox") == []


def clone(bench: Bench, name: str, *more: str) -> Path:
    """Another clone of the repository in the bench's project, with the same remote."""
    folder = bench.project.with_name(name)
    subprocess.run(["git", "clone", "-q", *more, bench.project.as_uri(), str(folder)], check=True)
    git(folder, "remote", "set-url", "origin", "https://example.org/team/app.git")
    return folder


def shared(bench: Bench) -> None:
    repository(bench.project)
    git(bench.project, "remote", "add", "origin", "git@example.org:team/app.git")
    bench.event("session_started")
    bench.remember(SHIP)


def started(bench: Bench, folder: Path, session: str = "s-2") -> str:
    event = {"kind": "session_started", "source": "startup"}
    fields = {"directory": str(folder), "session_id": session, "agent": "tests"}
    return str(bench.call("record_event", **fields, event=event).shown)


def test_another_clone_is_offered_and_shows_nothing_before_it_is_linked(bench: Bench) -> None:
    shared(bench)
    folder = clone(bench, "clone")
    said = started(bench, folder)
    assert f"another checkout of this repository: {bench.project} (1 entry)" in said
    here = {"directory": str(folder)}
    assert bench.call("prompt", session_id="s-2", **here).blocks == ()
    (offer,) = bench.call("link_workspace", **here).offers
    assert (offer.root, offer.active) == (str(bench.project), 1)
    bench.call("link_workspace", old=offer.root, **here)
    bench.later(minutes=2)
    assert [v.entry.text for v in bench.call("inspect", **here).entries] == [SHIP]
    assert SHIP in bench.call("prompt", session_id="s-3", **here).blocks[0].text
    assert bench.texts() == [SHIP]
    with pytest.raises(UserError, match="already uses that memory"):
        bench.call("link_workspace", old=offer.root, **here)
    bench.call("link_workspace", unlink=True, **here)
    bench.later(minutes=2)
    assert bench.call("inspect", **here).entries == ()
    with pytest.raises(UserError, match="is not linked"):
        bench.call("link_workspace", unlink=True, **here)


def test_a_request_for_offers_finds_a_clone_in_which_no_session_ran(bench: Bench) -> None:
    repository(bench.project)
    git(bench.project, "remote", "add", "origin", "git@example.org:team/app.git")
    bench.remember(SHIP)
    (offer,) = bench.call("link_workspace", directory=str(clone(bench, "clone"))).offers
    assert (offer.root, offer.active) == (str(bench.project), 1)


def test_a_remote_that_was_added_later_is_known(bench: Bench) -> None:
    """`git init`, the first sessions, and then the remote: the usual beginning of a repository."""
    repository(bench.project)
    bench.event("session_started")
    bench.remember(SHIP)
    git(bench.project, "remote", "add", "origin", "git@example.org:team/app.git")
    assert "another checkout" not in started(bench, clone(bench, "early"))
    bench.later(minutes=2)
    started(bench, bench.project)
    assert "another checkout of this repository" in started(bench, clone(bench, "late"), "s-3")


def test_a_shallow_clone_and_another_repository_are_not_offered(bench: Bench) -> None:
    shared(bench)
    git(bench.project, "commit", "-q", "--allow-empty", "-m", "more")
    shallow = clone(bench, "shallow", "--depth", "1")
    assert started(bench, shallow) == ""
    other = bench.project.with_name("other")
    other.mkdir()
    repository(other)
    git(other, "commit", "-q", "--allow-empty", "--amend", "-m", "another beginning")
    git(other, "remote", "add", "origin", "https://example.org/team/app.git")
    assert started(bench, other) == ""
    assert bench.call("link_workspace", directory=str(other)).offers == ()


def test_a_checkout_that_moved_is_offered_without_a_remote(bench: Bench) -> None:
    repository(bench.project)
    bench.event("session_started")
    bench.remember(SHIP)
    moved = bench.project.with_name("moved")
    bench.project.rename(moved)
    said = started(bench, moved)
    assert "another checkout of this repository" in said
    assert said.endswith(f"wm workspace mv {bench.project} {moved}")
    bench.call("move_workspace", old=str(bench.project), new=str(moved))
    bench.later(minutes=2)
    assert [v.entry.text for v in bench.call("inspect", directory=str(moved)).entries] == [SHIP]


def test_a_move_hides_no_entries_of_the_new_folder(bench: Bench) -> None:
    bench.remember(SHIP)
    moved = bench.project.with_name("moved")
    moved.mkdir()
    bench.call("remember", text=CENTS, directory=str(moved))
    with pytest.raises(UserError, match="already has a memory of its own"):
        bench.call("move_workspace", old=str(bench.project), new=str(moved))


def test_a_folder_with_a_memory_of_its_own_is_not_linked(bench: Bench) -> None:
    shared(bench)
    folder = clone(bench, "clone")
    bench.call("remember", text=CENTS, directory=str(folder))
    assert started(bench, folder) == ""
    with pytest.raises(UserError, match="already has a memory of its own"):
        bench.call("link_workspace", old=str(bench.project), directory=str(folder))
    with pytest.raises(UserError, match="no memory of that folder"):
        bench.call("link_workspace", old="/srv/nothing", directory=str(folder))
    with pytest.raises(UserError, match="A folder is linked"):
        bench.call("link_workspace", workspace=bench.key, directory="")


def test_a_key_is_found_beside_its_directory_before_anything_is_stored(bench: Bench) -> None:
    """`wm run` puts the key into the URL of its proxy; a client without hooks stores nothing."""
    new = bench.project.with_name("new")
    new.mkdir()
    key = key_of(str(new))
    with pytest.raises(UserError, match="is not known"):
        bench.call("inspect", workspace=key, directory="")
    for folder in (str(bench.project), str(new / "gone")):
        with pytest.raises(UserError, match="is not known"):
            bench.call("inspect", workspace=key, directory=folder)
    assert bench.call("inspect", workspace=key, directory=str(new)).place.root == str(new)
    bench.remember(SHIP)
    assert bench.call("inspect", workspace=bench.key, directory=str(new)).place.key == bench.key
