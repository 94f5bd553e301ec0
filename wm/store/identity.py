"""Find the workspace of a folder (ID-2, ID-3).

The identity root is the root of the main worktree of the git repository that holds the folder, or
outside git the folder itself. The key is the first 16 hex digits of sha256 over its resolved path.
Both are found by reading git's few pointer files, without starting git, because this runs in every
hook. `branch_gone`, `merged` and `subjects` do start git, in short calls with a deadline.

Protects: a repository cannot reach another one's memory by naming it. A pointer out of the folder
counts only if the place it names points back. Environment variables such as GIT_DIR are ignored, so
the same folder always means the same workspace. Reads repository files only, never the data folder;
every read is capped and opens regular files only.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from wm.errors import NotFound, UserError
from wm.store.project import read_regular

POINTER_BYTES = 16 * 1024
"""HEAD, commondir and the like hold one path."""
CONFIG_BYTES = 1024 * 1024

StrPath = str | os.PathLike[str]


class WorkspaceIdentity(Struct, frozen=True):
    """A workspace. `root` is the folder as text that fits into a document, `path` the same folder
    for the file system (they differ only if the name is not UTF-8). branch: of the worktree that
    was given, None when detached, unknown or outside git."""

    root: str
    key: str
    branch: str | None
    path: Path


def key_of(root: StrPath | bytes) -> str:
    """The workspace key of a resolved path; the folder need not exist (a moved checkout)."""
    return hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def shown(path: StrPath) -> str:
    """A path as text for documents: bytes that are not UTF-8 become `\\xNN`."""
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError:  # half a surrogate pair, from a client's JSON: no file has that name
        raw = os.fspath(path).encode("utf-8", "surrogatepass")
    return raw.decode("utf-8", "backslashreplace")


def find(
    directory: StrPath, *, user_home: Path | None = None, explicit: bool = False
) -> WorkspaceIdentity:
    """The workspace of a folder.

    user_home: the user's home folder (default: the account's). It counts as a workspace, or as a
    repository that holds the folders below it, only with `explicit`: else one stray `git init`
    there would make one memory of everything. Raises NotFound for a missing folder, UserError
    for a file, for `/`, and for the home folder without `explicit`.
    """
    start = _existing(directory)
    home = None if explicit else _home(user_home)
    root, git_dir = _search(start, home)
    root = _spelling(root)
    if root == "/":
        raise UserError.of("folder.root")
    if _is_home(root, home):
        raise UserError.of("folder.home", root=shown(root))
    branch = _branch(git_dir) if git_dir is not None else None
    return WorkspaceIdentity(shown(root), key_of(root), branch, Path(root))


def folders_above(root: Path, *, user_home: Path | None = None) -> Iterator[WorkspaceIdentity]:
    """The folders above a workspace outside git, the nearest first (ID-3). Ends at a folder that
    everyone may write to, such as `/tmp`, at the home folder and at `/`."""
    home = _home(user_home)
    if _at(str(root)) is not None or _is_home(str(root), home):
        return
    for folder in root.parents[:-1]:
        if _is_home(str(folder), home) or os.stat(folder).st_mode & stat.S_IWOTH:
            return
        yield WorkspaceIdentity(shown(folder), key_of(folder), None, folder)


def _existing(directory: StrPath) -> str:
    try:
        path = os.path.realpath(directory, strict=True)
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound.of("folder.missing", directory=shown(directory)) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError.of("folder.unusable", directory=shown(directory), why=why) from error
    if not stat.S_ISDIR(mode):
        raise UserError.of("folder.not_a_folder", directory=shown(directory))
    return path


def _home(user_home: Path | None) -> str | None:
    with suppress(RuntimeError):  # no HOME and no account: there is nothing to protect
        return os.path.realpath(Path.home() if user_home is None else user_home)
    return None


def _is_home(path: str, home: str | None) -> bool:
    """Whether a path is the home folder, compared by inode rather than by spelling."""
    try:
        return home is not None and os.path.samefile(path, home)
    except OSError:
        return path == home


# --- git's own layout ---------------------------------------------------------------------


def _search(start: str, home: str | None) -> tuple[str, str | None]:
    """(identity root, git folder of the worktree or None), searching upwards from `start`."""
    at = start
    while at != "/":
        if _is_home(at, home):
            break
        found = _at(at)
        if found is not None:
            return found
        at = os.path.dirname(at)
    return start, None


def _at(folder: str) -> tuple[str, str | None] | None:
    """What git would find in this one folder; None: continue in the parent."""
    dot = os.path.join(folder, ".git")
    try:
        mode = os.stat(dot).st_mode
    except OSError:
        mode = 0
    if stat.S_ISDIR(mode):
        git_dir = os.path.realpath(dot)
        if _is_git_dir(git_dir):
            return _root_of_worktree(folder, git_dir), git_dir
        # git ignores an empty `.git` folder; one that may not be entered still marks a root.
        return None if os.access(dot, os.R_OK | os.X_OK) else (folder, None)
    if stat.S_ISREG(mode):
        linked = _pointer(dot)
        if linked is not None and _is_git_dir(linked):
            return _root_of_worktree(folder, linked), linked
        return folder, None  # a pointer to nowhere: git stops here with an error
    if _is_git_dir(folder):  # inside `.git`, or in a bare repository
        return _main_root(_common(folder)), folder
    return None


def _root_of_worktree(folder: str, git_dir: str) -> str:
    """The identity root of the worktree `folder`, whose own git folder is `git_dir`."""
    common = _common(git_dir)
    if common == git_dir:
        return folder
    if _points_back(folder, git_dir, common):
        return _main_root(common)
    return folder


def _points_back(folder: str, git_dir: str, common: str) -> bool:
    """Whether the repository itself lists `folder` among its worktrees.

    An unpacked archive can contain a `.git` file that names any repository of the user; only git
    working in that repository creates the entry under `worktrees/`.
    """
    if os.path.dirname(git_dir) != os.path.join(common, "worktrees"):
        return False
    back = _line(os.path.join(git_dir, "gitdir"))
    if back is None:
        return False
    return os.path.realpath(os.path.join(git_dir, back)) == os.path.realpath(
        os.path.join(folder, ".git")
    )


def _main_root(common: str) -> str:
    """The root of the main worktree of a repository; a bare one is its own root."""
    if os.path.basename(common) == ".git":
        return os.path.dirname(common)
    for name in ("config", "config.worktree"):
        named = _core_worktree(os.path.join(common, name))
        if named is None:
            continue
        root = os.path.realpath(os.path.join(common, named))
        # core.worktree is free text: accepted only if that worktree names this repository.
        if _pointer(os.path.join(root, ".git")) == common:
            return root
    return common


def _common(git_dir: str) -> str:
    named = _line(os.path.join(git_dir, "commondir"))
    return git_dir if named is None else os.path.realpath(os.path.join(git_dir, named))


def _is_git_dir(path: str) -> bool:
    """git's own test: a HEAD, and the folders objects and refs in the common folder."""
    common = _common(path)
    return os.path.lexists(os.path.join(path, "HEAD")) and all(
        os.path.isdir(os.path.join(common, name)) for name in ("objects", "refs")
    )


def _pointer(dot_git: str) -> str | None:
    """The folder that a `.git` file names, resolved; None if it is not such a file."""
    line = _line(os.path.realpath(dot_git))
    if line is None or not line.startswith("gitdir: "):
        return None
    return os.path.realpath(os.path.join(os.path.dirname(dot_git), line[len("gitdir: ") :]))


def _core_worktree(config: str) -> str | None:
    """`worktree` of the `[core]` section. Includes and line continuations are not followed."""
    section = ""
    named = None
    for line in (_read(config, CONFIG_BYTES) or "").split("\n"):
        text = line.strip()
        if text.startswith("["):
            section = text.partition("]")[0].strip("[ ").lower()
            continue
        name, equals, value = text.partition("=")
        if section == "core" and equals and name.strip().lower() == "worktree":
            named = value.strip().strip('"')
    return named or None


def _branch(git_dir: str) -> str | None:
    """The branch of this worktree; during a rebase the branch that is being rebased."""
    for name in ("HEAD", "rebase-merge/head-name", "rebase-apply/head-name"):
        target = (_line(os.path.join(git_dir, name)) or "").removeprefix("ref: ")
        branch = target.strip().removeprefix("refs/heads/")
        # A reftable repository keeps a HEAD for old programs that names no branch.
        if branch not in (target.strip(), "", ".invalid"):
            return shown(branch)
    return None


def _line(path: str) -> str | None:
    """The one line of a pointer file, without its line end; None if there is none."""
    text = _read(path, POINTER_BYTES)
    return None if text is None else text.rstrip("\r\n") or None


def _read(path: str, limit: int) -> str | None:
    """A small regular file; None for anything else. Never blocks on a pipe or follows a link."""
    try:
        data, _status = read_regular(path, limit, flags=os.O_NOFOLLOW)
    except (OSError, ValueError):
        return None
    return None if len(data) > limit or b"\0" in data else os.fsdecode(data)


# --- one folder, several spellings --------------------------------------------------------


def _spelling(path: str) -> str:
    """The path as the file system itself spells it.

    If letter case or Unicode form do not matter, realpath keeps what was typed and one folder
    would get several keys.
    """
    at = "/"
    for name in path.split("/")[1:]:
        if name:
            at = os.path.join(at, name if not _folds(at, name) else _listed(at, name))
    return at


def _folds(parent: str, name: str) -> bool:
    """Whether `parent` also knows the entry `name` by another spelling."""
    others = {
        name.swapcase(),
        unicodedata.normalize("NFD", name),
        unicodedata.normalize("NFC", name),
    }
    for other in others - {name}:
        try:  # try the other spelling first: most often it does not exist
            found = os.lstat(os.path.join(parent, other))
            if os.path.samestat(found, os.lstat(os.path.join(parent, name))):
                return True
        except (OSError, ValueError):
            continue
    return False


def _listed(parent: str, name: str) -> str:
    try:
        ident = os.lstat(os.path.join(parent, name))
        with os.scandir(parent) as entries:
            listed = [(e.name, e.stat(follow_symlinks=False)) for e in entries]
    except OSError:
        return name
    return true_name(
        name, (ident.st_dev, ident.st_ino), ((n, (s.st_dev, s.st_ino)) for n, s in listed)
    )


def true_name(
    name: str, ident: tuple[int, int], listed: Iterable[tuple[str, tuple[int, int]]]
) -> str:
    """The listed spelling of `name`: the entry with the same (device, inode) and the same
    letters."""

    def folded(text: str) -> str:
        return unicodedata.normalize("NFC", text).casefold()

    same = [other for other, other_ident in listed if other_ident == ident]
    if name in same:
        return name
    return next((other for other in same if folded(other) == folded(name)), name)


# --- questions for git --------------------------------------------------------------------


def branch_gone(root: StrPath, branch: str, *, deadline_s: float = 2.0) -> bool | None:
    """Whether the repository has no local branch of this name; None: git gave no answer.

    root: any worktree of the repository.
    """
    code, _ = _git(root, ["show-ref", "--verify", "--quiet", f"refs/heads/{branch}"], deadline_s)
    if code != 1:
        return False if code == 0 else None
    # git also exits with 1 outside a repository; then nothing is known about branches. A branch
    # without a commit has no ref yet, but a worktree is on it.
    code, listed = _git(root, ["worktree", "list", "--porcelain"], deadline_s)
    return f"branch refs/heads/{branch}" not in listed.splitlines() if code == 0 else None


def _asking(root: StrPath, deadline_s: float) -> Callable[..., tuple[int | None, str]]:
    """Runs git commands that have this time together."""
    end = time.monotonic() + deadline_s
    return lambda *words: _git(root, list(words), end - time.monotonic())


def merged(root: StrPath, branch: str, *, deadline_s: float = 2.0) -> bool | None:
    """Whether the work of a branch is part of HEAD; None: git gave no answer.

    A branch without own commits counts as not begun, not as merged. A squashed merge
    leaves no trace in history; such a branch counts once it is deleted (`branch_gone`).
    """
    ask = _asking(root, deadline_s)
    code, answer = ask("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}")
    tip = answer.strip()
    if code != 0 or not tip:
        return None
    if ask("symbolic-ref", "--quiet", "HEAD")[1].strip() == f"refs/heads/{branch}":
        return False
    code, _ = ask("merge-base", "--is-ancestor", tip, "HEAD")
    if code != 0:
        return False if code == 1 else None
    code, trunk = ask("rev-list", "--first-parent", "HEAD")
    if code != 0:
        return None
    if tip not in trunk.split():
        return True
    # The tip is on the first-parent line: a fast-forward, or a branch without own commits.
    code, moves = ask("reflog", "show", "--format=%H", f"refs/heads/{branch}", "--")
    return None if code != 0 else len(set(moves.split())) > 1


def origins(root: StrPath, *, deadline_s: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The first commits of HEAD's history and the URLs of the remotes; nothing if git gives no
    answer in time, and for a shallow clone, whose first commits are not the repository's."""
    ask = _asking(root, deadline_s)
    code, shallow = ask("rev-parse", "--is-shallow-repository")
    if code != 0 or shallow.strip() != "false":
        return (), ()
    code, commits = ask("rev-list", "--max-parents=0", "HEAD")
    if code != 0:
        return (), ()
    # Exit code 1: there is no remote.
    _, remotes = ask("config", "--local", "--get-regexp", r"^remote\..*\.url$")
    urls = (line.partition(" ")[2] for line in remotes.splitlines())
    return tuple(commits.split()), tuple(filter(None, urls))


def subjects(root: StrPath, count: int, deadline_s: float) -> str:
    """The subjects of the last commits, one per line; "" if git gives no answer."""
    code, output = _git(
        root, ["log", f"--max-count={count}", "--no-show-signature", "--format=%s"], deadline_s
    )
    return output if code == 0 else ""


def _git(root: StrPath, words: list[str], deadline_s: float) -> tuple[int | None, str]:
    """(exit code, output) of one short git command; code None when it could not answer.

    Uses its own environment: GIT_DIR and the like of a surrounding hook must not send the
    question to another repository, and no configuration may start a program.
    """
    git = shutil.which("git")
    if git is None or deadline_s <= 0:
        return None, ""
    env = {
        "PATH": os.path.dirname(git),
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
    quiet = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    try:
        done = subprocess.run(
            [git, "-C", os.fspath(root), *quiet, *words],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=deadline_s,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None, ""
    return done.returncode, done.stdout.decode("utf-8", "replace")
