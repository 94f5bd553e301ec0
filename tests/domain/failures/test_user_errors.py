"""The user's own categories of errors (IF-8)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wm.domain.failures.open_errors import after_tool
from wm.errors import UserError
from wm.formats.events import ToolFinished
from wm.formats.session_state import OpenError
from wm.settings import apply_config, load

ROOT = "/home/ana/shop"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
RULE = {"name": "drift", "pattern": r"^DRIFT (?P<file>\S+):(?P<line>\d+) (?P<message>.+)"}


def found(rules: list[dict[str, str]], command: str, output: str) -> list[OpenError]:
    settings = apply_config(load({"HOME": "/nonexistent"}), {"session": {"errors": rules}})
    event = ToolFinished(tool="bash", command=command, exit_code=1, output=output, cwd=ROOT)
    return list(after_tool((), event, root=ROOT, now=NOW, settings=settings.session))


def test_a_matching_line_is_an_error_of_the_category() -> None:
    (error,) = found([RULE], "make schema", "reading\nDRIFT db/a.sql:7 column b is gone\ndone\n")
    assert (error.category, error.file, error.line) == ("drift", "db/a.sql", 7)
    assert error.summary == "db/a.sql:7: column b is gone"


def test_other_lines_keep_their_category() -> None:
    output = "DRIFT db/a.sql:7 gone\nsrc/a.ts(3,1): error TS2304: Cannot find name 'x'.\n"
    errors = found([RULE], "npx tsc", output)
    assert [error.category for error in errors] == ["drift", "typecheck"]


def test_a_rule_may_name_the_commands_it_is_for() -> None:
    rule = {**RULE, "command": "^make "}
    assert [e.category for e in found([rule], "make schema", "DRIFT a.sql:7 gone\n")] == ["drift"]
    assert "drift" not in [e.category for e in found([rule], "./check", "DRIFT a.sql:7 gone\n")]


def test_a_file_that_is_only_shown_has_no_errors() -> None:
    assert found([RULE], "cat old.log", "DRIFT db/a.sql:7 gone\n") == []


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"pattern": "x"}, "has no name"),
        ({"name": "drift"}, "does not say which lines are errors"),
        ({"name": "drift", "pattern": "(x"}, "is not a valid expression"),
        ({"name": "drift", "pattern": "x", "level": "1"}, "has no field 'level'"),
    ],
)
def test_a_mistake_names_the_rule_and_the_fix(rule: dict[str, str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        found([rule], "make", "x")
    assert message in caught.value.message
    assert caught.value.fix
