"""What the paging policies know of one block of a history: its text, the call that it belongs to,
and how many tokens it has under a decision. Pure."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

from msgspec import Struct

from wm.domain.paging import stubs
from wm.domain.paging.cleanup import CleanupWish
from wm.domain.paging.files import FileUse, uses
from wm.domain.paging.objects import SHORT
from wm.domain.paging.segments import PagedBlock
from wm.text.escape import neutralise
from wm.wire.block import CHARS_PER_TOKEN
from wm.wire.policy import THINKING, Decision, with_notes, with_references

QUERY, RESTORE, RELEASE = "memory_query", "memory_restore", "memory_release"
"""Our tools, behind the prefix that a client gives them."""
ADDED = "added"
"""Kind of a text that the client added, such as a reminder or a list of skills."""
_WORTH_IT = 1.5
"""A result must be so many times as large as its stub."""


class SeenCall(Struct, frozen=True, dict=True):
    tool: str
    given: Any
    number: int

    @cached_property
    def uses(self) -> tuple[FileUse, ...]:
        return tuple(uses(self.tool, self.given))

    @property
    def label(self) -> str:
        return stubs.label_of(self.tool, self.given)

    def handle(self, tool: str) -> str:
        """The handle that the model gave to this tool of ours; "" for another tool."""
        given = self.given.get("id") if isinstance(self.given, dict) else None
        return given if self.tool.endswith(tool) and isinstance(given, str) else ""


class SeenBlock(Struct, dict=True):
    """What is known of one block. call: its own, for a result the one that it answers. message,
    result, short: as in `PagedBlock`, `Segment` and `PagingLimits`."""

    kind: str
    raw_tokens: int
    text: str
    call: SeenCall | None
    message: int
    result: int
    short: int
    is_error: bool = False
    counted: tuple[Decision, int] | None = None
    paged: tuple[tuple[Decision | None, bool, bool, CleanupWish | None], PagedBlock] | None = None
    """The last value for the planner, by decision, whether the turn is finished, pinned, and what
    the model wants."""

    @cached_property
    def names(self) -> frozenset[str]:
        return stubs.names_in(self.text)

    @property
    def uses(self) -> tuple[FileUse, ...]:
        return self.call.uses if self.call else ()

    @property
    def is_recalled(self) -> bool:
        """Whether it is what the model asked our tools for."""
        return self.call is not None and self.call.tool.endswith((QUERY, RESTORE))

    @cached_property
    def restores(self) -> str:
        """The handle of what this result brought back; "" for any other block."""
        is_result = self.kind == "tool_result" and self.call is not None
        return self.call.handle(RESTORE) if is_result and self.call else ""

    @cached_property
    def input_notes(self) -> str:
        """Notes in place of the input's long texts, as a decision has them; "" for none."""
        given = self.call.given if self.kind == "tool_use" and self.call else None
        notes = stubs.input_notes(given, self.short) if isinstance(given, dict) else {}
        return json.dumps(notes, ensure_ascii=False) if notes else ""

    @cached_property
    def input_stub(self) -> int:
        """Tokens of the block with these notes; 0 without any."""
        notes = self.input_notes
        return self._counted(Decision("", notes, form="input")) if notes else 0

    def text_under(self, decision: Decision) -> str:
        """The text in place of the block's own."""
        if decision.form == "lines":
            return with_references(self.text, decision.text) or self.text
        if decision.form == "input" and self.call:
            return with_notes(self.call.given, decision.text) or self.text
        return decision.text

    @cached_property
    def frame(self) -> int:
        """Characters of the block around its text."""
        inner = len(json.dumps(self.text, ensure_ascii=False))
        return max(0, self.raw_tokens * CHARS_PER_TOKEN - inner)

    def tokens(self, decision: Decision | None) -> int:
        """Of the block under a decision; the last one is remembered, as it rarely changes."""
        if decision is None:
            return self.raw_tokens
        if self.counted is None or self.counted[0] is not decision:
            self.counted = (decision, self._counted(decision))
        return self.counted[1]

    def _counted(self, decision: Decision) -> int:
        if decision.form == "thinking":
            return 0
        if decision.form == "input" and self.call:
            given = json.dumps(self.call.given, ensure_ascii=False, separators=(",", ":"))
            less = (len(given) - len(self.text_under(decision))) // CHARS_PER_TOKEN
            return max(1, self.raw_tokens - less)
        return self._shown(len(json.dumps(self.text_under(decision), ensure_ascii=False)))

    def stub_tokens(self, decision: Decision | None, worded: str) -> int:
        """About as many tokens as its stub has; those that it has now if it has no stub. worded:
        the model's own text in its place."""
        now = self.tokens(decision)
        if worded:
            return min(now, self._shown(len(worded)))
        if decision is not None and decision.level >= SHORT:
            return now
        if self.kind in THINKING:
            return 0
        if self.kind == "tool_use":
            return self.input_stub or now
        if self.kind != "tool_result" or not self.text:
            return now
        stub = self._shown(stubs.stub_chars(self.text))
        return stub if now > _WORTH_IT * stub else now

    def worded(self, wish: CleanupWish) -> str:
        """The text in place of a result that the model summarised; "" if it is not shorter."""
        text = stubs.worded_stub(neutralise(wish.text), self.text) if wish.text else ""
        is_result = self.kind == "tool_result" and not wish.whole
        return text if is_result and len(self.text) > _WORTH_IT * len(text) else ""

    def _shown(self, chars: int) -> int:
        return max(1, (self.frame + chars) // CHARS_PER_TOKEN)
