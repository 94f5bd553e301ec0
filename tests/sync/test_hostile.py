"""A remote that is gone, rewritten, hostile or huge never harms the local memory (SY-4)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import resource
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.sync import hostile
from tests.sync.clones import REF, Person, World, git
from wm.errors import UserError
from wm.store.git.objects import MAX_TOTAL_BYTES

SHIP = "We deploy with `make ship` from the release branch."
HOOKS = (
    *("pre-push", "reference-transaction", "post-receive", "update", "pre-receive"),
    *("post-checkout", "fsmonitor-watchman", "proc-receive", "post-update"),
)
CASES = dict(hostile.cases())
SECRETS = [f"{field} 8" for field in ("text", "name", "type", "scope", "rationale", "tag")]
FEW = sorted({*sorted(CASES)[::14], *SECRETS})
HISTORIES = dict(hostile.histories())
FEW_HISTORIES = sorted(HISTORIES)[::6]
BOUND_S = 30.0
MOST_MEMORY_BYTES = 1024 * 1024 * 1024


class Guard:
    """What must be the same after a sync with a hostile remote."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._before = self._state()

    def _state(self) -> dict[str, object]:
        person = self._person
        return {
            "active": {e.id: e.text for e in person.entries.values() if e.status == "active"},
            "project": _digests(person.project, skip=("objects", "refs/wm", "logs")),
            "config": (person.mirror / "config").read_text() if person.mirror.exists() else "",
        }

    def holds(self) -> None:
        after = self._state()
        assert after == self._before
        for entry in self._person.entries.values():
            if entry.origin == "user":
                assert entry.status == "active"
            else:  # an author may replace an entry of its own that waits
                assert entry.status in ("inbox", "superseded")
                assert entry.origin.startswith("team:")
                assert not entry.pinned
                assert entry.scope == "workspace" or entry.scope.startswith("branch:")
                assert "ghp_" not in entry.model_dump_json()
        written = self._person.bench.settings.paths.home.glob("workspaces/**/*.json*")
        assert not [path for path in written if b"ghp_" in path.read_bytes()]
        home = self._person.bench.settings.paths.home
        known = {"workspaces", "sync", "quarantine", "local.key", ".local.key.spare", "user"}
        assert {name for name in os.listdir(home) if not name.endswith(".lock")} <= known


def _digests(folder: Path, skip: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not any(part in name for part in skip):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def attacked(
    world: World, name: str, attack: Callable[[str], object], *, goes_on: bool = True
) -> None:
    """Let a member sync with a remote that `attack` changed; then the remote is sound again.
    goes_on: whether to sync with that, too."""
    ann = world.persons.get("ann") or world.person("ann")
    if not ann.entries:
        ann.shared(SHIP)
        ann.sync()
    guard = Guard(ann)
    sound = world.folder / "sound.git"
    shutil.copytree(world.remote, sound, symlinks=True)
    attack(git(world.remote, "rev-parse", REF))
    begun = time.monotonic()
    with contextlib.suppress(UserError):  # anything else would be a bug
        ann.sync()
    assert time.monotonic() - begun < BOUND_S, name
    guard.holds()
    if world.remote.is_dir() and not world.remote.is_symlink():
        shutil.rmtree(world.remote)
    else:
        world.remote.unlink()
    sound.rename(world.remote)
    if goes_on:
        later = ann.sync()
        assert not later.trouble, (name, later.trouble)


def attacked_by_tree(world: World, name: str, case: hostile.Case, seed: int) -> None:
    def attack(good: str) -> None:
        tree = hostile.Tree(world.remote, f"m_{seed:020x}").put("version", hostile.VERSION)
        case(tree, random.Random(seed))
        hostile.push(world.remote, tree.written(), good)

    attacked(world, name, attack, goes_on=seed % 4 == 3)


@pytest.mark.parametrize("name", FEW)
def test_a_hostile_tree_has_no_effect(world: World, name: str) -> None:
    attacked_by_tree(world, name, CASES[name], seed=7)


@pytest.mark.parametrize("name", FEW_HISTORIES)
def test_a_hostile_history_has_no_effect(world: World, name: str) -> None:
    attacked(world, name, lambda good: HISTORIES[name](world.remote, good))


def test_there_are_three_hundred_attacks() -> None:
    assert len(CASES) + len(HISTORIES) >= 300


@pytest.mark.sync
@pytest.mark.parametrize("kind", sorted({name.partition(" ")[0] for name in CASES}))
def test_every_hostile_tree_has_no_effect(world: World, kind: str) -> None:
    """One after the other, against one member."""
    for seed, name in enumerate(n for n in CASES if n.partition(" ")[0] == kind):
        attacked_by_tree(world, name, CASES[name], seed)


@pytest.mark.sync
def test_every_hostile_history_has_no_effect(world: World) -> None:
    for number, (name, history) in enumerate(HISTORIES.items()):
        goes_on = number % 4 == 3
        attacked(world, name, lambda good, h=history: h(world.remote, good), goes_on=goes_on)


@pytest.mark.sync
def test_mutated_files_have_no_effect(world: World) -> None:
    for seed, (name, case) in enumerate(hostile.mutations(200)):
        attacked_by_tree(world, name, case, seed)


def test_anything_but_a_shared_entry_is_left_out_and_reported(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared(SHIP)
    ann.sync()
    good = git(world.remote, "rev-parse", REF)
    tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
    tree.put("README", b"hello").put("entries/aa/x", b"")
    fine = "m_aaaaaaaaaaaaaaaaaaaa"
    tree.put(hostile.path_of(fine), hostile.entry(fine, text="A plain rule of the shop."))
    hostile.push(world.remote, tree.written(), good)
    done = ben.sync()
    assert set(done.left_out) == {"README", "entries/aa/x"}
    assert ben.texts() == ["A plain rule of the shop."]
    # What the hostile tree left out comes back from whoever has it.
    ann.sync()
    assert "README" not in git(world.remote, "ls-tree", "-r", "--name-only", REF)
    ben.sync()
    assert ben.texts() == ["A plain rule of the shop.", SHIP]
    assert ann.tree() == ben.tree() == world.tree()


def test_a_version_from_a_newer_wm_changes_nothing_and_says_so(world: World) -> None:
    ann = world.person("ann")
    tree = hostile.Tree(world.remote)
    tree.put("version", b'{"format": "wm-memory", "purges": 0, "version": 2}\n')
    commit = hostile.push(world.remote, tree.written())
    ann.shared(SHIP)
    with pytest.raises(UserError, match="newer wm"):
        ann.sync()
    assert git(world.remote, "rev-parse", REF) == commit


def test_an_entry_cannot_be_taken_over(world: World) -> None:
    """A version with an earlier `created`, and one in the name of its author from the future."""
    ann, ben = world.person("ann", accept="all"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    ann.sync()
    ben.sync()
    [author] = ann.record().authors
    for other in ("a_" + "66" * 8, author):
        year = 1999 if other != author else 2037
        clock = f"{year}-01-01T00:00:00.000Z-0000-0000000a"
        tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
        forged = hostile.entry(name, other, clock, text=f"Forged by {other}.")
        tree.put(hostile.path_of(name), forged)
        hostile.push(world.remote, tree.written(), git(world.remote, "rev-parse", REF))
        ben.sync()
        ann.sync()
    # The other author's version is only a proposal.
    for person in (ann, ben):
        assert "Forged by a_6666666666666666." not in person.texts()
        assert "Forged by a_6666666666666666." in person.texts("inbox")
    # Whoever may push can write under any name; the real author's next edit is in force again.
    ann.call("edit_entry", id=name, text="Ann says how it is.")
    ann.sync()
    ben.sync()
    assert ben.texts() == ann.texts() == ["Ann says how it is."]


def test_a_forged_version_in_my_name_waits(world: World) -> None:
    ann = world.person("ann")
    name = ann.shared(SHIP)
    ann.sync()
    [author] = ann.record().authors
    tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
    tree.put(hostile.path_of(name), hostile.entry(name, author, hostile.FUTURE, text="Forged."))
    other = "m_bbbbbbbbbbbbbbbbbbbb"
    tree.put(hostile.path_of(other), hostile.entry(other, author, text="A new forged rule."))
    hostile.push(world.remote, tree.written(), git(world.remote, "rev-parse", REF))
    ann.sync()
    assert ann.texts() == [SHIP]
    assert ann.texts("inbox") == ["A new forged rule.", "Forged."]


def test_a_tree_cannot_make_an_unshared_entry_leave(world: World) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    private = ann.remember("The quarterly numbers of the shop are private.")
    ann.sync()
    [author] = ann.record().authors
    tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
    same = ann.entries[private]
    forged = hostile.entry(
        private, author, text=same.text, type=same.type, source=same.source, origin="user"
    )
    tree.put(hostile.path_of(private), forged)
    hostile.push(world.remote, tree.written(), git(world.remote, "rev-parse", REF))
    ann.sync()
    ann.call("edit_entry", id=private, text="The secret plan of the shop is a second shop.")
    ann.sync()
    assert not [raw for raw in world.objects() if b"second shop" in raw]


def test_hooks_helpers_and_monitors_do_not_run(world: World, tmp_path: Path) -> None:
    """Of the project, of the remote on this machine, of the configuration, of the environment."""
    ann = world.person("ann")
    ann.shared(SHIP)
    marks = tmp_path / "marks"
    marks.mkdir()
    for repository in (ann.project / ".git", world.remote):
        for hook in HOOKS:
            script = repository / "hooks" / hook
            script.parent.mkdir(exist_ok=True)
            script.write_text(f"#!/bin/sh\ntouch {marks}/{hook}\n")
            script.chmod(0o755)
    helper = f"!touch {marks}/helper"
    for name, value in (
        ("core.fsmonitor", f"touch {marks}/fsmonitor"), ("credential.helper", helper),
        ("core.sshCommand", f"touch {marks}/ssh"), ("core.askPass", f"{marks}/ask"),
        ("uploadpack.packObjectsHook", f"touch {marks}/pack;"), ("core.pager", f"touch {marks}/p"),
        ("remote.origin.uploadpack", f"touch {marks}/up;"), ("gpg.program", f"{marks}/gpg"),
        ("remote.origin.receivepack", f"touch {marks}/rp;"), ("core.hooksPath", "hooks"),
    ):  # fmt: skip
        git(ann.project, "config", name, value)
    for quiet in (False, True):
        assert not ann.sync(quiet=quiet).trouble
        ann.call("edit_entry", id=next(iter(ann.entries)), importance="high")
    assert list(marks.iterdir()) == []


@pytest.mark.parametrize("url", ["ext::sh -c touch% {}", "fd::17", "transport::address"])
def test_remote_helpers_are_refused(world: World, url: str, tmp_path: Path) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    git(ann.project, "config", "remote.origin.url", url.format(tmp_path / "owned"))
    git(ann.project, "config", "protocol.ext.allow", "always")
    assert ann.sync().trouble
    assert not (tmp_path / "owned").exists()


def test_a_remote_whose_url_changed_needs_a_new_agreement(world: World, tmp_path: Path) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    ann.sync()
    other = tmp_path / "other.git"
    git(tmp_path, "init", "-q", "--bare", str(other))
    git(ann.project, "config", "remote.origin.url", str(other))
    asked: list[object] = []
    ann.shared("A second rule of the shop.")
    ann.sync(confirm=lambda leaving, _remote: bool(asked.append(leaving)))
    assert asked
    assert git(other, "for-each-ref") == ""


def test_a_read_only_remote_is_followed_and_the_change_waits(world: World) -> None:
    ann, ben = world.person("ann", accept="all"), world.person("ben")
    ben.shared("Ben's rule of the shop.")
    ben.sync()
    ann.shared(SHIP)
    hook = world.remote / "objects"
    for folder, _, _ in os.walk(world.remote):
        os.chmod(folder, 0o555)
    try:
        done = ann.sync()
    finally:
        for folder, _, _ in os.walk(world.remote):
            os.chmod(folder, 0o755)
    assert hook.exists()
    if os.getuid():
        assert done.trouble
    assert "Ben's rule of the shop." in ann.texts()
    ann.sync()
    assert ann.tree() == world.tree()


def test_a_rewritten_remote_loses_nothing(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    first = ann.shared(SHIP)
    ann.sync()
    old = git(world.remote, "rev-parse", REF)
    second = ann.shared("A second rule of the shop.")
    ann.sync()
    ben.sync()
    git(world.remote, "update-ref", REF, old)
    ben.sync()
    assert set(ben.entries) == {first, second}
    git(world.remote, "update-ref", "-d", REF)
    ben.sync()
    ann.sync()
    assert ann.tree() == ben.tree() == world.tree()


def test_a_shallow_remote_is_named(world: World, tmp_path: Path) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    for text in ("One edit of the rule.", "Another edit of the rule."):
        ann.sync()
        ann.call("edit_entry", id=name, text=text)
    ann.sync()
    shallow = tmp_path / "shallow.git"
    git(tmp_path, "init", "-q", "--bare", str(shallow))
    git(shallow, "fetch", "-q", "--depth=1", f"file://{world.remote}", f"+{REF}:{REF}")
    git(ben.project, "config", "remote.origin.url", str(shallow))
    done = ben.sync()
    assert done.trouble == "the remote is a shallow repository"


def test_damaged_objects_at_the_remote_are_refused(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared(SHIP)
    ann.sync()
    for path in sorted((world.remote / "objects").rglob("*")):
        if path.is_file() and "pack" not in path.parts and "info" not in path.parts:
            path.chmod(0o644)
            path.write_bytes(path.read_bytes()[:-4] + b"\0\0\0\0")
    assert ben.sync().trouble
    assert ben.entries == {}


def test_a_huge_object_is_not_read(world: World) -> None:
    """Ten megabytes of one letter pack to ten kilobytes; a thousand of them would be a bomb."""
    ann = world.person("ann")
    name = "m_cccccccccccccccccccc"
    tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
    tree.put(hostile.path_of(name), b"x" * 10_000_000)
    fine = "m_dddddddddddddddddddd"
    tree.put(hostile.path_of(fine), hostile.entry(fine, text="A plain rule of the shop."))
    hostile.push(world.remote, tree.written())
    done = ann.sync()
    assert done.left_out == (hostile.path_of(name),)
    assert ann.texts("inbox") == ["A plain rule of the shop."]


@pytest.mark.sync
@pytest.mark.parametrize("beyond", [False, True])
def test_a_tree_of_many_bytes_takes_bounded_memory(world: World, *, beyond: bool) -> None:
    """Valid entries of many fields, with as many bytes as one sync reads, and with more."""
    world.person("ann").bench.store.close()
    tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
    version = {name: [hostile.CLOCK, ""] for name in ("created", *hostile.MANY_FIELDS)}
    authors = {f"a_{number:016x}": version for number in range(70)}
    size = len(json.dumps({"id": "m_" + "0" * 20, "authors": authors}))
    for number in range(MAX_TOTAL_BYTES // size + (20 if beyond else -20)):
        name = f"m_{number:020x}"
        raw = json.dumps({"id": name, "authors": authors}).encode()
        tree.put(hostile.path_of(name), raw)
    hostile.push(world.remote, tree.written())
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        said, peak = pool.submit(_synced_elsewhere, world.folder, world.remote).result()
    assert ("larger than 134,217,728 bytes" in said) == beyond
    print(f"{peak / 2**20:.0f} MiB", said)
    assert peak < MOST_MEMORY_BYTES


def _synced_elsewhere(folder: Path, remote: Path) -> tuple[str, int]:
    """Sync in a process of its own; why it failed, and the most memory that it took."""
    ann = Person(folder, "ann", remote)
    said = ""
    try:
        ann.sync()
    except UserError as error:
        said = error.message
    return said, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
