"""Prompt epochs: frozen, found again, accounted for (EP-1, EP-3, WM-2)."""

from __future__ import annotations

import pytest

from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench, entry
from wm.formats.session_state import SessionState
from wm.store.base import Ref
from wm.store.paths import sid


def blocks(bench: Bench, session: str = "s-1") -> list[tuple[str, str]]:
    return [(b.name, b.text) for b in bench.prompt(session).blocks]


def test_an_epoch_is_written_once_and_then_read(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP))
    bench.event("session_started")
    opened = bench.prompt()
    assert (opened.opened, opened.number) == (True, 1)
    bench.remember(CENTS)
    again = bench.reopen().prompt()
    assert (again.opened, again.number) == (False, 1)
    assert again.blocks == opened.blocks


@pytest.mark.parametrize(
    ("source", "number"), [("startup", 2), ("clear", 2), ("compact", 2), ("resume", 1)]
)
def test_starts_end_an_epoch_and_a_resume_does_not(bench: Bench, source: str, number: int) -> None:
    bench.event("session_started")
    bench.prompt()
    bench.remember(SHIP)
    bench.event("session_started", source=source)
    assert bench.prompt().number == number


def test_a_refresh_opens_the_next_epoch(bench: Bench) -> None:
    bench.event("session_started")
    first = bench.prompt()
    bench.remember(SHIP)
    refreshed = bench.prompt(refresh=True)
    assert (refreshed.number, refreshed.opened) == (2, True)
    assert "make ship" in refreshed.blocks[0].text
    made = bench.epoch(refreshed.epoch)
    assert made is not None
    assert (made.reason, made.previous) == ("refresh", first.epoch)


def test_two_refreshes_in_one_batch_are_two_epochs(bench: Bench) -> None:
    bench.event("session_started")
    ask = ("prompt", {"session_id": "s-1", "refresh": True})
    done = bench.batch(ask, ask)
    assert [d.response.number for d in done if d.response] == [1, 2]


@pytest.mark.parametrize("call", ["title", "summary", "subagent", "anything"])
def test_side_calls_get_no_blocks_and_open_no_epoch(bench: Bench, call: str) -> None:
    bench.write_memory(entry("m_1", SHIP))
    bench.event("session_started")
    assert bench.prompt(call=call).blocks == ()
    assert bench.state().epoch == ""


def test_an_outdated_state_uses_the_newest_epoch(bench: Bench) -> None:
    """A power cut can take the last second of hot state, never an epoch's file."""
    bench.write_memory(entry("m_1", SHIP))
    bench.event("session_started")
    behind = bench.state()
    given = bench.prompt()
    bench.put((Ref(SessionState, bench.key, sid("s-1")), behind))
    bench.remember(CENTS)
    bench.event("session_started", source="resume")
    again = bench.prompt()
    assert (again.opened, again.number, again.blocks) == (False, 1, given.blocks)


@pytest.mark.parametrize(("source", "number"), [("resume", 1), ("startup", 2)])
def test_a_lost_state_never_overwrites_an_epoch(bench: Bench, source: str, number: int) -> None:
    bench.write_memory(entry("m_1", SHIP))
    bench.event("session_started")
    given = bench.prompt()
    with bench.store.transaction([ref := Ref(SessionState, bench.key, sid("s-1"))]) as tx:
        tx.delete(ref)
    bench.remember(CENTS)
    bench.event("session_started", source=source)
    assert bench.prompt().number == number
    kept = bench.epoch(given.epoch)
    assert kept is not None
    assert (kept.generation, kept.blocks[0].text) == (1, given.blocks[0].text)


def test_a_missing_epoch_file_opens_the_next_epoch_and_is_recorded(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP))
    bench.event("session_started")
    given = bench.prompt()
    epoch = bench.epoch(given.epoch)
    assert epoch is not None
    with bench.store.transaction([ref := Ref(type(epoch), bench.key, epoch.id)]) as tx:
        tx.delete(ref)
    after = bench.prompt()
    assert (after.number, after.opened) == (2, False)
    assert bench.recorded("epoch_opened")[-1].reason_codes == ("epoch_file_gone",)


def test_every_injected_byte_is_accounted_for(bench: Bench) -> None:
    texts = [f"The module number {n} talks to the billing service." for n in range(32)]
    bench.write_memory(*(entry(f"m_{n}", text) for n, text in enumerate(texts)))
    bench.event("session_started")
    given = bench.prompt()
    (record,) = bench.recorded("epoch_opened")
    assert record.details["epoch"] == given.epoch
    assert len(record.details["included"]) == 28
    assert record.details["omitted"] == 4
    assert tuple(record.details["omittedBy"]) == ("entry_cap:4",)
    (block,) = given.blocks
    assert list(record.details["blocks"]) == [
        f"workspace_memory:{block.sha256[:16]}:{len(block.text)}"
    ]


def test_a_visit_after_a_pause_changes_no_order(bench: Bench) -> None:
    """WM-2: strengths are the same whether a session has just begun or not."""
    old = entry("m_old", SHIP, type="decision", retention_clock="2026-05-01T09:00:00.000Z")
    new = entry("m_new", QUEUE, type="decision", retention_clock="2026-11-20T09:00:00.000Z")
    bench.write_memory(old, new, last_activity_at="2026-05-02T09:00:00.000Z")
    before = {v.entry.id: v.strength for v in bench.call("inspect").entries}
    bench.event("session_started")
    after = {v.entry.id: v.strength for v in bench.call("inspect").entries}
    assert after == before
    (pause,) = bench.memory().dormant_intervals
    assert (pause.begin, pause.end) == ("2026-05-16T09:00:00.000Z", "2026-11-21T09:00:02.000Z")
    bench.later(hours=1)
    bench.event("session_started", session="s-2")
    assert len(bench.memory().dormant_intervals) == 1


def test_a_session_of_several_weeks_is_not_a_pause(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP))
    bench.event("session_started")
    for _ in range(4):
        bench.later(days=10)
        bench.event("user_prompt", text=f"go on, it is {bench.moment}")
    assert bench.memory().dormant_intervals == ()
    assert bench.memory().last_activity_at == "2026-12-31T09:00:05.000Z"


def test_hot_state_is_a_separate_block_after_the_memory(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP))
    bench.event("session_started")
    bench.event("tool_finished", tool="edit", paths=[str(bench.project / "cart.py")])
    (first, _), (second, text), (third, _) = blocks(bench)
    assert (first, second, third) == ("workspace_memory", "hot_state", "working_memory")
    assert "cart.py (edit)" in text


def test_a_later_prompt_of_a_session_shows_what_it_kept_as_it_is_now(bench: Bench) -> None:
    bench.event("session_started")
    bench.event("user_prompt", text=f"Remember that {SHIP}")
    bench.event("user_prompt", text=f"Remember that {CENTS}")
    bench.event("user_prompt", text=f"Remember that {QUEUE}")
    shipped, counted, queued = bench.memory().entries
    bench.call("forget_entry", id=shipped.id)
    bench.call("edit_entry", id=counted.id, text="Amounts are kept in tenths of cents.")
    bench.event("session_started", source="compact")
    shown = {block.name: block.text for block in bench.prompt(refresh=True).blocks}
    assert SHIP not in "".join(shown.values())
    assert CENTS not in "".join(shown.values())
    assert "Amounts are kept in tenths of cents." in shown["hot_state"]
    assert queued.text in shown["hot_state"]
