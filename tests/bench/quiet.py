"""Is recall quiet where nothing is relevant, and does it keep what is? `bench quiet`

Questions of our own (`tests.bench.quiet_cases`) over memories of 1, 5, 50 and 500 entries, through
the use case that answers `wm search`. Quiet: no hit at all for a question that nothing answers.
Lost: no hit at all for one that has an answer, split by whether the question has words of the
fact (plain) or few (hard); missed: hits, but not that one among ten. Answered:
an `answer` was given; wrong: from another entry. The floor's constants may be tuned on the half
`dev` of the questions; the other half is for telling.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.bench.quiet_cases import FACTS, HARD, NOTHING, filler
from tests.bench.recall_set import NOW, ROOT, runtime_of
from tests.bench.retrieval import model_of
from wm.api.protocol import SearchAnswer, SearchRequest
from wm.domain.times import iso
from wm.formats.workspace_memory import MemoryEntry
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import Runtime
from wm.store.identity import key_of

SIZES = (1, 5, 50, 500)
LONE = 14
"""Memories of one entry that are asked."""

QUIET_GOAL, LOST_GOAL = 0.95, 0.02


@dataclass(frozen=True)
class Asked:
    """One question put to one memory. wanted: the entry that answers it, "" for none."""

    size: int
    kind: str
    half: str
    question: str
    wanted: str
    hard: bool
    found: tuple[str, ...]
    answer: str


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench quiet", description=__doc__)
    parser.add_argument("--model", default="embedded", help="embedded, none, a folder, or minilm")
    parser.add_argument("--half", choices=("dev", "test", "all"), default="all")
    parser.add_argument("--faults", action="store_true", help="list what went wrong")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    asked = parser.parse_args(argv)
    rows = [r for r in run(model_of(asked.model)) if asked.half in ("all", r.half)]
    figures = show(rows, asked.half, asked.model)
    if asked.faults:
        _faults(rows)
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=1) + "\n")
    whole = figures["all"]
    return 0 if whole["quiet"] >= QUIET_GOAL and whole["lost"] <= LOST_GOAL else 1


def run(model: str) -> Iterator[Asked]:
    for size in SIZES:
        for texts, count in _memories(size):
            yield from _ask(size, texts, count, model)


def _memories(size: int) -> Iterator[tuple[list[str], int]]:
    """Memories of a size, and how many facts of ours precede the filler."""
    facts = [fact for _, fact, _ in FACTS]
    if size > len(facts):
        yield [*facts, *filler(size - len(facts))], len(facts)
        return
    starts = range(0, len(facts), max(size, len(facts) // LONE))
    for start in starts:
        begin = min(start, len(facts) - size)
        yield facts[begin : begin + size], size


def _ask(size: int, texts: Sequence[str], count: int, model: str) -> Iterator[Asked]:
    entries = [_entry(number, text) for number, text in enumerate(texts)]
    runtime = runtime_of(entries, model)
    for kind, question in NOTHING:
        yield _asked(runtime, size, kind, question)
    known = {text: entry.id for text, entry in zip(texts[:count], entries, strict=False)}
    for language, fact, questions in FACTS:
        hard = [question for _, begin, question in HARD if fact.startswith(begin)]
        for question in (*questions, *hard) if fact in known else ():
            is_hard = question in hard
            yield _asked(runtime, size, language, question, known[fact], hard=is_hard)


def _asked(
    runtime: Runtime, size: int, kind: str, question: str, wanted: str = "", *, hard: bool = False
) -> Asked:
    request = SearchRequest(workspace=key_of(ROOT), query=question, limit=10)
    said: SearchAnswer = execute(runtime, OPERATIONS["search"], request)
    return Asked(
        size,
        kind,
        "dev" if zlib.crc32(question.encode()) % 2 else "test",
        question,
        wanted,
        hard,
        tuple(hit.entry.id for hit in said.hits),
        said.answer.entry if said.answer is not None else "",
    )


def _entry(number: int, text: str) -> MemoryEntry:
    when = iso(NOW - timedelta(days=1 + number % 300))
    return MemoryEntry(
        id=f"m_{number:020x}",
        type="project",
        text=text,
        source="explicit",
        created_at=when,
        updated_at=when,
    )


# --- figures --------------------------------------------------------------------------------


def show(rows: Sequence[Asked], half: str, model: str) -> dict[str, dict[str, float]]:
    """Print the figures by size, in all, and by kind. Returns those by size and in all."""
    print(f"  {half} of the questions, {model}; shares, in all over questions of every size")
    print(f"  {'entries':<10}{'none':>6}{'quiet':>8}{'plain':>7}{'lost':>8}", end="")
    print(f"{'hard':>7}{'lost':>8}{'missed':>8}{'answered':>10}{'wrong':>8}{'of none':>9}")
    figures = {}
    for size in (*SIZES, 0):
        own = [r for r in rows if size in (0, r.size)]
        name = str(size) if size else "all"
        figures[name] = _line(name, own)
    print("  quiet by kind: ", end="")
    kinds: defaultdict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if not row.wanted:
            kinds[row.kind].append(not row.found)
    print(", ".join(f"{kind} {sum(v) / len(v):.3f}" for kind, v in kinds.items()))
    return figures


def _line(name: str, rows: Sequence[Asked]) -> dict[str, float]:
    none, some = [r for r in rows if not r.wanted], [r for r in rows if r.wanted]
    figures = {
        "quiet": _share(not r.found for r in none),
        "lost": _share(not r.found for r in some if not r.hard),
        "hard": _share(not r.found for r in some if r.hard),
        "missed": _share(bool(r.found) and r.wanted not in r.found for r in some),
        "answered": _share(bool(r.answer) for r in some),
        "wrong": _share(r.answer not in ("", r.wanted) for r in some),
        "of_none": _share(bool(r.answer) for r in none),
    }
    quiet, lost, hard, missed, answered, wrong, of_none = figures.values()
    counted = sum(r.hard for r in some)
    print(
        f"  {name:<10}{len(none):>6}{quiet:>8.3f}{len(some) - counted:>7}{lost:>8.3f}{counted:>7}"
        f"{hard:>8.3f}{missed:>8.3f}{answered:>10.3f}{wrong:>8.3f}{of_none:>9.3f}"
    )
    return figures


def _share(values: Any) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else 0.0


def _faults(rows: Sequence[Asked]) -> None:
    faults: Counter[str] = Counter()
    for row in rows:
        if not row.wanted and row.found:
            faults[f"not quiet  {row.kind:<6}{row.question}"] += 1
        elif row.wanted and row.wanted not in row.found:
            faults[f"{'missed' if row.found else 'lost':<11}{row.kind:<6}{row.question}"] += 1
        if row.answer not in ("", row.wanted):
            faults[f"wrong      {row.kind:<6}{row.question}"] += 1
    for fault, count in sorted(faults.items()):
        print(f"  {count:>3} x {fault}")
