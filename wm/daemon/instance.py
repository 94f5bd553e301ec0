"""One daemon per home: the lock that is held for life, and the socket that stands under it.

The lock comes before the socket: of any number of daemons that start at once one takes the
lock, and only that one may touch the socket's path. The lock belongs to the kernel and ends
with the process, so no process id is ever trusted. What is written in the lock file is for
people. (IF-6, F21-F26)
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

from wm.daemon.client import Client
from wm.errors import StoreError, Unanswered, Unavailable, UserError, WmError
from wm.settings import Settings

_POLL_S = 0.02
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_HELLO_S = 1.0


class InstanceLock(Struct):
    """The lock of one home, held as long as its descriptor is open."""

    path: Path
    fd: int
    identity: tuple[int, int]

    def is_ours(self) -> bool:
        """Whether the path still names the file that we hold (F24, F25)."""
        try:
            info = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return False
        return (info.st_dev, info.st_ino) == self.identity

    def describe(self, socket_path: Path) -> None:
        """Note for people who holds the lock. A full disk takes no note, and is no reason not to
        serve what stands on it."""
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
            raise StoreError(
                f"{path} cannot be opened: {error.strerror}.", fix="Run `wm doctor`."
            ) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        info = os.fstat(fd)
        lock = InstanceLock(path, fd, (info.st_dev, info.st_ino))
        if lock.is_ours():
            return lock
        lock.release()  # somebody replaced the file between open and lock: try the new one


def win(settings: Settings) -> InstanceLock | None:
    """Become the daemon of this home; None where another one answers (a lost race is fine).

    Waits for one that is on its way out. Raises StoreError where the holder of the lock
    neither answers nor ends.
    """
    until = time.monotonic() + settings.daemon.drain_s + 1.0
    while True:
        lock = take_lock(settings)
        if lock is not None:
            return lock
        if hello(settings) is not None:
            return None
        if time.monotonic() > until:
            if is_ending(settings):
                raise StoreError(
                    "The daemon before this one still writes what it took.",
                    fix="Try again behind that; `wm logs` shows when.",
                )
            raise StoreError(
                f"{lock_path(settings)} is held by {_holder(settings)}, which does not answer on "
                f"{settings.paths.socket}.",
                fix="Stop that process, or use its socket (WM_SOCKET).",
            )
        time.sleep(_POLL_S)


def hello(settings: Settings) -> dict[str, object] | None:
    """The status of whoever answers on the socket; None where nobody does."""
    try:
        with Client(settings) as client:
            status = client.call("status", deadline_s=_HELLO_S)
    except (Unavailable, Unanswered):
        return None
    except WmError:
        return {}
    return status if isinstance(status, dict) else {}


def is_free(settings: Settings) -> bool:
    """Whether no daemon holds the lock of this home. Creates nothing."""
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
    """Who holds the lock of this home, as a person would name it; "" while nobody does."""
    return "" if is_free(settings) else _holder(settings)


def is_ending(settings: Settings) -> bool:
    """Whether the daemon that holds the lock listens no more: told to end, it writes what it
    took."""
    told = _told(settings)
    return told is not None and not is_free(settings) and not is_heard(Path(told[1]))


def prepare_home(settings: Settings) -> None:
    """Make the home folder if it is missing. Raises StoreError, also for one of another user:
    what `sudo` left there would keep the owner's daemon from starting."""
    home = settings.paths.home
    try:
        os.makedirs(home.parent, mode=0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(home, 0o700)
        owner = os.stat(home).st_uid
    except OSError as error:
        raise StoreError(
            f"The data folder {home} cannot be made: {error.strerror}.",
            fix="Make it yourself, or set WM_HOME to a folder that you may write to.",
        ) from error
    if owner != os.geteuid():
        raise StoreError(
            f"The data folder {home} belongs to another user.",
            fix="Run wm as that user, or set WM_HOME to a folder of yours.",
        )


# -- the socket --------------------------------------------------------------------------------


class BoundSocket(Struct):
    """A listening socket and the identity of its path, so that only our own is ever removed."""

    sock: socket.socket
    path: Path
    identity: tuple[int, int]

    def is_in_place(self) -> bool:
        return _identity(self.path) == self.identity

    def remove(self) -> None:
        if self.is_in_place():
            with contextlib.suppress(OSError):
                os.unlink(self.path)


def bind_socket(settings: Settings) -> BoundSocket:
    """Bind the socket; the caller holds the lock. A stale one, where nobody listens, is
    replaced (F22).

    Raises UserError where the path is taken by something that is not ours to remove.
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
        raise UserError(
            f"The socket {path} cannot be made: {error.strerror}.",
            fix="Set WM_SOCKET to a path in a folder that only you can enter.",
        ) from error
    finally:
        os.umask(mask)
    return BoundSocket(sock, path, _identity(path) or (0, 0))


def _prepare_folder(folder: Path) -> None:
    """The socket's folder is ours and nobody else may write to it (facts 4.2)."""
    try:
        os.makedirs(folder.parent, mode=0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        info = os.stat(folder)
    except OSError as error:
        raise UserError(
            f"The socket's folder {folder} cannot be used: {error.strerror}.",
            fix="Set WM_SOCKET to a path in a folder of yours.",
        ) from error
    if info.st_uid != os.geteuid() or info.st_mode & 0o022:
        raise UserError(
            f"Others may write to the socket's folder {folder}.",
            fix=f"Run `chmod 700 {folder}`, or set WM_SOCKET to a path in a folder of yours.",
        )


def _clear(settings: Settings) -> None:
    path = settings.paths.socket
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(info.st_mode):
        raise UserError(f"{path} is not a socket, so wm does not replace it.", fix="Move it away.")
    begun = time.monotonic()
    while (status := hello(settings)) is not None or is_heard(path):
        # We hold the lock of this home. A daemon of ours that answers lost its lock file and
        # leaves once it was spoken to. Whoever else listens is not ours to take the place of:
        # the daemon of another home, or a program that is no wm at all.
        home = (status or {}).get("home")
        ours = home == str(settings.paths.home)
        patience = settings.daemon.drain_s + 1.0 if ours else _HELLO_S
        if (home and not ours) or time.monotonic() > begun + patience:
            raise UserError(
                f"The socket {path} is in use by another program (home: {home or 'unknown'}).",
                fix="Stop that one, or set WM_SOCKET to another path.",
            )
        time.sleep(_POLL_S)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def is_heard(path: Path) -> bool:
    """Whether anybody listens there, whatever it speaks. Where that cannot be told: yes."""
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
    told = _told(settings)
    return "another process" if told is None else f"pid {told[0]} (listening on {told[1]})"


def _told(settings: Settings) -> tuple[int, str] | None:
    """The process and the socket of who described itself in the lock last."""
    try:
        told = json.loads(lock_path(settings).read_text("utf-8"))
        return int(told["pid"]), str(told["socket"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
