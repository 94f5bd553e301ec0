"""The join of two states of one shared entry, and its canonical form (SY-2).

Associative, commutative and idempotent, so that any order of merges ends in the same tree: per
author and field the later clock wins. Nothing here knows which version is in force, or the time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec
from pydantic import ValidationError

from wm.formats.sharing.shared_entry import CREATED, Field, SharedEntry, Version

NAME, CLEARED = "name", "cleared"
"""The author's name; its tombstone: the digest of the forgotten text, or "" for an entry that is
only not shared any more."""

LASTING = frozenset((NAME, CREATED, CLEARED))
"""Fields that a tombstone does not remove."""


class Invalid(Exception):
    """A file of a tree is not a shared entry. `str()` says why, without quoting it."""


def parsed(raw: bytes) -> SharedEntry:
    """The shared entry in the bytes of a file. Raises Invalid."""
    try:
        found = SharedEntry.model_validate_json(raw)
    except ValidationError as error:
        raise Invalid(error.errors(include_input=False, include_url=False)[0]["msg"]) from None
    return _made(found.id, {name: _kept(version) for name, version in found.authors.items()})


def canonical_bytes(entry: SharedEntry) -> bytes:
    """The bytes of its file: the same for equal entries."""
    plain = {"id": entry.id, "authors": entry.authors}
    return msgspec.json.format(msgspec.json.encode(plain, order="sorted"), indent=1) + b"\n"


def join(one: SharedEntry, other: SharedEntry) -> SharedEntry:
    """Both states in one. Raises ValueError for two entries."""
    if one.id != other.id:
        raise ValueError(f"{one.id} and {other.id} are two entries")
    authors = dict(one.authors)
    for author, version in other.authors.items():
        authors[author] = joined_versions(authors.get(author, {}), version)
    return _made(one.id, authors)


def joined_versions(one: Version, other: Version) -> Version:
    """Per field the later of two states of one author's version."""
    fields = dict(one)
    for name, field in other.items():
        fields[name] = max(field, fields.get(name, field), key=_order)
    return _kept(fields)


def _order(field: Field) -> tuple[str, str]:
    return field[0], json.dumps(field[1], ensure_ascii=False)


def _kept(version: Mapping[str, Field]) -> Version:
    """The version without the fields that its tombstone removes."""
    cleared = version[CLEARED][0] if CLEARED in version else ""
    return {n: f for n, f in version.items() if n in LASTING or f[0] > cleared}


def _made(entry_id: str, authors: dict[str, Version]) -> SharedEntry:
    # Joined from valid parts: validating thousands again would take longer than joining them.
    return SharedEntry.model_construct(id=entry_id, authors=authors)
