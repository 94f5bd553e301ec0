"""`wm diag …`: what memory and evidence tell about themselves (EV-3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import SHORT_ID, print_entry, short_id
from wm.cli.groups import Group
from wm.cli.place import print_heading
from wm.cli.verbs.history import print_happening
from wm.formats.diag import (
    Alike,
    Audit,
    Commands,
    Coverage,
    DiagHealth,
    DiagStatus,
    Disappearances,
    Explanation,
    Missing,
    Quality,
    Rejected,
    Remark,
    Trace,
)
from wm.formats.diagnosis import Undone
from wm.ops import words

COLUMN = 2 + SHORT_ID + 2
"""Where sentences begin behind an entry's id."""
TIMED = 20
"""Where sentences begin behind a time."""
LISTED = 50


@click.group("diag", cls=Group, default="status")
def command() -> None:
    """Look closer: what is kept, refused, left out, where it went, and whether all is sound.

    `wm diag` alone shows the status. Nothing but `revert --apply` changes anything.
    """


@command.command("status", short_help="Is all well here (the default).")
@json_option
@workspace_options
def status(caller: Caller, as_json: bool) -> int:
    """Sum up this workspace: what it holds, when it last kept and showed something, what
    somebody should look at. Exit code 1 if something is not kept (degraded)."""
    answer: DiagStatus = caller.call("diag_status")
    if as_json:
        output.as_json(answer)
        return _exit(answer.verdict != "degraded")
    print_heading(answer.place)
    paint = {"ok": output.good, "warning": output.warn}.get(answer.verdict, output.bad)
    held = " · ".join(f"{what} {number:,}" for what, number in answer.counts.items() if number)
    rows: list[output.Row] = [
        ("verdict", answer.verdict, paint),
        ("holds", held or "nothing yet"),
        ("refused", f"{answer.rejected:,} in the last 7 days"),
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
    return _exit(answer.verdict != "degraded")


@command.command("rejected", short_help="What was refused, and by which rule.")
@click.option("--since", default="", metavar="TIME", help="12h, 7d, 2w, or a day.")
@click.option("--reason", default="", metavar="CODE", help="Only with this reason code.")
@click.option("--soft", is_flag=True, help="Only what soft reasons alone refused.")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=LISTED, show_default=True)
@json_option
@workspace_options
def rejected(caller: Caller, since: str, reason: str, soft: bool, limit: int, as_json: bool) -> int:
    """List what a rule refused or sent to the inbox, newest first, and count the reasons."""
    answer: Rejected = caller.call(
        "diag_rejected", since=since, reason=reason, soft=soft, limit=limit
    )
    if as_json:
        output.as_json(answer)
        return 0
    if not answer.rows:
        output.line("Nothing was refused.")
    for row in answer.rows:
        output.lines(output.hang(f"  {_when(row.at)}", row.sentence, TIMED))
        if row.text:
            output.line(" " * TIMED + output.dim(output.cut(row.text, output.width() - TIMED)))
    _print_counts(answer.by_reason)
    _print_more(answer.total - len(answer.rows))
    return 0


@command.command("missing", short_help="What prompts do not show, and why.")
@json_option
@workspace_options
def missing(caller: Caller, as_json: bool) -> int:
    """List active and waiting entries that a prompt which begins now would leave out, strongest
    first: with the place that they hold and the limit that they lost to."""
    answer: Missing = caller.call("diag_missing")
    if as_json:
        output.as_json(answer)
        return 0
    if not answer.rows:
        output.line("Prompts show every entry.")
    for row in answer.rows:
        output.lines(output.hang(f"  {short_id(row.entry.id)}", row.entry.text, COLUMN)[:2])
        place = f"place {row.rank} · strength {row.strength:.2f} · " if row.rank else ""
        output.lines(output.hang("", place + row.sentence, COLUMN, output.dim))
    if answer.pending:
        output.line(f"{output.count(answer.pending, 'memory', 'memories')} wait in the journal.")
    return 0


@command.command("explain", short_help="The arithmetic behind one entry.")
@click.argument("entry_id", metavar="ID")
@json_option
@workspace_options
def explain(caller: Caller, entry_id: str, as_json: bool) -> int:
    """Show how the strength of the entry ID comes about, its place among the others, and when
    prompts showed it. `wm why ID` tells its story instead."""
    answer: Explanation = caller.call("diag_explain", id=entry_id)
    if as_json:
        output.as_json(answer)
    else:
        print_entry(answer.entry, *_numbers(answer))
        output.lines(_wrapped(answer.sentences))
    return 0


def _numbers(answer: Explanation) -> list[output.Row]:
    weights = (answer.type_weight, answer.source_weight, answer.importance_weight)
    product = " × ".join(f"{weight:g}" for weight in weights)
    faded = f" × 2^(−{answer.effective_age_days:g} / {answer.half_life_days:g})"
    suspect = f" × {answer.suspect_rate:g} (suspect)" if answer.suspect_rate != 1 else ""
    shown = "prompts show it"
    if answer.omitted:
        shown = f"prompts do not show it: {words.reason(answer.omitted)}"
    rows: list[output.Row] = [
        ("strength", f"{answer.strength:.3f} = {product}{faded}{suspect}"),
        (
            "age",
            f"{output.count(answer.age_days, 'day')}, counted as {answer.effective_age_days:g}",
        ),
        ("place", f"{answer.rank} of {answer.of} · {shown}" if answer.rank else shown),
    ]
    told = "none that the evidence knows"
    if answer.prompts:
        between = f"{_when(answer.first_prompt_at)} to {_when(answer.last_prompt_at)}"
        told = f"{answer.prompts:,}, from {between}"
    rows.append(("prompts", told))
    for anchor in answer.anchors:
        where = f"{anchor.path}:{anchor.symbol}" if anchor.symbol else anchor.path
        rows.append(("its code", f"{where} · {anchor.state}"))
    return rows


@command.command("commands", short_help="What became of a compaction's commands.")
@click.option("--entry", "entry_id", default="", metavar="ID", help="Only about this entry.")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=LISTED, show_default=True)
@json_option
@workspace_options
def commands(caller: Caller, entry_id: str, limit: int, as_json: bool) -> int:
    """List every REINFORCE and REPLACE of a compaction, and lines that could not be read:
    obeyed, or refused and why."""
    answer: Commands = caller.call("diag_commands", entry=entry_id, limit=limit)
    if as_json:
        output.as_json(answer)
        return 0
    if not answer.rows:
        output.line("No compaction gave a command yet.")
    for row in answer.rows:
        target = f" {short_id(row.replaces or row.entry)}" if row.replaces or row.entry else ""
        said = f"{row.action}{target}: {row.sentence}"
        output.lines(output.hang(f"  {_when(row.at)}", said, TIMED))
    _print_counts(answer.by_reason)
    _print_more(answer.total - len(answer.rows))
    return 0


@command.command("quality", short_help="Entries that deserve a second look.")
@json_option
@workspace_options
def quality(caller: Caller, as_json: bool) -> int:
    """List active entries that the rules of today would refuse, that may contradict another,
    lean on outside text, are shown in part, or that nothing answers for."""
    answer: Quality = caller.call("diag_quality")
    if as_json:
        output.as_json(answer)
        return 0
    for row in answer.rows:
        output.lines(output.hang(f"  {short_id(row.entry.id)}", row.entry.text, COLUMN)[:2])
        for remark in row.remarks:
            output.lines(output.hang("", remark.sentence, COLUMN, output.dim))
    active = output.count(answer.active, "active entry", "active entries")
    output.line(f"Without a remark: {answer.sound:,} of {active}.")
    _print_counts(answer.by_code)
    return 0


@command.command("alike", short_help="Entries that may say the same, or contradict.")
@json_option
@workspace_options
def alike(caller: Caller, as_json: bool) -> int:
    """List pairs of entries, active or in the inbox, that are near in meaning and may state the
    same or contradict each other. Hints only: nothing is merged for its likeness."""
    answer: Alike = caller.call("diag_alike")
    if as_json:
        output.as_json(answer)
        return 0
    if answer.problem:
        output.line(f"Nothing could be compared: {answer.problem.rstrip('.')}.")
        return 0
    for pair in answer.pairs:
        for entry in (pair.entry, pair.other):
            output.lines(output.hang(f"  {short_id(entry.id)}", entry.text, COLUMN)[:2])
        said = f"{pair.sentence} (likeness {pair.likeness:.2f})"
        output.lines(output.hang("", said, COLUMN, output.dim))
    compared = output.count(answer.compared, "entry was", "entries were")
    output.line(f"{compared} compared; {output.count(len(answer.pairs), 'pair')} to look at.")
    return 0


@command.command("trace", short_help="What one session set off.")
@click.argument("subject", metavar="[SESSION|EVENT]", required=False, default="")
@json_option
@workspace_options
def trace(caller: Caller, subject: str, as_json: bool) -> int:
    """Tell what one session set off, oldest first: requests, candidates, prompts. SESSION is
    its id, EVENT a record of it; without one the newest session is told."""
    answer: Trace = caller.call("diag_trace", subject=subject)
    if as_json:
        output.as_json(answer)
        return 0
    name = answer.session_id or answer.session
    output.line(output.bold(output.cut(f"{answer.agent} {name}".strip(), output.width())))
    for happening in answer.happenings:
        print_happening(happening, named=True)
    return 0


@command.command("coverage", short_help="How much of the memory is answered for and shown.")
@json_option
@workspace_options
def coverage(caller: Caller, as_json: bool) -> int:
    """Count, by type, active entries whose admission is in the evidence, that prompts show now,
    and that any prompt ever showed."""
    answer: Coverage = caller.call("diag_coverage")
    if as_json:
        output.as_json(answer)
        return 0
    output.line(output.dim("  type        active  answered for  shown now  shown ever"))
    for row in answer.rows:
        figures = f"{row.active:8,}{row.answerable:14,}{row.shown:11,}{row.prompted:12,}"
        output.line(f"  {output.padded(output.cut(row.type, 10), 10)}{figures}")
    span = f"{output.count(answer.records, 'record')} since {output.moment(answer.oldest_at)}"
    output.lines(_wrapped([f"The evidence holds {span}."]))
    for what, ids in (
        ("Nothing answers for", answer.unanswerable),
        ("No prompt showed", answer.never_prompted),
    ):
        if ids:
            more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
            output.lines(_wrapped([f"{what} {', '.join(map(short_id, ids[:5]))}{more}."]))
    return 0


@command.command("disappearances", short_help="What left the memory or the prompts.")
@json_option
@workspace_options
def disappearances(caller: Caller, as_json: bool) -> int:
    """Say of every entry that was in once where it is now, and which entries left the prompts
    since the newest one. Exit code 1 if nothing explains where one went."""
    answer: Disappearances = caller.call("diag_disappearances")
    if as_json:
        output.as_json(answer)
        return _exit(not answer.unexplained)
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
    return _exit(not answer.unexplained)


@command.command("health", short_help="Are the files of this workspace whole.")
@json_option
@workspace_options
def health(caller: Caller, as_json: bool) -> int:
    """Check the files of this workspace and its evidence, without reading all data (`wm fsck`
    checks everything). Exit code 1 if something is not whole."""
    answer: DiagHealth = caller.call("diag_health")
    if as_json:
        output.as_json(answer)
        return _exit(answer.sound)
    rows: list[output.Row] = [
        (found.document, " · ".join(filter(None, (found.health, found.detail))))
        for found in answer.documents
    ]
    told = output.count(answer.records, "record")
    rows.append(("evidence", f"{told} · {answer.damaged:,} damaged" if answer.damaged else told))
    output.lines(output.pairs(rows))
    _print_remarks(answer.remarks)
    return _exit(answer.sound)


@command.command("audit", short_help="Do memory and evidence tell the same story.")
@json_option
@workspace_options
def audit(caller: Caller, as_json: bool) -> int:
    """Compare every entry with what the evidence tells of it. Exit code 1 if they part."""
    answer: Audit = caller.call("diag_audit")
    if as_json:
        output.as_json(answer)
        return _exit(answer.sound)
    entries = output.count(answer.entries, "entry", "entries")
    records = output.count(answer.records, "record")
    output.line(f"{'They agree' if answer.sound else 'They part'}: {entries}, {records}.")
    _print_remarks(answer.remarks)
    return _exit(answer.sound)


@command.command("revert", short_help="Take back what an agent or a compaction did.")
@click.argument("act", metavar="EVENT|ID")
@click.option("--apply", is_flag=True, help="Do it. Without this it is only told.")
@json_option
@workspace_options
def revert(caller: Caller, act: str, apply: bool, as_json: bool) -> int:
    """Say what taking back the record EVENT, or the newest act on the entry ID, would do;
    with --apply do it. Unlike `wm undo` it reaches what agents and compactions did."""
    answer: Undone = caller.call("undo" if apply else "plan_undo", act=act, anyone=True)
    if as_json:
        output.as_json(answer)
        return 0
    output.lines(_wrapped([answer.message]))
    if answer.entry is not None:
        output.lines(output.wrap_block(answer.entry.text, indent=2))
    again = f"wm undo {answer.event} does it again"
    output.line(output.dim(again if answer.applied else f"wm diag revert {act} --apply does it"))
    return 0


# --- parts --------------------------------------------------------------------------------


def _exit(fine: bool) -> int:
    return 0 if fine else 1


def _when(at: str) -> str:
    return at[:16].replace("T", " ")


def _wrapped(sentences: Iterable[str]) -> list[str]:
    return [line for said in sentences for line in output.wrap(said, output.width())]


def _print_remarks(remarks: Iterable[Remark]) -> None:
    paints = {"error": output.bad, "warning": output.warn}
    for remark in remarks:
        name = f"{short_id(remark.entry)}: " if remark.entry else ""
        said = f"{name}{remark.sentence}" + (f" ({remark.fix})" if remark.fix else "")
        paint = paints.get(remark.severity, output.dim)
        first, *rest = output.hang(f"  {remark.severity:<7}", said, 11)
        output.line(paint(first[:9]) + first[9:])
        output.lines(rest)


def _print_counts(counts: Mapping[str, int]) -> None:
    if counts:
        output.line()
        told = " · ".join(f"{number:,} {code}" for code, number in counts.items())
        output.lines(map(output.dim, _wrapped([told])))


def _print_more(more: int) -> None:
    if more > 0:
        output.line(output.dim(f"{more:,} older: --limit shows more"))
