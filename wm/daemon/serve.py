"""The daemon, put together: lock, socket, loop, drain (IF-6).

The order is the rule that it protects. To begin: lock, store, socket, answer. To end: close
the socket to newcomers, finish what is under way, flush, let go of the lock. Whoever gets the
lock next finds everything on disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import os
import resource
import selectors
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import structs

from wm.daemon.actors import Actors, Workers
from wm.daemon.changes import Hub
from wm.daemon.control import Controls
from wm.daemon.dispatch import Door
from wm.daemon.folderwatch import FolderWatch
from wm.daemon.http import HttpServer
from wm.daemon.instance import BoundSocket, InstanceLock, bind_socket, prepare_home, win
from wm.daemon.jobs import Jobs
from wm.daemon.lifecycle import RUNNING, STARTED
from wm.daemon.log import DaemonLog
from wm.daemon.metrics import LagProbe, Metrics
from wm.daemon.peer import is_owner
from wm.daemon.routes import ROUTES, Route, Router
from wm.errors import StoreError, UserError, WmError
from wm.ops.background import TURN_S, Answering
from wm.ops.base import Done, Operation
from wm.ops.catalogue import OPERATIONS
from wm.ops.local import OutsideWatch, outside_watch
from wm.ops.runtime import Runtime
from wm.settings import DaemonSettings, Settings, activation

_FIRST_FD = 3
_NOTICE = "notice_outside"
_RESERVED_FDS = 48
"""Descriptors that connections may not use: store, log, lock, loop, threads at work."""
_WANTED_FDS = 4096
_SETTLE_S = 1.0
"""What can wait until the first requests are answered is done this long after the start."""


def serve(
    settings: Settings,
    open_runtime: Callable[[Settings], Runtime],
    *,
    operations: Mapping[str, Operation[Any, Any]] | None = None,
    routes: Sequence[Route] = ROUTES,
    background: bool = False,
) -> int:
    """Be the daemon of this home until SIGTERM, SIGINT, a shutdown request or idleness.

    Returns 0 also where another daemon answers already. Raises WmError where it cannot start.
    """
    inherited = _inherited_sockets()
    _fill_streams()
    prepare_home(settings)
    lock = win(settings)
    if lock is None:
        _tell(RUNNING if background else "wm: A daemon serves this data folder already.")
        return 0
    try:
        runtime = structs.replace(open_runtime(settings), serves=True)
        log = DaemonLog(
            str(settings.paths.home / "daemon.log"),
            runtime.now,
            max_bytes=settings.daemon.log_max_bytes,
            redact=runtime.redactor.text,
        )
        daemon = _Daemon(runtime, operations or OPERATIONS, Router(routes), lock, log, background)
        with asyncio.Runner(loop_factory=lambda: _loop(runtime.answering)) as runner:
            return runner.run(daemon.run(inherited))
    finally:
        lock.release()


def _loop(answering: Answering) -> asyncio.AbstractEventLoop:
    return asyncio.SelectorEventLoop(_Telling(answering))


class _Telling(selectors.DefaultSelector):
    """Tells whoever computes beside the loop when it is at work: whenever it does not wait."""

    def __init__(self, answering: Answering) -> None:
        super().__init__()
        self._answering = answering

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._answering.end()
        found = super().select(timeout)
        self._answering.begin()
        return found

    def close(self) -> None:
        super().close()
        self._answering.end()  # what is still computed delays nobody


class _Daemon:
    """Everything that lives as long as the process."""

    def __init__(
        self,
        runtime: Runtime,
        operations: Mapping[str, Operation[Any, Any]],
        router: Router,
        lock: InstanceLock,
        log: DaemonLog,
        background: bool,
    ) -> None:
        self._runtime = runtime
        self._settings = runtime.settings
        self._limits = _within_descriptors(runtime.settings.daemon)
        self._operations = operations
        self._router = router
        self._lock = lock
        self._log = log
        self._background = background
        self._bound: BoundSocket | None = None
        self._outside: OutsideWatch | None = None
        self._why = ""

    async def run(self, inherited: Sequence[socket.socket]) -> int:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._make_parts(activated=bool(inherited))
        self._catch_signals()
        self._listen(inherited)
        self._lock.describe(self._settings.paths.socket)
        self._log.write(
            "started", pid=os.getpid(), version=self._runtime.version, activated=bool(inherited)
        )
        if self._background:
            _tell(STARTED)
            self._log.take_streams()
        elif self._bound is not None:  # a service manager that gave us its socket knows
            _tell(
                f"wm: Serving {self._settings.paths.home} on {self._bound.path}.\n"
                "    Ctrl-C, or `wm down`, stops it."
            )
        self._runtime.troubles.listen(self._troubled)
        # A crash, or SIGUSR1, leaves the stacks in the log: frames, no contents.
        faulthandler.enable(2)
        faulthandler.register(signal.SIGUSR1, 2)
        self._watch = FolderWatch(self._loop, self._look)
        settle = self._loop.call_later(_SETTLE_S, self._settle)
        self._arm_idle_exit(activated=bool(inherited))
        try:
            await self._stopping.wait()
        finally:
            settle.cancel()
        return await self._end()

    def stop(self, why: str) -> None:
        """Begin to end; a second call hurries nothing and harms nothing."""
        self._why = self._why or why
        self._stopping.set()

    # -- parts -------------------------------------------------------------------------------

    def _make_parts(self, *, activated: bool) -> None:
        sys.setswitchinterval(TURN_S)
        self._metrics = Metrics()
        self._hub = Hub(os.urandom(4).hex())
        self._workers = Workers(self._loop, max(1, self._limits.worker_threads))
        self._jobs = Jobs(self._runtime, foundation=self._foundation, report=self._report)
        self._actors = Actors(
            self._runtime,
            self._workers,
            self._metrics,
            publish=self._hub.publish,
            heard=self._jobs.heard,
            foundation=self._foundation,
            report=self._report,
        )
        controls = Controls(
            self._runtime,
            self._router,
            self._operations,
            self._actors,
            self._hub,
            self._metrics,
            stop=lambda: self.stop("asked to"),
            activated=activated,
            log_path=self._log.path,
        )
        door = Door(
            self._router,
            self._operations,
            self._actors,
            controls.table(),
            self._metrics,
            self._log,
            LagProbe(self._loop, self._metrics.loop_lag_seconds),
        )
        self._server = HttpServer(door, self._limits, allow=is_owner, on_accept=self._look)
        controls.server = self._server

    def _listen(self, inherited: Sequence[socket.socket]) -> None:
        if inherited:
            for sock in inherited:
                self._server.listen(sock)
            return
        self._bound = bind_socket(self._settings)
        self._server.listen(self._bound.sock)

    def _catch_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self.stop, signal.Signals(number).name)
        # A terminal that goes away is none of our business; a wiped folder is.
        self._loop.add_signal_handler(signal.SIGHUP, self._look)

    def _settle(self) -> None:
        paths = self._settings.paths
        folders = [paths.home] if self._bound is None else [paths.home, paths.socket.parent]
        if not self._watch.watch(folders):
            self._log.write("no_folder_watch")
        self._look()  # a watch does not tell what happened before it began
        if self._stopping.is_set():
            return
        # In a worker, because all of it takes a quarter of a second: requests come in meanwhile.
        self._workers.submit(self._settle_in, self._settled)

    def _settle_in(self) -> None:
        self._watch_edits()
        # Imported here, not above: it brings every rule, and the first answer does not wait.
        from wm.ops.chosen_model import look_at_model
        from wm.ops.heap import give_back
        from wm.ops.warm import warm

        warm(self._runtime, self._operations)
        look_at_model(self._runtime)
        # What is loaded by now stays: the collector need not walk through it again.
        gc.collect()
        give_back()  # what building the patterns took and did not keep
        gc.freeze()
        # Most of what an update makes is freed by counting: look for cycles more rarely.
        gc.set_threshold(10_000, 20, 20)
        gc.enable()

    def _settled(self, result: object) -> None:
        if isinstance(result, Exception):
            self._report("settle", result)
        if not self._stopping.is_set():
            self._jobs.begin()

    def _watch_edits(self) -> None:
        outside = outside_watch(self._runtime) if _NOTICE in self._operations else None
        if outside is None:
            return
        try:
            outside.start(self._edited)
        except StoreError as error:
            self._report("watch", error)
        else:
            self._outside = outside

    # -- foundations -------------------------------------------------------------------------

    def _foundation(self) -> None:
        """In a worker, before anything is written. Raises StoreError."""
        if not self._lock.is_ours():
            self._loop.call_soon_threadsafe(self.stop, "the data folder is gone")
            raise StoreError(
                f"The data folder {self._settings.paths.home} was moved or deleted; nothing was "
                "written.",
                fix="Bring it back, or start wm again with the new place.",
            )

    def _edited(self, key: str) -> None:
        """In the watch's thread: somebody edited this workspace's memory (ST-4)."""
        self._loop.call_soon_threadsafe(self._notice, key)

    def _notice(self, key: str) -> None:
        """Take the edits in like any other update of that workspace."""
        operation = self._operations[_NOTICE]
        try:
            self._actors.update(operation, operation.request(workspace=key), self._noticed)
        except WmError as error:
            # Nothing is lost: the next edit, or `wm inbox`, finds what is there.
            self._report(_NOTICE, error)

    def _noticed(self, done: Done[Any]) -> None:
        if done.error is not None:
            self._report(_NOTICE, done.error)

    def _look(self) -> None:
        """Something may have happened to the folders under us."""
        if not self._lock.is_ours():
            self.stop("the data folder or its lock is gone")
            return
        bound = self._bound
        if bound is None or bound.is_in_place() or self._stopping.is_set():
            return
        if not bound.path.parent.is_dir():
            self.stop("the socket's folder is gone")
            return
        self._bind_again(bound)

    def _bind_again(self, lost: BoundSocket) -> None:
        try:
            found = bind_socket(self._settings)
        except WmError as error:
            self._log.write("socket_lost", reason=error.message)
            self.stop("the socket is gone")
            return
        self._server.stop_listening()
        lost.sock.close()
        self._bound = found
        self._server.listen(found.sock)
        self._log.write("socket_bound_again")

    def _troubled(self, what: str, why: str) -> None:
        """In any thread: something goes on without what it wanted."""
        with contextlib.suppress(RuntimeError):  # the loop ended before
            self._loop.call_soon_threadsafe(
                partial(self._log.write, "trouble", what=what, reason=why)
            )

    def _report(self, what: str, error: BaseException) -> None:
        if isinstance(error, WmError | OSError):
            self._log.write("failed", what=what, reason=str(error))
            return
        self._metrics.incidents += 1
        self._log.incident("i_" + os.urandom(6).hex(), what, error)

    # -- the end -----------------------------------------------------------------------------

    def _arm_idle_exit(self, *, activated: bool) -> None:
        limits = self._limits
        after = limits.idle_exit_s or (limits.activated_idle_exit_s if activated else 0.0)
        if not after:
            return
        self._server.last_request = self._loop.time()

        def due() -> None:
            left = self._server.last_request + after - self._loop.time()
            if self._actors.waiting or len(self._hub):
                left = after
            if left <= 0:
                self.stop("idle")
            else:
                self._loop.call_later(left, due)

        self._loop.call_later(after, due)

    async def _end(self) -> int:
        within = self._limits.drain_s
        self._watch.close()
        self._stop_watching()
        if self._bound is not None:
            self._bound.remove()
        self._jobs.stop()
        answered = await self._server.drain(within)
        written = await drained(lambda: self._actors.drain(within), lambda: self._actors.unfinished)
        ended = self._workers.close(within) and self._jobs.ended(within)
        self._stop_watching()  # of one that began only now
        flushed = self._close_store()
        self._log.write(
            "stopped",
            why=self._why,
            answered=answered,
            written=written and ended,
            left=self._actors.unfinished,
            flushed=flushed,
        )
        self._log.close()
        return 0 if flushed else 1

    def _stop_watching(self) -> None:
        outside, self._outside = self._outside, None
        if outside is not None:
            outside.stop()

    def _close_store(self) -> bool:
        try:
            self._runtime.store.close()
        except (StoreError, OSError) as error:
            self._report("close", error)
            return False
        return True


async def drained(drain: Callable[[], Awaitable[bool]], left: Callable[[], int]) -> bool:
    """Drain for as long as what is left becomes less: it was answered, and is nowhere else."""
    before = left()
    while not await drain():
        now = left()
        if now >= before:
            return False
        before = now
    return True


def _inherited_sockets() -> list[socket.socket]:
    """Sockets of systemd's protocol. They stay the manager's: we never unlink their path.

    Raises UserError for what is none of ours: of a peer elsewhere nobody tells who it is.
    """
    found = []
    for fd in range(_FIRST_FD, _FIRST_FD + activation().sockets):
        try:
            os.set_inheritable(fd, False)
            sock = socket.socket(fileno=fd)
            listens = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        except OSError:
            raise _no_listener(fd) from None
        if (sock.family, sock.type) != (socket.AF_UNIX, socket.SOCK_STREAM) or not listens:
            raise _no_listener(fd)
        found.append(sock)
    return found


def _no_listener(fd: int) -> UserError:
    return UserError(
        f"The service manager gave descriptor {fd}, which is no listening Unix stream socket.",
        fix="Name only paths in the `ListenStream=` lines of its socket unit; no `Accept=yes`.",
    )


def _fill_streams() -> None:
    """A caller may have closed 0, 1 or 2 (F68): no file of ours may ever get such a number."""
    fd = os.open(os.devnull, os.O_RDWR)
    while fd <= 2:
        fd = os.open(os.devnull, os.O_RDWR)
    os.close(fd)


def _within_descriptors(limits: DaemonSettings) -> DaemonSettings:
    """As many connections as there are descriptors for, with some left for the files (F09)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FDS if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FDS)
    if soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    most = max(8, soft - _RESERVED_FDS)
    return structs.replace(limits, max_connections=min(limits.max_connections, most))


def _tell(word: str) -> None:
    """For who started us: a client (see `wm.daemon.lifecycle`), or a person."""
    with contextlib.suppress(OSError):
        os.write(2, word.encode(errors="replace") + b"\n")
