"""The code that a daemon runs: the files of its package as they were when it started.

A daemon imports most modules on first use. An upgrade, a reinstallation or `git pull` replaces
files, and removing a virtual environment deletes them, while the daemon runs. It then must not mix
two versions: it imports nothing that changed, and ends, so that its successor loads everything.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from wm.errors import Unavailable, sentences

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

Stamp = tuple[int, int]
"""Modification time in nanoseconds, and size."""


def stamps() -> dict[str, Stamp]:
    """The files of this package on disk, data included; those that vanish meanwhile are left out.
    Takes 4 ms."""
    found: dict[str, Stamp] = {}
    for folder, folders, names in os.walk(PACKAGE):
        if "__pycache__" in folders:
            folders.remove("__pycache__")
        for name in names:
            path = os.path.join(folder, name)
            if stamp := _stamp(path):
                found[path] = stamp
    return found


def digest(files: Mapping[str, Stamp]) -> str:
    """Identity of these files, comparable between processes."""
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]


class LoadedCode(Struct, eq=False):
    """What this process loads its modules from, as a finder of `sys.meta_path` that finds nothing
    itself.

    Importing a module of this package that changed since the start raises Unavailable: nothing was
    done, so the client works on the files with the code that it has. Costs one `stat` per module
    that is imported late. on_replaced: called in the thread that noticed it, perhaps repeatedly.
    """

    on_replaced: Callable[[], None] = lambda: None
    files: Mapping[str, Stamp] = field(default_factory=stamps)

    def __enter__(self) -> LoadedCode:
        sentences()  # read once, here: a refusal needs them when the files are gone
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.meta_path.remove(self)

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: object = None) -> None:
        package, *parts = name.split(".")
        if package != "wm":
            return
        place = os.path.join(PACKAGE, *parts)
        for path in (f"{place}.py", os.path.join(place, "__init__.py")):
            if self.files.get(path) != _stamp(path):
                self.on_replaced()
                raise replaced()

    def is_replaced(self) -> bool:
        """Whether any file changed since the start, or the virtual environment with the
        dependencies is gone. Reports it to `on_replaced`, too."""
        if stamps() == self.files and os.path.exists(sys.executable):
            return False
        self.on_replaced()
        return True


def replaced() -> Unavailable:
    """The refusal of a daemon whose code was replaced."""
    return Unavailable.of("daemon.replaced")


def _stamp(path: str) -> Stamp | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size
