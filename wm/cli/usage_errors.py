"""Explains a wrong command line in a full sentence, with a suggestion.

For an unknown option it suggests one of the verb's own options, or names the verb that has it. For
that it loads all verbs: a misleading guess is worse than a delay of a quarter of a second.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

import click

from wm.cli.groups import Group, instead, nearest

MOST_MEANT = 2
"""An option that more verbs have does not identify the intended verb."""

ANYWHERE = ("--force", "--quiet", "--check", "--full", "--print", "--apply", "--wait")
"""Options that people try with any verb: which verb has them says nothing about the intent."""


def sentence(error: click.UsageError, words: Sequence[str]) -> str:
    """The usage error as a full sentence. words: the command line."""
    path = error.ctx.command_path if error.ctx else "wm"
    match error:
        case click.NoSuchOption() if error.ctx:
            known = [*_options(error.ctx.command), *error.ctx.help_option_names]
            # For -help, click reports an unknown -e.
            name = next((w for w in words if f"-{w}" in known and w[0] == "-"), error.option_name)
            return f"`{path}` has no option {name}.{_hint(name, known, error.ctx)}"
        case click.MissingParameter():
            return f"`{path}` needs {_name(error.param)}{_choices(error.param)}."
        case click.BadParameter():
            message = f"{_name(error.param)}: {error.message}"
            message = message.replace("is not a valid integer range", "is not a whole number")
            message = message.replace("is not in the range x>=", "is less than ")
            message = re.sub(r"in the range (\d+)<=x<=(\d+)", r"between \1 and \2", message)
            message += _choice(error)
        case click.BadOptionUsage():
            # Raised during parsing, so the error does not contain its command.
            message = error.message.replace("Option '", "The option ").replace("' ", " ", 1)
        case _ if error.message.startswith("Got unexpected extra argument"):
            extra = error.message.partition("(")[2].rstrip(")")
            message = f"`{path}` takes no further argument{'s' * (' ' in extra)}: {extra!r}."
            return message + _option_first(extra, error.ctx)
        case _:
            message = error.format_message()
    return message if message.endswith((".", "?")) else message + "."


def _choice(error: click.BadParameter) -> str:
    """ " Did you mean …?" for a value that is not one of the choices."""
    given = re.match(r"'([^']*)' is not one of ", error.message)
    kind = error.param.type if error.param else None
    if given is None or not isinstance(kind, click.Choice):
        return ""
    close = nearest(given[1].partition(".")[0], kind.choices)
    verb = instead(error.ctx.info_name if error.ctx else "", given[1])
    close = f"`wm {verb}`" if verb else close
    return f" Did you mean {close}?" if close else ""


def _option_first(extra: str, ctx: click.Context | None) -> str:
    """ " Did you mean …?" if the word is a value of an option, or words to search for."""
    params = ctx.command.params if ctx else []
    takes = [one for one in params if isinstance(one, click.Argument)]
    at_end = "--for" if takes else "--last" if extra.isdigit() else "--since"
    for param in params:
        if isinstance(param, click.Option) and isinstance(param.type, click.Choice):
            close = nearest(extra, param.type.choices)
            if close:
                return f" Did you mean {max(param.opts, key=len)} {close}?"
        if isinstance(param, click.Option) and (meant := set(param.opts) & {"--output", at_end}):
            return f" Did you mean {meant.pop()} {shlex.quote(extra)}?"
    if ctx and ctx.command_path == "wm inspect":
        return f" Did you mean `wm search {extra}`?"
    return f" It takes one {_name(takes[0])} at a time." if len(takes) == 1 else ""


def _name(param: click.Parameter | None) -> str:
    """A parameter's name as in the help."""
    if param is None:
        return "an argument"
    if isinstance(param, click.Argument):
        return (param.metavar or (param.name or "").upper()).strip("[].…")
    return max(param.opts, key=len)


def _choices(param: click.Parameter | None) -> str:
    """ ": a, b or c" for a parameter with few values."""
    if param is None or not isinstance(param.type, click.Choice):
        return ""
    *others, last = map(str, param.type.choices)
    return f": {', '.join(others)} or {last}"


def _hint(name: str, known: Sequence[str], ctx: click.Context) -> str:
    """ " Did you mean …?", the verb that has the option, or ""."""
    close = _nearest_option(name, known)
    if close:
        return f" Did you mean {close}?"
    if isinstance(ctx.command, click.Group):
        behind = any(name in _options(under) for _, under in _all_below(ctx.command, ctx))
        return " It comes after the verb." if behind else ""
    verb = _verb(name.lstrip("-"), ctx)
    if verb.endswith("."):
        return f" {verb}"
    owners = _owners(name, ctx)
    if len(owners) + bool(verb) > MOST_MEANT:
        owners = []
    others = [f"`{one}`" for one in (verb, *owners) if one]
    if others:
        return f" Did you mean {', or '.join(others)}?"
    if any(_name(one) == "TEXT" for one in ctx.command.params):
        return " TEXT needs no option; after -- it may begin with -."
    return ""


def _nearest_option(name: str, known: Sequence[str]) -> str:
    if not name.startswith("--"):
        if name == "-n" and "--dry-run" in known:  # as for make and rsync
            return "--dry-run"
        same = [one for one in known if one.lower() in (name.lower(), f"-{name}")]
        begun = [one for one in known if one.startswith(f"-{name}")]
        return same[0] if same else begun[0] if len(begun) == 1 else ""
    long = [one[2:] for one in known if one.startswith("--")]
    close = nearest(name[2:], long)
    return f"--{close}" if close else ""


def _verb(word: str, ctx: click.Context) -> str:
    """A verb of the same group, or of `wm` itself, with the name of the option."""
    if meant := instead(ctx.info_name, word):
        return meant if meant.endswith(".") else f"wm {meant}"
    parent = ctx.parent
    while parent is not None:
        group = parent.command
        if isinstance(group, Group):
            named = word if word in group.list_commands(parent) else group.also.get(word, "")
            path = f"{parent.command_path} {named}"
            if named and not named.startswith("-") and f"{path} " not in ctx.command_path:
                return path
        parent = parent.parent
    return ""


def _owners(name: str, ctx: click.Context) -> list[str]:
    if name in ANYWHERE:
        return []
    root = ctx.find_root()
    assert isinstance(root.command, click.Group)
    below = _all_below(root.command, root)
    return [f"{path} {name}" for path, command in below if name in _options(command)]


def _all_below(group: click.Group, ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    """Every verb of a group and of its subgroups, with its words."""
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if isinstance(command, click.Group):
            yield from _all_below(command, click.Context(command, info_name=name, parent=ctx))
        elif command is not None:
            yield f"{ctx.command_path} {name}", command


def _options(command: click.Command) -> list[str]:
    return [
        one for param in command.params if isinstance(param, click.Option) for one in param.opts
    ]
