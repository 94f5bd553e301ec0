"""Select which memories a prompt shows (WM-4). Never deletes: an entry over a limit is not shown.

Pinned entries first, then by strength, in two passes: each type up to its number, then the
strongest of any type until the limit of entries or characters is reached. Entries are shown
whole: one that does not fit is skipped and the next is tried. Ties go to the stronger source, then
the newer, then the smaller id, so that one memory always gives one selection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice

from msgspec import Struct, field

from wm.domain.memory.acts import SOURCE_RANK
from wm.domain.memory.retention import ageing
from wm.domain.memory.scope import visible
from wm.formats.prompt_epoch import Omission
from wm.formats.workspace_memory import TEAM, TYPES, Limits, MemoryEntry, WorkspaceMemory
from wm.settings import MemorySettings
from wm.text.escape import neutralise
from wm.text.letters import WordPattern
from wm.text.sentences import first_sentences

FRAME_CHARS = 420
"""Reserved for the text that `render` adds: heading, fence, the closing count."""
SHORTEST_LINE = 3
PINNED = 1e6
"""Raises pinned entries above every strength."""
SUSPECT = {
    "changed": "suspect: the code that it describes changed",
    "gone": "suspect: the code that it describes is gone",
}
"""The label of an entry whose code changed or is gone (WM-9)."""


class Selection(Struct, frozen=True):
    """The shown entries, strongest first, and the omitted ones with reasons.

    omitted: the strongest omitted ones only, because an epoch file must not grow with the memory;
    counts: all of them, by reason (entry_cap, char_budget).
    """

    shown: tuple[MemoryEntry, ...] = ()
    omitted: tuple[Omission, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


NOTHING_SHOWN = Selection()


def rank(memory: WorkspaceMemory, *, now: datetime, settings: MemorySettings) -> list[MemoryEntry]:
    """Every active entry, strongest first. Computes each strength once."""
    active = [e for e in memory.entries if e.status == "active"]
    calendar = ageing(memory, now=now, settings=settings)
    # Sorts are stable: the last one decides, the ones before it settle its ties.
    active.sort(key=lambda entry: entry.id)
    active.sort(key=lambda entry: entry.created_at, reverse=True)
    active.sort(key=lambda entry: -SOURCE_RANK.get(entry.source, 0))
    active.sort(key=lambda entry: calendar.strength(entry) + PINNED * entry.pinned, reverse=True)
    return active


def select(
    memory: WorkspaceMemory, *, branch: str | None, now: datetime, settings: MemorySettings
) -> Selection:
    """Select what a prompt shows of `memory` on `branch`."""
    ranked = rank(memory, now=now, settings=settings)
    entries = [e for e in ranked if visible(e.scope, branch)]
    return _Page(_limits(memory, settings), settings).filled(entries)


def line(entry: MemoryEntry, settings: MemorySettings) -> str:
    """The line of one entry: its first complete sentences, escaped, on one line."""
    shown = first_sentences(entry.text, settings.shown_text_chars)
    cut = len(shown) < len(entry.text.strip())
    more = f" (more: wm show {neutralise(entry.id)})" if cut else ""
    doubt = f" ({SUSPECT[entry.suspect]})" if entry.suspect in SUSPECT else ""
    return f"- {neutralise(shown)}{more}{doubt}{dated(entry)}{shared_by(entry)}"


_SINCE_WHEN = WordPattern(
    r"(?:^|[\s,;:(])(?:yesterday|today|tomorrow|(?:last|next|this) (?:week|month|quarter|sprint|"
    r"year)|gestern|heute|(?:letzte|nächste|diese)[nrs]? (?:woche|monat|jahr)|depuis hier|demain|"
    r"aujourd'hui|semaine dernière|mois dernier|ayer|hoy|semana pasada|mes pasado|ieri|oggi|domani|"
    r"ontem|hoje|amanhã|semana passada|mês passado|gisteren|vandaag|vorige week|вчера|сегодня|"
    r"завтра)(?:$|[\s,;:)!?]|\.(?:\s|$))|昨天|今天|明天|上周|下周|上个月|下个月|昨日|今日|明日|先週|来週|先月|"
    r"来月|어제|오늘|내일|지난주|다음 주"
)
"""Words whose meaning depends on the day on which they are said; not in a name: `today.ts`."""


def dated(entry: MemoryEntry) -> str:
    """The date that a prompt shows behind a text: of a question that is not decided, of a change
    (WM-8), or of the day that the text refers to ("since yesterday"); "" for none."""
    if entry.conflicts and entry.status == "active":
        return f" (noted {entry.created_at[:10]}; another note differs, not decided yet)"
    if entry.since:
        return f" (since {entry.since[:10]})"
    speaks = entry.created_at and _SINCE_WHEN.search(entry.text) is not None
    return f" (noted {entry.created_at[:10]})" if speaks else ""


def shared_by(entry: MemoryEntry) -> str:
    """Which other author shared it (SY-3). The name is foreign text."""
    name = entry.origin.removeprefix(TEAM)
    return f" (shared by {neutralise(name)})" if name != entry.origin else ""


def heading(kind: str) -> str:
    """The line above the entries of one type."""
    return f"{neutralise(kind) or 'other'}:"


class _Page:
    """A page under construction: a working value of one `select`."""

    def __init__(self, limits: Limits, settings: MemorySettings) -> None:
        self._settings = settings
        self._max_entries = limits.max_entries
        self._room = limits.max_rendered_chars - FRAME_CHARS
        self._least = min(settings.type_caps.values(), default=limits.max_entries)
        self._of_type: Counter[str] = Counter()
        self._shown: dict[str, MemoryEntry] = {}
        self._too_long: set[str] = set()

    def filled(self, entries: Sequence[MemoryEntry]) -> Selection:
        """The selection of `entries`, which come strongest first."""
        seen: list[MemoryEntry] = []
        rest: list[MemoryEntry] = []
        for entry in entries:
            if self._is_full() and len(seen) >= self._max_entries + self._settings.listed_omissions:
                break
            seen.append(entry)
            cap = self._settings.type_caps.get(entry.type, self._least)
            if self._of_type[entry.type] < cap:
                self._offer(entry)
            else:
                rest.append(entry)
        for entry in rest:
            if self._is_full():
                break
            self._offer(entry)
        omitted = (e for e in seen if e.id not in self._shown)
        listed = islice(omitted, self._settings.listed_omissions)
        left = Counter({self._reason(): len(entries) - len(self._shown) - len(self._too_long)})
        left["char_budget"] += len(self._too_long)
        return Selection(
            tuple(e for e in seen if e.id in self._shown),
            tuple(Omission(id=e.id, reason=self._reason(e.id)) for e in listed),
            dict(sorted((+left).items())),
        )

    def _offer(self, entry: MemoryEntry) -> None:
        if len(self._shown) >= self._max_entries:
            return
        opening = 0 if self._of_type[entry.type] else len(heading(entry.type)) + 1
        text = _fitting(entry, self._room - opening - 1, self._settings)
        if not text:
            self._too_long.add(entry.id)
            return
        self._room -= opening + len(text) + 1
        self._of_type[entry.type] += 1
        self._shown[entry.id] = entry

    def _reason(self, entry_id: str = "") -> str:
        is_full = len(self._shown) >= self._max_entries
        return "entry_cap" if is_full and entry_id not in self._too_long else "char_budget"

    def _is_full(self) -> bool:
        """Whether none of the remaining entries can be shown."""
        return len(self._shown) >= self._max_entries or self._room <= SHORTEST_LINE


def _fitting(entry: MemoryEntry, room: int, settings: MemorySettings) -> str:
    """The entry's line if it fits into `room` characters, else ""."""
    text = line(entry, settings)
    return text if len(text) <= room else ""


def _limits(memory: WorkspaceMemory, settings: MemorySettings) -> Limits:
    """The limits that the document sets for its workspace, else those of the settings."""
    default = Limits()
    chars, entries = memory.limits.max_rendered_chars, memory.limits.max_entries
    return Limits(
        max_rendered_chars=settings.rendered_chars
        if chars == default.max_rendered_chars
        else chars,
        max_entries=settings.rendered_entries if entries == default.max_entries else entries,
    )


def type_order(kinds: Iterable[str]) -> tuple[str, ...]:
    """The order of groups: known types in their order, then others by name."""
    known = {kind: at for at, kind in enumerate(TYPES)}
    return tuple(sorted(set(kinds), key=lambda kind: (known.get(kind, len(known)), kind)))
