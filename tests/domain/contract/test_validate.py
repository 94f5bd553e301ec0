"""Every fault of a session contract is found, in one run, with its field and its fix (CT-1)."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.docs.schemas import project_schema
from wm.api.contract import ContractFault
from wm.domain.contract import parse, validate
from wm.domain.contract.edit import changed
from wm.domain.facts import Refusal
from wm.formats.contract_record import KnownContract
from wm.formats.session_contract import MAX_BYTES, REQUIRED, SessionContract
from wm.secrets.redact import Redactor

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SECRET = "gh" + "p_" + "".join("a1B2c3D4e5F6"[n % 12] for n in range(36))

SOUND: dict[str, Any] = {
    "goal": "Warn the harbour before the gate closes.",
    "current_phase": "build",
    "decisions": ["Tides come once a day.", "Times are stored in UTC."],
    "open_risks": [],
    "blocked_by": [],
    "next_actions": ["Write the tests."],
    "artifacts": ["docs/runbook.md"],
    "last_updated": "2026-11-21T10:00:00Z",
    "plugin_version": "0.1.0",
    "legal_reviews": ["Licence of the tables: approved.", "Names of captains: left out."],
    "compaction_count": 3,
    "owner": {"team": "harbour"},
}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


KNOWN = KnownContract(
    path="x", reviews=tuple(map(digest, SOUND["legal_reviews"])), compaction_count=3
)


def faults(text: str | bytes, known: KnownContract | None = KNOWN) -> tuple[ContractFault, ...]:
    raw = text.encode("utf-8") if isinstance(text, str) else text
    redactor = Redactor(digest)
    facts = validate.ContractFacts(NOW, lambda said: bool(redactor.find(said)), digest, known)
    return validate.check(parse.read(raw), facts)


def written(**fields: Any) -> str:
    """The sound contract with other fields; None takes one out."""
    made = {**SOUND, **fields}
    return json.dumps({k: v for k, v in made.items() if v is not OUT}, indent=2) + "\n"


OUT = object()
TEXT = written()


def swapped(old: str, new: str) -> str:
    assert TEXT.count(old) == 1, old
    return TEXT.replace(old, new)


def nested(levels: int) -> str:
    return swapped('"harbour"', "[" * levels + "]" * levels)


FAULTS: tuple[tuple[str, str | bytes, str, str, int, str], ...] = (
    # code, the contract, field, line, a part of the mend
    ("empty_file", "", "file", 1, "wm state init"),
    ("empty_file", "  \n\t\n", "file", 1, "wm state init"),
    ("byte_order_mark", b"\xef\xbb\xbf" + TEXT.encode(), "file", 1, "without a byte order mark"),
    ("not_utf8", TEXT.encode().replace(b"Tides", b"Tid\xe9s"), "decisions", 5, "UTF-8"),
    ("not_utf8", TEXT.encode("utf-16"), "file", 1, "UTF-8"),
    ("too_large", TEXT + " " * MAX_BYTES, "file", 0, "Move finished work out"),
    ("invalid_json", swapped('"build",', '"build"'), "current_phase", 4, "Add one"),
    ("invalid_json", swapped('"Write the tests."', '"Write the tests.",'), "next_actions", 11,
     "Remove the comma"),
    ("invalid_json", swapped('  "goal"', '  // why\n  "goal"'), "file", 2, "no comments"),
    ("invalid_json", swapped('"build"', "'build'"), "current_phase", 3, "double quotation"),
    ("invalid_json", swapped("Write the", "Write\tthe"), "next_actions", 11, r"\t"),
    ("invalid_json", swapped("Write the", "Write\nthe"), "next_actions", 11, r"\n"),
    ("invalid_json", TEXT.rstrip()[:-1], "owner", 25, "Close what is open"),
    ("invalid_json", TEXT + TEXT, "file", 27, "after the last"),
    ("invalid_json", swapped('"build"', "build"), "current_phase", 3, "Correct the line"),
    ("not_an_object", "[]\n", "file", 1, "{ … }"),
    ("not_an_object", '"goal"\n', "file", 1, "{ … }"),
    ("too_deep", nested(30), "owner", 24, "flat"),
    ("duplicate_key", swapped('"open_risks"', '"goal": "Other",\n  "open_risks"'), "goal", 8,
     "one of the two"),
    ("duplicate_key", swapped('"team"', '"team": 1, "team"'), "owner.team", 24, "one of the two"),
    ("missing_field", written(goal=OUT), "goal", 25, 'Add "goal"'),
    ("missing_field", written(decisions=OUT), "decisions", 22, 'Add "decisions": []'),
    ("missing_field", swapped('"open_risks"', '"openRisks"'), "open_risks", 26,
     "Rename openRisks in line 8"),
    ("missing_field", swapped('"blocked_by"', '"blocked_bye"'), "blocked_by", 26,
     "Rename blocked_bye in line 9"),
    ("null", written(goal=None), "goal", 2, "Write a text"),
    ("null", written(artifacts=None), "artifacts", 13, "Write []"),
    ("null", written(compaction_count=None), "compaction_count", 22, "whole number"),
    ("null", written(open_risks=[None]), "open_risks[0]", 9, "Write a text"),
    ("wrong_type", written(goal=7), "goal", 2, '"7"'),
    ("wrong_type", written(goal=["a"]), "goal", 2, "Write a text"),
    ("wrong_type", written(current_phase=True), "current_phase", 3, '"true"'),
    ("wrong_type", written(blocked_by="The gate."), "blocked_by", 9, '["The gate."]'),
    ("wrong_type", written(decisions={"a": 1}), "decisions", 4, "list of texts"),
    ("wrong_type", written(next_actions=["ok", 4]), "next_actions[1]", 12, '"4"'),
    ("wrong_type", written(last_updated=1763719200), "last_updated", 16, "quotation marks"),
    ("wrong_type", written(compaction_count="3"), "compaction_count", 22, "whole number"),
    ("wrong_type", written(compaction_count=3.5), "compaction_count", 22, "whole number"),
    ("wrong_type", written(compaction_count=True), "compaction_count", 22, "whole number"),
    ("wrong_type", written(plugin_version=2), "plugin_version", 17, '"2"'),
    ("empty_text", written(goal="  "), "goal", 2, "what it should say"),
    ("empty_text", written(artifacts=["a", ""]), "artifacts[1]", 15, "or remove it"),
    ("empty_text", written(last_updated=""), "last_updated", 16, "what it should say"),
    ("too_long", written(goal="x" * 2001), "goal", 2, "Shorten it"),
    ("too_long", written(current_phase="x" * 81), "current_phase", 3, "Shorten it"),
    ("too_many", written(artifacts=["a"] * 201), "artifacts", 13, "Remove what is done"),
    ("line_break", written(goal="one\ntwo"), "goal", 2, "one sentence"),
    ("no_time", written(last_updated="2026-11-21"), "last_updated", 16, "2026-11-22T12:00:00.000Z"),
    ("no_zone", written(last_updated="2026-11-21 10:00:00"), "last_updated", 16,
     "2026-11-21T10:00:00Z"),
    ("wrong_date", written(last_updated="21.11.2026 10:00"), "last_updated", 16, "Write it like"),
    ("wrong_date", written(last_updated="yesterday"), "last_updated", 16, "Write it like"),
    ("no_such_date", written(last_updated="2026-02-30T10:00:00Z"), "last_updated", 16,
     "Write it like"),
    ("no_such_date", written(last_updated="2026-11-21T10:00:00+27:00"), "last_updated", 16,
     "Write it like"),
    ("in_the_future", written(last_updated="2026-11-23T10:00:00Z"), "last_updated", 16,
     "Write it like"),
    ("unknown_phase", written(phases=["plan", "build it"]), "current_phase", 3, '"build it"'),
    ("unknown_phase", written(phases=["plan"], current_phase="zeal"), "current_phase", 3,
     "add it to phases"),
    ("negative", written(compaction_count=-1), "compaction_count", 22, "0 or more"),
    ("too_large_number", written(compaction_count=10**9), "compaction_count", 22, "whole number"),
    ("not_a_number", swapped('"compaction_count": 3', '"compaction_count": NaN'),
     "compaction_count", 22, "Write a number"),
    ("half_character", swapped('"team"', '"\\ud800team"'), "owner", 24, "Retype the name"),
    ("not_a_number", swapped('"harbour"', "-Infinity"), "owner.team", 24, "Write a number"),
    ("hidden_character", written(goal="Push \u202emain"), "goal", 2, "Retype the text"),
    ("half_character", swapped("Tides", "\\ud83d Tides"), "decisions[0]", 5, "Retype the char"),
    ("secret", written(decisions=[f"Use the token {SECRET}."]), "decisions[0]", 5, "Remove it"),
    ("secret", written(owner={"token": SECRET}), "owner.token", 24, "Remove it"),
    ("reviews_shortened", written(legal_reviews=SOUND["legal_reviews"][:1]), "legal_reviews", 18,
     "git log -p state/session-state.json"),
    ("reviews_shortened", written(legal_reviews=OUT), "legal_reviews", 22, "Put back"),
    ("reviews_altered", swapped("approved", "refused"), "legal_reviews[0]", 19, "Put its text"),
    ("reviews_altered", written(legal_reviews=SOUND["legal_reviews"][::-1]), "legal_reviews[0]",
     19, "--accept"),
    ("count_fell", written(compaction_count=2), "compaction_count", 22, "Write 3"),
    ("count_fell", written(compaction_count=OUT), "compaction_count", 25, "Write 3"),
)  # fmt: skip


def test_a_valid_contract_has_no_fault() -> None:
    assert faults(TEXT) == ()
    assert faults(TEXT, known=None) == ()


@pytest.mark.parametrize(
    ("code", "text", "field", "line", "mend"),
    FAULTS,
    ids=[f"{number}-{row[0]}-{row[2]}" for number, row in enumerate(FAULTS)],
)
def test_a_fault_has_its_line_field_and_fix(
    code: str, text: str | bytes, field: str, line: int, mend: str
) -> None:
    found = [(one.code, one.field, one.line) for one in faults(text)]
    assert found == [(code, field, line)]
    [fault] = faults(text)
    named = "The file" if field == "file" else field
    assert fault.message.startswith(named) or code == "not_utf8"
    assert fault.message.endswith(".")
    assert mend in fault.fix


def test_there_are_more_than_thirty_kinds_of_faults() -> None:
    in_the_way = {"no_contract", "folder", "folder_is_file", "link", "not_a_file", "no_right"}
    assert len({row[0] for row in FAULTS} | in_the_way) >= 30


def test_all_faults_are_named_in_one_run_in_the_order_of_the_text() -> None:
    text = (
        '{\n  "goal": "",\n  // was planning\n  "current_phase": 4,\n  "decisions": ["a",],\n'
        '  "open_risks": [1, null]\n  "blocked_by": [],\n  "next_actions": "x",\n'
        '  "artifacts": [],\n  "last_updated": "2026-13-01T00:00:00Z",\n'
        '  "compaction_count": 1.5,\n  "compaction_count": 2\n}\n'
    )
    assert [(one.line, one.code, one.field) for one in faults(text)] == [
        (2, "empty_text", "goal"),
        (3, "invalid_json", "file"),
        (4, "wrong_type", "current_phase"),
        (5, "invalid_json", "decisions"),
        (6, "wrong_type", "open_risks[0]"),
        (6, "null", "open_risks[1]"),
        (7, "invalid_json", "open_risks"),
        (8, "wrong_type", "next_actions"),
        (10, "no_such_date", "last_updated"),
        (12, "duplicate_key", "compaction_count"),
        (12, "count_fell", "compaction_count"),
        (13, "reviews_shortened", "legal_reviews"),
    ]


def test_a_fault_message_quotes_no_secret() -> None:
    text = written(decisions=[SECRET], current_phase=SECRET, phases=["build"])
    assert "secret" in {fault.code for fault in faults(text)}
    assert not [one for one in faults(text) if SECRET in one.message + one.fix]


@pytest.mark.parametrize(
    "fields",
    [
        {"legal_reviews": [*SOUND["legal_reviews"], "A third."]},
        {"compaction_count": 4},
        {"last_updated": "2026-11-21T11:30+01:00"},
        {"last_updated": "2026-11-22T12:04:00Z"},
        {"phases": ["build", "ship"]},
        {"phases": []},
        {"plugin_version": OUT},
        {"goal": "船が出る前に知らせる。"},
        {"note": None, "deep": {"a": [{"b": 1.5}]}},
    ],
)
def test_valid_variants_have_no_fault(fields: dict[str, Any]) -> None:
    assert faults(written(**fields)) == ()


PIECES = (
    *"{}[],:\"'\\\n\t#", "//x\n", "/*", "null", "true", "NaN", "1e999", "-", '"goal"', '"":',
    '"decisions":', "\u202e", "\x00", "\\ud800", "9" * 5000, "é", "\ufeff",
)  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(TEXT)), st.integers(0, 20), st.sampled_from(("", *PIECES))),
        max_size=6,
    ),
    st.binary(max_size=2),
)
def test_every_broken_text_has_faults_and_is_not_changed(
    wounds: list[tuple[int, int, str]], behind: bytes
) -> None:
    text = TEXT
    for at, gone, put in wounds:
        text = text[:at] + put + text[at + gone :]
    raw = text.encode() + behind
    for fault in faults(raw):
        assert fault.field
        assert fault.message
        assert fault.fix
        fault.model_dump_json()
    read = parse.read(raw)
    if read.sound and read.tree is not None and isinstance(read.tree.value, dict):
        after = changed(read.text, "decisions", "append", ("A.",), version="1", now=NOW)
        assert isinstance(after, Refusal) or parse.read(after.encode()).sound


def test_without_an_earlier_version_no_removal_is_reported() -> None:
    assert faults(written(legal_reviews=[], compaction_count=0), known=None) == ()


def schema_faults(text: str) -> list[str]:
    value = json.loads(text)
    return [
        e.message
        for e in Draft202012Validator(project_schema("session_contract")).iter_errors(value)
    ]


BEYOND = {
    "empty_file", "byte_order_mark", "not_utf8", "too_large", "invalid_json", "too_deep",
    "duplicate_key", "not_a_number", "no_such_date", "in_the_future", "unknown_phase",
    "hidden_character", "half_character", "secret", "reviews_shortened", "reviews_altered",
    "count_fell", "line_break",
}  # fmt: skip
"""What no schema can say."""


def test_the_schema_accepts_valid_contracts_and_refuses_what_it_can() -> None:
    assert schema_faults(TEXT) == []
    for code, text, field, *_ in FAULTS:
        if code not in BEYOND and isinstance(text, str):
            assert schema_faults(text) != [], (code, field)


def test_the_schema_and_the_rules_require_the_same_fields() -> None:
    assert tuple(project_schema("session_contract")["required"]) == REQUIRED
    assert SessionContract.model_validate(SOUND).goal == SOUND["goal"]


@pytest.mark.parametrize("unit", ['{"a":', "[", '"a",', ",", "//\n", "'a' ", "{}\n", "\\", '"'])
def test_validation_time_is_linear(unit: str) -> None:
    """Faults that are read on behind are bounded, so that no text takes long."""
    text = "{" + unit * (MAX_BYTES // len(unit) - 10)
    found = parse.read(text.encode())
    assert len(found.faults) <= parse.MOST_CORRECTED
