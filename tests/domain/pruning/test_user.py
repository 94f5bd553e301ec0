"""Rules of the user's own: checked when they are read, asked before ours (PR-4, IF-8)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domain.pruning.outputs import rows, text
from wm.domain.pruning.modes import Mode
from wm.domain.pruning.prune import PrunedText, prune
from wm.domain.pruning.tool_call import PrunableCall
from wm.domain.pruning.user_rules import user_rules
from wm.errors import UserError
from wm.settings import PruningRule, PruningSettings, Settings, apply_config, find_paths

WHERE = "/home/ann/config.toml"


def configured(rules: Any) -> tuple[PruningRule, ...]:
    settings = Settings(paths=find_paths({"HOME": "/home/ann"}))
    return apply_config(settings, {"pruning": {"rules": rules}}, where=WHERE).pruning.rules


def test_a_rule_is_read_with_all_its_fields() -> None:
    given = {
        "name": "inventory",
        "tool": "Bash",
        "command": "^make inventory",
        "output": "crates",
        "keep": ["^TOTAL"],
        "noun": "crates",
        "leave": False,
    }
    [rule] = configured([given])
    assert rule == PruningRule(
        "inventory", "Bash", "^make inventory", "crates", False, ("^TOTAL",), "crates"
    )


@pytest.mark.parametrize(
    ("rules", "said", "fix"),
    [
        ({"name": "x"}, "[pruning] rules must be tables", "Begin each rule with [[pruning.rules]]"),
        (["x"], "[pruning] rules must be tables", "Begin each rule with [[pruning.rules]]"),
        ([{}], "rule 1 has no name", "lower-case letters"),
        ([{"name": "A b", "tool": "x"}], "rule 1 has no name", "lower-case letters"),
        (
            [{"name": "a", "tool": "x"}, {"name": "a", "tool": "y"}],
            "rule 2: 'a' is the name of an earlier rule",
            "Rename one",
        ),
        (
            [{"name": "a"}],
            "rule 1 (a) does not say which output it applies to",
            "Give tool, command",
        ),
        (
            [{"name": "a", "tool": "x", "keeps": []}],
            "has no field 'keeps'",
            "Fields are: name, tool",
        ),
        ([{"name": "a", "tool": 3}], "(a): tool is 3", "Write a text"),
        ([{"name": "a", "tool": "x", "leave": 1}], "(a): leave is 1", "Write true or false"),
        ([{"name": "a", "tool": "x", "keep": "y"}], "(a): keep is 'y'", 'Write ["…", "…"]'),
        ([{"name": "a", "command": "("}], "(a): '(' is not a valid expression: missing )", "RE2"),
        (
            [{"name": "a", "tool": "x", "keep": ["(?=a)"]}],
            "'(?=a)' is not a valid expression",
            "look-around",
        ),
    ],
)
def test_an_invalid_rule_is_refused_with_position_and_fix(rules: Any, said: str, fix: str) -> None:
    with pytest.raises(UserError) as caught:
        configured(rules)
    assert str(caught.value).startswith(f"{WHERE}: [pruning] rules")
    assert said in str(caught.value)
    assert fix in caught.value.fix


LISTED = text(rows(300, lambda n: f"crates/hold-{n}/manifest.yaml"))


def cut(call: PrunableCall, *rules: PruningRule) -> PrunedText | None:
    return prune(call, Mode.NORMAL, PruningSettings(), user_rules(rules))


def kind(call: PrunableCall, *rules: PruningRule) -> str:
    found = cut(call, *rules)
    return found.kind if found is not None else ""


LS = PrunableCall("bash", "bash", "ls crates", LISTED)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (PruningRule("own", command="^ls "), "own"),
        (PruningRule("own", tool="BASH", output="hold-299"), "own"),
        (PruningRule("own", command="^ls ", output="no such line"), "listing"),
        (PruningRule("own", tool="grep"), "listing"),
        (PruningRule("own", command="^ls ", leave=True), ""),
    ],
)
def test_a_rule_applies_if_all_its_conditions_match(rule: PruningRule, expected: str) -> None:
    assert kind(LS, rule) == expected


def test_the_first_matching_rule_applies() -> None:
    rules = PruningRule("one", tool="bash"), PruningRule("two", command="^ls")
    assert kind(LS, *rules) == "one"


def test_errors_and_lines_that_a_rule_keeps_are_kept() -> None:
    output = LISTED.replace("hold-150/manifest.yaml", "hold-150: error: no manifest")
    call = PrunableCall("bash", "bash", "make inventory", output)
    found = cut(call, PruningRule("own", command="inventory", keep=("hold-9[0-2]/",), noun="holds"))
    assert found is not None
    left = found.text("t_" + "0" * 20).split("\n")
    assert {f"crates/hold-{n}/manifest.yaml" for n in (90, 91, 92)} <= set(left)
    assert "crates/hold-150: error: no manifest" in left
    assert any("holds left out" in line for line in left)


def test_a_user_rule_can_prune_a_read_command_but_not_a_read_tool() -> None:
    rule = PruningRule("own", output="manifest")
    assert kind(PrunableCall("bash", "bash", "cat list.txt", LISTED), rule) == "own"
    assert kind(PrunableCall("read", "Read", "", LISTED), rule) == ""
