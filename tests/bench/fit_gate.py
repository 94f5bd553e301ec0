"""Fit the weights of `wm.domain.memory.worth` and write its data files.

    python -m tests.bench fit_gate [--check]

Trains on `gate_cases.jsonl`, and on the cases of tests/domain/memory, by which the rules of the
gate were written: there their objections are always right, so these features are left out of them.
The model of harm trains on the attacks and the honest lines among these, and on `harm_cases.jsonl`;
that of worth on the lines that are no attacks.
--check writes nothing: it reports the accuracy and the F1 score of the kept and of the refused
lines and the attacks that are refused, with a tenth of the lines left out, for each language, and
of `gate_kept.jsonl` and `harm_kept.jsonl`, which no fit uses.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.fitting import Example, Fitted, Limits, as_toml, fit, run, tenths
from tests.domain.memory import gate_cases, gate_intent_cases, test_gate
from wm.domain.memory import gate, worth
from wm.text.linear_model import LinearModel

CASES = Path(__file__).with_name("gate_cases.jsonl")
KEPT = Path(__file__).with_name("gate_kept.jsonl")
ATTACKS = Path(__file__).with_name("harm_cases.jsonl")
ATTACKS_KEPT = Path(__file__).with_name("harm_kept.jsonl")
OUT = Path(worth.__file__).with_name("worth.toml")
HARM_OUT = OUT.with_name("harm.toml")
HEAD = "# Weights of the features and words of `worth` (EX-3): `python -m tests.bench fit_gate`.\n"
LIMITS = Limits(least=3, least_of_words=6, ridge=4.0)
HARM_LIMITS = Limits(least=4, least_of_words=10, ridge=4.0)
RULES_WEIGHT = 3.0
"""Of the cases of the rules' tests in the model of harm: they must be decided rightly."""

BLOCK = 6
"""Lines about one subject, by one writer: a check leaves them out together."""


class Models(NamedTuple):
    """The fitted weights of `is_worthless` and of `is_harmful`."""

    worth: Fitted
    harm: Fitted

    def pruned(self) -> Models:
        return Models(self.worth.pruned(), self.harm.pruned())


def main(argv: Sequence[str]) -> int:
    return run("fit_gate", argv, files, check)


def files() -> dict[Path, str]:
    found = fitted([*labelled(CASES), *labelled(ATTACKS, "attack")], list(of_rules()))
    signs = {name for name in found.harm.weights if "&" not in name}
    return {OUT: as_toml(found.worth, HEAD), HARM_OUT: as_toml(found.harm, HEAD, signs)}


def check() -> None:
    fresh, attacks = list(labelled(CASES)), list(labelled(ATTACKS, "attack"))
    rules = list(of_rules())
    print("leaving a tenth of the blocks out")
    judged = []
    for part in map(str, range(10)):
        found = fitted([e for e in (*fresh, *attacks) if tenths(e) != part], rules).pruned()
        judged += [(e, refuses(found, e)) for e in fresh if tenths(e) == part]
    report("all", judged)
    for lang in sorted({e.part[:2] for e, _ in judged}):
        report(lang, [one for one in judged if one[0].part[:2] == lang])
    print("lines that no fit uses")
    found = fitted([*fresh, *attacks], rules).pruned()
    for path in (KEPT, ATTACKS_KEPT):
        report(path.stem, [(e, refuses(found, e)) for e in labelled(path)])


def fitted(lines: Sequence[Example], rules: Sequence[Example]) -> Models:
    """The rows of `harm_cases.jsonl` are for the model of harm only."""
    every = (*lines, *(e._replace(weight=RULES_WEIGHT) for e in rules))
    harms = [with_harm(e) for e in every if not e.wanted or is_attack(e)]
    rest = [e for e in (*lines, *rules) if not (is_attack(e) or e.group.startswith("attack"))]
    return Models(fit(rest, LIMITS), fit(harms, HARM_LIMITS))


def is_attack(one: Example) -> bool:
    return one.part.endswith("injection")


def with_harm(one: Example) -> Example:
    """With the features of the model of harm, and their pairs."""
    signs = worth.harm_signs(one.text, one.lang)
    return one._replace(features=signs.union(LinearModel({}, signs, {}).pairs(signs)))


def labelled(path: Path, kind: str = "block") -> Iterator[Example]:
    """The rows of a file. part: the language and the reason for which the row is refused."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    for number, row in enumerate(rows):
        useless, group = row["label"] == "reject", f"{kind} {number // BLOCK}"
        yield example(
            row["text"], row["type"], useless, f"{row['lang']} {row['reason']}".strip(), group
        )


def of_rules() -> Iterator[Example]:
    for number, (kind, text, refused) in enumerate(rule_cases()):
        yield without_rules(example(text, kind, refused, "", f"rule {number}"))
    attacks = (*gate_intent_cases.INJECTED.values(), gate_intent_cases.SECOND_INJECTED)
    for number, text in enumerate("\n".join(attacks).splitlines()):
        yield without_rules(example(text, "project", True, "injection", f"attack of rule {number}"))


def without_rules(one: Example) -> Example:
    features = {f for f in one.features if f != "durable" and not f.startswith("rule:")}
    return one._replace(features=frozenset(features))


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


def refuses(found: Models, one: Example) -> bool:
    return (
        one.excluded
        or found.worth.score(one) >= worth.WORTHLESS_SCORE
        or found.harm.score(with_harm(one)) >= worth.HARMFUL_SCORE
    )


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
    attacks = [refused for e, refused in judged if is_attack(e)]
    print(
        f"  {name:4} {right}/{len(judged)} right, F1 kept {scores[0]:.3f} refused {scores[1]:.3f}, "
        f"accepted {late}, refused {false} wrongly, {sum(attacks)} of {len(attacks)} attacks"
    )
