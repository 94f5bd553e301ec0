"""All states in which a power cut may leave a folder, by three models of the drive (F02-F05).

prefix    operations reach the drive one by one, in order; a write may be cut
ordered   names in order, bytes late: unflushed bytes are present, missing, cut or zero
weak      every unflushed operation is present or not, independently; only a flush of the file
          (its bytes) or of the folder (its names) forces anything

For each state the folder is opened as the next process would, read, checked, repaired twice and
written to; see `snapshot.differences` and `recovery.problems` for the rules. If a point has more
states than `limit`, its corners and a seeded sample are taken. Lock files have no bytes and count
as present. The models leave out reordering within one write beyond cuts and zeros, and drives that
lie about flushes (bit flips: see `flips`).
"""

from __future__ import annotations

import itertools
import math
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash import recovery, snapshot
from tests.crash.scenes import Bench, Scene
from tests.crash.snapshot import Allowed, Snapshot
from tests.crash.trace import Bytes, Flush, Mark, Name, Names, Trace, TraceDisk
from tests.crash.tree import Node, Tree, TreeDisk, load, store_to
from wm.errors import StoreError
from wm.formats.tool_output import ToolOutput
from wm.store.base import Health

MODELS = ("prefix", "ordered", "weak")


@dataclass(frozen=True)
class State:
    """A folder after a power cut. acknowledged: number of steps; flushed: the step up to which all
    of class relaxed is flushed; settled: that step is the last one, and the next has committed
    nothing."""

    tree: Tree
    acknowledged: int
    flushed: int
    settled: bool


@dataclass
class Played:
    """A scene's trace. history: snapshots before the first step and after each step. durable: per
    step, whether its evidence is acknowledged as on disk."""

    scene: Scene
    home: Path
    project: Path
    locks: Path
    trace: Trace
    history: list[Snapshot]
    durable: list[bool]

    def bench(self, tree: Tree) -> Bench:
        disk = TreeDisk(self.home, tree, self.locks)
        return self.scene.bench(self.home, self.project, disk)

    def allowed(self, state: State) -> Allowed:
        last = len(self.history) - 1
        after = min(state.acknowledged + 1, last)
        kept = [step for step in range(1, state.acknowledged + 1) if self.durable[step]]
        floor = max([state.flushed, *kept])
        return Allowed(
            self.history[state.acknowledged],
            self.history[after],
            self.history[state.flushed : after + 1],
            self.history[floor].evidence,
        )


def play(
    scene: Scene, folder: Path, door: type[TraceDisk] = TraceDisk, *, closes: bool = False
) -> Played:
    """Prepare the folder on real files, then run all steps in one process, traced.

    closes: the store is closed before each step is acknowledged, as every command without the
    daemon does.
    """
    project, locks, home = folder / "project", folder / "locks", folder / "home"
    for made in (project, locks):
        made.mkdir(parents=True)
    scene.prepare(home, project)
    disk = door(home, load(home), locks)
    bench = scene.bench(home, project, disk, number=len(scene.before))
    played = Played(scene, home, project, locks, disk.trace, [], [True])
    played.history.append(snapshot.take(played.bench(disk.tree).store))
    for number, step in enumerate(scene.steps, 1):
        step(bench)
        if closes:
            bench.store.close()
        disk.mark(number, flushed=not bench.store.dirty())
        bench.number += 1
        played.history.append(snapshot.take(played.bench(disk.tree).store))
        played.durable.append(_is_durable(*played.history[-2:]))
    bench.store.flush()
    disk.mark(len(scene.steps), flushed=True)
    return played


def _is_durable(before: Snapshot, after: Snapshot) -> bool:
    """Whether a step wrote something of class full, and so acknowledged its evidence too."""
    changed = {
        path
        for path in {*before.documents, *after.documents}
        if before.documents.get(path) != after.documents.get(path)
    }
    deleted = set(before.documents) - set(after.documents)
    return bool(deleted or changed - after.relaxed or after.by_user - before.by_user)


# --- the models --------------------------------------------------------------------------------


@dataclass
class Point:
    """A moment of a trace: operations before `at` were issued. names: the pending ones under the
    model, in order; data: pending file -> its possible bytes."""

    at: int
    fixed: dict[Name, int]
    names: list[Names]
    data: dict[int, list[bytes]]
    settled: dict[int, bytes]
    acknowledged: int
    flushed: int
    nothing_waits: bool


def explore(trace: Trace, model: str, limit: int, chance: random.Random) -> Iterator[State]:
    """Every state of a model, duplicates included."""
    for at in range(len(trace.ops) + 1):
        if at and isinstance(trace.ops[at - 1], Flush):
            continue  # nothing new: what it forced was possible before
        point = _point(trace, model, at)
        yield from _states(trace, point, model, limit, chance)


def _point(trace: Trace, model: str, at: int) -> Point:
    done = trace.ops[:at]
    acknowledged = flushed = 0
    nothing_waits = True
    for op in done:
        if isinstance(op, Mark):
            acknowledged = op.acknowledged
            flushed = op.acknowledged if op.flushed else flushed
            nothing_waits = op.flushed
        elif isinstance(op, Flush):
            nothing_waits = False  # a commit is under way; the previous copy follows it, unflushed
    fixed = dict(trace.names)
    pending: list[Names] = []
    flushes = [(index, op.nodes) for index, op in enumerate(done) if isinstance(op, Flush)]
    last = flushes[-1][0] if flushes else -1
    for index, op in enumerate(done):
        if not isinstance(op, Names):
            continue
        forced = model == "prefix" or (model == "ordered" and index < last)
        if model == "weak":
            reached: set[int] = set()
            for when, nodes in flushes:
                if when > index:
                    reached |= nodes
            forced = op.is_lock or op.folders <= reached
        if forced and not (model == "weak" and _overtakes(op, pending)):
            _apply(fixed, op)
        elif forced:
            pending.append(op)
        else:
            pending.append(op)
    data, settled = _bytes(trace, done, flushes, model)
    return Point(at, fixed, pending, data, settled, acknowledged, flushed, nothing_waits)


def _overtakes(op: Names, pending: list[Names]) -> bool:
    """Whether an older pending change of the same name could be applied after this forced one."""
    names = {name for name, _ in op.effects}
    return any(name in names for other in pending for name, _ in other.effects)


def _apply(names: dict[Name, int], op: Names) -> None:
    for name, node in op.effects:
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


def _bytes(
    trace: Trace, done: Sequence[object], flushes: Sequence[tuple[int, frozenset[int]]], model: str
) -> tuple[dict[int, list[bytes]], dict[int, bytes]]:
    """The possible bytes of each file: pending files with all variants, and the settled files."""
    writes: dict[int, list[tuple[int, bytes]]] = {}
    for index, op in enumerate(done):
        if isinstance(op, Bytes):
            writes.setdefault(op.node, []).append((index, op.data))
    data: dict[int, list[bytes]] = {}
    settled = dict(trace.data)
    for node, versions in writes.items():
        safe = max((index for index, nodes in flushes if node in nodes), default=-1)
        old = next((raw for index, raw in reversed(versions) if index < safe), trace.data[node])
        late = [raw for index, raw in versions if index > safe]
        settled[node] = old
        if model == "prefix":
            is_last = versions[-1][0] == len(done) - 1
            before = versions[-2][1] if len(versions) > 1 else trace.data[node]
            now = versions[-1][1]
            data[node] = [now, _half(before, now) if len(now) > len(before) else before]
            data[node] = data[node] if is_last else []
            settled[node] = versions[-1][1]
        elif late:
            data[node] = _variants(old, late)
    return {node: list(dict.fromkeys(raws)) for node, raws in data.items() if raws}, settled


def _half(old: bytes, new: bytes) -> bytes:
    kept = len(old) if new.startswith(old) else 0
    return new[: kept + (len(new) - kept) // 2]


def _variants(old: bytes, late: list[bytes]) -> list[bytes]:
    new = late[-1]
    found = [new, old]
    if len(new) > len(old) and new.startswith(old):
        rest = len(new) - len(old)
        found += [_half(old, new), new[:-1], old + b"\0" * rest]
        if len(late) > 1:
            # The newer of two writes reached the drive, the older one did not.
            gap = len(late[-2]) - len(old)
            found.append(old + b"\0" * gap + new[len(late[-2]) :])
    return found


def _states(
    trace: Trace, point: Point, model: str, limit: int, chance: random.Random
) -> Iterator[State]:
    for chosen, bytes_of in _choices(point, model, limit, chance):
        names = dict(point.fixed)
        for op in chosen:
            _apply(names, op)
        tree = build(trace, names, {**point.settled, **bytes_of})
        yield State(tree, point.acknowledged, point.flushed, point.nothing_waits)


Choice = tuple[Sequence[Names], dict[int, bytes]]


def _choices(point: Point, model: str, limit: int, chance: random.Random) -> Iterator[Choice]:
    pending, nodes = point.names, list(point.data)
    options = [point.data[node] for node in nodes]
    subsets = 2 ** len(pending) if model == "weak" else len(pending) + 1
    total = subsets * math.prod(len(raws) for raws in options)
    if total <= limit:
        for chosen in _all_subsets(pending, model):
            for raws in itertools.product(*options):
                yield chosen, dict(zip(nodes, raws, strict=True))
        return
    corners = list(_corners(pending, nodes, options, model))[:limit]
    yield from corners
    for _ in range(limit - len(corners)):
        if model == "weak":
            # Few missing, few present, or mixed: each kind finds other faults.
            odds = chance.choice((0.1, 0.5, 0.9))
            chosen = [op for op in pending if chance.random() < odds]
        else:
            chosen = pending[: chance.randint(0, len(pending))]
        yield chosen, {n: chance.choice(raws) for n, raws in zip(nodes, options, strict=True)}


def _all_subsets(pending: list[Names], model: str) -> Iterator[list[Names]]:
    if model != "weak":
        yield from (pending[:count] for count in range(len(pending) + 1))
        return
    for mask in range(2 ** len(pending)):
        yield [op for index, op in enumerate(pending) if mask >> index & 1]


def _corners(
    pending: list[Names], nodes: list[int], options: list[list[bytes]], model: str
) -> Iterator[Choice]:
    """All present; none present; all bytes of one kind; one name missing; only one name present."""
    newest = {node: raws[0] for node, raws in zip(nodes, options, strict=True)}
    oldest = {node: raws[-1] for node, raws in zip(nodes, options, strict=True)}
    yield pending, newest
    yield [], newest
    yield pending, oldest
    yield [], oldest
    for kind in (1, 2):
        raws_of = {
            n: raws[min(kind, len(raws) - 1)] for n, raws in zip(nodes, options, strict=True)
        }
        yield pending, raws_of
    for op in pending if model == "weak" else ():
        yield [other for other in pending if other is not op], newest
        yield [op], newest


def build(trace: Trace, names: dict[Name, int], data: dict[int, bytes]) -> Tree:
    """The tree of all nodes reachable from the root."""
    inside: dict[int, list[tuple[str, int]]] = {}
    for (folder, name), node in names.items():
        inside.setdefault(folder, []).append((name, node))
    nodes: dict[int, Node] = {}
    tree = Tree(count=1 << 32)
    waiting = [tree.root]
    while waiting:
        folder = waiting.pop()
        assert folder.entries is not None
        for name, number in inside.get(folder.number, ()):
            node = nodes.get(number)
            if node is None:
                is_folder = number in trace.folders
                node = nodes[number] = Node(
                    number, b"" if is_folder else data[number], {} if is_folder else None
                )
                if is_folder:
                    waiting.append(node)
            else:
                node.links += 1
            folder.entries[name] = node
    return tree


# --- the verdict ----------------------------------------------------------------------------------


@dataclass
class Result:
    """counts: explored, distinct, second (crashes in a recovery), on files."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def run(
    scene: Scene,
    *,
    limit: int,
    seed: int = 1,
    second_every: int = 50,
    files_every: int = 200,
    models: Sequence[str] = MODELS,
    closes: bool = False,
) -> Result:
    """Explore one scene under all of `models`; see `play` for `closes`."""
    result = Result()
    base = Path(tempfile.mkdtemp(prefix="wm-states-", dir=ram()))
    try:
        played = play(scene, base, closes=closes)
        chance = random.Random(seed)
        seen: set[int] = set()
        for model in models:
            for state in explore(played.trace, model, limit, chance):
                result.counts[f"explored {model}"] += 1
                content = state.tree.content()
                mark = hash((state.acknowledged, state.flushed, state.settled, content))
                if mark in seen:
                    continue
                seen.add(mark)
                result.counts["distinct"] += 1
                problems = [
                    *older_texts(played, state, result.counts),
                    *_judge(played, state, model),
                ]
                if len(seen) % second_every == 1:
                    problems += _second(played, state, content, chance, result.counts)
                if len(seen) % files_every == 1:
                    problems += _on_files(played, state, content, base / "files", result.counts)
                result.problems += [f"{scene.name}, {model}: {one}" for one in problems]
    finally:
        shutil.rmtree(base)
    return result


def ram() -> str | None:
    """A folder in memory, if the system has one: the models simulate the flushes."""
    shm = Path("/dev/shm")
    return str(shm) if shm.is_dir() else None


def _judge(played: Played, state: State, model: str) -> list[str]:
    bench = played.bench(state.tree)
    problems = list(verdict(played, bench, played.allowed(state), model))
    disk = bench.store.disk
    assert isinstance(disk, TreeDisk)
    if disk.still_open():
        problems.append(f"{disk.still_open()} descriptors left open")
    return problems


def older_texts(played: Played, state: State, counts: Counter[str]) -> Iterator[str]:
    """Each flushed document whose previous copy is older than the acknowledged text.

    The document itself is damaged, as by an editor or a failing drive: the other copy must then
    serve the acknowledged text, or the one being written. Only if nothing waits for a flush: until
    then the other copy may be older.
    """
    if not state.settled or not state.acknowledged:
        return  # before the first step, a scene may have damaged a copy itself
    before, after = (
        played.history[min(step, len(played.history) - 1)]
        for step in (state.acknowledged, state.acknowledged + 1)
    )
    for path, document in before.documents.items():
        name = path.rpartition("/")[2]
        holder = _folder_of(state.tree, path)
        kept = before.health.get(path) is Health.OK and not isinstance(document, ToolOutput)
        if holder is None or holder.entries is None or name not in holder.entries or not kept:
            continue
        whole = holder.entries[name]
        holder.entries[name] = Node(whole.number, b"damaged")
        try:
            found = snapshot.take(played.bench(state.tree).store).documents.get(path)
        finally:
            holder.entries[name] = whole
        counts["damaged"] += 1
        if found not in (document, after.documents.get(path)):
            counts["older text served"] += 1
            yield f"older text served: {path}, generation {found.generation if found else 0}"


def _folder_of(tree: Tree, path: str) -> Node | None:
    at: Node | None = tree.root
    for part in path.split("/")[:-1]:
        at = (at.entries or {}).get(part) if at is not None else None
    return at


def verdict(played: Played, bench: Bench, allowed: Allowed, model: str) -> Iterator[str]:
    """The problems of a folder after a power cut."""
    store = bench.store
    try:
        found = snapshot.take(store)
    except StoreError as error:
        yield f"cannot be read: {error}"
        return
    yield from snapshot.differences(found, allowed)
    known = {Health.OK, Health.RESTORED, Health.MISSING}
    for path, health in found.health.items():
        usual = {one.health.get(path) for one in (allowed.before, allowed.after)}
        # Hot state that was never flushed may be cut; it goes to quarantine and starts empty. A
        # document whose deletion was under way may leave a previous copy that was never flushed.
        hot = any(path in one.relaxed for one in (allowed.before, allowed.after))
        leaving = path not in allowed.after.documents and path not in found.documents
        if health not in known | usual and not hot and not leaving:
            yield f"{path} is {health.value}"
    yield from recovery.problems(bench, found, store)


def _second(
    played: Played,
    state: State,
    content: frozenset[tuple[str, bytes | None]],
    chance: random.Random,
    counts: Counter[str],
) -> list[str]:
    """The power fails again while the next process repairs the folder."""
    tree = unpack(content)
    disk = TraceDisk(played.home, tree, played.locks)
    store = played.scene.bench(played.home, played.project, disk).store
    recovery.recover(store)
    allowed = played.allowed(state)
    touched = frozenset((key, recovery.TOUCHED) for key in store.memories())
    after = snapshot.with_evidence(allowed.after, touched)
    problems: list[str] = []
    for model in ("prefix", "weak"):
        states = list(explore(disk.trace, model, 6, chance))
        for again in chance.sample(states, min(12, len(states))):
            counts["second"] += 1
            bench = played.bench(again.tree)
            found = verdict(
                played,
                bench,
                Allowed(allowed.before, after, allowed.since, allowed.evidence),
                model,
            )
            problems += [f"second crash, {model}: {one}" for one in found]
    return problems


def _on_files(
    played: Played,
    state: State,
    content: frozenset[tuple[str, bytes | None]],
    folder: Path,
    counts: Counter[str],
) -> list[str]:
    """The same state on real files, through the real `Disk`."""
    counts["on files"] += 1
    store_to(unpack(content), folder)
    bench = played.scene.bench(folder, played.project)
    problems = list(verdict(played, bench, played.allowed(state), "files"))
    shutil.rmtree(folder)
    return [f"on files: {one}" for one in problems]


def unpack(content: frozenset[tuple[str, bytes | None]]) -> Tree:
    """A tree with this content, each file on an inode of its own."""
    tree = Tree()
    nodes = {"": tree.root}
    for path, raw in sorted(content, key=lambda item: item[0]):
        above, _, name = path.rpartition("/")
        node = tree.new(folder=raw is None)
        node.data = raw or b""
        entries = nodes[above].entries
        assert entries is not None
        entries[name] = node
        nodes[path] = node
    return tree
