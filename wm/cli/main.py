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
    if words and words[0] in QUICK and "--help" not in words and "-h" not in words:
        from wm.agents import hook_client

        sys.exit(hook_client.main(words))
    if closed:
        streams.refuse()
    # What is imported now stays: looking for garbage in it again and again costs a fifth.
    gc.set_threshold(50_000)
    from wm.cli.app import run

    sys.exit(run(words))
