"""The user's own rules from `config.toml`, tried before the built-in ones (PR-4, IF-8).

A rule can keep or cut other lines than the built-in one, but errors always stay, and so does the
output of a tool that reads files.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from wm.domain.pruning import telling_lines
from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.rule import Folds, OutputRule
from wm.domain.pruning.selection import KeptLines
from wm.domain.pruning.tool_call import PrunableCall
from wm.settings import PruningRule
from wm.text.patterns import Pattern, compile

SAMPLE = 400
"""Lines at each end in which a rule's `output` is searched."""


class UserRule(Struct, frozen=True):
    """One compiled rule."""

    given: PruningRule
    command: Pattern | None
    output: Pattern | None
    rule: OutputRule

    def takes(self, call: PrunableCall, lines: OutputLines) -> bool:
        if self.given.tool and call.name.lower() != self.given.tool.lower():
            return False
        if self.command is not None and self.command.search(call.command) is None:
            return False
        if self.output is None:
            return True
        near = [*lines.plain[:SAMPLE], *lines.plain[SAMPLE:][-SAMPLE:]]
        return any(self.output.search(line[:2000]) is not None for line in near)


class UserRules(Struct, frozen=True):
    """All user rules, in file order."""

    rules: tuple[UserRule, ...]

    def first(self, call: PrunableCall, lines: OutputLines) -> UserRule | None:
        return next((rule for rule in self.rules if rule.takes(call, lines)), None)


@lru_cache(maxsize=4)
def user_rules(given: tuple[PruningRule, ...]) -> UserRules | None:
    """Compile the rules of a configuration; None if there are none."""
    return UserRules(tuple(map(_compiled, given))) if given else None


def _compiled(given: PruningRule) -> UserRule:
    keeps = [compile(text) for text in given.keep]

    def reduce(lines: OutputLines) -> KeptLines:
        starts = enumerate(line[:2000] for line in lines.plain)
        kept = {i for i, line in starts if any(pattern.search(line) for pattern in keeps)}
        return KeptLines(must=sorted({*telling_lines.errors(lines), *kept}))

    return UserRule(
        given,
        compile(given.command) if given.command else None,
        compile(given.output) if given.output else None,
        OutputRule(given.name, given.noun or "lines", reduce=reduce, folds=Folds.SAME),
    )
