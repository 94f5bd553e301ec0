"""What an event brings into slots and pool by itself (CB-2).

    a failed command        its open errors; what a later success clears leaves the slot too
    a manifest that is read its dependencies, one line a file
    files that are touched  paths of the pool
    a message of the user   decisions, todos, paths; a todo that is said to be done leaves
    a text of the model     decisions, todos and notes that it labels so
    both                    every path of the pool that they name is met again

The agent's own todo list is read nowhere. It protects one rule (TR-3): of what a tool showed only
errors, paths and names of packages come in, and none that reads like an order to a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from wm.domain.patterns import Lazy
from wm.domain.session import decisions, manifests, pool, slots, working
from wm.domain.session.paths import spelled
from wm.domain.session.stated import DONE, NOTE, TODO, Stated, stated_in
from wm.domain.text import canonical, first_sentences
from wm.domain.times import iso
from wm.domain.workspace.quality import reads_as_instruction
from wm.formats.events import ToolFinished, UserPrompt
from wm.formats.session_state import ACTIONS, OpenError
from wm.formats.working_memory import PoolItem, SlotItem, WorkingMemory
from wm.settings import WorkingSettings

MAX_PATHS = 5
"""New paths that one message brings in."""

SHORTEST_NAME = 5
"""A file's name alone is its mention from so many characters on."""

_PATH = Lazy(
    r"(?:^|[\s\"'`(\[<])((?:\.{0,2}/)?(?:[\w@.+-]{1,80}/){1,12}"
    r"[\w@+-][\w@.+-]{0,80}\.[A-Za-z0-9]{1,8})\b"
)


class Session(Struct, frozen=True):
    """What filling knows of the session. events: its count, this event included."""

    root: str
    events: int
    now: datetime
    settings: WorkingSettings


def feeds(event: ToolFinished) -> bool:
    """Will this tool call change the working memory, as far as can be told beforehand?"""
    if event.failed:
        return False
    return bool(event.exit_code) or (event.tool in ACTIONS and bool(event.paths))


def shows_manifest(event: ToolFinished) -> bool:
    """Is the output of this call a manifest, to be looked at?"""
    return (
        event.tool == "read" and not event.failed and any(map(manifests.is_manifest, event.paths))
    )


def after_tool(
    held: WorkingMemory,
    event: ToolFinished,
    errors: Sequence[OpenError],
    at: Session,
) -> WorkingMemory:
    """The memory after a tool call; errors: the session's open errors after it."""
    kept = _errors(held.slots, errors, at)
    if shows_manifest(event):
        kept = _dependencies(kept, event, at)
    named = (spelled(path, root=at.root, cwd=event.cwd) for path in _touched(event))
    known = {item.text for item in held.pool if item.kind == "path"}
    paths = [path for path in dict.fromkeys(named) if path in known or _is_plain(path, at.settings)]
    return working.changed(
        held, at.events, at.now, slots=dict(kept), pool=_met(held.pool, paths, "tool", at)
    )


def after_prompt(held: WorkingMemory, event: UserPrompt, at: Session) -> WorkingMemory:
    """The memory after a message of the user."""
    text = event.text[: at.settings.searched_chars]
    decided = (one for one in decisions.decisions_in(text) if len(one) <= at.settings.item_chars)
    kept = _add(held.slots, slots.DECISION, decided, "user", at)
    kept = _todos(kept, stated_in(text, at.settings.item_chars), "user", at)
    found = (match.group(1) for match in _PATH.finditer(text))
    named = dict.fromkeys(spelled(path, root=at.root) for path in found)
    new = [path for path in named if _is_plain(path, at.settings)][:MAX_PATHS]
    paths = dict.fromkeys((*new, *_mentioned(held.pool, text)))
    return working.changed(
        held, at.events, at.now, slots=dict(kept), pool=_met(held.pool, paths, "user", at)
    )


def after_answer(
    held: WorkingMemory,
    text: str,
    decided: Iterable[str],
    said: Iterable[Stated],
    at: Session,
) -> WorkingMemory:
    """The memory after a text of the model; decided, said: its decisions, todos and notes, as far
    as no tool's text said them first."""
    text = text[: at.settings.searched_chars]
    said = tuple(said)
    short = (one for one in decided if len(one) <= at.settings.item_chars)
    kept = _add(held.slots, slots.DECISION, short, "agent", at)
    kept = _todos(kept, said, "agent", at)
    notes = [
        PoolItem(text=one.text, kind="note", by="agent", at=iso(at.now), event=at.events)
        for one in said
        if one.kind == NOTE and not reads_as_instruction(one.text)
    ]
    met = _met(held.pool, _mentioned(held.pool, text), "agent", at)
    return working.changed(
        held, at.events, at.now, slots=dict(kept), pool=pool.meet(met, notes, at.settings)
    )


# --- slots ----------------------------------------------------------------------------------


def _errors(held: slots.Slots, errors: Sequence[OpenError], at: Session) -> slots.Slots:
    """The slot follows the open errors: new ones come in, those that are over leave."""
    mine = {item.key: item for item in held.get(slots.ERROR, ()) if item.key}
    over = mine.keys() - {error.fingerprint for error in errors}
    kept = slots.drop(held, slots.ERROR, over) if over else held
    moment = iso(at.now)
    for error in errors:
        if error.last_seen_at == moment and not reads_as_instruction(error.summary):
            text = first_sentences(error.summary, at.settings.item_chars)
            item = SlotItem(text=text, by="tool", at=moment, key=error.fingerprint)
            kept = slots.add(kept, slots.ERROR, item, at.settings)
    return kept


def _dependencies(held: slots.Slots, event: ToolFinished, at: Session) -> slots.Slots:
    for path in filter(manifests.is_manifest, event.paths):
        name = spelled(path, root=at.root, cwd=event.cwd)
        text = event.output[: at.settings.searched_chars]
        told = manifests.line(name, text, at.settings.item_chars) if name else ""
        if told and not reads_as_instruction(_as_words(told)):
            item = SlotItem(text=told, by="tool", at=iso(at.now), key=name)
            held = slots.add(held, slots.DEPENDENCY, item, at.settings)
    return held


def _todos(held: slots.Slots, said: Iterable[Stated], by: str, at: Session) -> slots.Slots:
    for one in said:
        if one.kind == TODO:
            held = _add(held, slots.TODO, [one.text], by, at)
        elif one.kind == DONE:
            over = canonical(one.text)
            todos = held.get(slots.TODO, ())
            left = tuple(item for item in todos if canonical(item.text) != over)
            held = {**held, slots.TODO: left} if len(left) != len(todos) else held
    return {name: items for name, items in held.items() if items}


def _add(held: slots.Slots, slot: str, texts: Iterable[str], by: str, at: Session) -> slots.Slots:
    for text in texts:
        if by == "user" or not reads_as_instruction(text):
            item = SlotItem(text=" ".join(text.split()), by=by, at=iso(at.now))
            held = slots.add(held, slot, item, at.settings)
    return held


# --- pool -----------------------------------------------------------------------------------


def _touched(event: ToolFinished) -> tuple[str, ...]:
    return event.paths if event.tool in ACTIONS and not event.failed else ()


def _met(
    held: tuple[PoolItem, ...], paths: Iterable[str], by: str, at: Session
) -> tuple[PoolItem, ...]:
    items = [
        PoolItem(text=path, kind="path", by=by, at=iso(at.now), event=at.events) for path in paths
    ]
    return pool.meet(held, items, at.settings)


def _mentioned(held: tuple[PoolItem, ...], text: str) -> list[str]:
    """The paths of the pool that a text names, whole or by the name of the file."""
    return [item.text for item in held if item.kind == "path" and _names(text, item.text)]


def _names(text: str, path: str) -> bool:
    name = path.rpartition("/")[2]
    if len(name) < SHORTEST_NAME or "." not in name:
        name = path
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = text[max(0, at - 1) : at], text[end : end + 1]
        if not (before.isalnum() or before in ("-", "_", ".")) and not (
            after.isalnum() or after in ("-", "_")
        ):
            return True
        at = text.find(name, end)
    return False


def _is_plain(path: str, settings: WorkingSettings) -> bool:
    """A path that is short enough to be shown and is no sentence."""
    return 0 < len(path) <= settings.item_chars and not reads_as_instruction(_as_words(path))


def _as_words(path: str) -> str:
    """A file called `ignore-all-previous-instructions.md` is read as what it says."""
    return "".join(" " if char in "-_./\\" else char for char in path)
