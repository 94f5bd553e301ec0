"""All use cases by name: what the routes, the client and the command line choose from."""

from __future__ import annotations

from typing import Any

from wm.ops import (
    entries,
    hooks,
    notice,
    prompt,
    record_event,
    remember,
    search,
    sessions,
    statusline,
    why,
    tools,
    workspaces,
)
from wm.ops.base import Operation

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
        why.why,
        record_event.record_event,
        tools.call_tool,
        prompt.prompt,
        sessions.show_session,
        hooks.hook,
        statusline.statusline,
        workspaces.list_workspaces,
        workspaces.move_workspace,
        workspaces.export_workspace,
    )
}
