"""Formats the recap of a session for the terminal: for `wm recap`, and for hits of `wm search`."""

from __future__ import annotations

from collections.abc import Mapping

from wm.cli import output
from wm.cli.entries import short_id
from wm.formats.recaps import Fix, Recap

SHORT_SESSION = 8
"""Characters of a session's name; `wm inbox --session` accepts them."""


def print_recap(one: Recap, texts: Mapping[str, str]) -> None:
    """Print one session. texts: of entries that it names, by id."""
    branch = f" on {one.branch}" if one.branch else ""
    name = one.session[:SHORT_SESSION] if not one.author else f"by {output.safe(one.author)}"
    head = f"{output.moment(one.at)} · {one.agent or '?'}{branch} · {name}"
    output.line(output.bold(head))
    if one.asked:
        output.lines(output.hang("", one.asked, 2))
    output.lines(output.pairs(_rows(one)))
    for title, names in (("kept", one.kept), ("in the inbox", one.inbox)):
        for name in names:
            if name in texts:
                head = f"  {title}: {short_id(name)}"
                output.lines(output.hang(head, texts[name], len(head) + 1))


def _changed(one: Recap) -> tuple[str, ...]:
    shown = one.main_files
    more = len(one.changed) - len(shown)
    return (*shown, *((f"and {more} more",) if more else ()))


def _steps(fix: Fix) -> str:
    """What ended an error, as the end of a phrase; "" if nothing of it was seen."""
    edits = [f"by editing {' and '.join(fix.edited)}"] if fix.edited else []
    runs = [f"with `{'` and `'.join(fix.commands)}`"] if fix.commands else []
    return f" {' and '.join((*edits, *runs))}" if edits or runs else ""


def _rows(one: Recap) -> list[output.Row]:
    checks = [f"{r.name} {f'exit {r.exit_code}' if r.exit_code else 'passed'}" for r in one.checks]
    fixed = [f"{f.file or f.check} ({f.category}){_steps(f)}" for f in one.fixes]
    left = [f"{e.category} {e.file or e.check}" for e in one.open]
    rows = [
        ("changed", _changed(one)),
        ("checks", checks),
        ("commits", one.commits),
        ("fixed", fixed),
        ("open", left),
    ]
    return [(f"  {name}", ", ".join(items)) for name, items in rows if items]
