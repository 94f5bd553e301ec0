"""The hot snapshot of a session, as text for a prompt (HS-3).

Chooses and words; changes no state and reads no clock, so one state always gives the same
text (EP-1). It protects two rules: a line stands whole or not at all, and no section, however
long its lines, takes the room of the others.
"""

from __future__ import annotations

from collections.abc import Mapping

from wm.domain.session import activity
from wm.domain.session.sections import Item, Rendered, Section, choose, left_out
from wm.domain.text import first_sentences, neutralise
from wm.formats.session_state import ActiveFile, OpenError, SessionState
from wm.settings import SessionSettings

HEADER = (
    "Hot session snapshot (taken when this part of the session began; "
    "the conversation may be newer):"
)


def render(state: SessionState, settings: SessionSettings) -> Rendered:
    """The snapshot within `rendered_chars` characters; "" for an empty state."""
    sections = tuple(
        section
        for section in (
            _files(state, settings),
            _errors(state, settings),
            _decisions(state, settings),
            _pending(state, settings),
        )
        if section.items
    )
    if not sections:
        return Rendered("")
    whole = choose(sections, settings.rendered_chars - len(HEADER))
    if not left_out(sections, whole):
        return _write(sections, whole)
    # Something stays out, so the line that says so needs its room first.
    footer = _footer(sections, {section.word: 0 for section in sections})
    chosen = choose(sections, settings.rendered_chars - len(HEADER) - len(footer) - 1)
    return _write(sections, chosen)


def _write(sections: tuple[Section, ...], chosen: Mapping[str, list[Item]]) -> Rendered:
    shown = {section.word: len(chosen[section.word]) for section in sections}
    omitted = left_out(sections, chosen)
    if not any(shown.values()):
        return Rendered("", shown, omitted)
    lines = [HEADER]
    for section in sections:
        if chosen[section.word]:
            lines += [section.heading, *(item.line for item in chosen[section.word])]
    if omitted:
        lines.append(_footer(sections, shown))
    return Rendered("\n".join(lines), shown, omitted)


def _footer(sections: tuple[Section, ...], shown: Mapping[str, int]) -> str:
    """How many of what do not stand here, and why."""
    counts = (
        (len(section.items) + len(section.beyond) - shown[section.word], section.word)
        for section in sections
    )
    words = [f"{n} {word if n > 1 else SINGULAR[word]}" for n, word in counts if n > 0]
    capped = any(section.beyond for section in sections)
    full = any(len(section.items) > shown[section.word] for section in sections)
    why = " or ".join(["over a limit"] * capped + ["no room"] * full)
    return f"Not shown: {', '.join(words)} ({why})."


SINGULAR = {
    "files": "file",
    "errors": "error",
    "decisions": "decision",
    "memories": "memory",
}


def _files(state: SessionState, settings: SessionSettings) -> Section:
    shown = activity.shown(state.active_files, settings)
    return Section(
        "files",
        "Active files:",
        tuple(Item(f"file:{file.path}", _file_line(file)) for file in shown),
        tuple(f"file:{file.path}" for file in state.active_files if file not in shown),
    )


def _file_line(file: ActiveFile) -> str:
    times = f", {file.count} times" if file.count > 1 else ""
    return f"- {neutralise(file.path)} ({file.action}{times})"


def _errors(state: SessionState, settings: SessionSettings) -> Section:
    """Open ones before those that may be fixed, the newest first."""
    newest = sorted(state.open_errors, key=lambda e: e.last_seen_at, reverse=True)
    ordered = sorted(newest, key=lambda e: e.status != "open")
    cap = settings.shown_errors
    return Section(
        "errors",
        "Open errors:",
        tuple(
            Item(f"error:{e.fingerprint}", _error_line(e, settings.rendered_line_chars))
            for e in ordered[:cap]
        ),
        tuple(f"error:{e.fingerprint}" for e in ordered[cap:]),
    )


def _error_line(error: OpenError, max_chars: int) -> str:
    """The summary names the place itself; one written by other means gets it in front."""
    summary = error.summary
    if error.file and error.file not in summary:
        line = f":{error.line}" if error.line else ""
        summary = f"{error.file}{line}: {summary}"
    mark = " (maybe fixed)" if error.status == "maybe_fixed" else ""
    return f"- [{error.category}] {_short(summary, max_chars)}{mark}"


def _decisions(state: SessionState, settings: SessionSettings) -> Section:
    """The newest first; they are stored oldest first. One that a tool's text made is not shown."""
    items = tuple(
        Item(f"decision:{number}", f"- {_short(decision.text, settings.rendered_line_chars)}")
        for number, decision in reversed(tuple(enumerate(state.recent_decisions)))
        if decision.origin != "tool"
    )
    cap = settings.kept_decisions
    return Section(
        "decisions", "Recent decisions:", items[:cap], tuple(i.name for i in items[cap:])
    )


def _pending(state: SessionState, settings: SessionSettings) -> Section:
    items = tuple(
        Item(
            f"memory:{note.id or number}",
            f"- [{note.type}] {_short(note.text, settings.rendered_line_chars)}",
        )
        for number, note in reversed(tuple(enumerate(state.pending_memories)))
    )
    cap = settings.shown_pending
    return Section(
        "memories",
        "Memories kept in this session:",
        items[:cap],
        tuple(i.name for i in items[cap:]),
    )


def _short(text: str, max_chars: int) -> str:
    """Data on one line, at a sentence's or a word's end."""
    return first_sentences(neutralise(text), max_chars)
