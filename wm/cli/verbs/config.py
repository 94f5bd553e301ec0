"""`wm config`: shows the options with their values, and declares texts that are not secrets.

Never writes `config.toml`: people edit that file. A declared text is stored as a digest.
"""

from __future__ import annotations

import re
import sys
from functools import partial
from typing import Any

import click
from msgspec import to_builtins

from wm.cli import output
from wm.cli.context import DEFAULTS_APPLY, Caller, Result, prints, prints_always
from wm.cli.groups import Group
from wm.settings import CONFIGURABLE, SECTIONS, Settings, describe, options_of


class _Sections(Group):
    """`wm config memory` means `wm config show memory`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_section = bool(args) and args[0] in CONFIGURABLE
        return super().parse_args(ctx, ["show", *args] if is_section else args)

    def _nearest(self, ctx: click.Context, word: str) -> str:
        if word in ("set", "unset", "edit", "path", "file") or "=" in word:
            return " Write the option into config.toml: `wm config show` shows the file."
        section = word.partition(".")[0]
        return super()._nearest(ctx, section if section in CONFIGURABLE else word)

    def known(self, ctx: click.Context) -> list[str]:
        return [*super().known(ctx), *CONFIGURABLE]


@click.group("config", cls=_Sections, default="show")
def command() -> None:
    """Show the options, or declare that a text is not a secret.

    `wm config` alone shows all options, `wm config memory` those of that section.
    """


@command.command("show", short_help="Show every option (the default).")
@click.argument("section", metavar="[SECTION]", type=click.Choice(CONFIGURABLE), required=False)
@prints_always
def show(caller: Caller, section: str | None) -> Result:
    """Show the options of SECTION, or all. They are set in config.toml, in [section] tables.

    Exit code 1 if config.toml cannot be used: it says where and why, and the values are the
    defaults.
    """
    settings = caller.settings
    values = {name: _values(getattr(settings, name)) for name in CONFIGURABLE}
    if section:
        values = {section: values[section]}
    wrong = settings.config_error
    report: dict[str, Any] = {"file": str(settings.paths.config), "options": values}
    if wrong is not None:
        report["error"] = {"detail": wrong.message, "fix": wrong.fix}
    if settings.config_warning:
        report["warning"] = settings.config_warning
    return Result(report, partial(_print, settings), failed=wrong is not None)


def _print(settings: Settings, report: dict[str, Any]) -> None:
    file = output.home_short(report["file"])
    wrong = settings.config_error
    if wrong is not None:
        text = f"{wrong.message} {wrong.fix} {DEFAULTS_APPLY}"
        output.lines(map(output.bad, output.wrap(text, output.width(), keep_words=True)))
        output.line("The values in force are:")
    else:
        output.line(f"The values in force. To change one, write it into {output.bold(file)}.")
    if settings.config_warning:
        output.lines(map(output.warn, output.wrap(settings.config_warning, output.width())))
    for name, options in report["options"].items():
        output.line()
        output.line(output.bold(f"[{name}]"))
        _print_section(SECTIONS[name], options)


def _values(section: Any) -> dict[str, Any]:
    """The options of a section as JSON values."""
    return {name: to_builtins(getattr(section, name)) for name in options_of(section)}


@command.command("allow-secret", short_help="Keep a text that looks like a secret but is not one.")
@click.argument("labels", metavar="[LABEL]...", nargs=-1)
@click.option("--remove", is_flag=True, help="Do not allow it any more.")
@click.option("--list", "only_list", is_flag=True, help="Show what is allowed.")
@prints
def allow_secret(caller: Caller, labels: tuple[str, ...], remove: bool, only_list: bool) -> Result:
    """Keep a text that looks like a secret but is not one, from now on, in all workspaces.

    LABEL is what replaced the text, such as "[secret:token:1a2b3c]", or its digits. "-" reads
    the text itself from standard input: on a command line it would stay in the shell's history.
    Only its digest is stored. Text that was replaced before does not come back.
    """
    if only_list == bool(labels) or (only_list and remove):
        raise click.UsageError("Give LABELs or -, with or without --remove; or --list alone.")
    if only_list:
        return Result(caller.run("list_allowed", {}), _print_allowed)
    named = [label for label in labels if label != "-"]
    text = sys.stdin.read() if "-" in labels else ""
    name = "disallow_secret" if remove else "allow_secret"
    answer: Any = caller.run(name, {"labels": named, "text": text})
    what = "Not allowed any more" if remove else "Allowed from now on"
    changed = f"{what}: {', '.join(answer.changed)}" if answer.changed else ""
    return Result(answer, changed or "It was allowed already.")


def _print_allowed(answer: Any) -> None:
    rows = [(digest, output.moment(at)) for digest, at in answer.digests.items()]
    output.lines(output.pairs(rows) or ["Nothing is allowed."])


def _print_section(kind: type[Any], values: dict[str, Any]) -> None:
    defaults, descriptions = _values(kind()), describe(kind)
    for option, value in values.items():
        text, unit, _spec = descriptions[option]
        text = re.sub(r" \(\[how\].*?\)\)", "", text)  # a link of docs/constants.md
        # What needs consent is empty while config.toml cannot be used, and only then.
        how = "needs your consent" if value == "" else "changed"
        changed = "" if value == defaults[option] else output.warn(f"  ({how})")
        shown = f"{option} = {_format_value(value)}{' ' + unit if unit else ''}"
        first, *rest = output.wrap(shown, output.width() - 14)
        output.line(f"  {first}{changed}")
        output.lines(" " * 6 + part for part in rest)
        output.lines("      " + output.dim(part) for part in output.wrap(text, output.width() - 6))


def _format_value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'
