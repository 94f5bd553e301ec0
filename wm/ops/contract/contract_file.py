"""The record of a project's contract, its queue, and the step after a compaction (CT-1…3).

Small on purpose: a project without a contract loads only this module; the use cases are imported
when a contract exists.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.api.protocol import Scoped
from wm.formats.base import Document
from wm.formats.contract_record import ContractRecord
from wm.ops.catalogue import OPERATIONS
from wm.ops.contract.project_files import contract_file
from wm.ops.operation import LocatedWork
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.store.base import Ref


def record_ref(key: str) -> Ref[ContractRecord]:
    return Ref(ContractRecord, key)


def record_refs(runtime: Runtime, request: Scoped) -> Sequence[Ref[Document]]:
    """The contract record; its lock excludes concurrent writers of the project's files."""
    return (record_ref(locate(runtime, request).key),)


def contract_queue(runtime: Runtime, request: Scoped) -> str:
    """The queue of writes to a project, beside the one of its workspace's memory."""
    return f"contract:{locate(runtime, request).key}"


def after_compaction(work: LocatedWork, folder: str, session_id: str, count: int) -> None:
    """Count a compaction in the contract once it is on disk; does nothing without a contract."""
    if not folder or not contract_file(work.place, folder).exists:
        return
    operation = OPERATIONS["count_compaction"]
    fields = {"directory": folder, "session_id": session_id, "count": count}
    work.effects.later.append((operation, operation.request.model_validate(fields)))
