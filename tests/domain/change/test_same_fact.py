"""WM-5: which texts state the same fact, which contradict each other, and which only share a
subject (WM-8)."""

from __future__ import annotations

import pytest

from tests.domain.change.pair_cases import AGAINST, APART, FRESH, MERGE, PAIRS, SAME
from wm.domain.change.contradiction import contradict, proposition
from wm.domain.change.same_fact import IDENTITY_TYPES, identity, same_fact, statement
from wm.text.letters import canonical


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See https://Wiki.Example.org/Ops/#top.", "wiki.example.org/Ops"),
        ("Search at <https://e.example/find?q=1>, please", "e.example/find?q=1"),
        ("src/app.ts talks to https://api.example/", "api.example"),
        ("The parser is in ./src/p.ts:12", "src/p.ts"),
        ("Config: `deploy/prod`", "deploy/prod"),
        ("The parser is in `src/p.ts`.", "src/p.ts"),
        ("See (https://e.example/x).", "e.example/x"),
        ("docker-compose.yml exposes it", "docker-compose.yml"),
        ("Logs are under /var/log/app/", "/var/log/app"),
        ("Notes live in docs/plan", "docs/plan"),
        ("Sockets use TCP/IP here", ""),
        ("On call 24/7, and/or at night", ""),
        ("Client/server clocks differ", ""),
        ("We use Node.js", ""),
        ("Version 3.11 is pinned, e.g. here", ""),
        ("", ""),
    ],
)
def test_identity_is_a_url_or_a_real_path(text: str, expected: str) -> None:
    assert identity(text) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("src/theme.ts defines all colours.", "All colours are defined in src/theme.ts."),
        ("The API contract is in docs/api.yaml", "docs/api.yaml holds the contract of the API."),
        (
            "https://graf.example/d/1 is the ingest dashboard.",
            "The dashboard for ingest is https://graf.example/d/1",
        ),
    ],
)
def test_one_fact_in_two_word_orders_is_the_same(a: str, b: str) -> None:
    assert same_fact(statement(a), statement(b))
    assert same_fact(statement(b), statement(a))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("src/mail.ts escapes variables.", "src/mail.ts inlines styles."),
        ("src/a.ts imports zod", "zod imports src/a.ts"),
        ("src/a.ts: Parser calls Lexer_2", "src/a.ts: Lexer_2 calls Parser"),
        ("src/auth.ts waits 5 seconds", "src/auth.ts waits 30 seconds"),
        ("src/auth.ts moved from 20 to 22", "src/auth.ts moved from 22 to 20"),
        ("src/gen may be edited", "src/gen may not be edited"),
        ("src/a.py is old", "src/a.pyi is old"),
        ("docs/x.md: the api calls the worker", "docs/x.md: the worker calls the api"),
        ("Tests need docker", "Docker need tests"),
    ],
)
def test_two_facts_about_one_subject_are_different(a: str, b: str) -> None:
    assert not same_fact(statement(a), statement(b))


def test_a_very_long_text_is_parsed_in_linear_time() -> None:
    text = "a/" * 100_000 + " " + "x" * 100_000
    assert statement(text).words
    assert not contradict(proposition(text), proposition(text))


@pytest.mark.parametrize(("relation", "kind", "a", "b"), PAIRS + FRESH)
def test_pairs_of_entries_get_the_labelled_relation(
    relation: str, kind: str, a: str, b: str
) -> None:
    same = canonical(a) == canonical(b)
    same = same or (kind in IDENTITY_TYPES and same_fact(statement(a), statement(b)))
    against = not same and contradict(proposition(a), proposition(b))
    assert contradict(proposition(b), proposition(a)) is contradict(proposition(a), proposition(b))
    assert (same, against) == {
        MERGE: (True, False),
        SAME: (same, False),
        AGAINST: (False, True),
        APART: (False, False),
    }[relation]
