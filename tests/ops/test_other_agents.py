"""Scenes of Codex, Copilot CLI, Gemini CLI and Qwen Code: payloads in, what their hooks print."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.ops.conftest import SHIP, Bench

MEMORY = "We deploy with `make ship`"
NAMES = {"session_id": "sessionId", "tool_name": "toolName", "tool_input": "toolArgs"}


class Agent:
    """A session of one agent, by its hooks."""

    def __init__(self, bench: Bench, agent: str, session: str = "s-1") -> None:
        self.bench, self.agent, self.session = bench, agent, session

    def hook(self, name: str, **fields: Any) -> str:
        """The text that the model reads after one hook."""
        body = {"session_id": self.session, "cwd": str(self.bench.project), **fields}
        if self.agent == "copilot":
            body = {NAMES.get(key, key): value for key, value in body.items()}
        printed = self.bench.hook(self.agent, name, body)
        if not printed:
            return ""
        answer = json.loads(printed)
        return str(answer.get("hookSpecificOutput", answer).get("additionalContext", ""))

    def start(self, source: str = "startup") -> str:
        return self.hook(
            "sessionStart" if self.agent == "copilot" else "SessionStart", source=source
        )

    def says(self, prompt: str) -> str:
        names = {"copilot": "userPromptSubmitted", "gemini": "BeforeAgent"}
        return self.hook(names.get(self.agent, "UserPromptSubmit"), prompt=prompt)


@pytest.fixture
def with_memory(bench: Bench) -> Bench:
    """A workspace that knows one thing."""
    bench.remember(SHIP)
    return bench


@pytest.mark.parametrize("agent", ["copilot", "gemini"])
def test_memory_follows_the_first_prompt_and_no_other(with_memory: Bench, agent: str) -> None:
    session = Agent(with_memory, agent)
    assert session.start() == ""
    assert MEMORY in session.says("Fix the check")
    assert session.says("And now the other one") == ""
    assert session.start("resume") == ""
    assert session.says("Go on") == ""


@pytest.mark.parametrize("agent", ["codex", "qwen"])
def test_memory_precedes_the_first_prompt(with_memory: Bench, agent: str) -> None:
    session = Agent(with_memory, agent)
    assert MEMORY in session.start()
    assert session.says("Fix the check") == ""


def test_a_resumed_session_of_qwen_gets_the_same_bytes_again(with_memory: Bench) -> None:
    session = Agent(with_memory, "qwen")
    first = session.start()
    with_memory.remember("The releases are on Fridays.")
    assert session.start("resume") == first


def test_a_resume_of_codex_that_compacts_at_once_gives_memory_once(with_memory: Bench) -> None:
    session = Agent(with_memory, "codex")
    session.start()
    session.hook("PreCompact", trigger="auto")
    session.hook("PostCompact", trigger="auto")
    # The order in which the real client fires them.
    given = [session.start("resume"), session.start("compact")]
    assert [MEMORY in text for text in given].count(True) == 1
    assert session.says("Go on") == ""


def test_copilot_gets_memory_again_after_a_compaction(with_memory: Bench) -> None:
    session = Agent(with_memory, "copilot")
    session.start()
    first = session.says("Fix the check")
    session.hook("preCompact", trigger="auto")
    again = session.says("Go on")
    assert MEMORY in again
    assert again == first
    assert session.says("And on") == ""


def test_what_a_user_asks_one_agent_is_known_to_the_next(bench: Bench) -> None:
    first = Agent(bench, "gemini", "g-1")
    first.start()
    assert "Remembered as" in first.says("Remember that we deploy with `make ship`.")
    assert MEMORY.lower() in Agent(bench, "codex", "c-1").start().lower()


class Codex(Agent):
    """A Codex session with a transcript."""

    def __init__(self, bench: Bench, transcript: Path) -> None:
        super().__init__(bench, "codex")
        self.transcript = transcript
        self.calls = 0

    def bash(self, command: str, output: str, code: int) -> str:
        self.calls += 1
        item = {"type": "CommandExecution", "id": f"c-{self.calls}", "exit_code": code}
        with self.transcript.open("a") as file:
            file.write(json.dumps({"payload": {"type": "item_completed", "item": item}}) + "\n")
        return self.hook(
            "PostToolUse",
            tool_name="Bash",
            tool_input={"command": command},
            tool_response=output,
            tool_use_id=f"c-{self.calls}",
            transcript_path=str(self.transcript),
        )


FAILED = "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed in 0.02s\n"


def test_the_transcript_of_codex_opens_and_closes_errors(bench: Bench, tmp_path: Path) -> None:
    session = Codex(bench, tmp_path / "rollout.jsonl")
    session.start()
    session.bash("pytest -q", FAILED, 1)
    assert len(bench.state("s-1").open_errors) == 1
    session.bash("pytest -q", "1 passed in 0.02s\n", 0)
    assert bench.state("s-1").open_errors == ()


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "garbage", "huge"])
def test_a_transcript_that_cannot_be_read_leaves_the_code_unknown(
    bench: Bench, tmp_path: Path, kind: str
) -> None:
    transcript = tmp_path / "rollout.jsonl"
    if kind == "folder":
        transcript.mkdir()
    elif kind == "pipe":
        os.mkfifo(transcript)
    elif kind == "garbage":
        transcript.write_bytes(b"\xff\x00{[\n" * 50 + b"[" * 100_000)
    elif kind == "huge":
        transcript.write_bytes(b'{"payload": "' + b"x" * 3_000_000 + b'"}\n')
    session = Agent(bench, "codex")
    session.start()
    assert (
        session.hook(
            "PostToolUse",
            tool_name="Bash",
            tool_input={"command": "pytest -q"},
            tool_response=FAILED,
            tool_use_id="c-1",
            transcript_path=str(transcript),
        )
        == ""
    )
    assert bench.state("s-1").open_errors == ()
