"""The corpus of recorded tool outputs.

python -m tests.corpus record [TOOL…]    run the installed tools again (needs /home/dev)
python -m tests.corpus score [--part open|kept|all] [--misses] [--tool NAME]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.corpus import record, rows, score


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.corpus", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("act", choices=("record", "score"))
    parser.add_argument("tools", nargs="*", metavar="TOOL")
    parser.add_argument("--part", default="open", choices=("open", "kept", "all"))
    parser.add_argument("--misses", action="store_true", help="list the wrong rows of that part")
    asked = parser.parse_args(argv)
    if asked.act == "record":
        if not asked.tools:
            record.check()
        for name, fresh in record.record(asked.tools):
            rows.replace(name, fresh)
        return 0
    chosen = [row for row in rows.read() if rows.in_part(row, asked.part)]
    chosen = [row for row in chosen if not asked.tools or row["tool"] in asked.tools]
    print(score.report(chosen, misses=asked.misses))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
