"""Requests and responses about the session contract and the handoff (CT-1…3)."""

from typing import Any

from pydantic import Field

from wm.formats.base import Record
from wm.formats.protocol import Scoped
from wm.formats.session_contract import FILE

CHANGES = ("set", "append", "remove")


class ContractFault(Record):
    """One thing that keeps a contract from being one.

    code: a stable word. field: where it is, as `decisions[2]`; "file" where it is the file as a
    whole. line and column count from 1; 0: no place in the text. fix: what to do about it.
    """

    code: str
    field: str
    message: str
    fix: str
    line: int = 0
    column: int = 0

    @property
    def placed(self) -> str:
        """What is wrong, with its place in the file where it has one."""
        return f"{FILE}:{self.line}:{self.column}: {self.message}" if self.line else self.message


class ContractRequest(Scoped):
    """Look at the contract of a project. before: the text of an earlier state to compare with,
    beside the one that is known here."""

    before: str = ""


class ContractAnswer(Record):
    """The contract of a project.

    file: its path; exists: whether anything stands there. valid: no faults. contract: what it
    says, None where it cannot be read. notes: what is no fault and worth a word.
    """

    file: str
    exists: bool
    valid: bool
    faults: tuple[ContractFault, ...] = ()
    notes: tuple[str, ...] = ()
    contract: dict[str, Any] | None = None


class InitRequest(Scoped):
    """Make the contract. goal "": a sentence that asks for one."""

    goal: str = ""
    phase: str = ""


class ChangeRequest(Scoped):
    """Change one field. change: set, append or remove; values: texts, to remove also numbers."""

    field: str
    change: str = "set"
    values: tuple[str, ...] = ()


class ContractChanged(Record):
    """changed: False where the contract said so already, and no byte was written."""

    file: str
    field: str = ""
    changed: bool
    message: str
    contract: dict[str, Any]


class AcceptContract(Scoped):
    """Take the reviews and the count as they stand for the known ones."""


class CountRequest(Scoped):
    """Count a session's compactions in the contract: the session had `count` of them by now."""

    session_id: str
    count: int


class HandoffRequest(Scoped):
    """Make the handoff. session: the beginning of a session's id, else the newest of the project.

    write: into the project; force: also over a file that `wm` did not write. next: give it to
    the next session that begins in the project; False with `withdraw`: do not, after all.
    """

    session: str = ""
    write: bool = True
    force: bool = False
    next: bool = False
    withdraw: bool = False


class HandoffAnswer(Record):
    """current: the file says what `text` says. changed: bytes were written.

    session: whose hot state is in it, "" without one. omitted: items that do not stand in it,
    by section. asked: the next session here is given it.
    """

    file: str
    text: str
    current: bool
    changed: bool
    session: str = ""
    omitted: dict[str, int] = Field(default_factory=dict)
    asked: bool = False
