"""Small memories for the tests of this folder: plain values, one call each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from wm.domain.times import iso
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.settings import MemorySettings

NOW = datetime(2026, 6, 20, 12, 0, tzinfo=UTC)
SETTINGS = MemorySettings()
WORKSPACE = Workspace(root="/srv/app", key="0123456789abcdef")


def ago(**span: float) -> str:
    """The ISO time this long before NOW."""
    return iso(NOW - timedelta(**span))


def entry(
    entry_id: str = "m_a", text: str = "Use pnpm for installs.", **fields: Any
) -> MemoryEntry:
    born = fields.pop("created_at", ago(days=0))
    values: dict[str, Any] = {
        "id": entry_id,
        "type": "decision",
        "text": text,
        "source": "compaction",
        "confidence": 0.75,
        "created_at": born,
        "updated_at": born,
        "retention_clock": born,
    }
    return MemoryEntry(**{**values, **fields})


def memory(*entries: MemoryEntry, **fields: Any) -> WorkspaceMemory:
    return WorkspaceMemory(workspace=WORKSPACE, entries=entries, **fields)


def by_id(changed: WorkspaceMemory) -> dict[str, MemoryEntry]:
    return {e.id: e for e in changed.entries}
