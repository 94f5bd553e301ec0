"""`wm setup` and `wm unsetup` with agents in a scratch home: shown, asked, done, undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import validate

from tests.cli.terminal import Terminal
from tests.docs.schemas import printed_schema

PLAIN = '{\n    "model":"opus",\n  "hooks": {}, "permissions": {"allow": ["Bash(ls:*)"]}\n}'


@pytest.fixture
def user(terminal: Terminal) -> Terminal:
    """Both agents are installed, and Claude Code has settings of its own."""
    terminal.install("claude", "opencode")
    (terminal.home / ".claude").mkdir()
    settings(terminal).write_text(PLAIN)
    return terminal


def settings(user: Terminal) -> Path:
    return user.home / ".claude" / "settings.json"


def tree(user: Terminal) -> dict[str, bytes]:
    """Every file and folder of the home."""
    return {
        str(path.relative_to(user.home)): path.read_bytes() if path.is_file() else b"/"
        for path in sorted(user.home.rglob("*"))
    }


def test_setup_shows_the_diff_and_changes_nothing_unless_told(user: Terminal) -> None:
    before = tree(user)
    for words, code in ((("setup", "--dry-run"), 0), (("setup",), 1), (("setup", "--json"), 0)):
        said = user.wm(*words)
        assert said.code == code
        assert "/v1/hooks/claude-code/" in said.out
        assert "plugin/wm.js" in said.out
        assert tree(user) == before
    refused = user.wm("setup")
    assert refused.err == "Nothing was changed. Use --yes where nobody can answer.\n"


def test_setup_and_unsetup_give_every_byte_back(user: Terminal) -> None:
    before = tree(user)
    said = user.wm("setup", "--yes")
    assert (said.code, said.err) == (0, "")
    assert said.out.endswith("Wired. 4 files written.\n")
    assert "PostToolUse" in settings(user).read_text()
    wired = tree(user)
    again = user.wm("setup", "--yes")
    assert (again.code, again.out.splitlines()[-1]) == (0, "Nothing to do.")
    assert tree(user) == wired
    dry = user.wm("unsetup", "--dry-run")
    assert dry.code == 0
    assert tree(user) == wired
    gone = user.wm("unsetup", "--yes")
    assert gone.code == 0
    assert tree(user) == before
    assert user.wm("unsetup", "--yes").out.splitlines()[-1] == "Nothing to do."


def test_what_the_user_changed_since_stays(user: Terminal) -> None:
    user.wm("setup", "--yes")
    text = settings(user).read_text()
    settings(user).write_text(text.replace('"opus"', '"haiku"'))
    assert user.wm("unsetup", "--yes").code == 0
    assert settings(user).read_text() == PLAIN.replace('"opus"', '"haiku"')


def test_one_agent_alone_can_be_wired(user: Terminal) -> None:
    assert user.wm("setup", "--yes", "--agent", "opencode").code == 0
    assert settings(user).read_text() == PLAIN
    status = user.wm("status", "--json").json
    assert status["agents"] == {"claude-code": "absent", "opencode": "current"}
    line = "agents      claude-code not wired · opencode wired (wm setup)"
    assert line in user.wm("status").out


def test_json_reports_what_was_done(user: Terminal) -> None:
    planned = user.wm("setup", "--json").json
    done = user.wm("setup", "--json", "--yes").json
    validate(planned, printed_schema("setup"))
    validate(done, printed_schema("setup"))
    assert (planned["applied"], done["applied"]) == (False, True)
    assert [change["path"] for change in planned["changes"]] == [
        change["path"] for change in done["changes"]
    ]
    assert user.wm("setup", "--json", "--yes").json["applied"] is False


def test_settings_that_cannot_be_understood_are_left_alone(user: Terminal) -> None:
    settings(user).write_text('{"hooks": ')
    said = user.wm("setup", "--yes", "--agent", "claude-code")
    assert said.code == 1
    assert "settings.json" in said.sentences + said.out
    assert settings(user).read_text() == '{"hooks": '
    doctor = user.wm("doctor", "--no-proof")
    assert "Traceback" not in doctor.out + doctor.err


def test_the_other_agents_are_wired_where_the_settings_of_one_cannot_be_understood(
    user: Terminal,
) -> None:
    settings(user).write_text('{"hooks": ')
    said = user.wm("setup", "--yes")
    assert said.code == 1
    assert "claude-code is left as it is: " in said.sentences
    assert "settings.json" in said.sentences
    assert settings(user).read_text() == '{"hooks": '
    assert (user.home / ".config" / "opencode" / "plugin" / "wm.js").exists()
    assert not (user.home / ".claude.json").exists()
    agents = user.wm("status", "--json").json["agents"]
    assert agents["opencode"] == "current"
    again = user.wm("setup", "--yes", "--json")
    assert (again.code, len(again.json["problems"])) == (1, 1)


def test_without_agents_there_is_nothing_to_do(terminal: Terminal) -> None:
    said = terminal.wm("setup", "--yes")
    assert (said.code, said.out) == (
        0,
        "No agent was found: neither claude nor opencode is installed.\nNothing to do.\n",
    )
    assert "none found on this machine" in terminal.wm("status").out
