"""Small documents and records for the store's tests."""

from __future__ import annotations

from wm.formats.evidence import EvidenceRecord
from wm.formats.session_state import SessionState
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.store.base import Ref

KEY = "0123456789abcdef"
OTHER = "fedcba9876543210"
SID = "5f" * 16
AT = "2026-11-21T19:00:00.000Z"

MEMORY = Ref(WorkspaceMemory, KEY)
SESSION = Ref(SessionState, KEY, SID)


def entry(text: str, number: int = 1) -> MemoryEntry:
    return MemoryEntry(
        id=f"m_{number}",
        type="decision",
        text=text,
        source="explicit",
        created_at=AT,
        updated_at=AT,
    )


def memory(*texts: str) -> WorkspaceMemory:
    entries = tuple(entry(text, number) for number, text in enumerate(texts, 1))
    return WorkspaceMemory(workspace=Workspace(root="/src/app", key=KEY), entries=entries)


def session(agent: str = "claude") -> SessionState:
    return SessionState(session_id="s-1", agent=agent, workspace_key=KEY)


def record(number: int, *, workspace: str = KEY, phase: str = "gate") -> EvidenceRecord:
    return EvidenceRecord(
        event_id=f"ev_{number}",
        created_at=AT,
        workspace_key=workspace,
        type="memory_promoted",
        phase=phase,
        outcome="promoted",
    )


def texts(document: WorkspaceMemory | None) -> list[str]:
    return [] if document is None else [kept.text for kept in document.entries]
