"""`recordings/<sid>.jsonl`: bodies of exchanges, redacted, each text once (PX-11).

Written only where somebody asked for it. `wm.domain.recording` takes bodies apart and puts them
together again.
"""

from typing import ClassVar

from wm.formats.base import Record, optional

Entry = int | tuple[int, ...]
"""A part by its number; two numbers: a run of the base (the first, how many); three or more: a
part, and the byte and the number of each mark that stands in it."""

Text = str | dict[str, str]
"""A string. As an object: `ascii`, one that was written in ASCII only, or `raw`, its JSON."""


class Recording(Record):
    """A line of the log: what an exchange brought that no line before it holds.

    exchange: the id of its flow. more: the request goes on in another line, which names this
    one as its `base`; its own name is no flow's. answer_kind: message (put together from a
    stream), json, text, or absent.
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
