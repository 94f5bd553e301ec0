"""The `wm` command: which verb, which exit code. Verbs are loaded when they are used.

Exit codes: 0 done; 1 could not, said in a sentence, or findings; 2 usage; 3 a bug of ours.
`wm hook` and `wm statusline` run once per event of an agent, so they are dispatched before
anything heavy is imported.
"""

from __future__ import annotations

import gc
import sys

from wm.cli import streams

QUICK = ("hook", "statusline")
"""Verbs that must not pay for an import."""


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit. Never returns."""
    closed = streams.fill()
    words = sys.argv[1:] if argv is None else argv
    quick = bool(words) and words[0] in QUICK and "--help" not in words and "-h" not in words
    try:
        sys.exit(_quick(words) if quick else _run(words, closed))
    except KeyboardInterrupt:  # while imports are under way, or a hook's input is awaited
        if quick:
            sys.exit(0)
        sys.stderr.write("wm: Stopped.\n")
        sys.exit(130)


def _quick(words: list[str]) -> int:
    from wm.agents import hook_client

    return hook_client.main(words)


def _run(words: list[str], closed: bool) -> int:
    if closed:
        streams.refuse()
    # What is imported now stays: looking for garbage in it again and again costs a fifth.
    gc.set_threshold(50_000)
    from wm.cli.app import run

    return run(words)
