"""RC-1: questions for a value, and texts that name or change one."""

from __future__ import annotations

import pytest

from wm.search.query import asks_value
from wm.search.values import changes_value, names_value

ASKS = (
    "how many workers run in staging?",
    "What is the timeout of the upload?",
    "which port does the proxy use",
    "Wie hoch ist die Grenze für Anhänge? Welche Version?",
    "quel est le délai de la sauvegarde",
    "¿Cuál es el límite de peticiones?",
    "какой порт у прокси",
    "port of the proxy",
    "部署需要多久",
    "リリースはいつ",
)
ASKS_NOT = (
    "who reviews the parser?",
    "what do we use for linting",
    "who set the time limit",
    "why did the build fail",
)


@pytest.mark.parametrize("query", ASKS)
def test_a_question_for_a_number_a_time_or_a_measure_asks_for_a_value(query: str) -> None:
    assert asks_value(query)


@pytest.mark.parametrize("query", ASKS_NOT)
def test_other_questions_do_not(query: str) -> None:
    assert not asks_value(query)


CHANGES = (
    "We raised the limit to 40 requests.",
    "The window is extended until Friday.",
    "Das Zeitlimit wurde auf 30 s erhöht.",
    "Le délai a été allongé à 12 jours",
    "超时改为30秒",
    "타임아웃을 30초로 변경했습니다",
)


@pytest.mark.parametrize("text", CHANGES)
def test_a_text_with_a_value_and_a_word_of_change_changes_it(text: str) -> None:
    assert changes_value(text)


@pytest.mark.parametrize("text", ["The limit is 40 requests.", "We raised the limit."])
def test_without_a_value_or_a_word_of_change_it_does_not(text: str) -> None:
    assert not changes_value(text)


def test_a_weekday_is_a_value() -> None:
    assert names_value("We deploy on Fridays.")
    assert not names_value("We deploy with make.")
