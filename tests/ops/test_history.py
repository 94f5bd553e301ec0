"""WM-7: history, newest first and page by page; the content of the trash."""

from __future__ import annotations

import pytest

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench, entry
from wm.errors import NotFound, UserError


def lines(bench: Bench, **asked: object) -> list[str]:
    return [h.sentence for h in bench.call("history", **asked).happenings]


def test_the_history_of_an_entry_is_newest_first(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    bench.remember(CENTS)
    bench.call("edit_entry", id=kept.id, pinned=True)
    bench.call("forget_entry", id=kept.id)
    undone = bench.call("undo")
    assert lines(bench, id=kept.id[:8]) == [
        f"restored from the trash, by undoing {undone.act.event}",
        "forgotten, moved to the trash",
        "edited (pinned)",
        "kept",
    ]
    history = bench.call("history", id=kept.id)
    assert [h.undone_by for h in history.happenings] == ["", undone.event, "", ""]
    assert history.happenings[-1].text == SHIP


def test_the_history_of_the_workspace_comes_in_pages(bench: Bench) -> None:
    texts = [SHIP, CENTS, QUEUE]
    for text in texts:
        bench.remember(text)
    first = bench.call("history", limit=2)
    assert ([h.text for h in first.happenings], first.total) == ([QUEUE, CENTS], 3)
    second = bench.call("history", limit=2, before=first.next)
    assert ([h.text for h in second.happenings], second.next) == ([SHIP], "")


def test_a_replacement_is_part_of_the_history(bench: Bench) -> None:
    bench.write_memory(entry("m_old00001", SHIP, type="decision"))
    kept = bench.remember(SHIP, type="decision")
    waiting = bench.call("edit_entry", id=kept.id, text="hm").entry
    bench.call("accept_entry", id=waiting.id)
    assert lines(bench, id=kept.id) == [
        f"replaced by {waiting.id}",
        f"a change to it waits in the inbox, as {waiting.id} (it is too short to be understood "
        "later)",
        "kept, in place of an older entry (enough time has passed since the last time)",
    ]
    assert lines(bench, id=waiting.id)[0] == f"replaced {kept.id}"


def test_an_unknown_entry_has_no_history(bench: Bench) -> None:
    bench.remember(SHIP)
    with pytest.raises(NotFound, match="Nothing is known about 'm_other'"):
        bench.call("history", id="m_other")
    with pytest.raises(UserError, match="There is no record 'e_none'"):
        bench.call("history", before="e_none")
    with pytest.raises(UserError, match="has 1 to 1000 records, not 0"):
        bench.call("history", limit=0)


def test_the_history_is_kept_after_the_entry_is_deleted(bench: Bench) -> None:
    kept = bench.remember(SHIP)
    bench.write_memory()
    assert lines(bench, id=kept.id) == ["kept"]


def test_the_trash_lists_texts_that_agents_may_not_learn(bench: Bench) -> None:
    first, second = bench.remember(SHIP), bench.remember(CENTS)
    bench.call("forget_entry", id=first.id, reason="we moved")
    bench.call("undo", act=second.id)
    trash = bench.call("list_trash")
    assert [(v.entry.id, v.reason, v.blocked) for v in trash.entries] == [
        (second.id, "undone", False),
        (first.id, "we moved", True),
    ]
    assert trash.stones == 1
    bench.call("restore_entry", id=first.id)
    trash = bench.call("list_trash")
    assert ([v.entry.id for v in trash.entries], trash.stones) == ([second.id], 0)


def proposed(bench: Bench, text: str) -> tuple[str, ...]:
    bench.event("session_started")
    bench.event("compaction_started")
    answer = bench.event(
        "compaction_finished", summary=f"Memory candidates:\n- [decision] {text}\n"
    )
    return answer.remembered[0].reason_codes


def test_a_tombstone_stops_learning_until_the_entry_is_restored(bench: Bench) -> None:
    kept = bench.remember(SHIP, type="decision")
    bench.call("forget_entry", id=kept.id)
    assert proposed(bench, SHIP) == ("forgotten",)
    assert proposed(bench, SHIP.upper()) == ("forgotten",)
    assert bench.texts() == []
    bench.call("restore_entry", id=kept.id)
    assert proposed(bench, SHIP) != ("forgotten",)
    assert bench.texts() == [SHIP]


def test_restoring_one_of_two_equal_texts_removes_both_tombstones(bench: Bench) -> None:
    first = bench.remember(SHIP)
    bench.call("forget_entry", id=first.id)
    second = bench.remember(SHIP)
    bench.call("forget_entry", id=second.id)
    bench.call("restore_entry", id=first.id)
    assert (bench.texts(), bench.stones()) == ([SHIP], [])
