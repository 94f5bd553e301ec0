"""`wm setup` for Codex, Copilot CLI, Cursor, Gemini CLI and Qwen Code: wired once, undone to the
byte, and each in its own form."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.agents.conftest import COMMAND, Machine
from wm.agents import codex, setup
from wm.agents.hook_lines import is_ours
from wm.agents.other_agents import OTHER_AGENTS
from wm.domain.payloads import dialect_of
from wm.errors import UserError

NAMES = [row.agent for row in OTHER_AGENTS]
OWN_SERVER = {"command": "npx", "args": ["-y", "other"]}
OWN_GROUP = {"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}

STATES = {
    "no folder": None,
    "no file": "",
    "own hooks": json.dumps({"version": 1, "hooks": {"SessionStart": [OWN_GROUP]}}, indent=2),
    "own flat hooks": json.dumps({"version": 1, "hooks": {"stop": [{"command": "true"}]}}),
    "own servers": json.dumps({"mcpServers": {"other": OWN_SERVER}, "a": 1}, indent=4) + "\n",
    "one line": '{"theme":"dark"}',
    "crlf": '{\r\n  "theme": "dark"\r\n}\r\n',
    "byte order mark": '\ufeff{"theme": "dark"}\n',
}
CONFIGS = {
    "no file": None,
    "empty": "",
    "no last newline": 'model = "gpt-5.5"',
    "own servers": '[mcp_servers.other]\ncommand = "npx"\n\n[projects."/r"]\ntrusted = true\n',
    "comments": "# mine\n\n[features]\nweb = true # yes\n",
    "crlf": 'model = "x"\r\n[a]\r\nb = 1\r\n',
}


@pytest.fixture
def person(tmp_path: Path) -> Machine:
    """A home in which none of the agents was used."""
    return Machine(tmp_path)


def files(machine: Machine, agent: str) -> tuple[Path, Path]:
    """The file of hooks and the file of servers."""
    (row,) = (row for row in OTHER_AGENTS if row.agent == agent)
    return machine.home / f".{agent}" / row.hooks, machine.home / f".{agent}" / row.servers


def seed(machine: Machine, agent: str, text: str | None) -> None:
    """Give an agent's files this content; "" for a folder only."""
    for path in files(machine, agent):
        if text is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        if text and path.suffix == ".json":
            path.write_bytes(text.encode())


def commands(value: Any) -> list[str]:
    """Every line that an agent would run, in order."""
    if isinstance(value, dict):
        own = [str(value[key]) for key in ("command", "bash") if isinstance(value.get(key), str)]
        return [*own, *(line for item in value.values() for line in commands(item))]
    return [line for item in value for line in commands(item)] if isinstance(value, list) else []


@pytest.mark.parametrize("text", STATES.values(), ids=STATES.keys())
@pytest.mark.parametrize("agent", NAMES)
def test_unsetup_restores_every_byte(person: Machine, agent: str, text: str | None) -> None:
    seed(person, agent, text)
    before = person.tree()
    person.setup(agent)
    after = person.tree()
    assert after != before
    person.setup(agent)
    assert person.tree() == after
    assert setup.states(person.look())[agent] == setup.CURRENT
    person.unsetup()
    assert person.tree() == before


@pytest.mark.parametrize("text", STATES.values(), ids=STATES.keys())
@pytest.mark.parametrize("agent", NAMES)
def test_what_the_user_has_stays(person: Machine, agent: str, text: str | None) -> None:
    seed(person, agent, text)
    person.setup(agent)
    for path in files(person, agent):
        if path.suffix == ".json":
            after = json.loads(path.read_bytes().decode("utf-8-sig"))
            before = json.loads(text.removeprefix("\ufeff")) if text else {}
            own = [c for c in commands(after) if not is_ours(c, agent) and c != "/bin/sh"]
            assert own == commands(before)
            assert before.get("theme") == after.get("theme")


@pytest.mark.parametrize("agent", NAMES)
def test_every_hook_that_is_read_is_installed_and_no_other(person: Machine, agent: str) -> None:
    person.setup(agent)
    hooks, _ = files(person, agent)
    value = json.loads(hooks.read_bytes())
    assert list(value["hooks"]) == list(dialect_of(agent).meanings)
    lines = commands(value["hooks"])
    assert len(lines) == len(dialect_of(agent).meanings)
    for event, line in zip(value["hooks"], lines, strict=True):
        assert f" {agent} {event}" in line
        # Cursor ignores a file with two slashes in a text.
        assert "//" not in line


@pytest.mark.parametrize(
    ("agent", "event", "item"),
    [
        ("codex", "SessionStart", {"hooks": [{"type": "command", "timeout": 7}]}),
        ("codex", "SessionEnd", {"hooks": [{"type": "command", "timeout": 3}]}),
        ("gemini", "SessionStart", {"hooks": [{"type": "command", "name": "wm", "timeout": 7000}]}),
        ("qwen", "Stop", {"hooks": [{"type": "command", "name": "wm", "timeout": 2000}]}),
        ("copilot", "sessionStart", {"type": "command", "timeoutSec": 7}),
        ("cursor", "sessionStart", {"timeout": 7}),
    ],
)
def test_each_agent_gets_its_own_form_and_unit_of_time(
    person: Machine, agent: str, event: str, item: dict[str, Any]
) -> None:
    person.setup(agent)
    value = json.loads(files(person, agent)[0].read_bytes())
    assert value.get("version") == (1 if agent in ("copilot", "cursor") else None)
    (found,) = value["hooks"][event]
    for handler in (found, *found.get("hooks", [])):
        handler.pop("command", None)
        handler.pop("bash", None)
    assert found == item


@pytest.mark.parametrize("agent", [name for name in NAMES if name != "codex"])
def test_each_agent_gets_the_memory_tools(person: Machine, agent: str) -> None:
    person.setup(agent)
    server = json.loads(files(person, agent)[1].read_bytes())["mcpServers"]["wm"]
    more = {"type": "local", "tools": ["*"]} if agent == "copilot" else {}
    words = [str(person.script), "--run", "mcp"]
    assert server == {"command": "/bin/sh", "args": words, **more}


@pytest.mark.parametrize("agent", [name for name in NAMES if name != "codex"])
def test_a_server_of_the_user_with_our_name_is_kept_and_reported(
    person: Machine, agent: str
) -> None:
    path = files(person, agent)[1]
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"mcpServers": {"wm": OWN_SERVER}}))
    before = path.read_bytes()
    person.setup(agent)
    assert json.loads(path.read_bytes())["mcpServers"]["wm"] == OWN_SERVER
    assert 'another MCP server named "wm"' in setup.remarks(person.look())[agent]
    person.unsetup()
    assert path.read_bytes() == before


@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("raw", [b'{"hooks": []}', b"{", b"[]", b"\xff", b'{"hooks": {"a": 1}}'])
def test_a_file_that_cannot_be_understood_is_refused_and_the_others_are_wired(
    machine: Machine, agent: str, raw: bytes
) -> None:
    path, _ = files(machine, agent)
    path.parent.mkdir(parents=True)
    path.write_bytes(raw)
    plan = machine.setup("claude-code", agent)
    assert list(plan.refused) == [agent]
    assert str(path) in plan.refused[agent]
    assert path.read_bytes() == raw
    assert setup.states(machine.look())["claude-code"] == setup.CURRENT


@pytest.mark.parametrize("agent", NAMES)
def test_an_agent_that_rewrites_its_file_loses_only_our_parts(person: Machine, agent: str) -> None:
    person.setup(agent)
    for path in files(person, agent):
        if path.suffix == ".json":
            value = {**json.loads(path.read_bytes()), "added": {"later": True}}
            path.write_text(json.dumps(value, indent=3))
    person.unsetup()
    for path in files(person, agent):
        if path.suffix == ".json":
            left = json.loads(path.read_bytes())
            assert left.pop("version", 1) == 1
            assert left == {"added": {"later": True}}


def test_only_the_agents_of_this_machine_are_wired(person: Machine) -> None:
    (person.home / ".qwen").mkdir()
    assert person.look().found == ("qwen",)
    person.setup()
    assert set(setup.states(person.look())) == {"qwen"}


# --- Codex ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", CONFIGS.values(), ids=CONFIGS.keys())
def test_codex_gets_a_section_and_loses_only_that(person: Machine, text: str | None) -> None:
    config = files(person, "codex")[1]
    config.parent.mkdir()
    if text is not None:
        config.write_bytes(text.encode())
    before = person.tree()
    person.setup("codex")
    server = tomllib.loads(config.read_text())["mcp_servers"]["wm"]
    assert (server["command"], server["args"][-1]) == ("/bin/sh", "mcp")
    assert "WM_HOME" in server["env_vars"]
    added = config.read_bytes()
    person.setup("codex")
    assert config.read_bytes() == added
    person.unsetup()
    assert person.tree() == before
    person.setup("codex")
    config.write_bytes(added + b'\n[hooks.state."x"]\ntrusted_hash = "sha256:0"\n')
    person.unsetup()
    value = tomllib.loads(config.read_text())
    assert value.pop("hooks") == {"state": {"x": {"trusted_hash": "sha256:0"}}}
    assert value == tomllib.loads((text or "").replace("\r\n", "\n"))


@pytest.mark.parametrize("text", ["mcp_servers = {}\n", "a = \n", 'mcp_servers = "x"\n'])
def test_a_config_that_cannot_be_extended_is_refused(person: Machine, text: str) -> None:
    config = files(person, "codex")[1]
    config.parent.mkdir()
    config.write_text(text)
    with pytest.raises(UserError, match=str(config)):
        person.setup("codex")
    assert config.read_text() == text


def test_a_server_of_the_user_in_codex_is_kept(person: Machine) -> None:
    config = files(person, "codex")[1]
    config.parent.mkdir()
    config.write_text('[mcp_servers.wm]\ncommand = "npx"\nargs = ["mcp"]\n')
    before = config.read_bytes()
    person.setup("codex")
    assert config.read_bytes() == before
    assert "another MCP server" in setup.remarks(person.look())["codex"]


VECTOR = {"type": "command", "command": "/r/hook.py SessionStart", "timeout": 10}
"""A handler that a user trusted in Codex 0.169.0, and what it stored."""


def test_hooks_that_the_user_has_not_trusted_are_named_by_setup_and_doctor(person: Machine) -> None:
    said = person.setup("codex").notes
    assert len(said) == 1
    assert "Codex does not run 7 of wm's hooks yet (SessionStart, UserPromptSubmit" in said[0]
    assert "trust them" in said[0]
    hooks, config = files(person, "codex")
    value = json.loads(hooks.read_bytes())["hooks"]
    state = "".join(
        f'\n[hooks.state."{hooks}:{codex._snake(event)}:0:0"]\n'
        f'trusted_hash = "{codex.trust_hash(event, groups[0]["hooks"][0])}"\n'
        for event, groups in value.items()
        if event != "Stop"
    )
    config.write_text(config.read_text() + state)
    assert "run 1 of wm's hooks yet (Stop)" in setup.remarks(person.look())["codex"]
    # A changed line is a new one to Codex.
    hooks.write_text(hooks.read_text().replace('"timeout": 3', '"timeout": 2'))
    assert "(Stop, SessionEnd)" in setup.remarks(person.look())["codex"]


def test_setup_writes_no_trust(person: Machine) -> None:
    person.setup("codex")
    assert "trusted_hash" not in files(person, "codex")[1].read_text()


def test_hooks_that_are_switched_off_in_codex_are_reported(person: Machine) -> None:
    config = files(person, "codex")[1]
    config.parent.mkdir()
    config.write_text("[features]\nhooks = false\n")
    person.setup("codex")
    assert "switched off" in setup.remarks(person.look())["codex"]


KEYS = st.text("abcdefgh_", min_size=1, max_size=6)
TABLES = st.dictionaries(KEYS, st.sampled_from(["1", "true", '"x"', "[1, 2]"]), max_size=3)


@examples(max_examples=80)
@given(st.dictionaries(KEYS, TABLES, max_size=4), st.sampled_from(["\n", ""]))
def test_any_config_of_codex_keeps_its_content(tables: dict[str, dict[str, str]], end: str) -> None:
    text = "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in rows.items())
        for name, rows in tables.items()
    )
    raw = (text.rstrip("\n") + end).encode()
    server = {"command": "/bin/sh", "args": [str(COMMAND.script), "--run", "mcp"]}
    part = codex.CodexServer(path=Path("/h/config.toml"), purpose="", wanted=server)
    added = part.added_to(raw)
    assert part.is_ours(added)
    assert part.is_current(added)
    assert not replace(part, wanted={**server, "command": "/opt/x"}).is_current(added)
    left = part.without(added, raw)
    assert left is not None
    assert tomllib.loads(left.decode()) == tomllib.loads(raw.decode())
