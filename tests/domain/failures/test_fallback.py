# ruff: noqa: E501  Lines of other programs.
"""Failures of tools without a format of their own, behind prefixes of services, and hidden ones."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wm.domain.failures.open_errors import after_tool
from wm.formats.events import ToolFinished
from wm.settings import SessionSettings

ROOT = "/home/ana/shop"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
HIDDEN = 0

RELAYED = (
    "web.1  | request 1",
    "pack.1 | Traceback (most recent call last):",
    'pack.1 |   File "pack.py", line 7, in <module>',
    "pack.1 |     print(pack(kilos))",
    "pack.1 | NameError: name 'kilos' is not defined",
    "web.1  | ",
    "web.1  | request 2",
)
STREAMED = ("fee: /home/ana/shop/fee.js:1", "fee: log(fees);", "fee:     ^", "fee:",
            "fee: ReferenceError: fees is not defined", "fee:     at Object.<anonymous> (fee.js:1:1)",
            "fee: Node.js v20")  # fmt: skip
TABLE = ("│          │ executed │ failed │", "├──────────┼──────────┼────────┤",
         "│ requests │        3 │      2 │")  # fmt: skip
CALLED = "> 2 | const fee = require('./fees');\n    |             ^"
BOX = ("┏━━━━━┳━━━━━━━┳━━━━━━━━━━━━━━━━━━━━┓", "┃ Row ┃ Type  ┃ Message            ┃",
       "┡━━━━━╇━━━━━━━╇━━━━━━━━━━━━━━━━━━━━┩", "│ 4   │ blank │ the row has        │",
       "│     │       │ no cells           │", "└─────┴───────┴────────────────────┘")  # fmt: skip
ALIGNED = ("  #  failure  detail          ", "                             ",
           " 1.  Error    connect refused ", "              at request      ")  # fmt: skip
RUBY = ("  1) Error:", "CartTest#test_sums_up:", "NoMethodError: undefined method `<<' for nil", "",
        "    @prices << price", "    lib/cart.rb:12:in `add'", "    test/cart_test.rb:7:in `up'")  # fmt: skip
GAPS = ("Traceback (most recent call last):", "", '  File "/usr/lib/python3/run.py", line 9, in run',
        "    load()", "", '  File "/home/ana/shop/a.py", line 6, in <module>', "    import b", "",
        "ModuleNotFoundError: No module named 'b'")  # fmt: skip
RES = "  1 │ let a = 1\n  2 │\n  3 │ let b = a.c"

ROWS = [
    (
        "next build",
        1,
        "Failed to compile.\n\n./a.tsx\nModule not found: Can't resolve './b'\n\n> Build failed",
        "Module not found: Can't resolve './b'",
    ),
    (
        "wasm-as a.wat",
        1,
        "[wasm-validator error in fee] unexpected false: add types must match\n"
        "Fatal: Error: input module is not valid.",
        "types must match",
    ),
    (
        "dotnet test",
        1,
        "  Failed Fees.Total [4 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\n"
        "Expected: 3\nActual:   2\n  Stack Trace:\n     at Fees.Total() in /home/dev/shop/F.cs:line 9",
        "Assert.Equal() Failure: Values differ Expected: 3",
    ),
    (
        "vendor/bin/pest",
        1,
        "   FAIL  Tests\\FeeTest\n  ⨯ it sums      0.02s\n   FAILED  Tests\\FeeTest > it sums\n"
        "  Failed asserting that 2 is identical to 3.\n\n  at tests/FeeTest.php:4\n"
        "  ➜   4▕     expect(fee())->toBe(3);\n\n  Tests:    1 failed (1 assertions)",
        "Failed asserting that 2 is identical to 3.",
    ),
    (
        "deno test",
        1,
        "error: AssertionError: Values are not equal.\n  throw new AssertionError(message);\n"
        "    at assertEquals (https://deno.land/std@0.218.0/assert/assert_equals.ts:52:9)\n"
        "    at file:///home/dev/shop/fee_test.ts:5:3",
        "fee_test.ts:5: error: AssertionError: Values are not equal.",
    ),
    # A table with a column for the message; a cell may be wrapped.
    ("frictionless validate a.csv", 1, "\n".join(BOX), "a.csv:4: the row has no cells"),
    ("newman run a.json", 1, "\n".join(ALIGNED), "connect refused at request"),
    # A stack below what was thrown, and the title of the test above.
    (
        "crates-test",
        1,
        "\n".join(RUBY),
        "cart_test.rb:7: CartTest#test_sums_up: NoMethodError: undefined",
    ),
    ("python -m runner a", 1, "\n".join(GAPS), "a.py:6: ModuleNotFoundError: No module named 'b'"),
    # The heading names the exception, the text below says what is wrong.
    (
        "jsonschema -i a.json s.json",
        1,
        "===[ValidationError]===(a.json)===\n\n'x' is not an integer\n\nFailed validating 'type':\n",
        "'x' is not an integer",
    ),
    # A runner of several processes writes their names before what they print.
    ("honcho start", 1, "\n".join(RELAYED), "pack.py:7: NameError"),
    ("lerna run fee --stream", 1, "\n".join(STREAMED), "fees is not defined"),
    # The name of a failed test is its title.
    (
        "busted",
        1,
        "1 failure\n\nFailure → a.lua @ 2\ncart sums up\na.lua:3: not equal\n",
        "cart sums up",
    ),
    (
        "./specs",
        1,
        "  1) Cart\n       sums up:\n     Error: 2 != 3\n\n1 failed, 2 passed\n",
        "Cart sums up: ",
    ),
    # The line above a place lists files, or only announces the message below.
    (
        "node a.js",
        1,
        f"Error: Cannot find './fees'\nStack:\n- /home/ana/shop/a.js\n\n   at a.js:2\n\n{CALLED}\n",
        "Cannot find",
    ),
    (
        "rescript build",
        1,
        f"Compiled 1\n\n  We've found a bug for you!\n  /home/ana/shop/a.res:3:12-17\n\n{RES}\n\n  This has type: string\n",
        "a.res:3: This has type",
    ),
    # A table counts what failed.
    ("newman run a.json; echo finished", 0, "\n".join(TABLE), "requests: 2 failed"),
    # A JSON report says by a flag, or by the name of a list, what is wrong.
    (
        "size-limit --json",
        1,
        '[{"name": "a.js", "passed": false, "size": 123, "sizelimit": 90}]',
        "sizelimit: 90",
    ),
    (
        "checkov -o json",
        1,
        '{"check_id": "CKV_3", "check_result": {"result": "FAILED"}, "file_path": "/Dockerfile"}',
        "Dockerfile: CKV_3",
    ),
    (
        "depcheck --json",
        1,
        '{"unused": [], "missing": {"left-pad": ["/a.js"]}, "using": {"x": ["/a.js"]}}',
        "missing: left-pad",
    ),
    (
        "newman --reporters json",
        1,
        '{"run": {"requestError": {"code": "ECONNREFUSED", "port": 1}}}',
        "ECONNREFUSED",
    ),
    # An object under such a key is quoted with its texts; what a tool was asked to do is not a fault.
    (
        "fawltydeps --json",
        3,
        '{"settings": {"ignore_unused": ["black"]}, "unused_deps": [{"name": "attrs", "from": [1]}]}',
        "unused_deps: attrs",
    ),
    # A line that names only the file, or compares, and a mark with the message behind it.
    ("vyper a.vy", 1, "Error compiling: a.vy\nvyper.Undeclared: 'most' is not declared.\n", "most"),
    (
        "usort a",
        1,
        "Error sorting a/b.py: Syntax Error @ 21:1.\nparser error: error at 21:11\n",
        "a/b.py",
    ),
    (
        "sh t.sh",
        1,
        "ASSERT:name expected:<oak> but was:<elm>\nunit:ERROR t() returned non-zero.\n",
        "<elm>",
    ),
    (
        "fawltydeps",
        3,
        "These are undeclared:\n- 'numpy'\n    imported at:\n      a.py:5\n",
        "numpy",
    ),
    (
        "hg merge",
        1,
        "warning: conflicts while merging a.txt!\n0 files updated, 0 files merged, 1 files removed\n",
        "a.txt",
    ),
    ("json_verify", 1, "parse error: invalid key\n   ----^\nJSON is invalid\n", "invalid key"),
    # Faults without a place; JSON that only repeats the options; a wrapped log.
    (
        "validate --json",
        1,
        '{"valid": false, "tasks": [{"name": "a", "valid": false, "errors": [{"type": "x", "message": "an extra value"}]}]}',
        "an extra value",
    ),
    (
        "swagger validate a",
        1,
        '{\n "options": {"type": "json"}\n}\nError: Cannot find module \'ajv\'\n    at b.js:1:2\n',
        "ajv",
    ),
    (
        "pelican content",
        1,
        '[09:02:02] CRITICAL NameError: no site                 __init__.py:683\n                    Traceback (most recent call last):\n                      File "/a/es/\n                    b.py", line 6, in c\n',
        "CRITICAL: NameError: no site",
    ),
    (
        "elvish a.elv",
        2,
        "Exception: arity mismatch: 2 values\n/home/ana/shop/a.elv:4:1: weigh 20\n",
        "a.elv:4: Exception: arity mismatch",
    ),
    (
        "ufmt check a",
        1,
        "Would format /home/ana/shop/a.py\n1 file would be formatted\n",
        "a.py: not formatted",
    ),
    # A summary says that something failed; another line says what.
    ("helm lint c", 1, "[ERROR] templates/: nil pointer at tag\n\nError: 1 chart failed\n", "nil"),
    ("latexmk -pdf a.tex", 12, "! Undefined control sequence.\nLatexmk: Errors\n", "! Undefined"),
    ("git push", 1, " ! [rejected] main -> main\nerror: failed to push some refs\n", "rejected"),
    ("patch -p1", 1, "Hunk #1 FAILED at 1.\n1 out of 1 hunk FAILED -- saved\n", "Hunk #1"),
    (
        "mkdocs build --strict",
        1,
        "WARNING - a link to 'b.md' is not found\n\nAborted with 1 warnings in strict mode!\n",
        "b.md",
    ),
    ("git commit -m x", 1, "husky - pre-commit hook exited with code 1 (error)\n", "hook exited"),
    # The message is above its trace.
    ("make", 2, "make: *** Pas de règle pour « carts.o ». Arrêt.\n", "carts.o"),
    ("uv lock", 1, "error: No solution found\n  cause: Because wm-x was not found\n", "wm-x"),
    ("rake x", 1, "rake aborted!\nDon't know how x\n/a/rake.rb:9:in `[]'\n", "Don't know how"),
    (
        "sqlite3 a < q",
        1,
        "Parse error: syntax error\n  SELCT 1;\n  ^--- error here\n",
        "Parse error",
    ),
    ("Rscript a.R", 1, "Fehler in f() : Objekt nicht da\nAusführung angehalten\n", "Objekt"),
    ("robot .", 1, "Sums    | FAIL |\n11 != 10\nCart    | FAIL |\n1 test, 1 failed\n", "11 != 10"),
    (
        "pip wheel .",
        1,
        '  error: x\n      Traceback (most recent call last):\n        File "<string>", line 3'
        "\n      ModuleNotFoundError: No module named 'tools'\n",
        "No module named 'tools'",
    ),
    ("tclsh a.tcl", 1, 'divide by zero\n    while executing\n"expr {1 / 0}"\n', "divide by zero"),
    (
        "mix run",
        1,
        "** (SyntaxError) invalid syntax on lib/a.ex:4:5:\n    error: before: 'do'\n",
        "before",
    ),
    ("pytest", 2, "E   ImportError: no shop\nERROR tests/test_a.py\n1 error in 1s\n", "no shop"),
    ("julia a.jl", 1, "ERROR: `totl` not defined\n [1] top-level\n   @ ~/a.jl:3\n", "totl"),
    # A heading is above its message.
    ("elm make", 1, "-- NAMING ERROR ------ src/Main.elm\n\nI cannot find `totl`:\n", "totl"),
    ("ghc Main.hs", 1, "Main.hs:4:9: error:\n    • Not in scope: totl\n", "totl"),
    ("mix credo", 6, "┃ [R] → Needs a moduledoc\n┃       lib/cart.ex:1:11 #(Cart)\n", "moduledoc"),
    # Unpackers complain under the name of the program that they run.
    ("tar xzf a.tgz", 2, "\ngzip: stdin: not in gzip format\ntar: Child returned\n", "gzip format"),
    # Prefixes of services and task runners.
    (
        "npm test",
        1,
        "\n".join(
            f"2026-03-01T10:00:00.123Z {line}"
            for line in ("FAIL src/a.test.ts", "  ● adds", "", "    at x (src/a.test.ts:5:1)")
        ),
        "adds",
    ),
    ("npx turbo run build", 1, "@shop/web:build: src/a.ts(3,1): error TS2304: totl\n", "TS2304"),
    ("pnpm -r test", 1, "packages/ui test:  FAIL  src/a.test.ts > renders\n", "renders"),
    ("valgrind ./a", 9, "==12== Invalid write\n==12== ERROR SUMMARY: 1 errors (0)\n", "Invalid"),
    # Other languages.
    ("git merge t", 1, "KONFLIKT (Inhalt): Merge-Konflikt in f.txt\nfehlgeschlagen\n", "f.txt"),
    # A command that lists may also be one that changes.
    ("git branch -d t", 1, "error: The branch 't' is not fully merged.\n", "not fully merged"),
    # Test runners.
    ("dart test", 1, "00:00 +0 -1: test/a_test.dart: sums [E]\n  Expected: <3>\n", "sums"),
    ("python -m doctest m.py", 1, 'File "m.py", line 3, in m.f\nFailed example:\n    f()\n', "f()"),
    ("ctest", 8, "The following tests FAILED:\n\t  1 - sums (Subprocess aborted)\n", "sums"),
    (
        "rspec -f json",
        1,
        '{"messages":["\\nAn error occurred while loading ./spec/a_spec.rb.\\n'
        'LoadError:\\n  cannot load such file -- rate\\n"],"examples":[]}',
        "rate",
    ),
    (
        "shellcheck -f checkstyle a.sh",
        1,
        "<file name='a.sh' >\n<error line='3' severity='error' message='Quote it.' />\n</file>\n",
        "a.sh:3: Quote it.",
    ),
    # A message goes on in the next line, or names a place of its own.
    (
        "rspec",
        1,
        "  1) Cart sums\n     Failure/Error: x\n     NameError:\n       no x\n\n"
        "rspec ./spec/a_spec.rb:4 # Cart sums\n",
        "NameError: no x",
    ),
    (
        "ruby main.rb",
        1,
        "main.rb:3:in `require': ./lib/cart.rb:18: syntax error\n",
        "lib/cart.rb:18: syntax",
    ),
    (
        "ruby test/a_test.rb",
        1,
        "  1) Error:\nCartTest#test_sums:\nNoMethodError: undefined `<<' for nil\n\n    @a << 1\n"
        "    test/a_test.rb:7:in `test_sums'\n\n1 runs, 0 assertions, 1 errors\n",
        "a_test.rb:7: CartTest#test_sums: NoMethodError: undefined",
    ),
    (
        "go test -json ./...",
        1,
        '{"Action":"output","Test":"TestA/1","Output":"    a_test.go:12: got 3\\n"}\n'
        '{"Action":"fail","Test":"TestA/1"}\n{"Action":"fail","Test":"TestA"}\n',
        "a_test.go:12: TestA/1: got 3",
    ),
    (
        "ruff format --diff",
        1,
        "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-x=1\n+x = 1\n",
        "a.py: not formatted",
    ),
    (
        "phpunit --teamcity",
        1,
        "##teamcity[testFailed name='testSum' message='5 is not 4.' details='a']\n",
        "testSum: 5 is not 4.",
    ),
    (
        "make",
        2,
        "a.c:4:9: warning: unused variable 'x'\n/usr/bin/ld: b.o: in function `f':\n"
        "b.c:(.text+0x9): undefined reference to `g'\ncollect2: error: ld returned 1\n",
        "reference to `g'",
    ),
    # Hidden exit codes: the line that says most decides.
    ("prove -l t | tail", HIDDEN, "not ok 2 - sums\nResult: FAIL\n", "sums"),
    (
        "go test ./... | tail -3",
        HIDDEN,
        "FAIL\texample.org/cart\t0.01s\nFAIL\n",
        "example.org/cart",
    ),
    (
        "npm run lint | tail -2",
        HIDDEN,
        "✖ 3 problems\n2 errors potentially fixable\n",
        "3 problems",
    ),
    ("manage.py test | tail -1", HIDDEN, "FAILED (failures=1)\n", "failures=1"),
    (
        "conftest test k8s | tail",
        HIDDEN,
        "FAIL - a.yaml - main - runs as root\n\n2 tests, 1 passed, 1 failure\n",
        "runs as root",
    ),
    (
        "vendor/bin/pest || true",
        HIDDEN,
        "  Failed asserting that 3 is 4.\n\n  at tests/CartTest.php:8\n      4▕ it()\n\n"
        "  Tests:    1 failed, 1 passed (2 assertions)\n",
        "tests/CartTest.php:8: Failed asserting that 3 is 4.",
    ),
    ("dbt run | tail", HIDDEN, "ERROR: no column x\nDone. PASS=0 ERROR=1 TOTAL=1\n", "no column x"),
    # The place is in the middle of the message, in the title of a block, or below the message.
    (
        "helm template c",
        1,
        "Error: template: c/templates/a.yaml:24:28: executing: nil pointer\n",
        "c/templates/a.yaml:24: template: executing: nil",
    ),
    (
        "dotnet restore",
        1,
        "src/Shop.csproj : error NU1101: Unable to find package X\n",
        "src/Shop.csproj: src/Shop.csproj : error NU1101",
    ),
    (
        "R CMD check .",
        1,
        "── Failure ('test-cart.R:3:3'): sums ───\ntotal(1) not equal to 4.\n",
        "test-cart.R:3: sums total(1) not equal to 4.",
    ),
    (
        "graphql-codegen",
        1,
        "  ✖ Failed with 1 errors;\n    Error 0: Cannot query x\n    at src/a.graphql:4:5\n",
        "src/a.graphql:4: Error 0: Cannot query x",
    ),
    (
        "phpstan",
        1,
        "  Line   Cart.php\n ------ ---\n  21     Undefined totl().\n",
        "Cart.php:21: Und",
    ),
    (
        "bin/rails test",
        1,
        "F\n\nFailure:\nCartTest#test_sums [test/cart_test.rb:8]:\nExpected: 4\n  Actual: 3\n",
        "test/cart_test.rb:8: CartTest#test_sums: Expected: 4",
    ),
    (
        "terragrunt plan",
        1,
        "ERROR [vpc] failed\n  ╷\n  │ Error: Undeclared variable\n  │ \n"
        '  │   on main.tf line 14, in resource "a":\n  ╵\n',
        "main.tf:14: Undeclared variable",
    ),
    # Another line names the symbol that is missing.
    (
        "ld.lld main.o",
        1,
        "ld.lld: error: undefined symbol: total\n>>> referenced by main.c:12 (src/main.c:12)\n",
        "undefined symbol: total",
    ),
    (
        "cl main.cpp",
        2,
        "main.obj : error LNK2019: unresolved symbol\na.exe : fatal error LNK1120: 1 unresolved\n",
        "LNK2019",
    ),
    (
        "manage.py migrate",
        1,
        "SystemCheckError: Check identified some issues:\n\nERRORS:\nOrder: (E300) no model\n",
        "(E300) no model",
    ),
    (
        "matlab -batch main",
        1,
        "{Unrecognized function 'totl'.\n\nError in cart (line 4)\n    t = totl(x);\n} \n",
        "Unrecognized function",
    ),
    # A shell without the locale that its environment asks for is not what failed.
    (
        "visudo -c -f s",
        1,
        "bash: warning: setlocale: LC_ALL: cannot change locale (ja_JP.UTF-8)\n"
        "s:1:9: syntax error\n",
        "syntax error",
    ),
    # A process that runs others numbers their lines.
    (
        "concurrently 'npm run a' 'npm run b'",
        1,
        "[0] > node a.js\n[1] file:///home/ana/shop/b.js:3\n[1] weigh();\n[1] ^\n[1] \n"
        "[1] ReferenceError: weigh is not defined\n[1]     at file:///home/ana/shop/b.js:3:1\n"
        "[1] npm run b exited with code 1\n",
        "b.js:3: ReferenceError: weigh is not defined",
    ),
    # What was expected and what came explain the line above them.
    (
        "lockfile-lint -p l",
        1,
        "detected invalid host(s) for package: a@1.0\n    expected: npmjs.org\n"
        "    actual: example.org\n\n ✖ Error: security issues detected!\n",
        "invalid host(s) for package: a@1.0 expected: npmjs.org actual: example.org",
    ),
    # A heading with a list says more than the verdict; advice follows and is not read.
    (
        "reuse lint",
        1,
        "The following files have no licensing information:\n* a.py\n\nUnfortunately, your project"
        " is not compliant\n\n# RECOMMENDATIONS\n\n* Fix it: the tool cannot find a tag\n",
        "no licensing information: * a.py",
    ),
    # The exception that another one is about; a script that an installer made is not the place.
    (
        "jupyter nbconvert --execute a.ipynb",
        1,
        'Traceback (most recent call last):\n  File "/usr/bin/jupyter", line 10, in <module>\n'
        "    main()\nnb.CellExecutionError: An error occurred in the cell:\n-----\nprint(x)\n"
        "-----\nNameError: name 'x' is not defined\n",
        "An error occurred in the cell: NameError: name 'x' is not defined",
    ),
    # The message is below the source that the place shows.
    (
        "stylus a.styl",
        1,
        "/usr/lib/node_modules/stylus/bin/stylus:684\n      throw err;\n      ^\n\n"
        "Error: a.styl:1:9\n   1| @import 'b'\n------------^\n   2| x = 4\n\n"
        "failed to locate @import file b.styl\n",
        "a.styl:1: failed to locate @import file b.styl",
    ),
    (
        "xsltproc a.xsl a.xml",
        9,
        "runtime error: file a.xsl line 3 element call-template\nThe template 'b' was not found.\n",
        "a.xsl:3: The template 'b' was not found",
    ),
    (
        "salt-lint a.sls",
        2,
        "[201] Trailing whitespace\na.sls:2\n  file.managed:\n",
        "a.sls:2: [201] T",
    ),
    (
        "checkov -f Dockerfile",
        1,
        'Check: CKV_3: "Ensure a user"\n\tFAILED for resource: Dockerfile.\n'
        "\tFile: Dockerfile:1-3\n",
        "Dockerfile:1: Check: CKV_3",
    ),
    ("flynt -d .", 1, "--- /home/ana/shop/a.py\n\n+++ \n\n@@ -1 +1 @@\n\n-x\n+y\n", "a.py: not f"),
    (
        "pycln --diff .",
        1,
        "--- original/ a.py\n+++ fixed/ a.py\n@@ -1 +0,0 @@\n-x\n",
        "a.py: not f",
    ),
    ("gh pr create", 1, "pull request create failed: GraphQL: No commits\n", "No commits"),
    # What goes on in spite of a complaint is not the error.
    (
        "policyd -c a.pol",
        1,
        "Cache write disabled: interface file missing. (Kernel needs a patch.)\n"
        "policyd parser error for a.pol at line 3: syntax error, unexpected '}', expecting ';'\n",
        "unexpected '}'",
    ),
    (
        "seqtool view a.seq",
        1,
        "[E::parse1] quality and bases are of different length\n"
        '[W::read1] Parse error at line 2\nseqtool view: error reading file "a.seq"\n',
        "of different length",
    ),
    (
        "guardd -t",
        1,
        "guardd.config  [1428]: WARNING 'socket' not defined. Using default one\n"
        "guardd.config  [1428]: WARNING 'backend' not defined in 'sshd'. Using default one\n"
        "guardd.config  [1428]: ERROR   Found no accessible config files for 'filter.d/nope'\n"
        "guardd.reader  [1428]: ERROR   Unable to read the filter 'nope'\n",
        "nope",
    ),
    # The error is below the line that announces it.
    (
        "pick a.b",
        1,
        "PathError: error while processing, details below.\n Trace (most recent last):\n"
        " - Spec: 'a.b'\npick.core.PathError: could not access 'b', part 1 of Path('a', 'b')\n",
        "could not access 'b'",
    ),
    (
        "moonish run a:build",
        1,
        "Error: config::parse::failed\n\n  × Failed to parse .moonish/a.yml.\n"
        "  ╰─▶   × nope: unknown field `nope`\n",
        "unknown field `nope`",
    ),
    (
        "moonish run b:build",
        1,
        "Error: process::failed\n\n  × Process git failed: exit code 128\n  │ \n"
        "  │ fatal: ambiguous argument 'HEAD'\n",
        "ambiguous argument 'HEAD'",
    ),
    (
        "cliffish -c c.toml",
        1,
        "Error: ConfigError(TOML parse error at line 1, column 6\n  |\n1 | [fees\n  |      ^\n"
        "unclosed table, expected `]`\n in c.toml)\n",
        "unclosed table",
    ),
    (
        "hygienic c new",
        1,
        "ReferenceError: ejs:1\n >> 1| <%= nme %>\n\nnme is not defined\n",
        "nme is",
    ),
    (
        "covdiff",
        1,
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3/dist-packages/run.py", line 3, in run\n    raise Failed(said)\n'
        "run.Failed: fatal: unknown revision\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3/dist-packages/covdiff.py", line 9, in main\n    raise ValueError(\n'
        "ValueError: \nCould not find the branch to compare to.\n",
        "Could not find the branch",
    ),
    # The count of what was found is not what was found.
    (
        "qscan .",
        1,
        "🔍 Running quality check (complexity, deadcode, clones)...\na.py:13:1: unreachable_after_return (critical)\n❌ Found 1 quality issue(s)\n"
        "Error: found 1 quality issue(s)\n",
        "a.py:13: unreachable_after_return",
    ),
    (
        "acceptance run",
        1,
        "-- FAILURES:\n\n  1) cart\n       total:\n\n      \n  File x.txt not found\n"
        "      + expected - actual\n\n  AssertionError: \n      at File.see (lib/File.js:8:1)\n\n"
        '  ✖ I.see("x.txt") at Test (./a_test.js:2:5)\n\n  FAIL  | 0 passed, 1 failed\n',
        "cart › total: File x.txt not found",
    ),
    (
        "scheck a.yaml",
        1,
        "The document is invalid.\n\n#/paths/~1a\nexpected Object to have a title\n",
        "expected Object to have a title",
    ),
    (
        "shapecheck pier.svg",
        1,
        "-------------------- Files --------------------\n? 1 checks in progress.\nx pier.svg\n"
        "  x nest Expected 'g', none found\n\n------------------- Summary -------------------\n"
        "x 1 invalid files.\n",
        "Expected 'g', none found",
    ),
    # A record of a JSON report without a message: the title of what it is about, or its code.
    (
        "scan-host -o json",
        2,
        '{"results": [{"result": "fail", "rule": {"id": "r1", "title": "Set Default umask"}},'
        ' {"result": "pass", "rule": {"id": "r2", "title": "Use SSH"}}]}',
        "Set Default umask",
    ),
    (
        "scan-image -o json",
        1,
        '{"vulnerabilities": [{"feed": "nvd", "packageName": "libfee", "severity": "High",'
        ' "vuln": "CVE-2021-1"}]}',
        "CVE-2021-1 libfee",
    ),
    # In a long line of JSON, one of its strings says what failed.
    (
        "scan-fees -o json",
        1,
        '{"settings": "%s", "note": "could not connect to fees.local"}' % ("x " * 300),
        "could not connect to fees.local",
    ),
    # A value below a limit is the error itself.
    ("measure", 1, "Failure. Coverage is below 100%.\nSee the report\n", "Coverage is below 100%"),
    # The message behind the mark below the source.
    (
        "hegelian",
        1,
        './a.js:2\n  1 | const x = "a";\n> 2 | const y = x - 1;\n    |           ^ Types do not match\n'
        "  3 |\n\nFound 1 error\n",
        "a.js:2: Types do not match",
    ),
]


def opened(command: str, code: int, output: str) -> list[str]:
    event = ToolFinished(tool="bash", command=command, exit_code=code, output=output, cwd=ROOT)
    errors = after_tool((), event, root=ROOT, now=NOW, settings=SessionSettings())
    return [error.summary for error in errors]


@pytest.mark.parametrize(("command", "code", "output", "words"), ROWS, ids=[r[0] for r in ROWS])
def test_the_line_that_says_what_failed_opens_the_error(
    command: str, code: int, output: str, words: str
) -> None:
    found = opened(command, code, output)
    assert len(found) == 1, found
    assert words in found[0]


BOXED = ("Error: Undefined variable.", "  ╷", "1 │ .a { color: $nope; }", "  │             ^^^^^",
         "  ╵", "  a.scss 1:13  root stylesheet")  # fmt: skip
POINTED = (
    "   /home/ana/shop/a.html",
    "      L1 | <html><body>",
    "           ^ No doctype. (first)",
)
HEADED = ("[1] api.yaml:7:5 at #/paths/get", "", "Operation has no `summary` field.", "", "5 | paths:",
          "Reference: https://docs/summary", "", "", "[2] api.yaml:2:1 at #/info", "",
          "Info has no `license` field.", "", "2 | info:")  # fmt: skip
TWO_TESTS = ("Failures:", "1) fee is small", "  Message:", "    Expected 4.5 to be 5.5.", "  Stack:",
             "        at <Jasmine>", "        at Context.<anonymous> (/home/ana/shop/a.spec.js:3:54)", "",
             "2) fee is large", "  Message:", "    Expected 2 to equal 3.", "  Stack:",
             "        at <Jasmine>", "        at Context.<anonymous> (/home/ana/shop/a.spec.js:5:10)",
             "2 specs, 2 failures")  # fmt: skip
FLOW = ("Error ---------------------------------------- a.js:2:19", "", "Cannot assign `'x'` to `a`.", "",
        "   a.js:2:19", "   2| const a: number = 'x';", "                        ^^^ [1]", "", "References:",
        "   a.js:2:10", "   2| const a: number = 'x';", "               ^^^^^^ [2]")  # fmt: skip
ROLLED = ('[!] RollupError: src/index.js (1:8): "fee" is not exported by "src/fee.js".',
          "https://rollupjs.org/troubleshooting/", "src/index.js (1:8)", "1: import {fee} from './fee.js';",
          "           ^", "2: console.log(fee(3));")  # fmt: skip

STRUCTURES = [
    ("sass a.scss a.css", BOXED, ["a.scss:1: Error: Undefined variable."]),
    ("htmlhint a.html", POINTED, ["a.html:1: No doctype. (first)"]),
    (
        "redocly lint api.yaml",
        HEADED,
        [
            "api.yaml:7: Operation has no `summary` field.",
            "api.yaml:2: Info has no `license` field.",
        ],
    ),
    (
        "jasmine",
        TWO_TESTS,
        [
            "a.spec.js:3: fee is small Message: Expected 4.5 to be 5.5.",
            "a.spec.js:5: fee is large Message: Expected 2 to equal 3.",
        ],
    ),
    ("flow check", FLOW, ["a.js:2: Cannot assign `'x'` to `a`."]),
    (
        "rollup src/index.js",
        ROLLED,
        ['src/index.js:1: RollupError: "fee" is not exported by "src/fee.js".'],
    ),
    (
        "fixit lint a.py",
        ("a.py@2:8 Literal: dict() is slow", "a.py@3:11 FString: no placeholders"),
        ["a.py:2: Literal: dict() is slow", "a.py:3: FString: no placeholders"],
    ),
    (
        "darglint a.py",
        ("a.py:f:1: DAR201: - return", "a.py:f:4: DAR101: - x"),
        ["a.py:1: DAR201: - return", "a.py:4: DAR101: - x"],
    ),
    (
        "pike a.pike",
        ('Indexing the NULL value with "x".', "a.pike:3: /main()->main()"),
        ['a.pike:3: Indexing the NULL value with "x".'],
    ),
    (
        "pike a.pike",
        ("a.pike:2:Bad type.", "a.pike:2:Expected: int.", "a.pike:2:Got     : string."),
        ["a.pike:2: Bad type."],
    ),
    (
        "csc a.scm",
        (
            "Error: shell command terminated with non-zero exit status 17920",
            "",
            "Error: (line 3) unterminated list",
        ),
        ["a.scm:3: Error: (line 3) unterminated list"],
    ),
    ("./test", ("cart: 3 of 4 sums differ",), ["cart: 3 of 4 sums differ"]),
    ("pdm run test", ("cart: 3 of 4 sums differ",), ["cart: 3 of 4 sums differ"]),
    ("verify a.iso", ("a.iso: not ok",), ["a.iso: a.iso: not ok"]),
    ("verify", ("usage: verify FILE",), ["usage: verify FILE"]),
    (
        "eslint a.js ; test -s out.txt",
        ("a.js", "  3:1  error  No x  no-x", "✖ 1 problem (1 error, 0 warnings)"),
        ["a.js:3: No x no-x"],
    ),
    ("sceptre validate a.yaml", ('"No stacks detected."',), ['"No stacks detected."']),
    (
        "wget http://localhost:9/x",
        ("Connecting to localhost... failed: Connection refused.",),
        ["Connecting to localhost... failed: Connection refused."],
    ),
    (
        "madge --circular a.js",
        ("Processed 2 files", "", "1) a.js > b.js", "", "✖ Found 1 circular dependency!"),
        ["a.js: 1) a.js > b.js"],
    ),
    (
        "gawk -f a.awk",
        ("gawk: a.awk:2: { sum += ) }", "gawk: a.awk:2:          ^ syntax error"),
        ["gawk: a.awk:2: { sum += ) } syntax error"],
    ),
    # The message is below a heading that only says in which phase it failed, or quotes source.
    (
        "clojure fee.clj",
        (
            "Syntax error compiling at (fee.clj:6:10).",
            "Unable to resolve symbol: fees",
            "",
            "Full report at:",
        ),
        ["fee.clj:6: Syntax error compiling: Unable to resolve symbol: fees"],
    ),
    (
        "mamba spec",
        (
            "Failures:",
            "",
            "  1) Fee it is small",
            "     Failure/Error: fee_spec.py assert fee(2) == 3",
            "         NameError: name 'fees' is not defined",
        ),
        [
            "Fee it is small: Failure/Error: fee_spec.py assert fee(2) == 3: NameError: name 'fees' is not defined"
        ],
    ),
    (
        "prosecheck FEES.md",
        (
            "In FEES.md",
            "==========",
            "The the fee is small.",
            "    ^^^",
            '"the" is repeated on line 3 at column 4',
        ),
        ['FEES.md:3: In FEES.md "the" is repeated on line 3 at column 4'],
    ),
    # A diff of a test runner compares what came with what should; a formatter's does not.
    (
        "cram fee.t",
        (
            "--- fee.t",
            "+++ fee.t.err",
            "@@ -4,4 +4,5 @@",
            "   $ fee 3",
            "-  40",
            "+  41",
            "",
            "# Ran 1 tests, 0 skipped, 1 failed.",
        ),
        ["fee.t: wanted: 40, got: 41"],
    ),
    (
        "check-fees",
        (
            "--- fee.t\t2026-01-02 10:00:00",
            "+++ fee.t.err\t2026-01-02 10:00:01",
            "@@ -4 +4 @@",
            "-40",
            "+41",
            "",
            "# Ran 1 tests, 0 skipped, 1 failed.",
        ),
        ["fee.t: wanted: 40, got: 41"],
    ),
    # One run of a formatter and of tests.
    (
        "tox",
        (
            "--- fee.py\t2026-01-02 10:00:00",
            "+++ fee.py\t2026-01-02 10:00:01",
            "@@ -1 +1 @@",
            "-x=1",
            "+x = 1",
            "1 file would be reformatted.",
            "=== 1 failed, 3 passed in 0.2s ===",
        ),
        ["fee.py: not formatted"],
    ),
    (
        "cog --check --diff FEES.md",
        ("--- current FEES.md", "+++ changed FEES.md", "@@ -5,6 +5,6 @@", "-- ash", "+- oak"),
        ["FEES.md: not formatted"],
    ),
    # Each test that fails has a traceback, though without a heading.
    (
        "green fees",
        (
            "Failure in test_fee.test_none",
            '  File "/home/ana/shop/test_fee.py", line 11, in test_none',
            "    self.assertEqual(fee([]), 0)",
            "AssertionError: 1 != 0",
            "",
            "Failure in test_fee.test_two",
            '  File "/home/ana/shop/test_fee.py", line 8, in test_two',
            "    self.assertEqual(fee([2]), 2)",
            "AssertionError: 3 != 2",
            "",
            "FAILED (failures=2)",
        ),
        ["test_fee.py:11: AssertionError: 1 != 0", "test_fee.py:8: AssertionError: 3 != 2"],
    ),
    # A line without a place is the failure if the places have warnings only.
    (
        "gpasm a.asm",
        ("a.asm:1:Warning[215] Processor superseded.", "Error[125]   EOF encountered before END."),
        ["Error[125] EOF encountered before END."],
    ),
    (
        "xa a.a65",
        ("a.a65:line 4: 1002:Label already defined error",),
        ["a.a65:4: 1002:Label already defined error"],
    ),
    (
        "sqlfmt --diff .",
        (
            "1 file had errors while formatting.",
            "fees.sql",
            "    sqlfmt encountered an error: no SQL at 41",
        ),
        ["fees.sql: sqlfmt encountered an error: no SQL at 41"],
    ),
    # The message goes on below where the terminal was too narrow, and is below quoted source.
    (
        "povcheck fee.pov",
        (
            "fee.pov(7,16): error: found the undeclared and unusual word",
            "      'fees'; did you mean 'fee'?",
            "error: 1 found",
        ),
        ["fee.pov:7: error: found the undeclared and unusual word 'fees'; did you mean 'fee'?"],
    ),
    (
        "slash run fee_test.py",
        (
            "== #1: fee_test.py:test_none ===========================",
            " - 1/1 F: - - - - -",
            " /home/ana/shop/fee_test.py:9",
            ">    assert fee([]) == 7",
            "F    AssertionError: assert 0 == 7",
        ),
        ["fee_test.py:9: F AssertionError: assert 0 == 7"],
    ),
    # What caused the error that was thrown last.
    (
        "node fee.js",
        (
            "Error: Failed to read fees",
            "    at read (file:///home/ana/shop/fee.js:6:13) {",
            "  [cause]: Error: no such file, open '/home/ana/shop/fees.json'",
            "      at async open (node:internal/fs/promises:637:25)",
            "}",
        ),
        [
            "fee.js:6: Error: Failed to read fees (cause: Error: no such file, open"
            " '/home/ana/shop/fees.json')"
        ],
    ),
    (
        "specvalidator api.json",
        ('{"errors": [{"path": "/paths/fees", "message": "must be object"}]}',),
        ["/paths/fees: must be object"],
    ),
    # Source and a mark between the place and the message, and a frame around them.
    (
        "gfortran -c a.f90",
        (
            "a.f90:7.10:",
            "",
            "   use tides, only: fee",
            "        1",
            "Error: No symbol 'fee' at (1)",
        ),
        ["a.f90:7: Error: No symbol 'fee' at (1)"],
    ),
    (
        "pwsh a.ps1",
        (
            "ParserError: /home/ana/shop/a.ps1:8:9",
            "Line |",
            "   8 |  if ($x) {",
            "     |          ~",
            "     | Missing closing '}' in block.",
        ),
        ["a.ps1:8: Missing closing '}' in block."],
    ),
    # Calls below a heading are not findings.
    (
        "raco make a.rkt",
        (
            "a.rkt:4:1: fee: unbound",
            "  context...:",
            "   /opt/rkt/a.rkt:3:1: loop",
            "   /opt/rkt/b.rkt:2:2: go",
        ),
        ["a.rkt:4: fee: unbound"],
    ),
    # The word of severity may come first, also in a bracket with the place.
    (
        "vcom a.vhd",
        ("** Warning: b.vhd(2): shared variable.", '** Error: a.vhd(7): unknown identifier "fee".'),
        ['a.vhd:7: unknown identifier "fee".'],
    ),
    (
        "thriftc a.thrift",
        (
            "[WARNING:/home/ana/shop/a.thrift:2] byte is old",
            "[FAILURE:/home/ana/shop/a.thrift:7] FOO is defined",
        ),
        ["a.thrift:7: FOO is defined"],
    ),
    ("iccarm a.c", ('"a.c",3  Error[Be031]: inline root',), ["a.c:3: Error[Be031]: inline root"]),
    (
        "protolint .",
        ("[a.proto:1:1] Name is not in lower case.", "[a.proto:4:2] Indented by three."),
        ["a.proto:1: Name is not in lower case.", "a.proto:4: Indented by three."],
    ),
    (
        "gradle compileKotlin",
        (
            "w: /home/ana/shop/A.kt: (3, 1): Unused",
            "e: /home/ana/shop/A.kt: (7, 35): Unresolved: fee",
        ),
        ["A.kt:7: Unresolved: fee"],
    ),
    # Beside warnings, what has no word of severity is the error.
    (
        "gnatmake a.adb",
        ('a.adb:3:1: warning: "E" is not referenced', 'b.adb:7:9: "Fee" is undefined'),
        ['b.adb:7: "Fee" is undefined'],
    ),
    (
        "scad2d a.scad",
        ("a.scad:7:42: E2002: never defined", "", "Fatal errors: 0", "Errors:       1"),
        ["a.scad:7: E2002: never defined"],
    ),
    (
        "dotenv-linter",
        (".env:2 Leading space", ".env:3 Bad key"),
        [".env:2: Leading space", ".env:3: Bad key"],
    ),
    # Findings in what was checked from the standard input, with a code or a column.
    (
        "msglint",
        ("1: T1 Title is too long", "3: B6 Body is missing"),
        ["T1 Title is too long", "B6 Body is missing"],
    ),
    (
        "pycodestyle -",
        ("stdin:6:3: E1 odd indent", "stdin:9:1: E2 blank line missing"),
        ["E1 odd indent", "E2 blank line missing"],
    ),
    # A failed step of a scenario is defined where its line says, and is one error.
    (
        "cucumber-js",
        (
            "Failures:",
            "",
            "1) Scenario: total # f/a.feature:2",
            "   ✔ Given a cart # f/steps.js:2",
            "   ✖ Then the total is 5 # f/steps.js:3",
            "       AssertionError [ERR_ASSERTION]: Expected 4 to equal 5",
        ),
        [
            "f/steps.js:3: Then the total is 5 # f/steps.js:3: AssertionError [ERR_ASSERTION]:"
            " Expected 4 to equal 5"
        ],
    ),
    (
        "cucumber",
        (
            "  Scenario: total   # f/a.feature:2",
            "    Then the total is 5 # f/steps.rb:3",
            "      wrong total (Spec::NotMetError)",
            "      ./f/steps.rb:3:in `/^the total$/'",
            "      f/a.feature:4:in `Then the total is 5'",
        ),
        ["f/steps.rb:3: wrong total (Spec::NotMetError)"],
    ),
    (
        "msgcheck --from HEAD~1",
        (
            "⧗   input: fixed some parts of the login page",
            "✖   type may not be empty [type-empty]",
            "",
            "✖   found 1 problems, 0 warnings",
            "ⓘ   Get help: https://msgcheck.example/#what-is-it",
        ),
        ["✖ type may not be empty [type-empty]"],
    ),
    (
        "loadrun a.js",
        (
            "  ✗ status is 200",
            "   ↳  42% — ✓ 101 / ✗ 139",
            "ERRO[0031] thresholds have been crossed",
        ),
        ["ERRO[0031] thresholds have been crossed"],
    ),
    # A message that ends in a colon goes on below.
    (
        "flowmake",
        (
            'InputException in rule pack in file "a.flow", line 4:',
            "Missing inputs:",
            "    output: a.txt",
        ),
        [
            'a.flow:4: InputException in rule pack in file "a.flow", line 4: Missing inputs: output: a.txt'
        ],
    ),
    (
        "modbuild",
        (
            "Error found:",
            "in module Main",
            "at src/A.mod:8:11 - 8:12 (line 8, column 11)",
            "",
            "  Unknown value a",
        ),
        ["src/A.mod:8: Error found: Unknown value a"],
    ),
    (
        "precompile iname=a.pc",
        ("Error at line 41, column 10 in file /home/ana/shop/a.pc", 'PCC-1, Found "SELECT"'),
        ['a.pc:41: Error at line 41, column 10 in file /home/ana/shop/a.pc PCC-1, Found "SELECT"'],
    ),
    # JSON: a rule without a severity, the first of several lines, the place of a part.
    (
        "kubecheck --json",
        ('{"reports": [{"diagnostic": {"message": "no limit"}, "check": "limits"}]}',),
        ["no limit"],
    ),
    (
        "stackcheck --json",
        (
            '[{"filename": "a.yaml", "violations": [{"id": "F27", "type": "FAIL", "message": "open to all", "lines": [12]}]}]',
        ),
        ["a.yaml:12: open to all"],
    ),
    (
        "flowtype --json",
        (
            '{"errors": [{"level": "error", "message": [{"descr": "No property x", "loc": {"source": "src/a.js", "start": {"line": 12}}}]}]}',
        ),
        ["src/a.js:12: No property x"],
    ),
    (
        "gosec -fmt json",
        (
            '{"Issues": [{"severity": "HIGH", "details": "open file", "file": "a.go", "line": "42"}]}',
        ),
        ["a.go:42: open file"],
    ),
    (
        "oldlint --xml",
        ('<lint><file name="src/a.js"><issue line="4" reason="Use ===." /></file></lint>',),
        ["src/a.js:4: Use ===."],
    ),
    # A failure ends where the next one begins, however much it may hold.
    (
        "ruby cart_test.rb",
        (
            "  1) Failure:",
            "CartTest#test_sum [cart_test.rb:4]:",
            "Expected: 41",
            "  Actual: 40",
            "",
            *RUBY[:3],
            "    cart_test.rb:7:in `test_sums_up'",
        ),
        [
            "cart_test.rb:4: CartTest#test_sum: Expected: 41",
            "cart_test.rb:7: CartTest#test_sums_up: NoMethodError: undefined method `<<' for nil",
        ],
    ),
    (
        "java -cp . CartTest",
        (
            "There were 2 failures:",
            "1) drops(Cart)",
            "java.lang.RuntimeException: torn rope",
            "\tat Cart.drops(Cart.java:5)",
            "2) lifts(Cart)",
            "java.lang.AssertionError: expected:<41> but was:<40>",
            "\tat org.junit.Assert.fail(Assert.java:89)",
            "\tat Cart.lifts(Cart.java:4)",
            "",
            "Tests run: 2,  Failures: 2",
        ),
        [
            "Cart.java:5: drops(Cart): java.lang.RuntimeException: torn rope",
            "Cart.java:4: lifts(Cart): java.lang.AssertionError: expected:<41> but was:<40>",
        ],
    ),
    (
        "phpunit --testdox",
        (
            "Cart",
            " ✘ Lift",
            "   │",
            "   │ Failed asserting that 40 is identical to 41.",
            "   │",
            "   │ /home/ana/shop/Cart.php:4",
            "   │",
            "",
            " ✘ Drop",
            "   │",
            "   │ RuntimeException: torn rope",
            "   │",
            "   │ /home/ana/shop/Cart.php:5",
            "   │",
            "",
            "ERRORS!",
            "Tests: 2, Assertions: 1, Errors: 1, Failures: 1.",
        ),
        [
            "Cart.php:4: Lift: Failed asserting that 40 is identical to 41.",
            "Cart.php:5: Drop: RuntimeException: torn rope",
        ],
    ),
    (
        "docs-run guide.md",
        (
            'File "guide.md", line 4',
            "Failed example:",
            "    40 + 30",
            "Expected:",
            "71",
            "Got:",
            "70",
            'File "guide.md", line 9',
            "Failed example:",
            "    1/0",
            "Got:",
            "Traceback (most recent call last):",
            '  File "<stdin>", line 1, in <module>',
            "ZeroDivisionError: division by zero",
        ),
        ["guide.md:4: failed: 40 + 30", "guide.md:9: failed: 1/0"],
    ),
    # A runner of several checks.
    (
        "nox",
        (
            "nox > Running session lint",
            "a.py:17:12: F821 undefined name 'b'",
            "nox > Session lint failed.",
            "nox > Running session tests",
            "FAILED test_a.py::test_b - assert 40 == 41",
            "nox > Session tests failed.",
        ),
        ["a.py:17: F821 undefined name 'b'", "test_a.py: test_b: assert 40 == 41"],
    ),
    # Warnings that were taken for errors.
    (
        "mkdocs build",
        (
            "Critical fixes and updates continue until then.",
            "WARNING -  No page 'a.md' in the nav.",
            "WARNING -  Doc file 'b.md' has a link to 'c.md'.",
            "",
            "Aborted with 2 warnings in strict mode!",
        ),
        ["WARNING - No page 'a.md' in the nav.", "WARNING - Doc file 'b.md' has a link to 'c.md'."],
    ),
]


@pytest.mark.parametrize(("command", "lines", "errors"), STRUCTURES)
def test_an_unknown_tool_is_read_by_the_structure_of_its_output(
    command: str, lines: tuple[str, ...], errors: list[str]
) -> None:
    assert opened(command, 1, "\n".join(lines)) == errors


PLACES = [
    ("dash run.sh", "run.sh: 3: limit: parameter not set", "run.sh", 3),
    ("fish a.fish", "fish: Unknown command: ecko\na.fish (line 3):\n    ecko $name", "a.fish", 3),
    ("haproxy -c -f a.cfg", "[ALERT] (1775) : parsing [a.cfg:2] : unknown 'modus'", "a.cfg", 2),
    ("jsdoc fee.js", "ERROR: Unable to parse /home/ana/shop/fee.js: no token (3:14)", "fee.js", 3),
    ("apache2 -t", "Syntax error on line 3 of conf/h.conf:\nInvalid command 'X'", "conf/h.conf", 3),
    ("pug a.pug", "bash: line 1: pug: command not found", "", 0),
    ("mysql -h 127.0.0.1", "ERROR 2002: Can't connect to server on '127.0.0.1' (115)", "", 0),
    ("npm run x", "Error: connect refused db.example.com:5432", "", 0),
    ("npx jest a/b.test.js", "Error: /home/ana/shop/a/c.js: no token (3:10)", "", 0),
]


@pytest.mark.parametrize(("command", "output", "file", "line"), PLACES)
def test_an_error_is_placed_by_its_message_or_the_lines_beside_it(
    command: str, output: str, file: str, line: int
) -> None:
    event = ToolFinished(tool="bash", command=command, exit_code=1, output=output)
    found = after_tool((), event, root=ROOT, now=NOW, settings=SessionSettings())
    assert [(error.file, error.line) for error in found] == [(file, line)]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("ctest | tail -1", "100% tests passed, 0 tests failed out of 4\n"),
        ("npx tsc --noEmit | head", "src/a.ts(9,3): error TS2322: no summary\n"),
        ("npm run lint | tail -1", "0 errors and 2 warnings potentially fixable\n"),
    ],
)
def test_a_hidden_check_without_a_failing_summary_opens_nothing(command: str, output: str) -> None:
    assert opened(command, HIDDEN, output) == []


def test_names_before_the_findings_of_a_compiler_stay() -> None:
    said = "error: one\nerror: two\nerror:  three\ncc1: all warnings being treated as errors\n"
    assert "error: one" in opened("gcc -c a.c", 1, said)[0]


def test_an_exception_names_its_cause() -> None:
    said = (
        "Traceback (most recent call last):\n"
        '  File "/home/ana/shop/a.py", line 6, in <module>\n    import b\n'
        "ModuleNotFoundError: No module named 'b'\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3/load.py", line 9, in load\n    raise\n'
        "RuntimeError: Error importing a\n"
    )
    found = (
        "a.py:6: RuntimeError: Error importing a (cause: ModuleNotFoundError: No module named 'b')"
    )
    assert opened("pdoc a", 1, said) == [found]
