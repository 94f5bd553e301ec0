"""Scopes, promotion offers, aliases and the plan of a move (ID-3)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wm.domain.facts import Refusal
from wm.domain.memory.scope import (
    Move,
    Offer,
    branches,
    offer_for_promotion,
    offer_id,
    offered,
    plan_move,
    resolve,
    unoffered,
    visible,
)
from wm.formats.home import Alias, Aliases
from wm.formats.workspace_memory import MemoryEntry

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
A, B, C = "a" * 16, "b" * 16, "c" * 16


def entry(id: str, scope: str, status: str = "active") -> MemoryEntry:
    return MemoryEntry(
        id=id,
        type="project",
        text="The parser lives in its own crate.",
        source="manual",
        scope=scope,
        status=status,
        created_at="",
        updated_at="",
    )


def aliases(*pairs: tuple[str, str]) -> Aliases:
    return Aliases(aliases=tuple(Alias(key=key, target=target) for key, target in pairs))


@pytest.mark.parametrize(
    ("scope", "branch", "shown"),
    [
        ("workspace", "main", True),
        ("workspace", None, True),
        ("", "main", True),
        ("branch:feat/login", "feat/login", True),
        ("branch:feat/login", "feat", False),
        ("branch:feat/login", None, False),
        ("branch:", "", False),
        ("team", "main", False),
    ],
)
def test_an_entry_is_shown_only_where_its_scope_says(
    scope: str, branch: str | None, shown: bool
) -> None:
    assert visible(scope, branch) is shown


def test_only_active_branch_entries_are_asked_about_and_offered() -> None:
    entries = (
        entry("m_1", "branch:old"),
        entry("m_2", "workspace"),
        entry("m_3", "branch:done"),
        entry("m_4", "branch:old", status="superseded"),
        entry("m_5", "branch:alive"),
    )
    assert branches(entries) == ("alive", "done", "old")
    assert offer_for_promotion(entries, merged={"done"}, gone={"old", "done"}) == (
        Offer("m_1", "old", "branch_gone"),
        Offer("m_3", "done", "branch_merged"),
    )


@pytest.mark.parametrize(
    ("pairs", "key", "target"),
    [
        ((), A, A),
        (((A, B),), A, B),
        (((A, B), (B, C)), A, C),
        (((A, B), (B, A)), A, A),
        (((A, A),), A, A),
        (((A, B), (B, C), (C, B)), A, A),
    ],
)
def test_a_key_resolves_through_its_aliases(
    pairs: tuple[tuple[str, str], ...], key: str, target: str
) -> None:
    assert resolve(key, aliases(*pairs)) == target


def move(old: str, new: str, folders: set[str], *pairs: tuple[str, str]) -> Move | Refusal:
    return plan_move(
        old, new, new_root="/srv/new", folders=folders, aliases=aliases(*pairs), now=NOW
    )


def test_a_moved_checkout_adopts_the_old_folder() -> None:
    plan = move(A, B, {A})
    assert plan == Move(
        Aliases(aliases=(Alias(key=B, target=A, root="/srv/new", at="2026-11-21T09:30:00.000Z"),)),
        A,
    )


def test_a_second_move_points_at_the_folder_itself_and_keeps_other_aliases() -> None:
    plan = move(B, C, {A}, (B, A))
    assert isinstance(plan, Move)
    assert [(a.key, a.target) for a in plan.aliases.aliases] == [(B, A), (C, A)]


def test_a_checkout_that_moves_back_gets_its_memory_back() -> None:
    plan = move(B, A, {A}, (B, A), (C, A))
    assert isinstance(plan, Move)
    assert plan.target == A
    assert [(a.key, a.target) for a in plan.aliases.aliases] == [(C, A)]


@pytest.mark.parametrize(
    ("old", "new", "folders", "pairs", "code"),
    [
        (A, B, {A, B}, (), "new_has_memory"),
        (A, B, {A, C}, ((B, C),), "new_has_memory"),
        (A, B, {B}, (), "unknown_old"),
        (A, A, {A}, (), "already"),
        (A, B, {A}, ((B, A),), "already"),
    ],
)
def test_a_move_that_would_hide_a_memory_is_refused(
    old: str, new: str, folders: set[str], pairs: tuple[tuple[str, str], ...], code: str
) -> None:
    plan = move(old, new, folders, *pairs)
    assert isinstance(plan, Refusal)
    assert plan.code == code


def test_an_alias_to_a_missing_folder_is_replaced() -> None:
    plan = move(A, B, {A}, (B, C))
    assert isinstance(plan, Move)
    assert [(a.key, a.target) for a in plan.aliases.aliases] == [(B, A)]


def test_an_offer_has_a_fixed_id_and_is_made_once() -> None:
    bound = entry("m_1", "branch:spike")
    (offer,) = offer_for_promotion((bound,), merged={"spike"}, gone=())
    waiting = offered(bound, offer, now=NOW)
    assert waiting.id == offer_id("m_1", "spike") != offer_id("m_1", "other")
    assert (waiting.status, waiting.scope, waiting.supersedes, waiting.reasons) == (
        "inbox",
        "workspace",
        ("m_1",),
        ("branch_merged",),
    )
    assert unoffered((bound, waiting), set()) == (bound,)
    assert unoffered((bound, waiting), {waiting.id}) == ()
