"""Cleanup tags in a model's text: reads them, and takes them out of what the client sees (PX-6).

A tag begins a line outside of code, and nothing follows it on its last line:

    <wm:drop of="src/quay.py"/>
    <wm:summarize of="make test">All 41 tests pass.</wm:summarize>

Anything else is text: a tag in backticks, one with another name, one that does not end. The same
text has the same tags in whatever pieces it comes. Pure; what a tag does is decided elsewhere
(`wm.domain.paging.cleanup`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

TEACH = "wm:tags"
"""Represents the tags among the names of phantom tools; no tool has such a name."""
TAG = "<wm:"
"""How each tag begins."""
_MOST_CHARS = 2_000
"""A longer tag is text; so much of an answer is kept back at most."""
_SHORT = re.compile(r'<wm:(drop|anchor) of="([^"\n]{1,300})" ?/>[ \t\r]*\n')
_OPEN = re.compile(r'<wm:(summarize|collapse|declare_losses) of="([^"\n]{1,300})">')
_CLOSE = re.compile(r"</wm:(\w+)>[ \t\r]*\n")
_FENCE = re.compile(r"\s*(`{3,}[^`]*$|~{3,})")
_TICKS = re.compile(r"`+")


class CleanupTag(Struct, frozen=True):
    """of: what it is about, as the model names it. text: between its two halves."""

    name: str
    of: str
    text: str = ""


class TagReader(Struct, eq=False):
    """One text, piece by piece. tags: those that were read so far."""

    tags: list[CleanupTag] = []
    _kept: str = ""
    """What was not shown yet: it may be a tag."""
    _line: str = ""
    """What was shown of the present line."""
    _fence: str = ""
    _ticks: int = 0
    """Length of the backticks that opened inline code, in this paragraph."""

    def feed(self, piece: str, *, last: bool = False) -> str:
        """The text for the client now. last: nothing follows."""
        self._kept += piece
        shown: list[str] = []
        while self._kept:
            may_begin = not (self._line or self._fence or self._ticks)
            if may_begin and self._kept.startswith(TAG):
                length = self._tag_length(last=last)
                if length is None:
                    break
                if length:
                    self._kept = self._kept[length:]
                    continue
            elif may_begin and TAG.startswith(self._kept) and not last:
                break
            shown.append(self._text())
        return "".join(shown)

    def end(self) -> str:
        return self.feed("", last=True)

    def _tag_length(self, *, last: bool) -> int | None:
        """The length of the tag at the beginning, which is taken; 0 if there is none, None if it
        has not ended."""
        text = (f"{self._kept}\n" if last else self._kept)[:_MOST_CHARS]
        is_over = last or len(text) == _MOST_CHARS
        if short := _SHORT.match(text):
            self.tags.append(CleanupTag(short[1], short[2]))
            return short.end()
        begin = _OPEN.match(text)
        if begin is None:
            return 0 if is_over or "\n" in text else None
        if close := _CLOSE.search(text, begin.end()):
            body = text[begin.end() : close.start()].strip()
            if close[1] != begin[1] or not body or TAG in body or "</wm:" in body:
                return 0
            self.tags.append(CleanupTag(begin[1], begin[2], body))
            return close.end()
        return 0 if is_over else None

    def _text(self) -> str:
        """The rest of the line, as far as it has come: not a tag."""
        line, newline, self._kept = self._kept.partition("\n")
        self._line += line
        if newline:
            self._end_line(self._line)
            self._line = ""
        return line + newline

    def _end_line(self, line: str) -> None:
        if self._fence:
            bare = line.strip()
            if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
                self._fence = ""
            return
        if not self._ticks and (fence := _FENCE.match(line)):
            found = fence[1]
            self._fence = found[: len(found) - len(found.lstrip(found[0]))]
            return
        if not line.strip():
            self._ticks = 0
        for ticks in map(len, _TICKS.findall(line)):
            if not self._ticks:
                self._ticks = ticks
            elif self._ticks == ticks:
                self._ticks = 0


def split_tags(text: str) -> tuple[str, list[CleanupTag]]:
    """A complete text without its tags, and the tags."""
    if TAG not in text:
        return text, []
    reader = TagReader()
    shown = reader.feed(text, last=True)
    return shown, reader.tags


def without_tags(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """A block as the client sees it: the same object unless it is a text with tags."""
    text = block.get("text") if block.get("type") == "text" else None
    shown, tags = split_tags(text) if isinstance(text, str) else ("", [])
    return {**block, "text": shown} if tags else block


StreamPart = tuple[bytes, str, dict[str, Any]]
"""An event of a stream: its bytes (b"" if it was changed), its name, and its data."""


class TaggedBlock(Struct, eq=False):
    """The events of one text block, without its tags. It begins for the client with its first
    visible word; a block that consists of tags does not."""

    _reader: TagReader = field(default_factory=TagReader)
    waiting: list[StreamPart] = []
    """Events before the first visible word, also those without a name (`ping`)."""
    _has_begun: bool = False
    _index: int = 0

    def event(self, raw: bytes, name: str, body: dict[str, Any]) -> list[StreamPart]:
        """What the client gets now."""
        self._index = body["index"]
        delta = body.get("delta")
        text = delta.get("text") if isinstance(delta, dict) else None
        if name == "content_block_start":
            self.waiting = [(raw, name, body)]
            return []
        if name == "content_block_stop":
            rest = self._text(self._reader.end())
            if self._reader.tags and not self._has_begun and not _is_visible(rest):
                return [one for one in self.waiting if not one[1]]
            return self._begun([*rest, (raw, name, body)])
        if isinstance(text, str):
            shown = self._reader.feed(text)
            parts = [(raw, name, body)] if shown == text else self._text(shown)
        else:
            parts = [(raw, name, body)]
        if self._has_begun:
            return parts
        self.waiting += parts
        return self._begun([]) if _is_visible(parts) else []

    def flush(self) -> list[StreamPart]:
        """All that is kept back, if the stream ends here."""
        return self._begun(self._text(self._reader.end()))

    def _begun(self, parts: list[StreamPart]) -> list[StreamPart]:
        found, self.waiting, self._has_begun = [*self.waiting, *parts], [], True
        return found

    def _text(self, shown: str) -> list[StreamPart]:
        name, delta = "content_block_delta", {"type": "text_delta", "text": shown}
        return [(b"", name, {"type": name, "index": self._index, "delta": delta})] if shown else []


def _is_visible(parts: list[StreamPart]) -> bool:
    return any(body.get("delta", {}).get("text", "").strip() for _, _, body in parts)
