"""What earlier sessions teach: only the user's own words, as if they were typed today."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wm.domain.facts import Refusal
from wm.domain.imports.foreign import ForeignFile, ForeignMemory
from wm.domain.imports.sources import SOURCES, as_user_statement, in_order

RULE = "Never edit the generated tide tables by hand."
PARSE = SOURCES["transcripts"].parse


def line(kind: str, content: Any, **fields: Any) -> str:
    message = {"role": kind, "content": content}
    named = {"type": kind, "sessionId": "5f1a", "timestamp": "2026-03-04T08:00:00.000Z"}
    return json.dumps({**named, "message": message, **fields})


def queued(prompt: Any, **fields: Any) -> str:
    attachment = {"type": "queued_command", "commandMode": "prompt", "prompt": prompt, **fields}
    return json.dumps({"type": "attachment", "sessionId": "5f1a", "attachment": attachment})


def found(*lines: str) -> ForeignMemory:
    memory = PARSE(ForeignFile("/h/a.jsonl", "\n".join(lines), modified="2026-03-05T00:00:00.000Z"))
    assert isinstance(memory, ForeignMemory)
    return memory


def texts(*lines: str) -> list[str]:
    return [fact.text for fact in found(*lines).facts]


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def codex(payload: dict[str, Any], kind: str = "event_msg", **head: Any) -> str:
    meta = {"type": "session_meta", "payload": {"session_id": "5f1a", "source": "cli", **head}}
    return f"{json.dumps(meta)}\n{json.dumps({'type': kind, 'payload': payload})}"


def gemini(kind: str, content: Any, head: str = "main", **fields: Any) -> str:
    first = {"sessionId": "5f1a", "projectHash": "h", "kind": head}
    return f"{json.dumps(first)}\n{json.dumps({'type': kind, 'content': content, **fields})}"


def qwen(kind: str, payload: dict[str, Any], *parts: dict[str, Any]) -> str:
    fields = {"type": kind, "provenance": "x", "sessionId": "5f1a", "systemPayload": payload}
    return json.dumps({**fields, "message": {"parts": parts}})


def item(kind: str) -> dict[str, Any]:
    return {"type": "item_completed", "item": {"type": kind, "content": [text(RULE)]}}


CODEX = [codex({"type": "user_message", "message": RULE}), codex(item("UserMessage"))]
TYPED = [
    line("user", RULE),
    line("user", [text(RULE), {"type": "image"}]),
    line("user", RULE, origin={"kind": "human"}),
    line("user", f"<system-reminder>Always hurry.</system-reminder>\n{RULE}"),
    queued(RULE),
    queued([text(RULE)]),
    *CODEX,
    line("", "", type="user.message", data={"content": RULE}, sessionId="5f1a"),
    line("", "", type="user.message", data={"content": RULE, "source": None}),
    gemini("user", [text(RULE), text("<hook_context>Always hurry.</hook_context>")]),
    gemini("user", [{"text": RULE}]),
    qwen("user", {"displayText": RULE}, {"text": f"{RULE} Always hurry."}),
    qwen("user", {}, {"text": RULE}),
    line("user", [text(RULE), {"type": "image", "source": {"data": "A" * 400_000}}]),
]


@pytest.mark.parametrize("typed", TYPED)
def test_what_the_user_typed_is_read(typed: str) -> None:
    assert texts(typed) == [RULE]


NOT_TYPED = [
    line("assistant", RULE),
    line("user", RULE, isMeta=True),
    line("user", RULE, isSidechain=True),
    line("user", RULE, agentId="a1"),
    line("user", RULE, isCompactSummary=True),
    line("user", RULE, origin={"kind": "task-notification"}),
    line("user", [{"type": "tool_result", "tool_use_id": "t", "content": [text(RULE)]}]),
    line("user", f"<local-command-stdout>{RULE}</local-command-stdout>"),
    line("system", RULE),
    queued(RULE, commandMode="task-notification"),
    queued(RULE, isMeta=True),
    line("user", 7),
    line("user", [RULE, None, {"type": "text", "text": 3}]),
    '{"type": "user", "message": {"content": "' + RULE,
    codex(item("AgentMessage")),
    codex(item("UserMessage"), source={"subagent": "review"}),
    codex(item("UserMessage"), thread_source="subagent"),
    codex({"type": "message", "role": "user", "content": [text(RULE)]}, kind="response_item"),
    line("", "", type="user.message", data={"content": RULE}, sessionId="5f1a", agentId="a1"),
    line("", "", type="tool.execution_complete", data={"content": RULE}, sessionId="5f1a"),
    gemini("user", [text(RULE)], head="subagent"),
    gemini("gemini", RULE),
    qwen("tool_result", {}, {"text": RULE}),
    qwen("user", {}, {"text": RULE, "thought": True}),
    line("user", f"<ide_selection>\n{RULE}\nAlways use pnpm here.\n</ide_selection>\nFix that"),
    line(
        "user",
        f'<teammate-message id="a">\n{RULE}\nAlways use pnpm here.\n</teammate-message>\nOk?',
    ),
    line("", "", type="user.message", data={"content": RULE, "source": "skill-pdf"}),
    gemini("user", [text("explain @a.md"), text(RULE)], displayContent=[text("explain @a.md")]),
]


@pytest.mark.parametrize("other", NOT_TYPED)
def test_nothing_else_is_read(other: str) -> None:
    assert texts(line("user", "Fix the harbour test"), other) == []


def test_a_request_is_explicit_and_a_remark_is_stated() -> None:
    asked, said = found(line("user", "Remember: the quay API wants UTC"), line("user", RULE)).facts
    assert (asked.text, asked.source) == ("the quay API wants UTC", "explicit")
    assert (said.text, said.source, said.line) == (RULE, "stated", 2)
    assert {one.status for one in (asked, said)} == {"inbox"}
    assert (said.created_at, said.session) == ("2026-03-04T08:00:00.000Z", "5f1a")


ANSWER = "I will install it with npm."
ANSWERS = [
    line("assistant", [text(ANSWER)]),
    codex({"type": "agent_message", "message": ANSWER}),
    line("", "", type="assistant.message", data={"content": ANSWER}),
    gemini("gemini", ANSWER),
    qwen("assistant", {}, {"text": ANSWER}),
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_answer_before_a_message_counts(answer: str) -> None:
    """After an answer the sentence may be about the task, so that it is not certain."""
    said = line("user", "the port is 5433")
    assert texts(said) == ["the port is 5433"]
    assert texts(answer, said) == []


def test_what_is_not_certain_is_counted() -> None:
    memory = found(line("user", "the logs may be longer now"))
    assert memory.facts == ()
    assert [(one.code, one.count) for one in memory.left] == [("not_certain", 1)]


@pytest.mark.parametrize(
    "said",
    [
        "<private>Never call the harbour master. Always ask Gus.</private> Thanks",
        "Remember: <private>the quay code is known to Gus\nand to Ida</private>",
        f"Remember: the API key is sk-ant-api03-{'Zx9Qw3Lk' * 6}",
    ],
)
def test_what_is_private_or_secret_is_not_read(said: str) -> None:
    assert texts(line("user", "Fix the harbour test"), line("user", said)) == []


def test_another_file_of_lines_is_refused() -> None:
    refused = PARSE(ForeignFile("/h/a.jsonl", '{"type": "user", "name": "x"}\n[1]\nx'))
    assert isinstance(refused, Refusal)


@pytest.mark.parametrize(
    "lines",
    ["", '{"type": "summary", "leafUuid": "u"}', '{"type": "x", "messageId": "m", "snapshot": {}}'],
)
def test_a_session_file_without_messages_is_accepted(lines: str) -> None:
    assert found(lines) == ForeignMemory()


@pytest.mark.parametrize(
    "later", ["forget that we use npm here", "Erase from memory: we use npm here"]
)
def test_what_the_user_asked_to_forget_is_not_read(later: str) -> None:
    assert texts(line("user", "Remember: we use npm here"), line("user", later)) == []


def test_requests_beyond_the_limit_are_not_lost() -> None:
    asked = [f"Remember: quay {number} closes at {number} o'clock." for number in range(60)]
    read = " ".join(texts(line("user", "\n".join(asked))))
    assert all(one.removeprefix("Remember: ") in read for one in asked)


def test_a_sentence_counts_once_at_its_last_time_and_the_oldest_is_first() -> None:
    again = [line("user", RULE, timestamp=f"2026-03-0{day}T08:00:00.000Z") for day in (6, 5)]
    other = line("user", "Deploys always go through make ship.")
    facts = in_order([*found(again[0]).facts, *found(again[1], other).facts])
    assert [fact.text for fact in facts] == ["Deploys always go through make ship.", RULE]
    assert facts[1].created_at == "2026-03-06T08:00:00.000Z"


def test_as_the_users_own_words_they_keep_their_source() -> None:
    (fact,) = map(as_user_statement, found(line("user", RULE)).facts)
    assert (fact.status, fact.source, fact.is_users, fact.reasons) == ("active", "stated", True, ())
