"""Fit the weights of `wm.domain.memory.worth` and write its data file.

    python -m tests.bench fit_gate [--check]

Trains on `gate_cases.jsonl`, and on the cases of tests/domain/memory, by which the rules of the
gate were written: there their objections are always right, so these features are left out of them.
--check writes nothing: it reports the accuracy and the F1 score of the kept and of the refused
lines, with a tenth of the lines left out, for each language, and of `gate_kept.jsonl`, which no fit
uses.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.bench.fitting import Example, Fitted, Limits, as_toml, fit, left_out, tenths
from tests.domain.memory import gate_cases, gate_intent_cases, test_gate
from wm.domain.memory import gate, worth

CASES = Path(__file__).with_name("gate_cases.jsonl")
KEPT = Path(__file__).with_name("gate_kept.jsonl")
OUT = Path(worth.__file__).with_name("worth.toml")
HEAD = "# Weights of the features and words of `worth` (EX-3): `python -m tests.bench fit_gate`.\n"
LIMITS = Limits(least=3, least_of_words=6, ridge=4.0)
BLOCK = 6
"""Lines about one subject, by one writer: a check leaves them out together."""


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench fit_gate")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(argv)
    fresh, older = list(labelled(CASES)), list(of_rules())
    if not asked.check:
        OUT.write_text(as_toml(fit([*fresh, *older], LIMITS), HEAD), "utf-8")
        print(f"{len(fresh)} lines and {len(older)} of the rules: {OUT}")
        return 0
    print("leaving a tenth of the blocks out")
    judged = [
        (e, refuses(found, e))
        for _, found, own in left_out([*fresh, *older], tenths, LIMITS)
        for e in own
        if e.group.startswith("block")
    ]
    report("all", judged)
    for lang in sorted({e.part for e in fresh}):
        report(lang, [one for one in judged if one[0].part == lang])
    print("lines that no fit uses")
    found = fit([*fresh, *older], LIMITS)
    report("kept", [(e, refuses(found, e)) for e in labelled(KEPT)])
    return 0


def labelled(path: Path) -> Iterator[Example]:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    for number, row in enumerate(rows):
        useless, group = row["label"] == "reject", f"block {number // BLOCK}"
        yield example(row["text"], row["type"], useless, row["lang"], group)


def of_rules() -> Iterator[Example]:
    for number, (kind, text, refused) in enumerate(rule_cases()):
        one = example(text, kind, refused, "", f"rule {number}")
        features = {f for f in one.features if f != "durable" and not f.startswith("rule:")}
        yield one._replace(features=frozenset(features))


def rule_cases() -> Iterator[tuple[str, str, bool]]:
    """Type, text, and whether the gate must refuse it."""
    tables: Iterable[dict[str, tuple[gate_cases.Row, ...]]] = (
        gate_cases.BY_LANGUAGE, gate_cases.MORE, gate_cases.LAST, gate_cases.SIMPLE,
    )  # fmt: skip
    rows = [row for table in tables for part in table.values() for row in part]
    for kind, text, code in (
        *rows,
        *gate_cases.FRESH,
        *gate_cases.MOMENTS,
        *gate_intent_cases.STATES,
    ):
        yield kind, text, bool(code)
    honest = (
        *gate_intent_cases.KEPT.values(),
        gate_intent_cases.SECOND_KEPT,
        gate_intent_cases.THIRD_KEPT,
    )
    yield from ((kind, text, False) for kind, text in test_gate.WORTH_KEEPING)
    yield from ((kind, text, True) for _, kind, text in test_gate.WORTH_NOTHING)
    for text in "\n".join(honest).splitlines():
        yield "project", text, False
    for text in gate_intent_cases.MOMENTS.splitlines():
        yield "project", text, True


def example(text: str, kind: str, useless: bool, lang: str, group: str) -> Example:
    line = gate.line_of(text, kind)
    excluded = "rule:none" not in line.features
    return Example(line.plain, line.lang, line.features, useless, lang, group, 1.0, excluded)


def refuses(found: Fitted, one: Example) -> bool:
    return one.excluded or found.score(one) >= worth.WORTHLESS_SCORE


def report(name: str, judged: Sequence[tuple[Example, bool]]) -> None:
    right = sum(e.wanted == refused for e, refused in judged)
    late = sum(e.wanted and not refused for e, refused in judged)
    false = len(judged) - right - late
    scores = [
        2 * hit / (2 * hit + late + false or 1)
        for hit in (
            sum(not e.wanted and not refused for e, refused in judged),
            sum(e.wanted and refused for e, refused in judged),
        )
    ]
    print(
        f"  {name:4} {right}/{len(judged)} right, F1 kept {scores[0]:.3f} refused {scores[1]:.3f}, "
        f"accepted {late}, refused {false} wrongly"
    )
