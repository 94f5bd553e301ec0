"""What the last records of an agent's transcript add to the events of a hook."""

from __future__ import annotations

from typing import Any

import pytest

from wm.domain import payloads
from wm.domain.payloads import transcript_tail
from wm.formats.events import AssistantText, Event, ToolFinished, UsageReported


def completed(
    agent: str, hook: str, body: dict[str, Any], *records: dict[str, Any]
) -> tuple[Event, ...]:
    """The events of a hook, with these records at the end of the transcript, the oldest first."""
    parsed = payloads.parse(agent, hook, body)
    assert parsed.record == "/t.jsonl"
    return transcript_tail.completed(parsed, reversed(records)).events


def command(call: str, code: Any) -> dict[str, Any]:
    item = {"type": "CommandExecution", "id": call, "exit_code": code}
    return {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}


CODEX = {"session_id": "s", "cwd": "/r", "transcript_path": "/t.jsonl"}
COMMAND = {**CODEX, "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c-2"}


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ([command("c-1", 0), command("c-2", 2), {"type": "world_state"}], 2),
        ([command("c-2", 0)], 0),
        ([command("c-1", 7)], None),
        ([command("c-2", "7"), {"payload": 3}, {"payload": {"item": []}}], None),
        ([], None),
    ],
)
def test_codex_says_in_its_transcript_how_a_command_ended(
    records: list[dict[str, Any]], code: int | None
) -> None:
    (event,) = completed("codex", "PostToolUse", {**COMMAND, "tool_response": "x"}, *records)
    assert isinstance(event, ToolFinished)
    assert (event.exit_code, event.output) == (code, "x")


def test_codex_says_there_how_full_the_context_is() -> None:
    info = {"last_token_usage": {"total_tokens": 1005}, "model_context_window": 258_400}
    counted = {"payload": {"type": "token_count", "info": info}}
    nothing = {"payload": {"type": "token_count", "info": None}}
    found = completed("codex", "Stop", {**CODEX, "last_assistant_message": "Ok."}, counted, nothing)
    used = UsageReported(tokens=1005, limit=258_400, source="codex")
    assert found == (AssistantText(text="Ok."), used)


def test_copilot_says_there_what_the_model_said() -> None:
    usage = {"inputTokens": 1000, "outputTokens": 5, "maxPromptTokens": 64_000}
    body = {"sessionId": "s", "cwd": "/r", "transcriptPath": "/t.jsonl", "stopReason": "end_turn"}
    found = completed(
        "copilot",
        "agentStop",
        body,
        {"type": "assistant.message", "data": {"content": "First."}},
        {"type": "session.usage_record", "data": {"usage": usage}},
        {"type": "assistant.message", "data": {"content": "Done."}},
        {"type": "assistant.message", "agentId": "sub-1", "data": {"content": "A subagent's."}},
        {"type": "assistant.turn_end", "data": {}},
    )
    assert found == (
        AssistantText(text="Done."),
        UsageReported(tokens=1005, limit=64_000, source="copilot"),
    )


def test_gemini_says_there_how_full_the_context_is() -> None:
    body = {"session_id": "s", "cwd": "/r", "transcript_path": "/t.jsonl", "prompt_response": "Ok."}
    answer = {"type": "gemini", "tokens": {"total": 1005}, "model": "gemini-3.8-flash"}
    found = completed("gemini", "AfterAgent", body, answer, {"$set": {"lastUpdated": "now"}})
    used = UsageReported(tokens=1005, model="gemini-3.8-flash", source="gemini")
    assert found == (AssistantText(text="Ok."), used)


@pytest.mark.parametrize(("agent", "hook"), [("codex", "Stop"), ("gemini", "AfterAgent")])
def test_a_transcript_without_such_records_adds_nothing(agent: str, hook: str) -> None:
    assert completed(agent, hook, CODEX, {"type": "user"}) == ()
