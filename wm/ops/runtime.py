"""The context of every use case: settings, store, clock, ids, redaction. One per process.

Owns the in-memory caches and signals of the process. Everything here may be dropped at any time.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from msgspec import Struct, field

from wm import __version__
from wm.formats.home import AllowedDigests
from wm.formats.sharing.sync import Sync
from wm.ops.background import Background, Task, tasks
from wm.ops.cache import Cache, V
from wm.secrets.redact import Redactor
from wm.settings import Settings
from wm.store.base import Ref
from wm.store.files import FileStore
from wm.store.paths import USER


class Ids:
    """Generates ids: a prefix and 20 random hex digits. They do not collide in practice and contain
    no time, so a test can replace the source."""

    def __init__(self, random_bytes: Callable[[int], bytes] = os.urandom) -> None:
        self._random_bytes = random_bytes

    def new(self, prefix: str) -> str:
        return prefix + self._random_bytes(10).hex()


def utc_now() -> datetime:
    """The only clock of the program (DESIGN "who owns which state")."""
    return datetime.now(UTC)


PLACE_KNOWN_S = 0.25
"""How long a folder's workspace is cached. One request asks several times, and agents send bursts.
A branch switch is noticed after this time."""
GIT_KNOWN_S = 60.0
"""How long an answer of git about branches and commits is cached."""


class Process(Struct, frozen=True, eq=False):
    """This process, as one of those that serve sessions."""

    version: str = __version__
    instance: str = field(default_factory=lambda: os.urandom(6).hex())
    serves: bool = False
    """True in a long-lived process (the daemon). Only there are user messages looked up."""


class Caches(Struct, frozen=True, eq=False):
    """Values derived from settings and documents. Each may be dropped at any time."""

    places: Cache = field(default_factory=lambda: Cache(size=256))
    views: Cache = field(default_factory=Cache)
    indexes: Cache = field(default_factory=lambda: Cache(size=16))
    models: Cache = field(default_factory=lambda: Cache(size=8))
    editors: Cache = field(default_factory=lambda: Cache(size=4))
    """The editors that compare new entries with the memory, by workspace."""
    conversations: Cache = field(default_factory=lambda: Cache(size=16))
    """Conversations that a foreign proxy pages."""
    turns: Cache = field(default_factory=lambda: Cache(size=256))
    """Requests of these whose answer may still come, by name."""
    git: Cache = field(default_factory=lambda: Cache(size=128))
    """Answers of git about branches and commits of a folder, kept for a minute."""
    ledgers: Lock = field(default_factory=Lock)
    """Held while the view of a paging ledger is replaced, added to or copied; never while one is
    read from disk."""


class Troubles(dict[str, str]):
    """Degraded features of this process: an internal name and the sentence that explains it."""

    on_report: Callable[[str, str], None] = staticmethod(lambda _what, _why: None)
    """Called with each new trouble, in the thread that reports it."""

    def report(self, what: str, why: str) -> None:
        """Report a trouble; an empty sentence clears it."""
        if not why:
            self.pop(what, None)
        elif self.get(what) != why:
            self[what] = why
            self.on_report(what, why)


class FinishedTurns:
    """Tells one listener of each request of a paged session that was answered."""

    listener: Callable[[str, str], None] = staticmethod(lambda _workspace, _session: None)
    """Called with workspace and `<sid>`, in the thread that wrote the ledger."""


class SweepTurns:
    """Lets one sweep run at a time; a person's `wm gc` comes before the schedule.

    A dry run pauses the schedule for `PAUSE_S`, so that `wm gc` then deletes exactly what the
    dry run listed (GV-3).
    """

    PAUSE_S = 900.0

    def __init__(self) -> None:
        self._running = Lock()
        self._paused_until = 0.0

    def is_paused(self) -> bool:
        """Whether the schedule is paused. A scheduled sweep ends at its next step then."""
        return time.monotonic() < self._paused_until

    @contextmanager
    def asked(self, *, dry_run: bool) -> Iterator[None]:
        """A sweep that a person asked for: waits for a scheduled one to end."""
        self._paused_until = math.inf
        with self._running:
            try:
                yield
            finally:
                self._paused_until = time.monotonic() + self.PAUSE_S if dry_run else 0.0

    @contextmanager
    def scheduled(self) -> Iterator[bool]:
        """Whether a scheduled sweep may run; it holds its turn while the block runs."""
        free = not self.is_paused() and self._running.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._running.release()


class Signals(Struct, frozen=True, eq=False):
    """State that one part of the process shares with others, mainly for metrics. Never stored."""

    pending_notices: Cache = field(default_factory=lambda: Cache(size=256))
    """Sessions with a pressure notice to deliver at the next opportunity (PS-3)."""
    notices: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Level changes and notices since the process started."""
    zones: Cache = field(default_factory=lambda: Cache(size=256))
    """The newest zone of each proxied conversation, with its time (PS-2)."""
    troubles: Troubles = field(default_factory=Troubles)
    sweeps: SweepTurns = field(default_factory=SweepTurns)
    turns: FinishedTurns = field(default_factory=FinishedTurns)


class Runtime(Struct, frozen=True, eq=False):
    """All dependencies of a use case; it must not fetch any by itself."""

    settings: Settings
    store: FileStore
    redactor: Redactor
    now: Callable[[], datetime] = utc_now
    ids: Ids = field(default_factory=Ids)
    process: Process = field(default_factory=Process)
    caches: Caches = field(default_factory=Caches)
    signals: Signals = field(default_factory=Signals)

    def later(self) -> Background[Task]:
        """The process's background job queue: building indexes, saving vectors."""
        return self.caches.models.get("later", (), tasks)

    def of_git(self, key: Hashable, inputs: tuple[Any, ...], ask: Callable[[], V]) -> V:
        """An answer of git about a folder; asked for again after a minute, or for other inputs."""
        minute = self.now().timestamp() // GIT_KNOWN_S
        return self.caches.git.get(key, (*inputs, minute), ask)

    def is_shared(self, workspace: str) -> bool:
        """Whether a person ever synced this workspace, or their own memory (SY-1)."""
        return any(self.store.names(Sync, key) for key in (workspace, USER))

    def redacted_path(self, path: str) -> str:
        """A path without secrets in it (TR-1)."""
        is_plain = not Redactor(self.redactor.digest).find(path)
        return path if is_plain else self.redactor.text(path)

    def redacted_name(self, name: str) -> str:
        """A session id or branch name without tokens of a known form (TR-1). Random ids stay:
        agents generate them, and one id must always keep one name."""
        return Redactor(self.redactor.digest, opaque=False).text(name)


ALLOWED: Ref[AllowedDigests] = Ref(AllowedDigests)


class AllowedNow:
    """The digests that the user declared not secret, read from disk on each use: an allowance takes
    effect at once in a long-running daemon. Used for found secrets only, so reads are rare."""

    def __init__(self, store: FileStore) -> None:
        self._store = store

    def __iter__(self) -> Iterator[str]:
        document = self._store.read(ALLOWED).document
        return iter(document.digests if document is not None else ())


def make_runtime(settings: Settings, store: FileStore, **parts: object) -> Runtime:
    """A runtime on a store; the store's digest keys the redactor."""
    allowed = AllowedNow(store)
    iter(allowed)  # an unreadable data folder fails here, not at the first secret
    return Runtime(settings, store, Redactor(store.digest, allowed), **parts)  # type: ignore[arg-type]
