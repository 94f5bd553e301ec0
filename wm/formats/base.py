"""The rules that all formats share: unknown fields are kept, empty optional fields are left out.

A `Record` is any JSON object of ours; a `Document` is a Record with a file of its own. Files
use camelCase names, Python uses snake_case; models accept both. Values are frozen: a change
makes a new one (`model_copy(update=…)`). Modules with models do not postpone their annotations:
pydantic would compile and evaluate each postponed annotation at every start.
"""

from operator import not_
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


def optional(default: Any = None, *, alias: str | None = None) -> Any:
    """Declare a field that is left out of the file while it is empty. alias: its name in the file,
    if that differs from the name of the field."""
    if isinstance(default, (tuple, str, bool, int, float)) or default is None:
        return Field(default=default, exclude_if=not_, alias=alias)
    raise TypeError("an optional field needs an immutable default")


class Record(BaseModel):
    """A JSON object of ours. Unknown fields survive load and save (ID-5)."""

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        alias_generator=to_camel,
        populate_by_name=True,
        defer_build=True,
        protected_namespaces=(),
        ser_json_inf_nan="null",
    )


class Document(Record):
    """A Record that is one file of the data folder.

    slug: the name of this format in five places (schemas, formats, docs, examples, golden files).
    current_version: the version that this `wm` writes. `generation` counts the writes of one file.
    The third field of the envelope, `checksum`, belongs to the store alone (ST-1) and never
    reaches the model.
    """

    slug: ClassVar[str]
    current_version: ClassVar[int] = 1

    version: int = 1
    generation: int = 0


def dump(record: Record) -> dict[str, Any]:
    """Return the record as plain JSON values, with the names that the file uses."""
    return record.model_dump(mode="json", by_alias=True)
