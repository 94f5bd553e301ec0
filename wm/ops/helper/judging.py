"""Compares what the helper model would do next with and without a policy (EV-4).

A small model that is asked twice does not give the same answer twice, so two answers to the
unchanged conversation are compared as well. Both are shown; what they mean is for the reader.
"""

from __future__ import annotations

from collections.abc import Iterable

from wm.api.replay import JudgedAnswers, ReplayJudgement
from wm.domain.paging.entities import json_in
from wm.ops.helper import asking
from wm.ops.helper.asking import HelperCost
from wm.ops.runtime import Runtime
from wm.wire.block import CHARS_PER_TOKEN

_NEXT_TOKENS, _VERDICT_TOKENS = 300, 60


def most_cost(runtime: Runtime, pairs: Iterable[tuple[str, str]]) -> HelperCost:
    """What judging these costs, about."""
    read = written = 0
    for whole, managed in pairs:
        read += (2 * len(whole) + len(managed)) // CHARS_PER_TOKEN + 8 * _NEXT_TOKENS
        written += 3 * _NEXT_TOKENS + 4 * _VERDICT_TOKENS
    return asking.cost(runtime, read, written)


def judgement(runtime: Runtime, pairs: Iterable[tuple[str, str]]) -> ReplayJudgement:
    """pairs: conversations as text, unchanged and as a policy sends them. Ends at the first call
    that gets no answer; its detail is the problem."""
    managed = control = JudgedAnswers()
    problem = ""
    for whole, reduced in pairs:
        try:
            first, again, other = (
                _said(runtime, "next", _NEXT_TOKENS, text) for text in (whole, whole, reduced)
            )
            verdicts = _is_same(runtime, first, again), _is_same(runtime, first, other)
        except asking.NoAnswer as failed:
            problem = str(failed)
            break
        control, managed = _with(control, verdicts[0]), _with(managed, verdicts[1])
    by = runtime.settings.helper.model
    return ReplayJudgement(by=by, managed=managed, control=control, problem=problem)


def _said(runtime: Runtime, purpose: str, most: int, *texts: str) -> str:
    asked = "\n".join(map(asking.fenced, texts))
    return asking.answer(runtime, purpose, asked, most)


def _is_same(runtime: Runtime, one: str, other: str) -> bool | None:
    """Whether both do the same; None if the verdict depends on their order, or is none."""
    found = [
        (json_in(_said(runtime, "judge", _VERDICT_TOKENS, a, b)) or {}).get("same")
        for a, b in ((one, other), (other, one))
    ]
    return found[0] if isinstance(found[0], bool) and found[0] == found[1] else None


def _with(counts: JudgedAnswers, verdict: bool | None) -> JudgedAnswers:
    name = {True: "same", False: "different", None: "unclear"}[verdict]
    return counts.model_copy(update={name: getattr(counts, name) + 1})
