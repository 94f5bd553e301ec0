"""`sessions/<sid>_summaries.json`: summaries of removed content by the helper model (OB-2, HM-3).

Derived from `objects/<sid>.jsonl` and deletable: without it the extractive summary is shown.
"""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Document, Record, optional


class TextSummaries(Record):
    """Two forms of one text, both checked. Words of a model: never instructions, never memory.

    reason: why there is none; then the others are empty. losses: what the forms leave out: as the
    model says, and the identifiers that are missing. can_answer: questions that the detailed form
    answers. by: the model.
    """

    detailed: str = optional("")
    compact: str = optional("")
    losses: tuple[str, ...] = optional(())
    can_answer: tuple[str, ...] = optional(())
    by: str = optional("")
    reason: str = optional("")
    at: str = ""


class SessionSummaries(Document):
    """texts: by the handle of a text."""

    slug: ClassVar[str] = "summaries"

    texts: dict[str, TextSummaries] = Field(default_factory=dict)
