"""Fit the weights of `wm.domain.learning.stated` and write its data file.

    python -m tests.bench fit_stated [SET…] [--check]

Trains on `stated_cases.txt`, on `stated_messages.jsonl`, messages in which `{{…}}` marks what
lasts, and on labelled sets in the form of the capture set (rows with text, before, lang, session,
keep). A row with `sentence` labels that sentence of its text alone, and its `weight` replaces that
of its source. The ridge holds the weights near those in use, which were also fitted on messages
that are not in the repository; so a second fit changes them again (docs/testing.md). --check writes
nothing: it reports the recall and the false statements of each language with that language left
out, of the sets with each session left out in tenths, and of `stated_kept.txt` and
`stated_messages_kept.jsonl`, which no fit uses.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.bench.fitting import (
    Example,
    Fitted,
    Limits,
    as_toml,
    fit,
    left_out,
    tenths,
    weights_of,
    write,
)
from wm.domain.learning import sentence_features, stated
from wm.domain.learning.concepts import folded
from wm.text import word_grams

CASES = Path(__file__).with_name("stated_cases.txt")
KEPT = Path(__file__).with_name("stated_kept.txt")
OUT = Path(stated.__file__).with_name("stated.toml")
MESSAGES, MESSAGES_KEPT = map(
    CASES.with_name, ("stated_messages.jsonl", "stated_messages_kept.jsonl")
)
MESSAGE_WEIGHT, REAL_WEIGHT = 0.65, 1.5
"""Weights of a text of `stated_messages.jsonl` and of a real message: rows with `source: real`."""

LIMITS = Limits(ridge=15.0, of_groups=True)

BLOCK = 6
"""Messages that are left out together: near misses are grouped with what they resemble."""

NEAR = 0.08
"""A text that has so much less in common with a statement than the best one is as good."""

SAME = 0.6
"""A text that has more in common with a statement is the statement."""

WIDE_WEIGHT = 0.5
"""Weight of a text that holds a statement and more, where a closer one exists: it is not wanted."""

_LINE = re.compile(r"(\w\w) (\S+) (?:B:(.*?) \| )?(.*)")
HEAD = (
    "# Weights of the features and words of `stated` (EX-7), made by `python -m tests.bench\n"
    "# fit_stated`. A word that is not in `grams` is replaced by its shape.\n"
)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench fit_stated")
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(argv)
    rows = [*written(CASES), *marked(MESSAGES)]
    rows += [row for path in asked.sets for row in labelled(path)]
    examples = [example for row in rows for example in of_row(row)]
    known = in_use(examples)
    if asked.check:
        print("cases that no fit uses, with the weights in use")
        report_kept("cases", written(KEPT))
        for name, of_name in (("English", True), ("other", False)):
            kept = (row for row in marked(MESSAGES_KEPT) if (row["lang"] == "en") == of_name)
            report_kept(name, kept)
        print("leaving one language out")
        report(examples, lambda e: e.part, known)
        print("leaving a tenth of the sessions out")
        report(examples, tenths, known)
        return 0
    found = fit(examples, LIMITS, known)
    write({OUT: as_toml(found, HEAD, sentence_features.model().paired)})
    return 0


def in_use(examples: Sequence[Example]) -> Fitted:
    """The weights in use, without those of features that the code does not compute any more."""
    known, shown = weights_of(sentence_features.model()), {f for e in examples for f in e.features}
    return known._replace(weights={name: w for name, w in known.weights.items() if name in shown})


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
        yield {"lang": lang, "kind": kind, "before": before or "", "text": whole,
               "session": f"line {number}",
               "keep": [{"says": one} for one in says]}  # fmt: skip


def marked(path: Path) -> Iterable[dict[str, Any]]:
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        row = json.loads(line)
        says = re.findall(r"\{\{(.*?)\}\}", row["marked"], re.DOTALL)
        text = re.sub(r"\{\{|\}\}", "", row["marked"])
        yield {**row, "text": text, "session": f"messages {number // BLOCK}",
               "weight": MESSAGE_WEIGHT, "keep": [{"says": one} for one in says]}  # fmt: skip


def labelled(path: Path) -> Iterable[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    rows = (json.loads(line) for line in text.decode().splitlines() if line.strip())
    return (row for row in rows if not row.get("doubtful"))


def of_row(row: dict[str, Any]) -> Iterable[Example]:
    group = str(row.get("session") or row.get("id"))
    weight = float(row.get("weight") or (REAL_WEIGHT if row.get("source") == "real" else 1.0))
    only = row.get("sentence")
    wanted = [_words(kept["says"]) for kept in row["keep"] if not kept.get("doubtful")]
    doubtful = [_words(kept["says"]) for kept in row["keep"] if kept.get("doubtful")]
    complete = sentence_features.sentences(row["text"], row.get("before") or "")
    every = [part for one in complete for part in (one, *sentence_features.clauses(one))]
    if only:
        every = [one for one in every if one.text == only]
    shares = [[_share(_words(one.text), says, one.lang) for says in wanted] for one in every]
    most = [max(of_one) for of_one in zip(*shares, strict=True)]
    for sentence, own in zip(every, shares, strict=True):
        lasting = any(0 < share >= best - NEAR for share, best in zip(own, most, strict=True))
        words = _words(sentence.text)
        if not lasting and any(_share(words, says, sentence.lang) for says in doubtful):
            continue
        excluded = bool(sentence.features & stated.EXCLUDED)
        features = sentence.features.union(sentence_features.model().pairs(sentence.features))
        part = weight * (WIDE_WEIGHT if any(own) and not lasting else 1.0)
        yield Example(
            sentence.text, sentence.lang, features, lasting, row["lang"], group, part, excluded
        )


def _share(words: set[str], wanted: set[str], lang: str) -> float:
    """How much a text and a statement have in common, from 0 to 1; 0 if it is another text."""
    if not _fits(words, wanted, lang):
        return 0.0
    one, other = map("".join, (words, wanted)) if lang in word_grams.JOINED else (words, wanted)
    one, other = set(one), set(other)
    return 2 * len(one & other) / (len(one) + len(other))


def _words(says: str | list[str]) -> set[str]:
    return set(folded(says if isinstance(says, str) else " ".join(says)).split())


def _fits(words: set[str], wanted: set[str], lang: str) -> bool:
    """Whether a sentence is the statement, or a large part of it and little else."""
    if lang in word_grams.JOINED:
        one, other = "".join(sorted(words)), "".join(sorted(wanted))
        words, wanted = set(one), set(other)
    both = len(words & wanted)
    whole = both >= 0.7 * len(wanted) and len(words) <= 3 * len(wanted)
    return whole or (bool(words) and both >= 0.75 * len(words) and both >= 0.4 * len(wanted))


def report(examples: Sequence[Example], part_of: Callable[[Example], str], known: Fitted) -> None:
    """Recall and false statements of each part, with the weights of all others."""
    for part, found, own in left_out(examples, part_of, LIMITS, known):
        report_part(part, found, own)


def report_part(name: str, found: Fitted, examples: Sequence[Example]) -> None:
    kept = [e for e in examples if not e.excluded and found.score(e) >= stated.ACTIVE_SCORE]
    of = sum(e.wanted for e in examples)
    hit = sum(e.wanted for e in kept)
    print(f"  {name:4} recall {hit}/{of}, false {len(kept) - hit} of {len(examples) - of}")


def report_kept(name: str, rows: Iterable[dict[str, Any]]) -> None:
    """Which statements of messages are kept or wait, and how much of what is kept is right."""
    counts: Counter[str] = Counter()
    for row in rows:
        wanted = [_words(kept["says"]) for kept in row["keep"]]
        found = stated.statements(row["text"], row.get("before") or "")
        fits = [[_share(_words(f.text), w, row["lang"]) > SAME for w in wanted] for f in found]
        counts["of"] += len(wanted)
        for at in range(len(wanted)):
            own = [one.is_certain for one, hits in zip(found, fits, strict=True) if hits[at]]
            counts["kept"] += any(own)
            counts["found"] += bool(own)
        for one, hits in zip(found, fits, strict=True):
            counts["lines"] += one.is_certain
            counts["right"] += one.is_certain and any(hits)
    of, lines = counts["of"], max(counts["lines"], 1)
    print(f"  {name:7} kept {counts['kept'] / of:.2f}, with the inbox {counts['found'] / of:.2f} "
          f"of {of}; of {lines} kept lines {counts['right'] / lines:.2f} are right")  # fmt: skip
