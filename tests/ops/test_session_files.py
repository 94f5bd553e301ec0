"""A deleted session leaves no file, and nothing that it still had to say is lost (GV-1)."""

from __future__ import annotations

import pytest

from tests.ops.conftest import CENTS, SHIP, Bench, entry
from wm.errors import NotFound
from wm.formats.pending_journal import PendingJournal, PendingMemory
from wm.store.base import Ref
from wm.store.files import FileStore


def tree(bench: Bench) -> set[str]:
    assert isinstance(bench.store, FileStore)
    home = bench.store.home
    return {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}


def lived(bench: Bench, session: str = "s-1") -> None:
    """A session with everything: two epochs, hot state, a compaction that is under way, and an
    exchange that a proxy passed on."""
    bench.event("session_started", session=session)
    bench.prompt(session=session)
    bench.event("tool_finished", session=session, tool="edit", name="Edit", paths=("a.py",))
    bench.event("compaction_started", session=session)
    bench.event("compaction_finished", session=session, summary="All done.")
    bench.prompt(session=session)
    bench.event("compaction_started", session=session)
    bench.call("finish_request", session_id=session, note={"status": 200})
    bench.store.flush()


def wait(bench: Bench, text: str) -> None:
    waiting = PendingMemory(entry=entry("m_1", text, source="explicit"))
    journal = PendingJournal(workspace=bench.workspace(), entries=(waiting,))
    bench.put((Ref(PendingJournal, bench.key), journal))


def test_a_deleted_session_leaves_no_file(files: Bench) -> None:
    bench = files
    bench.remember(SHIP)
    wait(bench, CENTS)
    bench.event("session_deleted", session="never")
    before = tree(bench)
    lived(bench)
    assert len(tree(bench)) > len(before) + 6
    bench.event("session_deleted")
    bench.store.flush()
    assert tree(bench) == before


def test_another_session_keeps_its_files(files: Bench) -> None:
    bench = files
    lived(bench, "s-2")
    before = tree(bench)
    lived(bench, "s-1")
    bench.event("session_deleted", session="s-1")
    assert tree(bench) - {f for f in tree(bench) if "/evidence/" in f} == {
        f for f in before if "/evidence/" not in f
    }


def test_waiting_memories_are_promoted_before_a_session_is_deleted(bench: Bench) -> None:
    bench.event("session_started")
    wait(bench, SHIP)
    bench.event("session_deleted")
    assert (bench.texts(), bench.journal().entries) == ([SHIP], ())


def test_a_session_can_be_deleted_by_an_id_prefix(files: Bench) -> None:
    bench = files
    lived(bench, "ses_1234567890")
    planned = bench.call("delete_session", session_id="ses_12", dry_run=True)
    assert planned.session_id == "ses_1234567890"
    before = tree(bench)
    done = bench.call("delete_session", session_id="ses_12")
    assert done.files == planned.files
    gone = {f for f in before - tree(bench) if "/." not in f}
    assert gone == set(planned.files)
    (record,) = bench.recorded("session_deleted")
    assert record.details["toldBy"] == "user"


def test_an_unknown_session_is_reported(bench: Bench) -> None:
    bench.remember(SHIP)
    with pytest.raises(NotFound, match="There is no session 'nobody'"):
        bench.call("delete_session", session_id="nobody")
