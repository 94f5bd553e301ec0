"""The files that `wm export` writes, on this machine or another one.

Imported: the entries as they are, superseded ones as history, and the inbox. Skipped: journal,
tombstones, sessions and evidence, which describe the machine they were made on. An entry keeps
its id, so that a second import, or the way back, duplicates nothing.
"""

from __future__ import annotations

from functools import partial

from pydantic import ValidationError

from wm.api.imports import ImportFact
from wm.domain.facts import Refusal
from wm.domain.imports import foreign
from wm.domain.imports.foreign import ForeignFile, ForeignMemory, ImportSource
from wm.domain.memory.scope import branch_of
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.text.jsontext import as_list

NAME = "wm-export"
MEMORY = "workspace_memory"
MARKS = {"documents", "exportedAt"}
TAKEN = ("active", "superseded", "inbox")
MAX_TAGS = 20


def wants(_parts: tuple[str, ...]) -> bool:
    """Accept any path: an export may have any name and is recognised by its shape."""
    return False


def parse(file: ForeignFile) -> ForeignMemory | Refusal:
    """Read the entries of an export."""
    document = file.value
    documents = document.get("documents") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(documents, dict):
        return Refusal("foreign", "It has no documents, as an export of wm does.")
    memory = documents.get(MEMORY, {})
    entries = memory.get("entries", []) if isinstance(memory, dict) else None
    if not isinstance(memory, dict) or not isinstance(entries, list):
        return Refusal("foreign", "Its memory has no list of entries, as an export of wm does.")
    version = foreign.number(memory.get("version", 1))
    if version is None or version > WorkspaceMemory.current_version:
        return Refusal("foreign", "A newer wm wrote it; import it with that one.")
    facts, codes = foreign.facts_of(entries, partial(_fact, file), NAME)
    codes += ["other_documents"] * sum(name != MEMORY for name in documents)
    codes += ["evidence"] * len(as_list(document.get("evidence")))
    return ForeignMemory(tuple(facts), foreign.tally(file.path, codes))


def _fact(file: ForeignFile, item: object) -> ImportFact | str:
    """The statement of one entry, or the code of the reason to skip it."""
    try:
        entry = MemoryEntry.model_validate(item)
    except ValidationError:
        return "not_an_entry"
    text = entry.text.strip()
    if code := foreign.unfit(text, file):
        return code
    if entry.outside or entry.status not in TAKEN:
        return "undecided"
    return ImportFact(
        id=entry.id or foreign.derived_id(NAME, text),
        text=text,
        type=entry.type,
        rationale=foreign.words(entry.rationale, file.max_chars),
        source=entry.source,
        confidence=foreign.number(entry.confidence),
        # Tainted entries need a person's approval again.
        status="inbox" if entry.tainted else entry.status,
        branch=foreign.words(branch_of(entry.scope) or ""),
        tags=tuple(tag for tag in entry.tags[:MAX_TAGS] if foreign.words(tag, 60)),
        created_at=foreign.moment(entry.created_at),
        updated_at=foreign.moment(entry.updated_at),
        retention_clock=foreign.moment(entry.retention_clock),
        reinforcement_count=max(0, entry.reinforcement_count),
        last_reinforced_at=foreign.moment(entry.last_reinforced_at),
        last_reinforced_session=foreign.words(entry.last_reinforced_session),
        user_importance=entry.user_importance,
        safety_critical=entry.safety_critical,
        supersedes=entry.supersedes,
        session=foreign.words(entry.session),
        reasons=entry.reasons,
        came_from=NAME,
        file=file.path,
    )


SOURCE = ImportSource(name=NAME, spots=(), wants=wants, parse=parse)
