"""The memory of a workspace: the list with search, the panel of one entry, and what can be done
with an entry (WM-7, UI-1)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from wm.api.diag import Explanation
from wm.api.diagnosis import HistoryPage
from wm.api.protocol import Inspection, SearchAnswer
from wm.errors import NotFound
from wm.formats.workspace_memory import IMPORTANCES, TYPES, MemoryEntry
from wm.page.charts import strength_chart
from wm.page.source import USER
from wm.page.visit import PageVisit

ROWS = 60
"""Entries that a list shows at first, and by which it grows."""
HITS = 30
ORDERS = (
    ("shown", "In prompts first"),
    ("strength", "Strongest first"),
    ("newest", "Newest first"),
)
STATES = (("", "Remembered"), ("superseded", "Replaced"), ("all", "Everything"))


class Row(Struct, frozen=True):
    """An entry in a list. bar: its strength, None in search results. why: what a search matched."""

    entry: MemoryEntry
    strength: float | None = None
    why: str = ""
    shown: bool = False


class Listing(Struct, frozen=True):
    """The rows of a list under their headings. matching: all entries that fit."""

    groups: tuple[tuple[str, tuple[Row, ...]], ...] = ()
    matching: int = 0
    more: bool = False
    answer: str = ""
    answered_by: str = ""


class ListFilter(Struct, frozen=True):
    """What the list is to show, as the address says it."""

    q: str = ""
    type: str = ""
    status: str = ""
    order: str = "shown"
    limit: int = ROWS

    def query(self, **changes: object) -> dict[str, object]:
        """The query string of this list, without default values."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__} | changes
        usual = ListFilter()
        return {name: value for name, value in fields.items() if value != getattr(usual, name)}


def list_filter(visit: PageVisit) -> ListFilter:
    """The filter that the URL of a list of entries asks for."""
    limit = visit.query_field("limit")
    return ListFilter(
        q=visit.query_field("q").strip(),
        type=visit.query_field("type"),
        status=visit.query_field("status"),
        order=visit.query_field("order") or "shown",
        limit=min(int(limit), 6000) if limit.isdecimal() else ROWS,
    )


async def memory(visit: PageVisit) -> Response:
    """The list, and the panel of the entry that the address names."""
    asked = list_filter(visit)
    if visit.target == "entries":
        return await visit.answer(
            "memory.html", listing=await listing(visit, asked), list_filter=asked, overview=None
        )
    list_of, overview = await visit.gather(listing(visit, asked), visit.of("inspect", limit=0))
    values = {"listing": list_of, "overview": overview, "list_filter": asked, "orders": ORDERS}
    values |= {"types": TYPES, "states": STATES}
    chosen = visit.query_field("entry")
    panel = await entry_values(visit, chosen) if chosen else {"life": None}
    return await visit.answer("memory.html", **(values | panel))


async def listing(visit: PageVisit, asked: ListFilter) -> Listing:
    if asked.q:
        return _search_listing(await visit.of("search", **_search(asked)))
    fields = {"type": asked.type, "status": asked.status, "order": asked.order}
    return _listed(await visit.of("inspect", **fields, limit=asked.limit), asked)


def _search(asked: ListFilter) -> dict[str, Any]:
    return {"query": asked.q, "type": asked.type, "status": asked.status, "limit": HITS}


def _search_listing(answer: SearchAnswer) -> Listing:
    rows = tuple(Row(hit.entry, why=hit.why) for hit in answer.hits)
    pinned = tuple(Row(entry) for entry in answer.standing)
    groups = (("Found", rows), ("Pinned, and always in force", pinned))
    passage = answer.answer
    return Listing(
        groups=tuple(group for group in groups if group[1]),
        matching=len(rows),
        answer=passage.text if passage else "",
        answered_by=passage.entry if passage else "",
    )


def _listed(found: Inspection, asked: ListFilter) -> Listing:
    rows = [Row(view.entry, view.strength, shown=view.shown) for view in found.entries]
    parts: list[tuple[str, list[Row]]] = [("", rows)]
    if asked.order == "shown" and not asked.status:
        shown, others = [r for r in rows if r.shown], [r for r in rows if not r.shown]
        parts = [("In every prompt", shown), ("Kept, and found when needed", others)]
    groups = tuple((title, tuple(part)) for title, part in parts if part)
    return Listing(groups=groups, matching=found.matching, more=found.matching > len(rows))


# --- one entry --------------------------------------------------------------------------------


class Life(Struct, frozen=True):
    """What is known of one entry."""

    explanation: Explanation
    history: HistoryPage
    chart: dict[str, Any]

    @property
    def entry(self) -> MemoryEntry:
        return self.explanation.entry


async def entry_values(visit: PageVisit, entry_id: str) -> dict[str, Any]:
    """What the page of one entry shows."""
    explanation, history = await visit.gather(
        visit.of("diag_explain", id=entry_id), visit.of("history", id=entry_id, limit=60)
    )
    now = visit.page.now()
    life = Life(explanation, history, strength_chart(explanation, now))
    return {"life": life, "types": TYPES, "importances": IMPORTANCES, "user": USER}


async def entry(visit: PageVisit) -> Response:
    """The panel of an entry."""
    name = visit.request.path_params["id"]
    if visit.target != "entry":
        return visit.back("memory", entry=name)
    return await visit.answer("memory.html", **await entry_values(visit, name))


# --- acts -------------------------------------------------------------------------------------


Act = Callable[[PageVisit, str], Awaitable[str]]
"""Does something with the entry of this id; returns the sentence for the user."""


async def _edit(visit: PageVisit, name: str) -> str:
    fields = {"text": visit.form_field("text"), "rationale": visit.form_field("rationale")}
    changed = await visit.of("edit_entry", id=name, type=visit.form_field("type"), **fields)
    # A text that the rules refuse waits in the inbox as another entry.
    return "Saved." if changed.entry.id == name else changed.message


async def _pin(visit: PageVisit, name: str) -> str:
    pinned = visit.form_field("pinned") == "on"
    await visit.of("edit_entry", id=name, pinned=pinned)
    return "Pinned: prompts always show it." if pinned else "No longer pinned."


async def _importance(visit: PageVisit, name: str) -> str:
    await visit.of("edit_entry", id=name, importance=visit.form_field("importance"))
    return f"Its importance is {visit.form_field('importance')} now."


async def _scope(visit: PageVisit, name: str) -> str:
    await visit.of("rescope_entry", id=name, scope=USER)
    return "It applies in all your projects now."


def _then(operation: str, sentence: str) -> Act:
    """Run a use case that needs the id alone, then say this."""

    async def run(visit: PageVisit, name: str) -> str:
        await visit.of(operation, id=name)
        return sentence

    return run


ACTS: Mapping[str, Act] = {
    "edit": _edit,
    "pin": _pin,
    "importance": _importance,
    "scope": _scope,
    "forget": _then("forget_entry", "Forgotten. Agents do not learn it again."),
    "restore": _then("restore_entry", "Restored."),
    "accept": _then("accept_entry", "Accepted."),
    "reject": _then("reject_entry", "Rejected."),
}
"""What can be done with an entry."""


async def act(visit: PageVisit) -> Response:
    """Do something with an entry, and show it as it is then."""
    name, word = (visit.request.path_params[part] for part in ("id", "act"))
    if word not in ACTS:
        raise NotFound.of("page.nothing_called", word=word)
    sentence = await ACTS[word](visit, name)
    visit.say(sentence, "" if word == "restore" else name)
    # The entry belongs to another memory now, so this page has no panel of it.
    left = word == "scope"
    if visit.target != "entry":
        return visit.back("memory", entry="" if left else name)
    values = {"life": None} if left else await entry_values(visit, name)
    answer = await visit.answer("memory.html", **values)
    answer.headers["hx-trigger"] = "wm:memory"
    if left:
        answer.headers["hx-replace-url"] = visit.url("memory")
    return answer


async def remember(visit: PageVisit) -> Response:
    """Keep a fact that the user typed."""
    text = visit.form_field("text")
    kept = await visit.of("remember", text=text, source="manual", typed=True)
    visit.say(kept.message, kept.entry.id if kept.entry else "")
    return visit.back("memory", entry=kept.entry.id if kept.entry else "")


async def undo(visit: PageVisit) -> Response:
    """Undo the newest act on an entry, or an act by its event. What htmx shows stays."""
    undone = await visit.of("undo", act=visit.form_field("act"), anyone=True)
    visit.say(undone.message or "Undone.")
    return await visit.reported("changes")
