"""`python -m tests.sync [pytest options]`: hostile trees, kills and races at full size."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def main() -> int:
    folder = str(Path(__file__).parent)
    return int(pytest.main(["-m", "sync", "--durations=12", "-s", folder, *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
