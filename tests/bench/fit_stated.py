"""Fit the weights of `wm.domain.learning.stated` and write its data file.

    python -m tests.bench fit_stated [SET…] [--check]

Trains on `stated_cases.txt`, on `stated_messages.jsonl`, messages in which `{{…}}` marks what
lasts, and on labelled sets in the form of the capture set (rows with text, before, lang, session,
keep). A row with `sentence` labels that sentence of its text alone, and its `weight` replaces that
of its source. --check writes nothing: it reports the recall and the false statements of each
language with that language left out, of the sets with each session left out in tenths, and of
`stated_kept.txt` and `stated_messages_kept.jsonl`, which no fit uses. The weights in the tree are
older than the messages.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.bench.fitting import Example, Fitted, as_toml, fit, left_out, tenths
from wm.domain.learning import stated
from wm.domain.learning.concepts import folded
from wm.text import word_grams

CASES = Path(__file__).with_name("stated_cases.txt")
KEPT = Path(__file__).with_name("stated_kept.txt")
MESSAGES, MESSAGES_KEPT = map(
    CASES.with_name, ("stated_messages.jsonl", "stated_messages_kept.jsonl")
)
BLOCK = 6
"""Messages that are left out together: near misses are grouped with what they resemble."""

OUT = Path(stated.__file__).with_name("stated.toml")
REAL_WEIGHT = 2.0
"""Weight of a sentence of a real message: rows with `source: real`."""

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
    if asked.check:
        print("leaving one language out")
        report(examples, lambda e: e.part)
        print("leaving a tenth of the sessions out")
        report(examples, tenths)
        print("cases that no fit uses")
        found = fit(examples)
        for name, rest in (("kept", written(KEPT)), ("messages", marked(MESSAGES_KEPT))):
            report_part(name, found, [example for row in rest for example in of_row(row)])
        return 0
    found = fit(examples)
    OUT.write_text(as_toml(found, HEAD, stated.model().paired), "utf-8")
    print(f"{len(examples)} sentences, {sum(e.wanted for e in examples)} of them lasting: {OUT}")
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


def marked(path: Path) -> Iterable[dict[str, Any]]:
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        row = json.loads(line)
        says = re.findall(r"\{\{(.*?)\}\}", row["marked"], re.DOTALL)
        text = re.sub(r"\{\{|\}\}", "", row["marked"])
        yield {**row, "text": text, "session": f"{path.stem} {number // BLOCK}",
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
        features = sentence.features.union(stated.model().pairs(sentence.features))
        yield Example(
            sentence.text, sentence.lang, features, lasting, row["lang"], group, weight, excluded
        )


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


def report(examples: Sequence[Example], part_of: Callable[[Example], str]) -> None:
    """Recall and false statements of each part, with the weights of all others."""
    for part, found, own in left_out(examples, part_of):
        report_part(part, found, own)


def report_part(name: str, found: Fitted, examples: Sequence[Example]) -> None:
    kept = [e for e in examples if not e.excluded and found.score(e) >= stated.ACTIVE_SCORE]
    of = sum(e.wanted for e in examples)
    hit = sum(e.wanted for e in kept)
    print(f"  {name:4} recall {hit}/{of}, false {len(kept) - hit} of {len(examples) - of}")
