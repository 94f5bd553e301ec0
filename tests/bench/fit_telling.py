"""Fit the weights of `wm.domain.failures.telling` and write its data file.

    python -m tests.bench fit_telling [--check]

Trains on the open outputs of `tests.corpus` that no described format reads, and on those of the
tests of tests/domain/failures: of the lines of an output, those that contain what is wrong by its
label must score highest. --check writes nothing: it reports how often the line is right with a
tenth of the tools left out, and of the kept tools, which no fit uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from tests.bench.fitting import Choice, Fitted, as_toml, fit_choices, run
from tests.corpus import rows, score
from tests.domain.failures import test_fallback, test_tools
from wm.domain.failures import checks, json_reports, telling
from wm.domain.failures.formats import generic
from wm.domain.failures.terminal_lines import lines_of
from wm.settings import SessionSettings

OUT = Path(telling.__file__).with_name("telling.toml")
HEAD = "# Weights of the features of `telling` (HS-2): `python -m tests.bench fit_telling`.\n"
LEAST, RIDGE = 3, 3.0
PARTS = 10
PLACE = re.compile(r"^[\w./-]+: |^[\w./-]+:\d+: ")
"""What the summary of an error puts before the line."""


def main(argv: Sequence[str]) -> int:
    return run("fit_telling", argv, files, check)


def files() -> dict[Path, str]:
    return {OUT: as_toml(fitted([*of_corpus("open"), *of_tests()]), HEAD)}


def check() -> None:
    recorded, tested = list(of_corpus("open")), list(of_tests())
    judged = []
    for part in range(PARTS):
        others = [one for one in recorded if part_of(one.group) != part]
        weights = fitted([*others, *tested]).weights
        judged += [is_right(weights, one) for one in recorded if part_of(one.group) == part]
    print(f"tools that were left out: {sum(judged) / len(judged):.3f} of {len(judged)}")
    weights = fitted([*recorded, *tested]).weights
    kept = [is_right(weights, one) for one in of_corpus("kept")]
    print(f"kept tools: {sum(kept) / len(kept):.3f} of {len(kept)}")


def fitted(choices: Sequence[Choice]) -> Fitted:
    return fit_choices(choices, LEAST, RIDGE).pruned()


def part_of(tool: str) -> int:
    return sum(ord(c) * (at + 1) for at, c in enumerate(tool)) % PARTS


def is_right(weights: dict[str, float], one: Choice) -> bool:
    scores = [sum(weights.get(f, 0.0) for f in option) for option in one.options]
    return one.right[scores.index(max(scores))]


def of_corpus(part: str) -> Iterator[Choice]:
    for row in map(score.labelled, rows.read()):
        if "output" not in row or not rows.in_part(row, part) or row["exit"] == 0:
            continue
        output = score._squeezed(row["output"])
        labels = [one["says"] for one in row["expect"] if one["says"]]
        labels = [says for says in labels if all(score._has(output, say) for say in says)]
        lines = unread(row["output"])
        one = choice(row["tool"], lines, labels)
        if labels and one.options:
            yield one


def of_tests() -> Iterator[Choice]:
    """Outputs of which a test says what the error must contain."""
    cases = [(command, output, words) for command, _code, output, words in test_fallback.ROWS]
    cases += [
        (command, "\n".join(lines), PLACE.sub("", errors[0]))
        for command, lines, errors in test_fallback.STRUCTURES
        if len(errors) == 1
    ]
    cases += [
        (command, output, expected[0][1])
        for command, _code, output, expected in test_tools.ROWS
        if len(expected) == 1
    ]
    for command, output, words in cases:
        lines = unread(output)
        one = choice(f"test of {command}", lines, [[words]])
        if any(one.right):
            yield one


def choice(tool: str, lines: Sequence[str], labels: Sequence[Sequence[str]]) -> Choice:
    options = list(telling.featured(lines))
    texts = [score._squeezed(generic.stated(lines, one.at)) for one in options]
    right = tuple(
        any(all(score._has(text, say) for say in says) for says in labels) for text in texts
    )
    return Choice(tuple(one.features for one in options), right, tool)


def unread(output: str) -> list[str]:
    """The lines of an output that no described format reads; none if one does."""
    lines = lines_of(output, SessionSettings())
    if any(len(line) > telling.MAX_CHARS for line in lines):
        lines = json_reports.texts(output) or lines
    text = "\n".join(lines)
    described = (*checks.CHECKS, *checks.LAST_WORDS[:-1])
    if (
        json_reports.find(output)
        or json_reports.refused(output)
        or any(list(islice(checks.asked(family, lines, text), 1)) for family in described)
    ):
        return []
    return lines
