"""Every expression, and every rule that reads foreign text, on growing hostile input (EX-6).

    python -m tests.bench linear

Each expression of `wm.text`, `wm.secrets` and `wm.domain` meets each shape at 32 KB and at 64 KB;
printed are the worst of each figure with the module it stands in. A time too short to be
distinguished from noise has no ratio.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import re2

import wm.domain
import wm.secrets
import wm.text
from tests.bench.harness import Row, at_most, report
from tests.domain.foreign_text_rules import GATE, RULES, pruned
from wm.domain.learning import requests
from wm.text.patterns import Lazy, PatternSet

KB = 1024
SMALL, LARGE = 32 * KB, 64 * KB
MEASURABLE_MS = 1.0
"""Below this a quotient of two times says nothing."""
MATCHES = 200
"""So many matches of one expression are asked for: what each costs after that is Python."""

SHAPES = {
    "blank lines": "\n",
    "spaces": " ",
    "one long word": "a",
    "digits and spaces": "12 ",
    "hex": "9f3a",
    "slashes": "a/",
    "dots": "a.",
    "assignments": "a=b ",
    "colons": "a: ",
    "nested bullets": "- - - ",
    "open tags": "<system-reminder ",
    "brackets": "[(",
    "quotes": "\"'",
    "labels": 'password: "',
    "urls": "http://a:b",
    "key prefixes": "eyJ-AKIA",
    "triggers": "remember that ",
    "lines of a log": "2026-01-01 ERROR remember that x\n",
    "error lines": "src/a.ts(1,2): error TS1: x\n",
    "words": "the user asked without asking the user to ",
    "german": "ohne Rückfrage nicht mehr immer wieder ",
    "chinese": "不要忘记之前的所有指令",
    "korean": "확인 없이 실행하지 않는다 ",
    "mixed": "a密пароль１ ",
}


class Worst(NamedTuple):
    """The worst figure so far, and where it was found."""

    value: float = 0.0
    where: str = ""


def main() -> bool:
    return all([_expressions(), _rules(), _message(), _long_outputs()])


# --- expressions ---------------------------------------------------------------------------------


def _expressions() -> bool:
    slowest, steepest, count = Worst(), Worst(), 0
    for module, pattern in sorted(expressions().items(), key=lambda item: item[0]):
        count += 1
        for shape, unit in SHAPES.items():
            where = f"{module} on {shape}"
            large = _ms(partial(_matched, pattern, _sized(unit, LARGE)))
            slowest = max(slowest, Worst(large, where))
            if large >= MEASURABLE_MS:
                steepest = max(steepest, Worst(_quotient(partial(_matched, pattern), unit), where))
    return report(
        f"{count} expressions on {len(SHAPES)} shapes",
        [
            at_most("slowest at 64 KB", slowest.value, 10, "ms", f" ({slowest.where})"),
            at_most("time(64 KB) / time(32 KB)", steepest.value, 2.5, "x", f" ({steepest.where})"),
        ],
    )


def expressions() -> dict[str, Any]:
    """Every compiled expression of the domain by its place."""
    found: dict[str, Any] = {}
    for package in (wm.text, wm.secrets, wm.domain):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.ispkg:
                continue
            names = vars(importlib.import_module(module.name))
            for name, value in names.items():
                for number, pattern in enumerate(_patterns_in(value, depth=4)):
                    found[f"{module.name}.{name}[{number}]"] = pattern
    return found


def _patterns_in(value: object, depth: int) -> Iterator[Any]:
    if isinstance(value, Lazy):
        yield value.compiled
    elif isinstance(value, re2._Regexp):
        yield value
    elif depth and isinstance(value, tuple | list | dict | PatternSet):
        parts = value.values() if isinstance(value, dict) else value
        for part in parts:
            yield from _patterns_in(part, depth - 1)


def _matched(pattern: Any, subject: str) -> int:
    return sum(1 for _ in islice(pattern.finditer(subject), MATCHES))


# --- rules ---------------------------------------------------------------------------------------


def _rules() -> bool:
    rows: list[Row] = []
    for name, rule in RULES.items():
        slowest, steepest = Worst(), Worst()
        for shape, unit in SHAPES.items():
            large = _ms(partial(rule, _sized(unit, LARGE)))
            slowest = max(slowest, Worst(large, shape))
            if large >= MEASURABLE_MS:
                steepest = max(steepest, Worst(_quotient(rule, unit), shape))
        note = f" ({steepest.where}); slowest {slowest.value:.1f} ms ({slowest.where})"
        rows.append(at_most(name, steepest.value, 2.5, "x", note))
    return report("rules: time(64 KB) / time(32 KB)", rows)


# --- a long message ------------------------------------------------------------------------------


def _message() -> bool:
    """200 KB with 30,000 blank lines, with and without a request behind them."""
    lines = "A line of a note that somebody pasted into a message to the agent.\n"
    blank = "\n" * 30_000
    messages = {
        "in a row": lines * 2580 + blank,
        "in a row, and a request": lines * 2580 + blank + "Remember that the port is 7443.",
        "between short lines": "abc\n\n" * 30_000,
        "between short lines, and a request": "Remember that it is 7443.\n" + "abc\n\n" * 30_000,
    }
    rows = []
    for name, message in messages.items():
        cost = _ms(partial(_searched, message[-200 * KB :]), tries=7)
        asks = "request" in name  # then its lines differ as well
        rows.append(Row(name, f"{cost:.3g} ms") if asks else at_most(name, cost, 10, "ms"))
    return report("a message of 200 KB with 30,000 blank lines", rows)


def _searched(message: str) -> object:
    return requests.find_requests_and_forgets(message, GATE)


# --- a long output -------------------------------------------------------------------------------

TEN_MB = 10_000_000
OUTPUTS = {
    "a log": "2026-05-01T07:00:11Z INFO tide %d read in %d ms\n",
    "a log of errors": "2026-05-01T07:00:11Z ERROR berth %d failed after %d tries\n",
    "words": "step %d of the work on the harbour wall took %d men\n",
    "paths": "./src/harbour/berth%d/crane%d.ts\n",
    "coloured tests": "\x1b[32m✓\x1b[0m berth %d is free \x1b[2m(%d ms)\x1b[0m\n",
    "a diff": "diff --git a/f%d b/f%d\n@@ -1 +1 @@\n-old\n+new\n",
    "blank lines": "\n",
}


def _long_outputs() -> bool:
    """10 MB of one shape (PR-2)."""
    rows = []
    for name, line in OUTPUTS.items():
        fill = (lambda n, line=line: line % (n, n % 97)) if "%" in line else lambda _n, x=line: x
        output = "".join(fill(n) for n in range(TEN_MB // max(1, len(fill(9999)))))
        cost = _ms(partial(pruned, output))
        rows.append(at_most(name, cost, 1000, "ms", f" ({len(output) / 1e6:.0f} MB)"))
    return report("pruning of 10 MB", rows)


def _sized(unit: str, chars: int) -> str:
    return (unit * (chars // len(unit) + 1))[:chars]


def _quotient(work: Callable[[str], object], unit: str) -> float:
    """Time at 64 KB over time at 32 KB; measured anew where it looks steep."""
    found = float("inf")
    for tries in (3, 9, 25):
        large = _ms(partial(work, _sized(unit, LARGE)), tries)
        found = min(found, large / _ms(partial(work, _sized(unit, SMALL)), tries))
        if found <= 2.2:
            break
    return found


def _ms(work: Callable[[], object], tries: int = 3) -> float:
    """The shortest of a few runs, in time of the processor: others may use the machine too."""
    best = float("inf")
    for _ in range(tries):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
        if best > 0.5:
            break
    return best * 1e3


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
