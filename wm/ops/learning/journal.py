"""The pending journal: retry what could not be stored; never drop it (WM-6).

`wm.ops.learning.remember` adds to it when the memory cannot be written: a newer wm wrote it, no
copy is readable, or a hook could not write (disk full, lock timeout). Every session start, session
end and explicit request retries; a session start is also recorded as a visit.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from wm.domain.facts import Fact
from wm.domain.memory import promotion as promote
from wm.domain.memory import retention
from wm.errors import Corrupt, TooNew
from wm.formats.workspace_memory import Checkout
from wm.ops.memory import anchors, branch_scope, documents
from wm.ops.operation import LocatedWork
from wm.ops.place import USER_PLACE


class Visit(Struct, frozen=True):
    """What a session start found out about the project before any lock was taken."""

    git: branch_scope.Answers = branch_scope.NO_ANSWERS
    code: anchors.States = {}
    checkout: Checkout | None = None


def promote_pending(work: LocatedWork) -> None:
    """Retry the entries of the journal."""
    journal = work.read(documents.journal_ref(work.key)).document
    if journal is not None and journal.entries:
        _begin(work, None)


def begin_visit(work: LocatedWork, found: Visit) -> None:
    """Record a visit, offer entries of merged branches, promote what waits, here and for all
    projects."""
    _begin(work, found)
    promote_pending(work.at(USER_PLACE))


def _begin(work: LocatedWork, found: Visit | None) -> None:
    """found None: only promote. An unwritable memory must not stop anyone from working."""
    try:
        memory = documents.load_memory(work)
        stones = documents.read_tombstones(work).stones
        journal = documents.read_journal(work)
    except (Corrupt, TooNew):
        return
    facts: Sequence[Fact] = ()
    if found is not None:
        memory = retention.visit(memory, now=work.now, settings=work.settings.memory)
        memory, facts = branch_scope.offer(work, memory, found.git)
        memory, marked = anchors.mark(memory, found.code)
        if found.checkout is not None:
            memory = memory.model_copy(update={"checkout": found.checkout})
        facts = (*facts, *marked)
    if journal.entries:
        promotion = promote.promote(
            memory,
            journal,
            now=work.now,
            settings=work.settings.memory,
            stones=stones,
            digest=work.store.digest,
        )
        memory, facts = promotion.memory, (*facts, *promotion.facts)
        documents.save_journal(work, promotion.journal)
    documents.save_memory(work, memory, facts)
