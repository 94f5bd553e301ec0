"""Requests and responses about the session contract and the handoff (CT-1…3).

A fault has a code for programs, a position, and a sentence with the fix for people.
"""

from typing import Any

from pydantic import Field

from wm.api.protocol import Scoped
from wm.formats.base import Record
from wm.formats.session_contract import FILE


class ContractFault(Record):
    """One fault of a contract.

    code: a stable word. field: its position, as `decisions[2]`; "file" for the complete file.
    line and column count from 1; 0: no position in the text. fix: what to do about it.
    """

    code: str
    field: str
    message: str
    fix: str
    line: int = 0
    column: int = 0

    @property
    def placed(self) -> str:
        """The message, with its position in the file if it has one."""
        return f"{FILE}:{self.line}:{self.column}: {self.message}" if self.line else self.message


class ContractRequest(Scoped):
    """Check the contract of a project. before: the text of an earlier state to compare with,
    in addition to the recorded state."""

    before: str = ""


class ContractAnswer(Record):
    """The contract of a project.

    file: its path; exists: whether there is a file. valid: no faults. contract: its content,
    None if it cannot be read. notes: remarks that are not faults.
    """

    file: str
    exists: bool
    valid: bool
    faults: tuple[ContractFault, ...] = ()
    notes: tuple[str, ...] = ()
    contract: dict[str, Any] | None = None


class InitRequest(Scoped):
    """Create the contract. goal "": a placeholder sentence that asks for a goal."""

    goal: str = ""
    phase: str = ""


class ChangeRequest(Scoped):
    """Change one field. change: set, append or remove; values: texts, for remove also item
    numbers."""

    field: str
    change: str = "set"
    values: tuple[str, ...] = ()


class ContractChanged(Record):
    """changed: False if the contract already had this value; then no byte was written."""

    file: str
    field: str = ""
    changed: bool
    message: str
    contract: dict[str, Any]


class AcceptContract(Scoped):
    """Record the current reviews and count as the known state."""


class CountRequest(Scoped):
    """Count a session's compactions in the contract. count: the session's compactions so far."""

    session_id: str
    count: int


class HandoffRequest(Scoped):
    """Write the handoff. session: the beginning of a session's id; empty: the project's newest.

    write: into the project; force: also over a file that `wm` did not write. next: give it to
    the next session that begins in the project; False with `withdraw`: withdraw that request.
    """

    session: str = ""
    write: bool = True
    force: bool = False
    next: bool = False
    withdraw: bool = False


class HandoffAnswer(Record):
    """current: the file equals `text`. changed: bytes were written.

    session: the session whose hot state is in it, "" without one. omitted: number of items left
    out, by section. asked: the next session in the project receives it.
    """

    file: str
    text: str
    current: bool
    changed: bool
    session: str = ""
    omitted: dict[str, int] = Field(default_factory=dict)
    asked: bool = False
