"""Read objects of a repository that may be hostile, and compare two trees of shared memory (SY-4).

One `git cat-file` for each level of the trees. No object beyond its limit is read, whatever its
name or kind claims, and no tree is walked deeper than the form allows: links, odd paths, huge or
deep trees are skipped and listed as left out.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import IO

from msgspec import Struct, field

from wm.errors import UserError
from wm.formats.sharing.shared_entry import ID
from wm.store.git.command import started

VERSION_FILE = "version"
MAX_ENTRY_BYTES = 256 * 1024
MAX_TREE_BYTES = 32 * 1024 * 1024
MAX_TOTAL_BYTES = 1024 * 1024 * 1024
MAX_NAMES = 1_000_000
"""Limits of one shared entry, one tree object, all bytes and all names that one sync reads."""
MAX_LISTED = 1000
"""Most paths that are listed as left out; further ones are counted."""

_SPACE = re.compile(r"entries|user|w_[0-9a-f]{16}")
_FOLDER = re.compile(r"[0-9a-f]{2}")
_FILE = re.compile(rf"({ID})\.json")
_UNREADABLE = "git could not read the shared memory, or not in time."
_TREE, _BLOB = b"40000", b"100644"

Key = tuple[str, str]
"""Space and id of a shared entry."""
Children = Mapping[str, tuple[bytes, str]]
"""Name -> mode and object id."""


class Difference(Struct):
    """The files in which two trees differ. files: object in the left and in the right tree, "" for
    none. odd: paths of the right tree that are no part of the form."""

    files: dict[Key, tuple[str, str]] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    odd_count: int = 0

    def leave_out(self, path: str) -> None:
        self.odd_count += 1
        if len(self.odd) < MAX_LISTED:
            self.odd.append(path)


def folder_of(entry_id: str) -> str:
    return hashlib.sha256(entry_id.encode()).hexdigest()[:2]


def path_of(key: Key) -> str:
    space, entry_id = key
    return f"{space}/{folder_of(entry_id)}/{entry_id}.json"


class Objects:
    """Reads the objects of one repository, within limits for all its reads together."""

    def __init__(self, git_dir: str, *, deadline_s: float = 120.0) -> None:
        self._git_dir = git_dir
        self._deadline_s = deadline_s
        self._bytes_left = MAX_TOTAL_BYTES
        self._names_left = MAX_NAMES

    def read(self, names: Iterable[str], kind: str, most: int) -> dict[str, bytes]:
        """The contents of objects by name; those that are missing, of another kind or larger than
        `most` are absent. Raises UserError if all together are too large."""
        found: dict[str, bytes] = {}
        rest = list(dict.fromkeys(filter(None, names)))
        while rest:
            rest = rest[self._read_some(rest, kind, most, found) :]
        return found

    def version(self, commit: str) -> bytes:
        """The version file of a commit; b"" if there is none."""
        name = f"{commit}:{VERSION_FILE}"
        return self.read([name], "blob", MAX_ENTRY_BYTES).get(name, b"") if commit else b""

    def spaces(self, commit: str) -> frozenset[str]:
        """The folders of a commit's tree."""
        root = f"{commit}^{{tree}}"
        raw = self.read([root], "tree", MAX_TREE_BYTES)
        return frozenset(filter(_SPACE.fullmatch, self._children(raw, root, len(commit) // 2)))

    def difference(self, left: str, right: str) -> Difference:
        """Compare the trees of two commits ("" for none), reading only folders that differ."""
        found = Difference()
        if left == right:
            return found
        id_bytes = len(right or left) // 2
        root = tuple(f"{commit}^{{tree}}" if commit else "" for commit in (left, right))
        level: dict[str, tuple[str, ...]] = {"": root}
        for pattern in (_SPACE, _FOLDER, None):
            below: dict[str, tuple[str, ...]] = {}
            names = (name for pair in level.values() for name in pair)
            raw = self.read(names, "tree", MAX_TREE_BYTES)
            for path, pair in level.items():
                ours, theirs = (self._children(raw, name, id_bytes) for name in pair)
                for name, ids in _changed(path, ours, theirs, pattern, found):
                    if pattern is None:
                        found.files[(path.partition("/")[0], name)] = ids
                    else:
                        below[f"{path}/{name}" if path else name] = ids
            level = below
        return found

    def _children(self, raw: Mapping[str, bytes], name: str, id_bytes: int) -> Children:
        if not name:
            return {}
        if name not in raw:
            raise UserError(
                f"A folder of the shared memory is missing or larger than {MAX_TREE_BYTES} bytes.",
                fix="Somebody with access to the remote has to repair its refs/wm/memory.",
            )
        children = parse_tree(raw[name], id_bytes)
        self._names_left -= len(children)
        if self._names_left < 0:
            raise UserError(f"The shared memory has more than {MAX_NAMES:,} files.")
        return children

    def _read_some(
        self, names: Sequence[str], kind: str, most: int, found: dict[str, bytes]
    ) -> int:
        """Read until an object is too large, which ends the command; the number of names read."""
        words = (f"--git-dir={self._git_dir}", "cat-file", "--batch", "--buffer")
        with started(words, where=self._git_dir, deadline_s=self._deadline_s) as git:
            assert git.stdin is not None
            assert git.stdout is not None
            assert git.stderr is not None
            feed = threading.Thread(target=_feed, args=(git.stdin, names), daemon=True)
            errors = threading.Thread(target=_discard, args=(git.stderr,), daemon=True)
            feed.start()
            errors.start()
            for number, name in enumerate(names, 1):
                head = git.stdout.readline().split()
                if not head:
                    raise UserError(_UNREADABLE)
                if head[-1] == b"missing" or not head[-1].isdigit():
                    continue
                size = int(head[-1])
                if size > most:
                    return number
                self._bytes_left -= size
                if self._bytes_left < 0:
                    raise UserError(f"The shared memory is larger than {MAX_TOTAL_BYTES:,} bytes.")
                data = git.stdout.read(size + 1)
                if len(data) <= size:
                    raise UserError(_UNREADABLE)  # half an object must not pass for a missing one
                if head[-2].decode() == kind:
                    found[name] = data[:size]
        return len(names)


def parse_tree(raw: bytes, id_bytes: int) -> Children:
    """The children in the bytes of a tree object. Raises UserError if they are no tree."""
    found: dict[str, tuple[bytes, str]] = {}
    at = 0
    while at < len(raw):
        space, end = raw.find(b" ", at), raw.find(b"\0", at)
        after = end + 1 + id_bytes
        if not at < space < end or after > len(raw):
            raise UserError("A folder of the shared memory is damaged.")
        name = raw[space + 1 : end].decode("utf-8", "backslashreplace")
        found[name] = (raw[at:space], raw[end + 1 : after].hex())
        at = after
    return found


def _changed(
    path: str, ours: Children, theirs: Children, pattern: re.Pattern[str] | None, found: Difference
) -> list[tuple[str, tuple[str, str]]]:
    """The children of one folder that differ, and fit the form. pattern: of the names of folders;
    None for a folder of files, whose names become entry ids."""
    changed = []
    for name in dict.fromkeys((*ours, *theirs)):
        left, right = ours.get(name), theirs.get(name)
        if left == right or (not path and name == VERSION_FILE):
            continue
        fits = (pattern or _FILE).fullmatch(name)
        mode = _TREE if pattern else _BLOB
        is_right = right is None or (right[0] == mode and (pattern or _in_place(path, name)))
        if not (fits and is_right):
            found.leave_out(f"{path}/{name}" if path else name)
            right = None
        if fits and (left or right):
            ids = (left[1] if left else "", right[1] if right else "")
            changed.append((name if pattern else fits[1], ids))
    return changed


def _in_place(path: str, name: str) -> bool:
    return path.rpartition("/")[2] == folder_of(name.removesuffix(".json"))


def _feed(stream: IO[bytes], names: Sequence[str]) -> None:
    with suppress(OSError, ValueError):
        stream.write("".join(f"{name}\n" for name in names).encode())
        stream.close()


def _discard(stream: IO[bytes]) -> None:
    with suppress(OSError, ValueError):
        while stream.read(65536):
            pass
