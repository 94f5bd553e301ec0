"""Run requests through a policy with the proxy's code, and count them with the cache model.

Each conversation has its own history, decision log and bound thinking; caches are shared as the
recording says. Estimated tokens are finally scaled by the ratio of reported to estimated tokens
of each model (the median).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from statistics import median
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import asdict

from wm.domain.counts import counted
from wm.replay.file_reads import reads_in, removed_paths
from wm.replay.requests import Sent
from wm.wire.binding import Bindings, binds
from wm.wire.body import Body, index
from wm.wire.cachesim import MAX_MARKS, PromptCache
from wm.wire.history import unpaired
from wm.wire.policy import Conversation, Policy
from wm.wire.prices import price_of
from wm.wire.rows import BlockRow, Measure, estimate, row
from wm.wire.usage import Usage

AS_MARKED, FIVE_MINUTES, ONE_HOUR = "", "5m", "1h"
WAYS = (AS_MARKED, FIVE_MINUTES, ONE_HOUR)
MAX_CONVERSATIONS = 16
"""Most conversations held at a time, because each holds a history; the least recently used is
dropped."""
T = TypeVar("T")
COMPARABLE = 3.0
"""Ratios of reported to estimated tokens beyond this factor say nothing about token length."""


class Counted(Struct, frozen=True):
    """One counted request, in estimated tokens. ways: usage for each of `WAYS`.

    decided: new decisions. replaced: results that differ from the original, by older decisions too.
    """

    sent: Sent
    model: str
    bytes: int
    messages: int
    ways: tuple[Usage, ...]
    decided: int = 0
    replaced: int = 0
    faults: int = 0
    broken: int = 0
    wrong: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def usage(self) -> Usage:
        return self.ways[0]


class _Conversation(Struct):
    talk: Conversation = field(default_factory=Conversation)
    out: tuple[Body, BlockRow] | None = None
    removed: frozenset[str] = frozenset()
    bindings: Bindings = field(default_factory=Bindings)


class ReplayRun:
    """Counts the requests of a replay in order. clock: seconds, to time the policy.

    measure: the token estimate.
    """

    def __init__(
        self, policy: Policy, clock: Callable[[], float], measure: Measure = estimate
    ) -> None:
        self._measure = measure
        self._policy = policy
        self._clock = clock
        self._conversations: OrderedDict[str, _Conversation] = OrderedDict()
        self._caches: OrderedDict[str, tuple[PromptCache, ...]] = OrderedDict()

    def count(self, sent: Sent) -> Counted | None:
        """Count one request; None for bytes that are not a request."""
        if sent.outline is not None:
            return self._outlined(sent, *sent.outline)
        one = kept(self._conversations, f"{sent.cache}/{sent.conversation}", _Conversation)
        started = self._clock()
        before = one.talk.before
        prepared = one.talk.prepare(sent.raw, self._policy)
        seconds = self._clock() - started
        if prepared is None or one.talk.before is None:
            return None
        one.talk.keep(prepared.decisions)
        came, conversation = one.talk.before
        goes = came if prepared.raw is came.raw else index(prepared.raw, one.out and one.out[0])
        if goes is None:
            return None
        if goes is came and one.out and one.out[0] is not (before and before[0]):
            goes = index(came.raw, one.out[0]) or came
        found = row(goes, one.out[1] if one.out else None, self._measure)
        counted = Counted(
            sent=sent,
            model=found.model,
            bytes=len(prepared.raw),
            messages=len(goes.messages),
            ways=self._ways(sent, found),
            decided=len(prepared.decisions),
            replaced=prepared.replaced,
            faults=_faults(one.removed, came, len(before[0].messages) if before else 0),
            broken=len(one.bindings.broken(found)) if binds(found.model) else 0,
            wrong=_wrong(goes, found),
            seconds=seconds,
        )
        one.out = (goes, found)
        log = one.talk.log
        one.removed = removed_paths(came, conversation, log) if log else frozenset()
        return counted

    def _outlined(self, sent: Sent, found: BlockRow, size: int, messages: int) -> Counted:
        """A request without its body: no policy can change it."""
        return Counted(sent, found.model, size, messages, self._ways(sent, found))

    def _ways(self, sent: Sent, found: BlockRow) -> tuple[Usage, ...]:
        caches = kept(self._caches, sent.cache, lambda: tuple(PromptCache(ttl=ttl) for ttl in WAYS))
        output = sent.usage.output if sent.usage else sent.output
        at = sent.at or 0.0
        return tuple(cache.account(found, at, output=output) for cache in caches)


def kept(known: OrderedDict[str, T], name: str, make: Callable[[], T]) -> T:
    """The value of this name, made if missing; the least recently used one is dropped above the
    limit."""
    found = known.pop(name, None) or make()
    known[name] = found
    while len(known) > MAX_CONVERSATIONS:
        known.popitem(last=False)
    return found


def _faults(removed: frozenset[str], came: Body, old: int) -> int:
    """Number of calls, after the first `old` messages, that read a file whose text was removed."""
    if not removed:
        return 0
    return sum(
        read.path in removed for message in came.messages[old:] for read in reads_in(message)
    )


def _wrong(body: Body, found: BlockRow) -> tuple[str, ...]:
    """What the service would refuse, in words."""
    wrong = []
    if names := unpaired(body):
        half, halves = "tool call or result", "tool calls or results"
        wrong.append(f"{counted(len(names), half, halves)} without the other half")
    if (marks := sum(1 for unit in found.units if unit.ttl)) > MAX_MARKS:
        wrong.append(f"{marks} cache marks; {MAX_MARKS} are allowed")
    if found.prompt > (window := price_of(found.model).window) and price_of(found.model).known:
        wrong.append(f"more tokens than the window of {window:,}")
    return tuple(wrong)


class Factors:
    """Ratio of the service's tokens to estimated tokens, by model."""

    def __init__(self) -> None:
        self._ratios: dict[str, list[float]] = {}

    def learn(self, one: Counted) -> None:
        ratios = self._ratios.setdefault(one.model, [])
        reported, estimated = one.sent.usage, one.usage.prompt
        if reported is None or not estimated:
            return
        ratio = reported.prompt / estimated
        if 1 / COMPARABLE < ratio < COMPARABLE:
            ratios.append(ratio)

    def of(self, model: str) -> tuple[float, int]:
        """The factor, and the number of requests it is based on."""
        ratios = self._ratios.get(model, [])
        return (median(ratios) if ratios else 1.0), len(ratios)


def scaled(usage: Usage, factor: float) -> Usage:
    """Scale estimated tokens to the service's count. Output tokens are reported and stay."""
    counts = {name: round(count * factor) for name, count in asdict(usage).items()}
    return Usage(**{**counts, "output": usage.output})
