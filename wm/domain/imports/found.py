"""What a foreign file holds: statements, and what is left out with its reason (CB-6).

The words that all sources share. A source reads one file that was already opened, bounded and
decoded by somebody else; it believes nothing in it, raises for nothing in it, and changes
nothing. Rule: what is not taken is counted and said.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from wm.domain.facts import Refusal
from wm.domain.text import canonical
from wm.domain.times import iso, parse
from wm.formats.imports import ImportFact, ImportSession

PROJECT, DATA, CLAUDE, OPENCODE = "project", "data", "claude", "opencode"
"""Bases of places: folders of the project, the user's data folder, the agents' own folders."""


class ForeignFile(Struct, frozen=True):
    """A file as it was read. value: its parsed JSON, or None for text. modified: ISO 8601.

    max_chars: longest text that an entry may have.
    """

    path: str
    text: str = ""
    value: object = None
    modified: str = ""
    max_chars: int = 2000


class Left(Struct, frozen=True):
    """What was not taken. code: a stable word; why: a clause for people."""

    file: str
    code: str
    count: int = 1

    @property
    def why(self) -> str:
        return WHY.get(self.code, self.code.replace("_", " "))


class Parsed(Struct, frozen=True):
    """What one file holds. root: the folder that a store says it belongs to, or ""."""

    facts: tuple[ImportFact, ...] = ()
    left: tuple[Left, ...] = ()
    root: str = ""
    sessions: tuple[ImportSession, ...] = ()


class Spot(Struct, frozen=True):
    """Where files of a source are: a base, and a path below it. `*` stands for any name in one
    folder, `{project}` for the name that Claude Code gives to a project's folder."""

    base: str
    pattern: str


class Source(Struct, frozen=True):
    """One kind of foreign memory.

    wants: is a file with this path (parts, the last is its name) one of this source? json: the
    file is JSON. grouped: a file belongs to a store folder (`opencode_v2.store_of`) that says
    which project it is of.
    """

    name: str
    says: str
    spots: tuple[Spot, ...]
    wants: Callable[[tuple[str, ...]], bool]
    parse: Callable[[ForeignFile], Parsed | Refusal]
    json: bool = True
    grouped: bool = False


WHY: Mapping[str, str] = {
    "old_session": "sessions older than the newest that one run takes",
    "pool_note": "what tools left in the pool: no one said it",
    "measurements": "measurements of the plugin: pressure, compactions, sweeps",
    "hot_state": "hot state of sessions: open files, errors, recent decisions",
    "other_documents": "journal, tombstones and sessions of an export",
    "evidence": "evidence of an export",
    "undecided": "changes from outside, or rejected: nobody's word is on them",
    "not_an_entry": "records without an id or a text that could be read",
    "unknown_block": "blocks with a name that is not known",
    "empty": "they say nothing",
    "too_long": "longer than an entry may be",
    "too_many": "more than one run takes: files that are named come first",
    "code": "code: the files say it better",
    "table": "tables",
    "quotation": "quotations",
    "todo": "to-dos with a box",
    "include": "references to other files: name them to import them",
}
"""Reason code -> what was left, and why."""


def derived_id(*parts: str) -> str:
    """An entry's id made of what it says, so that every run gives the same one."""
    told = "\0".join(("import", *parts))
    return "m_" + hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:20]


def id_of_text(text: str) -> str:
    """The id of a statement that has none: one fact in two files is one fact."""
    return derived_id(canonical(text))


def number(value: object) -> float | None:
    """A number of a foreign file; None for what is none, and for what JSON cannot say."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def moment(value: object) -> str:
    """A time of a foreign file (ISO 8601, or milliseconds since 1970) as ours; "" for none."""
    if isinstance(value, str) and len(value) <= 64:
        found = parse(value)
        return iso(found) if found is not None else ""
    millis = number(value)
    if millis is None:
        return ""
    try:
        return iso(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis))
    except OverflowError:
        return ""


def words(value: object, chars: int = 500) -> str:
    """A short string of a foreign file, "" for anything else."""
    return value.strip() if isinstance(value, str) and len(value) <= chars else ""


def tally(file: str, codes: list[str]) -> tuple[Left, ...]:
    """One `Left` per code, in order of appearance."""
    return tuple(Left(file, code, codes.count(code)) for code in dict.fromkeys(codes))
