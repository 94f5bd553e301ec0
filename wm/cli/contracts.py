"""The contract of the project at hand, for the verbs that say how things stand."""

from __future__ import annotations

from typing import Any

from wm.cli import output
from wm.cli.context import Caller
from wm.formats.protocol import Place
from wm.ops.contract_file import contract_file


def look(caller: Caller, place: Place) -> Any:
    """What is there of a contract, None without one. Raises WmError."""
    folder = place.root if caller.workspace else caller.directory
    there = bool(folder) and contract_file(place, folder).stands
    return caller.call("show_contract") if there else None


def told(found: Any) -> str:
    """How it stands, in one line."""
    if found.valid:
        return "sound"
    first, *more = found.faults
    beside = f" (and {len(more)} more)" if more else ""
    return f"{first.placed}{beside} Compactions leave it alone: wm state validate"


def word(found: Any) -> str:
    """The same for programs: sound, faults, or "" without a contract."""
    return "" if found is None else "sound" if found.valid else "faults"


def row(found: Any) -> output.Row:
    return ("contract", told(found), str if found.valid else output.warn)
