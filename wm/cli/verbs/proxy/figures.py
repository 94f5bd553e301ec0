"""What `wm replay` and `wm audit` share: how totals, notes and progress are printed.

Computes nothing about requests; `wm.replay` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wm.api.replay import ReplayedModel, ReplayedSum, TokenCounts
from wm.cli import output


def what(requests: int, conversations: int, files: Sequence[str]) -> str:
    """How much was read."""
    return (
        f"{output.count(requests, 'request')} of {output.count(conversations, 'conversation')} "
        f"in {output.count(len(files), 'file')}"
    )


def notes(models: Iterable[ReplayedModel], left: Mapping[str, int], prices: str) -> Iterable[str]:
    """Remarks on the figures."""
    known = list(models)
    learned = [one for one in known if one.reported]
    how = "estimated as characters / 4"
    if learned:
        factors = ", ".join(f"{one.name} × {one.factor:.2f}" for one in learned)
        how += f", corrected by reported usage ({factors})"
    yield f"Tokens are {how}; prices are of {prices}."
    strange = [one for one in known if not one.known]
    if strange:
        names = ", ".join(one.name or "(no name)" for one in strange)
        requests = output.count(sum(one.requests for one in strange), "request")
        yield f"No price is known of {names}: {requests} in no bill. config.toml takes prices."
    if own := [one.name for one in known if one.own]:
        yield f"Priced by config.toml: {', '.join(own)}."
    for reason, count in left.items():
        yield f"Left out: {reason} ({count:,})."


def table(head: Sequence[str], widths: Sequence[int], rows: Sequence[Sequence[str]]) -> None:
    """A table: names aligned left, figures right, a space between any two."""
    for number, row in enumerate((head, *rows)):
        pairs = zip(row[1:], widths[1:], strict=True)
        cells = (f" {cell:>{width - 1}}" if width else cell for cell, width in pairs)
        line = f"  {output.padded(row[0], widths[0])}{''.join(cells)}"
        output.line(line if number else output.dim(line))


FIGURES = ("read", "cached", "bill", "no cache", "last")


def figures(own: ReplayedSum) -> tuple[str, ...]:
    """The cells below `FIGURES`."""
    bills = [money(bill) if bill else "–" for bill in (own.bills.as_marked, own.bills.uncached)]
    return (short(own.tokens.prompt), share(own.tokens), *bills, short(own.last_tokens))


def parts(tokens: TokenCounts) -> str:
    return (
        f"{short(tokens.prompt)}: {short(tokens.cache_read)} from the cache, "
        f"{short(tokens.cache_write)} written to it, {short(tokens.input)} new"
    )


def share(tokens: TokenCounts) -> str:
    return f"{100 * tokens.cache_read / tokens.prompt:.0f} %" if tokens.prompt else "–"


def money(dollars: float) -> str:
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def short(number: int) -> str:
    """`1.2k`, `34.5M`."""
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{letter}"
    return str(number)
