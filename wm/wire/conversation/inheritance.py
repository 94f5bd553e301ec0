"""Which decisions of earlier requests apply to a request: of what the cache holds, those with which
it holds that; of the rest, those of the request with the longest shared beginning. Pure (PX-2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct, field

from wm.wire.body import Body
from wm.wire.conversation.request import OpenRequest, SentRequest, unit_places
from wm.wire.history import ConversationHistory
from wm.wire.policy import Decision, Log, behind, dropped, pending
from wm.wire.rows import BlockRow

NEED_MORE = frozenset(("step", "thinking"))
"""Forms of decisions that have an effect only if more messages follow their block."""


class Inheritance(Struct):
    """The decisions of the requests that went out, by what they contained.

    in_force: of the last request that contained a place. of_prefix: of the last request with a
    prefix that the cache holds, by the digest of what the client sent. uncut: by such a prefix that
    ends in a replaced step, the decision, and those of a request that had this step. recovered: of
    each request before a restart, by its end, while the cache may hold it. last_end: the place of
    the end of the last request.
    """

    in_force: dict[str, Log] = field(default_factory=dict)
    of_prefix: dict[bytes, Log] = field(default_factory=dict)
    uncut: dict[bytes, tuple[Decision, Log]] = field(default_factory=dict)
    recovered: Mapping[str, Log] = field(default_factory=dict)
    last_end: str = ""

    def recover(self, ends: Mapping[str, Log]) -> None:
        """Go on after a restart. ends: the decisions of each request, by the place of its end."""
        self.in_force.update(ends)
        self.recovered = ends

    def expire(self) -> None:
        """The cache holds nothing of what was sent."""
        self.recovered = {}
        self.of_prefix.clear()
        self.uncut.clear()

    def clear(self) -> None:
        """No decision applies to what comes."""
        self.in_force.clear()
        self.expire()

    def known(self, past: ConversationHistory) -> tuple[int, str]:
        """The number of the last message of which an earlier request contained something, and the
        last such place; -1 and "" for none."""
        for number in range(len(past.places) - 1, -1, -1):
            for place in reversed(past.places[number]):
                if place in self.in_force:
                    return number, place
        return -1, ""

    def inherited(
        self,
        body: Body,
        past: ConversationHistory,
        plain: BlockRow,
        known: str,
        cached: int,
        logged: Log,
    ) -> tuple[Log, tuple[Decision, ...]]:
        """The decisions that apply. If one is pending, those apply with which the cache holds its
        step or its thinking. If it holds neither, thinking stays away, and the pending step is
        sent: its decision is the second value.

        known: the last shared place, "" for none. cached: the last unit of `plain` that the cache
        holds, or -1. logged: all decisions, which apply if nothing is known of any request.
        """
        unknown: Log = {} if self.in_force else dict(logged)
        log = self.in_force[known] if known else unknown
        of_cache = self.of_prefix.get(plain.chain[cached]) if cached >= plain.head else None
        if of_cache is log and known == self.last_end:
            return log, ()  # it is the last request, or continues it
        digests = dict(zip(unit_places(body, past), plain.chain[plain.head :], strict=True))
        is_recovered = log is self.recovered.get(known)
        if of_cache is not None and of_cache is not log and not is_recovered:
            log = _joined(of_cache, log, list(digests)[: cached + 1 - plain.head])
        return self._without_pending(body, past, log, digests, plain.chain, cached)

    def _without_pending(
        self,
        body: Body,
        past: ConversationHistory,
        log: Log,
        digests: Mapping[str, bytes],
        chain: Sequence[bytes],
        cached: int,
    ) -> tuple[Log, tuple[Decision, ...]]:
        tried: list[Decision] = []
        while found := pending(body, past, log) or self._broken(log, digests, chain, cached):
            tried += [log[place] for place in found]
            uncut = (self.uncut.get(digests.get(p, chain[cached])) for p in found)
            logs = (before for _, before in filter(None, uncut))
            earlier = next((one for one in logs if not any(map(partial(_has, one), tried))), None)
            if earlier is None:
                gone = {place: log[place] for place in found if log[place].form == "step"}
                left = {place: one for place, one in log.items() if place not in gone}
                return left if gone else log, tuple(gone.values())
            log = earlier
        return log, ()

    def _broken(
        self, log: Log, digests: Mapping[str, bytes], chain: Sequence[bytes], cached: int
    ) -> list[str]:
        """The replaced step of which the request has only the beginning, as after other results."""
        found = self.uncut.get(chain[cached]) if cached >= 0 else None
        is_cut = found is not None and found[0].block not in digests and _has(log, found[0])
        return [found[0].block] if found is not None and is_cut else []

    def take(self, one: OpenRequest) -> None:
        """The request went out. A return into a step that it replaces is sent as before the cut if
        the cache holds that, or with this step behind what it holds. That may cost more than the
        client's own request, once (`cost_of_returns`)."""
        plain, known = one.plain, one.known_unit
        new = [one.inherited[p] for p in one.undo if one.inherited[p].form in NEED_MORE]
        if new or one.returned:
            places, units = unit_places(one.body, one.past), plain.chain[plain.head :]
            digests = dict(zip(places, units, strict=True))
            cached = {place: digests[place] for place in places[: max(0, known + 1 - plain.head)]}
            logs = [(decision, cached, one.base) for decision in new]
            logs += [(decision, digests, one.inherited) for decision in one.returned]
            for decision, had, log in logs:
                for place in had.keys() & one.step_of(decision.block):
                    self.uncut.setdefault(had[place], (decision, log))
        for digest in reversed(plain.chain[plain.head :]):
            if self.of_prefix.get(digest) is one.inherited:
                break
            self.of_prefix[digest] = one.inherited
        for place in (place for line in reversed(one.past.places) for place in reversed(line)):
            if self.in_force.get(place) is one.inherited:
                break
            self.in_force[place] = one.inherited
        self.last_end = one.end


def cost_of_returns(one: OpenRequest, made: SentRequest) -> float:
    """What returns into replaced steps may cost more than the client's own requests, for steps that
    the cache did not hold: writing each again once, less what is removed before it."""
    first, log = one.cached_to + 1, one.inherited
    ends = (places[-1] for places in one.past.places[first:] if places)
    if not any(place in log and log[place].form == "step" for place in ends):
        return 0.0
    steps = dropped(one.body, one.past, log)
    plain, made_of = _by_message(one.plain), _by_message(made.row)
    cost, removed, sent = 0.0, 0, 0
    for number in range(len(one.body.messages)):
        if number in steps.messages:
            removed += plain[number]
        else:
            removed += plain[number] - made_of[sent]
            sent += 1
        if number in steps.anchors and number >= first:
            step = plain[number - 1] + plain[number]
            again = (one.rates.write - one.rates.read) * step
            cost += max(0.0, again - one.rates.read * (removed - step))
    return cost


def _by_message(found: BlockRow) -> Counter[int]:
    """The tokens of each message."""
    tokens = Counter[int]()
    for unit in found.units:
        tokens[unit.message] += unit.tokens
    return tokens


def _joined(of_cache: Log, log: Log, cached: Iterable[str]) -> Log:
    """The decisions `of_cache` on the cached places, and those of `log` on the others."""
    inside = {*cached}
    inside |= {behind(place) for place in inside}
    return {
        **{place: one for place, one in log.items() if place not in inside},
        **{place: one for place, one in of_cache.items() if place in inside},
    }


def _has(log: Log, decision: Decision) -> bool:
    return log.get(decision.block) is decision
