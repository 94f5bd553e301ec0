"""Redaction per line of ordinary text."""

from __future__ import annotations

import time
from statistics import median

from tests.bench.harness import at_most, report
from wm.secrets.redact import Redactor

LINES = [
    f"{number:05d} src/ferry/bay_{number % 37}.py:{number % 900}: note: ramp {number} opens at dawn"
    for number in range(5000)
]


def main() -> bool:
    redactor = Redactor(lambda text: "0" * 32, frozenset())
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        for line in LINES:
            redactor.text(line)
        times.append((time.perf_counter() - begun) / len(LINES))
    return report("redaction", [at_most("a line", median(times) * 1e6, 50, "µs")])
