"""Which answers use what a policy took away (OB-5, PX-11).

An answer needs a removed block if it repeats a line of it, or uses two of its names, that occur
nowhere in what was sent: not in another block, and not in the text that replaced it. Needs that
leave no such trace are not seen. The last answer of a recording is in no request, so it is not
examined.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from wm.domain.paging.stubs import names_in
from wm.ops.paging.contents import strings
from wm.wire.block import Block
from wm.wire.body import Body
from wm.wire.history import ConversationHistory
from wm.wire.policy import Decision, Log, appended, dropping, text_in_place
from wm.wire.rows import Measure

MIN_LINE_CHARS = 25
MIN_NAMES = 2
"""One name alone may be a coincidence."""
ANSWER_TOKENS = 80
"""Output tokens of the extra turn that a fault costs: one call that restores the block."""
_NOT_CONTENT = frozenset({"id", "tool_use_id", "type", "signature", "cache_control"})
REPEATED = 1
"""Level of a decision that only refers to lines elsewhere in the context (OB-2)."""
Traces = frozenset[str]


class Fault(Struct, frozen=True):
    """A removed block that an answer needed. exact: the answer repeats a line of it. tokens: of the
    block in full."""

    place: str
    exact: bool
    tokens: int


def traces(text: str) -> Traces:
    """The long lines and distinctive names of a text. A line keeps a blank in front, so that it
    is never taken for a name."""
    lines = (line.strip() for line in text.split("\n"))
    found = {f" {line}" for line in lines if len(line) >= MIN_LINE_CHARS}
    return names_in(text) | found


def text_in(value: Any) -> str:
    """All strings of a block that are content."""
    return "\n".join(strings(value, without=_NOT_CONTENT))


def is_need(used: Iterable[str]) -> bool:
    """Whether an answer that used these needed them: a line, or two names."""
    found = set(used)
    return len(found) >= MIN_NAMES or any(one.startswith(" ") for one in found)


def _shown_text(role: str, block: Block, decision: Decision) -> str:
    """What a block shows under a decision. Of an input its texts, not their JSON, in which no line
    ends."""
    text = text_in_place(role, block, decision)
    if text is None:
        return decision.text
    return text_in(json.loads(text)) if decision.form == "input" else text


class FaultCounter(Struct):
    """Follows one conversation. Keeps the traces of what was sent, and of what was removed."""

    _places: list[str] = field(default_factory=list)
    _messages: int = 0
    """Number of messages with these places."""
    _shown: dict[str, Traces] = field(default_factory=dict)
    """Place -> traces of the block in the form in which it was sent last."""
    _full: dict[str, Traces] = field(default_factory=dict)
    _tokens: dict[str, int] = field(default_factory=dict)
    _present: Counter[str] = field(default_factory=Counter)
    _removed: dict[str, str] = field(default_factory=dict)
    """Trace -> place of a removed block that has it."""
    _dropped: set[str] = field(default_factory=set)
    """Places in steps that were replaced."""
    _log: Log = field(default_factory=dict)
    _passages: dict[str, Traces] = field(default_factory=dict)
    """Block of a decision that appended passages -> their traces, for those that were sent last."""
    used: set[str] = field(default_factory=set)
    """Blocks of such decisions whose passages an answer needed: without them it had been a
    fault."""
    _counted: set[str] = field(default_factory=set)
    """Places that `removed_blocks` counts."""
    removed_blocks: int = 0
    removed_tokens: int = 0

    def answered(self, body: Body, old: int) -> list[Fault]:
        """The faults of the answers after the first `old` messages, before `sent` is called."""
        said: set[str] = set()
        for message in body.messages[old:]:
            if message.role == "assistant":
                said.update(*(traces(text_in(block.value)) for block in message.blocks))
        for name, passages in self._passages.items():
            only_there = {one for one in said & passages if self._present[one] == 1}
            if is_need(only_there):
                self.used.add(name)
        exact, places = self.needed(said)
        for place in places:  # restored, so a second use is not a fault
            self._present.update(self._full[place])
        return [Fault(p, p in exact, self._tokens[p]) for p in sorted(places)]

    def needed(self, used: Iterable[str]) -> tuple[set[str], set[str]]:
        """The removed blocks of which a line is among these traces, and all that are needed."""
        missing = self.only_removed(used)
        names = [one for one in missing if not one.startswith(" ")]
        exact = {missing[one] for one in missing if one.startswith(" ")}
        return exact, exact | ({missing[n] for n in names} if is_need(names) else set())

    def only_removed(self, used: Iterable[str]) -> dict[str, str]:
        """Those of the traces that occur only in what was removed, each with its place."""
        return {
            one: self._removed[one]
            for one in used
            if one in self._removed and not self._present[one]
        }

    def lacks(self, place: str) -> int:
        """How many traces of a removed block are missing from what was sent last; 0 unless most
        are."""
        full = self._full.get(place, frozenset()) if self.is_removed(place) else frozenset()
        missing = sum(not self._present[one] for one in full)
        return missing if 2 * missing > len(full) else 0

    def knows(self, past: ConversationHistory, messages: int) -> bool:
        """Whether exactly these first messages of a history were sent last."""
        places = [place for line in past.places[:messages] for place in line]
        return bool(places) and places == self._places

    def is_removed(self, place: str) -> bool:
        """Whether a block was sent last without its text. Lines that are elsewhere in the context
        are not removed."""
        decision = self._log.get(place)
        return place in self._dropped or (decision is not None and decision.level > REPEATED)

    def sent(self, body: Body, past: ConversationHistory, log: Log, measure: Measure) -> None:
        """The request that was sent with these decisions."""
        places = [place for line in past.places for place in line]
        if places[: len(self._places)] != self._places:
            self._forget()
        if not self._places:
            for block in (*body.tools, *body.system):
                self._present.update(traces(text_in(block.value)))
        known = len(self._places)
        changed = {p for p, d in log.items() if self._log.get(p) is not d}
        if known == len(places) and not changed:
            return
        # The message that was last may complete a step now.
        first = 0 if changed or self._log.keys() - log.keys() else max(0, self._messages - 2)
        number = sum(map(len, past.places[:first]))
        for index in range(first, len(body.messages)):
            message, step = body.messages[index], dropping(body, past, log, index)
            is_step, said = step is not None, step.text if step is not None else ""
            for block, place in zip(message.blocks, past.places[index], strict=True):
                number += 1
                if number > known or place in changed or is_step is not (place in self._dropped):
                    decision = log.get(place)
                    text = said
                    if decision is not None and not is_step:
                        text = _shown_text(message.role, block, decision)
                    self._take(place, block, decision, measure, text, is_step=is_step)
        self._take_passages({one.block: one for _, one in appended(body, past, log)})
        # The log of a conversation grows in its place.
        self._places, self._log, self._messages = places, dict(log), len(body.messages)

    def _take_passages(self, sent: Mapping[str, Decision]) -> None:
        for name in self._passages.keys() - sent.keys():
            self._present.subtract(self._passages.pop(name))
        for name in sent.keys() - self._passages.keys():
            self._passages[name] = traces(sent[name].text)
            self._present.update(self._passages[name])

    def _take(
        self,
        place: str,
        block: Block,
        decision: Decision | None,
        measure: Measure,
        text: str,
        *,
        is_step: bool,
    ) -> None:
        """text: the one in place of the block, or of the whole step; "" if nothing is replaced."""
        if is_step:
            self._dropped.add(place)
        shown = self._shown.get(place)
        if shown is None or place not in self._full:
            self._full[place] = traces(text_in(block.value))
            self._tokens[place] = measure(block)
        full = self._full[place]
        now = frozenset() if is_step else full
        if decision is not None:
            now = traces(text)
        if shown == now:
            return
        self._present.subtract(shown or ())
        self._present.update(now)
        self._shown[place] = now
        if now is not full:
            is_repeated = decision is not None and decision.level == REPEATED
            if place not in self._counted and not is_repeated:
                self._counted.add(place)
                self.removed_blocks += 1
                self.removed_tokens += self._tokens[place]
            # A line that the text quotes is known, though it is not a whole line there.
            gone = (one for one in full - now if one.strip() not in text)
            self._removed.update((one, place) for one in gone)

    def _forget(self) -> None:
        """Another history: an edit, a fork, a rewind."""
        self._places, self._log, self._messages = [], {}, 0
        self._shown.clear()
        self._present.clear()
        self._removed.clear()
        self._dropped.clear()
        self._passages.clear()
