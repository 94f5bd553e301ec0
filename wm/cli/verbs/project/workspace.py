"""`wm workspace list | mv | link | unlink`: lists workspaces, and follows moved folders and clones.

Moving changes which memory a folder uses (an alias); it moves no project files.
"""

from __future__ import annotations

import os
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, Result, absolute, prints
from wm.cli.groups import Group
from wm.errors import UserError


@click.group("workspace", cls=Group, default="list")
def command() -> None:
    """Workspaces are repositories (or folders outside git), named by a key of 16 hex digits.

    `wm workspace` alone lists them.
    """


@command.command("list", short_help="All workspaces with their contents.")
@prints
def show(caller: Caller) -> Result:
    """List all workspaces of this user."""
    return Result(caller.run("list_workspaces", {}), _print_workspaces)


def _print_workspaces(answer: Any) -> None:
    if not answer.workspaces:
        output.line("No workspace remembers anything yet.")
    for space in answer.workspaces:
        root = output.home_short(space.root) or "?"
        output.lines(output.hang(f"  {space.key}", root, 20, mark=output.bold))
        about = [
            output.count(space.active, "entry", "entries"),
            output.count(space.sessions, "session"),
        ]
        if space.inbox:
            about.append(f"{space.inbox} in the inbox")
        if space.health != "ok":
            about.append(space.health)
        if space.last_activity_at:
            about.append(f"last visit {space.last_activity_at[:10]}")
        output.lines(output.hang("", " · ".join(about), 20, output.dim))
        if not space.exists:
            gone = "The folder is gone; if it moved: wm workspace mv OLD NEW"
            output.lines(output.hang("", gone, 20, output.warn))


@command.command("mv", short_help="Let a moved checkout keep its memory.")
@click.argument("old")
@click.argument("new")
@prints
def move(caller: Caller, old: str, new: str) -> Result:
    """NEW, a folder, takes over the memory of OLD (its former path, or its key)."""
    target = absolute(new)
    if not os.path.lexists(target):
        raise UserError.of("workspace.no_target", target=target)
    answer: Any = caller.run("move_workspace", {"old": _path_or_key(old), "new": target})
    return Result(answer, answer.message)


@command.command("link", short_help="Use the memory of another checkout here, too.")
@click.argument("old", required=False, default="")
@prints
def link(caller: Caller, old: str) -> Result:
    """Let this folder use the memory of OLD, another checkout of the repository (its path, or its
    key).

    Without OLD the other checkouts that wm knows are listed; nothing of them is shown here before
    you link one.
    """
    named = _path_or_key(old) if old else ""
    return Result(caller.call("link_workspace", old=named), _print_link)


@command.command("unlink", short_help="Give this folder a memory of its own again.")
@prints
def unlink(caller: Caller) -> Result:
    """End the link of this folder. What was learned through it stays in the other memory."""
    return Result(caller.call("link_workspace", unlink=True), _print_link)


def _print_link(answer: Any) -> None:
    if answer.message:
        output.line(answer.message)
        return
    if not answer.offers:
        output.line("wm knows no other checkout of this repository.")
        output.hint("to name one: wm workspace link FOLDER")
    for space in answer.offers:
        gone = "" if space.exists else ", the folder is gone"
        about = f" ({output.count(space.active, 'entry', 'entries')}{gone})"
        output.lines(output.hang(f"  {space.key}", output.home_short(space.root) + about, 20))
    if answer.offers:
        output.hint(f"to use its memory here: wm workspace link {answer.offers[0].key}")


def _path_or_key(text: str) -> str:
    is_key = len(text) == 16 and all(c in "0123456789abcdef" for c in text)
    return text if is_key else absolute(text)
