"""Learning in passing: modes, notice, private text, and who is not learned from (EX-7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.ops.conftest import Bench
from wm.errors import UserError
from wm.settings import apply_config
from wm.settings.load import without_consent
from wm.settings.memory import LEARN_MODES

RULE = "Never edit the generated files by hand."


def said(bench: Bench, text: str, **fields: Any) -> Any:
    return bench.event("user_prompt", text=text, **fields)


def test_a_statement_becomes_an_entry_and_only_the_person_is_told(bench: Bench) -> None:
    answer = said(bench, RULE)
    [entry] = bench.memory().entries
    assert (entry.text, entry.source, entry.confidence) == (RULE, "stated", 0.85)
    assert (entry.status, entry.origin, entry.type) == ("active", "user", "feedback")
    assert answer.notices == ()
    assert RULE in answer.shown
    assert f"wm undo {entry.id[:10]}" in answer.shown


def test_the_notice_of_claude_code_is_no_context_of_the_model(bench: Bench) -> None:
    payload = {"session_id": "c-1", "cwd": str(bench.project), "prompt": RULE}
    told = json.loads(bench.hook("claude-code", "UserPromptSubmit", payload))
    assert RULE in told["systemMessage"]
    assert "hookSpecificOutput" not in told


def test_an_undo_takes_the_statement_back(bench: Bench) -> None:
    said(bench, RULE)
    [entry] = bench.memory().entries
    bench.call("undo", act=entry.id)
    assert bench.texts() == []


@pytest.mark.parametrize(
    ("mode", "active", "inbox"), [("active", 1, 0), ("inbox", 0, 1), ("off", 0, 0)]
)
def test_the_mode_of_a_workspace_decides(bench: Bench, mode: str, active: int, inbox: int) -> None:
    assert bench.call("learning", mode=mode).mode == mode
    said(bench, RULE)
    assert (len(bench.texts()), len(bench.texts("inbox"))) == (active, inbox)


def test_a_request_is_kept_once_and_as_asked_for(bench: Bench) -> None:
    said(bench, "Remember that we never edit the generated files by hand.")
    assert [e.source for e in bench.memory().entries] == ["explicit"]


def test_a_subagents_prompt_teaches_nothing(bench: Bench) -> None:
    bench.event("session_started", subagent=True)
    said(bench, RULE)
    assert bench.texts() == []


def test_private_text_is_stored_nowhere(bench: Bench) -> None:
    said(bench, "<private>Never tell Zanzibar about the plan.</private> Never use tabs here.")
    bench.event("assistant_text", text="<private>Zanzibar</private> noted.")
    bench.event("session_ended")
    assert bench.texts() == []
    assert "Zanzibar" not in str([record.model_dump() for record in bench.told()])


def test_an_unusable_configuration_learns_nothing(bench: Bench) -> None:
    with pytest.raises(UserError) as raised:
        apply_config(bench.settings, {"memory": {"learn": "always"}})
    assert "active, inbox, off" in raised.value.fix
    assert without_consent(bench.settings).memory.learn not in LEARN_MODES
