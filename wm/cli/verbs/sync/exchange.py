"""`wm sync`: send what is shared here, and take in what others share (SY-1).

git runs in this process, so that it may ask for a password; the memory is changed through the
daemon, if one runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import click

from wm.api.sync import Leaving, Synced
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.entries import WORDS, short_id
from wm.cli.options import dry_run, flag
from wm.ops.sync.exchange import Choices
from wm.ops.sync.planning import sync_mine, sync_project

RECEIVED = WORDS.table("received")


@click.command("sync")
@click.argument("remote", required=False, default="")
@flag("--mine", help="All your own memory, with a repository of your own: REMOTE is its URL.")
@flag("--yes", help="Agree to the first push without being asked.")
@dry_run
@prints
def sync(caller: Caller, remote: str, mine: bool, yes: bool, dry_run: bool) -> Result:
    """Send what you share of this project to its remote (origin, or REMOTE), and take in what
    others share.

    Shared entries are commits under refs/wm/memory, apart from every branch. What others share
    waits in your inbox, unless `team.accept` says otherwise. Without a network everything else
    works; the next sync sends what this one could not.
    """
    choices = Choices(
        remote=remote,
        confirm=lambda leaving, to: yes or agreed(leaving, to, mine=mine),
        adopts=lambda root: yes or _adopted(caller, root),
        dry_run=dry_run,
    )
    return synced(caller, choices, mine=mine)


def synced(caller: Caller, choices: Choices, *, mine: bool = False) -> Result:
    """Run one sync. It failed if the remote could not be reached, or the push was not confirmed."""
    with caller.opened() as runtime:
        if mine:
            answer = sync_mine(runtime, caller.answer, choices, caller.scoped())
        else:
            answer = sync_project(runtime, caller.answer, caller.scoped(), choices)
    failed = bool(answer.trouble or answer.held_back)
    printed = partial(_print, mine=mine, purges=choices.purge)
    return Result(answer, printed, failed=failed)


def agreed(leaving: Sequence[Leaving], remote: str, *, mine: bool = False) -> bool:
    """Show everything that leaves with the first push, and who can read it; ask for a yes."""
    count = output.count(len(leaving), "entry", "entries")
    output.note(f"The first push sends {count} to {output.safe(remote)}:")
    for one in leaving:
        kind = "a recap: " if one.fields.get("type") == "recap" else ""
        output.note(f"  {short_id(one.id)}  {kind}{one.fields.get('text', '(withdrawn)')}")
        if reason := one.fields.get("rationale"):
            output.note(f"    because: {reason}")
    output.note(
        "Everyone who can read that repository can read them, with your name and e-mail address; "
        "if it is public, everybody can. What was fetched cannot be recalled."
    )
    if output.confirm("Send them?", aside=True):
        return True
    verb = "wm sync --mine" if mine else "wm sync"
    output.note(f"Nothing was sent; `{verb} --yes` agrees without a terminal.")
    return False


def _adopted(caller: Caller, root: str) -> bool:
    """Whether a folder may use the memory of the project that it claims to be (ID-3)."""
    if not caller.names_workspace and caller.directory == root:
        return True
    output.note(f"{output.home_short(root)} looks like a project that you have elsewhere.")
    return output.confirm("Use its memory there, too?", aside=True)


def _print(answer: Synced, *, mine: bool, purges: bool) -> None:
    if not answer.trouble:
        fetched = "Only fetched from" if answer.held_back else "Synced with"
        done = "Would sync with" if answer.dry_run else fetched
        output.line(f"{done} {output.safe(answer.remote)}.")
    rows = list(_exchanged(answer, purges=purges))
    output.lines(output.pairs(rows))
    if purges and answer.pushed:
        output.paragraph(
            "The shared history was rewritten. Every machine drops the old commits with its next "
            "sync; hosts keep the old objects until they clean up."
        )
    if not (rows or answer.pushed or answer.trouble or answer.held_back):
        output.line("Nothing is new on either side.")
        if not mine:
            output.hint("to see what you share: wm share")
    _print_exceptions(answer)
    if not answer.trouble and any(part.received.get("inbox") for part in answer.parts):
        output.hint("to see what waits: wm inbox")


def _exchanged(answer: Synced, *, purges: bool) -> Iterator[output.Row]:
    """What was sent and received, by outcome."""
    sent = sum(len(part.sent) for part in answer.parts)
    if sent:
        verb = "would be sent" if answer.dry_run else "not sent yet" if answer.trouble else "sent"
        yield verb, output.count(sent, "entry", "entries")
    elif answer.pushed and not purges:
        yield "sent", "earlier changes"
    for outcome, phrase in RECEIVED.items():
        if count := sum(part.received.get(outcome, 0) for part in answer.parts):
            what = ("recap",) if outcome == "recap" else ("entry", "entries")
            came = output.count(count, *what)
            plan = ("would be received", came)
            yield plan if answer.dry_run else ("received", f"{came} {phrase}")


def _print_exceptions(answer: Synced) -> None:
    """Print on stderr what took no part, what was left out, and why it did not finish."""
    if answer.apart:
        output.note(
            f"The memory of {output.home_short(answer.apart)} takes no part: only a folder with a "
            "first commit does, not a shallow clone, nor one whose adoption you declined."
        )
    if answer.left_out_count:
        listed = ", ".join(answer.left_out[:3])
        files = output.count(answer.left_out_count, "file")
        output.note(f"{files} of the remote are not shared entries and were left out: {listed}")
    if answer.trouble:
        output.problem(
            f"The sync with {output.safe(answer.remote)} did not finish: {answer.trouble}.",
            fix="Everything is kept here, and the next sync sends it. Check that git reaches the "
            "remote (`git ls-remote`), and that you may write refs/wm/memory there.",
        )
