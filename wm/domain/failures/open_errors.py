"""Update the open errors after each tool call (HS-2, HS-4).

A failure opens or refreshes errors; a success clears those of the same command and target, no
others; an edit marks those of exactly that file. Protects one rule: nothing is inferred beyond
the exit code, so an unknown code changes nothing. Where a pipe, `|| true` or `; echo` hides the
code of a check, the check's own closing summary decides; without one, a last line that says what is
wrong, or a line that calls something an error, opens errors, and no success is inferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from wm.domain.failures import known_tools, summaries, telling
from wm.domain.failures.checks import Placed, placed
from wm.domain.failures.commands import Ran, ShellCommand, ran, with_printed_code
from wm.domain.failures.coverage import MADE, ON, covers
from wm.domain.failures.detected import TABLES, fingerprint, summary
from wm.domain.failures.echoes import echoed, failed_target, failed_targets, shows_commands
from wm.domain.failures.terminal_lines import lines_of
from wm.domain.session.file_paths import normalised_path
from wm.domain.times import iso
from wm.formats.events import ToolFinished
from wm.formats.session_state import OpenError
from wm.settings import SessionSettings

INTERRUPTED = tuple(TABLES.table("interrupted"))
"""Words in the output of a run that stopped before it had checked everything."""

SYNTAX = (" TS1", "[syntax]", "SyntaxError", "invalid-syntax", "Parsing error", "collection: ")
"""Errors after which a tool skips the rest of a file, or all other files."""


ShownError = tuple[OpenError, Placed]
"""An open error, and what the output shows of it."""


def after_tool(
    errors: tuple[OpenError, ...],
    event: ToolFinished,
    *,
    root: str,
    now: datetime,
    settings: SessionSettings,
) -> tuple[OpenError, ...]:
    """The open errors after a tool call, newest last, at most `kept_errors`."""
    if event.failed:
        return errors
    if event.tool in ("edit", "write"):
        return _edited(errors, event, root)
    if event.tool != "bash":
        return errors
    what, code = _result(event, root)
    # In `pytest; test -f x` the code is that of `test`.
    failed = bool(code) and not (what.hidden and all(c.silent for c in what.suspects))
    shows = code == 0 and errors and any(map(shows_commands, what.proved))
    lines = lines_of(event.output, settings) if failed or shows or what.hidden else []
    if not failed:
        if code == 0:
            inner = echoed(what.proved, lines, root) if shows else []
            errors = _cleared(errors, [*what.proved, *inner])
        if not what.hidden:
            return errors
        if summaries.passed(lines, _runs(what.hidden)) and not telling.crashed(lines):
            one = what.hidden if len(what.hidden) == 1 else ()
            return _cleared(errors, [*one, *echoed(one, lines, root)])
        what = Ran(what.proved, what.hidden, certain=False)
    found = placed(event, lines, what, root=root, settings=settings)
    shown = _shown(event, found, iso(now), settings.max_summary_chars)
    return _failed(errors, event, what, shown, settings.kept_errors) if shown else errors


def reads_output(event: ToolFinished) -> bool:
    """Can the output of this call change the open errors? All others need not be kept."""
    if event.tool != "bash" or event.failed:
        return False
    what = ran(event.command, root="/", cwd=event.cwd)
    shows = what.hidden or any(map(shows_commands, what.proved))
    return bool(event.exit_code or shows or _result(event, "/")[1])


def _result(event: ToolFinished, root: str) -> tuple[Ran, int | None]:
    return with_printed_code(event.command, event.output, event.exit_code, root=root, cwd=event.cwd)


def _runs(hidden: Sequence[ShellCommand]) -> summaries.Runs:
    """How many runs of tests the hidden commands may be."""
    if len(hidden) != 1 or hidden[0].purpose not in ("test", ""):
        return summaries.Runs.MANY
    once = hidden[0].tool in known_tools.ONE_COUNT
    return summaries.Runs.ONE if once else summaries.Runs.ONE_OR_MORE


def _edited(errors: tuple[OpenError, ...], event: ToolFinished, root: str) -> tuple[OpenError, ...]:
    paths = {normalised_path(path, root=root, cwd=event.cwd) for path in event.paths} - {""}
    if not any(e.file in paths and e.status == "open" for e in errors):
        return errors
    return tuple(
        e.model_copy(update={"status": "maybe_fixed"}) if e.file in paths else e for e in errors
    )


def _cleared(
    errors: tuple[OpenError, ...], proved: Sequence[ShellCommand]
) -> tuple[OpenError, ...]:
    kept = tuple(
        e
        for e in errors
        if not any(covers(c, e.command, e.target, e.file, e.summary) for c in proved)
    )
    return errors if len(kept) == len(errors) else kept


def _failed(
    errors: tuple[OpenError, ...],
    event: ToolFinished,
    what: Ran,
    shown: Sequence[ShownError],
    max_errors: int,
) -> tuple[OpenError, ...]:
    owners = tuple(dict.fromkeys(p.command for _e, p in shown))
    before = _cleared(errors, _succeeded(what, owners))
    whole = [c for c in owners if _looked_at_all(c, shown, before, event)]
    old = {e.fingerprint: e for e in before}
    fresh = [_refreshed(old.get(e.fingerprint), e) for e, _p in shown]
    again = {e.fingerprint for e in fresh}
    stay = [e for e in _cleared(before, whole) if e.fingerprint not in again]
    return _kept(stay, fresh, max_errors)


def _shown(
    event: ToolFinished, shown: Sequence[Placed], now: str, max_chars: int
) -> list[ShownError]:
    """Each error once: errors that differ only in line numbers are equal. max_chars: of a
    summary."""
    opened: dict[str, ShownError] = {}
    failed = {c: failed_targets(c, event.output) for c in {item.command for item in shown}}
    for item in shown:
        found = item.found
        text = summary(found, found.file, max_chars)
        made = failed_target(failed[item.command], found.at)
        target = f"{item.command.target}{MADE}{made}" if made else item.command.target
        error = OpenError(
            fingerprint=fingerprint(found.category, text),
            category=found.category,
            summary=text,
            file=found.file,
            line=found.line,
            command=item.command.tool,
            target=f"{target}{ON}{item.command.host}" if item.command.host else target,
            first_seen_at=now,
            last_seen_at=now,
        )
        opened.setdefault(error.fingerprint, (error, item))
    return list(opened.values())


def _refreshed(old: OpenError | None, new: OpenError) -> OpenError:
    """A repeated failure removes "maybe fixed" and updates place and message."""
    if old is None:
        return new
    return new.model_copy(
        update={"count": old.count + 1, "first_seen_at": old.first_seen_at or new.first_seen_at}
    )


def _succeeded(what: Ran, owners: Sequence[ShellCommand]) -> tuple[ShellCommand, ...]:
    """In `a && b`, an error of b alone proves that a succeeded."""
    if not what.chained or len(owners) != 1 or owners[0] not in what.suspects:
        return ()
    at = what.suspects.index(owners[0])
    piped = any(not c.shows_all for c in what.suspects)
    return () if piped else what.suspects[:at]


def _looked_at_all(
    command: ShellCommand,
    shown: Sequence[ShownError],
    before: Sequence[OpenError],
    event: ToolFinished,
) -> bool:
    """Whether the run shows all errors of a command, so that those that it leaves out are fixed.

    before: the errors that were open. A linter that listed several files does not stop at one.
    """
    errors = [e for e, p in shown if p.command == command]
    lines = event.output.split("\n") if all(e.file for e in errors) else ()
    if not command.shows_all and summaries.failure_count(lines) != len(errors):
        return False
    asked = (command.tool, command.target)
    several = len({e.file for e in before if (e.command, e.target) == asked}) > 1
    several &= command.purpose in ("lint", "typecheck")
    if not several and not _lists_all(command.tool, event.output):
        return False
    if any(mark in event.output for mark in INTERRUPTED):
        return False
    return not any(mark in f" {e.summary}" for e in errors for mark in SYNTAX)


def _lists_all(tool: str, output: str) -> bool:
    """Does the tool report everything, or a script of which the package manager says so?"""
    if tool in known_tools.LISTS_ALL:
        return True
    ran = (
        line[2:].split(" ") for line in output[:2000].split("\n") if line.startswith(("> ", "$ "))
    )
    return any(words[0] in known_tools.LISTS_ALL and "&&" not in words for words in ran)


def _kept(stay: list[OpenError], fresh: list[OpenError], limit: int) -> tuple[OpenError, ...]:
    """Keep the newest, but one error of each older command before a fourth one of the new command.

    Of one command's errors, those in different files come first, so that a file with forty errors
    does not hide the others.
    """
    groups: dict[tuple[str, str], list[OpenError]] = {}
    for error in [*fresh, *reversed(stay)]:
        groups.setdefault((error.command, error.target), []).append(error)
    spread = [_spread(group) for group in groups.values()]
    chosen: list[OpenError] = []
    for rank in range(max((len(g) for g in spread), default=0)):
        chosen += [group[rank] for group in spread if rank < len(group)]
    ids = {e.fingerprint for e in chosen[:limit]}
    return tuple(e for e in [*stay, *fresh] if e.fingerprint in ids)


def _spread(errors: list[OpenError]) -> list[OpenError]:
    """First one error of each file, then the second ones, and so on; otherwise in order."""
    seen: dict[str, int] = {}
    ranked = []
    for error in errors:
        seen[error.file] = seen.get(error.file, -1) + 1
        ranked.append((seen[error.file], error))
    return [error for _rank, error in sorted(ranked, key=lambda pair: pair[0])]
