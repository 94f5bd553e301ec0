"""Which entry an abbreviated id names, and how codes read in words."""

from __future__ import annotations

import pytest

from wm.errors import UserError
from wm.ops import explanations
from wm.ops.memory.documents import full_id

KNOWN = ("m_3f9a0011", "m_3f9a0022", "m_77", "mem_abcdef01")

NAMED: tuple[tuple[str, str], ...] = (
    ("m_3f9a0011", "m_3f9a0011"),
    ("3f9a0011", "m_3f9a0011"),
    ("m_3f9a001", "m_3f9a0011"),
    ("3f9a002", "m_3f9a0022"),
    ("m_77", "m_77"),
    ("77", "m_77"),
    ("m_7", ""),
    ("mem_abcd", "mem_abcdef01"),
    ("m_", ""),
    ("", ""),
    ("m", ""),
    ("m_ffff", ""),
    ("../../etc", ""),
)


@pytest.mark.parametrize(("wanted", "found"), NAMED)
def test_four_characters_of_an_id_name_an_entry_and_fewer_name_none(
    wanted: str, found: str
) -> None:
    assert full_id(wanted, KNOWN) == found


def test_an_ambiguous_prefix_names_its_matches() -> None:
    with pytest.raises(UserError) as error:
        full_id("3f9a", KNOWN)
    assert error.value.message == "'3f9a' matches 2 entries: m_3f9a0011, m_3f9a0022."
    assert error.value.fix == "Give more digits of the id."


REASONS: tuple[tuple[tuple[str, ...], str], ...] = (
    ((), ""),
    (("too_short",), "it is too short to be understood later"),
    (("secret", "secret", "empty"), "it contains what looks like a secret; it has no words"),
    (("some_new_code",), "some new code"),
    (("status:superseded",), "status: superseded"),
)


@pytest.mark.parametrize(("codes", "clauses"), REASONS)
def test_reasons_read_as_clauses(codes: tuple[str, ...], clauses: str) -> None:
    assert explanations.reasons(codes) == clauses
