"""Claude Code's payloads become events, and outcomes become what each hook may print."""

from __future__ import annotations

from typing import Any

import pytest

from wm.domain import payloads
from wm.domain.payloads.hook_values import HookOutcome, Want
from wm.errors import HostError
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    CompactionStarted,
    SessionEnded,
    SessionStarted,
    ToolFinished,
    UserPrompt,
)

ROOT = "/home/ana/shop"
IDE = "# Context from my IDE setup:\n\n"
RULE, SORT = "Always sort by name.", "Implement the plan: Sort the index"


def payload(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "session_id": "0b6c1f6e",
        "transcript_path": "/home/ana/.claude/projects/shop/0b6c1f6e.jsonl",
        "cwd": ROOT,
        "hook_event_name": name,
        **fields,
    }


def events(name: str, **fields: Any) -> tuple[Any, ...]:
    return payloads.parse("claude-code", name, payload(name, **fields)).events


def tool(name: str, **fields: Any) -> ToolFinished:
    (event,) = events(name, **fields)
    assert isinstance(event, ToolFinished)
    return event


@pytest.mark.parametrize("source", ["startup", "resume", "compact", "clear", "fork"])
def test_a_session_start_names_its_kind_and_requests_the_blocks(source: str) -> None:
    parsed = payloads.parse("claude-code", "SessionStart", payload("SessionStart", source=source))
    assert parsed.session_id == "0b6c1f6e"
    assert parsed.directory == ROOT
    transcript = "/home/ana/.claude/projects/shop/0b6c1f6e.jsonl"
    assert parsed.events == (SessionStarted(source=source, transcript=transcript),)
    assert parsed.wants == {Want.BLOCKS, Want.NOTICES}


def test_a_main_agent_with_a_type_is_not_a_subagent() -> None:
    fields = payload("SessionStart", source="startup", agent_type="reviewer")
    assert payloads.parse("claude-code", "SessionStart", fields).wants


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Fix the failing check", "Fix the failing check"),
        ("remember that we deploy on Mondays", "remember that we deploy on Mondays"),
        ("/compact keep the decisions", ""),
        ("/review:all", ""),
        ("/home/ana/shop/api.py is wrong", "/home/ana/shop/api.py is wrong"),
        ("<task-notification><id>7</id> done</task-notification>", ""),
        ("<system-reminder>remember that X</system-reminder>\nGo on", "Go on"),
        ("Go on <system-reminder>never closed: remember that X", "Go on"),
        (f"{IDE}## Open tabs:\n- a.py: a.py\n\n## My request for Codex:\nFix a.", "Fix a."),
        (f"{IDE}x\n## My request for Codex:\nDo X.\n## My request for Codex:\nGo on", "Go on"),
        ("<command-name>/init</command-name><command-args>x</command-args>", ""),
        ("This session is being continued from a previous conversation that ran", ""),
        ("Base directory for this skill: /x/skills/review\n\nNever skip a step.", ""),
        (f"Implement the following plan:\n\n# Plan: Sort the index\n\n{RULE}", SORT),
        (f"A previous agent produced the plan below. Go on.\n\n# Sort the index\n{RULE}", SORT),
        (f"Implement the following plan:\n{RULE}", f"Implement the following plan:\n{RULE}"),
        ("generic List<String> stays", "generic List<String> stays"),
        ("", ""),
    ],
)
def test_a_prompt_is_what_the_user_typed_and_nothing_else(prompt: str, expected: str) -> None:
    found = events("UserPromptSubmit", prompt=prompt, prompt_id="p-1")
    typed = tuple(event for event in found if isinstance(event, UserPrompt))
    assert typed == ((UserPrompt(text=expected, message_id="p-1"),) if expected else ())


@pytest.mark.parametrize(
    ("prompt", "shown"),
    [
        ("Fix the failing check", []),
        ("/compact keep the decisions", []),
        ("Go on\n<bash-stdout>made in Riga</bash-stdout>", ["made in Riga"]),
        ("This session is being continued from a previous conversation: Riga", ["Riga"]),
        ("Implement the following plan:\n# Sort\nmade in Riga", ["made in Riga"]),
    ],
)
def test_text_added_by_a_client_counts_as_shown_not_typed(prompt: str, shown: list[str]) -> None:
    found = events("UserPromptSubmit", prompt=prompt, prompt_id="p-1")
    added = [event.output for event in found if isinstance(event, ToolFinished)]
    assert [text in one for text, one in zip(shown, added, strict=True)] == [True] * len(shown)


def test_a_failed_command_arrives_with_the_code_its_error_text_names() -> None:
    event = tool(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": "python3 check.py", "description": "Run the check"},
        tool_use_id="toolu_1",
        error="Exit code 1\nTraceback (most recent call last):\nAssertionError: -1",
        is_interrupt=False,
    )
    assert event == ToolFinished(
        tool="bash",
        name="Bash",
        command="python3 check.py",
        output="Traceback (most recent call last):\nAssertionError: -1",
        exit_code=1,
        cwd=ROOT,
    )


@pytest.mark.parametrize(
    ("error", "interrupt", "code", "output"),
    [
        ("Exit code 127\nsh: 1: nope: not found", False, 127, "sh: 1: nope: not found"),
        ("Exit code 2", False, 2, ""),
        ("Error: Exit code 2\nboom", False, 2, "boom"),
        ("Exit code 130\nhalf of it", True, None, "half of it"),
        ("Command timed out after 2m 0.0s", False, None, "Command timed out after 2m 0.0s"),
        ("the log says Exit code 1", False, None, "the log says Exit code 1"),
        ("Exit code 1x", False, None, "Exit code 1x"),
    ],
)
def test_only_a_text_that_begins_with_the_code_has_one(
    error: str, interrupt: bool, code: int | None, output: str
) -> None:
    event = tool(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": "make"},
        error=error,
        is_interrupt=interrupt,
    )
    assert (event.exit_code, event.output, event.failed) == (code, output, code is None)


@pytest.mark.parametrize(
    ("given", "response", "code"),
    [
        ({"command": "make"}, {"stdout": "ok", "stderr": "", "interrupted": False}, 0),
        ({"command": "make"}, "ok", 0),
        ({"command": "make"}, None, 0),
        ({"command": "make", "run_in_background": True}, {"stdout": ""}, None),
        ({"command": "make"}, {"stdout": "", "backgroundTaskId": "b1"}, None),
        ({"command": "make"}, {"stdout": "", "interrupted": True}, None),
        ({"command": "grep x y"}, {"returnCodeInterpretation": "No matches found"}, None),
    ],
)
def test_an_answered_command_has_exit_code_zero_unless_stated(
    given: dict[str, Any], response: Any, code: int | None
) -> None:
    event = tool("PostToolUse", tool_name="Bash", tool_input=given, tool_response=response)
    assert event.exit_code == code


@pytest.mark.parametrize(
    ("name", "given", "response", "kind", "paths", "output"),
    [
        (
            "Read",
            {"file_path": f"{ROOT}/calc.py"},
            {"type": "text", "file": {"filePath": f"{ROOT}/calc.py", "content": "x = 1"}},
            "read",
            (f"{ROOT}/calc.py",),
            "x = 1",
        ),
        (
            "Edit",
            {"file_path": f"{ROOT}/calc.py", "old_string": "-", "new_string": "+"},
            {"filePath": f"{ROOT}/calc.py", "structuredPatch": [], "originalFile": "x - y"},
            "edit",
            (f"{ROOT}/calc.py",),
            "",
        ),
        (
            "Write",
            {"file_path": "a.md", "content": "hi"},
            {"type": "create"},
            "write",
            ("a.md",),
            "",
        ),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, {}, "edit", ("n.ipynb",), ""),
        (
            "Grep",
            {"pattern": "add"},
            {"mode": "files_with_matches", "filenames": ["calc.py", "check.py"], "numFiles": 2},
            "grep",
            ("calc.py", "check.py"),
            "calc.py\ncheck.py",
        ),
        (
            "Grep",
            {"pattern": "add", "output_mode": "content", "-n": True},
            {"mode": "content", "filenames": [], "content": "calc.py:1:def add\ncalc.py:9:add("},
            "grep",
            ("calc.py",),
            "calc.py:1:def add\ncalc.py:9:add(",
        ),
        (
            "mcp__wm__search",
            {"query": "x"},
            [{"type": "text", "text": "found"}, {"type": "image", "data": "AA"}],
            "other",
            (),
            "found",
        ),
        (
            "WebFetch",
            {"url": "https://example.org"},
            {"code": 200, "result": "The page.", "links": [{"title": "More"}], "data": "A" * 5000},
            "other",
            (),
            "The page.\nMore",
        ),
    ],
)
def test_tools_are_recognised_by_their_payload_shape(
    name: str, given: Any, response: Any, kind: str, paths: tuple[str, ...], output: str
) -> None:
    event = tool("PostToolUse", tool_name=name, tool_input=given, tool_response=response)
    assert (event.tool, event.name, event.paths, event.output) == (kind, name, paths, output)
    assert event.exit_code is None
    assert not event.failed


def test_a_failed_edit_has_no_exit_code() -> None:
    event = tool(
        "PostToolUseFailure",
        tool_name="Edit",
        tool_input={"file_path": "a.py"},
        error="String to replace not found in file.",
    )
    assert (event.tool, event.failed, event.exit_code) == ("edit", True, None)


def test_of_a_subagent_only_workspace_changes_count() -> None:
    def parsed(name: str, **fields: Any) -> Any:
        body = payload(name, agent_id="a-1", agent_type="Explore", **fields)
        return payloads.parse("claude-code", name, body)

    edit = parsed("PostToolUse", tool_name="Edit", tool_input={"file_path": "a.py"})
    assert [e.tool for e in edit.events] == ["edit"]
    assert edit.wants == frozenset()
    assert Want.BLOCKS not in edit.wants
    read = parsed("PostToolUse", tool_name="Read", tool_input={"file_path": "a.py"})
    assert read.events == ()
    assert parsed("UserPromptSubmit", prompt="remember that X is Y").events == ()
    assert parsed("Stop", last_assistant_message="Decision: X").events == ()


@pytest.mark.parametrize(
    ("name", "fields", "event"),
    [
        ("PreCompact", {"trigger": "auto"}, CompactionStarted(trigger="auto")),
        ("PostCompact", {"compact_summary": "## Goal"}, CompactionFinished(summary="## Goal")),
        ("PostCompact", {}, CompactionFinished(summary="")),
        ("Stop", {"last_assistant_message": "Done."}, AssistantText(text="Done.")),
        ("SessionEnd", {"reason": "clear"}, SessionEnded(reason="clear")),
    ],
)
def test_the_other_hooks_are_one_event_each(name: str, fields: Any, event: Any) -> None:
    assert events(name, **fields) == (event,)


@pytest.mark.parametrize(
    "name", ["Notification", "SubagentStart", "SubagentStop", "PreToolUse", "BrandNew"]
)
def test_irrelevant_hooks_are_ignored(name: str) -> None:
    parsed = payloads.parse("claude-code", name, payload(name, surprise={"deep": [1]}))
    assert (parsed.events, parsed.wants) == ((), frozenset())


@pytest.mark.parametrize(
    ("name", "body", "sentence"),
    [
        ("Stop", [], "Claude Code's Stop: the payload must be a JSON object, and it is a list."),
        (
            "Stop",
            {},
            "Claude Code's Stop: the payload needs 'session_id' as a text, and it is missing.",
        ),
        (
            "UserPromptSubmit",
            {"session_id": "s", "prompt": 7},
            "Claude Code's UserPromptSubmit: the payload needs 'prompt' as a text,"
            " and it is a number.",
        ),
        (
            "PostToolUse",
            {"session_id": "s"},
            "Claude Code's PostToolUse: the payload needs 'tool_name' as a text,"
            " and it is missing.",
        ),
    ],
)
def test_a_malformed_payload_is_named_in_one_sentence(name: str, body: Any, sentence: str) -> None:
    with pytest.raises(HostError) as caught:
        payloads.parse("claude-code", name, body)
    assert str(caught.value) == sentence


OUTCOME = HookOutcome(
    blocks=("MEMORY", "HOT"), instructions="List memory candidates.", notices=("Kept: X.",)
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SessionStart", "MEMORY\n\nHOT\n\nKept: X."),
        ("UserPromptSubmit", "Kept: X."),
        ("PostToolUse", "Kept: X."),
        ("PostToolUseFailure", "Kept: X."),
    ],
)
def test_context_is_placed_where_the_client_keeps_it(name: str, expected: str) -> None:
    assert payloads.AGENTS["claude-code"].reply(name, OUTCOME) == {
        "hookSpecificOutput": {"hookEventName": name, "additionalContext": expected}
    }


def test_instructions_for_a_summary_are_plain_text() -> None:
    assert payloads.reply("claude-code", "PreCompact", OUTCOME) == (
        "text/plain; charset=utf-8",
        "List memory candidates.",
    )


@pytest.mark.parametrize(
    "name", ["Stop", "SubagentStop", "SubagentStart", "SessionEnd", "PostCompact", "PreToolUse"]
)
def test_silent_hooks_print_nothing(name: str) -> None:
    assert payloads.AGENTS["claude-code"].reply(name, OUTCOME) is None


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PreCompact"])
def test_an_empty_answer_prints_nothing(name: str) -> None:
    assert payloads.reply("claude-code", name, HookOutcome())[1] == ""


def test_an_unknown_agent_is_named() -> None:
    with pytest.raises(HostError) as caught:
        payloads.parse("emacs", "Stop", {})
    assert caught.value.status == 404
    assert "'emacs'" in str(caught.value)


def test_a_shell_outside_the_project_does_not_change_the_workspace() -> None:
    body = payload("Stop", last_assistant_message="Done.") | {"cwd": "/tmp/elsewhere"}
    parsed = payloads.parse("claude-code", "Stop", body, ROOT)
    assert parsed.directory == ROOT
