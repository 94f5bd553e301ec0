"""`wm state`: what it prints, what it writes, and its exit codes (CT-1)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.terminal import Terminal


def contract(user: Terminal) -> Path:
    return user.repo / "state" / "session-state.json"


def test_a_contract_can_be_created_changed_and_validated(user: Terminal) -> None:
    said = user.wm("state", "init", "Ship", "the", "berth", "planner.", "--phase", "build")
    assert (said.code, said.err) == (0, "")
    assert "was created" in said.out
    assert user.wm("state", "set", "decisions", "--append", "Use UTC.", "Ship weekly.").code == 0
    assert user.wm("state", "set", "decisions", "--remove", "2").code == 0
    assert user.wm("state", "set", "open_risks", "The feed may end.").code == 0
    shown = user.wm("state")
    for part in ("Ship the berth planner.", "build", "1. Use UTC.", "The feed may end."):
        assert part in shown.out
    assert "Ship weekly." not in shown.out
    checked = user.wm("state", "validate")
    assert (checked.code, checked.out.split()[0]) == (0, "sound")


def test_without_a_contract_every_verb_names_state_init(user: Terminal) -> None:
    for words in (("show",), ("set", "goal", "x")):
        said = user.wm("state", *words)
        assert said.code == 1
        assert "There is no state/session-state.json" in said.sentences
        assert "`wm state init` creates one." in said.sentences
    said = user.wm("state", "validate")
    assert said.code == 1
    assert "wm state init" in said.out
    assert user.wm("status", "--json").json["contract"] == ""
    assert "  contract  " not in user.wm("status").out


def test_all_faults_are_printed_with_line_and_column(user: Terminal) -> None:
    user.wm("state", "init", "Ship it.")
    text = contract(user).read_text()
    broken = text.replace('"Ship it."', '""').replace('"open_risks": []', '"open_risks": 7')
    contract(user).write_text(broken)
    said = user.wm("state", "validate")
    assert said.code == 1
    assert said.out.splitlines()[1:] == [
        "  2:11    goal is empty.",
        "          → Write what it should say.",
        "  5:17    open_risks is a number; it must be a list of texts.",
        "          → Write [] or a list of texts.",
    ]
    answer = user.wm("state", "validate", "--json")
    assert answer.code == 1
    assert [fault["field"] for fault in answer.json["faults"]] == ["goal", "open_risks"]
    assert contract(user).read_text() == broken
    assert "2 faults" in user.wm("state").out


def test_every_verb_reports_a_fault_with_file_and_position(user: Terminal) -> None:
    user.wm("state", "init", "Ship it.")
    contract(user).write_text('{"goal": 3,')
    message = "state/session-state.json:1:11: goal ends before what was opened is closed."
    for words in (("state", "show"), ("state", "set", "goal", "x"), ("handoff",)):
        said = user.wm(*words)
        assert (said.code, message in said.sentences) == (1, True)
    assert message in " ".join(user.wm("status").out.split())


def test_a_field_is_accepted_under_the_name_that_show_prints(user: Terminal) -> None:
    user.wm("state", "init", "Ship it.")
    for word, field in (("phase", "current_phase"), ("risks", "open_risks")):
        said = user.wm("state", "set", word, "x")
        assert (said.code, f"Did you mean {field}?" in said.sentences) == (1, True)


def test_status_and_doctor_report_a_contract_and_its_faults(user: Terminal) -> None:
    user.wm("state", "init", "Ship it.")
    assert "contract    sound" in user.wm("status").out
    assert user.wm("status", "--json").json["contract"] == "sound"
    contract(user).write_text('{"goal": 1}')
    status = " ".join(user.wm("status").out.split())
    assert "goal is a number" in status
    assert "Compactions do not change it: wm state validate" in status
    assert user.wm("status", "--json").json["contract"] == "faults"
    doctor = user.wm("doctor", "--no-proof", "--json").json
    [check] = [check for check in doctor["checks"] if check["name"] == "contract"]
    assert (check["verdict"], check["fix"]) == ("warning", "wm state validate")


def test_a_contract_is_checked_against_an_earlier_version(user: Terminal, tmp_path: Path) -> None:
    user.wm("state", "init", "Ship it.")
    earlier = {**json.loads(contract(user).read_text()), "legal_reviews": ["Approved."]}
    file = tmp_path / "before.json"
    file.write_text(json.dumps(earlier))
    assert user.wm("state", "validate", "--before", str(file)).code == 1
    assert user.wm("state", "validate", "--before", "-", stdin=json.dumps(earlier)).code == 1
    assert user.wm("state", "validate", "--before", str(contract(user))).code == 0
    for words, message in (
        (("--before", "nowhere.json"), "cannot be read"),
        (("--before", "-"), "is empty"),
    ):
        said = user.wm("state", "validate", *words)
        assert said.code == 1
        assert message in said.sentences


def test_an_intended_change_of_history_can_be_accepted(user: Terminal) -> None:
    user.wm("state", "init", "Ship it.")
    user.wm("state", "set", "legal_reviews", "--append", "Approved.")
    text = contract(user).read_text().replace('[\n    "Approved."\n  ]', "[]")
    contract(user).write_text(text)
    said = user.wm("state", "validate")
    assert said.code == 1
    assert "it had 1, and entries may only be added" in " ".join(said.out.split())
    assert user.wm("state", "validate", "--accept").code == 0
    assert user.wm("state", "validate").code == 0


def test_wrong_arguments_are_a_usage_error(user: Terminal) -> None:
    for words in (
        ("set", "goal", "x", "--append", "--remove"),
        ("validate", "--accept", "--before", "-"),
        ("set",),
    ):
        assert user.wm("state", *words).code == 2
    user.wm("state", "init", "Ship it.")
    said = user.wm("state", "set", "gaol", "x")
    assert said.code == 1
    assert said.sentences == "wm: A contract has no field 'gaol'. Did you mean goal?"
