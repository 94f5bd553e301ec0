"""What each event does to the hot state of a session (HS-1…3, EP-1)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from wm.domain.session.state import apply, note_decision, note_pending, was_seen
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    CompactionStarted,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    ToolFinished,
    UserPrompt,
)
from wm.formats.session_state import (
    ActiveFile,
    OpenError,
    PendingNote,
    SessionDecision,
    SessionState,
)
from wm.formats.workspace_memory import MemoryEntry
from wm.settings import SessionSettings

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
STAMP = "2026-11-21T09:00:00.000Z"
SETTINGS = SessionSettings()

FULL = SessionState(
    session_id="s",
    root="/home/ana/shop",
    started_at="2026-11-20T09:00:00.000Z",
    epoch="p_1",
    epoch_number=3,
    compactions=2,
    seen_messages=("aa",),
    active_files=(ActiveFile(path="a.py", action="edit"),),
    open_errors=(OpenError(fingerprint="0" * 12, category="test", summary="boom"),),
    recent_decisions=(SessionDecision(text="Use cents."),),
    pending_memories=(PendingNote(id="m_1", type="project", text="Deploys on Mondays."),),
)


def after(state: SessionState, event: object) -> SessionState:
    return apply(state, event, now=NOW, settings=SETTINGS)  # type: ignore[arg-type]


def memory(entry_id: str, text: str) -> MemoryEntry:
    return MemoryEntry(
        id=entry_id,
        type="project",
        text=text,
        source="explicit",
        created_at=STAMP,
        updated_at=STAMP,
    )


@pytest.mark.parametrize("source", ["startup", "clear"])
def test_a_new_session_starts_empty_and_ends_the_epoch(source: str) -> None:
    state = after(FULL, SessionStarted(source=source))
    assert state == SessionState(
        session_id="s", root="/home/ana/shop", started_at=STAMP, epoch_number=3
    )


def test_a_resumed_session_keeps_everything_and_its_epoch() -> None:
    ended = FULL.model_copy(update={"ended_at": STAMP})
    assert after(ended, SessionStarted(source="resume")) == FULL


@pytest.mark.parametrize("source", ["compact", "fork", "something-new"])
def test_other_starts_keep_the_state_and_open_a_new_epoch(source: str) -> None:
    state = after(FULL, SessionStarted(source=source))
    assert state == FULL.model_copy(update={"epoch": ""})


def test_a_subagents_session_keeps_its_parent() -> None:
    started = SessionStarted(source="startup", parent_session="s0", subagent=True)
    state = after(SessionState(session_id="s1"), started)
    assert (state.subagent, state.parent_session) == (True, "s0")
    assert after(state, SessionStarted(source="compact")).subagent


def test_a_message_counts_once() -> None:
    prompt = UserPrompt(text="remember X", message_id="m1")
    once = after(SessionState(session_id="s"), prompt)
    assert was_seen(once, prompt)
    assert after(once, prompt) is once
    assert not was_seen(once, UserPrompt(text="remember X", message_id="m2"))
    assert not was_seen(once, UserPrompt(text="remember Y", message_id="m1"))


def test_only_the_last_messages_are_remembered() -> None:
    settings = replace(SETTINGS, kept_messages=2)
    state = SessionState(session_id="s")
    prompts = [UserPrompt(text=f"message {n}") for n in range(3)]
    for prompt in prompts:
        state = apply(state, prompt, now=NOW, settings=settings)
    assert [was_seen(state, p) for p in prompts] == [False, True, True]


def test_a_message_in_an_ended_session_resumes_it() -> None:
    ended = after(FULL, SessionEnded(reason="dispose"))
    assert ended.ended_at == STAMP
    assert after(ended, UserPrompt(text="go on")).ended_at == ""


def test_a_tool_call_touches_its_file() -> None:
    event = ToolFinished(tool="edit", paths=("/home/ana/shop/src/b.py",))
    state = after(SessionState(session_id="s", root="/home/ana/shop"), event)
    assert [(f.path, f.action, f.last_seen_at) for f in state.active_files] == [
        ("src/b.py", "edit", STAMP)
    ]


@pytest.mark.parametrize(
    "event",
    [
        AssistantText(text="We decided X."),
        CompactionStarted(),
        SessionDeleted(),
        ToolFinished(tool="bash", command="ls", exit_code=0),
        ToolFinished(tool="read", paths=("a.py",), failed=True),
    ],
)
def test_an_irrelevant_event_returns_the_same_state(event: object) -> None:
    assert after(FULL, event) is FULL


def test_a_compaction_ends_the_epoch_and_keeps_files_and_errors() -> None:
    state = after(FULL, CompactionFinished(summary="…"))
    assert state == FULL.model_copy(
        update={"epoch": "", "compactions": 3, "recent_decisions": (), "pending_memories": ()}
    )


def decided(*texts: str) -> SessionState:
    state = SessionState(session_id="s")
    for text in texts:
        state = note_decision(state, text, now=NOW, settings=SETTINGS, origin="agent")
    return state


def test_a_decision_stated_again_becomes_the_newest() -> None:
    state = decided("Use cents.", "Use Postgres.", "use CENTS")
    assert [d.text for d in state.recent_decisions] == ["Use Postgres.", "use CENTS"]


def test_eight_decisions_and_twelve_memories_are_kept() -> None:
    texts = [f"Decision number {n}" for n in range(10)]
    state = decided(*texts)
    assert [d.text for d in state.recent_decisions] == texts[2:]
    for n in range(15):
        entry = memory(f"m_{n}", f"Fact number {n}")
        state = note_pending(state, entry, now=NOW, settings=SETTINGS)
    assert [p.id for p in state.pending_memories] == [f"m_{n}" for n in range(3, 15)]


def test_a_memory_kept_twice_is_pending_once() -> None:
    entry = memory("m_1", "Deploys on Mondays.")
    other = entry.model_copy(update={"id": "m_2"})
    state = note_pending(SessionState(session_id="s"), entry, now=NOW, settings=SETTINGS)
    state = note_pending(state, other, now=NOW, settings=SETTINGS)
    assert [p.id for p in state.pending_memories] == ["m_2"]
