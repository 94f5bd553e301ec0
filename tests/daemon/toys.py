"""Small use cases that exercise the daemon and nothing else, and a daemon that serves them.

`python -m tests.daemon.toys [--background]` is that daemon, on the home of the environment.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import Any

from wm.api.protocol import WorkspacePlace
from wm.daemon.lifecycle import detach
from wm.daemon.routes import ROUTES, Route
from wm.errors import NotFound, WmError
from wm.formats.base import Document, Record
from wm.formats.session_state import SessionState
from wm.formats.tombstones import Tombstone, Tombstones
from wm.formats.workspace_memory import Workspace
from wm.ops.operation import Operation, Work
from wm.ops.runtime import Runtime
from wm.store.base import Ref

KEY = "0123456789abcdef"


class NoteRequest(Record):
    workspace: str = KEY
    text: str
    gate: str = ""
    """A file: the operation waits until it exists (10 s at most)."""
    copies: int = 1
    labels: tuple[str, ...] = ()


class Notes(Record):
    texts: tuple[str, ...] = ()
    batch: int = 0


class NotesRequest(Record):
    workspace: str = KEY
    limit: int = 1000
    labels: tuple[str, ...] = ()


class PayloadRequest(Record):
    agent: str
    payload: dict[str, Any]
    project: str = ""


class Printed(Record):
    content_type: str = "text/plain"
    body: str = ""


def _ref(workspace: str) -> Ref[Tombstones]:
    return Ref(Tombstones, workspace)


def _read(work: Work, workspace: str) -> Tombstones:
    found = work.read(_ref(workspace)).document
    if found is not None:
        return found
    return Tombstones(workspace=Workspace(root="/nowhere", key=workspace))


def _note(work: Work, request: NoteRequest) -> Notes:
    until = time.monotonic() + 10
    while request.gate and not os.path.exists(request.gate) and time.monotonic() < until:
        time.sleep(0.005)
    if request.text == "bug":
        raise RuntimeError("secret contents of a bug")
    if request.text == "missing":
        raise NotFound("There is no such note.", fix="Write one.")
    found = _read(work, request.workspace)
    stone = Tombstone(id=f"n{len(found.stones)}", digest=request.text, forgotten_at="")
    stones = (*found.stones, *([stone] * request.copies))
    work.put(_ref(request.workspace), found.model_copy(update={"stones": stones}))
    work.at(WorkspacePlace(key=request.workspace, root="")).notify("tombstones")
    return Notes(texts=(request.text,))


def _notes(work: Work, request: NotesRequest) -> Notes:
    if request.labels == ("bug",):
        raise RuntimeError("secret contents of a bug")
    found = _read(work, request.workspace)
    return Notes(texts=tuple(stone.digest for stone in found.stones[: request.limit]))


def _touch(work: Work, request: NotesRequest) -> Notes:
    ref = Ref(SessionState, request.workspace, "s" * 32)
    state = work.read(ref).document or SessionState(
        session_id="s",
        workspace_key=request.workspace,
        workspace=Workspace(root="/nowhere", key=request.workspace),
    )
    work.put(ref, state)
    return Notes()


def _print(_work: Work, request: PayloadRequest) -> Printed:
    return Printed(body=f"{request.agent} {request.project} {sorted(request.payload)}")


def _refs(_runtime: Runtime, request: NoteRequest) -> Sequence[Ref[Document]]:
    return (_ref(request.workspace),)


def _touch_refs(_runtime: Runtime, request: NotesRequest) -> Sequence[Ref[Document]]:
    return (Ref(SessionState, request.workspace, "s" * 32),)


def _received(_runtime: Runtime, request: NoteRequest) -> tuple[Notes, NoteRequest] | None:
    return None if request.text == "waits" else (Notes(texts=("received",)), request)


def _queue(_runtime: Runtime, request: Any) -> str:
    return str(request.workspace)


OPERATIONS: dict[str, Operation[Any, Any]] = {
    operation.name: operation
    for operation in (
        Operation("note", NoteRequest, Notes, _note, _refs, _queue),
        Operation("note_later", NoteRequest, Notes, _note, _refs, _queue, _received),
        Operation("notes", NotesRequest, Notes, _notes),
        Operation("notes_beside", NotesRequest, Notes, _notes),
        Operation("touch", NotesRequest, Notes, _touch, _touch_refs, _queue),
        Operation("print", PayloadRequest, Printed, _print),
    )
}

TOYS: tuple[Route, ...] = (
    *(route for route in ROUTES if route.control),
    Route("POST", "/v1/notes", "note", "Append a note"),
    Route("POST", "/v1/notes-later", "note_later", "Append a note that nobody waits for"),
    Route("POST", "/v1/spaces/{workspace}/notes", "note_in", "Append a note there"),
    Route("GET", "/v1/notes", "notes", "All notes"),
    Route("GET", "/v1/notes-beside", "notes_beside", "All notes", heavy=True),
    Route("POST", "/v1/touch", "touch", "Write something relaxed"),
    Route("POST", "/v1/print/{agent}", "print", "Print", takes="payload", text=True),
)
OPERATIONS["note_in"] = OPERATIONS["note"]


def main(arguments: list[str]) -> int:
    background = "--background" in arguments
    if background:
        detach()
    from wm.daemon.serve import serve
    from wm.ops.local import open_runtime
    from wm.settings import load

    try:
        return serve(
            load(), open_runtime, operations=OPERATIONS, routes=TOYS, background=background
        )
    except WmError as error:
        os.write(2, f"{error.message} {error.fix}".strip().encode() + b"\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
