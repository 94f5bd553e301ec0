"""The `wm` command: its verbs, the shared options, and the handling of every error.

Every error becomes a sentence with the fix, or a JSON object with `--json`, and an exit code
(`wm.cli.main`). Contains no verb: a verb's module is imported when it is used.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import click

from wm import __version__
from wm.cli import output, streams
from wm.cli.groups import Group
from wm.cli.options import folder_option, workspace_option
from wm.cli.usage_errors import sentence
from wm.errors import UserError, WmError


def _rows(name: str) -> Iterator[list[str]]:
    """The lines of a table beside this module, each split into at most three columns."""
    for line in Path(__file__).with_name(name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split(maxsplit=2)


def _verbs() -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    groups: dict[str, dict[str, str]] = {}
    modules = {}
    for row in _rows("verbs.txt"):
        if row[0].startswith("["):
            verbs = groups[" ".join(row).strip("[]")] = {}
        else:
            verb, modules[verb], verbs[verb] = row
    return groups, modules


_SECTIONS, MODULES = _verbs()
"""Title -> its verbs, each with its help; verb -> its module in `wm.cli.verbs`. They are in a
table, so that `wm --help` loads no module. In the module the command has the name of the verb, or
`command`."""

VERBS = {verb: says for verbs in _SECTIONS.values() for verb, says in verbs.items()}

GROUPS = {title: verbs for title, verbs in _SECTIONS.items() if title != "Not shown"}
"""The verbs that `wm help --all` lists."""

EVERY_DAY = "Every day"
"""The title of the verbs that `wm --help` shows (UI-2)."""

EVERYTHING = "wm.everything"
"""Key in the `meta` of a context: its help shows every verb and the options."""

ALSO = {word: " ".join(command) for word, *command in _rows("also.txt")}
"""Words that people try, and the command that does it here."""

MAX_CAUSES = 5
"""Maximum length of a chain of causes in a bug report."""


class Verbs(Group):
    """Loads a verb's module when the verb is used."""

    also = ALSO

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return [verb for verbs in GROUPS.values() for verb in verbs]

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        try:
            module = importlib.import_module(f"wm.cli.verbs.{MODULES[name]}")
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package in ("", "wm"):
                raise
            raise UserError.of(
                "cli.missing_package", name=name, package=package, executable=sys.executable
            ) from error
        command = getattr(module, name.replace("-", "_"), None)
        if not isinstance(command, click.Command):
            command = module.command
        assert isinstance(command, click.Command)
        command.short_help = VERBS[name]
        return command

    def get_help_option_names(self, _ctx: click.Context) -> list[str]:
        return ["-h", "--help"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if EVERYTHING in ctx.meta:
            super(click.Group, self).format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        column = max(map(len, VERBS))
        for title, verbs in GROUPS.items():
            if EVERYTHING in ctx.meta or title == EVERY_DAY:
                with formatter.section(title):
                    formatter.write_dl([(v.ljust(column), says) for v, says in verbs.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write("Every verb takes --help, and --json where it prints something.\n")
        if EVERYTHING in ctx.meta:
            formatter.write("Exit codes: 0 done · 1 could not, or findings · 2 usage · 3 our bug\n")
        else:
            more = len(self.list_commands(ctx)) - len(GROUPS[EVERY_DAY])
            formatter.write(f"{more} more verbs, and the options: wm help --all\n")


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    options_metavar="[-C DIR | --workspace KEY]",
    subcommand_metavar="VERB …",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(__version__, "-V", "--version", message="wm %(version)s")
@folder_option("As if started in DIR.")
@workspace_option("The workspace with this key.")
@click.pass_context
def application(ctx: click.Context, directory: str, workspace: str) -> None:
    """Memory for coding agents, in plain files that you can read and edit."""
    ctx.obj = (directory, workspace)
    if ctx.invoked_subcommand is None:
        output.line(ctx.get_help())


def run(words: list[str]) -> int:
    """Run one command line and return its exit code. Every error is reported here, in one sentence.

    With --json an error is a JSON object on stdout (`problem` in schemas/cli.schema.json), so that
    a program always finds an object there.
    """
    try:
        return _outcome(words)
    except output.OutputClosed:
        streams.abandon(sys.stdout.fileno())
        return 0
    except output.Unprintable as error:
        streams.abandon(sys.stdout.fileno())
        return _report(1, "", f"The answer could not be printed: {error}.", "")


def _outcome(words: list[str]) -> int:
    """Raises OutputClosed and Unprintable."""
    options = words[: words.index("--")] if "--" in words else words
    report = _report_json if "--json" in options else _report
    try:
        result = application.main(words, prog_name="wm", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except SystemExit as stop:  # a completion (code 0), or a help on a closed pipe
        if stop.code:
            raise output.OutputClosed from None
        return 0
    except click.UsageError as error:
        return report(2, "usage", sentence(error, words), _usage_fix(error, words))
    except click.ClickException as error:
        return report(1, "user_error", error.format_message(), "")
    except (click.Abort, KeyboardInterrupt):
        return report(130, "stopped", "Stopped.", "")
    except WmError as error:
        return report(1, error.code, error.message, error.fix)
    except (output.OutputClosed, output.Unprintable):
        raise
    except Exception:  # noqa: BLE001 - the last door: a bug becomes a report, never a mystery
        # Output of a library that cannot be printed is not a bug. Unbuffered, it is lost by now.
        output.line()
        output.flush()
        return report(3, "bug", "This is a bug in wm, not something you did.", _bug(words))
    return result if isinstance(result, int) else 0


def _report(exit_code: int, _code: str, message: str, fix: str) -> int:
    output.problem(message, fix=fix)
    return exit_code


def _report_json(exit_code: int, code: str, message: str, fix: str) -> int:
    output.as_json({"type": code, "detail": message, "fix": fix, "exitCode": exit_code})
    return exit_code


def _usage_fix(error: click.UsageError, words: list[str]) -> str:
    path = error.ctx.command_path if error.ctx else _path(words)
    if isinstance(error, click.MissingParameter) and error.param and error.param.name == "entry_id":
        return f"`wm inspect` shows every id; `{path} --help` shows how."
    return f"`{path} --help` shows how."


def _path(words: list[str]) -> str:
    """The verb on the command line; a parse error does not contain it."""
    ctx = click.Context(application, info_name="wm")
    rest = iter(words)
    for word in rest:
        if not isinstance(ctx.command, click.Group):
            break
        if word in ("-C", "--workspace"):
            next(rest, None)  # a folder may have the name of a verb
            continue
        found = ctx.command.get_command(ctx, word)
        ctx = ctx if found is None else click.Context(found, info_name=word, parent=ctx)
    return ctx.command_path


def _bug(words: list[str]) -> str:
    """Write the traceback to a file and return a sentence with its path."""
    import tempfile  # here, not above: only a bug needs it

    verb = next((word for word in words if word in VERBS), "")
    text = f"wm {__version__}, Python {sys.version}\nverb: {verb}\n\n{_traceback()}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="wm-bug-", suffix=".log", delete=False, encoding="utf-8"
        ) as log:
            log.write(text)
    except OSError:
        return f"Please report it:\n{text}"
    return f"Please report it with the log {log.name}; nothing of your memory is in it."


def _traceback() -> str:
    """Types and frames of the current exception. Its message stays out, because it may quote a
    user's text (TR-1)."""
    error = sys.exception()
    parts: list[str] = []
    while error is not None and len(parts) < MAX_CAUSES:
        parts.append("".join((*traceback.format_tb(error.__traceback__), type(error).__name__)))
        error = error.__cause__ or error.__context__
    return "\n\nThe cause of it:\n\n".join(parts)


def commands() -> dict[str, click.Command]:
    """Every verb's command, for the reference and its tests."""
    ctx = click.Context(application, info_name="wm")
    return {verb: found for verb in VERBS if (found := application.get_command(ctx, verb))}
