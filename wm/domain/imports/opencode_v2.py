"""The three-layer OpenCode plugin: one folder per workspace in the user's data folder.

Imported: the entries of `workspace-memory.json` as they are (types, sources, dates,
reinforcement, superseded ones as history), and what waited in `workspace-pending-journal.json`
and in the sessions, because an explicit "remember" could wait there for ever. Skipped: the hot
state of sessions. Logs, locks and the quarantine are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from msgspec import structs

from wm.api.imports import ImportFact
from wm.domain.facts import Refusal
from wm.domain.imports import foreign
from wm.domain.imports.foreign import ForeignFile, ForeignMemory, ImportSource, Spot
from wm.formats.workspace_memory import IMPORTANCES, SOURCES, TYPES
from wm.text.jsontext import as_known, as_list, as_object

NAME = "opencode-v2"
MEMORY = "workspace-memory.json"
JOURNAL = "workspace-pending-journal.json"
SESSIONS = "sessions"
HOT = ("activeFiles", "openErrors", "recentDecisions")
MAX_TAGS = 20
MOST_REINFORCED = 1000

_STORES = "opencode-working-memory/workspaces/*/"


def store_of(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The store folder that contains a file of this source."""
    return parts[:-2] if len(parts) > 1 and parts[-2] == SESSIONS else parts[:-1]


def wants(parts: tuple[str, ...]) -> bool:
    if parts[-1] in (MEMORY, JOURNAL):
        return True
    stem = parts[-1].removesuffix(".json")
    in_sessions = len(parts) > 1 and parts[-2] == SESSIONS and parts[-1] != stem
    return in_sessions and len(stem) == 32 and all(c in "0123456789abcdef" for c in stem)


def parse(file: ForeignFile) -> ForeignMemory | Refusal:
    """Read one file of a store."""
    document = file.value
    if not isinstance(document, dict):
        return Refusal("foreign", "It is not a JSON object, unlike the plugin's files.")
    version = document.get("version", 1)
    if version != 1:
        raw = str(version)[:20]
        return Refusal("foreign", f"It has the version {raw}; versions of this plugin end at 1.")
    if "pendingMemories" in document or "sessionID" in document:
        return _session(file, document)
    entries = document.get("entries")
    if not isinstance(entries, list):
        return Refusal("foreign", "It has no list of entries, as the plugin's files do.")
    waits = file.path.endswith(JOURNAL)
    root = foreign.words(as_object(document.get("workspace")).get("root"), 4096)
    return structs.replace(_entries(file, entries, waits=waits), root=root)


def _session(file: ForeignFile, document: dict[str, object]) -> ForeignMemory:
    parsed = _entries(file, as_list(document.get("pendingMemories")), waits=True)
    hot = sum(len(as_list(document.get(name))) for name in HOT)
    return structs.replace(
        parsed, left=(*parsed.left, *foreign.tally(file.path, ["hot_state"] * hot))
    )


def _entries(file: ForeignFile, items: Iterable[object], *, waits: bool) -> ForeignMemory:
    """Statements, active ones first: if one run takes too many, the oldest history is cut."""
    facts, codes = foreign.facts_of(items, partial(_fact, file, waits=waits), NAME)
    facts.sort(key=lambda f: f.created_at, reverse=True)
    facts.sort(key=lambda f: f.status == "superseded")
    return ForeignMemory(tuple(facts), foreign.tally(file.path, codes))


def _fact(file: ForeignFile, item: object, *, waits: bool) -> ImportFact | str:
    """The statement of one record, or the code of the reason to skip it."""
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        return "not_an_entry"
    text = item["text"].strip()
    if code := foreign.unfit(text, file):
        return code
    source = as_known(item.get("source"), SOURCES, "compaction")
    status = _status(item, source, waits=waits)
    tags = as_list(item.get("tags"))
    return ImportFact(
        id=_id(item, text),
        text=text,
        type=as_known(item.get("type"), TYPES, ""),
        rationale=foreign.words(item.get("rationale"), file.max_chars),
        source=source,
        confidence=foreign.number(item.get("confidence")),
        status=status,
        tags=tuple(filter(None, (foreign.words(tag, 60) for tag in tags[:MAX_TAGS]))),
        created_at=foreign.moment(item.get("createdAt")),
        updated_at=foreign.moment(item.get("updatedAt")),
        retention_clock=foreign.moment(item.get("retentionClock")),
        reinforcement_count=_count(item.get("reinforcementCount")),
        last_reinforced_at=foreign.moment(item.get("lastReinforcedAt")),
        last_reinforced_session=foreign.words(item.get("lastReinforcedSessionID")),
        user_importance=as_known(item.get("userImportance"), IMPORTANCES, "normal"),
        safety_critical=item.get("safetyCritical") is True,
        supersedes=tuple(_ids(item.get("supersedes"))),
        session=foreign.words(item.get("pendingOwnerSessionID")),
        reasons=() if status != "inbox" else ("not_promoted",) if waits else ("unknown_status",),
        came_from=NAME,
        file=file.path,
    )


def _status(item: dict[str, object], source: str, *, waits: bool) -> str:
    """An explicit request counts although it was never promoted; a proposal stays a proposal."""
    raw = item.get("status", "active")
    if waits:
        return "inbox" if source == "compaction" else "active"
    return as_known(raw, ("active", "superseded"), "inbox")


def _id(item: dict[str, object], text: str) -> str:
    """The plugin's own id, which evidence and `supersedes` refer to."""
    raw = item.get("id")
    if isinstance(raw, str) and is_plugin_id(raw):
        return raw
    return foreign.derived_id(NAME, str(item.get("createdAt"))[:64], text)


def is_plugin_id(value: str) -> bool:
    """Is this an id in the plugin's form: `mem_`, then letters, digits and underscores?"""
    return (
        value.startswith("mem_")
        and len(value) <= 40
        and value.isascii()
        and value[4:].replace("_", "").isalnum()
    )


def _ids(value: object) -> Iterator[str]:
    raw = value if isinstance(value, list) else [value]
    yield from (name for name in raw[:100] if isinstance(name, str) and is_plugin_id(name))


def _count(value: object) -> int:
    return max(0, min(MOST_REINFORCED, value)) if type(value) is int else 0


SOURCE = ImportSource(
    name=NAME,
    spots=tuple(
        Spot(foreign.DATA, _STORES + name) for name in (MEMORY, JOURNAL, f"{SESSIONS}/*.json")
    ),
    wants=wants,
    parse=parse,
    grouped=True,
)
