"""Renders a replay as one HTML page: totals, a chart of all requests, and a table. No network
access, no scripts; light and dark follow the reader's system."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import accumulate
from pathlib import Path
from string import Template

from wm.api.replay import ReplayedTurn, ReplayReport
from wm.cli.verbs.proxy.figures import FIGURES, figures, money, notes, short, what
from wm.cli.verbs.proxy.figures import share as cached_share
from wm.replay.comparison import share

PAGE = Path(__file__).with_name("chart.html")
WIDTH, HEIGHT, LEFT, FOOT = 960, 260, 64, 24
MAX_BARS = 480
PARTS = (("read", "from the cache"), ("write", "written to it"), ("new", "not cached"))


def page(report: ReplayReport) -> str:
    """The whole page."""
    title = f"wm replay · policy {report.policy}"
    much = what(report.total.requests, len(report.conversations), report.files)
    paragraphs = "".join(
        f"<p>{escape(n)}</p>" for n in notes(report.models, report.left, report.prices)
    )
    return Template(PAGE.read_text("utf-8")).substitute(
        title=escape(title),
        much=escape(much),
        cards=_cards(report),
        bars=_bars(report.turns),
        lines=_lines(report.turns),
        table=_table(report),
        told=paragraphs,
    )


def _cards(report: ReplayReport) -> str:
    total = report.total
    cards = [
        (money(total.bills.as_marked), "bill with the marks as they are"),
        (money(total.bills.five_minutes), "all marks for 5 minutes"),
        (money(total.bills.one_hour), "all marks for 1 hour"),
        (money(total.bills.uncached), "without a cache"),
        (cached_share(total.tokens), "of all tokens came from the cache"),
        (short(total.tokens.prompt), "tokens read"),
        (short(total.last_tokens), "tokens in the last request"),
        (f"{total.broken_thinking + total.wrong:,}", "refused or with broken thinking"),
    ]
    if report.before is not None:
        ratio = share(total, report.before)
        cards.insert(1, (f"{ratio:.2f} ×", "of the input bill without the policy"))
        cards.append((f"{total.faults:,}", "removed blocks that were used again"))
    boxes = (f'<div class="card"><b>{b}</b><span>{escape(text)}</span></div>' for b, text in cards)
    return f'<div class="cards">{"".join(boxes)}</div>'


def _bars(turns: Sequence[ReplayedTurn]) -> str:
    """A bar per request, or per group of neighbours (its largest) if there are too many."""
    shown = list(_thinned(turns))
    most = max((one.tokens.prompt for one in shown), default=0) or 1
    step = (WIDTH - LEFT) / max(1, len(shown))
    bars = []
    for number, one in enumerate(shown):
        x, y = LEFT + number * step, float(HEIGHT - FOOT)
        tokens = one.tokens
        rects = ""
        counts = (tokens.cache_read, tokens.cache_write, tokens.input)
        for (name, _), count in zip(PARTS, counts, strict=True):
            high = count / most * (HEIGHT - FOOT - 10)
            y -= high
            if count:
                rects += (
                    f'<rect class="{name}" x="{x:.1f}" y="{y:.1f}" '
                    f'width="{max(0.6, step * 0.86):.1f}" height="{high:.1f}"/>'
                )
        label = (
            f"request {one.number:,} · {one.conversation} · {short(tokens.prompt)} tokens: "
            f"{short(tokens.cache_read)} read, {short(tokens.cache_write)} written, "
            f"{short(tokens.input)} new"
        )
        bars.append(f"<g><title>{escape(label)}</title>{rects}</g>")
    key = "".join(
        f'<span><i style="background:var(--{name})"></i>{text}</span>' for name, text in PARTS
    )
    return _figure(
        _grid(most, lambda tokens: short(round(tokens))) + _borders(shown) + "".join(bars),
        f'<div class="key">{key}</div>',
    )


def _thinned(turns: Sequence[ReplayedTurn]) -> Iterator[ReplayedTurn]:
    size = -(-len(turns) // MAX_BARS) or 1
    for start in range(0, len(turns), size):
        yield max(turns[start : start + size], key=lambda one: one.tokens.prompt)


def _borders(shown: Sequence[ReplayedTurn]) -> str:
    """A line wherever another conversation begins."""
    step = (WIDTH - LEFT) / max(1, len(shown))
    return "".join(
        f'<line class="border" x1="{LEFT + number * step:.1f}" y1="10" '
        f'x2="{LEFT + number * step:.1f}" y2="{HEIGHT - FOOT}"/>'
        for number in range(1, len(shown))
        if shown[number].conversation != shown[number - 1].conversation
    )


def _lines(turns: Sequence[ReplayedTurn]) -> str:
    """The bill so far. With a policy beside the one without it: the distance is the credit."""
    managed = any(one.unmanaged is not None for one in turns)
    rows: list[tuple[str, str, list[float]]] = [
        ("cost", "with the cache", [one.bills.as_marked for one in turns])
    ]
    if managed:
        found = [(one.unmanaged or one.bills).as_marked for one in turns]
        rows[0] = ("cost", "with the policy", rows[0][2])
        rows.insert(0, ("soft", "without it; the distance is the credit", found))
    else:
        bare = [one.bills.uncached for one in turns]
        rows.insert(0, ("soft", "without a cache", bare))
    sums = [list(accumulate(values, initial=0.0)) for _, _, values in rows]
    most = max(values[-1] for values in sums) or 1.0
    size = -(-(len(turns) + 1) // MAX_BARS) or 1
    drawn = ""
    for (name, _, _), values in zip(rows, sums, strict=True):
        points = [(number / max(1, len(turns)), value) for number, value in enumerate(values)]
        style = "none" if name == "soft" else name
        drawn += f'<polyline class="{style}" points="{_path(points, size, most)}"/>'
    key = "".join(
        f'<span><i style="background:var(--{name})"></i>{escape(text)}</span>'
        for name, text, _ in reversed(rows)
    )
    grid = _grid(most, money) + _borders(turns)
    return _figure(grid + drawn, f'<div class="key">{key}</div>')


def _path(row: list[tuple[float, float]], size: int, most: float) -> str:
    kept = [*row[:-1:size], row[-1]]
    high = HEIGHT - FOOT - 10
    return " ".join(
        f"{LEFT + x * (WIDTH - LEFT):.1f},{HEIGHT - FOOT - y / most * high:.1f}" for x, y in kept
    )


def _grid(most: float, say: Callable[[float], str]) -> str:
    parts = []
    for quarter in range(5):
        y = HEIGHT - FOOT - quarter / 4 * (HEIGHT - FOOT - 10)
        text = say(most * quarter / 4)
        parts.append(
            f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH}" y2="{y:.1f}"/>'
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
        )
    return "".join(parts)


def _figure(drawn: str, key: str) -> str:
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img">{drawn}'
        f'<text x="{LEFT}" y="{HEIGHT - 6}">first request</text>'
        f'<text x="{WIDTH}" y="{HEIGHT - 6}" text-anchor="end">last</text></svg>{key}</figure>'
    )


def _table(report: ReplayReport) -> str:
    names = ("conversation", "model", "requests", *FIGURES)
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = []
    for one in report.conversations:
        own = one.sum
        cells = (escape(one.name), escape(one.model), f"{own.requests:,}", *figures(own))
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
