"""Fit the weights of `wm.domain.failures.verdict` and write its data file.

    python -m tests.bench fit_verdict [--check]

Trains on the open outputs of `tests.corpus`, each with its exit code hidden in one of several
ways, and on the cases of tests/domain/failures/test_hidden.py. Outputs of tools that found
something and ended with 0 all the same are left out. --check writes nothing: it reports how often
a failure is seen, and how often one is seen where there is none, with a fifth of the tools left
out, and of the kept tools, which no fit uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

from tests.bench.fitting import Example, Limits, as_toml, fit, left_out, run
from tests.corpus import rows, score
from tests.domain.failures import test_hidden
from wm.domain.failures import checks, verdict
from wm.domain.failures.commands import Ran, with_printed_code
from wm.domain.failures.terminal_lines import lines_of
from wm.settings import SessionSettings

OUT = Path(verdict.__file__).with_name("verdict.toml")
HEAD = "# Weights of the features of `verdict` (HS-2): `python -m tests.bench fit_verdict`.\n"
LIMITS = Limits(least=4, ridge=3.0, of_groups=True)
FORMS = ("plain", "colour", "ci", "narrow")
HIDES = (
    ("{} 2>&1 | tail -20", 20),
    ("{} || true", 0),
    ("{}; echo done", 0),
    ("{} 2>&1 | tee log.txt", 0),
    ("{} 2>&1 | tail -8", 8),
)
"""Ways to hide an exit code, and how many of the last lines each leaves; 0 for all."""
OF_FAILING_TEST, OF_PASSING_TEST = 10.0, 6.0
"""Weights of the cases of the tests, which must all be right; a tool has the square root of the
number of its outputs."""
PARTS = 5


def main(argv: Sequence[str]) -> int:
    return run("fit_verdict", argv, files, check)


def files() -> dict[Path, str]:
    return {OUT: as_toml(fit(examples(), LIMITS), HEAD)}


def check() -> None:
    judged: list[tuple[Example, float]] = []
    parts = left_out(examples(), lambda e: str(crc32(e.group.encode()) % PARTS), LIMITS)
    for _part, found, own in parts:
        judged += [(one, found.score(one)) for one in own if one.part != "test"]
    print(f"tools that were left out: {_figures(judged)}")
    found = fit(examples(), LIMITS).pruned()
    print(f"kept tools: {_figures([(one, found.score(one)) for one in of_corpus('kept')])}")


def examples() -> list[Example]:
    return [*_weighed(list(of_corpus("open"))), *of_tests()]


def _figures(judged: Sequence[tuple[Example, float]]) -> str:
    bad = [value > verdict.LEAST for one, value in judged if one.wanted]
    fine = [value > verdict.LEAST for one, value in judged if not one.wanted]
    return f"{sum(bad)} of {len(bad)} failures seen, {sum(fine)} of {len(fine)} others"


def _weighed(examples: Sequence[Example]) -> list[Example]:
    share = Counter(one.group for one in examples)
    return [one._replace(weight=share[one.group] ** -0.5) for one in examples]


def of_corpus(part: str) -> Iterator[Example]:
    for row in map(score.labelled, rows.read()):
        if "output" not in row or not rows.in_part(row, part) or row["form"] not in FORMS:
            continue
        command, output, failed = row["command"], row["output"], row["exit"] != 0
        if not output.strip() or "|" in command or ";" in command:
            continue
        if bool(row["expect"]) and not failed:
            continue
        hide, most = HIDES[crc32(row["id"].encode()) % len(HIDES)]
        shown = "".join(output.splitlines(keepends=True)[-most:]) + "done\n" * ("echo" in hide)
        features = features_of(hide.format(command), shown, row["root"])
        if features:
            yield Example("", "en", features, failed, part, row["tool"])


def of_tests() -> Iterator[Example]:
    failing = test_hidden.test_a_failure_behind_a_hidden_exit_code_opens_an_error
    passing = test_hidden.test_nothing_opens_without_a_failing_summary_of_the_check
    for test, failed, weight in (
        (failing, True, OF_FAILING_TEST),
        (passing, False, OF_PASSING_TEST),
    ):
        for command, _code, output in test.pytestmark[0].args[1]:  # type: ignore[attr-defined]
            features = features_of(command, output, test_hidden.ROOT)
            if features:
                yield Example("", "en", features, failed, "test", command, weight)


def features_of(command: str, output: str, root: str) -> frozenset[str]:
    """What the model weighs; empty for an output of which a rule says that the command failed, or
    whose command cannot fail."""
    ran, _code = with_printed_code(command, output, 0, root=root)
    hidden = Ran(ran.proved, ran.hidden, certain=False)
    active = checks.active_of(hidden)
    lines = lines_of(output, SessionSettings())
    if not active or checks.proof_of(output, lines, active, hidden, command) not in checks.UNPROVED:
        return frozenset()
    return checks.features(lines, command, active)
