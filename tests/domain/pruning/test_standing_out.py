"""Lines that differ from their neighbours in a number, a level or a member only (PR-2)."""

from __future__ import annotations

import json

import pytest

from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.modes import Mode
from wm.domain.pruning.prune import prune
from wm.domain.pruning.telling_lines import errors
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


def test_a_count_of_failures_among_counts_of_none_is_kept() -> None:
    rows = [f"h{n:02}  : ok=2  unreachable=0    failed=0    skipped=1" for n in range(80)]
    rows[41] = rows[41].replace("failed=0", "failed=1")
    assert rows[41] in kept("\n".join(rows))


def test_the_name_of_a_failed_test_in_xml_is_kept() -> None:
    rows = [f'  <testcase name="label {n}">\n  </testcase>' for n in range(80)]
    rows[41] = rows[41].replace("\n", '\n    <failure message="differs">\n    </failure>\n')
    assert '<testcase name="label 41">' in kept("\n".join(rows))


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


@pytest.mark.parametrize(
    ("command", "usual", "odd"),
    [
        ("kubectl get pods", "pay-{n:04}  1/1  Running  0  {m}d", "pay-x7  0/1  CrashLoop  9  3d"),
        ("docker ps -a", "{n:06x}  a:1  Up {m} hours", "00beef  b:1  Exited (137) 2 hours ago"),
        ("npm install", "fetch GET 200 https://r.example.org/p{n}", "fetch GET 404 https://r/q"),
        ("curl -s x", '{{"id": {n}, "ok": true}}', '{{"id": 7, "ok": false}}'),
        ("node a.js", '{{"level":30,"n":{n},"msg":"tick"}}', '{{"level":50,"msg":"stuck"}}'),
        ("pytest -v", "tests/test_{m}.py::test_{n} PASSED", "tests/test_1.py::test_9 XPASS"),
        ("./migrate", "Applying shop.{n:04}_auto... OK", "Applying shop.0099_pay... FAKED"),
        ("psql -c x", " {n:>4} | done | a{m}", "  211 | open | a3"),
        ("npm ls", "├── moor{n}@1.{m}.0", '├── berth@1.2.0 invalid: "^2.0.0" from the root'),
        ("npm ls", "├── moor{n}@1.{m}.0", "├── UNMET DEPENDENCY berth@^1.0.0"),
        ("npm ls", "├── moor{n}@1.{m}.0", "├── berth@1.2.0 extraneous"),
        ("git fetch", " * [new branch]  f-{n} -> o/f-{n}", " ! [rejected]  main -> o/main"),
    ],
)
def test_a_line_in_another_state_than_its_neighbours_stays(
    command: str, usual: str, odd: str
) -> None:
    lines = [usual.format(n=n, m=n * 7 % 60) for n in range(300)]
    lines[171] = odd.format()
    for mode in Mode:
        text = kept("\n".join(lines), command, mode).split("\n")
        assert lines[171] in text
        assert len(text) < 80


def test_a_failing_member_of_a_json_document_keeps_what_its_object_says() -> None:
    jobs: list[dict[str, object]] = [
        {"job": f"j{n}", "state": "SUCCEEDED", "why": "", "log": []} for n in range(60)
    ]
    jobs[22] |= {"state": "ABANDONED", "why": "no node fits", "log": ["killed at 3"]}
    text = kept(json.dumps(jobs, indent=2), "cloud jobs --json")
    for part in ('"ABANDONED"', "no node fits", '"j22"', "killed at 3"):
        assert part in text


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("... [1,059 lines truncated] ...", "all 941 lines that the client kept of 2,000: "),
        ("...8213 bytes truncated...", "all 941 lines that the client kept (it cut 8,213 bytes): "),
        ("[omitted 59 of 1000 lines]", "all 941 lines that the client kept of 1,000: "),
        ("a log of 3 lines truncated by hand", "all 942 lines: "),
    ],
)
def test_the_mark_says_what_the_client_had_cut_before(mark: str, said: str) -> None:
    lines = [f"tick {n} of worker a{n}" for n in range(941)]
    assert said in kept("\n".join([*lines[:400], mark, *lines[400:]]))


def test_the_mark_names_the_file_of_the_client() -> None:
    lines = [f"tick {n} of worker a{n}" for n in range(300)]
    end = "Full output saved to: /tmp/out/t7.txt"
    assert "; the rest is in /tmp/out/t7.txt]" in kept("\n".join([*lines, end]))


LEVELS = [
    ('{{"level":{0},"time":{1},"msg":"tick"}}', "30", "50"),
    ("{0}0301 10:00:00.{1:06} 7 sync.go:9] tick", "I", "F"),
    ("{0}, [2026-03-01T10:00:00.{1:06} #7] -- : tick", "I", "E"),
    ("{0}: Shop.Cart[{1}] tick", "info", "crit"),
    ("2026/03/01 10:00:00 [{0}] 7#7: *{1} tick", "notice", "emerg"),
    ("Mar 1 10:00:00 host app[{1}]: <{0}> tick", "6", "3"),
]


@pytest.mark.parametrize(("line", "usual", "bad"), LEVELS)
def test_a_level_in_any_spelling_is_kept(line: str, usual: str, bad: str) -> None:
    lines = [line.format(usual, n) for n in range(300)]
    lines[100], lines[190], lines[191] = (line.format(bad, n) for n in (100, 190, 191))
    for mode in Mode:
        text = kept("\n".join(lines), "docker logs api", mode)
        assert all(lines[at] in text for at in (100, 190, 191))
        assert len(text.split("\n")) < 90


def test_a_complaint_among_names_is_kept() -> None:
    lines = [f"src/part{n}.ts" for n in range(300)]
    lines[150] = 'rsync: [sender] send_files failed to open "/srv/a": Permission denied (13)'
    assert lines[150] in kept("\n".join(lines), "rsync -av a b")


def test_an_error_among_the_warnings_of_a_checker_is_kept() -> None:
    lines = [f"src/part{n}.ts:{n}:3: warning no-console statement" for n in range(300)]
    lines[150] = "src/cart.ts:31:9: error no-undef 'x' is not defined"
    assert lines[150] in kept("\n".join(lines), "npx eslint -f unix .")


@pytest.mark.parametrize(
    ("usual", "bad"),
    [
        ("src/part{n}.js:{n}:7: 'x{n}' is unused. [Warning/no-unused]",
         "src/cart.js:4:1: 'total' is not defined. [Error/no-undef]"),
        ("shop/part{n}.py:{n}:0: W0611: Unused import os (unused-import)",
         "shop/cart.py:9:4: E0602: Undefined variable 'total' (undefined-variable)"),
        ("shop/part{n}.py:{n}:80: E501 line too long (92 > 79 characters)",
         "shop/cart.py:9:1: F821 undefined name 'total'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", Mode)
def test_a_finding_of_another_severity_or_rule_is_kept(usual: str, bad: str, mode: Mode) -> None:
    lines = [usual.format(n=n) for n in range(300)]
    lines[150] = bad
    assert bad in kept("\n".join(lines), "./check", mode)


@pytest.mark.parametrize("mode", Mode)
def test_a_cell_that_is_not_a_number_among_numbers_is_kept(mode: Mode) -> None:
    lines = ["berth,draught,ships", *(f"{n},{n * 0.0013:.4f},{n % 17}" for n in range(600))]
    lines[400] = "399,nan,8"
    text = kept("\n".join(lines), "python report.py", mode)
    assert lines[400] in text
    assert len(text.split("\n")) < 80  # 400 to 599 are no HTTP statuses here


def test_findings_without_a_severity_keep_rule_and_message() -> None:
    findings = [
        {"RuleID": f"key-{n}", "Commit": f"{n:040}", "Date": f"day {n}", "Description": f"Key {n}"}
        for n in range(12)
    ]
    text = kept(json.dumps(findings * 2, indent=1), "gitleaks detect -f json")
    assert all(f'"RuleID": "key-{n}"' in text for n in range(12))
    assert all(f'"Description": "Key {n}"' in text for n in range(12))


def test_a_finding_keeps_the_rule_of_the_object_around_it() -> None:
    findings = [
        {"check_id": f"rule-{n}", "path": f"a{n}.py", "extra": {"lines": "x", "severity": "INFO"}}
        for n in range(60)
    ]
    findings[31]["extra"] = {"lines": "x", "severity": "ERROR"}
    text = kept(json.dumps(findings, indent=2), "semgrep --json", Mode.HYPER)
    assert '"check_id": "rule-31"' in text


def test_the_frame_of_an_error_is_not_a_tree() -> None:
    box = "╷\n│ Error: {}\n│\n│   on main.tf line {}:\n│   {}: bad\n│\n╵"
    lines = [
        box.format("Unclosed block" if n == 5 else f"Unsupported {n}", n, n) for n in range(12)
    ]
    text = kept("\n".join(lines), "terraform validate", Mode.HYPER)
    assert "│ Error: Unclosed block" in text


def test_the_ends_of_a_uniform_run_are_a_few_lines() -> None:
    lines = [
        f"tests/test_{chr(97 + n % 26)}x{n}.py::test_it PASSED [{n // 2}%]" for n in range(200)
    ]
    lines[150] = "tests/test_fee.py::test_small FAILED [75%]"
    text = kept("\n".join(lines), "pytest -v")
    assert lines[0] in text
    assert lines[150] in text
    assert lines[199] in text
    assert len(text.split("\n")) < 20


def test_the_ends_of_a_log_in_json_are_a_few_lines() -> None:
    lines = [f'{{"level":30,"time":{n},"msg":"payment {n} booked"}}' for n in range(200)]
    lines[88] = '{"level":50,"time":88,"msg":"payment 88 bounced"}'
    text = kept("\n".join(lines), "node job.js")
    assert lines[88] in text
    assert len(text.split("\n")) < 20


def test_the_lines_of_an_object_around_a_failure_that_name_it_are_kept() -> None:
    checks = [
        {"id": f"RULE_{n}", "name": f"rule {n}", "result": {"state": "PASSED", "on": [n]},
         "block": [n] * 9, "file_path": f"a{n}.yml", "line": n}
        for n in range(40)
    ]  # fmt: skip
    checks[20]["result"] = {"state": "FAILED", "on": [20]}
    log = [f"loading the rules of group {n}, which takes a moment" for n in range(900)]
    text = kept("\n".join(log) + "\n" + json.dumps({"checks": checks}, indent=2), "./lint")
    assert '"id": "RULE_20"' in text
    assert '"name": "rule 20"' in text
    assert '"id": "RULE_12"' not in text


@pytest.mark.parametrize("mode", Mode)
def test_many_errors_of_one_kind_do_not_hide_the_only_one_of_another(mode: Mode) -> None:
    lines = [f'cart.py:{n}: error: Incompatible type "int"  [arg-type]' for n in range(150)]
    lines[90] = 'cart.py:90: error: Name "fee" is not defined  [name-defined]'
    text = kept("\n".join([*lines, "Found 150 errors in 1 file"]), "mypy cart.py", mode)
    assert lines[90] in text
    assert lines[0] in text
    assert lines[-1] in text
    assert "look like errors" in text
    assert len(text.split("\n")) < 80


def test_the_only_node_that_is_not_ready_is_kept_in_yaml() -> None:
    nodes = [f"- name: n{n}\n  status: Ready\n  cpu: {n % 9}" for n in range(200)]
    nodes[120] = "- name: n120\n  status: NotReady\n  cpu: 4"
    text = kept("items:\n" + "\n".join(nodes), "kubectl get nodes -o yaml")
    assert "  status: NotReady" in text


def test_subjects_of_commits_are_not_errors() -> None:
    lines = [
        f"c{n * 7919:06x} errors: report failure {n} in {chr(97 + n % 26)}" for n in range(300)
    ]
    assert len(kept("\n".join(lines), "git log --oneline").split("\n")) < 70


@pytest.mark.parametrize("start", ["20310412", "4294967"])
def test_a_date_or_a_number_at_the_beginning_of_an_error_is_not_a_commit(start: str) -> None:
    assert list(errors(OutputLines(f"{start} crane moves\n{start} ERROR crane is stuck"))) == [1]


@pytest.mark.parametrize(
    "odd",
    ["want 4 got 5", "      ~ engine = 14 -> 16 # forces replacement", "mailbox full, giving up"],
)
@pytest.mark.parametrize("mode", Mode)
def test_a_line_without_any_word_of_the_others_is_kept(odd: str, mode: Mode) -> None:
    lines = [f"  Start {n // 2}: step {n}" if n % 2 else f"step {n} ok" for n in range(400)]
    lines.insert(201, odd)
    assert odd in kept("\n".join(lines), "./checks", mode)


@pytest.mark.parametrize("mode", Mode)
def test_the_step_and_the_file_above_an_error_are_kept(mode: Mode) -> None:
    steps = [f"apply 2026_{n:03} add table t{n}" for n in range(120)]
    text = kept("\n".join([*steps, "Error: no such table: ghost", *steps[:60]]), "./migrate", mode)
    assert steps[-1] in text


def test_files_that_came_or_went_are_named_in_a_long_diff() -> None:
    change = "diff --git a/f{0} b/f{0}\n--- a/f{0}\n+++ b/f{0}\n@@ -1 +1 @@\n-{0}\n+{0}0"
    parts = [change.format(n) for n in range(90)]
    parts[50] = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null"
    for mode in Mode:
        text = kept("\n".join(parts), "git show", mode)
        assert "diff --git a/gone b/gone\ndeleted file mode 100644" in text


def test_what_a_tracer_prints_is_not_the_file_that_the_command_reads() -> None:
    calls = [f'openat(AT_FDCWD, "/lib/l{n}.so", O_RDONLY) = {n}' for n in range(200)]
    for command in ("strace cat notes.md", "bash -xc 'cat notes.md'", "cat /proc/1/maps"):
        assert "[wm: " in kept("\n".join(calls), command)
    assert "[wm: " not in kept("\n".join(calls), "cat notes.md")
