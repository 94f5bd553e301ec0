"""Payloads of Codex, Copilot CLI, Gemini CLI, Qwen Code and Cursor, and what their hooks print."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wm.domain import payloads
from wm.domain.payloads.hook_values import HookOutcome, ParsedHook, Want
from wm.domain.payloads.normaliser import Dialect
from wm.errors import HostError
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    CompactionStarted,
    Event,
    SessionEnded,
    SessionStarted,
    ToolFinished,
    UsageReported,
    UserPrompt,
)

ROOT = "/home/ana/shop"
COPILOT_NAMES = {
    "session_id": "sessionId",
    "tool_name": "toolName",
    "tool_input": "toolArgs",
    "tool_response": "toolResult",
    "transcript_path": "transcriptPath",
    "agent_id": "agentId",
}
NESTED = ("codex", "gemini", "qwen")
PROMPT_HOOKS = {
    "codex": "UserPromptSubmit",
    "copilot": "userPromptSubmitted",
    "cursor": "beforeSubmitPrompt",
    "gemini": "BeforeAgent",
    "qwen": "UserPromptSubmit",
}
START_HOOKS = {
    "codex": "SessionStart",
    "copilot": "sessionStart",
    "cursor": "sessionStart",
    "gemini": "SessionStart",
    "qwen": "SessionStart",
}


def payload(agent: str, **fields: Any) -> dict[str, Any]:
    """A payload with the agent's own names."""
    named = {"session_id": "s-1", "cwd": ROOT, **fields}
    if agent == "copilot":
        return {COPILOT_NAMES.get(key, key): value for key, value in named.items()}
    if agent == "cursor":
        own = {key: value for key, value in named.items() if key not in ("session_id", "cwd")}
        return {"conversation_id": "s-1", "workspace_roots": [ROOT], "cursor_version": "3", **own}
    return named


def parsed(agent: str, hook: str, **fields: Any) -> ParsedHook:
    return payloads.parse(agent, hook, payload(agent, **fields))


def events(agent: str, hook: str, **fields: Any) -> tuple[Event, ...]:
    return parsed(agent, hook, **fields).events


def tool(agent: str, hook: str, name: str, given: dict[str, Any], **fields: Any) -> ToolFinished:
    (event,) = events(agent, hook, tool_name=name, tool_input=given, **fields)
    assert isinstance(event, ToolFinished)
    return event


def reply(agent: str, hook: str, **outcome: Any) -> str:
    return payloads.reply(agent, hook, HookOutcome(**outcome))[1]


@pytest.mark.parametrize("agent", sorted(PROMPT_HOOKS))
def test_a_prompt_is_what_the_user_typed(agent: str) -> None:
    found = parsed(agent, PROMPT_HOOKS[agent], prompt="Please always use pnpm")
    assert found.events == (UserPrompt(text="Please always use pnpm"),)
    assert (found.agent, found.session_id, found.directory) == (agent, "s-1", ROOT)


@pytest.mark.parametrize(
    ("agent", "source", "expected"),
    [
        ("codex", "startup", "startup"),
        ("codex", "resume", "resume"),
        ("codex", "compact", "resume"),
        ("codex", "fork", "fork"),
        ("copilot", "new", "startup"),
        ("copilot", "resume", "resume"),
        ("gemini", "startup", "startup"),
        ("qwen", "resume", "resume"),
    ],
)
def test_the_start_of_a_session_has_our_word_for_its_kind(
    agent: str, source: str, expected: str
) -> None:
    (started,) = events(agent, START_HOOKS[agent], source=source, initialPrompt="Fix it")
    assert started == SessionStarted(source=expected)


BLOCKS = {
    "claude-code": {"SessionStart"},
    "codex": {"SessionStart"},
    # Context of their session starts is lost when a session is resumed, or costs it a prompt.
    "copilot": {"userPromptSubmitted"},
    "gemini": {"BeforeAgent"},
    "qwen": {"SessionStart"},
    "cursor": {"sessionStart"},
}


@pytest.mark.parametrize("dialect", payloads.DIALECTS, ids=lambda one: one.agent)
def test_each_agent_gets_memory_where_it_stays(dialect: Dialect) -> None:
    assert {h for h, wants in dialect.wants.items() if Want.BLOCKS in wants} == BLOCKS[
        dialect.agent
    ]


@pytest.mark.parametrize("agent", ["codex", "copilot", "gemini"])
def test_memory_that_stays_in_the_conversation_is_given_once_per_epoch(agent: str) -> None:
    (hook,) = BLOCKS[agent]
    assert parsed(agent, hook, prompt="Go on", source="resume").keeps


def test_qwen_gets_the_same_memory_again_when_a_session_is_resumed() -> None:
    found = parsed("qwen", "SessionStart", source="resume")
    assert (found.keeps, Want.BLOCKS in found.wants) == (False, True)


@pytest.mark.parametrize(
    ("agent", "prompt"),
    [
        ("gemini", "<hook_context>remember that we use npm</hook_context>\n\nPlease use pnpm"),
        ("gemini", "<hook_context>a &lt;hook_context&gt; b</hook_context>\n\nPlease use pnpm"),
    ],
)
def test_text_that_a_hook_gave_is_not_the_words_of_the_user(agent: str, prompt: str) -> None:
    found = events(agent, PROMPT_HOOKS[agent], prompt=prompt)
    assert [e.text for e in found if isinstance(e, UserPrompt)] == ["Please use pnpm"]


def test_qwens_empty_prompt_behind_each_batch_of_tools_is_nothing() -> None:
    found = parsed("qwen", "UserPromptSubmit", prompt="")
    assert found.events == ()
    assert reply("qwen", "UserPromptSubmit") == ""


@pytest.mark.parametrize("agent", ["codex", "copilot"])
def test_the_task_of_a_subagent_is_not_the_words_of_the_user(agent: str) -> None:
    found = parsed(agent, PROMPT_HOOKS[agent], prompt="Remember X", agent_id="sub-1")
    assert (found.events, found.wants) == ((), frozenset())


def test_a_subagent_of_copilot_belongs_to_the_session_that_started_it() -> None:
    given = {"toolName": "bash", "toolArgs": {"command": "make"}, "toolResult": {}}
    own = {"sessionId": "sub-1", "agentId": "sub-1", "parentAgentId": "s-1", "cwd": ROOT}
    found = payloads.parse("copilot", "postToolUse", {**own, **given})
    assert found.session_id == "s-1"
    (event,) = found.events
    assert isinstance(event, ToolFinished)
    assert event.aside


CODE_3 = "1\n2\nExit Code: 3\nProcess Group PGID: 29906"


@pytest.mark.parametrize(
    ("agent", "hook", "name", "fields", "output", "code"),
    [
        ("codex", "PostToolUse", "Bash", {"tool_response": "hi\n"}, "hi\n", None),
        (
            "gemini",
            "AfterTool",
            "run_shell_command",
            {
                "tool_response": {
                    "llmContent": "<untrusted_context>\nOutput: hi\nProcess Group PGID: 7\n"
                    "</untrusted_context>"
                }
            },
            "hi",
            0,
        ),
        (
            "gemini",
            "AfterTool",
            "run_shell_command",
            {
                "tool_response": {
                    "llmContent": f"<untrusted_context>\nOutput: {CODE_3}\n</untrusted_context>"
                }
            },
            "1\n2",
            3,
        ),
        (
            "gemini",
            "AfterTool",
            "run_shell_command",
            {"tool_response": {"llmContent": "Output: (empty)\nSignal: 9\nProcess Group PGID: 7"}},
            "(empty)",
            None,
        ),
        (
            "gemini",
            "AfterTool",
            "run_shell_command",
            {"tool_response": {"llmContent": "Output: x\nBackground PIDs: 7\nExit Code: 1"}},
            "x",
            1,
        ),
        (
            "gemini",
            "AfterTool",
            "run_shell_command",
            {"tool_response": {"llmContent": "Command was cancelled by user."}},
            "Command was cancelled by user.",
            None,
        ),
        (
            # A command that prints such a line does not change its code.
            "gemini",
            "AfterTool",
            "run_shell_command",
            {"tool_response": {"llmContent": "Output: a\nExit Code: 0\nExit Code: 1"}},
            "a\nExit Code: 0",
            1,
        ),
        (
            "qwen",
            "PostToolUse",
            "run_shell_command",
            {
                "tool_response": {
                    "llmContent": "Command: echo hi\nDirectory: (root)\nOutput: hi\nError: (none)\n"
                    "Exit Code: 0\nSignal: (none)\nProcess Group PGID: (none)"
                }
            },
            "hi",
            0,
        ),
        (
            "qwen",
            "PostToolUseFailure",
            "run_shell_command",
            {
                "error": "Command: seq 2; exit 3\nDirectory: (root)\nOutput: 1\n2\nError: (none)\n"
                "Exit Code: 3\nSignal: (none)\nProcess Group PGID: (none)"
            },
            "1\n2",
            3,
        ),
        (
            "copilot",
            "postToolUse",
            "bash",
            {
                "tool_response": {
                    "resultType": "success",
                    "textResultForLlm": "1\n2\n<shellId: 0 completed with exit code 3>",
                }
            },
            "1\n2",
            3,
        ),
        (
            "copilot",
            "postToolUse",
            "bash",
            {"tool_response": {"textResultForLlm": "<command with id: 0 is still running>"}},
            "<command with id: 0 is still running>",
            None,
        ),
        ("cursor", "postToolUse", "Shell", {"tool_output": '{"content": "hi"}'}, "hi", 0),
        ("cursor", "postToolUseFailure", "Shell", {"error_message": "boom"}, "boom", None),
    ],
)
def test_a_command_has_its_output_and_the_code_that_the_agent_names(
    agent: str, hook: str, name: str, fields: dict[str, Any], output: str, code: int | None
) -> None:
    event = tool(agent, hook, name, {"command": "seq 2; exit 3"}, **fields)
    assert (event.tool, event.command) == ("bash", "seq 2; exit 3")
    assert (event.output, event.exit_code) == (output, code)


@pytest.mark.parametrize(
    ("agent", "hook", "name", "given", "fields"),
    [
        (
            "gemini",
            "AfterTool",
            "read_file",
            {"file_path": "nope.py"},
            {"tool_response": {"llmContent": "x", "error": {"message": "File not found"}}},
        ),
        ("qwen", "PostToolUseFailure", "read_file", {"file_path": "nope.py"}, {"error": "gone"}),
        ("copilot", "postToolUseFailure", "view", {"path": "nope.py"}, {"error": "gone"}),
        ("cursor", "postToolUseFailure", "Read", {"file_path": "nope.py"}, {"error_message": "x"}),
    ],
)
def test_a_tool_that_failed_says_so(
    agent: str, hook: str, name: str, given: dict[str, Any], fields: dict[str, Any]
) -> None:
    event = tool(agent, hook, name, given, **fields)
    assert (event.failed, event.tool, event.paths) == (True, "read", ("nope.py",))


PATCH = "*** Begin Patch\n*** Add File: new.txt\n+hi\n*** Update File: old.txt\n*** End Patch\n"


@pytest.mark.parametrize(
    ("agent", "hook", "name", "given", "kind", "paths"),
    [
        ("codex", "PostToolUse", "apply_patch", {"command": PATCH}, "edit", ("new.txt", "old.txt")),
        ("gemini", "AfterTool", "replace", {"file_path": "a.py"}, "edit", ("a.py",)),
        ("gemini", "AfterTool", "write_file", {"file_path": "a.py"}, "write", ("a.py",)),
        ("qwen", "PostToolUse", "edit", {"file_path": "a.py"}, "edit", ("a.py",)),
        ("copilot", "postToolUse", "create", {"path": "a.py"}, "write", ("a.py",)),
        ("cursor", "postToolUse", "Write", {"file_path": "a.py"}, "write", ("a.py",)),
    ],
)
def test_a_changed_file_is_named_and_its_text_is_not_kept(
    agent: str, hook: str, name: str, given: dict[str, Any], kind: str, paths: tuple[str, ...]
) -> None:
    event = tool(agent, hook, name, given, tool_response={"llmContent": "def f(): ..."})
    assert (event.tool, event.paths, event.output) == (kind, paths, "")


def test_the_result_of_a_codex_server_is_its_text() -> None:
    result = {"content": [{"type": "text", "text": "Riga"}], "isError": True}
    event = tool("codex", "PostToolUse", "mcp__wm__memory_query", {}, tool_response=result)
    assert (event.tool, event.output, event.failed) == ("other", "Riga", True)


def test_what_the_model_said_is_read_where_the_hook_has_it() -> None:
    said = (AssistantText(text="Done."),)
    assert events("codex", "Stop", last_assistant_message="Done.") == said
    assert events("gemini", "AfterAgent", prompt="x", prompt_response="Done.") == said
    assert events("cursor", "afterAgentResponse", text="Done.") == said
    counted = {"input_tokens": 9474, "context_limit": 200_000}
    assert events("qwen", "Stop", last_assistant_message="Done.", **counted) == (
        *said,
        UsageReported(tokens=9474, limit=200_000, source="qwen"),
    )


def test_a_compaction_is_seen_where_the_agent_reports_it() -> None:
    assert events("codex", "PreCompact", trigger="auto") == (CompactionStarted(trigger="auto"),)
    assert events("codex", "PostCompact", trigger="auto") == (CompactionFinished(),)
    assert events("qwen", "PostCompact", compact_summary="So far.") == (
        CompactionFinished(summary="So far."),
    )
    # No hook tells that Copilot's compaction is over.
    assert events("copilot", "preCompact", trigger="auto") == (
        CompactionStarted(trigger="auto"),
        CompactionFinished(),
    )
    # Gemini fires it before every call of the model.
    assert events("gemini", "PreCompress", trigger="auto") == ()


def test_the_end_of_a_session_is_reported() -> None:
    assert events("codex", "SessionEnd", reason="other") == (SessionEnded(reason="other"),)
    assert events("copilot", "sessionEnd", reason="complete") == (SessionEnded(reason="complete"),)


@pytest.mark.parametrize("agent", sorted(PROMPT_HOOKS))
def test_a_hook_that_is_not_used_is_nothing(agent: str) -> None:
    assert parsed(agent, "SomethingNew", prompt="x").events == ()
    assert reply(agent, "SomethingNew", blocks=("x",), notices=("y",), shown="z") == ""


@pytest.mark.parametrize("agent", sorted(PROMPT_HOOKS))
@pytest.mark.parametrize("body", [{}, {"session_id": ""}, {"session_id": 7}])
def test_a_payload_without_a_session_is_refused_by_name(agent: str, body: dict[str, Any]) -> None:
    with pytest.raises(HostError, match="needs 'session_id'"):
        payloads.parse(agent, START_HOOKS[agent], body)


def test_claudes_hooks_under_cursor_do_nothing() -> None:
    body = {"session_id": "s", "cwd": ROOT, "prompt": "remember X", "cursor_version": "3.1"}
    assert payloads.parse("claude-code", "UserPromptSubmit", body).events == ()


# --- replies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", NESTED)
def test_context_is_nested_for_agents_that_copied_claude(agent: str) -> None:
    (hook,) = BLOCKS[agent]
    body = reply(agent, hook, blocks=("memory",), notices=("news",), shown="kept: X")
    assert json.loads(body) == {
        "systemMessage": "kept: X",
        "hookSpecificOutput": {"hookEventName": hook, "additionalContext": "memory\n\nnews"},
    }


@pytest.mark.parametrize(
    ("agent", "key"), [("copilot", "additionalContext"), ("cursor", "additional_context")]
)
def test_context_is_flat_for_the_others(agent: str, key: str) -> None:
    (hook,) = BLOCKS[agent]
    assert json.loads(reply(agent, hook, blocks=("memory",), shown="kept: X")) == {key: "memory"}


def test_only_copilots_hook_replaces_an_output_besides_claudes() -> None:
    given = {"toolResult": {"resultType": "success", "textResultForLlm": "long\n" * 90}}
    body = reply("copilot", "postToolUse", output="short", payload=given, notices=("n",))
    assert json.loads(body) == {
        "additionalContext": "n",
        "modifiedResult": {"resultType": "success", "textResultForLlm": "short"},
    }
    for agent, hook in (("codex", "PostToolUse"), ("gemini", "AfterTool"), ("qwen", "PostToolUse")):
        # An unknown field would void Codex's whole reply.
        assert reply(agent, hook, output="short") == ""


@pytest.mark.parametrize(
    ("name", "text", "replaceable"),
    [("bash", "out\n<shellId: 0 completed with exit code 0>", True), ("view", "source", False)],
)
def test_copilots_outputs_but_files_may_be_shortened(
    name: str, text: str, replaceable: bool
) -> None:
    event = tool("copilot", "postToolUse", name, {}, tool_response={"textResultForLlm": text})
    assert event.replaceable == (text if replaceable else "")


def test_a_tail_call_ends_because_nothing_is_printed_behind_it() -> None:
    again = {"tool_name": "mcp_wm_memory_query", "original_request_name": "run_shell_command"}
    response = {"llmContent": [{"text": "<untrusted_context>\nx\n</untrusted_context>"}]}
    found = parsed("gemini", "AfterTool", **again, tool_response=response)
    assert [event.kind for event in found.events] == ["tool_finished"]
    assert reply("gemini", "AfterTool") == ""


def test_the_summariser_gets_instructions_in_the_agents_own_form() -> None:
    listed = "1. We deploy with make ship."
    assert reply("claude-code", "PreCompact", instructions=listed) == listed
    assert json.loads(reply("qwen", "PreCompact", instructions=listed)) == {
        "hookSpecificOutput": {"hookEventName": "PreCompact", "additionalContext": listed}
    }
    for agent, hook in (("codex", "PreCompact"), ("copilot", "preCompact")):
        assert reply(agent, hook, instructions=listed) == ""


@pytest.mark.parametrize("agent", ["gemini", "codex", "qwen", "copilot", "cursor"])
def test_a_hook_never_prints_plain_text(agent: str) -> None:
    """Gemini would show it to the user; Codex's Stop takes none."""
    for dialect in payloads.DIALECTS:
        if dialect.agent != agent:
            continue
        for hook in dialect.meanings:
            body = reply(
                agent, hook, blocks=("b",), notices=("n",), instructions="i", shown="s", output="o"
            )
            assert body == "" or isinstance(json.loads(body), dict)
