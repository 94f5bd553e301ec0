"""Run a compaction: number the memories for the summariser, then apply its answer (EX-2).

`start` records which entry each [M#] means, with the digest of its text. `finish` accepts only
commands that carry the id of this snapshot and target unchanged entries. Candidates that cannot be
admitted now wait in the journal. A summary that arrives twice is applied once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from wm.api.protocol import Remembered, RememberRequest
from wm.domain.facts import Fact
from wm.domain.learning.provenance import UNATTRIBUTABLE
from wm.domain.memory import candidates, consolidate, echo_guard, retention
from wm.domain.memory.candidates import Candidate
from wm.domain.memory.consolidate import MemoryEditor
from wm.domain.memory.entry_list import replaced
from wm.errors import Corrupt, TooNew
from wm.formats.events import CompactionFinished
from wm.formats.session_state import CompactionState, MemoryRef, SessionState
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.contract.contract_file import after_compaction
from wm.ops.learning import provenance, stated
from wm.ops.learning.remember import learn_or_journal, new_entry, refusal_reasons
from wm.ops.memory.documents import load_memory, memory_editor, read_memory, save_memory
from wm.ops.memory.render import rendered
from wm.ops.operation import LocatedWork, Work
from wm.ops.place import workspace_of
from wm.ops.session import working_memory
from wm.ops.session.epochs import epoch_of
from wm.ops.session.hot_state import compaction_ref, load_compaction
from wm.store.paths import sid
from wm.text.letters import canonical

NOT_CONFIRMED = "not_confirmed"
"""The reason of a decision that no words of the user support."""

ECHOES = ("workspace_memory", "last_session", "handoff")
"""Blocks whose text a summary may repeat; a repeat is not a new fact."""

PREVIEW_CHARS = 300
"""Characters of a rejected line that evidence keeps."""


def start(work: LocatedWork, state: SessionState) -> str:
    """Number the shown memories; return the text for the summariser."""
    memory = read_memory(work)
    shown = rendered(work, memory).selection.shown
    refs = tuple(
        MemoryRef(ref=f"M{number}", id=entry.id, digest=_digest(work, entry.text))
        for number, entry in enumerate(shown, start=1)
    )
    snapshot_id = work.new_id("c_")
    snapshot = {"snapshot_id": snapshot_id, "snapshot_at": work.moment, "epoch": state.epoch}
    _save(work, load_compaction(work, state.session_id), {**snapshot, "refs": refs})
    numbered = tuple(
        (ref.ref, entry.type, entry.text) for ref, entry in zip(refs, shown, strict=True)
    )
    types = work.settings.memory.types
    return candidates.instructions(numbered, snapshot_id, types)


def finish(
    work: LocatedWork, state: SessionState, event: CompactionFinished
) -> tuple[SessionState, tuple[Remembered, ...]]:
    """Admit the summary's candidates, end the epoch, and count the compaction (CT-2)."""
    compaction = load_compaction(work, state.session_id)
    digest = _digest(work, event.summary) if event.summary else ""
    if digest and digest == compaction.last_summary_digest and not compaction.snapshot_id:
        return state, ()
    working_memory.compacted(work, state)
    compaction = load_compaction(work, state.session_id)
    summary = _Summary(work, state, compaction, _injected(work, state))
    # The session's decisions are candidates as well (HS-3).
    decided = (Candidate("add", type="decision", text=d.text) for d in state.recent_decisions)
    taken = summary.take(event.summary) if event.summary else ()
    remembered = (*taken, *map(summary.add, decided))
    count = compaction.count + 1
    done = {"snapshot_id": "", "epoch": "", "refs": (), "last_summary_digest": digest}
    _save(work, compaction, {**done, "count": count})
    after = state.model_copy(
        update={
            "epoch": state.epoch if _opened_since(state, compaction) else "",
            "compactions": count,
            "recent_decisions": (),
            "pending_memories": (),
        }
    )
    after_compaction(work, state.root, state.session_id, count)
    return after, remembered


def harvest(work: LocatedWork, state: SessionState) -> SessionState:
    """Propose the decisions of a session that ends without a compaction (EX-8). One that the user's
    own words support becomes active; silence is not consent, so the rest waits in the inbox."""
    how = stated.mode(work.runtime, work.place, state)
    if not state.recent_decisions or how == stated.OFF:
        return state.model_copy(update={"recent_decisions": ()})
    compaction = load_compaction(work, state.session_id)
    summary = _Summary(work, state, compaction, _injected(work, state))
    for decided in state.recent_decisions:
        said = provenance.judge(work, state.session_id, decided.text)
        confirmed = said.origin == "user" and not said.reasons and how == stated.ACTIVE
        item = Candidate("add", type="decision", text=decided.text)
        summary.add(item, () if confirmed else (NOT_CONFIRMED,))
    return state.model_copy(update={"recent_decisions": ()})


def _save(work: LocatedWork, compaction: CompactionState, update: Mapping[str, object]) -> None:
    changed = compaction.model_copy(update={**update, "updated_at": work.moment})
    work.put(compaction_ref(work.key, compaction.session_id), changed)


def _opened_since(state: SessionState, compaction: CompactionState) -> bool:
    """Whether the epoch after this compaction is already open: Claude Code requests it before it
    delivers the summary. Closing it again would separate the prompt from its file."""
    return bool(compaction.snapshot_id) and state.epoch not in ("", compaction.epoch)


def _injected(work: LocatedWork, state: SessionState) -> tuple[str, ...]:
    """The memory texts that this session's prompt showed; a summary that repeats them teaches
    nothing.

    Includes the exact bytes of the prompt, with entries that were edited or forgotten since, and
    the full text of entries that were shown in part.
    """
    injected: list[str] = []
    included: set[str] = set()
    name = state.epoch
    for _ in range(2):  # The epoch, and the one before, with which the conversation began.
        epoch = epoch_of(work, name)
        if epoch is None:
            break
        injected += [block.text for block in epoch.blocks if block.name in ECHOES]
        included.update(i for block in epoch.blocks for i in block.included)
        name = epoch.previous
    included.update(note.id for note in state.recalled)
    memory = _readable(work)
    return (*injected, *(entry.text for entry in memory.entries if entry.id in included))


def _readable(work: LocatedWork) -> WorkspaceMemory:
    try:
        return read_memory(work)
    except Corrupt:
        return WorkspaceMemory(workspace=workspace_of(work.place))


class _Summary(Struct, frozen=True):
    """The summary of one compaction, and what it is judged by. injected: the memory texts that this
    session's prompt showed."""

    work: LocatedWork
    state: SessionState
    compaction: CompactionState
    injected: Sequence[str]

    @property
    def sid(self) -> str:
        return sid(self.state.session_id)

    def take(self, summary: str) -> Iterator[Remembered]:
        """Admit the candidates of the section."""
        parsed = candidates.parse(summary, self.work.settings.memory.types)
        facts = []
        for refused in parsed.refused:
            preview = {"preview": refused.line[:PREVIEW_CHARS]}
            codes = (refused.code,)
            facts.append(Fact("candidate_refused", "extraction", "rejected", "", codes, preview))
        for note in parsed.notes:
            about = {"note": note}
            facts.append(Fact("candidates_deprecated", "extraction", "noticed", details=about))
        self.work.log(facts, session=self.sid)
        for item in parsed.items:
            if item.action == "add":
                yield self.add(item)
            else:
                yield self._command(item, parsed.snapshot_id)

    def add(self, item: Candidate, doubts: tuple[str, ...] = ()) -> Remembered:
        """doubts: reasons why it waits in the inbox."""
        if echo_guard.is_echo(item.text, self.injected):
            return self._rejected(item, "echo")
        request = self._request(item.text, item.type)
        entry = new_entry(self.work, request)
        reasons = refusal_reasons(self.work, entry)
        if reasons:
            # A refused proposal of the model becomes evidence, not an inbox entry: no person asked
            # for it.
            return self._rejected(item, *reasons)
        return learn_or_journal(self.work, request, doubts, refused=())

    def _request(self, text: str, type: str) -> RememberRequest:
        session = self.state.session_id
        return RememberRequest(
            text=text, type=type, source="compaction", origin="agent", session=session
        )

    def _command(self, item: Candidate, snapshot_id: str) -> Remembered:
        """Apply REINFORCE or REPLACE, to entries of this compaction's list only."""
        work = self.work
        if not snapshot_id:
            return self._rejected(item, "missing_compaction_snapshot_id")
        if snapshot_id != self.compaction.snapshot_id:
            return self._rejected(item, "compaction_snapshot_mismatch")
        ref = next((r for r in self.compaction.refs if r.ref == item.ref), None)
        if ref is None:
            return self._rejected(item, "invalid_memory_ref")
        try:
            memory = load_memory(work)
        except (Corrupt, TooNew) as error:
            return self._rejected(item, error.code)
        entry = next((e for e in memory.entries if e.id == ref.id and e.status == "active"), None)
        if entry is None:
            return self._rejected(item, "memory_ref_target_unavailable")
        if _digest(work, entry.text) != ref.digest:
            return self._rejected(item, "memory_ref_target_changed")
        if item.action == "reinforce":
            if not provenance.may_confirm(work, self.state.session_id, entry.text):
                return self._rejected(item, UNATTRIBUTABLE)
            return self._reinforce(memory, entry)
        return self._replace(memory, entry, item)

    def _reinforce(self, memory: WorkspaceMemory, entry: MemoryEntry) -> Remembered:
        settings = self.work.settings.memory
        done = retention.reinforce(entry, session=self.sid, now=self.work.now, settings=settings)
        outcome, codes = done.outcome, done.reason_codes
        fact = Fact("memory_reinforced", "retention", outcome, entry.id, codes, done.details)
        changed = replaced(memory, done.entry)
        save_memory(self.work, changed, [fact], session=self.sid)
        return Remembered(outcome=outcome, entry=done.entry, reason_codes=codes)

    def _replace(self, memory: WorkspaceMemory, old: MemoryEntry, item: Candidate) -> Remembered:
        work = self.work
        request = self._request(item.text, item.type or old.type)
        with memory_editor(work, memory, MemoryEditor) as editor:
            entry = provenance.weighed(editor, new_entry(work, request))
            reasons = refusal_reasons(work, entry)
            if reasons:
                return self._rejected(item, *reasons)
            done = consolidate.supersede(
                editor, old.id, entry, now=work.now, settings=work.settings.memory
            )
        details = {**done.details, "replaces": old.id, "text": entry.text}
        kind, outcome, codes = f"memory_{done.outcome}", done.outcome, done.reason_codes
        fact = Fact(kind, "promotion", outcome, done.entry_id, codes, details)
        save_memory(work, done.memory, [fact], session=self.sid)
        return Remembered(outcome=outcome, reason_codes=codes)

    def _rejected(self, item: Candidate, *codes: str) -> Remembered:
        details = {"action": item.action, "type": item.type, "text": item.text}
        fact = Fact("candidate_rejected", "gate", "rejected", "", codes, details)
        self.work.log([fact], session=self.sid)
        return Remembered(outcome="rejected", reason_codes=codes)


def _digest(work: Work, text: str) -> str:
    return work.store.digest(canonical(text))
