"""Options that many verbs share. Imported by every call, so it imports nothing of ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

Decorator = Callable[[Any], Any]


def not_empty(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str:
    """An option's text, "" where there is none. One that is given and empty is refused: an unset
    shell variable would quietly mean another workspace."""
    if value == "":
        raise click.BadParameter("it is empty.")
    return value or ""


def flag(*names: str, help: str) -> Decorator:
    return click.option(*names, is_flag=True, help=help)


def choice(name: str, choices: Sequence[str], help: str | None = None) -> Decorator:
    """An option that takes one of these words; "" where it is not given."""
    return click.option(name, type=click.Choice(choices), callback=not_empty, help=help)


def text(*names: str, metavar: str | None = None, help: str) -> Decorator:
    """An option with a text; "" where it is not given."""
    return click.option(*names, default="", metavar=metavar, help=help)


def number(
    *names: str, least: int = 0, most: int, default: int | None = None, help: str, **more: Any
) -> Decorator:
    """An option with a number in a range, both ends included."""
    kind = click.IntRange(least, most)
    return click.option(*names, type=kind, default=default, help=help, **more)


def folder_option(help: str) -> Decorator:
    return click.option("-C", "directory", metavar="DIR", callback=not_empty, help=help)


def workspace_option(help: str) -> Decorator:
    return click.option("--workspace", metavar="KEY", callback=not_empty, help=help)


def anchors(help: str) -> Decorator:
    """--anchor: the code that an entry describes."""
    return click.option("--anchor", "anchors", multiple=True, metavar="PATH[:WHERE]", help=help)


def limit(most: int, default: int) -> Decorator:
    """-n, --limit: how many rows to show."""
    kind = click.IntRange(1, most)
    return click.option("-n", "--limit", type=kind, default=default, show_default=True)


html_option = text("--html", "page", metavar="PAGE", help="Write it as one HTML file, too.")
json_option = flag("--json", "as_json", help="Print JSON.")
dry_run = flag("--dry-run", help="Show what it would do; do nothing.")
