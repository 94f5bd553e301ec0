"""The file store and its twin in memory give the same answers to the same steps."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.samples import KEY, MEMORY, SESSION, SID, memory, record, session
from tests.store.twin import MemoryStore
from wm.formats.base import Document
from wm.formats.session_state import CompactionState, SessionState
from wm.settings import StoreSettings
from wm.store.base import Reading, Ref
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle
from wm.store.transaction import FileTransaction

COMPACTION = Ref(CompactionState, KEY, SID)
REFS: tuple[Ref[Document], ...] = (MEMORY, SESSION, COMPACTION)

Step = tuple[str, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("put", "delete", "log", "mark", "back", "commit")), st.integers(0, 8)
    ),
    max_size=12,
)


class QuickDisk(Disk):
    def flush(self, handle: Handle) -> None:
        self.status(handle)


@dataclass
class Played:
    """The answers of a transaction to the steps."""

    readings: list[Reading[Document]] = field(default_factory=list)


def document(which: int, number: int) -> Document:
    made: tuple[Document, ...] = (
        memory(f"text {number}"),
        session(f"agent {number}"),
        CompactionState(session_id="s-1", count=number),
    )
    return made[which]


def play(tx: FileTransaction, steps: list[Step]) -> Played:
    played = Played()
    marks = [tx.savepoint()]
    for verb, number in steps:
        which = number % 3
        if verb == "put":
            tx.put(REFS[which], document(which, number))
        elif verb == "delete":
            tx.delete(REFS[which])
        elif verb == "log":
            tx.log(record(number))
        elif verb == "mark":
            marks.append(tx.savepoint())
        elif verb == "back":
            del marks[number % len(marks) + 1 :]
            tx.rollback(marks[-1])
        else:
            tx.commit()
            marks = [tx.savepoint()]
        played.readings += [tx.read(ref) for ref in REFS]
    return played


def state(store: FileStore) -> tuple[object, ...]:
    return (
        [store.read(ref) for ref in REFS],
        store.evidence(KEY),
        [store.names(model, KEY) for model in (SessionState, CompactionState)],
    )


@settings(max_examples=25)
@given(st.lists(st.tuples(STEPS, st.booleans(), st.booleans()), min_size=1, max_size=4))
def test_the_file_store_and_the_memory_store_give_the_same_answers(
    transactions: list[tuple[list[Step], bool, bool]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "wm"
        files: FileStore = FileStore(home, StoreSettings(), QuickDisk(home))
        twin: FileStore = MemoryStore()
        for steps, flush, reopen in transactions:
            with files.transaction(REFS) as one, twin.transaction(REFS) as other:
                assert play(one, steps) == play(other, steps)
            if flush:
                files.flush()
            if reopen:
                files = FileStore(home, StoreSettings(), QuickDisk(home))
            assert state(files) == state(twin)
        assert not (home / "quarantine").exists()
        assert not list(home.rglob("*.tmp"))
