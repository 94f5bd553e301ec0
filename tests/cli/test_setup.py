"""`wm setup` and `wm unsetup` with agents in a scratch home: shown, asked, done, undone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.docs.schemas import validate_printed

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


def test_setup_changes_nothing_without_consent(user: Terminal) -> None:
    before = tree(user)
    for words, code in ((("setup", "--dry-run"), 0), (("setup",), 1), (("setup", "--json"), 0)):
        said = user.wm(*words)
        assert said.code == code
        assert "plugin/wm.js" in said.out
        assert tree(user) == before
    refused = user.wm("setup")
    assert refused.err == "Nothing was changed. Use --yes to answer in advance.\n"


def test_setup_and_unsetup_give_every_byte_back(user: Terminal) -> None:
    before = tree(user)
    said = user.wm("setup", "--yes")
    assert (said.code, said.err) == (0, "")
    assert "Wired. 10 files changed.\n\nnext: start an agent in a repository and say: " in said.out
    assert "remember that we deploy with make ship\n" in said.out
    assert "wm import --from transcripts --dry-run\n" in said.out
    assert said.out.endswith("\nto check that it works: wm doctor\n")
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


def test_later_changes_of_the_user_are_kept(user: Terminal) -> None:
    user.wm("setup", "--yes")
    text = settings(user).read_text()
    settings(user).write_text(text.replace('"opus"', '"haiku"'))
    assert user.wm("unsetup", "--yes").code == 0
    assert settings(user).read_text() == PLAIN.replace('"opus"', '"haiku"')


def test_a_single_agent_can_be_set_up(user: Terminal) -> None:
    assert user.wm("setup", "--yes", "--agent", "opencode").code == 0
    assert settings(user).read_text() == PLAIN
    status = user.wm("status", "--json").json
    assert status["agents"] == {"claude-code": "absent", "opencode": "current"}
    line = "agents      claude-code not wired · opencode wired (wm setup)"
    assert line in user.wm("status").out


def test_json_reports_what_was_done(user: Terminal) -> None:
    planned = user.wm("setup", "--json").json
    done = user.wm("setup", "--json", "--yes").json
    validate_printed("setup", planned)
    validate_printed("setup", done)
    assert (planned["applied"], done["applied"]) == (False, True)
    assert [change["path"] for change in planned["changes"]] == [
        change["path"] for change in done["changes"]
    ]
    assert user.wm("setup", "--json", "--yes").json["applied"] is False


def test_unreadable_settings_are_not_changed(user: Terminal) -> None:
    settings(user).write_text('{"hooks": ')
    said = user.wm("setup", "--yes", "--agent", "claude-code")
    assert said.code == 1
    assert "settings.json" in said.sentences + said.out
    assert settings(user).read_text() == '{"hooks": '
    doctor = user.wm("doctor", "--no-proof")
    assert "Traceback" not in doctor.out + doctor.err


def test_unreadable_settings_of_one_agent_do_not_stop_the_setup_of_others(user: Terminal) -> None:
    settings(user).write_text('{"hooks": ')
    said = user.wm("setup", "--yes")
    assert said.code == 1
    assert "claude-code is left unchanged: " in said.sentences
    assert "settings.json" in said.sentences
    assert settings(user).read_text() == '{"hooks": '
    assert (user.home / ".config" / "opencode" / "plugin" / "wm.js").exists()
    assert not (user.home / ".claude.json").exists()
    agents = user.wm("status", "--json").json["agents"]
    assert agents["opencode"] == "current"
    again = user.wm("setup", "--yes", "--json")
    assert (again.code, len(again.json["problems"])) == (1, 1)


def test_setup_prints_what_any_other_agent_needs(user: Terminal) -> None:
    before = tree(user)
    said = user.wm("setup", "--agent", "mcp")
    assert said.code == 0
    server = json.loads(said.out[said.out.index("{") :])["mcpServers"]["wm"]
    assert server["args"] == ["mcp", "--memory"]
    assert user.wm("setup", "--agent", "mcp", "--json").json["mcpServers"]["wm"] == server
    assert tree(user) == before


def test_without_agents_there_is_nothing_to_do(terminal: Terminal) -> None:
    said = terminal.wm("setup", "--yes")
    assert (said.code, said.out) == (
        0,
        "No agent was found, none of claude, opencode, codex, copilot, cursor, gemini,\n"
        "qwen. Install one and run this again; `wm setup --agent mcp` prints what any\n"
        "other agent needs.\n"
        "Nothing to do.\n",
    )
    assert "none found on this machine" in terminal.wm("status").out


def test_setup_says_in_a_few_lines_per_agent_what_it_changes_and_why(user: Terminal) -> None:
    said = user.wm("setup", "--dry-run").out
    at = said.index("Claude Code:\n")
    assert (
        said[at:]
        == """\
Claude Code:
  add: ~/.claude/settings.json
      hooks: they bring memory into a session and record it
  add: ~/.claude.json
      the memory tools, as an MCP server
  add: ~/.claude/commands/wm/ (4 files)
      the commands /wm:remember, /wm:recall, /wm:recap, /wm:inbox
OpenCode:
  add: ~/.config/opencode/plugin/wm.js
      the plugin: it brings memory into a session and records it
wm:
  add: ~/.config/wm/config.toml
      what happens to a sentence that you say in passing and mean to last

every byte of it: the same command with --diff --dry-run
"""
    )
    user.wm("setup", "--yes")
    gone = user.wm("unsetup", "--dry-run").out
    assert "  remove: ~/.claude/commands/wm/ (4 files)\n      the commands" in gone


def test_diff_shows_every_byte(user: Terminal) -> None:
    for option in ("--diff", "--full"):
        said = user.wm("setup", "--dry-run", option).out
        assert '+  "hooks": {' in said
        assert "+export default" in said
        assert "/.config/wm/hook.sh claude-code SessionStart || :" in said
    user.wm("setup", "--yes")
    assert "-export default" in user.wm("unsetup", "--dry-run", "--diff").out


FOREIGN = '{"mcpServers": {"wm": {"command": "/usr/bin/other", "args": ["serve"]}}}'


def test_a_foreign_server_named_wm_is_reported_with_the_fix(user: Terminal) -> None:
    (user.home / ".claude.json").write_text(FOREIGN)
    for _ in range(2):
        said = user.wm("setup", "--yes")
        printed = " ".join(said.out.split())
        assert said.code == 0
        assert '.claude.json has another MCP server named "wm".' in printed
        assert "rename that server, then run `wm setup` again." in printed
    assert (user.home / ".claude.json").read_text() == FOREIGN
    checks = user.wm("doctor", "--no-proof", "--json").json["checks"]
    assert [c["verdict"] for c in checks if c["name"] == "claude-code"] == ["ok", "warning"]


@pytest.mark.parametrize("words", ['"command": "wm", "args": ["mcp"]', '"command": "wm"'])
def test_a_hand_written_server_that_differs_only_in_the_path_is_accepted(
    user: Terminal, words: str
) -> None:
    (user.home / ".claude.json").write_text('{"mcpServers": {"wm": {' + words + "}}}")
    said = user.wm("setup", "--yes").out
    assert ("another MCP server named" in said) == ("mcp" not in words)


def test_agents_with_unknown_setup_state_are_not_reported_as_missing(user: Terminal) -> None:
    user.wm("setup", "--yes")
    (user.home / ".config" / "wm" / "setup.json").write_text("{")
    assert "agents their setup is unknown" in " ".join(user.wm("status").out.split())
    assert user.wm("status", "--json").json["agents"] == {}
    assert "which `wm unsetup` needs, is damaged" in user.wm("unsetup", "--yes").sentences


def test_a_folder_in_place_of_one_agents_settings_does_not_stop_the_other(user: Terminal) -> None:
    settings(user).unlink()
    settings(user).mkdir()
    said = user.wm("setup", "--yes")
    assert said.code == 1
    message = "settings.json is a folder, but must be a file. Move it away, then try again."
    assert f"claude-code is left unchanged: {settings(user).parent}/{message}" in said.sentences
    plugin = user.home / ".config" / "opencode" / "plugin" / "wm.js"
    assert plugin.exists()
    assert user.wm("status", "--json").json["agents"] == {
        "claude-code": "blocked",
        "opencode": "current",
    }
    doctor = user.wm("doctor", "--no-proof")
    assert "is a folder, but must be a file" in " ".join(doctor.out.split())
    gone = user.wm("unsetup", "--yes")
    assert (gone.code, gone.out.splitlines()[-1]) == (0, "Undone. 4 files changed.")
    assert not plugin.exists()


def test_doctor_reports_refused_settings_with_the_same_message_as_setup(user: Terminal) -> None:
    settings(user).write_text('{ "model": "opus",, }')
    refused = user.wm("setup", "--yes").sentences
    (checked,) = (
        check
        for check in user.wm("doctor", "--no-proof", "--json").json["checks"]
        if check["name"] == "claude-code"
    )
    assert checked["verdict"] == "error"
    assert checked["detail"].startswith(f"{settings(user)} is not valid JSON: ")
    assert f"claude-code is left unchanged: {checked['detail']} {checked['fix']}" in refused
    assert user.wm("status", "--json").json["agents"]["claude-code"] == "blocked"


def test_unreadable_settings_of_one_agent_do_not_stop_unsetup_of_the_other(user: Terminal) -> None:
    before = tree(user)
    user.wm("setup", "--yes")
    wired = settings(user).read_bytes()
    settings(user).unlink()
    settings(user).mkdir()
    said = user.wm("unsetup", "--yes")
    assert said.code == 1
    assert "claude-code is left unchanged: " in said.sentences
    assert not (user.home / ".config" / "opencode" / "plugin").exists()
    again = user.wm("unsetup", "--yes")
    assert (again.code, "is a folder, but must be a file" in again.sentences) == (1, True)
    settings(user).rmdir()
    settings(user).write_bytes(wired)
    assert user.wm("unsetup", "--yes").code == 0
    assert tree(user) == before


def test_an_unwritable_folder_is_reported_and_the_other_agent_is_set_up(user: Terminal) -> None:
    (user.home / ".config" / "opencode").mkdir(parents=True)
    (user.home / ".config" / "opencode" / "plugin").write_text("a file of the user's")
    before = tree(user)
    said = user.wm("setup", "--yes")
    assert (said.code, said.out.splitlines()[-1]) == (1, "9 files changed.")
    assert "opencode: " in said.sentences
    assert (
        "wm.js cannot be written: Not a directory. Correct that, then try again" in said.sentences
    )
    assert "PostToolUse" in settings(user).read_text()
    assert user.wm("unsetup", "--yes").code == 0
    assert tree(user) == before


def learns(user: Terminal) -> str:
    return user.wm("learn").out.splitlines()[0]


def test_setup_asks_about_learning_once_and_takes_an_answer_in_advance(user: Terminal) -> None:
    assert learns(user) == "learn: active (the default)"
    user.wm("setup", "--yes")
    assert learns(user) == "learn: active (set by config.toml)"
    user.wm("setup", "--yes", "--learn", "inbox")
    assert learns(user) == "learn: inbox (set by config.toml)"
    assert user.wm("setup", "--yes").out.splitlines()[-1] == "Nothing to do."
    assert user.wm("setup", "--yes", "--learn", "sometimes").code == 2
    user.wm("learn", "off")
    assert learns(user) == "learn: off (set by this workspace)"


def test_an_older_installation_says_that_statements_wait(user: Terminal) -> None:
    user.wm("setup", "--yes")
    (user.home / ".config" / "wm" / "config.toml").unlink()
    assert learns(user).startswith("learn: inbox (until you choose")
    said = user.wm("setup", "--yes")
    assert "waits in the inbox: wm setup --learn active" in said.err
    assert learns(user).startswith("learn: inbox (until you choose")


def test_learning_is_paused_and_resumed(user: Terminal) -> None:
    paused = user.wm("learn", "pause").out
    assert "Paused until you resume it" in paused
    assert "kept at once" not in paused
    assert "Paused" not in user.wm("learn", "resume").out
    assert "Paused until 20" in user.wm("learn", "pause", "--for", "2h").out
    assert user.wm("learn", "pause", "--for", "yesterday").code == 1
    assert user.wm("learn", "--for", "2h").code == 2
    assert user.wm("learn", "off", "--session", "x").code == 2
    assert "There is no session" in user.wm("learn", "pause", "--session", "x").sentences
    assert "Paused" not in user.wm("learn", "active").out


def test_that_nothing_is_learned_is_shown_where_one_looks(user: Terminal) -> None:
    shown = "off, or paused: wm learn says which"
    for words, is_off in ((("pause",), True), (("resume",), False), (("off",), True)):
        user.wm("learn", *words)
        for verb in ("status", "inspect"):
            assert (shown in user.wm(verb).out) is is_off, (words, verb)


def test_the_memory_of_the_user_has_a_heading_in_plain_words(user: Terminal) -> None:
    user.wm("remember", "--user", "Always answer in German.")
    said = user.wm("inspect", "--user").out
    assert said.startswith("your memory for all projects\n")
    assert "unknown folder" not in user.wm("history", "--workspace", "user").out


def test_what_is_left_to_do_comes_after_the_changes(user: Terminal) -> None:
    user.install("codex")
    said = user.wm("setup", "--agent", "codex", "--dry-run").out
    assert said.index("~/.codex/hooks.json") < said.index("Codex does not run 7 of wm's hooks yet")
