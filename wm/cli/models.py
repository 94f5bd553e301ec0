"""The form of what each verb prints with `--json` (schemas/cli/).

Verbs that answer with a use case's response print that response; the others have a model here.
"""

from __future__ import annotations

from typing import Any

from wm.formats.allowances import Allowances
from wm.formats.base import Record, optional
from wm.formats.budget import BudgetAnswer, PruneAnswer
from wm.formats.contract import ContractAnswer, ContractChanged, HandoffAnswer
from wm.formats.diag import (
    Alike,
    Audit,
    Commands,
    Coverage,
    DiagHealth,
    DiagStatus,
    Disappearances,
    Explanation,
    Missing,
    Quality,
    Rejected,
    Trace,
)
from wm.formats.diagnosis import Acts, History, Trash, Undone, WhyNotAnswer
from wm.formats.governance import DeletedSession, Swept
from wm.formats.home import InstalledModel, ModelFile
from wm.formats.imports import ImportAnswer
from wm.formats.models import ModelsAnswer, ModelTrial, RemovedModel
from wm.formats.protocol import (
    Conversation,
    EntryAnswer,
    ExportAnswer,
    Inspection,
    Moved,
    OutputAnswer,
    Place,
    Remembered,
    SearchAnswer,
    SessionAnswer,
    SessionSummary,
    WhyAnswer,
    Workspaces,
)
from wm.formats.replay import AuditReport, ReplayReport
from wm.formats.rollback import Rollback
from wm.formats.session_memory import Blocks, Continued, WorkingItems
from wm.formats.workspace_memory import MemoryEntry


class ProblemReport(Record):
    """What any verb prints instead, with an exit code that is not 0, when it could not.

    type: a stable word, as on the socket; `usage` and `bug` for exit codes 2 and 3.
    """

    type: str
    detail: str
    fix: str
    exit_code: int


class StepReport(Record):
    name: str
    ok: bool
    detail: str
    seconds: float


class CheckReport(Record):
    name: str
    verdict: str
    detail: str
    fix: str


class FindingReport(Record):
    code: str
    severity: str
    path: str
    message: str
    repairable: bool


class UpReport(Record):
    started: bool
    status: dict[str, Any]
    proof: tuple[StepReport, ...]


class DownReport(Record):
    stopped: bool
    pid: int | None = None


class StatusReport(Record):
    daemon: dict[str, Any] | None
    home: str
    socket: str
    workspace: Place | None
    counts: dict[str, int]
    sessions: int
    trouble: str
    """Why nothing can be said of a workspace here, or ""."""
    agents: dict[str, str]
    """Agents found here: current, stale (wired by another wm) or absent (not wired)."""
    contract: str
    """The project's session contract: sound, faults, or "" where there is none."""
    config: str
    """Why config.toml does not count, or ""."""
    conversations: tuple[Conversation, ...] = optional(())
    """Those of this workspace that a proxy saw within a day and that go on, the most pressed
    first."""


class DoctorReport(Record):
    sound: bool
    checks: tuple[CheckReport, ...]
    proof: tuple[StepReport, ...]


class FsckReport(Record):
    sound: bool
    findings: tuple[FindingReport, ...]


class LogsReport(Record):
    records: tuple[dict[str, Any], ...]


class ConfigReport(Record):
    file: str
    options: dict[str, dict[str, Any]]


class SetupChange(Record):
    path: str
    agent: str
    what: str
    diff: str


class SetupReport(Record):
    changes: tuple[SetupChange, ...]
    notes: tuple[str, ...]
    applied: bool
    problems: tuple[str, ...]


class ExportReport(Record):
    """With -o: where the export is."""

    file: str
    bytes: int


class SessionsReport(Record):
    sessions: tuple[SessionSummary, ...]


class AcceptReport(Record):
    """One entry was accepted (`entry`), or with --outside several (`accepted`)."""

    entry: dict[str, Any] | None = None
    message: str = ""
    accepted: tuple[str, ...] = ()


class InboxReport(Record):
    """Several entries were accepted or rejected. problems: those that could not be, by id."""

    entries: tuple[MemoryEntry, ...] = ()
    problems: tuple[dict[str, str], ...] = ()


class ImportLeft(Record):
    """What was not taken of a file. code: a stable word; why: a clause for people."""

    file: str
    code: str
    count: int
    why: str


class ImportProblem(Record):
    """A file that could not be read; the others were."""

    file: str
    why: str


class ImportReport(Record):
    """targets: what became of the statements, workspace by workspace. other_workspaces: roots
    of stores in the known places that are for others."""

    dry_run: bool
    targets: tuple[ImportAnswer, ...]
    left: tuple[ImportLeft, ...]
    problems: tuple[ImportProblem, ...]
    notes: tuple[str, ...]
    other_workspaces: tuple[str, ...]
    files: tuple[str, ...]


class ProxyReport(Record):
    """A proxy that serves. baseUrl: what an agent is given as the URL of the Messages API."""

    base_url: str
    port: int
    upstream: str


class PullReport(Record):
    """What was fetched (`model`), or would be: files with the digests that they must have."""

    name: str
    origin: str
    commit: str
    license: str
    files: tuple[ModelFile, ...]
    model: InstalledModel | None = None


PROBLEM = "problem"

PRINTS: dict[str, type[Record]] = {
    "up": UpReport,
    "down": DownReport,
    "status": StatusReport,
    "logs": LogsReport,
    "setup": SetupReport,
    "unsetup": SetupReport,
    "doctor": DoctorReport,
    "inspect": Inspection,
    "show": EntryAnswer,
    "search": SearchAnswer,
    "why": WhyAnswer,
    "why-not": WhyNotAnswer,
    "history": History,
    "output": OutputAnswer,
    "diag status": DiagStatus,
    "diag rejected": Rejected,
    "diag missing": Missing,
    "diag explain": Explanation,
    "diag commands": Commands,
    "diag quality": Quality,
    "diag alike": Alike,
    "diag trace": Trace,
    "diag coverage": Coverage,
    "diag disappearances": Disappearances,
    "diag health": DiagHealth,
    "diag audit": Audit,
    "diag revert": Undone,
    "state init": ContractChanged,
    "state show": ContractAnswer,
    "state set": ContractChanged,
    "state validate": ContractAnswer,
    "handoff": HandoffAnswer,
    "budget check": BudgetAnswer,
    "budget prune": PruneAnswer,
    "session list": SessionsReport,
    "session show": SessionAnswer,
    "session core show": Blocks,
    "session core set": Blocks,
    "session core append": Blocks,
    "session working show": WorkingItems,
    "session working add": WorkingItems,
    "session working remove": WorkingItems,
    "session working clear": WorkingItems,
    "session continue": Continued,
    "session delete": DeletedSession,
    "workspace list": Workspaces,
    "workspace mv": Moved,
    "remember": Remembered,
    "forget": EntryAnswer,
    "forget list": Trash,
    "restore": EntryAnswer,
    "undo": Undone,
    "rollback": Rollback,
    "undo list": Acts,
    "edit": EntryAnswer,
    "pin": EntryAnswer,
    "importance": EntryAnswer,
    "inbox list": Inspection,
    "inbox accept": AcceptReport,
    "inbox reject": EntryAnswer,
    "inbox edit": EntryAnswer,
    "inbox several": InboxReport,
    "import": ImportReport,
    "export": ExportAnswer,
    "export file": ExportReport,
    "gc": Swept,
    "fsck check": FsckReport,
    "fsck repair": FsckReport,
    "config show": ConfigReport,
    "config allow-secret": Allowances,
    "models list": ModelsAnswer,
    "models use": ModelsAnswer,
    "models import": InstalledModel,
    "models pull": PullReport,
    "models remove": RemovedModel,
    "models test": ModelTrial,
    "proxy": ProxyReport,
    "replay": ReplayReport,
    "audit": AuditReport,
    PROBLEM: ProblemReport,
}
"""Verb -> the model of its JSON; `problem`: any verb that could not do it."""
