"""`wm diag …`: prints reports about memory and evidence (EV-3).

Only `revert --apply` changes anything. A report with findings ends with exit code 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from wm.api import diag
from wm.cli import output
from wm.cli.context import Caller, Result, prints, prints_answer
from wm.cli.entries import SHORT_ID, WORDS, print_entry, print_text, short_id
from wm.cli.groups import Group
from wm.cli.options import flag, limit, text
from wm.cli.overview import print_heading
from wm.cli.verbs.memory.history import COLUMN as TIMED
from wm.cli.verbs.memory.history import print_happening
from wm.formats.workspace_memory import MemoryEntry
from wm.ops import explanations

COLUMN = 2 + SHORT_ID + 2
"""Column of the text after an entry's id."""

LISTED = 50


@click.group("diag", cls=Group, default="status")
def command() -> None:
    """Look closer: what is kept, refused or left out, where it went, and whether the data is sound.

    `wm diag` alone shows the status. Only `revert --apply` changes anything.
    """


_COUNTED = WORDS.table("counted")
"""The words for people of counts whose names are of documents."""


@command.command("status", short_help="Sum up this workspace (the default).")
@prints_answer("diag_status", failed=lambda answer: answer.verdict == "degraded")
def status(answer: diag.DiagStatus) -> None:
    """Sum up this workspace: its contents, the last writes and prompts, and what needs
    attention. Exit code 1 if some data cannot be stored (degraded)."""
    print_heading(answer.place)
    paint = {"ok": output.good, "warning": output.warn}.get(answer.verdict, output.bad)
    found = ((_COUNTED.get(what, what), number) for what, number in answer.counts.items())
    stored = " · ".join(f"{what} {number:,}" for what, number in found if number)
    refused = f"{answer.rejected:,} in the last 7 days"
    refused += ": wm diag rejected" if answer.rejected else ""
    rows: list[output.Row] = [
        ("verdict", answer.verdict, paint),
        ("contents", stored or "nothing yet"),
        ("refused", refused),
        ("evidence", output.count(answer.evidence, "record")),
        ("last kept", output.moment(answer.last_kept_at)),
        ("last prompt", output.moment(answer.last_prompt_at)),
    ]
    output.lines(output.pairs(rows))
    _print_remarks(answer.remarks)
    if answer.newest:
        output.line()
    for happening in answer.newest:
        print_happening(happening, named=True)


@command.command("rejected", short_help="What was refused, and by which rule.")
@text("--since", metavar="TIME", help="12h, 7d, 2w, or a day.")
@text("--reason", metavar="CODE", help="Only with this reason code.")
@flag("--soft", help="Only texts refused for soft reasons alone (a person may accept those).")
@limit(1000, default=LISTED)
@prints_answer("diag_rejected")
def rejected(answer: diag.Rejected) -> None:
    """List texts that a rule refused or sent to the inbox, newest first, and count the reasons."""
    if not answer.rows:
        output.line("Nothing was refused.")
    for row in answer.rows:
        output.lines(output.hang(f"  {output.minute(row.at)}", row.sentence, TIMED))
        if row.text:
            output.line(" " * TIMED + output.dim(output.cut(row.text, output.width() - TIMED)))
    _print_counts(answer.by_reason)
    _print_more(answer.total - len(answer.rows))


@command.command("missing", short_help="What prompts do not show, and why.")
@prints_answer("diag_missing")
def missing(answer: diag.Missing) -> None:
    """List active and waiting entries that a new prompt would leave out, strongest first: each
    with its rank and the limit that excluded it."""
    if not answer.rows:
        output.line("Prompts show every entry.")
    for row in answer.rows:
        place = f"place {row.rank} · strength {row.strength:.2f} · " if row.rank else ""
        _print_short(row.entry, place + row.sentence)
    if answer.pending:
        waiting = output.count(answer.pending, "memory", "memories")
        output.line(f"{waiting} wait for promotion (in the journal).")


@command.command("explain", short_help="How the strength of one entry is computed.")
@click.argument("entry_id", metavar="ID")
@prints_answer("diag_explain")
def explain(answer: diag.Explanation) -> None:
    """Show how the strength of the entry ID is computed, its rank among the others, and when
    prompts showed it. For its history use `wm why ID`."""
    print_entry(answer.entry, *_numbers(answer))
    for sentence in answer.sentences:
        output.paragraph(sentence)


def _numbers(answer: diag.Explanation) -> list[output.Row]:
    weights = (answer.type_weight, answer.source_weight, answer.importance_weight)
    product = " × ".join(f"{weight:g}" for weight in weights)
    faded = f" × 2^(−{answer.effective_age_days:g} / {answer.half_life_days:g})"
    suspect = f" × {answer.suspect_rate:g} (suspect)" if answer.suspect_rate != 1 else ""
    shown = "prompts show it"
    if answer.omitted:
        shown = f"prompts do not show it: {explanations.reason(answer.omitted)}"
    age = f"{output.count(answer.age_days, 'day')}, counted as {answer.effective_age_days:g}"
    prompts = "none in the evidence"
    if answer.prompts:
        first, last = map(output.minute, (answer.first_prompt_at, answer.last_prompt_at))
        prompts = f"{answer.prompts:,}, from {first} to {last}"
    rows: list[output.Row] = [
        ("strength", f"{answer.strength:.3f} = {product}{faded}{suspect}"),
        ("age", age),
        ("place", f"{answer.rank} of {answer.of} · {shown}" if answer.rank else shown),
        ("prompts", prompts),
    ]
    for anchor in answer.anchors:
        where = f"{anchor.path}:{anchor.symbol}" if anchor.symbol else anchor.path
        rows.append(("its code", f"{where} · {anchor.state}"))
    return rows


@command.command("commands", short_help="What a compaction's commands did.")
@text("--entry", metavar="ID", help="Only about this entry.")
@limit(1000, default=LISTED)
@prints_answer("diag_commands")
def commands(answer: diag.Commands) -> None:
    """List every REINFORCE and REPLACE line of a compaction, and lines that could not be read:
    carried out, or refused and why."""
    if not answer.rows:
        output.line("No compaction has given a command yet.")
    for row in answer.rows:
        target = f" {short_id(row.replaces or row.entry)}" if row.replaces or row.entry else ""
        text = f"{row.action}{target}: {row.sentence}"
        output.lines(output.hang(f"  {output.minute(row.at)}", text, TIMED))
    _print_counts(answer.by_reason)
    _print_more(answer.total - len(answer.rows))


@command.command("quality", short_help="Entries that deserve a second look.")
@prints_answer("diag_quality")
def quality(answer: diag.Quality) -> None:
    """List active entries that today's rules would refuse, that may contradict another one, that
    rest on outside text, that are shown in part, or that no evidence supports."""
    for row in answer.rows:
        _print_short(row.entry, *(remark.sentence for remark in row.remarks))
    active = output.count(answer.active, "active entry", "active entries")
    output.line(f"Without a remark: {answer.sound:,} of {active}.")
    _print_counts(answer.by_code)


@command.command("alike", short_help="Entries that may say the same, or contradict.")
@prints_answer("diag_alike")
def alike(answer: diag.Alike) -> None:
    """List pairs of entries, active or in the inbox, with similar meaning; they may state the same
    or contradict each other. Only hints: nothing is merged because of similarity."""
    if answer.problem:
        output.line(f"Nothing could be compared: {answer.problem.rstrip('.')}.")
        return
    for pair in answer.pairs:
        _print_short(pair.entry)
        _print_short(pair.other, f"{pair.sentence} (likeness {pair.likeness:.2f})")
    compared = output.count(answer.compared, "entry was", "entries were")
    output.line(f"{compared} compared; {output.count(len(answer.pairs), 'pair')} to look at.")


@command.command("trace", short_help="What one session caused.")
@click.argument("subject", metavar="[SESSION|EVENT]", required=False, default="")
@prints_answer("diag_trace")
def trace(answer: diag.Trace) -> None:
    """Show what one session caused, oldest first: requests, candidates, prompts. SESSION is its
    id, EVENT the id of one of its records; without either, the newest session is shown."""
    name = answer.session_id or answer.session
    output.line(output.bold(output.cut(f"{answer.agent} {name}".strip(), output.width())))
    for happening in answer.happenings:
        print_happening(happening, named=True)


@command.command("coverage", short_help="How many entries have evidence and are shown.")
@prints_answer("diag_coverage")
def coverage(answer: diag.Coverage) -> None:
    """Count active entries by type: those with an admission record, those that prompts show now,
    and those that a prompt has ever shown."""
    output.line(output.dim("  type        active  has evidence  shown now  shown ever"))
    for row in answer.rows:
        figures = f"{row.active:8,}{row.answerable:14,}{row.shown:11,}{row.prompted:12,}"
        output.line(f"  {output.padded(output.cut(row.type, 10), 10)}{figures}")
    since = f" since {output.moment(answer.oldest_at)}" if answer.oldest_at else ""
    output.paragraph(f"The evidence has {output.count(answer.records, 'record')}{since}.")
    for what, ids in (
        ("No evidence for", answer.unanswerable),
        ("No prompt showed", answer.never_prompted),
    ):
        if ids:
            more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
            output.paragraph(f"{what} {', '.join(map(short_id, ids[:5]))}{more}.")


@command.command("disappearances", short_help="What left the memory or the prompts.")
@prints_answer("diag_disappearances", failed=lambda answer: bool(answer.unexplained))
def disappearances(answer: diag.Disappearances) -> None:
    """Say where every former entry is now, and which entries left the prompts since the newest
    one. Exit code 1 if an entry is missing without an explanation."""
    if not answer.from_memory and not answer.from_prompts:
        output.line("Nothing disappeared.")
    for title, rows in (
        ("from the memory", answer.from_memory),
        ("from the prompts", answer.from_prompts),
    ):
        if rows:
            output.line(output.bold(title))
        for row in rows:
            text = row.text or "(its text is not in the evidence)"
            output.lines(output.hang(f"  {short_id(row.entry)}", text, COLUMN)[:2])
            output.lines(output.hang("", f"{row.how}: {row.sentence}", COLUMN, output.dim))


_STATES = {"missing": "not written yet"}


@command.command("health", short_help="Check the files of this workspace.")
@prints_answer("diag_health", failed=lambda answer: not answer.sound)
def health(answer: diag.DiagHealth) -> None:
    """Check the files of this workspace and its evidence, without reading all data (`wm fsck`
    checks everything). Exit code 1 if something is damaged."""
    rows: list[output.Row] = [
        (
            found.document,
            " · ".join(filter(None, (_STATES.get(found.health, found.health), found.detail))),
        )
        for found in answer.documents
    ]
    records = output.count(answer.records, "record")
    rows.append(
        ("evidence", f"{records} · {answer.damaged:,} damaged" if answer.damaged else records)
    )
    output.lines(output.pairs(rows))
    _print_remarks(answer.remarks)


@command.command("audit", short_help="Compare memory and evidence.")
@prints_answer("diag_audit", failed=lambda answer: not answer.sound)
def audit(answer: diag.Audit) -> None:
    """Compare every entry with its evidence records. Exit code 1 if they differ."""
    entries = output.count(answer.entries, "entry", "entries")
    records = output.count(answer.records, "record")
    output.line(f"{'They agree' if answer.sound else 'They differ'}: {entries}, {records}.")
    _print_remarks(answer.remarks)


@command.command("revert", short_help="Revert a change by an agent or a compaction.")
@click.argument("act", metavar="EVENT|ID")
@flag("--apply", help="Revert it. Without this the change is only shown.")
@prints
def revert(caller: Caller, act: str, apply: bool) -> Result:
    """Show what reverting the record EVENT, or the newest change of the entry ID, would do; with
    --apply do it. Unlike `wm undo` it also covers changes by agents and compactions."""

    def show(answer: Any) -> None:
        output.message(answer)
        if answer.entry is not None:
            print_text(answer.entry)
        again = f"to redo it: wm undo {answer.event}"
        first = f"to apply it: wm diag revert {act} --apply"
        output.line(output.dim(again if answer.applied else first))

    return Result(caller.call("undo" if apply else "plan_undo", act=act, anyone=True), show)


# --- parts --------------------------------------------------------------------------------


def _print_short(entry: MemoryEntry, *about: str) -> None:
    """Print the beginning of an entry, and remarks about it."""
    output.lines(output.hang(f"  {short_id(entry.id)}", entry.text, COLUMN)[:2])
    for sentence in about:
        output.lines(output.hang("", sentence, COLUMN, output.dim))


def _print_remarks(remarks: Iterable[diag.Remark]) -> None:
    paints = {"error": output.bad, "warning": output.warn}
    for remark in remarks:
        name = f"{short_id(remark.entry)}: " if remark.entry else ""
        text = f"{name}{remark.sentence}" + (f" ({remark.fix})" if remark.fix else "")
        mark = paints.get(remark.severity, output.dim)
        output.lines(output.hang(f"  {remark.severity:<7}", text, 11, mark=mark))


def _print_counts(counts: Mapping[str, int]) -> None:
    if counts:
        output.line()
        counted = " · ".join(f"{number:,} {code}" for code, number in counts.items())
        output.lines(map(output.dim, output.wrap(counted, output.width())))


def _print_more(more: int) -> None:
    if more > 0:
        output.line(output.dim(f"{more:,} older: --limit shows more"))
