"""Originals of pruned output: a deleted session's go with it, another one's stay (GV-1)."""

from __future__ import annotations

from tests.ops.conftest import Bench
from wm.formats.tool_output import ToolOutput, file_name
from wm.ops.outputs import output_ref
from wm.store.paths import sid


def keep(bench: Bench, number: int, session: str) -> str:
    one = ToolOutput(id=f"t_{number:020x}", session=sid(session), text="a", chars=1)
    ref = output_ref(bench.key, file_name(one.id, one.session))
    bench.store.keep(ref, one)
    return f"tool_output/{ref.name}"


def test_a_deleted_session_takes_its_outputs_along(bench: Bench) -> None:
    bench.event("session_started", "s-1")
    keep(bench, 1, "s-1")
    other = keep(bench, 2, "s-2")
    bench.event("session_deleted", "s-1")
    documents = bench.call("export_workspace").documents
    assert [name for name in documents if name.startswith("tool_output")] == [other]
