"""How a workspace is named and summed up in the terminal."""

from __future__ import annotations

from wm.cli import output
from wm.formats.protocol import Inspection, Place

LEAST = 10
"""Columns of the names in these blocks, so that they line up with each other."""

FILLED = {"critical": "nearly full", "high": "filling up"}
"""What a level of pressure means (PS-1)."""


def where(place: Place) -> str:
    """The folder and its branch."""
    folder = output.home_short(place.root) or "a folder that is not known"
    return folder + (f" · branch {place.branch}" if place.branch else "")


def print_heading(place: Place) -> None:
    first, *rest = output.wrap(where(place), output.width())
    output.lines(map(output.bold, (first, *rest)))


def memory_rows(found: Inspection) -> list[output.Row]:
    """What a workspace holds, row by row."""
    rows: list[output.Row] = [
        ("workspace", found.place.key),
        ("memory", " · ".join(_held(found))),
    ]
    if waiting := found.counts.get("inbox", 0):
        verb = "waits" if waiting == 1 else "wait"
        text = f"{output.count(waiting, 'entry', 'entries')} {verb} for your word: wm inbox"
        rows.append(("inbox", text, output.warn))
    rows.append(("in prompts", _shown(found)))
    if found.sessions:
        rows.append(("sessions", _sessions(found)))
    if found.last_activity_at:
        rows.append(("last visit", output.moment(found.last_activity_at)))
    if found.dormant_days >= 1:
        text = f"{found.dormant_days:.0f} days without a visit, which age entries at a quarter"
        rows.append(("dormant", text))
    if found.health not in ("ok", "missing"):
        told = f"{found.health.replace('_', ' ')}: {found.detail}"
        rows.append(("health", told, output.warn))
    return rows


def _held(found: Inspection) -> list[str]:
    parts = [output.count(found.counts.get("active", 0), "entry", "entries")]
    if replaced := found.counts.get("superseded", 0):
        parts.append(f"{replaced:,} replaced")
    if found.pending:
        parts.append(f"{found.pending:,} not promoted yet")
    return parts


def _shown(found: Inspection) -> str:
    return (
        f"{found.shown_entries:,} of at most {found.max_entries:,} entries · "
        f"{found.shown_chars:,} of {found.max_chars:,} characters"
    )


def _sessions(found: Inspection) -> str:
    still_open = [session for session in found.sessions if not session.ended]
    errors = sum(session.open_errors for session in still_open)
    parts = [f"{len(still_open):,} open of {len(found.sessions):,}"]
    if errors:
        parts.append(output.count(errors, "open error"))
    levels = [session.pressure for session in still_open]
    for level in ("critical", "high"):
        if number := levels.count(level):
            parts.append(f"{number} with a context {FILLED[level]}")
    return " · ".join(parts)
