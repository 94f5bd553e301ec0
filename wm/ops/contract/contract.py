"""The session contract of a project: show, create, change, accept, count compactions (CT-1, CT-2).

Every write of `wm` holds the lock of the workspace's contract record, so that two writers never
meet. The contract is written before the record: after a crash between them the file says more
than the record, which is harmless. People and agents edit the file freely. A contract with faults
is never rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

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
from wm.api.protocol import Scoped
from wm.domain.contract import edit, parse, validate
from wm.domain.contract.parse import Text
from wm.domain.facts import Detail, Fact
from wm.errors import Conflict, NotFound, UserError
from wm.formats.base import Record
from wm.formats.contract_record import KEPT, ContractRecord, CountedSession, KnownContract
from wm.formats.session_contract import FILE, MAX_BYTES
from wm.ops.contract.contract_file import contract_queue, record_ref, record_refs
from wm.ops.contract.project_files import contract_file
from wm.ops.operation import LocatedWork, Operation, Work, granted
from wm.ops.place import locate
from wm.store.identity import shown
from wm.store.paths import sid
from wm.store.project import ProjectFile, Trouble

KEPT_SESSIONS = 20
"""Number of sessions whose counted compactions are remembered per contract."""

SCAFFOLDED = 'The goal is still the sentence of `wm state init`: `wm state set goal "…"`.'


class OpenContract(Struct, frozen=True):
    """The contract of a project as it was read. raw: None if it could not be read; read errors are
    faults of the text."""

    work: LocatedWork
    file: ProjectFile
    raw: bytes | None
    text: Text

    @property
    def path(self) -> str:
        return shown(self.file.path)

    def known(self) -> KnownContract | None:
        """The recorded state of this branch's contract; None if there is none."""
        record = self.work.read(record_ref(self.work.key)).document or ContractRecord()
        own = (self.path, self.work.place.branch)
        return next((c for c in record.contracts if (c.path, c.branch) == own), None)

    def faults(self, text: Text | None = None, *, before: str = "") -> tuple[ContractFault, ...]:
        """Every fault of the text (default: the file's), including those against the recorded
        state and, if given, an earlier text."""
        text, digest = text or self.text, self.work.store.digest
        redactor = self.work.runtime.redactor
        facts = validate.ContractFacts(
            now=self.work.now,
            is_secret=lambda value: bool(redactor.find(value)),
            digest=digest,
            known=self.known(),
        )
        found = validate.check(text, facts)
        if not before or text.tree is None:
            return found
        earlier = validate.state_to_record(parse.read(before.encode("utf-8")), digest)
        if earlier is None:
            raise UserError.of("state.no_contract_before", file=FILE)
        again = validate.check(text, replace(facts, known=earlier))
        return (*found, *(fault for fault in again if fault not in found))

    def content(self, text: Text | None = None) -> dict[str, object] | None:
        """The contract for display: no secrets, and no numbers that JSON cannot express."""
        tree = (text or self.text).tree
        if tree is None or not isinstance(tree.value, dict):
            return None
        redacted = self.work.runtime.redactor.value(validate.printable(tree.value))
        assert isinstance(redacted, dict)
        return redacted


def open_contract(work: Work, request: Scoped) -> OpenContract:
    """The contract of the project that a request names."""
    work = work.at(locate(work.runtime, request))
    file = contract_file(work.place, request.directory)
    raw = None
    try:
        raw = file.read(MAX_BYTES)
        fault = parse.file_fault(
            "no_contract",
            f"There is no {FILE} in {shown(file.root)}.",
            "`wm state init` creates one.",
        )
    except Trouble as trouble:
        fault = parse.file_fault(trouble.kind, trouble.message, trouble.fix)
    text = parse.read(raw) if raw is not None else Text("", None, (fault,))
    return OpenContract(work, file, raw, text)


# --- looking ------------------------------------------------------------------------------


def _show(work: Work, request: ContractRequest) -> ContractAnswer:
    return _as_answer(open_contract(work, request), request.before)


def _as_answer(contract: OpenContract, before: str = "") -> ContractAnswer:
    faults = contract.faults(before=before)
    content = contract.content()
    return ContractAnswer(
        file=contract.path,
        exists=contract.raw is not None or contract.file.exists,
        valid=not faults,
        faults=faults,
        notes=(SCAFFOLDED,) if (content or {}).get("goal") == edit.NO_GOAL else (),
        contract=content,
    )


# --- changing -----------------------------------------------------------------------------


def _init(work: Work, request: InitRequest) -> ContractChanged:
    contract = open_contract(work, request)
    version = work.runtime.process.version
    goal, phase = request.goal.strip(), request.phase.strip()
    text = edit.scaffold(goal, phase, version=version, now=work.now)
    if not contract.file.exists:
        _save(contract, text)
    elif _is_unrecorded(contract, text):
        text = contract.text.text
        _record(contract, contract.text)
    else:
        raise UserError.of("state.exists", path=contract.path)
    message = f"{contract.path} was created; commit it to share it with others."
    return _changed(contract, "", text, changed=True, message=message)


def _is_unrecorded(contract: OpenContract, text: str) -> bool:
    """Whether an earlier request for this text wrote the file, and failed before its record."""
    found, wanted = contract.content(), parse.read(text.encode("utf-8")).tree
    if found is None or wanted is None or contract.known() is not None:
        return False
    own = {name: found.get(name) for name in ("last_updated", "plugin_version")}
    return found == {**wanted.value, **own} and not contract.faults()


def _change(work: Work, request: ChangeRequest) -> ContractChanged:
    contract = open_contract(work, request)
    before = contract.text.text
    if contract.raw is None or not contract.text.sound:
        _refuse(contract.faults(), in_file=True)
    done = edit.changed(
        before,
        request.field,
        request.change,
        request.values,
        version=work.runtime.process.version,
        now=work.now,
    )
    after = granted(done)
    if after == before:
        message = f"{request.field} already says so; nothing was written."
    else:
        _save(contract, after)
        message = f"{request.field} was written."
    return _changed(contract, request.field, after, changed=after != before, message=message)


def _changed(
    contract: OpenContract, field: str, text: str, *, changed: bool, message: str
) -> ContractChanged:
    return ContractChanged(
        file=contract.path,
        field=field,
        changed=changed,
        message=message,
        contract=contract.content(parse.read(text.encode("utf-8"))) or {},
    )


def _save(contract: OpenContract, text: str) -> None:
    """Write the text and record it. Raises UserError for a text with faults."""
    made = parse.read(text.encode("utf-8", "surrogatepass"))
    faults = contract.faults(made)
    if faults:
        _refuse(faults)
    _write(contract, text)
    _record(contract, made)


def _write(contract: OpenContract, text: str) -> None:
    if not contract.file.replace(text.encode("utf-8"), over=contract.raw):
        raise Conflict.of("state.changed_meanwhile", path=contract.path)


def _refuse(faults: Sequence[ContractFault], *, in_file: bool = False) -> NoReturn:
    """Raises UserError with the first fault and the number of faults.

    in_file: the text is the file's content, so the fault has a line in it.
    """
    first = faults[0]
    if first.code == "no_contract":
        raise NotFound(first.message, fix=first.fix)
    more = f" (and {len(faults) - 1} more: wm state validate)" if len(faults) > 1 else ""
    message = first.placed if in_file else first.message
    raise UserError(f"Nothing was written: {message}{more}", fix=first.fix)


def _record(contract: OpenContract, text: Text, session: CountedSession | None = None) -> None:
    """Record the reviews and the count that the file now has, and a session's counted
    compactions."""
    work = contract.work
    found = validate.state_to_record(text, work.store.digest)
    assert found is not None
    known = contract.known()
    about = {
        "path": contract.path,
        "branch": contract.work.place.branch,
        "at": work.moment,
        "sessions": known.sessions if known is not None else (),
    }
    _keep(contract, found.model_copy(update=about), session)


def _keep(
    contract: OpenContract, mine: KnownContract, session: CountedSession | None = None
) -> None:
    if session is not None:
        others = [one for one in mine.sessions if one.sid != session.sid]
        mine = mine.model_copy(update={"sessions": (*others, session)[-KEPT_SESSIONS:]})
    work, key = contract.work, contract.work.key
    record = work.read(record_ref(key)).document or ContractRecord()
    contracts = [c for c in record.contracts if (c.path, c.branch) != (mine.path, mine.branch)]
    kept = (*contracts, mine)[-KEPT:]
    work.put(record_ref(key), record.model_copy(update={"contracts": kept}))
    work.notify(ContractRecord.slug)


def _accept(work: Work, request: AcceptContract) -> ContractAnswer:
    contract = open_contract(work, request)
    known = contract.known() or KnownContract(path="")
    faults = contract.faults()
    is_deleted = bool(known.path) and not contract.file.exists
    others = [fault for fault in faults if fault.code not in validate.AGAINST_KNOWN]
    if others and not is_deleted:
        _refuse(others, in_file=True)
    if faults:
        details: dict[str, Detail] = {
            "file": contract.path,
            "reviewsBefore": len(known.reviews),
            "countBefore": known.compaction_count,
        }
        codes = tuple(dict.fromkeys(fault.code for fault in faults))
        fact = Fact("contract_accepted", "user", "changed", reason_codes=codes, details=details)
        contract.work.log([fact])
    if is_deleted:  # else no new one could be created: its reviews would be fewer
        _keep(contract, known.model_copy(update={"reviews": (), "compaction_count": 0}))
    else:
        _record(contract, contract.text)
    return _as_answer(contract)


# --- compactions --------------------------------------------------------------------------


def _count(work: Work, request: CountRequest) -> Record:
    """Raise the count by this session's uncounted compactions. A contract with faults stays as it
    is; they are counted once it is repaired."""
    contract = open_contract(work, request)
    session = sid(request.session_id)
    known = contract.known() or KnownContract(path=contract.path, branch=contract.work.place.branch)
    counted = next((one.count for one in known.sessions if one.sid == session), None)
    new = request.count - (request.count - 1 if counted is None else counted)
    if new <= 0:
        return Record()
    faults = contract.faults()
    if contract.raw is None or faults:
        _record_refusal(contract, session, faults)
        if counted is None:
            _keep(contract, known, CountedSession(sid=session, count=request.count - 1))
        return Record()
    assert contract.text.tree is not None
    count = validate.count_of(contract.text.tree) + new
    try:
        _write(contract, edit.put(contract.text.text, "compaction_count", count))
    except (Trouble, Conflict) as error:
        _record_refusal(contract, session, [parse.file_fault(error.code, error.message, error.fix)])
        return Record()
    made = open_contract(work, request).text
    text = made if made.sound else contract.text
    _record(contract, text, CountedSession(sid=session, count=request.count))
    fact = Fact("contract_counted", "compaction", "changed", details={"count": count})
    contract.work.log([fact], session=session)
    return Record()


def _record_refusal(contract: OpenContract, session: str, faults: Sequence[ContractFault]) -> None:
    codes = tuple(dict.fromkeys(fault.code for fault in faults))
    details: dict[str, Detail] = {
        "file": contract.path,
        "faults": len(faults),
        "fields": tuple(dict.fromkeys(fault.field for fault in faults))[:10],
    }
    fact = Fact(
        "contract_left_alone", "compaction", "rejected", reason_codes=codes, details=details
    )
    contract.work.log([fact], session=session)


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
