"""Write the handoff of a project, and request that the next session receives it (CT-3).

`domain.contract.handoff` composes the page; unchanged sources write no byte. A contract with
faults produces no handoff, because the page must not repeat its errors.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from wm.api.contract import HandoffAnswer, HandoffRequest
from wm.domain.contract import handoff as pages
from wm.domain.contract.handoff import MARK, Handoff, Sources
from wm.errors import Conflict, NotFound, UserError
from wm.formats.base import Document
from wm.formats.contract_record import AskedHandoff, ContractRecord
from wm.formats.core_memory import CoreMemory
from wm.formats.session_contract import FILE
from wm.formats.session_state import SessionState
from wm.ops.contract.contract import open_contract
from wm.ops.contract.contract_file import contract_queue, record_ref
from wm.ops.contract.project_files import contract_file, handoff_file
from wm.ops.operation import LocatedWork, Operation, Work, located
from wm.ops.place import locate
from wm.ops.runtime import Runtime
from wm.ops.session.hot_state import latest, readable_sessions
from wm.store.base import Ref
from wm.store.identity import shown
from wm.store.paths import sid
from wm.store.project import ProjectFile

MAX_BYTES = 1024 * 1024
"""A longer page was not written by wm."""
TRIES = 3


def _handoff(work: LocatedWork, request: HandoffRequest) -> HandoffAnswer:
    file = handoff_file(work.place, request.directory)
    sources = _sources(work, request)
    made = pages.compose(sources, work.settings.contract, work.settings.session)
    changed = request.write and _written(file, made, force=request.force)
    asked = _update_request(work, file.root, request)
    state = sources.session
    return HandoffAnswer(
        file=shown(file.path),
        text=made.text,
        current=changed or file.read(MAX_BYTES) == made.text.encode("utf-8"),
        changed=changed,
        session=state.session_id if state is not None else "",
        omitted=dict(made.omitted),
        asked=asked,
    )


def _written(file: ProjectFile, made: Handoff, *, force: bool) -> bool:
    """Write the page if it changed; were bytes written? Raises Trouble, and UserError for a page
    that wm did not write."""
    for _ in range(TRIES):
        before = file.read(MAX_BYTES)
        text = made.text.encode("utf-8")
        if before == text:
            return False
        foreign = before is not None and before.strip() and not before.startswith(MARK.encode())
        if foreign and not force:
            raise UserError.of("handoff.foreign_file", path=shown(file.path))
        if file.replace(text, over=before):
            return True
    raise Conflict.of("handoff.busy", path=shown(file.path))


# --- sources ------------------------------------------------------------------------------


def _sources(work: LocatedWork, request: HandoffRequest) -> Sources:
    """Raises UserError for a contract with faults, and if nothing is known about the work."""
    root = contract_file(work.place, request.directory).root
    state = _session(work, root, request.session)
    contract = _contract(work, request)
    core = None
    if state is not None:
        core = work.read(Ref(CoreMemory, work.key, sid(state.session_id))).document
    project = shown(os.path.basename(root))
    found = Sources(work.redact(project), FILE, contract, state, core)
    if found.empty:
        raise NotFound.of("handoff.nothing_known", root=shown(root))
    return found


def _contract(work: Work, request: HandoffRequest) -> dict[str, object] | None:
    contract = open_contract(work, request)
    if not contract.file.exists:
        return None
    faults = contract.faults()
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise UserError.of(
            "handoff.faulty_contract", placed=faults[0].placed, more=more, fix=faults[0].fix
        )
    return contract.content()


def _session(work: LocatedWork, root: str, wanted: str) -> SessionState | None:
    """The requested session, else the newest session of the project that is not a subagent's."""

    def is_here(state: SessionState) -> bool:
        placed = not state.subagent and (state.root or work.place.root)
        return bool(placed) and contract_file(work.place, state.root).root == root

    if not wanted:
        return latest(work, is_here)
    mains = (s for s in readable_sessions(work) if not s.subagent)
    named = [s for s in mains if s.session_id.startswith(wanted)]
    exact = [s for s in named if s.session_id == wanted] or named
    if len(exact) != 1:
        how = f"matches {len(exact)} sessions" if exact else "matches no session here"
        raise NotFound.of("handoff.which_session", wanted=wanted, how=how)
    return exact[0]


# --- for the next session -----------------------------------------------------------------


def _update_request(work: LocatedWork, root: str, request: HandoffRequest) -> bool:
    """Does the next session receive the page, after this request?"""
    folder = shown(root)
    record = work.read(record_ref(work.key)).document or ContractRecord()
    is_asked = any(one.folder == folder for one in record.asked)
    if request.next == is_asked or not (request.next or request.withdraw):
        return is_asked
    others = tuple(one for one in record.asked if one.folder != folder)
    added = (AskedHandoff(folder=folder, at=work.moment),) if request.next else ()
    work.put(record_ref(work.key), record.model_copy(update={"asked": (*others, *added)}))
    work.notify(ContractRecord.slug)
    return request.next


def _refs(runtime: Runtime, request: HandoffRequest) -> Sequence[Ref[Document]]:
    """The record is locked only to change it: writing the page alone needs no lock."""
    wants = request.next or request.withdraw
    return (record_ref(locate(runtime, request).key),) if wants else ()


handoff = Operation(
    "handoff", HandoffRequest, HandoffAnswer, located(_handoff), _refs, contract_queue
)
