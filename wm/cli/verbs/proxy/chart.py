"""Renders a replay as one HTML page: totals, a chart of all requests, and a table. No network
access, no scripts; light and dark follow the reader's system."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from wm.api.replay import ReplayedTurn, ReplayReport
from wm.cli.verbs.proxy.figures import money, notes, share, short, what

WIDTH, HEIGHT, LEFT, FOOT = 960, 260, 64, 24
MAX_BARS = 480
PARTS = (
    ("read", "from the cache"),
    ("write", "written to it"),
    ("new", "not cached"),
)

STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5d6b7d;--line:#dde3ea;--paper:#fbfcfd;
--card:#fff;--read:#4f9d8b;--write:#e0a339;--new:#c8553d;--cost:#3b5bdb}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf1;--soft:#93a1b3;--line:#2c3643;
--paper:#12171e;--card:#1a212b;--read:#5db5a1;--write:#e6b65c;--new:#e0745c;--cost:#8ea6ff}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1040px;margin:0 auto;padding:32px 20px}h1{font-size:22px;margin:0}
h2{font-size:15px;margin:32px 0 8px}p{margin:4px 0;color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:20px 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 14px}
.card b{display:block;font-size:21px}.card span{color:var(--soft);font-size:13px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;
padding:14px;overflow-x:auto}svg{display:block;width:100%;min-width:560px;height:auto}
text{fill:var(--soft);font-size:11px}.grid{stroke:var(--line)}.read{fill:var(--read)}
.write{fill:var(--write)}.new{fill:var(--new)}.cost{fill:none;stroke:var(--cost);stroke-width:2}
.none{fill:none;stroke:var(--soft);stroke-width:2;stroke-dasharray:5 4}
.key{display:flex;flex-wrap:wrap;gap:16px;font-size:13px;color:var(--soft);margin-top:8px}
.key i{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px;
vertical-align:-1px}table{border-collapse:collapse;width:100%;font-size:13px}
th,td{text-align:right;padding:5px 8px;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:500}th:first-child,td:first-child{text-align:left;
white-space:normal;word-break:break-all}
"""


def page(report: ReplayReport) -> str:
    """The whole page."""
    title = f"wm replay · policy {report.policy}"
    much = what(report.total.requests, len(report.conversations), report.files)
    told = "".join(f"<p>{escape(n)}</p>" for n in notes(report.models, report.left, report.prices))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>"
        f"<h1>{escape(title)}</h1><p>{escape(much)}</p>{_cards(report)}"
        f"<h2>What each request read</h2>{_bars(report.turns)}"
        f"<h2>The bill so far</h2>{_lines(report.turns)}"
        f"<h2>Conversations</h2><figure>{_table(report)}</figure>"
        f"<h2>How this was counted</h2>{told}</main></body></html>\n"
    )


def _cards(report: ReplayReport) -> str:
    total = report.total
    cards = [
        (money(total.bills.as_marked), "bill with the marks as they are"),
        (money(total.bills.five_minutes), "all marks for 5 minutes"),
        (money(total.bills.one_hour), "all marks for 1 hour"),
        (money(total.bills.uncached), "without a cache"),
        (share(total.tokens), "of all tokens came from the cache"),
        (short(total.tokens.prompt), "tokens read"),
        (short(total.last_tokens), "tokens in the last request"),
        (f"{total.faults + total.broken_thinking + total.wrong:,}", "faults"),
    ]
    if report.before is not None and report.before.bills.as_marked:
        ratio = total.bills.as_marked / report.before.bills.as_marked
        cards.insert(1, (f"{ratio:.2f} ×", "of the bill without the policy"))
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
        _grid(most, lambda tokens: short(round(tokens))) + "".join(bars),
        f'<div class="key">{key}</div>',
    )


def _thinned(turns: Sequence[ReplayedTurn]) -> Iterator[ReplayedTurn]:
    size = -(-len(turns) // MAX_BARS) or 1
    for start in range(0, len(turns), size):
        yield max(turns[start : start + size], key=lambda one: one.tokens.prompt)


def _lines(turns: Sequence[ReplayedTurn]) -> str:
    cost, none, points, bare = 0.0, 0.0, [(0.0, 0.0)], [(0.0, 0.0)]
    for number, one in enumerate(turns, start=1):
        cost += one.bills.as_marked
        none += one.bills.uncached
        points.append((number / len(turns), cost))
        bare.append((number / len(turns), none))
    most = max(cost, none) or 1.0
    size = -(-len(points) // MAX_BARS) or 1
    drawn = "".join(
        f'<polyline class="{name}" points="{_path(row, size, most)}"/>'
        for name, row in (("none", bare), ("cost", points))
    )
    key = (
        '<span><i style="background:var(--cost)"></i>with the cache</span>'
        '<span><i style="background:var(--soft)"></i>without a cache</span>'
    )
    return _figure(_grid(most, money) + drawn, f'<div class="key">{key}</div>')


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
    names = ("conversation", "model", "requests", "read", "cached", "bill", "no cache", "last")
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = []
    for one in report.conversations:
        own = one.sum
        cells = (
            escape(one.name),
            escape(one.model),
            f"{own.requests:,}",
            short(own.tokens.prompt),
            share(own.tokens),
            money(own.bills.as_marked),
            money(own.bills.uncached),
            short(own.last_tokens),
        )
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
