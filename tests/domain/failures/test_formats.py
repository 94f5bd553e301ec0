"""What each family of tools prints when it fails, and the errors that are read from it (HS-2)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wm.domain.failures.open_errors import after_tool
from wm.formats.events import ToolFinished
from wm.settings import SessionSettings

ROOT = "/home/ana/shop"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
SETTINGS = SessionSettings()

Row = tuple[str, str, list[tuple[str, str, int, str]]]


def read(command: str, output: str, exit_code: int | None = 1) -> list[tuple[str, str, int, str]]:
    event = ToolFinished(tool="bash", command=command, output=output, exit_code=exit_code, cwd=ROOT)
    found = after_tool((), event, root=ROOT, now=NOW, settings=SETTINGS)
    return [(e.category, e.file, e.line, e.summary) for e in found]


CHECKERS: list[Row] = [
    (
        "tidec quay.z80",
        "Pass 1\nERROR on line 4 of file quay.z80\nERROR: Symbol 'tide' is undefined\n",
        [("runtime", "quay.z80", 4, "quay.z80:4: ERROR: Symbol 'tide' is undefined")],
    ),
    (
        "tided -t quay.json",
        'Check failed with: quay.json:5.5-13: syntax error, unexpected tide, expecting ","\n',
        [
            (
                "runtime",
                "quay.json",
                5,
                "quay.json:5: Check failed with: quay.json:5.5-13: syntax "
                'error, unexpected tide, expecting ","',
            )
        ],
    ),
    (
        "tidy-site validate",
        "Error: Syntax error at 'tide' (file: /home/ana/shop/m/quay.pp, line: 3, column: 5)\n",
        [
            (
                "runtime",
                "m/quay.pp",
                3,
                "m/quay.pp:3: Error: Syntax error at 'tide' (file: "
                "/home/ana/shop/m/quay.pp, line: 3, column: 5)",
            )
        ],
    ),
    (
        "tidehtml quay.html",
        "Error: Stray end tag.\nFrom line 5, column 8; to line 5, column 13 in resource "
        "file:/home/ana/shop/quay.html\n",
        [("runtime", "quay.html", 5, "quay.html:5: Error: Stray end tag.")],
    ),
    (
        "tidepack",
        'Error: Could not resolve "./b" from "src/quay.ts"\n',
        [
            (
                "runtime",
                "src/quay.ts",
                0,
                'src/quay.ts: Error: Could not resolve "./b" from "src/quay.ts"',
            )
        ],
    ),
    (
        "tideflow release",
        'ParserError: while parsing a block collection\n  in "/home/ana/shop/a.yaml", line 2, '
        'column 3\nexpected <block end>\n  in "/home/ana/shop/a.yaml", line 3, column 4\n',
        [
            (
                "runtime",
                "a.yaml",
                3,
                "a.yaml:3: ParserError: while parsing a block collection expected <block end>",
            )
        ],
    ),
    (
        "node t/quay.mjs",
        "not ok 1 is twelve\n  ---\n    operator: equal\n    stack:    |-\n      Error: is twelve\n"
        "          at T.equal (/home/ana/shop/node_modules/tap0/index.js:115:10)\n"
        "          at T.fn (file:///home/ana/shop/t/quay.mjs:4:5)\n  ...\n# fail  1\n",
        [("test", "t/quay.mjs", 4, "t/quay.mjs:4: is twelve: failed")],
    ),
    (
        "npx floatlint docs",
        "  ✗ docs/tide.flo\n     ✗ #2: No moorings. (moor)\n     ✗ #14-15: Unlit. (lamp)\n"
        "\n2 errors\n",
        [
            ("lint", "docs/tide.flo", 2, "docs/tide.flo:2: No moorings. (moor)"),
            ("lint", "docs/tide.flo", 14, "docs/tide.flo:14: Unlit. (lamp)"),
        ],
    ),
    (
        "npx yamllints '*.yaml'",
        " ERROR  Lint failed for 1 file\n\n/home/ana/shop/a.yaml\n\n ERROR  repeated key (2:1)\n\n"
        " 2 | a: 2\n-----^\n",
        [("lint", "a.yaml", 2, "a.yaml:2: repeated key")],
    ),
    (
        "tidec -C tide.vcl",
        "Message from the compiler:\nUnknown property 'uri'\n"
        "('/home/ana/shop/tide.vcl' Line 7 Pos 11)\n"
        '  if (req.uri ~ "^/admin") {\n----------###------------\n',
        [("runtime", "tide.vcl", 7, "tide.vcl:7: Unknown property 'uri'")],
    ),
    (
        "npx ejsish page.ejs",
        "ejsish: /home/ana/shop/page.ejs:1\n >> 1| <h1><%= titel %></h1>\n    2| \n\n"
        "titel is not defined\n",
        [("runtime", "page.ejs", 1, "page.ejs:1: titel is not defined")],
    ),
    (
        "tidetest t",
        ":t/tide.test:1: [Failed]\nCommand:\ntide 3\nExpected stdout: \n12\n\nGot stdout:\n7\n",
        [("test", "t/tide.test", 1, "t/tide.test:1: [Failed] Command: tide 3")],
    ),
    (
        "tidemail -C rc ana@example.org",
        "tidemail: rc: line 2: unknown command hozt\n",
        [("runtime", "", 0, "tidemail: rc: line 2: unknown command hozt")],
    ),
    (
        "tideclone copy a.txt store:a",
        '2026/11/30 09:44:40 NOTICE: Config file "/x.conf" not found - using defaults\n'
        "2026/11/30 09:44:40 Failed to open store: no section in config file\n",
        [("runtime", "", 0, "Failed to open store: no section in config file")],
    ),
    (
        "npx tsc --noEmit",
        "src/cart.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'.\n"
        "  The expected type comes from property 'total'.\n"
        "src/cart.ts(9,1): error TS2304: Cannot find name 'tax'.\n",
        [
            (
                "typecheck",
                "src/cart.ts",
                4,
                "src/cart.ts:4: TS2322: Type 'string' is not assignable to type 'number'.",
            ),
            ("typecheck", "src/cart.ts", 9, "src/cart.ts:9: TS2304: Cannot find name 'tax'."),
        ],
    ),
    (
        "npx markdown-checker docs",
        "index.md:3: error: Heading is empty.\non/start.md:4:1 error Link is dead.\n",
        [
            ("lint", "index.md", 3, "index.md:3: error: Heading is empty."),
            ("lint", "on/start.md", 4, "on/start.md:4: Link is dead."),
        ],
    ),
    (
        "./rates_test",
        "rates_test.cc:5: Failure\nExpected equality of these values:\n  twice(4)\n"
        "    Which is: 12\n  8\n[  FAILED  ] Rates.Twice (0 ms)\n",
        [
            (
                "test",
                "rates_test.cc",
                5,
                "rates_test.cc:5: failure: Expected equality of these values: twice(4)",
            )
        ],
    ),
    (
        "./t",
        "1..1\nnot ok 1 - adds\n# 0x6 != 0x5\n# t.c:11: error: Failure!\n# not ok - tests\n",
        [("test", "t.c", 11, "t.c:11: adds: 0x6 != 0x5")],
    ),
    (
        "node t.js",
        "TAP version 13\nnot ok 1 - adds\n  ---\n  message: |-",
        [("test", "", 0, "adds: failed")],
    ),
    (
        "flex words.l",
        "words.l:5: bad character class\nwords.l:5: unrecognized rule\n"
        "words.l:5: fatal parse error\n",
        [("build", "words.l", 5, "words.l:5: bad character class")],
    ),
    (
        "npx tsc --pretty",
        "\x1b[96msrc/a.tsx\x1b[0m:\x1b[93m3\x1b[0m:\x1b[93m5\x1b[0m - \x1b[91merror\x1b[0m"
        "\x1b[90m TS2345: \x1b[0mBad argument.\n\n\x1b[7m3\x1b[0m   f(x)\n",
        [("typecheck", "src/a.tsx", 3, "src/a.tsx:3: TS2345: Bad argument.")],
    ),
    (
        "npx eslint src",
        "\n/home/ana/shop/src/a.js\n"
        "  3:7  error    'x' is never used        no-unused-vars\n"
        "  4:1  warning  Unexpected console call  no-console\n\n"
        "✖ 2 problems (1 error, 1 warning)\n",
        [("lint", "src/a.js", 3, "src/a.js:3: 'x' is never used no-unused-vars")],
    ),
    (
        "npx eslint src --max-warnings 0",
        "\n/home/ana/shop/src/a.js\n  4:1  warning  Unexpected console call  no-console\n\n"
        "✖ 1 problem (0 errors, 1 warning)\n\nESLint found too many warnings (maximum: 0).\n",
        [("lint", "src/a.js", 4, "src/a.js:4: Unexpected console call no-console")],
    ),
    (
        "npx biome check src",
        "src/a.ts:3:5 lint/suspicious/noDoubleEquals  FIXABLE  ━━━━━━━━━━━━━━\n\n"
        "  × Use === instead of ==.\n  \n    2 │ if (a) {\n  > 3 │   b == c\n",
        [
            (
                "lint",
                "src/a.ts",
                3,
                "src/a.ts:3: lint/suspicious/noDoubleEquals Use === instead of ==.",
            )
        ],
    ),
    (
        "npx prettier --check src",
        "Checking formatting...\n[warn] src/a.ts\n"
        "[warn] Code style issues found in the above file. Run Prettier with --write to fix.\n",
        [("lint", "src/a.ts", 0, "src/a.ts: not formatted (prettier)")],
    ),
    (
        "ruff check .",
        "F401 [*] `os` imported but unused\n --> app/a.py:1:8\n  |\n1 | import os\n  |        ^^\n"
        "  |\nhelp: Remove unused import: `os`\n\nFound 1 error.\n",
        [("lint", "app/a.py", 1, "app/a.py:1: F401: `os` imported but unused")],
    ),
    (
        "ruff check --output-format grouped",
        "app/a.py:\n  1:8 F401 [*] `os` imported but unused\n\nFound 1 error.\n",
        [("lint", "app/a.py", 1, "app/a.py:1: F401 `os` imported but unused")],
    ),
    (
        "ruff check --output-format github",
        "::error title=ruff (F401),file=/home/ana/shop/app/a.py,line=1,col=8::app/a.py:1:8: F401\n",
        [("lint", "app/a.py", 1, "app/a.py:1: F401")],
    ),
    (
        "flake8",
        "./app/a.py:3:80: E501 line too long (88 > 79 characters)\n",
        [("lint", "app/a.py", 3, "app/a.py:3: E501 line too long (88 > 79 characters)")],
    ),
    (
        "black --check .",
        "would reformat /home/ana/shop/app/a.py\n\nOh no! 💥 💔 💥\n1 file would be reformatted.\n",
        [("lint", "app/a.py", 0, "app/a.py: not formatted")],
    ),
    (
        "mypy app",
        'app/a.py:12: error: Item "None" of "User | None" has no attribute "id"  [union-attr]\n'
        "app/a.py:12: note: see the docs\nFound 1 error in 1 file (checked 9 source files)\n",
        [
            (
                "typecheck",
                "app/a.py",
                12,
                'app/a.py:12: error: Item "None" of "User | None" has no attribute "id"'
                " [union-attr]",
            )
        ],
    ),
    (
        "pyright",
        "/home/ana/shop/app/a.py\n"
        '  /home/ana/shop/app/a.py:7:9 - error: "x" is not defined (reportUndefinedVariable)\n'
        "1 error, 0 warnings, 0 informations\n",
        [("typecheck", "app/a.py", 7, 'app/a.py:7: "x" is not defined (reportUndefinedVariable)')],
    ),
    (
        "cargo fmt --check",
        "Diff in /home/ana/shop/src/main.rs:5:\n fn main() {\n-let a=1;\n+    let a = 1;\n }\n",
        [("lint", "src/main.rs", 5, "src/main.rs:5: not formatted (rustfmt)")],
    ),
    (
        "cargo clippy -- -D warnings",
        "    Checking shop v0.1.0 (/home/ana/shop)\n"
        "error: this loop never actually loops\n  --> src/a.rs:9:5\n   |\n9  |     loop {\n"
        "   = note: `-D clippy::never-loop` implied by `-D warnings`\n\n"
        "error: could not compile `shop` (bin) due to 1 previous error\n",
        [("lint", "src/a.rs", 9, "src/a.rs:9: this loop never actually loops")],
    ),
    (
        "go vet ./...",
        "# example.org/shop/rates\n"
        "rates/rates.go:6:2: fmt.Printf format %s has arg n of wrong type\n",
        [
            (
                "lint",
                "rates/rates.go",
                6,
                "rates/rates.go:6: fmt.Printf format %s has arg n of wrong type",
            )
        ],
    ),
]

TESTS: list[Row] = [
    (
        "pytest -q --tb=native",
        "=========== FAILURES ===========\n___________ test_sum ___________\n"
        "Traceback (most recent call last):\n"
        '  File "/home/ana/shop/tests/test_a.py", line 4, in test_sum\n    assert 1 == 2\n'
        "AssertionError: assert 1 == 2\n"
        "=========== short test summary info ===========\n"
        "FAILED tests/test_a.py::test_sum - assert 1 == 2\n",
        [("test", "tests/test_a.py", 4, "tests/test_a.py:4: test_sum: assert 1 == 2")],
    ),
    (
        "pytest -q",
        "=========== ERRORS ===========\n______ ERROR collecting tests/test_b.py ______\n"
        'E     File "/home/ana/shop/tests/test_b.py", line 1\nE       def f(:\nE             ^\n'
        "E   SyntaxError: invalid syntax\n"
        "=========== short test summary info ===========\nERROR tests/test_b.py\n",
        [
            (
                "test",
                "tests/test_b.py",
                1,
                "tests/test_b.py:1: collection: SyntaxError: invalid syntax",
            )
        ],
    ),
    (
        "pytest -q",
        "=================== FAILURES ===================\n"
        "_________________ TestPrice.test_sum _________________\n\n"
        "    def test_sum():\n>       assert total([1]) == 2\nE       assert 1 == 2\n\n"
        "tests/test_price.py:8: AssertionError\n"
        "=============== short test summary info ===============\n"
        "FAILED tests/test_price.py::TestPrice::test_sum - assert 1 == 2\n1 failed in 0.01s\n",
        [
            (
                "test",
                "tests/test_price.py",
                8,
                "tests/test_price.py:8: TestPrice.test_sum: assert 1 == 2",
            )
        ],
    ),
    (
        "python -m unittest",
        "F\n" + "=" * 70 + "\nFAIL: test_sum (test_price.PriceTest.test_sum)\n" + "-" * 70 + "\n"
        "Traceback (most recent call last):\n"
        '  File "/home/ana/shop/test_price.py", line 6, in test_sum\n'
        "    self.assertEqual(total([1]), 2)\nAssertionError: 1 != 2\n\n" + "-" * 70 + "\n"
        "Ran 1 test in 0.001s\n\nFAILED (failures=1)\n",
        [("test", "test_price.py", 6, "test_price.py:6: test_sum: AssertionError: 1 != 2")],
    ),
    (
        "npx jest",
        "FAIL src/price.test.js\n  ● price › adds\n\n    expect(received).toBe(expected)\n\n"
        "    > 4 |   expect(add(1, 1)).toBe(3)\n        |                     ^\n\n"
        "      at Object.toBe (src/price.test.js:4:21)\n\nTests: 1 failed, 1 total\n",
        [
            (
                "test",
                "src/price.test.js",
                4,
                "src/price.test.js:4: price › adds: expect(received).toBe(expected)",
            )
        ],
    ),
    (
        "npx vitest run",
        "⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n\n FAIL  src/price.test.ts > price > adds\n"
        "AssertionError: expected 2 to be 3 // Object.is equality\n"
        " ❯ src/price.test.ts:5:21\n      3|\n      5|   expect(add(1, 1)).toBe(3)\n\n⎯⎯⎯⎯[1/1]⎯\n",
        [
            (
                "test",
                "src/price.test.ts",
                5,
                "src/price.test.ts:5: price > adds: AssertionError: expected 2 to be 3"
                " // Object.is equality",
            )
        ],
    ),
    (
        "npx mocha",
        "\n  price\n    1) adds\n\n  0 passing (5ms)\n  1 failing\n\n  1) price\n       adds:\n\n"
        "      AssertionError [ERR_ASSERTION]: 2 == 3\n      + expected - actual\n\n"
        "      at Context.<anonymous> (test/price.js:6:12)\n"
        "      at process.processImmediate (node:internal/timers:483:21)\n",
        [
            (
                "test",
                "test/price.js",
                6,
                "test/price.js:6: price › adds: AssertionError [ERR_ASSERTION]: 2 == 3",
            )
        ],
    ),
    (
        "npx playwright test",
        "Running 1 test using 1 worker\n\n"
        "  1) [chromium] › tests/login.spec.ts:3:5 › logs in ──────────────\n\n"
        "    Error: expect(locator).toBeVisible() failed\n",
        [
            (
                "test",
                "tests/login.spec.ts",
                3,
                "tests/login.spec.ts:3: logs in: Error: expect(locator).toBeVisible() failed",
            )
        ],
    ),
    (
        "go test ./...",
        "--- FAIL: TestTotal (0.00s)\n    --- FAIL: TestTotal/empty (0.00s)\n"
        "        price_test.go:14: got 1, want 2\nFAIL\nFAIL\texample.org/shop/price\t0.003s\n"
        "ok  \texample.org/shop/cart\t0.002s\n",
        [
            (
                "test",
                "price/price_test.go",
                14,
                "price/price_test.go:14: TestTotal/empty: got 1, want 2",
            )
        ],
    ),
    (
        "cargo test",
        "running 1 test\ntest price::tests::adds ... FAILED\n\nfailures:\n\n"
        "---- price::tests::adds stdout ----\n"
        "thread 'price::tests::adds' panicked at src/price.rs:9:9:\n"
        "assertion `left == right` failed\n  left: 1\n right: 2\n\n\n"
        "failures:\n    price::tests::adds\n\ntest result: FAILED. 0 passed; 1 failed\n\n"
        "error: test failed, to rerun pass `--lib`\n",
        [
            (
                "test",
                "src/price.rs",
                9,
                "src/price.rs:9: price::tests::adds: panicked: assertion `left == right` failed",
            )
        ],
    ),
    (
        "bundle exec rspec",
        "Failures:\n\n  1) Price adds\n     Failure/Error: expect(add(1, 1)).to eq(3)\n\n"
        "       expected: 3\n            got: 2\n     # ./spec/price_spec.rb:5:in `block'\n\n"
        "Failed examples:\n\nrspec ./spec/price_spec.rb:4 # Price adds\n",
        [("test", "spec/price_spec.rb", 4, "spec/price_spec.rb:4: Price adds: expected: 3")],
    ),
    (
        "./gradlew test",
        "> Task :test FAILED\n\nPriceTest > adds() FAILED\n"
        "    org.opentest4j.AssertionFailedError at PriceTest.java:12\n\n"
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\n"
        "Execution failed for task ':test'.\n> There were failing tests.\n",
        [
            (
                "test",
                "PriceTest.java",
                12,
                "PriceTest.java:12: PriceTest > adds(): org.opentest4j.AssertionFailedError",
            )
        ],
    ),
    (
        "mvn -q test",
        "[ERROR] Failures: \n[ERROR]   PriceTest.adds:12 expected: <3> but was: <2>\n"
        "[ERROR] Tests run: 1, Failures: 1\n"
        "[ERROR] Failed to execute goal org.apache.maven.plugins:surefire:test -> [Help 1]\n",
        [
            (
                "test",
                "PriceTest.java",
                12,
                "PriceTest.java:12: PriceTest.adds: expected: <3> but was: <2>",
            )
        ],
    ),
    (
        "node --test",
        "✖ adds (1.2ms)\nℹ tests 1\n✖ failing tests:\n\ntest at test/price.test.mjs:4:1\n"
        "✖ adds (1.2ms)\n  AssertionError [ERR_ASSERTION]: 2 == 3\n",
        [
            (
                "test",
                "test/price.test.mjs",
                4,
                "test/price.test.mjs:4: adds: AssertionError [ERR_ASSERTION]: 2 == 3",
            )
        ],
    ),
]

BUILDS: list[Row] = [
    (
        "make",
        "gcc -c a.c\na.c:3:5: error: expected ';' before 'return'\n    3 |     return 1\n"
        "make: *** [Makefile:2: a.o] Error 1\n",
        [("build", "a.c", 3, "a.c:3: error: expected ';' before 'return'")],
    ),
    (
        "make deploy",
        "make: *** No rule to make target 'deploy'.  Stop.\n",
        [("build", "", 0, "No rule to make target 'deploy'")],
    ),
    (
        "go build ./...",
        "# example.org/shop/cart\ncart/cart.go:5:2: undefined: Total\n",
        [("build", "cart/cart.go", 5, "cart/cart.go:5: undefined: Total")],
    ),
    (
        "cargo build",
        "error[E0425]: cannot find value `x` in this scope\n --> src/main.rs:2:5\n  |\n"
        "2 |     x\n  |     ^ not found in this scope\n\n"
        "error: could not compile `shop` (bin) due to 1 previous error\n",
        [
            (
                "build",
                "src/main.rs",
                2,
                "src/main.rs:2: E0425: cannot find value `x` in this scope"
                " (not found in this scope)",
            )
        ],
    ),
    (
        "javac Main.java",
        "Main.java:4: error: ';' expected\n    int a = 1\n             ^\n1 error\n",
        [("build", "Main.java", 4, "Main.java:4: error: ';' expected")],
    ),
    (
        "./gradlew assemble",
        "e: file:///home/ana/shop/app/A.kt:7:3 Unresolved reference: total\n\n"
        "* What went wrong:\nExecution failed for task ':app:compileKotlin'.\n",
        [("build", "app/A.kt", 7, "app/A.kt:7: Unresolved reference: total")],
    ),
    (
        "npx webpack",
        "ERROR in ./src/index.js 2:0-28\n"
        "Module not found: Error: Can't resolve './cart' in '/home/ana/shop/src'\n\n"
        "webpack 5.90.0 compiled with 1 error in 80 ms\n",
        [
            (
                "build",
                "src/index.js",
                2,
                "src/index.js:2: Module not found: Error: Can't resolve './cart' in"
                " '/home/ana/shop/src'",
            )
        ],
    ),
    (
        "npm run build",
        "> shop@1.0.0 build\n> esbuild src/a.ts --bundle\n\n"
        '✘ [ERROR] Could not resolve "./cart"\n\n    src/a.ts:1:18:\n      1 │ import x\n\n'
        "1 error\n",
        [("build", "src/a.ts", 1, 'src/a.ts:1: Could not resolve "./cart"')],
    ),
    (
        "npm install",
        "npm error code E404\nnpm error 404 Not Found - GET https://registry.example.org/nope\n"
        "npm error A complete log of this run can be found in: /home/ana/.npm/_logs/x.log\n",
        [("build", "", 0, "npm error E404: 404 Not Found - GET https://registry.example.org/nope")],
    ),
    (
        "cmake -B build",
        "-- Configuring\nCMake Error at CMakeLists.txt:9 (add_library):\n"
        "  Cannot find source file:\n\n    src/gone.c\n\n-- Configuring incomplete\n",
        [("build", "CMakeLists.txt", 9, "CMakeLists.txt:9: Cannot find source file: src/gone.c")],
    ),
    (
        "dotnet build",
        "/home/ana/shop/Cart.cs(12,9): error CS0103: The name 'x' does not exist"
        " [/home/ana/shop/Shop.csproj]\n",
        [
            (
                "build",
                "Cart.cs",
                12,
                "Cart.cs:12: CS0103: The name 'x' does not exist [/home/ana/shop/Shop.csproj]",
            )
        ],
    ),
    (
        "terraform plan",
        "╷\n│ Error: Unsupported argument\n│ \n│   on main.tf line 7, in resource"
        ' "x" "y":\n│    7:   size = 3\n│ \n╵\n',
        [("build", "main.tf", 7, "main.tf:7: Unsupported argument")],
    ),
]

RUNS: list[Row] = [
    (
        "python app.py",
        "Traceback (most recent call last):\n"
        '  File "/home/ana/shop/app.py", line 3, in <module>\n    main()\n'
        '  File "/usr/lib/python3.11/json/__init__.py", line 9, in loads\n    raise\n'
        "ValueError: bad\n",
        [("runtime", "app.py", 3, "app.py:3: ValueError: bad")],
    ),
    (
        "node app.js",
        "/home/ana/shop/app.js:2\n  throw new TypeError('x')\n  ^\n\nTypeError: x\n"
        "    at main (/home/ana/shop/lib/run.js:2:9)\n"
        "    at node:internal/main/run_main_module:36:49\n\nNode.js v22.0.0\n",
        [("runtime", "lib/run.js", 2, "lib/run.js:2: TypeError: x")],
    ),
    (
        "go run .",
        "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n"
        "\t/home/ana/shop/main.go:8 +0x1d\nexit status 2\n",
        [("runtime", "main.go", 8, "main.go:8: panic: assignment to entry in nil map")],
    ),
    (
        "java Main",
        'Exception in thread "main" java.lang.IllegalStateException: no cart\n'
        "\tat java.base/java.util.Objects.check(Objects.java:9)\n"
        "\tat org.example.Cart.open(Cart.java:21)\n",
        [
            (
                "runtime",
                "org/example/Cart.java",
                21,
                "org/example/Cart.java:21: java.lang.IllegalStateException: no cart",
            )
        ],
    ),
    (
        "ruby app.rb",
        "app.rb:3:in `main': undefined method `x' for nil (NoMethodError)\n",
        [("runtime", "app.rb", 3, "app.rb:3: undefined method `x' for nil (NoMethodError)")],
    ),
    (
        "php app.php",
        "PHP Fatal error:  Uncaught Error: no cart in /home/ana/shop/app.php:7\nStack trace:\n",
        [("runtime", "app.php", 7, "app.php:7: Uncaught Error: no cart")],
    ),
    (
        "./deploy.sh",
        "./deploy.sh: line 4: kubectl: command not found\n",
        [("runtime", "deploy.sh", 4, "deploy.sh:4: kubectl: command not found")],
    ),
    ("nope", "bash: line 1: nope: command not found\n",
     [("runtime", "", 0, "bash: line 1: nope: command not found")]),
    ("ls gone", "error.log\nls: cannot access 'gone': No such file or directory\n",
     [("runtime", "", 0, "ls: cannot access 'gone': No such file or directory")]),
    ("git push", "fatal: not a git repository (or any parent)\n",
     [("runtime", "", 0, "fatal: not a git repository (or any parent)")]),
    ("./a.out", "Segmentation fault (core dumped)\n",
     [("runtime", "", 0, "Segmentation fault (core dumped)")]),
]  # fmt: skip

NOTHING: list[tuple[str, str, int | None]] = [
    ("git log -3", "fix: error in parser\n", 128),
    ("git diff --exit-code", "+ error: x\n", 1),
    ("git --no-pager show HEAD", "error: x\n", 1),
    ("cat build.log", "src/a.ts(1,2): error TS2322: x\n", 1),
    ("grep -rn error src | head", "src/a.c:3:5: error: x\n", 1),
    ("rg 'Traceback' logs", "", 1),
    ("diff a b", "< error: x\n", 1),
    ("test -f x", "", 1),
    ("[ -f x ] && cat x", "", 1),
    ("tail -5 ci.log; exit 1", "FAILED tests/a.py::b - x\n", 1),
    ("cd app && cat log.txt", "Error: x\n", 1),
    ("find . -name 'error*'", "./error: x\n./errors.go:1:2: x\n", 1),
    ("docker logs web", "panic: x\n", 1),
    ("docker compose -f x.yml logs web", "panic: x\n", 1),
    ("npx tsc", "src/a.ts(1,2): error TS2322: x\n", 0),
    ("npx tsc", "src/a.ts(1,2): error TS2322: x\n", None),
    ("pytest", "", 1),
    ("python report.py", "errors found: 0\nall good\n", 3),
]


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [*CHECKERS, *TESTS, *BUILDS, *RUNS],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)
def test_the_errors_of_each_tool_are_read(
    command: str, output: str, expected: list[tuple[str, str, int, str]]
) -> None:
    assert read(command, output) == expected


@pytest.mark.parametrize(("command", "output", "exit_code"), NOTHING)
def test_displayed_text_and_successful_commands_open_nothing(
    command: str, output: str, exit_code: int | None
) -> None:
    assert read(command, output, exit_code) == []


def test_of_several_tracebacks_the_last_counts() -> None:
    one = 'Traceback (most recent call last):\n  File "a.py", line {}, in f\n    x\n{}Error: x\n'
    output = (
        one.format(1, "Value")
        + "\nDuring handling of the above exception\n\n"
        + one.format(2, "Key")
    )
    assert read("python a.py", output) == [("runtime", "a.py", 2, "a.py:2: KeyError: x")]


def test_in_a_chain_the_error_belongs_to_the_part_that_printed_it() -> None:
    output = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x\nKeyError: 1\n'
    event = ToolFinished(
        tool="bash", command="ruff check . && python a.py", output=output, exit_code=1
    )
    (error,) = after_tool((), event, root=ROOT, now=NOW, settings=SETTINGS)
    assert (error.command, error.target, error.category) == ("python", ".: a.py", "runtime")


def test_a_summary_is_one_line_of_280_characters_at_most() -> None:
    (found,) = read("gcc a.c", f"a.c:1:2: error: {'x' * 900}\n")
    assert len(found[3]) == 280
    assert found[3].endswith("…")


def test_paths_are_relative_to_the_root_for_any_working_folder() -> None:
    output = "src/a.ts(1,2): error TS2322: x\n"
    assert read("cd packages/web && npx tsc", output)[0][1] == "packages/web/src/a.ts"
    assert read("npm --prefix packages/web run typecheck", output)[0][1] == "packages/web/src/a.ts"


@pytest.mark.parametrize(
    "line",
    ["error: x\n", "FAIL src/a.test.js\n", "not ok 1 - a\n", "panic: x\n", "  1) a\n", "\n",
     "Traceback (most recent call last):\n", "--- FAIL: TestA (0.00s)\n", "a.py:1: y\n"],
)  # fmt: skip
def test_a_huge_output_of_one_line_repeated_is_read_in_bounded_time(line: str) -> None:
    settings = SessionSettings(max_output_lines=1000)
    event = ToolFinished(tool="bash", command="npm test", output=line * 200_000, exit_code=1)
    assert len(after_tool((), event, root=ROOT, now=NOW, settings=settings)) <= 1
