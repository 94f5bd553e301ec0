"""Options that may be left out, but not be empty. Imported by every call, so it imports
nothing of ours."""

from __future__ import annotations

import click


def given(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str:
    """An option's text, "" where there is none. One that is given and empty is refused: an unset
    shell variable would quietly mean another workspace."""
    if value == "":
        raise click.BadParameter("it is empty.")
    return value or ""
