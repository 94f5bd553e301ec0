"""The bytes of a document file: JSON that begins with version, generation and checksum.

Pure: bytes in, values out. The checksum is an HMAC-SHA256 with the local key over all bytes of
the file, its own 64 digits taken as zeros, so any changed byte is detected (ST-1, ST-4, F13).

Protects: nothing is written that could not be read back, and unknown fields survive (ID-5).
"""

from __future__ import annotations

import hmac
import re
from codecs import BOM_UTF8
from enum import Enum
from functools import lru_cache
from typing import Any, Generic, NamedTuple, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json

from wm.errors import Unwritable
from wm.formats import migrate
from wm.formats.base import Document, Record
from wm.store.base import D
from wm.store.fsops import Bytes

_DIGITS = 64
_ZEROS = b"0" * _DIGITS
_HEAD = re.compile(
    rb'\{\n  "version": (\d{1,9}),\n  "generation": (\d{1,18}),\n  "checksum": "([0-9a-f]{64})"'
)
HEAD_BYTES = 160
"""The version, generation and checksum of a document are within this many first bytes."""
_CHECKSUM = b',\n  "checksum": "'


class CopyState(Enum):
    """The state of one copy of a document, as its bytes show it."""

    INTACT = "intact"
    """Ours, unchanged."""
    FOREIGN = "foreign"
    """A valid document whose checksum is not ours."""
    NEWER = "newer"
    """Of a version that this wm does not know."""
    DAMAGED = "damaged"
    """Not a document: `detail` says why."""
    ABSENT = "absent"
    """No file."""


class Decoded(NamedTuple, Generic[D]):
    """`version` is the file's, before converters; `document` is None when DAMAGED, and may be
    None when NEWER."""

    state: CopyState
    document: D | None
    version: int = 0
    detail: str = ""

    @property
    def generation(self) -> int:
        return self.document.generation if self.document is not None else 0


def encode(document: D, generation: int, key: bytes, before: D | None = None) -> tuple[bytes, D]:
    """The file's bytes, and the document exactly as reading them back returns it.

    before: the document that was read before the change. Records that are still the same objects
    were verified then and are not read back again. They stay the same objects, by which search and
    near-duplicate detection recognise unchanged records.

    Lone surrogates, which UTF-8 cannot hold, become U+FFFD. Raises Unwritable if the document does
    not survive its own format (for example a value that JSON cannot express).
    """
    version = type(document).current_version
    numbered = document.model_copy(update={"version": version, "generation": generation})
    body = _body(numbered) + b"\n"
    head = b'{\n  "version": %d,\n  "generation": %d' % (version, generation)
    if not body.startswith(head):
        raise Unwritable(f"A {numbered.slug} document does not begin with its version.")
    decoded = _read_back(numbered, body, before)
    rest = memoryview(body)[len(head) :]
    head += _CHECKSUM
    return b"".join([head, _digest(key, head, b'"', rest), b'"', rest]), decoded


def is_ours(raw: bytes, key: bytes) -> bool:
    """Whether the bytes are exactly as the owner of this key wrote them."""
    head = _HEAD.match(raw[:HEAD_BYTES])
    if head is None:
        return False
    content = memoryview(raw)
    begin, end = head.span(3)
    return hmac.compare_digest(_digest(key, content[:begin], content[end:]), head.group(3))


def generation(raw: bytes) -> int:
    """The generation that the first lines claim, 0 if they are not ours. Not verified."""
    head = _HEAD.match(raw[:HEAD_BYTES])
    return int(head.group(2)) if head else 0


def decode(model: type[D], raw: bytes, key: bytes) -> Decoded[D]:
    """Decode and verify the bytes. Never raises: bytes that cannot be read are DAMAGED, with the
    reason."""
    try:
        # An editor may have put a byte order mark first.
        data = from_json(raw.removeprefix(BOM_UTF8), allow_inf_nan=False)
    except ValueError as error:
        return Decoded(CopyState.DAMAGED, None, detail=_unparsable(raw, error))
    if not isinstance(data, dict):
        return Decoded(CopyState.DAMAGED, None, detail="it is not a JSON object")
    version = data.get("version", model.current_version)
    if type(version) is not int or version < 1:
        return Decoded(CopyState.DAMAGED, None, detail="its version is not a number")
    data.pop("checksum", None)
    authentic = is_ours(raw, key)
    if version > model.current_version:
        return _newer(model, data, version, authentic=authentic)
    if version < model.current_version:
        data = migrate.upgrade(model.slug, data)
    if not authentic:
        data = migrate.complete(model.slug, data)
    try:
        document = model.model_validate(data)
    except ValidationError as error:
        return Decoded(CopyState.DAMAGED, None, version, _misfit(error))
    return Decoded(CopyState.INTACT if authentic else CopyState.FOREIGN, document, version)


def _record_in(annotation: Any) -> type[Record] | None:
    """The record type of a field that holds a sequence of records; None for any other field."""
    inner = get_args(annotation)
    if get_origin(annotation) is not tuple or inner[1:] != (...,):
        return None
    return inner[0] if isinstance(inner[0], type) and issubclass(inner[0], Record) else None


def _newer(model: type[D], data: dict[str, Any], version: int, *, authentic: bool) -> Decoded[D]:
    """A document of a newer version: its known fields are read if the checksum is ours. A higher
    number alone proves nothing, so an outside edit under one is not served (ST-4)."""
    detail = f"version {version} is newer than {model.current_version}, the newest known here"
    if not authentic:
        return Decoded(CopyState.NEWER, None, version, f"{detail}, and wm did not write it")
    try:
        return Decoded(CopyState.NEWER, model.model_validate(data), version, detail)
    except ValidationError:
        return Decoded(CopyState.NEWER, None, version, detail)


def _body(document: Document) -> bytes:
    return as_json(document, f"A {document.slug} document", indent=2)


def as_json(record: Record, what: str, indent: int | None = None) -> bytes:
    """A record as JSON, without a field `checksum`. Raises Unwritable, which names it `what`."""
    extra = record.model_extra
    if extra and "checksum" in extra:
        rest = {name: value for name, value in extra.items() if name != "checksum"}
        record = record.model_copy()
        object.__setattr__(record, "__pydantic_extra__", rest)
    serializer = type(record).__pydantic_serializer__
    try:
        return serializer.to_json(record, indent=indent, by_alias=True, warnings=False)
    except (PydanticSerializationError, UnicodeError):
        pass
    try:
        values = record.model_dump(mode="python", by_alias=True, warnings=False)
        return to_json(_clean(values), indent=indent, inf_nan_mode="null")
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise Unwritable(f"{what} cannot be written as JSON: {error}.") from error


def _clean(value: Any) -> Any:
    """The same JSON value with every lone surrogate replaced by U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_clean(name): _clean(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    return value


def _read_back(document: D, body: bytes, before: D | None) -> D:
    model = type(document)
    if before is None:
        return _parsed(model, body)
    rows = {name: getattr(document, name) for name in _rows(model)}
    known = {id(record) for name in rows for record in getattr(before, name)}
    fresh = {
        name: tuple([record for record in row if id(record) not in known])
        for name, row in rows.items()
    }
    if 2 * sum(map(len, fresh.values())) > sum(map(len, rows.values())):
        return _parsed(model, body)
    again = _parsed(model, _body(document.model_copy(update=fresh)))
    read = {name: iter(getattr(again, name)) for name in rows}
    merged = {
        name: tuple([record if id(record) in known else next(read[name]) for record in row])
        for name, row in rows.items()
        if row  # an empty sequence may be left out of the file
    }
    return again.model_copy(update=merged)


@lru_cache(maxsize=64)
def _rows(model: type[Document]) -> tuple[str, ...]:
    """The fields that hold a sequence of records."""
    fields = model.model_fields.items()
    return tuple(name for name, field in fields if _record_in(field.annotation) is not None)


def _parsed(model: type[D], body: bytes) -> D:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise Unwritable.of(
            "store.not_readable_again", slug=model.slug, error=_misfit(error)
        ) from error


def _digest(key: bytes, before: Bytes, *after: Bytes) -> bytes:
    digest = hmac.new(key, before, "sha256")
    for part in (_ZEROS, *after):
        digest.update(part)
    return digest.hexdigest().encode("ascii")


def _unparsable(raw: bytes, error: ValueError) -> str:
    if not raw:
        return "it is empty"
    if not raw.strip(b"\0"):
        return "it contains only zero bytes"
    return f"it is not valid JSON ({str(error)[:120]})"


def _misfit(error: ValidationError) -> str:
    """Where the first mismatch is, and of what kind; never the value, which may be a secret."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"][:6])[:120]
    return f"{where or 'the document'}: {first['type']}"
