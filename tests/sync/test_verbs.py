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
    assert "`wm sync` sends it" in ann.wm("share", shared).out
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
        (("sync", "elsewhere"), "git remote add elsewhere URL"),
        (("sync", "git@example.org:shop.git"), "git remote add NAME URL"),
        (("sync", "export TOKEN=abc"), "git remote add NAME URL"),
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
    assert f"The sync with {world.remote.with_suffix('')} did not finish" in gone.sentences
    assert "Synced with" not in gone.sentences
    assert "Everything is kept here" in gone.sentences
    assert ann.wm("show", name).code == 0


def test_outside_a_repository_sync_says_so(desks: tuple[Desk, Desk], tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    done = desks[0].wm("-C", str(folder), "sync")
    assert done.code == 1
    assert "git finds no repository in" in done.sentences
    assert "git init && git remote add origin URL" in done.sentences


def test_a_push_that_the_remote_refuses_is_reported_with_its_reason(
    desks: tuple[Desk, Desk], world: World
) -> None:
    ann, _ = desks
    ann.wm("share", ann.remember(SHIP))
    git(world.remote, "config", "receive.hideRefs", "refs/wm")
    refused = ann.wm("sync", "--yes")
    assert refused.code == 1
    assert "the remote refused it (deny updating a hidden ref)" in refused.sentences
    assert "not sent yet  1 entry" in refused.out
    git(world.remote, "config", "--unset", "receive.hideRefs")
    assert "sent  earlier changes" in ann.wm("sync").out
    again = ann.wm("sync").out
    assert "Nothing is new on either side." in again
    assert "to see what you share: wm share" in again


def test_a_remote_that_was_never_reached_is_not_remembered(desks: tuple[Desk, Desk]) -> None:
    ann, _ = desks
    ann.wm("share", ann.remember(SHIP))
    git(ann.repo, "remote", "add", "typo", "/nowhere/at/all.git")
    missed = ann.wm("sync", "typo")
    assert missed.code == 1
    assert "did not finish" in missed.sentences
    assert "The first push" not in missed.sentences  # nobody is asked about what cannot be sent
    assert "none yet" in ann.wm("team").out
    assert ann.wm("sync", "--mine", "/nowhere/either.git").code == 1
    assert "does not know your own repository yet" in ann.wm("sync", "--mine").sentences


def test_without_git_the_sentence_names_git(desks: tuple[Desk, Desk]) -> None:
    ann, _ = desks
    ann.wm("share", ann.remember(SHIP))
    ann.wm("sync", "--yes")
    ann.env = {**ann.env, "PATH": "/nowhere"}
    for words in (("sync",), ("sync", "--mine", "/some/where.git"), ("team",)):
        done = ann.wm(*words)
        assert done.code == 1
        assert "git is not installed. Install git" in done.sentences, words


def test_recaps_are_shared_and_unshared_by_an_option(desks: tuple[Desk, Desk]) -> None:
    ann, _ = desks
    assert "recaps of your sessions" in ann.wm("share", "--recaps").out
    assert "recaps of your sessions" in ann.wm("team").out
    assert "wm unshare --recaps" in ann.wm("share").out
    assert ann.wm("unshare", "--recaps").code == 0
    assert "recaps" not in ann.wm("team").out
    assert ann.wm("unshare").code == 2


def test_a_type_without_entries_shares_nothing_and_says_so(desks: tuple[Desk, Desk]) -> None:
    said = desks[0].wm("share", "--type", "decision")
    assert (said.code, said.out) == (0, "No active entry has this type.\n")


def test_a_purge_sends_nothing_that_no_person_was_shown(
    desks: tuple[Desk, Desk], world: World
) -> None:
    ann, _ = desks
    shared, withdrawn = ann.remember(SHIP), ann.remember(CENTS)
    ann.wm("share", shared, withdrawn)
    asked = ann.wm("unshare", withdrawn, "--purge")
    assert asked.code == 1
    assert "The first push sends 1 entry" in asked.sentences
    assert SHIP in asked.sentences
    assert git(world.remote, "for-each-ref", "refs/wm") == ""


def test_a_purge_says_that_it_rewrote_the_history(desks: tuple[Desk, Desk]) -> None:
    ann, _ = desks
    name = ann.remember(SHIP)
    ann.wm("share", name)
    ann.wm("sync", "--yes")
    purged = ann.wm("unshare", name, "--purge")
    assert purged.code == 0
    said = " ".join(purged.out.split())
    assert "The shared history was rewritten" in said
    assert "hosts keep the old objects until they clean up" in said
    assert "rewritten" not in ann.wm("sync").out


def test_a_dry_run_speaks_of_what_would_be(desks: tuple[Desk, Desk]) -> None:
    ann, ben = desks
    ann.wm("share", ann.remember(SHIP))
    ann.wm("sync", "--yes")
    assert "would be received  1 entry\n" in ben.wm("sync", "--dry-run").out
    assert ben.wm("sync", "--dry-run", "--json").json["parts"][0]["received"] == {"changed": 1}


def test_what_was_never_shared_cannot_be_unshared(desks: tuple[Desk, Desk]) -> None:
    ann, _ = desks
    name = ann.remember(SHIP)
    said = ann.wm("unshare", name)
    assert said.code == 1
    assert "is not shared" in said.sentences
    assert "wm share" in said.sentences
    ann.wm("share", name)
    assert "1 entry, 1 not sent yet" in ann.wm("team").out
    assert "`wm sync` withdraws it from the others" in ann.wm("unshare", name).out


def test_a_proposal_after_a_replacement_is_counted_and_answered_as_what_it_is(
    desks: tuple[Desk, Desk],
) -> None:
    ann, ben = desks
    mine = ann.remember(SHIP)
    ann.wm("share", mine)
    ann.wm("sync", "--yes")
    ben.wm("sync")
    ben.wm("inbox", "accept", mine)
    said = " ".join(ben.wm("why", mine).out.split())
    assert "Shared by Ann on" in said
    assert "asked for it" not in said
    ben.wm("edit", mine, SHIP.replace("release", "main"))
    ben.wm("share", mine)
    ben.wm("sync", "--yes")
    ann.wm("sync")
    # Ann's entry is replaced here before she decides about Ben's wording.
    heir = ann.wm("remember", "We deploy with `make release` from now on.", "--json")
    (waiting,) = ann.wm("inbox", "--json").json["entries"]
    ann.wm("sync")
    # The replacement is private, so Ben is asked to forget the entry: one proposal, not two.
    assert "1 entry waiting for your approval" in ben.wm("sync").out
    (asked,) = ben.wm("inbox", "--json").json["entries"]
    forgotten = ben.wm("inbox", "accept", asked["entry"]["id"]).out
    assert f"Accepted; {mine} is in the trash." in " ".join(forgotten.split())
    assert "prompts may show it" not in forgotten
    assert mine[:10] not in ben.wm("inspect", "--all").out
    # What she accepts is in force, not in force and replaced at once.
    assert heir.json["entry"]["supersedes"] == [mine]
    taken = ann.wm("inbox", "accept", waiting["entry"]["id"], "--json").json["entry"]
    assert (taken["status"], taken.get("supersededBy", "")) == ("active", "")
    assert ann.wm("undo").code == 0
    back = ann.wm("show", mine, "--json").json["entry"]
    assert (back["status"], back["text"]) == ("superseded", SHIP)
    assert back["supersededBy"] == heir.json["entry"]["id"]


def test_the_advice_after_a_no_works_for_the_own_repository(
    desks: tuple[Desk, Desk], tmp_path: Path
) -> None:
    ann, _ = desks
    own = tmp_path / "own.git"
    git(tmp_path, "init", "-q", "--bare", str(own))
    ann.remember(SHIP)
    refused = ann.wm("sync", "--mine", str(own))
    assert refused.code == 1
    assert "`wm sync --mine --yes` agrees" in refused.sentences
    assert ann.wm("sync", "--mine", "--yes").code == 0
    assert git(own, "for-each-ref", "refs/wm") != ""


def test_what_a_sync_brought_is_not_said_to_be_of_a_compaction(desks: tuple[Desk, Desk]) -> None:
    ann, ben = desks
    name = ann.remember(SHIP)
    ann.wm("share", name)
    ann.wm("sync", "--yes")
    ben.wm("sync")
    assert "receive by a sync" in ben.wm("undo", "--list").out
    refused = ben.wm("undo", name)
    assert refused.code == 1
    assert "is not your own act: a sync brought it." in refused.sentences


def test_the_history_of_an_entry_has_the_text_that_lost(desks: tuple[Desk, Desk]) -> None:
    ann, _ = desks
    name = ann.remember(SHIP)
    ann.wm("edit", name, CENTS)
    shown = " ".join(ann.wm("show", "--history", name).out.split())
    assert SHIP[:40] in shown
    assert CENTS[:40] in shown
