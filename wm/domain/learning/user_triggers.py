"""The user's own ways of asking to remember, from `config.toml` (IF-8). Pure.

A line that a pattern matches at its beginning, after "please", bullets and similar leads, asks to
keep the text behind the match, or the text of the pattern's group if it has one. These patterns
come before the built-in rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from wm.settings import Trigger
from wm.text.letters import unaccented
from wm.text.patterns import Lazy, Pattern


class UserTriggers(Struct, frozen=True):
    """The triggers of a configuration: a pattern, and the type of what it asks to keep, "" for an
    inferred one."""

    rows: tuple[tuple[Lazy, str], ...]

    def match(self, plain: str) -> tuple[Pattern | None, str]:
        """The first match at the beginning of a line without leads, and its type."""
        for pattern, kind in self.rows:
            match = pattern.match(plain + " ")
            if match is not None:
                return match, kind
        return None, ""

    def lines(self, plain: Iterable[str]) -> set[int]:
        """The numbers of the lines without leads that a trigger matches."""
        return {number for number, line in enumerate(plain) if self.match(line)[0] is not None}


@lru_cache(maxsize=4)
def user_triggers(rules: tuple[Trigger, ...]) -> UserTriggers:
    """Compile the triggers of a configuration."""
    return UserTriggers(
        tuple(
            (Lazy(unaccented(f"^(?:{rule.pattern})"), ignore_case=True), rule.type)
            for rule in rules
        )
    )
