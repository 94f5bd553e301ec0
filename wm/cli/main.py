"""Entry point of `wm`: dispatches verbs and sets the exit code. Verbs load on use.

Exit codes: 0 done; 1 could not, with a sentence, or findings; 2 usage; 3 a bug in wm.
`wm hook` and `wm statusline` run once per event of an agent, so they are dispatched before
anything heavy is imported.
"""

from __future__ import annotations

import gc
import sys

from wm.agents import hook_client
from wm.cli import streams

QUICK = ("hook", "statusline")
"""Verbs that must not load click."""


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit. Never returns."""
    closed = streams.fill()
    words = sys.argv[1:] if argv is None else argv
    quick = bool(words) and words[0] in QUICK and "--help" not in words and "-h" not in words
    try:
        sys.exit(hook_client.main(words) if quick else _run(words, closed))
    except KeyboardInterrupt:  # during imports, or while a hook's input is read
        if quick:
            sys.exit(0)
        sys.stderr.write("wm: Stopped.\n")
        sys.exit(130)


def _run(words: list[str], closed: bool) -> int:
    streams.tolerate()
    if closed:
        streams.refuse()
    # Imported modules stay: repeated garbage collection over them costs a fifth of the time.
    gc.set_threshold(200_000)
    from wm.cli.app import run

    return run(words)
