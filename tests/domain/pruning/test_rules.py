"""Each family of output is recognised, bounded, and keeps its errors (PR-1, PR-2)."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from tests.domain.pruning.outputs import ASKED_FOR, CASES, Case, rows, text
from wm.domain.pruning import telling_lines
from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.modes import Mode, measure_of, mode_of
from wm.domain.pruning.prune import MARK, PrunedText, prune
from wm.domain.pruning.tool_call import PrunableCall
from wm.settings import PruningSettings

SETTINGS = PruningSettings()
HANDLE = "t_" + "5e" * 10


def cut(case: Case, mode: Mode = Mode.NORMAL) -> PrunedText | None:
    call = PrunableCall(case.tool, case.agent_name, case.command, case.output)
    return prune(call, mode, SETTINGS)


def lines_of(pruned: PrunedText) -> list[str]:
    return pruned.text(HANDLE).removesuffix("\n").split("\n")


def by_name(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_an_output_is_pruned_by_its_rule_and_keeps_the_important_lines(
    case: Case, mode: Mode
) -> None:
    pruned = cut(case, mode)
    assert pruned is not None
    assert pruned.kind == case.kind
    left = lines_of(pruned)
    assert [line for line in case.keeps if line not in left] == []
    assert len(left) < case.output.count("\n")


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_a_cut_stays_within_the_limit_of_the_mode(case: Case, mode: Mode) -> None:
    pruned = cut(case, mode)
    assert pruned is not None
    errors = [line for line in case.output.split("\n") if telling_lines.errors(OutputLines(line))]
    room = 2 * measure_of(mode, SETTINGS).ends + 5 + 2 * (len(case.keeps) + len(errors))
    assert len(lines_of(pruned)) <= room


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_cut_marks_count_omissions_and_the_first_names_the_handle(case: Case) -> None:
    pruned = cut(case)
    assert pruned is not None
    marks = [line for line in lines_of(pruned) if line.startswith(MARK)]
    total = case.output.count("\n")
    assert f"all {total:,} lines: memory_restore {HANDLE}, or `wm output {HANDLE}`]" in marks[0]
    counted = [int(word.replace(",", "")) for mark in marks for word in _numbers(mark)]
    assert pruned.kept_lines + sum(counted) == total == pruned.lines


def _numbers(mark: str) -> list[str]:
    """The first number of a mark: how many lines it replaces."""
    words = mark.removeprefix(MARK).split(" ")
    return [next(word for word in words if word.replace(",", "").isdigit())]


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_pruning_is_idempotent(case: Case) -> None:
    pruned = cut(case)
    assert pruned is not None
    for mode in Mode:
        assert cut(dataclasses.replace(case, output=pruned.text(HANDLE)), mode) is None


@pytest.mark.parametrize(
    ("tool", "name", "command", "_about"), ASKED_FOR, ids=[row[3] for row in ASKED_FOR]
)
def test_text_that_was_requested_by_a_read_is_kept_completely(
    tool: str, name: str, command: str, _about: str
) -> None:
    source = text(
        rows(900, lambda n: f"    error = check(berth[{n}])  # 2026-05-01 07:00:11 ERROR")
    )
    for mode in Mode:
        assert prune(PrunableCall(tool, name, command, source), mode, SETTINGS) is None


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("cat var/berth.log", "log"),
        ("tail -n 500 /var/log/syslog", "log"),
        ("cat go.sum", "lockfile"),
        ("head -400 package-lock.json", "lockfile"),
    ],
)
def test_data_shown_by_a_pager_may_be_pruned(command: str, kind: str) -> None:
    lines = text(rows(300, lambda n: f"2026-05-01T07:{n % 60:02d}:00Z INFO tide={n}"))
    pruned = prune(PrunableCall("bash", "bash", command, lines), Mode.NORMAL, SETTINGS)
    assert pruned is not None
    assert pruned.kind == kind


@pytest.mark.parametrize(
    ("mode", "whole", "cut_at"),
    [(Mode.NORMAL, 65, 66), (Mode.AGGRESSIVE, 45, 46), (Mode.HYPER, 25, 26)],
)
def test_a_cut_with_a_tiny_gain_is_not_made(mode: Mode, whole: int, cut_at: int) -> None:
    def pruned(count: int) -> PrunedText | None:
        output = text(rows(count, lambda n: f"crates/hold-{n}/manifest.yaml"))
        return prune(PrunableCall("bash", "bash", "ls crates", output), mode, SETTINGS)

    assert pruned(whole) is None
    assert pruned(cut_at) is not None


def test_the_mode_follows_the_level() -> None:
    levels = ("", "safe", "moderate", "high", "critical", "unheard of")
    assert [mode_of(level).value for level in levels] == [
        "normal",
        "normal",
        "normal",
        "aggressive",
        "hyper",
        "normal",
    ]


def test_text_made_by_the_client_is_kept() -> None:
    output = text(rows(300, lambda n: f"src/{n}.py"))
    call = PrunableCall("bash", "bash", "ls src", output, synthetic=True)
    assert prune(call, Mode.HYPER, SETTINGS) is None


def test_an_unknown_tool_is_pruned_only_if_its_output_is_recognised() -> None:
    prose = text(rows(300, lambda n: f"Chapter {'abcdefgh'[n % 8] * (n // 8 + 1)} of the tale."))
    names = text(rows(300, lambda n: f"src/berth/{n}.py"))
    assert (
        prune(PrunableCall("other", "mcp__tales__tell", "", prose), Mode.NORMAL, SETTINGS) is None
    )
    found = prune(PrunableCall("other", "mcp__files__walk", "", names), Mode.NORMAL, SETTINGS)
    assert found is not None
    assert found.kind == "listing"


def test_of_many_errors_the_first_and_last_of_each_kind_are_kept() -> None:
    output = text(
        rows(900, lambda n: f"berth {n}: error: no rope"), "gate: error: jammed",
        rows(900, lambda n: f"berth {n}: error: no tide"),
    )  # fmt: skip
    pruned = prune(PrunableCall("bash", "bash", "./check.sh", output), Mode.HYPER, SETTINGS)
    assert pruned is not None
    left = lines_of(pruned)
    assert "gate: error: jammed" in left
    assert {"berth 0: error: no rope", "berth 899: error: no tide"} <= set(left)
    assert len(left) <= 220


def test_a_large_diff_lists_its_changed_files() -> None:
    output = text(
        [
            line
            for n in range(80)
            for line in (f"diff --git a/f{n} b/f{n}", "@@ -1 +1 @@", f"-a{n}", f"+b{n}")
        ]
    )
    pruned = prune(PrunableCall("bash", "bash", "git diff -U0", output), Mode.NORMAL, SETTINGS)
    assert pruned is not None
    [mark] = [line for line in lines_of(pruned) if line.startswith(MARK)]
    assert "(80 files: f0 +1 -1, f1 +1 -1, " in mark
    assert ", and 20 more)" in mark


def test_an_option_switches_pruning_off() -> None:
    output = text(rows(300, lambda n: f"src/{n}.py"))
    off = replace(SETTINGS, enabled=False)
    assert prune(PrunableCall("bash", "bash", "ls src", output), Mode.HYPER, off) is None


@pytest.mark.parametrize(
    ("line", "is_error"),
    [
        ("TypeError: rope is undefined", True),
        ("\x1b[31mError\x1b[39m: no tide", True),
        ("make[2]: *** [all] Error 2", True),
        ("npm ERR! code ELIFECYCLE", True),
        ("panic: runtime error: index out of range", True),
        ("thread 'main' panicked at src/main.rs:3:5", True),
        ("E       assert 3 == 4", True),
        ("bash: ferryctl: command not found", True),
        ("ls: cannot access 'x': No such file or directory", True),
        ("3 failed, 12 passed in 0.4s", True),
        ("├── UNMET DEPENDENCY berth@^9.0.0", True),
        ("npm error missing: berth@^9.0.0", True),
        ("write /srv/tide: no space left on device", True),
        (" ! [rejected]        main -> main (non-fast-forward)", True),
        ('insert violates foreign key constraint "berth_fk"', True),
        ("tide.sh: line 3: syntax error near unexpected token `fi'", True),
        ("zsh: killed     ./ferry", True),
        ("FEHLER: Relation »tide« existiert nicht", True),
        ("错误：找不到文件", True),
        ("an invalid berth is shown in grey", False),
        ("the conflict of two berths", False),
        ('level=error msg="no tide"', True),
        ("  ✕ is free (4 ms)", True),
        ("0 errors, 0 warnings", False),
        ("batch=7 rows=12 errors=0", False),
        ("12 passed, 0 failed", False),
        ("src/errors/error.ts", False),
        ("  --fail-fast   stop at the first", False),
        ("no errors found", False),
        ("GET /berths 200 3ms", False),
    ],
)
def test_error_lines_are_recognised(line: str, is_error: bool) -> None:
    assert bool(telling_lines.errors(OutputLines(line))) is is_error
