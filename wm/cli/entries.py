"""Formats entries for the terminal: one line, one paragraph, or all fields.

All verbs print entries through these functions, so an entry looks the same everywhere.
"""

from __future__ import annotations

from typing import Any

import click

from wm.api.protocol import EntryAnswer, EntryView
from wm.cli import output
from wm.cli.options import Decorator, not_empty
from wm.formats.workspace_memory import TYPES, Anchor, MemoryEntry
from wm.ops import explanations
from wm.settings import load
from wm.text.tables import Tables

WORDS = Tables("wm.cli")

SHORT_ID = explanations.SHORT_ID

COLUMN = 2 + SHORT_ID + 2 + 4 + 2
"""Column of an entry's text in a list: after id and strength."""

LISTED_LINES = 4
"""Lines of a text that a list shows."""


class _EntryType(click.Choice[str]):
    """One of the types of an entry, also one that config.toml adds (IF-8)."""

    def __init__(self) -> None:
        super().__init__(TYPES)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        is_known = value in self.choices or value not in load().memory.types
        return super().convert(value, param, ctx) if is_known else value


def entry_type(help: str | None = None) -> Decorator:
    """--type: a type of entry; "" where it is not given."""
    return click.option("--type", type=_EntryType(), callback=not_empty, help=help)


def short_id(entry_id: str) -> str:
    return entry_id[:SHORT_ID]


def print_text(entry: MemoryEntry) -> None:
    """Print the entry's text."""
    output.lines(output.wrap_block(entry.text, indent=2))


def print_entry(entry: MemoryEntry, *more: output.Row) -> None:
    """Print the complete entry, and further rows in the same columns."""
    print_text(entry)
    output.line()
    rows: list[output.Row] = [
        ("id", entry.id),
        ("type", entry.type),
        ("status", status_of(entry)),
        ("from", " · ".join(explanations.marks(entry))),
        ("created", output.moment(entry.created_at)),
    ]
    optional = (
        ("because", entry.rationale),
        ("tags", ", ".join(entry.tags)),
        ("speaks of", ", ".join(map(_anchor, entry.anchors))),
        ("true since", entry.since and output.moment(entry.since)),
        ("replaces", ", ".join(entry.supersedes)),
        ("replaced by", entry.superseded_by),
    )
    rows += [row for row in optional if row[1]]
    output.lines(output.pairs([*rows, *more]))


def print_answer(answer: EntryAnswer) -> None:
    """Print the answer about one entry: the entry, and the message."""
    print_entry(answer.entry)
    if answer.message:
        output.line()
        output.message(answer)


def _anchor(anchor: Anchor) -> str:
    where = anchor.symbol or (output.count(anchor.lines, "line") if anchor.lines else "")
    return f"{anchor.path}:{where}" if where else anchor.path


def status_of(entry: MemoryEntry) -> str:
    """The status in words, with the reasons why it waits."""
    state = {
        "inbox": "waits in the inbox",
        "trashed": "in the trash",
        "superseded": "replaced",
    }.get(entry.status, entry.status)
    why = explanations.reasons(entry.reasons) if entry.status == "inbox" else ""
    return f"{state}: {why}" if why else state


def entry_lines(view: EntryView, *, mixed: bool = False) -> list[str]:
    """One entry in a list: id, strength, text, and special properties. mixed: the list has active
    and waiting entries."""
    entry = view.entry
    head = f"  {short_id(entry.id):<{SHORT_ID}}  {view.strength:4.2f}"
    first, *rest = output.hang(head, entry.text, COLUMN)
    found = [f"  {output.bold(first[2:12])}{first[12:]}", *rest[: LISTED_LINES - 1]]
    if len(rest) >= LISTED_LINES:
        more = f"… wm show {short_id(entry.id)} has the rest"
        found += output.hang("", more, COLUMN, output.dim)
    return found + output.hang("", " · ".join(_about(view, mixed)), COLUMN, output.dim)


def entry_line(view: EntryView) -> str:
    """One entry in one line: what of its text fits, grey if prompts do not show it now."""
    mark = "!" if needs_a_look(view.entry) else " "
    head = f"{mark} {short_id(view.entry.id):<{SHORT_ID}}  "
    text = head + output.cut(view.entry.text, output.columns() - len(head))
    return output.dim(text) if view.omitted else text


def needs_a_look(entry: MemoryEntry) -> bool:
    """Whether a person should decide about it: its code changed, or another entry differs."""
    return entry.status == "active" and bool(entry.suspect or entry.conflicts)


def _about(view: EntryView, mixed: bool) -> list[str]:
    about = explanations.marks(view.entry)
    if view.entry.anchors:
        about.append(f"speaks of {', '.join(map(_anchor, view.entry.anchors))}")
    if view.entry.status == "inbox":
        why = explanations.reasons(view.entry.reasons) or "no reason was kept"
        about.append(f"waits in the inbox: {why}" if mixed else why)
        if view.entry.supersedes:
            about.append(f"would replace {', '.join(map(short_id, view.entry.supersedes))}")
        elif view.entry.conflicts:
            about.append(f"may contradict {', '.join(map(short_id, view.entry.conflicts))}")
    if view.omitted and view.entry.status == "active":
        about.append(f"not in prompts: {explanations.reason(view.omitted)}")
    return about
