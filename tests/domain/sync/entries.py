"""Generated shared entries: few authors, fields and clocks, so that conflicts are frequent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from wm.domain.sync.merge import canonical_bytes, parsed
from wm.formats.sharing.shared_entry import SharedEntry

ID = "m_0123456789abcdef0123"
AUTHORS = ("a_00000000000000aa", "a_00000000000000bb")

MOMENTS = st.datetimes(
    min_value=datetime(2020, 1, 1), max_value=datetime(2040, 1, 1), timezones=st.just(UTC)
)
CLOCKS = st.builds(
    "2026-11-21T12:00:0{}.000Z-000{}-0000000{}".format,
    st.integers(0, 2),
    st.integers(0, 1),
    st.sampled_from("ab"),
)
VALUES = st.one_of(st.booleans(), st.sampled_from(["", "one", "two", "größer"]))
NAMES = st.sampled_from(
    ["text", "type", "importance", "cleared", "name", "created", "tag:ci", "tag:db", "from_later"]
)
VERSIONS = st.dictionaries(NAMES, st.tuples(CLOCKS, VALUES), max_size=5)


def made(authors: dict[str, Any]) -> SharedEntry:
    """The entry as it is read from a file."""
    first = next(iter(authors.values()))
    first.setdefault("created", ("2026-11-21T12:00:00.000Z-0000-0000000a", ""))
    return parsed(canonical_bytes(SharedEntry(id=ID, authors=authors)))


ENTRIES = st.dictionaries(st.sampled_from(AUTHORS), VERSIONS, min_size=1).map(made)
