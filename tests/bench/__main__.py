"""`python -m tests.bench NAME…`, and those that take arguments of their own."""

from __future__ import annotations

import importlib
import sys

NAMES = (
    "updates",
    "request",
    "render",
    "start",
    "idle",
    "hook",
    "redact",
    "load",
    "rotate",
    "sweep",
    "linear",
    "message",
    "growth",
    "paging",
    "proxy",
    "index",
    "vectors",
    "sync",
)
WITH_ARGUMENTS = (
    "eval",
    "fit_asking",
    "fit_change",
    "fit_gate",
    "fit_language",
    "fit_stated",
    "fit_telling",
    "fit_type",
    "fit_verdict",
    "goals",
    "helper_cost",
    "options",
    "peer_vectors",
    "poison",
    "proxy_rivals",
    "quiet",
    "recall_cost",
    "retrieval",
    "same_share",
)
BOUNDS = ("start", "idle", "hook", "request", "updates", "index")
"""What a user feels; with `recall_cost`, the bounds of docs/adr/0037, all of them in 15 minutes."""


def run() -> int:
    asked = sys.argv[1:]
    if asked == ["bounds"]:
        met = [importlib.import_module(f"tests.bench.{name}").main() for name in BOUNDS]
        cost: int = importlib.import_module("tests.bench.recall_cost").main([])
        return 0 if all(met) and cost == 0 else 1
    if asked and asked[0] in WITH_ARGUMENTS:
        ended: int = importlib.import_module(f"tests.bench.{asked[0]}").main(asked[1:])
        return ended
    if not asked or set(asked) - {*NAMES, "all"}:
        print(f"usage: python -m tests.bench NAME…    one of: {', '.join(NAMES)}, bounds, all")
        print(f"       python -m tests.bench NAME --help    one of: {', '.join(WITH_ARGUMENTS)}")
        return 2
    names = NAMES if "all" in asked else tuple(asked)
    met = [importlib.import_module(f"tests.bench.{name}").main() for name in names]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(run())
