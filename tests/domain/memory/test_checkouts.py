"""ID-3: which folders claim to be checkouts of one repository, and what a link allows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from wm.domain.facts import Refusal
from wm.domain.memory.checkouts import (
    Candidate,
    is_same,
    offers,
    plan_link,
    plan_unlink,
    remote_name,
)
from wm.formats.home import Alias, Aliases
from wm.formats.workspace_memory import Checkout

NOW = datetime(2026, 11, 21, tzinfo=UTC)
OWN = Checkout(commits=("c1",), remotes=("r1",))
LINKED = Aliases(aliases=(Alias(key="new", target="old", root="/w/new"),))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("git@Example.org:team/app.git", "example.org/team/app"),
        ("https://ana:secret@example.org/team/app.git", "example.org/team/app"),
        ("ssh://git@example.org:2222/team/app/", "example.org/team/app"),
        ("example.org:team/app", "example.org/team/app"),
        ("/srv/git/app.git", "/srv/git/app"),
        ("../app", "../app"),
        ("file:///srv/app", "file:///srv/app"),
        ("./a:b", "./a:b"),
        ("", ""),
    ],
)
def test_a_remote_is_its_host_and_path(url: str, name: str) -> None:
    assert remote_name(url) == name


@pytest.mark.parametrize(
    ("other", "moved", "same"),
    [
        (Checkout(commits=("c1",), remotes=("r1",)), False, True),
        (Checkout(commits=("c1",), remotes=("r2",)), False, False),
        (Checkout(commits=("c2",), remotes=("r1",)), False, False),
        (Checkout(commits=("c1",)), False, False),
        (Checkout(commits=("c1",)), True, True),
        (Checkout(commits=("c2",)), True, False),
    ],
)
def test_both_claims_must_agree_unless_the_other_folder_is_gone(
    other: Checkout, moved: bool, same: bool
) -> None:
    assert is_same(OWN, other, moved=moved) is same


def test_an_empty_memory_is_not_offered() -> None:
    found = [Candidate(f"k{n}", f"/w/{n}", OWN, True, n) for n in (0, 2, 5)]
    assert [one.key for one in offers(OWN, found)] == ["k5", "k2"]


def planned(aliases: Aliases | None = None, **change: Any) -> Any:
    fields = {"new_root": "/w/new", "folders": ("old", "new"), "filled": ("old",), "now": NOW}
    return plan_link("old", "new", aliases=aliases or Aliases(), **{**fields, **change})


def unlinked(owner: str, aliases: Aliases) -> Any:
    return plan_unlink("new", new_root="/w/new", owner=owner, aliases=aliases)


def test_a_link_is_an_alias_and_ends_with_it() -> None:
    move = planned()
    assert [(a.key, a.target) for a in move.aliases.aliases] == [("new", "old")]
    assert unlinked("/w/old", move.aliases).aliases.aliases == ()


@pytest.mark.parametrize(
    ("done", "code"),
    [
        (planned(folders=("new",)), "unknown_old"),
        (planned(filled=("old", "new")), "new_has_memory"),
        (planned(LINKED), "already"),
        (unlinked("", Aliases()), "not_linked"),
        (unlinked("/w/new", LINKED), "moved"),
    ],
)
def test_what_is_not_allowed_says_why(done: Any, code: str) -> None:
    assert isinstance(done, Refusal)
    assert done.code == code
