"""The four-tier OpenCode plugin: session files in the project's `.opencode` folder.

A session's own memory (core blocks, slots, paths, notes) is imported as session memory. What may
outlast the session also goes to the inbox: the lines of the context block, decisions, and notes
added by hand. Skipped with a reason: what tools put into the pool, and measurements. Both shapes
of the working memory are read: `slots` with `pool`, and the older flat `items`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wm.api.imports import ImportBlock, ImportFact, ImportItem, ImportSession
from wm.domain.facts import Refusal
from wm.domain.imports import foreign
from wm.domain.imports.foreign import ForeignFile, ForeignMemory, ImportSource, Spot
from wm.domain.imports.markdown import statements
from wm.formats.core_memory import BLOCKS
from wm.text.jsontext import as_list, as_object

NAME = "opencode-v1"
CORE, WORKING = "memory-core", "memory-working"
MEASURED = ("_pressure", "_compaction", "_sweep")
SLOTS = ("error", "decision", "todo", "dependency")
PATHS = ("file-path", "file")
BY_HAND = ("manual", "user", "agent")
"""Sources of notes that were added on purpose; all others are tool names."""


def wants(parts: tuple[str, ...]) -> bool:
    return len(parts) > 1 and parts[-2] in (CORE, WORKING) and parts[-1].endswith(".json")


def parse(file: ForeignFile) -> ForeignMemory | Refusal:
    """Read one session file."""
    if file.path.removesuffix(".json").endswith(MEASURED):
        return ForeignMemory(left=foreign.tally(file.path, ["measurements"]))
    document = file.value
    if not isinstance(document, dict):
        return Refusal("foreign", "It is not a JSON object, unlike the plugin's files.")
    session = foreign.words(document.get("sessionID"))
    if isinstance(document.get("blocks"), dict):
        return _core(file, document["blocks"], session)
    if any(isinstance(document.get(name), dict | list) for name in ("slots", "pool", "items")):
        return _working(file, list(_items(document)), session)
    return Refusal("foreign", "It has neither blocks nor slots nor items, as the plugin's have.")


def _core(file: ForeignFile, blocks: dict[str, object], session: str) -> ForeignMemory:
    facts: list[ImportFact] = []
    codes: list[str] = []
    kept: list[ImportBlock] = []
    for name, block in blocks.items():
        value = block if isinstance(block, dict) else {"value": block}
        text = value.get("value") if "value" in value else value.get("content")
        if not isinstance(text, str) or not text.strip():
            continue
        if name not in BLOCKS:
            codes.append("unknown_block")
            continue
        at = (
            foreign.moment(value.get("lastModified"))
            or foreign.moment(value.get("updatedAt"))
            or file.modified
        )
        kept.append(ImportBlock(name=name, content=text, at=at))
        if name != "context":
            continue
        found = statements(text)
        for statement in found.within(file.max_chars):
            facts.append(_fact(file, statement.text, session, at, bare=statement.bare))
        codes += found.codes
    own = _session(file, session, blocks=tuple(kept)) if kept else ()
    return ForeignMemory(tuple(facts), foreign.tally(file.path, codes), sessions=own)


def _session(
    file: ForeignFile,
    session: str,
    *,
    blocks: tuple[ImportBlock, ...] = (),
    items: tuple[ImportItem, ...] = (),
) -> tuple[ImportSession, ...]:
    """The file name serves if the content has no id: the plugin names files after sessions."""
    name = session or foreign.words(file.path.rpartition("/")[2].removesuffix(".json"))
    times = [*(block.at for block in blocks), *(item.at for item in items)]
    at = max(filter(None, times), default=file.modified)
    if not name:
        return ()
    return (ImportSession(session_id=name, at=at, file=file.path, blocks=blocks, items=items),)


def _items(document: dict[str, object]) -> Iterator[tuple[str, object]]:
    """(kind, item) of both shapes; a file caught in mid-conversion may hold both."""
    for kind, values in as_object(document.get("slots")).items():
        yield from ((kind, item) for item in as_list(values))
    for name in ("pool", "items"):
        yield from (("", item) for item in as_list(document.get(name)))


def _working(file: ForeignFile, items: Iterable[tuple[str, object]], session: str) -> ForeignMemory:
    facts: list[ImportFact] = []
    codes: list[str] = []
    kept: list[ImportItem] = []
    for slot, item in items:
        text = item.get("content") if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(text, str):
            codes.append("not_an_entry")
            continue
        kind, content = slot or foreign.words(item.get("type")), text.strip()
        slot, is_path = kind if kind in SLOTS else "", kind in PATHS
        by_hand = foreign.words(item.get("source")).startswith(BY_HAND)
        at = foreign.moment(item.get("timestamp")) or file.modified
        if not content:
            codes.append("empty")
        elif slot or is_path or by_hand:
            form = "path" if is_path else "note"
            kept.append(ImportItem(text=content, slot=slot, kind=form, at=at))
        else:
            codes.append("pool_note")
        is_note = by_hand and not (slot or is_path)
        lasts = bool(content) and (kind == "decision" or is_note)
        if lasts and len(content) > file.max_chars:
            codes.append("too_long")
        elif lasts:
            facts.append(_fact(file, content, session, at, kind="" if is_note else "decision"))
    own = _session(file, session, items=tuple(kept)) if kept else ()
    return ForeignMemory(tuple(facts), foreign.tally(file.path, codes), sessions=own)


def _fact(
    file: ForeignFile, text: str, session: str, at: str, *, kind: str = "", bare: str = ""
) -> ImportFact:
    return ImportFact(
        id=foreign.id_of_text(text),
        text=text,
        bare=bare,
        type=kind,
        created_at=at,
        updated_at=at,
        session=session,
        reasons=("imported",),
        came_from=NAME,
        file=file.path,
    )


SOURCE = ImportSource(
    name=NAME,
    spots=tuple(Spot(foreign.PROJECT, f".opencode/{folder}/*.json") for folder in (CORE, WORKING)),
    wants=wants,
    parse=parse,
)
