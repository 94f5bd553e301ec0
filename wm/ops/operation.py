"""Define use cases (`Operation`) and run one or several of them in a transaction.

An operation names its request and response models and the documents it may write. A query declares
no refs and runs without a lock. `execute_batch` runs several operations in ONE transaction: each
has its own savepoint, so a failure rolls back only its own operation, and all share one flush (the
group commit of DESIGN "hot paths"). A request is parsed once, prepared once without a lock, and run
again when more locks are needed. Must not open sockets, start threads or print.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import ValidationError

from wm.domain.facts import Fact, Refusal
from wm.domain.times import iso
from wm.errors import Conflict, HostError, StoreError, Unwritable, UserError, WmError
from wm.formats.base import Document, Record
from wm.formats.evidence import EvidenceRecord
from wm.ops.runtime import Ids, Runtime
from wm.settings import Settings
from wm.store.base import D, Reading, Ref
from wm.store.files import FileStore
from wm.store.paths import WRITE_ORDER
from wm.store.transaction import FileTransaction

if TYPE_CHECKING:  # a daemon starts without the models of requests
    from wm.api.protocol import WorkspacePlace

SHORTEST_QUOTE = 12
"""Minimum length of a detail that is redacted; shorter ones are our own codes."""

LONGEST_QUOTE = 4000
"""Maximum characters of a text in evidence: more than an entry, less than a record may have."""

TRIES = 32
"""Attempts per batch. A batch restarts when an operation writes a document that is not locked."""

Q = TypeVar("Q", bound=Record)
A = TypeVar("A", bound=Record)
T = TypeVar("T")


class Effects(Struct):
    """What follows the commit of an operation."""

    changes: list[DocumentChange] = field(default_factory=list)
    """For the subscribers of `/v1/changes`."""
    recorded: list[tuple[str, str]] = field(default_factory=list)
    """Workspace and `<sid>` of each recorded event; the daemon counts them (GV-2)."""
    flush: bool = False
    """Set when hot state must be flushed too (epoch, compaction; ST-1)."""
    later: list[tuple[Operation[Any, Any], Record]] = field(default_factory=list)
    """Operations to run after the commit, each in its own transaction. A change to a file outside
    the data folder must happen once, however often this operation is retried. Their errors are
    dropped, except for `Operation.completes`."""


class Work(Struct):
    """One running operation: the runtime, its transaction (None for a query) and its time."""

    runtime: Runtime
    now: datetime
    transaction: FileTransaction | None = None
    locked: frozenset[Ref[Document]] = frozenset()
    """The locked documents: read with the staged changes. Others are read from disk."""
    may_write: bool = True
    """False for a query. Without a transaction, the first write asks for one (`Undeclared`)."""
    effects: Effects = field(default_factory=Effects)
    tape: Tape | None = None

    def at(self, place: WorkspacePlace) -> LocatedWork:
        """This operation in a workspace."""
        shared = {name: getattr(self, name) for name in Work.__struct_fields__}
        return LocatedWork(**shared, place=place)

    def new_id(self, prefix: str) -> str:
        """A new id; every attempt of one call gets the same one."""
        return (self.tape or self.runtime.ids).new(prefix)

    @property
    def settings(self) -> Settings:
        return self.runtime.settings

    @property
    def store(self) -> FileStore:
        """What is read and written without the transaction."""
        return self.runtime.store

    @property
    def redact(self) -> Callable[[str], str]:
        """Takes secrets out of a text (TR-1)."""
        return self.runtime.redactor.text

    @property
    def moment(self) -> str:
        """`now` in the format of the files."""
        return iso(self.now)

    def read(self, ref: Ref[D]) -> Reading[D]:
        """The document in force, including the staged changes of this transaction."""
        if self.transaction is not None and ref in self.locked:
            return self.transaction.read(ref)
        return self.runtime.store.read(ref)

    def put(self, ref: Ref[D], document: D, *, absorbs: bool = False) -> None:
        """Stage a document. absorbs: the document already contains the outside edit."""
        self._holding(ref).put(ref, document, absorbs=absorbs)

    def delete(self, ref: Ref[Document]) -> None:
        self._holding(ref).delete(ref)

    def lock(self, refs: Iterable[Ref[Document]]) -> None:
        """Lock these documents, in one restart: an operation that writes many of one kind must not
        restart for each."""
        self._holding(*refs)

    def notify(self, slug: str, name: str = "") -> None:
        """A document changed that belongs to no workspace."""
        self.effects.changes.append(DocumentChange("", slug, name))

    def _holding(self, *refs: Ref[Document]) -> FileTransaction:
        transaction = self._writing(*refs)
        if not self.locked.issuperset(refs):
            raise Undeclared(refs)
        return transaction

    def _writing(self, *refs: Ref[Document]) -> FileTransaction:
        if not self.may_write:
            raise RuntimeError("this operation declared no refs, so it may not write")
        if self.transaction is None:
            raise Undeclared(refs)
        return self.transaction


class LocatedWork(Work, kw_only=True):
    """A running operation in one workspace. Two of one operation share its transaction, its effects
    and its ids."""

    place: WorkspacePlace

    @property
    def key(self) -> str:
        return self.place.key

    def notify(self, slug: str, name: str = "") -> None:
        """A document of the workspace changed."""
        self.effects.changes.append(DocumentChange(self.key, slug, name))

    def log(self, facts: Sequence[Fact], *, session: str = "") -> tuple[str, ...]:
        """Stage evidence and return the record ids in order. Redacts the details (EV-1)."""
        return tuple([self.log_as(self.new_id("e_"), fact, session) for fact in facts])

    def log_as(self, event_id: str, fact: Fact, session: str = "") -> str:
        """Stage a record under an id that other records of this operation name already."""
        record = EvidenceRecord(
            event_id=event_id,
            created_at=self.moment,
            workspace_key=self.key,
            producer_version=self.runtime.process.version,
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
        """The value without secrets, cut to `LONGEST_QUOTE`. A second check: rules already get
        redacted text. Ids, codes and numbers pass unchanged."""
        if isinstance(value, str) and len(value) >= SHORTEST_QUOTE:
            redacted = self.runtime.redactor.text(value)
            cut = redacted[:LONGEST_QUOTE]
            return redacted if cut == redacted else f"{cut}…"
        return value


class Undeclared(Exception):  # control flow: the batch restarts with more locks
    """An operation writes documents that are not locked: its refs do not name them, or another
    update, perhaps of the same batch, made them out of date. The batch restarts with these
    locked. refs: none for evidence, which needs a transaction and no lock."""

    def __init__(self, refs: Sequence[Ref[Document]]) -> None:
        super().__init__(refs)
        self.refs = refs


def granted(result: T | Refusal) -> T:
    """The result of a rule. Raises UserError for a refusal."""
    if isinstance(result, Refusal):
        raise UserError(result.message, fix=result.fix)
    return result


class Tape(Ids):
    """The ids of one call. Every attempt gets the same ids, so that it writes the documents that
    the attempt before asked to lock by the name of a new entry."""

    def __init__(self, source: Ids) -> None:
        self._source = source
        self._drawn: list[str] = []
        self._at = 0

    def new(self, prefix: str) -> str:
        if self._at == len(self._drawn):
            self._drawn.append(self._source.new(""))
        self._at += 1
        return prefix + self._drawn[self._at - 1]

    def rewound(self) -> Tape:
        """The tape at its start, for the next attempt."""
        self._at = 0
        return self


class DocumentChange(Struct, frozen=True):
    """A document that an operation changed, for `/v1/changes`."""

    workspace: str
    slug: str
    name: str = ""


def _as_it_is(_runtime: Runtime, given: Any) -> Any:
    """The value itself: most requests need no parsing and no preparation."""
    return given


def _workspace_of(runtime: Runtime, parsed: Any) -> str:
    """The queue key of a request that names a workspace (`wm.api.protocol.Scoped`)."""
    return _place_of(runtime, parsed).key if hasattr(parsed, "explicit") else ""


def _place_of(runtime: Runtime, request: Any) -> WorkspacePlace:
    from wm.ops.place import locate  # starting a daemon does not need the models that it loads

    return locate(runtime, request)


def located(run: Callable[[LocatedWork, Q], A]) -> Callable[[Work, Q], A]:
    """The `run` of an operation whose request names a workspace: the work begins there."""
    return lambda work, request: run(work.at(_place_of(work.runtime, request)), request)


def home_queue(_runtime: Runtime, _request: object) -> str:
    """The queue key of what belongs to no workspace."""
    return "home"


def as_written(_runtime: Runtime, _request: object) -> Sequence[Ref[Document]]:
    """The refs of an operation that writes little and seldom: locked when it writes."""
    return ()


class Operation(Struct, Generic[Q, A], frozen=True, eq=False):
    """A use case. Each step gets the result of the step before; most steps return the request as
    is.

    parse: turn the request into what the other steps need. Runs once, on arrival, in the receiving
    thread. Must be cheap. queue: the queue key of a parsed request. Updates with one key run in
    order and share a flush. Default: the workspace of the request. at_once: for a request whose
    caller need not wait, the answer to give on queueing and the request marked as answered; None:
    the caller waits. The answer does not promise durability (ST-1). prepare: all work that needs no
    lock: normalise, redact, find the documents. Runs once; every attempt uses its result. refs: the
    documents that a prepared request usually writes; None for a query. Others are locked when `run`
    writes them, by running it again (`Undeclared`), so refs must name what a side effect outside
    the transaction needs. run: the work on a prepared request, under the locks.
    """

    name: str
    request: type[Q]
    response: type[A]
    run: Callable[[Work, Any], A]
    refs: Callable[[Runtime, Any], Sequence[Ref[Document]]] | None = None
    queue: Callable[[Runtime, Any], str] = _workspace_of
    at_once: Callable[[Runtime, Any], tuple[A, Any] | None] | None = None
    parse: Callable[[Runtime, Q], Any] = _as_it_is
    prepare: Callable[[Runtime, Any], Any] = _as_it_is
    completes: bool = False
    """As a step of `Effects.later`: its error is the error of the operation that asked for it."""

    @property
    def writes(self) -> bool:
        return self.refs is not None

    def requested(self, fields: Mapping[str, Any]) -> Q:
        """The request of these plain JSON values. Raises HostError (422), which names places and
        reasons, never a value: refusals may be logged (TR-1)."""
        try:
            return self.request.model_validate(dict(fields))
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False, include_context=False)
            places = (".".join(map(str, one["loc"])) or "request" for one in problems)
            words = [f"{at}: {one['msg']}" for at, one in zip(places, problems[:5], strict=False)]
            more = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
            message = f"The request is not valid: {'; '.join(words)}{more}."
            raise HostError(message).with_status(422, "invalid_request") from None


class Done(Struct, Generic[A], frozen=True):
    """The result of one operation of a batch: `response`, or the `error` that it raised."""

    response: A | None
    error: Exception | None = None
    effects: Effects = field(default_factory=Effects)


class Call(Struct, frozen=True):
    """One prepared operation of a batch; all attempts share it."""

    operation: Operation[Any, Any]
    prepared: Any
    tape: Tape
    refs: Sequence[Ref[Document]] = ()
    refused: Done[Any] | None = None
    """Set if the preparation refused the request; the operation is then not run."""


def execute(runtime: Runtime, operation: Operation[Q, A], request: Q) -> A:
    """Run one operation. Raises its error; nothing is written then, unless it is the error of a
    later step (`Operation.completes`)."""
    done = execute_batch(runtime, [(operation, operation.parse(runtime, request))])[0]
    if done.error is not None:
        raise done.error
    response: A | None = done.response
    assert response is not None
    return response


def execute_batch(
    runtime: Runtime, calls: Sequence[tuple[Operation[Any, Any], Any]]
) -> list[Done[Any]]:
    """Run operations on parsed requests in order in one transaction; return once all are durable.

    An operation that raises is rolled back alone. If the commit fails, every operation without an
    error of its own gets the error of the commit. Queries may be mixed in; they see the changes of
    the operations before them.
    """
    return _run_all(runtime, [_prepared(runtime, *call) for call in calls])


def _prepared(runtime: Runtime, operation: Operation[Any, Any], parsed: Any) -> Call:
    tape = Tape(runtime.ids)
    try:
        prepared = operation.prepare(runtime, _safely_named(runtime, parsed))
        refs = operation.refs(runtime, prepared) if operation.refs else ()
    except WmError as error:
        return Call(operation, parsed, tape, refused=Done(None, error))
    return Call(operation, prepared, tape, refs)


Attempt = tuple[list[Done[Any]], list[Undeclared]]
"""The results, or what lacked a lock; then nothing was written."""


def _run_all(runtime: Runtime, calls: Sequence[Call]) -> list[Done[Any]]:
    refs = dict.fromkeys(ref for call in calls for ref in call.refs)
    attempt = _run_together if refs else _run_unlocked
    for _ in range(TRIES):
        results, missing = attempt(runtime, calls, refs)
        if not missing:
            return [_finished(runtime, done) if done.effects.later else done for done in results]
        refs.update(dict.fromkeys(ref for more in missing for ref in more.refs))
        attempt = _run_together
    lost = Conflict.of("store.keeps_changing")
    return [Done(response=None, error=lost) for _ in calls]


def _finished(runtime: Runtime, done: Done[Any]) -> Done[Any]:
    """Run the later steps of an operation."""
    error = done.error
    for operation, request in done.effects.later:
        try:
            execute(runtime, operation, request)
        except WmError as failed:
            error = failed if operation.completes else error
    response = done.response if error is None else None
    return replace(done, error=error, response=response)


def _safely_named(runtime: Runtime, parsed: Any) -> Any:
    """The request with a session id that is safe to store: the same id always gets the same label.
    An operation with a `parse` step of its own does this itself."""
    if not isinstance(parsed, Record):
        return parsed
    # Not `getattr`: on a pydantic model a missing field costs ten times as much as a present one.
    fields = parsed.__dict__
    if extra := parsed.__pydantic_extra__:
        fields = {**extra, **fields}
    for field_name in ("session_id", "session"):
        given = fields.get(field_name)
        if isinstance(given, str) and given:
            name = runtime.redacted_name(given)
            if name != given:
                return parsed.model_copy(update={field_name: name})
    return parsed


def _run_unlocked(
    runtime: Runtime, calls: Sequence[Call], _refs: Iterable[Ref[Document]]
) -> Attempt:
    return _run_calls(calls, Work(runtime, runtime.now()))


def _run_together(
    runtime: Runtime, calls: Sequence[Call], refs: Iterable[Ref[Document]]
) -> Attempt:
    ordered = sorted(refs, key=lambda r: (r.workspace, WRITE_ORDER.index(r.model), r.name))
    locked = frozenset(ordered)
    results: list[Done[Any]] = []
    try:
        with runtime.store.transaction(ordered) as transaction:
            begin = transaction.savepoint()
            results, missing = _run_calls(calls, Work(runtime, runtime.now(), transaction, locked))
            if missing:
                transaction.rollback(begin)
                return [], missing
            transaction.commit()
    except Unwritable as error:
        # One operation made a document that cannot be stored; run each alone so that the others
        # succeed.
        if len(calls) == 1:
            return [Done(response=None, error=error)], []
        return [done for call in calls for done in _run_all(runtime, [call])], []
    except WmError as error:
        # The lock or the disk failed: nothing was acknowledged, so every operation gets the error.
        failed = results or [Done(response=None, error=None)] * len(calls)
        return [Done(response=None, error=done.error or error) for done in failed], []
    if any(done.effects.flush for done in results):
        # The changes are committed. The store retries a failed flush: the data still counts as
        # unflushed.
        with contextlib.suppress(StoreError):
            runtime.store.flush()
    return results, []


def _run_calls(calls: Sequence[Call], shared: Work) -> Attempt:
    """Run each call on a Work of its own, like the shared one."""
    missing: list[Undeclared] = []
    results: list[Done[Any]] = []
    for call in calls:
        work = Work(
            shared.runtime,
            shared.runtime.now(),
            shared.transaction,
            shared.locked,
            call.operation.writes,
            tape=call.tape.rewound(),
        )
        try:
            results.append(call.refused or _run_one(work, call))
        except Undeclared as more:
            missing.append(more)
    return results, missing


def _run_one(work: Work, call: Call) -> Done[Any]:
    """Run an operation; take back what it staged if it fails."""
    mark = work.transaction.savepoint() if work.transaction is not None else None
    try:
        response = call.operation.run(work, call.prepared)
    except (WmError, Undeclared) as error:
        if work.transaction is not None and mark is not None:
            work.transaction.rollback(mark)
        if isinstance(error, WmError):
            return Done(None, error)
        raise
    return Done(response, None, work.effects)
