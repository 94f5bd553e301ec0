"""The session contract of a project: look, make, change, accept, count compactions (CT-1, CT-2).

Every write of `wm` holds the workspace's contract record, so that no two of ours meet; the file
is written before the record, so that a crash between them leaves a file that says more than is
known of it, which is no fault. People and agents edit the file as they like. A contract with
faults is never rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from wm.domain.facts import Fact, Refusal
from wm.domain.session import contract, contract_edit, contract_text
from wm.domain.session.contract_text import Text
from wm.domain.times import iso
from wm.errors import Conflict, NotFound, UserError
from wm.formats.base import Document, Record
from wm.formats.contract import (
    AcceptContract,
    ChangeRequest,
    ContractAnswer,
    ContractChanged,
    ContractFault,
    ContractRequest,
    CountRequest,
    InitRequest,
)
from wm.formats.contract_record import KEPT, ContractRecord, CountedSession, KnownContract
from wm.formats.protocol import Place, Scoped
from wm.formats.session_contract import FILE, MAX_BYTES
from wm.ops.base import Operation, Work
from wm.ops.contract_file import contract_file, record_ref
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.store.base import Ref
from wm.store.identity import shown
from wm.store.paths import sid
from wm.store.project import ProjectFile, Trouble

KEPT_SESSIONS = 20
"""Sessions whose compactions one contract is known to have counted."""

SCAFFOLDED = 'The goal is still the sentence of `wm state init`: `wm state set goal "…"`.'


def read_contract(file: ProjectFile) -> tuple[bytes | None, Text]:
    """The bytes of a contract and what they say; faults of the file are faults of the text."""
    try:
        raw = file.read(MAX_BYTES)
    except Trouble as trouble:
        fault = contract_text.whole(trouble.kind, trouble.message, trouble.fix)
        return None, Text("", None, (fault,))
    if raw is None:
        return None, Text("", None, (_missing(file),))
    return raw, contract_text.read(raw)


def _missing(file: ProjectFile) -> ContractFault:
    return contract_text.whole(
        "no_contract",
        f"There is no {FILE} in {shown(file.root)}.",
        "`wm state init` makes one.",
    )


def faults_of(
    work: Work, place: Place, file: ProjectFile, text: Text, *, before: str = ""
) -> tuple[ContractFault, ...]:
    """Every fault, also against what is known and, where it is given, an earlier text."""
    digest = work.runtime.store.digest
    facts = contract.Facts(
        now=work.now,
        is_secret=lambda said: bool(work.runtime.redactor.find(said)),
        digest=digest,
        known=known_of(work, place, file),
    )
    found = contract.check(text, facts)
    if not before or text.tree is None:
        return found
    earlier = contract.as_known(contract_text.read(before.encode("utf-8")), digest)
    if earlier is None:
        raise UserError(
            "The earlier state is no contract that can be read.",
            fix=f"Give one as it was: `git show REF:{FILE}`.",
        )
    again = contract.check(text, contract.against(facts, earlier))
    return (*found, *(fault for fault in again if fault not in found))


def known_of(work: Work, place: Place, file: ProjectFile) -> KnownContract | None:
    """What `wm` knows of a contract on this branch."""
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
        exists=raw is not None or file.stands,
        valid=not faults,
        faults=faults,
        notes=_notes(said),
        contract=shown_contract(work, said),
    )


def _notes(said: object) -> tuple[str, ...]:
    goal = said.get("goal") if isinstance(said, dict) else None
    return (SCAFFOLDED,) if goal == contract_edit.NO_GOAL else ()


def shown_contract(work: Work, said: object) -> dict[str, object] | None:
    """What a contract says, without secrets and without numbers that no JSON holds."""
    if not isinstance(said, dict):
        return None
    plain = contract.printable(said)
    redacted = work.runtime.redactor.value(plain)
    assert isinstance(redacted, dict)
    return redacted


# --- changing -----------------------------------------------------------------------------


def _init(work: Work, request: InitRequest) -> ContractChanged:
    place = locate(work.runtime, request)
    file = contract_file(place, request.directory)
    if file.stands:
        raise UserError(
            f"{shown(file.path)} exists already, and is left as it is.",
            fix="`wm state show` and `wm state validate` look at it.",
        )
    text = contract_edit.scaffold(
        request.goal.strip(), request.phase.strip(), version=work.runtime.version, now=work.now
    )
    _save(work, place, file, None, text)
    said = f"{shown(file.path)} is there; commit it if others should work by it."
    return _answer(work, file, "", text, changed=True, message=said)


def _change(work: Work, request: ChangeRequest) -> ContractChanged:
    place = locate(work.runtime, request)
    file = contract_file(place, request.directory)
    raw, text = read_contract(file)
    if raw is None or not text.sound:
        _refuse(faults_of(work, place, file, text), stands=True)
    done = contract_edit.changed(
        text.text,
        request.field,
        request.change,
        request.values,
        version=work.runtime.version,
        now=work.now,
    )
    if isinstance(done, Refusal):
        raise UserError(done.message, fix=done.fix)
    if done == text.text:
        said = f"{request.field} said so already; nothing was written."
        return _answer(work, file, request.field, done, changed=False, message=said)
    _save(work, place, file, raw, done)
    said = f"{request.field} is written."
    return _answer(work, file, request.field, done, changed=True, message=said)


def _answer(
    work: Work, file: ProjectFile, field: str, text: str, *, changed: bool, message: str
) -> ContractChanged:
    tree = contract_text.read(text.encode("utf-8")).tree
    return ContractChanged(
        file=shown(file.path),
        field=field,
        changed=changed,
        message=message,
        contract=shown_contract(work, tree.value if tree else None) or {},
    )


def _save(work: Work, place: Place, file: ProjectFile, raw: bytes | None, text: str) -> None:
    """Write the text, and know it. Raises UserError for one that is no sound contract."""
    made = contract_text.read(text.encode("utf-8", "surrogatepass"))
    faults = faults_of(work, place, file, made)
    if faults:
        _refuse(faults)
    _write(file, raw, text)
    _know(work, place, file, made)


def _write(file: ProjectFile, raw: bytes | None, text: str) -> None:
    if not file.replace(text.encode("utf-8"), over=raw):
        raise Conflict(
            f"{shown(file.path)} was changed by somebody else in this moment.",
            fix="Look at it, and do it again.",
        )


def _refuse(faults: Sequence[ContractFault], *, stands: bool = False) -> NoReturn:
    """Raises UserError with the first fault, and how many there are.

    stands: the text is what the file holds, so that the fault has a place in it.
    """
    first = faults[0]
    if first.code == "no_contract":
        raise NotFound(first.message, fix=first.fix)
    more = f" (and {len(faults) - 1} more: wm state validate)" if len(faults) > 1 else ""
    said = first.placed if stands else first.message
    raise UserError(f"Nothing was written: {said}{more}", fix=first.fix)


def _know(work: Work, place: Place, file: ProjectFile, text: Text) -> None:
    """The reviews and the count that are in the file now, for the next look."""
    found = contract.as_known(text, work.runtime.store.digest)
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


def _keep(work: Work, place: Place, mine: KnownContract) -> None:
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
    others = [fault for fault in faults if fault.code not in contract.AGAINST_KNOWN]
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
    """Raise the count by the compactions of this session that are not in it yet. A contract with
    faults stays as it is; those of the session are counted when it is mended."""
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
    count = contract.count_of(text.tree) + new
    try:
        _write(file, raw, contract_edit.put(text.text, "compaction_count", count))
    except (Trouble, Conflict) as error:
        fault = contract_text.whole(error.code, error.message, error.fix)
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
    place: Place,
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


def _refs(runtime: Runtime, request: Scoped) -> Sequence[Ref[Document]]:
    return (record_ref(locate(runtime, request).key),)


def _queue(runtime: Runtime, request: Scoped) -> str:
    return f"contract:{locate(runtime, request).key}"


show_contract = Operation("show_contract", ContractRequest, ContractAnswer, _show)
init_contract = Operation("init_contract", InitRequest, ContractChanged, _init, _refs, _queue)
change_contract = Operation(
    "change_contract", ChangeRequest, ContractChanged, _change, _refs, _queue
)
accept_contract = Operation(
    "accept_contract", AcceptContract, ContractAnswer, _accept, _refs, _queue
)
count_compaction = Operation("count_compaction", CountRequest, Record, _count, _refs)
