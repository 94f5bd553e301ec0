"""Checks whose exit code is hidden, reports in JSON, and failures that no format knows (HS-2)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from wm.domain.failures.open_errors import after_tool, reads_output
from wm.formats.events import ToolFinished
from wm.formats.session_state import OpenError
from wm.settings import SessionSettings

ROOT = "/home/ana/shop"
START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
Call = tuple[str, int | None, str]


def play(*calls: Call) -> tuple[OpenError, ...]:
    errors: tuple[OpenError, ...] = ()
    for second, (command, code, output) in enumerate(calls):
        event = ToolFinished(tool="bash", command=command, exit_code=code, output=output, cwd=ROOT)
        now = START + timedelta(seconds=second)
        errors = after_tool(errors, event, root=ROOT, now=now, settings=SessionSettings())
    return errors


PYTEST_BAD = "FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed, 2 passed in 0.12s\n"
PYTEST_GOOD = "...\n3 passed in 0.10s\n"
VITEST_BAD = (
    " FAIL  src/a.test.ts > adds\nAssertionError: expected 1 to be 2\n"
    " FAIL  src/b.test.ts > subtracts\nAssertionError: expected 1 to be 2\n\n"
    " Test Files  2 failed (2)\n      Tests  2 failed (2)\n"
)
VITEST_GOOD = " Test Files  2 passed (2)\n      Tests  2 passed (2)\n"


@pytest.mark.parametrize(
    ("command", "code", "output"),
    [
        ("pytest -q | tail -5", 0, PYTEST_BAD),
        ("pytest -q || true", 0, PYTEST_BAD),
        ("pytest -q; echo done", 0, PYTEST_BAD),
        ("pytest -q 2>&1 | tee out.txt", None, PYTEST_BAD),
        (
            "npx tsc --pretty | tail",
            0,
            "src/a.ts:3:1 - error TS2304: No name 'x'.\n\nFound 1 error.\n",
        ),
        ("cargo test 2>&1 | tail -3", 0, "test result: FAILED. 1 passed; 1 failed; 0 ignored\n"),
        ("mvn test | tail -2", 0, "[INFO] BUILD FAILURE\n[INFO] ----\n"),
        ("npm run lint | tail", 0, "✖ 3 problems (2 errors, 1 warning)\n"),
        (
            "dotnet test | tail",
            0,
            "Build succeeded.\n\nFailed!  - Failed: 1, Passed: 3, Total: 4\n",
        ),
        ('npm run build; echo "exit: $?"', 0, "Cannot resolve module './x'\nexit: 2\n"),
        ("make | tail -1; echo ${PIPESTATUS[0]}", 0, "cc: fatal error: no input files\n1\n"),
        ("vendor/bin/behat | tail -2", 0, "9 steps (8 passed, 1 failed)\n0m2.09s (63.2Mb)\n"),
        ("ecj A.java | tail -2", 0, "A.java:3: error: no fee\n2 problems (1 error, 1 warning)\n"),
        ("bin/packwerk check | tail -2", 0, "a.rb:3:1: crosses a border\n1 offense detected\n"),
        ("kaclish verify | tail -2", 0, "  ^~~~\n4 error(s) generated.\n"),
        (
            "ttlish a.ttl || true",
            0,
            "ERROR: Bad prefix.\nttlish finished with 0 warnings and 1 errors.\n",
        ),
        ("asm64 a.asm | tail -2", 0, "Error messages:    1\nPasses:            2\n"),
        (
            "checker --xml | tee a.xml",
            0,
            '<checkstyle><file name="src/a.js"><error line="2" severity="error" message="x"/>'
            "</file></checkstyle>\n",
        ),
        ("behaves | tail -1", 0, "a.feature:3: no berth\n0 features passed, 1 failed, 0 skipped\n"),
        ("pytest & wait", 0, PYTEST_BAD),
        # The program says in its own name, below all that it printed, that it gave up.
        ("berthd -c b.conf | cat", 0, "b.conf: line 7: odd <quai>\nberthd: bad configuration!\n"),
        (
            "berthc b.bt || true",
            0,
            "b: unknown word 'kep'\nberthc(dev): Fatal: cannot build b.bt\n",
        ),
        ("sh -c 'make quay'; true", 0, "quay: no berth\nmake: *** [Makefile:2: quay] Error 1\n"),
        ("tidel a.td | cat", 0, "a.td  6: wave is unset\nCompilation failed. 1 Errors, 0 Hints\n"),
        ("tidefmt --check . | cat", 0, "[ERROR] a.td: no ';'\n1 file(s) failed: 1 error(s)\n"),
        ("floatValidator -V a.flo | cat", 0, "a.flo:3: error: no berth\n1 error generated.\n"),
        (
            "tidetest t | cat",
            0,
            ":t/a.test:1: [Failed]\n Passed  1  1\n Failed  1  1\n Total  2  2\n",
        ),
        ("make check | cat", 0, f"{PYTEST_BAD}Ran 1 test in 0.1s\n\nOK\n"),
        ("./ci.sh || true", 0, f"{PYTEST_BAD}Ran 1 test in 0.1s\n\nOK\n"),
        (
            "cargo test --no-fail-fast | cat",
            0,
            "test result: FAILED. 1 passed; 1 failed\n"
            "test result: ok. 3 passed; 0 failed\nerror: 1 target failed:\n    `--lib`\n",
        ),
        ('OUT=$(pytest 2>&1); echo "$OUT"', 0, PYTEST_BAD),
        (
            "cargo run -p pier | tail",
            0,
            "error[E0308]: mismatched types\n --> src/main.rs:3:5\n"
            "error: could not compile `pier` due to 1 previous error\n",
        ),
        ("flotlint a.flot || echo failed", 0, "a.flot:3: no berth\nfailed\n"),
        ("floti a.flot || echo 'BUILD BROKEN'", 0, "a.flot:3: no berth\nBUILD BROKEN\n"),
        ("npx tsc || echo no; date", 0, "src/a.ts(3,1): error TS2304: x\nFound 1 error.\nnow\n"),
        ("if npx tsc; then echo yes; else echo no; fi", 0, "a.ts(3,1): error TS2304: x\nno\n"),
        ("if ! npx tsc; then echo no; fi", None, "a.ts(3,1): error TS2304: x\nno\n"),
        ("pytest -x && echo yes || echo no", 0, "E   assert 1 == 2\na.py:3: AssertionError\nno\n"),
        (
            'python a.py; echo "exit: $?"',
            0,
            "Traceback (most recent call last):\n"
            '  File "a.py", line 3, in <module>\nValueError: no berth\nexit: 1\n',
        ),
        (
            "./pier | cat",
            0,
            "t/pier.c:3: 1 is not 2\nKind  Run  Passed  Failed\nall   2    1       1\n",
        ),
        (
            "npx nodeunits t | tail -3",
            0,
            "AssertionError: 7 == 12\n    at t/a.js:3:8\nFAILURES: 1/2 assertions failed (24ms)\n",
        ),
        # No summary: the tool calls a line an error, or complains last.
        ("tidec a.td | tail", 0, "a.td:4: error: no quay 'b'\n  moor b\n       ^\n"),
        ("(tidec a.td) 2>&1 | tail -5", 0, "a.td:4: エラー: 'b' がありません\n  moor b\n"),
        ("tidec a.td > o.txt 2>&1; cat o.txt", 0, "reading a.td\ntidec: cannot open 'b.td'\n"),
        ("tided -t a.td; echo done", 0, "Invalid tide file a.td: line 3, column 9\ndone\n"),
        ("tidetask quay 2>&1 | head -5", 0, "TideError: no quay\n  at moor (b.td)\n  at run\n"),
        ("make docs | tail -2", 0, "a.td: no node\nmake: *** [Makefile:2: docs] Error 1\n"),
        ("tided -t a.td | cat", 0, "reading a.td\na.td:3: syntax error 'quai'\n"),
        ("tidetask quay | tail -3", 0, "Warning: no quay 'b'\n\nAborted due to warnings.\n"),
        ("tidelint . | cat", 0, "a.td: QY2 'b' is not used\nFound 1 quay issue.\n"),
        ("tidecheck . | cat", 0, "  SUCCESS: a.td\n  FAILED:\n    b.td: not a valid tide\n"),
        ("npx eslint src || true", 0, "Oops!\nTypeError: x is not a function\n    at a.js:3:1\n"),
        # A crash is the last that a program does.
        (
            "python a.py 2>&1 | tail -5",
            0,
            "3 rows\nTraceback (most recent call last):\n"
            '  File "/home/ana/shop/a.py", line 3, in <module>\n    moor()\nValueError: no berth\n',
        ),
        (
            "node a.js | cat",
            0,
            "/home/ana/shop/a.js:3\n  moor()\n  ^\n\nTypeError: moor is not a function\n"
            "    at Object.<anonymous> (/home/ana/shop/a.js:3:3)\n\nNode.js v20.1.0\n",
        ),
        ("./b.sh | cat", 0, "built\nthread 'main' panicked at src/a.rs:3:4:\nno berth\nnote: x\n"),
        ("./b.sh | cat", 0, "Finished `dev` in 1s\nError: no berth\n    at moor (a.js:3:1)\n"),
        (
            "tidel a.td | tail",
            0,
            'no such quay "b"\n    while mooring\n"moor b"\n    (file a.td)\n',
        ),
        # A runner says that what it ran failed, whatever hides its exit code.
        (
            "npm run quay || true",
            0,
            'npm error Missing script: "quay"\nnpm error A complete log is in x.log\n',
        ),
        ("make quay || true; ls", 0, "no berth\nmake: *** [Makefile:2: quay] Error 1\na.td\n"),
        # A finding in a file that the command names, also where many others may follow.
        ("tidec a.td || true", 0, "a.td:4:2: error: no quay 'b'\n"),
        ("tidelint ./a.td | head -9", 0, "a.td:4:2: [error] quay 'b' twice (twice)\n"),
        ("tidec < a.td || true", 0, "a.td:4: syntax error\n"),
        ("zsh a.zsh | cat", 0, "12\na.zsh:3: division by zero\n"),
        # Behind `||`, a fault in something; not that it is absent.
        ("tidectl load b || true", 0, "Error: syntax error in b: unexpected end\n"),
        ("tidectl load b || true", 0, "ERR: value expected in function moor\n"),
        # Marked lines above a count, a heading above faults, a count in words.
        ("tidelint - < b | cat", 0, "✖  a quay must be free\n✖  found 2 problems, 0 warnings\n"),
        ("tidelint . | cat", 0, "✖ Error: quay issues detected!\n"),
        ("tidefmt --check . | cat", 0, "[warn] a.td\n[warn] Style issues found in 2 files.\n"),
        ("tidecheck -m b | cat", 0, "quay validation: failed!\nplease name a berth\n"),
        # In another place, behind another command, and what a filter makes of it.
        ("ssh ana@pier 'make quay' | cat", 0, "make: *** [Makefile:2: quay] Error 1\n"),
        ("bash -c 'tidec a.td' | sponge", 0, "a.td:4: error: no quay 'b'\n"),
        ("bash -c 'pytest -q | tail -3'", 0, PYTEST_BAD),
        ("ls *.td | xargs tidec | cat", 0, "a.td:4: error: no quay 'b'\n"),
        ("(cd b && tidec a.td) | pino-pretty", 0, "a.td:4: error: no quay 'b'\n"),
        ("tidec a.td | ts", 0, "Nov 21 09:00:01 a.td:4: error: no quay\nNov 21 09:00:01   moor\n"),
        ("tided -t | cat", 0, "tided: error at line 3 of b.conf\n"),
        ("tidel a.td | tail -3", 0, "ok\ntidel:a.td:4: cannot open 'b'\n"),
        # The exit code in a variable, and as that of the command line.
        ('mypy a.py; rc=$?; echo "rc=$rc"', 0, "no quay to read\nrc=2\n"),
        ("mypy a.py > o.log 2>&1; rc=$?; tail -5 o.log; exit $rc", 2, "no quay to read\n"),
        ("tidel a.td 2>&1 | tee o.log; exit ${PIPESTATUS[0]}", 1, "Unmoored quays: b\n"),
        # A subcommand names the purpose of a tool that no table has.
        ("tidel compile || true", 0, "error: berth 3 is missing\n"),
        ("python setup.py build | tail -1", 0, "error: [Errno 2] No such file: 'a.c'\n"),
        # Verdicts, whatever the tool.
        ("tidel a.json; echo done", 0, "quay #1 validation failed\ndone\n"),
        (
            "quayrun | tail",
            0,
            "Run:  2   Failures: 1   Errors: 0\n- Expected: 41\n- Actual  : 40\n",
        ),
        ("pytest -p pretty | tail -3", 0, "Results (0.21s):\n    2 failed\n    7 passed\n"),
        # Crashes: an exception with its module, and a stack in the words of another language.
        (
            "python moor.py 2>&1 | cat",
            0,
            'Traceback (most recent call last):\n  File "a.py", line 3, in moor\n    take(b)\n'
            "tide.berths.BerthTaken: b has a ship\n",
        ),
        (
            "python moor.py | cat",
            0,
            "moor.rb: attempt to moor nil\nstack traceback:\n\tmoor.rb:2: in main chunk\n",
        ),
    ],
)
def test_a_failure_behind_a_hidden_exit_code_opens_an_error(
    command: str, code: int | None, output: str
) -> None:
    assert play((command, code, output))


@pytest.mark.parametrize(
    ("command", "code", "output"),
    [
        ("pytest -q | tail -5", 0, PYTEST_GOOD),
        ("pytest -q", None, PYTEST_BAD),
        ("npx tsc --noEmit | head -20", 0, "src/a.ts(3,1): error TS2304: Cannot find name 'x'.\n"),
        ("git log | head -3", 0, "abc fix: 2 failed tests\n"),
        ("cat build.log || true", 0, "error: could not compile `shop`\n1 failed\n"),
        ("grep -rn failed . | head", 0, "ci.log: 3 failed, 2 passed\n"),
        ("npm run lint | tail", 0, "✖ 3 problems (0 errors, 3 warnings)\n"),
        ('pytest; echo "exit: $?"', 0, "3 passed in 0.1s\nexit: 0\n"),
        ("./report.sh | tail -2", 0, "read src/a.py\n12 errors last week\n"),
        ("claude -p 'why does it fail' | head -9", 0, "It says:\nError: no quay\nCheck a.td.\n"),
        ("gunzip -c old.gz | head -9", 0, "Error: no quay\nmoored\n"),
        ("tidec a.td | tail -1", 0, "See errors.md for details on failures.\n"),
        ("tidegen a.td | tail -1", 0, "Generated errors.go, failed.go and missing.go\n"),
        ("ttlish a.ttl | tail -1", 0, "ttlish finished with 3 warnings and 0 errors.\n"),
        (
            "make clean; true",
            0,
            "rm: cannot remove 'a.o'\nmake: [Makefile:3: clean] Error 1 (ignored)\n",
        ),
        ("python -c 'print(open(\"a\").read())' | tail", 0, PYTEST_BAD),
        ("node - <<'X' | tail\nshow()\nX\n", 0, PYTEST_BAD),
        (
            "pytest -rA | cat",
            0,
            f"FAILED test_b.py::test_y - x\nERROR a: 2 tests failed\n{PYTEST_GOOD}",
        ),
        (
            "ruby t.rb || true",
            0,
            "Omission: broken: 1 failure\nt.rb:4:in `test_a'\n"
            "2 tests, 1 assertions, 0 failures, 0 errors, 1 omissions\n",
        ),
        (
            "python -m unittest || true",
            0,
            "FAILED (errors=2)\n.\nRan 1 test in 0.1s\n\nOK (skipped=1, expected failures=1)\n",
        ),
        (
            "make check | cat",
            0,
            "TEST CASE:  1 failed payment\na.c:3: error: a log\nStatus: SUCCESS!\n",
        ),
        (
            "node --test | cat",
            0,
            "# not ok 1 - a log\nok 1 - \\# fail 1\n# pass 1\n# fail 0\n# todo 0\n",
        ),
        (
            "ls a.txt || echo failed",
            0,
            "ls: cannot access 'a.txt': No such file or directory\nfailed\n",
        ),
        ("pip show tides || echo absent", 0, "WARNING: Package(s) not found: tides\nabsent\n"),
        ("python a.py 2>/dev/null || echo 'it failed, go on'", 0, "3 rows\nit failed, go on\n"),
        ("! npx tsc || echo no", 0, "no\n"),
        ("tidetest t | cat", 0, ":t/a.test:1: [OK]\n Passed  1  1\n Failed  0  0\n Total  1  1\n"),
        ("floatValidator -V | cat", 0, "floatValidator 3.1, 1 error fixed\n"),
        ("berthd -t | cat", 0, "read b.conf\nberthd: b.conf: all berths are free\n"),
        ("berthd stop || true", 0, "berthd: no such process\n"),  # alone, it sums up nothing
        ("./t.sh; echo ok", 0, "ok 1 - a\nnot ok 2 - known # TODO next week\n1..2\nok\n"),
        ("make test | cat", 0, "a.c:2:9: warning: unused variable 'x'\n./a\nerror: 0 failures\n"),
        ("npx tsc || echo no", 0, "src/a.ts: checked, error free\n"),
        ("if npx tsc; then echo yes; else echo no; fi", 0, "a.ts: error free\nyes\n"),
        (
            "./pier | cat",
            0,
            "t/pier.c:3: 1 is 1\nKind  Run  Passed  Failed\nall   2    2       0\n",
        ),
        # A warning, a log, what other words say, and a failure that was expected.
        ("tidec a.td | tail", 0, "a.td:4: warning: quay 'b' is not used\n"),
        ("tidec a.td | tail", 0, "/etc/tide.d/b.td:4: 'quai' is an old word for 'quay'\n"),
        ("tidec -t a.td | tail", 0, "tidec: a.td: syntax OK\n"),
        ("tided -t a.td | cat", 0, "Checking syntax of a.td\n"),
        ("tidelint . | cat", 0, "a.td: 0 invalid quays\nErrors   0\n"),
        ("tidelint -f json . | cat", 0, '[{"file": "a.td", "missing": [], "failed": 0}]\n'),
        ("npx tsc | head -3", 0, "src/a.ts(3,1): error TS2304: Cannot find name 'x'.\n"),
        ("npx tsc || true", 0, "src/a.ts(3,1): error TS2304: Cannot find name 'x'.\n"),
        ("tidectl drop b || true", 0, "Error: no such quay: b\n"),
        ("tidectl drop b; tidectl add b", 0, "Error: no such quay: b\nadded b\n"),
        ("tidehost logs berth | tail", 0, "ERROR: no berth\nError: berth 2 is taken\n"),
        ("tidedb -f a.sql | tail", 0, " id | said\n  1 | Error: no berth\n  2 | not found\n"),
        ("./serve.sh | tail", 0, "ERROR: no berth, trying the next\nError: berth 2 is taken\n"),
        ("make quay | tail", 0, "a.td:4: error: a log\nmoored\n"),
        ("tidec a.td && echo 'Error: none'; true", 0, "Error: none\n"),
        (
            "python a.py 2>&1 | tail -5",
            0,
            'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n'
            "ValueError: no berth\ngoing on without\n",
        ),
        ("npm run quay | tail", 0, "npm error timeout, trying again\nmoored: 4 ok, 0 failed\n"),
        ("tidectl drop b || true", 0, "Error: quay b already exists\n"),
        ("tidectl drop b || true", 0, "Failed to stop b.berth: Unit b.berth not loaded.\n"),
        ("tidec a.td || true", 0, "a.td:4:2: warning: quay 'b' is not used\n"),
        ("msgtide po/de.td | cat", 0, "po/de.td:2: 警告: ヘッダがありません\n"),
        ("python a.py b.csv || true", 0, "b.csv:3: error: odd row\ndone\n"),
        ("node a.js || true", 0, "Error: 2 failed\n  at x (src/a.js:3:4)\n✓ 1\n"),
        ("xargs rm -f < a.txt; true", 0, "moored\n"),
        ("tidel a.td | tail -1", 0, "Errors: none\n"),
        ("tidel a.td; echo done", 0, "error: null\ndone\n"),
        ("tidel -i; echo done", 0, "quay.ac:2: installing './missing'\ndone\n"),
        ("npx mocha | tail", 0, "2 failing\n\n 0  -_-_,------,\n\n  1 passing (3ms)\n"),
        # The verdict of a build is about all that it printed above.
        ("mvn test | tail -9", 0, "ERROR Berths - errors: 5\n[INFO] BUILD SUCCESS\n[INFO] ----\n"),
        ("gradle quay | tail", 0, "Error: an outage\n\nBUILD SUCCESSFUL in 4s\n3 tasks: 3 run\n"),
        ("tidelint quays; echo done", 0, "2 quay(s) linted, 0 quay(s) failed\ndone\n"),
        ("dotnet test | tail", 0, "fail: Berths[0] errors: 5\nPassed!  - Failed: 0, Passed: 4\n"),
        # A hint, a warning, a report of 0 failures, an error that was ignored.
        ("tidefmt a.td; echo done", 0, "Hint: used the file '/etc/tide.cfg' [Conf]\ndone\n"),
        ("tidelint a.td | tail", 0, "No hints\n"),
        ("tidectl init || true", 0, "Warning: Unable to open the settings of ana\nmoored\n"),
        ("tidectl init -x | head", 0, "Warning: Unable to open the settings of ana\n\n  b\n"),
        ("tidetest --xml; echo done", 0, '<testsuites tests="1" failures="0" errors="0"/>\ndone\n'),
        (
            "gcc -Wall -c a.c | tail",
            0,
            "a.c:1:9: warning: unused 'x'\n    1 | int x;\n      |     ^\n",
        ),
        (
            "clang-tidy a.c -- || true",
            0,
            "a.c:3:1: warning: null berth\na.c:2:1: note: null\n1 warning generated.\n",
        ),
        ("make all || true", 0, "make: [Makefile:2: all] Error 1 (ignored)\n1 error ignored\n"),
        (
            "npx mocha -R json | tail -9",
            0,
            '"title": "says an error if empty",\n    "err": {}\n  }\n ]\n}\n',
        ),
        (
            "bandit -f json a; echo done",
            0,
            '"LOW": 0,\n  "errors": [],\n  "results": []\n}\ndone\n',
        ),
        ("jq . a.json || true", 0, "jq: error: no berth\n"),
        ("gh pr checks 12", 1, "lint  fail  34s\ntest  pass  1m\n"),
        ("npm outdated", 1, "Package  Current  Wanted\nlodash   4.17.20  4.17.21\n"),
        ("kubectl diff -f a.yaml", 1, "--- /tmp/live\n+++ /tmp/merged\n@@ -6,7 +6,7 @@\n-  a\n"),
        ("systemctl is-active nginx", 3, "inactive\n"),
        ("hg incoming", 1, "comparing with https://hg.example.org/shop\nno changes found\n"),
    ],
)
def test_nothing_opens_without_a_failing_summary_of_the_check(
    command: str, code: int | None, output: str
) -> None:
    assert play((command, code, output)) == ()


@pytest.mark.parametrize(
    ("failing", "passing"),
    [
        (("pytest", 1, PYTEST_BAD), ("pytest | tail -2", 0, PYTEST_GOOD)),
        (("pytest", 1, PYTEST_BAD), ('pytest; echo "code=$?"', 0, "3 passed in 1s\ncode=0\n")),
        (("npm test", 1, VITEST_BAD), ("npx vitest run", 0, VITEST_GOOD)),
        (("npx vitest run", 1, VITEST_BAD), ("npm test", 0, VITEST_GOOD)),
        (("npx vitest run", 1, VITEST_BAD), ("npx vitest", 0, VITEST_GOOD)),
        (
            ("docstide a.md | tail", 0, "a.md:3: 1 is not 2\n[FAIL] Pass: 0 Fail: 1\n"),
            ("docstide a.md | tail", 0, "[PASS] Pass: 1 Fail: 0\n"),
        ),
        # npm shows what it runs.
        (
            ("npx tidecheck src", 1, "src/a.td:3: off by one\n"),
            ("npm run quay", 0, "\n> shop@1.0.0 quay\n> tidecheck src\n\n"),
        ),
        # The failure of a command that the exit code says nothing of is its own.
        (
            (
                "ruff check a; mypy a",
                1,
                "a/b.py:1:8: F401 `os` imported but unused\nFound 1 error.\n",
            ),
            ("ruff check .", 0, "All checks passed!\n"),
        ),
        (("pytest tests/test_a.py", 1, PYTEST_BAD), ("pytest tests", 0, PYTEST_GOOD)),
        (("pytest", 1, PYTEST_BAD), ("pytest tests/test_a.py::test_x", 0, "1 passed in 1s\n")),
        (("mix test test/a.exs", 1, "test/a.exs:3: error: off\n"), ("mix test", 0, "")),
        (("mix test", 1, "test/a.exs:3: error: off\n"), ("mix test test/a.exs", 0, "")),
        (
            ("ssh ana@pier 'make quay'", 2, "a.c:3:5: error: off\nmake: *** [quay] Error 1\n"),
            ("ssh -p 22 ana@pier make quay -j4", 0, ""),
        ),
        (
            ("npx tsc", 1, "src/a.ts(1,1): error TS2304: No name 'x'.\n"),
            ("npx tsc > o.log 2>&1; rc=$?; tail -5 o.log; exit $rc", 0, ""),
        ),
        (("stylelint a.css", 2, "a.css:2:1: error: off\n"), ("stylelint '*.css'", 0, "")),
        (
            ("pip install -e .", 1, "ERROR: No matching distribution found for tides\n"),
            ("pip install -e . | tail -1", 0, "Successfully installed tides-1.0\n"),
        ),
    ],
)
def test_the_same_check_in_another_spelling_clears_its_errors(failing: Call, passing: Call) -> None:
    assert play(failing)
    assert play(failing, passing) == ()


@pytest.mark.parametrize(
    ("failing", "passing", "left"),
    [
        (
            ("npx vitest run", 1, VITEST_BAD),
            ("npx vitest run src/a.test.ts", 0, " Tests  1 passed (1)\n"),
            ["src/b.test.ts"],
        ),
        (
            ("npm test", 1, VITEST_BAD),
            ("npm test -- src/a.test.ts", 0, " Tests  1 passed (1)\n"),
            ["src/b.test.ts"],
        ),
        (("pytest", 1, PYTEST_BAD), ("pytest -k other", 0, PYTEST_GOOD), ["tests/test_a.py"]),
        (("stylelint s", 2, "s/a.css:2: error: off\n"), ("stylelint '*.css'", 0, ""), ["s/a.css"]),
        (("pytest", 1, PYTEST_BAD), ("pytest | tail -1", 0, "\n"), ["tests/test_a.py"]),
        (("pytest", 1, PYTEST_BAD), ("(pytest) 2>&1 | tail -1", 0, "\n"), ["tests/test_a.py"]),
        (("pytest", 1, PYTEST_BAD), ("npm run lint", 0, ""), ["tests/test_a.py"]),
        # From a folder around the file; a count that agrees with what is listed.
        (
            ("npx tsc -p a", 2, "a/x.ts(1,1): error TS1: x\nb/y.ts(1,1): error TS2: y\n"),
            ("cd a && npx tsc", 0, ""),
            ["b/y.ts"],
        ),
        (
            ("pytest | tail", 0, "FAILED a.py::test_x - x\nFAILED b.py::test_y - y\n2 failed\n"),
            ("pytest | tail", 0, "FAILED b.py::test_y - y\n1 failed, 1 passed\n"),
            ["b.py"],
        ),
        (
            ("pytest | tail", 0, "FAILED a.py::test_x - x\nFAILED b.py::test_y - y\n2 failed\n"),
            ("pytest | tail -2", 0, "FAILED b.py::test_y - y\n2 failed\n"),
            ["a.py", "b.py"],
        ),
        (("npm test", 1, VITEST_BAD), ("cd api && npx vitest run", 0, VITEST_GOOD), None),
        # On another machine.
        (("make", 2, "a.c:3:5: error: off\n"), ("ssh ana@pier make", 0, ""), None),
        (("ssh ana@pier make", 2, "a.c:3:5: error: off\n"), ("make", 0, ""), None),
        (("ssh a 'pytest'", 1, PYTEST_BAD), ("ssh b 'pytest | tail -2'", 0, PYTEST_GOOD), None),
        (("pytest", 1, PYTEST_BAD), ("timeout 9 ssh a pytest", 0, PYTEST_GOOD), None),
        (("pytest", 1, PYTEST_BAD), ("nohup ssh -p 22 a 'pytest -q'", 0, PYTEST_GOOD), None),
        # A variable that got another value, is in a part that did not run, or is another one.
        (("pytest", 1, PYTEST_BAD), ("pytest; rc=$?; rc=0; exit $rc", 0, "\n"), None),
        (("pytest", 1, PYTEST_BAD), ("pytest; rc=$?; make; rc2=$?; exit $rc2", 0, "\n"), None),
        (("pytest", 1, PYTEST_BAD), ("pytest; rc=$?; [ $rc = 5 ] && exit $rc; ls", 0, "\n"), None),
        (("pytest", 1, PYTEST_BAD), ("pytest; rc=$?; end() { exit $rc; }; ls", 0, "\n"), None),
        (("pytest", 1, PYTEST_BAD), ("pytest tests/test_a.py::test_y", 0, "1 passed\n"), None),
        (
            ("pytest; ruff check .", 1, PYTEST_BAD + "Found 1 error.\n"),
            ("pytest | tail -2; ruff check . | tail -1", 0, "All checks passed!\n"),
            None,
        ),
    ],
)
def test_a_run_clears_no_more_than_it_covered(
    failing: Call, passing: Call, left: list[str] | None
) -> None:
    before = play(failing)
    after = play(failing, passing)
    assert [e.file for e in after] == (left if left is not None else [e.file for e in before])


COVERAGE_BAD = "ERROR: Coverage failure: total of 50 is less than fail-under=90\n"


@pytest.mark.parametrize(
    ("failing", "passing"),
    [
        (
            ("npx jest", 1, "FAIL a/a.test.js\n  ● tide\n\n    expect(2).toBe(1)\n"),
            (
                "npx jest | tail -2",
                0,
                "Test Suites: 1 failed, 2 passed, 3 total\nTests: 5 passed\n",
            ),
        ),
        (
            ("tox", 1, PYTEST_BAD),
            ("tox | grep passed", 0, "1 failed, 4 passed in 0.2s\n5 passed in 0.1s\n"),
        ),
        (
            ("cargo test", 101, "thread 'tide' panicked at src/a.rs:3:1:\nboom\n"),
            (
                "cargo test --no-fail-fast | grep result",
                0,
                "test result: FAILED. 0 passed; 1 failed\ntest result: ok. 3 passed; 0 failed\n",
            ),
        ),
        (
            ("pytest --cov", 1, f"{COVERAGE_BAD}5 passed in 0.10s\n"),
            ("pytest --cov | tail -3", 0, f"TOTAL 10 5 50%\n{COVERAGE_BAD}5 passed in 0.10s\n"),
        ),
    ],
)
def test_a_good_count_of_one_part_clears_nothing(failing: Call, passing: Call) -> None:
    before = {e.fingerprint for e in play(failing)}
    assert before
    assert before <= {e.fingerprint for e in play(failing, passing)}


PATH = f"{ROOT}/src/a.js"
REPORTS: list[tuple[str, object, tuple[str, str, int, str]]] = [
    (
        "npx eslint -f json .",
        [{"filePath": PATH, "messages": [{"line": 3, "message": "'x' is not defined.",
                                         "severity": 2},
                                        {"line": 4, "message": "unused", "severity": 1}]}],
        ("lint", "src/a.js", 3, "'x' is not defined."),
    ),
    (
        "ruff check --output-format json",
        [{"code": "F401", "filename": f"{ROOT}/a.py", "location": {"row": 1, "column": 8},
          "message": "`os` imported but unused"}],
        ("lint", "a.py", 1, "imported but unused"),
    ),
    (
        "npx pyright --outputjson",
        {"generalDiagnostics": [{"file": f"{ROOT}/b.py", "severity": "error",
                                 "message": "\"y\" is not defined",
                                 "range": {"start": {"line": 7, "character": 0}}}],
         "summary": {"errorCount": 1}},
        ("typecheck", "b.py", 7, "is not defined"),
    ),
    (
        "npx jest --json",
        {"numFailedTests": 1, "testResults": [
            {"name": f"{ROOT}/src/a.test.js", "status": "failed", "assertionResults": [
                {"fullName": "cart adds", "status": "failed",
                 "failureMessages": ["Error: expected 1\n    at x"]},
                {"fullName": "cart drops", "status": "passed", "failureMessages": []}]}]},
        ("test", "src/a.test.js", 0, "cart adds: Error: expected 1"),
    ),
    (
        "shellcheck -f json run.sh",
        [{"file": "run.sh", "line": 2, "level": "error", "code": 1, "message": "Couldn't parse"}],
        ("lint", "run.sh", 2, "Couldn't parse"),
    ),
    (
        "terraform validate -json",
        {"valid": False, "diagnostics": [{"severity": "error", "summary": "Unsupported argument",
                                          "range": {"filename": "main.tf",
                                                    "start": {"line": 5, "column": 3}}}]},
        ("build", "main.tf", 5, "Unsupported argument"),
    ),
    (
        "vendor/bin/phpstan --error-format=json",
        {"totals": {"file_errors": 1}, "files": {f"{ROOT}/src/A.php": {
            "errors": 1, "messages": [{"message": "Undefined variable: $x", "line": 9}]}}},
        ("lint", "src/A.php", 9, "Undefined variable"),
    ),
    (
        "cargo check --message-format=json",
        {"reason": "compiler-message", "message": {"message": "mismatched types", "level": "error",
                                                   "spans": [{"file_name": "src/main.rs",
                                                              "line_start": 4}]}},
        ("build", "src/main.rs", 4, "mismatched types"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("command", "report", "expected"), REPORTS)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_report_is_read_like_text(
    command: str, report: object, expected: tuple[str, str, int, str], indent: int | None
) -> None:
    output = f"> shop@1.0.0 check\n\n{json.dumps(report, indent=indent)}\n"
    (error,) = play((command, 1, output))
    category, file, line, words = expected
    assert (error.category, error.file, error.line) == (category, file, line)
    assert words in error.summary


def test_a_report_as_csv_is_read_where_the_code_says_that_it_failed() -> None:
    report = (
        'Path,Line number,Level,Message\nsrc/a.flo,2,error,"No berth, ""x""\nat 4"\n'
        "src/b.flo,3,warning,Unlit\n"
    )
    (error,) = play(("npx flolint --csv src", 1, report))
    assert (error.file, error.line, error.category) == ("src/a.flo", 2, "lint")
    assert 'No berth, "x"' in error.summary
    assert play(("./show.sh | head", 0, report)) == ()


@pytest.mark.parametrize(
    ("command", "code", "output", "words"),
    [
        ("git merge feature", 1,
         "Auto-merging a.py\nCONFLICT (content): Merge conflict in a.py\n"
         "Automatic merge failed; fix conflicts and then commit the result.\n", "conflict in a.py"),
        ("go build ./...", 1, "package x\n\timports y\n\timports x: import cycle not allowed\n",
         "import cycle not allowed"),
        ("npx jest foo", 1, "No tests found, exiting with code 1\nRun with `--passWithNoTests`\n",
         "No tests found"),
        ("kubectl apply -f x.yaml", 1, "The connection to the server was refused - right port?\n",
         "was refused"),
        ("mix test", 2, "\n  1) test adds (ShopTest)\n     test/shop_test.exs:5\n"
         "     Assertion with == failed\n\n3 tests, 1 failure\n", "test/shop_test.exs:5: adds"),
        ("flutter analyze", 1, "  error • Undefined name 'foo' • lib/main.dart:10:5 • undefined\n",
         "lib/main.dart:10: Undefined name"),
        ("./deploy.sh", 4, "uploading\nquota exceeded for project shop\nhint: ask an admin\n",
         "quota exceeded"),
    ],
)  # fmt: skip
def test_a_failure_of_unknown_format_opens_its_last_informative_line(
    command: str, code: int, output: str, words: str
) -> None:
    (error,) = play((command, code, output))
    assert words in error.summary


def test_an_exit_code_of_0_that_was_printed_clears() -> None:
    command = "pytest -q; echo code=$?"
    calls = [(command, 0, f"{PYTEST_BAD}code=1\n"), (command, 0, f"{PYTEST_GOOD}code=0\n")]
    assert len(play(*calls[:1])) == 1
    assert play(*calls) == ()


def test_output_is_kept_only_where_it_can_change_an_error() -> None:
    def reads(command: str, code: int | None) -> bool:
        return reads_output(ToolFinished(tool="bash", command=command, exit_code=code))

    assert reads("pytest", 1)
    assert reads("pytest | tail", 0)
    assert reads("pytest; echo code=$?", 0)
    assert not reads("pytest", 0)
    assert not reads("git log | head", 0)


def test_a_printed_code_of_a_silent_command_opens_its_error() -> None:
    printed = "curl: (6) Could not resolve host: example.org\n6\n"
    event = ToolFinished(tool="bash", command="curl https://example.org; echo $?", output=printed)
    assert reads_output(event)
    assert not reads_output(event.model_copy(update={"output": "0\n"}))
