"""Every file format by its slug: the one list for schemas, docs, golden files and fsck.

A format that is not listed here cannot be read or written.
"""

from collections.abc import Mapping

from wm.formats.base import Document, Record
from wm.formats.contract_record import ContractRecord
from wm.formats.core_memory import CoreMemory
from wm.formats.evidence import EvidenceRecord
from wm.formats.flow import Flow
from wm.formats.home import Aliases, AllowedDigests, HelperUse, InstalledModels
from wm.formats.ledger import LedgerRecord
from wm.formats.paged_object import PagedObject, SessionSummaries
from wm.formats.pending_journal import PendingJournal
from wm.formats.pressure import Pressure
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.recaps import Recaps
from wm.formats.recording import Recording
from wm.formats.session_contract import SessionContract
from wm.formats.session_state import CompactionState, SessionState
from wm.formats.sharing.shared_entry import SharedEntry
from wm.formats.sharing.sync import Sync
from wm.formats.sweep_log import SweepLog
from wm.formats.tombstones import Tombstones, TrashedEntry
from wm.formats.tool_output import ToolOutput
from wm.formats.working_memory import WorkingMemory
from wm.formats.workspace_memory import WorkspaceMemory

DOCUMENTS: Mapping[str, type[Document]] = {
    model.slug: model
    for model in (
        Aliases,
        AllowedDigests,
        CompactionState,
        CoreMemory,
        ContractRecord,
        HelperUse,
        InstalledModels,
        PendingJournal,
        Pressure,
        PromptEpoch,
        Recaps,
        SessionState,
        SessionSummaries,
        SweepLog,
        Sync,
        Tombstones,
        ToolOutput,
        TrashedEntry,
        WorkingMemory,
        WorkspaceMemory,
    )
}
"""Formats with one file per document."""

_LOGGED = (EvidenceRecord, Flow, LedgerRecord, PagedObject, Recording)
REGISTRY: Mapping[str, type[Record]] = {**DOCUMENTS, **{model.slug: model for model in _LOGGED}}
"""All formats: the documents, and the records of logs."""

IN_PROJECTS: Mapping[str, type[Record]] = {
    model.slug: model for model in (SessionContract, SharedEntry)
}
"""Files outside the data folder: in the user's project, in the tree of shared memory. Plain JSON
without envelope and version."""


def current_version(model: type[Record]) -> int:
    """The version that this `wm` writes."""
    return model.current_version if issubclass(model, Document) else 1
