"""Parse search filters that a model writes as one text: `type:decision since:"last week"` (IF-4).

One tool argument instead of eight, because the tool schemas are part of every prompt. The values
are validated where they are used.
"""

from __future__ import annotations

import shlex

from wm.errors import UserError

NAMES = ("type", "tag", "path", "scope", "session", "origin", "since", "until")
_FIX = f'Write it as type:decision since:"last week"; the filters are {", ".join(NAMES)}.'


def parse(text: str) -> dict[str, str]:
    """The filters by name. Raises UserError for an unknown or a repeated filter."""
    found: dict[str, str] = {}
    try:
        words = shlex.split(text)
    except ValueError:
        raise UserError("`only` has an unclosed quote.", fix=_FIX) from None
    for word in words:
        name, colon, value = word.partition(":")
        if name not in NAMES or not colon or not value:
            raise UserError(f"`only` has {word[:40]!r}, which is not a filter.", fix=_FIX)
        if name in found:
            raise UserError(f"`only` has {name} twice.", fix="Give each filter once.")
        found[name] = value
    return found
