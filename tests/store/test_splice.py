"""A large document is made out of the bytes of the last one, and is what it would be in full."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.samples import MEMORY, entry, memory
from wm.errors import StoreError
from wm.formats.workspace_memory import Anchor, DormantInterval, MemoryEntry, WorkspaceMemory
from wm.settings import StoreSettings
from wm.store import envelope, splice
from wm.store.base import Health
from wm.store.envelope import State, Written
from wm.store.files import FileStore

KEY = bytes(range(32))
LONE = "\ud800 torn"
HARD = 'a "quoted" line\n    },\n    {\n  ]\n    }\n  ]  \u2028 end'
"""What divides records, inside a text."""
MANY = 300
Entries = tuple[MemoryEntry, ...]


def held(number: int) -> MemoryEntry:
    """Every third holds what is set like records, and like their ends."""
    plain = entry(f"{HARD} {number} " + "x" * 300, number)
    if number % 3:
        return plain
    update = {"anchors": (Anchor(path="a"), Anchor(path="b", lines=3)), "later": [{}, {"a": [{}]}]}
    return plain.model_copy(update=update)


def large(**more: object) -> WorkspaceMemory:
    entries = tuple(held(number) for number in range(MANY))
    return memory().model_copy(update={"entries": entries, **more})


def written(document: WorkspaceMemory, generation: int = 1) -> Written[WorkspaceMemory]:
    raw, again = envelope.encode(document, generation, KEY)
    return Written(again, raw)


def changed(entry: MemoryEntry, text: str = LONE) -> MemoryEntry:
    return entry.model_copy(update={"text": text})


CHANGES: dict[str, Callable[[Entries], Entries]] = {
    "nothing": lambda rows: rows,
    "one more": lambda rows: (*rows, entry("new")),
    "one more in front": lambda rows: (entry("new"), *rows),
    "one more between": lambda rows: (*rows[:7], entry("new"), *rows[7:]),
    "the first gone": lambda rows: rows[1:],
    "the last gone": lambda rows: rows[:-1],
    "one between gone": lambda rows: rows[:40] + rows[41:],
    "the first changed": lambda rows: (changed(rows[0]), *rows[1:]),
    "the last changed": lambda rows: (*rows[:-1], changed(rows[-1])),
    "two changed, one more": lambda rows: (
        *rows[:3], changed(rows[3]), *rows[4:200], changed(rows[200], ""), *rows[201:], entry("n"),
    ),
    "many changed": lambda rows: (*map(changed, rows[:200]), *rows[200:]),
    "each changed": lambda rows: tuple(map(changed, rows)),
    "turned round": lambda rows: rows[::-1],
    "two exchanged": lambda rows: (rows[1], rows[0], *rows[2:]),
    "one twice": lambda rows: (*rows, rows[5]),
    "all gone": lambda _rows: (),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_spliced_is_what_writing_all_of_it_gives(
    change: Callable[[Entries], Entries],
) -> None:
    last = written(large())
    assert last.document is not None
    after = last.document.model_copy(
        update={"entries": change(last.document.entries), "updated_at": LONE}
    )
    raw, again, rows = envelope.encode_next(after, 2, KEY, last)
    in_full, again_in_full = envelope.encode(after, 2, KEY)
    assert raw == in_full
    assert again == again_in_full
    assert [e.model_extra for e in again.entries] == [e.model_extra for e in again_in_full.entries]
    assert envelope.decode(WorkspaceMemory, raw, KEY).state is State.WHOLE
    if rows is not None:
        assert rows == splice.rows(raw, "entries", len(again.entries))


@settings(deadline=None, max_examples=12)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(CHANGES)), st.booleans()),
        max_size=4,
    )
)
def test_one_change_after_the_other_stays_what_writing_all_of_it_gives(
    steps: list[tuple[str, bool]],
) -> None:
    last = written(large())
    for generation, (name, others) in enumerate(steps, 2):
        before = last.document
        assert before is not None
        interval = DormantInterval(begin="2026-01-01T00:00:00.000Z", end="")
        dormant = (*before.dormant_intervals, interval) if others else ()
        update = {"entries": CHANGES[name](before.entries), "dormant_intervals": dormant}
        after = before.model_copy(update=update)
        raw, again, rows = envelope.encode_next(after, generation, KEY, last)
        assert raw == envelope.encode(after, generation, KEY)[0]
        assert again == envelope.decode(WorkspaceMemory, raw, KEY).document
        last = Written(again, raw, rows)


def test_what_was_not_touched_is_neither_written_nor_read_anew() -> None:
    last = written(large())
    assert last.document is not None
    rows = last.document.entries
    after = last.document.model_copy(update={"entries": (*rows[:4], changed(rows[4]), *rows[5:])})
    _, again, where = envelope.encode_next(after, 2, KEY, last)
    same = [new is old for new, old in zip(again.entries, rows, strict=True)]
    assert same == [at != 4 for at in range(MANY)]
    assert again.entries[4].text == "\ufffd torn"
    assert where is not None


def test_a_small_document_is_written_whole() -> None:
    last = written(memory("a", "b"))
    assert last.document is not None
    assert envelope.encode_next(last.document, 2, KEY, last)[2] is None


def test_what_is_no_record_is_refused_as_before() -> None:
    last = written(large())
    assert last.document is not None
    unfit = last.document.model_copy(update={"entries": (*last.document.entries, object())})
    with pytest.raises(StoreError):
        envelope.encode_next(unfit, 2, KEY, last)


@pytest.mark.parametrize(
    "bytes_set_otherwise",
    [
        lambda raw: raw.replace(b"\n    },\n", b"\n    } ,\n"),
        lambda raw: raw.replace(b'\n  "entries": [', b'\n  "entries" : ['),
        lambda raw: raw.replace(b"\n    }\n  ]", b"\n   }\n  ]"),
        lambda raw: raw[: len(raw) // 2],
    ],
)
def test_bytes_that_are_set_otherwise_are_not_cut_up(
    bytes_set_otherwise: Callable[[bytes], bytes],
) -> None:
    """They are never ours; if they were, the document would be written as a whole."""
    last = written(large(entries=tuple(entry("x" * 400, n) for n in range(200))))
    assert last.document is not None
    odd = Written(last.document, bytes_set_otherwise(last.raw))
    after = last.document.model_copy(update={"entries": (*last.document.entries, entry("new"))})
    raw, _, rows = envelope.encode_next(after, 2, KEY, odd)
    assert raw == envelope.encode(after, 2, KEY)[0]
    assert rows is None


@pytest.mark.parametrize("reopened", [False, True])
def test_a_store_writes_the_same_bytes_as_one_that_writes_all_of_them(
    tmp_path: Path, *, reopened: bool
) -> None:
    store = FileStore(tmp_path / "wm", StoreSettings())
    with store.transaction([MEMORY]) as transaction:
        transaction.put(MEMORY, large())
    for number in range(4):
        if reopened:
            store = FileStore(tmp_path / "wm", StoreSettings())
        with store.transaction([MEMORY]) as transaction:
            document = transaction.read(MEMORY).document
            assert document is not None
            entries = (*document.entries[1:], changed(document.entries[0]), entry(f"new {number}"))
            transaction.put(MEMORY, document.model_copy(update={"entries": entries}))
        reading = FileStore(tmp_path / "wm", StoreSettings()).read(MEMORY)
        assert reading.health is Health.OK
        assert reading == store.read(MEMORY)
        assert reading.document is not None
        again, _ = envelope.encode(reading.document, number + 2, store.core.key_to_read())
        for name in ("workspace-memory.json", ".workspace-memory.json.spare"):
            assert (tmp_path / "wm/workspaces" / MEMORY.workspace / name).read_bytes() == again
