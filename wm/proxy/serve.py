"""The process behind `wm proxy` and `wm run`: starts the server, stops it on a signal (PX-1).

At the end it drains: running answers finish within a bound, then the totals are reported.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from wm.errors import UserError
from wm.proxy.exchange import Parties
from wm.proxy.fallback import Failed
from wm.proxy.guard import Guard, hosts_of
from wm.proxy.listener import Observe, Server
from wm.proxy.origin import parse_origin
from wm.proxy.preparing import PREPARE_DEADLINE_S, RequestPreparer, TimedPreparer
from wm.proxy.upstream import Pool
from wm.settings import Network, ProxySettings


class Running(Struct, frozen=True):
    """A proxy that is serving."""

    server: Server
    port: int
    base_url: str
    """The URL of the Messages API for an agent."""


@contextlib.asynccontextmanager
async def running(
    settings: ProxySettings,
    token: str,
    *,
    port: int,
    observe: Observe,
    failed: Failed,
    preparer: RequestPreparer | None = None,
    prepare_deadline_s: float = PREPARE_DEADLINE_S,
    network: Network | None = None,
) -> AsyncIterator[Running]:
    """A proxy on this loop; without a preparer it changes nothing. Raises UserError for an unusable
    upstream or port."""
    origin = parse_origin(settings.upstream)
    pool = Pool(origin, settings, network)
    listener = _bound(port)
    number = listener.getsockname()[1]
    guard = Guard(token.encode("ascii"), hosts_of(number))
    timed = TimedPreparer(preparer, failed, prepare_deadline_s) if preparer else None
    server = Server(Parties(pool, failed, timed), guard, observe, settings)
    await server.listen(listener)
    try:
        yield Running(server, number, f"http://127.0.0.1:{number}/t/{token}")
    finally:
        await server.drain(settings.drain_s)
        pool.deferred.do_all()


def _bound(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        why = os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)
        raise UserError.of("proxy.cannot_listen", port=port, why=why) from None


async def until_signalled() -> None:
    """Return at SIGTERM or SIGINT."""
    signalled = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, signalled.set)
    await signalled.wait()


async def run_program(words: Sequence[str], env: Mapping[str, str], folder: Path) -> int:
    """Run a program in our terminal until it ends. Returns its exit code, as a shell reports it.

    Keys such as Ctrl-C reach the program directly; it decides what they mean. A signal to us is
    passed on to it. Raises UserError if it cannot be started.
    """
    signals: asyncio.Queue[int] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, lambda: None)
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Before the start: a signal that arrives in between must still reach the program.
        loop.add_signal_handler(number, signals.put_nowait, number)
    try:
        process = await asyncio.create_subprocess_exec(*words, env=dict(env), cwd=folder)
    except OSError as error:
        raise UserError.of("run.cannot_start", program=words[0], why=error.strerror) from None
    passing = loop.create_task(_pass_on(signals, process))
    code = await process.wait()
    passing.cancel()
    return code if code >= 0 else 128 - code


async def _pass_on(signals: asyncio.Queue[int], process: asyncio.subprocess.Process) -> None:
    while True:
        number = await signals.get()
        with contextlib.suppress(ProcessLookupError):  # it has ended already
            process.send_signal(number)
