"""`wm why ID|TEXT`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_entry
from wm.formats.protocol import WhyAnswer
from wm.ops import words


@click.command("why")
@click.argument("subject", nargs=-1, required=True)
@json_option
@workspace_options
def command(caller: Caller, subject: tuple[str, ...], as_json: bool) -> int:
    """Say what let an entry in, what happened to it since, and whether prompts show it.

    SUBJECT is an id, or a text: then what became of that text is told.
    """
    answer: Any = caller.call("why", subject=" ".join(subject))
    if as_json:
        output.as_json(answer)
        return 0
    if answer.entry is None:
        _print_story(answer)
        return 0
    print_entry(answer.entry, *_now(answer))
    output.line()
    for text in answer.sentences:
        head, gap, rest = text.partition("  ")
        # A line of history is a time and what happened then; other sentences have no time.
        output.lines(output.hang(f"  {head}", rest, 20) if gap else output.hang("", text, 2))
    return 0


def _print_story(answer: WhyAnswer) -> None:
    """What became of a text that is no entry: which entries it was said of, and what they said."""
    from wm.cli.verbs.history import print_happening
    from wm.ops.diag.ground import happening

    for record in answer.records:
        print_happening(happening(record), named=True)


def _now(answer: WhyAnswer) -> list[output.Row]:
    """Whether prompts show it now, and how strong it is."""
    if answer.entry is None or answer.entry.status != "active":
        return []
    omitted = words.reason(answer.omitted or "inactive")
    shown = "prompts show it" if answer.shown else f"prompts do not show it: {omitted}"
    return [("strength", f"{answer.strength:.2f} · {shown}")]
