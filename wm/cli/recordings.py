"""What `wm replay` and `wm audit` share on the screen: figures, notes, and how far they are."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from wm.cli import output
from wm.errors import UserError
from wm.formats.replay import ReplayedModel, ReplayReport, Tokens

PATIENCE_S = 1.0
EVERY_S = 0.2


class Bar:
    """How far a run is, on stderr, once it takes longer than a second. For terminals only."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._begun = time.monotonic()
        self._next = self._begun + PATIENCE_S
        self._shown = False

    def __enter__(self) -> Bar:
        return self

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + EVERY_S
        percent = f"{100 * done // total} %" if total else "…"
        if sys.stderr.isatty():
            click.echo(f"\r{self._name}: {percent:<6}", nl=False, err=True)
        elif not self._shown:
            click.echo(f"{self._name}: this takes a while ({percent} so far)", err=True)
        self._shown = True

    def __exit__(self, *error: object) -> None:
        if self._shown and sys.stderr.isatty():
            click.echo("\r" + " " * (len(self._name) + 8) + "\r", nl=False, err=True)


def write(path: Path, text: str) -> None:
    """A page where the user wants it. Raises UserError where it cannot be written."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError(
            f"{os.fspath(path)} cannot be written: {why}.", fix="Name another file."
        ) from None


def what(report: ReplayReport) -> str:
    """How much was replayed."""
    many = len(report.conversations)
    return (
        f"{output.count(report.total.requests, 'request')} of "
        f"{output.count(many, 'conversation')} in {output.count(len(report.files), 'file')}"
    )


def notes(models: Iterable[ReplayedModel], left: Mapping[str, int], prices: str) -> Iterable[str]:
    """What to know of the figures."""
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


def parts(tokens: Tokens) -> str:
    return (
        f"{short(tokens.prompt)}: {short(tokens.cache_read)} from the cache, "
        f"{short(tokens.cache_write)} written to it, {short(tokens.input)} new"
    )


def share(tokens: Tokens) -> str:
    return f"{100 * tokens.cache_read / tokens.prompt:.0f} %" if tokens.prompt else "–"


def money(dollars: float) -> str:
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"


def short(number: int) -> str:
    """`1.2k`, `34.5M`."""
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{letter}"
    return str(number)
