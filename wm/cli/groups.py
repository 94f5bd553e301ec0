"""Groups of verbs: suggest the nearest verb for an unknown word, and run a default one for none.

Knows no verb: the groups and `wm.cli.app` name theirs.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import Any

import click

from wm.text.tables import Tables

PASTED = ("$", "%", "#", ">", "wm", "$ wm")
"""What a command that was copied from a page begins with."""


class Group(click.Group):
    """A group that suggests the nearest known verb for an unknown one.

    default: the verb that runs if none is given, so that `wm inbox --json` lists.
    """

    also: Mapping[str, str] = {}
    """Words that people try, and the verb that does it here."""

    def __init__(self, *args: Any, default: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        plain = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        # During shell completion (resilient parsing) every verb is still possible.
        if not self.default or not plain or ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        return super().parse_args(ctx, [self.default, *args])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchOption:
            raise
        except click.UsageError as error:
            message = f"`{ctx.command_path}` has no verb {args[0]!r}."
            rest = list(dropwhile(PASTED.__contains__, args))
            hint = f" Did you mean `{ctx.command_path} {shlex.join(rest)}`?"
            hint = hint if rest and rest != args else self._nearest(ctx, args[0])
            raise click.UsageError(message + hint, ctx=ctx) from error

    def known(self, ctx: click.Context) -> list[str]:
        """The words that are valid here."""
        return self.list_commands(ctx)

    def _nearest(self, ctx: click.Context, word: str) -> str:
        known = self.known(ctx)
        meant = self.also.get(word.lower(), "")
        close = meant if meant.split(" ")[0] in known or meant.startswith("-") else ""
        close = close or instead(self.name, word)
        if word[1:2] == "_" and (verb := instead(self.name, word[:2])):
            close = f"{verb} {shlex.quote(word)}"
        close = close or nearest(word, known)
        if close:
            return f" Did you mean `{ctx.command_path} {close}`?"
        # The verbs of `wm` itself are too many for one sentence.
        verbs = [name for name, verb in self.commands.items() if not verb.hidden]
        return f" It has {', '.join(sorted(verbs))}." if verbs else ""


def instead(name: str | None, word: str) -> str:
    """The verb to use for a word that people try with the verb or group `name`; "" for none."""
    return str(Tables("wm.cli").table("instead").get(name or "", {}).get(word.lower(), ""))


def ids(ctx: click.Context, _param: click.Parameter, value: Any) -> Any:
    """Callback for an argument of ids: refuses a word that people try, with the right command."""
    for word in value if isinstance(value, tuple) else (value or "",):
        if "_" not in word and (meant := instead(ctx.info_name, word)):
            raise click.BadParameter(f"{word!r} is not an id. Did you mean `wm {meant}`?")
    return value


def nearest(word: str, known: Sequence[str]) -> str:
    """The known word that this one abbreviates or misspells; "" if it is not clear."""
    from difflib import get_close_matches  # here, not above: only a mistake needs it

    word = word.lower()
    begun = [one for one in known if len(word) > 2 and one.startswith(word)]
    if len(begun) == 1:
        return begun[0]
    return next(iter(get_close_matches(word, known, n=1, cutoff=0.7)), "")
