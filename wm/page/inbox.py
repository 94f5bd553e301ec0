"""The inbox: suggestions that wait for a decision, one by one or in bulk (WM-7, ST-4)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from wm.api.protocol import RecapAnswer
from wm.domain.counts import counted
from wm.errors import StoreError, WmError
from wm.formats.recaps import Recap
from wm.formats.workspace_memory import TYPES, MemoryEntry
from wm.page.visit import PageVisit

MOST = 200
"""Suggestions on one page; the strongest are decided first."""
RECAPS = 200


class Suggestion(Struct, frozen=True):
    """A waiting entry. older: what it would replace, or differs from. asks: it is remembered,
    and the question is whether it replaces the older one, too."""

    entry: MemoryEntry
    older: tuple[MemoryEntry, ...] = ()
    asks: bool = False


class Bundle(Struct, frozen=True):
    """The suggestions of one session; recap: what is known of the session, if anything."""

    session: str
    recap: Recap | None
    suggestions: tuple[Suggestion, ...]


async def inbox(visit: PageVisit) -> Response:
    """What waits, by session; or only how much, for the side bar."""
    if visit.target == "waiting":
        here = await visit.of("inspect", status="inbox", limit=0)
        return await visit.answer("base.html", waiting=here.matching)
    with suppress(StoreError):  # what cannot be written can still be read
        await visit.of("notice_outside")
    found, recaps = await visit.gather(
        visit.of("inspect", status="inbox", limit=MOST), visit.of("recap_sessions", last=RECAPS)
    )
    entries = [view.entry for view in found.entries]
    older = await _older(visit, entries)
    return await visit.answer(
        "inbox.html",
        bundles=_bundled(entries, older, recaps),
        total=found.matching,
        outside=sum(bool(entry.outside) for entry in entries),
        types=TYPES,
    )


async def _older(visit: PageVisit, entries: Iterable[MemoryEntry]) -> dict[str, MemoryEntry]:
    """The entries that waiting ones speak of, by id."""
    names = {name for entry in entries for name in (*entry.supersedes, *entry.conflicts)}
    found = {}
    for name in names:
        try:
            found[name] = (await visit.of("show_entry", id=name)).entry
        except WmError:
            continue  # it is gone
    return found


def _bundled(
    entries: Iterable[MemoryEntry], older: dict[str, MemoryEntry], recaps: RecapAnswer
) -> list[Bundle]:
    known = {recap.session: recap for recap in recaps.recaps}
    bundles: dict[str, list[Suggestion]] = {}
    for entry in entries:
        names = (*entry.supersedes, *entry.conflicts)
        about = tuple(older[name] for name in names if name in older)
        others = tuple(one for one in about if one.text != entry.text)
        asks = "may_replace" in entry.reasons and others != about
        bundles.setdefault(entry.session, []).append(Suggestion(entry, others, asks))
    return [Bundle(name, known.get(name), tuple(many)) for name, many in bundles.items()]


async def decide(visit: PageVisit) -> Response:
    """Accept or reject the chosen suggestions. One that fails does not stop the others."""
    accepts = visit.form_field("decision") == "accept"
    operation, word = ("accept_entry", "Accepted") if accepts else ("reject_entry", "Rejected")
    chosen = list(dict.fromkeys(visit.form.get("id", [])))
    done: list[str] = []
    problems: list[WmError] = []
    undo = ""
    if len(chosen) > 1:
        decided = await visit.of("decide_entries", ids=tuple(chosen), accept=accepts)
        done, chosen = [one.entry.id for one in decided.done], list(decided.left)
        undo = decided.event
    for name in chosen:
        try:
            await _decide(visit, name, operation)
            done.append(name)
        except WmError as error:
            problems.append(error)
    visit.say(_sentence(word, done, problems), undo or (done[0] if len(done) == 1 else ""))
    return await visit.reported("inbox")


async def _decide(visit: PageVisit, name: str, operation: str) -> Any:
    """Decide about one suggestion, in the words that the form gives it."""
    text, kind = visit.form_field("text").strip(), visit.form_field("type")
    if text and operation == "accept_entry":
        waiting = (await visit.of("show_entry", id=name)).entry
        if (text, kind) != (waiting.text, waiting.type):
            await visit.of("edit_entry", id=name, text=text, type=kind)
    return await visit.of(operation, id=name)


def _sentence(word: str, done: list[str], problems: list[WmError]) -> str:
    if not (done or problems):
        return "Nothing was chosen."
    parts = [f"{word}."] if len(done) == 1 else [f"{word} {counted(len(done), 'suggestion')}."]
    return " ".join([*(parts if done else []), *(f"{p.message} {p.fix}".strip() for p in problems)])


async def accept_outside(visit: PageVisit) -> Response:
    """Accept every change that was made to the file by hand."""
    accepted = (await visit.of("accept_outside")).accepted
    visit.say(f"Accepted {counted(len(accepted), 'change')} made by hand.")
    return visit.back("inbox")
