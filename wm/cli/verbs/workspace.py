"""`wm workspace list | mv`."""

from __future__ import annotations

import os
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options


@click.group("workspace", short_help="List workspaces; tell wm that a checkout moved.")
def command() -> None:
    """Workspaces are repositories (or folders outside git), named by a key of 16 hex digits."""


@command.command("list", short_help="All workspaces with what they hold.")
@json_option
@workspace_options
def show(caller: Caller, as_json: bool) -> int:
    """List all workspaces of this user."""
    answer: Any = caller.run("list_workspaces", {})
    if as_json:
        output.as_json(answer)
        return 0
    if not answer.workspaces:
        output.line("No workspace remembers anything yet.")
    for space in answer.workspaces:
        root = output.home_short(space.root) or "?"
        gone = "" if space.exists else output.warn("  (folder is gone: wm workspace mv OLD NEW)")
        output.line(f"  {output.bold(space.key)}  {output.wrap(root, 200)[0]}{gone}")
        about = [
            output.count(space.active, "entry", "entries"),
            output.count(space.sessions, "session"),
        ]
        if space.inbox:
            about.append(f"{space.inbox} in the inbox")
        if space.health != "ok":
            about.append(space.health)
        output.line(" " * 20 + output.dim(", ".join(about)))
    return 0


@command.command("mv", short_help="Let a moved checkout keep its memory.")
@click.argument("old")
@click.argument("new")
@json_option
@workspace_options
def move(caller: Caller, old: str, new: str, as_json: bool) -> int:
    """NEW, a folder, takes over the memory of OLD (the path it had, or its key)."""
    answer: Any = caller.run(
        "move_workspace", {"old": _path_or_key(old), "new": os.path.abspath(new)}
    )
    if as_json:
        output.as_json(answer)
    else:
        output.line(answer.message)
    return 0


def _path_or_key(text: str) -> str:
    is_key = len(text) == 16 and all(c in "0123456789abcdef" for c in text)
    return text if is_key else os.path.abspath(text)
