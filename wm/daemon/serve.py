"""The daemon process: lock, socket, loop, drain (IF-6).

Rule: the order. Start: lock, store, socket, answer. End: close the socket to new clients, finish
running requests, flush, release the lock. The next holder of the lock finds everything on disk.

A daemon in the background whose code was replaced ends like this and then starts the next one, so
that sessions under way keep a daemon. A service manager starts it itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import structs

from wm.daemon.actors import Actors, Workers
from wm.daemon.changes import Hub
from wm.daemon.client import Client
from wm.daemon.code import LoadedCode, digest
from wm.daemon.control import Controls
from wm.daemon.dispatch import Dispatcher
from wm.daemon.folderwatch import FolderWatch
from wm.daemon.http import HttpServer
from wm.daemon.instance import BoundSocket, InstanceLock, bind_socket, prepare_home, take_over
from wm.daemon.jobs import Jobs, SessionName
from wm.daemon.lifecycle import RUNNING, STARTED, start
from wm.daemon.log import DaemonLog
from wm.daemon.messages import HttpRequest
from wm.daemon.metrics import LagProbe, Metrics
from wm.daemon.peer import is_owner
from wm.daemon.routes import ROUTES, Route, Router
from wm.errors import StoreError, UserError, WmError
from wm.ops.catalogue import OPERATIONS
from wm.ops.local import watch_edits
from wm.ops.operation import Done, Operation
from wm.ops.runtime import Process, Runtime
from wm.ops.search.model_choice import look_at_model
from wm.settings import DaemonSettings, Settings, activation
from wm.settings.environment import allow_open_files

_FIRST_FD = 3
_NOTICE = "notice_outside"
_REPLACED = "its code was replaced"
_NEXT_AFTER_S = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Pauses before the attempts to start the next daemon after the code was replaced."""
_RESERVED_FDS = 48
"""File descriptors that connections may not use: store, log, lock, loop, worker threads."""
_WANTED_FDS = 4096
_QUIET_START_S = 1.0
"""Delay after the start for work that can wait until the first requests are answered."""


def serve(
    settings: Settings,
    open_runtime: Callable[[Settings], Runtime],
    *,
    operations: Mapping[str, Operation[Any, Any]] | None = None,
    routes: Sequence[Route] = ROUTES,
    background: bool = False,
) -> int:
    """Run the daemon of this data folder until SIGTERM, SIGINT, a shutdown request or idleness.

    Also returns 0 if another daemon answers already; 1 if one in the foreground ended because its
    code was replaced. Raises WmError if it cannot start.
    """
    with LoadedCode() as code:
        ended, unserved = _serve(settings, open_runtime, code, operations, routes, background)
    if unserved is None:
        return ended
    if not background:
        _print(f"wm: The daemon stopped: {_REPLACED}. Start it again.")
        return 1
    _succeed(settings, unserved)
    return ended


def _serve(
    settings: Settings,
    open_runtime: Callable[[Settings], Runtime],
    code: LoadedCode,
    operations: Mapping[str, Operation[Any, Any]] | None,
    routes: Sequence[Route],
    background: bool,
) -> tuple[int, list[HttpRequest] | None]:
    """Serve until the end. Returns the exit code, and if the code was replaced the updates that
    were acknowledged and that only the next daemon can carry out."""
    inherited = _inherited_sockets()
    _fill_streams()
    prepare_home(settings)
    lock = take_over(settings)
    if lock is None:
        _print(RUNNING if background else "wm: A daemon serves this data folder already.")
        return 0, None
    try:
        runtime = structs.replace(open_runtime(settings), process=Process(serves=True))
        log = DaemonLog(
            str(settings.paths.home / "daemon.log"),
            runtime.now,
            max_bytes=settings.daemon.log_max_bytes,
            redact=runtime.redactor.text,
        )
        daemon = _Daemon(
            runtime, operations or OPERATIONS, Router(routes), lock, log, code, background
        )
        with asyncio.Runner() as runner:
            return runner.run(daemon.run(inherited)), daemon.unserved
    finally:
        lock.release()


def _succeed(settings: Settings, unserved: Sequence[HttpRequest]) -> None:
    """Start the next daemon and pass it these updates. An installer may need some seconds until all
    files are there. If they do not come, as when the virtual environment was removed, there is no
    next daemon: clients work on the files."""
    for pause in _NEXT_AFTER_S:
        time.sleep(pause)
        with contextlib.suppress(WmError):
            start(settings)
            break
    for request in unserved:
        headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in request.headers}
        project = {n: v for n, v in headers.items() if n == "x-wm-project"}
        with contextlib.suppress(WmError), Client(settings) as client:
            client.request(request.method, request.target, request.body, headers=project)


class _Daemon:
    """All state that lives as long as the process."""

    def __init__(
        self,
        runtime: Runtime,
        operations: Mapping[str, Operation[Any, Any]],
        router: Router,
        lock: InstanceLock,
        log: DaemonLog,
        code: LoadedCode,
        background: bool,
    ) -> None:
        self._runtime = runtime
        self._settings = runtime.settings
        self._limits = _within_descriptors(runtime.settings.daemon)
        self._operations = operations
        self._router = router
        self._lock = lock
        self._log = log
        self._code = code
        self._background = background
        self._bound: BoundSocket | None = None
        self._end_watch: Callable[[], None] = lambda: None
        self._why = ""
        self._is_warm = False

    @property
    def unserved(self) -> list[HttpRequest] | None:
        """After the end because the code was replaced: the updates for the next daemon."""
        return self._dispatcher.unserved if self._why == _REPLACED else None

    async def run(self, inherited: Sequence[socket.socket]) -> int:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._code.on_replaced = self._code_replaced
        self._make_parts(activated=bool(inherited))
        self._catch_signals()
        self._listen(inherited)
        self._lock.describe(self._settings.paths.socket)
        self._log.write(
            "started",
            pid=os.getpid(),
            version=self._runtime.process.version,
            activated=bool(inherited),
        )
        if self._background:
            _print(STARTED)
            self._log.take_streams()
        elif self._bound is not None:  # a service manager that passed us its socket knows already
            _print(
                f"wm: Serving {self._settings.paths.home} on {self._bound.path}.\n"
                "    Ctrl-C, or `wm down`, stops it."
            )
        self._runtime.signals.troubles.on_report = self._troubled
        self._report_config()
        # A crash, or SIGUSR1, writes the stacks to the log: frames, no contents.
        faulthandler.enable(2)
        faulthandler.register(signal.SIGUSR1, 2)
        poll_s = self._settings.store.watch_poll_s
        self._watch = FolderWatch(self._loop, self._check_folders, poll_s)
        finishing = self._loop.call_later(_QUIET_START_S, self._finish_start)
        self._arm_idle_exit(activated=bool(inherited))
        try:
            await self._stopping.wait()
        finally:
            finishing.cancel()
        return await self._end()

    def stop(self, why: str) -> None:
        """Begin the shutdown; a second call has no effect."""
        self._why = self._why or why
        self._stopping.set()

    # -- parts -------------------------------------------------------------------------------

    def _make_parts(self, *, activated: bool) -> None:
        self._metrics = Metrics()
        self._hub = Hub(os.urandom(4).hex())
        self._workers = Workers(self._loop, max(1, self._limits.worker_threads))
        self._jobs = Jobs(self._runtime, check_home=self._check_home, report=self._report)
        self._actors = Actors(
            self._runtime,
            self._workers,
            self._metrics,
            publish=self._hub.publish,
            on_recorded=self._recorded,
            check_home=self._check_home,
            report=self._report,
        )
        controls = Controls(
            self._runtime,
            self._router,
            self._actors,
            self._hub,
            self._metrics,
            stop=lambda: self.stop("asked to"),
            code=digest(self._code.files),
            activated=activated,
            log_path=self._log.path,
        )
        self._dispatcher = Dispatcher(
            self._router,
            self._operations,
            self._actors,
            controls.table(),
            self._metrics,
            self._log,
            LagProbe(self._loop, self._metrics.loop_lag_seconds),
            self._code.is_replaced,
        )
        self._server = HttpServer(
            self._dispatcher, self._limits, allow=is_owner, on_accept=self._check_folders
        )
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
        # A closed terminal (SIGHUP) must not end the daemon; a deleted data folder must.
        self._loop.add_signal_handler(signal.SIGHUP, self._check_folders)

    def _finish_start(self) -> None:
        paths = self._settings.paths
        folders = [paths.home] if self._bound is None else [paths.home, paths.socket.parent]
        if why := self._watch.start(folders):
            self._log.write("polls_folders", reason=why)
        self._check_folders()  # the watch does not report what happened before it began
        if self._stopping.is_set():
            return
        self._workers.submit(self._finish_start_in_worker, self._start_finished)

    def _finish_start_in_worker(self) -> None:
        try:
            self._watch_edits()
            look_at_model(self._runtime)
        finally:
            _keep_loaded()
            gc.enable()

    def _start_finished(self, result: object) -> None:
        if isinstance(result, Exception):
            self._report("settle", result)
        if not self._stopping.is_set():
            self._jobs.begin()

    def _recorded(self, events: Sequence[SessionName]) -> None:
        """The first event of a session begins the warming up: a daemon that serves no session does
        without all rules (17 MB), and the user's first prompt comes later than the first event."""
        self._jobs.count_events(events)
        if not self._is_warm:
            self._is_warm = True
            self._loop.call_later(_QUIET_START_S, self._warm)

    def _warm(self) -> None:
        if not self._stopping.is_set():
            self._workers.submit(self._warm_in_worker, self._warmed)

    def _warm_in_worker(self) -> None:
        # Imported here because it loads every rule.
        from wm.ops.warm import warm

        warm(self._runtime, self._operations)
        _keep_loaded()

    def _warmed(self, result: object) -> None:
        if isinstance(result, Exception):
            self._report("warm", result)

    def _watch_edits(self) -> None:
        if _NOTICE not in self._operations:
            return
        try:
            state, self._end_watch = watch_edits(self._runtime, self._memory_edited)
        except (StoreError, OSError) as error:
            self._report("watch", error)
            return
        if state != "watching":
            self._log.write("polls_edits", reason=state)

    # -- foundations -------------------------------------------------------------------------

    def _check_home(self) -> None:
        """Check the data folder, in a worker, before each write. Raises StoreError."""
        if not self._lock.is_ours():
            self._loop.call_soon_threadsafe(self.stop, "the data folder is gone")
            raise StoreError.of("home.gone", home=self._settings.paths.home)

    def _code_replaced(self) -> None:
        """From any thread: end, before two versions mix."""
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            self._loop.call_soon_threadsafe(self.stop, _REPLACED)

    def _memory_edited(self, key: str) -> None:
        """Called in the watch's thread: a person edited this workspace's memory (ST-4)."""
        self._loop.call_soon_threadsafe(self._queue_notice, key)

    def _queue_notice(self, key: str) -> None:
        """Queue the outside change like any other update of that workspace."""
        operation = self._operations[_NOTICE]
        try:
            self._actors.update(operation, operation.request(workspace=key), self._notice_taken)
        except WmError as error:
            # Nothing is lost: the next edit, or `wm inbox`, finds the change.
            self._report(_NOTICE, error)

    def _notice_taken(self, done: Done[Any]) -> None:
        if done.error is not None:
            self._report(_NOTICE, done.error)

    def _check_folders(self) -> None:
        """Check the folders: something in them may have changed."""
        if not self._lock.is_ours():
            self.stop("the data folder or its lock is gone")
            return
        bound = self._bound
        if bound is None or bound.is_current() or self._stopping.is_set():
            return
        if not bound.path.parent.is_dir():
            self.stop("the socket's folder is gone")
            return
        self._rebind(bound)

    def _rebind(self, lost: BoundSocket) -> None:
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

    def _report_config(self) -> None:
        """Log whether config.toml is usable. It is read once; a change needs a restart."""
        self._runtime.signals.troubles.report("config", self._settings.config_notice)
        if self._settings.config_warning:
            self._log.write("config_ignored", reason=self._settings.config_warning)

    def _troubled(self, what: str, why: str) -> None:
        """From any thread: log that work continues without a part that failed."""
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            self._loop.call_soon_threadsafe(
                partial(self._log.write, "trouble", what=what, reason=why)
            )

    def _report(self, what: str, error: BaseException) -> None:
        if isinstance(error, WmError | OSError):
            self._log.write("failed", what=what, reason=str(error))
            return
        if self._code.is_replaced():
            return  # what a module of another version, or a missing one, makes fail is not a bug
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
        self._stop_watching()  # in case it began only now
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
        stop, self._end_watch = self._end_watch, lambda: None
        stop()

    def _close_store(self) -> bool:
        try:
            self._runtime.store.close()
        except (StoreError, OSError) as error:
            self._report("close", error)
            return False
        return True


async def drained(drain: Callable[[], Awaitable[bool]], left: Callable[[], int]) -> bool:
    """Drain as long as the remaining work decreases: it was already answered and exists only in
    memory."""
    before = left()
    while not await drain():
        now = left()
        if now >= before:
            return False
        before = now
    return True


def _inherited_sockets() -> list[socket.socket]:
    """Sockets passed by systemd. They belong to the manager: we never unlink their paths.

    Raises UserError for a socket that is not a Unix socket: only those report the peer's user.
    """
    found = []
    for fd in range(_FIRST_FD, _FIRST_FD + activation()):
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
    return UserError.of("daemon.wrong_descriptor", fd=fd)


def _fill_streams() -> None:
    """Open descriptors 0, 1 and 2 if the caller closed them (F68): no file of ours may get such
    a number."""
    fd = os.open(os.devnull, os.O_RDWR)
    while fd <= 2:
        fd = os.open(os.devnull, os.O_RDWR)
    os.close(fd)


def _keep_loaded() -> None:
    """Exempt all loaded objects from later garbage collections: they stay."""
    gc.collect()
    gc.freeze()


def _within_descriptors(limits: DaemonSettings) -> DaemonSettings:
    """Limit connections to the available file descriptors, with a reserve for files (F09)."""
    most = max(8, allow_open_files(_WANTED_FDS) - _RESERVED_FDS)
    return structs.replace(limits, max_connections=min(limits.max_connections, most))


def _print(word: str) -> None:
    """Print for the process that started us: a client (see `wm.daemon.lifecycle`), or a person."""
    with contextlib.suppress(OSError):
        os.write(2, word.encode(errors="replace") + b"\n")
