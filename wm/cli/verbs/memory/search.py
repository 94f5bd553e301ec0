"""`wm search WORDS`: prints hits with the reason of each, and the answer if one is clear.

If nothing is found, it says whether the filters excluded everything. Ranks nothing itself.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import SHORT_ID, entry_type, short_id
from wm.cli.options import choice, flag, text
from wm.cli.recaps import print_recap
from wm.formats.workspace_memory import ORIGINS
from wm.ops.explanations import doubts

_ID = re.compile(r"m_[0-9a-f]{4,}", re.ASCII)
_COLUMN = SHORT_ID + 4


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 100),
    show_default="recall.max_hits",
    help="Maximum number of results.",
)
@entry_type()
@text("--tag", metavar="WORD", help="Only entries with this tag.")
@text("--path", help="Only entries about this file or folder.")
@text("--since", metavar="WHEN", help="Only from then on: 2w, last week, 2026-11-01.")
@text("--until", metavar="WHEN", help="Only before then.")
@choice("--origin", ORIGINS)
@text("--scope", help="workspace, or branch:NAME.")
@text("--session", metavar="ID", help="Only entries of this session.")
@flag("--all", "everything", help="Also superseded entries and the inbox.")
@prints
def command(
    caller: Caller, words: tuple[str, ...], limit: int | None, everything: bool, **filters: str
) -> Result:
    """Find entries that match WORDS, best first, each with the reason why it matched.

    If one entry answers the question, its sentence comes first. Pinned entries always come last.
    Exit code 1 if nothing matches.
    """
    status = "all" if everything else ""
    query = {"query": " ".join(words), "limit": limit, "status": status, **filters}
    answer: Any = caller.call("search", **query)
    show = partial(_print, words=words, narrowed=any(filters.values()))
    return Result(answer, show, failed=not (answer.hits or answer.recaps))


def _print(answer: Any, *, words: tuple[str, ...], narrowed: bool) -> None:
    if not answer.hits and not answer.recaps:
        output.line(_nothing(answer.searched, narrowed=narrowed))
        output.lines(_by_id(words))
    answering = [hit.entry.id for hit in answer.hits if _answers(answer.answer, hit.entry)]
    if answer.answer is not None and not answering:
        output.line("Answer")
        head = f"  {short_id(answer.answer.entry)}"
        output.lines(output.hang(head, answer.answer.text, _COLUMN))
        output.line("Found")
    for hit in answer.hits:
        _show(hit.entry, hit.why, answers=hit.entry.id in answering)
    if answer.recaps:
        output.line("Sessions")
    for one in answer.recaps:
        print_recap(one, {})
    if answer.standing:
        output.line("Pinned, whatever was asked")
    for entry in answer.standing:
        _show(entry, "")
    if answer.standing_omitted:
        output.line(f"{answer.standing_omitted} more pinned: `wm inspect` lists them.")


def _nothing(searched: int, *, narrowed: bool) -> str:
    if not searched:
        return "No entry passes these filters." if narrowed else "Nothing is remembered here yet."
    among = output.count(searched, "entry", "entries")
    if narrowed:
        among += f" that {'passes' if searched == 1 else 'pass'} the filters"
    return f"Nothing fits, in {among}."


def _by_id(words: tuple[str, ...]) -> list[str]:
    """A hint for a search that looks like an id: the search reads texts, not ids."""
    ids = [word for word in words if _ID.fullmatch(word)]
    return [f"`wm show {name}` shows an entry by its id." for name in ids[:1]]


def _answers(answer: Any, entry: Any) -> bool:
    """Whether the answer is the complete entry: then it is not printed twice."""
    is_its = answer is not None and answer.entry == entry.id
    return is_its and answer.text.split() == entry.text.split()


def _show(entry: Any, why: str, *, answers: bool = False) -> None:
    marks = (
        "the answer" if answers else "",
        "pinned" if entry.pinned else "",
        "waits in the inbox" if entry.status == "inbox" else "",
    )
    about = " · ".join(filter(None, (entry.type, *marks, *doubts(entry), why)))
    head = f"  {short_id(entry.id)}"
    output.lines(output.hang(head, entry.text, _COLUMN, mark=output.bold))
    output.lines(output.hang("", about, _COLUMN, output.dim))
