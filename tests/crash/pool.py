"""Two worker processes for tests that take minutes."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
WORKERS = 2
SHOWN = 20

Found = tuple[Counter[str], list[str]]


def spread(work: Callable[[T], Found], tasks: Iterable[T]) -> Found:
    """Run `work` on every task in forked workers; returns all counts and problems."""
    counts: Counter[str] = Counter()
    problems: list[str] = []
    with multiprocessing.get_context("fork").Pool(WORKERS, maxtasksperchild=8) as pool:
        for found, more in pool.imap_unordered(work, list(tasks)):
            counts.update(found)
            problems += more
    return counts, problems


def shown(problems: list[str]) -> str:
    """The first problems, for the message of an assertion."""
    return "\n".join([f"{len(problems)} problems", *problems[:SHOWN]])
