"""`wm replay FILE…`: what recorded sessions cost, also under another policy. Reads only, and
offline unless `--judge` asks the helper model.

Writes nothing except the page that `--html` names.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import click

from wm.api.replay import JudgedAnswers, ReplayedSum, ReplayedTurn, ReplayJudgement, ReplayReport
from wm.cli import output
from wm.cli.context import json_option, report_config
from wm.cli.new_file import create
from wm.cli.options import choice, flag, number, text
from wm.cli.verbs.proxy import figures
from wm.errors import UserError
from wm.ops.helper import judging
from wm.ops.local import opened
from wm.page import document
from wm.replay import report as replaying
from wm.replay.comparison import share
from wm.replay.files import files_in
from wm.replay.rivals import RIVALS
from wm.replay.samples import ChangedSample
from wm.settings import Settings, load

MAX_NAME = 26

tokens = partial(number, default=0, metavar="TOKENS")


@click.command("replay")
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@click.option(
    "--policy",
    "policies",
    type=click.Choice(replaying.POLICIES),
    default=["none"],
    multiple=True,
    show_default=True,
    metavar="NAME",
    help="What to remove: none, safe, balanced, tight, or a rival's name.",
)
@flag("--rivals", help="Compare with what other programs do, in the same recordings.")
@text("--as", "model", metavar="MODEL", help="Count with the prices and sizes of this model.")
@tokens(
    "--head", "head_tokens", most=200_000, help="Add tool schemas of this size to each request."
)
@choice("--ttl", ("5m", "1h"), help="Give every cache mark this lifetime.")
@tokens("--passages", most=2_000, help="Append removed content that seems to be needed.")
@number(
    "--judge",
    default=0,
    metavar="N",
    most=50,
    help="Have the helper model compare N answers with and without the policy.",
)
@flag("--turns", help="Print every request, not only the totals.")
@text("--html", "page", metavar="PAGE", help="Write a chart as one HTML file.")
@json_option
def command(
    files: tuple[str, ...],
    policies: tuple[str, ...],
    rivals: bool,
    model: str,
    head_tokens: int,
    ttl: str,
    passages: int,
    judge: int,
    turns: bool,
    page: str,
    as_json: bool,
) -> None:
    """Replay recorded sessions, offline, and compute what they cost.

    FILE is a capture (one request per line), an agent's transcript, sessions (one per line), or a
    folder of these; gzipped or not. The proxy's code applies a policy to the requests, and a model
    of the prompt cache computes the cost. Nothing is sent anywhere, except with --judge.
    """
    policy, *more = policies
    if more:
        raise click.UsageError("--policy is given twice. Run `wm replay` once for each.")
    settings = load()
    if judge and policy == "none":
        raise UserError.of("replay.nothing_to_judge")
    report_config(settings)
    paths = [path for name in files for path in files_in(Path(name), output.note)]
    with output.Bar("wm replay") as progress:
        report = replaying.replay(
            paths,
            clock=time.perf_counter,
            progress=progress,
            policy=policy,
            rivals=RIVALS if rivals else {},
            passages=passages,
            own=settings.prices,
            assumed=replaying.assumptions(model, head_tokens, ttl),
            sample=(sample := ChangedSample(judge)),
        )
    if judge:
        report = report.model_copy(update={"judged": _judged(settings, sample)})
    if page:
        create(page, _document(report))
    if as_json:
        output.as_json(report)
        return
    _print(report, turns=turns)
    if page:
        output.hint(f"The chart is in {output.safe(page)}")


def _judged(settings: Settings, sample: ChangedSample) -> ReplayJudgement:
    """The helper model's verdict; what it costs is shown first."""
    with opened(settings) as runtime:
        cost, pairs = judging.most_cost(runtime, sample.pairs), len(sample.pairs)
        output.note(
            f"{output.count(pairs, 'conversation')} of {sample.seen:,} changed ones, without "
            f"secrets, to {output.safe(settings.helper.model) or 'no helper model'}: about "
            f"{cost.tokens:,} tokens, ${cost.dollars:.2f}"
        )
        return judging.judgement(runtime, sample.pairs)


def _document(report: ReplayReport) -> str:
    much = figures.what(report.total.requests, len(report.conversations), report.files)
    notes = tuple(figures.notes(report.models, report.left, report.prices))
    ratio = share(report.total, report.before) if report.before is not None else 1.0
    return document.replay_document(report, much, notes, ratio)


def _print(report: ReplayReport, *, turns: bool) -> None:
    much = figures.what(report.total.requests, len(report.conversations), report.files)
    output.line(output.bold(f"policy {report.policy} · {much}"))
    output.line()
    if turns:
        _print_turns(report.turns)
        output.line()
    _print_conversations(report)
    output.line()
    output.lines(output.pairs(_rows(report)))
    output.line()
    if report.compared:
        _print_compared(report)
        output.line()
    for note in figures.notes(report.models, report.left, report.prices):
        output.lines(output.hang("", note, 0, output.dim))
    if not report.timed:
        output.line(output.dim("The recording has no times, so nothing expires from the cache."))


def _rows(report: ReplayReport) -> list[output.Row]:
    total = report.total
    bills = total.bills
    rows: list[output.Row] = [
        ("tokens read", figures.parts(total.tokens)),
        ("tokens written", f"{total.tokens.output:,} by the model"),
    ]
    tokens = output.count(total.last_tokens, "token")
    each_ms = 1000 * total.seconds / max(1, total.requests)
    if total.reported_requests:
        reported = figures.parts(total.reported)
        rows.append(
            ("reported", f"{reported}, of {output.count(total.reported_requests, 'request')}")
        )
    rows += [
        ("bill", f"{figures.money(bills.as_marked)} with the marks as they are"),
        ("at 5 minutes", figures.money(bills.five_minutes)),
        ("at 1 hour", figures.money(bills.one_hour)),
        ("without cache", figures.money(bills.uncached)),
        ("last request", f"{tokens}, {output.count(total.last_bytes, 'byte')}"),
        ("faults", _faults(total)),
        *_passages(report),
        ("our own time", f"{total.seconds:.2f} s, {each_ms:.1f} ms a request"),
    ]
    if (judged := report.judged) is not None:
        said = f"with the policy {_verdicts(judged.managed)}; twice without it"
        rows.append(("answers", f"{said} {_verdicts(judged.control)}, by {output.safe(judged.by)}"))
        if judged.problem:
            rows.append(("not judged", output.safe(judged.problem), output.warn))
    if report.before is not None:
        old = report.before
        ratio = share(total, old)
        bill = figures.money(old.bills.as_marked - old.bills.answers)
        rows.append(("against none", f"{ratio:.3f} × the input bill of {bill}"))
        if total.faults:
            without = share(total, old, faults=False)
            rows.append(("without faults", f"{without:.3f} ×"))
    return rows


def _verdicts(found: JudgedAnswers) -> str:
    return f"{found.same} same, {found.different} different, {found.unclear} unclear"


def _passages(report: ReplayReport) -> list[output.Row]:
    """What was appended because it seemed to be needed (GA-1, GA-3)."""
    if not report.total.passages:
        return []
    made = output.count(report.total.passages, "text")
    needed = f"{report.total.used_passages:,} needed afterwards"
    limits = ", ".join(f"{limit:.3f}" for limit in report.return_limits)
    return [("passages", f"{made} appended; {needed}; limits of a return: {limits}")]


def _faults(total: ReplayedSum) -> str:
    blocks, wrong = total.broken_thinking, total.wrong
    faults = []
    if total.faults:
        removed = f"{output.count(total.faults, 'removed block')} used again"
        exact = f"{total.exact_faults:,} by a whole line" if total.exact_faults else ""
        share = 100 * total.faults / max(1, total.removals)
        rate = f"{share:.2f} % of the removals of all requests"
        cost = f"{figures.money(total.refetch.as_marked)} to restore"
        faults.append(f"{removed} ({', '.join(filter(None, (exact, rate, cost)))})")
    if total.rereads:
        faults.append(f"{output.count(total.rereads, 'read')} of unchanged files that were removed")
    if blocks:
        thinking = output.count(blocks, "block of thinking", "blocks of thinking")
        faults.append(f"{thinking} with another prefix")
    if wrong:
        faults.append(f"{output.count(wrong, 'request')} that the service would refuse")
    return "; ".join(faults) or "none"


def _print_compared(report: ReplayReport) -> None:
    """The policies side by side; the bill of none is 1."""
    names = ("all", "no faults", "blocks", "long", "worst", "peak", "last", "faults")
    head = ("policy, of none's bill", *names)
    needs = ("removed, and needs per million", "tokens", "faults", "by a line", "read again")
    rows, needed = [], []
    for one in report.compared:
        long = "–" if one.long is None else f"{one.long:.3f}"
        shares = (one.worst, one.highest, one.last)
        bills = (one.bill, one.bill_without_faults, one.in_blocks)
        cells = (*(f"{bill:.3f}" for bill in bills), long)
        rows.append((one.name, *cells, *(f"{cell:.2f}" for cell in shares), f"{one.faults:,}"))
        counts = (one.faults, one.exact_faults, one.rereads)
        rates = (f"{1e6 * n / max(1, one.removed_tokens):.1f}" for n in counts)
        needed.append((one.name, figures.short(one.removed_tokens), *rates))
    figures.table(head, (23, 6, 10, 7, 6, 6, 5, 5, 7), rows)
    output.line()
    figures.table(needs, (31, 9, 9, 11, 12), needed)


def _print_conversations(report: ReplayReport) -> None:
    head = ("conversation", "req", *figures.FIGURES)
    rows = [
        (output.cut(one.name, MAX_NAME - 1), f"{one.sum.requests:,}", *figures.figures(one.sum))
        for one in report.conversations
    ]
    figures.table(head, (MAX_NAME, 6, 9, 8, 10, 10, 8), rows)


def _print_turns(turns: tuple[ReplayedTurn, ...]) -> None:
    head = ("", "req", "messages", "read", "cached", "written", "new", "bill", "  what")
    rows = []
    for one in turns:
        tokens = one.tokens
        counts = (tokens.prompt, tokens.cache_read, tokens.cache_write, tokens.input)
        mark = " !" if one.wrong or one.broken_thinking else ""
        cells = (f"{one.number:,}", f"{one.messages:,}", *map(figures.short, counts))
        what = f"  {output.safe(one.call)}{mark}"
        rows.append(("", *cells, figures.money(one.bills.as_marked), what))
    figures.table(head, (0, 5, 10, 9, 9, 9, 9, 10, 0), rows)
