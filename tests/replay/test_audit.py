"""Where the tokens went, by literal recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.replay.parts import (
    LONG,
    MESSAGES,
    assistant,
    capture,
    result,
    session,
    text,
    used,
    user,
    written,
)
from wm.api.replay import AuditReport
from wm.domain.paging.files import WRITERS
from wm.replay.audit import audit
from wm.settings import PruningSettings

LINES = "\n".join(f"{n:4} the berth of ferry {n % 7} is free" for n in range(400))


def audited(tmp_path: Path, *lines: Any) -> AuditReport:
    return audit(
        [written(tmp_path / "recorded", lines)],
        clock=lambda: 0.0,
        progress=lambda _done, _all: None,
        settings=PruningSettings(),
        redacted=lambda path: path.replace("hunter", "[secret]"),
    )


def kinds(report: AuditReport) -> dict[str, int]:
    return {share.name: share.blocks for share in report.kinds}


def test_every_block_is_of_one_kind_and_counted_once(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "", "signature": "s"}
    write = {"type": "tool_use", "id": "w", "name": "Write", "input": {"file_path": "/a"}}
    more = [
        user(text("<system-reminder>x</system-reminder>"), text("Go.")),
        assistant(thought, text("I write."), write),
        user(result("w", "written"), {"type": "image", "source": {"data": ""}}),
        {"role": "system", "content": [text("It is late.")]},
        assistant(text("Done."), {"type": "novel"}),
        user(text("Thanks.")),
        assistant(text("Yes.")),
    ]
    report = audited(tmp_path, session(messages=more))
    assert kinds(report) == {
        "system prompt": 1,
        "reminders": 2,
        "the user's words": 2,
        "thinking": 1,
        "the model's words": 2,
        "edits and written files": 1,
        "tool results": 1,
        "images and documents": 1,
        "other": 1,
    }
    assert report.amplification > 1


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_tools_that_write_files_are_edits(tmp_path: Path, name: str) -> None:
    write = {"type": "tool_use", "id": "w", "name": name, "input": {"path": "/a"}}
    more = [user(text("Go.")), assistant(write), user(result("w", "ok")), assistant(text("Done."))]
    assert kinds(audited(tmp_path, session(messages=more)))["edits and written files"] == 1


def test_results_are_counted_per_tool_and_request(tmp_path: Path) -> None:
    report = audited(tmp_path, session())
    (tool,) = report.tools
    assert (tool.name, tool.blocks) == ("Read", 2)
    assert tool.sent == tool.tokens * 3 // 2  # the first of two twice, the second once


def test_interleaved_conversations_count_like_sequential_ones(tmp_path: Path) -> None:
    def of(session: int, end: int, at: float) -> Any:
        named = {"X-Claude-Code-Session-Id": f"s{session}", "user-agent": "claude-cli/2"}
        return capture(end, at, headers=named)

    each = [[of(session, end, end + session / 100) for end in (1, 3, 5)] for session in range(20)]
    after = audited(tmp_path, *(line for lines in each for line in lines))
    by_turns = audited(tmp_path, *(line for lines in zip(*each, strict=True) for line in lines))
    assert by_turns.conversations == 20
    assert by_turns.kinds == after.kinds
    assert by_turns.tools == after.tools
    assert by_turns.reads == after.reads


def test_repeated_reads_are_reported_with_whether_the_file_changed(tmp_path: Path) -> None:
    write = {"type": "tool_use", "id": "w", "name": "Edit", "input": {"file_path": "/hunter.py"}}
    more = [
        user(text("Go.")),
        assistant(used("a", "/hunter.py")),
        user(result("a", LONG)),
        assistant(used("b", "/hunter.py")),
        user(result("b", LONG)),
        assistant(write),
        user(result("w", "done")),
        assistant(used("c", "/hunter.py")),
        user(result("c", LONG)),
        assistant(text("Done.")),
    ]
    report = audited(tmp_path, session(messages=more))
    assert (report.reads, report.reads_again, report.reads_unchanged) == (3, 2, 1)
    (row,) = report.rereads
    assert (row.path, row.reads, row.again, row.unchanged) == ("/[secret].py", 3, 2, 1)
    assert row.tokens == pytest.approx(2 * len(LONG) / 4, rel=0.05)


def test_a_rewound_history_is_not_counted_twice(tmp_path: Path) -> None:
    straight = audited(tmp_path, capture(1, 1.0), capture(3, 2.0), capture(5, 3.0))
    back = audited(tmp_path, capture(1, 1.0), capture(3, 2.0), capture(1, 3.0), capture(3, 4.0))
    assert kinds(straight)["tool results"] == 2
    assert kinds(back)["tool results"] == 2
    assert back.requests == 4


def test_the_value_of_pruning_is_computed_by_its_rules(tmp_path: Path) -> None:
    make = {"type": "tool_use", "id": "m", "name": "Bash", "input": {"command": "make"}}
    more = [
        *(user(text("Go.")), assistant(make), user(result("m", LINES)), assistant(text("Done."))),
        *(user(text("And?")), assistant(text("Done."))),
    ]
    report = audited(tmp_path, session(messages=more))
    assert report.pruning.results == 1
    assert report.pruning.sent > 2 * 1_000
    assert report.pruning.dollars > 0
    assert audited(tmp_path, session()).pruning.results == 0


def test_an_output_that_is_repeated_counts_as_shortened_as_under_safe(tmp_path: Path) -> None:
    ask = {"type": "tool_use", "id": "m", "name": "Bash", "input": {"command": "./tides"}}
    said = "\n".join(f"the tide at pier {number} is {number * 7} high" for number in range(40))
    more = [
        *(user(text("Go.")), assistant(ask), user(result("m", said)), assistant(text("Again."))),
        *(user(text("Again.")), assistant({**ask, "id": "n"}), user(result("n", said))),
        assistant(text("Done.")),
    ]
    assert audited(tmp_path, session(messages=more)).pruning.results == 1


def test_cache_savings_use_reported_usage_if_complete(tmp_path: Path) -> None:
    usage = {"input_tokens": 0, "cache_read_input_tokens": 1_000_000}
    report = audited(tmp_path, capture(1, 1.0, usage))
    assert (report.reported, report.saved) == (True, pytest.approx(4 - 0.2))
    half = audited(tmp_path, capture(1, 1.0, usage), capture(3, 2.0))
    assert not half.reported


def test_the_report_contains_no_contents(tmp_path: Path) -> None:
    report = audited(tmp_path, session())
    printed = report.model_dump_json()
    for message in MESSAGES:
        for block in message["content"]:
            content = str(block.get("text") or block.get("content") or "the berth is free")
            assert content[:20] not in printed
