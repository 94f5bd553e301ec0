"""Recorded bodies: taken apart, without secrets, each text once; and put together again (PX-11).

A request repeats the whole conversation. So it is kept as a row of parts, and a part as the JSON
between its long strings, with numbers for these. What a request shares with one before it is
named by place. Cache marks, which move from turn to turn, are kept apart from what they stand at.

Protects: nothing but the secrets is changed, and the bytes come back as they were. Every string
is redacted as a whole, by its key too; seals of thinking, which look random, only by their form.
What is no JSON is not taken (TR-1). Pure.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from wm.domain import patterns
from wm.domain.redact import Redactor
from wm.formats.jsontext import string_end
from wm.formats.recording import Entry, Recording

SHORTEST_TEXT = 40
"""Strings of fewer bytes stay where they are: a number is not much shorter."""

MAX_REQUESTS = 16
"""So many requests of a session are known to be gone on from."""

_DIGEST_BYTES = 10
_MARK = b'"cache_control"'
# What may stand between two strings, piece by piece; each piece can match in one way only.
_BETWEEN = patterns.compile_raw(r"[ \t\r\n{}\[\],:]+|true|false|null|-?[0-9][0-9.eE+-]{0,40}")
_SIGN = patterns.compile_raw(r'["{}]')


class NotJson(Exception):  # not an error: it ends the taking apart of one body
    """A body is not made of JSON tokens: what could not be redacted is not kept."""


class Token(NamedTuple):
    """A string in a body: its bytes with quotes, and whether it is the name of a member."""

    start: int
    end: int
    name: bool


class Cut(Struct, frozen=True):
    """A part without its marks. pieces: bytes and strings in turn, bytes first. marks: where one
    stood, counted in bytes without marks, and its bytes."""

    pieces: tuple[bytes, ...]
    marks: tuple[tuple[int, bytes], ...]


# --- taking apart -----------------------------------------------------------------------------


def tokens(raw: bytes) -> Iterator[Token]:
    """The strings of a stretch of JSON that begins and ends between tokens.

    Raises NotJson for anything that is neither a string nor what may stand between two.
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
    """A part without secrets, taken apart. Raises NotJson."""
    pieces: list[bytes] = []
    marks: list[tuple[int, bytes]] = []
    between = bytearray()
    done = size = 0  # of `raw`; of what is kept of it
    seen: dict[tuple[bytes, bytes], bytes] = {}
    sealed = replace(redactor, opaque=False)
    name, before = b"", (b"", b"")
    for token in tokens(raw):
        if token.start < done:
            continue  # inside of a mark
        text = raw[token.start : token.end]
        if token.name and text == _MARK and (end := _mark_end(raw, token)):
            comma = raw.rindex(b",", done, token.start)
            between += raw[done:comma]
            size += comma - done
            marks.append((size, _redacted(raw[comma:end], redactor)))
            done = end
            continue
        between += raw[done : token.start]
        size += token.start - done
        given = (b"" if token.name else name, text)
        if given not in seen:
            is_seal = _is_sealed(name, before)
            seen[given] = (
                _without_secrets(b"", text, sealed)
                if is_seal
                else _without_secrets(*given, redactor)
            )
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
    """Whether a value is what the service sealed of its thinking: random to look at, and bound to
    the conversation. before: the member in front."""
    if name == b'"signature"':
        return before[0] == b'"thinking"'
    return name == b'"data"' and before == (b'"type"', b'"redacted_thinking"')


def _mark_end(raw: bytes, token: Token) -> int:
    """Where the object ends that is the value of this name; 0 where it is none, holds another, or
    where the name is the first of its own object."""
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


def _redacted(raw: bytes, redactor: Redactor) -> bytes:
    """A few bytes of JSON without secrets, in one piece."""
    done, found, name = 0, bytearray(), b""
    for token in tokens(raw):
        text = raw[token.start : token.end]
        new = _without_secrets(b"" if token.name else name, text, redactor)
        found += raw[done : token.start] + new
        done, name = token.end, text if token.name else b""
    return bytes(found + raw[done:])


def _without_secrets(name: bytes, text: bytes, redactor: Redactor) -> bytes:
    """A string as it came, or written anew where it held a secret."""
    if len(text) < 6:
        return text
    value = _read(text)
    if name:
        key = _read(name)
        (new,) = dict.values(_mapping(redactor.value({key: value})))
    else:
        new = redactor.text(value)
    return text if new == value else json.dumps(new).encode("ascii")


def _mapping(value: object) -> dict[str, str]:
    assert isinstance(value, dict)
    return value


def _read(token: bytes) -> str:
    try:
        found = json.loads(token.decode("utf-8"), strict=False)
    except ValueError:
        raise NotJson from None
    assert isinstance(found, str)
    return found


# --- keeping ------------------------------------------------------------------------------------


class Index(Struct):
    """What a log holds already. One owner at a time: whoever has the log's lock."""

    texts: dict[bytes, int] = field(default_factory=dict)
    parts: dict[bytes, int] = field(default_factory=dict)
    requests: OrderedDict[str, tuple[Entry, ...]] = field(default_factory=OrderedDict)
    next_text: int = 0
    next_part: int = 0

    def learn(self, line: Recording) -> None:
        """Take in a line as it stands in the log."""
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
        """The first entries of an earlier request; None where it is not known."""
        if not count:
            return ()
        known = self.requests.get(base)
        return known[:count] if known is not None and len(known) >= count else None


class Line:
    """One line in the making: what of it the log does not hold yet gets a number."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._texts: dict[bytes, tuple[int, str | dict[str, str]]] = {}
        self._parts: dict[bytes, tuple[int, tuple[str | int, ...]]] = {}

    def entry(self, found: Cut) -> Entry:
        """How a part is named in a request."""
        part: list[str | int] = []
        for number, piece in enumerate(found.pieces):
            part.append(self._text(piece) if number % 2 else _decoded(piece))
        here = self._part(tuple(part))
        marks = [(at, self._part((_decoded(mark),))) for at, mark in found.marks]
        return (here, *(number for mark in marks for number in mark)) if marks else here

    def _text(self, token: bytes) -> int:
        digest = _digest(token)
        number = self._index.texts.get(digest)
        if number is None:
            number = self._index.next_text + len(self._texts)
            number, _ = self._texts.setdefault(digest, (number, as_text(token)))
        return number

    def _part(self, part: tuple[str | int, ...]) -> int:
        digest = _digest(_written(part))
        number = self._index.parts.get(digest)
        if number is None:
            number = self._index.next_part + len(self._parts)
            number, _ = self._parts.setdefault(digest, (number, part))
        return number

    def done(
        self,
        entries: Sequence[Entry],
        answer: Sequence[Entry],
        fields: dict[str, object],
        base: str,
    ) -> Recording:
        known = self._index.requests.get(base, ())
        request = folded(entries, known)
        return Recording.model_validate(
            {
                **fields,
                "base": base if any(isinstance(e, tuple) and len(e) == 2 for e in request) else "",
                "first_text": self._index.next_text,
                "texts": [text for _, text in self._texts.values()],
                "first_part": self._index.next_part,
                "parts": [part for _, part in self._parts.values()],
                "request": request,
                "answer": tuple(answer),
            }
        )


def as_text(token: bytes) -> str | dict[str, str]:
    """A string as it stands in the log: itself, where writing it gives the same bytes."""
    value = _read(token)
    try:
        if json.dumps(value, ensure_ascii=False).encode("utf-8") == token:
            return value
        if json.dumps(value).encode("ascii") == token and value.encode("utf-8"):
            return {"ascii": value}
    except UnicodeEncodeError:  # half a surrogate, which no file of ours can hold
        pass
    return {"raw": _decoded(token)}


def spelled(text: str | dict[str, str]) -> bytes:
    """The bytes of a string of the log, with quotes. The opposite of `as_text`."""
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
    """Entries, with (first, how many) for runs that stand in `base`, too."""
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


# --- putting together -----------------------------------------------------------------------------


class Rebuilt(Struct, frozen=True):
    """An exchange with its bodies; None for one that a damaged line was needed for."""

    line: Recording
    request: bytes | None
    answer: bytes | None


class Reader:
    """Lines of a log in order, as the exchanges that they are."""

    def __init__(self) -> None:
        self._texts: dict[int, bytes] = {}
        self._parts: dict[int, tuple[str | int, ...]] = {}
        self._requests: dict[str, tuple[Entry, ...]] = {}

    def take(self, line: Recording) -> Rebuilt | None:
        """The exchange that this line completes; None for a line that holds parts only."""
        self._texts.update(enumerate(map(spelled, line.texts), line.first_text))
        self._parts.update(enumerate(line.parts, line.first_part))
        base = self._requests.get(line.base)
        whole = base is not None or not line.base
        entries = tuple(_unfolded(line.request, base or ()))
        if whole:
            self._requests[line.exchange] = entries
        if line.more:
            return None
        request = self._joined(entries) if whole and entries else None
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
