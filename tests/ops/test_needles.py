"""Facts in removed results: the note names them, a question finds them, the exact bytes come back.

The samples run always; `pytest -m soak tests/ops/test_needles.py` takes 500 facts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ops.conftest import Bench, open_files, settings_of
from tests.ops.needles import SESSION, body_of, needles_of, worked
from wm.domain.paging.stubs import handle_of

Known = tuple[dict[str, str], list[dict[str, Any]]]


def measured(bench: Bench, count: int, known: Known, asking: str = SESSION) -> dict[str, float]:
    """Shares of the removed facts that a note names, a question finds, and a handle brings back.
    asking: the session that asks."""
    results, sent = known
    shown = json.dumps(sent)
    gone = [
        (n, needle)
        for n, needle in enumerate(needles_of(count))
        if json.dumps(needle.line)[1:-1] not in shown
    ]
    named = found = exact = 0
    for number, needle in gone:
        named += needle.entity in shown
        answer = bench.call(
            "call_tool", name="memory_query", session=asking,
            arguments={"query": needle.question, "scope": "context"},
        )  # fmt: skip
        found += needle.value in answer.text
        result = results[f"t{number}"]
        back = bench.call(
            "call_tool", name="memory_restore", session=asking, arguments={"id": handle_of(result)}
        )
        exact += bench.call("show_object", id=handle_of(result)).text == result in back.text
    total = len(gone)
    return {
        "removed": total / count,
        "named": named / total,
        "found": found / total,
        "exact": exact / total,
    }


def holds(measure: dict[str, float]) -> None:
    print(measure)
    assert measure["removed"] > 0.9, measure
    assert measure["named"] >= 0.6, measure
    assert measure["found"] >= 0.95, measure
    assert measure["exact"] == 1.0, measure


def test_facts_in_removed_results_are_named_found_and_brought_back(bench: Bench) -> None:
    holds(measured(bench, 48, worked(bench, needles_of(48))))


SOAK = pytest.param(500, marks=pytest.mark.soak)


@pytest.mark.parametrize("count", [24, SOAK])
def test_the_same_after_kill_9_and_a_compaction_and_from_another_client(
    tmp_path: Path, count: int
) -> None:
    command = [sys.executable, "-m", "tests.ops.needles", str(tmp_path), str(count)]
    assert subprocess.run(command, check=False).returncode == -9
    results, sent = json.loads((tmp_path / "known.json").read_text(encoding="utf-8"))
    settings = settings_of(tmp_path)
    bench = Bench(settings, (tmp_path / "shop").resolve(), open_files(settings))
    try:
        holds(measured(bench, count, (results, sent)))
        _compact(bench)
        holds(measured(bench, count, (results, sent)))
        other = "ses_5b1f0e2a9c4d"
        bench.prompt(other)
        holds(measured(bench, count, (results, sent), other))
    finally:
        bench.store.close()


def _compact(bench: Bench) -> None:
    """The client goes on with a summary, and nothing of what was before."""
    summary = {"type": "text", "text": "So far: we looked at the results of some commands."}
    body = body_of([{"role": "user", "content": [summary]}])
    headers = {"x-claude-code-session-id": SESSION, "user-agent": "claude-cli/2.1.330"}
    made = bench.call("prepare_request", headers=headers, body=body, policy="balanced")
    bench.call("finish_turn", request=made.request, ok=True)
