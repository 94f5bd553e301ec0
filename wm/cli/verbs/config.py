"""`wm config`: what is set, and where from."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.settings import SECTIONS, table


@click.command("config")
@click.argument("section", metavar="[SECTION]", type=click.Choice(tuple(SECTIONS)), required=False)
@json_option
@workspace_options
def command(caller: Caller, section: str | None, as_json: bool) -> int:
    """Show the options of SECTION, or all. They are set in config.toml, in [section] tables."""
    names = (section,) if section else tuple(SECTIONS)
    values = {name: dataclasses.asdict(getattr(caller.settings, name)) for name in names}
    if as_json:
        output.as_json({"file": str(caller.settings.paths.config), "options": values})
        return 0
    file = output.home_short(str(caller.settings.paths.config))
    output.line(f"{output.bold(file)} overrides what is below.")
    for name in names:
        output.line()
        output.line(output.bold(f"[{name}]"))
        _print_section(name, values[name])
    return 0


def _print_section(name: str, values: dict[str, Any]) -> None:
    for section, option, default, unit, _spec, text in table():
        if section != name:
            continue
        value = _shown(values[option])
        changed = "" if value == default else output.warn("  (changed)")
        shown = f"{option} = {value}{' ' + unit if unit else ''}"
        first, *rest = output.wrap(shown, output.width() - 14)
        output.line(f"  {first}{changed}")
        output.lines(" " * 6 + part for part in rest)
        output.lines("      " + output.dim(part) for part in output.wrap(text, output.width() - 6))


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)
