"""What a use case is, and how one or several of them run.

An `Operation` names its request and response models and the documents it may write. One that
writes nothing declares no refs and runs without a lock. `execute` runs one; `execute_batch`
runs several in ONE transaction: each has its own savepoint, so one that fails takes nothing
with it, and all share the flush that makes them durable (the group commit of DESIGN "hot
paths"). Sockets, threads and printing are other people's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from wm.domain.facts import Fact
from wm.domain.times import iso
from wm.errors import Unwritable, WmError
from wm.formats.base import Document, Record
from wm.formats.evidence import EvidenceRecord
from wm.ops.runtime import Runtime
from wm.store.base import WRITE_ORDER, Reading, Ref, Transaction

SHORTEST_QUOTE = 12
"""Shorter details are codes of ours."""

Q = TypeVar("Q", bound=Record)
A = TypeVar("A", bound=Record)
D = TypeVar("D", bound=Document)


@dataclass
class Work:
    """One running operation: the runtime, its transaction (None for a query) and its time.

    `changes` are what subscribers of `/v1/changes` hear once the commit is done.
    """

    runtime: Runtime
    now: datetime
    transaction: Transaction | None = None
    held: frozenset[Ref[Document]] = frozenset()
    """The documents that the transaction holds: they are read as staged, others as on disk."""
    changes: list[Change] = field(default_factory=list)
    flush: bool = False
    """Set by a step after which hot state must be on disk too (epoch, compaction; ST-1)."""

    def read(self, ref: Ref[D]) -> Reading[D]:
        """The document in force, staged changes of this transaction included."""
        if self.transaction is not None and ref in self.held:
            return self.transaction.read(ref)
        return self.runtime.store.read(ref)

    def put(self, ref: Ref[D], document: D, *, absorbs: bool = False) -> None:
        """Stage a document; `absorbs`: it already holds what an outside edit asked for."""
        self._writing().put(ref, document, absorbs=absorbs)

    def delete(self, ref: Ref[Document]) -> None:
        self._writing().delete(ref)

    def log(self, workspace: str, facts: Sequence[Fact], *, session: str = "") -> tuple[str, ...]:
        """Stage evidence; the ids of the records, in order. Details are redacted here (EV-1)."""
        return tuple(self._log_one(workspace, fact, session) for fact in facts)

    def notify(self, workspace: str, slug: str, name: str = "") -> None:
        self.changes.append(Change(workspace, slug, name))

    def _log_one(self, workspace: str, fact: Fact, session: str) -> str:
        record = EvidenceRecord(
            event_id=self.runtime.ids.new("e_"),
            created_at=iso(self.now),
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
            return self.runtime.redactor.text(value)
        return value

    def _writing(self) -> Transaction:
        if self.transaction is None:
            raise RuntimeError("this operation declared no refs, so it may not write")
        return self.transaction


@dataclass(frozen=True)
class Change:
    """A document that an operation changed, for `/v1/changes`."""

    workspace: str
    slug: str
    name: str = ""


@dataclass(frozen=True)
class Operation(Generic[Q, A]):
    """A use case.

    refs: the documents it may write, from the request; None for a query.
    queue: the key of the queue it waits in (the workspace), so that updates of one workspace
    run in order and share a flush.
    """

    name: str
    request: type[Q]
    response: type[A]
    run: Callable[[Work, Q], A]
    refs: Callable[[Runtime, Q], Sequence[Ref[Document]]] | None = None
    queue: Callable[[Runtime, Q], str] = lambda _runtime, _request: ""

    @property
    def writes(self) -> bool:
        return self.refs is not None


@dataclass(frozen=True)
class Done(Generic[A]):
    """How one operation of a batch ended: `response`, or the `error` that it raised."""

    response: A | None
    error: Exception | None = None
    changes: tuple[Change, ...] = ()
    flush: bool = False


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

    An operation that raises is rolled back alone. If the commit itself fails, all that wrote
    fail with its error. Queries may be mixed in; they see what stands before them.
    """
    refs: dict[Ref[Document], None] = {}
    for operation, request in calls:
        if operation.refs is not None:
            refs.update(dict.fromkeys(operation.refs(runtime, request)))
    if not refs:
        return [_run_query(runtime, operation, request) for operation, request in calls]
    ordered = sorted(refs, key=lambda r: (r.workspace, WRITE_ORDER.index(r.model), r.name))
    held = frozenset(refs)
    results: list[Done[Any]] = []
    try:
        with runtime.store.transaction(ordered) as transaction:
            for operation, request in calls:
                results.append(_run_staged(runtime, transaction, held, operation, request))
            transaction.commit()
        if any(done.flush for done in results):
            runtime.store.flush()
    except Unwritable as error:
        # One of them made a document that cannot be a file; the others have a right to go on.
        if len(calls) == 1:
            return [Done(response=None, error=error)]
        return [done for call in calls for done in execute_batch(runtime, [call])]
    except WmError as error:
        # The lock or the disk refused: nothing was acknowledged, so everybody hears it.
        return [Done(response=None, error=error) for _ in calls]
    return results


def _run_query(runtime: Runtime, operation: Operation[Any, Any], request: Record) -> Done[Any]:
    try:
        return Done(operation.run(Work(runtime, runtime.now()), request))
    except WmError as error:
        return Done(None, error)


def _run_staged(
    runtime: Runtime,
    transaction: Transaction,
    held: frozenset[Ref[Document]],
    operation: Operation[Any, Any],
    request: Record,
) -> Done[Any]:
    work = Work(runtime, runtime.now(), transaction, held)
    mark = transaction.savepoint()
    try:
        response = operation.run(work, request)
    except WmError as error:
        transaction.rollback(mark)
        return Done(None, error)
    return Done(response, None, tuple(work.changes), work.flush)
