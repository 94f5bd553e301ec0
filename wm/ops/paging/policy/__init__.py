"""The paging policies of the proxy: reads a request, lets `wm.domain.paging` decide, and words the
decisions. What it remembers of a history is derived from it, and never changes a decision."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

from msgspec import to_builtins
from msgspec.structs import replace

from wm.domain.paging import stubs
from wm.domain.paging.cuts import plan
from wm.domain.paging.known_lines import LineReference, same_as_above
from wm.domain.paging.levels import LEVELS, PagingLimits, in_emergency, with_passages
from wm.domain.paging.objects import COLLAPSED, GONE, PRUNED, SHORT
from wm.domain.paging.segments import PagingMoment, PlannedCut
from wm.domain.pruning.user_rules import user_rules
from wm.formats.ledger import Uncut
from wm.ops.paging.first_pruning import pruned
from wm.ops.paging.goals import GoalModel
from wm.ops.paging.policy.seen_block import ADDED, SeenBlock
from wm.ops.paging.policy.seen_history import Layout, SeenHistory
from wm.settings import PruningSettings
from wm.text.escape import neutralise
from wm.wire.body import Body
from wm.wire.conversation import EMERGENCY_SHARE
from wm.wire.history import ConversationHistory
from wm.wire.policy import THINKING, Decision, Log, Moment, dropping

_MAX_HISTORIES = 16
_KEPT_TURNS, _KEPT_RESULTS = 2, 4
"""What an emergency cut keeps as long as the rest fits (PS-2)."""


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
        self.uncut: Uncut | None = None
        """Why the last request got no cut."""
        self._pruning = pruning
        self._rules = user_rules(pruning.rules) if pruning is not None else None
        self._histories: OrderedDict[str, SeenHistory] = OrderedDict()

    def __call__(
        self, body: Body, past: ConversationHistory, log: Log, moment: Moment
    ) -> tuple[Decision, ...]:
        """The decisions that the request lacks."""
        places = list(chain.from_iterable(past.places))
        seen = self._history(places, log)
        new = seen.proposed = tuple(self._read(seen, body, past, log, moment))
        seen.places = places
        self.uncut = "young" if self._limits.stubs else "policy"
        if not self._limits.stubs:
            return new
        layout = seen.laid_out(body, past, log)
        if not layout.segments:
            return new
        cached = bisect_left(layout.numbers, moment.cached)
        # The model has not seen the results of its last calls.
        end = bisect_left(layout.numbers, _unanswered(body))
        prompts = (0, 0, *seen.prompts)[-_KEPT_TURNS:]
        turns = [bisect_left(layout.numbers, one) for one in prompts]
        left, since, answers = (layout.segments[one].request for one in (*turns, -1))
        prices = (moment.read, moment.write, moment.credit)
        at = PagingMoment(*prices, answers, cached, end, left, since)
        if moment.emergency:
            over = moment.prompt - EMERGENCY_SHARE * moment.window / moment.scale
            cut = self._emergency_cut(turns[0], layout, at, over)
        else:
            cut = plan(layout.segments, at, self._limits, layout.ages)
        self.uncut = cut.why
        return (*new, *_worded(seen, cut, past, layout.numbers))

    def _emergency_cut(
        self, turns: int, layout: Layout, at: PagingMoment, over: float
    ) -> PlannedCut:
        """The cut for a full window, at any price: first of what is before the last two prompts; if
        that leaves more than fits, of all but the last four results; then of all but the last.
        turns: number of the segment in which they begin. over: tokens that have to go."""
        cut = PlannedCut(why="young")
        for end, newest in ((min(turns, at.end), 1), (at.end, _KEPT_RESULTS), (at.end, 1)):
            moment = replace(at, credit=math.inf, end=end)
            limits = in_emergency(self._limits, newest)
            found = plan(layout.segments, moment, limits, layout.ages)
            cut = cut if found.why else found
            if cut.removed >= over:
                break
        return cut

    def _history(self, places: list[str], log: Log) -> SeenHistory:
        """What is known of this history; a new one after an edit or a rewind, or if it has lines as
        they would be shown by a decision that was not taken."""
        name = places[0] if places else ""
        seen = self._histories.pop(name, None)
        if (
            seen is None
            or places[: len(seen.places)] != seen.places
            or any(one.block not in log for one in seen.proposed)
        ):
            seen = SeenHistory(self._limits, self.reads_tags)
        self._histories[name] = seen
        if len(self._histories) > _MAX_HISTORIES:
            self._histories.popitem(last=False)
        return seen

    def _read(
        self, seen: SeenHistory, body: Body, past: ConversationHistory, log: Log, moment: Moment
    ) -> Iterator[Decision]:
        """Read the blocks that are new, and collapse what they repeat."""
        first = max(moment.cached, _unanswered(body))
        for index in range(seen.first_new(past), len(past.places)):
            for position, place in enumerate(past.places[index]):
                if place in seen.blocks:
                    continue
                block = body.messages[index].blocks[position]
                content = seen.take(block, place, index, body.messages[index].role)
                decision = log.get(place)
                if decision is None and index >= first:
                    step_of = partial(dropping, body, past, log)
                    decision = self._collapsed(seen, content, place, log, step_of)
                    if decision is not None:
                        yield decision
                seen.index(content, place, decision)

    def _collapsed(
        self,
        seen: SeenHistory,
        content: SeenBlock,
        place: str,
        log: Log,
        step_of: Callable[[int], Decision | None],
    ) -> Decision | None:
        """A new result without the lines that the context has, or a text that the client added
        again. The first of these stays, as no cut removes it. step_of: the decision that
        replaces the step with a message."""
        if self._limits.repeats and content.kind == ADDED and content.text in seen.added:
            return _lines_decision(place, [same_as_above(content.text)], "repeated", COLLAPSED)
        if not self._limits.repeats or content.kind != "tool_result" or not content.text:
            return None
        if content.is_recalled:  # asked for, and that of a phantom tool was sent before (PX-5)
            return None
        reads = any(not use.writes for use in content.uses)
        if reads and not self._limits.reads:
            return None

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

    def _pruned(self, content: SeenBlock, handle: str) -> list[tuple[int, int, str]]:
        """The lines of a result that pruning leaves out, with their marks."""
        call = content.call
        if call is None or self._pruning is None:
            return []
        made = pruned(call.tool, call.given, content.text, self._pruning, self._rules)
        return list(made.gaps(handle)) if made is not None else []


def _worded(
    seen: SeenHistory, cut: PlannedCut, past: ConversationHistory, numbers: list[int]
) -> Iterator[Decision]:
    """The decisions of a cut, with the texts in place of what it removes."""
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
            names = seen.rarest(content.names, stubs.names_chars(content.text))
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
        _, text = seen.phase(past, last - 1, last)
        text = text or stubs.step_line(calls, whole, partial(seen.rarest, known), failed=failed)
        yield Decision(past.places[last][-1], text, "cut", "step", GONE)


def _lines_decision(
    place: str, found: Sequence[LineReference | tuple[int, int, str]], reason: str, level: int
) -> Decision:
    text = json.dumps(to_builtins(found), ensure_ascii=False)
    return Decision(place, text, reason, "lines", level)


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
