"""All use cases by name, for the routes, the client and the command line.

A use case is imported on first use: most processes need one, and a daemon never loads an unused
diagnosis. A process that only talks to the daemon needs the request and response models alone
(`models_of`), which takes a third of a command's time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wm.formats.base import Record

if TYPE_CHECKING:
    from wm.ops.operation import Operation

_MODULES: Mapping[str, tuple[str, ...]] = {
    "learning.remember": ("remember",),
    "memory.entries": (
        "inspect",
        "show_entry",
        "edit_entry",
        "forget_entry",
        "restore_entry",
        "accept_entry",
        "reject_entry",
        "accept_outside",
    ),
    "memory.outside_changes": ("notice_outside",),
    "search.search": ("search",),
    "memory.memory_tool": ("memory_files",),
    "tools": ("call_tool",),
    "diagnosis.why": ("why",),
    "diagnosis.why_not": ("why_not",),
    "memory.history": ("history", "list_trash"),
    "storage.sweep": ("sweep_storage",),
    "memory.undo": ("list_acts", "plan_undo", "undo"),
    "memory.rollback": ("plan_rollback", "rollback"),
    "diagnosis.health": ("diag_status", "diag_health", "diag_audit"),
    "diagnosis.refusals": ("diag_rejected", "diag_commands"),
    "diagnosis.similar_pairs": ("diag_alike",),
    "diagnosis.entry_review": ("diag_missing", "diag_explain", "diag_quality"),
    "diagnosis.session_flow": ("diag_trace", "diag_coverage", "diag_disappearances"),
    "session.record_event": ("record_event",),
    "session.prompt": ("prompt",),
    "session.hot_state": ("show_session",),
    "session.session_memory": (
        "read_blocks",
        "change_block",
        "continue_session",
        "read_working",
        "add_item",
        "remove_items",
    ),
    "storage.delete_session": ("delete_session",),
    "session.hooks": ("hook",),
    "session.tool_outputs": ("show_output",),
    "statusline": ("statusline",),
    "traffic.flows": ("finish_request",),
    "traffic.recordings": ("record_exchange",),
    "memory.workspaces": ("list_workspaces", "move_workspace", "export_workspace"),
    "imports.entries": ("import_entries",),
    "contract.contract": (
        "show_contract",
        "init_contract",
        "change_contract",
        "accept_contract",
        "count_compaction",
    ),
    "contract.handoff": ("handoff",),
    "search.models": ("list_models", "use_model"),
    "contract.instruction_budget": ("check_budget", "prune_budget"),
    "learning.allowances": ("list_allowed", "allow_secret", "disallow_secret"),
}
"""Module below `wm.ops` -> its operations, each an attribute of that name."""

_MODELS: Mapping[str, tuple[str, str]] = {
    "remember": ("api.protocol.RememberRequest", "api.protocol.Remembered"),
    "inspect": ("api.protocol.EntriesRequest", "api.protocol.Inspection"),
    "show_entry": ("api.protocol.EntryRequest", "api.protocol.EntryAnswer"),
    "edit_entry": ("api.protocol.EditRequest", "api.protocol.EntryAnswer"),
    "forget_entry": ("api.protocol.ForgetRequest", "api.protocol.EntryAnswer"),
    "restore_entry": ("api.protocol.EntryRequest", "api.protocol.EntryAnswer"),
    "accept_entry": ("api.protocol.EntryRequest", "api.protocol.EntryAnswer"),
    "reject_entry": ("api.protocol.EntryRequest", "api.protocol.EntryAnswer"),
    "accept_outside": ("api.protocol.AcceptOutsideRequest", "api.protocol.Accepted"),
    "notice_outside": ("api.protocol.Scoped", "api.protocol.Noticed"),
    "search": ("api.protocol.SearchRequest", "api.protocol.SearchAnswer"),
    "memory_files": ("api.protocol.MemoryFilesRequest", "api.protocol.MemoryFilesAnswer"),
    "call_tool": ("api.protocol.ToolRequest", "api.protocol.ToolAnswer"),
    "why": ("api.protocol.WhyRequest", "api.protocol.WhyAnswer"),
    "why_not": ("api.diagnosis.WhyNotRequest", "api.diagnosis.WhyNotAnswer"),
    "history": ("api.diagnosis.HistoryRequest", "api.diagnosis.HistoryPage"),
    "list_trash": ("api.diagnosis.TrashRequest", "api.diagnosis.Trash"),
    "sweep_storage": ("api.governance.SweepRequest", "api.governance.Swept"),
    "list_acts": ("api.diagnosis.ActsRequest", "api.diagnosis.Acts"),
    "plan_undo": ("api.diagnosis.UndoRequest", "api.diagnosis.Undone"),
    "undo": ("api.diagnosis.UndoRequest", "api.diagnosis.Undone"),
    "plan_rollback": ("api.rollback.RollbackRequest", "api.rollback.Rollback"),
    "rollback": ("api.rollback.RollbackRequest", "api.rollback.Rollback"),
    "diag_status": ("api.diag.DiagRequest", "api.diag.DiagStatus"),
    "diag_health": ("api.diag.DiagRequest", "api.diag.DiagHealth"),
    "diag_audit": ("api.diag.DiagRequest", "api.diag.Audit"),
    "diag_rejected": ("api.diag.RejectedRequest", "api.diag.Rejected"),
    "diag_commands": ("api.diag.CommandsRequest", "api.diag.Commands"),
    "diag_alike": ("api.diag.DiagRequest", "api.diag.Alike"),
    "diag_missing": ("api.diag.DiagRequest", "api.diag.Missing"),
    "diag_explain": ("api.diag.ExplainRequest", "api.diag.Explanation"),
    "diag_quality": ("api.diag.DiagRequest", "api.diag.Quality"),
    "diag_trace": ("api.diag.TraceRequest", "api.diag.Trace"),
    "diag_coverage": ("api.diag.DiagRequest", "api.diag.Coverage"),
    "diag_disappearances": ("api.diag.DiagRequest", "api.diag.Disappearances"),
    "record_event": ("api.protocol.EventRequest", "api.protocol.EventAnswer"),
    "prompt": ("api.protocol.PromptRequest", "api.protocol.PromptAnswer"),
    "show_session": ("api.protocol.SessionScoped", "api.protocol.SessionAnswer"),
    "read_blocks": ("api.session_memory.MemoryScoped", "api.session_memory.Blocks"),
    "change_block": ("api.session_memory.BlockRequest", "api.session_memory.Blocks"),
    "continue_session": ("api.session_memory.ContinueRequest", "api.session_memory.Continued"),
    "read_working": ("api.session_memory.MemoryScoped", "api.session_memory.WorkingItems"),
    "add_item": ("api.session_memory.ItemRequest", "api.session_memory.WorkingItems"),
    "remove_items": ("api.session_memory.RemoveRequest", "api.session_memory.WorkingItems"),
    "delete_session": ("api.governance.DeleteSessionRequest", "api.governance.DeletedSession"),
    "hook": ("api.protocol.HookRequest", "api.protocol.HookAnswer"),
    "show_output": ("api.protocol.OutputRequest", "api.protocol.OutputAnswer"),
    "statusline": ("api.protocol.StatuslineRequest", "api.protocol.HookAnswer"),
    "finish_request": ("api.protocol.FinishRequest", "api.protocol.FinishAnswer"),
    "record_exchange": ("api.protocol.RecordRequest", "api.protocol.RecordAnswer"),
    "list_workspaces": ("api.protocol.NoRequest", "api.protocol.Workspaces"),
    "move_workspace": ("api.protocol.MoveRequest", "api.protocol.Moved"),
    "export_workspace": ("api.protocol.Scoped", "api.protocol.ExportAnswer"),
    "import_entries": ("api.imports.ImportRequest", "api.imports.ImportAnswer"),
    "show_contract": ("api.contract.ContractRequest", "api.contract.ContractAnswer"),
    "init_contract": ("api.contract.InitRequest", "api.contract.ContractChanged"),
    "change_contract": ("api.contract.ChangeRequest", "api.contract.ContractChanged"),
    "accept_contract": ("api.contract.AcceptContract", "api.contract.ContractAnswer"),
    "count_compaction": ("api.contract.CountRequest", "formats.base.Record"),
    "handoff": ("api.contract.HandoffRequest", "api.contract.HandoffAnswer"),
    "list_models": ("api.protocol.NoRequest", "api.models.ModelsAnswer"),
    "use_model": ("api.models.UseModelRequest", "api.models.ModelsAnswer"),
    "check_budget": ("api.instruction_budget.BudgetRequest", "api.instruction_budget.BudgetAnswer"),
    "prune_budget": ("api.instruction_budget.PruneRequest", "api.instruction_budget.PruneAnswer"),
    "list_allowed": ("api.protocol.NoRequest", "api.allowances.Allowances"),
    "allow_secret": ("api.allowances.AllowRequest", "api.allowances.Allowances"),
    "disallow_secret": ("api.allowances.AllowRequest", "api.allowances.Allowances"),
}
"""Operation -> module and class of its request and response models."""


class Catalogue(Mapping[str, "Operation[Any, Any]"]):
    """Operations by name, each imported on first use."""

    def __init__(self, modules: Mapping[str, tuple[str, ...]] = _MODULES) -> None:
        self._module = {name: module for module, names in modules.items() for name in names}

    def __getitem__(self, name: str) -> Operation[Any, Any]:
        operation: Operation[Any, Any] = getattr(
            import_module(f"wm.ops.{self._module[name]}"), name
        )
        return operation

    def __iter__(self) -> Iterator[str]:
        return iter(self._module)

    def __len__(self) -> int:
        return len(self._module)


OPERATIONS = Catalogue()


def models_of(name: str) -> tuple[type[Record], type[Record]]:
    """The request and response models of a use case, without importing the use case."""
    request, response = _MODELS[name]
    return _model(request), _model(response)


def _model(path: str) -> type[Record]:
    module, _, name = path.rpartition(".")
    found: type[Record] = getattr(import_module(f"wm.{module}"), name)
    return found
