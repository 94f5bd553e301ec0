"""WM-7: a message that asks to forget names one memory, in many languages, and no other."""

from __future__ import annotations

import pytest

from tests.domain.memory.memories import entry
from wm.domain.learning import forgets
from wm.domain.learning.requests import find_requests_and_forgets
from wm.domain.memory.tombstones import named
from wm.settings import GateSettings

HARBOURS = {
    "en": ("The bay crane lifts 40 tons.", "The bay ferry leaves at six.", "We never paint buoys."),
    "de": ("Der Kran der Bucht hebt 40 Tonnen.", "Die Fähre der Bucht fährt um sechs."),
    "fr": ("La grue du port lève 40 tonnes.", "Le bac du port part à six heures."),
    "es": ("La grúa del puerto levanta 40 toneladas.", "El ferry del puerto sale a las seis."),
    "it": ("La gru del porto solleva 40 tonnellate.", "Il traghetto del porto parte alle sei."),
    "pt": ("O guindaste do porto levanta 40 toneladas.", "A balsa do porto sai às seis."),
    "nl": ("De kraan van de haven tilt 40 ton.", "De pont van de haven vertrekt om zes uur."),
    "pl": ("Dźwig portowy unosi 40 ton.", "Prom portowy odpływa o szóstej."),
    "sv": ("Hamnens kran lyfter 40 ton.", "Hamnens färja går klockan sex."),
    "ru": ("Кран порта поднимает 40 тонн.", "Паром порта уходит в шесть."),
    "uk": ("Кран порту піднімає 40 тонн.", "Паром порту відходить о шостій."),
    "tr": ("Liman vinci 40 ton kaldırıyor.", "Liman feribotu altıda kalkıyor."),
    "vi": ("Cần cẩu cảng nâng 40 tấn.", "Phà cảng rời lúc sáu giờ."),
    "zh": ("港口吊车能吊40吨。", "港口渡船六点出发。"),
    "ja": ("港のクレーンは40トンを吊ります。", "港のフェリーは六時に出ます。"),
    "ko": ("항구 크레인은 40톤을 운반합니다.", "항구 페리는 여섯 시에 떠납니다."),
    "hi": ("बंदरगाह की क्रेन 40 टन उठाती है।", "बंदरगाह की नाव छह बजे जाती है।"),
    "ar": ("رافعة الميناء ترفع 40 طنا.", "عبارة الميناء تغادر في السادسة."),
}
FORGETS = tuple(
    tuple(row.split("|"))
    for row in """
en|It is no longer true that the bay crane lifts 40 tons.
en|Delete the memory about the bay crane.
en|Please remove the bay crane from your memory.
en|Delete "The bay crane lifts 40 tons" from your memory.
en|Forget everything you know about the bay crane.
de|Lösche bitte den Kran der Bucht aus deinem Gedächtnis.
de|Vergiss alles über den Kran der Bucht.
fr|Efface la grue du port de ta mémoire.
fr|Oublie tout sur la grue du port.
es|Borra la grúa del puerto de tu memoria.
es|Olvida todo sobre la grúa del puerto.
it|Cancella la gru del porto dalla tua memoria.
it|Dimentica tutto sulla gru del porto.
pt|Apague o guindaste do porto da sua memória.
pt|Esqueça tudo sobre o guindaste do porto.
nl|Wis de kraan van de haven uit je geheugen.
nl|Vergeet alles over de kraan van de haven.
pl|Usuń dźwig portowy z twojej pamięci.
ru|Удали кран порта из своей памяти.
ru|Забудь всё про кран порта.
de|Vergiss, dass der Kran der Bucht 40 Tonnen hebt.
de|Lösche die Notiz über den Kran der Bucht.
de|Es stimmt nicht mehr, dass der Kran der Bucht 40 Tonnen hebt.
fr|Efface de ta mémoire que la grue du port lève 40 tonnes.
fr|Ce n'est plus vrai que la grue du port lève 40 tonnes.
es|Borra el recuerdo sobre la grúa del puerto.
es|Ya no es verdad que la grúa del puerto levanta 40 toneladas.
it|Dimentica che la gru del porto solleva 40 tonnellate.
it|Dimentica quello che ho detto sulla gru del porto.
it|Cancella dalla memoria che la gru del porto solleva 40 tonnellate.
pt|Apague a memória sobre o guindaste do porto.
pt|Não é mais verdade que o guindaste do porto levanta 40 toneladas.
nl|Vergeet dat de kraan van de haven 40 ton tilt.
nl|Vergeet wat ik over de kraan van de haven heb gezegd.
nl|Verwijder de notitie over de kraan van de haven.
pl|Zapomnij, że dźwig portowy unosi 40 ton.
pl|Usuń z pamięci, że dźwig portowy unosi 40 ton.
sv|Glöm att hamnens kran lyfter 40 ton.
sv|Radera minnet om hamnens kran.
ru|Забудь, что кран порта поднимает 40 тонн.
ru|Забудь, что я говорил про кран порта.
ru|Удали из памяти, что кран порта поднимает 40 тонн.
uk|Забудь, що кран порту піднімає 40 тонн.
uk|Видали спогад про кран порту.
tr|Liman vinci hakkında söylediklerimi unut.
vi|Hãy quên rằng cần cẩu cảng nâng 40 tấn.
vi|Xóa ký ức về cần cẩu cảng.
zh|忘掉港口吊车能吊40吨这件事。
zh|删除关于港口吊车的记忆。
ja|港のクレーンが40トンを吊ることは忘れてください。
ja|港のクレーンについての記憶を削除してください。
ko|항구 크레인이 40톤을 운반한다는 것은 잊어 줘.
ko|항구 크레인에 대한 기억을 삭제해 줘.
hi|भूल जाओ कि बंदरगाह की क्रेन 40 टन उठाती है।
ar|انس أن رافعة الميناء ترفع 40 طنا.
ar|احذف الذكرى عن رافعة الميناء.
""".strip().splitlines()
)
KEEPS = tuple(
    tuple(row.split("|"))
    for row in """
en|Don't forget that the bay crane lifts 40 tons.
en|I forgot how much the bay crane lifts.
en|Delete the bay crane from the drawing.
en|Forget that we paint buoys.
en|Forget that the bay crane lifts 90 tons.
en|Forget that the bay has tons of cranes.
en|Forget what I said about the bay.
de|Vergiss nicht, dass der Kran der Bucht 40 Tonnen hebt.
de|Vergiss, dass die Fähre der Bucht 40 Tonnen hebt.
ru|Не забудь, что кран порта поднимает 40 тонн.
tr|Liman vincinin 40 ton kaldırdığını unutma.
zh|别忘了港口吊车能吊40吨。
ja|港のクレーンが40トンを吊ることを忘れないでください。
ko|항구 크레인이 40톤을 운반한다는 것을 잊지 마.
ar|لا تنس أن رافعة الميناء ترفع 40 طنا.
""".strip().splitlines()
)


def forgotten(lang: str, message: str) -> list[str]:
    """The memories of a harbour that a message names, each alone."""
    memories = [entry(f"m_{at}", text) for at, text in enumerate(HARBOURS[lang])]
    asked = find_requests_and_forgets(message, GateSettings())[1]
    found = [named(memories, text) for text in asked]
    return [one[0].text for one in found if len(one) == 1]


@pytest.mark.parametrize(("lang", "message"), FORGETS)
def test_what_is_to_be_forgotten_is_named(lang: str, message: str) -> None:
    assert forgotten(lang, message) == [HARBOURS[lang][0]]
    assert not find_requests_and_forgets(message, GateSettings())[0].found


@pytest.mark.parametrize(("lang", "message"), KEEPS)
def test_what_is_not_to_be_forgotten_is_not_named(lang: str, message: str) -> None:
    assert not forgotten(lang, message)


@pytest.mark.parametrize(
    "message",
    """
Forget about the cranes.
Remove the bay crane from memory when the session ends.
Forget everything, start with the bay crane again.
Forget about the bay crane for now.
Forget about the bay crane. Fix the ferry first.
Forget about the bay crane\\nplease look at the ferry
It is no longer true that the crane test passes, please fix it.
Lösche die Notiz über den Kran aus der README.
Lösche die Notiz zum Kran in docs/harbour.md.
Es stimmt nicht mehr, dass der Krantest durchläuft, behebe das.
Borra la nota sobre la grúa del README.
Ya no es cierto que la prueba de la grúa pasa, arréglalo.
Supprime la note sur la grue du fichier de configuration.
Cancella la nota sulla gru dal README.
Verwijder de notitie over de kraan uit de README.
Удали запись о кране из конфига.
Usuń notatkę o dźwigu z README.
删除关于README里吊车的记录
忘了吊车配置了
从内存中删除吊车缓存
READMEのクレーンについてのメモを削除してください。
クレーンは忘れてください。フェリーを直してください。
README의 크레인에 대한 메모를 삭제해 줘.
크레인은 잊어 줘. 먼저 페리를 고쳐 줘.
""".strip().splitlines(),
)
def test_a_task_forgets_nothing(message: str) -> None:
    assert not find_requests_and_forgets(message.replace("\\n", "\n"), GateSettings())[1]


def test_lines_that_cannot_ask_to_forget_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    forgotten_in = forgets.forgotten
    monkeypatch.setattr(forgets, "forgotten", lambda *line: read.append(1) or forgotten_in(*line))
    message = "Forget that the crane lifts 40 tons.\n" + "the crane\n" * 5_000
    assert find_requests_and_forgets(message, GateSettings())[1]
    assert len(read) < 10


def test_one_word_names_what_was_said_about_it() -> None:
    said = ("We decided to go with Zulip over Xmpp because of the archive.", "Port 80 is closed.")
    said += ("The rules for names are in docs/names.md.",)
    memories = [entry(f"m_{at}", text) for at, text in enumerate(said)]
    (asked,) = find_requests_and_forgets("forget what I said about Zulip", GateSettings())[1]
    assert [one.text for one in named(memories, asked)] == [said[0]]
    assert not named(memories, "Kafka")
    assert not named(memories, "docs")
