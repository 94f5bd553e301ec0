"""What two persons see of each other: only what was shared, under the rule of who receives it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from tests.sync.clones import Person, World, git
from wm.errors import StoreError
from wm.formats.sharing.sync import Sync
from wm.formats.workspace_memory import WorkspaceMemory
from wm.ops.operation import TRIES
from wm.store.base import Ref
from wm.store.git.mirror import STALE_S
from wm.store.git.objects import path_of

SHIP = "We deploy with `make ship` from the release branch."
CENTS = "Prices are stored in cents, never as floating point numbers."


def test_a_shared_decision_waits_in_the_inbox_of_the_other(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben")
    name = ann.shared(SHIP)
    ann.remember(CENTS)
    assert ann.sync().parts[0].sent == (name,)
    assert ben.sync().parts[0].received == {"inbox": 1}
    waiting = ben.entries[name]
    assert (waiting.text, waiting.status, waiting.origin) == (SHIP, "inbox", "team:Ann")
    assert waiting.reasons == ("team_entry",)
    ben.call("accept_entry", id=name)
    assert ben.texts() == [SHIP]
    assert ann.tree() == ben.tree() == world.tree()
    assert git(ann.project, "rev-parse", "refs/wm/memory") == git(
        world.remote, "rev-parse", "refs/wm/memory"
    )


def test_with_the_rule_all_it_is_active_at_once(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared(SHIP)
    ann.sync()
    ben.sync()
    assert ben.texts() == [SHIP]
    ann.sync()
    assert ann.texts() == [SHIP]
    assert not ann.sync().trouble


def synced(*persons: Person) -> None:
    """Sync in turn until everybody has seen everything."""
    for person in (*persons, *persons):
        assert not person.sync().trouble


def sync_that_dies(person: Person) -> None:
    """A sync that pushes, and is killed before it notes that."""
    before = person.record()
    person.sync()
    person.bench.put((Ref(Sync, person.bench.key), before))


ACTS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "forget": ("forget_entry", {}),
    "restore": ("restore_entry", {}),
    "edit": ("edit_entry", {"text": CENTS}),
    "edit back": ("edit_entry", {"text": SHIP}),
}


def act(person: Person, name: str, what: str) -> None:
    if what in ACTS:
        verb, fields = ACTS[what]
        person.call(verb, id=name, **fields)
    elif what:
        person.share(name, end=what == "unshare")


def test_nothing_is_pushed_before_a_person_agreed(world: World) -> None:
    ann = world.person("ann")
    name = ann.shared(SHIP)
    asked: list[Any] = []
    ann.sync(confirm=lambda leaving, to: bool(asked.extend([to, *leaving])))
    assert asked[0] == ann.record().team.remote.shown
    assert [one.fields["text"] for one in asked[1:]] == [SHIP]
    assert git(world.remote, "for-each-ref", "refs/wm") == ""
    assert ann.record().team.records[name].digest == ""
    ann.sync()
    ann.shared(CENTS)
    ann.sync(confirm=lambda _leaving, _remote: pytest.fail("asked again"))
    assert world.tree() == ann.tree()


def test_a_dry_run_changes_nothing(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared(SHIP)
    planned = ann.sync(dry_run=True)
    assert planned.parts[0].sent
    assert git(world.remote, "for-each-ref", "refs/wm") == ""
    ann.sync()
    assert ben.sync(dry_run=True).parts[0].received == {"changed": 1}
    assert ben.texts() == []


def test_an_edit_by_its_author_is_proposed_or_taken_by_rule(world: World) -> None:
    ann, ben, cem = (world.person("ann"), world.person("ben"), world.person("cem", accept="all"))
    name = ann.shared(SHIP)
    synced(ann, ben, cem)
    ben.call("accept_entry", id=name)
    ann.call("edit_entry", id=name, text=CENTS)
    synced(ann, ben, cem)
    assert cem.texts() == [CENTS]
    assert (ben.texts(), ben.texts("inbox")) == ([SHIP], [CENTS])
    [proposal] = [e for e in ben.entries.values() if e.status == "inbox"]
    assert (proposal.reasons, proposal.origin) == (("team_changed",), "team:Ann")
    ben.call("accept_entry", id=proposal.id)
    assert (ben.texts(), ben.texts("inbox")) == ([CENTS], [])
    synced(ann, ben, cem)
    assert (ben.texts(), ben.texts("inbox")) == ([CENTS], [])


def test_another_authors_edit_is_a_proposal_whatever_the_rule(world: World) -> None:
    ann, ben, cem = (world.person(name, accept="all") for name in ("ann", "ben", "cem"))
    name = ann.shared(SHIP)
    synced(ann, ben, cem)
    ben.call("edit_entry", id=name, text=CENTS)
    synced(ben, ann, cem)
    assert cem.texts() == ann.texts() == [SHIP]
    ben.share(name)
    synced(ben, ann, cem)
    for other in (ann, cem):
        assert (other.texts(), other.texts("inbox")) == ([SHIP], [CENTS])
    [proposal] = [e.id for e in ann.entries.values() if e.status == "inbox"]
    ann.call("accept_entry", id=proposal)
    synced(ann, ben, cem)
    assert ann.texts() == ben.texts() == cem.texts() == [CENTS]
    assert world.tree() == ann.tree() == ben.tree() == cem.tree()


def test_proposals_of_two_authors_with_one_name_both_wait(world: World) -> None:
    """Names are claims: else who takes a name hides what another one proposed."""
    ann, ben, cem = (world.person(name, accept="all") for name in ("ann", "ben", "cem"))
    git(cem.project, "config", "user.name", "Ben")
    name = ann.shared(SHIP)
    synced(ann, ben, cem)
    for person, text in ((ben, CENTS), (cem, "We deploy on Fridays."), (ben, "We deploy daily.")):
        person.call("edit_entry", id=name, text=text)
        person.share(name)
        synced(person, ann)
    assert ann.texts("inbox") == ["We deploy daily.", "We deploy on Fridays."]
    assert {e.origin for e in ann.entries.values() if e.status == "inbox"} == {"team:Ben"}


def test_a_rejected_proposal_does_not_return(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    synced(ann, ben)
    ben.call("edit_entry", id=name, text=CENTS)
    ben.share(name)
    synced(ben, ann)
    [proposal] = [e.id for e in ann.entries.values() if e.status == "inbox"]
    ann.call("reject_entry", id=proposal)
    ann.call("edit_entry", id=name, importance="high")
    synced(ann, ben)
    assert ann.texts("inbox") == []


def test_what_its_author_forgets_leaves_the_others(world: World) -> None:
    ann, ben, cem = (world.person("ann"), world.person("ben"), world.person("cem", accept="all"))
    name = ann.shared(SHIP)
    synced(ann, ben, cem)
    ben.call("accept_entry", id=name)
    ann.call("forget_entry", id=name)
    synced(ann, ben, cem)
    assert cem.texts() == []
    assert cem.bench.trash() == (name,)
    [proposal] = [e for e in ben.entries.values() if e.status == "inbox"]
    assert proposal.reasons == ("team_deleted",)
    ben.call("accept_entry", id=proposal.id)
    assert ben.texts() == []
    ann.call("restore_entry", id=name)
    synced(ann, cem)
    assert cem.texts() == [SHIP]
    assert cem.bench.trash() == ()


def test_any_number_of_entries_is_withdrawn_and_comes_back_in_one_sync(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    names = [ann.shared(f"Step {n} of a release names its owner.") for n in range(TRIES + 8)]
    synced(ann, ben)
    for name in names:
        ann.call("forget_entry", id=name)
    synced(ann, ben)
    assert (ben.texts(), set(ben.bench.trash())) == ([], set(names))
    for name in names:
        ann.call("restore_entry", id=name)
    synced(ann, ben)
    assert (len(ben.texts()), ben.bench.trash()) == (len(names), ())
    ben.call("team", leave=True)
    assert (ben.texts(), set(ben.bench.trash())) == ([], set(names))


def test_forgetting_a_foreign_entry_stays_here_unless_it_is_proposed(world: World) -> None:
    ann, ben = world.person("ann", accept="all"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    synced(ann, ben)
    ben.call("forget_entry", id=name)
    synced(ben, ann)
    assert (ann.texts(), ben.texts()) == ([SHIP], [])
    ben.share(name)
    synced(ben, ann)
    [proposal] = [e for e in ann.entries.values() if e.status == "inbox"]
    assert (proposal.reasons, ann.texts()) == (("team_deleted",), [SHIP])
    ann.call("accept_entry", id=proposal.id)
    synced(ann, ben)
    assert ann.texts() == []


def test_unsharing_withdraws_and_keeps_it_here(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    synced(ann, ben)
    ann.share(name, end=True)
    synced(ann, ben)
    assert (ann.texts(), ben.texts()) == ([SHIP], [])
    ann.call("edit_entry", id=name, text=CENTS)
    synced(ann, ben)
    assert ben.texts() == []
    ann.share(name)
    synced(ann, ben)
    assert ben.texts() == [CENTS]


def test_moving_to_the_user_ends_sharing_also_when_it_comes_back(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    synced(ann, ben)
    ann.call("rescope_entry", id=name, scope="user")
    ann.call("edit_entry", workspace="user", id=name, text="My own way to deploy is a secret.")
    ann.call("rescope_entry", id=name, scope="workspace")
    synced(ann, ben)
    assert (ann.texts(), ben.texts()) == (["My own way to deploy is a secret."], [])
    assert not [raw for raw in world.objects() if b"a secret" in raw]
    ann.share(name)
    synced(ann, ben)
    assert ben.texts() == ann.texts()


def test_a_purge_leaves_no_object_with_the_text(world: World) -> None:
    ann, ben, cem = (world.person(name, accept="all") for name in ("ann", "ben", "cem"))
    name, kept = ann.shared(SHIP), ann.shared(CENTS)
    synced(ann, ben, cem)
    unsent = cem.shared("Cem prefers tabs, and says so.", type="feedback")
    ann.share(name, end=True)
    ann.sync(purge=True)
    assert git(world.remote, "rev-list", "--count", "refs/wm/memory") == "1"
    synced(ben, cem, ann)
    assert unsent in ann.entries
    git(world.remote, "reflog", "expire", "--expire=now", "--all")
    git(world.remote, "gc", "-q", "--prune=now")
    assert not [raw for raw in world.objects() if b"make ship" in raw]
    assert [raw for raw in world.objects() if b"in cents" in raw]
    assert ben.texts() == cem.texts() == sorted([CENTS, "Cem prefers tabs, and says so."])
    assert ann.tree() == ben.tree() == cem.tree() == world.tree()
    assert kept in ben.entries


def test_a_replacement_retires_only_what_its_author_wrote(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    old = ann.shared("We deploy with Jenkins.")
    synced(ann, ben)
    new = ann.remember("We no longer deploy with Jenkins, we deploy with GitHub Actions.")
    assert ann.entries[old].superseded_by == new
    listed = ann.call("share_entries")
    assert listed.replaced == (new,)
    ann.share(new)
    synced(ann, ben)
    assert ben.entries[old].status == "superseded"
    assert ben.texts() == [ann.entries[new].text]
    ann.call("undo", act=new)
    synced(ann, ben)
    assert ann.texts() == ben.texts() == ["We deploy with Jenkins."]


def test_a_replacement_that_is_not_shared_withdraws_the_old_entry(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared("We deploy with Jenkins.")
    synced(ann, ben)
    ann.remember("We no longer deploy with Jenkins, we deploy with GitHub Actions.")
    synced(ann, ben)
    assert ben.texts() == []
    assert not [raw for raw in world.objects() if b"GitHub Actions" in raw]


def test_what_the_other_says_already_is_not_shown_twice(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared(SHIP)
    own = ben.remember(SHIP)
    synced(ann, ben)
    assert ben.texts() == [SHIP]
    assert ben.entries[own].status == "active"


def test_one_author_on_two_computers_sees_the_newer_edit(world: World) -> None:
    one = world.person("ann", accept="all")
    two = Person(world.folder / "first", "ann", world.remote, accept="all")
    name = one.shared(SHIP)
    synced(one, two)
    two.share(name)
    one.call("edit_entry", id=name, text="An edit on the first computer.")
    two.bench.later(hours=1)
    two.call("edit_entry", id=name, text="A later edit on the second.")
    two.call("edit_entry", id=name, importance="high")
    synced(one, two)
    assert one.texts() == two.texts() == ["A later edit on the second."]
    assert one.entries[name].user_importance == "high"
    history = one.call("history", id=name)
    assert any("first computer" in str(h.record.details) for h in history.happenings)
    two.bench.store.close()


def test_offline_is_normal(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared(SHIP)
    synced(ann, ben)
    away = world.remote.rename(world.folder / "away.git")
    ann.shared(CENTS)
    trouble = ann.sync().trouble
    assert "does not appear to be a git repository" in trouble
    assert ann.record().team.trouble == trouble
    assert ann.texts() == [CENTS, SHIP]
    away.rename(world.remote)
    synced(ann, ben)
    assert ben.texts() == [CENTS, SHIP]


def test_a_lost_mirror_is_made_anew_and_nothing_is_lost(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    synced(ann, ben)
    ann.call("edit_entry", id=name, importance="low")
    world.remote.rename(world.folder / "away.git")
    ann.sync()
    (world.folder / "away.git").rename(world.remote)
    shutil.rmtree(ann.mirror)
    synced(ann, ben)
    assert ben.entries[name].user_importance == "low"
    shutil.rmtree(ann.mirror / "objects")
    ann.call("edit_entry", id=name, text=CENTS)
    synced(ann, ben)
    assert ben.texts() == [CENTS]
    assert len(list((ann.bench.settings.paths.home / "quarantine").iterdir())) == 1


@pytest.mark.parametrize("what", ["forget", "unshare"])
def test_what_was_withdrawn_offline_is_withdrawn_also_if_the_mirror_is_lost(
    world: World, what: str
) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    synced(ann, ben)
    act(ann, name, what)
    away = world.remote.rename(world.folder / "away.git")
    assert ann.sync().trouble
    away.rename(world.remote)
    shutil.rmtree(ann.mirror)
    synced(ann, ben)
    assert (ben.texts(), ann.texts("inbox")) == ([], [])


def test_a_lost_mirror_withdraws_nothing_that_was_brought_back_later(world: World) -> None:
    one = world.person("ann")
    two = Person(world.folder / "first", "ann", world.remote, accept="all")
    name = one.shared(SHIP)
    synced(one, two)
    two.share(name)
    synced(two)
    act(one, name, "forget")
    synced(one)
    two.bench.later(hours=1)
    act(two, name, "edit")
    synced(two)
    shutil.rmtree(one.mirror)
    synced(one, two)
    assert (two.texts(), one.texts("inbox")) == ([CENTS], [CENTS])
    two.bench.store.close()


@pytest.mark.parametrize("name", ["refs/wm/memory", "refs/wm/fetched", "packed-refs", "HEAD"])
def test_a_lock_that_a_killed_git_left_is_removed_when_it_is_old(world: World, name: str) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared(SHIP)
    synced(ann, ben)
    ben.shared(CENTS)
    synced(ben)
    lock = ann.mirror / f"{name}.lock"
    lock.touch()
    with suppress(StoreError):
        ann.sync()
    assert lock.exists()  # perhaps its command is still running
    old = time.time() - STALE_S - 60
    os.utime(lock, (old, old))
    synced(ann)
    assert not lock.exists()
    assert ann.texts("inbox") == [CENTS]


def test_a_first_sync_that_died_before_its_push_is_asked_about_again(world: World) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    sync_that_dies(ann)
    git(world.remote, "update-ref", "-d", "refs/wm/memory")
    asked: list[Any] = []
    ann.sync(confirm=lambda leaving, _remote: bool(asked.append(leaving)))
    assert asked
    assert git(world.remote, "for-each-ref", "refs/wm") == ""
    ann.sync()
    assert world.tree() == ann.tree()


def test_another_remote_gets_everything_after_one_more_yes(world: World) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    ann.sync()
    other = world.folder / "other.git"
    git(world.folder, "init", "-q", "--bare", str(other))
    git(ann.project, "remote", "add", "other", str(other))
    asked: list[Any] = []
    held = ann.sync(remote="other", confirm=lambda all, _remote: bool(asked.extend(all)))
    assert ([one.fields["text"] for one in asked], held.held_back) == ([SHIP], 1)
    assert git(other, "for-each-ref") == ""
    assert ann.sync(remote="other").pushed
    assert git(other, "rev-parse", "refs/wm/memory^{tree}") == world.tree()


def test_what_is_forgotten_after_a_sync_that_died_is_withdrawn(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    sync_that_dies(ann)
    never_sent = ann.shared(CENTS)
    for one in (name, never_sent):
        ann.call("forget_entry", id=one)
    assert ann.call("team").unsent == 1
    synced(ann, ben)
    assert ann.call("team").unsent == 0
    assert (ann.texts(), ben.texts(), ben.texts("inbox")) == ([], [], [])
    assert ann.record().team.records[name].digest == "gone"


def test_an_edit_after_a_sync_that_died_is_sent_also_back_to_the_usual_value(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared(CENTS)
    ann.sync()
    name = ann.shared(SHIP)
    ann.call("edit_entry", id=name, importance="low")
    sync_that_dies(ann)
    ann.call("edit_entry", id=name, importance="normal")
    synced(ann, ben)
    assert ben.entries[name].user_importance == "normal"
    assert ann.texts("inbox") == []


@pytest.mark.parametrize(
    ("noted", "unnoted", "taken_back", "at_the_end"),
    [
        ("forget", "restore", "forget", []),
        ("edit", "edit back", "edit", [CENTS]),
        ("", "forget", "restore", [SHIP]),
        ("", "edit", "edit back", [SHIP]),
        ("", "unshare", "share", [SHIP]),
        ("unshare", "share", "unshare", []),
    ],
)
def test_what_is_taken_back_after_a_sync_that_died_is_taken_back_for_all(
    world: World, noted: str, unnoted: str, taken_back: str, at_the_end: list[str]
) -> None:
    """The entry is again as a sync noted it, and the tree says what the next one wrote."""
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)

    synced(ann, ben)
    act(ann, name, noted)
    synced(ann, ben)
    act(ann, name, unnoted)
    sync_that_dies(ann)
    act(ann, name, taken_back)
    assert ann.call("team").unsent == 1
    synced(ann, ben)
    assert ann.call("team").unsent == 0
    assert (ben.texts(), ann.texts("inbox")) == (at_the_end, [])
    assert not ann.sync().parts[0].sent


def test_a_restored_backup_deletes_nothing_for_others(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    first = ann.shared(SHIP)
    synced(ann, ben)
    backup = ann.bench.memory()
    second = ann.shared(CENTS)
    synced(ann, ben)
    ann.bench.put((Ref(WorkspaceMemory, ann.bench.key), backup))
    synced(ann, ben)
    assert set(ann.entries) == {first, second}
    assert ben.texts() == [CENTS, SHIP]


def test_undo_since_takes_back_what_came(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    name = ann.shared(SHIP)
    own = ben.remember(CENTS)
    synced(ann, ben)
    ben.call("rollback", since="1h")
    assert set(ben.entries) == {own}
    assert ben.bench.trash() == (name,)
    synced(ann, ben)
    assert set(ben.entries) == {own}


def test_leaving_removes_what_came_unless_it_is_kept(world: World) -> None:
    ann, ben, cem = (world.person(name, accept="all") for name in ("ann", "ben", "cem"))
    ann.shared(SHIP)
    for other in (ben, cem):
        other.remember(CENTS)
    synced(ann, ben, cem)
    assert [(m.name, m.active) for m in ben.call("team").members] == [("Ann", 1)]
    ben.call("team", leave=True)
    cem.call("team", leave=True, keep=True)
    assert (ben.texts(), cem.texts()) == ([CENTS], [CENTS, SHIP])
    assert ben.record().team.remote is None


def test_who_comes_back_to_a_team_gets_its_entries_again(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    left, forgotten = ann.shared(SHIP), ann.shared(CENTS)
    synced(ann, ben)
    ben.call("forget_entry", id=forgotten)
    ben.call("team", leave=True)
    synced(ben)
    assert (ben.texts(), ben.bench.trash()) == ([SHIP], (forgotten,))
    assert ben.entries[left].origin == "team:Ann"


def test_who_left_a_team_sends_nothing_of_it_to_another_remote(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.shared(SHIP)
    synced(ann, ben)
    ben.call("team", leave=True)
    other = world.folder / "other.git"
    git(world.folder, "init", "-q", "--bare", str(other))
    git(ben.project, "remote", "set-url", "origin", str(other))
    shown: list[object] = []
    ben.sync(confirm=lambda leaving, _remote: not shown.extend(leaving))
    assert shown == []
    assert git(other, "for-each-ref") == ""


def test_a_secret_leaves_without_the_digest_of_its_label(world: World) -> None:
    ann = world.person("ann")
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"
    name = ann.call("remember", text=f"The token is {secret}.", type="project", typed=True).entry.id
    ann.call("accept_entry", id=name)
    label = ann.entries[name].text
    assert "[secret:" in label
    assert secret not in label
    ann.share(name)
    ann.sync()
    everything = b"".join(world.objects())
    assert b"[secret:" in everything
    assert label.encode() not in everything
    assert b":000000]" in everything


def test_two_syncs_at_once_on_one_machine_lose_nothing(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    for number in range(8):
        ann.shared(f"Rule number {number} of the shop is that it has a number {number}.")
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _n: ann.sync(), range(8)))
    assert not [r.trouble for r in results if r.trouble]
    synced(ben)
    assert len(ben.texts()) == 8


def test_git_shows_an_entry_that_no_ordinary_clone_fetches(world: World) -> None:
    ann = world.person("ann")
    name = ann.shared(SHIP)
    branches = git(ann.project, "for-each-ref", "refs/heads", "refs/tags")
    ann.sync()
    path = path_of(("entries", name))
    assert SHIP in git(ann.project, "show", f"refs/wm/memory:{path}")
    assert git(ann.project, "for-each-ref", "refs/heads", "refs/tags") == branches
    assert git(ann.project, "status", "--porcelain") == ""
    git(world.folder, "clone", "-q", f"file://{world.remote}", "clone")
    assert git(world.folder / "clone", "for-each-ref", "refs/wm") == ""
    assert path not in git(world.folder / "clone", "ls-files")
