"""Which cut is due, by literal histories. Reads cost 0.1, writes 1.25."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from wm.domain.paging.cuts import plan
from wm.domain.paging.files import FileUse
from wm.domain.paging.levels import LEVELS, PagingLimits
from wm.domain.paging.segments import PagedBlock, PagingMoment, Segment

LIMITS = PagingLimits(stubs=True, keep=2, hot=4, collapse=6, least=100)
RICH = 10_000_000.0


def step(
    number: int, tokens: int = 1000, path: str = "", *, writes: bool = False, line: int = 30
) -> Segment:
    """The step whose result is the `number`-th, first sent in the request of that number."""
    used = (FileUse(path, "", writes),) if path else ()
    result = PagedBlock(f"r{number}", tokens, min(tokens, 50), number, used, is_result=True)
    return Segment((PagedBlock(f"c{number}", 20, 20, number - 1), result), line, number)


def cut(
    segments: list[Segment],
    credit: float = RICH,
    limits: PagingLimits = LIMITS,
    *,
    cold: bool = False,
) -> tuple:
    moment = PagingMoment(0.1, 1.25, credit, len(segments), 0 if cold else len(segments))
    found = plan(segments, moment, limits)
    return (found.stubs, found.steps)


def test_only_results_with_enough_newer_ones_are_removed() -> None:
    big = [step(1, 100_000), step(2, 100_000), step(3), step(4)]
    assert cut(big) == (("r1", "r2"), ())


def test_whole_old_steps_are_removed_once_there_are_enough_newer_results() -> None:
    segments = [step(1, 100_000), *(step(n, 40) for n in range(2, 8))]
    assert cut(segments) == ((), (0,))


@pytest.mark.parametrize(("removed", "gone"), [(240, False), (260, True)])
def test_a_line_must_be_paid_by_reading_what_is_removed_up_to_it(
    removed: int, *, gone: bool
) -> None:
    """A line of 20 tokens is written for 25."""
    segments = [step(1, removed - 20, line=20), *(step(n, 40, line=0) for n in range(2, 9))]
    assert (0 in cut(segments, cold=True)[1]) is gone


def test_the_newest_copy_of_a_file_stays_however_old() -> None:
    segments = [step(1, 100_000, "a.py"), *(step(n, 40) for n in range(2, 20))]
    assert "r1" not in cut(segments)[0]
    assert 0 not in cut(segments)[1]


def test_an_old_copy_goes_as_soon_as_the_file_was_read_again() -> None:
    segments = [step(1, 100_000, "a.py"), step(2, 100, "a.py")]
    assert cut(segments) == (("r1",), ())


@pytest.mark.parametrize(
    ("limits", "since", "gone"),
    [
        (LIMITS, 3, False),
        (LIMITS, 4, True),
        (LEVELS["balanced"], 11, False),
        (LEVELS["balanced"], 12, True),
    ],
)
def test_a_copy_of_a_written_file_stays_while_the_last_results_used_the_file(
    limits: PagingLimits, since: int, *, gone: bool
) -> None:
    used = [step(1, 100_000, "a.py", line=0), step(2, 40, "a.py", writes=True)]
    segments = [*used, *(step(n, 40) for n in range(3, 3 + since))]
    assert ("r1" in cut(segments, limits=limits)[0]) is gone


@pytest.mark.parametrize(("used", "gone"), [("b.py", True), ("a.py", False)])
def test_a_step_that_wrote_a_file_stays_while_the_file_is_in_use(used: str, *, gone: bool) -> None:
    begun = [step(1, 100_000, "a.py", writes=True), *(step(n, 40) for n in range(2, 6))]
    segments = [*begun, step(6, 40, used, writes=True), *(step(n, 40) for n in range(7, 10))]
    assert (0 in cut(segments)[1]) is gone
    later = [*segments, step(10, 40)]
    assert 0 in cut(later)[1]


@pytest.mark.parametrize(("since", "gone"), [(7, False), (8, True)])
def test_the_newest_copy_goes_when_its_file_was_long_unused(since: int, *, gone: bool) -> None:
    segments = [step(1, 100_000, "a.py"), *(step(n, 40) for n in range(2, 2 + since))]
    assert (0 in cut(segments, limits=replace(LIMITS, newest=8))[1]) is gone


@pytest.mark.parametrize(
    ("left", "used", "pinned", "gone"),
    [
        (0, "b.py", False, False),
        (1, "b.py", False, True),
        (1, "a.py", False, False),
        (1, "b.py", True, False),
    ],
)
def test_what_the_last_two_turns_do_not_use_becomes_a_stub_and_its_step_stays(
    left: int, used: str, *, pinned: bool, gone: bool
) -> None:
    """The newest copy of a file, read before these turns."""
    first = step(1, 100_000, "a.py")
    first = replace(first, blocks=tuple(replace(one, pinned=pinned) for one in first.blocks))
    later = [step(2, 40, used, writes=True), *(step(n, 40) for n in range(3, 9))]
    moment = PagingMoment(0.1, 1.25, RICH, 8, cached=8, left=left, since=2)
    found = plan([first, *later], moment, replace(LIMITS, hot=12))
    assert ("r1" in found.stubs) is gone
    assert 0 not in found.steps


def test_what_the_last_two_turns_do_not_use_pays_rent_since_the_last_of_them() -> None:
    """2,000 tokens pay 195 a request, with six in advance; the tail costs 1,380."""
    segments = [step(1, 2_000, "a.py"), step(2, 1_200, "b.py")]
    due = [
        plan(segments, PagingMoment(0.1, 1.25, RICH, now, 2, left=1, since=since), LIMITS)
        for now, since in ((4, 4), (5, 4), (6, 5), (6, 4))
    ]
    assert [found.why is None for found in due] == [False, True, True, True]


def test_rent_must_reach_the_price_of_writing_the_tail_again() -> None:
    """2,000 tokens pay 195 a request; a tail of 50,000 tokens costs 57,500."""
    tail = step(4, 50_000, "tail.py")
    short = [step(1, 2_000), step(2, 40), step(3, 40), tail]
    assert cut(short) == ((), ())
    long = [step(1, 2_000, line=0), step(2, 40), step(3, 40), tail]
    long += [step(n, 40, line=0) for n in range(5, 600)]
    assert "r1" in cut(long)[0]


@pytest.mark.parametrize(("ahead", "due"), [(0, False), (6, True)])
def test_the_rent_of_the_next_requests_is_paid_in_advance(ahead: int, due: bool) -> None:
    """1,950 tokens pay 195 a request; the tail of 1,100 tokens costs 1,265."""
    segments = [step(1, 2_000, line=0), step(2, 500, "a.py"), step(3, 500, "b.py"), step(4, 40)]
    assert ("r1" in cut(segments, limits=replace(LIMITS, ahead=ahead))[0]) is due


def test_a_cut_may_not_cost_more_than_the_credit() -> None:
    segments = [step(1, 100_000), step(2, 2_000, "x.py"), step(3, 8_000, "y.py"), step(4, 40)]
    moment = PagingMoment(0.1, 1.25, RICH, 4, cached=4)
    found = plan(segments, moment, LIMITS)
    assert found.cost > 0
    assert cut(segments, credit=found.cost) == (("r1",), ())
    assert cut(segments, credit=found.cost - 1) == ((), ())


@pytest.mark.parametrize(
    ("limits", "segments", "credit", "why"),
    [
        (LEVELS["safe"], [step(1, 100_000)], RICH, "policy"),
        (LIMITS, [step(1, 100_000), step(2, 100_000)], RICH, "young"),
        (LIMITS, [step(1, 140), step(2, 40), step(3, 40)], RICH, "young"),
        (
            LIMITS,
            [step(1, 2_000), *(step(n, 40) for n in (2, 3)), step(4, 50_000, "a")],
            0,
            "price",
        ),
        (
            LIMITS,
            [step(1, 100_000), step(2, 2_000, "x"), step(3, 8_000, "y"), step(4)],
            0,
            "credit",
        ),
    ],
)
def test_why_a_request_has_no_cut(
    limits: PagingLimits, segments: list[Segment], credit: float, why: str
) -> None:
    moment = PagingMoment(0.1, 1.25, credit, len(segments), len(segments))
    assert plan(segments, moment, limits).why == why


def test_a_cold_cache_makes_every_cut_free() -> None:
    segments = [step(n, 1000) for n in range(1, 9)]
    stubs, steps = cut(segments, credit=0.0, cold=True)
    assert steps == (0, 1)
    assert stubs == ("r3", "r4", "r5", "r6")


def test_small_cuts_are_not_worth_it_and_a_cut_is_a_suffix() -> None:
    assert cut([step(1, 120), step(2, 20), step(3, 20)]) == ((), ())
    segments = [step(1, 400), step(2, 50_000, "x.py"), step(3, 90_000), *map(step, range(4, 7))]
    assert cut(segments)[0][0] == "r3"


@pytest.mark.parametrize("name", ["off", "safe"])
def test_off_and_safe_cut_nothing(name: str) -> None:
    assert cut([step(1, 100_000), step(2), step(3), step(4)], limits=LEVELS[name]) == ((), ())
