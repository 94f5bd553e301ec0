"""Fit the table by which `concepts.language` tells the language of a text, and write it.

    python -m tests.bench fit_language [--check]

Counts the words and the pairs and triples of letters in the messages written for the fits of
`stated` and `asking`, and keeps those that tell languages apart best, with their log odds.
--check writes nothing: it reports, for each language, the share of the messages of the kept files
that are recognised, and of their first five words.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.bench.fitting import run
from wm.domain.learning import concepts
from wm.domain.learning.concepts import folded, language, letter_grams

FITTED = ("stated_messages.jsonl", "asking_cases.jsonl")
KEPT = ("stated_messages_kept.jsonl", "asking_kept.jsonl")
OUT = Path(concepts.__file__).with_name("language.toml")

LEAST = 3
"""Texts of one language with a gram; a rarer one is left out."""

SIZE = 2000
"""Grams that are kept."""

ADDED, ADDED_ALL = 0.5, 2000
"""What is added to each count and to the sum of a language, so that rare grams weigh little."""

SCALE = 10
"""Log odds are written as whole tenths."""

_MARKS = re.compile(r"\{\{|\}\}|\[\[|\]\]")


def main(argv: Sequence[str]) -> int:
    return run("fit_language", argv, files, lambda: _report(list(_texts(KEPT))))


def files() -> dict[Path, str]:
    return {OUT: _as_toml(_counted(_texts(FITTED)))}


def _texts(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Language and text of each row. Languages with a script of their own are not counted."""
    for name in names:
        for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            text = folded(_MARKS.sub("", row.get("marked") or row["text"]))
            if concepts.script_of(text) is None:
                yield row["lang"], text


def _counted(texts: Iterable[tuple[str, str]]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for lang, text in texts:
        for word in text.split():
            found[lang].update(letter_grams(word))
    return found


def _as_toml(counted: dict[str, Counter[str]]) -> str:
    langs = ["en", *sorted(counted.keys() - {"en"})]
    sums = {lang: counted[lang].total() for lang in langs}
    odds: dict[str, list[float]] = {}
    use: Counter[str] = Counter()
    # Sorted: of grams of equal use, the first ones are kept.
    for gram in sorted({g for count in counted.values() for g, n in count.items() if n >= LEAST}):
        logs = [math.log((counted[x][gram] + ADDED) / (sums[x] + ADDED_ALL)) for x in langs]
        odds[gram] = [value - sum(logs) / len(logs) for value in logs]
        shares = (
            counted[x][gram] / sums[x] * abs(v) for x, v in zip(langs, odds[gram], strict=True)
        )
        use[gram] = sum(shares)
    kept = sorted(gram for gram, _ in use.most_common(SIZE))
    rows = (f"{gram} {' '.join(f'{v * SCALE:.0f}' for v in odds[gram])}" for gram in kept)
    return (
        "# How much more often a word (in brackets) or a piece of a word occurs in each language,\n"
        "# made by `python -m tests.bench fit_language`. `_` is the begin or the end of a word.\n"
        f"languages = '{' '.join(langs)}'\ngrams = '''\n" + "\n".join(rows) + "\n'''\n"
    )


def _report(texts: Sequence[tuple[str, str]]) -> None:
    found: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for lang, text in texts:
        short = " ".join(text.split()[:5])
        found[lang].append((language(text) == lang, language(short) == lang))
    for lang, rows in sorted(found.items()):
        whole, short = (sum(each) / len(rows) for each in zip(*rows, strict=True))
        print(f"{lang} {len(rows):5} messages: {whole:.3f} recognised, by five words {short:.3f}")
