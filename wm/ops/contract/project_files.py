"""The paths of a project's contract and handoff (CT-1, CT-3).

Loads no use case: `wm status` asks whether there is a contract at each call. Reads and writes
nothing itself; `store.project` does.
"""

from __future__ import annotations

from wm.api.protocol import WorkspacePlace
from wm.errors import UserError
from wm.formats.session_contract import FILE, FOLDER, NAME
from wm.store.project import ProjectFile, project_root

HANDOFF = ("handoff", "latest.md")


def contract_file(place: WorkspacePlace, folder: str) -> ProjectFile:
    """The contract file of the project that contains a folder, whether it exists or not.

    Raises UserError for a workspace whose folder is unknown.
    """
    return ProjectFile(project_of(place, folder, marker=FILE), FOLDER, NAME)


def project_of(place: WorkspacePlace, folder: str, *, marker: str) -> str:
    """The root of the project that contains a folder ("": the workspace's root); see
    `store.project.project_root`. Raises UserError for a workspace whose folder is unknown."""
    if not (folder or place.root):
        raise UserError.of("project.unknown_folder", key=place.key)
    return project_root(folder or place.root, marker=marker)


def handoff_file(place: WorkspacePlace, folder: str) -> ProjectFile:
    """The handoff file of the project that contains a folder, beside its contract."""
    return ProjectFile(contract_file(place, folder).root, *HANDOFF)
