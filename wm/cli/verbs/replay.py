"""`wm replay FILE…`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from wm.cli import output, recordings
from wm.cli.context import json_option
from wm.formats.replay import ReplayedSum, ReplayedTurn, ReplayReport
from wm.settings import load
from wm.wire.policy import POLICIES

MAX_NAME = 26


@click.command("replay")
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@click.option(
    "--policy",
    type=click.Choice(sorted(POLICIES)),
    default="none",
    show_default=True,
    help="What to do with each request on its way.",
)
@click.option("--turns", is_flag=True, help="Print every request, not only the sums.")
@click.option("--html", "page", metavar="PAGE", default="", help="Write a chart as one HTML file.")
@json_option
def command(files: tuple[str, ...], policy: str, turns: bool, page: str, as_json: bool) -> int:
    """Run recorded sessions again, offline, and say what they cost.

    FILE is a capture (a request in a line), a transcript of Claude Code, or sessions (a line
    each); gzipped or not. Requests go through a policy by the code of the proxy, and through a
    model of the prompt cache. Nothing is sent anywhere.
    """
    from wm.ops.replay.report import replay

    paths = [Path(name) for name in files]
    with recordings.Bar("wm replay") as progress:
        report = replay(
            paths,
            clock=time.perf_counter,
            progress=progress,
            policy=policy,
            own=load().prices,
        )
    if page:
        from wm.cli import chart

        recordings.write(Path(page), chart.page(report))
    if as_json:
        output.as_json(report)
        return 0
    _print(report, turns=turns)
    if page:
        output.line()
        output.line(f"The chart is in {output.safe(page)}")
    return 0


def _print(report: ReplayReport, *, turns: bool) -> None:
    head = f"policy {report.policy} · {recordings.what(report)}"
    output.line(output.bold(head))
    output.line()
    if turns:
        _print_turns(report.turns)
        output.line()
    _print_conversations(report)
    output.line()
    output.lines(output.pairs(_rows(report)))
    output.line()
    for note in recordings.notes(report.models, report.left, report.prices):
        output.lines(output.hang("", note, 0, output.dim))
    if not report.timed:
        output.line(output.dim("No times are told, so nothing expires from the cache."))


def _rows(report: ReplayReport) -> list[output.Row]:
    total = report.total
    bills = total.bills
    rows: list[output.Row] = [
        ("tokens read", recordings.parts(total.tokens)),
        ("tokens written", f"{total.tokens.output:,} by the model"),
    ]
    tokens = output.count(total.last_tokens, "token")
    if total.reported_requests:
        told = recordings.parts(total.reported)
        rows.append(("reported", f"{told}, of {output.count(total.reported_requests, 'request')}"))
    rows += [
        ("bill", f"{recordings.money(bills.as_marked)} with the marks as they are"),
        ("at 5 minutes", recordings.money(bills.five_minutes)),
        ("at 1 hour", recordings.money(bills.one_hour)),
        ("without cache", recordings.money(bills.uncached)),
        ("last request", f"{tokens}, {output.count(total.last_bytes, 'byte')}"),
        ("faults", _faults(total)),
        ("our own time", f"{total.seconds:.2f} s, {_each_ms(total):.1f} ms a request"),
    ]
    if report.before is not None:
        old = report.before
        ratio = bills.as_marked / old.bills.as_marked if old.bills.as_marked else 1.0
        rows.append(("against none", f"{ratio:.2f} × the bill of {_usd(old)}"))
    return rows


def _usd(one: ReplayedSum) -> str:
    return recordings.money(one.bills.as_marked)


def _each_ms(total: ReplayedSum) -> float:
    return 1000 * total.seconds / max(1, total.requests)


def _faults(total: ReplayedSum) -> str:
    files, blocks, wrong = total.faults, total.broken_thinking, total.wrong
    told = [f"{output.count(files, 'read')} of files that were taken away"] if files else []
    if blocks:
        thinking = output.count(blocks, "block of thinking", "blocks of thinking")
        told.append(f"{thinking} with another prefix")
    if wrong:
        told.append(f"{output.count(wrong, 'request')} that the service would refuse")
    return "; ".join(told) or "none"


def _print_conversations(report: ReplayReport) -> None:
    output.line(
        output.dim(
            f"  {'conversation':<{MAX_NAME}}{'req':>6}{'read':>9}{'cached':>8}{'bill':>10}"
            f"{'no cache':>10}{'last':>8}"
        )
    )
    for one in report.conversations:
        name = output.padded(output.cut(one.name, MAX_NAME - 1), MAX_NAME)
        own = one.sum
        output.line(
            f"  {name}{own.requests:>6,}{recordings.short(own.tokens.prompt):>9}"
            f"{recordings.share(own.tokens):>8}{recordings.money(own.bills.as_marked):>10}"
            f"{recordings.money(own.bills.uncached):>10}{recordings.short(own.last_tokens):>8}"
        )


def _print_turns(turns: tuple[ReplayedTurn, ...]) -> None:
    output.line(
        output.dim(
            f"  {'req':>5}{'messages':>10}{'read':>9}{'cached':>9}{'written':>9}{'new':>9}"
            f"{'bill':>10}  what"
        )
    )
    for one in turns:
        output.line(
            f"  {one.number:>5,}{one.messages:>10,}{recordings.short(one.tokens.prompt):>9}"
            f"{recordings.short(one.tokens.cache_read):>9}"
            f"{recordings.short(one.tokens.cache_write):>9}"
            f"{recordings.short(one.tokens.input):>9}{recordings.money(one.bills.as_marked):>10}"
            f"  {output.safe(one.call)}{' !' if one.wrong or one.broken_thinking else ''}"
        )
