"""Our MCP server in Claude Code's own file: put in, recognised, taken out (IF-4, IF-5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.agents.conftest import COMMAND, Machine
from wm.agents import claude_settings, setup
from wm.agents.json_file import ServerEntry
from wm.settings import find_agent_paths


def ours(script: Path) -> dict[str, Any]:
    words = [str(script), "--run", "mcp"]
    return {"type": "stdio", "command": "/bin/sh", "args": words, "env": {}}


OTHER = {"type": "stdio", "command": "npx", "args": ["-y", "other", "mcp"]}
BY_HAND = {"command": "wm", "args": ["mcp"]}

STATES: dict[str, bytes | None] = {
    "no file": None,
    "empty file": b"",
    "empty object": b"{}",
    "as claude writes it": json.dumps(
        {"numStartups": 7, "projects": {"/r": {"allowedTools": []}}, "userID": "é"}, indent=2
    ).encode(),
    "other servers": json.dumps({"mcpServers": {"other": OTHER}, "a": 1}, indent=2).encode(),
    "no servers": b'{\n  "mcpServers": {},\n  "a": 1\n}\n',
    "one line": b'{"numStartups":1}',
    "crlf": b'{\r\n  "numStartups": 1\r\n}\r\n',
    "byte order mark": b'\xef\xbb\xbf{"a": 1}',
}


def state(machine: Machine) -> Path:
    return machine.home / ".claude.json"


def write(machine: Machine, raw: bytes | None) -> None:
    if raw is not None:
        state(machine).write_bytes(raw)


def read(machine: Machine) -> dict[str, Any]:
    value = json.loads(state(machine).read_bytes().removeprefix(b"\xef\xbb\xbf"))
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("raw", STATES.values(), ids=STATES.keys())
def test_the_server_is_added_and_removed_without_changing_other_bytes(
    machine: Machine, raw: bytes | None
) -> None:
    write(machine, raw)
    before = machine.tree()
    machine.setup()
    after = read(machine)
    found = json.loads((raw or b"{}").removeprefix(b"\xef\xbb\xbf") or b"{}")
    assert after == {
        **found,
        "mcpServers": {**found.get("mcpServers", {}), "wm": ours(machine.script)},
    }
    assert machine.setup().nothing_to_do
    assert setup.states(machine.look())["claude-code"] == "current"
    machine.unsetup()
    assert machine.tree() == before


def test_later_writes_of_claude_are_kept_and_only_our_server_is_removed(machine: Machine) -> None:
    write(machine, STATES["as claude writes it"])
    machine.setup()
    value = read(machine)
    state(machine).write_text(json.dumps({**value, "numStartups": 8}, indent=2))
    machine.unsetup()
    before = json.loads(STATES["as claude writes it"] or b"")
    assert state(machine).read_text() == json.dumps({**before, "numStartups": 8}, indent=2)


def test_a_server_added_by_hand_is_not_changed(machine: Machine) -> None:
    raw = json.dumps({"mcpServers": {"wm": BY_HAND}}, indent=2).encode()
    write(machine, raw)
    before = machine.tree()
    machine.setup()
    assert state(machine).read_bytes() == raw
    assert setup.states(machine.look())["claude-code"] == "current"
    assert machine.setup().nothing_to_do
    machine.unsetup()
    assert machine.tree() == before


def test_a_removed_server_is_detected_and_restored(machine: Machine) -> None:
    machine.setup()
    state(machine).write_text("{}")
    assert setup.states(machine.look())["claude-code"] == "stale"
    machine.setup()
    assert read(machine)["mcpServers"] == {"wm": ours(machine.script)}


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"mcpServers": []}', b"\xff\xfe"])
def test_an_unreadable_file_is_refused_and_not_changed(machine: Machine, raw: bytes) -> None:
    write(machine, raw)
    (refusal,) = machine.setup().refused.values()
    assert ".claude.json" in refusal
    assert state(machine).read_bytes() == raw


def test_the_file_is_where_claude_reads_it() -> None:
    assert find_agent_paths({"HOME": "/h"}).claude_state == Path("/h/.claude.json")
    env = {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}
    assert find_agent_paths(env).claude_state == Path("/c/.claude.json")


NAMES = st.text(max_size=3)
VALUES = st.none() | st.integers() | st.lists(NAMES, max_size=2)
FILES = st.fixed_dictionaries(
    {}, optional={"mcpServers": st.dictionaries(NAMES.filter(lambda n: n != "wm"), VALUES)}
).flatmap(
    lambda servers: st.dictionaries(NAMES, VALUES, max_size=3).map(lambda r: {**r, **servers})
)


@examples(max_examples=80)
@given(FILES, st.sampled_from([None, 0, 2, "\t"]), st.sampled_from(["", "\n"]))
def test_foreign_content_of_any_file_is_kept(
    value: dict[str, Any], indent: int | str | None, end: str
) -> None:
    part = claude_settings.server_part(Path("/h/.claude.json"), COMMAND)
    raw = (json.dumps(value, indent=indent, ensure_ascii=False) + end).encode()
    added = part.added_to(raw)
    assert part.is_ours(added)
    assert part.is_current(added)
    assert json.loads(added)["mcpServers"]["wm"] == ours(COMMAND.script)
    left = part.without(added, raw)
    assert left is not None
    assert json.loads(left) == value
    elsewhere = {**ours(COMMAND.script), "command": "/opt/other"}
    moved = replace(part, sections=(ServerEntry(title="Claude Code", wanted=elsewhere),))
    assert moved.is_ours(added)
    assert not moved.is_current(added)
