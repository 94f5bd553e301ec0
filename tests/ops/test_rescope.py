"""ID-3, WM-7: an entry moves between a workspace and the memory of the user, and back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.conftest import SHIP, Bench
from wm.errors import NotFound, UserError

SHORT = "Keep answers short."


def of_user(bench: Bench) -> list[Any]:
    views = bench.call("inspect", workspace="user", directory="", status="all").entries
    return [view.entry for view in views]


def test_an_entry_moves_to_the_user_and_back_with_its_history(bench: Bench) -> None:
    kept = bench.remember(SHORT)
    answer = bench.call("rescope_entry", id=kept.id, scope="user")
    assert (answer.entry.id, answer.entry.scope) == (kept.id, "user")
    assert bench.texts() == []
    assert [(e.id, e.scope) for e in of_user(bench)] == [(kept.id, "user")]
    assert "of the user, in all projects:\n- Keep answers short." in bench.prompt().blocks[0].text
    back = bench.call("rescope_entry", id=kept.id, scope="workspace")
    assert (back.entry.scope, bench.texts(), of_user(bench)) == ("workspace", [SHORT], [])
    said = [r.details["to"] for r in bench.recorded("memory_rescoped")]
    assert said == ["user", bench.key]


@pytest.mark.parametrize("where", ["here", "user"])
def test_a_move_is_undone_from_either_side(bench: Bench, where: str) -> None:
    kept = bench.remember(SHORT)
    bench.call("rescope_entry", id=kept.id, scope="user")
    place = {"workspace": "user", "directory": ""} if where == "user" else {}
    assert bench.call("list_acts", **place).acts[0].act == "rescope"
    planned = bench.call("plan_undo", act=kept.id, **place)
    assert (planned.applied, bench.texts()) == (False, [])
    done = bench.call("undo", act=kept.id, **place)
    assert done.applied
    assert (bench.texts(), of_user(bench)) == ([SHORT], [])
    (entry,) = bench.memory().entries
    assert entry.scope == "workspace"


def test_what_the_entry_replaced_moves_along(files: Bench) -> None:
    old = files.remember("Answers have at most ten lines.")
    files.call("remember", text="Answers have at most five lines now, no longer ten.")
    new = next(e for e in files.memory().entries if e.status == "active")
    replaced = [e.id for e in files.memory().entries if e.status == "superseded"]
    files.call("rescope_entry", id=new.id, scope="user")
    assert {e.id for e in of_user(files)} == {new.id, *replaced}
    if replaced:
        assert replaced == [old.id]
        assert files.memory().entries == ()


def test_wrong_requests_are_answered_with_what_to_do(bench: Bench) -> None:
    kept = bench.remember(SHORT)
    bench.remember(SHIP)
    with pytest.raises(UserError, match="has the scope workspace already"):
        bench.call("rescope_entry", id=kept.id, scope="workspace")
    with pytest.raises(UserError, match="not a scope to move to"):
        bench.call("rescope_entry", id=kept.id, scope="team")
    with pytest.raises(NotFound, match="no entry"):
        bench.call("rescope_entry", id="m_ffff0000", scope="user")
    with pytest.raises(UserError, match="belongs to no workspace"):
        bench.call("rescope_entry", id=kept.id, scope="user", workspace="user", directory="")
    bench.call("remember", text=SHORT, user=True)
    with pytest.raises(UserError, match="says the same there already"):
        bench.call("rescope_entry", id=kept.id, scope="user")
    assert len(bench.texts()) == 2


def test_an_interrupted_move_is_finished_by_the_same_request(bench: Bench) -> None:
    kept = bench.remember(SHORT)
    bench.call("rescope_entry", id=kept.id, scope="user")
    bench.write_memory(kept)
    answer = bench.call("rescope_entry", id=kept.id, scope="user")
    assert answer.entry.id == kept.id
    assert (bench.texts(), len(of_user(bench))) == ([], 1)
