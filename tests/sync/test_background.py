"""The daemon syncs by itself: only while a session is active, and only where a person agreed."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.daemon.test_jobs import jobs_of, until
from tests.sync.clones import Person, World, git
from tests.sync.test_sharing import CENTS, SHIP, act, sync_that_dies, synced
from wm.errors import UserError
from wm.ops.sync.planning import sync_quietly


def active(person: Person, events: int) -> list[tuple[str, Exception]]:
    """Let the daemon's background jobs count events of a session; the failures."""
    reported: list[tuple[str, Exception]] = []

    async def scene() -> None:
        jobs = jobs_of(person.bench.runtime, reported)
        for _ in range(events):
            jobs.count_events([(person.bench.key, "s_1")])
        await until(lambda: jobs.ended(0))
        await asyncio.sleep(0)  # a failure is reported in the loop
        jobs.stop()

    asyncio.run(scene())
    return reported


def test_a_session_brings_what_others_share_and_sends_changes(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    ann.sync()
    ben.sync()
    ann.call("edit_entry", id=name, text=CENTS)
    assert active(ann, 0) == []
    assert "cents" not in git(world.remote, "log", "-p", "refs/wm/memory")
    assert active(ann, 3) == []
    assert active(ben, 1) == []
    assert ben.texts() == [CENTS]
    commits = git(world.remote, "rev-list", "--count", "refs/wm/memory")
    assert active(ann, 3) == []
    assert git(world.remote, "rev-list", "--count", "refs/wm/memory") == commits


@pytest.mark.parametrize("what", ["a sync that died", "a lost mirror"])
def test_what_waits_for_a_signature_is_not_forgotten_meanwhile(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A quiet sync takes in, but cannot send what it has to compare with the tree."""
    monkeypatch.setenv("HOME", str(tmp_path))
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    synced(ann, ben)
    act(ann, name, "edit")
    if what == "a sync that died":
        sync_that_dies(ann)
        act(ann, name, "edit back")
    else:
        away = world.remote.rename(world.folder / "away.git")
        ann.sync()
        away.rename(world.remote)
        shutil.rmtree(ann.mirror)
    news = ben.shared("The harbour closes at ten.")
    synced(ben)
    git(tmp_path, "config", "--global", "commit.gpgSign", "true")
    sync_quietly(ann.bench.runtime, ann.bench.key)
    assert set(ann.entries) == {name, news}
    git(tmp_path, "config", "--global", "commit.gpgSign", "false")
    synced(ann, ben)
    assert (set(ann.entries), ben.entries[name].text) == ({name, news}, ann.entries[name].text)


def test_without_an_agreement_nothing_is_contacted_or_sent(world: World) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    assert active(ann, 1) == []
    assert not ann.mirror.exists()
    ann.sync(confirm=lambda _leaving, _remote: False)
    assert active(ann, 1) == []
    assert git(world.remote, "for-each-ref", "refs/wm") == ""


def test_a_remote_under_another_url_is_left_alone(world: World) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    ann.sync()
    git(ann.project, "config", "remote.origin.url", "/nowhere")
    with pytest.raises(UserError, match="URL of origin changed"):
        sync_quietly(ann.bench.runtime, ann.bench.key)


def test_a_project_whose_remote_fails_does_not_keep_the_own_memory_back(world: World) -> None:
    ann, own = world.person("ann"), world.folder / "own.git"
    git(world.folder, "init", "-q", "--bare", str(own))
    ann.shared(SHIP)
    ann.sync()
    ann.sync_mine(str(own))
    ann.remember(CENTS)
    git(ann.project, "config", "remote.origin.url", "/nowhere")
    with pytest.raises(UserError, match="URL of origin changed"):
        sync_quietly(ann.bench.runtime, ann.bench.key)
    assert "cents" in git(own, "log", "-p", "refs/wm/memory")
