"""Requests and responses about the budgets of instruction files (CT-4).

A response names files, lines and headings; it never contains the text of an entry.
"""

from wm.api.protocol import Scoped
from wm.formats.base import Record


class BudgetFinding(Record):
    """One limit that a file exceeds.

    code: a stable word. line counts from 1; 0: the file as a whole. fix: what to do about it.
    """

    code: str
    message: str
    fix: str = ""
    line: int = 0


class BudgetRequest(Scoped):
    """Check the instruction files of a project. files: only these; empty: all of the project."""

    files: tuple[str, ...] = ()


class BudgetFile(Record):
    """One file. file: its path in the project; link: its target, if it is a link.
    standing_lines: number of lines outside dated entries."""

    file: str
    link: str = ""
    bytes: int = 0
    lines: int = 0
    standing_lines: int = 0
    entries: int = 0
    findings: tuple[BudgetFinding, ...] = ()


class BudgetAnswer(Record):
    """root: the project. within: no file has a finding."""

    root: str
    within: bool
    files: tuple[BudgetFile, ...] = ()


class PruneRequest(BudgetRequest):
    """Move old entries of AGENTS.md to its archive. dry_run: only report what would be moved."""

    dry_run: bool = False


class MovedEntry(Record):
    """One entry that moves to the archive: its heading, its line in the file, its size."""

    title: str
    line: int
    bytes: int


class PrunedFile(Record):
    """archive: the file that receives `moved`. findings: what still exceeds the budget
    afterwards."""

    file: str
    archive: str
    bytes_before: int
    bytes_after: int
    moved: tuple[MovedEntry, ...] = ()
    findings: tuple[BudgetFinding, ...] = ()


class PruneAnswer(Record):
    """within: every file is below the size at which it is pruned, or will be after the prune."""

    root: str
    within: bool
    dry_run: bool = False
    files: tuple[PrunedFile, ...] = ()
