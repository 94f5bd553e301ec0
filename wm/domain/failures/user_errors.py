"""The user's own categories of errors from `config.toml`, read before the built-in formats (IF-8).

A line that a pattern matches is one error of that category; the formats read the other lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from wm.domain.failures.detected import DetectedError, line_no
from wm.settings import ErrorRule
from wm.text.patterns import Pattern, compile


class UserErrors(Struct, frozen=True):
    """The rules of a configuration, compiled: category, pattern of a line, pattern of a command."""

    rules: tuple[tuple[str, Pattern, Pattern | None], ...]

    def find(self, lines: Sequence[str], command: str) -> Iterator[DetectedError]:
        """The errors of all rules that fit this command line; each line counts once."""
        chosen = [(name, line) for name, line, run in self.rules if not run or run.search(command)]
        for i, line in enumerate(lines if chosen else ()):
            for name, pattern in chosen:
                match = pattern.search(line)
                if match is not None:
                    yield _error(name, line, match.groupdict(), i)
                    break


def _error(name: str, line: str, groups: dict[str, str | None], at: int) -> DetectedError:
    message = groups.get("message") or line.strip()
    file, number = groups.get("file") or "", line_no(groups.get("line") or "")
    return DetectedError(name, message, file, number, at, at + 1)


@lru_cache(maxsize=4)
def user_errors(rules: tuple[ErrorRule, ...]) -> UserErrors:
    """Compile the rules of a configuration."""
    return UserErrors(
        tuple(
            (rule.name, compile(rule.pattern), compile(rule.command) if rule.command else None)
            for rule in rules
        )
    )
