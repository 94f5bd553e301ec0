"""When the model seems to need what was removed: what counts, what is too weak, and hedging."""

from __future__ import annotations

import pytest

from wm.domain.paging.uncertainty import BehaviourEvidence, hedges, needed

USED = BehaviourEvidence("used", used=True)
OWN = BehaviourEvidence("own", own=True)
NAMED = BehaviourEvidence("named", mentioned=("berth_of",))
ASKED = BehaviourEvidence("asked", asked=("berth_of",))
FAILED = BehaviourEvidence("failed", failed=True, used=True)


@pytest.mark.parametrize(
    ("evidence", "hedged", "place"),
    [
        ([], True, ""),
        ([BehaviourEvidence("none")], True, ""),
        ([USED], True, ""),
        ([NAMED], False, ""),
        ([NAMED], True, "named"),
        ([ASKED], False, "asked"),
        ([OWN], False, ""),
        ([OWN], True, "own"),
        ([BehaviourEvidence("both", own=True, mentioned=("berth_of",))], False, "both"),
        ([FAILED], False, "failed"),
        ([OWN, FAILED], False, "failed"),
        ([FAILED, NAMED, USED], True, "failed"),
        ([FAILED, ASKED, OWN], False, "failed"),
    ],
)
def test_the_strongest_evidence_decides(
    evidence: list[BehaviourEvidence], hedged: bool, place: str
) -> None:
    found = needed(evidence, hedges=hedged)
    assert (found.place if found else "") == place


@pytest.mark.parametrize(
    "text",
    [
        "I don\u2019t remember what the pilot returns.",
        "If I recall, the crane stops there. Let me re-read it.",
        "Ich bin mir nicht sicher, wie der Kran anhält.",
        "Je ne me souviens plus de la signature, je relis le fichier.",
        "No recuerdo la firma exacta; voy a releer el archivo.",
        "Não me lembro da assinatura.",
        "Non ricordo la firma esatta.",
        "Я не помню сигнатуру, посмотрю ещё раз.",
        "我不记得这个函数的签名了。",
    ],
)
def test_hedging_in_eight_languages(text: str) -> None:
    assert hedges(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The request might fail if the berth is not sure to be free.",
        "This could be slow, so I cache it.",
        "Der Kran ist nicht sicher vertäut.",
        "La grue n'est pas sûre.",
        "El muelle no está seguro.",
        "O cais não tem certeza de vaga.",
        "La gru non è sicura.",
        "Кран не помнит груз.",
        "这个吊车不确定性很大。",
    ],
)
def test_doubt_about_the_code_is_not_hedging(text: str) -> None:
    assert not hedges(text)
