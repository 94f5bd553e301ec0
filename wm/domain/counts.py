"""A number with its noun, for sentences: `1 line`, `1,200 lines`.

Pure. It imports nothing of `wm`, because every user interface uses it. The caller chooses the verb
form that agrees with the number.
"""

from __future__ import annotations


def counted(number: int | float, one: str, many: str = "") -> str:
    """`1 entry`, `2 entries`. many: the plural, if adding an s does not form it."""
    text = f"{number:,}" if isinstance(number, int) else f"{number:,g}"
    return f"{text} {one if number == 1 else many or one + 's'}"


def dollars(per_million: float) -> str:
    """An amount that is given in dollars per million tokens."""
    amount = per_million / 1_000_000
    sign, amount = "-" if amount < 0 else "", abs(amount)
    return f"{sign}${amount:,.2f}" if amount >= 1 else f"{sign}${amount:.4f}"


def saving(per_million: float, *, is_priced: bool) -> str:
    """What was saved, in dollars if the prices of all models are known."""
    if not is_priced:
        return "saved an unknown amount (the price of the model is not known)"
    return f"saved {dollars(per_million)}"
