"""How an entry looks in the terminal."""

from __future__ import annotations

from wm.cli import output
from wm.domain.text import safe
from wm.formats.protocol import EntryView
from wm.formats.workspace_memory import MemoryEntry

SHORT_ID = 10
"""Characters of an id that lists show: `m_` and eight hex digits; verbs take it as it is."""


def short_id(entry_id: str) -> str:
    return entry_id[:SHORT_ID]


def marks(entry: MemoryEntry) -> list[str]:
    """What is special about an entry, in words."""
    found = [entry.source, entry.origin]
    if entry.pinned:
        found.append("pinned")
    if entry.user_importance != "normal":
        found.append(f"{entry.user_importance} importance")
    if entry.reinforcement_count:
        found.append(f"seen again {entry.reinforcement_count}×")
    if entry.scope != "workspace":
        found.append(entry.scope)
    if entry.tainted:
        found.append("tainted")
    return found


def print_entry(entry: MemoryEntry) -> None:
    """The whole entry."""
    output.lines(output.wrap_block(entry.text, indent=2))
    rows = [
        ("id", entry.id),
        ("type", entry.type),
        ("status", entry.status + (f" ({', '.join(entry.reasons)})" if entry.reasons else "")),
        ("from", ", ".join(marks(entry))),
        ("created", entry.created_at),
    ]
    if entry.rationale:
        rows.append(("because", entry.rationale))
    if entry.tags:
        rows.append(("tags", ", ".join(entry.tags)))
    if entry.supersedes:
        rows.append(("replaces", ", ".join(entry.supersedes)))
    if entry.superseded_by:
        rows.append(("replaced by", entry.superseded_by))
    output.lines(output.pairs(rows, indent=2))


def print_row(view: EntryView) -> None:
    """One entry in a list: id, strength, text, and what is special about it."""
    entry = view.entry
    head = f"  {output.bold(short_id(entry.id))} {view.strength:5.2f}  "
    column = 2 + SHORT_ID + 1 + 5 + 2
    text = output.wrap(entry.text, output.width() - column)
    output.line(head + text[0])
    output.lines(" " * column + rest for rest in text[1:])
    about = marks(entry)[:] + ([f"not shown: {view.omitted}"] if view.omitted else [])
    if entry.reasons:
        about.append("because " + ", ".join(entry.reasons))
    for wrapped in output.wrap(" · ".join(about), output.width() - column):
        output.line(" " * column + output.dim(safe(wrapped)))
