"""`recordings/<sid>.jsonl`: bodies of exchanges, redacted, each text stored once (PX-11).

Written only if the user asked for it. `wm.domain.recording` splits bodies into parts and puts
them together again.
"""

from typing import ClassVar

from wm.formats.base import Record, optional

Entry = int | tuple[int, ...]
"""A number refers to a part. Two numbers are a run of parts of the base: the first, and how many.
Three or more are a part, then the byte offset and the number of each mark in it."""

Text = str | dict[str, str]
"""A string. An object holds `ascii`, a string written in ASCII only, or `raw`, its JSON."""


class Recording(Record):
    """A line of the log: the content of an exchange that no earlier line has.

    exchange: the id of its flow. more: another line continues the request and names this
    one as its `base`; this line's own name is then not the id of a flow. answer_kind: message (put
    together from a stream), json, text, or absent.
    """

    slug: ClassVar[str] = "recording"

    version: int = 1
    exchange: str
    at: str = ""
    more: bool = optional(False)
    base: str = optional("")
    first_text: int = optional(0)
    texts: tuple[Text, ...] = optional(())
    first_part: int = optional(0)
    parts: tuple[tuple[str | int, ...], ...] = optional(())
    request: tuple[Entry, ...] = optional(())
    answer: tuple[Entry, ...] = optional(())
    answer_kind: str = optional("")
