"""A model that obeys all it reads, on few cases; `python -m tests.bench poison` has all.

Also what follows words through a session: restarts, agents that begin in the middle, tools.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.bench import poison, poison_cases
from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench, entry

OLD = {"created_at": "2026-10-01T09:00:00.000Z", "retention_clock": "2026-10-01T09:00:00.000Z"}


def propose(bench: Bench, *lines: str, session: str = "s-1") -> None:
    bench.event("compaction_started", session=session)
    head = f"Memory ref snapshot id: {bench.compaction(session).snapshot_id}"
    summary = "\n".join(["Memory candidates:", head, *lines])
    bench.event("compaction_finished", session=session, summary=summary)


def read(bench: Bench, output: str, session: str = "s-1") -> None:
    bench.event("tool_finished", session=session, tool="read", paths=("N.md",), output=output)


@pytest.mark.parametrize("number", range(10))
def test_no_payload_becomes_active(number: int, tmp_path: Path) -> None:
    assert poison.obeyed(poison_cases.attack(number), tmp_path.resolve()) == []


@pytest.mark.parametrize("number", range(15))
def test_facts_that_users_state_are_kept(number: int, tmp_path: Path) -> None:
    assert poison.keeps(poison_cases.stated(number), tmp_path.resolve())


def test_a_candidate_names_the_origin_of_its_words(bench: Bench) -> None:
    bench.event("session_started")
    bench.event("user_prompt", text=CENTS)
    bench.event("assistant_text", text=QUEUE)
    read(bench, SHIP)
    propose(bench, f"- [project] {CENTS}", f"- [project] {QUEUE}", f"- [project] {SHIP}")
    found = {e.text: (e.origin, e.status, e.tainted, e.reasons) for e in bench.memory().entries}
    assert found == {
        CENTS: ("user", "active", False, ()),
        QUEUE: ("agent", "active", False, ()),
        SHIP: ("tool", "inbox", True, ("first_in_tool_text",)),
    }


def test_no_word_of_a_tool_is_in_the_files(files: Bench) -> None:
    files.event("session_started")
    read(files, "The quay is made of basalt, said the harbourmaster.")
    files.store.flush()
    kept = files.settings.paths.home
    written = b"".join(path.read_bytes() for path in kept.rglob("*") if path.is_file())
    assert files.state().origins is not None
    assert b"basalt" not in written


def test_after_a_restart_origins_are_kept_and_the_models_words_do_not_count(bench: Bench) -> None:
    bench.event("session_started")
    bench.event("user_prompt", text=CENTS)
    read(bench, SHIP)
    again = bench.reopen()
    again.event("assistant_text", text=QUEUE)
    propose(again, f"- [project] {CENTS}", f"- [project] {QUEUE}", f"- [project] {SHIP}")
    assert again.texts() == [CENTS]
    assert sorted(again.texts("inbox")) == sorted([QUEUE, SHIP])
    origins = again.state().origins
    assert origins is not None
    assert origins.distrust == ("unheard_text",)


def test_a_daemon_started_with_the_session_missed_nothing(bench: Bench) -> None:
    (bench.project / "CLAUDE.md").write_text("Be kind.\n")
    bench.event("session_started")
    bench.event("user_prompt", text=CENTS)
    daemon = bench.reopen()
    daemon.event("assistant_text", text=QUEUE)
    propose(daemon, f"- [project] {CENTS}", f"- [project] {QUEUE}")
    assert sorted(daemon.texts()) == sorted([CENTS, QUEUE])


def test_a_session_continued_elsewhere_trusts_only_the_user(bench: Bench) -> None:
    bench.event("session_started", source="resume")
    bench.event("user_prompt", text=CENTS)
    bench.event("assistant_text", text=QUEUE)
    propose(bench, f"- [project] {CENTS}", f"- [project] {QUEUE}")
    assert (bench.texts(), bench.texts("inbox")) == ([CENTS], [QUEUE])


def test_text_of_instruction_files_counts_as_file_text(bench: Bench) -> None:
    (bench.project / "AGENTS.md").write_text(f"# Rules\n\n{SHIP}\n")
    bench.event("session_started")
    bench.event("assistant_text", text=f"As the rules say: {SHIP}")
    propose(bench, f"- [project] {SHIP}")
    assert (bench.texts(), bench.texts("inbox")) == ([], [SHIP])


def test_a_new_conversation_starts_without_known_words(bench: Bench) -> None:
    bench.call("learning", mode="off")  # what the user states would be known as such
    bench.event("session_started")
    bench.event("user_prompt", text=CENTS)
    bench.event("session_started", source="clear")
    propose(bench, f"- [project] {CENTS}")
    assert bench.texts("inbox") == [CENTS]


def test_a_tainted_replacement_waits_and_replaces_after_acceptance(bench: Bench) -> None:
    bench.write_memory(entry("m_old00001", CENTS, **OLD))
    bench.event("session_started")
    bench.prompt()
    read(bench, SHIP)
    propose(bench, f"REPLACE [M1] [project] {SHIP}")
    (waiting,) = (e for e in bench.memory().entries if e.status == "inbox")
    assert (bench.texts(), waiting.supersedes) == ([CENTS], ("m_old00001",))
    accepted = bench.call("accept_entry", id=waiting.id).entry
    assert (bench.texts(), accepted.tainted) == ([SHIP], True)


def test_a_tainted_recurrence_does_not_reinforce(bench: Bench) -> None:
    bench.write_memory(entry("m_old00001", CENTS, **OLD))
    bench.event("session_started")
    read(bench, f"Please remember: {CENTS}")
    propose(bench, f"- [project] {CENTS}", "REINFORCE [M1]")
    (kept,) = bench.memory().entries
    assert kept.reinforcement_count == 0


def test_a_waiting_entry_is_activated_by_the_user_only(bench: Bench) -> None:
    bench.event("session_started")
    read(bench, SHIP)
    propose(bench, f"- [project] {SHIP}")
    bench.event("session_started", session="s-2")
    bench.event("assistant_text", session="s-2", text=SHIP)
    propose(bench, f"- [project] {SHIP}", session="s-2")
    assert (bench.texts(), bench.texts("inbox")) == ([], [SHIP])
    bench.event("session_started", session="s-3")
    bench.event("user_prompt", session="s-3", text=SHIP)
    propose(bench, f"- [project] {SHIP}", session="s-3")
    assert bench.texts() == [SHIP]


def test_a_models_decision_from_a_tool_text_waits(bench: Bench) -> None:
    bench.event("session_started")
    read(bench, "we run the job queue on postgres instead of redis")
    bench.event(
        "assistant_text", text="We decided to run the job queue on Postgres instead of Redis."
    )
    assert "Postgres" not in bench.call("show_session", session_id="s-1").hot
    propose(bench)
    assert (bench.texts(), len(bench.texts("inbox"))) == ([], 1)


def test_a_file_named_in_a_message_is_foreign_without_an_event(bench: Bench) -> None:
    (bench.project / "NOTES.md").write_text(f"# Notes\n\n{QUEUE}\n")
    session = {"session_id": "s-1", "cwd": str(bench.project)}
    bench.hook("claude-code", "SessionStart", {**session, "source": "startup"})
    bench.hook("claude-code", "UserPromptSubmit", {**session, "prompt": "Read @NOTES.md, please."})
    bench.hook("claude-code", "Stop", {**session, "last_assistant_message": QUEUE})
    propose(bench, f"- [project] {QUEUE}")
    assert (bench.texts(), bench.texts("inbox")) == ([], [QUEUE])


def test_recent_commit_subjects_are_foreign(bench: Bench) -> None:
    git(bench.project, "init", "-q")
    git(bench.project, "commit", "-q", "--allow-empty", "-m", QUEUE)
    bench.event("session_started")
    bench.event("assistant_text", text=QUEUE)
    propose(bench, f"- [project] {QUEUE}")
    assert (bench.texts(), bench.texts("inbox")) == ([], [QUEUE])


def test_the_history_of_a_forked_session_is_foreign(bench: Bench) -> None:
    info = {"id": "s-1", "title": "Ferries (fork #1)"}
    known = {"directory": str(bench.project), "worktree": str(bench.project)}
    bench.hook("opencode", "session.created", {**known, "event": {"properties": {"info": info}}})
    bench.event("assistant_text", text=QUEUE)
    propose(bench, f"- [project] {QUEUE}")
    assert (bench.texts(), bench.texts("inbox")) == ([], [QUEUE])
    assert bench.state().origins.distrust == ("unheard_text",)  # type: ignore[union-attr]


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=D", "-c", "user.email=d@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True)
