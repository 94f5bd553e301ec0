"""Looking back in the terminal: what `history`, `undo`, the trash and `diag` print."""

from __future__ import annotations

import re

import pytest

from tests.cli.terminal import Terminal
from wm.cli.context import PATIENCE_S
from wm.settings import RecallSettings

SHIP = "We deploy with `make ship`."
LONG = "The harbour office wants every berth to be booked two days ahead, " * 6 + "by mail."
SESSION = {"sessionId": "s-1", "agent": "claude-code"}


def prepared(user: Terminal) -> str:
    """A workspace in which something of each kind happened; the id of its main entry."""
    entry = user.remember(SHIP, "--type", "decision")
    user.remember(LONG)
    user.remember("hm")
    user.wm("pin", entry)
    user.wm("forget", user.remember("We moor at pier one."), "--reason", "we moved")
    user.seed(
        ("record_event", {**SESSION, "event": {"kind": "session_started"}}),
        ("prompt", SESSION),
        ("record_event", {**SESSION, "event": {"kind": "compaction_started"}}),
        (
            "record_event",
            {
                **SESSION,
                "event": {
                    "kind": "compaction_finished",
                    "summary": "Memory candidates:\n- [project] All 40 tests pass now.\n"
                    "REPLACE [M1] [project] x\n",
                },
            },
        ),
    )
    return entry


LINES = (
    "history",
    "history {entry}",
    "undo --list",
    "undo --dry-run",
    "forget --list",
    "why-not All 40 tests pass now.",
    "why-not hm",
    "diag",
    "diag rejected",
    "diag missing",
    "diag explain {entry}",
    "diag commands",
    "diag quality",
    "diag alike",
    "diag trace",
    "diag coverage",
    "diag disappearances",
    "diag health",
    "diag audit",
    "diag revert {entry}",
    "gc --dry-run",
)


def test_diag_counts_in_words_for_people(user: Terminal) -> None:
    user.wm("forget", user.remember("We deploy with `make ship`."))
    said = user.wm("diag").out
    assert "contents     in the trash 1 · texts not to learn again 1\n" in said


def test_every_view_prints_text_and_fits_80_columns(user: Terminal) -> None:
    entry = prepared(user)
    for line in LINES:
        said = user.wm(*line.format(entry=entry).split())
        assert (said.code, said.err) == (0, ""), line
        assert said.out.strip(), line
        assert max(map(len, said.out.splitlines())) <= 80, line


def test_diagnosis_changes_no_file(terminal: Terminal) -> None:
    entry = prepared(terminal)
    folder = terminal.data / "workspaces"
    before = {p: p.read_bytes() for p in folder.rglob("*.json*") if p.is_file()}
    for line in LINES:
        terminal.wm(*line.format(entry=entry).split())
    assert {p: p.read_bytes() for p in folder.rglob("*.json*") if p.is_file()} == before


def test_coverage_of_a_new_workspace_names_no_time(user: Terminal) -> None:
    assert user.wm("diag", "coverage").out.endswith("The evidence has 0 records.\n")


def test_undo_reports_its_change_and_how_to_redo_it(user: Terminal) -> None:
    entry = user.remember(SHIP)
    said = user.wm("undo").out
    assert said.startswith(f"Undid the remember: {entry} moves to the trash.\n  {SHIP}\n")
    again = re.search(r"to redo it: wm undo (e_[0-9a-f]{20})", said)
    assert again is not None
    assert user.wm("undo", again[1]).out.startswith(
        f"Undid the forget: {entry} is restored from the trash.\n"
    )
    assert SHIP in user.wm("inspect").out


def test_the_list_says_which_change_cannot_be_undone(user: Terminal) -> None:
    kept = re.search(r"m_\w+", user.wm("remember", "Berth 7 is reserved for the pilot boat.").out)
    assert kept is not None
    user.wm("forget", kept[0])
    said = " ".join(user.wm("undo", "--list").out.split())
    assert "cannot be undone: " in said
    assert "is in the trash." in said


def test_the_next_page_is_named(user: Terminal) -> None:
    for number in range(4):
        user.remember(f"Dock {number} opens before dock {number + 40}.")
    first = user.wm("history", "--limit", "3").out
    words = first.strip().splitlines()[-1].removeprefix("older: wm ").split()
    assert "Dock 0 opens" not in first
    assert "Dock 0 opens" in user.wm(*words).out


def test_the_trash_names_texts_that_are_not_learned_again(user: Terminal) -> None:
    assert user.wm("forget", "--list").out == "The trash is empty.\n"
    entry = user.remember(SHIP)
    user.wm("forget", entry, "--reason", "we moved")
    said = user.wm("forget", "--list").out
    assert entry[:10] in said
    assert "we moved · not learned again" in said


def test_a_revert_only_reports_until_apply(user: Terminal) -> None:
    entry = user.remember(SHIP)
    assert user.wm("diag", "revert", entry).out.startswith("Would undo the remember")
    assert SHIP in user.wm("inspect").out
    assert user.wm("diag", "revert", entry, "--apply").out.startswith("Undid the remember")
    assert SHIP not in user.wm("inspect").out


@pytest.mark.parametrize("verb", ["disappearances", "audit"])
def test_a_finding_gives_exit_code_1(terminal: Terminal, verb: str) -> None:
    terminal.remember(SHIP)
    assert terminal.wm("diag", verb).code == 0
    for file in (terminal.data / "workspaces").rglob("*workspace-memory.json*"):
        if not file.name.endswith(".lock"):
            file.unlink()
    said = terminal.wm("diag", verb)
    assert said.code == 1
    assert "No record says why" in " ".join(said.out.split())
    assert terminal.wm("diag", verb, "--json").code == 1


def test_an_anchored_entry_reports_changed_code(user: Terminal) -> None:
    file = user.repo / "dock.py"
    file.write_text("def berth(number):\n    return number + 1\n")
    entry = user.remember(SHIP, "--anchor", "dock.py:berth")
    assert "speaks of  dock.py:berth" in user.wm("show", entry).out
    assert "speaks of dock.py:berth" in " ".join(user.wm("inspect").out.split())
    file.write_text("def berth(number):\n    return number + 2\n")
    shown = " ".join(user.wm("inspect").out.split())
    assert "suspect: the code that it describes changed" in shown
    explained = " ".join(user.wm("diag", "explain", entry).out.split())
    assert "its code dock.py:berth · changed" in explained
    assert "× 0.25 (suspect)" in explained
    assert user.wm("edit", entry, "--anchor", "dock.py:berth").code == 0
    assert "suspect" not in user.wm("inspect").out
    assert "speaks of" not in user.wm("edit", entry, "--anchor", "").out


def test_for_a_text_of_several_entries_each_line_names_its_entry(user: Terminal) -> None:
    first = user.remember("We deploy with `make ship`.")
    second = user.remember("The deploy runs on port 8080.")
    printed = user.wm("why", "deploy").out.splitlines()
    assert [line[18:] for line in printed] == [
        f"  {first[:10]} kept",
        "  We deploy with `make ship`.",
        f"  {second[:10]} kept",
        "  The deploy runs on port 8080.",
    ]


def test_for_a_text_of_one_entry_its_explanation_is_printed(user: Terminal) -> None:
    entry = user.remember("We deploy with `make ship`.")
    printed = user.wm("why", "make", "ship").out
    assert printed == user.wm("why", entry).out
    assert "prompts show it" in printed
    user.wm("forget", entry)
    assert "forgotten" in user.wm("why", "make", "ship").out


def test_the_wait_for_vectors_happens_once_in_the_daemon() -> None:
    assert PATIENCE_S["diag_alike"] > RecallSettings().hint_wait_s


def test_undo_restores_an_entry_that_an_undo_put_into_the_trash(user: Terminal) -> None:
    entry = user.remember("We moor at pier one.")
    user.wm("undo")
    said = user.wm("undo", entry, "--dry-run")
    assert (said.code, said.out) == (0, f"Would restore {entry} from the trash.\n")
    assert "It is in the trash" in user.wm("show", entry).out
    assert user.wm("undo", entry[:8]).out.startswith("Restored.\n  We moor at pier one.\n")
    assert user.wm("forget", "--list").out == "The trash is empty.\n"


def test_the_advice_of_doctor_is_what_fsck_accepts(terminal: Terminal) -> None:
    terminal.wm("remember", "Deploy with make ship.")
    (file,) = terminal.data.rglob("workspace-memory.json")
    file.write_text("{")
    checks = terminal.wm("doctor", "--no-proof", "--json").json["checks"]
    advice = {check["fix"] for check in checks if check["name"] == "files" and check["fix"]}
    assert advice == {"wm down && wm fsck repair"}
    assert terminal.wm("down").code == 0
    assert "needs exclusive access" not in terminal.wm("fsck", "repair").err
