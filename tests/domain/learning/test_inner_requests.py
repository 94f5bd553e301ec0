"""Requests inside a line, behind thanks, and those taken back (EX-1)."""

from __future__ import annotations

import pytest

from wm.domain.learning import inner_requests
from wm.domain.learning.requests import find_requests
from wm.domain.learning.stated import statements
from wm.domain.payloads.prompt_text import of_user
from wm.settings import GateSettings

GATE = GateSettings()

INSIDE = (
    ("Vergiss nicht: die Rechnungen gehen am 5. raus", "die Rechnungen gehen am 5. raus"),
    ("vergiss nicht: der 1. Stock hat kein WLAN", "der 1. Stock hat kein WLAN"),
    ("vergiss nicht: Freeze ist am 24. und 31. Dezember", "Freeze ist am 24. und 31. Dezember"),
    ("zapamiętaj: faktury wysyłamy 5. dnia miesiąca", "faktury wysyłamy 5. dnia miesiąca"),
    ("unutma: faturalar her ayın 5. günü gider", "faturalar her ayın 5. günü gider"),
    ("Fix it and remember that we use Node 22. Then run it", "we use Node 22"),
    ("Lütfen hatırla, testler Docker ister.", "testler Docker ister"),
    ("Kijk er even naar, en alsjeblieft onthoud: de poort is 5433", "de poort is 5433"),
    ("Fix it and remember that the CI has no network.", "the CI has no network"),
    ("can you fix it and remember that the CI has no network?", "the CI has no network"),
    ("two things: 1) it is red 2) please remember order ids are uuids", "order ids are uuids"),
    ("Thanks! Please keep in mind that Kim reviews all SQL.", "Kim reviews all SQL"),
    ("It works now. (remember this: the sandbox resets at noon)", "the sandbox resets at noon"),
    ("No, not like that. Remember the feed has no images", "the feed has no images"),
    ("undo it, remember this is a kiosk, not a phone", "this is a kiosk, not a phone"),
    ("looks good but keep in mind we're on Java 11", "we're on Java 11"),
    ("nope. remeber we are on Java 11", "we are on Java 11"),
    ("Behebe das und merk dir, dass die API nur JSON kann", "die API nur JSON kann"),
    ("Corrige ça et retiens que la base est partagée", "la base est partagée"),
    ("Arregla eso y recuerda que los precios van sin IVA", "los precios van sin IVA"),
    ("Arruma isso e lembra que o banco é compartilhado", "o banco é compartilhado"),
    ("Sistema il test e ricorda che il database è condiviso", "il database è condiviso"),
    ("Los het op en onthoud dat de database gedeeld is", "de database gedeeld is"),
    ("Popraw to i zapamiętaj, że baza jest wspólna", "baza jest wspólna"),
    ("Исправь и запомни, что база общая", "база общая"),
    ("Bunu düzelt ve unutma: veritabanı ortak", "veritabanı ortak"),
    ("Sửa lỗi này và nhớ rằng cơ sở dữ liệu dùng chung", "cơ sở dữ liệu dùng chung"),
    ("把这个修一下，另外记住：数据库是共享的", "数据库是共享的"),
    ("これを直して。あと覚えておいて：データベースは共有です", "データベースは共有です"),
    ("이거 고치고, 기억해: 데이터베이스는 공유입니다", "데이터베이스는 공유입니다"),
)

TASKS = (
    "「覚えておいて。」というボタンを追加して",
    "単語を覚えて。次の課題",
    "Remember the user's last choice in localStorage and restore it on load",
    "Recuerda el idioma elegido por el usuario en una cookie",
    "I remember that the cache was slow.",
    "I remeber we had a cache there.",
    "Do you remember we talked about it?",
    "Remember the filters of the last visit and restore them",
    "the app should remember which tab was open",
    "i remember that the cache was slow",
    "Do you remember that we talked about it?",
    "from now on the button should say Continue",
    "remember that we use yarn... no wait, never mind, wrong repo",
    "Merk dir, dass der Port 9000 ist. Ach nein, vergiss es, falsches Projekt.",
    "show a dialog where I save this",
    "don't remember this",
)


BEHIND = (
    (
        "The shop id of the demo store is 4711, keep that in mind",
        "The shop id of the demo store is 4711",
    ),
    (
        "The cache key has the locale - please remember this for later.",
        "The cache key has the locale",
    ),
    ("Fix it. The API is read only. Remember that.", "The API is read only"),
    ("Der Drucker kann nur latin-1, merk dir das.", "Der Drucker kann nur latin-1"),
    ("L'imprimante ne connaît que latin-1, retiens-le.", "L'imprimante ne connaît que latin-1"),
    ("La impresora solo entiende latin-1, recuérdalo.", "La impresora solo entiende latin-1"),
    ("A impressora só entende latin-1, lembre disso.", "A impressora só entende latin-1"),
    ("La stampante capisce solo latin-1, ricordatelo.", "La stampante capisce solo latin-1"),
    ("De printer snapt alleen latin-1, onthoud dat.", "De printer snapt alleen latin-1"),
    ("Drukarka rozumie tylko latin-1, zapamiętaj to.", "Drukarka rozumie tylko latin-1"),
    ("Принтер понимает только latin-1, запомни это.", "Принтер понимает только latin-1"),
    ("Yazıcı sadece latin-1 anlıyor, bunu unutma.", "Yazıcı sadece latin-1 anlıyor"),
    ("打印机只认 latin-1，记住这一点。", "打印机只认 latin-1"),
)


@pytest.mark.parametrize(("message", "fact"), [*INSIDE, *BEHIND])
def test_a_request_inside_a_line_is_found(message: str, fact: str) -> None:
    assert [one.text.rstrip(".。") for one in find_requests(message, GATE).found] == [fact]


@pytest.mark.parametrize("message", TASKS)
def test_tasks_recollections_and_withdrawn_requests_are_not_requests(message: str) -> None:
    assert find_requests(message, GATE).found == ()


TAILS = {
    "The drawbridge opens at 18:00, don't forget.": "Now add a test.",
    "Die Zugbrücke öffnet um 18:00, bitte nicht vergessen.": "Jetzt schreib einen Test.",
    "Le pont se lève à 18h, ne l'oublie pas.": "Maintenant ajoute un test.",
    "El puente se abre a las 18, no lo olvides.": "Ahora añade un test.",
    "A ponte abre às 18h, não esqueças.": "Agora adiciona um teste.",
    "Il ponte si apre alle 18, non dimenticarlo.": "Ora aggiungi un test.",
    "De brug gaat om 18:00 open, niet vergeten.": "Voeg nu een test toe.",
    "Bron öppnar 18:00, glöm inte det.": "Lägg nu till ett test.",
    "Most otwiera się o 18, nie zapomnij.": "Teraz dodaj test.",
    "Мост открывается в 18:00, не забудь.": "Теперь добавь тест.",
    "Köprü saat 18'de açılır, bunu unutma.": "Teşekkürler!",
    "Cầu mở lúc 18 giờ, đừng quên nhé.": "Giờ thêm test đi.",
    "桥在 18 点打开，请记住。": "然后加个测试。",
    "橋は 18 時に開くと覚えて。": "よろしく",
    "橋は 18 時に開くと覚えておいてください。": "次はテストを追加して。",
    "다리는 18시에 열린다고 기억해 줘.": "고마워",
    "다리는 18시에 열려, 잊지 마.": "이제 테스트 추가해 줘.",
    "الجسر يفتح الساعة 18، لا تنس ذلك.": "الآن أضف اختبارا.",
    "पुल 18 बजे खुलता है, मत भूलना।": "अब टेस्ट जोड़ो।",
}
BACK = {
    "Remember that the bridge opens at 18:00.": "Scratch that, wrong repo.",
    "Merk dir, dass die Brücke um 18:00 öffnet.": "Ach nein, vergiss das wieder.",
    "Retiens que le pont se lève à 18h.": "Non, oublie ça, mauvais dépôt.",
    "Recuerda que el puente se abre a las 18.": "Bueno, no, olvídalo, no está decidido.",
    "Lembra que a ponte abre às 18h.": "Não, esquece isso, projeto errado.",
    "Ricorda che il ponte si apre alle 18.": "No, lascia perdere, progetto sbagliato.",
    "Onthoud dat de brug om 18:00 opengaat.": "Nee, laat maar, verkeerd project.",
    "Zapamiętaj, że most otwiera się o 18.": "Nie, zapomnij, nie ten projekt.",
    "Запомни, что мост открывается в 18:00.": "Нет, забудь, не тот проект.",
    "Unutma: köprü saat 18'de açılır.": "Yok, unut gitsin, yanlış proje.",
    "Nhớ rằng cầu mở lúc 18 giờ.": "Thôi bỏ qua, nhầm dự án.",
    "记住桥在 18 点打开。": "算了，当我没说，我看错项目了",
    "橋は 18 時に開くと覚えて。": "あ、やっぱり忘れて、別の案件だった",
    "다리는 18시에 열린다고 기억해 줘.": "아니다, 잊어 줘, 다른 프로젝트였어.",
    "تذكر أن الجسر يفتح الساعة 18.": "لا، انس الأمر، مشروع آخر.",
    "याद रखो कि पुल 18 बजे खुलता है।": "नहीं, भूल जाओ, गलत प्रोजेक्ट।",
}


@pytest.mark.parametrize("asked", TAILS)
@pytest.mark.parametrize("more", [False, True])
def test_a_request_behind_a_fact_keeps_the_fact_not_what_follows(asked: str, more: bool) -> None:
    message = f"{asked} {TAILS[asked]}" if more else asked
    (found,) = find_requests(message, GATE).found
    assert "18" in found.text
    assert len(found.text) < len(asked) - 3


@pytest.mark.parametrize(
    "message",
    [
        "Rename the variable first, don't forget.",
        "Füge den Fall hinzu, nicht vergessen.",
        "Ajoute le cas, ne l'oublie pas. Merci",
        "Añade el caso, no lo olvides.",
        "Dodaj przypadek, nie zapomnij.",
        "Добавь случай, не забудь.",
        "ケースを追加して、忘れないで。",
        "케이스 추가해, 잊지 마.",
        "改一下标题，别忘了。",
    ],
)
def test_a_task_that_is_not_to_be_forgotten_is_a_task(message: str) -> None:
    found = find_requests(message, GATE)
    assert (found.found, found.unsure) == ((), ())


@pytest.mark.parametrize(
    "line",
    [
        "> We ship with npm, remember that. The port is 9000, remember that.",
        "> 出荷は npm だと覚えて。ポートは 9000 と覚えて。",
        "    We ship with npm, remember that. The port is 9000, remember that.",
        "2026-11-30 07:00:00 INFO We ship with npm, remember that. Port 9000, remember that.",
        "```\nWe ship with npm, remember that. The port is 9000, remember that.\n```",
    ],
)
def test_no_sentence_of_a_line_that_another_wrote_is_a_request(line: str) -> None:
    found = find_requests(f"{line}\n\nWhat do you think of it?", GATE)
    assert (found.found, found.unsure) == ((), ())


@pytest.mark.parametrize("asked", BACK)
def test_what_the_next_sentence_takes_back_is_neither_kept_nor_learned(asked: str) -> None:
    assert find_requests(asked, GATE).found != ()
    message = f"{asked} {BACK[asked]}"
    requests = find_requests(message, GATE)
    assert (requests.found, requests.unsure, statements(message)) == ((), (), ())


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("橋を直した。門は 9 時だと覚えておいて。", "門は 9 時だ"),
        ("覚えておいて。門は 9 時", "門は 9 時"),
        ("あと、覚えておいて。門は 9 時", "門は 9 時"),
        ("これを覚えておいて：門は 9 時。ありがとう", "門は 9 時。"),
        ("기억해 줘: 항구 문은 9시. 고마워", "항구 문은 9시."),
    ],
)
def test_the_fact_is_one_sentence_beside_its_verb(message: str, fact: str) -> None:
    assert [one.text for one in find_requests(message, GATE).found] == [fact]


@pytest.mark.parametrize(
    "message",
    [
        "Bitte merk dir: das Tor klemmt bei 30 Grad. Und merk dir auch, dass es um 7 öffnet.",
        "Retiens bien : la porte coince à 30 degrés, et retiens aussi qu'elle s'ouvre à 7 h.",
        "Recuerda: la puerta se atasca a 30 grados. Y recuerda también que abre a las 7.",
        "Lembra: o portão emperra a 30 graus\ne lembra também que abre às 7",
        "Ricorda: il portone si blocca a 30 gradi. E ricorda anche che apre alle 7.",
        "Onthoud: de poort klemt bij 30 graden, en onthoud ook dat hij om 7 uur opengaat.",
        "Zapamiętaj: brama zacina się przy 30 stopniach. I zapamiętaj też, że otwiera się o 7.",
        "Запомни: ворота клинит при 30 градусах. И ещё запомни, что они открываются в 7.",
        "Şunu unutma: kapı 30 derecede sıkışır. Bir de şunu unutma: 7'de açılır.",
        "Hãy nhớ: cổng kẹt ở 30 độ. Và cũng nhớ rằng cổng mở lúc 7 giờ.",
    ],
)
def test_a_second_request_that_says_also_is_one_of_its_own(message: str) -> None:
    first, second = [one.text for one in find_requests(message, GATE).found]
    assert ("30" in first, "7" in first) == (True, False)
    assert ("30" in second, "7" in second) == (False, True)


def test_several_requests_of_one_message_are_found() -> None:
    message = "fix it and remember that CI has no network. Also note: the port is 7443."
    found = [one.text for one in find_requests(message, GATE).found]
    assert found == ["CI has no network", "the port is 7443"]
    message = "Remember that CI has no network and remember that the port is 7443"
    found = [one.text for one in find_requests(message, GATE).found]
    assert found == ["CI has no network", "the port is 7443"]


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("onthoud: de server herstart op zondag", "de server herstart op zondag"),
        ("ok do it. and please remember that CI has no network", "CI has no network"),
        ("Đừng quên rằng cơ sở dữ liệu dùng chung", "cơ sở dữ liệu dùng chung"),
        ("改一下标题，顺便记住我们用 rem", "我们用 rem"),
    ],
)
def test_a_word_before_a_colon_is_not_a_programs_name_if_it_asks(message: str, fact: str) -> None:
    assert [one.text for one in find_requests(message, GATE).found] == [fact]


@pytest.mark.parametrize("command", ["/remember the port is 7443", "/wm:remember the port is 7443"])
def test_the_command_of_an_agent_is_a_request(command: str) -> None:
    assert [r.text for r in find_requests(of_user(command), GATE).found] == ["the port is 7443"]
    assert of_user("/compact now") == ""


ONCE = {
    "the queue name is orders.v3 - remember that please": "the queue name is orders.v3",
    "For the record, please memorize: fiscal year starts in April.": "fiscal year starts in April",
    "/remember the docs are built with mkdocs": "the docs are built with mkdocs",
    "Keep this in mind for all future sessions: tests run with TZ=UTC": "tests run with TZ=UTC",
    "I want you to remember we never rebase shared branches": "we never rebase shared branches",
    "from now on we use pnpm, remember that": "we use pnpm",
    "from now on the port is 7443 (remember this)": "the port is 7443",
    "rule: never push to main, remember this": "never push to main",
    "ab jetzt nur noch pnpm, merk dir das": "nur noch pnpm",
    "a partir de ahora usamos pnpm, recuérdalo": "usamos pnpm",
    "今後はpnpmを使います、覚えておいて": "pnpmを使います",
    "from now on it is read-only, remember that until friday": "it is read-only (until friday)",
}


@pytest.mark.parametrize("message", ONCE)
def test_words_around_a_request_are_not_a_second_one(message: str) -> None:
    assert [one.text for one in find_requests(message, GATE).found] == [ONCE[message]]


@pytest.mark.parametrize(
    ("message", "found", "unsure"),
    [
        ("fix it. Note: I had errors 12 and 40 for all 300 files", 0, 1),
        ("fix it. Note: another agent is writing the README", 0, 1),
        ("Note: never edit gen/ by hand", 1, 0),
        ("Fix it and note: the port is 7443", 1, 0),
    ],
)
def test_a_note_about_the_task_waits(message: str, found: int, unsure: int) -> None:
    asked = find_requests(message, GATE)
    assert (len(asked.found), len(asked.unsure)) == (found, unsure)


def test_a_request_in_the_middle_of_a_pasted_document_waits() -> None:
    lines = "The tide table is printed once a year, and the crane works at night. " * 5 + "\n"
    request = "Remember that the port is 7443."
    for message, certain in (
        (f"{request}\n{lines * 40}", True),
        (f"{lines * 20}{request}\n{lines * 20}", False),
        (f"{lines * 40}{request}", True),
    ):
        asked = find_requests(message, GATE)
        assert [one.text for one in asked.found] == (["the port is 7443."] if certain else [])
        assert len(asked.found + asked.unsure) == 1


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("the berth is slots[0], keep that in mind", "the berth is slots[0]"),
        ("the pier is (north), keep that in mind", "the pier is (north)"),
        ("weld it and remember that the port is 5433 (not 5432)", "the port is 5433 (not 5432)"),
        ("weld it (and remember that the port is 5433)", "the port is 5433"),
        ('"the port is 5433", keep that in mind', "the port is 5433"),
        ("the host is called 'pia', remember that", "the host is called 'pia'"),
        ("the crane isn't 'pia', remember that", "the crane isn't 'pia'"),
        ("weld it and remember that -n is a dry run", "-n is a dry run"),
    ],
)
def test_brackets_and_quotes_of_a_part_stay(message: str, kept: str) -> None:
    assert [one.text for one in find_requests(message, GATE).found] == [kept]


SAME = (
    ("Sort imports by length. From now on always like this.", "Sort imports by length."),
    ("Commits auf Deutsch. Ab jetzt immer so, danke.", "Commits auf Deutsch."),
    ("Usa tabs. De ahora en adelante igual.", "Usa tabs."),
    ("Écris les tests avec vitest. Désormais toujours comme ça.", "Écris les tests avec vitest."),
    ("Пиши комментарии по-русски. Впредь всегда так.", "Пиши комментарии по-русски."),
    ("コミットは日本語で書いてください。今後も同じです。", "コミットは日本語で書いてください。"),
    ("커밋 메시지는 한국어로 써줘. 앞으로 항상 이렇게", "커밋 메시지는 한국어로 써줘."),
    ("Sort berths by name.\nGoing forward, do it this way.", "Sort berths by name."),
    ("Sort berths by name.\n\nFrom now on: like this", "Sort berths by name."),
    ("I like this. Sort berths by name. From now on like this.", "Sort berths by name."),
    ("Keep the same order of berths.\nFrom now on: the same", "Keep the same order of berths."),
    ("Sort berths by name. In future, always do it like that.", "Sort berths by name."),
    ("Use tabs for code.\nFrom now on: always like this.", "Use tabs for code"),
)  # fmt: skip


@pytest.mark.parametrize(("message", "fact"), SAME)
def test_a_request_that_points_back_keeps_the_sentence_before_it(message: str, fact: str) -> None:
    assert [one.text for one in find_requests(message, GATE).found] == [fact]


@pytest.mark.parametrize(
    "message",
    [
        "From now on like this.",
        "Is that right? From now on do that.",
        "今后都这样。",
        "Perfect. From now on always like this.",
        "great, thanks! from now on do it like this",
        "The build is red again. From now on always like this please",
    ],
)
def test_a_request_that_points_back_at_nothing_is_ignored(message: str) -> None:
    found = find_requests(message, GATE)
    assert found.found == ()
    assert [one.code for one in found.ignored] == ["empty_request"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("on this branch the tests run with tox", True),
        ("the port is 7443 (for this branch only)", True),
        ("this branch uses tox", True),
        ("never rebase this branch", True),
        ("auf diesem Branch laufen die Tests mit tox", True),
        ("на этой ветке используем pnpm", True),
        ("这个分支用 pnpm", True),
        ("this branch of the parser handles nested quotes", False),
        ("this branch office in Lyon uses Euro prices", False),
        ("dieser Zweig des Baums enthält nur Blätter", False),
        ("esta rama del árbol nunca tiene hijos", False),
        ("这个分支的解析器很慢", False),
    ],
)
def test_a_branch_of_something_is_not_the_one_that_is_checked_out(text: str, names: bool) -> None:
    assert inner_requests.names_this_branch(text) == names


@pytest.mark.parametrize(
    ("message", "kept"),
    [("Remember: in our tests, vitest", ["in our tests, vitest"]),
     ("Remember that on the main branch", []),
     ("remember that [private]", []),
     ("Remember that the port is 80 [private]", ["the port is 80 [private]"])],
)  # fmt: skip
def test_where_alone_or_a_private_part_alone_is_no_fact(message: str, kept: list[str]) -> None:
    assert [one.text for one in find_requests(message, GATE).found] == kept


@pytest.mark.parametrize(
    "message",
    [
        "scratch that, the port is still 25",
        "vergiss das, der port bleibt 25",
        "забудь, port остаётся 25",
    ],
)
def test_a_message_that_says_what_stays_takes_the_last_one_back(message: str) -> None:
    assert inner_requests.takes_back(message, "the port is 2525")
    assert not inner_requests.takes_back(message, "the docs moved to Astro")
