"""Words that carry little or no information about the origin of a text (TR-3).

`common_words.toml` has them as people write them. `distinctive_words` compares stems, except of
the negations.
"""

from __future__ import annotations

from wm.text.letters import normalised
from wm.text.stems import stem
from wm.text.tables import Tables

_TABLES = Tables("wm.domain.learning", "common_words.toml")

NEGATIONS = frozenset(map(normalised, _TABLES.words("negations")))
"""Each negates the sentence that contains it."""
FRAMING = frozenset(map(stem, _TABLES.words("framing")))
"""Words that introduce a statement: a summary puts them around everything."""
COMMON = frozenset(map(stem, _TABLES.words("common")))
"""Words of nearly every text about software: one of them alone does not identify an origin."""
