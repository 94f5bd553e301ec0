"""Fit the weights of `wm.domain.learning.stated` and write its data file.

    python -m tests.bench fit_stated [SET…] [--check]

Trains on `stated_cases.txt`, and on labelled sets in the form of the capture set (rows with text,
before, lang, session, keep) where given. --check writes nothing: it reports the recall and the
false statements of each language with that language left out, and of the sets with each session
left out in tenths.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wm.domain.learning import stated
from wm.domain.learning.concepts import folded

CASES = Path(__file__).with_name("stated_cases.txt")
OUT = Path(stated.__file__).with_name("stated.toml")
LEAST = 4
"""Sentences with a feature; a rarer feature gets no weight."""

RIDGE, RIDGE_OF_PAIRS = 4.0, 8.0
SMALLEST = 0.03
"""A smaller weight is left out."""

_LINE = re.compile(r"(\w\w) (\S+) (?:B:(.*?) \| )?(.*)")
Floats = NDArray[np.float64]


class Example(NamedTuple):
    features: frozenset[str]
    excluded: bool
    lasting: bool
    lang: str
    group: str


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench fit_stated")
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(argv)
    rows = [*written(), *(row for path in asked.sets for row in labelled(path))]
    examples = [example for row in rows for example in of_row(row)]
    if asked.check:
        print("leaving one language out")
        report(examples, lambda e: e.lang)
        print("leaving a tenth of the sessions out")
        report(examples, lambda e: str(hash_of(e.group) % 10))
        return 0
    OUT.write_text(as_toml(*fit(examples)), "utf-8")
    print(f"{len(examples)} sentences, {sum(e.lasting for e in examples)} of them lasting: {OUT}")
    return 0


def written() -> Iterable[dict[str, Any]]:
    for number, line in enumerate(CASES.read_text("utf-8").splitlines()):
        if line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        assert found is not None, f"{CASES}, line {number + 1}"
        lang, kind, before, text = found.groups()
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
    wanted = [set(folded(_whole(kept["says"])).split()) for kept in row["keep"]]
    for sentence in stated.sentences(row["text"], row.get("before") or ""):
        words = set(folded(sentence.text).split())
        lasting = any(_fits(words, one, sentence.lang) for one in wanted)
        excluded = bool(sentence.features & stated.EXCLUDED)
        yield Example(paired(sentence.features), excluded, lasting, row["lang"], group)


def _whole(says: str | list[str]) -> str:
    return says if isinstance(says, str) else " ".join(says)


def _fits(words: set[str], wanted: set[str], lang: str) -> bool:
    """Whether a sentence is the statement, or a large part of it and little else."""
    if lang in ("zh", "ja", "ko"):
        one, other = "".join(sorted(words)), "".join(sorted(wanted))
        words, wanted = set(one), set(other)
    both = len(words & wanted)
    whole = both >= 0.7 * len(wanted) and len(words) <= 2.2 * len(wanted)
    return whole or (bool(words) and both >= 0.75 * len(words) and both >= 0.4 * len(wanted))


def paired(features: frozenset[str]) -> frozenset[str]:
    known = sorted(features & stated.model().paired)
    return features | {f"{a}&{b}" for at, a in enumerate(known) for b in known[at + 1 :]}


def fit(examples: Sequence[Example]) -> tuple[list[str], Floats]:
    """Ridge regression of the log odds by Newton's method."""
    counts = Counter(name for e in examples for name in e.features)
    names = sorted(name for name, count in counts.items() if count >= LEAST)
    table = matrix(examples, names)
    truth = np.array([e.lasting for e in examples], float)
    ridge = np.array([0.01] + [RIDGE_OF_PAIRS if "&" in name else RIDGE for name in names])
    found = np.zeros(table.shape[1])
    for _ in range(25):
        odds = 1 / (1 + np.exp(-np.clip(table @ found, -30, 30)))
        slope = table.T @ (odds - truth) + ridge * found
        bend = (table * (odds * (1 - odds))[:, None]).T @ table + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < 1e-4:
            break
    return names, found


def matrix(examples: Sequence[Example], names: Sequence[str]) -> Floats:
    at = {name: column for column, name in enumerate(names, 1)}
    table = np.zeros((len(examples), len(names) + 1))
    table[:, 0] = 1
    for row, example in zip(table, examples, strict=True):
        row[[at[name] for name in example.features if name in at]] = 1
    return table


def report(examples: Sequence[Example], part_of: Callable[[Example], str]) -> None:
    """Recall and false statements of each part, with the weights of all others."""
    parts = sorted({part_of(e) for e in examples})
    for part in parts:
        rest = [e for e in examples if part_of(e) != part]
        mine = [e for e in examples if part_of(e) == part]
        names, weights = fit(rest)
        scores = matrix(mine, names) @ weights
        kept = [
            e for e, s in zip(mine, scores, strict=True)
            if s >= stated.ACTIVE_SCORE and not e.excluded
        ]  # fmt: skip
        of = sum(e.lasting for e in mine)
        hit = sum(e.lasting for e in kept)
        print(f"  {part:4} recall {hit}/{of}, false {len(kept) - hit} of {len(mine) - of}")


def hash_of(text: str) -> int:
    return sum(ord(c) * (at + 1) for at, c in enumerate(text))


def as_toml(names: Sequence[str], weights: Floats) -> str:
    rows = [("bias", weights[0]), *zip(names, weights[1:], strict=True)]
    kept = [(n, round(w, 2)) for n, w in rows if n == "bias" or abs(w) >= SMALLEST]
    kept.sort(key=lambda row: (row[0] != "bias", "&" in row[0], row[0]))
    head = (
        "# Weights of the features of `stated` (EX-7), made by `python -m tests.bench fit_stated`."
    )
    known = " ".join(sorted(stated.model().paired))
    lines = "\n".join(f"{name} {weight:g}" for name, weight in kept)
    return f'{head}\npaired = """\n{known}\n"""\nweights = """\n{lines}\n"""\n'
