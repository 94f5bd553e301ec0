"""The editor of a workspace's memory, shared by the commands that admit entries.

It loads the rules of changes and of equal facts; commands that only read the memory do without
them (`documents`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from wm.domain.memory.consolidate import MemoryEditor
from wm.errors import WmError
from wm.formats.workspace_memory import WorkspaceMemory
from wm.ops.operation import LocatedWork


@contextmanager
def memory_editor(work: LocatedWork, memory: WorkspaceMemory) -> Iterator[MemoryEditor]:
    """The workspace's memory editor, updated to this memory. It leaves the cache while in use:
    another thread makes its own, and an editor that failed halfway is dropped."""
    editors = work.runtime.caches.editors
    editor = editors.pop(work.key) or MemoryEditor(memory)
    try:
        editor.renew(memory)
        yield editor
    except WmError:  # a refusal leaves the editor intact
        editors.put(work.key, editor)
        raise
    editors.put(work.key, editor)
