"""An option that a command does not know: which one was meant, or whose it is.

Imported where somebody mistyped only. Loads all verbs when no option of this one is near: a
guess that leads away from what was wanted is worse than a quarter of a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import click

from wm.cli.groups import Group, nearest

MOST_OWNERS = 2
"""An option that more verbs have says nothing of what was wanted."""

INSTEAD: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "setup": {"undo": "unsetup", "remove": "unsetup", "restore": "unsetup"},
        "daemon": {"background": "up", "detach": "up", "daemonize": "up"},
        "edit": {"delete": "forget", "remove": "forget"},
    }
)
"""By verb, options that people try, and the verb that does it."""


def hint(error: click.NoSuchOption) -> str:
    """ " Did you mean …?", whose the option is, or ""."""
    ctx = error.ctx
    if ctx is None:
        return ""
    name = error.option_name
    close = _nearest_option(name, ctx)
    if close:
        return f" Did you mean {close}?"
    if isinstance(ctx.command, click.Group):
        behind = any(name in _options(under) for _, under in _all_below(ctx.command, ctx))
        return " It goes behind the verb." if behind else ""
    verb = _verb(name.lstrip("-"), ctx)
    others = [f"`{one}`" for one in (verb, *_owners(name, ctx)) if one]
    return f" Did you mean {', or '.join(others)}?" if others else ""


def _nearest_option(name: str, ctx: click.Context) -> str:
    known = [one for param in ctx.command.get_params(ctx) for one in param.opts if one[0] == "-"]
    if not name.startswith("--"):
        return next((one for one in known if one.lower() == name.lower()), "")
    long = [one[2:] for one in known if one.startswith("--")]
    close = nearest(name[2:], long)
    return f"--{close}" if close else ""


def _verb(word: str, ctx: click.Context) -> str:
    """A verb beside this one, or of `wm` itself, that is called as the option is."""
    instead = INSTEAD.get(ctx.info_name or "", {}).get(word, "")
    if instead:
        return f"wm {instead}"
    here = ctx.parent
    while here is not None:
        group = here.command
        if isinstance(group, Group):
            named = word if word in group.list_commands(here) else group.also.get(word, "")
            path = f"{here.command_path} {named}"
            if named and not named.startswith("-") and f"{path} " not in ctx.command_path:
                return path
        here = here.parent
    return ""


def _owners(name: str, ctx: click.Context) -> list[str]:
    root = ctx.find_root()
    assert isinstance(root.command, click.Group)
    below = _all_below(root.command, root)
    found = [f"{path} {name}" for path, command in below if name in _options(command)]
    return found if len(found) <= MOST_OWNERS else []


def _all_below(group: click.Group, ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    """Every verb of a group, and of the groups in it, with its words."""
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
