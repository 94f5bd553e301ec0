"""`quarantine/`: keeps files that wm could not read, or was about to replace (ST-3, ST-4).

A kept file is a hard link to the same file, so an editor that is still writing to it
loses nothing. Only if it contains a secret, it is a copy without the secret (TR-1). A
file `<name>.reason.json` is beside it. The name contains the original path, with `--` for `/`.

Protects: nothing is deleted because it could not be read. Only the cap on the number of files
removes anything here, the oldest files first, and folders never.
"""

from __future__ import annotations

import errno
import json
import secrets
import stat
from collections.abc import Callable

from msgspec import Struct

from wm.store import atomic, paths
from wm.store.fsops import Disk, Handle

REASON = ".reason.json"
# Errors of a file system without hard links.
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EXDEV})


class Quarantine(Struct, frozen=True):
    """The quarantine folder of one data folder. max_bytes: size limit of a document; a larger file
    is kept without reading it. redact: removes the secrets from a text."""

    disk: Disk
    max_files: int
    max_bytes: int
    redact: Callable[[str], str] = str

    def keep(self, folder: Handle, name: str, reason: str) -> str:
        """Keep the file `name` here and flush it; returns its path. Raises OSError.

        A regular file keeps its old name too (if links are supported); a folder, a symlink or
        anything else is moved, because it cannot be replaced in place.
        """
        with atomic.make_folder(self.disk, paths.QUARANTINE) as quarantine:
            new = self._free_name(folder.path, name)
            self._bring(folder, name, quarantine, new)
            self._write_reason(quarantine, new, paths.FilePlace(folder.path, name).path, reason)
            self.disk.flush(quarantine)
            self._trim(quarantine)
        return f"{paths.QUARANTINE}/{new}"

    def _free_name(self, folder: str, name: str) -> str:
        flat = paths.FilePlace(folder, name).path.replace("/", "--").lstrip(".")
        return f"{flat[:110]}--{secrets.token_hex(4)}"

    def _bring(self, folder: Handle, name: str, quarantine: Handle, new: str) -> None:
        if not stat.S_ISREG(self.disk.stat(folder, name).st_mode):
            self.disk.rename(folder, name, new, quarantine)
            return
        if ".json" in name and self._copy_without_secrets(folder, name, quarantine, new):
            return
        try:
            self.disk.link(folder, name, new, quarantine)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self.disk.rename(folder, name, new, quarantine)
        # Another program wrote the bytes, and may never have flushed them.
        try:
            kept = self.disk.open(quarantine, new)
        except PermissionError:
            return
        with kept:
            self.disk.flush(kept)

    def _copy_without_secrets(
        self, folder: Handle, name: str, quarantine: Handle, new: str
    ) -> bool:
        """Keep a copy without its secrets. Returns False, and does nothing, if no secret is found
        or the file cannot be read."""
        try:
            raw = self.disk.read(folder, name, self.max_bytes)
        except OSError:
            return False
        text = raw.decode("utf-8", "surrogateescape")
        safe = self.redact(text)
        if safe == text:
            return False
        with self.disk.create(quarantine, new) as file:
            self.disk.write(file, safe.encode("utf-8", "surrogateescape"))
            self.disk.flush(file)
        return True

    def _write_reason(self, quarantine: Handle, new: str, path: str, reason: str) -> None:
        text = json.dumps({"path": path, "reason": reason}, indent=2) + "\n"
        with self.disk.create(quarantine, new + REASON) as file:
            self.disk.write(file, text.encode("utf-8", "replace"))

    def _trim(self, quarantine: Handle) -> None:
        kept = [name for name in self.disk.list(quarantine) if not name.endswith(REASON)]
        if len(kept) <= self.max_files:
            return
        aged = sorted((self.disk.stat(quarantine, name).st_ctime_ns, name) for name in kept)
        for _, name in aged[: len(kept) - self.max_files]:
            self._drop(quarantine, name)

    def _drop(self, quarantine: Handle, name: str) -> None:
        if stat.S_ISDIR(self.disk.stat(quarantine, name).st_mode):
            return
        for file in (name, name + REASON):
            self.disk.remove(quarantine, file)
