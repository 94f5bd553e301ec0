"""Synonyms that engineers use, for finding only (RC-1).

A query word also matches, with less weight, the other words of its row. Rows contain general
technical words only, no project's own; words with other common meanings are left out.
"""

from __future__ import annotations

from wm.text.stems import stem
from wm.text.tables import Tables


def _table() -> dict[str, tuple[str, ...]]:
    related: dict[str, dict[str, None]] = {}
    for row in Tables("wm.search").rows("synonyms"):
        stems = list(dict.fromkeys(map(stem, row)))
        for one in stems:
            related.setdefault(one, {}).update(dict.fromkeys(s for s in stems if s != one))
    return {one: tuple(others) for one, others in related.items()}


SYNONYMS = _table()
"""Stem -> stems of its synonyms."""
