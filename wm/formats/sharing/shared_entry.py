"""`<space>/<hh>/<id>.json` in the tree of `refs/wm/memory`: one shared entry (SY-1, SY-2).

It contains each author's own version: fields, each with the clock of its last change. Everything in
it is foreign text until `domain/sync` has judged it.
"""

from typing import Annotated, ClassVar

from pydantic import ConfigDict, StrictBool, StrictStr, StringConstraints, model_validator

from wm.formats.base import Record

ID = r"(?:m|mem|r)_[0-9A-Za-z_-]{4,60}"
"""An id that may name a file in the tree: of an entry, or `r_` and the session of a recap."""

CLOCK = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z-[0-9a-f]{4}-[0-9a-f]{8}"
"""Moment, counter and node of a change; such texts sort in the order of the changes."""

AUTHOR = r"a_[0-9a-f]{16}"
"""The digest of an author's e-mail address."""

TAG = "tag:"
"""The field `tag:<tag>` says whether the entry has that tag: tags of two edits are united."""

CREATED = "created"
"""The field that says when its author shared the entry first."""

MOST_FIELDS = 64
MOST_CHARS = 8000
"""Characters of a value."""

Clock = Annotated[str, StringConstraints(pattern=f"^{CLOCK}$")]
FieldName = Annotated[str, StringConstraints(pattern=r"^(?:[a-z][a-z_]{0,30}|tag:.{1,100})$")]
Value = StrictBool | Annotated[StrictStr, StringConstraints(max_length=MOST_CHARS)]
Field = tuple[Clock, Value]
"""When the field was last changed, and its value."""

Version = dict[FieldName, Field]
"""One author's version. Fields that this `wm` does not know are kept."""


class SharedEntry(Record):
    slug: ClassVar[str] = "shared_entry"
    model_config = ConfigDict(extra="forbid")

    id: Annotated[str, StringConstraints(pattern=f"^{ID}$")]
    authors: dict[Annotated[str, StringConstraints(pattern=f"^{AUTHOR}$")], Version]
    """Author -> its version. `name` is how the author is called, `created` when the author shared
    an entry of its own, `cleared` the tombstone: see docs/formats/shared_entry.md."""

    @model_validator(mode="after")
    def _is_shared(self) -> "SharedEntry":
        if any(len(version) > MOST_FIELDS for version in self.authors.values()):
            raise ValueError("it has too many fields")
        if not any(CREATED in version for version in self.authors.values()):
            raise ValueError("nobody shared it")
        return self
