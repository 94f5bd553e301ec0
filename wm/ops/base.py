"""What a use case is, and how one or several of them run.

An `Operation` names its request and response models and the documents it may write. One that
writes nothing declares no refs and runs without a lock. `execute` runs one; `execute_batch`
runs several in ONE transaction: each has its own savepoint, so one that fails takes nothing
with it, and all share the flush that makes them durable (the group commit of DESIGN "hot
paths"). Sockets, threads and printing are other people's business.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from wm.domain.facts import Fact
from wm.domain.times import iso
from wm.errors import Conflict, StoreError, Unwritable, WmError
from wm.formats.base import Document, Record
from wm.formats.evidence import EvidenceRecord
from wm.ops.runtime import Ids, Runtime
from wm.store.base import WRITE_ORDER, Reading, Ref, Transaction

SHORTEST_QUOTE = 12
"""Shorter details are codes of ours."""

LONGEST_QUOTE = 4000
"""Evidence quotes so much of a text: more than an entry holds, less than a record takes."""

TRIES = 6
"""A batch begins anew so often because documents turned out to be needed that were not locked."""

Q = TypeVar("Q", bound=Record)
A = TypeVar("A", bound=Record)
D = TypeVar("D", bound=Document)


class Work(Struct):
    """One running operation: the runtime, its transaction (None for a query) and its time.

    `changes` are what subscribers of `/v1/changes` hear once the commit is done.
    """

    runtime: Runtime
    now: datetime
    transaction: Transaction | None = None
    held: frozenset[Ref[Document]] = frozenset()
    """The documents that the transaction holds: they are read as staged, others as on disk."""
    changes: list[Change] = field(default_factory=list)
    heard: list[tuple[str, str]] = field(default_factory=list)
    """Workspace and `<sid>` of each event that was taken in: the daemon counts them (GV-2)."""
    flush: bool = False
    """Set by a step after which hot state must be on disk too (epoch, compaction; ST-1)."""
    later: list[tuple[Operation[Any, Any], Record]] = field(default_factory=list)
    """Operations that follow once this one is on disk, each in a transaction of its own: what
    touches a file outside of the data folder must happen once, however often this one is tried.
    What they raise is nobody's answer."""

    _moment: str = ""

    @property
    def moment(self) -> str:
        """`now` as files have it."""
        if not self._moment:
            self._moment = iso(self.now)
        return self._moment

    def read(self, ref: Ref[D]) -> Reading[D]:
        """The document in force, staged changes of this transaction included."""
        if self.transaction is not None and ref in self.held:
            return self.transaction.read(ref)
        return self.runtime.store.read(ref)

    def put(self, ref: Ref[D], document: D, *, absorbs: bool = False) -> None:
        """Stage a document; `absorbs`: it already holds what an outside edit asked for."""
        self._holding(ref).put(ref, document, absorbs=absorbs)

    def delete(self, ref: Ref[Document]) -> None:
        self._holding(ref).delete(ref)

    def log(self, workspace: str, facts: Sequence[Fact], *, session: str = "") -> tuple[str, ...]:
        """Stage evidence; the ids of the records, in order. Details are redacted here (EV-1)."""
        return tuple([self._log_one(workspace, fact, session) for fact in facts])

    def notify(self, workspace: str, slug: str, name: str = "") -> None:
        self.changes.append(Change(workspace, slug, name))

    def _log_one(self, workspace: str, fact: Fact, session: str) -> str:
        record = EvidenceRecord(
            event_id=self.runtime.ids.new("e_"),
            created_at=self.moment,
            workspace_key=workspace,
            producer_version=self.runtime.version,
            type=fact.type,
            phase=fact.phase,
            outcome=fact.outcome,
            entry=fact.entry,
            session=session,
            reason_codes=fact.reason_codes,
            details={name: self._redacted(value) for name, value in fact.details.items()},
        )
        self._writing().log(record)
        return record.event_id

    def _redacted(self, value: object) -> object:
        """What a rule quotes was redacted before it saw it; this is the second lock on the
        door. Ids, codes and numbers quote nothing."""
        if isinstance(value, str) and len(value) >= SHORTEST_QUOTE:
            redacted = self.runtime.redactor.text(value)
            cut = redacted[:LONGEST_QUOTE]
            return redacted if cut == redacted else f"{cut}…"
        return value

    def _holding(self, ref: Ref[Document]) -> Transaction:
        transaction = self._writing()
        if ref not in self.held:
            raise Undeclared(ref)
        return transaction

    def _writing(self) -> Transaction:
        if self.transaction is None:
            raise RuntimeError("this operation declared no refs, so it may not write")
        return self.transaction


class Undeclared(Exception):  # not an error: it ends in a wider transaction
    """An operation writes a document that is not locked: what it was told to lock was true
    before another update, perhaps one of its own batch. The batch begins anew with it."""

    def __init__(self, ref: Ref[Document]) -> None:
        super().__init__(ref)
        self.ref = ref


class Tape(Ids):
    """The ids of one call: a further try gets the same ones, so that what it wanted to lock by
    the name of a new entry is what it then writes."""

    def __init__(self, source: Ids) -> None:
        self._source = source
        self._drawn: list[str] = []
        self._at = 0

    def new(self, prefix: str) -> str:
        if self._at == len(self._drawn):
            self._drawn.append(self._source.new(""))
        self._at += 1
        return prefix + self._drawn[self._at - 1]

    def played(self, runtime: Runtime) -> Runtime:
        """The runtime of the next try."""
        self._at = 0
        return runtime.drawing(self)


class Change(Struct, frozen=True):
    """A document that an operation changed, for `/v1/changes`."""

    workspace: str
    slug: str
    name: str = ""


class Operation(Struct, Generic[Q, A], frozen=True, eq=False):
    """A use case.

    refs: the documents it may write, from the request; None for a query.
    queue: the key of the queue it waits in (the workspace), so that updates of one workspace
    run in order and share a flush.
    at_once: the answer for a request that nobody waits for, given when it is queued; its None
    means that this one is waited for. Nothing is acknowledged by it (ST-1).
    """

    name: str
    request: type[Q]
    response: type[A]
    run: Callable[[Work, Q], A]
    refs: Callable[[Runtime, Q], Sequence[Ref[Document]]] | None = None
    queue: Callable[[Runtime, Q], str] = lambda _runtime, _request: ""
    at_once: Callable[[Runtime, Q], A | None] | None = None

    @property
    def writes(self) -> bool:
        return self.refs is not None


class Done(Struct, Generic[A], frozen=True):
    """How one operation of a batch ended: `response`, or the `error` that it raised."""

    response: A | None
    error: Exception | None = None
    changes: tuple[Change, ...] = ()
    flush: bool = False
    later: tuple[tuple[Operation[Any, Any], Record], ...] = ()
    heard: tuple[tuple[str, str], ...] = ()


def execute(runtime: Runtime, operation: Operation[Q, A], request: Q) -> A:
    """Run one operation to the end. Raises what it raises; then nothing was written."""
    done = execute_batch(runtime, [(operation, request)])[0]
    if done.error is not None:
        raise done.error
    response: A | None = done.response
    assert response is not None
    return response


def execute_batch(
    runtime: Runtime, calls: Sequence[tuple[Operation[Any, Any], Record]]
) -> list[Done[Any]]:
    """Run operations in order in one transaction; acknowledge none before all are durable.

    An operation that raises is rolled back alone. If the commit itself fails, all that had not
    failed by themselves fail with its error. Queries may be mixed in; they see what stands
    before them.
    """
    calls = [(operation, _safely_named(runtime, request)) for operation, request in calls]
    refs: dict[Ref[Document], None] = {}
    refused = {}
    for index, (operation, request) in enumerate(calls):
        try:
            refs.update(dict.fromkeys(operation.refs(runtime, request) if operation.refs else ()))
        except WmError as error:
            refused[index] = Done[Any](None, error)
    if not refs:
        return [
            refused.get(index) or _run_query(runtime, operation, request)
            for index, (operation, request) in enumerate(calls)
        ]
    tapes = [Tape(runtime.ids) for _ in calls]
    for _ in range(TRIES):
        results, missing = _run_together(runtime, calls, tapes, refused, refs)
        if not missing:
            for operation, request in [step for done in results for step in done.later]:
                with contextlib.suppress(WmError):
                    execute(runtime, operation, request)
            return [replace(done, later=()) if done.later else done for done in results]
        refs.update(dict.fromkeys(missing))
    lost = Conflict("Other updates kept changing what this one needs.", fix="Try again.")
    return [Done(response=None, error=lost) for _ in calls]


def _safely_named(runtime: Runtime, request: Record) -> Record:
    """The request with a session id that may be stored: the same label for the same id, here and
    in every later call."""
    # Not `getattr`: to miss a field costs a pydantic model ten times what having it does.
    fields = request.__dict__
    if extra := request.__pydantic_extra__:
        fields = {**extra, **fields}
    for field_name in ("session_id", "session"):
        given = fields.get(field_name)
        if isinstance(given, str) and given:
            name = runtime.redacted_name(given)
            if name != given:
                return request.model_copy(update={field_name: name})
    return request


def _run_together(
    runtime: Runtime,
    calls: Sequence[tuple[Operation[Any, Any], Record]],
    tapes: Sequence[Tape],
    refused: dict[int, Done[Any]],
    refs: Iterable[Ref[Document]],
) -> tuple[list[Done[Any]], set[Ref[Document]]]:
    """One try: the results, or the documents that were not locked; then nothing was written."""
    ordered = sorted(refs, key=lambda r: (r.workspace, WRITE_ORDER.index(r.model), r.name))
    held = frozenset(ordered)
    missing: set[Ref[Document]] = set()
    results: list[Done[Any]] = []
    try:
        with runtime.store.transaction(ordered) as transaction:
            begin = transaction.savepoint()
            for index, (operation, request) in enumerate(calls):
                try:
                    work = Work(tapes[index].played(runtime), runtime.now(), transaction, held)
                    done = refused.get(index) or _run_staged(work, operation, request)
                except Undeclared as more:
                    missing.add(more.ref)
                else:
                    results.append(done)
            if missing:
                transaction.rollback(begin)
                return [], missing
            transaction.commit()
    except Unwritable as error:
        # One of them made a document that cannot be a file; the others have a right to go on.
        if len(calls) == 1:
            return [Done(response=None, error=error)], set()
        return [done for call in calls for done in execute_batch(runtime, [call])], set()
    except WmError as error:
        # The lock or the disk refused: nothing was acknowledged, so everybody hears it.
        failed = results or [Done(response=None, error=None)] * len(calls)
        return [Done(response=None, error=done.error or error) for done in failed], set()
    if any(done.flush for done in results):
        # What was asked for is committed. A flush that fails is tried again: what it should
        # have brought to disk still counts as unflushed.
        with contextlib.suppress(StoreError):
            runtime.store.flush()
    return results, set()


def _run_query(runtime: Runtime, operation: Operation[Any, Any], request: Record) -> Done[Any]:
    try:
        return Done(operation.run(Work(runtime, runtime.now()), request))
    except WmError as error:
        return Done(None, error)


def _run_staged(work: Work, operation: Operation[Any, Any], request: Record) -> Done[Any]:
    transaction = work.transaction
    assert transaction is not None
    mark = transaction.savepoint()
    try:
        response = operation.run(work, request)
    except WmError as error:
        transaction.rollback(mark)
        return Done(None, error)
    except Undeclared:
        transaction.rollback(mark)
        raise
    later, heard = tuple(work.later), tuple(work.heard)
    return Done(response, None, tuple(work.changes), work.flush, later, heard)
