"""Fit the weights of `wm.domain.learning.stated` and write its data file.

    python -m tests.bench fit_stated [SET…] [--check]

Trains on `stated_cases.txt`, and on labelled sets in the form of the capture set (rows with text,
before, lang, session, keep). A row with `sentence` labels that sentence of its text alone, and its
`weight` replaces that of its source. --check writes nothing: it reports the recall and the false
statements of each language with that language left out, of the sets with each session left out in
tenths, and of `stated_kept.txt`, which no fit uses.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wm.domain.learning import stated
from wm.domain.learning.concepts import folded
from wm.text import word_grams

CASES = Path(__file__).with_name("stated_cases.txt")
KEPT = Path(__file__).with_name("stated_kept.txt")
OUT = Path(stated.__file__).with_name("stated.toml")
LEAST = 5
"""Sentences with a feature; a rarer feature gets no weight."""

LEAST_OF_WORDS = 10
"""Sentences with a word; a rarer word stands as its shape."""

RIDGE = 10.0
REAL_WEIGHT = 2.0
"""Weight of a sentence of a real message: rows with `source: real`."""

SMALLEST = 0.03
"""A smaller weight is left out."""

_LINE = re.compile(r"(\w\w) (\S+) (?:B:(.*?) \| )?(.*)")
Floats = NDArray[np.float64]


class Example(NamedTuple):
    sentence: stated.Sentence
    features: frozenset[str]
    excluded: bool
    lasting: bool
    lang: str
    group: str
    weight: float


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench fit_stated")
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(argv)
    rows = [*written(CASES), *(row for path in asked.sets for row in labelled(path))]
    examples = [example for row in rows for example in of_row(row)]
    if asked.check:
        print("leaving one language out")
        report(examples, lambda e: e.lang)
        print("leaving a tenth of the sessions out")
        report(examples, lambda e: str(hash_of(e.group) % 10))
        print("cases that no fit uses")
        kept = [example for row in written(KEPT) for example in of_row(row)]
        report_part("kept", fit(examples), kept)
        return 0
    found = fit(examples)
    OUT.write_text(as_toml(found), "utf-8")
    print(f"{len(examples)} sentences, {sum(e.lasting for e in examples)} of them lasting: {OUT}")
    return 0


def written(path: Path) -> Iterable[dict[str, Any]]:
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        if line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        assert found is not None, f"{path}, line {number + 1}"
        lang, kind, before, text = found.groups()
        text = text.replace("\\n", "\n")
        whole = re.sub(r"[{}]", "", text)
        says = [] if kind == "-" else re.findall(r"\{([^}]*)\}", text) or [whole]
        yield {"lang": lang, "before": before or "", "text": whole, "session": f"line {number}",
               "keep": [{"says": one} for one in says]}  # fmt: skip


def labelled(path: Path) -> Iterable[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    rows = (json.loads(line) for line in text.decode().splitlines() if line.strip())
    return (row for row in rows if not row.get("doubtful"))


def of_row(row: dict[str, Any]) -> Iterable[Example]:
    group = str(row.get("session") or row.get("id"))
    weight = float(row.get("weight") or (REAL_WEIGHT if row.get("source") == "real" else 1.0))
    only = row.get("sentence")
    wanted = [set(folded(_whole(kept["says"])).split()) for kept in row["keep"]]
    for sentence in stated.sentences(row["text"], row.get("before") or ""):
        if only and sentence.text != only:
            continue
        words = set(folded(sentence.text).split())
        lasting = any(_fits(words, one, sentence.lang) for one in wanted)
        excluded = bool(sentence.features & stated.EXCLUDED)
        features = sentence.features.union(stated.pairs(sentence.features))
        yield Example(sentence, features, excluded, lasting, row["lang"], group, weight)


def _whole(says: str | list[str]) -> str:
    return says if isinstance(says, str) else " ".join(says)


def _fits(words: set[str], wanted: set[str], lang: str) -> bool:
    """Whether a sentence is the statement, or a large part of it and little else."""
    if lang in word_grams.JOINED:
        one, other = "".join(sorted(words)), "".join(sorted(wanted))
        words, wanted = set(one), set(other)
    both = len(words & wanted)
    whole = both >= 0.7 * len(wanted) and len(words) <= 3 * len(wanted)
    return whole or (bool(words) and both >= 0.75 * len(words) and both >= 0.4 * len(wanted))


class Fitted(NamedTuple):
    """words: those that stand for themselves."""

    bias: float
    weights: dict[str, float]
    grams: dict[str, float]
    words: frozenset[str]

    def score(self, example: Example) -> float:
        grams = word_grams.grams(example.sentence.text, example.sentence.lang, self.words)
        known = sum(self.weights.get(name, 0.0) for name in example.features)
        return self.bias + known + sum(self.grams.get(gram, 0.0) for gram in grams)


def fit(examples: Sequence[Example]) -> Fitted:
    """Ridge regression of the log odds."""
    words = frequent(
        (word.lower() for word in set(word_grams.words(e.sentence.text))) for e in examples
    )
    grams = [word_grams.grams(e.sentence.text, e.sentence.lang, words) for e in examples]
    names = sorted(frequent((e.features for e in examples), LEAST))
    texts = sorted(frequent(grams, LEAST))
    at = {name: column for column, name in enumerate(names, 1)}
    at |= {"g:" + text: column for column, text in enumerate(texts, len(names) + 1)}
    rows = [
        [0, *sorted({*map(at.get, e.features), *(at.get("g:" + g) for g in own)} - {None})]
        for e, own in zip(examples, grams, strict=True)
    ]
    truth = np.array([e.lasting for e in examples], float)
    weight = np.array([e.weight for e in examples])
    found = minimum(rows, truth, weight, len(at) + 1).tolist()
    weights = dict(zip(names, found[1:], strict=False))
    return Fitted(found[0], weights, dict(zip(texts, found[len(names) + 1 :], strict=True)), words)


def frequent(sets: Iterable[Iterable[str]], least: int = LEAST_OF_WORDS) -> frozenset[str]:
    counts = Counter(chain.from_iterable(map(set, sets)))
    return frozenset(name for name, count in counts.items() if count >= least)


def minimum(
    rows: Sequence[Sequence[int]], truth: Floats, weight: Floats, size: int, ridge: float = RIDGE
) -> Floats:
    """The weights of least loss, by Newton's method with conjugate gradients. rows: the columns
    that are 1, at least one per row. weight: of each row. size: of the result. ridge: the penalty
    of all columns but the first."""
    penalty = np.full(size, ridge)
    penalty[0] = 0.01
    columns = np.array([column for row in rows for column in row])
    sizes = np.array([len(row) for row in rows])
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def times(vector: Floats) -> Floats:
        return np.add.reduceat(vector[columns], begins)

    def turned(vector: Floats) -> Floats:
        return np.bincount(columns, np.repeat(vector, sizes), size)

    found = np.zeros(size)
    for _ in range(12):
        odds = 1 / (1 + np.exp(-np.clip(times(found), -30, 30)))
        rest = -(turned(weight * (odds - truth)) + penalty * found)
        step, way, square = np.zeros_like(found), rest, float(rest @ rest)
        for _ in range(200):
            if square < 1e-6:
                break
            bend = turned(weight * odds * (1 - odds) * times(way)) + penalty * way
            share = square / float(way @ bend)
            step, rest = step + share * way, rest - share * bend
            square, before = float(rest @ rest), square
            way = rest + (square / before) * way
        found = found + step
        if np.abs(step).max() < 1e-3:
            break
    return found


def report(examples: Sequence[Example], part_of: Callable[[Example], str]) -> None:
    """Recall and false statements of each part, with the weights of all others."""
    for part in sorted({part_of(e) for e in examples}):
        found = fit([e for e in examples if part_of(e) != part])
        report_part(part, found, [e for e in examples if part_of(e) == part])


def report_part(name: str, found: Fitted, examples: Sequence[Example]) -> None:
    kept = [e for e in examples if not e.excluded and found.score(e) >= stated.ACTIVE_SCORE]
    of = sum(e.lasting for e in examples)
    hit = sum(e.lasting for e in kept)
    print(f"  {name:4} recall {hit}/{of}, false {len(kept) - hit} of {len(examples) - of}")


def hash_of(text: str) -> int:
    return sum(ord(c) * (at + 1) for at, c in enumerate(text))


def as_toml(found: Fitted) -> str:
    weights = {"bias": found.bias, **dict(sorted(found.weights.items(), key=_singles_first))}
    kept = [f"{n} {w:.2f}" for n, w in weights.items() if n == "bias" or abs(w) >= SMALLEST]
    grams = {w: found.grams.get(w, 0.0) for w in found.words} | found.grams
    texts = [
        f"{grams[g]:.2f} {g}"
        for g in sorted(grams)
        if g in found.words or abs(grams[g]) >= SMALLEST
    ]
    known = " ".join(sorted(stated.model().paired))
    return (
        "# Weights of the features and words of `stated` (EX-7), made by\n"
        "# `python -m tests.bench fit_stated`. A word that is not in `grams` stands as its shape.\n"
        f'paired = """\n{known}\n"""\n'
        f'weights = """\n{_lines(kept)}\n"""\n'
        f"grams = '''\n{_lines(texts)}\n'''\n"
    )


def _singles_first(row: tuple[str, float]) -> tuple[bool, str]:
    return "&" in row[0], row[0]


def _lines(rows: Sequence[str]) -> str:
    return "\n".join(rows)
