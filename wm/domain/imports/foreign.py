"""What a foreign file contains: statements, and what was skipped with the reason (CB-6).

Shared values of all sources. A source receives a file that is already opened, bounded and
decoded. It trusts nothing in it, raises for nothing in it and changes nothing. Rule: everything
that is skipped is counted and reported.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from wm.api.imports import ImportFact, ImportSession
from wm.domain.facts import Refusal
from wm.domain.times import iso, parse
from wm.text.letters import canonical
from wm.text.tables import Tables

PROJECT, DATA, CLAUDE, OPENCODE = "project", "data", "claude", "opencode"
"""Bases of places: the project's folders, the user's data folder, the agents' own folders."""


class ForeignFile(Struct, frozen=True):
    """A file that was read. value: its parsed JSON, or None for text. modified: ISO 8601.

    max_chars: the longest text that an entry may have.
    """

    path: str
    text: str = ""
    value: object = None
    modified: str = ""
    max_chars: int = 2000


class SkippedStatement(Struct, frozen=True):
    """Something that was skipped. code: a stable code; why: a clause for people."""

    file: str
    code: str
    count: int = 1

    @property
    def why(self) -> str:
        return WHY.get(self.code, self.code.replace("_", " "))


class Forgetting(Struct, frozen=True):
    """A message that asks to forget what was said before. at: ISO 8601."""

    text: str
    file: str
    line: int
    at: str

    def follows(self, fact: ImportFact) -> bool:
        same = fact.file == self.file
        return fact.line < self.line if same else fact.created_at < self.at


class ForeignMemory(Struct, frozen=True):
    """The contents of one file. root: the folder that the store says it belongs to, or "".
    forgettings: what its messages ask to forget, also of other sessions."""

    facts: tuple[ImportFact, ...] = ()
    left: tuple[SkippedStatement, ...] = ()
    root: str = ""
    sessions: tuple[ImportSession, ...] = ()
    forgettings: tuple[Forgetting, ...] = ()


class Spot(Struct, frozen=True):
    """A place where a source keeps its files: a base and a path below it. `*` matches any name in
    one folder, `{project}` the folder name that Claude Code derives from a project's path."""

    base: str
    pattern: str


class ImportSource(Struct, frozen=True):
    """One kind of foreign memory.

    wants: does this path (its parts, the file name last) belong to the source? json: the file is
    JSON. grouped: the file belongs to a store folder (`opencode_v2.store_of`) that names its
    project. max_bytes: as in `ImportSettings.max_file_bytes`, if larger. is_asked_for: it is read
    only if it is named. can_be_users: its statements may be the user's own words.
    """

    name: str
    spots: tuple[Spot, ...]
    wants: Callable[[tuple[str, ...]], bool]
    parse: Callable[[ForeignFile], ForeignMemory | Refusal]
    json: bool = True
    grouped: bool = False
    max_bytes: int = 0
    is_asked_for: bool = False
    can_be_users: bool = False


WHY = dict(Tables("wm.domain.imports").rows("skipped", columns=2))
"""Reason code -> what was skipped, and why."""


def derived_id(*parts: str) -> str:
    """An entry id derived from its content, so that every run produces the same id."""
    joined = "\0".join(("import", *parts))
    return "m_" + hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:20]


def id_of_text(text: str) -> str:
    """The id of a statement that carries none: the same fact in two files gets one id."""
    return derived_id(canonical(text))


def number(value: object) -> float | None:
    """A number from a foreign file; None for any other value, and for NaN and infinities."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def moment(value: object) -> str:
    """A time from a foreign file (ISO 8601, or milliseconds since 1970) in our form; "" if
    unreadable."""
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
    """A short string from a foreign file; "" for any other value."""
    return value.strip() if isinstance(value, str) and len(value) <= chars else ""


def unfit(text: str, file: ForeignFile) -> str:
    """The code of the reason to skip a text; "" for one that may be an entry."""
    return "empty" if not text else "too_long" if len(text) > file.max_chars else ""


def facts_of(
    items: Iterable[object], read: Callable[[object], ImportFact | str], source: str
) -> tuple[list[ImportFact], list[str]]:
    """Statements of a store and the codes of what was skipped. If two records have one id, both
    are kept. Active statements come first: if one run takes too many, history is cut."""
    facts: dict[str, ImportFact] = {}
    codes: list[str] = []
    for item in items:
        made = read(item)
        if isinstance(made, str):
            codes.append(made)
            continue
        if made.id in facts:
            made = made.model_copy(update={"id": derived_id(source, made.id, made.text)})
        facts.setdefault(made.id, made)
    return sorted(facts.values(), key=lambda fact: fact.status == "superseded"), codes


def tally(file: str, codes: list[str]) -> tuple[SkippedStatement, ...]:
    """One `SkippedStatement` per code, in order of first appearance."""
    return tuple(SkippedStatement(file, code, codes.count(code)) for code in dict.fromkeys(codes))
