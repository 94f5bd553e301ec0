"""Which workspace a folder belongs to (ID-2), on real repositories."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from wm.errors import NotFound, UserError
from wm.store.identity import WorkspaceIdentity, branch_gone, find, key_of, merged, true_name

ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "T",
    "GIT_AUTHOR_EMAIL": "t@example.org",
    "GIT_COMMITTER_NAME": "T",
    "GIT_COMMITTER_EMAIL": "t@example.org",
}


def git(where: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", where, *words], env=ENV, check=True, capture_output=True, text=True
    )
    return done.stdout


def commit(where: Path, message: str) -> None:
    git(where, "commit", "-q", "--allow-empty", "-m", message)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


@pytest.fixture
def repo(base: Path) -> Path:
    root = base / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, "first")
    return root


def where(folder: Path, **more: object) -> WorkspaceIdentity:
    return find(folder, user_home=Path("/nonexistent/home"), **more)  # type: ignore[arg-type]


def test_the_key_is_the_digest_of_the_resolved_path() -> None:
    assert key_of("/srv/code/shop") == "22a542a46d1db65e"


def test_outside_git_the_folder_itself_is_the_workspace(base: Path) -> None:
    inner = base / "notes" / "deep"
    inner.mkdir(parents=True)
    found = where(inner)
    expected = hashlib.sha256(os.fsencode(inner)).hexdigest()[:16]
    assert found == WorkspaceIdentity(str(inner), expected, None, inner)


def test_subfolders_and_symlinks_resolve_to_the_checkout(repo: Path, base: Path) -> None:
    (repo / "src" / "deep").mkdir(parents=True)
    (base / "link").symlink_to(repo / "src")
    for folder in (repo, repo / "src" / "deep", base / "link", base / "link" / "deep"):
        assert where(folder) == WorkspaceIdentity(str(repo), key_of(repo), "main", repo)


def test_a_linked_worktree_shares_the_key_and_has_its_own_branch(repo: Path, base: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "feat/login", str(base / "elsewhere"))
    (base / "elsewhere" / "src").mkdir()
    found = where(base / "elsewhere" / "src")
    assert (found.path, found.branch) == (repo, "feat/login")
    assert where(repo).branch == "main"


def test_a_folder_inside_the_git_folder_belongs_to_the_checkout(repo: Path, base: Path) -> None:
    git(repo, "worktree", "add", "-q", str(base / "wt"))
    assert where(repo / ".git" / "hooks").path == repo
    assert where(repo / ".git" / "worktrees" / "wt").path == repo


def test_a_bare_repository_is_its_own_root_for_all_its_worktrees(repo: Path, base: Path) -> None:
    bare = base / "shop.git"
    git(base, "clone", "-q", "--bare", str(repo), str(bare))
    git(bare, "worktree", "add", "-q", str(base / "one"), "main")
    git(bare, "worktree", "add", "-q", "-b", "two", str(base / "two"))
    assert [where(p).path for p in (bare, bare / "refs", base / "one", base / "two")] == [bare] * 4


def test_a_hidden_bare_repository_beside_its_worktrees(repo: Path, base: Path) -> None:
    home = base / "project"
    home.mkdir()
    git(base, "clone", "-q", "--bare", str(repo), str(home / ".git"))
    git(home, "worktree", "add", "-q", str(home / "main"), "main")
    assert where(home / "main").path == home


def test_a_submodule_has_a_root_of_its_own(repo: Path, base: Path) -> None:
    lib = base / "lib"
    lib.mkdir()
    git(lib, "init", "-q", "-b", "trunk")
    commit(lib, "first")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), "vendor/lib")
    sub = repo / "vendor" / "lib"
    assert (where(sub).path, where(sub).branch) == (sub, "trunk")
    git(sub, "worktree", "add", "-q", "-b", "side", str(base / "sub-wt"))
    assert (where(base / "sub-wt").path, where(base / "sub-wt").branch) == (sub, "side")
    assert where(repo / "vendor").path == repo


def test_a_separate_git_folder_leaves_the_root_with_the_checkout(base: Path) -> None:
    git(base, "init", "-q", "-b", "main", "--separate-git-dir", str(base / "store"), "work")
    assert where(base / "work").path == base / "work"


def test_the_environment_of_a_git_hook_changes_nothing(
    repo: Path, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = base / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert where(repo).path == repo
    assert branch_gone(repo, "main") is False


def test_a_detached_head_and_a_rebase(repo: Path) -> None:
    commit(repo, "second")
    git(repo, "checkout", "-q", "--detach", "HEAD~1")
    assert where(repo).branch is None
    (repo / ".git" / "rebase-merge").mkdir()
    (repo / ".git" / "rebase-merge" / "head-name").write_text("refs/heads/topic\n")
    assert where(repo).branch == "topic"


def test_a_branch_without_a_commit_is_a_branch(base: Path) -> None:
    git(base, "init", "-q", "-b", "trunk", "fresh")
    assert where(base / "fresh").branch == "trunk"


def test_a_worktree_that_was_moved_by_hand_is_its_own_workspace(repo: Path, base: Path) -> None:
    git(repo, "worktree", "add", "-q", str(base / "wt"))
    (base / "wt").rename(base / "moved")
    assert where(base / "moved").path == base / "moved"
    git(base / "moved", "worktree", "repair")
    assert where(base / "moved").path == repo


def test_an_unpacked_archive_cannot_name_another_repository(repo: Path, base: Path) -> None:
    git(repo, "worktree", "add", "-q", str(base / "wt"))
    evil = base / "evil"
    evil.mkdir()
    pointer = evil / ".git"
    pointer.write_text(f"gitdir: {repo}/.git/worktrees/wt\n")
    assert where(evil).path == evil
    pointer.unlink()
    pointer.mkdir()
    (pointer / "HEAD").write_text("ref: refs/heads/main\n")
    (pointer / "commondir").write_text(f"{repo}/.git\n")
    (pointer / "gitdir").write_text(f"{pointer}\n")
    assert where(evil).path == evil


def test_core_worktree_counts_only_if_it_points_back(repo: Path, base: Path) -> None:
    bare = base / "bare"
    git(base, "clone", "-q", "--bare", str(repo), str(bare))
    git(bare, "worktree", "add", "-q", str(base / "wt"), "main")
    with (bare / "config").open("a") as config:
        config.write(f"[core]\n\tworktree = {repo}\n")
    assert where(base / "wt").path == bare


@pytest.mark.parametrize("content", ["gitdir: /nowhere/at/all\n", "", "gitdir: \n", "x" * 20_000])
def test_a_pointer_to_nowhere_marks_a_plain_folder(base: Path, repo: Path, content: str) -> None:
    inner = repo / "inner"
    inner.mkdir()
    (inner / ".git").write_text(content)
    assert (where(inner).path, where(inner).branch) == (inner, None)


def test_pipes_and_empty_git_folders_are_ignored(repo: Path) -> None:
    inner = repo / "inner"
    (inner / ".git").mkdir(parents=True)
    assert where(inner).path == repo
    os.mkfifo(inner / ".git" / "HEAD")
    (inner / ".git" / "objects").mkdir()
    (inner / ".git" / "refs").mkdir()
    assert (where(inner).path, where(inner).branch) == (inner, None)


def test_missing_folders_files_and_the_root_are_refused(base: Path) -> None:
    (base / "file").write_text("")
    with pytest.raises(NotFound, match="There is no folder"):
        where(base / "gone")
    with pytest.raises(UserError, match="is not a folder"):
        where(base / "file")
    with pytest.raises(UserError, match="cannot be used"):
        where(Path("a\0b"))
    with pytest.raises(UserError, match="root of the file system"):
        where(Path("/"))


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(UserError, match="cannot be used"):
        find("/srv/\ud800")


def test_a_deleted_current_folder_is_a_missing_one(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = base / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(NotFound):
        where(Path("."))


def test_the_home_folder_is_a_workspace_only_on_request(base: Path) -> None:
    home = base / "home"
    (home / "notes").mkdir(parents=True)
    git(home, "init", "-q", "-b", "main")
    with pytest.raises(UserError, match="home folder"):
        find(home, user_home=home)
    with pytest.raises(UserError, match="home folder"):
        find(home / ".git", user_home=home)
    assert find(home, user_home=home, explicit=True).path == home
    assert find(home / "notes", user_home=home).path == home / "notes"
    assert find(home / "notes", user_home=home, explicit=True).path == home


def test_a_path_that_is_not_utf8_has_a_key_and_a_printable_root(base: Path) -> None:
    folder = os.path.join(os.fsencode(base), b"caf\xe9")
    os.mkdir(folder)
    found = find(os.fsdecode(folder), user_home=base)
    assert found.root == f"{base}/caf\\xe9"
    assert found.key == hashlib.sha256(folder).hexdigest()[:16]
    assert os.fsencode(found.path) == folder


@pytest.mark.parametrize(
    ("name", "listed", "true"),
    [
        ("SHOP", [("Shop", (1, 7))], "Shop"),
        ("Shop", [("Shop", (1, 7)), ("shop", (1, 7))], "Shop"),
        ("cafe\u0301", [("caf\u00e9", (1, 7))], "caf\u00e9"),
        ("shop", [("other", (1, 7))], "shop"),
        ("shop", [("Shop", (1, 8))], "shop"),
    ],
)
def test_a_folder_is_spelled_as_the_file_system_spells_it(
    name: str, listed: list[tuple[str, tuple[int, int]]], true: str
) -> None:
    assert true_name(name, (1, 7), listed) == true


def test_two_folders_that_differ_by_case_are_two_workspaces(base: Path) -> None:
    (base / "Shop").mkdir()
    (base / "shop").mkdir(exist_ok=True)
    if os.path.samefile(base / "Shop", base / "shop"):
        assert where(base / "Shop").key == where(base / "shop").key
    else:
        assert where(base / "Shop").key != where(base / "shop").key


def test_deleted_branches_are_reported_as_gone(repo: Path, base: Path) -> None:
    git(repo, "branch", "feat")
    assert branch_gone(repo, "feat") is False
    git(repo, "branch", "-D", "feat")
    assert branch_gone(repo, "feat") is True
    git(repo, "checkout", "-q", "--orphan", "new")
    assert branch_gone(repo, "new") is False  # without a commit
    assert branch_gone(base, "feat") is None
    assert branch_gone(base / "missing", "feat") is None
    assert branch_gone(repo, "feat", deadline_s=0) is None


def test_merged_branches_are_reported_as_merged(repo: Path) -> None:
    git(repo, "branch", "untouched")
    git(repo, "checkout", "-q", "-b", "joined")
    commit(repo, "work")
    git(repo, "checkout", "-q", "-b", "open", "main")
    commit(repo, "more work")
    git(repo, "checkout", "-q", "main")
    assert [merged(repo, b) for b in ("joined", "open", "untouched", "main", "none")] == [
        False,
        False,
        False,
        False,
        None,
    ]
    git(repo, "merge", "-q", "--no-ff", "--no-edit", "joined")
    assert merged(repo, "joined") is True
    git(repo, "checkout", "-q", "-b", "forward")
    commit(repo, "step")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--ff-only", "forward")
    assert [merged(repo, b) for b in ("forward", "untouched")] == [True, False]


def test_without_git_branch_state_is_unknown(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo))
    assert branch_gone(repo, "main") is None
    assert merged(repo, "main") is None
    assert where(repo).branch == "main"


def test_a_git_that_hangs_is_abandoned_after_the_deadline(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleep = shutil.which("sleep")
    fake = repo / "git"
    fake.write_text(f"#!/bin/sh\nexec {sleep} 30\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(repo))
    assert branch_gone(repo, "main", deadline_s=0.1) is None
