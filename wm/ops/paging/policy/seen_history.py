"""What a paging policy knows of one history: its blocks as far as they were read, and the segments
that are planned. It follows from the history alone, so that it never changes a decision. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from wm.domain.memory.echo_guard import without_injected
from wm.domain.paging import stubs
from wm.domain.paging.cleanup import CleanupWishes
from wm.domain.paging.cuts import ResultAges
from wm.domain.paging.known_lines import MIN_CHARS, KnownLines
from wm.domain.paging.levels import PagingLimits
from wm.domain.paging.objects import PRUNED
from wm.domain.paging.segments import PagedBlock, Segment
from wm.ops.paging.contents import block_text, has_failed
from wm.ops.paging.policy.seen_block import ADDED, RELEASE, RESTORE, SeenBlock, SeenCall
from wm.text.escape import neutralise
from wm.wire.block import CHARS_PER_TOKEN, Block
from wm.wire.body import Body
from wm.wire.cleanup_tags import TAG, split_tags
from wm.wire.history import ConversationHistory
from wm.wire.policy import THINKING, Decision, Log, behind, is_step, replacing, result_text
from wm.wire.rows import estimate

_WRAPPED_CHARS = 30
"""Of a text block around its text."""
_TEXTUAL = frozenset(("text", "tool_use", "tool_result", *THINKING))


class Layout(Struct):
    """A history as it was planned last: its segments, and the number of the last message of each.
    log, begin: the decisions, and the first message of the unfinished turn."""

    segments: list[Segment] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    ages: ResultAges = field(default_factory=ResultAges)
    log: Log = field(default_factory=dict)
    begin: int = 0


class SeenHistory(Struct):
    """One history as far as it was read.

    limits, reads_tags: as of its policy. places: the blocks of the last request. calls: by id.
    names: how many blocks have each name. lines, sources: the lines that are shown, and the place
    of each text that they are from. added: texts that the client added to messages. proposed: the
    last decisions on what had just been read. results: how many there are. restored: how often a
    handle was brought back. released: handle -> number of the result that gave it up. steps:
    whether the message that ends at a place is the second half of a step. begin: number of the last
    message with a prompt (`wm.wire.policy.turn_begin`). prompts: numbers of the messages in which
    the user says something. wishes: what the model's cleanup tags ask for. tags_of_tools: results
    with something like a tag; one that the model repeats is not its own.
    """

    limits: PagingLimits
    reads_tags: bool = False
    places: list[str] = field(default_factory=list)
    blocks: dict[str, SeenBlock] = field(default_factory=dict)
    calls: dict[str, SeenCall] = field(default_factory=dict)
    names: Counter[str] = field(default_factory=Counter)
    lines: KnownLines = field(default_factory=KnownLines)
    added: set[str] = field(default_factory=set)
    sources: list[str] = field(default_factory=list)
    proposed: tuple[Decision, ...] = ()
    results: int = 0
    restored: Counter[str] = field(default_factory=Counter)
    released: dict[str, int] = field(default_factory=dict)
    steps: dict[str, bool] = field(default_factory=dict)
    begin: int = 0
    prompts: list[int] = field(default_factory=list)
    wishes: CleanupWishes = field(default_factory=CleanupWishes)
    tags_of_tools: str = ""
    has_new_wishes: bool = False
    _layout: Layout = field(default_factory=Layout)

    def first_new(self, past: ConversationHistory) -> int:
        """Number of the first message with a block that was not read."""
        number = len(past.places)
        while number and not any(p in self.blocks for p in past.places[number - 1]):
            number -= 1
        return max(0, number - 1)

    def take(self, block: Block, place: str, message: int, role: str) -> SeenBlock:
        """Read a block that is new. message: its number."""
        value = block.value
        call, kind = None, block.type
        if role == "user" and kind != "tool_result":
            self.begin = message
        is_result = kind == "tool_result" and role == "user"
        text = block_text(block, is_result=is_result)
        if kind == "tool_use":
            call = SeenCall(str(value.get("name", "")), value.get("input"), len(self.calls))
            self.calls[block.call] = call
        elif is_result:
            call = self.calls.get(block.call)
            self.results += 1
        elif kind == "text" and _is_added(role, text):
            kind = ADDED
        else:
            kind = kind if kind in THINKING else ""
            # A reminder of the client that is too short for `ADDED` is not a message, either.
            said = role == "user" and without_injected(text).strip()
            if said and message not in self.prompts[-1:]:
                self.prompts.append(message)
        content = SeenBlock(
            kind=kind,
            raw_tokens=estimate(block),
            text=text,
            call=call,
            message=message,
            result=self.results,
            short=self.limits.short,
            is_error=has_failed(block),
        )
        if self.reads_tags:
            self._take_tags(content, role, block.type)
        if is_result and call is not None:
            self.restored[call.handle(RESTORE)] += 1
            self.released[call.handle(RELEASE)] = self.results
        self.blocks[place] = content
        self.names.update(content.names)
        return content

    def _take_tags(self, content: SeenBlock, role: str, kind: str) -> None:
        """Tags count in the model's own text only, and name results before it."""
        call = content.call
        if content.kind == "tool_result" and TAG in content.text:
            self.tags_of_tools += content.text
        if call is not None and content.kind == "tool_result":
            names = (stubs.handle_of(content.text), stubs.subject_of(call.given))
            self.has_new_wishes |= self.wishes.answered(
                call.number, call.label, names, is_error=content.is_error
            )
        elif role == "assistant" and kind == "text":
            for tag in split_tags(content.text)[1]:
                if f'{TAG}{tag.name} of="{tag.of}"' not in self.tags_of_tools:
                    took = self.wishes.take(tag.name, tag.of, tag.text, self.results)
                    self.has_new_wishes |= took

    def index(self, content: SeenBlock, place: str, decision: Decision | None) -> None:
        """Remember the lines of a call or a result as they are shown, and what the client added."""
        if content.kind == ADDED:
            self.added.add(content.text)
        if not self.limits.repeats or content.kind not in ("tool_use", "tool_result"):
            return
        is_whole = decision is None or decision.level > PRUNED
        shown = content.text if decision is None or is_whole else content.text_under(decision)
        self.lines.add(shown)
        self.sources.append(place)

    def laid_out(self, body: Body, past: ConversationHistory, log: Log) -> Layout:
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
            dropped, words = self.phase(past, index, last)
            line = max(line, len(words) // CHARS_PER_TOKEN) if line else 0
            answers += is_answer
            raw = sum(self.blocks[p].raw_tokens for n in parts for p in past.places[n])
            lacks = raw - sum(block.tokens for block in blocks)
            segments.append(Segment(blocks, line, answers, dropped, lacks))
            layout.ages.add(segments[-1:])
            numbers.append(last)
            index = last + 1
        return layout

    def phase(self, past: ConversationHistory, index: int, last: int) -> tuple[int | None, str]:
        """When the model gave a whole step up, and its words for the phase that begins there."""
        if not self.reads_tags or last == index:
            return None, ""
        found = [self.blocks[place] for line in past.places[index : last + 1] for place in line]
        calls = {one.call.number for one in found if one.call is not None}
        wishes = [self.wishes.wish(call) for call in sorted(calls)]
        known = [wish for wish in wishes if wish is not None and wish.whole]
        if not known or len(known) < len(wishes):
            return None, ""
        said = next((wish.text for wish in known if wish.text), "")
        whole = "\n".join(one.text for one in found)
        return known[0].since, stubs.worded_stub(neutralise(said), whole) if said else ""

    def _unchanged(self, log: Log) -> Layout:
        """The layout of the last request without the segments that may have changed since: from the
        first new decision on, and at the end, where a step may have been completed."""
        known = self._layout
        new: list[str] = []
        if known.log is not log:
            new += (p for p, one in log.items() if known.log.get(p) is not one)
            new += (p for p in known.log if p not in log)
        same = known.numbers[-2] if known.numbers[1:] else 0
        if known.begin != self.begin:  # thinking of the turn before can be removed now
            same = min(same, known.begin)
        for place in new:
            content = self.blocks.get(place.removeprefix(behind("")))
            same = same if content is None else min(same, content.message)
        changed = [one for p in new for one in (log.get(p), known.log.get(p)) if one is not None]
        is_step = any(one.form == "step" for one in changed)
        if is_step or self.restored.total() > self.restored[""] or self.has_new_wishes:
            same, self.has_new_wishes = 0, False
        count = bisect_left(known.numbers, same)
        self._layout = Layout(
            known.segments[:count],
            known.numbers[:count],
            known.ages if same else ResultAges(),
            log,
            self.begin,
        )
        return self._layout

    def _is_step(self, body: Body, past: ConversationHistory, number: int) -> bool:
        """Whether a message ends a step that can be replaced by a text in the prompt before it."""
        if not 2 <= number < len(body.messages) - 1 or not past.places[number]:
            return False
        place = past.places[number][-1]
        if place not in self.steps:
            anchor = body.messages[number - 2]
            fits = anchor.role == "user" and bool(anchor.blocks)
            fits = fits and is_step(body.messages, number)
            self.steps[place] = fits and _is_text_only(
                block
                for message in body.messages[number - 1 : number + 1]
                for block in message.blocks
            )
        return self.steps[place]

    def _paged(self, place: str, decision: Decision | None, *, finished: bool) -> PagedBlock:
        content = self.blocks[place]
        call, wishes = content.call, self.wishes
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

    def _is_pinned(self, content: SeenBlock) -> bool:
        """Whether the model brought this back and may still need it. What it needed twice stays
        until it gives it up."""
        handle = content.restores
        if not handle or self.released.get(handle, 0) > content.result:
            return False
        since = self.results - content.result
        return self.restored[handle] > 1 or since < self.limits.pinned

    def rarest(self, names: frozenset[str], chars: int) -> list[str]:
        """Of these names those that fewest blocks have, as many as fit."""
        return stubs.rarest(names, lambda name: self.names[name], chars)


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
