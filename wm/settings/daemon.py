"""Sections [daemon], [hooks] and [tools]: deadlines and limits of the daemon and its clients.

A hook's deadline is the longest that an agent ever waits for `wm`.
"""

from typing import Annotated

from msgspec import Struct

from wm.settings.schema import Option


class DaemonSettings(Struct, frozen=True, eq=False):
    """The daemon and its socket (SPEC IF-1, IF-6)."""

    request_timeout_s: Annotated[float, Option(least=0.1)] = 10.0
    """Deadline of one request in the daemon [s, IF-1]."""
    max_connections: Annotated[int, Option(least=8)] = 256
    """Connections served at once; others are asked to try again later [connections, IF-1]."""
    drain_s: Annotated[float, Option()] = 5.0
    """On SIGTERM, requests in progress get this long to finish. Writing goes on as long as each
    such period has a write [s, IF-6]."""
    start_wait_s: Annotated[float, Option(least=0.5)] = 10.0
    """Longest wait of a client for the first answer of a daemon that it started [s, IF-6]."""
    idle_exit_s: Annotated[float, Option(common=True)] = 0.0
    """The daemon exits after this long without a request; 0: never [s, IF-6]."""
    activated_idle_exit_s: Annotated[float, Option()] = 1800.0
    """The daemon exits after this long without a request if a service manager holds the socket;
    0: never [s, IF-6]."""
    log_max_bytes: Annotated[int, Option(least=4096)] = 1024 * 1024
    """daemon.log is rotated at this size; one older file is kept [bytes, IF-6]."""

    # Fixed: not options of config.toml.
    connect_timeout_s: float = 0.25
    """Longest wait of a client for a connection to the daemon [s, IF-1]."""
    header_timeout_s: float = 5.0
    """A connection that has not sent its whole head within this time is closed [s, IF-1]."""
    body_timeout_s: float = 30.0
    """A connection that has not sent its whole body within this time is closed [s, IF-1]."""
    max_head_bytes: int = 64 * 1024
    """Largest request line and headers [bytes, IF-1]."""
    max_body_bytes: int = 16 * 1024 * 1024
    """Largest request body [bytes, IF-1]."""
    batch_requests: int = 64
    """Most updates of one workspace that share a flush [requests, ST-1]."""
    gather_s: float = 0.003
    """After a shared flush, the next batch waits this long for clients just answered [s, ST-1]."""
    queue_requests: int = 1024
    """Updates that may wait for one workspace; further ones get 503 [requests, IF-1]."""
    max_buffered_bytes: int = 64 * 1024 * 1024
    """Bytes of unfinished request bodies kept at once; further requests get 503 [bytes, IF-6]."""
    worker_threads: int = 4
    """Threads that wait for the disk in place of the event loop [threads, IF-1]."""


class HookSettings(Struct, frozen=True, eq=False):
    """Deadlines of the agents' hooks (SPEC IF-2, IF-3)."""

    event_timeout_s: Annotated[float, Option(least=0.05)] = 1.0
    """A hook gives up after this long and prints nothing [s, IF-3]."""
    lock_wait_s: Annotated[float, Option()] = 2.0
    """Longest wait of a hook for a document's lock, within the hook's deadline [s, ST-2]."""

    # Fixed: not options of config.toml.
    start_timeout_s: float = 5.0
    """Longest work of a hook on the files if no daemon answers, and longest start of a daemon
    [s, IF-3]."""
    context_chars: int = 9_900
    """Most characters that one hook of Claude Code adds: Claude Code shows only the beginning of
    more than 10,000. The working memory is shortened first [chars, EP-2]."""


class ToolSettings(Struct, frozen=True, eq=False):
    """The tools that a model can call (SPEC IF-4)."""

    hits: Annotated[int, Option()] = 8
    """Hits of memory_query unless asked otherwise [hits, IF-4]."""
    answer_chars: Annotated[int, Option()] = 8000
    """Characters of the memories in one answer; further ones are counted [chars, IF-4]."""
    max_waiting: Annotated[int, Option()] = 100
    """Proposals of agents that may wait in the inbox; further ones are refused [entries, TR-3]."""

    # Fixed: not options of config.toml.
    timeout_s: float = 10.0
    """Longest wait of `wm mcp` for the daemon's answer to a call [s, IF-4]."""
    restored_chars: int = 80_000
    """Longest text of a removed step that `memory_restore` returns at once [chars, OB-5]."""
    output_chars: int = 20_000
    """Characters of kept tool output in one answer [chars, PR-3]."""
    file_chars: int = 20_000
    """Longest file that the memory tool writes [chars, IF-4]."""
    view_chars: int = 16_000
    """Characters of a file in one answer [chars, IF-4]."""
