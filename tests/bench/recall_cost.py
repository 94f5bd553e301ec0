"""What recall costs beside others: `python -m tests.bench recall_cost`.

Time to add and of a query, memory and disk at 1,000, 10,000 and (with --sizes) more texts, each
engine in a process of its own in the same run, with the same vectors: ours (words and meaning),
SQLite's FTS5 with sqlite-vec (both, by reciprocal ranks), chroma, lancedb and mem0 (vectors only).
Peers are installed into a virtual environment under the temporary folder; one that cannot be, or
that takes longer than --most for a size, is left out, with the reason. Making the vectors is no
part of it. Ours keeps each text twice on disk, in the workspace's document and its spare, and the
vectors; the graph of more than 20,000 is made before it counts as added.

Adds are measured in two ways. One by one, each acknowledged (durably, where the engine flushes at
all) and found before the next: by this the goal is judged, since a memory gets single statements.
And all at once, with one acknowledgement for all, as an import has it.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.bench import recall_cost_peers
from tests.bench.harness import at_most, report
from tests.bench.quiet_cases import FACTS, HARD
from wm.models.opening import open_embedder
from wm.settings import RecallSettings

PACKAGES = {
    "sqlite": ("sqlite-vec", "pysqlite3-binary"),
    "chroma": ("chromadb",),
    "lance": ("lancedb",),
    "mem0": ("mem0ai",),
}
COLUMNS = {
    "query_ms": "query, ms",
    "one_ms": "one add, ms",
    "ones_per_s": "singles per s, clock",
    "ones_found": "of these found",
    "add_s": "all at once, s",
    "adds_per_s": "at once per s, clock",
    "memory_mb": "memory, MB",
    "disk_mb": "disk, MB",
}
ENVIRONMENT = Path(tempfile.gettempdir()) / "wm-recall-peers"
INSTALL_S = 900
MOST_S = 600
Figures = Mapping[str, float]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench recall_cost", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--peers", type=Path, default=ENVIRONMENT, help="the peers' environment")
    parser.add_argument("--most", type=float, default=MOST_S, help="seconds for one row")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    asked = parser.parse_args(argv)
    python = _environment(asked.peers)
    reasons = {name: _missing(python, packages) for name, packages in PACKAGES.items()}
    out: dict[str, dict[str, Figures]] = {}
    verdict = []
    for size in asked.sizes:
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder), size)
            rows: dict[str, Figures] = {}
            for name in ("ours", *(name for name in PACKAGES if not reasons[name])):
                own = Path(sys.executable) if name == "ours" else python
                found = _run(own, name, Path(folder), asked.most)
                if found is None:
                    print(
                        f"  {size:,} texts: {name} left out, it took more than {asked.most:.0f} s"
                    )
                else:
                    rows[name] = found
        out[str(size)] = rows
        if "ours" in rows:
            _show(size, rows)
            if "sqlite" in rows:
                share = rows["ours"]["query_ms"] / rows["sqlite"]["query_ms"]
                verdict.append(at_most(f"beside {size:,} texts", share, 1, "x sqlite"))
    for name, reason in reasons.items():
        if reason:
            print(f"  skipped {name}: {reason}")
    if asked.json:
        asked.json.write_text(json.dumps(out, indent=1) + "\n")
    return 0 if not verdict or report("a query", verdict) else 1


def _environment(folder: Path) -> Path:
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    return python


def _missing(python: Path, packages: Sequence[str]) -> str:
    """Install a peer where it is not there yet; why it is not there, "" where it is."""
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    try:
        done = subprocess.run(
            [*pip, "numpy", *packages], capture_output=True, text=True, timeout=INSTALL_S
        )
    except subprocess.TimeoutExpired:
        return f"pip did not install it within {INSTALL_S} s"
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no reason"])[-1]


def _run(python: Path, name: str, folder: Path, most_s: float) -> Figures | None:
    """The figures of one engine; None where it was not done in time."""
    script = Path(recall_cost_peers.__file__)
    root = script.parents[2]
    environment = {"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    # As ours has it (`settings.one_numeric_thread`): spinning threads would be counted as work.
    environment["OPENBLAS_NUM_THREADS"] = "1"
    command = [str(python), str(script), name, str(folder)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=most_s
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr[-600:]}")
    found: Figures = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _write(folder: Path, size: int) -> None:
    """Texts, queries and vectors, the same for all engines."""
    texts = list(_texts(size + recall_cost_peers.SINGLES))
    queries = [q for _, _, questions in FACTS for q in questions] + [q for _, _, q in HARD]
    embedder = open_embedder("embedded", RecallSettings())
    assert embedder is not None
    np.save(folder / "rows.npy", embedder.embed(texts))
    np.save(folder / "asked.npy", embedder.embed(queries))
    for name, content in (("texts", texts), ("queries", queries)):
        (folder / f"{name}.json").write_text(json.dumps(content), "utf-8")


def _texts(size: int) -> Iterator[str]:
    """Texts of about an entry's length: sentences of facts, mixed, with a number of their own."""
    facts = [fact for _, fact, _ in FACTS]
    yield from facts[:size]
    dice = random.Random(7)
    words = sorted({word for fact in facts for word in fact.split()})
    for number in range(size - len(facts)):
        mixed = " ".join(dice.choices(words, k=12))
        yield f"{dice.choice(facts)} Bay {number}: {mixed}."


def _show(size: int, rows: Mapping[str, Figures]) -> None:
    print(f"\n  {size:,} texts" + "".join(f"{title:>22}" for title in COLUMNS.values()))
    ours = rows["ours"]
    for name, figures in rows.items():
        cells = ""
        for column in COLUMNS:
            ratio = figures[column] / ours[column] if ours[column] else 0.0
            cells += f"{figures[column]:>12.2f}{f'({ratio:.2f} x)':>10}"
        print(f"  {name:<{len(f'{size:,} texts')}}{cells}")
