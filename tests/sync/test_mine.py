"""All own memory on the user's computers, through a repository of the user's own (SY-1)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.sync.clones import Person, World, git
from wm.errors import UserError
from wm.formats.workspace_memory import WorkspaceMemory
from wm.store.base import Ref

SHIP = "We deploy with `make ship` from the release branch."
CENTS = "Prices are stored in cents, never as floating point numbers."


class Computers:
    """Two computers of one person, and the person's own repository."""

    def __init__(self, world: World) -> None:
        self.own = world.folder / "own.git"
        git(world.folder, "init", "-q", "--bare", str(self.own))
        self.desk = world.person("ann")
        other = world.folder / "other"
        other.mkdir()
        self.laptop = Person(other, "ann", world.remote)
        world.persons["laptop"] = self.laptop

    def join(self) -> None:
        for _ in range(2):
            assert not self.desk.sync_mine(str(self.own), adopts=lambda _root: True).trouble
            assert not self.laptop.sync_mine(str(self.own), adopts=lambda _root: True).trouble


@pytest.fixture
def computers(world: World) -> Computers:
    return Computers(world)


def users(person: Person) -> list[str]:
    found = person.bench.store.read(Ref(WorkspaceMemory, "user")).document
    return sorted(e.text for e in found.entries if e.status == "active") if found else []


def test_all_own_memory_follows_to_the_other_computer(computers: Computers) -> None:
    desk, laptop = computers.desk, computers.laptop
    name = desk.remember(SHIP)
    desk.call("edit_entry", id=name, pinned=True)
    desk.remember("I want answers in short sentences.", user=True, type="feedback")
    computers.join()
    assert laptop.texts() == [SHIP]
    assert laptop.entries[name].pinned
    assert laptop.entries[name].origin == "user"
    assert users(laptop) == ["I want answers in short sentences."]
    laptop.call("edit_entry", id=name, text=CENTS)
    laptop.remember("The laptop knows this, too.")
    computers.join()
    assert desk.texts() == laptop.texts() == [CENTS, "The laptop knows this, too."]


def test_edits_of_two_fields_on_two_computers_are_both_kept(computers: Computers) -> None:
    desk, laptop = computers.desk, computers.laptop
    name = desk.remember(SHIP)
    computers.join()
    desk.call("edit_entry", id=name, text=CENTS)
    laptop.call("edit_entry", id=name, importance="high")
    computers.join()
    for person in (desk, laptop):
        entry = person.entries[name]
        assert (entry.text, entry.user_importance) == (CENTS, "high")


def test_what_is_forgotten_on_one_computer_is_not_learned_again_on_the_other(
    computers: Computers,
) -> None:
    desk, laptop = computers.desk, computers.laptop
    name = desk.remember(SHIP)
    computers.join()
    desk.call("forget_entry", id=name)
    computers.join()
    assert laptop.texts() == []
    assert laptop.call("why_not", text=SHIP).verdict == "forgotten"
    desk.call("restore_entry", id=name)
    computers.join()
    assert laptop.texts() == [SHIP]


def test_a_lost_mirror_neither_brings_back_nor_withdraws(computers: Computers) -> None:
    desk, laptop = computers.desk, computers.laptop
    mirror = desk.bench.settings.paths.home / "sync/user.git"
    name = desk.remember(SHIP)
    computers.join()
    desk.call("forget_entry", id=name)
    away = computers.own.rename(computers.own.with_name("away.git"))
    assert desk.sync_mine().trouble
    away.rename(computers.own)
    shutil.rmtree(mirror)
    computers.join()
    assert desk.texts() == laptop.texts() == []
    desk.call("restore_entry", id=name)
    shutil.rmtree(mirror)
    computers.join()
    assert desk.texts() == laptop.texts() == [SHIP]


def test_the_same_fact_learned_twice_is_shown_once_everywhere(computers: Computers) -> None:
    desk, laptop = computers.desk, computers.laptop
    desk.remember(SHIP)
    laptop.bench.later(hours=1)
    laptop.remember(SHIP)
    computers.join()
    computers.join()
    assert desk.texts() == laptop.texts() == [SHIP]


def test_a_folder_that_claims_to_be_a_project_gets_nothing_unasked(computers: Computers) -> None:
    desk, laptop = computers.desk, computers.laptop
    desk.remember(SHIP)
    laptop.remember(CENTS)
    desk.sync_mine(str(computers.own))
    laptop.sync_mine(str(computers.own), adopts=lambda _root: False)
    assert laptop.texts() == [CENTS]
    laptop.sync_mine(adopts=lambda _root: True)
    assert laptop.texts() == [CENTS, SHIP]


def test_no_folder_is_adopted_while_the_own_repository_cannot_be_read(computers: Computers) -> None:
    desk, laptop = computers.desk, computers.laptop
    desk.remember(SHIP)
    laptop.remember(CENTS)
    desk.sync_mine(str(computers.own))
    laptop.sync_mine(str(computers.own))
    away = computers.own.rename(computers.own.with_name("away.git"))
    assert laptop.sync_mine().trouble
    away.rename(computers.own)
    assert not laptop.sync_mine().trouble
    assert laptop.texts() == [CENTS]


def test_a_second_folder_with_the_same_claim_is_adopted_only_after_a_yes(
    computers: Computers,
) -> None:
    desk, claims = computers.desk, computers.desk.folder / "claims"
    git(desk.folder, "clone", "-q", f"file://{desk.project}", str(claims))
    git(claims, "remote", "set-url", "origin", git(desk.project, "remote", "get-url", "origin"))
    there = {"directory": str(claims)}
    desk.remember(SHIP)
    desk._call("remember", text=CENTS, type="decision", typed=True, **there)
    asked: list[str] = []
    for _ in range(2):
        desk.sync_mine(str(computers.own), adopts=lambda root: bool(asked.append(root)))
    assert asked == [str(claims), str(claims)]
    assert desk.texts() == [SHIP]
    assert [one.entry.text for one in desk._call("inspect", **there).entries] == [CENTS]
    for _ in range(2):
        desk.sync_mine(adopts=lambda _root: True)
    assert desk.texts() == [CENTS, SHIP]


def test_what_others_shared_does_not_go_to_the_own_repository(
    computers: Computers, world: World
) -> None:
    ben = world.person("ben")
    ben.shared("Ben's rule of the shop is short.")
    ben.sync()
    desk = computers.desk
    desk.accept("all")
    desk.sync()
    assert desk.texts() == ["Ben's rule of the shop is short."]
    computers.join()
    desk.remember(SHIP)
    computers.join()
    listed = git(computers.own, "ls-tree", "-r", "--name-only", "refs/wm/memory").splitlines()
    assert len(listed) == 2  # the version and the one own entry
    assert computers.laptop.texts() == [SHIP]


def test_an_entry_of_the_user_never_enters_the_projects_ref(
    computers: Computers, world: World
) -> None:
    desk = computers.desk
    shared = desk.shared(SHIP)
    desk.remember("I want answers in short sentences.", user=True, type="feedback")
    desk.sync()
    computers.join()
    with pytest.raises(UserError):
        desk.call("share_entries", workspace="user", ids=("m_00000000",))
    desk.call("rescope_entry", id=shared, scope="user")
    desk.sync()
    desk.call("edit_entry", workspace="user", id=shared, text="My own way to ship, only mine.")
    desk.sync()
    everything = b"".join(world.objects())
    assert b"short sentences" not in everything
    assert b"only mine" not in everything


def test_a_url_with_a_password_is_refused(computers: Computers) -> None:
    secret = "hunter" + "2hunter2"
    with pytest.raises(UserError, match="password"):
        computers.desk.sync_mine(f"https://ann:{secret}@git.example.org/memory.git")
    home = computers.desk.bench.settings.paths.home
    for path in Path(home).rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes()


def test_a_hostile_own_repository_gives_no_orders(computers: Computers) -> None:
    from tests.sync import hostile

    desk, laptop = computers.desk, computers.laptop
    desk.remember(SHIP)
    computers.join()
    [space] = [
        line.split("/")[0]
        for line in git(
            computers.own, "ls-tree", "-r", "--name-only", "refs/wm/memory"
        ).splitlines()
        if line.startswith("w_")
    ]
    name = "m_abababababababababab"
    tree = hostile.Tree(computers.own).put("version", hostile.VERSION)
    path = hostile.path_of(name).replace("entries", space)
    tree.put(path, hostile.entry(name, text=hostile.INJECTION))
    hostile.push(computers.own, tree.written(), git(computers.own, "rev-parse", "refs/wm/memory"))
    laptop.sync_mine()
    assert laptop.texts() == [SHIP]
    assert laptop.entries[name].status == "inbox"


def test_a_relative_repository_is_one_from_the_folder_of_the_command(computers: Computers) -> None:
    desk = computers.desk
    desk.remember(SHIP)
    assert not desk.sync_mine("../../own.git").trouble
    desk.remember(CENTS)
    done = desk.sync_mine(quiet=True)
    assert (done.trouble, done.apart, done.remote) == ("", "", str(computers.own)[:-4])


def test_a_folder_that_takes_no_part_is_named(computers: Computers) -> None:
    desk = computers.desk
    desk.project = desk.folder / "new"
    git(desk.folder, "init", "-q", str(desk.project))
    done = desk.sync_mine(str(computers.own))
    assert (done.trouble, done.apart) == ("", str(desk.project))


def test_it_syncs_from_any_folder(computers: Computers) -> None:
    """The home folder is not a project, and people try the command there first."""
    desk, laptop = computers.desk, computers.laptop
    desk.remember("I want answers in short sentences.", user=True, type="feedback")
    computers.join()
    for folder in ("/", str(Path.home())):
        answer = laptop.sync_mine(str(computers.own), folder=folder)
        assert not answer.trouble
        assert answer.apart == ""
    assert users(laptop) == ["I want answers in short sentences."]
    with pytest.raises(UserError, match="no folder /nowhere"):
        laptop.sync_mine(str(computers.own), folder="/nowhere")


def test_an_edit_here_of_what_was_forgotten_there_keeps_where_it_came_from(
    computers: Computers,
) -> None:
    desk, laptop = computers.desk, computers.laptop
    name = desk.remember(SHIP, type="decision", tags=("release",))
    computers.join()
    before = desk.entries[name]
    desk.call("forget_entry", id=name)
    laptop.call("edit_entry", id=name, text=CENTS)
    computers.join()
    for where in (desk, laptop):
        entry = where.entries[name]
        assert (entry.text, entry.status) == (CENTS, "active")
        for field in ("type", "source", "origin", "confidence", "tags"):
            assert getattr(entry, field) == getattr(before, field), field


def test_two_replacements_of_one_fact_are_asked_about_and_end_as_one(computers: Computers) -> None:
    desk, laptop = computers.desk, computers.laptop
    desk.remember("The staging database listens on port 5433.", type="project")
    computers.join()
    desk.remember("The staging database moved to port 5500.", type="project")
    laptop.remember("The staging database moved to port 5600.", type="project")
    computers.join()
    asked = [(where, e) for where in (desk, laptop) for e in where.entries.values() if e.reasons]
    assert [e.reasons for _, e in asked] == [("may_replace",)]
    where, question = asked[0]
    where.call("accept_entry", id=question.id)
    computers.join()
    assert desk.texts() == laptop.texts() == [question.text]
    assert desk.texts("inbox") == laptop.texts("inbox") == []
    assert [part.sent for who in (desk, laptop) for part in who.sync_mine().parts] == [()] * 4


def test_who_does_not_agree_is_asked_once_also_with_changes_on_both_sides(
    computers: Computers,
) -> None:
    desk, laptop = computers.desk, computers.laptop
    name = desk.remember(SHIP)
    assert not desk.sync_mine(str(computers.own)).trouble
    assert not laptop.sync_mine(str(computers.own), adopts=lambda _root: True).trouble
    desk.call("edit_entry", id=name, text=CENTS)
    laptop.call("edit_entry", id=name, importance="high")
    assert not desk.sync_mine().trouble
    asked: list[str] = []
    left = laptop.sync_mine(confirm=lambda _leaving, remote: bool(asked.append(remote)))
    assert (len(asked), left.held_back) == (1, 1)
