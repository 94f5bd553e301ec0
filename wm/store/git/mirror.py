"""The private mirror of one shared memory: a bare repository below the data folder (SY-1, SY-4).

Fetched objects enter here and nowhere else. It is derived from the remote and the memory: a damaged
one is set aside and created again. Owns no lock: a ref moves only forward from the commit that the
writer saw, so of two writers one repeats its step.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from msgspec import Struct

from wm.errors import Conflict, Corrupt, StoreError, Unavailable
from wm.store import paths
from wm.store.files import FileStore
from wm.store.fsops import explained
from wm.store.git.command import LEFT, LOCAL_SERVER, REMOTE, Output, run

REF = "refs/wm/memory"
FETCHED = "refs/wm/fetched"
PLUMBING_S = 120.0
NETWORK_S = 300.0
QUIET_NETWORK_S = 30.0
CONFIGURED_S = 5.0
"""Deadlines of commands on this machine, over the network, over it in the background, and of
reading the configuration."""

STALE_S = 2 * NETWORK_S
"""Age from which on a lock or a temporary file in the mirror belongs to no running command."""

MAX_VERIFIED = 5000
"""Newest commits whose signatures one sync verifies; each takes git some milliseconds."""
KEPT_LOG = 64 * 1024 * 1024

LOST_RACE = "others pushed at every try"
"""Why a push failed that has to be repeated on what was pushed meanwhile."""

_NO_REF = "couldn't find remote ref"
_REFUSED = re.compile(r"^!\t\S+\t\[remote rejected\] \((.+)\)", re.MULTILINE)
_LOST_RACE = ("fetch first", "non-fast-forward", "stale info", "cannot lock", "failed to update")


class Identity(Struct, frozen=True):
    """Who commits: as git knows the user."""

    name: str
    email: str
    signs: bool = False


class Mirror:
    """One workspace's mirror. quiet: it runs in the background, so git asks for nothing and its
    deadlines are short."""

    def __init__(self, store: FileStore, workspace: str, *, quiet: bool) -> None:
        self._store = store
        self._quiet = quiet
        self._name = f"{workspace}.git"
        self.path = str(store.home / paths.MIRRORS / self._name)
        self._git = partial(run, where=self.path, deadline_s=PLUMBING_S, is_repository=True)

    def prepare(self, project: str = "") -> None:
        """Make the repository if there is none, with the kind of object ids of this project.
        Raises Unavailable without git, StoreError."""
        store, core = self._store, self._store.core
        core.key_to_write()  # creates the data folder if this is its first file
        with explained("write", store.home, paths.MIRRORS), core.make_folder(paths.MIRRORS) as all:
            if store.disk.exists(all, self._name):
                self._drop_leftovers()
                return
            # Made under another name: a second sync must never see half a repository.
            new = paths.temp(self._name, secrets.token_hex(8))
            kind = ["rev-parse", "--show-object-format"]
            ids = run(kind, where=project, deadline_s=PLUMBING_S).text if project else ""
            words = ["init", "--quiet", "--bare", "--template=", f"--object-format={ids or 'sha1'}"]
            where = str(store.home / paths.MIRRORS)
            made = _answered(run([*words, new], where=where, deadline_s=PLUMBING_S))
            if not made.ok:
                raise Unavailable.of("git.cannot_make", path=self.path, why=made.why)
            try:
                store.disk.rename(all, new, self._name)
            except OSError:
                self.set_aside(new)  # another sync was first

    def _drop_leftovers(self) -> None:
        """Remove what git left when it was killed: lock files, with which every later command
        fails, and half of a pack."""
        disk = self._store.disk
        for part in ("", "/refs/wm", "/objects/pack"):
            with (
                suppress(FileNotFoundError),  # no ref yet, or its command ended just now
                disk.folder(f"{paths.MIRRORS}/{self._name}{part}") as folder,
            ):
                for name in disk.list(folder):
                    is_left = name.endswith(".lock") or name.startswith(LEFT)
                    if is_left and time.time() - disk.stat(folder, name).st_mtime > STALE_S:
                        disk.remove(folder, name)

    def set_aside(self, name: str = "") -> None:
        """Move the mirror, if any, or the folder `name` beside it, into quarantine; the next sync
        makes a new mirror."""
        store = self._store
        with (
            explained("move", store.home, paths.MIRRORS),
            suppress(FileNotFoundError),  # there is no mirror
            store.core.make_folder(paths.QUARANTINE) as quarantine,
            store.disk.folder(paths.MIRRORS) as mirrors,
        ):
            aside = f"{self._name}-{secrets.token_hex(4)}"
            store.disk.rename(mirrors, name or self._name, aside, quarantine)

    def has(self, commit: str) -> bool:
        return bool(commit) and self._git(["cat-file", "-e", f"{commit}^{{commit}}"]).ok

    def refs(self) -> Mapping[str, str]:
        """The commits of REF and FETCHED, as far as they exist."""
        words = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/wm"]
        found = _answered(self._git(words))
        if not found.ok:
            raise Corrupt(f"The mirror {self.path} cannot be read: {found.why}.")
        return dict(line.split(" ", 1) for line in found.text.splitlines() if " " in line)

    def fetch(self, url: str) -> tuple[str, str]:
        """Fetch the remote's state: its commit ("" if it has none), and why that failed."""
        # As one pack: its size is limited, not that of a hundred single files.
        words = ["-c", "fetch.unpackLimit=1", "fetch", "--quiet", "--no-tags"]
        words += ["--no-write-fetch-head", "--refmap="]
        words += [f"--upload-pack={LOCAL_SERVER.format('upload-pack')}"] if is_local(url) else []
        answer = self._over_network([*words, REMOTE, f"+{REF}:{FETCHED}"], url)
        if answer.ok:
            fetched = self.refs().get(FETCHED, "")
            # git exits with 0 where it refuses to fetch from a shallow repository.
            return fetched, "" if fetched else "the remote is a shallow repository"
        return ("", "") if _NO_REF in answer.err else ("", answer.why)

    def push(self, url: str, commit: str, *, replaces: str | None = None) -> str:
        """Push a commit; why that failed, or "". replaces: a commit that is not contained in it,
        and may be at the remote."""
        words = ["push", "--porcelain", "--no-verify", "--no-follow-tags"]
        words += [f"--receive-pack={LOCAL_SERVER.format('receive-pack')}"] if is_local(url) else []
        words += [] if replaces is None else [f"--force-with-lease={REF}:{replaces}"]
        answer = self._over_network([*words, REMOTE, f"{commit}:{REF}"], url)
        if answer.ok:
            self._git(["update-ref", FETCHED, commit])
            return ""
        output = f"{answer.text}\n{answer.err}"
        if answer.code is not None and any(word in output for word in _LOST_RACE):
            return LOST_RACE
        refused = _REFUSED.search(answer.text)
        return f"the remote refused it ({_safe(refused[1])})" if refused else answer.why

    def relation(self, ours: str, theirs: str) -> tuple[bool, bool]:
        """Whether our commit is contained in theirs, and theirs in ours."""
        if not ours:
            return True, False
        found = self._git(["rev-list", "--left-right", "--count", f"{ours}...{theirs}"])
        counts = found.text.split()
        if not found.ok or len(counts) != 2:
            raise Corrupt(f"The history in {self.path} cannot be read: {found.why}.")
        return counts[0] == "0", counts[1] == "0"

    def move(self, commit: str, before: str) -> None:
        """Set our ref to a commit. Raises Conflict if it was not `before` any more."""
        if not self._git(["update-ref", REF, commit, before or "0" * len(commit)]).ok:
            raise Conflict.of("sync.runs_already")

    def commit(
        self,
        changes: Mapping[str, bytes],
        parents: Sequence[str],
        *,
        who: Identity,
        message: str,
        at: int,
        signs: bool = False,
        is_first: bool = False,
    ) -> str:
        """Commit the first parent's tree with `changes`, path -> bytes, and move our ref to it.

        at: seconds since 1970. signs: as the user wants it; never what others wrote. is_first: the
        commit begins a new history. Raises StoreError, also if another writer moved our ref.
        """
        stamp = f"{who.name} <{who.email}> {at} +0000"
        lines = [f"commit {REF}\nmark :1\nauthor {stamp}\ncommitter {stamp}\n".encode()]
        lines += [b"data %d\n%s\n" % (len(message.encode()), message.encode())]
        lines += [f"from {parent}\n".encode() for parent in parents[:1]]
        lines += [f"merge {parent}\n".encode() for parent in parents[1:]]
        for path, data in changes.items():
            lines += [f"M 100644 inline {path}\ndata {len(data)}\n".encode(), data, b"\n"]
        lines.append(b"get-mark :1\ndone\n")
        made = self._git(["fast-import", "--quiet", "--done"], data=b"".join(lines))
        if not made.ok:
            lost_race = "Not updating" in made.err or "cannot lock" in made.err
            kind = Conflict if lost_race else Corrupt
            raise kind(f"git cannot write to {self.path}: {made.why}.", fix="Try again.")
        signs = signs and who.signs
        if not signs and not is_first:
            return made.text
        words = ["commit-tree", "-m", message, f"{made.text}^{{tree}}"]
        words += [] if is_first else [word for parent in parents for word in ("-p", parent)]
        words += ["-S"] if signs else []
        config = (("user.name", who.name), ("user.email", who.email))
        final = self._git(words, config=config, quiet=self._quiet)
        if not final.ok:
            raise StoreError.of("git.cannot_sign", path=self.path, why=final.why)
        self.move(final.text, made.text)
        return final.text

    def publish(self, root: str) -> None:
        """Set the project's own ref to the result, for people: nothing of ours reads it."""
        words = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap="]
        server = f"--upload-pack={LOCAL_SERVER.format('upload-pack')}"
        run([*words, server, "--", self.path, f"+{REF}:{REF}"], where=root, deadline_s=PLUMBING_S)

    def tidy(self) -> None:
        """Pack what many syncs left; git decides whether it is worth it."""
        config = (("gc.auto", "2000"), ("gc.autoPackLimit", "50"), ("gc.autoDetach", "false"))
        self._git(["gc", "--auto", "--quiet"], config=config)

    def signed_files(self, since: str, until: str, allowed: str) -> list[tuple[str, str, str]]:
        """The files that commits changed whose signature git verifies: object before and after, and
        the signer's e-mail address. allowed: file of allowed SSH signers; "" for git's own."""
        config = [("gpg.program", "gpg"), ("gpg.ssh.program", "ssh-keygen")]
        config += [("gpg.ssh.allowedSignersFile", allowed)] if allowed else []
        words = ["log", "--no-merges", f"--max-count={MAX_VERIFIED}", "--raw", "-r", "--root"]
        words += ["--no-renames", "--no-abbrev", "--format=%x00%G?%x00%GS", until]
        found = self._git([*words, *([f"^{since}"] if since else [])], config=config, most=KEPT_LOG)
        signed: list[tuple[str, str, str]] = []
        who = ""
        for line in found.text.splitlines():
            if line.startswith("\0"):
                _, status, signer = (*line.split("\0"), "")[:3]
                who = signer.rpartition("<")[2].strip("> ") if status == "G" else ""
            elif who and line.startswith(":") and line.count(" ") >= 4:
                _, _, before, after, _ = line.split(" ", 4)
                signed.append((before, after, who))
        return signed

    def _over_network(self, words: Sequence[str], url: str) -> Output:
        wait = QUIET_NETWORK_S if self._quiet else NETWORK_S
        return self._git(words, deadline_s=wait, quiet=self._quiet, url=url)


def _answered(found: Output) -> Output:
    """The output of a command; raises Unavailable if git did not answer at all."""
    if found.code is None:
        raise Unavailable.of("git.no_answer", why=found.why)
    return found


def is_local(url: str) -> bool:
    return url.startswith(("/", "file://"))


class Configured(Struct, frozen=True):
    """How git is configured in a folder. who: as whom it commits, if it knows. remotes: name ->
    URL. is_repository: the folder is in one."""

    who: Identity | None
    remotes: Mapping[str, str]
    is_repository: bool


def configured(root: str) -> Configured:
    """Read git's configuration in a folder. Raises Unavailable without git."""
    every_repository_has = "core.repositoryformatversion"
    wanted = rf"^(remote\..*\.url|user\.(name|email)|commit\.gpgsign|{every_repository_has})$"
    words = ["config", "--null", "--show-scope", "--get-regexp", wanted]
    found = _answered(run(words, where=root, deadline_s=CONFIGURED_S))
    parts = found.text.split("\0")
    values: dict[str, str] = {}
    for scope, pair in zip(parts[::2], parts[1::2], strict=False):
        name, is_set, value = pair.partition("\n")
        # Programs that sign are configured beside it: a setting of the project must not choose one.
        if name != "commit.gpgsign" or scope == "global":
            values[name] = value if is_set else "true"
    email = _safe(values.get("user.email", ""))
    name = _safe(values.get("user.name", "")) or email.partition("@")[0]
    signs = values.get("commit.gpgsign", "").lower() in ("true", "yes", "on", "1")
    remotes = {n[len("remote.") : -len(".url")]: v for n, v in values.items() if n.endswith(".url")}
    who = Identity(name, email, signs) if email else None
    return Configured(who, remotes, is_repository=every_repository_has in values)


def _safe(text: str) -> str:
    return "".join(c for c in text if c.isprintable() and c not in "<>")[:200].strip()


def absolute_url(root: str, url: str) -> str:
    """A URL as it may be used in any folder: a relative path is one from `root`."""
    is_path = "://" not in url and (":" not in url.partition("/")[0] or url.startswith("/"))
    return os.path.normpath(os.path.join(root, url)) if url and is_path else url
