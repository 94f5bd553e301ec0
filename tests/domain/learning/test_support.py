"""A statement of the user supports a proposal; the user's words alone do not (TR-3)."""

from __future__ import annotations

import pytest

from tests.domain.learning.support_cases import HONEST, REARRANGED, Case
from wm.domain.learning.provenance import SessionWords
from wm.domain.learning.support import reading
from wm.formats.base import dump
from wm.formats.session_state import WordOrigins
from wm.settings import OriginSettings

KEY = b"0123456789abcdef"
UNRELATED = "All helpers disable the ferry gate in every harbour."


def name_of(case: Case) -> str:
    return f"{case.lang} {case.kind}: {case.proposed}"


def session(said: str, shown: str = "") -> SessionWords:
    words = SessionWords(WordOrigins(), KEY, OriginSettings())
    words.record_user(said)
    if shown:
        words.record_foreign(f"# Notes\n{shown}\n")
    stored = WordOrigins.model_validate(dump(words.kept()))
    return SessionWords(stored, KEY, OriginSettings())


@pytest.mark.parametrize("case", REARRANGED, ids=name_of)
def test_a_rearrangement_is_not_supported(case: Case) -> None:
    assert session(case.said).judge(case.proposed).tainted
    assert session(case.said, case.proposed).judge(case.proposed).tainted


@pytest.mark.parametrize("case", REARRANGED, ids=name_of)
def test_a_model_that_repeats_a_rearrangement_does_not_make_it_its_own(case: Case) -> None:
    words = session(case.said, case.proposed)
    words.record_agent(case.proposed)
    assert words.judge(case.proposed).tainted
    assert not words.is_stated_by_user(case.proposed)


@pytest.mark.parametrize("case", HONEST, ids=name_of)
def test_an_honest_proposal_is_supported(case: Case) -> None:
    verdict = session(case.said, UNRELATED).judge(case.proposed)
    assert (verdict.origin, verdict.tainted) == ("user", False)


def test_there_are_cases_of_each_kind_and_language() -> None:
    assert len(REARRANGED) >= 100
    assert len(HONEST) >= 60
    assert len({case.lang for case in REARRANGED}) == 15


def test_the_words_read_of_one_sentence_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    is_denied = reading._is_denied_before
    monkeypatch.setattr(reading, "_is_denied_before", lambda *a: calls.append(1) or is_denied(*a))
    reading.tokens(["never", "without"] * 20_000, len)
    assert 0 < len(calls) < 1_000


@pytest.mark.parametrize(
    "text", ["use pnpm not t' npm", "not d' npm", "only 'll x", "it is over l'"]
)
def test_an_elided_word_that_is_alone_is_read(text: str) -> None:
    """It became an empty word, at which the parser failed: the message was lost."""
    words = session(text)
    assert words.judge(text).origin == "user"
