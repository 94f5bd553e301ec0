"""docs/cli.md: every verb with its help, from the commands themselves."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import click

from wm.cli.app import GROUPS, application, commands

HELP = ["-h", "--help"]
SHARED = {"-C", "--workspace", "--json"}

INTRODUCTION = """\
# Commands

Generated from the commands themselves (`python -m tests.docs.build`).

Four options are not repeated below. Every verb takes `--help`; `--json` where it prints something
(its form is in `schemas/cli.schema.json`); and, where it is about a workspace, `-C DIR` (that of
DIR instead of the current folder) or `--workspace KEY`. `-C DIR` may stand before the verb too.
While the daemon lives a command goes through it, otherwise it works on the files.
[Screens](screens.md) shows what the verbs print.

A problem is a sentence on standard error, with what to do about it below. With `--json` it is an
object on standard output instead (`problem` in `schemas/cli.schema.json`: `type`, `detail`, `fix`,
`exitCode`), so that a program parses one stream whatever happens; findings and "nothing fits"
are answers, in the verb's own form, with exit code 1.

Exit codes: **0** done · **1** could not, said in a sentence, or findings (`doctor`, `fsck`,
`state validate`, `handoff --check`, `budget`, `search` without a hit) · **2** usage · **3** a
bug of ours, with a log to paste.
"""


def text() -> str:
    found = commands()
    parts = [INTRODUCTION]
    for title, verbs in GROUPS.items():
        parts.append(f"## {title}\n")
        for verb in verbs:
            for path, command in walk(f"wm {verb}", found[verb]):
                parts.append(f"### `{path}`\n\n```text\n{help_of(path, command)}\n```\n")
    return "\n".join(parts)


def walk(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """The command and its subcommands, with their full names."""
    yield path, command
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from walk(f"{path} {name}", command.commands[name])


def help_of(path: str, command: click.Command) -> str:
    """What `--help` prints, at 80 columns, without the options of every verb."""
    command = copy.copy(command)
    command.add_help_option = False
    command.params = [param for param in command.params if not SHARED & {*param.opts}]
    parent = click.Context(
        application, info_name="wm", max_content_width=80, help_option_names=HELP
    )
    context = click.Context(
        command,
        info_name=path.removeprefix("wm "),
        parent=parent,
        max_content_width=80,
        terminal_width=80,
    )
    return command.get_help(context)
