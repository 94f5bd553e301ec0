"""The places of documents (ID-4)."""

from __future__ import annotations

import hashlib

import pytest

from wm.errors import StoreError
from wm.formats.base import Document
from wm.formats.contract_record import ContractRecord
from wm.formats.core_memory import CoreMemory
from wm.formats.home import Aliases, AllowedDigests
from wm.formats.pending_journal import PendingJournal
from wm.formats.pressure import Pressure
from wm.formats.prompt_epoch import PromptEpoch
from wm.formats.recaps import Recaps
from wm.formats.registry import DOCUMENTS
from wm.formats.session_state import CompactionState, SessionState
from wm.formats.tombstones import Tombstones, TrashedEntry
from wm.formats.tool_output import ToolOutput
from wm.formats.working_memory import WorkingMemory
from wm.formats.workspace_memory import WorkspaceMemory
from wm.store import paths
from wm.store.base import Ref
from wm.store.paths import RELAXED, WRITE_ORDER

KEY = "0123456789abcdef"
W = f"workspaces/{KEY}"
SID = "ab" * 16
OUTPUT = f"t_{'5e' * 10}_{SID}"


@pytest.mark.parametrize(
    ("ref", "path"),
    [
        (Ref(Aliases), "aliases.json"),
        (Ref(AllowedDigests), "allowed-digests.json"),
        (Ref(WorkspaceMemory, KEY), f"{W}/workspace-memory.json"),
        (Ref(PendingJournal, KEY), f"{W}/pending-journal.json"),
        (Ref(Tombstones, KEY), f"{W}/tombstones.json"),
        (Ref(ContractRecord, KEY), f"{W}/contract-record.json"),
        (Ref(Recaps, KEY), f"{W}/recaps.json"),
        (Ref(TrashedEntry, KEY, "m_1"), f"{W}/trash/m_1.json"),
        (Ref(PromptEpoch, KEY, "e_1"), f"{W}/epochs/e_1.json"),
        (Ref(SessionState, KEY, SID), f"{W}/sessions/{SID}.json"),
        (Ref(CompactionState, KEY, SID), f"{W}/sessions/{SID}_compaction.json"),
        (Ref(ToolOutput, KEY, OUTPUT), f"{W}/cache/tool-outputs/{OUTPUT}.json"),
        (Ref(WorkingMemory, KEY, SID), f"{W}/sessions/{SID}_working.json"),
        (Ref(CoreMemory, KEY, SID), f"{W}/core/{SID}.json"),
        (Ref(Pressure, KEY, SID), f"{W}/sessions/{SID}_pressure.json"),
    ],
)
def test_every_document_has_its_place(ref: Ref[Document], path: str) -> None:
    place = paths.place(ref)
    assert place.path == path
    assert paths.name_of(ref.model, place.name) == ref.name


def test_every_format_has_a_path_and_a_write_order() -> None:
    assert set(paths.LAYOUT) == set(WRITE_ORDER) >= set(DOCUMENTS.values())
    assert {model.slug for model in paths.LAYOUT} == set(DOCUMENTS)
    assert set(WRITE_ORDER) >= RELAXED


def test_a_session_id_is_hashed() -> None:
    assert paths.sid("s-1") == hashlib.sha256(b"s-1").hexdigest()[:32]
    assert len(paths.sid("\ud800../..\0")) == 32


@pytest.mark.parametrize(
    "name",
    ["../x", "a/b", "A", "x.json", ".hidden", "", "a" * 200, "nul\0", "é", "x\n", "-x", "_x"],
)
def test_a_name_that_is_not_a_plain_word_becomes_its_digest(name: str) -> None:
    if name:
        place = paths.place(Ref(TrashedEntry, KEY, name))
        assert place.name == f"{paths.sid(name)}.json"


def test_a_session_name_with_an_underscore_is_not_read_as_a_companion_file() -> None:
    place = paths.place(Ref(SessionState, KEY, f"{SID}_compaction"))
    assert place.name == f"{paths.sid(f'{SID}_compaction')}.json"
    assert paths.name_of(SessionState, f"{SID}_compaction.json") is None


@pytest.mark.parametrize("key", ["", "..", "0123456789ABCDEF", "0123456789abcde", f"{KEY}\n"])
def test_only_sixteen_hex_digits_are_a_workspace(key: str) -> None:
    assert not paths.is_workspace(key)
    with pytest.raises(StoreError, match="is not a workspace key"):
        paths.place(Ref(WorkspaceMemory, key))


def test_companion_names_are_unambiguous() -> None:
    name = "workspace-memory.json"
    assert paths.companion(paths.temp(name, "0123456789abcdef")) == (name, "tmp")
    assert paths.companion(paths.previous_copy(name)) == (name, "spare")
    assert paths.companion(paths.next_file(name, 7)) == (name, "next")
    assert paths.companion(paths.lock(name)) == (name, "lock")
    assert paths.companion(paths.old_version(name, 1)) == (name, "v")
    for other in (name, "x.tmp", ".x.tmp", f".{name}.0123.tmp", f".{name}.next2", ".lock"):
        assert paths.companion(other) == (other, "")
