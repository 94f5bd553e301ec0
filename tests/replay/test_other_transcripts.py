"""The same conversation, as four agents write it down: rebuilt to the same requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.replay.parts import assistant, bodies, plain, replayed, result, text, user, written
from wm.replay.requests import UNSEEN

ASK, LOOK, SEEN, SAID, NEXT, LAST = "Which berth?", "I look.", "two", "Berth two.", "Why?", "Tide."
AT = "2026-11-23T06:14:10.000Z"
GIVEN = {"path": "/pier.py"}


def _codex() -> list[dict[str, Any]]:
    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": AT, "type": "response_item", "payload": payload}

    def message(role: str, words: str) -> dict[str, Any]:
        part = {"type": "output_text" if role == "assistant" else "input_text", "text": words}
        return item(type="message", role=role, content=[part])

    def used(prompt: int) -> dict[str, Any]:
        usage = {"input_tokens": prompt, "cached_input_tokens": 900, "output_tokens": 5}
        return {"timestamp": AT, "type": "token_usage_record", "payload": {"usage": usage}}

    given = '{"path": "/pier.py"}'
    return [
        {"timestamp": AT, "type": "session_meta", "payload": {"id": "s", "cwd": "/"}},
        {"timestamp": AT, "type": "turn_context", "payload": {"model": "m"}},
        message("user", ASK),
        item(type="reasoning", summary=[], encrypted_content="x"),
        message("assistant", LOOK),
        item(type="function_call", name="view", call_id="c", arguments=given),
        used(1000),
        {"timestamp": AT, "type": "event_msg", "payload": {"type": "token_count", "info": {}}},
        item(type="function_call_output", call_id="c", output=SEEN),
        message("assistant", SAID),
        used(1100),
        message("user", NEXT),
        used(1200),
        message("assistant", LAST),
    ]


def _copilot() -> list[dict[str, Any]]:
    def line(kind: str, **data: Any) -> dict[str, Any]:
        return {"type": kind, "data": data, "timestamp": AT, "id": "e"}

    def used(prompt: int, what: str = "conversation-agent") -> dict[str, Any]:
        usage = {"inputTokens": prompt, "cacheReadTokens": 900, "outputTokens": 5}
        return line("session.usage_record", usage={**usage, "interactionType": what})

    call = {"toolCallId": "c", "name": "view", "arguments": GIVEN}
    return [
        line("session.start", sessionId="s"),
        used(99, "title"),
        line("user.message", content="raw", transformedContent=ASK),
        used(1000),
        line("assistant.message", model="m", content=LOOK, toolRequests=[call]),
        line("tool.execution_complete", toolCallId="c", result={"content": SEEN}),
        used(1100),
        line("assistant.message", model="m", content=SAID, toolRequests=[]),
        line("user.message", content=NEXT),
        used(1200),
        line("assistant.message", model="m", content=LAST, toolRequests=[]),
    ]


def _gemini() -> list[dict[str, Any]]:
    def line(kind: str, name: str, content: Any, prompt: int = 0, **more: Any) -> dict[str, Any]:
        tokens = {"tokens": {"input": prompt, "cached": 900, "output": 5}} if prompt else {}
        fields = {"id": name, "timestamp": AT, "type": kind, "content": content}
        return {**fields, **tokens, "model": "m", **more}

    done = {"functionResponse": {"id": "c", "name": "view", "response": {"output": SEEN}}}
    call = {"id": "c", "name": "view", "args": GIVEN, "result": [done]}
    return [
        {"sessionId": "s", "projectHash": "h", "startTime": AT, "kind": "main"},
        {"$set": {"messages": [line("user", "u1", [{"text": ASK}])]}},
        line("gemini", "g1", LOOK, 1000),
        line("gemini", "g1", LOOK, 1000, toolCalls=[call]),
        line("gemini", "g2", SAID, 1100),
        line("user", "u2", [{"text": NEXT}]),
        line("gemini", "g3", LAST, 1200),
    ]


def _qwen() -> list[dict[str, Any]]:
    def line(kind: str, name: str, *parts: dict[str, Any], prompt: int = 0) -> dict[str, Any]:
        used = {"promptTokenCount": prompt, "cachedContentTokenCount": 900}
        fields = {"uuid": name, "sessionId": "s", "timestamp": AT, "type": kind, "provenance": "x"}
        usage = {"usageMetadata": {**used, "candidatesTokenCount": 5}} if prompt else {}
        return {**fields, "model": "m", "message": {"role": "x", "parts": list(parts)}, **usage}

    call = {"functionCall": {"id": "c", "name": "view", "args": GIVEN}}
    done = {"functionResponse": {"id": "c", "name": "view", "response": {"output": SEEN}}}
    return [
        line("user", "1", {"text": ASK}),
        line("system", "2"),
        line("assistant", "3", {"text": "Hm.", "thought": True}, {"text": LOOK}, call, prompt=1000),
        line("tool_result", "4", done),
        line("assistant", "5", {"text": SAID}, prompt=1100),
        line("user", "6", {"text": NEXT}),
        line("assistant", "7", {"text": LAST}, prompt=1200),
    ]


AGENTS = {"codex": _codex, "copilot": _copilot, "gemini": _gemini, "qwen": _qwen}
EACH = pytest.mark.parametrize("agent", sorted(AGENTS))


@EACH
def test_each_answer_has_the_request_before_it(tmp_path: Path, agent: str) -> None:
    found = bodies(written(tmp_path / "t.jsonl", AGENTS[agent]()))
    call = {"type": "tool_use", "id": "c", "name": "view", "input": GIVEN}
    seen = '{"output": "two"}' if agent in ("gemini", "qwen") else SEEN
    looked = [user(text(ASK)), assistant(text(LOOK), call), user(result("c", seen))]
    assert [plain(body["messages"]) for body in found] == [
        looked[:1],
        looked,
        [*looked, assistant(text(SAID)), user(text(NEXT))],
    ]
    assert {body["model"] for body in found} == {"m"}
    head = found[0]["system"][0]["text"]
    assert head.startswith(UNSEEN)
    assert 4 * 900 < len(head) < 4 * 1000


@EACH
def test_the_services_own_count_belongs_to_its_answer(tmp_path: Path, agent: str) -> None:
    report = replayed(written(tmp_path / "t.jsonl", AGENTS[agent]()))
    assert report.total.reported_requests == 3
    reported = report.total.reported
    assert (reported.cache_read, reported.input, reported.output) == (2700, 600, 15)


def test_codex_continues_from_its_summary(tmp_path: Path) -> None:
    said = [{"type": "input_text", "text": "So far: berth two."}]
    history = [{"type": "message", "role": "user", "content": said}]
    cut = {"timestamp": AT, "type": "compacted", "payload": {"replacement_history": history}}
    (*_, ask, used, last) = lines = _codex()
    found = bodies(written(tmp_path / "t.jsonl", [*lines, cut, ask, used, last]))
    assert plain(found[-1]["messages"]) == [user(text("So far: berth two."), text(NEXT))]


def test_gemini_writes_its_whole_history_again_when_a_session_is_resumed(tmp_path: Path) -> None:
    lines = _gemini()
    again = {"$set": {"messages": [lines[1]["$set"]["messages"][0], *lines[3:5]]}}
    found = bodies(written(tmp_path / "t.jsonl", [*lines[:5], again, *lines[5:]]))
    assert found == bodies(written(tmp_path / "u.jsonl", lines))


def test_copilot_keeps_the_turn_that_runs_behind_its_summary(tmp_path: Path) -> None:
    *lines, asked, used, last = _copilot()
    data = {"success": True, "summaryContent": "So far: berth two."}
    cut = {"type": "session.compaction_complete", "data": data, "timestamp": AT}
    found = bodies(written(tmp_path / "t.jsonl", [*lines, asked, cut, used, last]))
    assert plain(found[-1]["messages"]) == [user(text("So far: berth two."), text(NEXT))]


def test_a_subagent_of_copilot_has_its_own_conversation(tmp_path: Path) -> None:
    side = [{**line, "agentId": "a1"} for line in _copilot()]
    folder = tmp_path / "s-1"
    folder.mkdir()
    report = replayed(written(folder / "events.jsonl", [*_copilot(), *side]))
    assert {(turn.conversation, turn.call) for turn in report.turns} == {
        ("s-1", "main"),
        ("s-1/a1", "subagent"),
    }
