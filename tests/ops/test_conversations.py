"""How full the conversations are that a proxy saw, from the ends of their logs (PS-2)."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from wm.api.protocol import ConversationUsage, Inspection
from wm.api.sessions import SessionAnswer
from wm.formats.flow import FlowUsage
from wm.ops.catalogue import OPERATIONS
from wm.ops.local import open_runtime
from wm.ops.operation import execute
from wm.ops.runtime import Runtime
from wm.ops.traffic.conversations import LOOKS
from wm.settings import load
from wm.store.paths import sid

OPUS = "claude-opus-4-6"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.at = NOON

    def __call__(self) -> datetime:
        return self.at


class User:
    """Use cases on real files, at a time of the test's choice."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "p"
        self.folder.mkdir()
        self.clock = Clock()
        made = open_runtime(load({"HOME": str(folder)}))
        self.runtime = Runtime(made.settings, made.store, made.redactor, now=self.clock)

    def does(self, name: str, **fields: object) -> object:
        operation = OPERATIONS[name]
        request = {"directory": str(self.folder), **fields}
        return execute(self.runtime, operation, operation.request.model_validate(request))

    def begins(self, session: str) -> None:
        event = {"kind": "session_started"}
        self.does("record_event", sessionId=session, agent="opencode", event=event)

    def passes(self, session: str, read: int, **note: object) -> None:
        fields = {"call": "main", "model": OPUS, "usage": {"cacheRead": read}, **note}
        self.does("finish_request", sessionId=session, note=fields)
        at = self.clock.at.timestamp()
        (log,) = self.folder.parent.glob(f".local/share/wm/workspaces/*/flows/{sid(session)}.jsonl")
        os.utime(log, (at, at))

    def sees(self) -> tuple[ConversationUsage, ...]:
        found = self.does("inspect")
        assert isinstance(found, Inspection)
        return found.conversations

    @property
    def zones(self) -> dict[str, int]:
        since = self.clock.at - timedelta(hours=1)
        zones = self.runtime.signals.zones.values()
        return Counter(zone for zone, at in zones if at >= since)


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.mark.parametrize(
    ("model", "usage", "tokens", "window", "zone", "assumed"),
    [
        (OPUS, {"input": 99_999}, 99_999, 200_000, "normal", False),
        (OPUS, {"input": 10, "cacheRead": 99_990}, 100_000, 200_000, "caution", False),
        (OPUS, {"cacheWrite5m": 140_000}, 140_000, 200_000, "warning", False),
        (
            "claude-opus-4-6",
            {"cacheWrite1h": 169_999, "output": 1},
            170_000,
            200_000,
            "critical",
            False,
        ),
        (OPUS, {"input": 190_001}, 190_001, 200_000, "emergency", False),
        # An answer may end behind the window; a prompt that was taken was not larger than it.
        (
            "claude-opus-4-6",
            {"input": 199_000, "output": 2_000},
            201_000,
            200_000,
            "emergency",
            False,
        ),
        ("claude-sonnet-4-5", {"input": 400_000}, 400_000, 1_000_000, "normal", False),
        ("claude-opus-5-5", {"cacheRead": 500_000}, 500_000, 1_000_000, "caution", False),
        ("somebody-elses", {"input": 150_000}, 150_000, 200_000, "warning", True),
    ],
)
def test_a_conversation_is_in_the_zone_of_its_last_exchange(
    user: User,
    model: str,
    usage: dict[str, int],
    tokens: int,
    window: int,
    zone: str,
    assumed: bool,
) -> None:
    user.begins("s-1")
    user.passes("s-1", 7)
    user.passes("s-1", 0, model=model, usage=usage)
    (found,) = user.sees()
    assert (found.session_id, found.model, found.at) == ("s-1", model, "2026-11-21T12:00:00.000Z")
    assert (found.tokens, found.window, found.zone) == (tokens, window, zone)
    assert (found.assumed, found.current) == (assumed, True)
    assert user.zones == {zone: 1}


@pytest.mark.parametrize(
    "other",
    [
        {"call": "subagent"},
        {"call": "title"},
        {"call": "summary"},
        {"call": "count"},
        {"usage": None, "status": 529},
        {"usage": {"output": 3}},
    ],
)
def test_other_exchanges_do_not_change_the_zone(user: User, other: dict[str, object]) -> None:
    user.begins("s-1")
    user.passes("s-1", 150_000)
    user.passes("s-1", 10, **other)
    assert [(c.tokens, c.zone) for c in user.sees()] == [(150_000, "warning")]
    assert user.zones == {"warning": 1}


def test_without_a_proxy_there_are_no_conversations(user: User) -> None:
    user.begins("s-1")
    assert user.sees() == ()
    assert user.zones == {}
    assert "conversations" not in Inspection(**_least(user)).model_dump(by_alias=True)


def _least(user: User) -> dict[str, object]:
    found = user.does("inspect")
    assert isinstance(found, Inspection)
    return {"place": found.place}


def test_the_last_five_are_listed_newest_first_and_deleted_with_their_session(user: User) -> None:
    for number in range(7):
        user.clock.at += timedelta(minutes=1)
        user.begins(f"s-{number}")
        user.passes(f"s-{number}", 1000)
    assert [c.session_id for c in user.sees()] == ["s-6", "s-5", "s-4", "s-3", "s-2"]
    assert user.zones == {"normal": 7}
    user.does("delete_session", sessionId="s-5")
    assert [c.session_id for c in user.sees()] == ["s-6", "s-4", "s-3", "s-2", "s-1"]
    assert user.zones == {"normal": 6}


def test_without_hooks_a_conversation_is_named_by_its_digest(user: User) -> None:
    user.passes("s-1", 1000)
    assert [(c.session_id, c.current) for c in user.sees()] == [(sid("s-1"), True)]


def test_a_conversation_is_current_for_a_day_and_until_the_session_ends(user: User) -> None:
    user.begins("s-1")
    user.passes("s-1", 1000)
    user.clock.at += timedelta(days=1)
    assert [c.current for c in user.sees()] == [True]
    user.clock.at += timedelta(seconds=1)
    assert [c.current for c in user.sees()] == [False]
    user.passes("s-1", 1000)
    user.does("record_event", sessionId="s-1", event={"kind": "session_ended"})
    assert [c.current for c in user.sees()] == [False]
    assert user.zones == {"normal": 1}
    user.clock.at += timedelta(hours=2)
    assert user.zones == {}


def test_a_long_series_of_a_subagent_does_not_hide_the_main_agent(user: User) -> None:
    user.begins("s-1")
    user.passes("s-1", 150_000)
    lines = [{"role": "user", "blocks": ["9d5c7a2210ff43b1"] * 400}]
    for _ in range(6):
        user.passes("s-1", 10, call="subagent", lines=lines)
    (log,) = user.folder.parent.glob(".local/share/wm/workspaces/*/flows/*.jsonl")
    assert LOOKS[0] < log.stat().st_size < LOOKS[1]
    assert [c.tokens for c in user.sees()] == [150_000]


def test_an_unreadable_log_loses_only_itself(user: User) -> None:
    for session in ("s-1", "s-2"):
        user.begins(session)
        user.passes(session, 1000)
    (folder,) = user.folder.parent.glob(".local/share/wm/workspaces/*/flows")
    (folder / f"{sid('s-1')}.jsonl").unlink()
    (folder / f"{sid('s-1')}.jsonl").mkdir()
    shown = user.does("show_session", sessionId="s-1")
    assert isinstance(shown, SessionAnswer)
    assert (shown.state.session_id, shown.passed) == ("s-1", None)
    with (folder / f"{sid('s-2')}.jsonl").open("ab") as file:
        file.write(b'{"torn')
    assert [c.session_id for c in user.sees()] == ["s-2"]


def test_a_file_in_place_of_the_logs_does_not_block_the_entries(user: User) -> None:
    user.begins("s-1")
    (sessions,) = user.folder.parent.glob(".local/share/wm/workspaces/*/sessions")
    (sessions.parent / "flows").write_text("")
    assert user.sees() == ()


def test_a_usage_is_the_sum_of_reads_and_writes(user: User) -> None:
    user.begins("s-1")
    usage = FlowUsage(input=1, output=2, cache_read=4, cache_write_5m=8, cache_write_1h=16)
    user.passes("s-1", 0, usage=usage.model_dump(by_alias=True))
    assert [c.tokens for c in user.sees()] == [31]
