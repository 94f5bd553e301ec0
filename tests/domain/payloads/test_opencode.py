"""The OpenCode plugin's posts become events, and outcomes what it pushes into a hook."""

from __future__ import annotations

from typing import Any

import pytest

from wm.domain import payloads
from wm.domain.payloads.hook_values import HookOutcome, ParsedHook, Want
from wm.errors import HostError
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

ROOT = "/home/ana/shop"
SID = "ses_a1"


def hook(name: str, given: Any = None, output: Any = None, **more: Any) -> ParsedHook:
    body = {
        "input": {"sessionID": SID} if given is None else given,
        "output": output or {},
        "directory": ROOT,
        "worktree": ROOT,
        **more,
    }
    return payloads.parse("opencode", name, body)


def bus(name: str, properties: dict[str, Any], **more: Any) -> ParsedHook:
    event = {"type": name, "properties": properties}
    return payloads.parse(
        "opencode", name, {"event": event, "directory": ROOT, "worktree": ROOT, **more}
    )


def test_a_message_is_what_the_user_typed() -> None:
    parsed = hook(
        "chat.message",
        {"sessionID": SID, "messageID": "msg_1"},
        {
            "message": {"id": "msg_1", "role": "user", "agent": "build"},
            "parts": [
                {"type": "text", "text": "remember that we deploy on Mondays"},
                {"type": "text", "text": "Called the Read tool", "synthetic": True},
                {"type": "text", "text": "not for the model", "ignored": True},
                {"type": "file", "filename": "a.py"},
            ],
        },
    )
    assert parsed.session_id == SID
    assert parsed.directory == ROOT
    assert parsed.wants == {Want.NOTICES}
    assert parsed.events == (
        UserPrompt(text="remember that we deploy on Mondays", message_id="msg_1"),
        ToolFinished(
            tool="other", name="attachment", output="Called the Read tool\nnot for the model"
        ),
    )


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ('"remember that X is Y"', "remember that X is Y"),
        ('"a" and "b"', '"a" and "b"'),
        ('"remember that \\"make ship\\" deploys"', 'remember that "make ship" deploys'),
        ('"Thanks.\n\nremember that \\"X\\" is Y"', 'Thanks.\n\nremember that "X" is Y'),
        ('"', '"'),
        ("/init", ""),
    ],
)
def test_quotes_of_a_run_command_are_not_user_text(typed: str, said: str) -> None:
    parsed = hook("chat.message", output={"parts": [{"type": "text", "text": typed}]})
    assert tuple(e.text for e in parsed.events) == ((said,) if said else ())


def test_a_subagents_text_is_not_learned_and_it_gets_no_blocks() -> None:
    part = {"type": "text", "text": "look around"}
    said = hook("chat.message", output={"parts": [part]}, parentID="ses_a0")
    assert (said.events, said.wants) == ((), frozenset())
    call = hook("experimental.chat.system.transform", output={"system": ["x"]}, parentID="ses_a0")
    assert call.wants == frozenset()


@pytest.mark.parametrize(
    ("given", "output", "expected"),
    [
        (
            {"tool": "bash", "args": {"command": "make", "workdir": f"{ROOT}/sub"}},
            {"title": "", "output": "boom", "metadata": {"exit": 2}},
            ToolFinished(
                tool="bash",
                name="bash",
                command="make",
                output="boom",
                exit_code=2,
                cwd=f"{ROOT}/sub",
            ),
        ),
        (
            {"tool": "bash", "args": {"command": "make"}},
            {"output": "", "metadata": {"exit": None}},
            ToolFinished(tool="bash", name="bash", command="make", cwd=ROOT),
        ),
        (
            {"tool": "bash", "args": {"command": "make"}},
            {"output": "", "metadata": {"exit": True}},
            ToolFinished(tool="bash", name="bash", command="make", cwd=ROOT),
        ),
        (
            {"tool": "read", "args": {"filePath": f"{ROOT}/a.py"}},
            {"output": "1: x = 1", "metadata": {}},
            ToolFinished(
                tool="read", name="read", paths=(f"{ROOT}/a.py",), output="1: x = 1", cwd=ROOT
            ),
        ),
        (
            {"tool": "edit", "args": {"filePath": f"{ROOT}/a.py", "oldString": "x"}},
            {"output": "Edit applied successfully."},
            ToolFinished(tool="edit", name="edit", paths=(f"{ROOT}/a.py",), cwd=ROOT),
        ),
        (
            {
                "tool": "apply_patch",
                "args": {
                    "patchText": "*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n"
                },
            },
            {"output": "done"},
            ToolFinished(tool="edit", name="apply_patch", paths=("a.py", "b.py"), cwd=ROOT),
        ),
        (
            {"tool": "grep", "args": {"pattern": "x"}},
            {"output": f"Found 2 matches\n{ROOT}/a.py:\n  Line 1: x\n\n{ROOT}/b.py:\n  Line 2: x"},
            ToolFinished(
                tool="grep",
                name="grep",
                paths=(f"{ROOT}/a.py", f"{ROOT}/b.py"),
                output=f"Found 2 matches\n{ROOT}/a.py:\n  Line 1: x\n\n{ROOT}/b.py:\n  Line 2: x",
                cwd=ROOT,
            ),
        ),
        (
            {"tool": "webfetch", "args": {"url": "https://example.org"}},
            {"output": "page", "metadata": {"exit": 3}},
            ToolFinished(tool="other", name="webfetch", output="page", cwd=ROOT),
        ),
    ],
)
def test_a_tool_result_is_read_from_its_native_shape(
    given: dict[str, Any], output: Any, expected: ToolFinished
) -> None:
    parsed = hook("tool.execute.after", {"sessionID": SID, "callID": "c1", **given}, output)
    assert parsed.events == (expected,)


def test_a_failed_tool_is_read_from_its_part_update() -> None:
    part = {
        "type": "tool",
        "sessionID": SID,
        "tool": "read",
        "state": {"status": "error", "input": {"filePath": "gone.py"}, "error": "File not found"},
    }
    (event,) = bus("message.part.updated", {"part": part}).events
    assert event == ToolFinished(
        tool="read", name="read", paths=("gone.py",), output="File not found", failed=True, cwd=ROOT
    )
    running = {**part, "state": {"status": "running"}}
    assert bus("message.part.updated", {"part": running}).events == ()
    assert bus("message.part.updated", {"part": {**part, "type": "text"}}).events == ()


@pytest.mark.parametrize(
    ("system", "wants"),
    [
        (["You are OpenCode, the best coding agent"], {Want.BLOCKS}),
        ([], {Want.BLOCKS}),
        (["You are a title generator. You output ONLY"], set()),
        (["You are a context summarization agent. You"], set()),
    ],
)
def test_side_calls_get_no_memory(system: list[str], wants: set[Want]) -> None:
    parsed = hook("experimental.chat.system.transform", output={"system": system})
    assert (parsed.wants, parsed.events) == (wants, ())


def test_a_call_outside_any_session_gets_nothing() -> None:
    parsed = hook("experimental.chat.system.transform", {}, {"system": ["You are OpenCode"]})
    assert (parsed.session_id, parsed.events, parsed.wants) == ("", (), frozenset())


@pytest.mark.parametrize(
    ("parsed", "event"),
    [
        (bus("session.created", {"info": {"id": SID}}), SessionStarted()),
        (
            bus("session.created", {"info": {"id": SID, "parentID": "ses_a0"}}),
            SessionStarted(parent_session="ses_a0", subagent=True),
        ),
        (
            bus("session.created", {"info": {"id": SID, "title": "Ferries (fork #2)"}}),
            SessionStarted(source="fork"),
        ),
        (
            bus("session.compacted", {"sessionID": SID}, summary="## Goal"),
            CompactionFinished(summary="## Goal"),
        ),
        (bus("session.deleted", {"info": {"id": SID}}), SessionDeleted()),
        (bus("session.deleted", {"sessionID": SID}), SessionDeleted()),
        (hook("experimental.session.compacting"), CompactionStarted()),
        (hook("experimental.text.complete", output={"text": "Done."}), AssistantText(text="Done.")),
        (hook("dispose"), SessionEnded(reason="dispose")),
    ],
)
def test_each_session_change_is_one_event(parsed: ParsedHook, event: Any) -> None:
    assert parsed.session_id == SID
    assert parsed.events == (event,)


@pytest.mark.parametrize("name", ["session.idle", "todo.updated", "lsp.updated", "brand.new"])
def test_other_events_are_ignored(name: str) -> None:
    parsed = bus(name, {"sessionID": SID, "more": [1]})
    assert (parsed.events, parsed.wants) == ((), frozenset())


@pytest.mark.parametrize(
    ("name", "body", "sentence"),
    [
        (
            "dispose",
            "x",
            "OpenCode's dispose: the payload must be a JSON object, and it is a text.",
        ),
        (
            "chat.message",
            {"input": {"sessionID": 7}},
            "OpenCode's chat.message: the body names no session ('sessionID' is missing).",
        ),
        (
            "tool.execute.after",
            {"input": {"sessionID": SID}},
            "OpenCode's tool.execute.after: the body does not say which tool ran ('input.tool').",
        ),
    ],
)
def test_a_malformed_body_is_named_in_one_sentence(name: str, body: Any, sentence: str) -> None:
    with pytest.raises(HostError) as caught:
        payloads.parse("opencode", name, body)
    assert str(caught.value) == sentence


OUTCOME = HookOutcome(
    blocks=("MEMORY",), instructions="List memory candidates.", notices=("Kept: X.",)
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("experimental.chat.system.transform", {"system": ["MEMORY"]}),
        ("experimental.session.compacting", {"context": ["List memory candidates."]}),
        ("chat.message", {"notices": ["Kept: X."]}),
        ("tool.execute.after", {"notices": ["Kept: X."]}),
        ("session.compacted", None),
        ("session.idle", None),
    ],
)
def test_each_hook_gets_the_fields_it_can_inject(name: str, expected: Any) -> None:
    assert payloads.AGENTS["opencode"].reply(name, OUTCOME) == expected


def test_an_empty_answer_is_an_empty_body() -> None:
    name = "experimental.chat.system.transform"
    assert payloads.reply("opencode", name, HookOutcome()) == ("application/json", "")
    assert payloads.reply("opencode", name, HookOutcome(blocks=("ü",)))[1] == '{"system":["ü"]}'
