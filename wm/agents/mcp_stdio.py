"""The MCP server on standard input and output (IF-4): reads lines, runs calls, writes lines.

Calls run one at a time in a separate thread, so that a ping or a cancellation is handled during a
call. The end of the input ends the process after the calls that came before it; so does a client
that stops reading. No process or thread stays behind.

Rule: standard output carries the protocol and nothing else. All other output goes to stderr.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

from wm.agents.mcp_session import McpSession, SessionStep, ToolCall, ToolOutcome

Perform = Callable[[ToolCall], ToolOutcome]
"""Carries a tool call out. Raises only for a bug."""

MAX_LINE = 4 * 1024 * 1024
"""Bytes of one message; a longer one is skipped and refused."""

_READ = 64 * 1024

BUG = "This is a bug in wm, so nothing can be said of the call; its place was written to stderr."


def serve_stdio(session: McpSession, perform: Perform) -> int:
    """Serve the client of this process until it ends; return the exit code."""
    out = os.dup(1)
    os.dup2(2, 1)  # a stray print in any library must not break the protocol
    try:
        serve(session, perform, 0, out)
    finally:
        os.close(out)
    return 0


def serve(session: McpSession, perform: Perform, source: int, target: int) -> None:
    """Serve the client that writes to `source` and reads from `target` until it ends."""
    wake, waker = os.pipe()
    writer = _Writer(target, waker)
    try:
        _talk(session, perform, source, writer, wake)
    finally:
        os.close(wake)
        os.close(waker)


def _talk(session: McpSession, perform: Perform, source: int, writer: _Writer, wake: int) -> None:
    calls: SimpleQueue[ToolCall | None] = SimpleQueue()
    lock = threading.Lock()
    lines = LineSplitter(MAX_LINE)

    def work() -> None:
        while (call := calls.get()) is not None:
            outcome = _performed(perform, call)
            with lock:
                reply = session.finish(call.number, outcome)
            if reply is not None:
                writer.write(reply)

    worker = threading.Thread(target=work, name="wm-mcp-calls", daemon=True)
    worker.start()
    poll = select.poll()
    poll.register(source, select.POLLIN)
    poll.register(wake, select.POLLIN)
    while not writer.gone:
        if wake in (ready for ready, _ in poll.poll()):
            return
        data = os.read(source, _READ)
        for line in lines.feed(data):
            with lock:
                step = _step(session, line)
            for reply in step.replies:
                writer.write(reply)
            for call in step.calls:
                calls.put(call)
        if not data:
            break
    calls.put(None)
    worker.join()


def _step(session: McpSession, line: bytes | None) -> SessionStep:
    return session.too_long(MAX_LINE) if line is None else session.feed(line)


def _performed(perform: Perform, call: ToolCall) -> ToolOutcome:
    try:
        return perform(call)
    except Exception as error:  # noqa: BLE001 - the server's door: a bug costs one call
        _report_error(error)
        return ToolOutcome(BUG, failed=True)


def _report_error(error: Exception) -> None:
    """Print type and place, never contents: the client keeps our stderr in its log (TR-1)."""
    frame = error.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    place = f" at {frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}" if frame else ""
    sys.stderr.write(f"wm mcp: {type(error).__name__}{place}\n")
    sys.stderr.flush()


class LineSplitter:
    """Splits a stream into lines; the last one may lack its end. None: a line longer than
    `limit`, which is skipped, so that memory stays bounded."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rest = b""
        self._skips = False
        """The current line is too long; its end is dropped as it comes."""

    def feed(self, data: bytes) -> list[bytes | None]:
        """The lines that `data` completes; b"" is the end of the stream."""
        if not data:
            return [self._rest] if self._rest else []
        *lines, rest = (self._rest + data).split(b"\n")
        if self._skips and lines:
            del lines[0]
            self._skips = False
        found = [line if len(line) <= self._limit else None for line in lines]
        self._rest = b"" if self._skips else rest
        if len(self._rest) > self._limit:
            self._rest, self._skips = b"", True
            found.append(None)
        return found


class _Writer:
    """Writes complete messages to a descriptor, from both threads. gone: the client has left."""

    def __init__(self, target: int, waker: int) -> None:
        self._target = target
        self._waker = waker
        self._lock = threading.Lock()
        self.gone = False

    def write(self, message: bytes) -> None:
        with self._lock:
            view = memoryview(message)
            while view and not self.gone:
                try:
                    view = view[os.write(self._target, view) :]
                except OSError:
                    self.gone = True
                    os.write(self._waker, b"x")
