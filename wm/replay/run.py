"""Run requests through a policy with the proxy's code, and count them with the cache model.

Each conversation has its own history, decision log and bound thinking; caches are shared as the
recording says. Estimated tokens are finally scaled by the ratio of reported to estimated tokens
of each model (the median).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from wm.domain.counts import counted
from wm.ops.paging.faults import ANSWER_TOKENS, Fault, FaultCounter
from wm.ops.paging.policy import PagingPolicy
from wm.ops.paging.uncertainty import UncertaintySignal
from wm.replay.file_reads import ReadCopies
from wm.replay.requests import Sent
from wm.wire.account import PrefixCache
from wm.wire.binding import Bindings, binds
from wm.wire.body import Body
from wm.wire.cachesim import LIFETIME_S, MAX_MARKS, PromptCache
from wm.wire.conversation import Conversation
from wm.wire.history import unpaired
from wm.wire.policy import Policy, nothing
from wm.wire.prices import price_of
from wm.wire.rows import AS_RECORDED, AssumedHead, BlockRow, Measure, estimate
from wm.wire.usage import Usage

AS_MARKED, FIVE_MINUTES, ONE_HOUR = "", "5m", "1h"
WAYS = (AS_MARKED, FIVE_MINUTES, ONE_HOUR)
MAX_CONVERSATIONS = 16
"""Most conversations in memory, because each has a history; the least recently used is
dropped."""
T = TypeVar("T")
COMPARABLE = 3.0
"""Ratios of reported to estimated tokens beyond this factor say nothing about token length."""


class Counted(Struct, frozen=True):
    """One counted request, in estimated tokens. ways: usage for each of `WAYS`, and in the block
    model of `wm.wire.account`.

    decided: new decisions. removed: blocks and tokens that this request removed for the first time.
    refetch: what restoring the removed blocks costs that answers needed. over: larger than the
    model's window, so never sent. The others are those of `ReplayedTurn`.
    """

    sent: Sent
    model: str
    bytes: int
    messages: int
    ways: tuple[Usage, ...]
    decided: int = 0
    replaced: int = 0
    faults: int = 0
    exact_faults: int = 0
    refetch: Usage = Usage()
    rereads: int = 0
    removed: tuple[int, int] = (0, 0)
    passages: int = 0
    used_passages: int = 0
    broken_thinking: int = 0
    wrong: tuple[str, ...] = ()
    over: bool = False
    seconds: float = 0.0

    @property
    def usage(self) -> Usage:
        return self.ways[0]


class _Conversation(Struct):
    wire: Conversation
    faults: FaultCounter
    uncertainty: UncertaintySignal
    copies: ReadCopies = field(default_factory=ReadCopies)
    bindings: Bindings = field(default_factory=Bindings)
    prompt: int = 0
    """Tokens of the last request as it was sent."""


class _Prefixes(Struct):
    """The cache of the block model for one model's requests. until: when it expires."""

    cache: PrefixCache = field(default_factory=PrefixCache)
    until: float = 0.0

    def account(self, found: BlockRow, at: float, ttl: str, output: int) -> Usage:
        """The usage of this request. ttl: the lifetime of its marks."""
        if at > self.until:
            self.cache.clear()
        self.until = at + LIFETIME_S[ttl]
        bill = self.cache.bill(found)
        self.cache.take(found)
        five, hour = (bill.written, 0) if ttl == FIVE_MINUTES else (0, bill.written)
        return Usage(output=output, cache_read=bill.read, cache_write_5m=five, cache_write_1h=hour)


class _Needs(Struct, frozen=True):
    """What the answers before a request needed of what was removed."""

    faults: Sequence[Fault] = ()
    rereads: int = 0
    removed: tuple[int, int] = (0, 0)
    used: int = 0


class ReplayRun(Struct, eq=False):
    """Counts the requests of a replay in order. clock: seconds, to time the policy.

    measure: the token estimate. assumed: the model and head that requests are counted with. ttl:
    the lifetime of every mark; "" takes the recorded ones. bounded: as in
    `wm.wire.conversation.Conversation`.
    """

    policy: Policy
    clock: Callable[[], float]
    measure: Measure = estimate
    assumed: AssumedHead = AS_RECORDED
    ttl: str = ""
    bounded: bool = False
    changed: tuple[Body, Body] | None = None
    """The last request as it came and as it was sent, if they differ."""
    _conversations: OrderedDict[str, _Conversation] = field(default_factory=OrderedDict)
    _caches: OrderedDict[str, tuple[PromptCache, ...]] = field(default_factory=OrderedDict)
    _prefixes: OrderedDict[str, _Prefixes] = field(default_factory=OrderedDict)

    def count(self, sent: Sent) -> Counted | None:
        """Count one request; None for bytes that are not a request."""
        self.changed = None
        if sent.outline is not None:
            return self._outlined(sent, *sent.outline)
        one = kept(self._conversations, f"{sent.cache}/{sent.conversation}", self._begun)
        wire = one.wire
        started = self.clock()
        before = wire.before
        prepared = wire.prepare(sent.raw, self._policy_of(one), sent.at or 0.0)
        seconds = self.clock() - started
        if prepared is None or wire.before is None or wire.sent is None or wire.plain is None:
            return None
        if sent.usage is None and _is_over(wire.plain):
            wire.void()
            return Counted(sent, wire.plain.model, 0, 0, (), over=True)
        wire.keep(prepared.decisions)
        goes, found = wire.sent.body, wire.sent.row
        self.changed = (wire.before[0], goes) if prepared.replaced else None
        needs = self._needs(one, len(before[0].messages) if before else 0)
        refetch = _refetch(needs.faults, one.prompt)
        wire.charge(refetch.cache_read, refetch.cache_write_5m)
        counted = Counted(
            sent=sent,
            model=found.model,
            bytes=len(prepared.raw),
            messages=len(goes.messages),
            ways=self._ways(sent, found),
            decided=len(prepared.decisions),
            replaced=prepared.replaced,
            faults=len(needs.faults),
            exact_faults=sum(fault.exact for fault in needs.faults),
            refetch=refetch,
            rereads=needs.rereads,
            removed=needs.removed,
            passages=sum(decision.form == "passages" for decision in prepared.decisions),
            used_passages=needs.used,
            broken_thinking=len(one.bindings.broken(found)) if binds(found.model) else 0,
            wrong=_wrong(goes, found),
            seconds=seconds,
        )
        one.prompt = found.prompt
        return counted

    def _begun(self) -> _Conversation:
        wire = Conversation(
            bounded=self.bounded,
            marks=True,
            measure=self.measure,
            assumed=self.assumed,
            ttl=self.ttl,
        )
        faults = FaultCounter()
        return _Conversation(wire, faults, UncertaintySignal(faults))

    def _policy_of(self, one: _Conversation) -> Policy:
        if isinstance(self.policy, PagingPolicy):
            return one.uncertainty.policy(self.policy)
        return self.policy

    def _needs(self, one: _Conversation, old: int) -> _Needs:
        """The faults up to this request. Only a policy that removes something can cause any."""
        if self.policy is nothing or one.wire.before is None:
            return _Needs()
        body, past = one.wire.before
        counter = one.faults
        known = len(counter.used)
        faults = counter.answered(body, old)
        used = len(counter.used) - known
        rereads = one.copies.read_again(body.messages[old:], counter.is_removed)
        one.copies.take(body, past, old)
        blocks, tokens = counter.removed_blocks, counter.removed_tokens
        counter.sent(body, past, one.wire.in_force(), self.measure)
        removed = (counter.removed_blocks - blocks, counter.removed_tokens - tokens)
        return _Needs(faults, rereads, removed, used)

    def _outlined(self, sent: Sent, found: BlockRow, size: int, messages: int) -> Counted:
        """A request without its body: no policy can change it."""
        found = replace(found, model=self.assumed.model or found.model)
        return Counted(sent, found.model, size, messages, self._ways(sent, found))

    def _ways(self, sent: Sent, found: BlockRow) -> tuple[Usage, ...]:
        ways = (self.ttl, *WAYS[1:])
        caches = kept(self._caches, sent.cache, lambda: tuple(PromptCache(ttl=ttl) for ttl in ways))
        output = sent.usage.output if sent.usage else sent.output
        at = sent.at or 0.0
        prefixes = kept(self._prefixes, f"{sent.cache}/{found.model}", _Prefixes)
        ttl = self.ttl or next((found.units[n].ttl for n in found.marked[-1:]), FIVE_MINUTES)
        blocks = prefixes.account(found, at, ttl, output)
        return (*(cache.account(found, at, output=output) for cache in caches), blocks)


def _refetch(faults: Sequence[Fault], prompt: int) -> Usage:
    """What restoring costs: for each block one more turn over the whole context, its text written
    again, and the call."""
    return Usage(
        cache_read=prompt * len(faults),
        cache_write_5m=sum(fault.tokens for fault in faults),
        output=ANSWER_TOKENS * len(faults),
    )


def _is_over(found: BlockRow) -> bool:
    price = price_of(found.model)
    return price.known and found.prompt > price.window


def kept(known: OrderedDict[str, T], name: str, make: Callable[[], T]) -> T:
    """The value of this name, made if missing; the least recently used one is dropped above the
    limit."""
    found = known.pop(name, None) or make()
    known[name] = found
    while len(known) > MAX_CONVERSATIONS:
        known.popitem(last=False)
    return found


def _wrong(body: Body, found: BlockRow) -> tuple[str, ...]:
    """What the service would refuse, in words."""
    wrong = []
    if names := unpaired(body):
        half, halves = "tool call or result", "tool calls or results"
        wrong.append(f"{counted(len(names), half, halves)} without the other half")
    if (marks := sum(1 for unit in found.units if unit.ttl)) > MAX_MARKS:
        wrong.append(f"{marks} cache marks; {MAX_MARKS} are allowed")
    if _is_over(found):
        wrong.append(f"more tokens than the window of {price_of(found.model).window:,}")
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
