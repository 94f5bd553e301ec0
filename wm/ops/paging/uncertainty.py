"""Appends passages of removed content before the model asks for them (GA-1, GA-3).

There are two causes: the user returns to an earlier subject (`wm.ops.paging.goals`), or the model
seems to need something, judged from the last exchange by `wm.domain.paging.uncertainty`. Only
appends, behind the newest message of the user: no cached byte changes. At most one text that no
answer used for each `TURNS` answers. What it remembers is derived from the history.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct, field

from wm.domain.memory.echo_guard import without_injected
from wm.domain.paging import goals, stubs
from wm.domain.paging.files import SHELLS
from wm.domain.paging.uncertainty import SOURCE, BehaviourEvidence, hedges, needed
from wm.ops.paging.contents import block_text, has_failed, uses_in
from wm.ops.paging.faults import FaultCounter, text_in, traces
from wm.ops.paging.goals import GoalSignal
from wm.ops.paging.passages import of_block, of_blocks, texts_of
from wm.ops.paging.policy import PagingPolicy
from wm.wire.block import Block
from wm.wire.body import Body, Message
from wm.wire.history import ConversationHistory, placed_blocks
from wm.wire.policy import Decision, Log, Moment, Policy, behind

TURNS = 20
"""Answers in which one appended text may stay unused (GA-3)."""
_UNREDUCED = 0
"""Fidelity level of text that replaces nothing."""
_LEAST_TRACES = 4
"""Lines and names that a text of a file has at least."""


class _Exchange(Struct, frozen=True):
    """The last answer and the message after it. said: what the model wrote, calls included. asked:
    what the user wrote. paths: of files that the answer uses, with whether an edit of it failed."""

    said: str
    asked: str
    paths: dict[str, bool]
    hedged: bool


class UncertaintySignal(Struct):
    """Follows one conversation. faults: what was sent last, and what is missing from it."""

    faults: FaultCounter
    goals: GoalSignal = field(default_factory=GoalSignal)
    _places: list[str] = field(default_factory=list)
    _paths: dict[str, list[str]] = field(default_factory=dict)
    """Path -> places of the calls that use the file, and of their results."""
    _calls: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Id of a call -> the paths that it uses."""
    _written: dict[str, str] = field(default_factory=dict)
    """Name of a file, without folder -> place of the call that wrote all of it, if none has used it
    since."""
    _appended: set[str] = field(default_factory=set)
    """Places of which passages were appended; once is enough."""

    def policy(self, inner: PagingPolicy) -> Policy:
        """The policy with passages, of as many tokens as it permits."""
        if not inner.passages:
            return inner

        def watched(
            body: Body, past: ConversationHistory, log: Log, moment: Moment
        ) -> tuple[Decision, ...]:
            decided = inner(body, past, log, moment)
            if moment.emergency:
                return decided
            if inner.goals is not None:
                self.goals.read(body, past, inner.goals)
            made = self._passages(body, past, log, inner.passages)
            return decided if made is None else (*decided, made)

        return watched

    def _passages(
        self, body: Body, past: ConversationHistory, log: Log, max_tokens: int
    ) -> Decision | None:
        """Passages behind the last message; None if nothing is needed, or too much was unused."""
        self._read(body, past)
        last = len(body.messages) - 1
        fits = last >= 2 and body.messages[last].role == "user" and past.places[last]
        if not fits or not log or not self.faults.knows(past, last - 1):
            return None
        block = behind(past.places[last][-1])
        if block in log or self._is_exhausted(body, past, log):
            return None
        text = self._of_subject(body, past, log, max_tokens)
        if text:
            return Decision(block, text, goals.SOURCE, "passages", _UNREDUCED)
        text = self._of_behaviour(body, past, max_tokens)
        return Decision(block, text, SOURCE, "passages", _UNREDUCED) if text else None

    def _of_subject(self, body: Body, past: ConversationHistory, log: Log, max_tokens: int) -> str:
        """Passages of the subject that the user returned to, once for each return."""
        found = self.goals.take()
        if found is None or any(
            behind(line[-1]) in log for line in past.places[found.at :] if line
        ):
            return ""
        removed = {
            place: block
            for _, block, place in placed_blocks(body, past, found.first, found.end)
            if place not in self._appended and self.faults.lacks(place) > 0
        }
        text, handles = of_blocks(found.query, reversed(removed.values()), max_tokens)
        self._appended.update(
            place
            for place, block in removed.items()
            if any(handle in handles for handle, _ in texts_of(block))
        )
        return text

    def _of_behaviour(self, body: Body, past: ConversationHistory, max_tokens: int) -> str:
        """Passages of the block that the model seems to need."""
        exchange = _exchange(body.messages[-2], body.messages[-1])
        found = needed(self._evidence(exchange), hedges=exchange.hedged)
        if found is None:
            return ""
        self._appended.add(found.place)
        query = " ".join(found.names) or " ".join(sorted(stubs.names_in(exchange.said)))
        return of_block(query, _block(body, past, found.place), max_tokens)

    def _read(self, body: Body, past: ConversationHistory) -> None:
        """Take the files of the messages that are new."""
        places = [place for line in past.places for place in line]
        known = len(self._places)
        if places[:known] != self._places:
            self._paths, self._calls, self._written, known = {}, {}, {}, 0
        for _, block, place in islice(placed_blocks(body, past), known, None):
            for path in self._used(block):
                self._paths.setdefault(path, []).append(place)
                if block.type == "tool_use":
                    self._written.pop(_name(path), None)
            for path in _rewritten(block):
                self._written[_name(path)] = place
        self._places = places

    def _used(self, block: Block) -> tuple[str, ...]:
        if block.type == "tool_use":
            paths = tuple(dict.fromkeys(use.path for use in uses_in(block)))
            self._calls[block.call] = paths
            return paths
        if block.type == "tool_result":
            return self._calls.get(block.call, ())
        return ()

    def _is_exhausted(self, body: Body, past: ConversationHistory, log: Log) -> bool:
        """Whether one more that stays unused would be more than one in `TURNS` answers."""
        answers = sum(message.role == "assistant" for message in body.messages)
        made = {behind(line[-1]) for line in past.places if line} & log.keys()
        return len(made - self.faults.used) >= max(1, answers // TURNS)

    def _evidence(self, exchange: _Exchange) -> Iterator[BehaviourEvidence]:
        """What speaks for each removed block."""
        named = self.faults.only_removed(traces(exchange.said))
        _, faults = self.faults.needed(named)  # the model has these, or asks for them
        asked = self.faults.only_removed(traces(exchange.asked))
        used = {
            place: failed
            for path, failed in exchange.paths.items()
            for place in self._newest_removed(path)
        }
        own = set(self._own(exchange))
        for place in dict.fromkeys((*used, *own, *asked.values(), *named.values())):
            if place not in faults | self._appended and self.faults.lacks(place) > 0:
                yield BehaviourEvidence(
                    place,
                    place in own,
                    tuple(sorted(one for one in named if named[one] == place)),
                    tuple(sorted(one for one in asked if asked[one] == place)),
                    failed=used.get(place, False),
                    used=place in used,
                )

    def _own(self, exchange: _Exchange) -> Iterator[str]:
        """The places of files that the model wrote, and names again."""
        for name, place in self._written.items():
            if name in exchange.said and self.faults.is_removed(place):
                yield place

    def _newest_removed(self, path: str) -> Iterator[str]:
        """The place of what was removed last of a file, but for short answers to an edit."""
        places = reversed(self._paths.get(path, ()))
        found = (place for place in places if self.faults.lacks(place) >= _LEAST_TRACES)
        yield from islice(found, 1)


def _exchange(answer: Message, after: Message) -> _Exchange:
    """The last answer and what came after it."""
    failed = {b.call for b in after.blocks if b.type == "tool_result" and has_failed(b)}
    paths: dict[str, bool] = {}
    for block in answer.blocks:
        # A shell command that writes a file may fail for any reason.
        is_shell = str(block.value.get("name", "")).lower() in SHELLS
        for use in uses_in(block):
            is_edit = block.call in failed and use.writes and not is_shell
            paths[use.path] = paths.get(use.path, False) or is_edit
    texts = [block_text(block, is_result=False) for block in answer.blocks if block.type == "text"]
    return _Exchange(
        said="\n".join(text_in(block.value) for block in answer.blocks),
        asked=without_injected(
            "\n".join(text_in(b.value) for b in after.blocks if b.type == "text")
        ),
        paths=paths,
        hedged=hedges("\n".join(texts)),
    )


def _name(path: str) -> str:
    """Commands name files relative to any folder."""
    return path.rpartition("/")[2]


def _rewritten(block: Block) -> Iterator[str]:
    """The files whose whole text this call writes."""
    given = block.value.get("input")
    is_edit = isinstance(given, dict) and any("old" in str(key).lower() for key in given)
    for use in uses_in(block):
        if use.writes and not is_edit:
            yield use.path


def _block(body: Body, past: ConversationHistory, wanted: str) -> Block:
    """The block at a place."""
    return next(block for _, block, place in placed_blocks(body, past) if place == wanted)
