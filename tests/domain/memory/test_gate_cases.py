"""The gate on sentences in eight languages, as a compaction proposes them (EX-3)."""

from __future__ import annotations

import pytest

from tests.domain.memory.gate_cases import (
    ANY,
    BY_LANGUAGE,
    FRESH,
    LAST,
    MOMENTS,
    MORE,
    SECRETS,
    SIMPLE,
    Row,
)
from wm.domain.memory.gate import judge
from wm.secrets.redact import Redactor
from wm.settings import GateSettings

GATE = GateSettings()
REDACTOR = Redactor(lambda secret: "a" * 64)


@pytest.mark.parametrize("lang", BY_LANGUAGE)
def test_the_gate_judges_every_language_the_same(lang: str) -> None:
    wrong = [
        row
        for row in (*BY_LANGUAGE[lang], *MORE[lang], *LAST[lang], *SIMPLE[lang])
        if not _as_expected(row)
    ]
    assert wrong == []


def test_plans_and_reports_differ_from_rules() -> None:
    assert [row for row in FRESH if not _as_expected(row)] == []


def test_moments_and_guesses_differ_from_rules_in_fourteen_languages() -> None:
    assert [row for row in MOMENTS if not _as_expected(row)] == []


def _as_expected(row: Row) -> bool:
    kind, text, code = row
    reasons = judge(text, type=kind, source="compaction", settings=GATE, redactor=REDACTOR).reasons
    if code in ("", ANY):
        return bool(reasons) == bool(code)
    return code in reasons


@pytest.mark.parametrize("text", SECRETS)
def test_a_text_with_a_secret_is_refused_in_every_language(text: str) -> None:
    assert (
        "secret"
        in judge(
            text, type="project", source="compaction", settings=GATE, redactor=REDACTOR
        ).reasons
    )


def test_durable_texts_that_resemble_refused_ones_are_kept() -> None:
    rows = [
        row
        for lang in BY_LANGUAGE
        for row in (*BY_LANGUAGE[lang], *MORE[lang], *LAST[lang], *SIMPLE[lang])
    ]
    assert len(rows) > 1000
    assert sum(code == "" for _, _, code in rows) > 300
