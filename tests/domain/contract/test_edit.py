"""A change of the contract changes the bytes of its field, and no other (CT-1)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wm.domain.contract.edit import changed, scaffold
from wm.domain.facts import Refusal

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)

WIDE = """\
{
\t"goal" : "Ship it.",
\t"artifacts": [],
\t"decisions": [
\t\t"One.",
\t\t"Two."
\t],
\t"odd": {"kept":   1.50},
\t"last_updated": "2026-11-20T10:00:00Z", "plugin_version": "0.1.0"
}
"""
TIGHT = '{"goal":"Ship it.","decisions":["One."],"last_updated":"x","plugin_version":"0.1.0"}'
DATED = '"last_updated": "2026-11-22T12:00:00.000Z"'


def after(text: str, field: str, change: str, *values: str) -> str | Refusal:
    return changed(text, field, change, values, version="0.1.0", now=NOW)


@pytest.mark.parametrize(
    ("field", "change", "values", "old", "new"),
    [
        ("goal", "set", ("Sell it.",), '"Ship it."', '"Sell it."'),
        ("decisions", "append", ("Three.",), '"Two."\n', '"Two.",\n\t\t"Three."\n'),
        ("decisions", "append", ("Two.", "Six."), '"Two."\n', '"Two.",\n\t\t"Six."\n'),
        ("decisions", "remove", ("One.",), '"One.",\n\t\t', ""),
        ("decisions", "remove", ("2",), ',\n\t\t"Two."', ""),
        ("decisions", "remove", ("1", "2"), '\n\t\t"One.",\n\t\t"Two."\n\t', ""),
        ("decisions", "set", ("Six.",), '"One.",\n\t\t"Two."', '"Six."'),
        ("decisions", "set", (), '[\n\t\t"One.",\n\t\t"Two."\n\t]', "[]"),
        ("artifacts", "append", ("a.py",), "[]", '[\n\t\t"a.py"\n\t]'),
    ],
)
def test_only_the_bytes_of_the_field_change(
    field: str, change: str, values: tuple[str, ...], old: str, new: str
) -> None:
    dated = WIDE.replace('"last_updated": "2026-11-20T10:00:00Z"', DATED)
    assert WIDE.count(old) == 1
    assert after(WIDE, field, change, *values) == dated.replace(old, new)


def test_a_missing_field_is_appended_and_one_line_files_stay_one_line() -> None:
    assert after(TIGHT, "legal_reviews", "append", "Approved.") == (
        '{"goal":"Ship it.","decisions":["One."],"last_updated":"2026-11-22T12:00:00.000Z",'
        '"plugin_version":"0.1.0","legal_reviews":["Approved."]}'
    )


@pytest.mark.parametrize(
    ("field", "change", "values"),
    [
        ("goal", "set", ("Ship it.",)),
        ("goal", "set", (" Ship it.  ",)),
        ("decisions", "set", ("One.", "Two.")),
        ("decisions", "append", ("One.",)),
        ("artifacts", "set", ()),
    ],
)
def test_an_empty_change_changes_no_byte(field: str, change: str, values: tuple[str, ...]) -> None:
    assert after(WIDE, field, change, *values) == WIDE


@pytest.mark.parametrize(
    ("field", "change", "values", "code"),
    [
        ("mood", "set", ("good",), "unknown_field"),
        ("last_updated", "set", ("now",), "kept_field"),
        ("plugin_version", "set", ("9",), "kept_field"),
        ("compaction_count", "set", ("9",), "kept_field"),
        ("legal_reviews", "set", (), "append_only"),
        ("legal_reviews", "remove", ("1",), "append_only"),
        ("goal", "append", ("x",), "not_a_list"),
        ("goal", "set", (), "one_text"),
        ("goal", "set", ("two", "texts"), "one_text"),
        ("decisions", "append", (), "no_text"),
        ("decisions", "remove", ("Three.",), "no_such_item"),
        ("decisions", "remove", ("0",), "no_such_item"),
        ("decisions", "remove", ("3",), "no_such_item"),
        ("decisions", "remove", ("٢",), "no_such_item"),
    ],
)
def test_an_invalid_change_is_refused_with_the_fix(
    field: str, change: str, values: tuple[str, ...], code: str
) -> None:
    refused = after(WIDE, field, change, *values)
    assert isinstance(refused, Refusal)
    assert refused.code == code
    assert refused.fix


def test_a_field_that_is_not_a_list_is_not_appended_to() -> None:
    refused = after(WIDE.replace("[]", '"a.py"'), "artifacts", "append", "b.py")
    assert isinstance(refused, Refusal)
    assert refused.code == "no_list"


def test_the_initial_contract_is_rendered_as_expected() -> None:
    assert scaffold("Ship it.", "", version="0.1.0", now=NOW) == (
        '{\n  "goal": "Ship it.",\n  "current_phase": "planning",\n  "decisions": [],\n'
        '  "open_risks": [],\n  "blocked_by": [],\n  "next_actions": [],\n  "artifacts": [],\n'
        f"  {DATED},\n"
        '  "plugin_version": "0.1.0",\n  "legal_reviews": [],\n  "compaction_count": 0\n}\n'
    )
