"""Exchanges that a proxy reports are stored, and deleted with their session."""

from __future__ import annotations

from pathlib import Path

import pytest

from wm.errors import UserError
from wm.formats.flow import FlowNote, FlowUsage
from wm.ops.catalogue import OPERATIONS
from wm.ops.local import open_runtime
from wm.ops.operation import execute
from wm.ops.runtime import Runtime
from wm.settings import load
from wm.store.paths import sid

SESSION = "s-1"


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime:
    (tmp_path / "p").mkdir()
    return open_runtime(load({"HOME": str(tmp_path)}))


def finish(runtime: Runtime, tmp_path: Path, session: str = SESSION, **note: object) -> str:
    operation = OPERATIONS["finish_request"]
    request = operation.request.model_validate(
        {"directory": str(tmp_path / "p"), "session_id": session, "note": note}
    )
    return str(execute(runtime, operation, request).place.key)


def test_an_exchange_is_stored(runtime: Runtime, tmp_path: Path) -> None:
    key = finish(runtime, tmp_path, status=200, usage={"cacheRead": 70}, model="m-9")
    (flow,) = runtime.store.flows(key, sid(SESSION))
    assert (flow.status, flow.usage, flow.model) == (200, FlowUsage(cache_read=70), "m-9")
    assert (flow.workspace_key, flow.session) == (key, sid(SESSION))
    assert flow.flow_id.startswith("f_")


def test_a_secret_in_a_path_is_redacted(runtime: Runtime, tmp_path: Path) -> None:
    secret = "sk-ant-" + "api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 3
    key = finish(runtime, tmp_path, path=f"/v1/files/{secret}")
    (flow,) = runtime.store.flows(key, sid(SESSION))
    assert secret not in flow.path


def test_a_flow_without_a_session_is_refused(runtime: Runtime, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="names no session"):
        finish(runtime, tmp_path, session="")


def test_fields_of_a_newer_proxy_survive(runtime: Runtime, tmp_path: Path) -> None:
    key = finish(runtime, tmp_path, newField=1)
    (flow,) = runtime.store.flows(key, sid(SESSION))
    assert flow.model_extra == {"newField": 1}
    assert FlowNote.model_validate({"newField": 1}).model_extra == {"newField": 1}


def test_identities_of_blocks_are_not_redacted(runtime: Runtime, tmp_path: Path) -> None:
    lines = [{"role": "user", "blocks": ["9d5c7a2210ff43b1", "0f31a6c0d21b7f55"]}]
    key = finish(runtime, tmp_path, lines=lines, head="a1b2c3d4e5f60718")
    (flow,) = runtime.store.flows(key, sid(SESSION))
    assert [line.blocks for line in flow.lines] == [("9d5c7a2210ff43b1", "0f31a6c0d21b7f55")]
    assert flow.head == "a1b2c3d4e5f60718"
