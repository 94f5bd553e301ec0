"""`python -m tests.crash [pytest options]`: runs each `crash` test at full size and prints
counts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def main() -> int:
    tests = Path(__file__).parents[1]
    folders = [str(tests / name) for name in ("crash", "store", "daemon")]
    return int(pytest.main(["-m", "crash", "--durations=12", *folders, *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
