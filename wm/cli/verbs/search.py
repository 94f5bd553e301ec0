"""`wm search WORDS`."""

from __future__ import annotations

import re
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import SHORT_ID, doubts, short_id
from wm.formats.workspace_memory import ORIGINS, TYPES

_ID = re.compile(r"m_[0-9a-f]{4,}", re.ASCII)


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 100),
    show_default="recall.max_hits",
    help="Hits at most.",
)
@click.option("--type", "kind", type=click.Choice(TYPES), default=None)
@click.option("--tag", default="", metavar="WORD", help="Only entries with this tag.")
@click.option("--path", default="", help="Only entries about this file or folder.")
@click.option(
    "--since", default="", metavar="WHEN", help="Only from then on: 2w, last week, 2026-11-01."
)
@click.option("--until", default="", metavar="WHEN", help="Only before then.")
@click.option("--origin", type=click.Choice(ORIGINS), default=None)
@click.option("--scope", default="", help="workspace, or branch:NAME.")
@click.option("--session", default="", metavar="ID", help="Only entries of this session.")
@click.option("--all", "everything", is_flag=True, help="Also superseded entries and the inbox.")
@json_option
@workspace_options
def command(
    caller: Caller,
    words: tuple[str, ...],
    limit: int | None,
    kind: str | None,
    tag: str,
    path: str,
    since: str,
    until: str,
    origin: str | None,
    scope: str,
    session: str,
    everything: bool,
    as_json: bool,
) -> int:
    """Find entries that match WORDS, best first, each with the reason why it matched.

    Where one entry answers, its sentence stands first. Pinned entries come last, always.
    Ends with exit code 1 when nothing fits.
    """
    filters = {
        "type": kind or "",
        "tag": tag,
        "path": path,
        "since": since,
        "until": until,
        "origin": origin or "",
        "scope": scope,
        "session": session,
    }
    answer: Any = caller.call(
        "search",
        query=" ".join(words),
        limit=limit,
        **filters,
        status="all" if everything else "",
    )
    if as_json:
        output.as_json(answer)
        return 0 if answer.hits else 1
    column = SHORT_ID + 4
    if not answer.hits:
        output.line(_nothing(answer.searched, narrowed=any(filters.values())))
        output.lines(_by_id(words))
    whole = [hit.entry.id for hit in answer.hits if _answers(answer.answer, hit.entry)]
    if answer.answer is not None and not whole:
        head = f"  {short_id(answer.answer.entry)}"
        output.line("Answer")
        output.lines(output.hang(head, answer.answer.text, column))
        output.line("Found")
    for hit in answer.hits:
        _show(hit.entry, hit.why, column, answers=hit.entry.id in whole)
    if answer.standing:
        output.line("Pinned, whatever was asked")
    for entry in answer.standing:
        _show(entry, "", column)
    if answer.standing_omitted:
        output.line(f"{answer.standing_omitted} more pinned: `wm inspect` lists them.")
    return 0 if answer.hits else 1


def _nothing(searched: int, *, narrowed: bool) -> str:
    if not searched:
        return "No entry passes these filters." if narrowed else "Nothing is remembered here yet."
    among = output.count(searched, "entry", "entries")
    if narrowed:
        among += f" that {'passes' if searched == 1 else 'pass'} the filters"
    return f"Nothing fits, in {among}."


def _by_id(words: tuple[str, ...]) -> list[str]:
    """What to do for who searches for an id: what an entry says is searched, not what it is
    called."""
    ids = [word for word in words if _ID.fullmatch(word)]
    return [f"`wm show {name}` shows an entry by its id." for name in ids[:1]]


def _answers(said: Any, entry: Any) -> bool:
    """Whether all of this entry is the answer: then it is not said twice."""
    return said is not None and said.entry == entry.id and said.text.split() == entry.text.split()


def _show(entry: Any, why: str, column: int, *, answers: bool = False) -> None:
    marks = (
        "the answer" if answers else "",
        "pinned" if entry.pinned else "",
        "waits in the inbox" if entry.status == "inbox" else "",
    )
    about = " · ".join(filter(None, (entry.type, *marks, *doubts(entry), why)))
    first, *rest = output.hang(f"  {short_id(entry.id)}", entry.text, column)
    output.line(output.bold(first[:column]) + first[column:])
    output.lines(rest)
    output.lines(output.hang("", about, column, output.dim))
