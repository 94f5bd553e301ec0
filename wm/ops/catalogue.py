"""All use cases by name: what the routes, the client and the command line choose from.

A use case is imported when it is asked for: most processes need one of them, and a daemon that
nobody asks for a diagnosis never holds one in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

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


class Catalogue(Mapping[str, Operation[Any, Any]]):
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
