"""The wording of pressure notices: a line at moderate and high, a bounded review at critical
(PS-3).

They are appended to a conversation, never rendered into a frozen prompt. Rules: the texts keep the
length limits, and every figure is the measured one.
"""

from __future__ import annotations

from collections.abc import Sequence

from wm.formats.pressure import LargeItem, Pressure
from wm.settings import PressureSettings
from wm.text.escape import neutralise

_AFTER = (
    "What to do now: finish the current step. Then write down what a summary must not lose "
    "(the goal, decisions, what is done, what is next): use the memory tools, or say it in a "
    "few lines. Read files in parts and narrow searches instead of fetching large outputs "
    "again. If much is left to do, tell the user that a compaction now is better than one in "
    "the middle of a step."
)


def warning(pressure: Pressure) -> str:
    """One line for a level below critical."""
    if pressure.waiting == "high":
        advice = "Large tool outputs are shortened more now; keep answers and reads short."
    else:
        advice = "Prefer narrow reads and searches to whole files."
    return f"[wm] Context pressure {pressure.waiting}: {_measured(pressure)}. {advice}"


def review(pressure: Pressure, largest: Sequence[LargeItem], settings: PressureSettings) -> str:
    """The intervention at critical: complete lines, at most `review_chars` characters."""
    head = (
        f"[wm] Context pressure critical: {_measured(pressure)}. The conversation will "
        "soon exceed the limit; a summary then replaces it."
    )
    room = settings.review_chars - len(head) - len(_AFTER) - 2
    items = _listed(largest, room)
    return "\n".join((head, *items, _AFTER))[: max(0, settings.review_chars)]


def _listed(largest: Sequence[LargeItem], room: int) -> list[str]:
    lines = ["The largest items in it:"]
    room -= len(lines[0]) + 1
    for item in largest:
        line = _item(item)
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        lines.append(line)
    return lines if len(lines) > 1 else []


def _item(item: LargeItem) -> str:
    kept = f" ({item.handle}: `wm output {item.handle}` prints all of it)" if item.handle else ""
    return f"- {item.chars:,} characters: {neutralise(item.what)}{kept}"


def _measured(pressure: Pressure) -> str:
    return (
        f"{pressure.percentage:g} % of what fits "
        f"({pressure.used:,} of {pressure.limit:,} {pressure.basis})"
    )
