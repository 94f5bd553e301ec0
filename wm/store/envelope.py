"""The bytes of a document file: JSON that begins with version, generation and checksum.

Pure: bytes in, values out. The checksum is an HMAC-SHA256 with the local key over all bytes of
the file, its own 64 digits taken as zeros, so any changed byte is seen (ST-1, ST-4, F13).

Protects: nothing is written that could not be read back, and fields that we do not know
survive (ID-5).
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_origin

from msgspec.structs import replace
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from wm.errors import Unwritable
from wm.formats import migrate
from wm.formats.base import Document, Record
from wm.store import keyed, splice
from wm.store.rest import while_reading
from wm.store.splice import Rows

D = TypeVar("D", bound=Document)

_DIGITS = 64
_ZEROS = b"0" * _DIGITS
_HEAD = re.compile(
    rb'\{\n  "version": (\d{1,9}),\n  "generation": (\d{1,18}),\n  "checksum": "([0-9a-f]{64})"'
)
HEAD_BYTES = 160
"""In so many first bytes stands what a document claims to be."""
_CHECKSUM = b',\n  "checksum": "'
_SPLICED = 64 * 1024
"""Bytes from which on a document is made out of the last one's: below, writing it is as quick."""
_LARGE = 256 * 1024
"""Bytes from which on a document is read in steps."""
_STEP = 8 * 1024
"""Bytes that are read in one step: a sixth of a millisecond."""
_RECORD_END = b"\n    }"
_LIST_END = _RECORD_END + b"\n  ]"


class State(Enum):
    """What the bytes of one copy of a document turned out to be."""

    WHOLE = "whole"
    """Ours, unchanged."""
    FOREIGN = "foreign"
    """A fitting document whose checksum is not ours."""
    NEWER = "newer"
    """Of a version that this wm does not know."""
    DAMAGED = "damaged"
    """No document: `detail` says why."""
    ABSENT = "absent"
    """No file."""


class Decoded(NamedTuple, Generic[D]):
    """`version` is the file's, before converters; `document` is None when DAMAGED, and may be
    None when NEWER."""

    state: State
    document: D | None
    version: int = 0
    detail: str = ""

    @property
    def generation(self) -> int:
        return self.document.generation if self.document is not None else 0


class Written(NamedTuple, Generic[D]):
    """A document and the bytes that it was read from; "" if it was not, or not from all of them.
    rows: where its records stand in them, if that is known."""

    document: D | None
    raw: bytes = b""
    rows: Rows | None = None


def encode(document: D, generation: int, key: bytes, before: D | None = None) -> tuple[bytes, D]:
    """The file's bytes, and the document exactly as reading them back will give it.

    before: what was read when the change began. Records that are still the same objects were read
    back then, and are not again: a change of one entry costs no look at all the others.

    Lone surrogates, which UTF-8 cannot hold, become U+FFFD. Unwritable if the document does
    not survive its own format (a value that JSON has no word for).
    """
    numbered = _numbered(document, generation)
    body, head = _begun(numbered)
    again = _read_back(numbered, body, before)
    return _signed(key, [body[head:]], begin=body[:head]), again


def encode_next(
    document: D, generation: int, key: bytes, last: Written[D]
) -> tuple[bytes, D, Rows | None]:
    """As `encode`, and where the records of the longest list stand, if that is known.

    Of a large document only the records that changed since `last` are written anew: the cost of
    one more is that of passing its bytes on.
    """
    before = last.document
    if before is not None and len(last.raw) >= _SPLICED:
        found = _respliced(_numbered(document, generation), key, before, last)
        if found is not None:
            return found
    return *encode(document, generation, key, before), None


def _respliced(
    numbered: D, key: bytes, before: D, last: Written[D]
) -> tuple[bytes, D, Rows] | None:
    model = type(numbered)
    name = max(_rows(model), key=lambda row: len(getattr(before, row)), default="")
    old, new = (getattr(one, name, ()) for one in (before, numbered))
    alias = name and (model.model_fields[name].alias or name)
    made, at = splice.plan(old, new), last.rows
    if at is None or at.field != alias:
        at = splice.rows(last.raw, alias, len(old))
    if made is None or at is None:
        return None
    fresh = tuple(new[place] for place in made.fresh)
    told, head = _begun(numbered.model_copy(update={name: fresh}))
    again = _parsed(model, told)
    inside = splice.rows(told, alias, len(fresh))
    spliced = inside and splice.splice(last.raw, at, told, inside, made)
    if not spliced:
        return None
    parts, rows = spliced
    raw = _signed(key, [parts[0][head:], *parts[1:]], begin=told[:head])
    read = splice.merged(new, made, getattr(again, name))
    # The told document has no checksum yet.
    rows = replace(rows, begin=rows.begin + len(_CHECKSUM) + _DIGITS + 1)
    return raw, again.model_copy(update={name: read}), rows


def _numbered(document: D, generation: int) -> D:
    version = type(document).current_version
    return document.model_copy(update={"version": version, "generation": generation})


def _begun(numbered: Document) -> tuple[bytes, int]:
    """The body, and where in it the checksum belongs."""
    body = _body(numbered) + b"\n"
    head = b'{\n  "version": %d,\n  "generation": %d' % (numbered.version, numbered.generation)
    if not body.startswith(head):
        raise Unwritable(f"A {numbered.slug} document does not begin with its version.")
    return body, len(head)


def _signed(key: bytes, rest: Sequence[bytes | memoryview], *, begin: bytes) -> bytes:
    """The parts as one, with the checksum between `begin` and the others."""
    begin += _CHECKSUM
    digest = keyed.hexdigest(key, begin, _ZEROS, b'"', *rest).encode("ascii")
    return b"".join([begin, digest, b'"', *rest])


def is_ours(raw: bytes, key: bytes) -> bool:
    """Whether the bytes are exactly as this key's owner wrote them."""
    head = _HEAD.match(raw[:HEAD_BYTES])
    if head is None:
        return False
    begin, end = head.span(3)
    return hmac.compare_digest(_digest(key, raw[:begin], raw[end:]), head.group(3))


def generation(raw: bytes) -> int:
    """The generation that the first lines claim, 0 if they are not ours. Not verified."""
    head = _HEAD.match(raw[:HEAD_BYTES])
    return int(head.group(2)) if head else 0


def decode(model: type[D], raw: bytes, key: bytes) -> Decoded[D]:
    """What the bytes are. Never raises: what cannot be read is DAMAGED, with the reason."""
    if len(raw) > _LARGE and (document := _in_steps(model, raw, key)) is not None:
        return Decoded(State.WHOLE, document, model.current_version)
    try:
        data = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        return Decoded(State.DAMAGED, None, detail=_unparsable(raw, error))
    if not isinstance(data, dict):
        return Decoded(State.DAMAGED, None, detail="it holds no JSON object")
    version = data.get("version", model.current_version)
    if type(version) is not int or version < 1:
        return Decoded(State.DAMAGED, None, detail="its version is no number")
    data.pop("checksum", None)
    if version > model.current_version:
        return _newer(model, data, version, ours=is_ours(raw, key))
    if version < model.current_version:
        data = migrate.upgrade(model.slug, data)
    try:
        document = model.model_validate(data)
    except ValidationError as error:
        return Decoded(State.DAMAGED, None, version, _misfit(error))
    state = State.WHOLE if is_ours(raw, key) else State.FOREIGN
    return Decoded(state, document, version)


def _in_steps(model: type[D], raw: bytes, key: bytes) -> D | None:
    """A large document of ours, its longest list read some records at a time: whoever reads all
    at once keeps the interpreter's lock for a tenth of a second. None: read it at once.

    Where the records lie is told by line breaks, of which a JSON string holds none; that they are
    set as our writer sets them is known of bytes that are ours, and of no others.
    """
    head = _HEAD.match(raw[:HEAD_BYTES])
    if head is None or int(head.group(1)) != model.current_version:
        return None
    for name, field in model.model_fields.items():
        record = _record_in(field.annotation)
        if record is None:
            continue
        begin = _find(raw, b'\n  "%s": [\n    {\n' % (field.alias or name).encode("ascii"), 0)
        end = _find(raw, _LIST_END, begin)
        if begin < 0 or end - begin < len(raw) // 2:
            continue
        begin = raw.index(b"[", begin) + 1
        if not is_ours(raw, key):
            return None
        try:
            data = from_json(raw[:begin] + raw[end + len(_RECORD_END) :], allow_inf_nan=False)
            data.pop("checksum", None)
            data[field.alias or name] = _records(record, raw, begin, end + len(_RECORD_END))
            return model.model_validate(data)
        except ValueError:
            return None
    return None


def _records(record: type[Record], raw: bytes, begin: int, end: int) -> list[Record]:
    """The records between two places of a document."""
    read, rest = _reader(record), while_reading()
    found: list[Record] = []
    while begin < end:
        stop = raw.find(_RECORD_END + b",\n", begin + _STEP, end)
        stop = end if stop < 0 else stop + len(_RECORD_END)
        found += read.validate_json(b"[" + raw[begin:stop] + b"]")
        begin = stop + 1
        rest()
    return found


def _find(raw: bytes, what: bytes, begin: int) -> int:
    """As `bytes.find`, which looks through megabytes with the interpreter's lock held."""
    for at in range(begin, len(raw), _LARGE) if begin >= 0 else ():
        found = raw.find(what, at, at + _LARGE + len(what))
        if found >= 0:
            return found
    return -1


@lru_cache(maxsize=8)
def _reader(record: type[Record]) -> TypeAdapter[list[Record]]:
    return TypeAdapter(list[record])  # type: ignore[valid-type]


def _record_in(annotation: Any) -> type[Record] | None:
    """What stands in a field that holds a row of records; None for any other."""
    inner = get_args(annotation)
    if get_origin(annotation) is not tuple or inner[1:] != (...,):
        return None
    return inner[0] if isinstance(inner[0], type) and issubclass(inner[0], Record) else None


def _newer(model: type[D], data: dict[str, Any], version: int, *, ours: bool) -> Decoded[D]:
    """Readable as far as it fits, if it is ours: a higher number alone proves nothing, so what
    somebody wrote under one is not served (ST-4)."""
    detail = f"version {version} is newer than {model.current_version}, the newest known here"
    if not ours:
        return Decoded(State.NEWER, None, version, f"{detail}, and the checksum is not ours")
    try:
        return Decoded(State.NEWER, model.model_validate(data), version, detail)
    except ValidationError:
        return Decoded(State.NEWER, None, version, detail)


def _body(document: Document) -> bytes:
    extra = document.model_extra
    if extra and "checksum" in extra:
        rest = {name: value for name, value in extra.items() if name != "checksum"}
        document = document.model_copy()
        object.__setattr__(document, "__pydantic_extra__", rest)
    serializer = type(document).__pydantic_serializer__
    try:
        return serializer.to_json(document, indent=2, by_alias=True, warnings=False)
    except (PydanticSerializationError, UnicodeError):
        return _body_without_surrogates(document)


def _body_without_surrogates(document: Document) -> bytes:
    try:
        values = document.model_dump(mode="python", by_alias=True, warnings=False)
        return to_json(clean(values), indent=2, inf_nan_mode="null")
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise Unwritable(
            f"A {document.slug} document cannot be written as JSON: {error}."
        ) from error


def clean(value: Any) -> Any:
    """The same JSON value with every lone surrogate replaced by U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {clean(name): clean(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inner) for inner in value]
    return value


def _read_back(document: D, body: bytes, before: D | None) -> D:
    model = type(document)
    if before is None:
        return _parsed(model, body)
    rows = {name: getattr(document, name) for name in _rows(model)}
    known = {id(record) for name in rows for record in getattr(before, name)}
    fresh = {
        name: tuple(record for record in row if id(record) not in known)
        for name, row in rows.items()
    }
    if 2 * sum(map(len, fresh.values())) > sum(map(len, rows.values())):
        return _parsed(model, body)
    again = _parsed(model, _body(document.model_copy(update=fresh)))
    read = {name: iter(getattr(again, name)) for name in rows}
    whole = {
        name: tuple(record if id(record) in known else next(read[name]) for record in row)
        for name, row in rows.items()
        if row  # an empty one may be left out of the file
    }
    return again.model_copy(update=whole)


@lru_cache(maxsize=64)
def _rows(model: type[Document]) -> tuple[str, ...]:
    """The fields that hold a row of records."""
    fields = model.model_fields.items()
    return tuple(name for name, field in fields if _record_in(field.annotation) is not None)


def _parsed(model: type[D], body: bytes) -> D:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise Unwritable(
            f"A {model.slug} document would not be readable again: {_misfit(error)}.",
            fix="This is a bug of wm; nothing was written.",
        ) from error


def _digest(key: bytes, before: bytes, after: bytes) -> bytes:
    return keyed.hexdigest(key, before, _ZEROS, after).encode("ascii")


def _unparsable(raw: bytes, error: ValueError) -> str:
    if not raw:
        return "it is empty"
    if not raw.strip(b"\0"):
        return "it holds only zero bytes"
    return f"it is no JSON ({str(error)[:120]})"


def _misfit(error: ValidationError) -> str:
    """Where the first misfit is, and of what kind; never the value, which may be a secret."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"][:6])[:120]
    return f"{where or 'the document'}: {first['type']}"
