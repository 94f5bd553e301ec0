"""Vectors of a workspace's texts, kept between runs: `vectors/<model>.rows`, `.graph` (RC-3).

Derived: a file that is missing, damaged, or of another model or workspace reads as absent, and its
vectors are computed again from the documents. A file is a line of JSON that states its kind and
sizes, then numbers. The checksum in that line is an HMAC with the local key over the whole file, as
for documents.

Protects: numpy or usearch gets no byte before the complete file was read into this process's own
memory and its checksum verified there, because a damaged graph can crash the process. So files are
not mapped, and a change to the file after the check has no effect. Texts are identified by keyed
digests and not stored. Does not know what a model is.
"""

from __future__ import annotations

import hmac
import json
import re
import stat
from array import array
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from wm.store import paths
from wm.store.base import Maker, SavedGraph, SavedVectors
from wm.store.core import Core
from wm.store.fsops import Bytes, Handle, explained, if_there

VERSION = 1
DIGEST_BYTES = 16
_PIECE_BYTES = 2
_VALUE_BYTES = 2
_ZEROS = b"0" * 64
_HEAD = re.compile(rb'\{"wm": "(rows|graph)", "checksum": "([0-9a-f]{64})", ')
_MOST_HEAD = 4096
_ALIGNED = 64
"""The numbers begin at a multiple of this many bytes."""


class _File(Struct, frozen=True):
    """A verified file: its first line, and the bytes behind it."""

    about: dict[str, Any]
    checksum: str
    body: memoryview


def save(core: Core, workspace: str, maker: Maker, vectors: SavedVectors, limit: int) -> bool:
    """See `files.FileStore.keep_vectors`. limit: maximum bytes of all files together."""
    key = core.key_to_write()
    about = _about(workspace, maker)
    body = (vectors.digests, vectors.pieces.tobytes(), vectors.rows)
    counts = {"documents": len(vectors.pieces), "vectors": sum(vectors.pieces)}
    rows = _encode("rows", {**about, **counts}, body, key)
    parts = {"rows": rows}
    if vectors.graph is not None:
        graph = vectors.graph
        of = {"of": _checksum_in(rows[0]), "vectors": graph.vectors, "maker": graph.maker}
        parts["graph"] = _encode("graph", {**about, **of}, (graph.body,), key)
    folder = paths.vectors_folder(workspace)
    size = sum(len(part) for file in parts.values() for part in file)
    if size > limit:
        return False
    with explained("write", core.home, folder), core.make_folder(folder) as opened:
        for kind in ("rows", "graph"):
            if not _put(core, opened, paths.vectors_file(maker, kind), parts.get(kind)):
                return False
    return True


def load(core: Core, workspace: str, maker: Maker, limit: int) -> SavedVectors | None:
    """See `files.FileStore.vectors`. limit: larger files are not read."""
    path = paths.vectors_folder(workspace)
    key = core.key_to_read()
    with if_there("read", core.home, path), core.disk.folder(path) as folder:
        rows = _read(core, folder, paths.vectors_file(maker, "rows"), key, limit)
        found = None if rows is None else _rows(rows, workspace, maker)
        if rows is None or found is None:
            return None
        graph = _read(core, folder, paths.vectors_file(maker, "graph"), key, limit)
        return found if graph is None else _with_graph(found, graph, rows.checksum)
    return None


def problem(core: Core, folder: Handle, name: str, limit: int) -> str:
    """What is wrong with a file of vectors, "" if nothing is. For the checker."""
    try:
        if not stat.S_ISREG(core.disk.stat(folder, name).st_mode):
            return ""  # the tree check reports it, and it is not ours to remove
        raw = core.disk.read(folder, name, limit)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    file = _verified(raw, core.key_to_read())
    if file is None:
        return "its checksum does not match"
    ours = file.about.get("workspace") == folder.path.split("/")[1]
    return "" if ours else "it belongs to another workspace"


# --- bytes --------------------------------------------------------------------------------------


def _about(workspace: str, maker: Maker) -> dict[str, Any]:
    return {"version": VERSION, "workspace": workspace, "model": asdict(maker)}


def _encode(kind: str, about: dict[str, Any], body: Sequence[Bytes], key: bytes) -> list[Bytes]:
    """The parts of a file: its line, then the body unchanged."""
    before = f'{{"wm": "{kind}", "checksum": "'.encode("ascii")
    after = b'", ' + json.dumps(about, ensure_ascii=True)[1:].encode("ascii")
    length = len(before) + len(_ZEROS) + len(after) + 1
    after += b" " * (-length % _ALIGNED) + b"\n"
    checksum = _digest((before, _ZEROS, after, *body), key)
    return [before + checksum + after, *body]


def _digest(parts: Sequence[Bytes], key: bytes) -> bytes:
    digest = hmac.new(key, digestmod="sha256")
    for part in parts:
        digest.update(part)
    return digest.hexdigest().encode("ascii")


def _checksum_in(line: Bytes) -> str:
    head = _HEAD.match(line)
    assert head is not None
    return head.group(2).decode("ascii")


def _verified(raw: bytes, key: bytes) -> _File | None:
    """The file in these bytes; None unless every byte is as the owner of this key wrote it."""
    head = _HEAD.match(raw)
    end = raw.find(b"\n", 0, _MOST_HEAD) + 1
    if head is None or not end:
        return None
    content = memoryview(raw)
    begin, behind = head.span(2)
    found = _digest((content[:begin], _ZEROS, content[behind:]), key)
    if not hmac.compare_digest(found, head.group(2)):
        return None
    try:
        about = json.loads(raw[:end])
    except ValueError:
        return None
    return _File(about, head.group(2).decode("ascii"), content[end:])


def _rows(file: _File, workspace: str, maker: Maker) -> SavedVectors | None:
    """The saved vectors, if the file is of this model and workspace and its counts match its
    size."""
    about = file.about
    documents, vectors = about.get("documents"), about.get("vectors")
    known = {"wm": "rows", **_about(workspace, maker), "documents": documents, "vectors": vectors}
    fits = about == {**known, "checksum": file.checksum}
    if not fits or type(documents) is not int or type(vectors) is not int:
        return None
    digests = documents * DIGEST_BYTES
    head = digests + documents * _PIECE_BYTES
    if len(file.body) != head + vectors * maker.dimension * _VALUE_BYTES:
        return None
    pieces = array("H")
    pieces.frombytes(file.body[digests:head])
    if sum(pieces) != vectors or (documents and not min(pieces)):
        return None
    return SavedVectors(bytes(file.body[:digests]), pieces, file.body[head:])


def _with_graph(found: SavedVectors, file: _File, rows: str) -> SavedVectors:
    """The vectors with the graph, if the graph was saved together with exactly these rows."""
    about = file.about
    vectors = about.get("vectors")
    if about.get("wm") != "graph" or about.get("of") != rows or type(vectors) is not int:
        return found
    graph = SavedGraph(str(about.get("maker")), vectors, file.body)
    return SavedVectors(found.digests, found.pieces, found.rows, graph)


# --- files --------------------------------------------------------------------------------------


def _read(core: Core, folder: Handle, name: str, key: bytes, limit: int) -> _File | None:
    """A verified file; None if it is missing, damaged or not a file of this user."""
    try:
        found = core.disk.stat(folder, name)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != core.disk.status(folder).st_uid:
            return None
        raw = core.disk.read(folder, name, limit)
    except OSError:
        return None
    return _verified(raw, key)


def _put(core: Core, folder: Handle, name: str, file: Sequence[Bytes] | None) -> bool:
    """Replace the file as one, or delete it if `file` is None; False if another process is writing
    it."""
    with core.locks.try_hold(folder, name) as lock:
        if lock is not None and file is None:
            core.disk.remove(folder, name)
        elif lock is not None and file is not None:
            core.replace(folder, name, file, durable=True)
        return lock is not None
