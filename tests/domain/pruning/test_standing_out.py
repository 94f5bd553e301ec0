"""Lines that differ from their neighbours in a number, a level or a member only (PR-2)."""

from __future__ import annotations

import json

from wm.domain.pruning.modes import Mode
from wm.domain.pruning.prune import prune
from wm.domain.pruning.tool_call import PrunableCall
from wm.settings import PruningSettings


def kept(output: str, command: str = "./serve", mode: Mode = Mode.NORMAL) -> str:
    call = PrunableCall(tool="bash", name="bash", command=command, output=output)
    found = prune(call, mode, PruningSettings())
    return output if found is None else found.text("t_1")


def test_a_refused_request_is_kept_in_an_access_log() -> None:
    lines = [
        f'10.0.0.{n % 250} - - [12/Mar/2026:10:00:{n % 60:02}] "GET /api/{n} HTTP/1.1" 200 {n * 7}'
        for n in range(500)
    ]
    lines[211] = lines[211].replace('" 200 ', '" 500 ')
    lines[377] = lines[377].replace('" 200 ', '" 503 ')
    for mode in Mode:
        text = kept("\n".join(lines), "cat access.log", mode)
        assert lines[211] in text
        assert lines[377] in text
        assert len(text.split("\n")) < 80


def test_a_status_in_another_spelling_is_kept() -> None:
    lines = [
        f"2026-03-12T10:00:{n % 60:02}Z INFO GET /items/{n} status=200 {n}ms" for n in range(300)
    ]
    lines[150] = lines[150].replace("status=200", "status=502")
    assert lines[150] in kept("\n".join(lines), "docker logs api")


def test_one_warning_among_many_lines_is_kept() -> None:
    lines = [f"2026-03-12T10:00:{n % 60:02}Z INFO loaded item {n} of set a{n}" for n in range(300)]
    lines[150] = "2026-03-12T10:00:30Z WARN disk quota at 97 percent"
    assert lines[150] in kept("\n".join(lines), "docker logs api")


def test_a_finding_in_json_keeps_its_rule_and_its_message() -> None:
    findings = [
        {
            "file": f"src/{n}.js",
            "line": n,
            "severity": "warning",
            "rule": "semi",
            "message": f"m{n}",
        }
        for n in range(60)
    ]
    findings[31] |= {"severity": "error", "rule": "no-undef", "message": "'x' is not defined"}
    text = kept(json.dumps(findings, indent=2), "npx lint --json")
    for part in ('"file": "src/31.js"', '"rule": "no-undef"', "'x' is not defined"):
        assert part in text
    assert '"message": "m30"' not in text


def test_the_cut_mark_counts_omitted_errors() -> None:
    lines = [f"ERROR worker {chr(97 + n % 26)}{n}: job failed at step {n}" for n in range(2_000)]
    text = kept("\n".join(lines), "./run.sh")
    assert lines[0] in text
    assert lines[-1] in text
    assert "look like errors" in text
