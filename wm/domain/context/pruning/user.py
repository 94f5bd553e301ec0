"""The user's own rules from `config.toml`, asked before ours (PR-4, IF-8)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from wm.domain.context.pruning import telling
from wm.domain.context.pruning.call import Call
from wm.domain.context.pruning.choose import Wanted
from wm.domain.context.pruning.lines import Lines
from wm.domain.context.pruning.rule import Folds, Rule
from wm.domain.patterns import Pattern, compile
from wm.settings import PruningRule

SAMPLE = 400
"""Lines from each end in which a rule's `output` is looked for."""


class UserRule(Struct, frozen=True):
    """One rule, compiled. leave: such output stays whole."""

    given: PruningRule
    command: Pattern | None
    output: Pattern | None
    rule: Rule

    @property
    def leave(self) -> bool:
        return self.given.leave

    def takes(self, call: Call, lines: Lines) -> bool:
        if self.given.tool and call.name.lower() != self.given.tool.lower():
            return False
        if self.command is not None and self.command.search(call.command) is None:
            return False
        if self.output is None:
            return True
        near = [*lines.plain[:SAMPLE], *lines.plain[SAMPLE:][-SAMPLE:]]
        return any(self.output.search(line[:2000]) is not None for line in near)


class UserRules:
    """All of them, in the order of the file."""

    def __init__(self, given: Sequence[PruningRule]) -> None:
        self._rules = tuple(map(_compiled, given))

    def first(self, call: Call, lines: Lines) -> UserRule | None:
        return next((rule for rule in self._rules if rule.takes(call, lines)), None)


@lru_cache(maxsize=4)
def user_rules(given: tuple[PruningRule, ...]) -> UserRules | None:
    """The rules of a configuration; None for none."""
    return UserRules(given) if given else None


def _compiled(given: PruningRule) -> UserRule:
    keeps = [compile(text) for text in given.keep]

    def reduce(lines: Lines) -> Wanted:
        kept = lines.where(lambda line: any(k.search(line[:2000]) is not None for k in keeps))
        return Wanted(must=sorted({*telling.errors(lines), *kept}))

    return UserRule(
        given,
        compile(given.command) if given.command else None,
        compile(given.output) if given.output else None,
        Rule(given.name, given.noun or "lines", reduce=reduce, folds=Folds.SAME),
    )
