"""The session contract of a project: show, create, change, accept, count compactions (CT-1, CT-2).

Every write of `wm` holds the lock of the workspace's contract record, so that two writers never
meet. The contract is written before the record: after a crash between them the file says more
than the record, which is harmless. People and agents edit the file freely. A contract with faults
is never rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from wm.api.contract import (
    AcceptContract,
    ChangeRequest,
    ContractAnswer,
    ContractChanged,
    ContractFault,
    ContractRequest,
    CountRequest,
    InitRequest,
)
from wm.api.protocol import WorkspacePlace
from wm.domain.contract import edit, parse, validate
from wm.domain.contract.parse import Text
from wm.domain.facts import Fact
from wm.domain.times import iso
from wm.errors import Conflict, NotFound, UserError
from wm.formats.base import Record
from wm.formats.contract_record import KEPT, ContractRecord, CountedSession, KnownContract
from wm.formats.session_contract import FILE, MAX_BYTES
from wm.ops.contract.contract_file import (
    contract_file,
    contract_queue,
    record_ref,
    record_refs,
)
from wm.ops.operation import Operation, Work, granted
from wm.ops.place import locate
from wm.store.identity import shown
from wm.store.paths import sid
from wm.store.project import ProjectFile, Trouble

KEPT_SESSIONS = 20
"""Number of sessions whose counted compactions are remembered per contract."""

SCAFFOLDED = 'The goal is still the sentence of `wm state init`: `wm state set goal "…"`.'


def read_contract(file: ProjectFile) -> tuple[bytes | None, Text]:
    """The bytes of a contract and its parsed text; read errors are faults of the text."""
    try:
        raw = file.read(MAX_BYTES)
    except Trouble as trouble:
        fault = parse.whole(trouble.kind, trouble.message, trouble.fix)
        return None, Text("", None, (fault,))
    if raw is None:
        return None, Text("", None, (_missing(file),))
    return raw, parse.read(raw)


def _missing(file: ProjectFile) -> ContractFault:
    return parse.whole(
        "no_contract", f"There is no {FILE} in {shown(file.root)}.", "`wm state init` creates one."
    )


def faults_of(
    work: Work, place: WorkspacePlace, file: ProjectFile, text: Text, *, before: str = ""
) -> tuple[ContractFault, ...]:
    """Every fault, including those against the recorded state and, if given, an earlier text."""
    digest = work.runtime.store.digest
    facts = validate.ContractFacts(
        now=work.now,
        is_secret=lambda said: bool(work.runtime.redactor.find(said)),
        digest=digest,
        known=known_of(work, place, file),
    )
    found = validate.check(text, facts)
    if not before or text.tree is None:
        return found
    earlier = validate.as_known(parse.read(before.encode("utf-8")), digest)
    if earlier is None:
        raise UserError(
            "The earlier state is not a readable contract.",
            fix=f"Give one as it was: `git show REF:{FILE}`.",
        )
    again = validate.check(text, validate.against(facts, earlier))
    return (*found, *(fault for fault in again if fault not in found))


def known_of(work: Work, place: WorkspacePlace, file: ProjectFile) -> KnownContract | None:
    """The recorded state of this branch's contract; None if there is none."""
    record = work.read(record_ref(place.key)).document
    if record is None:
        return None
    path = shown(file.path)
    fits = (c for c in record.contracts if (c.path, c.branch) == (path, place.branch))
    return next(fits, None)


# --- looking ------------------------------------------------------------------------------


def _show(work: Work, request: ContractRequest) -> ContractAnswer:
    place = locate(work.runtime, request)
    file = contract_file(place, request.directory)
    raw, text = read_contract(file)
    faults = faults_of(work, place, file, text, before=request.before)
    said = text.tree.value if text.tree is not None else None
    return ContractAnswer(
        file=shown(file.path),
        exists=raw is not None or file.exists,
        valid=not faults,
        faults=faults,
        notes=_notes(said),
        contract=shown_contract(work, said),
    )


def _notes(said: object) -> tuple[str, ...]:
    goal = said.get("goal") if isinstance(said, dict) else None
    return (SCAFFOLDED,) if goal == edit.NO_GOAL else ()


def shown_contract(work: Work, said: object) -> dict[str, object] | None:
    """The contract for display: no secrets, and no numbers that JSON cannot hold."""
    if not isinstance(said, dict):
        return None
    plain = validate.printable(said)
    redacted = work.runtime.redactor.value(plain)
    assert isinstance(redacted, dict)
    return redacted


# --- changing -----------------------------------------------------------------------------


def _init(work: Work, request: InitRequest) -> ContractChanged:
    place = locate(work.runtime, request)
    file = contract_file(place, request.directory)
    if file.exists:
        raise UserError(
            f"{shown(file.path)} already exists; nothing was changed.",
            fix="See it with `wm state show`; check it with `wm state validate`.",
        )
    text = edit.scaffold(
        request.goal.strip(),
        request.phase.strip(),
        version=work.runtime.process.version,
        now=work.now,
    )
    _save(work, place, file, None, text)
    said = f"{shown(file.path)} was created; commit it to share it with others."
    return _answer(work, file, "", text, changed=True, message=said)


def _change(work: Work, request: ChangeRequest) -> ContractChanged:
    place = locate(work.runtime, request)
    file = contract_file(place, request.directory)
    raw, text = read_contract(file)
    if raw is None or not text.sound:
        _refuse(faults_of(work, place, file, text), stands=True)
    done = granted(
        edit.changed(
            text.text,
            request.field,
            request.change,
            request.values,
            version=work.runtime.process.version,
            now=work.now,
        )
    )
    if done == text.text:
        said = f"{request.field} already says so; nothing was written."
        return _answer(work, file, request.field, done, changed=False, message=said)
    _save(work, place, file, raw, done)
    said = f"{request.field} was written."
    return _answer(work, file, request.field, done, changed=True, message=said)


def _answer(
    work: Work, file: ProjectFile, field: str, text: str, *, changed: bool, message: str
) -> ContractChanged:
    tree = parse.read(text.encode("utf-8")).tree
    return ContractChanged(
        file=shown(file.path),
        field=field,
        changed=changed,
        message=message,
        contract=shown_contract(work, tree.value if tree else None) or {},
    )


def _save(
    work: Work, place: WorkspacePlace, file: ProjectFile, raw: bytes | None, text: str
) -> None:
    """Write the text and record it. Raises UserError for a text with faults."""
    made = parse.read(text.encode("utf-8", "surrogatepass"))
    faults = faults_of(work, place, file, made)
    if faults:
        _refuse(faults)
    _write(file, raw, text)
    _know(work, place, file, made)


def _write(file: ProjectFile, raw: bytes | None, text: str) -> None:
    if not file.replace(text.encode("utf-8"), over=raw):
        raise Conflict(
            f"{shown(file.path)} was changed by another program at the same time.",
            fix="Read the file, then try again.",
        )


def _refuse(faults: Sequence[ContractFault], *, stands: bool = False) -> NoReturn:
    """Raises UserError with the first fault and the number of faults.

    stands: the text is the file's content, so the fault has a line in it.
    """
    first = faults[0]
    if first.code == "no_contract":
        raise NotFound(first.message, fix=first.fix)
    more = f" (and {len(faults) - 1} more: wm state validate)" if len(faults) > 1 else ""
    said = first.placed if stands else first.message
    raise UserError(f"Nothing was written: {said}{more}", fix=first.fix)


def _know(work: Work, place: WorkspacePlace, file: ProjectFile, text: Text) -> None:
    """Record the reviews and the count that the file now holds."""
    found = validate.as_known(text, work.runtime.store.digest)
    assert found is not None
    before = known_of(work, place, file)
    mine = found.model_copy(
        update={
            "path": shown(file.path),
            "branch": place.branch,
            "at": iso(work.now),
            "sessions": before.sessions if before is not None else (),
        }
    )
    _keep(work, place, mine)


def _keep(work: Work, place: WorkspacePlace, mine: KnownContract) -> None:
    record = work.read(record_ref(place.key)).document or ContractRecord()
    same = (mine.path, mine.branch)
    others = [c for c in record.contracts if (c.path, c.branch) != same]
    contracts = (*others, mine)[-KEPT:]
    work.put(record_ref(place.key), record.model_copy(update={"contracts": contracts}))
    work.notify(place.key, ContractRecord.slug)


def _accept(work: Work, request: AcceptContract) -> ContractAnswer:
    place = locate(work.runtime, request)
    file = contract_file(place, request.directory)
    _raw, text = read_contract(file)
    known = known_of(work, place, file)
    faults = faults_of(work, place, file, text)
    others = [fault for fault in faults if fault.code not in validate.AGAINST_KNOWN]
    if others:
        _refuse(others, stands=True)
    if faults:
        fact = Fact(
            "contract_accepted",
            "user",
            "changed",
            reason_codes=tuple(dict.fromkeys(fault.code for fault in faults)),
            details={
                "file": shown(file.path),
                "reviewsBefore": len(known.reviews) if known is not None else 0,
                "countBefore": known.compaction_count if known is not None else 0,
            },
        )
        work.log(place.key, [fact])
    _know(work, place, file, text)
    return _show(work, ContractRequest(directory=request.directory, workspace=request.workspace))


# --- compactions --------------------------------------------------------------------------


def _count(work: Work, request: CountRequest) -> Record:
    """Raise the count by this session's uncounted compactions. A contract with faults stays as it
    is; they are counted once it is repaired."""
    place = locate(work.runtime, request)
    file = contract_file(place, request.directory)
    session = sid(request.session_id)
    before = known_of(work, place, file)
    counted = _counted(before, session)
    new = request.count - (request.count - 1 if counted is None else counted)
    if new <= 0:
        return Record()
    raw, text = read_contract(file)
    faults = faults_of(work, place, file, text)
    if raw is None or faults:
        _left_alone(work, place, file, session, faults)
        if counted is None:
            unseen = KnownContract(path=shown(file.path), branch=place.branch)
            _keep(work, place, _with_session(before or unseen, session, request.count - 1))
        return Record()
    assert text.tree is not None
    count = validate.count_of(text.tree) + new
    try:
        _write(file, raw, edit.put(text.text, "compaction_count", count))
    except (Trouble, Conflict) as error:
        fault = parse.whole(error.code, error.message, error.fix)
        _left_alone(work, place, file, session, (fault,))
        return Record()
    _raw, made = read_contract(file)
    _know(work, place, file, made if made.sound else text)
    known = known_of(work, place, file)
    assert known is not None
    _keep(work, place, _with_session(known, session, request.count))
    fact = Fact("contract_counted", "compaction", "changed", details={"count": count})
    work.log(place.key, [fact], session=session)
    return Record()


def _counted(known: KnownContract | None, session: str) -> int | None:
    sessions = known.sessions if known is not None else ()
    return next((one.count for one in sessions if one.sid == session), None)


def _with_session(known: KnownContract, session: str, count: int) -> KnownContract:
    others = [one for one in known.sessions if one.sid != session]
    sessions = (*others, CountedSession(sid=session, count=count))[-KEPT_SESSIONS:]
    return known.model_copy(update={"sessions": sessions})


def _left_alone(
    work: Work,
    place: WorkspacePlace,
    file: ProjectFile,
    session: str,
    faults: Sequence[ContractFault],
) -> None:
    fact = Fact(
        "contract_left_alone",
        "compaction",
        "rejected",
        reason_codes=tuple(dict.fromkeys(fault.code for fault in faults)),
        details={
            "file": shown(file.path),
            "faults": len(faults),
            "fields": tuple(dict.fromkeys(fault.field for fault in faults))[:10],
        },
    )
    work.log(place.key, [fact], session=session)


# --- operations ---------------------------------------------------------------------------


show_contract = Operation("show_contract", ContractRequest, ContractAnswer, _show)
init_contract = Operation(
    "init_contract", InitRequest, ContractChanged, _init, record_refs, contract_queue
)
change_contract = Operation(
    "change_contract", ChangeRequest, ContractChanged, _change, record_refs, contract_queue
)
accept_contract = Operation(
    "accept_contract", AcceptContract, ContractAnswer, _accept, record_refs, contract_queue
)
count_compaction = Operation("count_compaction", CountRequest, Record, _count, record_refs)
