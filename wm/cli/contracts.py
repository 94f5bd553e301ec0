"""The state of the current project's session contract, for the verbs that report it.

Asks the use case, and only if the project has a contract; changes nothing.
"""

from __future__ import annotations

from typing import Any

from wm.api.protocol import WorkspacePlace
from wm.cli import output
from wm.cli.context import Caller
from wm.ops.contract.project_files import contract_file


def look(caller: Caller, place: WorkspacePlace) -> Any:
    """The contract, or None without one. Raises WmError."""
    folder = place.root if caller.workspace else caller.directory
    exists = bool(folder) and contract_file(place, folder).exists
    return caller.call("show_contract") if exists else None


def state_line(found: Any) -> str:
    """Its state, in one line."""
    if found.valid:
        return "sound"
    first, *more = found.faults
    beside = f" (and {len(more)} more)" if more else ""
    return f"{first.placed}{beside} Compactions do not change it: wm state validate"


def word(found: Any) -> str:
    """Its state for programs: sound, faults, or "" without a contract."""
    return "" if found is None else "sound" if found.valid else "faults"


def row(found: Any) -> output.Row:
    return ("contract", state_line(found), str if found.valid else output.warn)
