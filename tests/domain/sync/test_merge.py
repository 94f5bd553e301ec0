"""The join of shared entries: a semilattice, equal to a model that knows every change."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.sync.entries import AUTHORS, ENTRIES, ID
from wm.domain.sync.merge import LASTING, Invalid, canonical_bytes, join, parsed
from wm.formats.sharing.shared_entry import SharedEntry


@given(ENTRIES, ENTRIES)
def test_the_order_of_two_states_does_not_matter(one: SharedEntry, other: SharedEntry) -> None:
    assert canonical_bytes(join(one, other)) == canonical_bytes(join(other, one))


@given(ENTRIES, ENTRIES, ENTRIES)
def test_the_grouping_of_three_states_does_not_matter(
    a: SharedEntry, b: SharedEntry, c: SharedEntry
) -> None:
    assert canonical_bytes(join(join(a, b), c)) == canonical_bytes(join(a, join(b, c)))


@given(ENTRIES, ENTRIES)
def test_a_state_that_is_contained_changes_nothing(one: SharedEntry, other: SharedEntry) -> None:
    both = join(one, other)
    assert canonical_bytes(join(one, one)) == canonical_bytes(one)
    assert canonical_bytes(join(both, other)) == canonical_bytes(both)


@given(st.lists(ENTRIES, min_size=1, max_size=6), st.randoms())
def test_any_order_of_merges_equals_the_model(states: list[SharedEntry], random: Any) -> None:
    """The model keeps every field of every state and computes the answer at the end."""
    shuffled = list(states)
    random.shuffle(shuffled)
    merged = shuffled[0]
    for state in shuffled[1:]:
        merged = join(merged, state)
    assert json.loads(canonical_bytes(merged)) == {"id": ID, "authors": modelled(states)}


class Model:
    """Takes every state of one entry, in any order, and computes the answer at the end."""

    def __init__(self) -> None:
        self._authors: set[str] = set()
        self._values: dict[tuple[str, str], set[tuple[str, str]]] = {}
        """Each value that an author's field ever had, as its clock and its JSON."""

    def add(self, state: SharedEntry) -> None:
        self._authors |= set(state.authors)
        for author, version in state.authors.items():
            for name, (clock, value) in version.items():
                known = self._values.setdefault((author, name), set())
                known.add((clock, json.dumps(value)))

    def answer(self) -> dict[str, Any]:
        found: dict[str, Any] = {author: {} for author in self._authors}
        for (author, name), known in self._values.items():
            clock, value = max(known)
            cleared = max((c for c, _ in self._values.get((author, "cleared"), ())), default="")
            if name in LASTING or clock > cleared:
                found[author][name] = [clock, json.loads(value)]
        return found


def modelled(states: Iterable[SharedEntry]) -> dict[str, Any]:
    model = Model()
    for state in states:
        model.add(state)
    return model.answer()


@given(ENTRIES)
def test_a_file_that_is_read_and_written_stays_the_same(entry: SharedEntry) -> None:
    raw = canonical_bytes(entry)
    assert canonical_bytes(parsed(raw)) == raw
    plain = {"id": entry.id, "authors": entry.authors}
    spelled = json.dumps(plain, ensure_ascii=False, indent=1, sort_keys=True)
    assert raw.decode() == spelled + "\n"


@given(ENTRIES, ENTRIES)
def test_no_author_and_no_lasting_field_is_lost(one: SharedEntry, other: SharedEntry) -> None:
    both = join(one, other)
    for state in (one, other):
        for author, version in state.authors.items():
            assert author in both.authors
            assert LASTING & set(version) <= set(both.authors[author])


A = AUTHORS[0]
EARLY, LATE = (f"2026-11-21T12:00:0{second}.000Z-0000-0000000a" for second in (1, 2))


def of_one(**fields: Any) -> SharedEntry:
    fields.setdefault("created", [EARLY, ""])
    return parsed(json.dumps({"id": ID, "authors": {A: fields}}).encode())


def test_edits_of_two_fields_are_both_in_force() -> None:
    one = of_one(text=[LATE, "new"], type=[EARLY, "project"])
    other = of_one(text=[EARLY, "old"], type=[LATE, "decision"])
    version = join(one, other).authors[A]
    assert (version["text"][1], version["type"][1]) == ("new", "decision")


def test_tags_of_two_edits_are_united_and_one_can_be_taken_off() -> None:
    one = of_one(**{"tag:ci": [EARLY, True]})
    other = of_one(**{"tag:db": [EARLY, True], "tag:ci": [LATE, False]})
    version = join(one, other).authors[A]
    assert {name: value for name, (_, value) in version.items() if name[:4] == "tag:"} == {
        "tag:ci": False,
        "tag:db": True,
    }


def test_a_tombstone_removes_what_is_older_and_an_edit_after_it_counts() -> None:
    forgotten = of_one(cleared=[LATE, "digest"])
    assert "text" not in join(of_one(text=[EARLY, "old"]), forgotten).authors[A]
    later = "2026-11-21T12:00:03.000Z-0000-0000000b"
    back = join(forgotten, of_one(text=[later, "new"])).authors[A]
    assert (back["text"][1], back["cleared"][1]) == ("new", "digest")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "Invalid JSON"),
        (b"{}", "Field required"),
        (b"[1]", "object"),
        (b'{"id":"m_0123456789abcdef0123","authors":{}}', "nobody shared it"),
        (b'{"id":"../../etc/passwd","authors":{}}', "pattern"),
        (b'{"id":"m_0123456789abcdef0123","authors":{},"more":1}', "not permitted"),
        (b'{"id":"m_0123456789abcdef0123","authors":{"ann":{}}}', "pattern"),
        (b'{"id":"m_0123456789abcdef0123","authors":{"a_00000000000000aa":{"text":["x","y"]}}}',
         "pattern"),
        (b'{"id":"m_0123456789abcdef0123","authors":{"a_00000000000000aa":'
         b'{"text":["2026-11-21T12:00:01.000Z-0000-0000000a",1e400]}}}', "valid"),
        (b'{"id":"m_0123456789abcdef0123","authors":{"a_00000000000000aa":'
         b'{"text":["2026-11-21T12:00:01.000Z-0000-0000000a",' + b"9" * 5000 + b"]}}}", "valid"),
        (b'{"id":"m_0123456789abcdef0123","authors":{"a_00000000000000aa":'
         b'{"text":["2026-11-21T12:00:01.000Z-0000-0000000a","\\ud800"]}}}', "JSON"),
        (b'{"id":"m_0123456789abcdef0123","authors":' + b'{"a":' * 100_000, "JSON"),
        (b"\xff\xfe{\x00}\x00", "JSON"),
    ],
)  # fmt: skip
def test_anything_but_a_shared_entry_is_refused_with_a_reason(raw: bytes, why: str) -> None:
    with pytest.raises(Invalid, match=why):
        parsed(raw)


def test_a_version_with_too_many_fields_is_refused() -> None:
    with pytest.raises(Invalid, match="too many fields"):
        of_one(**{f"tag:{number}": [EARLY, True] for number in range(100)})


def test_fields_of_a_later_wm_are_kept() -> None:
    entry = of_one(colour=[EARLY, "green"])
    assert join(entry, of_one(text=[LATE, "x"])).authors[A]["colour"] == (EARLY, "green")
