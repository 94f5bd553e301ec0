"""Requests and responses about texts that look like secrets and are none (TR-1)."""

from pydantic import Field

from wm.formats.base import Record


class AllowRequest(Record):
    """What is no secret: by the labels that stand in its place, or as the `text` itself, which
    is not kept. labels: whole (`[secret:token:1a2b3c]`), or their digits only."""

    labels: tuple[str, ...] = ()
    text: str = ""


class Allowances(Record):
    """digests: keyed digest -> when it was allowed. changed: those that this request changed."""

    digests: dict[str, str] = Field(default_factory=dict)
    changed: tuple[str, ...] = ()
