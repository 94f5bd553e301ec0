"""WM-5: which texts state the same fact, which contradict each other, and which only share a
subject (WM-8)."""

from __future__ import annotations

import pytest

from tests.domain.change.pair_cases import AGAINST, APART, FRESH, MERGE, PAIRS, SAME
from wm.domain.change.contradiction import contradict, proposition
from wm.domain.change.same_fact import IDENTITY_TYPES, fact_statement, identity, same_fact
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
        ("Charts are in piers/.", "piers"),
        ("Moored w/ two ropes", ""),
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
        (
            "lib/berth.py holds the pier's tide rules.",
            "Tide rules of the pier are in lib/berth.py.",
        ),
        ("docs/tides.md documents the tide table.", "See docs/tides.md for the tide table."),
        ("`make charts` fills data/charts.json.", "data/charts.json is filled by `make charts`."),
        ("piers/ contains the berth lists.", "The berth lists live in piers/."),
        ("v1 tides are read by lib/tide.py.", "lib/tide.py reads v1 tides."),
        ("docs/kai.md enthält den Fahrplan.", "Der Fahrplan steht in docs/kai.md."),
        ("docs/muelle.md define los turnos.", "Los turnos se definen en docs/muelle.md."),
        ("docs/quai.md décrit les marées.", "Les marées sont décrites dans docs/quai.md."),
        ("docs/cais.md contém a tabela.", "A tabela está em docs/cais.md."),
        ("docs/port.md описывает причалы.", "Причалы описаны в docs/port.md."),
        ("潮位は data/tide.csv にある。", "data/tide.csv に潮位がある。"),
        ("표는 data/tide.csv 에 있다.", "data/tide.csv 에 표가 있다."),
        ("潮汐表在 data/tide.csv 里。", "data/tide.csv 里有潮汐表。"),
    ],
)
def test_one_fact_in_two_word_orders_is_the_same(a: str, b: str) -> None:
    assert same_fact(fact_statement(a), fact_statement(b))
    assert same_fact(fact_statement(b), fact_statement(a))


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
        ("docs/g.md: crews of ships", "docs/g.md: ships of crews"),
        ("The pilot depends on lib/a.ts.", "lib/a.ts depends on the pilot."),
        ("The chart is made from lib/a.csv.", "lib/a.csv is made from the chart."),
        ("lib/a.py restarts the dock crane.", "lib/a.py restarts the dock for the crane."),
        ("lib/a.py checks tolls for the pier.", "The pier checks tolls in lib/a.py."),
        ("Ferries were replaced by lib/bus.ts.", "lib/bus.ts was replaced by ferries."),
        ("lib/a.py exports tides.", "Tides are exposed in lib/a.py."),
        ("lib/a.py lists the ES hosts.", "lib/a.py lists the hosts."),
        ("Las rutas van de data/in a la base.", "Las rutas van de la base a data/in."),
        ("data/tide.csv に潮位がない。", "data/tide.csv に潮位がある。"),
        ("data/tide.csv 里没有潮汐表。", "data/tide.csv 里有潮汐表。"),
    ],
)
def test_two_facts_about_one_subject_are_different(a: str, b: str) -> None:
    assert not same_fact(fact_statement(a), fact_statement(b))


def test_a_very_long_text_is_parsed_in_linear_time() -> None:
    text = "a/" * 100_000 + " " + "x" * 100_000
    assert fact_statement(text).words
    assert not contradict(proposition(text), proposition(text))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("docs/tides.md defines the ebb.", "docs/tides.md defines the flood.", False),
        ("BERTH_LIMIT is 3.", "BERTH_LIMIT is 4.", True),
        ("Delays are Unix seconds.", "Delays are Unix milliseconds.", True),
        ("Autoriser l'accès au quai nord.", "Interdire l'accès au quai nord.", True),
        ("出港前に潮位を確かめる。", "出港前に潮位を確かめない。", True),
    ],
)
def test_words_decide_whether_two_texts_contradict(a: str, b: str, expected: bool) -> None:
    assert contradict(proposition(a), proposition(b)) is expected
    assert contradict(proposition(b), proposition(a)) is expected


@pytest.mark.parametrize(("relation", "kind", "a", "b"), PAIRS + FRESH)
def test_pairs_of_entries_get_the_labelled_relation(
    relation: str, kind: str, a: str, b: str
) -> None:
    same = canonical(a) == canonical(b)
    same = same or (kind in IDENTITY_TYPES and same_fact(fact_statement(a), fact_statement(b)))
    against = not same and contradict(proposition(a), proposition(b))
    assert contradict(proposition(b), proposition(a)) is contradict(proposition(a), proposition(b))
    assert (same, against) == {
        MERGE: (True, False),
        SAME: (same, False),
        AGAINST: (False, True),
        APART: (False, False),
    }[relation]
