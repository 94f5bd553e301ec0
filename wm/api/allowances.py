"""Requests and responses about texts that look like secrets and are not (TR-1).

A response contains the digest of a text, never the text.
"""

from pydantic import Field

from wm.formats.base import Record


class AllowRequest(Record):
    """Allow a text that is not a secret: by the labels that replaced it, or as the `text` itself,
    which is not stored. labels: whole (`[secret:token:1a2b3c]`), or only their digits."""

    labels: tuple[str, ...] = ()
    text: str = ""


class Allowances(Record):
    """digests: keyed digest -> when it was allowed. changed: the digests that this request
    changed."""

    digests: dict[str, str] = Field(default_factory=dict)
    changed: tuple[str, ...] = ()
