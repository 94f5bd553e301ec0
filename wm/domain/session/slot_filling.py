"""What each event adds to slots and pool automatically (CB-2).

    a failed command        its open errors; a later success removes those that it clears
    a manifest that is read its dependencies, one line per file
    files that are touched  paths of the pool
    a message of the user   decisions, todos, paths; a todo reported as done is removed
    a text of the model     decisions, todos and notes that it labels so
    both                    every path of the pool that they name is mentioned again

The agent's own todo list is not read. It protects one rule (TR-3): tool output adds only
errors, paths and names of packages, and none that reads like an order to a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from wm.domain.failures.open_errors import reads_output
from wm.domain.learning.statements import DONE, NOTE, TODO, Stated, decisions_in, stated_in
from wm.domain.memory.gate import reads_as_instruction
from wm.domain.session import manifests, pool, slots, working_memory
from wm.domain.session.file_paths import normalised_path
from wm.domain.session.working_memory import SessionMoment
from wm.domain.times import iso
from wm.formats.events import ToolFinished
from wm.formats.session_state import ACTIONS, OpenError
from wm.formats.working_memory import PoolItem, WorkingMemory
from wm.settings import WorkingSettings
from wm.text.letters import canonical
from wm.text.patterns import Lazy
from wm.text.sentences import first_sentences

MAX_PATHS = 5
"""Most new paths from one message."""

SHORTEST_NAME = 5
"""A file's name alone counts as its mention from this many characters on."""

_PATH = Lazy(
    r"(?:^|[\s\"'`(\[<])((?:\.{0,2}/)?(?:[\w@.+-]{1,80}/){1,12}"
    r"[\w@+-][\w@.+-]{0,80}\.[A-Za-z0-9]{1,8})\b"
)


def feeds(event: ToolFinished) -> bool:
    """Will this tool call change the working memory, as far as is known beforehand?"""
    if event.failed:
        return False
    return reads_output(event) or (event.tool in ACTIONS and bool(event.paths))


def shows_manifest(event: ToolFinished) -> bool:
    """Is the output of this call a manifest to read?"""
    return (
        event.tool == "read" and not event.failed and any(map(manifests.is_manifest, event.paths))
    )


def after_tool(
    current: WorkingMemory, event: ToolFinished, errors: Sequence[OpenError], at: SessionMoment
) -> WorkingMemory:
    """Return the memory after a tool call; errors: the session's open errors after it."""
    kept = _errors(current.slots, errors, at)
    if shows_manifest(event):
        kept = _dependencies(kept, event, at)
    named = (normalised_path(path, root=at.root, cwd=event.cwd) for path in _touched(event))
    known = {item.text for item in current.pool if item.kind == "path"}
    paths = [path for path in dict.fromkeys(named) if path in known or _is_plain(path, at.settings)]
    return working_memory.changed(
        current, at, slots=dict(kept), pool=_met(current.pool, paths, "tool", at)
    )


class MessageItems(Struct, frozen=True):
    """What a message of the user adds. paths: as it writes them."""

    text: str = ""
    decided: tuple[str, ...] = ()
    todos: tuple[Stated, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def feeds(self) -> bool:
        """Will the message change the working memory, as far as is known beforehand?"""
        return bool(self.decided or self.todos or self.paths)


def items_in(text: str, settings: WorkingSettings) -> MessageItems:
    """Read a message of the user."""
    text = text[: settings.searched_chars]
    decided = (one for one in decisions_in(text) if len(one) <= settings.item_chars)
    todos = (one for one in stated_in(text, settings.item_chars) if one.kind != NOTE)
    found = (str(match.group(1)) for match in _PATH.finditer(text))
    return MessageItems(text, tuple(decided), tuple(todos), tuple(dict.fromkeys(found)))


def after_prompt(current: WorkingMemory, said: MessageItems, at: SessionMoment) -> WorkingMemory:
    """Return the memory after a message of the user."""
    kept = _add(current.slots, slots.DECISION, said.decided, "user", at)
    kept = _todos(kept, said.todos, "user", at)
    named = dict.fromkeys(normalised_path(path, root=at.root) for path in said.paths)
    new = [path for path in named if _is_plain(path, at.settings)][:MAX_PATHS]
    paths = dict.fromkeys((*new, *_mentioned(current.pool, said.text)))
    return working_memory.changed(
        current, at, slots=dict(kept), pool=_met(current.pool, paths, "user", at)
    )


def after_answer(
    current: WorkingMemory,
    text: str,
    decided: Iterable[str],
    stated: Iterable[Stated],
    at: SessionMoment,
) -> WorkingMemory:
    """Return the memory after a text of the model; decided, stated: its decisions, todos and notes,
    except those that a tool's text stated first."""
    text = text[: at.settings.searched_chars]
    stated = tuple(stated)
    short = (one for one in decided if len(one) <= at.settings.item_chars)
    kept = _add(current.slots, slots.DECISION, short, "agent", at)
    kept = _todos(kept, stated, "agent", at)
    notes = [
        at.pool_item("note", one.text, "agent")
        for one in stated
        if one.kind == NOTE and not reads_as_instruction(one.text)
    ]
    met = _met(current.pool, _mentioned(current.pool, text), "agent", at)
    return working_memory.changed(
        current, at, slots=dict(kept), pool=pool.add(met, notes, at.settings)
    )


# --- slots ----------------------------------------------------------------------------------


def _errors(current: slots.Slots, errors: Sequence[OpenError], at: SessionMoment) -> slots.Slots:
    """Make the slot follow the open errors: add new ones, remove cleared ones."""
    by_key = {item.key: item for item in current.get(slots.ERROR, ()) if item.key}
    over = by_key.keys() - {error.fingerprint for error in errors}
    kept = slots.drop(current, slots.ERROR, over) if over else current
    moment = iso(at.now)
    for error in errors:
        if error.last_seen_at == moment and not reads_as_instruction(error.summary):
            text = first_sentences(error.summary, at.settings.item_chars)
            item = at.slot_item(text, "tool", error.fingerprint)
            kept = slots.add(kept, slots.ERROR, item, at.settings)
    return kept


def _dependencies(current: slots.Slots, event: ToolFinished, at: SessionMoment) -> slots.Slots:
    for path in filter(manifests.is_manifest, event.paths):
        name = normalised_path(path, root=at.root, cwd=event.cwd)
        text = event.output[: at.settings.searched_chars]
        dependencies = manifests.line(name, text, at.settings.item_chars) if name else ""
        if dependencies and not reads_as_instruction(_as_words(dependencies)):
            item = at.slot_item(dependencies, "tool", name)
            current = slots.add(current, slots.DEPENDENCY, item, at.settings)
    return current


def _todos(
    current: slots.Slots, stated: Iterable[Stated], by: str, at: SessionMoment
) -> slots.Slots:
    for one in stated:
        if one.kind == TODO:
            current = _add(current, slots.TODO, [one.text], by, at)
        elif one.kind == DONE:
            over = canonical(one.text)
            todos = current.get(slots.TODO, ())
            left = tuple(item for item in todos if canonical(item.text) != over)
            current = {**current, slots.TODO: left} if len(left) != len(todos) else current
    return {name: items for name, items in current.items() if items}


def _add(
    current: slots.Slots, slot: str, texts: Iterable[str], by: str, at: SessionMoment
) -> slots.Slots:
    for text in texts:
        if by == "user" or not reads_as_instruction(text):
            item = at.slot_item(" ".join(text.split()), by)
            current = slots.add(current, slot, item, at.settings)
    return current


# --- pool -----------------------------------------------------------------------------------


def _touched(event: ToolFinished) -> tuple[str, ...]:
    return event.paths if event.tool in ACTIONS and not event.failed else ()


def _met(
    current: tuple[PoolItem, ...], paths: Iterable[str], by: str, at: SessionMoment
) -> tuple[PoolItem, ...]:
    return pool.add(current, [at.pool_item("path", path, by) for path in paths], at.settings)


def _mentioned(current: tuple[PoolItem, ...], text: str) -> list[str]:
    """Return the paths of the pool that a text names, whole or by the name of the file."""
    return [item.text for item in current if item.kind == "path" and _names(text, item.text)]


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
    """Is a path short enough to be shown, and not a sentence?"""
    return 0 < len(path) <= settings.item_chars and not reads_as_instruction(_as_words(path))


def _as_words(path: str) -> str:
    """Read a file name such as `ignore-all-previous-instructions.md` as the words it contains."""
    return "".join(" " if char in "-_./\\" else char for char in path)
