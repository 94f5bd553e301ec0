"""Put the handoff into a new session's prompt, if requested (CT-3).

Anybody may have written a handoff, since it is a file of the repository. It is therefore inserted
as quoted data, escaped so that a client interprets no line of it, and its words count as foreign
in the session (TR-3). Without a request no file is read.
"""

from __future__ import annotations

from wm.domain.contract import handoff_block
from wm.domain.facts import Fact
from wm.formats.contract_record import ContractRecord
from wm.formats.session_state import SessionState
from wm.ops.contract.contract_file import record_ref
from wm.ops.contract.project_files import handoff_file
from wm.ops.learning import provenance
from wm.ops.operation import LocatedWork
from wm.store.identity import shown
from wm.store.paths import sid
from wm.store.project import Trouble

MAX_BYTES = 256 * 1024


def take_block(work: LocatedWork, state: SessionState, room: int) -> tuple[str, SessionState]:
    """The block for a new session, "" for none, and the session with its words counted; consumes
    the request. room: characters left for this client."""
    always = work.settings.contract.inject_handoff
    record = work.read(record_ref(work.key)).document or ContractRecord()
    if not (always or record.asked) or not (state.root or work.place.root):
        return "", state
    file = handoff_file(work.place, state.root)
    others = tuple(one for one in record.asked if one.folder != shown(file.root))
    if not always and len(others) == len(record.asked):
        return "", state
    try:
        raw = file.read(MAX_BYTES)
    except Trouble:
        raw = None
    text = (raw or b"")[:MAX_BYTES].decode("utf-8", "replace")
    redacted = work.redact(text)
    most = min(room, work.settings.contract.inject_chars)
    block = handoff_block.render(redacted, most)
    if not block:
        return "", state
    if others != record.asked:
        work.put(record_ref(work.key), record.model_copy(update={"asked": others}))
    fact = Fact("handoff_given", "render", "selected", details={"chars": len(block)})
    work.log([fact], session=sid(state.session_id))
    return block, provenance.record_project_text(work, state, redacted)
