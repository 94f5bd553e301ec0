"""`wm mcp`: the memory tools for any agent that speaks MCP (IF-4).

Only the command: `wm.agents.mcp_stdio` runs the server. Starts no daemon.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import click

from wm import __version__
from wm.agents.mcp_session import McpSession, ToolCall, ToolOutcome
from wm.agents.mcp_stdio import serve_stdio
from wm.api.tools import INSTRUCTIONS, find
from wm.cli.context import Caller, workspace_options
from wm.cli.options import flag, text
from wm.errors import WmError
from wm.library import Library
from wm.settings import find_agent_session


@click.command("mcp")
@text("--session", metavar="ID", help="The session, if the agent names none.")
@flag("--memory", help="Show the memory in the instructions: for an agent without hooks.")
@workspace_options
def command(caller: Caller, session: str, memory: bool) -> int:
    """Serve the memory tools over MCP, on standard input and output, until the input ends.

    An agent starts this in its project folder; -C or --workspace name another workspace. It does
    not start a daemon, and works on the files if none runs.
    """
    library, agent = Library(caller.settings), find_agent_session()

    def scope() -> dict[str, str]:
        # Looked up at each call: the folder may be deleted while the agent runs.
        if caller.names_workspace or not agent.project:
            return caller.scoped()
        return {"directory": agent.project}

    def perform(call: ToolCall) -> ToolOutcome:
        fields = {
            "name": call.name,
            "arguments": _well_formed(dict(call.arguments)),
            "session": agent.session or call.session or session,
        }
        tool = find(call.name)
        try:
            answer = library.run(
                "call_tool",
                {**scope(), **fields},
                deadline_s=caller.settings.tools.timeout_s,
                repeatable=tool is not None and tool.reads,
            )
        except WmError as error:
            return ToolOutcome(f"{error.message} {error.fix}".strip(), failed=True)
        return ToolOutcome(str(answer.get("text", "")), answer.get("structured") or {})

    given = ""
    if memory:
        given = _prompt_text(library, scope, caller.settings.hooks.start_timeout_s)
    return serve_stdio(McpSession(__version__, f"{INSTRUCTIONS}{given}"), perform)


def _prompt_text(library: Library, scope: Callable[[], dict[str, str]], deadline_s: float) -> str:
    """What the first prompt of a session here would show, as text behind the instructions; "" if it
    cannot be read: the tools still work."""
    session = {"sessionId": f"mcp-{uuid.uuid4()}", "agent": "mcp"}
    try:
        answer = library.run(
            "prompt", {**scope(), **session}, deadline_s=deadline_s, repeatable=True
        )
    except WmError:
        return ""
    return "".join(f"\n\n{block['text']}" for block in answer["blocks"])


def _well_formed(value: Any) -> Any:
    """Replace lone surrogates: no file and no request can contain them."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_well_formed(name): _well_formed(item) for name, item in value.items()}
    return [_well_formed(item) for item in value] if isinstance(value, list) else value
