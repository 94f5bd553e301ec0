"""`python -m tests.clients [pytest options]`: install what is missing, run every client test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.clients import install


def main() -> int:
    code = install.main()
    if code:
        return code
    here = str(Path(__file__).parent)
    return int(pytest.main(["-m", "clients", "--durations=0", here, *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
