"""Formats a workspace's name and summary, and its sessions, for the terminal.

`wm status` and `wm inspect` share these rows, so that both say the same. Asks no use case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wm.api import protocol
from wm.api.models import HelperState
from wm.cli import output
from wm.cli.entries import WORDS
from wm.domain.counts import budget_line

LEAST = 10
"""Minimum columns of the names, so that these blocks line up with each other."""

YOURS = "your memory for all projects"
"""The heading of the entries of scope `user`, which belong to no folder (ID-3)."""

USER_INBOX = "wm inbox --workspace user"

FILLED = {"critical": "nearly full", "high": "filling up"}
"""Labels of the context pressure levels (PS-1)."""


UNCUT = WORDS.table("uncut")
"""Why a request was sent without a cut."""


def print_heading(place: protocol.WorkspacePlace) -> None:
    output.lines(heading_lines(place))


def heading_lines(place: protocol.WorkspacePlace) -> list[str]:
    """The folder and its branch."""
    folder = YOURS if place.key == "user" else output.home_short(place.root)
    folder = folder or "an unknown folder"
    headline = folder + (f" · branch {place.branch}" if place.branch else "")
    return [output.bold(text) for text in output.wrap(headline, output.width())]


def helper_use(found: HelperState) -> str:
    """What the helper model used today."""
    use = found.use
    used = f"{output.count(use.calls, 'call')} · {use.tokens:,} tokens · ${use.dollars:.4f}"
    return used if use.calls else "nothing"


def memory_rows(found: protocol.Inspection) -> list[output.Row]:
    """The contents of a workspace as rows."""
    memory = " · ".join(_counts(found))
    rows: list[output.Row] = [("workspace", found.place.key), ("memory", memory)]
    yours = found.place.key == "user"
    if waiting := found.counts.get("inbox", 0):
        text = f"for your approval: {USER_INBOX if yours else 'wm inbox'}"
        rows.append(("inbox", _waiting(waiting, text), output.warn))
    if found.user_inbox:
        rows.append(("" if waiting else "inbox", user_waiting(found), output.warn))
    rows.append(("in prompts", _size_line(found)))
    if found.learn == "off":
        rows.append(("learning", "off, or paused: wm learn says which", output.warn))
    if found.sessions:
        rows.append(("sessions", _sessions(found)))
    if found.last_activity_at:
        rows.append(("last visit", output.moment(found.last_activity_at)))
    if found.dormant_days >= 1:
        days = output.count(round(found.dormant_days), "day")
        verb = "ages" if round(found.dormant_days) == 1 else "age"
        text = f"{days} without a visit, which {verb} entries at a quarter"
        rows.append(("dormant", text))
    if found.health not in ("ok", "missing"):
        health = f"{found.health.replace('_', ' ')}: {found.detail}"
        rows.append(("health", health, output.warn))
    return rows


def user_waiting(found: protocol.Inspection) -> str:
    """That something waits in the memory for all projects, and the command that lists it."""
    return _waiting(found.user_inbox, f"in {YOURS}: {USER_INBOX}")


def _waiting(number: int, what: str) -> str:
    verb = "waits" if number == 1 else "wait"
    return f"{output.count(number, 'entry', 'entries')} {verb} {what}"


def about_session(session: protocol.SessionSummary) -> str:
    """A session in one line; zero counts are left out."""
    counted = nonzero(
        (session.open_errors, "open error"),
        (session.active_files, "active file"),
        (session.core_blocks, "core block"),
        (session.working_items, "working item"),
        (session.compactions, "compaction"),
    )
    if session.pressure and not session.ended:
        level = "" if session.pressure == "safe" else f" {session.pressure}"
        counted.append(f"context {int(session.context_percent)} %{level}")
    state = "ended" if session.ended else "open"
    return " · ".join([session.agent or "?", state, output.moment(session.updated_at), *counted])


def nonzero(*rows: tuple[int, str] | tuple[int, str, str]) -> list[str]:
    """Counts with their words, without those that are zero."""
    return [output.count(*row) for row in rows if row[0]]


ZONE_PAINT: Mapping[str, output.Paint] = {
    "warning": output.warn,
    "critical": output.bad,
    "emergency": output.bad,
}


def most_pressed(found: protocol.Inspection) -> tuple[protocol.ConversationUsage, ...]:
    """Running conversations behind a proxy, the fullest context first (PS-2)."""
    current = [c for c in found.conversations if c.current]
    return tuple(sorted(current, key=lambda c: -c.percentage))


def conversation_rows(found: Sequence[protocol.ConversationUsage], most: int) -> list[output.Row]:
    """Context use of conversations at the last exchange that a proxy observed, as rows."""
    rows: list[output.Row] = []
    for one in found[:most]:
        size = f"{_thousands(one.tokens)} of {_thousands(one.window)} tokens"
        size += " (assumed)" if one.assumed else ""
        name = output.cut(one.session_id, 8)
        text = f"{name} {int(one.percentage)} % {one.zone} · {size} · {one.model or '?'}"
        text = output.cut(text, output.width() - LEAST - 4)
        rows.append(("" if rows else "proxy", text, ZONE_PAINT.get(one.zone, str)))
        texts = (paging_line(one.paging), memory_line(one.paging)) if one.paging else ()
        rows += [("", f"{name} {text}", output.dim) for text in texts if text]
    return rows


def paging_line(one: protocol.PagingTotals) -> str:
    """What paging did in a session, in a few words (PX-7)."""
    no_new = "; no new one" if one.cuts else ""
    parts = [
        f"policy {one.policy or 'not known yet'}",
        output.count(one.requests, "request"),
        budget_line(one),
        output.count(one.cuts, "cut") + (f"{no_new}: {UNCUT[one.uncut]}" if one.uncut else ""),
    ]
    back = "brought back unasked"
    parts += nonzero(
        (one.repeatedly, "step needed again repeatedly", "steps needed again repeatedly"),
        (one.passages, f"removed passage {back}", f"removed passages {back}"),
        (one.emergencies, "emergency cut"),
        (one.dropped, "time decisions were dropped", "times decisions were dropped"),
    )
    return " · ".join(parts)


def memory_line(one: protocol.PagingTotals) -> str:
    """What memory itself adds to the bill of a session, with or without paging; "" if nothing."""
    parts = []
    if one.added:
        cost = "" if one.unpriced else f", {output.dollars(one.added_cost)} so far"
        parts.append(f"{output.count(one.added, 'token')} of tools and texts{cost}")
    if one.phantoms:
        cost = "" if one.unpriced else f" ({output.dollars(one.phantom_cost)})"
        used = output.count(one.phantoms, "answer", "answers")
        parts.append(f"{used} of the model used hidden tools{cost}")
    return f"memory itself adds: {' · '.join(parts)}" if parts else ""


def _thousands(number: int) -> str:
    """A token count in thousands, so that the line has room for the model too."""
    return f"{round(number / 1000):,}k" if number >= 1000 else str(number)


def _counts(found: protocol.Inspection) -> list[str]:
    kept = output.count(found.counts.get("active", 0), "entry", "entries")
    replaced = found.counts.get("superseded", 0)
    later = "not promoted yet"
    return [kept, *nonzero((replaced, "replaced", "replaced"), (found.pending, later, later))]


def _size_line(found: protocol.Inspection) -> str:
    line = (
        f"{found.shown_entries:,} of at most {found.max_entries:,} entries · "
        f"{found.shown_chars:,} of {found.max_chars:,} characters"
    )
    only_yours = found.shown_chars and not found.shown_entries
    return f"{line}, from {YOURS}" if only_yours else line


def _sessions(found: protocol.Inspection) -> str:
    still_open = [session for session in found.sessions if not session.ended]
    errors = sum(session.open_errors for session in still_open)
    looked_at, known = len(found.sessions), found.session_count
    newest = f"the newest {looked_at:,}, {known:,} in all" if known > looked_at else f"{known:,}"
    parts = [f"{len(still_open):,} open of {newest}", *nonzero((errors, "open error"))]
    levels = [session.pressure for session in still_open]
    for level in ("critical", "high"):
        if number := levels.count(level):
            parts.append(f"{number} with a context {FILLED[level]}")
    return " · ".join(parts)
