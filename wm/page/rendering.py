"""Renders the templates, and gives them the words and figures that people read.

Stored text is escaped for HTML by the engine; `shown` makes hidden and direction characters visible
as well (TR-1).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wm.domain.counts import counted, dollars
from wm.domain.times import parse
from wm.ops import explanations
from wm.text.escape import safe

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"

PARTS = ("undo_form", "time", "strength", "chart", "empty", "recap", "recap_facts")
"""The macros of parts.html. They are globals, because a block that is rendered alone sees no import
of its template."""
_SPANS = (
    (31_536_000, "year"),
    (2_592_000, "month"),
    (86_400, "day"),
    (3600, "hour"),
    (60, "minute"),
)
"""Seconds of a unit, the largest first."""
_FULL_STRENGTH = 5.0
"""Strength at which its bar is full: a decision that the user asked for, today."""


@cache
def templates() -> Environment:
    """The template engine. Imported at the first page: most commands need none."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    engine = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    engine.filters |= {
        "ago": ago,
        "day": day,
        "clock": clock,
        "counted": counted,
        "shown": shown,
        "short": short,
        "money": money,
        "dollars": dollars,
        "marks": explanations.marks,
        "reason": explanations.reason,
        "reasons": explanations.reasons,
        "bar": bar,
        "capitalize_first": lambda text: text[:1].upper() + text[1:],
        "data": data,
        "folder": folder_name,
    }
    parts: Any = engine.get_template("parts.html").module
    engine.globals |= {name: getattr(parts, name) for name in PARTS}
    return engine


def render(name: str, values: Mapping[str, Any], block: str = "") -> str:
    """A template, or one block of it."""
    template = templates().get_template(name)
    if not block:
        return template.render(values)
    context = template.new_context(dict(values))
    return "".join(template.blocks[block](context))


def has_block(name: str, block: str) -> bool:
    return block in templates().get_template(name).blocks


def ago(moment: str, now: datetime) -> str:
    """`3 days ago`; the text itself if it is not a time."""
    at = parse(moment)
    if at is None:
        return moment
    seconds = (now - at).total_seconds()
    for span, unit in _SPANS:
        if seconds >= span:
            return f"{counted(int(seconds // span), unit)} ago"
    return "just now"


def local(moment: str) -> datetime | None:
    """A time in the time zone of this process, which is that of its user."""
    at = parse(moment)
    return at.astimezone() if at is not None else None


def day(moment: str) -> str:
    """`Tuesday, 24 November 2026`."""
    at = local(moment)
    return f"{at:%A}, {at.day} {at:%B} {at.year}" if at else moment


def clock(moment: str) -> str:
    """`14:05`."""
    at = local(moment)
    return f"{at:%H:%M}" if at else moment


def shown(text: str) -> str:
    return safe(text, keep_newlines=True)


def short(number: float) -> str:
    """`950`, `3.7k`, `176k`, `1.2M`."""
    if number < 1000:
        return f"{number:.0f}"
    scaled, unit = (number / 1_000_000, "M") if number >= 1_000_000 else (number / 1000, "k")
    return f"{scaled:.1f}".removesuffix(".0") + unit if scaled < 10 else f"{scaled:.0f}{unit}"


def money(dollars: float) -> str:
    return f"${dollars:,.2f}" if dollars >= 0.995 or not dollars else f"${dollars:.3f}"


def bar(strength: float) -> int:
    """Percent of a full bar."""
    return max(2, min(100, round(100 * strength / _FULL_STRENGTH)))


def data(value: object) -> str:
    """JSON for an attribute."""
    return json.dumps(value, separators=(",", ":"))


def folder_name(root: str) -> str:
    """The last part of a path."""
    return Path(root).name or root


def by_day(items: Iterable[Any], moment: str) -> list[tuple[str, list[Any]]]:
    """Items grouped by the day of one of their fields, in the given order."""
    groups: dict[str, list[Any]] = {}
    for item in items:
        groups.setdefault(day(getattr(item, moment)), []).append(item)
    return list(groups.items())
