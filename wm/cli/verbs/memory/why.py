"""`wm why ID|TEXT`: how an entry came in and whether prompts show it. `wm why --not TEXT`: the rule
that keeps a text out. Both read only.
"""

from __future__ import annotations

from typing import Any

import click

from wm.api.diagnosis import Happening
from wm.api.protocol import WhyAnswer
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import entry_type, print_entry
from wm.cli.options import flag
from wm.cli.verbs.memory.history import print_happening
from wm.ops import explanations

_COLUMN = 20
"""Column of the sentence in a line of history, after the time."""


@click.command("why")
@click.argument("subject", metavar="ID|TEXT", nargs=-1, required=True)
@flag("--not", "absent", help="Say which rule keeps TEXT out of memory or prompts.")
@entry_type("With --not: the kind of fact to check it as; else inferred.")
@prints
def why(caller: Caller, subject: tuple[str, ...], absent: bool, **kind: str) -> Result:
    """Say why an entry was admitted, what happened to it since, and whether prompts show it.

    For a TEXT, what happened to that text is shown. With --not the text is
    checked against existing entries, the inbox, the trash with the digests of forgotten texts
    (tombstones), the rules for admission (gate), the filter for text that wm itself showed (echo
    guard) and consolidation. Nothing is stored.
    """
    if absent:
        return _absent(caller, subject, kind)
    if kind["type"]:
        raise click.UsageError("--type needs --not.")
    answer: WhyAnswer = caller.call("why", subject=" ".join(subject))
    return Result(answer, lambda answer: _print_answer(caller, answer))


def _print_answer(caller: Caller, answer: Any) -> None:
    """The entry; for a text, what happened to it, or the one entry that all of that is about."""
    about = {record.entry for record in answer.records}
    if answer.entry is None and len(about) == 1 and "" not in about:
        answer = caller.call("why", subject=about.pop())
    if answer.entry is None:
        _print_text(answer)
    else:
        _print_entry(answer)


def _print_entry(answer: Any) -> None:
    print_entry(answer.entry, *_now(answer))
    output.line()
    for text in answer.sentences:
        head, gap, rest = text.partition("  ")
        # A line of history has a time and an event; other sentences have no time.
        output.lines(output.hang(f"  {head}", rest, _COLUMN) if gap else output.hang("", text, 2))


def _print_text(answer: WhyAnswer) -> None:
    """What happened to a text that is not an entry: the entries related to it, and their texts."""
    for record in answer.records:
        sentence, text = explanations.sentence_of(record), explanations.text_of(record)
        print_happening(Happening(record=record, sentence=sentence, text=text), named=True)


def _now(answer: Any) -> list[output.Row]:
    """Whether prompts show it now, and its strength."""
    if answer.entry.status != "active":
        return []
    omitted = explanations.reason(answer.omitted or "inactive")
    shown = "prompts show it" if answer.shown else f"prompts do not show it: {omitted}"
    return [("strength", f"{answer.strength:.2f} · {shown}")]


@click.command("why-not")
@click.argument("text", nargs=-1, required=True)
@entry_type("The kind of fact to check it as; inferred if not given.")
@prints
def why_not(caller: Caller, text: tuple[str, ...], **kind: str) -> Result:
    """The same as `wm why --not TEXT`."""
    return _absent(caller, text, kind)


def _absent(caller: Caller, text: tuple[str, ...], kind: dict[str, str]) -> Result:
    return Result(caller.call("why_not", text=" ".join(text), **kind), _print_rules)


def _print_rules(answer: Any) -> None:
    output.paragraph(answer.sentence)
    output.line()
    for check in answer.checks:
        if check.sentence != answer.sentence:
            mark = "stops" if check.stops else "passes"
            output.lines(output.hang(f"  {mark}", check.sentence, 10))
    if answer.sentences:
        output.line()
    for sentence in answer.sentences:
        head, _gap, rest = sentence.partition("  ")
        output.lines(output.hang(f"  {head}", rest, _COLUMN))
