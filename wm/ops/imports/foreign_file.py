"""Open one file of another program: bounded, decoded, never larger than it claims (CB-6).

Reads only regular files of limited size; links, pipes and devices are reported and skipped, and
nothing blocks on them. A file that was found, rather than named by the user, must lie below the
folder that was searched: a link in a repository must not expose other files. Writes nothing.
"""

from __future__ import annotations

import errno
import json
import os
from datetime import UTC, datetime

from msgspec import Struct
from pydantic_core import from_json

from wm.domain.imports.foreign import ForeignFile
from wm.domain.times import iso
from wm.store.identity import shown
from wm.store.project import read_regular

_BOMS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
LATEST_S = 253_000_000_000.0
"""Later times, after the year 9987, do not fit the calendar."""


class UnreadableFile(Struct, frozen=True):
    """A file that could not be read, and the reason as a clause."""

    file: str
    why: str


def open_foreign(
    path: str, base: str, max_bytes: int, *, json_wanted: bool, max_chars: int
) -> ForeignFile | UnreadableFile:
    """Read a file as text or JSON. base: the folder that the file must not lead out of, or "".
    max_bytes: a larger file is not read."""
    if base and not _is_below(path, base):
        return UnreadableFile(path, f"it is outside {base}")
    raw = _bytes(path, max_bytes)
    if isinstance(raw, str):
        return UnreadableFile(path, raw)
    data, modified = raw
    text = _text(data, is_lines=path.endswith(".jsonl"))
    if text is None:
        return UnreadableFile(path, _not_text(data))
    value: object = None
    if json_wanted:
        try:
            value = _json(text)
        except ValueError as error:
            return UnreadableFile(path, f"it is not JSON ({_position(error)})")
        except RecursionError:
            return UnreadableFile(path, "its JSON is nested too deeply")
    return ForeignFile(shown(path), "" if json_wanted else text, value, modified, max_chars)


def _is_below(path: str, base: str) -> bool:
    folder = os.path.realpath(os.path.dirname(path))
    root = os.path.realpath(base)
    return folder == root or folder.startswith(root.rstrip("/") + "/")


def _bytes(path: str, limit: int) -> tuple[bytes, str] | str:
    """(content, modification time), or the reason why it cannot be read. Never blocks on a pipe."""
    try:
        data, status = read_regular(path, limit, flags=os.O_NOFOLLOW)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            return f"it is a link to {os.path.realpath(path)}; to import that, name it"
        return why(error)
    if status.st_size > limit:
        return f"it has {status.st_size:,} bytes; at most {limit:,} are read"
    if len(data) > limit:
        return f"it has more than {limit:,} bytes, the limit"
    moment = datetime.fromtimestamp(max(0.0, min(status.st_mtime, LATEST_S)), UTC)
    return data, iso(moment)


DAMAGED = "\ufffd"
"""A line that is not text: one bad byte costs its record, and not the records around it (ST-3)."""


def _text(data: bytes, *, is_lines: bool) -> str | None:
    text = _decoded(data)
    if text is not None or not is_lines:
        return text
    lines = [_decoded(line) for line in data.split(b"\n")]
    return "\n".join(DAMAGED if line is None else line for line in lines) if any(lines) else None


def _decoded(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _not_text(data: bytes) -> str:
    for mark, name in _BOMS:
        if data.startswith(mark):
            return f"it is {name}; only UTF-8 is read"
    return "it is binary, not text" if b"\0" in data else "it is not UTF-8 text"


def _json(text: str) -> object:
    """Parse JSON; lone surrogates are replaced, because the plugin truncates texts between the
    halves."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        value = json.loads(text, parse_constant=_no_constant)
        encoded = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return from_json(encoded, allow_inf_nan=False)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _position(error: ValueError) -> str:
    """Where the JSON breaks; the parser's message quotes none of the content."""
    return str(error).split("\n", 1)[0][:120]


def why(error: OSError | ValueError) -> str:
    """Why a file cannot be read, as a clause."""
    if isinstance(error, FileNotFoundError):
        return "it does not exist"
    if isinstance(error, PermissionError):
        return "permission denied"
    return (error.strerror or "it cannot be read") if isinstance(error, OSError) else str(error)
