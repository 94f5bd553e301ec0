"""Check the content of a session contract: every fault with its position and its fix (CT-1, CT-2).

Changes nothing; `parse` reads the text, `edit` changes it. One run finds all faults. The caller
passes the earlier state as digests, the test for secrets, and the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from wm.api.contract import ContractFault
from wm.domain.contract.parse import WHOLE, Text, fault, line_column
from wm.domain.counts import counted
from wm.domain.times import iso, parse
from wm.formats.contract_record import KnownContract
from wm.formats.session_contract import (
    FILE,
    LISTS,
    LONGEST,
    MAX_CHARS,
    MAX_COUNT,
    MAX_ITEMS,
    MOMENT,
    REQUIRED,
    RUNTIME,
    TEXTS,
)
from wm.text.jsontext import Node, as_list
from wm.text.letters import is_invisible
from wm.text.patterns import Lazy

AHEAD = timedelta(minutes=5)
"""Tolerated difference between two clocks."""
MOST_FAULTS = 200
MAX_NAME_CHARS = 120

_HALF = frozenset(map(chr, range(0xD800, 0xE000)))
_MOMENT = Lazy(MOMENT)
_DATE = Lazy(r"^\d{4}-\d{2}-\d{2}$")
_NO_ZONE = Lazy(r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$")


class ContractFacts(Struct, frozen=True):
    """Inputs of a check. is_secret: whether a text contains a secret; digest: of a review's text;
    known: the last known state, None if there is none."""

    now: datetime
    is_secret: Callable[[str], bool]
    digest: Callable[[str], str]
    known: KnownContract | None = None


def check(read: Text, facts: ContractFacts) -> tuple[ContractFault, ...]:
    """Return every fault of a contract, in the order of the text; () for a valid one."""
    found = list(read.faults)
    if read.tree is not None:
        look = _Check(read.text, facts)
        found += look.faults(read.tree)
    found.sort(key=lambda fault: (fault.line, fault.column))
    return tuple(found[:MOST_FAULTS])


class _Check(Struct, eq=False):
    """One check of one text."""

    text: str
    facts: ContractFacts

    def faults(self, root: Node) -> list[ContractFault]:
        if not isinstance(root.value, dict):
            return [self._fault(root, WHOLE, "not_an_object", kind=_kind(root.value))]
        members = {name: node for name, _at, node in root.children}
        found = [*self._duplicates(root, ""), *self._missing(root, members)]
        for name, node in members.items():
            found += self._field(name, node, root)
        found += self._texts(root, "")
        found += self._compare_with_record(root, members)
        return found

    # --- the object -----------------------------------------------------------------------

    def _duplicates(self, node: Node, path: str) -> Iterator[ContractFault]:
        """Report names that occur twice in one object: parsers silently use one of them."""
        first: dict[str, int] = {}
        for at, (name, begin, child) in enumerate(node.children):
            is_object = isinstance(node.value, dict)
            inner = _join(path, name) if is_object else f"{path}[{at}]"
            if is_object and name in first:
                line, _ = line_column(self.text, first[name])
                yield self._at(begin, inner, "duplicate_key", line=line)
            first.setdefault(name, begin)
            yield from self._duplicates(child, inner)

    def _missing(self, root: Node, members: dict[str, Node]) -> Iterator[ContractFault]:
        known = {*REQUIRED, *RUNTIME, *LISTS}
        unknown = [name for name in members if name not in known and not _HALF.intersection(name)]
        for name in REQUIRED:
            if name in members:
                continue
            close = next((one for one in unknown if _normalised(one) == _normalised(name)), "")
            close = close or next(iter(get_close_matches(name, unknown, n=1, cutoff=0.75)), "")
            words = "renamed_field" if close else ""
            begin = next((begin for key, begin, _ in root.children if key == close), 0)
            line, _ = line_column(self.text, begin)
            kind = "[]" if name in LISTS else '"…"'
            about: dict[str, Any] = {"name": name, "kind": kind, "close": close, "line": line}
            yield self._at(root.end - 1, name, "missing_field", words, **about)

    # --- one field ------------------------------------------------------------------------

    def _field(self, name: str, node: Node, root: Node) -> Iterator[ContractFault]:
        if name in TEXTS or name == "last_updated":
            yield from self._text(node, name)
            if name == "last_updated" and isinstance(node.value, str):
                yield from self._moment(node, name)
            if name == "current_phase":
                yield from self._phase(node, root)
        elif name in LISTS:
            yield from self._list(node, name)
        elif name == "compaction_count":
            yield from self._count(node, name)

    def _text(self, node: Node, path: str) -> Iterator[ContractFault]:
        value, longest = node.value, LONGEST.get(path, MAX_CHARS)
        if not isinstance(value, str):
            yield self._wrong_type(node, path, "no_text", _as_text(value))
        elif not value.strip():
            yield self._fault(node, path, "empty_text", "empty_item" if "[" in path else "")
        elif len(value) > longest:
            yield self._fault(node, path, "too_long", count=len(value), most=longest)

    def _list(self, node: Node, name: str) -> Iterator[ContractFault]:
        value = node.value
        if not isinstance(value, list):
            fix = f'Write ["{value}"].' if self._plain(value) else "Write [] or a list of texts."
            yield self._wrong_type(node, name, "no_list", fix)
            return
        if len(value) > MAX_ITEMS:
            words = "too_many_reviews" if name == "legal_reviews" else ""
            yield self._fault(node, name, "too_many", words, count=len(value), most=MAX_ITEMS)
        for number, (_, _, item) in enumerate(node.children):
            yield from self._text(item, f"{name}[{number}]")

    def _plain(self, value: Any) -> bool:
        """May a message repeat the value?"""
        short = isinstance(value, str) and 0 < len(value) <= 40 and '"' not in value
        return short and not _HALF.intersection(value) and not self.facts.is_secret(value)

    def _count(self, node: Node, name: str) -> Iterator[ContractFault]:
        value = node.value
        if isinstance(value, float) and not math.isfinite(value):
            return  # `_texts` reports it as not JSON
        if isinstance(value, bool) or not isinstance(value, int):
            yield self._wrong_type(node, name, "no_number")
        elif value < 0:
            yield self._fault(node, name, "negative", count=value)
        elif value > MAX_COUNT:
            yield self._fault(node, name, "too_large_number", most=MAX_COUNT)

    def _moment(self, node: Node, name: str) -> Iterator[ContractFault]:
        value: str = node.value
        now = iso(self.facts.now)
        if not value.strip():
            return
        moment = parse(value)
        if _DATE.match(value):
            yield self._fault(node, name, "no_time", now=now)
        elif _NO_ZONE.match(value):
            yield self._fault(node, name, "no_zone", zoned=f"{value.replace(' ', 'T')}Z")
        elif not _MOMENT.match(value):
            yield self._fault(node, name, "wrong_date", now=now)
        elif moment is None:
            yield self._fault(node, name, "no_such_date", now=now)
        elif moment > self.facts.now + AHEAD:
            yield self._fault(node, name, "in_the_future", now=now)

    def _phase(self, node: Node, root: Node) -> Iterator[ContractFault]:
        """The phase must be one of `phases` if the contract lists them."""
        listed = root.member("phases")
        if listed is None or not isinstance(listed.value, list) or not listed.value:
            return
        phases = [phase for phase in listed.value if isinstance(phase, str)]
        if isinstance(node.value, str) and node.value.strip() and node.value not in phases:
            close = get_close_matches(node.value, phases, n=1)
            fix = f'Write "{close[0]}".' if close else "Write one of them, or add it to phases."
            phrase = f'"{node.value}", which' if self._plain(node.value) else "a word that"
            yield self._fault(node, "current_phase", "unknown_phase", phrase=phrase, fix=fix)

    # --- every text -----------------------------------------------------------------------

    def _texts(self, node: Node, path: str) -> Iterator[ContractFault]:
        """Report secrets, hidden characters and invalid numbers anywhere in the contract."""
        value = node.value
        if isinstance(value, str):
            yield from self._characters(node, path, value)
        elif isinstance(value, float) and not math.isfinite(value):
            yield self._fault(node, path, "not_a_number", word=self.text[node.start : node.end])
        for at, (name, begin, child) in enumerate(node.children):
            inner = _join(path, name) if isinstance(value, dict) else f"{path}[{at}]"
            yield from self._name(begin, path, name)
            yield from self._texts(child, inner)

    def _name(self, at: int, path: str, name: str) -> Iterator[ContractFault]:
        if _HALF.intersection(name):
            yield self._at(at, path or WHOLE, "half_character", "half_name")
        elif name and self.facts.is_secret(name):
            yield self._at(at, path or WHOLE, "secret")

    def _characters(self, node: Node, path: str, value: str) -> Iterator[ContractFault]:
        if _HALF.intersection(value):
            yield self._fault(node, path, "half_character")
        elif hidden := next(filter(is_invisible, value), ""):
            yield self._fault(node, path, "hidden_character", code=ord(hidden))
        elif "\n" in value.strip("\n") and path.partition("[")[0] in (*TEXTS, *LISTS):
            yield self._fault(node, path, "line_break")
        name = path.rpartition(".")[2].partition("[")[0]
        if self.facts.is_secret(value) or self.facts.is_secret(f'{name}: "{value}"'):
            yield self._fault(node, path, "secret")

    # --- against the known state ----------------------------------------------------------

    def _compare_with_record(self, root: Node, members: dict[str, Node]) -> Iterator[ContractFault]:
        known = self.facts.known
        if known is None:
            return
        reviews = members.get("legal_reviews")
        given = reviews.value if reviews is not None else []
        if isinstance(given, list) and all(isinstance(one, str) for one in given):
            yield from self._reviews(reviews, root, given, known)
        counted = members.get("compaction_count")
        value = counted.value if counted is not None else 0
        if _is_count(value) and value < known.compaction_count:
            where = counted.start if counted is not None else root.end - 1
            before = known.compaction_count
            yield self._at(where, "compaction_count", "count_fell", count=value, before=before)

    def _reviews(
        self, node: Node | None, root: Node, given: Sequence[str], known: KnownContract
    ) -> Iterator[ContractFault]:
        where = node.start if node is not None else root.end - 1
        digests = [self.facts.digest(text) for text in given]
        before = list(known.reviews)
        lost = [number for number, one in enumerate(before) if one not in digests]
        if not lost and digests[: len(before)] == before:
            return
        if len(digests) < len(before):
            left = counted(len(digests), "entry", "entries")
            about: dict[str, Any] = {"left": left, "before": len(before), "file": FILE}
            yield self._at(where, "legal_reviews", "reviews_shortened", **about)
            return
        number = next(n for n, one in enumerate(before) if digests[n] != one)
        if node is not None:
            where = node.children[number][2].start
        yield self._at(where, f"legal_reviews[{number}]", "reviews_altered", file=FILE)

    # --- making a fault -------------------------------------------------------------------

    def _wrong_type(self, node: Node, field: str, words: str, fix: str = "") -> ContractFault:
        code = "null" if node.value is None else "wrong_type"
        return self._fault(node, field, code, words, kind=_kind(node.value), fix=fix)

    def _fault(
        self, node: Node, field: str, code: str, words: str = "", /, **values: Any
    ) -> ContractFault:
        return self._at(node.start, field, code, words, **values)

    def _at(
        self, at: int, field: str, code: str, words: str = "", /, **values: Any
    ) -> ContractFault:
        return fault(self.text, at, _named(field), code, words, **values)


AGAINST_KNOWN = frozenset({"reviews_shortened", "reviews_altered", "count_fell"})
"""Faults compared with an earlier state: the contract is valid by itself and perhaps intended."""


def state_to_record(read: Text, digest: Callable[[str], str]) -> KnownContract | None:
    """Return the state of a contract to record; None if it cannot be read."""
    tree = read.tree
    if tree is None or not isinstance(tree.value, dict):
        return None
    texts = as_list(tree.value.get("legal_reviews"))
    return KnownContract(
        path="",
        reviews=tuple(digest(text) for text in texts if isinstance(text, str)),
        compaction_count=count_of(tree),
    )


def count_of(tree: Node) -> int:
    """Return the count of a contract, 0 if it has none."""
    value = tree.value.get("compaction_count")
    return value if _is_count(value) else 0


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def printable(value: Any) -> Any:
    """Return the value without what JSON or UTF-8 cannot represent."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {printable(name): printable(inner) for name, inner in value.items()}
        case list():
            return [printable(inner) for inner in value]
        case _:
            return value


def _kind(value: Any) -> str:
    """Return the name of a value's JSON type, for a message."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int():
            return "a number"
        case float():
            return f"the number {value}" if math.isfinite(value) else "not a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"


def _as_text(value: Any) -> str:
    if isinstance(value, bool | int) and len(str(value)) < 20:
        return f'Write it in quotation marks: "{str(value).lower()}".'
    return 'Write a text: "…".'


def _named(field: str) -> str:
    """Return a field's name for messages: names come from the file."""
    plain = field.encode("utf-8", "replace").decode("utf-8") or '""'
    return plain if len(plain) <= MAX_NAME_CHARS else f"{plain[: MAX_NAME_CHARS - 1]}…"


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _normalised(name: str) -> str:
    """Return a name without its spelling: currentPhase equals current_phase."""
    return name.replace("_", "").replace("-", "").lower()
