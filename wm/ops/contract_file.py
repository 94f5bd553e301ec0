"""Where a project's contract and handoff are, and what a compaction means for it (CT-1…3).

All that is loaded for a project without a contract: the use cases are fetched only where one
stands.
"""

from __future__ import annotations

from wm.errors import UserError
from wm.formats.contract_record import ContractRecord
from wm.formats.protocol import Place
from wm.ops.base import Work
from wm.ops.catalogue import OPERATIONS
from wm.store.base import Ref
from wm.store.project import ProjectFile, project_root

FOLDER, NAME = "state", "session-state.json"
HANDOFF = ("handoff", "latest.md")


def contract_file(place: Place, folder: str) -> ProjectFile:
    """The contract of the project that a folder lies in, whether it is there or not.

    Raises UserError for a workspace whose folder is not known.
    """
    return ProjectFile(project_of(place, folder, marker=f"{FOLDER}/{NAME}"), FOLDER, NAME)


def project_of(place: Place, folder: str, *, marker: str) -> str:
    """The root of the project that a folder lies in, "": that of the workspace; see
    `store.project.project_root`. Raises UserError for a workspace whose folder is not known."""
    if not (folder or place.root):
        raise UserError(
            f"It is not known where the workspace {place.key} lies.",
            fix="Name its folder with -C DIR.",
        )
    return project_root(folder or place.root, marker=marker)


def handoff_file(place: Place, folder: str) -> ProjectFile:
    """The handoff of the project that a folder lies in, beside its contract."""
    return ProjectFile(contract_file(place, folder).root, *HANDOFF)


def record_ref(key: str) -> Ref[ContractRecord]:
    return Ref(ContractRecord, key)


def after_compaction(work: Work, place: Place, folder: str, session_id: str, count: int) -> None:
    """Count a compaction in the contract once it is on disk; nothing where there is none."""
    if not folder or not contract_file(place, folder).stands:
        return
    operation = OPERATIONS["count_compaction"]
    fields = {"directory": folder, "session_id": session_id, "count": count}
    work.later.append((operation, operation.request.model_validate(fields)))
