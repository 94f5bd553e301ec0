"""`wm import`: imports the memory of other programs.

Finds and reads the files in this process, with the user's rights; the use case decides what is
stored. `--dry-run` prints the same report and stores nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import click
from msgspec.structs import asdict

from wm.api.imports import ImportAnswer, Imported
from wm.cli import output
from wm.cli.context import Caller, Result, absolute, prints
from wm.cli.entries import SHORT_ID, WORDS, short_id
from wm.cli.options import choice, flag
from wm.cli.overview import print_heading
from wm.errors import UserError, WmError
from wm.ops import explanations
from wm.ops.imports.files import NAMES, Gathered, ImportSelection, gather
from wm.ops.imports.foreign_file import UnreadableFile
from wm.settings import find_foreign_paths

QUIET_S = 1.0
"""Seconds until progress is shown on stderr, and between two updates (IF-7)."""

MANY = 300
"""This many statements take about a second to check."""

SAYS = WORDS.table("imported")
WOULD = WORDS.table("listed")

NEW = {"promoted", "superseded", "inbox", "history"}

LISTED = 20
"""Refused statements that a run lists; --dry-run and --json show all."""


class Progress:
    """Shows the current step of a run that takes long."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()
        self._done = 0

    def report(self, path: str) -> None:
        self._done += 1
        if self._clock() - self._last >= QUIET_S:
            self._last = self._clock()
            output.note(f"Reading file {self._done:,}: {output.home_short(path)}")

    def send(self, count: int) -> None:
        if self._clock() - self._last >= QUIET_S or count > MANY:
            output.note(f"Checking {output.count(count, 'statement')} …")


@click.command("import")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@choice("--from", NAMES, help="Only this source; also states the format of a named file.")
@flag("--dry-run", help="Show what would be imported; write nothing.")
@flag("--as-user", help="The files are your own words: their statements are active.")
@prints
def command(
    caller: Caller, paths: tuple[str, ...], dry_run: bool, as_user: bool, **source: str
) -> Result:
    """Import what other programs remember of this project.

    Reads the stores of the older plugins for OpenCode (opencode-v1, opencode-v2), exports of `wm
    export` (wm-export), and the statements of CLAUDE.md, AGENTS.md and MEMORY.md (instructions).
    PATHs are files or folders; without one it looks in this project and in the usual folders of
    these programs; an export must be named. The sources are not changed.

    With --from transcripts it reads what you typed in earlier sessions in this project, of Claude
    Code, OpenCode, Codex, Copilot CLI, Gemini CLI and Qwen Code, and finds what you asked to
    remember, or said in passing and meant to last.

    Entries of a plugin's store and of an export keep their state; statements of files and of
    transcripts, and notes of sessions, wait in the inbox. What is known, was imported before, or
    was forgotten is not imported again, so a second run changes nothing.

    With --as-user the statements of a rule file that you wrote, or of transcripts, count as if you
    said each of them now: they are active at once, except what the checks refuse, which waits in
    the inbox; and a line that changed since the last import, or a later sentence, replaces the
    older one.
    """
    if {"-", "/dev/stdin"}.intersection(paths):
        raise UserError.of("import.standard_input")
    progress = Progress()
    place = caller.call("inspect", status="inbox").place
    folder = "" if caller.workspace else caller.directory
    found = gather(
        ImportSelection(place, folder, tuple(map(absolute, paths)), source["from"], as_user),
        find_foreign_paths(),
        caller.settings.imports,
        max_chars=caller.settings.memory.max_text_chars,
        report=progress.report,
    )
    answers = _send(caller, found, progress, dry_run=dry_run)
    report = {
        "dryRun": dry_run,
        "targets": answers,
        "left": [{**asdict(one), "why": one.why} for one in found.left],
        "problems": found.problems,
        "notes": found.notes,
        "otherWorkspaces": found.others,
        "files": found.files,
    }
    show = partial(_print, found, answers, dry_run)
    return Result(report, show, failed=bool(found.problems))


def _send(
    caller: Caller, found: Gathered, progress: Progress, *, dry_run: bool
) -> list[ImportAnswer]:
    """One request per workspace, so that each is imported completely or not at all. A workspace
    that fails does not stop the others."""
    answers = []
    for folder, facts in found.facts.items():
        sessions = found.sessions.get(folder, [])
        if not facts and not sessions:
            continue
        progress.send(len(facts))
        fields = {
            "facts": [fact.model_dump(mode="json") for fact in facts],
            "sessions": [one.model_dump(mode="json") for one in sessions],
            "dryRun": dry_run,
        }
        scope = {"directory": folder} if folder else caller.scoped()
        try:
            answer: Any = caller.run("import_entries", {**scope, **fields})
        except WmError as error:
            if not folder:
                raise
            found.problems.append(UnreadableFile(folder, error.message.rstrip(".")))
        else:
            answers.append(answer)
    return answers


# --- for people ----------------------------------------------------------------------------


def _print(found: Gathered, answers: list[ImportAnswer], dry_run: bool, _report: object) -> None:
    for answer in answers:
        _print_target(answer, dry_run)
    if not answers and not found.left and not found.problems:
        output.line("Nothing to import was found.")
        read = output.count(len(found.files), "file was read", "files were read")
        where = "`wm import --help` lists the folders it reads; or name PATHs."
        output.line(output.dim(f"{read}." if found.files else where))
    _print_not_imported(found)
    if found.others:
        has, have = "other workspace has a store", "other workspaces have stores"
        count = output.count(len(found.others), has, have)
        output.paragraph(f"{count} of the older plugin; `wm -C DIR import` takes each:")
        for root in found.others[:LISTED]:
            output.lines(output.hang("", output.home_short(root), 2))
    for note in found.notes:
        output.lines(output.hang("", note, 0, output.dim))
    for number, problem in enumerate(found.problems, 1):
        is_last = number == len(found.problems)
        fix = "Correct it or name others, then import again." if is_last else ""
        output.problem(f"{output.home_short(problem.file)}: {problem.why}.", fix=fix)


def _print_target(answer: ImportAnswer, dry_run: bool) -> None:
    print_heading(answer.place)
    rows: list[output.Row] = []
    for outcome, (single, several) in SAYS.items():
        count = answer.counts.get(outcome, 0)
        if count:
            rows.append((f"{count:>6,}", single if count == 1 else several))
    came = [one for one in answer.sessions if one.outcome == "imported"]
    if came:
        sessions = {one.session_id for one in came}
        noun = "session with its own memory" if len(sessions) == 1 else "sessions with their own"
        rows.append((f"{len(sessions):>6,}", f"{noun} (wm session list)"))
    output.lines(output.pairs(rows))
    if not dry_run and not came and not NEW & set(answer.counts):
        output.line("  Nothing new was imported.")
    if answer.event:
        output.hint(f"to undo all of it: wm undo {answer.event}")
    _print_refused_sessions(answer)
    listed = _listed(answer, dry_run)
    if listed:
        output.line()
    shown = listed if dry_run else listed[:LISTED]
    for one in shown:
        _print_imported(one, answer.place.root)
    if len(shown) < len(listed):
        output.line(output.dim(f"  … and {len(listed) - len(shown):,} more; --json has all"))
    if dry_run:
        output.line(output.dim("Nothing was written: without --dry-run, this would be done."))


def _print_refused_sessions(answer: ImportAnswer) -> None:
    for one in answer.sessions:
        if one.reason_codes:
            why = explanations.reasons(one.reason_codes)
            output.lines(output.hang("  left      ", f"of session {one.session_id}: {why}", 13))


def _listed(answer: ImportAnswer, dry_run: bool) -> list[Imported]:
    """With --dry-run everything except earlier imports; else what was refused, each text once."""
    if dry_run:
        return [one for one in answer.outcomes if one.outcome != "unchanged"]
    refused = {one.text: one for one in reversed(answer.outcomes) if one.outcome == "rejected"}
    return list(refused.values())[::-1]


def _print_imported(one: Imported, root: str) -> None:
    head = f"  {WOULD.get(one.outcome, one.outcome):<10} "
    output.lines(output.hang(head, output.cut(one.text, 2 * output.width()), 13))
    about = [_location(one, root)]
    if one.entry:
        about.insert(0, short_id(one.entry).ljust(SHORT_ID))
    if one.reason_codes:
        about.append(explanations.reasons(one.reason_codes))
    output.lines(output.hang("", " · ".join(about), 13, output.dim))


def _location(one: Imported, root: str) -> str:
    """File and line, relative if the file is in the project."""
    inside = bool(root) and one.file.startswith(root.rstrip("/") + "/")
    file = output.safe(one.file[len(root) + 1 :]) if inside else output.home_short(one.file)
    return file + (f":{one.line}" if one.line else "")


def _print_not_imported(found: Gathered) -> None:
    counts = Counter[str]()
    for left in found.left:
        counts[left.why] += left.count
    if counts:
        output.line("Left where they are:")
        output.lines(output.pairs([(f"{n:>6,}", why) for why, n in counts.items()]))
