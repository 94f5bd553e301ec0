"""Decides what a cut removes: suffix ski rental within credit (PX-4, PX-7). Pure.

Everything behind the first removed token is written to the cache again. So a cut is a suffix: it
begins at some segment and removes all that is removable from there on. Each removable token pays
rent, the price of reading it, at every request since it could have been removed, and at the next
few in advance. A cut is due when the rent of its suffix reaches the price of writing what stays of
it again. Of all that are due, the one with the largest surplus is taken. Two limits: it may not
cost more than was saved so far (`moment.credit`), and a cold cache makes it free. A line replaces a
step only if reading what is removed up to it would cost at least what writing the line costs, so
that the client can return into the step later.
docs/adr/0035-ledger-and-objects.md has the proof.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from wm.domain.paging.levels import PagingLimits
from wm.domain.paging.segments import PagedBlock, PagingMoment, PlannedCut, Segment
from wm.formats.ledger import Uncut


class ResultAges(Struct):
    """When the results of a history were sent, and when files were last used. Later segments can be
    added."""

    results: int = 0
    sent: list[int] = field(default_factory=lambda: [0])
    """Request by number of results."""
    used: dict[str, list[int]] = field(default_factory=dict)
    """Path -> numbers of the results that used it."""
    read: dict[tuple[str, str], int] = field(default_factory=dict)
    """Path and part -> number of the last result that shows it."""

    def add(self, segments: Sequence[Segment]) -> None:
        """Count the results of these segments that are not counted yet."""
        for segment in segments:
            if segment.last <= self.results:
                continue
            for block in segment.blocks:
                if not block.is_result or block.result <= self.results:
                    continue
                while len(self.sent) <= block.result:
                    self.sent.append(segment.request)
                self.results = block.result
                for use in block.uses:
                    self.used.setdefault(use.path, []).append(block.result)
                    if not use.writes:
                        self.read[use.path, use.part] = block.result

    def waited(self, result: int, now: int) -> int | None:
        """Requests since there were so many results; None if there are fewer."""
        return now - self.sent[result] if result <= self.results else None


class _Saving(Struct):
    """What removing from one segment brings. tokens: of the segment afterwards."""

    tokens: int
    removed: int = 0
    rent: float = 0.0
    stubs: tuple[str, ...] = ()
    step: bool = False


def plan(
    segments: Sequence[Segment],
    moment: PagingMoment,
    limits: PagingLimits,
    ages: ResultAges | None = None,
) -> PlannedCut:
    """The cut for this request, or why there is none. ages: of these segments; None: they are
    counted here."""
    if not limits.stubs:
        return PlannedCut(why="policy")
    if ages is None:
        ages = ResultAges()
        ages.add(segments)
    savings: dict[int, _Saving] = {}
    best, surplus, price = -1, 0.0, 0.0
    why: Uncut = "young"
    rent = cost = 0.0
    removed = 0
    for number in range(len(segments) - 1, -1, -1):
        segment, is_cached = segments[number], number < moment.cached
        # What is not cached is written anyway; what is cached is written instead of read.
        if segment.is_least or number >= moment.end:
            cost += (moment.write - moment.read) * segment.tokens if is_cached else 0.0
            continue
        saving = savings[number] = _saving(segment, ages, moment, limits)
        again = (moment.write - moment.read) * saving.tokens if is_cached else 0.0
        spared = moment.read if is_cached else moment.write
        cost += again - spared * saving.removed
        rent += saving.rent
        removed += saving.removed
        if not saving.removed or removed < limits.least:
            continue
        if cost > moment.credit:
            why = "credit" if rent >= cost else why
        elif rent - cost >= surplus:
            best, surplus, price = number, rent - cost, cost
        why = "price" if why == "young" else why
    if best < 0:
        return PlannedCut(why=why)
    chosen = [number for number in range(best, len(segments)) if number in savings]
    lacks, end = 0, 0
    for number in chosen:
        segment = segments[number]
        lacks += sum(one.lacks for one in segments[end : number + 1]) + segment.tokens
        if savings[number].step and moment.read * lacks < moment.write * segment.line:
            savings[number] = _saving(segment, ages, moment, replace(limits, collapse=0))
        lacks, end = lacks - savings[number].tokens, number + 1
    return PlannedCut(
        stubs=tuple(place for n in chosen for place in savings[n].stubs),
        steps=tuple(n for n in chosen if savings[n].step),
        cost=price,
        removed=sum(savings[n].removed for n in chosen),
    )


def _saving(
    segment: Segment, ages: ResultAges, moment: PagingMoment, limits: PagingLimits
) -> _Saving:
    """What can be removed from a segment now: parts of it, or all."""
    found = _Saving(segment.tokens)
    stays = False
    for block in segment.deciding:
        waited, removed = _waited(block, ages, moment, limits), block.tokens - block.stub
        if waited is None:
            # It is pinned, or shows a file that is in use, or the newest copy of one.
            stays |= block.pinned or bool(block.reads)
            if segment.request <= moment.left and _is_left(block, ages, moment):
                waited = moment.request - moment.since
        if waited is not None and removed > 0:
            found.tokens -= removed
            found.removed += removed
            found.rent += moment.read * removed * (waited + limits.ahead)
            found.stubs += (block.place,)
    more = found.tokens - segment.line
    if stays or not (segment.line and limits.collapse) or more <= 0:
        return found
    waited = ages.waited(_replaceable(segment, ages, limits), moment.request)
    if waited is None:
        return found
    # What a stub would have saved has paid rent since it could have been one.
    rent = found.rent + moment.read * more * (waited + limits.ahead)
    return _Saving(segment.line, found.removed + more, rent, step=True)


def _is_left(block: PagedBlock, ages: ResultAges, moment: PagingMoment) -> bool:
    """Whether the user's last two turns can do without a block from before them: they used none of
    the files that it shows. Then it may become a stub, however new it is (GA-1)."""
    last = (ages.sent[ages.used[use.path][-1]] for use in block.reads)
    return not block.pinned and all(request <= moment.left for request in last)


def _replaceable(segment: Segment, ages: ResultAges, limits: PagingLimits) -> int:
    """Number of results after which a line may replace a step: not while a file that it wrote is
    in use, because no copy of that file has what it wrote."""
    if segment.dropped is not None:
        return segment.dropped
    used = (ages.used[path][-1] + limits.hot for path in segment.written)
    return max(segment.last + limits.collapse, *used, 0)


def _waited(
    block: PagedBlock, ages: ResultAges, moment: PagingMoment, limits: PagingLimits
) -> int | None:
    """Requests since a block could first have become a stub; None if it cannot now."""
    if block.pinned:
        return None
    if block.dropped is not None:
        return ages.waited(block.dropped, moment.request)
    since = block.result + (0 if block.reads else limits.keep)
    for use in block.reads:
        used = ages.used[use.path]
        if used[-1] == block.result:  # the newest copy
            if not limits.newest:
                return None
            since = max(since, block.result + limits.newest)
            continue
        again = max(ages.read[use.path, use.part], ages.read.get((use.path, ""), 0))
        if again <= block.result and ages.results - used[-1] < limits.hot:
            return None  # not read again, and the file is in use
        # An old copy only misleads, so no newer results have to follow.
        since = max(since, used[bisect_right(used, block.result)])
    return ages.waited(since, moment.request)
