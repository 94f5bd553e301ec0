"""Take in outside edits of a memory file as soon as they are noticed (ST-4)."""

from __future__ import annotations

from collections.abc import Sequence

from wm.api.protocol import Noticed, Scoped
from wm.formats.base import Document
from wm.ops.memory.documents import load_memory
from wm.ops.operation import Operation, Work
from wm.ops.place import locate, memory_ref
from wm.ops.runtime import Runtime
from wm.store.base import Health, Ref


def _run(work: Work, request: Scoped) -> Noticed:
    """Put every changed, added or deleted entry into the inbox; the old text stays active. An
    untouched file is not written."""
    place = locate(work.runtime, request)
    if work.read(memory_ref(place.key)).health is not Health.OUTSIDE:
        return Noticed()
    memory = load_memory(work, place)  # stages the outside changes it finds
    return Noticed(waiting=sum(bool(e.outside) for e in memory.entries))


def _refs(runtime: Runtime, request: Scoped) -> Sequence[Ref[Document]]:
    return (memory_ref(locate(runtime, request).key),)


notice_outside = Operation(
    "notice_outside",
    Scoped,
    Noticed,
    _run,
    _refs,
    lambda runtime, request: locate(runtime, request).key,
)
