"""What narrows a search, written by a model as one text: `type:decision since:"last week"` (IF-4).

One argument of a tool and not eight, because the tools' table stands in every prompt. Which
values a filter may have is judged where it is used.
"""

from __future__ import annotations

import shlex

from wm.errors import UserError

NAMES = ("type", "tag", "path", "scope", "session", "origin", "since", "until")
_FIX = f'Write it as type:decision since:"last week"; there are {", ".join(NAMES)}.'


def parse(text: str) -> dict[str, str]:
    """The filters by their names. Raises UserError for what is none, or was given twice."""
    found: dict[str, str] = {}
    try:
        words = shlex.split(text)
    except ValueError:
        raise UserError("`only` has a quote that does not end.", fix=_FIX) from None
    for word in words:
        name, colon, value = word.partition(":")
        if name not in NAMES or not colon or not value:
            raise UserError(f"`only` has {word[:40]!r}, which is no filter.", fix=_FIX)
        if name in found:
            raise UserError(f"`only` has {name} twice.", fix="Ask once for each.")
        found[name] = value
    return found
