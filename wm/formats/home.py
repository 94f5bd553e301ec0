"""Small documents at the top of the home folder."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from wm.formats.base import Document, Record, optional


class Alias(Record):
    """A workspace that was moved: `key` now reads and writes what `target` holds (ID-3)."""

    key: str
    target: str
    root: str = optional("")
    at: str = ""


class Aliases(Document):
    slug: ClassVar[str] = "aliases"

    version: int = 1
    aliases: tuple[Alias, ...] = ()


class AllowedDigests(Document):
    """Salted digests of texts that look like secrets and are none (TR-1)."""

    slug: ClassVar[str] = "allowed_digests"

    version: int = 1
    digests: dict[str, str] = Field(default_factory=dict)
    """digest -> when it was allowed, ISO 8601."""
