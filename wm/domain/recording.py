"""Split recorded bodies into parts without secrets, store each text once, and rebuild them (PX-11).

A request repeats the complete conversation. So it is stored as a list of parts, and a part as its
JSON with numbers in place of long strings. What a request shares with an earlier one is a range of
that one's parts. Cache marks move from turn to turn, so they are stored apart from the parts.

Rules: only secrets are changed, and all other bytes come back as they were. Every string is
redacted as a whole, also by its key; the signatures of thinking, which look random, only by their
form. Text that is not JSON is not recorded (TR-1). Pure.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from wm.formats.recording import Entry, Recording
from wm.secrets.redact import Redactor
from wm.text import patterns
from wm.text.jsontext import string_end

SHORTEST_TEXT = 40
"""Shorter strings, in bytes, stay in their part: a number would save little."""

MAX_REQUESTS = 16
"""Earlier requests of a session that a new request may refer to."""

_DIGEST_BYTES = 10
_MARK = b'"cache_control"'
# The JSON text between two strings, token by token; each token matches in one way only.
_BETWEEN = patterns.compile_raw(r"[ \t\r\n{}\[\],:]+|true|false|null|-?[0-9][0-9.eE+-]{0,40}")
_SIGN = patterns.compile_raw(r'["{}]')


class NotJson(Exception):  # not an error: it ends the splitting of one body
    """A body is not made of JSON tokens: what could not be redacted is not kept."""


class Token(NamedTuple):
    """A string in a body: its bytes with quotes, and whether it is a member's name."""

    start: int
    end: int
    name: bool


class Cut(Struct, frozen=True):
    """A part without its cache marks. pieces: bytes and strings in turn, bytes first. marks: the
    position of each mark, counted in bytes without marks, and its bytes."""

    pieces: tuple[bytes, ...]
    marks: tuple[tuple[int, bytes], ...]


# --- splitting --------------------------------------------------------------------------------


def tokens(raw: bytes) -> Iterator[Token]:
    """The strings of a piece of JSON that begins and ends between tokens.

    Raises NotJson for anything between two strings that is not a JSON token.
    """
    at = 0
    while True:
        start = raw.find(b'"', at)
        _check(raw, at, len(raw) if start < 0 else start)
        if start < 0:
            return
        end = _string_end(raw, start)
        behind = end
        while raw[behind : behind + 1] in (b" ", b"\t", b"\r", b"\n"):
            behind += 1
        yield Token(start, end, raw[behind : behind + 1] == b":")
        at = end


def _check(raw: bytes, start: int, end: int) -> None:
    while start < end:
        found = _BETWEEN.match(raw, start, end)
        if found is None:
            raise NotJson
        start = found.end()


def _string_end(raw: bytes, start: int) -> int:
    end = string_end(raw, start)
    if not end:
        raise NotJson
    return end


def cut(raw: bytes, redactor: Redactor) -> Cut:
    """Redact a part and split it. Raises NotJson."""
    pieces: list[bytes] = []
    marks: list[tuple[int, bytes]] = []
    between = bytearray()
    done = size = 0  # position in `raw`; length of the result
    seen: dict[tuple[bytes, bytes], bytes] = {}
    sealed = replace(redactor, opaque=False)
    name, before = b"", (b"", b"")
    for token in tokens(raw):
        if token.start < done:
            continue  # inside a mark
        text = raw[token.start : token.end]
        if token.name and text == _MARK and (end := _mark_end(raw, token)):
            comma = raw.rindex(b",", done, token.start)
            between += raw[done:comma]
            size += comma - done
            inner = cut(raw[comma + 1 : end], redactor)
            marks.append((size, b"," + b"".join(inner.pieces)))
            done = end
            continue
        between += raw[done : token.start]
        size += token.start - done
        given = (b"" if token.name else name, text)
        if given not in seen:
            is_seal = _is_sealed(name, before)
            asked = (b"", text, sealed) if is_seal else (*given, redactor)
            seen[given] = _without_secrets(*asked)
        new = seen[given]
        before = before if token.name else given
        if len(new) >= SHORTEST_TEXT:
            pieces += (bytes(between), new)
            between.clear()
        else:
            between += new
        size += len(new)
        done = token.end
        name = text if token.name else b""
    between += raw[done:]
    return Cut((*pieces, bytes(between)), tuple(marks))


def _is_sealed(name: bytes, before: tuple[bytes, bytes]) -> bool:
    """Whether a value is a signature of thinking: it looks random, but is bound to the
    conversation. before: the preceding member."""
    if name == b'"signature"':
        return before[0] == b'"thinking"'
    return name == b'"data"' and before == (b'"type"', b'"redacted_thinking"')


def _mark_end(raw: bytes, token: Token) -> int:
    """End of the object that is the value of this name; 0 if the value is not an object, contains
    another one, or if the name is the first of its own object."""
    before = raw[max(0, token.start - 64) : token.start].rstrip(b" \t\r\n")[-1:]
    opened = raw.find(b"{", token.end, token.end + 64)
    if before != b"," or opened < 0 or raw[token.end : opened].strip() != b":":
        return 0
    at = opened + 1
    while found := _SIGN.search(raw, at):
        if found.group() != b'"':
            return found.end() if found.group() == b"}" else 0
        at = _string_end(raw, found.start())
    return 0


def _without_secrets(name: bytes, text: bytes, redactor: Redactor) -> bytes:
    """A string unchanged, or encoded anew if it contained a secret."""
    if len(text) < 6:
        return text
    value = _read(text)
    if name:
        key = _read(name)
        redacted = redactor.value({key: value})
        assert isinstance(redacted, dict)
        (new,) = redacted.values()
    else:
        new = redactor.text(value)
    return text if new == value else json.dumps(new).encode("ascii")


def _read(token: bytes) -> str:
    try:
        found = json.loads(token.decode("utf-8"), strict=False)
    except ValueError:
        raise NotJson from None
    assert isinstance(found, str)
    return found


# --- storing ------------------------------------------------------------------------------------


class RecordingIndex(Struct):
    """The texts, parts and requests that a log already contains. One owner at a time: the holder of
    the log's lock."""

    texts: dict[bytes, int] = field(default_factory=dict)
    parts: dict[bytes, int] = field(default_factory=dict)
    requests: OrderedDict[str, tuple[Entry, ...]] = field(default_factory=OrderedDict)
    next_text: int = 0
    next_part: int = 0

    def learn(self, line: Recording) -> None:
        """Add a line of the log to the index."""
        for number, text in enumerate(line.texts, line.first_text):
            self.texts[_digest(spelled(text))] = number
        for number, part in enumerate(line.parts, line.first_part):
            self.parts[_digest(_written(part))] = number
        self.next_text = max(self.next_text, line.first_text + len(line.texts))
        self.next_part = max(self.next_part, line.first_part + len(line.parts))
        base = self.requests.get(line.base, ())
        self._know(line.exchange, tuple(_unfolded(line.request, base)))

    def _know(self, exchange: str, entries: tuple[Entry, ...]) -> None:
        self.requests[exchange] = entries
        self.requests.move_to_end(exchange)
        while len(self.requests) > MAX_REQUESTS:
            self.requests.popitem(last=False)

    def kept(self, base: str, count: int) -> tuple[Entry, ...] | None:
        """The first `count` entries of an earlier request; None if they are not known."""
        if not count:
            return ()
        known = self.requests.get(base)
        return known[:count] if known is not None and len(known) >= count else None


class RecordingLine(Struct, eq=False):
    """Builds one line: texts and parts that the log does not contain yet get a number."""

    index: RecordingIndex
    _texts: dict[bytes, tuple[int, str | dict[str, str]]] = {}
    _parts: dict[bytes, tuple[int, tuple[str | int, ...]]] = {}

    def entry(self, found: Cut) -> Entry:
        """The entry of a request that refers to this part."""
        part: list[str | int] = []
        for number, piece in enumerate(found.pieces):
            part.append(self._text(piece) if number % 2 else _decoded(piece))
        here = self._part(tuple(part))
        marks = [(at, self._part((_decoded(mark),))) for at, mark in found.marks]
        return (here, *(number for mark in marks for number in mark)) if marks else here

    def _text(self, token: bytes) -> int:
        digest = _digest(token)
        number = self.index.texts.get(digest)
        if number is None:
            number = self.index.next_text + len(self._texts)
            number, _ = self._texts.setdefault(digest, (number, as_text(token)))
        return number

    def _part(self, part: tuple[str | int, ...]) -> int:
        digest = _digest(_written(part))
        number = self.index.parts.get(digest)
        if number is None:
            number = self.index.next_part + len(self._parts)
            number, _ = self._parts.setdefault(digest, (number, part))
        return number

    def done(
        self,
        entries: Sequence[Entry],
        answer: Sequence[Entry],
        fields: dict[str, object],
        base: str,
    ) -> Recording:
        known = self.index.requests.get(base, ())
        request = folded(entries, known)
        return Recording.model_validate(
            {
                **fields,
                "base": base if any(isinstance(e, tuple) and len(e) == 2 for e in request) else "",
                "first_text": self.index.next_text,
                "texts": [text for _, text in self._texts.values()],
                "first_part": self.index.next_part,
                "parts": [part for _, part in self._parts.values()],
                "request": request,
                "answer": tuple(answer),
            }
        )


def as_text(token: bytes) -> str | dict[str, str]:
    """A string as stored in the log: its value, if encoding that gives the same bytes."""
    value = _read(token)
    try:
        if json.dumps(value, ensure_ascii=False).encode("utf-8") == token:
            return value
        if json.dumps(value).encode("ascii") == token and value.encode("utf-8"):
            return {"ascii": value}
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot encode
        pass
    return {"raw": _decoded(token)}


def spelled(text: str | dict[str, str]) -> bytes:
    """The bytes of a string from the log, with quotes. The inverse of `as_text`."""
    if isinstance(text, str):
        return json.dumps(text, ensure_ascii=False).encode("utf-8")
    if "raw" in text:
        return text["raw"].encode("utf-8")
    return json.dumps(text.get("ascii", "")).encode("ascii")


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise NotJson from None


def _written(part: Sequence[str | int]) -> bytes:
    return json.dumps(list(part)).encode("ascii")


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=_DIGEST_BYTES).digest()


def folded(entries: Sequence[Entry], base: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries, with (first, count) in place of runs that `base` also contains."""
    places: dict[Entry, int] = {}
    for number, one in enumerate(base):
        places.setdefault(one, number)
    found: list[Entry] = []
    at = 0
    while at < len(entries):
        first = places.get(entries[at], -1)
        count = 0
        while (
            first >= 0
            and at + count < len(entries)
            and first + count < len(base)
            and entries[at + count] == base[first + count]
        ):
            count += 1
        if count > 1:
            found.append((first, count))
            at += count
        else:
            found.append(entries[at])
            at += 1
    return tuple(found)


def _unfolded(request: Iterable[Entry], base: Sequence[Entry]) -> Iterator[Entry]:
    for one in request:
        if isinstance(one, tuple) and len(one) == 2:
            yield from base[one[0] : one[0] + one[1]]
        else:
            yield one


# --- rebuilding -----------------------------------------------------------------------------------


class Rebuilt(Struct, frozen=True):
    """An exchange with its bodies; None for a body that needs a damaged line."""

    line: Recording
    request: bytes | None
    answer: bytes | None


class Reader(Struct, eq=False):
    """Rebuilds exchanges from the lines of a log, in order."""

    _texts: dict[int, bytes] = {}
    _parts: dict[int, tuple[str | int, ...]] = {}
    _requests: dict[str, tuple[Entry, ...]] = {}

    def take(self, line: Recording) -> Rebuilt | None:
        """The exchange that this line completes; None for a line that has parts only."""
        self._texts.update(enumerate(map(spelled, line.texts), line.first_text))
        self._parts.update(enumerate(line.parts, line.first_part))
        base = self._requests.get(line.base)
        is_complete = base is not None or not line.base
        entries = tuple(_unfolded(line.request, base or ()))
        if is_complete:
            self._requests[line.exchange] = entries
        if line.more:
            return None
        request = self._joined(entries) if is_complete and entries else None
        return Rebuilt(line, request, self._joined(line.answer) if line.answer else None)

    def _joined(self, entries: Sequence[Entry]) -> bytes | None:
        try:
            return b"".join(map(self._bytes, entries))
        except KeyError:
            return None

    def _bytes(self, entry: Entry) -> bytes:
        number, *marks = entry if isinstance(entry, tuple) else (entry,)
        raw = self._part(number)
        done, found = 0, b""
        for at, mark in zip(marks[::2], marks[1::2], strict=True):
            found += raw[done:at] + self._part(mark)
            done = at
        return found + raw[done:]

    def _part(self, number: int) -> bytes:
        pieces = self._parts[number]
        return b"".join(p.encode() if isinstance(p, str) else self._texts[p] for p in pieces)
