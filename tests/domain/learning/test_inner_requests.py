"""Requests inside a line, behind thanks, and those taken back (EX-1)."""

from __future__ import annotations

import pytest

from wm.domain.learning.requests import find_requests
from wm.domain.payloads.prompt_text import of_user
from wm.settings import GateSettings

GATE = GateSettings()

INSIDE = (
    ("Lütfen hatırla, testler Docker ister.", "testler Docker ister"),
    ("Kijk er even naar, en alsjeblieft onthoud: de poort is 5433", "de poort is 5433"),
    ("Fix it and remember that the CI has no network.", "the CI has no network"),
    ("can you fix it and remember that the CI has no network?", "the CI has no network"),
    ("two things: 1) it is red 2) please remember order ids are uuids", "order ids are uuids"),
    ("Thanks! Please keep in mind that Kim reviews all SQL.", "Kim reviews all SQL"),
    ("It works now. (remember this: the sandbox resets at noon)", "the sandbox resets at noon"),
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
    "Remember the user's last choice in localStorage and restore it on load",
    "Recuerda el idioma elegido por el usuario en una cookie",
    "I remember that the cache was slow.",
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
}


@pytest.mark.parametrize("message", ONCE)
def test_politeness_around_a_request_is_not_a_second_one(message: str) -> None:
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
