"""Requests of users in eight languages, among messages that only look like requests (EX-1)."""

from __future__ import annotations

import pytest

from tests.domain.learning.trigger_cases import BY_LANGUAGE, FRESH, LAST, MORE, Row
from wm.domain.learning.requests import find_requests
from wm.settings import GateSettings

GATE = GateSettings()


@pytest.mark.parametrize("lang", BY_LANGUAGE)
def test_exactly_the_requests_are_found_in_every_language(lang: str) -> None:
    wrong = [row for row in (*BY_LANGUAGE[lang], *MORE[lang], *LAST[lang]) if not _as_expected(row)]
    assert wrong == []


def test_lists_and_questions_are_recognised_in_every_language() -> None:
    assert [row for row in FRESH if not _as_expected(row)] == []


def _as_expected(row: Row) -> bool:
    _, message, words = row
    found = [request.text for request in find_requests(message, GATE).found]
    return len(found) == len(words) and all(any(w in text for text in found) for w in words)


def test_a_request_below_thirty_thousand_blank_lines_is_found() -> None:
    found = find_requests("Hello." + "\n" * 30_000 + "Remember: the port is 7443.", GATE)
    assert [request.text for request in found.found] == ["the port is 7443."]
    assert found.ignored == ()


TYPES = [
    ("Remember that we decided to use Valkey.", "decision"),
    ("Going forward we deploy with Argo instead of Jenkins.", "decision"),
    ("Remember: the runbook is at https://wiki.example.com/x", "reference"),
    ("Remember that our coding guide is docs/guide.md.", "reference"),
    ("Remember that invoices are numbered per year.", "project"),
    ("Keep in mind that the API returns 429 after 60 calls.", "project"),
    ("Remember that I prefer short answers.", "feedback"),
    ("Please remember: never push without asking.", "feedback"),
    ("Merk dir, dass wir uns für Valkey entschieden haben.", "decision"),
    ("Merke: Das Handbuch liegt unter https://wiki.example.com/de", "reference"),
    ("Ab jetzt antworte auf Deutsch.", "feedback"),
    ("Recuerda que decidimos usar Valkey.", "decision"),
    ("Recuerda que las facturas se numeran por año.", "project"),
    ("Souviens-toi que nous avons décidé d'utiliser Valkey.", "decision"),
    ("Désormais, réponds en français.", "feedback"),
    ("Lembre que o guia está em https://wiki.example.com/pt", "reference"),
    ("Lembre que as faturas são numeradas por ano.", "project"),
    ("记住我们决定使用 Valkey。", "decision"),
    ("从现在开始用中文回答。", "feedback"),
    ("覚えておいて：請求書は年ごとに採番する。", "project"),
    ("今後は日本語で答えてください。", "feedback"),
    ("기억해 줘. Valkey 를 쓰기로 결정했어.", "decision"),
    ("기억해 줘, 송장은 연도별로 번호를 매겨.", "project"),
]


@pytest.mark.parametrize(("message", "kind"), TYPES)
def test_a_request_gets_the_type_of_its_wording(message: str, kind: str) -> None:
    assert [request.type for request in find_requests(message, GATE).found] == [kind]


def test_a_word_that_starts_like_a_lead_is_kept_completely() -> None:
    found = find_requests("請求書は年度ごとに採番することを覚えておいてください。", GATE).found
    assert [request.text for request in found] == ["請求書は年度ごとに採番する"]
