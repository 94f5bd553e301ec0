"""`python -m tests.bench NAME…`."""

from __future__ import annotations

import importlib
import sys

NAMES = ("updates", "request", "render", "start", "idle", "hook", "redact", "load")


def run() -> int:
    asked = sys.argv[1:]
    if not asked or set(asked) - {*NAMES, "all"}:
        print(f"usage: python -m tests.bench NAME…    one of: {', '.join(NAMES)}, all")
        return 2
    names = NAMES if "all" in asked else tuple(asked)
    met = [importlib.import_module(f"tests.bench.{name}").main() for name in names]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(run())
