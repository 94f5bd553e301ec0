"""`wm audit [PATH]`: where the tokens of the agents' transcripts went. Offline, reads only.

Without a path, it takes those of sessions in the current folder. Prints names and sizes, no texts.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import click

from wm.api.replay import AuditReport, Share
from wm.cli import output
from wm.cli.context import Caller, Result, prints
from wm.cli.new_file import create
from wm.cli.options import html_option
from wm.cli.verbs.proxy import figures
from wm.errors import UserError
from wm.ops.imports.transcript_files import claude_name, transcripts_of
from wm.page import document
from wm.replay.audit import audit
from wm.replay.files import files_in, only_recordings
from wm.settings import find_agent_paths

NAME, FILE = 40, 44
MOST_ROWS = 8


@click.command("audit")
@click.argument("path", metavar="[PATH]", required=False, default="")
@html_option
@prints
def command(caller: Caller, path: str, page: str) -> Result:
    """Show where the tokens of your own transcripts went.

    PATH is a recording as for `wm replay`, or a folder of transcripts; without it, the transcripts
    that the agents keep of sessions in this folder. Prints kinds of content, names of tools and
    paths of files, never contents.
    """
    with caller.opened() as runtime, output.Bar("wm audit") as progress:
        report = audit(
            files_in(Path(path), output.note) if path else _transcripts(caller),
            clock=time.perf_counter,
            progress=progress,
            settings=caller.settings.pruning,
            redacted=runtime.redacted_path,
            own=caller.settings.prices,
        )
    if page:
        much = figures.what(report.requests, report.conversations, report.files)
        notes = tuple(figures.notes(report.models, report.left, report.prices))
        create(page, document.audit_document(report, much, notes))
    return Result(report, partial(_print, page=page))


def _transcripts(caller: Caller) -> list[Path]:
    """What the agents recorded of sessions in this folder. Raises UserError if there is nothing."""
    agents = find_agent_paths()
    folder = agents.claude / "projects" / claude_name(caller.directory)
    others = transcripts_of(agents.others, lambda began: began == caller.directory)
    kept = [*sorted(folder.rglob("*.jsonl")), *others]
    found = list(only_recordings(kept, output.note))
    if not found:
        raise UserError.of("audit.no_transcripts", directory=caller.directory, folder=folder)
    return found


def _print(report: AuditReport, *, page: str) -> None:
    output.line(output.bold(figures.what(report.requests, report.conversations, report.files)))
    output.line()
    all_sent = sum(one.sent for one in report.kinds) or 1
    kinds = [
        (one.name, *_tokens(one), f"{100 * one.sent / all_sent:.0f} %") for one in report.kinds
    ]
    figures.table(("where tokens go", "first", "sent", "share"), (NAME, 9, 9, 8), kinds)
    if report.tools:
        output.line()
        rows = [
            (output.cut(one.name, NAME - 1), *_tokens(one), f"{one.blocks:,}")
            for one in report.tools[:MOST_ROWS]
        ]
        figures.table(("results of", "first", "sent", "calls"), (NAME, 9, 9, 8), rows)
    if report.rereads:
        output.line()
        files = [
            (_end(one.path), f"{one.reads:,}", f"{one.unchanged:,}", figures.short(one.tokens))
            for one in report.rereads[:MOST_ROWS]
        ]
        figures.table(("read again", "reads", "no edit", "tokens"), (FILE, 7, 7, 9), files)
    output.line()
    output.lines(output.pairs(_rows(report)))
    output.line()
    for note in figures.notes(report.models, report.left, report.prices):
        output.lines(output.hang("", note, 0, output.dim))
    if page:
        output.hint(f"The page is {output.safe(page)}")


def _tokens(share: Share) -> tuple[str, str]:
    return figures.short(share.tokens), figures.short(share.sent)


def _rows(report: AuditReport) -> list[output.Row]:
    by = "as the service reported" if report.reported else "by the model of the cache"
    pruning, bills, money = report.pruning, report.bills, figures.money
    more = "less" if pruning.dollars >= 0 else "more"
    return [
        ("sent", f"each token {report.amplification:.1f} times on average"),
        (
            "read again",
            f"{report.reads_again:,} of {output.count(report.reads, 'read')} of files, "
            f"{report.reads_unchanged:,} of them with no edit in between",
        ),
        ("bill", f"{money(bills.as_marked)}; without a cache {money(bills.uncached)}"),
        ("cache saves", f"{money(report.saved)}, {by}"),
        (
            "pruning",
            f"would shorten {output.count(pruning.results, 'text')} where they first appear: "
            f"{figures.short(pruning.sent)} tokens less sent, "
            f"{money(abs(pruning.dollars))} {more}",
        ),
    ]


def _end(path: str) -> str:
    """The end of a path, which contains the file name."""
    path = output.home_short(path)
    while output.cells(path) >= FILE:
        path = "…" + path.lstrip("…")[1:]
    return path
