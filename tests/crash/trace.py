"""Record what a scene does to its folder: each change with its inodes, each flush, and when each
step was acknowledged.

A name change is kept as its effect on (folder, name) pairs, so that it can be applied without
the ones before it; bytes are kept by inode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.tree import Node, Tree, TreeDisk
from wm.store.fsops import Handle

Name = tuple[int, str]
"""A directory entry: the number of its folder, and the name there."""


@dataclass(frozen=True)
class Names:
    """A change of names, in one step. `None`: the name is removed."""

    effects: tuple[tuple[Name, int | None], ...]

    @property
    def folders(self) -> frozenset[int]:
        return frozenset(folder for (folder, _), _ in self.effects)

    @property
    def is_lock(self) -> bool:
        return all(name.endswith(".lock") for (_, name), _ in self.effects)


@dataclass(frozen=True)
class Bytes:
    """The content of a file after one write or truncation."""

    node: int
    data: bytes


@dataclass(frozen=True)
class Flush:
    """These files and folders are on the drive from here on."""

    nodes: frozenset[int]


@dataclass(frozen=True)
class Mark:
    """An acknowledgement to the caller. acknowledged: number of steps. flushed: nothing of class
    relaxed is unflushed."""

    acknowledged: int
    flushed: bool


Op = Names | Bytes | Flush | Mark


@dataclass
class Trace:
    """The folder before, and all changes to it."""

    names: dict[Name, int]
    data: dict[int, bytes]
    folders: set[int]
    ops: list[Op] = field(default_factory=list)


def begin(tree: Tree) -> Trace:
    """An empty trace that starts from the tree's contents."""
    names: dict[Name, int] = {}
    data: dict[int, bytes] = {}
    folders = {0}
    waiting = [tree.root]
    while waiting:
        folder = waiting.pop()
        for name, node in (folder.entries or {}).items():
            names[folder.number, name] = node.number
            if node.is_folder:
                folders.add(node.number)
                waiting.append(node)
            else:
                data[node.number] = node.data
    return Trace(names, data, folders)


class TraceDisk(TreeDisk):
    """A tree that records all changes."""

    def __init__(self, home: Path, tree: Tree, locks: Path) -> None:
        super().__init__(home, tree, locks)
        self.trace = begin(tree)

    def mark(self, acknowledged: int, *, flushed: bool) -> None:
        self.trace.ops.append(Mark(acknowledged, flushed))

    def write_some(self, file: Handle, data: memoryview) -> int:
        done = super().write_some(file, data)
        self._wrote(self.node(file))
        return done

    def truncate(self, file: Handle, size: int) -> None:
        super().truncate(file, size)
        self._wrote(self.node(file))

    def rename(self, folder: Handle, old: str, new: str, target: Handle | None = None) -> None:
        super().rename(folder, old, new, target)
        there = self.node(target or folder)
        assert there.entries is not None
        self._named(
            ((there.number, new), there.entries[new].number),
            ((self.node(folder).number, old), None),
        )

    def unlink(self, folder: Handle, name: str) -> None:
        super().unlink(folder, name)
        self._named(((self.node(folder).number, name), None))

    def flush(self, handle: Handle) -> None:
        self.flush_all([handle])

    def flush_all(self, handles: Sequence[Handle]) -> None:
        """One barrier: before it, each of them may or may not be there; after it, all are."""
        self.trace.ops.append(Flush(frozenset(self.node(handle).number for handle in handles)))

    def _put(self, folder: Handle, name: str, node: Node) -> None:
        super()._put(folder, name, node)
        if node.is_folder:
            self.trace.folders.add(node.number)
        else:
            self.trace.data.setdefault(node.number, b"")
        self._named(((self.node(folder).number, name), node.number))

    def _named(self, *effects: tuple[Name, int | None]) -> None:
        self.trace.ops.append(Names(effects))

    def _wrote(self, node: Node) -> None:
        self.trace.ops.append(Bytes(node.number, node.data))
