"""`wm setup` and `wm unsetup` (IF-5): wired once, undone byte for byte."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.agents.conftest import Machine
from wm.agents import setup, setup_apply, setup_facts
from wm.agents.claude_hooks import AGENT, HOOKS
from wm.agents.hook_lines import is_ours
from wm.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
OWN_HOOK = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}

SETTINGS = {
    "no file": None,
    "empty file": b"",
    "empty object": b"{}",
    "one line": b'{"model":"opus"}',
    "own hooks": json.dumps({"hooks": {"PostToolUse": [OWN_HOOK]}}, indent=4).encode(),
    "own empty lists": b'{\n  "hooks": {\n    "SessionStart": [],\n    "Stop": []\n  }\n}\n',
    "own status line": b'{"statusLine": {"type": "command", "command": "date"}}\n',
    "tabs and no last newline": b'{\n\t"hooks" : { },\n\t"model" : "opus"\n}',
    "crlf": b'{\r\n  "model": "opus"\r\n}\r\n',
    "byte order mark": b'\xef\xbb\xbf{\n  "model": "opus"\n}\n',
    "a key twice": b'{"hooks": {}, "hooks": {"Stop": []}}',
    "all kinds of values": b'{"a": [1.50, -0, 1e9, "\\u00e9 \\/"], "b": null, "c": {"d": {}}}',
}


def write(machine: Machine, raw: bytes | None) -> None:
    if raw is not None:
        machine.settings.write_bytes(raw)


def commands(value: Any) -> list[str]:
    """Every hook command of a settings value."""
    return [
        handler["command"]
        for groups in value.get("hooks", {}).values()
        for group in groups
        for handler in group["hooks"]
    ]


@pytest.mark.parametrize("raw", SETTINGS.values(), ids=SETTINGS.keys())
def test_unsetup_restores_every_byte_of_every_file_and_folder(
    machine: Machine, raw: bytes | None
) -> None:
    write(machine, raw)
    before = machine.tree()
    machine.setup()
    assert machine.tree() != before
    machine.unsetup()
    assert machine.tree() == before


@pytest.mark.parametrize("raw", SETTINGS.values(), ids=SETTINGS.keys())
def test_setup_adds_hooks_and_keeps_existing_settings(machine: Machine, raw: bytes | None) -> None:
    write(machine, raw)
    machine.setup()
    after = json.loads(machine.settings.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    before = json.loads((raw or b"{}").removeprefix(b"\xef\xbb\xbf") or "{}")
    ours = [command for command in commands(after) if is_ours(command, AGENT)]
    assert len(ours) == len(HOOKS)
    assert [c for c in commands(after) if c not in ours] == commands(before)
    assert {**after, "hooks": 0, "statusLine": 0} == {**before, "hooks": 0, "statusLine": 0}
    own = before.get("statusLine")
    line = after["statusLine"]["command"]
    assert after["statusLine"] == own if own else is_ours(line, AGENT)


@pytest.mark.parametrize("raw", SETTINGS.values(), ids=SETTINGS.keys())
def test_a_second_run_changes_nothing(machine: Machine, raw: bytes | None) -> None:
    write(machine, raw)
    machine.setup()
    tree = machine.tree()
    assert machine.setup().nothing_to_do
    assert machine.tree() == tree
    machine.unsetup()
    assert machine.unsetup().nothing_to_do


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"// settings\n{}",
        b"[]",
        b'{"hooks": []}',
        b'{"hooks": {"Stop": {}}}',
        b"\xff\xfe",
        b'{"a": ' + b"[" * 3000 + b"]" * 3000 + b"}",
    ],
)
def test_unreadable_settings_are_refused_and_not_changed(machine: Machine, raw: bytes) -> None:
    write(machine, raw)
    before = machine.tree()
    with pytest.raises(UserError, match=r"settings\.json"):
        machine.setup(setup_facts.CLAUDE_CODE)
    assert machine.tree() == before


def test_a_pipe_in_place_of_the_settings_is_refused_without_waiting(machine: Machine) -> None:
    machine.settings.unlink(missing_ok=True)
    os.mkfifo(machine.settings)
    with pytest.raises(UserError, match=r"settings\.json is not a regular file"):
        machine.setup(setup_facts.CLAUDE_CODE)
    plan = machine.setup()
    assert "settings.json is not a regular file" in plan.refused["claude-code"]
    assert machine.plugin.exists()


def test_unreadable_settings_are_reported_and_the_other_agent_is_set_up_and_removed(
    machine: Machine,
) -> None:
    machine.settings.symlink_to(machine.settings)
    before = machine.tree()
    assert setup.states(machine.look()) == {"claude-code": "blocked", "opencode": "absent"}
    plan = machine.setup()
    assert plan.refused == {
        "claude-code": f"claude-code is left unchanged: {machine.settings} cannot be read: Too "
        "many levels of symbolic links. Correct that, then try again."
    }
    assert machine.plugin.exists()
    assert list(machine.unsetup().refused) == ["claude-code"]
    assert machine.tree() == before


def test_unsetup_keeps_later_changes_and_removes_only_parts_of_wm(machine: Machine) -> None:
    write(machine, SETTINGS["own hooks"])
    machine.setup()
    text = machine.settings.read_text()
    machine.settings.write_text(text.replace('"hooks": {', '"model": "opus",\n    "hooks": {', 1))
    plan = machine.unsetup()
    assert "was changed since setup" in plan.notes[0]
    wanted = {"model": "opus", "hooks": {"PostToolUse": [OWN_HOOK]}}
    assert machine.settings.read_text() == json.dumps(wanted, indent=4)


def test_a_handler_of_the_user_beside_ours_is_kept(machine: Machine) -> None:
    machine.setup()
    value = json.loads(machine.settings.read_text())
    value["hooks"]["SessionEnd"][0]["hooks"].append({"type": "command", "command": "date"})
    machine.settings.write_text(json.dumps(value))
    machine.unsetup()
    assert commands(json.loads(machine.settings.read_text())) == ["date"]


def test_an_unchanged_file_that_setup_created_is_deleted(machine: Machine) -> None:
    machine.setup()
    machine.unsetup()
    assert not machine.settings.exists()


def test_without_its_record_unsetup_still_removes_parts_of_wm(machine: Machine) -> None:
    write(machine, SETTINGS["own hooks"])
    machine.setup()
    machine.record.unlink()
    machine.unsetup()
    assert machine.settings.read_bytes() == SETTINGS["own hooks"]
    assert not machine.plugin.exists()


def test_an_older_version_is_detected_and_updated(machine: Machine) -> None:
    write(machine, SETTINGS["crlf"])
    machine.setup()
    moved = dataclasses.replace(machine, python="/opt/wm2/python")
    assert setup.states(moved.look()) == {"claude-code": "stale", "opencode": "stale"}
    plan = moved.setup()
    assert [(c.say, c.path) for c in plan.changes[1:]] == [("refresh", machine.script)]
    assert setup.states(moved.look()) == {"claude-code": "current", "opencode": "current"}
    moved.unsetup()
    assert machine.settings.read_bytes() == SETTINGS["crlf"]


@pytest.mark.parametrize("writes", [0, 1, 2, 3, 4])
def test_a_setup_interrupted_after_any_write_can_be_undone(machine: Machine, writes: int) -> None:
    write(machine, SETTINGS["own hooks"])
    before = machine.tree()
    plan = setup.plan_setup(machine.look())
    setup_apply.apply(replace(plan, changes=plan.changes[:writes]))
    machine.unsetup()
    assert machine.tree() == before


@pytest.mark.parametrize("writes", [0, 1, 2, 3, 4])
def test_an_update_interrupted_after_any_write_can_be_undone(machine: Machine, writes: int) -> None:
    write(machine, SETTINGS["tabs and no last newline"])
    before = machine.tree()
    machine.setup()
    moved = dataclasses.replace(machine, python="/opt/wm2/python")
    plan = setup.plan_setup(moved.look())
    setup_apply.apply(replace(plan, changes=plan.changes[:writes]))
    moved.unsetup()
    assert machine.tree() == before


@pytest.mark.parametrize("raw", [b'{"mcpServers": null}', b"[]", b"{", b"\xff"])
def test_unsetup_ignores_unreadable_files_without_parts_of_wm(machine: Machine, raw: bytes) -> None:
    server = machine.home / ".claude.json"
    server.write_bytes(raw)
    write(machine, b"{ // mine\n}")
    before = machine.tree()
    assert machine.unsetup().nothing_to_do
    assert machine.tree() == before


KILL = """
import os, sys
from pathlib import Path
from tests.agents.conftest import Machine
from wm.agents import setup, setup_apply, setup_facts

call, number, verb = sys.argv[2], int(sys.argv[3]), sys.argv[4]
count, real = 0, getattr(os, call)

def counted(*words, **options):
    global count
    count += 1
    if count == number:
        os._exit(9)
    return real(*words, **options)

setattr(os, call, counted)
getattr(Machine(Path(sys.argv[1])), verb)()
"""
"""Setup in a process that ends at the Nth call of one kind, with nothing cleared up."""

CUTS = [
    (verb, call, number)
    for verb, call, most in (
        ("setup", "fsync", 4),
        ("setup", "replace", 4),
        ("unsetup", "fsync", 1),
        ("unsetup", "replace", 1),
        ("unsetup", "unlink", 4),
        ("unsetup", "rmdir", 2),
    )
    for number in range(1, most + 1)
]


@pytest.mark.crash
@pytest.mark.parametrize(("verb", "call", "number"), CUTS)
def test_leftovers_of_a_killed_run_are_removed_by_the_next(
    machine: Machine, verb: str, call: str, number: int
) -> None:
    write(machine, SETTINGS["own hooks"])
    before = machine.tree()
    if verb == "unsetup":
        machine.setup()
    words = [sys.executable, "-c", KILL, str(machine.home), call, str(number), verb]
    assert subprocess.run(words, cwd=ROOT, check=False).returncode == 9
    machine.unsetup()
    after = machine.tree()
    assert {path for path in set(after) - set(before) if after[path] is not None} == set()
    assert {path: after[path] for path in before} == before


def test_temporary_files_of_a_killed_run_are_removed_by_the_next(machine: Machine) -> None:
    write(machine, SETTINGS["own hooks"])
    before = machine.tree()
    cut = machine.settings.with_name(".settings.json.wm-new")
    cut.write_bytes(b"half of it")
    machine.unsetup()
    assert machine.tree() == before
    cut.write_bytes(b"half of it")
    machine.setup()
    assert not cut.exists()


def test_folders_of_an_already_deleted_file_are_removed(machine: Machine) -> None:
    before = machine.tree()
    machine.setup()
    machine.plugin.unlink()
    machine.unsetup()
    assert machine.tree() == before


def test_a_dry_run_shows_a_diff_and_changes_nothing(machine: Machine) -> None:
    write(machine, b'{\n  "env": {"TOKEN": "x"}\n}\n')
    before = machine.tree()
    plan = setup.plan_setup(machine.look())
    assert machine.tree() == before
    assert f"+++ {machine.settings}" in plan.diff
    assert '+  "hooks": {' in plan.diff
    assert "--- /dev/null" in plan.diff
    assert str(machine.record) not in plan.diff, "the record holds whole settings files"


def test_only_installed_agents_are_set_up_unless_one_is_named(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert machine.setup().notes == (
        "No agent was found, none of claude, opencode, codex, copilot, cursor, gemini, qwen. "
        "Install one and run this again; `wm setup --agent mcp` prints what any other agent needs.",
    )
    assert machine.tree() == {}
    machine.setup("opencode")
    assert machine.plugin.exists()
    assert not machine.settings.exists()
    machine.unsetup("opencode")
    assert machine.tree() == {}


def test_a_foreign_file_of_the_same_name_is_refused(machine: Machine) -> None:
    machine.plugin.parent.mkdir()
    machine.plugin.write_text("export default () => ({})\n")
    with pytest.raises(UserError, match="was not written by wm"):
        machine.setup("opencode")
    assert machine.unsetup().nothing_to_do


def test_a_file_changed_between_plan_and_write_is_not_overwritten(machine: Machine) -> None:
    plan = setup.plan_setup(machine.look())
    write(machine, b'{"model": "opus"}')
    with pytest.raises(UserError, match="was changed while setup was running"):
        setup_apply.apply(plan)
    assert machine.settings.read_bytes() == b'{"model": "opus"}'
    assert not machine.plugin.exists()


def test_modes_and_links_are_kept_and_the_record_is_private(
    machine: Machine, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_bytes(b"{}")
    real.chmod(0o640)
    machine.settings.symlink_to(real)
    machine.setup()
    assert machine.settings.is_symlink()
    assert is_ours(real.read_text(), AGENT)
    assert real.stat().st_mode & 0o777 == 0o640
    assert machine.record.stat().st_mode & 0o777 == 0o600
    assert machine.record.parent.stat().st_mode & 0o777 == 0o700


def test_a_dangling_link_is_restored(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    machine.settings.symlink_to(tmp_path / "dotfiles" / "claude.json")
    before = machine.tree()
    machine.setup()
    assert is_ours((tmp_path / "dotfiles" / "claude.json").read_text(), AGENT)
    machine.unsetup()
    assert machine.settings.is_symlink()
    assert machine.tree() == before


@pytest.mark.parametrize(
    ("raw", "words"), [(b"{", "damaged"), (b'{"version": 99}', "newer wm")], ids=["torn", "newer"]
)
def test_an_unusable_record_is_reported_and_not_changed(
    machine: Machine, raw: bytes, words: str
) -> None:
    machine.record.parent.mkdir()
    machine.record.write_bytes(raw)
    with pytest.raises(UserError, match=words):
        machine.look()
    assert machine.record.read_bytes() == raw


def test_claude_config_dir_is_respected(machine: Machine, tmp_path: Path) -> None:
    class Elsewhere(Machine):
        @property
        def environment(self) -> dict[str, str]:
            return {**super().environment, "CLAUDE_CONFIG_DIR": str(tmp_path / "cc")}

    Elsewhere(machine.home).setup("claude-code")
    assert (tmp_path / "cc" / "settings.json").exists()
    assert not machine.settings.exists()


def test_the_service_is_written_on_request_and_removed_by_unsetup(machine: Machine) -> None:
    before = machine.tree()
    machine.setup(service=True)
    units = machine.home / ".config" / "systemd" / "user"
    assert "ListenStream=%t/wm/wm.sock\n" in (units / "wm.socket").read_text()
    assert (
        f'ExecStart="/bin/sh" "{machine.script}" "--run" "daemon"\n'
        in (units / "wm.service").read_text()
    )
    assert machine.ran[-1] == ("systemctl", "--user", "enable", "--now", "wm.socket")
    assert machine.setup().nothing_to_do
    machine.unsetup()
    assert ("systemctl", "--user", "disable", "--now", "wm.socket", "wm.service") in machine.ran
    assert machine.tree() == before


def test_a_missing_service_manager_is_reported(machine: Machine) -> None:
    plan = dataclasses.replace(machine, platform="freebsd").setup(service=True)
    assert plan.notes == ("This system has neither systemd nor launchd; no service was set up.",)


def test_a_failing_command_is_reported_and_stops_nothing(machine: Machine) -> None:
    plan = setup.plan_setup(machine.look())
    plan = replace(plan, first=(("false",), ("no-such-program-anywhere", "x")))
    applied = setup_apply.apply(plan)
    assert machine.plugin.exists()
    assert applied.problems == (
        "`false` failed with exit code 1.",
        "`no-such-program-anywhere` is not installed, so `no-such-program-anywhere x` was not run.",
    )


KEYS = st.sampled_from(["model", "env", "hooks", "statusLine", "permissions", "é", ""])
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
PLAIN = st.recursive(
    LEAVES, lambda v: st.lists(v, max_size=2) | st.dictionaries(st.text(max_size=3), v, max_size=2)
)
HANDLER = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=9)})
GROUP = st.fixed_dictionaries({"hooks": st.lists(HANDLER, max_size=2)})
EVENTS = st.sampled_from([row.event for row in HOOKS] + ["Stop"])
USER = st.dictionaries(KEYS, PLAIN, max_size=4).flatmap(
    lambda rest: st.one_of(
        st.just({k: v for k, v in rest.items() if k != "hooks"}),
        st.dictionaries(EVENTS, st.lists(GROUP, max_size=2), max_size=3).map(
            lambda hooks: {**rest, "hooks": hooks}
        ),
    )
)


def wired(facts: setup_facts.MachineFacts, plan: setup.SetupPlan) -> setup_facts.MachineFacts:
    """The machine after a plan, without touching a disk."""
    files = {**facts.files, **{c.path: c.after for c in plan.changes if not c.private}}
    record = facts.record
    for change in plan.changes:
        if change.private:
            record = setup_facts.SetupRecord.model_validate_json(change.after or b"{}")
    return replace(facts, files=files, record=record)


@settings(max_examples=60)
@given(
    USER,
    st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :")]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\n\n  "]),
)
def test_any_settings_are_restored_also_after_an_edit_elsewhere(
    user: dict[str, Any],
    indent: int | str | None,
    separators: tuple[str, str],
    newline: str,
    end: str,
) -> None:
    text = json.dumps(user, indent=indent, separators=separators, ensure_ascii=False) + end
    raw = text.replace("\n", newline).encode()
    nobody = Machine(Path("/nonexistent/home"))
    path = nobody.settings
    facts = nobody.look()
    before = replace(facts, files={**facts.files, path: raw})
    agents = ("claude-code",)

    after = wired(before, setup.plan_setup(before, agents=agents))
    assert after.files[path] != raw
    assert setup.plan_setup(after, agents=agents).nothing_to_do
    assert wired(after, setup.plan_unsetup(after)).files == before.files

    edited = (after.files[path] or b"") + b"\n"
    forgotten = replace(
        after, files={**after.files, path: edited}, record=setup_facts.SetupRecord()
    )
    left = wired(forgotten, setup.plan_unsetup(forgotten)).files[path]
    assert _without_empty(json.loads(left or b"{}")) == _without_empty(user)


def _without_empty(value: dict[str, Any]) -> dict[str, Any]:
    """Without the record it is unknown whether an empty list was there before."""
    rest = {key: item for key, item in value.items() if key != "hooks"}
    hooks = {event: groups for event, groups in value.get("hooks", {}).items() if groups}
    return {**rest, "hooks": hooks} if hooks else rest
