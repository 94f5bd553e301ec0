"""`python -m tests.bench eval recall QUERIES --out P`: what a search of the complete corpus finds.

The corpus is `corpus.jsonl` beside the queries. Entries are kept as they are, replaced ones too,
and asked for through the use case that answers `wm search --all`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.store.twin import MemoryStore
from wm.api.protocol import SearchRequest
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import Runtime, make_runtime
from wm.settings import load
from wm.store.base import Ref
from wm.store.identity import key_of

ROOT = "/home/dev/project"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
PATIENCE_S = 120.0
"""Answers must not depend on how busy the machine is: each waits for its vectors."""


def predictions(path: Path, model: str) -> Iterator[dict[str, Any]]:
    """model: `embedded`, `none`, or the folder of a local model."""
    queries = _lines(path)
    runtime = runtime_of(map(_entry, _lines(path.with_name("corpus.jsonl"))), model)
    key = key_of(ROOT)
    for query in queries:
        request = SearchRequest(workspace=key, query=query["query"], limit=10, status="all")
        answer = execute(runtime, OPERATIONS["search"], request)
        yield {"id": query["id"], "ranked": [hit.entry.id for hit in answer.hits]}


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def runtime_of(entries: Iterable[MemoryEntry], model: str) -> Runtime:
    """A process whose one workspace holds these entries."""
    settings = load({"HOME": "/nonexistent"})
    recall = replace(settings.recall, embed_wait_s=PATIENCE_S, model=model)
    settings = replace(settings, recall=recall)
    store = MemoryStore(settings.store)
    runtime = make_runtime(settings, store, now=lambda: NOW)
    ref = Ref(WorkspaceMemory, key_of(ROOT))
    memory = WorkspaceMemory(
        workspace=Workspace(root=ROOT, key=key_of(ROOT)), entries=tuple(entries)
    )
    with store.transaction([ref]) as transaction:
        transaction.put(ref, memory)
    return runtime


def _entry(row: Mapping[str, Any]) -> MemoryEntry:
    return MemoryEntry(
        id=row["id"],
        type=row["type"],
        text=row["text"],
        source=row["source"],
        status=row["status"],
        scope=row["scope"],
        supersedes=tuple(row["supersedes"]),
        superseded_by=row["superseded_by"] or "",
        tags=tuple(row["tags"]),
        created_at=row["created"],
        updated_at=row["created"],
    )
