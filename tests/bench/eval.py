"""Put a labelled set through the rules, as the use cases apply them, and write predictions.

    python -m tests.bench eval SET FILE --out PREDICTIONS

SET is one of `SETS`; FILE is JSON lines, gzipped or not, of which only the inputs are read,
never the labels. Each case begins with an empty memory and a new session. How a set is put to
the rules stands in `tests.bench.sets`.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.bench import recall_set, session_set
from tests.bench.retrieval import model_of
from tests.bench.sets import SETS

RECALL = "recall"
"""Its cases share one corpus, so it is not a row of `SETS` (see `tests.bench.recall_set`)."""

GZIP_MAGIC = b"\x1f\x8b"


class Unreadable(Exception):
    """The file of cases or predictions cannot be used; the message says why."""


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench eval", description="Predictions for a labelled set."
    )
    names = sorted((*SETS, RECALL))
    parser.add_argument("set", choices=names, metavar="SET", help=", ".join(names))
    parser.add_argument("file", type=Path, metavar="FILE", help="JSON lines, gzipped or not")
    parser.add_argument("--out", type=Path, required=True, metavar="PREDICTIONS")
    parser.add_argument(
        "--embedder", default="embedded", help="of recall: embedded, none, a folder, or minilm"
    )
    parser.add_argument(
        "--transcripts",
        type=Path,
        action="append",
        metavar="PATH",
        help="of sessions: a file or folder; default ../../public/sessions.jsonl.gz beside FILE",
    )
    asked = parser.parse_args(argv)
    beside = asked.file.resolve().parents[2] / "public" / "sessions.jsonl.gz"
    session_set.use(asked.transcripts or [beside])
    try:
        if asked.set == RECALL:
            rows = recall_set.predictions(asked.file, model_of(asked.embedder))
        else:
            rows = predictions(asked.set, read_cases(asked.file, asked.set))
        written = write(asked.out, rows)
    except Unreadable as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    print(f"{asked.set}: {written} predictions in {asked.out}")
    return 0


def read_cases(path: Path, name: str) -> list[dict[str, Any]]:
    """The cases of a file. Raises Unreadable with the line at fault."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data.startswith(GZIP_MAGIC) else data).decode()
    except (OSError, EOFError, ValueError) as error:
        raise Unreadable(f"{path} cannot be read: {error}") from error
    needed = ("id", *SETS[name].needs)
    cases = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            cases.append(_case(path, number, line, needed))
    if not cases:
        raise Unreadable(f"{path} holds no case.")
    return cases


def _case(path: Path, number: int, line: str, needed: Sequence[str]) -> dict[str, Any]:
    try:
        case = json.loads(line)
    except ValueError as error:
        raise Unreadable(f"{path}, line {number} is no JSON: {error}") from error
    missing = [field for field in needed if not isinstance(case, dict) or field not in case]
    if missing:
        raise Unreadable(f"{path}, line {number} lacks {', '.join(missing)}: another set?")
    found: dict[str, Any] = case
    return found


def predictions(name: str, cases: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    predict = SETS[name].predict
    for case in cases:
        yield {"id": case["id"], **predict(case)}


def write(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    count = 0
    try:
        with path.open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row) + "\n")
                count += 1
    except OSError as error:
        raise Unreadable(f"{path} cannot be written: {error}") from error
    return count
