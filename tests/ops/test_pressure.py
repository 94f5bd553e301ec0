"""How full a session's context is: measured on every way, said once per rise (PS-1, PS-3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.ops.conftest import Bench
from wm.api.sessions import HookRequest
from wm.formats.pressure import LargeItem, Pressure
from wm.formats.session_state import SessionState
from wm.ops.operation import execute_batch
from wm.ops.session import hooks
from wm.ops.session.hot_state import pressure_ref, session_ref
from wm.ops.session.pressure import level, waits

LINE = "x" * 1799 + "\n"
LIMIT = {"context": 200_000, "output": 32_000}
"""What fits into it is 168,000 tokens."""


def key(bench: Bench) -> str:
    return bench.key


def known(bench: Bench, session: str = "s-1") -> Pressure:
    found = bench.store.read(pressure_ref(key(bench), session)).document
    assert found is not None
    return found


def state(bench: Bench, session: str = "s-1") -> SessionState:
    found = bench.store.read(session_ref(key(bench), session)).document
    assert found is not None
    return found


def reads(bench: Bench, chars: int, session: str = "s-1", path: str = "a.py") -> tuple[str, ...]:
    text = (LINE * (chars // len(LINE) + 1))[:chars]
    done = bench.event(
        "tool_finished", session, tool="read", name="read", paths=[path], output=text
    )
    return done.notices


def evidence(bench: Bench) -> list[tuple[str, str]]:
    records = bench.store.evidence(key(bench)).records
    return [(r.type, r.reason_codes[0]) for r in records if r.type.startswith("pressure_")]


# --- characters --------------------------------------------------------------------------------


def test_hook_payloads_count_until_a_client_reports_tokens(bench: Bench) -> None:
    bench.event("session_started")
    bench.event("user_prompt", text="y" * 9000)
    bench.event("assistant_text", text="z" * 9000)
    reads(bench, 72_000)
    half = known(bench)
    assert (half.used, half.percentage, half.basis, half.source) == (
        90_000,
        50.0,
        "characters",
        "hooks",
    )
    bench.event("usage_reported", tokens=20_000, limit=200_000, source="client")
    reads(bench, 30_000)
    assert (known(bench).used, known(bench).basis) == (20_000, "tokens")


def test_without_a_reported_size_the_window_of_the_model_counts(bench: Bench) -> None:
    bench.event("session_started")
    bench.event("usage_reported", tokens=180_000, source="client", model="claude-opus-4-8")
    assert (known(bench).limit, known(bench).level) == (1_000_000, "safe")
    bench.event("usage_reported", tokens=180_000, source="client", model="unheard-of-1")
    assert (known(bench).limit, known(bench).level) == (200_000, "high")


def test_pressure_rises_through_all_levels_with_one_review(bench: Bench) -> None:
    bench.event("session_started")
    notices = [reads(bench, 18_000, path=f"f{n}.py") for n in range(1, 12)]
    starts = [" ".join(one)[:32] for one in notices]
    assert starts == [
        *[""] * 6,
        "[wm] Context pressure moderate: ",
        "",
        "[wm] Context pressure high: 90 %",
        "[wm] Context pressure critical: ",
        "",
    ]
    assert "- 18,000 characters: read f10.py" in notices[9][0]
    end = known(bench)
    assert (end.level, end.percentage, end.warnings_sent, end.interventions_sent) == (
        "critical",
        110.0,
        2,
        1,
    )
    assert level(bench.runtime, key(bench), "s-1") == "critical"
    assert evidence(bench) == [
        ("pressure_level", "moderate"),
        ("pressure_warning", "moderate"),
        ("pressure_level", "high"),
        ("pressure_warning", "high"),
        ("pressure_level", "critical"),
        ("pressure_intervention", "critical"),
    ]


def test_after_a_compaction_a_new_rise_gives_a_new_review(bench: Bench) -> None:
    bench.event("session_started")
    reads(bench, 175_000)
    bench.event("compaction_started")
    bench.event("compaction_finished", summary="s" * 3600)
    after = known(bench)
    assert (after.level, after.percentage, after.interventions_sent) == ("safe", 2.0, 1)
    assert state(bench).seen_context is not None
    assert state(bench).seen_context.chars == 3600  # type: ignore[union-attr]
    assert "critical" in reads(bench, 175_000)[0]
    assert known(bench).interventions_sent == 2


def test_a_report_from_before_the_compaction_is_ignored(bench: Bench) -> None:
    bench.event("session_started")
    bench.event("usage_reported", tokens=196_000, limit=200_000)
    bench.event("compaction_finished", summary="short")
    assert bench.event("usage_reported", tokens=196_000, limit=200_000).notices == ()
    assert known(bench).level == "safe"
    bench.event("usage_reported", tokens=30_000, limit=200_000)
    assert (known(bench).percentage, known(bench).stale) == (15.0, 0)


def test_a_new_session_under_an_old_id_starts_at_zero(bench: Bench) -> None:
    bench.event("session_started")
    reads(bench, 175_000)
    bench.event("session_started", source="clear")
    assert (known(bench).level, known(bench).interventions_sent) == ("safe", 0)
    assert state(bench).seen_context is None


def test_a_resume_starts_with_the_clients_count(bench: Bench) -> None:
    bench.event("session_started")
    bench.event("session_started", source="resume", context_tokens=120_000)
    assert (known(bench).percentage, known(bench).limit) == (60.0, 200_000)
    reads(bench, 40_000)
    assert (known(bench).used, known(bench).percentage, known(bench).source) == (
        130_000,
        65.0,
        "session_start",
    )


def test_a_subagent_fills_its_own_context(bench: Bench) -> None:
    bench.event("session_started", "child", subagent=True)
    reads(bench, 175_000, "child")
    bench.event("usage_reported", "child", tokens=199_000, limit=200_000)
    assert bench.store.read(pressure_ref(key(bench), "child")).document is None


def test_reports_of_unknown_sessions_are_not_stored(bench: Bench) -> None:
    bench.event("usage_reported", "nobody", tokens=199_000, limit=200_000)
    assert bench.store.names(Pressure, key(bench)) == ()


@pytest.mark.parametrize("limit", [0, -1, 10**15])
def test_any_limit_of_a_client_gives_a_valid_share(bench: Bench, limit: int) -> None:
    bench.event("session_started")
    bench.event("usage_reported", tokens=100_000, limit=limit)
    assert (known(bench).percentage, known(bench).limit) == (50.0, 200_000)


def test_small_outputs_write_the_state_only(bench: Bench) -> None:
    bench.event("session_started")
    reads(bench, 500)
    reads(bench, 500)
    assert bench.store.names(Pressure, key(bench)) == ()
    assert state(bench).seen_context is not None
    reads(bench, 900)
    assert (known(bench).percentage, known(bench).generation) == (1.0, 1)
    reads(bench, 500)
    assert known(bench).generation == 1


def test_large_items_are_named_without_secrets(bench: Bench) -> None:
    secret = "ghp_" + "a1B2" * 9
    bench.event("session_started")
    bench.event(
        "tool_finished",
        tool="bash",
        name="bash",
        command=f"curl -H 'Authorization: Bearer {secret}' https://api.example.org",
        output="o" * 5000,
        exit_code=0,
    )
    seen = state(bench).seen_context
    assert seen is not None
    [item] = seen.largest
    assert (item.chars, item.what.startswith("bash curl -H"), secret in item.what) == (
        5000,
        True,
        False,
    )


def test_the_review_names_the_handles_of_items(bench: Bench) -> None:
    bench.event("session_started")
    bench.event(
        "tool_finished",
        tool="bash",
        name="bash",
        command="make",
        output="o" * 20_000,
        exit_code=0,
        handle="t_0123456789abcdef0123",
    )
    seen = state(bench).seen_context
    assert seen is not None
    assert seen.largest[0].handle == "t_0123456789abcdef0123"
    assert isinstance(seen.largest[0], LargeItem)
    notices = bench.event("usage_reported", tokens=199_000, limit=200_000).notices
    assert "wm output t_0123456789abcdef0123" in notices[0]


def test_a_deleted_session_leaves_no_pressure(bench: Bench) -> None:
    bench.event("session_started")
    reads(bench, 90_000)
    bench.event("session_deleted")
    assert bench.store.names(Pressure, key(bench)) == ()


# --- OpenCode ----------------------------------------------------------------------------------


def opencode(bench: Bench, name: str, **body: Any) -> dict[str, Any]:
    output = bench.hook(
        "opencode", name, {"directory": str(bench.project), "worktree": "/", **body}
    )
    return dict(json.loads(output)) if output else {}


def created(bench: Bench, session: str = "s-1") -> None:
    event = {"type": "session.created", "properties": {"info": {"id": session}}}
    opencode(bench, "session.created", event=event)


def answered(bench: Bench, tokens: int, **more: Any) -> dict[str, Any]:
    """What the plugin receives when an answer of so many tokens has come."""
    info = {
        "id": f"msg_{tokens}",
        "sessionID": "s-1",
        "role": "assistant",
        "agent": "build",
        "providerID": "anthropic",
        "modelID": "m",
        "tokens": {
            "input": 3,
            "output": 100,
            "reasoning": 0,
            "cache": {"read": tokens - 103, "write": 0},
        },
        **more.pop("info", {}),
    }
    event = {"type": "message.updated", "properties": {"info": info}}
    return opencode(bench, "message.updated", event=event, limit=LIMIT, **more)


def test_opencodes_answers_raise_the_level_and_give_one_review(bench: Bench) -> None:
    created(bench)
    answers = [answered(bench, n * 1000) for n in (50, 120, 145, 150, 160, 165, 167)]
    assert [sorted(one) for one in answers] == [
        [],
        ["notices"],
        ["notices"],
        [],
        ["prompt"],
        [],
        [],
    ]
    assert answers[1]["notices"][0].startswith("[wm] Context pressure moderate: 71.4 %")
    assert answers[4]["prompt"].startswith("[wm] Context pressure critical: 95.2 %")
    assert known(bench).model == "anthropic/m"
    assert known(bench).interventions_sent == 1


def test_an_overfull_context_is_compacted_next_without_a_review(bench: Bench) -> None:
    created(bench)
    assert answered(bench, 190_000) == {}
    assert (known(bench).level, known(bench).interventions_sent) == ("critical", 0)


@pytest.mark.parametrize(
    "info",
    [
        {"role": "user"},
        {"summary": True},
        {"agent": "compaction"},
        {"mode": "title"},
        {"tokens": {}},
        {"tokens": {"input": 0, "output": 0, "cache": {"read": 0, "write": 0}}},
        {"tokens": {"input": float("nan"), "total": "many"}},
    ],
)
def test_other_answers_are_not_measured(bench: Bench, info: dict[str, Any]) -> None:
    created(bench)
    answered(bench, 160_000, info=info)
    assert bench.store.names(Pressure, key(bench)) == ()


@pytest.mark.parametrize(
    ("limit", "compaction", "fits"),
    [
        ({"context": 200_000, "output": 32_000}, {}, 168_000),
        ({"context": 200_000, "output": 64_000}, {}, 168_000),
        ({"context": 200_000, "output": 8_000}, {}, 192_000),
        ({"context": 400_000, "input": 272_000, "output": 128_000}, {}, 252_000),
        ({"context": 400_000, "input": 272_000, "output": 8_000}, {}, 264_000),
        ({"context": 400_000, "input": 272_000, "output": 8_000}, {"reserved": 50_000}, 222_000),
        ({"context": 200_000, "output": 32_000}, {"auto": False}, 200_000),
        ({"context": 32_000, "output": 32_000}, {}, 32_000),
        ({"context": 32_000}, {}, 32_000),
        ({"context": 0, "output": 0}, {}, 200_000),
        ({}, {}, 200_000),
        ({"context": None, "output": "x"}, {"auto": 1, "reserved": "y"}, 200_000),
    ],
)
def test_the_limit_is_that_of_opencode(
    bench: Bench, limit: dict[str, Any], compaction: dict[str, Any], fits: int
) -> None:
    created(bench)
    info = {"id": "m", "sessionID": "s-1", "role": "assistant", "tokens": {"input": 10_000}}
    event = {"type": "message.updated", "properties": {"info": info}}
    opencode(bench, "message.updated", event=event, limit=limit, compaction=compaction)
    assert known(bench).limit == fits


# --- Claude Code -------------------------------------------------------------------------------


def claude(bench: Bench, name: str, **payload: Any) -> str:
    output = bench.hook(
        "claude-code", name, {"session_id": "s-1", "cwd": str(bench.project), **payload}
    )
    return str(json.loads(output)["hookSpecificOutput"]["additionalContext"]) if output else ""


def status(bench: Bench, tokens: int, window: int = 200_000, **context: Any) -> str:
    usage = {"input_tokens": 3, "cache_read_input_tokens": tokens - 103, "output_tokens": 100}
    given = {"context_window_size": window, "current_usage": usage, **context}
    payload = {
        "session_id": "s-1",
        "cwd": str(bench.project),
        "model": {"id": "claude-opus-5-5"},
        "context_window": given,
    }
    return str(bench.call("statusline", payload=payload).body)


def test_the_status_line_measures_and_the_next_hook_warns(bench: Bench) -> None:
    claude(bench, "SessionStart", source="startup")
    assert status(bench, 50_000) == "wm 0 remembered · context 29 %"
    assert claude(bench, "UserPromptSubmit", prompt="Go on.") == ""
    assert status(bench, 120_000).endswith("context 71 % moderate")
    assert claude(bench, "UserPromptSubmit", prompt="And now?").startswith(
        "[wm] Context pressure moderate: 71.8 %"
    )
    assert status(bench, 160_000).endswith("context 95 % critical")
    bash = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    said = claude(bench, "PostToolUse", **bash, tool_response={"stdout": "a", "stderr": ""})
    assert said.startswith(
        "[wm] Context pressure critical: 95.8 % of what fits (160,000 of 167,000"
    )
    assert claude(bench, "PostToolUseFailure", **bash, error="Exit code 1\nno") == ""
    assert known(bench).interventions_sent == 1


def test_an_unchanged_status_line_writes_nothing(bench: Bench) -> None:
    claude(bench, "SessionStart", source="startup")
    status(bench, 49_000)
    before = known(bench)
    status(bench, 49_200)
    status(bench, 0, current_usage=None)
    status(bench, 0, current_usage={"input_tokens": -5, "output_tokens": True})
    status(bench, 0, current_usage=None, used_percentage=float("nan"))
    assert known(bench) == before


def test_a_status_line_without_counts_has_its_own_percentage(bench: Bench) -> None:
    claude(bench, "SessionStart", source="startup")
    status(bench, 0, window=1_000_000, current_usage=None, used_percentage=50)
    assert (known(bench).used, known(bench).limit) == (500_000, 967_000)


@pytest.mark.parametrize(("window", "limit"), [(200_000, 167_000), (50_000, 50_000), (0, 967_000)])
def test_claude_code_compacts_before_the_end_of_its_window(
    bench: Bench, window: int, limit: int
) -> None:
    claude(bench, "SessionStart", source="startup")
    status(bench, 20_000, window=window)
    assert known(bench).limit == limit


def test_stop_and_start_hooks_get_no_review(bench: Bench) -> None:
    claude(bench, "SessionStart", source="startup")
    status(bench, 160_000)
    assert claude(bench, "Stop", last_assistant_message="Done.") == ""
    assert "[wm]" not in claude(bench, "SessionStart", source="resume")
    assert "critical" in claude(bench, "UserPromptSubmit", prompt="Go on.")


def test_a_tool_call_of_a_subagent_neither_counts_nor_gets_a_review(bench: Bench) -> None:
    claude(bench, "SessionStart", source="startup")
    status(bench, 160_000)
    bash = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    answer = {"stdout": "b" * 90_000, "stderr": ""}
    assert claude(bench, "PostToolUse", **bash, tool_response=answer, agent_id="a-1") == ""
    assert state(bench).seen_context is None
    assert known(bench).waiting == "critical"


def test_a_tool_call_waits_only_for_a_pending_message(bench: Bench) -> None:
    """The hot path: most calls are answered before they are written."""
    claude(bench, "SessionStart", source="startup")
    bash = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}}
    body = {"session_id": "s-1", "cwd": str(bench.project), **bash}

    def early() -> tuple[bool, str]:
        request = HookRequest(
            agent="claude-code", name="PostToolUse", payload=body, project=str(bench.project)
        )
        found = bench.early(hooks.hook, request)
        rest = found[1] if found is not None else hooks.hook.parse(bench.runtime, request)
        bench.later()
        [done] = execute_batch(bench.runtime, [(hooks.hook, rest)])
        assert done.response is not None
        return found is not None, done.response.body

    assert early() == (True, "")
    status(bench, 160_000)
    assert waits(bench.runtime, key(bench), "s-1")
    waited, said = early()
    assert (waited, "critical" in said) == (False, True)
    assert early() == (True, "")


def test_an_early_answered_call_keeps_the_review_pending(bench: Bench) -> None:
    """It raises the level itself; its results are not read."""
    claude(bench, "SessionStart", source="startup")
    payload = {
        "session_id": "s-1",
        "cwd": str(bench.project),
        "tool_name": "Bash",
        "tool_input": {"command": "cat all"},
        "tool_response": {"stdout": "a " * 90_000},
    }
    request = HookRequest(
        agent="claude-code", name="PostToolUse", payload=payload, project=str(bench.project)
    )
    early = bench.early(hooks.hook, request)
    assert early is not None
    execute_batch(bench.runtime, [(hooks.hook, early[1])])
    assert (known(bench).waiting, known(bench).interventions_sent) == ("critical", 0)
    assert "critical" in claude(bench, "UserPromptSubmit", prompt="Go on.")
