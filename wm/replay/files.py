"""Recording files: detect the kind, and yield the requests line by line.

Only the reader's own state is kept, so that file size does not matter.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from wm.errors import UserError
from wm.replay.captures import Captures, is_capture
from wm.replay.flows import Flows, is_flow, is_recording
from wm.replay.requests import JsonObject, RecordingSource, Sent, SkippedRequests, read_object
from wm.replay.sessions import Sessions, is_session
from wm.replay.transcripts import Transcripts, is_transcript
from wm.store.paths import FLOWS, RECORDINGS

MAX_LINE_BYTES = 256 * 1024 * 1024
_LOOKED_AT_LINES = 50
Progress = Callable[[int, int], None]
"""Called with bytes done and total bytes; 0 if unknown, as for a pipe."""

_KINDS: tuple[
    tuple[Callable[[JsonObject], bool], Callable[[SkippedRequests, Path], RecordingSource]], ...
] = (
    (is_flow, Flows),
    (is_recording, Flows),
    (is_capture, lambda left, _path: Captures(left)),
    (is_session, lambda left, _path: Sessions(left)),
    (is_transcript, lambda left, _path: Transcripts(left)),
)
HELP = (
    "Give a log of a proxy (flows/… or recordings/… of a workspace), a capture (lines with path, "
    "headers, body, usage), a transcript of Claude Code (~/.claude/projects/…/*.jsonl), or "
    "sessions (lines with id, model, system, messages); each may be gzipped."
)


def distinct(paths: Sequence[Path], left: SkippedRequests) -> Iterator[Path]:
    """The files without those already read: the two logs of a session are read together, whichever
    is named."""
    seen: set[tuple[Path, str]] = set()
    for path in paths:
        whole = Path(os.path.realpath(path))
        is_log = whole.parent.name in (FLOWS, RECORDINGS)
        name = (whole.parent.parent if is_log else whole.parent, whole.name)
        if name in seen:
            left.add("logs of sessions that were read already")
            continue
        seen.add(name)
        yield path


def recorded(path: Path, left: SkippedRequests, progress: Progress) -> Iterator[Sent]:
    """The requests of one file, in order. Raises UserError if it is not a recording."""
    source: RecordingSource | None = None
    strange = 0
    for found in _objects(path, left, progress):
        if source is None:
            source = next((make(left, path) for fits, make in _KINDS if fits(found)), None)
            strange += source is None
            if strange > _LOOKED_AT_LINES:
                break
        if source is not None:
            yield from source.line(found)
    if source is None:
        why = "its lines are JSON of another kind" if strange else "it has no line of JSON"
        raise UserError(f"{path} is no recording that wm knows: {why}.", fix=HELP)
    if strange:
        left.add("lines of another kind")
    yield from source.end()


def _objects(path: Path, left: SkippedRequests, progress: Progress) -> Iterator[JsonObject]:
    total = _size(path)
    with _opened(path) as (lines, under):
        while True:
            line = _line(path, lines)
            if not line:
                return
            progress(min(total, under.tell()) if total else 0, total)
            if len(line) > MAX_LINE_BYTES:
                left.add("lines that are too long")
                continue
            found = read_object(line)
            if found is not None:
                yield found
            elif line.strip():
                left.add("lines that are no JSON")


def _line(path: Path, lines: IO[bytes]) -> bytes:
    try:
        return lines.readline(MAX_LINE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(
            f"{path} cannot be read to its end: {error}.", fix="Is the file whole?"
        ) from None


class _opened:  # noqa: N801  # a context, used like a function
    """The file's lines, and the file itself, whose position tells the progress."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("rb")
            # Peek only: a pipe such as `<(zcat …)` cannot be rewound.
            packed = self._file.peek(2)[:2] == b"\x1f\x8b"
        except OSError as error:
            why = error.strerror or str(error)
            raise UserError(f"{path} cannot be opened: {why}.", fix=HELP) from None
        self._lines: Any = gzip.GzipFile(fileobj=self._file) if packed else self._file

    def __enter__(self) -> tuple[IO[bytes], IO[bytes]]:
        lines = self._lines if self._lines is self._file else io.BufferedReader(self._lines)
        return lines, self._file

    def __exit__(self, *error: object) -> None:
        self._lines.close()
        self._file.close()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
