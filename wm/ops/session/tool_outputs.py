"""Keep the originals of pruned tool output, and find them again (PR-3, GV-1).

Stores redacted text only. The original is stored before a handle to it is given out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wm.api.sessions import EventAnswer, EventRequest, OutputAnswer, OutputRequest, PrunedOutput
from wm.domain.facts import Detail, Fact
from wm.errors import Corrupt, NotFound, StoreError, UserError
from wm.formats.events import ToolFinished
from wm.formats.tool_output import ID_DIGITS, ToolOutput, file_name, of_file_name
from wm.ops.memory.documents import SHORTEST_ID
from wm.ops.operation import LocatedWork, Operation, Work, located
from wm.ops.runtime import Runtime
from wm.ops.session import pressure
from wm.store.base import Health, Ref
from wm.store.paths import sid
from wm.text import patterns

if TYPE_CHECKING:
    from wm.domain.pruning.prune import PrunedText

LEAST_LINES = 20
"""Outputs with fewer lines are not pruned in any mode."""

MOST_DIGITS = 9
"""Maximum digits of a line number; no output has that many lines."""

LONGEST_COMMAND = 1000
LONGEST_NAME = 100


def output_ref(key: str, name: str) -> Ref[ToolOutput]:
    """name: the file name, see `wm.formats.tool_output.file_name`."""
    return Ref(ToolOutput, key, name)


def of_session(runtime: Runtime, key: str, session_id: str) -> tuple[Ref[ToolOutput], ...]:
    """All kept outputs of a session."""
    session = sid(session_id)
    names = runtime.store.names(ToolOutput, key)
    return tuple(output_ref(key, name) for name in names if of_file_name(name)[1] == session)


# --- keep -------------------------------------------------------------------------------------


def pruned(work: LocatedWork, request: EventRequest, answer: EventAnswer) -> EventAnswer:
    """The answer to a tool's output, with the pruned text for the model (PR-3).

    Stores the original first, so that a handle never names a missing output. If that fails, the
    output stays as it is.
    """
    event = request.event
    if not isinstance(event, ToolFinished) or event.replaceable.count("\n") < LEAST_LINES:
        return answer
    level = pressure.level(work.runtime, work.key, request.session_id)
    mode, cut = _cut(work, event, level)
    if cut is None:
        return answer
    kept = _original(work, request, event, cut, mode)
    name = file_name(kept.id, kept.session)
    try:
        work.store.keep(output_ref(work.key, name), kept)
    except StoreError:
        # Disk full, or output too large: a long output is better than one that cannot be restored.
        return answer
    work.log([_fact(kept)], session=kept.session)
    shorter = PrunedOutput(
        text=cut.text(kept.id),
        handle=kept.id,
        kind=cut.kind,
        mode=mode,
        lines=cut.lines,
        kept_lines=cut.kept_lines,
    )
    return answer.model_copy(update={"pruned": shorter})


def _cut(work: Work, event: ToolFinished, level: str) -> tuple[str, PrunedText | None]:
    """The mode and the pruned output; None if it stays as it is."""
    # Lazy: few tool calls print much, and an idle daemon need not load the rule tables.
    from wm.domain.pruning import modes, prune, tool_call, user_rules

    call = tool_call.PrunableCall(
        tool=event.tool,
        name=event.name,
        command=event.command,
        output=event.replaceable,
        synthetic=event.synthetic,
    )
    pruning = work.settings.pruning
    mode = modes.mode_of(level)
    return mode.value, prune.prune(call, mode, pruning, user_rules.user_rules(pruning.rules))


def _original(
    work: Work, request: EventRequest, event: ToolFinished, cut: PrunedText, mode: str
) -> ToolOutput:
    """The record of the complete output, redacted."""
    redacted = work.redact
    text = redacted(event.replaceable)
    session = sid(request.session_id)
    return ToolOutput(
        id=f"t_{work.store.digest(f'{session}/{text}')[:ID_DIGITS]}",
        session=session,
        agent=redacted(request.agent),
        tool=redacted(event.name or event.tool)[:LONGEST_NAME],
        command=redacted(event.command)[:LONGEST_COMMAND],
        kind=cut.kind,
        mode=mode,
        lines=cut.lines,
        kept_lines=cut.kept_lines,
        chars=len(text),
        created_at=work.moment,
        text=text,
    )


def _fact(kept: ToolOutput) -> Fact:
    details: dict[str, Detail] = {
        "mode": kept.mode,
        "lines": kept.lines,
        "kept": kept.kept_lines,
        "chars": kept.chars,
        "tool": kept.tool,
    }
    if kept.command:
        details["command"] = kept.command
    return Fact("output_pruned", "session", "changed", kept.id, (kept.kind,), details)


# --- find -------------------------------------------------------------------------------------


def find(work: LocatedWork, wanted: str) -> ToolOutput:
    """The output with this handle, or with this unambiguous prefix of it.

    Raises NotFound, Corrupt if it is damaged, and UserError naming the candidates.
    """
    names = work.store.names(ToolOutput, work.key)
    handle = full_handle(wanted, (of_file_name(name)[0] for name in names))
    name = next((name for name in names if handle and of_file_name(name)[0] == handle), "")
    reading = work.read(output_ref(work.key, name)) if name else None
    if reading is None or reading.health is Health.MISSING:
        raise NotFound.of("output.unknown", wanted=wanted[:40], place=work.place.root or work.key)
    if reading.document is None or reading.health is not Health.OK:
        raise Corrupt.of(
            "output.changed", handle=handle, detail=reading.detail or "it cannot be read"
        )
    return reading.document


def full_handle(wanted: str, known: Iterable[str]) -> str:
    """The one handle that equals `wanted` or starts with it, with or without `t_`; "" for none."""
    bare = wanted.strip().lower()
    bare = bare if bare.startswith("t_") else f"t_{bare}"
    if len(bare) - 2 < SHORTEST_ID:
        return ""
    fits = sorted({handle for handle in known if handle.startswith(bare)})
    if len(fits) > 1:
        raise UserError.of(
            "output.several", wanted=wanted, count=len(fits), names=", ".join(fits[:5])
        )
    return fits[0] if fits else ""


def chosen_lines(text: str, lines: str, grep: str) -> list[tuple[int, str]]:
    """(number, line) of the requested lines of a text, counted from 1.

    lines: `A:B`, `A:`, `:B` or `A`; grep: a regular expression that a line must match. Raises
    UserError.
    """
    every = _lines(text)
    first, last = _range(lines, len(every))
    chosen = list(enumerate(every[first - 1 : last], first))
    if not grep:
        return chosen
    try:
        pattern = patterns.compile(grep)
    except patterns.error as error:
        raise UserError.of("output.bad_pattern", grep=grep[:80]) from error
    return [(number, line) for number, line in chosen if pattern.search(line) is not None]


def _lines(text: str) -> list[str]:
    every = text.split("\n")
    return every[:-1] if every[-1] == "" else every


def _range(lines: str, count: int) -> tuple[int, int]:
    """First and last line of `A:B`. Raises UserError."""
    if not lines:
        return 1, count
    head, colon, tail = lines.replace("-", ":").partition(":")
    parts = [part.strip() for part in (head, tail)]
    fits = all(part == "" or (part.isdecimal() and len(part) <= MOST_DIGITS) for part in parts)
    if not fits or not any(parts):
        raise UserError.of("output.bad_range", lines=lines[:40])
    first = int(parts[0] or 1)
    last = int(parts[1]) if parts[1] else (count if colon else first)
    if first < 1 or last < first:
        raise UserError.of("output.no_line", lines=lines)
    return first, min(last, count)


def _show(work: LocatedWork, request: OutputRequest) -> OutputAnswer:
    kept = find(work, request.id)
    chosen = chosen_lines(kept.text, request.lines, request.grep)
    is_all = len(chosen) == len(_lines(kept.text))
    return OutputAnswer(
        id=kept.id,
        tool=kept.tool,
        command=kept.command,
        kind=kept.kind,
        created_at=kept.created_at,
        total_lines=kept.lines,
        whole=is_all,
        numbers=() if is_all else tuple(number for number, _line in chosen),
        text=kept.text if is_all else "".join(f"{line}\n" for _number, line in chosen),
    )


show_output = Operation("show_output", OutputRequest, OutputAnswer, located(_show))
