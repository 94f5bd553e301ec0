"""What the verbs of shared memory tell a person: what leaves, to whom, and what came."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.docs.schemas import validate_printed
from tests.sync.clones import World, git

SHIP = "We deploy with `make ship` from the release branch."
CENTS = "Prices are stored in cents, never as floating point numbers."


class Desk(Terminal):
    """A user whose repository is a clone of the world's project."""

    def __init__(self, folder: Path, remote: Path, name: str) -> None:
        folder.mkdir()
        super().__init__(folder)
        shutil.rmtree(self.repo)
        git(self.home, "clone", "-q", str(remote), str(self.repo))
        git(self.repo, "config", "user.email", f"{name.lower()}@example.org")
        git(self.repo, "config", "user.name", name)

    def remember(self, text: str) -> str:
        done = self.wm("remember", text, "--type", "decision", "--json")
        assert done.code == 0, done.err
        return str(done.json["entry"]["id"])


@pytest.fixture
def desks(world: World, tmp_path: Path) -> tuple[Desk, Desk]:
    return Desk(tmp_path / "a", world.remote, "Ann"), Desk(tmp_path / "b", world.remote, "Ben")


def test_the_first_push_shows_every_entry_and_names_the_remote(
    desks: tuple[Desk, Desk], world: World
) -> None:
    ann, _ = desks
    shared, kept = ann.remember(SHIP), ann.remember(CENTS)
    assert "`wm sync` sends them" in ann.wm("share", shared).out
    asked = ann.wm("sync")
    assert asked.code == 1
    assert f"The first push sends 1 entry to {world.remote.with_suffix('')}:" in asked.sentences
    assert SHIP in asked.sentences
    assert "Everyone who can read that repository can read them" in asked.sentences
    assert "if it is public, everybody can" in asked.sentences
    assert CENTS not in asked.err + asked.out
    assert "Only fetched from" in asked.out
    assert git(world.remote, "for-each-ref", "refs/wm") == ""
    sent = ann.wm("sync", "--yes")
    assert sent.code == 0, sent.err
    assert "1 entry" in sent.out
    assert kept not in git(world.remote, "ls-tree", "-r", "--name-only", "refs/wm/memory")


def test_what_came_is_shown_with_its_author_and_waits(desks: tuple[Desk, Desk]) -> None:
    ann, ben = desks
    ann.wm("share", ann.remember(SHIP))
    ann.wm("sync", "--yes")
    came = ben.wm("sync")
    assert came.code == 0, came.err
    assert "1 entry waiting for your approval" in came.out
    assert "wm inbox" in came.out + came.err
    team = ben.wm("team")
    assert "Ann" in team.out
    assert "1 waiting" in team.out
    assert "after your approval" in team.out
    inbox = ben.wm("inbox")
    assert SHIP in " ".join(inbox.out.split())
    assert "Ann" in inbox.out


def test_what_the_verbs_print_as_json_fits_its_schema(desks: tuple[Desk, Desk]) -> None:
    ann, _ = desks
    name = ann.remember(SHIP)
    ann.wm("share", name)
    for what, words in (
        ("sync", ("sync", "--yes")),
        ("unshare purge", ("unshare", name, "--purge")),
        ("team leave", ("team", "leave")),
    ):
        said = ann.wm(*words, "--json")
        assert (said.code, said.err) == (0, ""), what
        validate_printed(what, said.json)


def test_what_cannot_be_done_is_said_with_what_to_do(
    desks: tuple[Desk, Desk], world: World
) -> None:
    ann, _ = desks
    name = ann.remember(SHIP)
    ann.wm("share", name)
    for words, sentence in (
        (("sync", "elsewhere"), "has no remote 'elsewhere'"),
        (("sync", "--mine"), "wm does not know your own repository yet"),
        (("share", "m_0000"), "m_0000"),
        (("team", "leave"), "shared with nobody"),
    ):
        done = ann.wm(*words)
        assert done.code == 1, words
        assert sentence in done.sentences, words
        assert "Traceback" not in done.err
    shutil.rmtree(world.remote)
    gone = ann.wm("sync", "--yes")
    assert gone.code == 1
    assert "The sync did not finish" in gone.sentences
    assert "Everything is kept here" in gone.sentences
    assert ann.wm("show", name).code == 0
