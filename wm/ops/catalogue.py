"""All use cases by name: what the routes, the client and the command line choose from."""

from __future__ import annotations

from typing import Any

from wm.ops import (
    allowances,
    entries,
    history,
    hooks,
    import_entries,
    memory_files,
    notice,
    prompt,
    record_event,
    remember,
    rollback,
    rotate,
    search,
    sessions,
    statusline,
    tools,
    undo,
    why,
    why_not,
    workspaces,
)
from wm.ops.base import Operation
from wm.ops.diag import entries as diag_entries
from wm.ops.diag import flow, refused, sound

OPERATIONS: dict[str, Operation[Any, Any]] = {
    operation.name: operation
    for operation in (
        remember.remember,
        entries.inspect,
        entries.show_entry,
        entries.edit_entry,
        entries.forget_entry,
        entries.restore_entry,
        entries.accept_entry,
        entries.reject_entry,
        entries.accept_outside,
        notice.notice_outside,
        search.search,
        memory_files.memory_files,
        tools.call_tool,
        why.why,
        why_not.why_not,
        history.history,
        history.list_trash,
        rotate.rotate_evidence,
        undo.list_acts,
        undo.plan_undo,
        undo.undo,
        rollback.plan_rollback,
        rollback.rollback,
        sound.diag_status,
        refused.diag_rejected,
        diag_entries.diag_missing,
        diag_entries.diag_explain,
        refused.diag_commands,
        diag_entries.diag_quality,
        flow.diag_trace,
        flow.diag_coverage,
        flow.diag_disappearances,
        sound.diag_health,
        sound.diag_audit,
        record_event.record_event,
        prompt.prompt,
        sessions.show_session,
        hooks.hook,
        statusline.statusline,
        workspaces.list_workspaces,
        workspaces.move_workspace,
        workspaces.export_workspace,
        import_entries.import_entries,
        allowances.list_allowed,
        allowances.allow_secret,
        allowances.disallow_secret,
    )
}
