"""What cleanup tags may do, and what they must not (PX-6)."""

from __future__ import annotations

from wm.domain.paging.cleanup import MOST_ANCHORS, CleanupWish, CleanupWishes


def wishes(*failed: int) -> CleanupWishes:
    """Five calls of two labels; those failed."""
    made = CleanupWishes()
    for call in range(5):
        label = "make test" if call % 2 else "Read a.py"
        made.answered(call, label, (f"o_{call}",), is_error=call in failed)
    return made


def given_up(made: CleanupWishes) -> list[int]:
    return [call for call in range(5) if made.wish(call) is not None]


def test_drop_names_all_results_of_a_call_and_summarize_the_last() -> None:
    made = wishes()
    assert made.take("drop", "make test", "", 5)
    assert given_up(made) == [1, 3]
    assert made.take("summarize", " Read a.py ", "It reads.", 5)
    assert made.wish(4) == CleanupWish(5, "It reads.")
    assert given_up(made) == [1, 3, 4]
    assert made.take("drop", "o_0", "", 5)
    assert made.wish(0) is not None
    assert not made.take("drop", "nothing", "", 5)


def test_collapse_goes_from_the_last_call_until_now() -> None:
    made = wishes()
    made.take("collapse", "make test", "All pass.", 5)
    assert made.wish(3) == CleanupWish(5, "All pass.", whole=True)
    assert made.wish(4) == CleanupWish(5, whole=True)
    assert given_up(made) == [3, 4]


def test_anchors_stay_whatever_is_asked_for_and_are_few() -> None:
    made = wishes()
    made.take("anchor", "o_1", "", 5)
    for name in ("drop", "summarize", "collapse"):
        made.take(name, "o_1", "x", 5)
    assert made.wish(1) is None
    for call in range(100, 100 + MOST_ANCHORS):
        made.answered(call, f"{call}", (), is_error=False)
        made.take("anchor", f"{call}", "", 5)
    assert not made.is_anchored(1)
    assert made.wish(1) is not None
    assert made.is_anchored(100)


def test_an_open_error_stays_until_the_call_succeeds() -> None:
    made = wishes(1, 3)
    made.take("drop", "make test", "", 5)
    made.take("collapse", "o_0", "", 5)
    assert given_up(made) == [0, 2, 4]
    assert made.answered(5, "make test", (), is_error=False), "what can go has changed"
    assert given_up(made) == [0, 1, 2, 3, 4]
    assert not made.answered(6, "make test", (), is_error=True)


def test_a_call_about_nothing_cannot_be_named() -> None:
    made = wishes()
    made.answered(5, "TodoRead", ("",), is_error=False)
    assert not made.take("drop", " ", "", 6)
    assert given_up(made) == []


def test_declared_losses_are_kept_short() -> None:
    made = wishes()
    made.take("declare_losses", "o_2", "the exact times " * 90, 5)
    assert made.lost(2).startswith("the exact times")
    assert len(made.lost(2)) <= 120
    assert made.wish(2) is None
