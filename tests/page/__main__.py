"""`python -m tests.page [pytest options]`: drive the page with a real Chromium."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.page.browser.chromium import missing


def main() -> int:
    if why := missing():
        print(why)
        return 1
    here = str(Path(__file__).parent / "browser")
    return int(pytest.main(["-m", "browser", "--durations=5", here, *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
