"""The bytes of a document."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable

import pytest

from tests.store.samples import entry, memory
from wm.errors import StoreError
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.store import envelope
from wm.store.envelope import CopyState

KEY = bytes(range(32))


def raw_of(*texts: str, generation: int = 7) -> bytes:
    return envelope.encode(memory(*texts), generation, KEY)[0]


def test_a_file_begins_with_version_generation_and_checksum() -> None:
    lines = raw_of("x").decode().splitlines()
    assert lines[:3] == ["{", '  "version": 3,', '  "generation": 7,']
    assert lines[3].startswith('  "checksum": "')
    assert len(lines[3]) == len('  "checksum": "",') + 64
    assert raw_of("x").endswith(b"}\n")


def test_the_checksum_is_an_hmac_over_the_file_with_zeros_in_its_place() -> None:
    raw = raw_of("x")
    checksum = json.loads(raw)["checksum"]
    zeroed = raw.replace(checksum.encode(), b"0" * 64)
    assert checksum == hmac.new(KEY, zeroed, hashlib.sha256).hexdigest()


def test_a_byte_order_mark_of_an_editor_is_part_of_an_outside_change() -> None:
    decoded = envelope.decode(WorkspaceMemory, b"\xef\xbb\xbf" + raw_of("x"), KEY)
    assert decoded.state is CopyState.FOREIGN
    assert decoded.document is not None
    assert [one.text for one in decoded.document.entries] == ["x"]


def test_an_encoded_document_decodes_unchanged() -> None:
    raw, document = envelope.encode(memory("tests first"), 7, KEY)
    decoded = envelope.decode(WorkspaceMemory, raw, KEY)
    assert (decoded.state, decoded.document, decoded.generation) == (CopyState.INTACT, document, 7)
    assert document.model_extra == {}


def test_another_key_makes_it_foreign() -> None:
    decoded = envelope.decode(WorkspaceMemory, raw_of("x"), b"z" * 32)
    assert decoded.state is CopyState.FOREIGN
    assert decoded.document is not None


def test_every_changed_byte_is_detected() -> None:
    raw = raw_of("x")
    for position in range(len(raw)):
        changed = raw[:position] + bytes([raw[position] ^ 1]) + raw[position + 1 :]
        assert not envelope.is_ours(changed, KEY), position
        assert envelope.decode(WorkspaceMemory, changed, KEY).state is not CopyState.INTACT


@pytest.mark.parametrize("cut", [0, 1, 40, 100, 150])
def test_a_cut_file_is_damaged(cut: int) -> None:
    decoded = envelope.decode(WorkspaceMemory, raw_of("x")[:cut], KEY)
    assert (decoded.state, decoded.document) == (CopyState.DAMAGED, None)


def test_a_newer_version_is_newer_even_if_it_does_not_validate() -> None:
    for body in (b'{"version": 98}', b'{"version": 99, "workspace": 1}'):
        decoded = envelope.decode(WorkspaceMemory, body, KEY)
        assert (decoded.state, decoded.document) == (CopyState.NEWER, None)


def test_a_validation_error_names_the_field_and_never_the_value() -> None:
    body = b'{"version": 3, "workspace": {"root": "/x", "key": ["hunter2"]}}'
    decoded = envelope.decode(WorkspaceMemory, body, KEY)
    assert decoded.detail == "workspace.key: string_type"


def test_a_checksum_field_of_the_model_never_reaches_the_file_twice() -> None:
    odd = WorkspaceMemory.model_validate({**memory("x").model_dump(), "checksum": "f" * 64})
    raw, document = envelope.encode(odd, 1, KEY)
    assert raw.count(b"checksum") == 1
    assert envelope.is_ours(raw, KEY)
    assert document.model_extra == {}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\ufeffx", "\ufeffx"),
        ("nul\0", "nul\0"),
        ("line\u2028\x85\x7f", "line\u2028\x85\x7f"),
    ],
)
def test_any_text_can_be_written(value: str, written: str) -> None:
    odd = entry("x").model_copy(update={"text": value})
    changed = memory().model_copy(update={"entries": (odd,)})
    raw, document = envelope.encode(changed, 1, KEY)
    assert document.entries[0].text == written
    assert envelope.decode(WorkspaceMemory, raw, KEY).document == document


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_express_is_refused(value: float) -> None:
    odd = entry("x").model_copy(update={"confidence": value})
    with pytest.raises(StoreError, match=r"entries\.0\.confidence"):
        envelope.encode(memory().model_copy(update={"entries": (odd,)}), 1, KEY)


def test_a_value_of_no_json_type_is_refused() -> None:
    odd = memory("x").model_copy(update={"later": object()})
    with pytest.raises(StoreError, match="cannot be written"):
        envelope.encode(odd, 1, KEY)


LONE = "\ud800 torn"


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows,
        lambda rows: (*rows, entry("new")),
        lambda rows: rows[1:],
        lambda rows: rows[::-1],
        lambda rows: (*rows[:3], rows[3].model_copy(update={"text": LONE}), *rows[4:]),
        lambda rows: (entry("first"), *rows[2:5], rows[2], rows[2].model_copy(), *rows[5:]),
        lambda rows: tuple(row.model_copy(update={"importance": "low"}) for row in rows),
        lambda rows: (*rows, entry("odd").model_copy(update={"later": [1, {"a": None}]})),  # type: ignore[attr-defined]
        lambda _rows: (),
    ],
)
def test_unchanged_records_are_not_read_back_and_stay_the_same_objects(
    change: Callable[[tuple[MemoryEntry, ...]], tuple[MemoryEntry, ...]],
) -> None:
    _, before = envelope.encode(memory(*(f"fact {n}" for n in range(9))), 1, KEY)
    after = before.model_copy(update={"entries": change(before.entries), "updated_at": LONE})
    raw, again = envelope.encode(after, 2, KEY, before)
    raw_in_full, in_full = envelope.encode(after, 2, KEY)
    assert raw == raw_in_full
    assert again == in_full
    assert again.model_fields_set == in_full.model_fields_set
    assert [e.model_extra for e in again.entries] == [e.model_extra for e in in_full.entries]
    assert again == envelope.decode(WorkspaceMemory, raw, KEY).document


def test_a_change_of_one_entry_keeps_the_others_and_reads_that_one_back() -> None:
    _, before = envelope.encode(memory(*(f"fact {n}" for n in range(9))), 1, KEY)
    changed = before.entries[4].model_copy(update={"text": LONE})
    after = before.model_copy(update={"entries": (*before.entries[:4], changed)})
    _, again = envelope.encode(after, 2, KEY, before)
    assert all(new is old for new, old in zip(again.entries[:4], before.entries, strict=False))
    assert again.entries[4].text == "\ufffd torn"
    unfit = after.model_copy(update={"entries": (*before.entries, object())})
    with pytest.raises(StoreError):
        envelope.encode(unfit, 2, KEY, before)


HARD = 'a "quoted" line\n    },\n    {\n  ]  \u2028 end'
"""A text that contains the separators between records."""


def large(**more: object) -> WorkspaceMemory:
    texts = [f"{HARD} {number} " + "x" * 500 for number in range(900)]
    return memory(*texts).model_copy(update=more)
