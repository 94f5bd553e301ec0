"""Persons with clones of one project, each with a data folder of its own, and bare remotes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from tests.ops.conftest import BEGIN, Bench, QuickDisk
from wm.api.sync import Synced
from wm.formats.sharing.sync import Sync
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import Ids
from wm.ops.sync.exchange import Choices
from wm.ops.sync.planning import sync_mine, sync_project
from wm.settings import Paths, Settings, StoreSettings, TeamSettings
from wm.store.base import Ref
from wm.store.files import FileStore

REF = "refs/wm/memory"


def git(where: Path | str, *words: str, data: bytes = b"", env: Mapping[str, str] = {}) -> str:
    done = subprocess.run(
        ["git", *words],
        cwd=where,
        input=data,
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_NOSYSTEM": "1", **env},
        check=False,
    )
    assert done.returncode == 0, (words, done.stderr.decode())
    return done.stdout.decode().strip()


class Person:
    """Somebody with a clone of the project and a data folder."""

    def __init__(self, folder: Path, name: str, remote: Path | str, **team: Any) -> None:
        self.name = name
        self.folder = folder / name
        self.project = self.folder / "shop"
        if not self.folder.exists():
            self.folder.mkdir()
            git(self.folder, "clone", "-q", str(remote), str(self.project))
            git(self.project, "config", "user.email", f"{name}@example.org")
            git(self.project, "config", "user.name", name.capitalize())
        self.bench = self._opened(self._settings(team))

    def _settings(self, team: Mapping[str, Any]) -> Settings:
        home = self.folder / "wm"
        return Settings(
            paths=Paths(home, home / "run/wm.sock", self.folder / "none.toml", self.folder / "c"),
            store=StoreSettings(lock_wait_s=5.0, lock_poll_s=0.001),
            team=TeamSettings(**team),
        )

    def _opened(self, settings: Settings) -> Bench:
        home = settings.paths.home
        bench = Bench(settings, self.project, FileStore(home, settings.store, QuickDisk(home)))
        # The bench draws its ids from its clock, which all persons share.
        bench.runtime = structs.replace(bench.runtime, ids=Ids())
        return bench

    def accept(self, rule: str, **more: Any) -> None:
        settings = self.bench.settings
        changed = replace(settings, team=replace(settings.team, accept=rule, **more))
        self.bench.store.close()
        bench = self._opened(changed)
        bench.moment, bench.drawn = self.bench.moment, self.bench.drawn
        self.bench = bench

    # --- acts ---------------------------------------------------------------------------------

    def call(self, name: str, /, **fields: Any) -> Any:
        return self.bench.call(name, **fields)

    def remember(self, text: str, **fields: Any) -> str:
        fields.setdefault("type", "decision")
        entry = self.bench.remember(text, typed=True, **fields)
        assert entry.status == "active", entry.reasons
        return entry.id

    def share(self, *ids: str, **fields: Any) -> Any:
        return self.call("share_entries", ids=ids, **fields)

    def shared(self, text: str, **fields: Any) -> str:
        name = self.remember(text, **fields)
        self.share(name)
        return name

    def sync(self, **choices: Any) -> Synced:
        self.bench.later()
        choices.setdefault("confirm", lambda _leaving, _remote: True)
        scope = {"directory": str(self.project)}
        return sync_project(self.bench.runtime, self._call, scope, Choices(**choices))

    def sync_mine(self, remote: str = "", folder: str = "", **choices: Any) -> Synced:
        self.bench.later()
        choices.setdefault("confirm", lambda _leaving, _remote: True)
        scope = {"directory": folder or str(self.project)}
        return sync_mine(self.bench.runtime, self._call, Choices(remote=remote, **choices), scope)

    def _call(self, name: str, /, **fields: Any) -> Any:
        operation = OPERATIONS[name]
        return execute(self.bench.runtime, operation, operation.request.model_validate(fields))

    # --- seeing -------------------------------------------------------------------------------

    @property
    def entries(self) -> dict[str, MemoryEntry]:
        return {entry.id: entry for entry in self.bench.memory().entries}

    def texts(self, status: str = "active") -> list[str]:
        return sorted(self.bench.texts(status))

    def record(self) -> Sync:
        found = self.bench.store.read(Ref(Sync, self.bench.key)).document
        assert found is not None
        return found

    @property
    def mirror(self) -> Path:
        return self.bench.settings.paths.home / "sync" / f"{self.bench.key}.git"

    def tree(self) -> str:
        return git(self.mirror, "rev-parse", f"{REF}^{{tree}}")


class World:
    """A bare remote, and the persons around it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remote = folder / "shop.git"
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        self._begin()
        self.persons: dict[str, Person] = {}

    def _begin(self) -> None:
        first = self.folder / "first"
        git(self.folder, "clone", "-q", str(self.remote), str(first))
        (first / "README").write_text("shop\n")
        git(first, "add", ".")
        who = ("-c", "user.email=first@example.org", "-c", "user.name=First")
        git(first, *who, "commit", "-q", "-m", "Begin")
        git(first, "push", "-q", "origin", "HEAD:main")

    def person(self, name: str, **team: Any) -> Person:
        made = Person(self.folder, name, self.remote, **team)
        self.persons[name] = made
        return made

    def tree(self) -> str:
        return git(self.remote, "rev-parse", f"{REF}^{{tree}}")

    def objects(self) -> Iterator[bytes]:
        """Every object at the remote, whatever refers to it."""
        listed = git(self.remote, "cat-file", "--batch-all-objects", "--batch-check")
        for line in listed.splitlines():
            name, kind, _ = line.split()
            if kind in ("blob", "commit"):
                yield git(self.remote, "cat-file", kind, name).encode()

    def close(self) -> None:
        for person in self.persons.values():
            person.bench.store.close()


def at(moment: datetime = BEGIN, **span: float) -> datetime:
    return moment + timedelta(**span)
