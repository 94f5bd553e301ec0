"""One daemon per data folder: its lock, kept for the life of the process, and its socket.

The lock comes before the socket: if several daemons start at once, one takes the lock, and only
that one may touch the path of the socket. The kernel releases the lock when the process ends, so
no process id is ever trusted. The content of the lock file is for people. (IF-6, F21-F26)
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import socket
import stat
import time
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wm.daemon.client import Client
from wm.errors import StoreError, Unanswered, Unavailable, UserError, WmError
from wm.settings import Settings

_POLL_S = 0.02
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_HELLO_S = 1.0


class InstanceLock(Struct):
    """The lock of one data folder, held as long as its descriptor is open."""

    path: Path
    fd: int
    identity: tuple[int, int]

    def is_ours(self) -> bool:
        """Whether the path still names the locked file (F24, F25)."""
        return _identity(self.path) == self.identity

    def describe(self, socket_path: Path) -> None:
        """Write for people who holds the lock. A full disk prevents the note, but must not prevent
        the daemon from serving what is stored."""
        text = json.dumps({"pid": os.getpid(), "socket": str(socket_path)}) + "\n"
        with contextlib.suppress(OSError):
            os.ftruncate(self.fd, 0)
            os.pwrite(self.fd, text.encode(), 0)

    def release(self) -> None:
        os.close(self.fd)


def lock_path(settings: Settings) -> Path:
    return settings.paths.home / "daemon.lock"


def take_lock(settings: Settings) -> InstanceLock | None:
    """The lock, or None while another daemon holds it. Raises StoreError."""
    path = lock_path(settings)
    while True:
        try:
            fd = os.open(path, _LOCK_FLAGS, 0o600)
        except OSError as error:
            raise StoreError.of("lock.cannot_open", path=path, why=error.strerror) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        info = os.fstat(fd)
        lock = InstanceLock(path, fd, (info.st_dev, info.st_ino))
        if lock.is_ours():
            return lock
        lock.release()  # the file was replaced between open and lock: try the new one


def take_over(settings: Settings) -> InstanceLock | None:
    """Become the daemon of this data folder; None if another one answers (a lost race is fine).

    Waits for a daemon that is shutting down. Raises StoreError if the holder of the lock neither
    answers nor ends.
    """
    until = time.monotonic() + settings.daemon.drain_s + 1.0
    while True:
        lock = take_lock(settings)
        if lock is not None:
            return lock
        if probe(settings) is not None:
            return None
        if path := listens_elsewhere(settings):
            raise StoreError.of("daemon.runs_already", home=settings.paths.home, path=path)
        if time.monotonic() > until:
            if is_ending(settings):
                raise StoreError.of("daemon.still_writing")
            raise StoreError.of(
                "daemon.lock_held",
                lock=lock_path(settings),
                holder=_holder(settings),
                socket=settings.paths.socket,
            )
        time.sleep(_POLL_S)


def probe(settings: Settings) -> dict[str, object] | None:
    """The status of the daemon that answers on the socket; None if none does."""
    try:
        with Client(settings) as client:
            status = client.call("status", deadline_s=_HELLO_S)
    except (Unavailable, Unanswered):
        return None
    except WmError:
        return {}
    return status if isinstance(status, dict) else {}


def is_free(settings: Settings) -> bool:
    """Whether no daemon holds the lock of this data folder. Creates nothing."""
    try:
        fd = os.open(lock_path(settings), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


def holder(settings: Settings) -> str:
    """The holder of the lock, described for a person; "" if it is free."""
    return "" if is_free(settings) else _holder(settings)


def listens_elsewhere(settings: Settings) -> str:
    """The other socket on which the daemon of this data folder answers, or "". It was started with
    another XDG_RUNTIME_DIR: a shell of `su`, of cron or in a container has none."""
    note = _lock_note(settings)
    if note is None or Path(note[1]) == settings.paths.socket or is_free(settings):
        return ""
    paths = replace(settings.paths, socket=Path(note[1]))
    answer = probe(replace(settings, paths=paths)) or {}
    return note[1] if answer.get("home") == str(paths.home) else ""


def is_ending(settings: Settings) -> bool:
    """Whether the daemon that holds the lock has stopped listening: it is writing the updates
    that it accepted."""
    note = _lock_note(settings)
    return note is not None and not is_free(settings) and not has_listener(Path(note[1]))


def prepare_home(settings: Settings) -> None:
    """Create the data folder if it is missing. Raises StoreError, also if another user owns it: a
    folder created through `sudo` would keep the owner's daemon from starting."""
    home = settings.paths.home
    try:
        owner = _make_folder(home).st_uid
    except OSError as error:
        raise StoreError.of("home.cannot_create", home=home, why=error.strerror) from error
    if owner != os.geteuid():
        raise StoreError.of("home.foreign", home=home)


def _make_folder(folder: Path) -> os.stat_result:
    """Create a folder if it is missing; its status. Raises OSError."""
    os.makedirs(folder.parent, mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    return os.stat(folder)


# -- the socket --------------------------------------------------------------------------------


class BoundSocket(Struct):
    """A listening socket and the identity of its path, so that only our own is ever removed."""

    sock: socket.socket
    path: Path
    identity: tuple[int, int]

    def is_current(self) -> bool:
        return _identity(self.path) == self.identity

    def remove(self) -> None:
        if self.is_current():
            with contextlib.suppress(OSError):
                os.unlink(self.path)


def bind_socket(settings: Settings) -> BoundSocket:
    """Bind the socket; the caller holds the lock. A stale socket, without a listener, is
    replaced (F22).

    Raises UserError if the path is taken by something that we may not remove.
    """
    path = settings.paths.socket
    _prepare_folder(path.parent)
    _clear(settings)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        sock.bind(str(path))
    except OSError as error:
        sock.close()
        raise UserError.of("socket.cannot_create", path=path, why=error.strerror) from error
    finally:
        os.umask(mask)
    return BoundSocket(sock, path, _identity(path) or (0, 0))


def _prepare_folder(folder: Path) -> None:
    """Make sure that the socket's folder is ours and no other user may write to it (facts 4.2)."""
    try:
        info = _make_folder(folder)
    except OSError as error:
        raise UserError.of("socket.unusable_folder", folder=folder, why=error.strerror) from error
    if info.st_uid != os.geteuid() or info.st_mode & 0o022:
        raise UserError.of("socket.open_folder", folder=folder)


def _clear(settings: Settings) -> None:
    path = settings.paths.socket
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(info.st_mode):
        raise UserError.of("socket.not_a_socket", path=path)
    begun = time.monotonic()
    while (status := probe(settings)) is not None or has_listener(path):
        # We hold the lock of this data folder. A daemon of this folder that still answers lost its
        # lock file and ends once a client has connected. Any other listener must not be replaced:
        # it is the daemon of another data folder, or another program.
        home = (status or {}).get("home")
        same_home = home == str(settings.paths.home)
        patience = settings.daemon.drain_s + 1.0 if same_home else _HELLO_S
        if (home and not same_home) or time.monotonic() > begun + patience:
            raise UserError.of("socket.in_use", path=path, home=home or "unknown")
        time.sleep(_POLL_S)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def has_listener(path: Path) -> bool:
    """Whether a process listens there, with any protocol. In doubt: yes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except OSError as error:
            return error.errno not in (errno.ECONNREFUSED, errno.ENOENT)
    return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def _holder(settings: Settings) -> str:
    note = _lock_note(settings)
    return "another process" if note is None else f"pid {note[0]} (listening on {note[1]})"


def _lock_note(settings: Settings) -> tuple[int, str] | None:
    """The process id and the socket path that the lock file describes."""
    try:
        note = json.loads(lock_path(settings).read_text("utf-8"))
        return int(note["pid"]), str(note["socket"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
