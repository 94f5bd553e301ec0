"""An entry as fields that mean the same on every machine, and back (SY-2, SY-3).

Portable means: nothing keyed with the local key, no path, no figure of use. Says which entries may
leave at all. Redaction is the caller's: it owns the secrets' formats.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from wm.domain.memory.scope import branch_of
from wm.domain.sync.clock import is_of_node, moment_of, tick
from wm.domain.sync.merge import CLEARED, LASTING, NAME, joined_versions
from wm.formats.sharing.shared_entry import CREATED, TAG, SharedEntry, Value, Version
from wm.formats.workspace_memory import CONFIDENCE, IMPORTANCES, ORIGINS, TEAM, MemoryEntry
from wm.text.jsontext import as_known
from wm.text.letters import canonical
from wm.text.patterns import Lazy

GONE = "gone"
"""The digest of an entry that is not there."""

DEFAULTS: Mapping[str, Value] = {
    "rationale": "",
    "importance": "normal",
    "scope": "workspace",
    "superseded_by": "",
    "tainted": False,
    "pinned": False,
}
"""Fields that are left out while they have this value."""

_LABEL = Lazy(r"\[secret:([a-z0-9_]{2,40}):[0-9a-f]{6}\]")
_TYPE = Lazy(r"[a-z][a-z0-9_-]{0,31}")
_NAME_CHARS = 60
_SCOPE_CHARS = 200


def fields_of(entry: MemoryEntry) -> dict[str, Value]:
    """The portable fields of an entry, as they stand here."""
    return {
        "text": entry.text,
        "type": entry.type,
        "source": entry.source,
        "origin": entry.origin if entry.origin in ORIGINS else "import",
        "rationale": entry.rationale,
        "importance": entry.user_importance,
        "scope": entry.scope,
        "superseded_by": entry.superseded_by if entry.status == "superseded" else "",
        "tainted": entry.tainted,
        "pinned": entry.pinned,
        **{TAG + tag: True for tag in entry.tags},
    }


def digest(fields: Mapping[str, Value]) -> str:
    """The same for equal fields; `GONE` without a text."""
    if "text" not in fields:
        return GONE
    texts = sorted(
        (n, v) for n, v in fields.items() if v is not False and v != DEFAULTS.get(n, None)
    )
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]


def may_leave(entry: MemoryEntry, *, own_repository: bool) -> str:
    """Why an entry may not be shared, as a reason code; "" if it may."""
    if entry.origin.startswith(TEAM):
        return "team_entry" if own_repository else ""
    if entry.outside or entry.status not in ("active", "superseded"):
        return "inactive"
    is_project = entry.scope == "workspace" or branch_of(entry.scope) is not None
    return "" if own_repository or is_project else "user_scope"


def leaving(fields: Mapping[str, Value], redact: Callable[[str], str]) -> dict[str, Value]:
    """The fields as they leave: redacted again, labels of secrets without their keyed digest."""

    def clean(value: Value) -> Value:
        return unkeyed(redact(value)) if isinstance(value, str) else value

    return {str(clean(name)): clean(value) for name, value in fields.items()}


def unkeyed(text: str) -> str:
    return _LABEL.sub(r"[secret:\1:000000]", text)


def author_id(email: str) -> str:
    return "a_" + _sha(email.strip().lower())[:16]


def author_name(text: str) -> str:
    """A name as it may be shown: one line of printable letters."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return plain[:_NAME_CHARS] or "someone"


def name_of(version: Version, redact: Callable[[str], str]) -> str:
    """What its author is called."""
    return author_name(redact(str(version.get(NAME, ("", ""))[1])))


def forgotten_digest(text: str) -> str:
    """Recognises a forgotten text on every machine: not keyed, so it hides no guessable text."""
    return _sha("forgotten\0" + canonical(text))[:32]


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# --- one author's version ---------------------------------------------------------------------


def creator_of(entry: SharedEntry) -> str:
    """The author who shared it first, by its own clock; the same on every machine."""
    return min((v[CREATED], name) for name, v in entry.authors.items() if CREATED in v)[1]


def stated(version: Version) -> dict[str, Value]:
    """What a version says, without clocks; nothing without a text."""
    if "text" not in version or not canonical(str(version["text"][1])):
        return {}
    return {n: f[1] for n, f in version.items() if n not in LASTING and f[1] is not False}


def revised(
    entry: SharedEntry | None,
    entry_id: str,
    author: str,
    changes: Mapping[str, Value],
    *,
    name: str,
    created: str,
    now: datetime,
    node: str,
) -> SharedEntry:
    """The entry with `changes` in the author's version, all at one new clock.

    created: when the author's own entry was made; "" for a proposal about another's. A change of
    `cleared` is a tombstone: it removes what the version says.
    """
    authors = dict(entry.authors) if entry is not None else {}
    version = dict(authors.get(author, {}))
    clock = tick((field[0] for field in version.values()), now=now, node=node)
    if version.get(NAME, ("", ""))[1] != name:
        version[NAME] = (clock, name)
    if created and CREATED not in version:
        version[CREATED] = (clock, created)
    if CLEARED in changes:
        version = {n: f for n, f in version.items() if n in LASTING}
    version |= {field: (clock, value) for field, value in changes.items()}
    authors[author] = version
    return SharedEntry.model_construct(id=entry_id, authors=authors)


def base_of(applied: Version, written: Version, node: str) -> dict[str, Value]:
    """What the memory on this machine knows of an author's version. applied: the version when the
    memory last followed the tree. written: the one in this machine's last commit; its own edits
    count, even if that sync was killed before it noted them."""
    own = {name: field for name, field in written.items() if is_of_node(field[0], node)}
    return stated(joined_versions(applied, own))


def differing(wanted: Mapping[str, Value], known: Mapping[str, Value]) -> dict[str, Value]:
    """The fields of `wanted` that `known` says differently; a tag that is gone becomes False."""

    def default(name: str) -> Value | None:
        return False if name.startswith(TAG) else DEFAULTS.get(name)

    names = dict.fromkeys((*wanted, *(n for n in known if n.startswith(TAG))))
    pairs = ((n, wanted.get(n, False), known.get(n, default(n))) for n in names)
    return {name: value for name, value, before in pairs if value != before}


# --- into the memory --------------------------------------------------------------------------


def changed_by(
    entry: MemoryEntry, fields: Mapping[str, Value], *, own_repository: bool
) -> dict[str, object]:
    """The changes that make a local entry say what a version says. Figures of use stay."""
    update = _read(fields, own_repository=own_repository)
    if update["source"] == entry.source:
        del update["confidence"]
    return {name: value for name, value in update.items() if getattr(entry, name) != value}


def fields_behind(update: Mapping[str, object], fields: Mapping[str, Value]) -> set[str]:
    """The fields of a version that changes of a local entry come from."""
    renamed = {"user_importance": "importance", "confidence": "source"}
    names = {renamed.get(name, name) for name in update} - {"tags"}
    return names | (set(tags_of(fields)) if "tags" in update else set())


def arrived(
    entry_id: str, version: Version, fields: Mapping[str, Value], *, author: str, now: datetime
) -> MemoryEntry:
    """A new local entry from a version. Its dates are no later than now. author: the name of
    another author; "" in the user's own repository."""
    update = _read(fields, own_repository=not author)
    clock = max(field[0] for field in version.values())
    created = version[CREATED][0] if CREATED in version else clock
    changed = moment_of(clock, now=now)
    if author:
        update["origin"] = TEAM + author
    return MemoryEntry(
        id=entry_id,
        created_at=min(moment_of(created, now=now), changed),
        updated_at=changed,
        retention_clock=changed,
        **update,
    )


def _read(fields: Mapping[str, Value], *, own_repository: bool) -> dict[str, object]:
    """Fields of an entry. A word that this version does not know becomes the most careful one.

    What one person marked for prompts (pinned) does not bind another, nor does who said it there.
    """
    source = as_known(fields.get("source"), CONFIDENCE, "compaction")
    kind = str(fields.get("type", ""))
    update: dict[str, object] = {
        "text": str(fields.get("text", "")),
        "type": kind if _TYPE.fits(kind) else "project",
        "source": source,
        "confidence": CONFIDENCE[source],
        "rationale": str(fields.get("rationale", "")),
        "user_importance": as_known(fields.get("importance"), IMPORTANCES, "normal"),
        "scope": str(fields.get("scope", "workspace"))[:_SCOPE_CHARS],
        "tainted": fields.get("tainted", False) is not False,
        "tags": tuple(sorted(name.removeprefix(TAG) for name in tags_of(fields))),
    }
    if own_repository:
        update["pinned"] = fields.get("pinned", False) is True
        update["origin"] = as_known(fields.get("origin"), ORIGINS, "import")
    elif branch_of(str(update["scope"])) is None:
        update["scope"] = "workspace"
    return update


def tags_of(fields: Mapping[str, Value]) -> Iterable[str]:
    return (name for name, value in fields.items() if name.startswith(TAG) and value is True)
