"""Fit the weights of a `LinearModel` by ridge regression and write them as TOML."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wm.text import word_grams
from wm.text.linear_model import LinearModel

SMALLEST = 0.04
"""A smaller weight is left out."""

Floats = NDArray[np.float64]


def run(
    name: str,
    argv: Sequence[str],
    files: Callable[[], Mapping[Path, str]],
    check: Callable[[], None],
) -> int:
    """The command of a fit. files: the data files that it writes, with their text. check: what it
    reports instead with --check."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.bench {name}")
    parser.add_argument("--check", action="store_true", help="write nothing, report only")
    if parser.parse_args(argv).check:
        check()
    else:
        write(files())
    return 0


def write(files: Mapping[Path, str]) -> None:
    for path, text in files.items():
        path.write_text(text, "utf-8")
        print(path)


class Example(NamedTuple):
    """wanted: whether the model looks for it. part: what a check may leave out, for example the
    language. excluded: a rule refuses it, whatever its score. group: examples that a check leaves
    out together."""

    text: str
    lang: str
    features: frozenset[str]
    wanted: bool
    part: str
    group: str
    weight: float = 1.0
    excluded: bool = False


class Limits(NamedTuple):
    """least: texts with a feature; a rarer feature gets no weight. least_of_words: texts with a
    word; a rarer word counts as its shape. ridge: how much a weight costs. of_groups: groups are
    counted, not texts, so that what only one project says gets no weight."""

    least: int = 5
    least_of_words: int = 10
    ridge: float = 10.0
    of_groups: bool = False


LIMITS = Limits()


class Fitted(NamedTuple):
    """words: those that are features themselves."""

    bias: float
    weights: dict[str, float]
    grams: dict[str, float]
    words: frozenset[str]

    def score(self, example: Example) -> float:
        grams = word_grams.grams(example.text, example.lang, self.words)
        known = sum(self.weights.get(name, 0.0) for name in example.features)
        return self.bias + known + sum(self.grams.get(gram, 0.0) for gram in grams)

    def model(self, paired: Iterable[str] = ()) -> LinearModel:
        """As it is used."""
        return LinearModel({"bias": self.bias, **self.weights}, frozenset(paired), self.grams)

    def pruned(self, smallest: float = SMALLEST) -> Fitted:
        """As the data file has it: rounded, without small weights. A word of any weight stays,
        because it is a feature of its pairs."""
        grams = dict.fromkeys(self.words, 0.0) | self.grams
        return Fitted(
            round(self.bias, 2),
            {name: round(w, 2) for name, w in self.weights.items() if abs(w) >= smallest},
            {g: round(w, 2) for g, w in grams.items() if g in self.words or abs(w) >= smallest},
            self.words,
        )


NOTHING = Fitted(0.0, {}, {}, frozenset())


def weights_of(model: LinearModel) -> Fitted:
    """The weights of a model that is in use, as the start of a fit."""
    weights = {name: weight for name, weight in model.weights.items() if name != "bias"}
    words = (gram for gram in model.grams if " " not in gram and gram[0] != "<" and gram[-1] != ">")
    return Fitted(model.weights["bias"], weights, dict(model.grams), frozenset(words))


def fit(examples: Sequence[Example], limits: Limits = LIMITS, before: Fitted = NOTHING) -> Fitted:
    """Ridge regression of the log odds. before: weights that the ridge holds the new ones near, so
    that what they learned from examples that are lost stays."""
    groups = [e.group if limits.of_groups else str(at) for at, e in enumerate(examples)]
    every = [{word.lower() for word in word_grams.words(e.text)} for e in examples]
    words = before.words | frequent(_joined(groups, every), limits.least_of_words)
    grams = [word_grams.grams(e.text, e.lang, words) for e in examples]
    features = [e.features for e in examples]
    names = sorted(frequent(_joined(groups, features), limits.least) | before.weights.keys())
    texts = sorted(frequent(_joined(groups, grams), limits.least) | before.grams.keys())
    at = {name: column for column, name in enumerate(names, 1)}
    at |= {"g:" + text: column for column, text in enumerate(texts, len(names) + 1)}
    rows = [
        [0, *sorted({*map(at.get, e.features), *(at.get("g:" + g) for g in own)} - {None})]
        for e, own in zip(examples, grams, strict=True)
    ]
    truth = np.array([e.wanted for e in examples], float)
    weight = np.array([e.weight for e in examples])
    known = [before.weights.get(name, 0.0) for name in names]
    known += [before.grams.get(text, 0.0) for text in texts]
    start = np.array([before.bias, *known])
    found = minimum(rows, truth, weight, start, limits.ridge).tolist()
    weights = dict(zip(names, found[1:], strict=False))
    return Fitted(found[0], weights, dict(zip(texts, found[len(names) + 1 :], strict=True)), words)


def _joined(groups: Sequence[str], sets: Sequence[Iterable[str]]) -> Iterable[set[str]]:
    """What the examples of each group have together."""
    found: dict[str, set[str]] = {}
    for group, own in zip(groups, sets, strict=True):
        found.setdefault(group, set()).update(own)
    return found.values()


def frequent(sets: Iterable[Iterable[str]], least: int) -> frozenset[str]:
    counts = Counter(chain.from_iterable(map(set, sets)))
    return frozenset(name for name, count in counts.items() if count >= least)


def minimum(
    rows: Sequence[Sequence[int]], truth: Floats, weight: Floats, start: Floats, ridge: float
) -> Floats:
    """The weights of least loss, by Newton's method with conjugate gradients. rows: the columns
    that are 1, at least one per row. weight: of each row. start: the weights that cost nothing."""
    size = len(start)
    cost = np.full(size, ridge)
    cost[0] = 0.01
    columns = np.array([column for row in rows for column in row])
    sizes = np.array([len(row) for row in rows])
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def times(vector: Floats) -> Floats:
        return np.add.reduceat(vector[columns], begins)

    def turned(vector: Floats) -> Floats:
        return np.bincount(columns, np.repeat(vector, sizes), size)

    def at(found: Floats) -> Step:
        odds = 1 / (1 + np.exp(-np.clip(times(start + found), -30, 30)))
        downhill = -(turned(weight * (odds - truth)) + cost * found)
        return downhill, lambda way: turned(weight * odds * (1 - odds) * times(way)) + cost * way

    return start + _newton(at, size)


Step = tuple[Floats, Callable[[Floats], Floats]]
"""The direction in which a loss falls, and the product of its curvature with a direction."""


def _newton(at: Callable[[Floats], Step], size: int) -> Floats:
    """The weights of least loss, from 0 on. at: the step at some weights."""
    found = np.zeros(size)
    for _ in range(12):
        rest, bent = at(found)
        step, way, square = np.zeros_like(found), rest, float(rest @ rest)
        for _ in range(200):
            if square < 1e-6:
                break
            bend = bent(way)
            share = square / float(way @ bend)
            step, rest = step + share * way, rest - share * bend
            square, before = float(rest @ rest), square
            way = rest + (square / before) * way
        found = found + step
        if np.abs(step).max() < 1e-3:
            break
    return found


class Choice(NamedTuple):
    """One of these must be chosen. options: their features. right: whether an option is right."""

    options: tuple[frozenset[str], ...]
    right: tuple[bool, ...]
    group: str


def fit_choices(choices: Sequence[Choice], least: int, ridge: float) -> Fitted:
    """The weights by which right options score highest: the likelihood of one of many.

    Where several are right, any may score highest. least: groups with a feature; a rarer feature
    gets no weight. A group with n choices counts as the square root of n, so that a tool with many
    outputs does not decide alone.
    """
    choices = [one for one in choices if any(one.right) and not all(one.right)]
    options = [{name for option in one.options for name in option} for one in choices]
    names = sorted(frequent(_joined([one.group for one in choices], options), least))
    column = {name: at for at, name in enumerate(names)}
    rows = [[column[f] for f in o if f in column] for one in choices for o in one.options]
    sizes = [len(one.options) for one in choices]
    share = Counter(one.group for one in choices)
    weight = np.repeat([share[one.group] ** -0.5 for one in choices], sizes)
    right = np.array([good for one in choices for good in one.right])
    found = _best_choices(rows, sizes, right, weight, len(names), ridge).tolist()
    return Fitted(0.0, dict(zip(names, found, strict=True)), {}, frozenset())


def _best_choices(
    rows: Sequence[Sequence[int]],
    sizes: Sequence[int],
    right: NDArray[np.bool_],
    weight: Floats,
    size: int,
    ridge: float,
) -> Floats:
    columns = np.array([column for row in rows for column in row])
    row = np.repeat(np.arange(len(rows)), [len(own) for own in rows])
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def times(vector: Floats) -> Floats:
        return np.bincount(row, vector[columns], len(rows)).astype(float)

    def turned(vector: Floats) -> Floats:
        return np.bincount(columns, vector[row], size).astype(float)

    def total(vector: Floats) -> Floats:
        return np.repeat(np.add.reduceat(vector, begins), sizes)

    def at(found: Floats) -> Step:
        scores = times(found)
        top = np.repeat(np.maximum.reduceat(scores, begins), sizes)
        power = np.exp(scores - top)
        odds = power / total(power)
        wanted = right * odds / np.maximum(total(right * odds), 1e-12)
        downhill = -(turned(weight * (odds - wanted)) + ridge * found)

        def bent(way: Floats) -> Floats:
            slope = times(way)
            return turned(weight * odds * (slope - total(odds * slope))) + ridge * way

        return downhill, bent

    return _newton(at, size)


def tenths(example: Example) -> str:
    """The tenth that the group of an example belongs to."""
    return str(sum(ord(c) * (at + 1) for at, c in enumerate(example.group)) % 10)


def left_out(
    examples: Sequence[Example],
    part_of: Callable[[Example], str],
    limits: Limits = LIMITS,
    before: Fitted = NOTHING,
) -> Iterator[tuple[str, Fitted, list[Example]]]:
    """Each part with the weights of all other examples, and its own examples."""
    for part in sorted({part_of(e) for e in examples}):
        found = fit([e for e in examples if part_of(e) != part], limits, before)
        yield part, found, [e for e in examples if part_of(e) == part]


def as_toml(found: Fitted, head: str, paired: Iterable[str] = ()) -> str:
    """The data file of a model. head: the comment that says what it is."""
    kept = found.pruned()
    weights = {"bias": kept.bias, **dict(sorted(kept.weights.items(), key=_singles_first))}
    return (
        f"{head}"
        f'paired = """\n{" ".join(sorted(paired))}\n"""\n'
        f'weights = """\n{_lines(f"{n} {w:.2f}" for n, w in weights.items())}\n"""\n'
        f"grams = '''\n{valued(kept.grams)}\n'''\n"
    )


def valued(weights: Mapping[str, float]) -> str:
    """A row for each weight, with the name last, since it may have spaces."""
    return _lines(f"{weight:.2f} {name}" for name, weight in sorted(weights.items()))


def _singles_first(row: tuple[str, float]) -> tuple[bool, str]:
    return "&" in row[0], row[0]


def _lines(rows: Iterable[str]) -> str:
    return "\n".join(rows)
