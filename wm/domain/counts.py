"""A number with its noun, for sentences: `1 line`, `1,200 lines`. The budget line of a session.

Pure. It loads nothing of `wm`, because every user interface uses it. The caller chooses the verb
form that agrees with the number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wm.api.protocol import PagingTotals


def counted(number: int | float, one: str, many: str = "") -> str:
    """`1 entry`, `2 entries`. many: the plural, if adding an s does not form it."""
    text = f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{text} {one if number == 1 else many or one + 's'}"


def dollars(per_million: float) -> str:
    """An amount that is given in dollars per million tokens."""
    amount = per_million / 1_000_000
    sign, amount = "-" if amount < 0 else "", abs(amount)
    return f"{sign}${amount:,.2f}" if amount >= 1 else f"{sign}${amount:.4f}"


def budget_line(one: PagingTotals) -> str:
    """What paging did for the bill of a session, in every interface (PX-7): what requests cost less
    than without it, and what others cost more; how often removed content was needed again (faults),
    and what that cost; requests that read less from the prompt cache than predicted."""
    money, cost = "saved and spent: the price of the model is not known", ""
    if not one.unpriced:
        money = f"saved {dollars(one.saved)}, spent {dollars(one.spent)}"
        cost = f" ({dollars(one.fault_cost)})" if one.fault_cost else ""
    misses = counted(one.misses, "cache miss", "cache misses")
    return f"{money}, {one.faults + one.restored:,} needed again{cost}, {misses}"
