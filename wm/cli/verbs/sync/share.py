"""`wm share`, `wm unshare`, `wm team`: what of a project others may read, and who shares (SY-3).

These verbs mark entries; `wm sync` sends and withdraws them. `wm unshare --purge` syncs at once.
"""

from __future__ import annotations

from typing import Any

import click

from wm.api.sync import SharedEntries, Team
from wm.cli import output
from wm.cli.context import Caller, Result, prints, prints_answer
from wm.cli.entries import COLUMN, WORDS, short_id
from wm.cli.groups import Group
from wm.cli.options import choice, flag
from wm.cli.verbs.sync.exchange import agreed, synced
from wm.errors import UserError
from wm.formats.workspace_memory import TYPES
from wm.ops.sync.exchange import Choices


@click.command("share")
@click.argument("entry_ids", metavar="[ID]...", nargs=-1)
@choice("--type", TYPES, help="All entries of this type that are active now.")
@flag("--recaps", help="The recaps of your sessions here, from now on: `wm recap` shows them.")
@prints
def share(caller: Caller, entry_ids: tuple[str, ...], type: str, recaps: bool) -> Result:
    """Share the entries ID... with everyone who can read this project's remote.

    The next `wm sync` sends them, and later your changes of them. Without IDs the shared entries
    are listed. Sharing an entry of another author proposes your wording of it, or that it be
    forgotten.
    """
    answer: Any = caller.call("share_entries", ids=entry_ids, type=type, recaps=recaps)
    failed = bool(answer.problems)
    if not (entry_ids or type or recaps):
        return Result(answer, _print_shared)
    return Result(answer, _print_marked, failed=failed)


def _print_marked(answer: SharedEntries) -> None:
    for problem in answer.problems:
        output.problem(problem.message)
    if answer.recaps and not (answer.entries or answer.problems):
        output.line(
            "The next `wm sync` shares the recaps of your sessions here, and later ones too."
        )
    elif not (answer.entries or answer.problems):
        output.line("No active entry has this type.")
    if answer.entries:
        where = f"to {answer.remote.shown}" if answer.remote else "to this project's remote"
        _print_entries(answer)
        count = output.count(len(answer.entries), "entry", "entries")
        them = "it" if len(answer.entries) == 1 else "them"
        output.line(f"Shared {count}; `wm sync` sends {them} {output.safe(where)}.")


def _print_shared(answer: SharedEntries) -> None:
    _print_entries(answer)
    if answer.recaps:
        output.line("The recaps of your sessions here are shared; `wm unshare --recaps` ends that.")
    elif not answer.entries:
        output.line("Nothing of this project is shared. `wm share ID` shares an entry.")
    for name in answer.replaced:
        output.line(f"{short_id(name)} replaced a shared entry: wm share {name} shares it, too.")


def _print_entries(answer: SharedEntries) -> None:
    for entry in answer.entries:
        output.lines(output.hang(f"  {short_id(entry.id)}", entry.text, COLUMN))


@click.command("unshare")
@click.argument("entry_ids", metavar="[ID]...", nargs=-1)
@flag("--recaps", help="The recaps of your sessions here.")
@flag("--purge", help="Rewrite the shared history now, so that it does not contain them any more.")
@prints
def unshare(caller: Caller, entry_ids: tuple[str, ...], recaps: bool, purge: bool) -> Result:
    """End sharing the entries ID...; they stay here.

    What others fetched stays with them until they sync, and nothing can make them forget what
    they read. With --purge every machine that syncs drops the earlier history; the remote keeps
    the objects until its own clean-up.
    """
    if not (entry_ids or recaps):
        raise click.UsageError("Name an ID, or give --recaps.")
    answer: Any = caller.call("share_entries", ids=entry_ids, recaps=recaps, end=True)
    if purge:
        return synced(caller, Choices(purge=True, confirm=agreed))
    count = output.count(len(answer.entries), "entry", "entries")
    count = "The recaps of your sessions here" if recaps and not entry_ids else count
    them = "it" if len(answer.entries) == 1 and not recaps else "them"
    text = f"{count} will not be shared any more; `wm sync` withdraws {them} from the others."
    return Result(answer, text)


@click.group("team", cls=Group, default="list")
def team() -> None:
    """Who shares in this project, what came and what waits.

    `wm team` alone shows it.
    """


@team.command("list", short_help="Show authors, what came and what waits (the default).")
@prints_answer("team")
def show(answer: Team) -> None:
    """Show with whom this project is shared."""
    rows: list[output.Row] = [
        ("remote", answer.remote.shown if answer.remote else "none yet: `wm sync` names it"),
        ("last sync", output.moment(answer.synced_at)),
        ("you share", _counted(answer.shared, answer.unsent, "not sent yet")),
        *([("", "the recaps of your sessions")] if answer.recaps else []),
        ("others enter", WORDS.table("enters").get(answer.accept, answer.accept)),
    ]
    if answer.trouble:
        rows.append(("not finished", answer.trouble, output.warn))
    rows += [(m.name, _counted(m.active, m.waiting, "waiting")) for m in answer.members]
    output.lines(output.pairs(rows))


def _counted(count: int, rest: int, what: str) -> str:
    text = output.count(count, "entry", "entries")
    return f"{text}, {rest} {what}" if rest else text


@team.command("leave", short_help="End the sync of this project.")
@flag("--keep", help="Keep the active entries of others.")
@prints
def leave(caller: Caller, keep: bool) -> Result:
    """End the sync of this project: what came from others moves to the trash.

    What you shared stays with the others; `wm unshare` before you leave withdraws it.
    """
    if not caller.call("team").remote:
        raise UserError("This project is shared with nobody.", fix="`wm sync` shares it.")
    return Result(caller.call("team", leave=True, keep=keep), output.message)
