"""Flip each bit of each file of a small, complete folder, one at a time (F13).

Each flip must be detected: by the health of the document, by a count of the log, or by a finding of
`check`. A document that is served must be exactly what was written; a flip that leaves a valid
document is an outside change, and the old text stays in force. The only flip that may go undetected
is one of the newline between two records, which the reader restores by itself.

Left out: `quarantine/` and copies of older versions, whose bytes are not ours.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tests.crash import snapshot
from tests.crash.scenes import (
    COMPACTS,
    SHIP,
    STARTED,
    Bench,
    Scene,
    ask_prompt,
    forget,
    keep,
    tool,
    waiting_in_journal,
)
from tests.crash.snapshot import Snapshot
from tests.crash.states import ram, unpack
from tests.crash.tree import Node, Tree, TreeDisk, load
from wm.errors import Corrupt, StoreError
from wm.formats.home import Alias, Aliases, AllowedDigests
from wm.ops.diagnosis.inspection import inspect
from wm.ops.learning.remember import remember
from wm.store.base import Health, Ref
from wm.store.check import check

TEXT = "Prices are kept in cents."
FORGOTTEN = "Dates are kept in UTC."
WAITING = "Names are kept in UTF-8."


def _at_home(bench: Bench) -> object:
    """Write the documents that belong to no workspace."""
    digests, aliases = Ref(AllowedDigests), Ref(Aliases)
    alias = Alias(key="0123456789abcdef", target=bench.key, root="/src/old")
    with bench.store.transaction([digests, aliases]) as transaction:
        transaction.put(digests, AllowedDigests(digests={"5f" * 16: "2026-11-01T09:00:00.000Z"}))
        transaction.put(aliases, Aliases(aliases=(alias,)))
    return None


COMPLETE = Scene(
    "complete",
    (
        *(keep(TEXT), keep(FORGOTTEN), forget(FORGOTTEN), STARTED, ask_prompt, tool(1), COMPACTS),
        *(waiting_in_journal(WAITING), _at_home),
    ),
    (),
    segment_bytes=700,
)
"""One document of every format, with previous copies, locks, key and two evidence files."""


@dataclass
class Result:
    """counts: flips by how they were detected; problems: flips that were not, or did harm."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


@dataclass
class Folder:
    """The folder as it was written, and its contents as read."""

    home: Path
    project: Path
    locks: Path
    tree: Tree
    said: Snapshot
    findings: frozenset[tuple[str, str]]

    @cached_property
    def open(self) -> Bench:
        return self.bench()

    def bench(self, number: int = 0) -> Bench:
        disk = TreeDisk(self.home, self.tree, self.locks)
        return COMPLETE.bench(self.home, self.project, disk, number=number)


def make(base: Path) -> Folder:
    project, locks, home = base / "project", base / "locks", base / "home"
    for made in (project, locks):
        made.mkdir(parents=True)
    COMPLETE.prepare(home, project)
    folder = Folder(home, project, locks, load(home), _NOTHING, frozenset())
    store = folder.bench().store
    folder.said = snapshot.take(store)
    folder.findings = _findings(folder.bench())
    return folder


_NOTHING = Snapshot({}, frozenset(), frozenset(), frozenset(), {}, 0)


def run(*, part: int = 0, parts: int = 1, every: int = 1, use_every: int = 101) -> Result:
    """Flip every `every`th bit of the files; `part` of `parts` workers."""
    base = Path(tempfile.mkdtemp(prefix="wm-flips-", dir=ram()))
    result = Result()
    try:
        folder = make(base)
        number = 0
        for path, node in list(folder.tree.walk()):
            if node.is_folder or path.startswith("quarantine/"):
                continue
            result.files.append(path)
            for bit in range(8 * len(node.data)):
                number += 1
                if number % every or number // every % parts != part:
                    continue
                problems = _flip(folder, path, node, bit, result.counts)
                if number // every % use_every == 0:
                    problems += _used(folder, path, node, bit, result.counts)
                result.problems += [f"{path}, bit {bit}: {one}" for one in problems]
    finally:
        shutil.rmtree(base)
    return result


def flipped(raw: bytes, bit: int) -> bytes:
    changed = bytearray(raw)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def _flip(folder: Folder, path: str, node: Node, bit: int, counts: Counter[str]) -> list[str]:
    whole = node.data
    node.data = flipped(whole, bit)
    try:
        how, problems = _seen(folder, path)
    except (StoreError, AssertionError) as error:
        how, problems = "refused", [] if isinstance(error, Corrupt) else [f"{error}"]
    finally:
        node.data = whole
    counts["flips"] += 1
    counts[how] += 1
    if how == "unseen" and whole[bit // 8 : bit // 8 + 1] != b"\n":
        problems.append("not detected")
    return problems


def _seen(folder: Folder, path: str) -> tuple[str, list[str]]:
    """How a flip in this file is detected, and the problems it causes.

    One open store reads all flips, as a long-lived process would; the key is read only once, so
    a flip in it needs a new store.
    """
    bench = folder.bench() if "local.key" in path else folder.open
    found = snapshot.take(bench.store)
    problems = list(_served(folder.said, found))
    sick = {p: h for p, h in found.health.items() if h is not folder.said.health.get(p)}
    if sick:
        if set(sick) != {path}:
            problems.append(f"another document suffers: {sick}")
        return sick.get(path, Health.LOST).value, problems
    if found.damaged_records or len(found.evidence) < len(folder.said.evidence):
        return "counted in the log", problems
    for one in check(bench.store, deep=True):
        if (one.code, one.path) not in folder.findings:
            return "found by check", problems
    return "unseen", problems


def _served(said: Snapshot, found: Snapshot) -> Iterator[str]:
    for path in {*said.documents, *found.documents}:
        if said.documents.get(path) != found.documents.get(path):
            yield f"serves another {path} ({found.health.get(path)})"
    if found.evidence - said.evidence:
        yield f"serves other evidence: {sorted(found.evidence - said.evidence)}"
    if len(said.evidence - found.evidence) > 1:
        yield f"lost more than one record: {sorted(said.evidence - found.evidence)}"


def _findings(bench: Bench) -> frozenset[tuple[str, str]]:
    return frozenset((one.code, one.path) for one in check(bench.store, deep=True))


def _used(folder: Folder, path: str, node: Node, bit: int, counts: Counter[str]) -> list[str]:
    """Read and write with the flip in place; afterwards everything must be there and healthy."""
    counts["used"] += 1
    kept = folder.tree
    content = folder.tree.content()
    folder.tree = unpack(
        frozenset((p, flipped(raw, bit) if p == path and raw else raw) for p, raw in content)
    )
    try:
        bench = folder.bench(number=len(COMPLETE.before))
        bench.call(inspect, status="all")
        bench.call(remember, text=SHIP)
        bench.store.flush()
        after = snapshot.take(folder.bench().store)
        missing = {TEXT, FORGOTTEN, WAITING, SHIP} - after.facts
        problems = [f"lost by use: {sorted(missing)}"] if missing else []
        if not any(after.health[p] is Health.OK for p in after.health if p.endswith(_MEMORY)):
            problems.append("the memory is not whole after a write")
        return problems
    except StoreError as error:
        return [f"not usable: {error}"]
    finally:
        folder.tree = kept


_MEMORY = "workspace-memory.json"
