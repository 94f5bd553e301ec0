"""Fit the weights by which a statement changes an older one, and write their data files.

    python -m tests.bench fit_change [--check]

Two models: whether a statement says that something changed (`change_words.toml`), and whether one
that does changes another statement (`change_pairs.toml`). Trains on `change_cases.txt` (a
statement, what changes it, what only looks like that), the statements of `change_projects.txt`
(each with all later ones of its project), and the cases of tests/domain. Every third row and
project is kept back. --check writes nothing: it reports what the weights find in the kept ones,
also for each change beside 20 unrelated statements of its language, and in a memory of these.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.fitting import Example, Fitted, Limits, as_toml, fit, left_out, run, tenths
from tests.domain.change import change_cases
from tests.domain.change.change_cases import ALIKE, CHANGED, INHERITED, TAKES_PLACE
from tests.domain.memory.memories import NOW, SETTINGS, entry, memory
from tests.domain.memory.test_change import BOTH_HOLD, REPLACES
from wm.domain.change import compare
from wm.domain.change.compare import ALONE, Change, Pair, Rarity, judge
from wm.domain.change.statement import ParsedStatement, reading
from wm.domain.memory.consolidate import MemoryEditor, rarities
from wm.text.linear_model import LinearModel
from wm.text.patterns import words as word_set

CASES = Path(__file__).with_name("change_cases.txt")
PROJECTS = Path(__file__).with_name("change_projects.txt")
MESSAGES = Path(__file__).with_name("stated_messages.jsonl")
KEPT_MESSAGES = Path(__file__).with_name("stated_messages_kept.jsonl")
STATEMENT = re.compile(r"\{\{(.+?)\}\}")
MESSAGE_WEIGHT = 0.6
MEMORY_WEIGHT = 0.6
"""There are many of these pairs, and hardly one is hard to tell from a change."""
NEXT = 12
"""Later messages that a statement is compared with."""

FOLDER = Path(compare.__file__).parent
HEAD = "# Weights of `{}` (WM-8), made by `python -m tests.bench fit_change`.\n"
WORDS = Limits(least=10, least_of_words=12, ridge=4.0)
PAIRS = Limits(least=8, ridge=20.0)
PAIRED = word_set(
    """about_another added_amount added_plain>2 added_value clauses>1 coverage>0.99 denies
    exchanges_value far_best first_added first_lost is_ours lost_value names_old
    names_old_alone naming>1 nothing_lost other_case other_subject over_value related>1
    renames rules:none rules:replaces rules:unclear same_action same_leads says>0 says>1
    shared>1 shared_of_new>0.34 shared_of_old>0.34 shared_tail unmarked"""
)
"""Features of a pair whose combinations have weights of their own."""
COMBINING = LinearModel({}, PAIRED, {})
TEST_WEIGHT = 8.0
"""Weight of the pairs of the tests that must be decided rightly."""


MEMORY_SIZE = 20
"""Statements of one simulated memory."""


class Row(NamedTuple):
    """A pair of statements. known: all entries of the memory; the older one, if empty."""

    old: str
    new: str
    wanted: bool
    lang: str
    group: str
    weight: float = 1.0
    known: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        return self.group.endswith(" kept")


def main(argv: Sequence[str]) -> int:
    return run("fit_change", argv, files, check)


def check() -> None:
    rows = _rows()
    report(rows)
    report_memories(rows)


def files() -> dict[Path, str]:
    rows = [row for row in _rows() if not row.kept]
    texts = list(says_change(row for row in rows if row.group[:4] not in ("mess", "memo")))
    words = fit(texts, WORDS)
    parts = left_out(texts, tenths, WORDS)
    saying = {one.text: found.score(one) for _, found, own in parts for one in own}
    saying |= {row.new: score_of(row.new, words) for row in rows if row.new not in saying}
    pairs = fit([e for row in rows if (e := example(row, saying[row.new]))], PAIRS)
    models = (("change_words", words, ()), ("change_pairs", pairs, PAIRED))
    return {
        FOLDER / f"{name}.toml": as_toml(weights, HEAD.format(name), paired)
        for name, weights, paired in models
    }


def _rows() -> list[Row]:
    return [*of_cases(), *of_projects(), *of_messages(), *of_tests(), *of_memories()]


def of_cases() -> Iterator[Row]:
    for number, row in enumerate(lines(CASES)):
        lang, old, changed, last = row.split("|")
        alike = last.removeprefix("+")
        kept = number % 3 == 2 or alike != last
        group = f"row {number}{' kept' if kept else ''}"
        yield Row(old, changed, True, lang, group)
        yield Row(old, changed, True, lang, group, 0.5, (old, alike))
        yield Row(old, alike, False, lang, group)
        yield Row(alike, changed, False, lang, group, 0.5, (old, alike))


def of_memories() -> Iterator[Row]:
    """Each change with every older statement of a memory: those of its own row and of other rows of
    its language."""
    found: dict[tuple[str, bool], list[tuple[str, str]]] = {}
    for number, row in enumerate(lines(CASES)):
        lang, old, changed, last = row.split("|")
        kept = number % 3 == 2 or last[0] == "+"
        found.setdefault((lang, kept), []).append((old, changed))
    for (lang, kept), all_rows in found.items():
        for at in range(0, len(all_rows), MEMORY_SIZE):
            rows = all_rows[at : at + MEMORY_SIZE]
            known = tuple(old for old, _ in rows)
            group = f"memory {lang} {at}{' kept' if kept else ''}"
            for old in known:
                for own, changed in rows:
                    yield Row(old, changed, own == old, lang, group, MEMORY_WEIGHT, known)


def of_projects() -> Iterator[Row]:
    projects: list[tuple[str, list[tuple[str, str]]]] = []
    for row in lines(PROJECTS):
        if row.startswith("= "):
            projects.append((row[2:], []))
        else:
            fact, _, later = row.partition(" | ")
            projects[-1][1].append((fact, later))
    for number, (lang, said) in enumerate(projects):
        group = f"project {number}{' kept' if number % 3 == 2 else ''}"
        facts = tuple(fact for fact, _ in said)
        for at, (fact, later) in enumerate(said):
            for new in (*facts[at + 1 :], *(change for _, change in said if change)):
                yield Row(fact, new, new == later, lang, group, 1.0 if new == later else 2.0, facts)


def of_messages() -> Iterator[Row]:
    """Each statement of the messages of `fit_stated` with what is said next in its language: mostly
    of the same project, about other things."""
    for kept, path in ((False, MESSAGES), (True, KEPT_MESSAGES)):
        said = [json.loads(row) for row in path.read_text("utf-8").splitlines()]
        for at, known in enumerate(said):
            group = f"message {at // 50}{' kept' if kept else ''}"
            for old in STATEMENT.findall(known["marked"]):
                for row in said[at + 1 : at + 1 + NEXT]:
                    new = (STATEMENT.findall(row["marked"]) or [row["marked"]])[0]
                    if row["lang"] == known["lang"] and row["kind"] != "change" and new != old:
                        yield Row(old, new, False, row["lang"], group, MESSAGE_WEIGHT)


def of_tests() -> Iterator[Row]:
    for number, (lang, _, old, new) in enumerate(CHANGED):
        yield Row(old, new, True, lang, f"changed {number}")
    for number, (lang, _, old, new) in enumerate(ALIKE):
        yield Row(old, new, False, lang, f"alike {number}", 3.0)
    for number, (lang, new, old, other) in enumerate(INHERITED):
        yield Row(old, new, True, lang, f"inherited {number}")
        yield Row(other, new, False, lang, f"inherited {number}", TEST_WEIGHT)
    rows = [(True, REPLACES), (False, BOTH_HOLD)]
    rows += [(True, [row[1:] for row in TAKES_PLACE])]
    rows += [(False, [row[1:] for row in change_cases.BOTH_HOLD])]
    for wanted, pairs in rows:
        for number, (old, new) in enumerate(pairs):
            yield Row(old, new, wanted, "", f"plain {number}", TEST_WEIGHT)


def lines(path: Path) -> list[str]:
    return [row for row in path.read_text("utf-8").splitlines() if row and row[0] != "#"]


def says_change(rows: Iterable[Row]) -> Iterator[Example]:
    """Each statement once, with whether it changes something. Left out: one of the tests that is
    a change for its other value alone."""
    rows = list(rows)
    seen = {r.new for r in rows if r.wanted and r.group[:5] == "plain"}
    wanted = [(row.new, True, row) for row in rows if row.wanted]
    others = [(text, False, row) for row in rows for text in (row.old, row.new)]
    for text, true, row in (*wanted, *others):
        if text not in seen:
            seen.add(text)
            said = reading(text)
            yield Example(text, said.script, said.phrases, true, row.lang, row.group)


def score_of(text: str, words: Fitted) -> float:
    said = reading(text)
    return words.score(Example(text, said.script, said.phrases, True, "", ""))


def example(row: Row, saying: float) -> Example | None:
    """A pair that the model is asked about. saying: the score of the newer one."""
    new = reading(row.new)
    pair = Pair(new, reading(row.old))
    if not pair.shares_content:
        return None
    found = compare.features(pair, rarity(row, new), saying, compare.by_rules(pair))
    found |= {*COMBINING.pairs(found)}
    # "zh": an empty text has no marks of its beginning and end.
    return Example("", "zh", found, row.wanted, row.lang, row.group, row.weight)


def report(rows: Sequence[Row]) -> None:
    """What the written weights find in the kept rows."""
    for kind in ("row", "memory", "project", "message"):
        for english in (True, False):
            own = [r for r in rows if r.kept and r.group.startswith(kind)]
            own = [r for r in own if (r.lang == "en") is english]
            shares = []
            for wanted in (True, False):
                found = Counter(verdict(row) for row in own if row.wanted is wanted)
                sure, asked = found[Change.REPLACES] + found[Change.DIFFERS], found[Change.UNCLEAR]
                name = "changes" if wanted else "others"
                shares.append(f"{name}: {sure} replace, {asked} asked about, of {found.total()}")
            print(f"  {kind:9} {'en' if english else '..'} {'; '.join(shares)}")


def report_memories(rows: Iterable[Row]) -> None:
    """What each kept change does to a memory of `MEMORY_SIZE` entries: of several that it would
    replace pair by pair, the memory replaces one."""
    memories: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.kept and row.group.startswith("memory"):
            memories.setdefault((row.group, row.new), []).append(row)
    right, wrong = Counter[str](), Counter[str]()
    for (_, new), beside in memories.items():
        known = (entry(f"m_{n}", r.old, **ASKED_FOR) for n, r in enumerate(beside))
        stated = entry("m_new", new, source="stated")
        done = MemoryEditor(memory(*known)).admit(stated, now=NOW, settings=SETTINGS).memory
        for row, after in zip(beside, done.entries, strict=False):
            asked = "asked" if after.conflicts else ""
            what = "replaced" if after.status == "superseded" else asked
            (right if row.wanted else wrong)[what] += 1
    for name, found in (("changed", right), ("others", wrong)):
        of = f"of {found.total():,} entries"
        print(f"  {name:9} {found['replaced']} replaced, {found['asked']} asked about, {of}")


ASKED_FOR = {"source": "explicit", "created_at": "2026-01-01T00:00:00Z"}


def verdict(row: Row) -> Change:
    new = reading(row.new)
    return judge(new, reading(row.old), rarity(row, new))


def rarity(row: Row, new: ParsedStatement) -> Rarity:
    known = row.known or (row.old,)
    parts = ([n for n, fact in enumerate(known) if p in fact.lower()] for p in new.beginnings)
    return rarities(parts).get(known.index(row.old), ALONE)
