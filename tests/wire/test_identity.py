"""Whose request it is, in the forms that the real clients and unknown ones use."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest

from wm.wire.body import index
from wm.wire.history import Continuation, history
from wm.wire.identity import Conversations, RequestIdentity, identify

CLAUDE = {"user-agent": "claude-cli/2.1.330 (external)", "x-claude-code-session-id": "s-1"}
OPENCODE = {"user-agent": "opencode/1.18.33 ai-sdk", "x-session-id": "ses_1"}
TOOLS = [{"name": "Bash"}]
ENV = "You are OpenCode.\n<env>\n  Working directory: /home/ann/ferry\n  Platform: linux\n</env>"
REMINDER = "# Environment\n - Primary working directory: /home/ann/ferry\n - Platform: linux"


def raw(*messages: Any, **more: Any) -> bytes:
    return json.dumps({"model": "m", "stream": True, **more, "messages": list(messages)}).encode()


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def identity_of(
    headers: dict[str, str], body: bytes, path: str = "/v1/messages", **more: str
) -> RequestIdentity:
    return identify(path, headers, index(body), **more)


@pytest.mark.parametrize(
    ("headers", "body", "path", "expected"),
    [
        (CLAUDE, raw(user("hi"), tools=TOOLS), "/v1/messages", ("claude-code", "main", "s-1")),
        (
            {**CLAUDE, "x-claude-code-agent-id": "a1"},
            raw(user("hi"), tools=TOOLS),
            "/v1/messages",
            ("claude-code", "subagent", "s-1"),
        ),
        (
            CLAUDE,
            raw(user("hi"), user("CRITICAL: Respond with TEXT ONLY. Do not"), tools=TOOLS),
            "/v1/messages",
            ("claude-code", "summary", "s-1"),
        ),
        (CLAUDE, raw(user("hi")), "/v1/messages/count_tokens", ("claude-code", "count", "s-1")),
        (OPENCODE, raw(user("hi"), tools=TOOLS), "/v1/messages", ("opencode", "main", "ses_1")),
        (
            {**OPENCODE, "x-session-id": "ses_2", "x-parent-session-id": "ses_1"},
            raw(user("hi"), tools=TOOLS),
            "/v1/messages",
            ("opencode", "subagent", "ses_2"),
        ),
        (
            OPENCODE,
            raw(user("hi"), system="You are a title generator. You output"),
            "/v1/messages",
            ("opencode", "title", "ses_1"),
        ),
        (
            OPENCODE,
            raw(user("<conversation>"), system="You are a context summarization agent. You"),
            "/v1/messages",
            ("opencode", "summary", "ses_1"),
        ),
        (OPENCODE, raw(user("hi")), "/v1/messages", ("opencode", "other", "ses_1")),
        ({}, raw(user("hi")), "/v1/messages", ("", "main", "")),
        ({}, b"not json", "/v1/messages", ("", "other", "")),
        ({}, b"", "/v1/models", ("", "other", "")),
        (
            {},
            raw(user("hi"), metadata={"user_id": json.dumps({"session_id": "s-9"})}),
            "/v1/messages",
            ("", "main", "s-9"),
        ),
        ({}, raw(user("hi"), metadata={"user_id": "plain"}), "/v1/messages", ("", "main", "")),
        ({}, raw(user("hi"), metadata={"user_id": "[" * 9999}), "/v1/messages", ("", "main", "")),
    ],
)
def test_agent_call_and_session_are_recognised(
    headers: dict[str, str], body: bytes, path: str, expected: tuple[str, str, str]
) -> None:
    found = identity_of(headers, body, path)
    assert (found.agent, found.call, found.session) == expected


@pytest.mark.parametrize(
    ("headers", "body", "folder"),
    [
        (OPENCODE, raw(user("hi"), system=ENV), "/home/ann/ferry"),
        (CLAUDE, raw(user("hi"), {"role": "system", "content": REMINDER}), "/home/ann/ferry"),
        (CLAUDE, raw(user([{"type": "text", "text": REMINDER}])), "/home/ann/ferry"),
        (CLAUDE, raw(*[user("hi")] * 3, user(REMINDER)), ""),
        (CLAUDE, raw(user("Primary working directory: relative")), ""),
        ({"x-wm-workspace": "/a b"}, raw(user("hi"), system=ENV), "/a b"),
        (
            {"x-wm-workspace": base64.urlsafe_b64encode("/ü".encode()).decode().rstrip("=")},
            raw(user("hi")),
            "/ü",
        ),
        ({"x-wm-workspace": "!!"}, raw(user("hi")), ""),
    ],
)
def test_the_folder_is_read_from_header_or_prompt(
    headers: dict[str, str], body: bytes, folder: str
) -> None:
    assert identity_of(headers, body).folder == folder


def follow(
    known: Conversations, headers: dict[str, str], body: bytes
) -> tuple[RequestIdentity, Continuation]:
    found = index(body)
    assert found is not None
    named, change = known.follow(identify("/v1/messages", headers, found), history(found))
    return named, change.kind


def test_a_side_call_has_its_sessions_folder_and_does_not_change_its_history() -> None:
    known = Conversations()
    follow(known, OPENCODE, raw(user("hi"), system=ENV, tools=TOOLS))
    title, _ = follow(known, OPENCODE, raw(user("Title?"), system="You are a title generator."))
    child = {**OPENCODE, "x-session-id": "ses_2", "x-parent-session-id": "ses_1"}
    sub, _ = follow(known, child, raw(user("look"), tools=TOOLS))
    assert (title.folder, sub.folder) == ("/home/ann/ferry", "/home/ann/ferry")
    _, kind = follow(known, OPENCODE, raw(user("hi"), user("on"), system=ENV, tools=TOOLS))
    assert kind is Continuation.APPENDED


def test_unnamed_conversations_with_a_common_start_separate_where_they_differ() -> None:
    known = Conversations()

    def say(*words: str) -> str:
        return follow(known, {}, raw(*map(user, words)))[0].session

    one = say("hi")
    assert say("hi", "left") == one
    other = say("hi", "right")
    assert other != one
    assert say("hi", "left", "more") == one
    assert say("hi", "right", "more") == other
    assert say("hi", "right", "more") == other


def test_unnamed_conversations_with_different_tools_are_different() -> None:
    known = Conversations()
    one, _ = follow(known, {}, raw(user("hi"), tools=TOOLS))
    other, _ = follow(known, {}, raw(user("hi"), tools=[{"name": "Read"}]))
    assert one.session != other.session


def test_remembered_conversations_are_bounded() -> None:
    known = Conversations()
    for number in range(2000):
        follow(known, {}, raw(user(f"hello {number}")))
    assert len(known._histories) <= 512


def test_the_total_size_of_all_conversations_is_bounded() -> None:
    """A proxy lives for weeks, and each of its conversations may have thousands of messages."""
    known = Conversations()
    long = [user(f"m{number}") for number in range(6_000)]
    for number in range(5):
        follow(known, {**OPENCODE, "x-session-id": f"ses_{number}"}, raw(*long))
    assert [len(one.lines) for one in known._histories.values()] == [6_000] * 3
    again = follow(known, {**OPENCODE, "x-session-id": "ses_4"}, raw(*long, user("more")))
    assert again[1] is Continuation.APPENDED
    assert follow(known, {**OPENCODE, "x-session-id": "ses_0"}, raw(*long))[1] is Continuation.FIRST


def test_a_history_longer_than_the_total_limit_is_still_tracked() -> None:
    known = Conversations()
    long = [user(f"m{number}") for number in range(21_000)]
    follow(known, OPENCODE, raw(*long))
    assert follow(known, OPENCODE, raw(*long, user("more")))[1] is Continuation.APPENDED


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("Working directory: /a b/c\n", "/a b/c"),
        ("\n\n \t Working directory: /a", "/a"),
        ("The Working directory: /a\nWorking directory: /b", "/b"),
        ("Working directory: here", ""),
        ("Working directory:\n/a", ""),
    ],
)
def test_opencode_names_its_folder_on_its_own_line(text: str, folder: str) -> None:
    assert identity_of(OPENCODE, raw(user("hi"), system=text)).folder == folder


def test_a_prompt_of_blank_lines_is_read_in_linear_time() -> None:
    """Instruction files stand in it, so it is foreign text."""
    started = time.process_time()
    assert identity_of(OPENCODE, raw(user("hi"), system="\n" * 200_000 + "x")).folder == ""
    assert time.process_time() - started < 1.0
