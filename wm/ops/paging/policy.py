"""The paging policies of the proxy: reads a request, lets `wm.domain.paging` decide, and words the
decisions. What it remembers of a history is derived from it, and never changes a decision."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from wm.domain.memory.echo_guard import without_injected
from wm.domain.paging import stubs
from wm.domain.paging.cleanup import CleanupWish, CleanupWishes
from wm.domain.paging.cuts import ResultAges, plan
from wm.domain.paging.files import FileUse, uses
from wm.domain.paging.known_lines import MIN_CHARS, KnownLines, LineReference, same_as_above
from wm.domain.paging.levels import LEVELS, PagingLimits, in_emergency, with_passages
from wm.domain.paging.segments import PagedBlock, PagingMoment, PlannedCut, Segment
from wm.domain.pruning.user_rules import user_rules
from wm.ops.paging.contents import block_text
from wm.ops.paging.first_pruning import pruned
from wm.ops.paging.goals import GoalModel
from wm.settings import PruningSettings
from wm.text.escape import neutralise
from wm.wire.block import CHARS_PER_TOKEN, Block
from wm.wire.body import Body
from wm.wire.cleanup_tags import split_tags
from wm.wire.conversation import EMERGENCY_SHARE
from wm.wire.history import ConversationHistory
from wm.wire.policy import (
    THINKING,
    Decision,
    Log,
    Moment,
    behind,
    dropping,
    is_step,
    replacing,
    result_text,
    with_notes,
    with_references,
)
from wm.wire.rows import estimate

COLLAPSED, PRUNED, SHORT, GONE = 1, 2, 3, 4
"""Fidelity levels of decisions (OB-2)."""
_WRAPPED_CHARS = 30
"""Of a text block around its text."""
QUERY, RESTORE, RELEASE = "memory_query", "memory_restore", "memory_release"
"""Our tools, behind the prefix that a client gives them."""
_ADDED = "added"
"""Kind of a text that the client added, such as a reminder or a list of skills."""
_TEXTUAL = frozenset(("text", "tool_use", "tool_result", *THINKING))
_MAX_HISTORIES = 16
_KEPT_TURNS, _KEPT_RESULTS = 2, 4
"""What an emergency cut keeps as long as the rest fits (PS-2)."""
_WORTH_IT = 1.5
"""A result must be so many times as large as its stub."""


class _Call(Struct, frozen=True, dict=True):
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


class _PagedContent(Struct, dict=True):
    """What is known of one block. call: its own, for a result the one that it answers. message,
    result, short: as in `PagedBlock`, `Segment` and `PagingLimits`."""

    kind: str
    raw_tokens: int
    text: str
    call: _Call | None
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

    def stub_tokens(self, decision: Decision | None, worded: str = "") -> int:
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


class _Layout(Struct):
    """A history as it was planned last: its segments, and the number of the last message of each.
    log, begin: the decisions, and the first message of the unfinished turn."""

    segments: list[Segment] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    ages: ResultAges = field(default_factory=ResultAges)
    log: Log = field(default_factory=dict)
    begin: int = 0


class _SeenHistory(Struct):
    """One history as far as it was read."""

    places: list[str] = field(default_factory=list)
    blocks: dict[str, _PagedContent] = field(default_factory=dict)
    calls: dict[str, _Call] = field(default_factory=dict)
    names: Counter[str] = field(default_factory=Counter)
    """Number of blocks with each name."""
    lines: KnownLines = field(default_factory=KnownLines)
    added: set[str] = field(default_factory=set)
    """Texts that the client added to messages."""
    sources: list[str] = field(default_factory=list)
    proposed: tuple[Decision, ...] = ()
    """The last decisions on what had just been read."""
    results: int = 0
    restored: Counter[str] = field(default_factory=Counter)
    """How often a handle was brought back."""
    released: dict[str, int] = field(default_factory=dict)
    """Handle -> number of the result that gave it up."""
    steps: dict[str, bool] = field(default_factory=dict)
    """Whether the message that ends at a place is the second half of a step."""
    begin: int = 0
    """Number of the last message with a prompt (`wm.wire.policy.turn_begin`)."""
    prompts: list[int] = field(default_factory=list)
    """Numbers of the messages in which the user says something."""
    wishes: CleanupWishes = field(default_factory=CleanupWishes)
    has_new_wishes: bool = False
    layout: _Layout = field(default_factory=_Layout)


class PagingPolicy:
    """One level of paging, for any number of conversations."""

    def __init__(
        self,
        limits: PagingLimits,
        goals: GoalModel | None = None,
        pruning: PruningSettings | None = None,
        *,
        reads_tags: bool = False,
    ) -> None:
        """goals: finds returns of the user to an earlier subject; None: they are not looked
        for. pruning: how results are pruned when they first appear; None leaves them. reads_tags:
        cleanup tags in the model's text rank what the next cut removes (PX-6)."""
        self.reads_tags = reads_tags
        self._limits = limits
        self.makes_cuts = limits.stubs
        self.goals = goals if limits.passages else None
        self.passages = limits.passages
        """As in `PagingLimits`; `wm.ops.paging.uncertainty` appends them."""
        self._pruning = pruning
        self._rules = user_rules(pruning.rules) if pruning is not None else None
        self._histories: OrderedDict[str, _SeenHistory] = OrderedDict()
        self._seen = _SeenHistory()

    def __call__(
        self, body: Body, past: ConversationHistory, log: Log, moment: Moment
    ) -> tuple[Decision, ...]:
        """The decisions that the request lacks."""
        places = list(chain.from_iterable(past.places))
        seen = self._seen = self._history(places, log)
        new = seen.proposed = tuple(self._read(body, past, log, moment))
        seen.places = places
        if not self._limits.stubs:
            return new
        layout = self._laid_out(body, past, log)
        answers = layout.segments[-1].request if layout.segments else 0
        cached = bisect_left(layout.numbers, moment.cached)
        # The model has not seen the results of its last calls.
        end = bisect_left(layout.numbers, _unanswered(body))
        at = PagingMoment(moment.read, moment.write, moment.credit, answers, cached, end)
        if moment.emergency:
            over = moment.prompt - EMERGENCY_SHARE * moment.window / moment.scale
            cut = self._emergency_cut(layout, at, over)
        else:
            cut = plan(layout.segments, at, self._limits, layout.ages)
        return new if cut is None else (*new, *self._worded(cut, past, layout.numbers))

    def _emergency_cut(self, layout: _Layout, at: PagingMoment, over: float) -> PlannedCut | None:
        """The cut for a full window, at any price: first of what is before the last two prompts; if
        that leaves more than fits, of all but the last four results; then of all but the last.
        over: tokens that have to go."""
        prompts = self._seen.prompts[-_KEPT_TURNS:]
        turns = bisect_left(layout.numbers, prompts[0]) if len(prompts) == _KEPT_TURNS else 0
        cut = None
        for end, newest in ((min(turns, at.end), 1), (at.end, _KEPT_RESULTS), (at.end, 1)):
            moment = replace(at, credit=math.inf, end=end)
            limits = in_emergency(self._limits, newest)
            cut = plan(layout.segments, moment, limits, layout.ages) or cut
            if cut is not None and cut.removed >= over:
                break
        return cut

    def _history(self, places: list[str], log: Log) -> _SeenHistory:
        """What is known of this history; a new one after an edit or a rewind, or if it has lines as
        they would be shown by a decision that was not taken."""
        name = places[0] if places else ""
        seen = self._histories.pop(name, None)
        if (
            seen is None
            or places[: len(seen.places)] != seen.places
            or any(one.block not in log for one in seen.proposed)
        ):
            seen = _SeenHistory()
        self._histories[name] = seen
        if len(self._histories) > _MAX_HISTORIES:
            self._histories.popitem(last=False)
        return seen

    def _read(
        self, body: Body, past: ConversationHistory, log: Log, moment: Moment
    ) -> Iterator[Decision]:
        """Read the blocks that are new, and collapse what they repeat."""
        first = max(moment.cached, _unanswered(body))
        for index in range(self._first_new(past), len(past.places)):
            for position, place in enumerate(past.places[index]):
                if place in self._seen.blocks:
                    continue
                block = body.messages[index].blocks[position]
                content = self._take(block, place, index, body.messages[index].role)
                decision = log.get(place)
                if decision is None and index >= first:
                    step_of = partial(dropping, body, past, log)
                    decision = self._collapsed(content, place, log, step_of)
                    if decision is not None:
                        yield decision
                self._index(content, place, decision)

    def _first_new(self, past: ConversationHistory) -> int:
        """Number of the first message with a block that was not read."""
        number = len(past.places)
        while number and not any(p in self._seen.blocks for p in past.places[number - 1]):
            number -= 1
        return max(0, number - 1)

    def _take(self, block: Block, place: str, message: int, role: str) -> _PagedContent:
        seen, value = self._seen, block.value
        call, kind = None, block.type
        if role == "user" and kind != "tool_result":
            seen.begin = message
        is_result = kind == "tool_result" and role == "user"
        text = block_text(block, is_result=is_result)
        if kind == "tool_use":
            call = _Call(str(value.get("name", "")), value.get("input"), len(seen.calls))
            seen.calls[str(value.get("id", ""))] = call
        elif is_result:
            call = seen.calls.get(str(value.get("tool_use_id", "")))
            seen.results += 1
        elif kind == "text" and _is_added(role, text):
            kind = _ADDED
        else:
            kind = kind if kind in THINKING else ""
            if role == "user" and message not in seen.prompts[-1:]:
                seen.prompts.append(message)
        content = _PagedContent(
            kind=kind,
            raw_tokens=estimate(block),
            text=text,
            call=call,
            message=message,
            result=seen.results,
            short=self._limits.short,
            is_error=value.get("is_error") is True,
        )
        if self.reads_tags:
            self._take_tags(content, role, block.type)
        if is_result and call is not None:
            seen.restored[call.handle(RESTORE)] += 1
            seen.released[call.handle(RELEASE)] = seen.results
        seen.blocks[place] = content
        seen.names.update(content.names)
        return content

    def _take_tags(self, content: _PagedContent, role: str, kind: str) -> None:
        """Tags count in the model's own text only, and name results before it."""
        seen, call = self._seen, content.call
        if call is not None and content.kind == "tool_result":
            names = (stubs.handle_of(content.text), stubs.subject_of(call.given))
            seen.has_new_wishes |= seen.wishes.answered(
                call.number, call.label, names, is_error=content.is_error
            )
        elif role == "assistant" and kind == "text":
            for tag in split_tags(content.text)[1]:
                took = seen.wishes.take(tag.name, tag.of, tag.text, seen.results)
                seen.has_new_wishes |= took

    def _index(self, content: _PagedContent, place: str, decision: Decision | None) -> None:
        """Remember the lines of a call or a result as they are shown, and what the client added."""
        if content.kind == _ADDED:
            self._seen.added.add(content.text)
        if not self._limits.repeats or content.kind not in ("tool_use", "tool_result"):
            return
        is_whole = decision is None or decision.level > PRUNED
        shown = content.text if decision is None or is_whole else content.text_under(decision)
        self._seen.lines.add(shown)
        self._seen.sources.append(place)

    def _collapsed(
        self,
        content: _PagedContent,
        place: str,
        log: Log,
        step_of: Callable[[int], Decision | None],
    ) -> Decision | None:
        """A new result without the lines that the context holds, or a text that the client added
        again. The first of these stays, as no cut removes it. step_of: the decision that
        replaces the step with a message."""
        if self._limits.repeats and content.kind == _ADDED and content.text in self._seen.added:
            return _lines_decision(place, [same_as_above(content.text)], "repeated", COLLAPSED)
        if not self._limits.repeats or content.kind != "tool_result" or not content.text:
            return None
        if content.is_recalled:  # asked for, and that of a phantom tool was sent before (PX-5)
            return None
        reads = any(not use.writes for use in content.uses)
        if reads and not self._limits.reads:
            return None
        seen = self._seen

        def is_shown(source: int) -> bool:
            found = log.get(seen.sources[source])
            is_shown = found is None or found.level <= PRUNED
            return is_shown and not step_of(seen.blocks[seen.sources[source]].message)

        handle = stubs.handle_of(content.text)
        known = seen.lines.references(content.text, handle, is_shown)
        cut = self._pruned(content, handle)
        as_known, as_cut = (
            _lines_decision(place, found, why, level)
            for found, why, level in ((known, "repeated", COLLAPSED), (cut, "pruned", PRUNED))
        )
        if cut and (not known or content.tokens(as_cut) < content.tokens(as_known)):
            return as_cut
        return as_known if known else None

    def _pruned(self, content: _PagedContent, handle: str) -> list[tuple[int, int, str]]:
        """The lines of a result that pruning leaves out, with their marks."""
        call = content.call
        if call is None or self._pruning is None:
            return []
        made = pruned(call.tool, call.given, content.text, self._pruning, self._rules)
        return list(made.gaps(handle)) if made is not None else []

    def _laid_out(self, body: Body, past: ConversationHistory, log: Log) -> _Layout:
        """The segments of the history. Those are kept that are the same as at the last request."""
        layout = self._unchanged(log)
        segments, numbers = layout.segments, layout.numbers
        answers = segments[-1].request if segments else 0
        index = numbers[-1] + 1 if numbers else 0
        begin = layout.begin
        while index < len(body.messages):
            is_answer = body.messages[index].role == "assistant"
            last = index + 1 if is_answer and self._is_step(body, past, index + 1) else index
            parts = range(index, last + 1)
            step = replacing(body, past, log, last)
            if step is not None:
                size = (len(step.text) + _WRAPPED_CHARS) // CHARS_PER_TOKEN
                blocks: tuple[PagedBlock, ...] = (PagedBlock("", size, size),)
                line = 0
            else:
                found = (
                    self._paged(place, log.get(place), finished=number < begin)
                    for number in parts
                    for place in past.places[number]
                )
                blocks = (*found, *_passages(past.places[index : last + 1], log))
                line = (stubs.LINE_CHARS + _WRAPPED_CHARS) // CHARS_PER_TOKEN if last > index else 0
            dropped, words = self._phase(past, index, last)
            line = max(line, len(words) // CHARS_PER_TOKEN) if line else 0
            answers += is_answer
            raw = sum(self._seen.blocks[p].raw_tokens for n in parts for p in past.places[n])
            lacks = raw - sum(block.tokens for block in blocks)
            segments.append(Segment(blocks, line, answers, dropped, lacks))
            layout.ages.add(segments[-1:])
            numbers.append(last)
            index = last + 1
        return layout

    def _phase(self, past: ConversationHistory, index: int, last: int) -> tuple[int | None, str]:
        """When the model gave a whole step up, and its words for the phase that begins there."""
        if not self.reads_tags or last == index:
            return None, ""
        seen = self._seen
        found = [seen.blocks[place] for line in past.places[index : last + 1] for place in line]
        calls = {one.call.number for one in found if one.call is not None}
        wishes = [seen.wishes.wish(call) for call in sorted(calls)]
        known = [wish for wish in wishes if wish is not None and wish.whole]
        if not known or len(known) < len(wishes):
            return None, ""
        said = next((wish.text for wish in known if wish.text), "")
        whole = "\n".join(one.text for one in found)
        return known[0].since, stubs.worded_stub(neutralise(said), whole) if said else ""

    def _unchanged(self, log: Log) -> _Layout:
        """The layout of the last request without the segments that may have changed since: from the
        first new decision on, and at the end, where a step may have been completed."""
        seen = self._seen
        known = seen.layout
        new: list[str] = []
        if known.log is not log:
            new += (p for p, one in log.items() if known.log.get(p) is not one)
            new += (p for p in known.log if p not in log)
        same = known.numbers[-2] if known.numbers[1:] else 0
        if known.begin != seen.begin:  # thinking of the turn before can be removed now
            same = min(same, known.begin)
        for place in new:
            content = seen.blocks.get(place.removeprefix(behind("")))
            same = same if content is None else min(same, content.message)
        changed = [one for p in new for one in (log.get(p), known.log.get(p)) if one is not None]
        is_step = any(one.form == "step" for one in changed)
        if is_step or seen.restored.total() > seen.restored[""] or seen.has_new_wishes:
            same, seen.has_new_wishes = 0, False
        count = bisect_left(known.numbers, same)
        seen.layout = _Layout(
            known.segments[:count],
            known.numbers[:count],
            known.ages if same else ResultAges(),
            log,
            seen.begin,
        )
        return seen.layout

    def _is_step(self, body: Body, past: ConversationHistory, number: int) -> bool:
        """Whether a message ends a step that can be replaced by a text in the prompt before it."""
        if not 2 <= number < len(body.messages) - 1 or not past.places[number]:
            return False
        place = past.places[number][-1]
        if place not in self._seen.steps:
            anchor = body.messages[number - 2]
            fits = anchor.role == "user" and bool(anchor.blocks)
            fits = fits and is_step(body.messages, number)
            self._seen.steps[place] = fits and _is_text_only(
                block
                for message in body.messages[number - 1 : number + 1]
                for block in message.blocks
            )
        return self._seen.steps[place]

    def _paged(self, place: str, decision: Decision | None, *, finished: bool) -> PagedBlock:
        content = self._seen.blocks[place]
        call, wishes = content.call, self._seen.wishes
        is_reduced = decision is not None and decision.form != "lines"
        wish = wishes.wish(call.number) if call is not None and not is_reduced else None
        pinned = self._is_pinned(content) or (call is not None and wishes.is_anchored(call.number))
        state = (decision, finished, pinned, wish)
        if content.paged is None or content.paged[0] != state:
            now = content.tokens(decision)
            stays = content.kind in THINKING and not finished
            worded = content.worded(wish) if wish is not None else ""
            found = PagedBlock(
                place=place,
                tokens=now,
                stub=now if stays else content.stub_tokens(decision, worded),
                result=content.result,
                uses=content.uses,
                is_result=content.kind == "tool_result",
                pinned=pinned,
                dropped=wish.since if wish is not None else None,
            )
            content.paged = (state, found)
        return content.paged[1]

    def _is_pinned(self, content: _PagedContent) -> bool:
        """Whether the model brought this back and may still need it. What it needed twice stays
        until it gives it up."""
        handle = content.restores
        if not handle or self._seen.released.get(handle, 0) > content.result:
            return False
        since = self._seen.results - content.result
        return self._seen.restored[handle] > 1 or since < self._limits.pinned

    def _worded(
        self, cut: PlannedCut, past: ConversationHistory, numbers: list[int]
    ) -> Iterator[Decision]:
        seen = self._seen
        for place in cut.stubs:
            content = seen.blocks[place]
            if content.kind in THINKING:
                yield Decision(place, "removed", "cut", "thinking", GONE)
            elif content.kind == "tool_use":
                yield Decision(place, content.input_notes, "cut", "input", SHORT)
            else:
                call = content.call.number if content.call else -1
                wish = seen.wishes.wish(call)
                if wish is not None and (text := content.worded(wish)):
                    yield Decision(place, text, "summarized", "content", SHORT)
                    continue
                names = self._rarest(content.names, stubs.names_chars(content.text))
                lost = neutralise(seen.wishes.lost(call))
                names += [f"lost: {lost}"] if lost else []
                text = stubs.result_stub(
                    content.text, names, is_error=content.is_error, handle=content.restores
                )
                yield Decision(place, text, "cut", "content", SHORT)
        for number in cut.steps:
            last = numbers[number]
            parts = [seen.blocks[p] for line in past.places[last - 1 : last + 1] for p in line]
            calls = [part.call.label for part in parts if part.kind == "tool_use" and part.call]
            whole = "\n".join(part.text for part in parts)
            known = frozenset().union(*(part.names for part in parts))
            failed = any(part.is_error for part in parts)
            _, text = self._phase(past, last - 1, last)
            text = text or stubs.step_line(
                calls, whole, partial(self._rarest, known), failed=failed
            )
            yield Decision(past.places[last][-1], text, "cut", "step", GONE)

    def _rarest(self, names: frozenset[str], chars: int) -> list[str]:
        return stubs.rarest(names, lambda name: self._seen.names[name], chars)


def _lines_decision(
    place: str, found: Sequence[LineReference | tuple[int, int, str]], reason: str, level: int
) -> Decision:
    text = json.dumps(to_builtins(found), ensure_ascii=False)
    return Decision(place, text, reason, "lines", level)


def _is_added(role: str, text: str) -> bool:
    """Whether the client added this text: it is all in blocks of the client, or in a message of the
    system."""
    if role == "assistant" or len(text) < MIN_CHARS:
        return False
    return role == "system" or not without_injected(text).strip()


def _passages(places: Sequence[Sequence[str]], log: Log) -> Iterator[PagedBlock]:
    """What was appended to messages with these places."""
    for line in places:
        decision = log.get(behind(line[-1])) if line else None
        if decision is not None:
            size = (len(decision.text) + _WRAPPED_CHARS) // CHARS_PER_TOKEN
            yield PagedBlock("", size, size)


def _is_text_only(blocks: Iterable[Block]) -> bool:
    """Whether all of a step is text, so that it is stored whole: an image is not."""
    return all(
        block.type in _TEXTUAL
        and (
            block.type != "tool_result"
            or not block.value.get("content")
            or result_text(block.value["content"]) != ""
        )
        for block in blocks
    )


def _unanswered(body: Body) -> int:
    """Number of the first message that the model has not answered. What is before it was sent
    already, also if the cache has forgotten it, and thinking may be bound to it."""
    number = len(body.messages)
    while number and body.messages[number - 1].role != "assistant":
        number -= 1
    return number


def paging_policy(
    name: str,
    passages: int = 0,
    goals: GoalModel | None = None,
    pruning: PruningSettings | None = None,
    *,
    reads_tags: bool = False,
) -> PagingPolicy:
    """The policy of a level: `off`, `safe`, `balanced` or `tight`. passages: tokens. pruning: how
    results are pruned when they first appear; by default as without a config.toml."""
    limits = with_passages(LEVELS[name], passages)
    return PagingPolicy(limits, goals, pruning or PruningSettings(), reads_tags=reads_tags)
