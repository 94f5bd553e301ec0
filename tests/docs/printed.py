"""Models of what the verbs print with `--json`, for schemas/cli.schema.json.

Verbs that return a use case's response print that response; the others have a model here.
"""

from __future__ import annotations

from typing import Any

from wm.api import (
    allowances,
    contract,
    diag,
    diagnosis,
    governance,
    imports,
    instruction_budget,
    models,
    paging,
    protocol,
    replay,
    session_memory,
    sessions,
    sync,
)
from wm.formats import home, workspace_memory
from wm.formats.base import Record, optional


class FindingReport(Record):
    code: str
    severity: str
    path: str
    message: str
    repairable: bool


class FsckReport(Record):
    sound: bool
    findings: tuple[FindingReport, ...]


class SessionsReport(Record):
    sessions: tuple[protocol.SessionSummary, ...]


class InboxReport(Record):
    """Several entries were accepted or rejected. problems: those that could not be, by id."""

    entries: tuple[workspace_memory.MemoryEntry, ...] = ()
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
    targets: tuple[imports.ImportAnswer, ...]
    left: tuple[ImportLeft, ...]
    problems: tuple[ImportProblem, ...]
    notes: tuple[str, ...]
    other_workspaces: tuple[str, ...]
    files: tuple[str, ...]


class PullReport(Record):
    """What was fetched (`model`), or would be: files with the digests that they must have."""

    name: str
    origin: str
    commit: str
    license: str
    files: tuple[home.ModelFile, ...]
    model: home.InstalledModel | None = None


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
    workspace: protocol.WorkspacePlace | None
    counts: dict[str, int]
    sessions: int
    trouble: str
    """Why nothing can be said of a workspace here, or ""."""
    agents: dict[str, str]
    """Agents found here: current, stale (older than this wm) or absent (not wired)."""
    contract: str
    """The project's session contract: sound, faults, or "" where there is none."""
    config: str
    """Why config.toml does not count, or ""."""
    conversations: tuple[protocol.ConversationUsage, ...] = optional(())
    """Conversations of this workspace that a proxy observed within a day and that still run, the
    fullest context first."""
    helper: models.HelperState | None = optional()
    """The helper model; absent without one."""


class DoctorReport(Record):
    sound: bool
    checks: tuple[CheckReport, ...]
    proof: tuple[StepReport, ...]


class LogsReport(Record):
    records: tuple[dict[str, Any], ...]


class ConfigReport(Record):
    file: str
    options: dict[str, dict[str, Any]]
    warning: str = optional("")
    """Options of config.toml that are ignored."""


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


class AcceptReport(Record):
    """One entry was accepted (`entry`), or with --outside several (`accepted`)."""

    entry: dict[str, Any] | None = None
    message: str = ""
    accepted: tuple[str, ...] = ()


class ProxyReport(Record):
    """A proxy that serves. baseUrl: what an agent is given as the URL of the Messages API."""

    base_url: str
    port: int
    upstream: str


PROBLEM = "problem"

PRINTS: dict[str, type[Record]] = {
    "up": UpReport,
    "down": DownReport,
    "status": StatusReport,
    "logs": LogsReport,
    "setup": SetupReport,
    "unsetup": SetupReport,
    "doctor": DoctorReport,
    "inspect": protocol.Inspection,
    "show": protocol.EntryAnswer,
    "search": protocol.SearchAnswer,
    "why": protocol.WhyAnswer,
    "why-not": diagnosis.WhyNotAnswer,
    "why not": diagnosis.WhyNotAnswer,
    "history": diagnosis.HistoryPage,
    "show history": diagnosis.HistoryPage,
    "output": sessions.OutputAnswer,
    "diag status": diag.DiagStatus,
    "diag rejected": diag.Rejected,
    "diag missing": diag.Missing,
    "diag explain": diag.Explanation,
    "diag commands": diag.Commands,
    "diag quality": diag.Quality,
    "diag alike": diag.Alike,
    "diag trace": diag.Trace,
    "diag coverage": diag.Coverage,
    "diag disappearances": diag.Disappearances,
    "diag health": diag.DiagHealth,
    "diag audit": diag.Audit,
    "diag revert": diagnosis.Undone,
    "state init": contract.ContractChanged,
    "state show": contract.ContractAnswer,
    "state set": contract.ContractChanged,
    "state validate": contract.ContractAnswer,
    "handoff": contract.HandoffAnswer,
    "budget check": instruction_budget.BudgetAnswer,
    "budget prune": instruction_budget.PruneAnswer,
    "recap": protocol.RecapAnswer,
    "session list": SessionsReport,
    "session show": sessions.SessionAnswer,
    "session core show": session_memory.Blocks,
    "session core set": session_memory.Blocks,
    "session core append": session_memory.Blocks,
    "session working show": session_memory.WorkingItems,
    "session working add": session_memory.WorkingItems,
    "session working remove": session_memory.WorkingItems,
    "session working clear": session_memory.WorkingItems,
    "session continue": session_memory.Continued,
    "session delete": governance.DeletedSession,
    "share": sync.SharedEntries,
    "unshare": sync.SharedEntries,
    "unshare purge": sync.Synced,
    "sync": sync.Synced,
    "team list": sync.Team,
    "team leave": sync.Team,
    "workspace list": protocol.Workspaces,
    "workspace mv": protocol.Moved,
    "workspace link": protocol.LinkAnswer,
    "workspace unlink": protocol.LinkAnswer,
    "remember": protocol.Remembered,
    "learn": protocol.Learning,
    "forget": protocol.EntryAnswer,
    "forget list": diagnosis.Trash,
    "restore": protocol.EntryAnswer,
    "undo": diagnosis.Undone,
    "rollback": diagnosis.Rollback,
    "undo since": diagnosis.Rollback,
    "undo list": diagnosis.Acts,
    "edit": protocol.EntryAnswer,
    "pin": protocol.EntryAnswer,
    "importance": protocol.EntryAnswer,
    "inbox list": protocol.Inspection,
    "inbox accept": AcceptReport,
    "inbox reject": protocol.EntryAnswer,
    "inbox edit": protocol.EntryAnswer,
    "inbox several": InboxReport,
    "import": ImportReport,
    "export": protocol.ExportAnswer,
    "export file": ExportReport,
    "gc": governance.Swept,
    "fsck check": FsckReport,
    "fsck repair": FsckReport,
    "config show": ConfigReport,
    "config allow-secret": allowances.Allowances,
    "models list": models.ModelsAnswer,
    "models use": models.ModelsAnswer,
    "models helper": models.HelperState,
    "models import": home.InstalledModel,
    "models pull": PullReport,
    "models remove": models.RemovedModel,
    "models test": models.ModelTrial,
    "proxy": ProxyReport,
    "objects list": paging.ObjectsAnswer,
    "objects show": paging.ObjectAnswer,
    "objects restore": paging.ObjectAnswer,
    "objects why": paging.ObjectAnswer,
    "objects policy": paging.PolicyAnswer,
    "objects purge": paging.PurgeAnswer,
    "replay": replay.ReplayReport,
    "audit": replay.AuditReport,
    PROBLEM: ProblemReport,
}
"""Verb -> the model of its JSON; `problem`: any verb that could not do it."""
