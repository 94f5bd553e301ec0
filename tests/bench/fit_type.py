"""Fit the weights of `wm.domain.learning.entry_type` and write its data file.

    python -m tests.bench fit_type [--check]

Trains on the statements of `stated_cases.txt`, whose types are written beside them, and on the
cases of the tests of types. --check writes nothing: it reports how many statements get their type
in each language with that language left out, and of `stated_kept.txt` and
`stated_messages_kept.jsonl`, which no fit uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench import fit_stated
from tests.bench.fitting import SMALLEST, Choice, fit_choices, frequent, run, valued
from tests.domain.learning.type_cases import CASES
from wm.domain.learning import entry_type
from wm.domain.learning.entry_type import FALLBACK, TYPES, first_sentence, names_of
from wm.text.word_grams import words

OUT = Path(entry_type.__file__).with_name("entry_type.toml")
HEAD = "# Weights of features and words for `entry_type`: `python -m tests.bench fit_type`.\n"
LEAST, LEAST_OF_WORDS, RIDGE = 8, 6, 2.0
OF_LETTER = {"f": "feedback", "p": "project", "d": "decision", "r": "reference"}
OF_KIND = {
    "rule": "feedback", "ban": "feedback", "preference": "feedback", "style": "feedback",
    "fact": "project", "person": "project", "place": "project", "environment": "project",
    "choice": "decision", "reference": "reference",
}  # fmt: skip
"""The kinds of `stated_messages_kept.jsonl` that have one type."""
FROM_TESTS = 8
"""How often a case of the tests counts, which must all be right."""


class Typed(NamedTuple):
    text: str
    type: str
    lang: str
    group: str


class Weights(NamedTuple):
    """weights: by type and name; the fallback has none. words: those that are features."""

    weights: Mapping[str, float]
    words: frozenset[str]

    def best(self, text: str) -> str:
        names, scores = names_of(text, self.words), {FALLBACK: 0.0}
        for kind in TYPES:
            scores[kind] = sum(self.weights.get(f"{kind} {name}", 0.0) for name in names)
        return max(scores, key=lambda kind: scores[kind])


def main(argv: Sequence[str]) -> int:
    return run("fit_type", argv, files, check)


def files() -> dict[Path, str]:
    found = fit([*cases(fit_stated.CASES), *of_tests()])
    rows = {kind: dict[str, float]() for kind in TYPES}
    for name, weight in found.weights.items():
        kind, feature = name.split(" ", 1)
        if abs(weight) >= SMALLEST:
            rows[kind][feature] = weight
    tables = {"words": " ".join(sorted(found.words)), **{k: valued(own) for k, own in rows.items()}}
    return {OUT: HEAD + "".join(f"{name} = '''\n{rows}\n'''\n" for name, rows in tables.items())}


def check() -> None:
    every = [*cases(fit_stated.CASES), *of_tests()]
    print("leaving one language out")
    for lang in sorted({one.lang for one in every} - {""}):
        found = fit([one for one in every if one.lang != lang])
        report(lang, [one for one in every if one.lang == lang], found)
    print("statements that no fit uses")
    found = fit(every)
    report("cases", cases(fit_stated.KEPT), found)
    report("messages", of_messages(fit_stated.MESSAGES_KEPT), found)


def cases(path: Path) -> Iterator[Typed]:
    for row in fit_stated.written(path):
        for kept in row["keep"]:
            yield Typed(kept["says"], OF_LETTER[row["kind"][0]], row["lang"], row["session"])


def of_messages(path: Path) -> Iterator[Typed]:
    for row in fit_stated.marked(path):
        for kept in row["keep"]:
            if row["kind"] in OF_KIND:
                yield Typed(kept["says"], OF_KIND[row["kind"]], row["lang"], row["session"])


def of_tests() -> Iterator[Typed]:
    for at, (text, kind) in enumerate(CASES):
        for time in range(FROM_TESTS):
            yield Typed(text, kind, "", f"test {at} {time}")


def fit(rows: Sequence[Typed]) -> Weights:
    every = ({word.lower() for word in words(first_sentence(one.text))} for one in rows)
    known = frequent(every, LEAST_OF_WORDS)
    choices = []
    for one in rows:
        names = names_of(one.text, known)
        options = [frozenset(f"{kind} {name}" for name in names) for kind in TYPES]
        right = tuple(kind == one.type for kind in (*TYPES, FALLBACK))
        choices.append(Choice((*options, frozenset()), right, one.group))
    return Weights(fit_choices(choices, LEAST, RIDGE).weights, known)


def report(name: str, rows: Iterable[Typed], found: Weights) -> None:
    rows = list(rows)
    right = sum(one.type == found.best(one.text) for one in rows)
    print(f"  {name:8} {right} of {len(rows)} = {right / len(rows):.3f}")
