"""Recording files: detect the kind, and yield the requests line by line.

Only the reader's own state is kept, so that file size does not matter.
"""

from __future__ import annotations

import gzip
import io
import os
import select
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from wm.errors import UserError
from wm.replay.captures import captures, is_capture
from wm.replay.flows import flows, is_flow, is_recording
from wm.replay.other_transcripts import is_other_transcript, other_transcripts
from wm.replay.requests import JsonObject, Sent, SkippedRequests
from wm.replay.sessions import is_session, sessions
from wm.replay.transcripts import is_transcript, transcripts
from wm.store.paths import FLOWS, RECORDINGS
from wm.text.jsontext import object_of

MAX_LINE_BYTES = 256 * 1024 * 1024
_LOOKED_AT_LINES = 50
WRITER_S = 5.0
"""Longest wait for a program that writes to a named pipe."""
Progress = Callable[[int, int], None]
"""Called with bytes done and total bytes; 0 if unknown, as for a pipe."""

Reader = Callable[[Iterable[JsonObject], SkippedRequests, Path], Iterator[Sent]]
_KINDS: tuple[tuple[Callable[[JsonObject], bool], Reader], ...] = (
    (is_flow, flows),
    (is_recording, flows),
    (is_capture, captures),
    (is_session, sessions),
    (is_other_transcript, other_transcripts),
    (is_transcript, transcripts),
)
"""What a line of each kind looks like, and the reader of such a file."""
HELP = (
    "Give a log of a proxy (flows/… or recordings/… of a workspace), a capture (lines with path, "
    "headers, body, usage), a transcript of Claude Code (~/.claude/projects/…/*.jsonl), Codex, "
    "Copilot CLI, Gemini CLI or Qwen Code, or sessions (lines with id, model, system, messages); "
    "each may be gzipped."
)


def files_in(path: Path, note: Callable[[str], None]) -> list[Path]:
    """A recording, or those of a folder; `note` as for `only_recordings`. Raises UserError if a
    folder has none."""
    if not path.is_dir():
        return [path]
    found = sorted(chain(path.rglob("*.jsonl"), path.rglob("*.jsonl.gz")))
    if recordings := list(only_recordings(found, note)):
        return recordings
    raise UserError(f"No recording (*.jsonl) is in {path}.", fix=HELP)


def only_recordings(found: Iterable[Path], note: Callable[[str], None]) -> Iterator[Path]:
    """The recordings among files that were not named. note: gets a sentence about the others."""
    for path in found:
        try:
            next(recorded(path, SkippedRequests(), lambda _done, _total: None), None)
            yield path
        except UserError as error:
            note(f"Skipped: {error.message}")


def requests_of(paths: Sequence[Path], left: SkippedRequests, progress: Progress) -> Iterator[Sent]:
    """The requests of all files. The two logs of a session are read together, whichever is
    named."""
    seen: set[tuple[Path, str]] = set()
    for path in paths:
        real = Path(os.path.realpath(path))
        is_log = real.parent.name in (FLOWS, RECORDINGS)
        name = (real.parent.parent if is_log else real.parent, real.name)
        if name in seen:
            left.add("logs of sessions that were read already")
            continue
        seen.add(name)
        yield from recorded(path, left, progress)


def recorded(path: Path, left: SkippedRequests, progress: Progress) -> Iterator[Sent]:
    """The requests of one file, in order. Raises UserError if it is not a recording."""
    objects = _objects(path, left, progress)
    strange = False
    for found in islice(objects, _LOOKED_AT_LINES + 1):
        read = next((read for fits, read in _KINDS if fits(found)), None)
        if read is not None:
            if strange:
                left.add("lines of another kind")
            yield from read(chain([found], objects), left, path)
            return
        strange = True
    why = "its lines are JSON of another kind" if strange else "it has no line of JSON"
    raise UserError(f"{path} is not a recording that wm can read: {why}.", fix=HELP)


def _objects(path: Path, left: SkippedRequests, progress: Progress) -> Iterator[JsonObject]:
    with _opened(path) as (lines, under, total):
        while True:
            line = _line(path, lines)
            if not line:
                return
            progress(min(total, under.tell()) if total else 0, total)
            if len(line) > MAX_LINE_BYTES:
                left.add("lines that are too long")
                continue
            found = object_of(line)
            if found is not None:
                yield found
            elif line.strip():
                left.add("lines that are not JSON")


def _line(path: Path, lines: IO[bytes]) -> bytes:
    try:
        return lines.readline(MAX_LINE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UserError.of("replay.broken_file", path=path, error=error) from None


def _opener(path: str, flags: int) -> int:
    """os.open, but a named pipe that no program writes is an error. One of `<(…)` may be slow."""
    fd = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(fd, True)
    if Path(os.path.realpath(path)).is_fifo() and not select.select([fd], [], [], WRITER_S)[0]:
        os.close(fd)
        raise TimeoutError(0, "no program writes to this pipe")
    return fd


@contextmanager
def _opened(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes], int]]:
    """The file's lines, the file itself, whose position gives the progress, and its size."""
    try:
        file = open(path, "rb", opener=_opener)  # noqa: SIM115
        # Peek only: a pipe such as `<(zcat …)` cannot be rewound.
        packed = file.peek(2)[:2] == b"\x1f\x8b"
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError(f"{path} cannot be opened: {why}.", fix=HELP) from None
    lines: Any = io.BufferedReader(gzip.GzipFile(fileobj=file)) if packed else file
    with file, lines:
        yield lines, file, os.fstat(file.fileno()).st_size
