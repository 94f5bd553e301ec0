"""What `wm replay` and `wm audit` share: how totals, notes and progress are printed.

Computes nothing about requests; `wm.replay` does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from wm.api.replay import ReplayedModel, TokenCounts
from wm.cli import output
from wm.errors import UserError


def write(path: Path, text: str) -> None:
    """Write a page to a file. Raises UserError if it cannot be written."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError(
            f"{os.fspath(path)} cannot be written: {why}.", fix="Name another file."
        ) from None


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
        told = ", ".join(f"{one.name} × {one.factor:.2f}" for one in learned)
        how += f", corrected by reported usage ({told})"
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
    """A table: names aligned left, figures right."""
    for number, row in enumerate((head, *rows)):
        cells = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        told = f"  {output.padded(row[0], widths[0])}{''.join(cells)}"
        output.line(told if number else output.dim(told))


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
