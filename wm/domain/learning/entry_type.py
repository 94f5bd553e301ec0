"""Guess the type of an explicit memory from its wording (EX-1). The user can change it.

A wrong guess affects only the group and the half-life, never whether the text is kept. Pure.
"""

from __future__ import annotations

from wm.text.letters import WordPattern
from wm.text.tables import Tables

_TABLES = Tables("wm.domain.learning", "entry_type.toml")


def _pattern(name: str) -> WordPattern:
    return WordPattern("".join(_TABLES.table(name).splitlines()))


_LINK = _pattern("link")
_DOCUMENT = _pattern("document")
_DECISION = _pattern("decision")
_FEEDBACK = _pattern("feedback")
_PROJECT = _pattern("project")
_DIRECTIVE = _pattern("directive")

MATCHED_CHARS = 600
"""Number of characters examined: the beginning of a text determines its type."""


def infer_type(text: str, trigger: str = "") -> str:
    """Return reference, decision, project or feedback: the first matching rule, in this order."""
    head = text[:MATCHED_CHARS]
    if _LINK.search(head) or _DOCUMENT.search(head):
        return "reference"
    if _DECISION.search(head):
        return "decision"
    if _PROJECT.search(head):
        return "project"
    if _FEEDBACK.search(head) or _DIRECTIVE.match(trigger):
        return "feedback"
    return "project"
