"""Scenes of real agents: their own payloads in, what their hooks print out (IF-1, IF-2, IF-3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ops.conftest import CENTS, SHIP, Bench, entry
from wm.api.sessions import HookRequest
from wm.errors import Busy, HostError
from wm.ops import local_hooks
from wm.ops.local import open_runtime
from wm.ops.place import memory_ref
from wm.ops.session import hooks
from wm.settings import Settings, load

CLAUDE, OPENCODE = "claude-code", "opencode"
TRANSFORM = "experimental.chat.system.transform"
SAID = "Remember that we deploy with `make ship` from the release branch."
FAILED = (
    "Exit code 1\n"
    "FAILED tests/test_cart.py::test_total - AssertionError: assert 3 == 4\n"
    "1 failed in 0.02s\n"
)


class Claude:
    """A Claude Code session, by its hooks."""

    def __init__(self, bench: Bench, session: str = "cc-1") -> None:
        self.bench, self.session = bench, session

    def hook(self, name: str, **payload: Any) -> str:
        answer = self.bench.hook(
            CLAUDE, name, {"session_id": self.session, "cwd": str(self.bench.project), **payload}
        )
        if not answer or name == "PreCompact":
            return answer
        return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"])

    def start(self, source: str = "startup") -> str:
        return self.hook("SessionStart", source=source)

    def says(self, prompt: str) -> str:
        return self.hook("UserPromptSubmit", prompt=prompt)

    def bash(self, command: str, *, error: str = "") -> str:
        given = {"tool_name": "Bash", "tool_input": {"command": command}}
        if error:
            return self.hook("PostToolUseFailure", **given, error=error)
        return self.hook("PostToolUse", **given, tool_response={"stdout": "ok", "stderr": ""})

    def compact(self, summary: str = "") -> str:
        """A whole compaction, in the order of the client; the context of the new epoch."""
        asked = self.hook("PreCompact", trigger="auto")
        snapshot = next(
            line.split(": ")[1] for line in asked.splitlines() if line.startswith("Memory ref snap")
        )
        context = self.start("compact")
        self.hook("PostCompact", trigger="auto", compact_summary=summary.replace("ID", snapshot))
        return context


class OpenCode:
    """An OpenCode session, by the posts of the plugin."""

    def __init__(self, bench: Bench, session: str = "ses_1", **body: Any) -> None:
        self.bench, self.session, self.body = bench, session, body

    def post(self, name: str, **body: Any) -> dict[str, Any]:
        given = {"directory": str(self.bench.project), "worktree": "/", **self.body, **body}
        answer = self.bench.hook(OPENCODE, name, given)
        return dict(json.loads(answer)) if answer else {}

    def created(self, parent: str = "") -> None:
        info = {"id": self.session, **({"parentID": parent} if parent else {})}
        self.post(
            "session.created", event={"type": "session.created", "properties": {"info": info}}
        )

    def system(self, first: str = "You are OpenCode") -> list[str]:
        answer = self.post(TRANSFORM, input={"sessionID": self.session}, output={"system": [first]})
        return list(answer.get("system", []))

    def says(self, prompt: str, message: str = "msg_1") -> list[str]:
        answer = self.post(
            "chat.message",
            input={"sessionID": self.session, "messageID": message},
            output={"message": {"id": message}, "parts": [{"type": "text", "text": prompt}]},
        )
        return list(answer.get("notices", []))

    def bash(self, command: str, code: int, output: str = "") -> None:
        self.post(
            "tool.execute.after",
            input={"sessionID": self.session, "tool": "bash", "args": {"command": command}},
            output={"output": output, "metadata": {"exit": code}},
        )


def test_a_fact_of_claude_is_in_the_first_prompt_of_opencode(bench: Bench) -> None:
    first = OpenCode(bench)
    first.created()
    assert first.system() == []
    (notice,) = first.says(SAID)
    (kept,) = bench.memory().entries
    assert notice == f"Remembered as {kept.id} ({kept.type})."
    # The session just ends. Nothing else happens.
    context = Claude(bench.reopen()).start()
    assert "- we deploy with `make ship` from the release branch." in context
    assert context.startswith("<workspace_memory>\n")


def test_a_fact_of_opencode_is_in_the_first_prompt_of_claude(bench: Bench) -> None:
    first = Claude(bench)
    assert first.start() == ""
    first.says(SAID)
    first.hook("SessionEnd", reason="exit")
    second = OpenCode(bench.reopen())
    second.created()
    memory, last = second.system()
    assert "make ship" in memory
    assert last.startswith("<last_session>")


def test_an_error_is_in_the_snapshot_after_compaction_and_its_fix_clears_it(bench: Bench) -> None:
    agent = Claude(bench)
    agent.start()
    agent.bash("pytest tests/test_cart.py", error=FAILED)
    context = agent.compact()
    assert "Open errors:" in context
    assert "tests/test_cart.py" in context
    agent.bash("pytest tests/test_cart.py")
    assert bench.state("cc-1").open_errors == ()
    assert "Open errors:" not in agent.compact()


def test_a_resumed_session_gets_no_second_copy(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP))
    agent = Claude(bench)
    assert SHIP in agent.start()
    assert agent.start("resume") == ""
    assert Claude(bench.reopen()).start("resume") == ""
    assert SHIP in agent.start("compact")


def test_opencode_gets_the_same_bytes_at_every_call_of_an_epoch(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP))
    agent = OpenCode(bench)
    agent.created()
    before = agent.system()
    bench.remember(CENTS)
    bench.later(days=3)
    agent.bash("pytest tests/test_cart.py", 1, FAILED)
    assert agent.system() == before
    assert OpenCode(bench.reopen()).system() == before


@pytest.mark.parametrize(
    "first", ["You are a title generator. You output", "You are a context summarization agent."]
)
def test_side_calls_of_opencode_get_nothing(bench: Bench, first: str) -> None:
    bench.write_memory(entry("m_1", SHIP))
    agent = OpenCode(bench)
    agent.created()
    assert agent.system(first) == []
    assert len(agent.system()) == 1


def test_subagents_get_no_memory_and_add_none(bench: Bench) -> None:
    bench.write_memory(entry("m_1", SHIP))
    known = OpenCode(bench, "ses_2")
    known.created(parent="ses_1")
    assert known.system() == []
    declared = OpenCode(bench, "ses_3", parentID="ses_1")
    assert declared.system() == []
    assert known.says(f"Remember that {CENTS}") == []
    assert declared.says(f"Remember that {CENTS}") == []
    assert bench.texts() == [SHIP]
    claude = Claude(bench)
    claude.start()
    assert claude.hook("UserPromptSubmit", prompt=SAID, agent_id="a-1") == ""
    assert bench.texts() == [SHIP]


def test_a_request_and_its_withdrawal_in_one_message_cancel_out(bench: Bench) -> None:
    agent = Claude(bench)
    agent.start()
    said = agent.says(f"Remember that {CENTS}\nForget that {CENTS}")
    assert "Remembered as" in said
    assert f"Forgot “{CENTS.removesuffix('.')}”" in said
    assert bench.texts() == []
    assert len(bench.trash()) == 1


@pytest.mark.parametrize(
    "prompt",
    [
        "Don't remember that we deploy with make ship.",
        "Should I remember that we deploy with make ship?",
        "```\nRemember that we deploy with make ship.\n```",
        "> Remember that we deploy with make ship.",
    ],
)
def test_text_that_is_not_a_request_is_not_stored(bench: Bench, prompt: str) -> None:
    agent = Claude(bench)
    agent.start()
    assert "Remembered" not in agent.says(prompt)
    assert bench.memory().entries == ()


def test_a_request_refused_by_the_gate_waits_and_is_not_pending(bench: Bench) -> None:
    agent = Claude(bench)
    agent.start()
    assert "It waits in the inbox" in agent.says("Remember that x")
    assert bench.state("cc-1").pending_memories == ()
    assert [e.status for e in bench.memory().entries] == ["inbox"]


def test_the_same_message_twice_has_one_effect(bench: Bench) -> None:
    agent = OpenCode(bench)
    agent.created()
    assert len(agent.says(SAID)) == 1
    assert agent.says(SAID) == []
    assert len(bench.recorded("memory_promoted", "memory_absorbed")) == 1


def test_irrelevant_hooks_answer_nothing_even_without_a_workspace(bench: Bench) -> None:
    payload = {"session_id": "cc-1", "cwd": "/gone/with/the/wind"}
    assert bench.call("hook", agent=CLAUDE, name="Notification", payload=payload).body == ""


def test_unreadable_payloads_are_refused_with_a_sentence(bench: Bench) -> None:
    with pytest.raises(HostError, match="needs 'session_id' as a text, and it is missing"):
        bench.hook(CLAUDE, "SessionStart", {})
    with pytest.raises(HostError, match="no hooks for an agent called 'emacs'"):
        bench.hook("emacs", "SessionStart", {"session_id": "x"})


def test_a_deleted_session_loses_its_files_and_keeps_its_entries(bench: Bench) -> None:
    agent = OpenCode(bench)
    agent.created()
    agent.system()
    agent.says(SAID)
    agent.post(
        "session.deleted",
        event={"type": "session.deleted", "properties": {"info": {"id": "ses_1"}}},
    )
    documents = bench.call("export_workspace").documents
    assert sorted(documents) == ["workspace_memory"]
    assert len(bench.texts()) == 1


def test_a_hook_without_a_daemon_reports_busy_files_within_its_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wm").mkdir()
    (tmp_path / "wm" / "config.toml").write_text("[hooks]\nlock_wait_s = 0.1\n")
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.setenv("WM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    payload = {"session_id": "cc-1", "cwd": str(project), "prompt": SAID}
    said = json.dumps(payload).encode()
    local_hooks.run(CLAUDE, "UserPromptSubmit", said)
    store = open_runtime(load()).store
    (key,) = store.workspaces()
    with store.transaction([memory_ref(key)]), pytest.raises(Busy, match=r"waited 0\.1 s"):
        local_hooks.run(CLAUDE, "UserPromptSubmit", said.replace(b"ship", b"land"))
    settings = Settings(paths=load().paths)
    assert settings.hooks.lock_wait_s < settings.hooks.start_timeout_s


RAN = {"tool_name": "Bash", "tool_input": {"command": "pytest"}}
READ = {"tool_name": "Read", "tool_input": {"file_path": "/src/a.py"}}


@pytest.mark.parametrize(
    ("event", "payload", "early"),
    [
        ("PostToolUse", {**READ, "tool_response": {"file": {"content": "x"}}}, True),
        ("PostToolUse", {**RAN, "tool_response": {"stdout": "ok", "stderr": ""}}, True),
        ("PostToolUseFailure", {**RAN, "error": FAILED}, False),
        ("PostToolUseFailure", {**RAN, "error": FAILED, "is_interrupt": True}, True),
        ("PostToolUseFailure", {**READ, "error": "File does not exist."}, True),
        ("UserPromptSubmit", {"prompt": SAID}, False),
        ("SessionEnd", {"reason": "exit"}, False),
    ],
)
def test_only_a_tool_call_that_did_not_fail_is_answered_before_it_is_written(
    bench: Bench, event: str, payload: dict[str, Any], early: bool
) -> None:
    given = {"session_id": "cc-1", "cwd": str(bench.project), **payload}
    request = HookRequest(agent=CLAUDE, name=event, payload=given)
    assert (bench.early(hooks.hook, request) is not None) == early


@pytest.mark.parametrize("failed", [FAILED, FAILED * 400], ids=["short", "long"])
def test_a_failure_that_returns_is_answered_with_what_ended_it(bench: Bench, failed: str) -> None:
    first = Claude(bench)
    first.start()
    assert first.bash("pytest", error=failed) == ""
    assert [error.category for error in bench.state("cc-1").open_errors] == ["test"]
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(bench.project / "cart.py")}}
    first.hook("PostToolUse", **edit, tool_response={})
    assert first.bash("pytest") == ""
    first.hook("SessionEnd", reason="exit")
    second = Claude(bench, "cc-2")
    second.start()
    answer = second.bash("pytest", error=failed)
    assert answer.startswith("This failure was seen before, and ended on ")
    assert answer.endswith(": edits of cart.py, then pytest passed.")
    assert second.bash("pytest", error=failed) == ""
    assert "test_total" in second.compact()
