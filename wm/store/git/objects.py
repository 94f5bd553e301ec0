"""Read objects of a repository that may be hostile, and compare two trees of shared memory (SY-4).

git itself compares the trees and lists the files that differ. No object beyond its limit is read,
whatever its name or kind claims: links, odd paths and huge files are skipped and listed as left
out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable
from functools import partial

from msgspec import Struct, field

from wm.errors import UserError
from wm.formats.sharing.shared_entry import ID
from wm.store.git.command import MAX_FILE_BYTES, run

VERSION_FILE = "version"
MAX_ENTRY_BYTES = 256 * 1024
MAX_TOTAL_BYTES = 128 * 1024 * 1024
MAX_LISTED_BYTES = 32 * 1024 * 1024
"""Limits of one shared entry, of all that one sync reads, and of git's list of the files that
differ. Each has room for 200,000 entries; a sync of so many bytes takes 0.7 GB of memory."""
MAX_LISTED = 1000
"""Most paths that are listed as left out; further ones are counted."""

_SPACE = r"entries|user|w_[0-9a-f]{16}"
_FILE = re.compile(rf"({_SPACE})/[0-9a-f]{{2}}/({ID})\.json")
_EMPTY_TREE = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""By the digits of an object id."""
_BLOB = b"100644"

Key = tuple[str, str]
"""Space and id of a shared entry."""


class Difference(Struct):
    """The files in which two trees differ. files: object in the left and in the right tree, "" for
    none. odd: paths of the right tree that are not part of the form."""

    files: dict[Key, tuple[str, str]] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    odd_count: int = 0

    def add(self, row: bytes, path: str) -> None:
        """Add a row of `git diff-tree`: modes, objects and status of one path."""
        if path == VERSION_FILE:
            return
        _, mode, left, right, _ = row.split(b" ")
        names = ["" if name.strip(b"0") == b"" else name.decode() for name in (left, right)]
        match = _FILE.fullmatch(path)
        key = (match[1], match[2]) if match else ("", "")
        is_in_place = match is not None and path == path_of(key)
        if names[1] and not (is_in_place and mode == _BLOB):
            self.leave_out(path)
            names[1] = ""
        if match is not None and any(names):
            self.files[key] = (names[0], names[1])

    def leave_out(self, path: str) -> None:
        self.odd_count += 1
        if len(self.odd) < MAX_LISTED:
            self.odd.append(path)


def path_of(key: Key) -> str:
    space, entry_id = key
    folder = hashlib.sha256(entry_id.encode()).hexdigest()[:2]
    return f"{space}/{folder}/{entry_id}.json"


class Objects:
    """Reads the objects of one repository, within limits for all its reads together."""

    def __init__(self, git_dir: str, *, deadline_s: float = 120.0) -> None:
        self._git = partial(run, where=git_dir, deadline_s=deadline_s, is_repository=True)
        self._bytes_left = MAX_TOTAL_BYTES

    def read(self, names: Iterable[str], most: int) -> dict[str, bytes]:
        """The contents of files by object name; those that are missing, of another kind or larger
        than `most` are absent. Raises UserError if all together are too large."""
        asked = list(dict.fromkeys(filter(None, names)))
        sizes: dict[str, int] = {}
        for name, head in zip(asked, self._cat("--batch-check", asked).splitlines(), strict=True):
            kind, digits = head.split()[-2:]
            if kind != b"blob" or int(digits) > most:
                continue
            sizes[name] = int(digits)
        self._bytes_left -= sum(sizes.values())
        if self._bytes_left < 0:
            raise UserError.of("git.too_large", limit=f"{MAX_TOTAL_BYTES:,}")
        found: dict[str, bytes] = {}
        data, end = self._cat("--batch", sizes), 0
        for name, size in sizes.items():
            begin = data.index(b"\n", end) + 1
            found[name] = data[begin : begin + size]
            end = begin + size + 1
        return found

    def _cat(self, how: str, names: Collection[str]) -> bytes:
        """What `git cat-file` says of objects. Raises UserError unless it answers for each."""
        if not names:
            return b""
        asked = "".join(f"{name}\n" for name in names).encode()
        done = self._git(["cat-file", how, "--buffer"], data=asked, most=MAX_FILE_BYTES)
        if not done.ok:
            raise UserError.of("git.unreadable")
        return done.out

    def version(self, commit: str) -> bytes:
        """The version file of a commit; b"" if there is none."""
        name = f"{commit}:{VERSION_FILE}"
        return self.read([name], MAX_ENTRY_BYTES).get(name, b"") if commit else b""

    def spaces(self, commit: str) -> frozenset[str]:
        """The folders of a commit's tree."""
        listed = self._git(["ls-tree", "--name-only", commit]).text.splitlines()
        return frozenset(name for name in listed if re.fullmatch(_SPACE, name))

    def difference(self, left: str, right: str) -> Difference:
        """Compare the trees of two commits ("" for none). Raises UserError if git cannot, or lists
        too many files."""
        found = Difference()
        if left == right:
            return found
        empty = _EMPTY_TREE[len(left or right)]
        words = ["diff-tree", "-r", "-z", left or empty, right or empty]
        listed = self._git(words, most=MAX_LISTED_BYTES + 1)
        if len(listed.out) > MAX_LISTED_BYTES:
            raise UserError.of("git.too_many_files")
        if not listed.ok:
            raise UserError.of("git.damaged_folder")
        parts = listed.out.split(b"\0")
        for row, path in zip(parts[::2], parts[1::2], strict=False):
            found.add(row, path.decode("utf-8", "backslashreplace"))
        return found
