"""All use cases by name: what the routes, the client and the command line choose from.

A use case is imported when it is asked for: most processes need one of them, and a daemon that
nobody asks for a diagnosis never holds one in memory. Whoever only talks to the daemon needs no
use case, only the models of its request and answer (`models_of`): a third of a command's time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from wm.formats.base import Record

if TYPE_CHECKING:
    from wm.ops.base import Operation

_MODULES: Mapping[str, tuple[str, ...]] = {
    "remember": ("remember",),
    "entries": (
        "inspect",
        "show_entry",
        "edit_entry",
        "forget_entry",
        "restore_entry",
        "accept_entry",
        "reject_entry",
        "accept_outside",
    ),
    "notice": ("notice_outside",),
    "search": ("search",),
    "memory_files": ("memory_files",),
    "tools": ("call_tool",),
    "why": ("why",),
    "why_not": ("why_not",),
    "history": ("history", "list_trash"),
    "govern": ("sweep_storage",),
    "undo": ("list_acts", "plan_undo", "undo"),
    "rollback": ("plan_rollback", "rollback"),
    "diag.sound": ("diag_status", "diag_health", "diag_audit"),
    "diag.refused": ("diag_rejected", "diag_commands"),
    "diag.alike": ("diag_alike",),
    "diag.entries": ("diag_missing", "diag_explain", "diag_quality"),
    "diag.flow": ("diag_trace", "diag_coverage", "diag_disappearances"),
    "record_event": ("record_event",),
    "prompt": ("prompt",),
    "sessions": ("show_session",),
    "session_memory": (
        "read_blocks",
        "change_block",
        "continue_session",
        "read_working",
        "add_item",
        "remove_items",
    ),
    "delete_session": ("delete_session",),
    "hooks": ("hook",),
    "outputs": ("show_output",),
    "statusline": ("statusline",),
    "flows": ("finish_request",),
    "recordings": ("record_exchange",),
    "workspaces": ("list_workspaces", "move_workspace", "export_workspace"),
    "import_entries": ("import_entries",),
    "contract": (
        "show_contract",
        "init_contract",
        "change_contract",
        "accept_contract",
        "count_compaction",
    ),
    "handoff": ("handoff",),
    "models": ("list_models", "use_model"),
    "budget": ("check_budget", "prune_budget"),
    "allowances": ("list_allowed", "allow_secret", "disallow_secret"),
}
"""Module below `wm.ops` -> its operations. Each is the module's attribute of that name."""

_MODELS: Mapping[str, tuple[str, str]] = {
    "remember": ("protocol.RememberRequest", "protocol.Remembered"),
    "inspect": ("protocol.EntriesRequest", "protocol.Inspection"),
    "show_entry": ("protocol.EntryRequest", "protocol.EntryAnswer"),
    "edit_entry": ("protocol.EditRequest", "protocol.EntryAnswer"),
    "forget_entry": ("protocol.ForgetRequest", "protocol.EntryAnswer"),
    "restore_entry": ("protocol.EntryRequest", "protocol.EntryAnswer"),
    "accept_entry": ("protocol.EntryRequest", "protocol.EntryAnswer"),
    "reject_entry": ("protocol.EntryRequest", "protocol.EntryAnswer"),
    "accept_outside": ("protocol.AcceptOutsideRequest", "protocol.Accepted"),
    "notice_outside": ("protocol.Scoped", "protocol.Noticed"),
    "search": ("protocol.SearchRequest", "protocol.SearchAnswer"),
    "memory_files": ("protocol.MemoryFilesRequest", "protocol.MemoryFilesAnswer"),
    "call_tool": ("protocol.ToolRequest", "protocol.ToolAnswer"),
    "why": ("protocol.WhyRequest", "protocol.WhyAnswer"),
    "why_not": ("diagnosis.WhyNotRequest", "diagnosis.WhyNotAnswer"),
    "history": ("diagnosis.HistoryRequest", "diagnosis.History"),
    "list_trash": ("diagnosis.TrashRequest", "diagnosis.Trash"),
    "sweep_storage": ("governance.SweepRequest", "governance.Swept"),
    "list_acts": ("diagnosis.ActsRequest", "diagnosis.Acts"),
    "plan_undo": ("diagnosis.UndoRequest", "diagnosis.Undone"),
    "undo": ("diagnosis.UndoRequest", "diagnosis.Undone"),
    "plan_rollback": ("rollback.RollbackRequest", "rollback.Rollback"),
    "rollback": ("rollback.RollbackRequest", "rollback.Rollback"),
    "diag_status": ("diag.DiagRequest", "diag.DiagStatus"),
    "diag_health": ("diag.DiagRequest", "diag.DiagHealth"),
    "diag_audit": ("diag.DiagRequest", "diag.Audit"),
    "diag_rejected": ("diag.RejectedRequest", "diag.Rejected"),
    "diag_commands": ("diag.CommandsRequest", "diag.Commands"),
    "diag_alike": ("diag.DiagRequest", "diag.Alike"),
    "diag_missing": ("diag.DiagRequest", "diag.Missing"),
    "diag_explain": ("diag.ExplainRequest", "diag.Explanation"),
    "diag_quality": ("diag.DiagRequest", "diag.Quality"),
    "diag_trace": ("diag.TraceRequest", "diag.Trace"),
    "diag_coverage": ("diag.DiagRequest", "diag.Coverage"),
    "diag_disappearances": ("diag.DiagRequest", "diag.Disappearances"),
    "record_event": ("protocol.EventRequest", "protocol.EventAnswer"),
    "prompt": ("protocol.PromptRequest", "protocol.PromptAnswer"),
    "show_session": ("protocol.SessionScoped", "protocol.SessionAnswer"),
    "read_blocks": ("session_memory.MemoryScoped", "session_memory.Blocks"),
    "change_block": ("session_memory.BlockRequest", "session_memory.Blocks"),
    "continue_session": ("session_memory.ContinueRequest", "session_memory.Continued"),
    "read_working": ("session_memory.MemoryScoped", "session_memory.WorkingItems"),
    "add_item": ("session_memory.ItemRequest", "session_memory.WorkingItems"),
    "remove_items": ("session_memory.RemoveRequest", "session_memory.WorkingItems"),
    "delete_session": ("governance.DeleteSessionRequest", "governance.DeletedSession"),
    "hook": ("protocol.HookRequest", "protocol.HookAnswer"),
    "show_output": ("protocol.OutputRequest", "protocol.OutputAnswer"),
    "statusline": ("protocol.StatuslineRequest", "protocol.HookAnswer"),
    "finish_request": ("protocol.FinishRequest", "protocol.FinishAnswer"),
    "record_exchange": ("protocol.RecordRequest", "protocol.RecordAnswer"),
    "list_workspaces": ("protocol.NoRequest", "protocol.Workspaces"),
    "move_workspace": ("protocol.MoveRequest", "protocol.Moved"),
    "export_workspace": ("protocol.Scoped", "protocol.ExportAnswer"),
    "import_entries": ("imports.ImportRequest", "imports.ImportAnswer"),
    "show_contract": ("contract.ContractRequest", "contract.ContractAnswer"),
    "init_contract": ("contract.InitRequest", "contract.ContractChanged"),
    "change_contract": ("contract.ChangeRequest", "contract.ContractChanged"),
    "accept_contract": ("contract.AcceptContract", "contract.ContractAnswer"),
    "count_compaction": ("contract.CountRequest", "base.Record"),
    "handoff": ("contract.HandoffRequest", "contract.HandoffAnswer"),
    "list_models": ("protocol.NoRequest", "models.ModelsAnswer"),
    "use_model": ("models.UseModelRequest", "models.ModelsAnswer"),
    "check_budget": ("budget.BudgetRequest", "budget.BudgetAnswer"),
    "prune_budget": ("budget.PruneRequest", "budget.PruneAnswer"),
    "list_allowed": ("protocol.NoRequest", "allowances.Allowances"),
    "allow_secret": ("allowances.AllowRequest", "allowances.Allowances"),
    "disallow_secret": ("allowances.AllowRequest", "allowances.Allowances"),
}
"""Operation -> its request and its answer, each as module below `wm.formats` and class."""


class Catalogue(Mapping[str, "Operation[Any, Any]"]):
    """Operations by name, each imported at its first use."""

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
    """The models of a use case's request and answer, without the use case."""
    request, response = _MODELS[name]
    return _model(request), _model(response)


def _model(path: str) -> type[Record]:
    module, _, name = path.partition(".")
    found: type[Record] = getattr(import_module(f"wm.formats.{module}"), name)
    return found
