"""Rules about the contents of a document that is complete. Pure: documents in, findings out.

`check` itself checks the files (envelope, previous copies, modes, locks). Each rule here is stated
in the documentation page of its format under "What always holds".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from msgspec import Struct, field

from wm.domain.memory.scope import resolve
from wm.domain.session.epochs import is_intact
from wm.formats.base import Document
from wm.formats.core_memory import NEXT, CoreMemory
from wm.formats.home import Aliases
from wm.formats.pending_journal import PendingJournal
from wm.formats.pressure import Pressure
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.session_state import CompactionState, SessionState
from wm.formats.sharing.shared_entry import ID
from wm.formats.sharing.sync import Sync
from wm.formats.tombstones import Tombstones, TrashedEntry
from wm.formats.tool_output import ToolOutput, file_name
from wm.formats.working_memory import WorkingMemory
from wm.formats.workspace_memory import Workspace, WorkspaceMemory
from wm.store import paths
from wm.store.base import Finding, Ref
from wm.store.identity import key_of
from wm.text.tables import Tables

_WORDS = Tables("wm.store.check", "findings.toml")


class Surroundings(Struct, frozen=True):
    """What a document may refer to. folders: keys of all workspaces; trash and epochs: names in
    the document's own workspace."""

    folders: Collection[str] = ()
    aliases: Aliases = field(default_factory=Aliases)
    trash: Collection[str] = ()
    epochs: Collection[str] = ()


def findings(ref: Ref[Document], document: Document, around: Surroundings) -> Iterator[Finding]:
    """All rules that one document violates."""
    path = paths.place(ref).path
    for code, values in _broken(ref, document, around):
        yield finding(code, path, **values)


def finding(words: str, path: str, **values: object) -> Finding:
    """A finding in the words of `findings.toml`. words: its code, or a variant of it."""
    severity, repairable, message = _WORDS.table("findings")[words]
    code = words.partition(".")[0]
    return Finding(code, severity, path, message.format(**values), repairable)


_Broken = Iterator[tuple[str, dict[str, object]]]
"""The code of a rule that is violated, and the values of its sentence."""


def _broken(ref: Ref[Document], document: Document, around: Surroundings) -> _Broken:
    workspace = getattr(document, "workspace", None)
    if isinstance(workspace, Workspace):
        yield from _workspace(ref, workspace, around)
    if isinstance(document, WorkspaceMemory):
        yield from _memory(document, around)
    elif isinstance(document, PendingJournal):
        yield from _twice((p.entry.id for p in document.entries), "entry")
    elif isinstance(document, Tombstones):
        yield from _twice((s.digest for s in document.stones if s.digest), "digest")
    elif isinstance(document, TrashedEntry):
        yield from _name(ref, document.entry.id)
    elif isinstance(document, PromptEpoch):
        yield from _epoch(ref, document)
    elif isinstance(document, SessionState):
        yield from _session(ref, document, around)
    elif isinstance(document, CompactionState | WorkingMemory | Pressure):
        yield from _name(ref, paths.sid(document.session_id))
    elif isinstance(document, ToolOutput):
        yield from _output(ref, document)
    elif isinstance(document, CoreMemory):
        yield from _core(ref, document)
    elif isinstance(document, Aliases):
        yield from _aliases(document, around)
    elif isinstance(document, Sync):
        yield from _sync(document)


def _workspace(ref: Ref[Document], workspace: Workspace, around: Surroundings) -> _Broken:
    if workspace.key != ref.workspace:
        yield "wrong_workspace", {"key": workspace.key}
    elif workspace.root and not any(
        resolve(key, around.aliases) == ref.workspace for key in keys_of(workspace.root)
    ):
        yield "root_mismatch", {"root": workspace.root}


def _memory(memory: WorkspaceMemory, around: Surroundings) -> _Broken:
    yield from _twice((entry.id for entry in memory.entries), "entry")
    known = {entry.id for entry in memory.entries} | set(around.trash)
    for entry in memory.entries:
        lost = [other for other in (*entry.supersedes, entry.superseded_by) if other]
        for other in dict.fromkeys(lost):
            if other not in known:
                yield "dangling_supersedes", {"id": entry.id, "other": other}
    for name in sorted({entry.id for entry in memory.entries} & set(around.trash)):
        yield "also_in_trash", {"id": name}


def _epoch(ref: Ref[Document], epoch: PromptEpoch) -> _Broken:
    yield from _name(ref, epoch.id)
    if epoch.generation != 1:
        yield "epoch_changed.generation", {"times": epoch.generation}
    for block in epoch.blocks:
        if not is_intact(block):
            yield "epoch_changed", {"block": block.name}


def _session(ref: Ref[Document], state: SessionState, around: Surroundings) -> _Broken:
    yield from _name(ref, paths.sid(state.session_id))
    yield from _owner(ref, state.workspace_key)
    if state.epoch and state.epoch not in around.epochs:
        yield "dangling_epoch", {"epoch": state.epoch}


def _output(ref: Ref[Document], output: ToolOutput) -> _Broken:
    yield from _name(ref, file_name(output.id, output.session))
    if len(output.text) != output.chars:
        yield "output_changed", {"found": len(output.text), "recorded": output.chars}


def _core(ref: Ref[Document], core: CoreMemory) -> _Broken:
    waits = ref.name == NEXT and not core.session_id
    yield from () if waits else _name(ref, paths.sid(core.session_id))
    yield from _owner(ref, core.workspace_key)


def _owner(ref: Ref[Document], key: str) -> _Broken:
    if key not in ("", ref.workspace):
        yield "wrong_workspace", {"key": key}


def _aliases(document: Aliases, around: Surroundings) -> _Broken:
    yield from _twice((alias.key for alias in document.aliases), "key")
    for alias in document.aliases:
        target = resolve(alias.key, document)
        if target == alias.key:
            yield "alias_circle", {"key": alias.key}
        elif target not in around.folders:
            yield "dangling_alias", {"key": alias.key, "target": target}
        if alias.key in around.folders:
            yield "alias_hides_folder", {"key": alias.key}


def _sync(document: Sync) -> _Broken:
    if document.team.applied and document.team.remote is None:
        yield "dangling_commit", {}
    for name, record in (*document.team.records.items(), *document.mine.records.items()):
        if re.fullmatch(ID, name) is None:
            yield "wrong_name.entry", {"name": name}
        elif record.withdrawn and not record.shared:
            yield "never_shared", {"name": name}


def _name(ref: Ref[Document], expected: str) -> _Broken:
    if ref.name not in (expected, paths.sid(expected)):
        yield "wrong_name", {"expected": expected}


def _twice(names: Iterator[str], what: str) -> _Broken:
    for name, count in Counter(names).items():
        if count > 1:
            yield "duplicate_id", {"what": what, "name": name, "count": count}


def keys_of(root: str) -> set[str]:
    """Keys that a root written in a document can have: unchanged, and with `\\xNN` taken for
    the byte that is not UTF-8."""
    parts = re.split(r"\\x([0-9a-f]{2})", root)
    raw = b"".join(
        bytes([int(part, 16)]) if number % 2 else part.encode("utf-8", "surrogatepass")
        for number, part in enumerate(parts)
    )
    return {key_of(root.encode("utf-8", "surrogatepass")), key_of(raw)}
