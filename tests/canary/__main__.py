"""`python -m tests.canary [SCENE…]`: play the scenes with real processes and search every byte.

Exit code 1 if a canary was found in what was written, or in an answer to a client that had not sent
it. --seed plays the same canaries again, --keep leaves the folder.
"""

from __future__ import annotations

import argparse
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.canary.recorder import Leak, Net
from tests.canary.scenes import SCENES
from tests.canary.stage import Stage, needs
from tests.canary.tokens import Mint

SHOWN = 400
"""Characters of a finding that are printed."""


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.canary", description=__doc__)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=", ".join(SCENES))
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args(words)
    if reason := needs():
        print(f"skipped: {reason}")
        return 0
    print(f"seed {asked.seed}")
    clean = [play(name, asked.seed, keep=asked.keep) for name in asked.scenes or SCENES]
    return 0 if all(clean) else 1


def play(name: str, seed: int, *, keep: bool = False) -> bool:
    """Play one row of scenes; False where something was found."""
    folder = Path(tempfile.mkdtemp(prefix="wm-canary-")).resolve()
    stage = Stage(folder, Mint(seed))
    begun = time.monotonic()
    try:
        for scene in SCENES[name]:
            scene(stage)
        stage.wm("down")  # a hook or a verb may have left a daemon behind
        stage.wait_for_tracers()
        return report(name, stage, time.monotonic() - begun)
    finally:
        if keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def report(name: str, stage: Stage, seconds: float) -> bool:
    net = Net(stage.mint.made)
    pieces = list(stage.wrote())
    sizes = [len(piece.data) for piece in pieces]
    leaks = [leak for leak in net.leaks(pieces) if not chosen(leak)]
    repeated = list(stage.repeated(net))
    print(
        f"{name}: {len(stage.mint.made)} canaries, {len(stage.answers)} calls, {len(sizes)} "
        f"writes of {sum(sizes) / 1e6:.1f} MB searched, {len(leaks)} leaks, {len(repeated)} "
        f"repeated to others "
        f"({seconds:.0f} s)"
    )
    for line in _first_of_each(leaks):
        print("  leak:", line[:SHOWN])
    for answer, what in repeated[:20]:
        print(f"  repeated: {what} by {answer.place}"[:SHOWN])
    return not leaks and not repeated


def chosen(leak: Leak) -> bool:
    """A name that the user gave to a file of their own is theirs."""
    named = ("wm export -o", "wm recap --html")
    return leak.canary.place in named and leak.written.path == "(a name)"


def _first_of_each(leaks: list[Leak]) -> list[str]:
    """One line for every place of a canary."""
    counts = Counter(leak.canary.place for leak in leaks)
    first = {leak.canary.place: leak for leak in reversed(leaks)}
    return [f"{counts[place]} x {leak}" for place, leak in first.items()]


if __name__ == "__main__":
    sys.exit(main())
