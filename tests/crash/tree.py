"""A data folder in memory with the interface of the real one: `TreeDisk(Disk)`.

Crash states are built and read here, a hundred times faster than on a drive. Only locks are
real: they are taken on real lock files in `locks`, by path.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wm.store.fsops import Disk, Handle

# Far from every real inode, because the system's list of locks is searched by inode.
_INODES = 1 << 61
_FAKE = 1 << 20


@dataclass(slots=True, eq=False)
class Node:
    """A file (entries None) or a folder."""

    number: int
    data: bytes = b""
    entries: dict[str, Node] | None = None
    links: int = 1

    @property
    def is_folder(self) -> bool:
        return self.entries is not None


@dataclass
class Tree:
    """All nodes below a root."""

    root: Node = field(default_factory=lambda: Node(0, entries={}))
    count: int = 0

    def new(self, *, folder: bool = False) -> Node:
        self.count += 1
        return Node(self.count, entries={} if folder else None)

    def walk(self) -> Iterator[tuple[str, Node]]:
        """Every path with its node, folders before their contents."""
        waiting = [("", self.root)]
        while waiting:
            path, node = waiting.pop()
            for name, inner in sorted((node.entries or {}).items()):
                full = f"{path}/{name}" if path else name
                yield full, inner
                if inner.is_folder:
                    waiting.append((full, inner))

    def content(self) -> frozenset[tuple[str, bytes | None]]:
        """What a reader can distinguish: paths and bytes."""
        return frozenset(
            (path, None if node.is_folder else node.data) for path, node in self.walk()
        )


def load(home: Path) -> Tree:
    """A real folder as a tree; hard links stay links."""
    tree = Tree()
    known: dict[int, Node] = {}

    def fill(folder: Path, node: Node) -> None:
        assert node.entries is not None
        for item in sorted(folder.iterdir()):
            found = item.lstat()
            if stat.S_ISDIR(found.st_mode):
                inner = tree.new(folder=True)
                fill(item, inner)
            elif found.st_ino in known:
                inner = known[found.st_ino]
                inner.links += 1
            else:
                inner = known[found.st_ino] = tree.new()
                inner.data = item.read_bytes()
            node.entries[item.name] = inner

    if home.exists():
        fill(home, tree.root)
    return tree


def store_to(tree: Tree, home: Path) -> None:
    """Write the tree as real files."""
    home.mkdir(mode=0o700, parents=True)
    for path, node in tree.walk():
        target = home / path
        if node.is_folder:
            target.mkdir(mode=0o700)
        else:
            target.write_bytes(node.data)
            target.chmod(0o600)


class TreeDisk(Disk):
    """System calls on a tree. locks: a real folder for lock files."""

    parallel = False

    def __init__(self, home: Path, tree: Tree, locks: Path) -> None:
        super().__init__(home)
        self.tree = tree
        self.locks = locks
        self._open: dict[int, Node] = {}
        self._next = _FAKE

    # --- folders --------------------------------------------------------------------------

    def make_home(self) -> bool:
        return False

    def folder(self, path: str) -> Handle:
        node = self.tree.root
        for name in path.split("/") if path else ():
            node = self._entry(node, name)
            if not node.is_folder:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return self._handle(path, node)

    def mkdir(self, folder: Handle, name: str) -> None:
        self._put(folder, name, self.tree.new(folder=True))

    def list(self, folder: Handle) -> list[str]:
        return sorted(self._entries(folder))

    def names(self, folder: Handle) -> Iterator[str]:
        return iter(self.list(folder))

    # --- files ----------------------------------------------------------------------------

    def read(self, folder: Handle, name: str, limit: int) -> bytes:
        node = self._entry(self._open[folder.fd], name)
        if node.is_folder:
            raise IsADirectoryError(errno.EISDIR, "not a regular file", name)
        if len(node.data) > limit:
            raise OSError(errno.EFBIG, f"larger than {limit} bytes", name)
        return node.data

    def has(self, folder: Handle, name: str, raw: bytes) -> bool:
        node = self._entry(self._open[folder.fd], name)
        if node.is_folder:
            raise IsADirectoryError(errno.EISDIR, "not a regular file", name)
        return node.data == raw

    def create(self, folder: Handle, name: str) -> Handle:
        node = self.tree.new()
        self._put(folder, name, node)
        return self._handle(_join(folder.path, name), node)

    def open(self, folder: Handle, name: str, *, write: bool = False) -> Handle:
        return self._handle(_join(folder.path, name), self._entry(self._open[folder.fd], name))

    def open_lock(self, folder: Handle, name: str) -> Handle:
        if name not in self._entries(folder):
            self._put(folder, name, self.tree.new())
        path = _join(folder.path, name)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        fd = os.open(self.locks / path.replace("/", "--"), flags, 0o600)
        self._open[fd] = self._entries(folder)[name]
        return Handle(self, path, fd, is_folder=False)

    def read_at(self, file: Handle, offset: int, size: int) -> bytes:
        return self._open[file.fd].data[offset : offset + size]

    def write_some(self, file: Handle, data: memoryview) -> int:
        self._open[file.fd].data += bytes(data)
        return len(data)

    def truncate(self, file: Handle, size: int) -> None:
        node = self._open[file.fd]
        node.data = node.data[:size].ljust(size, b"\0")

    def close(self, handle: Handle) -> None:
        fd, handle.fd = handle.fd, -1
        if fd >= 0:
            del self._open[fd]
            if fd < _FAKE:
                os.close(fd)

    # --- names ----------------------------------------------------------------------------

    def rename(self, folder: Handle, old: str, new: str, target: Handle | None = None) -> None:
        node = self._entry(self._open[folder.fd], old)
        there = self._entries(target or folder)
        if new in there:
            there[new].links -= 1
        del self._entries(folder)[old]
        there[new] = node

    def link(self, folder: Handle, old: str, new: str, target: Handle | None = None) -> None:
        node = self._entry(self._open[folder.fd], old)
        self._put(target or folder, new, node)
        node.links += 1

    def unlink(self, folder: Handle, name: str) -> None:
        node = self._entry(self._open[folder.fd], name)
        if node.is_folder:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        node.links -= 1
        del self._entries(folder)[name]

    def stat(self, folder: Handle, name: str) -> os.stat_result:
        return _status(self._entry(self._open[folder.fd], name))

    def status(self, handle: Handle) -> os.stat_result:
        return _status(self._open[handle.fd])

    def chmod(self, handle: Handle, mode: int) -> None:
        return

    def flush(self, handle: Handle) -> None:
        return

    # --- inside -----------------------------------------------------------------------------

    def node(self, handle: Handle) -> Node:
        return self._open[handle.fd]

    def still_open(self) -> int:
        return len(self._open)

    def _handle(self, path: str, node: Node) -> Handle:
        self._next += 1
        self._open[self._next] = node
        return Handle(self, path, self._next, is_folder=node.is_folder)

    def _entries(self, folder: Handle) -> dict[str, Node]:
        entries = self._open[folder.fd].entries
        assert entries is not None
        return entries

    def _entry(self, folder: Node, name: str) -> Node:
        entries = folder.entries
        assert entries is not None
        try:
            return entries[name]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name) from None

    def _put(self, folder: Handle, name: str, node: Node) -> None:
        entries = self._entries(folder)
        if name in entries:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
        entries[name] = node


def _status(node: Node) -> os.stat_result:
    """Files are old; a folder has just changed, so that nothing about it is remembered."""
    mode = stat.S_IFDIR | 0o700 if node.is_folder else stat.S_IFREG | 0o600
    inode = _INODES + node.number
    size = len(node.data)
    fields = (mode, inode, 1, node.links, os.geteuid(), os.getegid(), size, 0, 0, 0)
    at = time.time_ns() if node.is_folder else 0
    return os.stat_result(fields, {"st_mtime_ns": at})


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
