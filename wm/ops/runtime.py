"""What every use case is given: settings, store, clock, ids, redaction. One per process."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime

from msgspec import Struct, field
from msgspec.structs import replace

from wm import __version__
from wm.domain.redact import Redactor
from wm.formats.home import AllowedDigests
from wm.ops.background import Answering, Background, Task, tasks
from wm.ops.cache import Brief, DerivedCache, Latest, Lent, Marks, Tally, Troubles
from wm.settings import Settings
from wm.store.base import Ref, Store


class Ids:
    """New ids: a prefix, then 20 hex digits of randomness. They never collide in practice and
    never name a time, so a test can replace the source."""

    def __init__(self, random_bytes: Callable[[int], bytes] = os.urandom) -> None:
        self._random_bytes = random_bytes

    def new(self, prefix: str) -> str:
        return prefix + self._random_bytes(10).hex()


def utc_now() -> datetime:
    """The one clock of the program (DESIGN "who owns which state")."""
    return datetime.now(UTC)


PLACE_KNOWN_S = 0.25
"""A folder's workspace is looked up once in this time: one request asks several times, and
agents ask in bursts. A branch that was switched is seen after it."""

LONGEST_PATH = 1024
"""Characters. What is longer is no path that comes again, and is not kept."""


class Runtime(Struct, frozen=True, eq=False):
    """Everything a use case needs and may not fetch for itself."""

    settings: Settings
    store: Store
    redactor: Redactor
    now: Callable[[], datetime] = utc_now
    ids: Ids = field(default_factory=Ids)
    version: str = __version__
    instance: str = field(default_factory=lambda: os.urandom(6).hex())
    """This process, among those that served a session."""
    places: Brief = field(default_factory=lambda: Brief(PLACE_KNOWN_S))
    owners: DerivedCache = field(default_factory=lambda: DerivedCache(size=256))
    views: DerivedCache = field(default_factory=DerivedCache)
    indexes: DerivedCache = field(default_factory=lambda: DerivedCache(size=16))
    models: DerivedCache = field(default_factory=lambda: DerivedCache(size=4))
    ledgers: Lent = field(default_factory=Lent)
    """What newcomers are compared with, by workspace."""
    branches: DerivedCache = field(default_factory=DerivedCache)
    anchors: DerivedCache = field(default_factory=DerivedCache)
    commits: DerivedCache = field(default_factory=DerivedCache)
    recalled: DerivedCache = field(default_factory=DerivedCache)
    """What the newest message of each session recalls, looked up before anything is locked."""
    answering: Answering = field(default_factory=Answering)
    serves: bool = False
    """Whether this process stays, as the daemon does: only then is a message looked up."""
    untold: Marks = field(default_factory=Marks)
    """Sessions that are to be told something at the next opportunity (PS-3)."""
    told: Tally = field(default_factory=Tally)
    """Changes of level, and what was said about them, since this process began."""
    zones: Latest = field(default_factory=Latest)
    """Of the conversations that a proxy told of since this process began (PS-2)."""
    plain_paths: DerivedCache = field(default_factory=lambda: DerivedCache(size=512))
    """Whether a path looks like no secret at all: agents name the same ones again and again."""
    troubles: Troubles = field(default_factory=Troubles)
    plain_names: DerivedCache = field(default_factory=lambda: DerivedCache(size=64))

    def drawing(self, ids: Ids) -> Runtime:
        """The same runtime with another source of ids. Each update asks for one."""
        return replace(self, ids=ids)

    def later(self) -> Background[Task]:
        """The one line for what nobody waits for: indexes to make ready, vectors to save."""
        line: Background[Task] = self.models.get("later", (), lambda: tasks(self.answering))
        return line

    def redacted_path(self, path: str) -> str:
        """A path without secrets in it (TR-1)."""
        strict = Redactor(self.redactor.digest)
        is_plain = len(path) <= LONGEST_PATH and self.plain_paths.get(
            path, (), lambda: not strict.find(path)
        )
        return path if is_plain else self.redactor.text(path)

    def redacted_name(self, name: str) -> str:
        """The name of a session or a branch without a token of a known form (TR-1). What is only
        random stays: agents make their ids up, and the same one must always name the same."""
        plain = Redactor(self.redactor.digest, opaque=False)
        safe: str = (
            self.plain_names.get(name, (), lambda: plain.text(name))
            if len(name) <= LONGEST_PATH
            else plain.text(name)
        )
        return safe


ALLOWED: Ref[AllowedDigests] = Ref(AllowedDigests)


class AllowedNow(Collection[str]):
    """The digests of what the user declared to be no secret, as they stand on disk now: an
    allowance counts at once in a daemon that has been running for weeks. Asked for found
    secrets only, so it is read rarely."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def _digests(self) -> Mapping[str, str]:
        document = self._store.read(ALLOWED).document
        return document.digests if document is not None else {}

    def __contains__(self, digest: object) -> bool:
        return digest in self._digests()

    def __iter__(self) -> Iterator[str]:
        return iter(self._digests())

    def __len__(self) -> int:
        return len(self._digests())


def make_runtime(settings: Settings, store: Store, **parts: object) -> Runtime:
    """A runtime on a store; the redactor is keyed by the store's own digest."""
    allowed = AllowedNow(store)
    len(allowed)  # a home that cannot be read is found here, not at the first secret
    return Runtime(settings, store, Redactor(store.digest, allowed), **parts)  # type: ignore[arg-type]
