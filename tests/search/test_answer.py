"""RC-1: which sentence is the answer, and when there is none."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from wm.formats.workspace_memory import MemoryEntry
from wm.search.answer import AnswerPassage, passage, tokens
from wm.search.documents import Hit
from wm.search.pinned import standing
from wm.settings import RecallSettings

SETTINGS = RecallSettings()
BROKER = "The broker of the staging site is on port 8883."
QUERY = "port of the staging broker"


def entry(name: str, text: str, **fields: Any) -> MemoryEntry:
    when = "2026-11-01T00:00:00.000Z"
    return MemoryEntry(
        id=name, type="project", text=text, source="explicit", created_at=when, updated_at=when
    ).model_copy(update=fields)


def hit(name: str, confidence: float) -> Hit:
    return Hit(name, 1.0, "", confidence)


def answer_to(query: str, *hits: tuple[MemoryEntry, Hit], branch: str | None = None) -> str | None:
    found = passage(query, hits, branch, SETTINGS)
    return None if found is None else found.text


@pytest.mark.parametrize(
    ("fields", "answers"),
    [
        ({}, True),
        ({"pinned": True}, True),
        ({"status": "superseded", "superseded_by": "b"}, False),
        ({"status": "inbox"}, False),
        ({"status": "trashed"}, False),
        ({"tainted": True}, False),
        ({"suspect": "changed"}, False),
        ({"scope": "branch:x"}, False),
    ],
)
def test_only_active_entries_answer(fields: dict[str, Any], answers: bool) -> None:
    found = answer_to(QUERY, (entry("a", BROKER, **fields), hit("a", 1.0)))
    assert found == (BROKER if answers else None)


def test_an_entry_of_a_branch_answers_on_that_branch() -> None:
    own = entry("a", BROKER, scope="branch:x")
    assert answer_to(QUERY, (own, hit("a", 1.0)), branch="x") == BROKER


def test_a_weaker_entry_does_not_answer_in_place_of_an_excluded_one() -> None:
    waiting = (entry("a", BROKER, status="inbox"), hit("a", 1.0))
    weaker = (entry("b", "The broker of the old site is on port 1883."), hit("b", 0.7))
    assert answer_to(QUERY, waiting, weaker) is None


@pytest.mark.parametrize(
    ("best", "second", "answers"),
    [(0.95, 0.4, True), (0.95, 0.9, False), (0.8, 0.4, True), (0.6, 0.1, False), (0.4, 0.0, False)],
)
def test_the_best_entry_must_be_sure_with_a_margin(
    best: float, second: float, answers: bool
) -> None:
    one = (entry("a", BROKER), hit("a", best))
    two = (entry("b", "The broker logs to syslog."), hit("b", second))
    assert (answer_to(QUERY, one, two) is not None) is answers


def test_inactive_entries_do_not_compete() -> None:
    old = entry("b", "The broker was on port 1883.", status="superseded", superseded_by="a")
    assert answer_to(QUERY, (entry("a", BROKER), hit("a", 1.0)), (old, hit("b", 1.0))) == BROKER


@pytest.mark.parametrize(
    ("query", "text", "answers"),
    [
        ("how long are readings kept", "Readings are kept for 14 months.", True),
        ("how long are readings kept", "Readings are kept as long as the law says.", False),
        ("when are readings deleted", "Readings are deleted every Monday.", True),
        ("when are readings deleted", "Readings are deleted by the sweeper.", False),
        ("wie lange bleiben Messwerte", "Messwerte bleiben sieben Tage.", True),
        ("日志保留多少天", "日志保留三十天。", True),
        ("日志保留多少天", "日志保留很久。", False),
        ("苗の発送はいつですか", "苗の発送は火曜日です。", True),
        ("who deletes readings", "Readings are deleted by the sweeper.", True),
        ("readings", "Readings are kept for 14 months.", False),
        ("what was the port before", "The port is 8883.", False),
        ("", "The port is 8883.", False),
    ],
)
def test_the_requested_thing_must_be_named(query: str, text: str, answers: bool) -> None:
    found = answer_to(query, (entry("a", text), hit("a", 1.0)))
    assert found == (text if answers else None)


@pytest.mark.parametrize(
    ("query", "sentences"),
    [
        ("port of the broker", "The broker listens on port 8883."),
        ("Mosquitto", None),
        ("is Mosquitto old", "Mosquitto is old."),
        ("when is the certificate renewed", "Its certificate is renewed in May."),
        (
            "certificate of the broker",
            "The broker listens on port 8883. Its certificate is renewed in May.",
        ),
        ("why is the port 8883", "The broker listens on port 8883. The firewall wants it so."),
    ],
)
def test_the_answer_is_the_sentences_that_cover_the_question(
    query: str, sentences: str | None
) -> None:
    text = "Mosquitto is old. The broker listens on port 8883. Its certificate is renewed in May."
    whole = entry("a", text, rationale="The firewall wants it so.")
    expected = AnswerPassage("a", sentences) if sentences else None
    assert passage(query, [(whole, hit("a", 1.0))], None, SETTINGS) == expected


def test_an_answer_has_at_most_200_tokens() -> None:
    long = "The broker " + "really " * 200 + "is on port 8883."
    assert answer_to(QUERY, (entry("a", long), hit("a", 1.0))) is None
    many = " ".join(f"The broker of site {n} is on port {n}." for n in range(100))
    found = answer_to("port site broker", (entry("a", many), hit("a", 1.0)))
    assert found is not None
    assert tokens(found) <= 200


@pytest.mark.parametrize(("text", "count"), [("", 0), ("four", 1), ("fours", 2), ("种子库存", 4)])
def test_tokens_are_estimated_conservatively(text: str, count: int) -> None:
    assert tokens(text) == count


# --- standing instructions ------------------------------------------------------------------


def pinned(name: str, text: str = "Use tabs.", **fields: Any) -> MemoryEntry:
    return entry(name, text, **{"pinned": True, **fields})


def test_active_pinned_entries_are_in_every_reply() -> None:
    entries = [
        pinned("a"),
        pinned("b", status="superseded"),
        pinned("c", status="inbox"),
        pinned("d", scope="branch:x"),
        pinned("e", pinned=False),
        pinned("f"),
    ]
    found = standing(entries, None, SETTINGS, without={"f"})
    assert ([e.id for e in found.shown], found.omitted) == (["a"], 0)
    on_branch = standing(entries, "x", SETTINGS)
    assert {e.id for e in on_branch.shown} == {"a", "d", "f"}


def test_pinned_entries_are_capped_by_number_and_length_most_important_first() -> None:
    entries = [
        pinned("old", created_at="2026-01-01T00:00:00.000Z"),
        pinned("new", created_at="2026-11-02T00:00:00.000Z"),
        pinned("high", created_at="2026-01-02T00:00:00.000Z", user_importance="high"),
        pinned("long", "x" * 200, created_at="2026-11-03T00:00:00.000Z"),
    ]
    few = replace(SETTINGS, standing_entries=2, standing_chars=100)
    found = standing(entries, None, few)
    assert ([e.id for e in found.shown], found.omitted) == (["high", "new"], 2)
