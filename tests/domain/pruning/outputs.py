"""Outputs in the form of many tools, written for these tests, with what must survive of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One long output. kind: the rule that cuts it. keeps: lines that stay in every mode."""

    name: str
    command: str
    kind: str
    output: str
    keeps: tuple[str, ...] = ()
    tool: str = "bash"
    agent_name: str = "bash"


def rows(count: int, make: Callable[[int], str]) -> list[str]:
    return [make(number) for number in range(count)]


def text(*parts: str | list[str]) -> str:
    lines: list[str] = []
    for part in parts:
        lines += [part] if isinstance(part, str) else part
    return "\n".join(lines) + "\n"


def _log(number: int) -> str:
    words = ("berth freed", "tide read", "crane idle", "gate opened")
    stamp = f"2026-05-{1 + number % 27:02d} 07:{number % 60:02d}:11,{number % 999:03d}"
    return f"{stamp} INFO harbour.{words[number % 4].split()[0]}: {words[number % 4]} nr={number}"


TRACE = (
    "2026-05-09 07:12:44,120 ERROR harbour.crane: lift failed",
    "Traceback (most recent call last):",
    '  File "/srv/harbour/crane.py", line 61, in lift',
    "    hoist(load)",
    "ValueError: load of 41 t is over the limit of 40 t",
)

CASES = (
    Case(
        "a long listing",
        "ls -la crates",
        "listing",
        text(
            "total 812", rows(140, lambda n: f"-rw-r--r-- 1 ann dock {n * 31} May  3 crate{n}.rs")
        ),
        ("total 812",),
    ),
    Case(
        "find with a complaint in the middle",
        "find / -name '*.conf'",
        "listing",
        text(
            rows(70, lambda n: f"/etc/svc{n}/error.conf"),
            "find: '/root': Permission denied",
            rows(70, lambda n: f"/opt/svc{n}/fail.conf"),
        ),
        ("find: '/root': Permission denied",),
    ),
    Case(
        "glob of an agent's own tool",
        "",
        "listing",
        text(rows(120, lambda n: f"/home/ann/ferry/src/panic_{n}.go")),
        tool="other",
        agent_name="Glob",
    ),
    Case(
        "a tree",
        "tree docs",
        "tree",
        text("docs", rows(90, lambda n: f"├── chapter-{n}.md"), "", "1 directory, 90 files"),
        ("1 directory, 90 files",),
    ),
    Case(
        "a log with one failure",
        "cat var/harbour.log",
        "log",
        text(rows(400, _log), list(TRACE), rows(500, _log)),
        TRACE,
    ),
    Case(
        "a log of levels without times",
        "kubectl logs crane-7",
        "log",
        text(
            rows(90, lambda n: f"level=info msg=tick n={n} ok=true"),
            'level=error msg="no tide"',
            rows(90, lambda n: f"level=info msg=tock n={n} ok=true"),
        ),
        ('level=error msg="no tide"',),
    ),
    Case(
        "the same line again and again",
        "./poll.sh",
        "repeated",
        text("polling", rows(300, lambda _n: "still waiting for the ferry"), "the ferry is here"),
        ("polling", "the ferry is here"),
    ),
    Case(
        "one answer unlike the others",
        "for i in $(seq 200); do ./probe; done",
        "repeated",
        text(rows(120, lambda _n: "204"), "418", rows(80, lambda _n: "204")),
        ("418",),
    ),
    Case(
        "pytest, verbose",
        "uv run pytest -v tests",
        "pytest",
        text(
            "============================= test session starts ==============================",
            rows(
                200,
                lambda n: f"tests/test_tide.py::test_level[{n}] PASSED             [ {n % 90}%]",
            ),
            "=================================== FAILURES ===================================",
            "_____________________________ test_berth_is_free _______________________________",
            "",
            "    def test_berth_is_free():",
            ">       assert berth(7).free",
            "E       assert False",
            "E        +  where False = Berth(7).free",
            "",
            "tests/test_berth.py:18: AssertionError",
            "=========================== short test summary info ============================",
            "FAILED tests/test_berth.py::test_berth_is_free - assert False",
            "======================== 1 failed, 200 passed in 3.10s =========================",
        ),
        (
            "E       assert False",
            "tests/test_berth.py:18: AssertionError",
            "FAILED tests/test_berth.py::test_berth_is_free - assert False",
            "======================== 1 failed, 200 passed in 3.10s =========================",
        ),
    ),
    Case(
        "vitest",
        "pnpm vitest run",
        "jest",
        text(
            rows(150, lambda n: f" ✓ src/tide/level-{n}.test.ts (4 tests) {n}ms"),
            " ❯ src/berth.test.ts (3 tests | 1 failed) 12ms",
            "   × berth > is free after the ferry left",
            "     → expected 'taken' to be 'free' // Object.is equality",
            " Test Files  1 failed | 150 passed (151)",
            "      Tests  1 failed | 602 passed (603)",
        ),
        ("   × berth > is free after the ferry left", " Test Files  1 failed | 150 passed (151)"),
    ),
    Case(
        "go test",
        "go test ./...",
        "go_test",
        text(
            rows(60, lambda n: f"ok  \texample.org/ferry/p{n}\t0.{n:03d}s"),
            "--- FAIL: TestDock (0.00s)",
            "    dock_test.go:41: got 3, want 4",
            "FAIL",
            "FAIL\texample.org/ferry/dock\t0.004s",
            rows(60, lambda n: f"ok  \texample.org/ferry/q{n}\t0.{n:03d}s"),
            "FAIL",
        ),
        ("--- FAIL: TestDock (0.00s)", "    dock_test.go:41: got 3, want 4"),
    ),
    Case(
        "cargo build",
        "cargo build --release",
        "cargo",
        text(
            rows(120, lambda n: f"   Compiling crate{n} v0.{n}.1"),
            "error[E0382]: borrow of moved value: `rope`",
            "  --> src/moor.rs:14:9",
            "   |",
            "14 |         pull(rope);",
            "   |              ^^^^ value borrowed here after move",
            rows(60, lambda n: f"   Compiling late{n} v0.{n}.1"),
            "error: could not compile `ferry` (lib) due to 1 previous error",
        ),
        (
            "error[E0382]: borrow of moved value: `rope`",
            "  --> src/moor.rs:14:9",
            "error: could not compile `ferry` (lib) due to 1 previous error",
        ),
    ),
    Case(
        "tsc",
        "npx tsc -p .",
        "tsc",
        text(
            [
                line
                for n in range(30)
                for line in (
                    f"src/a{n}.ts({n},3): error TS2304: Cannot find name 'tide{n}'.",
                    *rows(5, lambda k: f"  {'abcde'[k]}: seen from here"),
                )
            ],
            "",
            "Found 30 errors in 30 files.",
        ),
        (
            "src/a0.ts(0,3): error TS2304: Cannot find name 'tide0'.",
            "src/a14.ts(14,3): error TS2304: Cannot find name 'tide14'.",
            "Found 30 errors in 30 files.",
        ),
    ),
    Case(
        "mypy among its notes",
        "mypy wm",
        "tsc",
        text(
            rows(90, lambda n: f'wm/a{n}.py:{n}: note: Revealed type is "int"'),
            "wm/tide.py:9: error: Incompatible return value type  [return-value]",
            rows(90, lambda n: f'wm/b{n}.py:{n}: note: Revealed type is "int"'),
            "Found 1 error in 1 file (checked 190 source files)",
        ),
        (
            "wm/tide.py:9: error: Incompatible return value type  [return-value]",
            "Found 1 error in 1 file (checked 190 source files)",
        ),
    ),
    Case(
        "eslint",
        "npm run lint",
        "lint",
        text(
            [
                line
                for n in range(40)
                for line in (
                    f"/srv/ferry/src/w{n}.js",
                    f"  {n}:1  warning  Unexpected any  no-any",
                    "",
                )
            ],
            "/srv/ferry/src/berth.js",
            "  7:13  error  'moor' is not defined  no-undef",
            "",
            "✖ 41 problems (1 error, 40 warnings)",
        ),
        ("  7:13  error  'moor' is not defined  no-undef", "✖ 41 problems (1 error, 40 warnings)"),
    ),
    Case(
        "make with a broken unit",
        "make -j4 all",
        "compile",
        text(
            rows(100, lambda n: f"gcc -c -o obj/u{n}.o src/u{n}.c"),
            "src/knot.c: In function 'tie':",
            "src/knot.c:12:5: error: 'rope' undeclared (first use in this function)",
            "   12 |     rope->free = 1;",
            "      |     ^~~~",
            "make: *** [Makefile:9: obj/knot.o] Error 1",
            rows(100, lambda n: f"gcc -c -o obj/v{n}.o src/v{n}.c"),
        ),
        (
            "src/knot.c:12:5: error: 'rope' undeclared (first use in this function)",
            "   12 |     rope->free = 1;",
            "make: *** [Makefile:9: obj/knot.o] Error 1",
        ),
    ),
    Case(
        "maven",
        "./mvnw -q verify",
        "jvm",
        text(
            "[INFO] Scanning for projects...",
            rows(150, lambda n: f"[INFO] Running org.ferry.Tide{n}Test"),
            "[ERROR] org.ferry.BerthTest.isFree:31 expected: <true> but was: <false>",
            rows(80, lambda n: f"[INFO] Downloaded from central: https://repo/a{n}.jar"),
            "[INFO] BUILD FAILURE",
        ),
        (
            "[ERROR] org.ferry.BerthTest.isFree:31 expected: <true> but was: <false>",
            "[INFO] BUILD FAILURE",
        ),
    ),
    Case(
        "npm install",
        "npm ci",
        "install",
        text(
            rows(90, lambda n: f"npm warn deprecated pkg{n}@1.{n}.0: use another one"),
            "",
            "added 812 packages, and audited 813 packages in 21s",
            "",
            "3 high severity vulnerabilities",
        ),
        ("added 812 packages, and audited 813 packages in 21s", "3 high severity vulnerabilities"),
    ),
    Case(
        "a diff of some files",
        "git diff main",
        "diff",
        text(
            [
                line
                for n in range(12)
                for line in (
                    f"diff --git a/src/f{n}.py b/src/f{n}.py",
                    f"--- a/src/f{n}.py",
                    f"+++ b/src/f{n}.py",
                    "@@ -1,4 +1,4 @@",
                    *rows(12, lambda k: f" context {k}"),
                    f"-old {n}",
                    f"+new {n}",
                )
            ]
        ),
        tuple(f"diff --git a/src/f{n}.py b/src/f{n}.py" for n in range(12)),
    ),
    Case(
        "the history",
        "git log --oneline -300",
        "git_log",
        text(rows(300, lambda n: f"{n:07x} tide: error pages say what went wrong ({n})")),
    ),
    Case(
        "status",
        "git status",
        "git_status",
        text(
            "On branch main",
            "Changes not staged for commit:",
            rows(90, lambda n: f"\tmodified:   src/file{n}.py"),
            "Untracked files:",
            rows(60, lambda n: f"\tnotes/{n}.txt"),
        ),
        ("On branch main", "Untracked files:"),
    ),
    Case(
        "JSON of a service",
        "curl -s localhost:8080/berths | jq .",
        "json",
        text(
            "[",
            rows(120, lambda n: f'  {{"id": {n}, "state": "free"}},'),
            '  {"id": 120, "state": "failed", "error": "no rope"},',
            rows(60, lambda n: f'  {{"id": {n + 121}, "state": "free"}},'),
            "]",
        ),
        ('  {"id": 120, "state": "failed", "error": "no rope"},',),
    ),
    Case(
        "the end of JSON",
        "scan --format json 2>&1 | tail -n 200",
        "json",
        text(
            rows(60, lambda n: f'    "line": {n},'),
            '    "rule_id": "no-eval",',
            '    "message": "eval is harmful",',
            rows(120, lambda n: f'    "column": {n},'),
            "  }",
            "]",
        ),
        ('    "message": "eval is harmful",',),
    ),
    Case(
        "the summary of node's runner",
        "node --test",
        "test_run",
        text(
            rows(150, lambda n: f"✔ berth {n} is free (0.{n}ms)"),
            "ℹ tests 151",
            "ℹ pass 150",
            "ℹ fail 1",
            rows(40, lambda n: f"  detail {'abcdefghij'[n % 10]} of the dock {n}"),
        ),
        ("ℹ fail 1",),
    ),
    Case(
        "a lockfile",
        "cat uv.lock",
        "lockfile",
        text("version = 1", rows(200, lambda n: f'name = "error-{n}"')),
        ("version = 1",),
    ),
    Case(
        "hits of a search",
        "rg -n TODO",
        "grep",
        text(rows(200, lambda n: f"src/m{n % 9}.py:{n}:# TODO fix error {n}")),
        ("src/m0.py:0:# TODO fix error 0",),
    ),
    Case(
        "a table of a data base",
        "psql -c 'select * from berths'",
        "table",
        text(" id | state ", "----+-------", rows(120, lambda n: f" {n:2} | free  "), "(120 rows)"),
        (" id | state ", "(120 rows)"),
    ),
    Case(
        "help of a program",
        "ferryctl --help",
        "other",
        text(
            "usage: ferryctl [options]",
            rows(120, lambda n: f"  --{'abcdefghij'[n % 10] * (n // 10 + 1)}  sets what {n} means"),
        ),
        ("usage: ferryctl [options]",),
    ),
)

ASKED_FOR = (
    ("read", "Read", "", "the agent's own tool"),
    ("other", "mcp__files__read_file", "", "a tool of a server"),
    ("other", "Task", "", "the report of another agent"),
    ("other", "memory_restore", "", "our own tool"),
    ("other", "mcp__wm__memory_restore", "", "our own tool over MCP"),
    ("bash", "bash", "cat src/berth.py", "a source"),
    ("bash", "bash", "cd src && cat -n berth.py | head -80", "a source, cut"),
    ("bash", "bash", "sed -n '10,90p' docs/guide.md", "a range"),
    ("bash", "bash", "awk 'NR>=5 && NR<=90' berth.go", "a range"),
    ("bash", "bash", "nl -ba berth.go | sed -n 5,90p", "a range of numbered lines"),
    ("bash", "bash", "head -n 120 README.md", "the beginning of a document"),
    ("bash", "bash", "tail -n +20 Makefile", "the end of a file"),
    ("bash", "bash", "git show HEAD~2:src/berth.py", "a source of another commit"),
    ("bash", "bash", "for f in a.py b.py; do echo $f; cat $f; done", "several sources"),
    ("bash", "bash", "find src -name '*.py' -exec cat {} +", "found sources"),
    ("bash", "bash", "bash -lc 'cat src/berth.py'", "a shell in a shell"),
    ("bash", "bash", "wm output t_4b1f0c9d", "what was cut"),
)  # fmt: skip
