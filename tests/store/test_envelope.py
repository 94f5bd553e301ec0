"""The bytes of a document."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable

import pytest

from tests.store.samples import entry, memory
from wm.errors import StoreError
from wm.formats.base import dump
from wm.formats.workspace_memory import DormantInterval, MemoryEntry, WorkspaceMemory
from wm.store import envelope
from wm.store.envelope import State
from wm.store.rest import reading_with

KEY = bytes(range(32))


def raw_of(*texts: str, generation: int = 7) -> bytes:
    return envelope.encode(memory(*texts), generation, KEY)[0]


def test_a_file_begins_with_version_generation_and_checksum() -> None:
    lines = raw_of("x").decode().splitlines()
    assert lines[:3] == ["{", '  "version": 2,', '  "generation": 7,']
    assert lines[3].startswith('  "checksum": "')
    assert len(lines[3]) == len('  "checksum": "",') + 64
    assert raw_of("x").endswith(b"}\n")


def test_the_checksum_is_an_hmac_over_the_file_with_zeros_in_its_place() -> None:
    raw = raw_of("x")
    checksum = json.loads(raw)["checksum"]
    zeroed = raw.replace(checksum.encode(), b"0" * 64)
    assert checksum == hmac.new(KEY, zeroed, hashlib.sha256).hexdigest()


def test_what_was_encoded_is_decoded_whole() -> None:
    raw, document = envelope.encode(memory("tests first"), 7, KEY)
    decoded = envelope.decode(WorkspaceMemory, raw, KEY)
    assert (decoded.state, decoded.document, decoded.generation) == (State.WHOLE, document, 7)
    assert document.model_extra == {}


def test_another_key_makes_it_foreign() -> None:
    decoded = envelope.decode(WorkspaceMemory, raw_of("x"), b"z" * 32)
    assert decoded.state is State.FOREIGN
    assert decoded.document is not None


def test_every_changed_byte_is_seen() -> None:
    raw = raw_of("x")
    for position in range(len(raw)):
        changed = raw[:position] + bytes([raw[position] ^ 1]) + raw[position + 1 :]
        assert not envelope.is_ours(changed, KEY), position
        assert envelope.decode(WorkspaceMemory, changed, KEY).state is not State.WHOLE


@pytest.mark.parametrize("cut", [0, 1, 40, 100, 150])
def test_a_cut_file_is_damaged(cut: int) -> None:
    decoded = envelope.decode(WorkspaceMemory, raw_of("x")[:cut], KEY)
    assert (decoded.state, decoded.document) == (State.DAMAGED, None)


def test_a_newer_version_is_newer_even_where_it_does_not_fit() -> None:
    for body in (b'{"version": 3}', b'{"version": 99, "workspace": 1}'):
        decoded = envelope.decode(WorkspaceMemory, body, KEY)
        assert (decoded.state, decoded.document) == (State.NEWER, None)


def test_a_misfit_names_the_place_and_never_the_value() -> None:
    body = b'{"version": 2, "workspace": {"root": "/x", "key": ["hunter2"]}}'
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
def test_a_number_that_json_has_no_word_for_is_refused(value: float) -> None:
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
def test_what_a_change_left_alone_is_not_read_back_and_is_the_same(
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
"""What divides records, inside a text."""


def large(**more: object) -> WorkspaceMemory:
    texts = [f"{HARD} {number} " + "x" * 500 for number in range(900)]
    return memory(*texts).model_copy(update=more)


def test_a_large_document_is_read_in_steps_and_is_what_it_would_be_at_once() -> None:
    interval = DormantInterval(begin="2026-01-01T00:00:00.000Z", end="2026-02-01T00:00:00.000Z")
    odd = WorkspaceMemory.model_validate(
        {**dump(large(dormant_intervals=(interval,))), "later": [{"a": [{"b": 1}]}, {}]}
    )
    rests = []
    for document in (large(), odd, large(last_activity_at="2026-01-01T00:00:00.000Z")):
        raw, expected = envelope.encode(document, 7, KEY)
        with reading_with(lambda: rests.append(1)):
            decoded = envelope.decode(WorkspaceMemory, raw, KEY)
        assert decoded == (State.WHOLE, expected, 2, "")
        assert decoded.document is not None
        assert decoded.document.model_extra == expected.model_extra
        assert decoded.document.entries[0].model_fields_set == expected.entries[0].model_fields_set
    assert len(rests) > 100


def test_a_large_document_that_is_not_ours_is_read_at_once() -> None:
    rests = []
    raw, expected = envelope.encode(large(), 7, KEY)
    with reading_with(lambda: rests.append(1)):
        foreign = envelope.decode(WorkspaceMemory, raw, b"z" * 32)
        cut = envelope.decode(WorkspaceMemory, raw[:-30], KEY)
        turned = envelope.decode(WorkspaceMemory, raw.replace(b"xxx", b"xyx", 1), KEY)
        small = envelope.decode(WorkspaceMemory, envelope.encode(memory("x"), 1, KEY)[0], KEY)
    assert (foreign.state, foreign.document) == (State.FOREIGN, expected)
    assert cut.state is State.DAMAGED
    assert turned.state is State.FOREIGN
    assert small.state is State.WHOLE
    assert rests == []
