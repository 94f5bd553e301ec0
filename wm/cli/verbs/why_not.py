"""`wm why-not TEXT`."""

from __future__ import annotations

from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.formats.workspace_memory import TYPES


@click.command("why-not")
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--type",
    "kind",
    type=click.Choice(TYPES),
    default=None,
    help="As what kind of fact it is judged; inferred if not given.",
)
@json_option
@workspace_options
def command(caller: Caller, text: tuple[str, ...], kind: str | None, as_json: bool) -> int:
    """Say which rule keeps TEXT out of the memory, or out of prompts.

    The text is run against what is there, the inbox, the trash and its tombstones, the gate,
    the echo guard and consolidation, and looked for in the evidence. Nothing is stored.
    """
    answer: Any = caller.call("why_not", text=" ".join(text), type=kind or "")
    if as_json:
        output.as_json(answer)
        return 0
    output.lines(output.wrap(answer.sentence, output.width()))
    output.line()
    for check in answer.checks:
        if check.sentence != answer.sentence:
            mark = "stops" if check.stops else "passes"
            output.lines(output.hang(f"  {mark}", check.sentence, 10))
    if answer.sentences:
        output.line()
    for sentence in answer.sentences:
        head, _gap, rest = sentence.partition("  ")
        output.lines(output.hang(f"  {head}", rest, 20))
    return 0
