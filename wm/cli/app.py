"""The verbs, the options that all share, and the one door where every error ends."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import traceback
from typing import Any

import click

from wm import __version__
from wm.cli import output
from wm.errors import WmError

GROUPS: dict[str, tuple[str, ...]] = {
    "Daemon": ("up", "down", "status", "logs", "daemon"),
    "Agents": ("setup", "unsetup", "doctor"),
    "Look": ("inspect", "show", "search", "why", "session", "workspace"),
    "Keep and drop": (
        "remember",
        "forget",
        "restore",
        "edit",
        "pin",
        "importance",
        "inbox",
    ),
    "Files": ("export", "fsck", "config"),
    "For programs": ("hook", "statusline", "completion"),
}
"""Every verb, in the order of `wm --help`. Each has a module of its name in `wm.cli.verbs`."""


class Verbs(click.Group):
    """Loads a verb's module when the verb is asked for."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return [verb for verbs in GROUPS.values() for verb in verbs]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"wm.cli.verbs.{name}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            close = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = f" Did you mean `wm {close[0]}`?" if close else ""
            raise click.UsageError(f"There is no verb {args[0]!r}.{hint}", ctx=ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in GROUPS.items():
            commands = ((verb, self.get_command(ctx, verb)) for verb in verbs)
            rows = [(v, c.get_short_help_str(60)) for v, c in commands if c and not c.hidden]
            with formatter.section(title):
                formatter.write_dl(rows, col_spacing=2)


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Exit codes: 0 done, 1 could not or findings, 2 usage, 3 a bug of ours.",
)
@click.version_option(__version__, "-V", "--version", message="wm %(version)s")
def application() -> None:
    """Memory for coding agents, in plain files that you can read and edit."""


def run(words: list[str]) -> int:
    """Run one command line; its exit code. All errors end here, each as one sentence."""
    try:
        result = application.main(words, prog_name="wm", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        output.problem(error.format_message(), fix=_usage_fix(error))
        return 2
    except click.ClickException as error:
        output.problem(error.format_message())
        return 1
    except (click.Abort, KeyboardInterrupt):
        output.problem("Stopped.")
        return 130
    except WmError as error:
        output.problem(error.message, fix=error.fix)
        return 1
    except BrokenPipeError:
        # The reader of our output went away (`wm inspect | head`): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:  # noqa: BLE001 - the last door: a bug becomes a report, never a mystery
        return _bug(words)
    return result if isinstance(result, int) else 0


def _usage_fix(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "wm"
    return f"`{path} --help` shows how."


def _bug(words: list[str]) -> int:
    """Write the traceback to a file and say where it is."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="wm-bug-", suffix=".log", delete=False, encoding="utf-8"
    ) as log:
        verb = words[0] if words else ""
        log.write(f"wm {__version__}, Python {sys.version}\nverb: {verb}\n\n")
        log.write(traceback.format_exc())
    output.problem(
        "This is a bug in wm, not something you did.",
        fix=f"Please report it with the log {log.name}; nothing of your memory is in it.",
    )
    return 3


def commands() -> dict[str, Any]:
    """Every verb's command, for the reference and its tests."""
    ctx = click.Context(application, info_name="wm")
    return {verb: application.get_command(ctx, verb) for verb in application.list_commands(ctx)}
