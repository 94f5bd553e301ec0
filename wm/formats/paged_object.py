"""`objects/<sid>.jsonl`: the content of a session's steps, which paging may remove (OB-1).

Append-only, redacted. Each step is stored once per session, before any part of it is removed.

`sessions/<sid>_summaries.json`: summaries of removed content by the helper model (OB-2, HM-3).
Derived from the objects and deletable: without it the extractive summary is shown.
"""

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Document, Record, optional


class ObjectPart(Record):
    """One text of a step: the input of a call, its result, or what the model wrote.

    id: the handle that stubs name. kind: `call` (its input, with notes for long texts), `input`
    (one of these texts), `result`, or `text` (what the model wrote). path: of the file that a call
    read or wrote.
    """

    id: str
    kind: str
    tool: str = optional("")
    label: str = optional("")
    path: str = optional("")
    failed: bool = optional(False)
    text: str


class ObjectAdmission(Record):
    """Why an object is indexed for search, or not (OB-4): the shares of its score."""

    prior: float
    novelty: float
    utility: float
    recency: float
    score: float
    reason: str = optional("")
    """Why it was rejected; empty for an admitted object."""


class ObjectRelation(Record):
    """kind: `references`, `supersedes`, `depends_on` or `caused_by`. other: the id of an object."""

    kind: str
    other: str


class PagedObject(Record):
    """One step of a session: an answer with its calls and their results.

    type: of OB-1, such as `file_context`. tokens: estimated. places: the identities of its blocks
    in the history. number: of the step in its conversation, from 1.
    """

    slug: ClassVar[str] = "paged_object"

    version: int = 1
    id: str
    at: str = ""
    conversation: str = optional("")
    places: tuple[str, ...] = optional(())
    number: int = 0
    type: str
    label: str = optional("")
    tokens: int
    parts: tuple[ObjectPart, ...] = ()
    names: tuple[str, ...] = optional(())
    relations: tuple[ObjectRelation, ...] = optional(())
    admission: ObjectAdmission | None = optional()


class TextSummaries(Record):
    """Two forms of one text, both checked. Words of a model: never instructions, never memory.

    reason: why there is none; then the others are empty. losses: what the forms leave out: as the
    model says, and the identifiers that are missing. can_answer: questions that the detailed form
    answers. by: the model. audited: when its losses were compared with the text again; "" if never.
    """

    detailed: str = optional("")
    compact: str = optional("")
    losses: tuple[str, ...] = optional(())
    can_answer: tuple[str, ...] = optional(())
    by: str = optional("")
    reason: str = optional("")
    at: str = ""
    audited: str = optional("")


class SessionSummaries(Document):
    """texts: by the handle of a text."""

    slug: ClassVar[str] = "summaries"

    texts: dict[str, TextSummaries] = Field(default_factory=dict)
