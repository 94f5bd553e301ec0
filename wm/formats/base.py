"""The rules that all formats share: unknown fields stay, empty optional fields stay out.

A `Record` is any JSON object of ours; a `Document` is a Record with a file of its own. Files
use camelCase names, Python uses snake_case; models accept both. Values are frozen: a change
makes a new one (`model_copy(update=…)`). Modules with models do not postpone their annotations:
as text, pydantic would compile and evaluate each of them at every start.
"""

from collections.abc import Mapping
from operator import not_
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

_NEW = object.__new__
_SET = object.__setattr__


def optional(default: Any = None) -> Any:
    """A field that is left out of the file while it is empty."""
    if isinstance(default, (tuple, str, bool, int, float)) or default is None:
        return Field(default=default, exclude_if=not_)
    raise TypeError("an optional field needs an immutable default")


class Record(BaseModel):
    """A JSON object of ours. Fields that we do not know survive load and save (ID-5)."""

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        alias_generator=to_camel,
        populate_by_name=True,
        defer_build=True,
        protected_namespaces=(),
        ser_json_inf_nan="null",
    )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic's, in half its time: a change of one entry copies some ten records."""
        fields = type(self).__pydantic_fields__
        plain = self.__pydantic_private__ is None and not deep
        if not plain or not update or not fields.keys() >= update.keys():
            return super().model_copy(update=update, deep=deep)
        copied = _NEW(type(self))
        extra = self.__pydantic_extra__
        _SET(copied, "__dict__", {**self.__dict__, **update})
        _SET(copied, "__pydantic_extra__", extra and extra.copy())
        _SET(copied, "__pydantic_fields_set__", self.__pydantic_fields_set__ | update.keys())
        _SET(copied, "__pydantic_private__", None)
        return copied


class Document(Record):
    """A Record that is one file of the data folder.

    slug: the word of this format in five places (schemas, formats, docs, examples, goldens).
    current_version: what this `wm` writes. `generation` counts the writes of one file.
    The envelope's third field, `checksum`, belongs to the store alone (ST-1) and never
    reaches the model.
    """

    slug: ClassVar[str]
    current_version: ClassVar[int] = 1

    version: int
    generation: int = 0


def dump(record: Record) -> dict[str, Any]:
    """The record as plain JSON values, names as in the file."""
    return record.model_dump(mode="json", by_alias=True)
