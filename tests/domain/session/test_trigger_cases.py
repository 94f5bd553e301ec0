"""What users ask to keep, in eight languages, among all that only looks like it (EX-1)."""

from __future__ import annotations

import pytest

from tests.domain.session.trigger_cases import BY_LANGUAGE, MORE, Row
from wm.domain.session.remember import find_requests
from wm.settings import GateSettings

GATE = GateSettings()


@pytest.mark.parametrize("lang", BY_LANGUAGE)
def test_exactly_what_was_asked_for_is_found_in_every_language(lang: str) -> None:
    wrong = [row for row in (*BY_LANGUAGE[lang], *MORE[lang]) if not _as_expected(row)]
    assert wrong == []


def _as_expected(row: Row) -> bool:
    _, message, words = row
    found = [request.text for request in find_requests(message, GATE).found]
    return len(found) == len(words) and all(any(w in text for text in found) for w in words)


def test_a_request_below_thirty_thousand_blank_lines_is_found() -> None:
    found = find_requests("Hello." + "\n" * 30_000 + "Remember: the port is 7443.", GATE)
    assert [request.text for request in found.found] == ["the port is 7443."]
    assert found.ignored == ()
