# ruff: noqa: E501  Lines of other programs.
"""Outputs as the tools print them, with the places and words that are read from them (HS-2).

Recorded from gcc, make, pytest, unittest, mypy, ruff, python, node, npm, cargo, javac, cmake, git and others on small
programs with one fault each, and written in the format of those tools that are not at hand.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wm.domain.failures.commands import ran
from wm.domain.failures.open_errors import after_tool
from wm.formats.events import ToolFinished
from wm.settings import SessionSettings

ROOT = "/home/ana/shop"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

Place = tuple[str, str, int]

ROWS: list[tuple[str, int, str, list[tuple[Place, str]]]] = [
    (
        "gcc -c a.c",
        1,
        "\n".join(
            [
                "a.c: In function ‘area’:",
                "a.c:2:38: error: expected ‘;’ before ‘}’ token",
                "    2 | int area(int w, int h) { return w * h }",
                "      |                                      ^~",
                "      |                                      ;",
                "a.c: In function ‘main’:",
                "a.c:3:27: warning: initialization of ‘int *’ from incompatible pointer type ‘char *’ [-Wincompatible-pointer-types]",
                '    3 | int main(void) { int *p = "x"; printf("%d\\n", areaa(2,3)); return undefined_thing; }',
                "      |                           ^~~",
                "a.c:3:47: warning: implicit declaration of function ‘areaa’; did you mean ‘area’? [-Wimplicit-function-declaration]",
                '    3 | int main(void) { int *p = "x"; printf("%d\\n", areaa(2,3)); return undefined_thing; }',
                "      |                                               ^~~~~",
                "      |                                               area",
                "a.c:3:67: error: ‘undefined_thing’ undeclared (first use in this function)",
                '    3 | int main(void) { int *p = "x"; printf("%d\\n", areaa(2,3)); return undefined_thing; }',
                "      |                                                                   ^~~~~~~~~~~~~~~",
                "a.c:3:67: note: each undeclared identifier is reported only once for each function it appears in",
            ]
        ),
        [
            (("build", "a.c", 2), "error: expected ‘;’ before ‘}’ token"),
            (("build", "a.c", 3), "error: ‘undefined_thing’ undeclared (first use in this funct"),
        ],
    ),
    (
        "gcc b.c -o b",
        1,
        "\n".join(
            [
                "/usr/bin/ld: /tmp/ccQ1w2.o: in function `main':",
                "b.c:(.text+0xa): undefined reference to `missing_fn'",
                "collect2: error: ld returned 1 exit status",
            ]
        ),
        [(("build", "b.c", 0), "undefined reference to `missing_fn'")],
    ),
    (
        "g++ c.cpp",
        1,
        "\n".join(
            [
                "c.cpp: In function ‘int main()’:",
                "c.cpp:3:35: error: ‘class std::vector<int>’ has no member named ‘push_bak’; did you mean ‘push_back’?",
                "    3 | int main(){ std::vector<int> v; v.push_bak(3); return add(1,2); }",
                "      |                                   ^~~~~~~~",
                "      |                                   push_back",
                "c.cpp: In instantiation of ‘T add(T, T) [with T = int]’:",
                "c.cpp:3:58:   required from here",
                "c.cpp:2:45: error: request for member ‘nope’ in ‘a’, which is of non-class type ‘int’",
                "    2 | template<class T> T add(T a, T b){ return a.nope + b; }",
                "      |                                           ~~^~~~",
            ]
        ),
        [
            (("build", "c.cpp", 3), "error: ‘class std::vector<int>’ has no member named ‘push_ba"),
            (("build", "c.cpp", 2), "error: request for member ‘nope’ in ‘a’, which is of non-cla"),
        ],
    ),
    (
        "make",
        2,
        "\n".join(
            [
                "gcc -c a.c",
                "a.c: In function ‘area’:",
                "a.c:2:38: error: expected ‘;’ before ‘}’ token",
                "    2 | int area(int w, int h) { return w * h }",
                "      |                                      ^~",
                "      |                                      ;",
                "a.c: In function ‘main’:",
                "a.c:3:27: warning: initialization of ‘int *’ from incompatible pointer type ‘char *’ [-Wincompatible-pointer-types]",
                '    3 | int main(void) { int *p = "x"; printf("%d\\n", areaa(2,3)); return undefined_thing; }',
                "      |                           ^~~",
                "a.c:3:47: warning: implicit declaration of function ‘areaa’; did you mean ‘area’? [-Wimplicit-function-declaration]",
                '    3 | int main(void) { int *p = "x"; printf("%d\\n", areaa(2,3)); return undefined_thing; }',
                "      |                                               ^~~~~",
                "      |                                               area",
                "a.c:3:67: error: ‘undefined_thing’ undeclared (first use in this function)",
                '    3 | int main(void) { int *p = "x"; printf("%d\\n", areaa(2,3)); return undefined_thing; }',
                "      |                                                                   ^~~~~~~~~~~~~~~",
                "a.c:3:67: note: each undeclared identifier is reported only once for each function it appears in",
                "make: *** [Makefile:5: a.o] Error 1",
            ]
        ),
        [
            (("build", "a.c", 2), "error: expected ‘;’ before ‘}’ token"),
            (("build", "a.c", 3), "error: ‘undefined_thing’ undeclared (first use in this funct"),
        ],
    ),
    (
        "make check",
        2,
        "\n".join(["make: *** [Makefile:9: check] Error 3"]),
        [(("test", "", 0), "make: *** [Makefile:9: check] Error 3")],
    ),
    (
        "make miss",
        2,
        "\n".join(["make: *** No rule to make target 'nothere.h', needed by 'miss'.  Stop."]),
        [(("build", "", 0), "No rule to make target 'nothere.h', needed by 'miss'")],
    ),
    (
        "make nope",
        2,
        "\n".join(["make: *** No rule to make target 'nope'.  Stop."]),
        [(("build", "", 0), "No rule to make target 'nope'")],
    ),
    (
        "python -m pytest -q",
        2,
        "\n".join(
            [
                "",
                "==================================== ERRORS ====================================",
                "_______________________ ERROR collecting tests/test_y.py _______________________",
                "ImportError while importing test module '/home/ana/shop/tests/test_y.py'.",
                "Hint: make sure your test modules/packages have valid Python names.",
                "Traceback:",
                "/usr/local/lib/python3.11/importlib/__init__.py:126: in import_module",
                "    return _bootstrap._gcd_import(name[level:], package, level)",
                "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
                "tests/test_y.py:1: in <module>",
                "    import nothing_here",
                "E   ModuleNotFoundError: No module named 'nothing_here'",
                "=========================== short test summary info ============================",
                "ERROR tests/test_y.py",
                "!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!",
                "1 error in 0.38s",
            ]
        ),
        [
            (
                ("test", "tests/test_y.py", 1),
                "collection: ModuleNotFoundError: No module named 'nothing_he",
            )
        ],
    ),
    (
        "pytest tests/test_x.py --tb=short -rf",
        1,
        "\n".join(
            [
                "============================= test session starts ==============================",
                "platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0",
                "rootdir: /home/ana/shop",
                "plugins: hypothesis-6.170.15, xdist-3.8.0, anyio-4.16.0",
                "collected 6 items",
                "",
                "tests/test_x.py F.FEFF                                                   [100%]",
                "",
                "==================================== ERRORS ====================================",
                "__________________________ ERROR at setup of test_fix __________________________",
                "file /home/ana/shop/tests/test_x.py, line 6",
                "  def test_fix(nofix): pass",
                "E       fixture 'nofix' not found",
                ">       use 'pytest --fixtures [testpath]' for help on them.",
                "",
                "/home/ana/shop/tests/test_x.py:6",
                "=================================== FAILURES ===================================",
                "___________________________________ test_add ___________________________________",
                "tests/test_x.py:3: in test_add",
                "    def test_add(): assert add(1,2)==3",
                "                    ^^^^^^^^^^^^^^^^^^",
                "E   assert -1 == 3",
                "E    +  where -1 = add(1, 2)",
                "_________________________________ test_div[0] __________________________________",
                "tests/test_x.py:5: in test_div",
                "    def test_div(n): assert 1/n",
                "                            ^^^",
                "E   ZeroDivisionError: division by zero",
                "_________________________________ TestC.test_m _________________________________",
                "tests/test_x.py:8: in test_m",
                '    def test_m(self): assert {"a":1}=={"a":2}, "dicts differ"',
                "                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
                "E   AssertionError: dicts differ",
                "E   assert {'a': 1} == {'a': 2}",
                "E",
                "E     Differing items:",
                "E     {'a': 1} != {'a': 2}",
                "E     Use -v to get more diff",
                "___________________________________ test_exc ___________________________________",
                "tests/test_x.py:10: in test_exc",
                "    with pytest.raises(ValueError): pass",
                "E   Failed: DID NOT RAISE ValueError",
                "=========================== short test summary info ============================",
                "FAILED tests/test_x.py::test_add - assert -1 == 3",
                "FAILED tests/test_x.py::test_div[0] - ZeroDivisionError: division by zero",
                "FAILED tests/test_x.py::TestC::test_m - AssertionError: dicts differ",
                "FAILED tests/test_x.py::test_exc - Failed: DID NOT RAISE ValueError",
                "===================== 4 failed, 1 passed, 1 error in 0.21s =====================",
            ]
        ),
        [
            (("test", "tests/test_x.py", 6), "test_fix: fixture 'nofix' not found"),
            (("test", "tests/test_x.py", 3), "test_add: assert -1 == 3"),
            (("test", "tests/test_x.py", 5), "test_div[0]: ZeroDivisionError: division by zero"),
            (("test", "tests/test_x.py", 8), "TestC.test_m: AssertionError: dicts differ"),
            (("test", "tests/test_x.py", 10), "test_exc: Failed: DID NOT RAISE ValueError"),
        ],
    ),
    (
        "pytest tests/test_x.py --tb=line",
        1,
        "\n".join(
            [
                "============================= test session starts ==============================",
                "platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0",
                "rootdir: /home/ana/shop",
                "plugins: hypothesis-6.170.15, xdist-3.8.0, anyio-4.16.0",
                "collected 6 items",
                "",
                "tests/test_x.py F.FEFF                                                   [100%]",
                "",
                "==================================== ERRORS ====================================",
                "__________________________ ERROR at setup of test_fix __________________________",
                "file /home/ana/shop/tests/test_x.py, line 6",
                "  def test_fix(nofix): pass",
                "E       fixture 'nofix' not found",
                ">       use 'pytest --fixtures [testpath]' for help on them.",
                "",
                "/home/ana/shop/tests/test_x.py:6",
                "=================================== FAILURES ===================================",
                "E   assert -1 == 3",
                "     +  where -1 = add(1, 2)",
                "/home/ana/shop/tests/test_x.py:3: assert -1 == 3",
                "E   ZeroDivisionError: division by zero",
                "/home/ana/shop/tests/test_x.py:5: ZeroDivisionError: division by zero",
                "E   AssertionError: dicts differ",
                "    assert {'a': 1} == {'a': 2}",
                "",
                "      Differing items:",
                "      {'a': 1} != {'a': 2}",
                "      Use -v to get more diff",
                "/home/ana/shop/tests/test_x.py:8: AssertionError: dicts differ",
                "E   Failed: DID NOT RAISE ValueError",
                "/home/ana/shop/tests/test_x.py:10: Failed: DID NOT RAISE ValueError",
                "=========================== short test summary info ============================",
                "FAILED tests/test_x.py::test_add - assert -1 == 3",
                "FAILED tests/test_x.py::test_div[0] - ZeroDivisionError: division by zero",
                "FAILED tests/test_x.py::TestC::test_m - AssertionError: dicts differ",
                "FAILED tests/test_x.py::test_exc - Failed: DID NOT RAISE ValueError",
                "ERROR tests/test_x.py::test_fix",
                "===================== 4 failed, 1 passed, 1 error in 0.18s =====================",
            ]
        ),
        [
            (("test", "tests/test_x.py", 6), "test_fix: fixture 'nofix' not found"),
            (("test", "tests/test_x.py", 3), "test_add: assert -1 == 3"),
            (("test", "tests/test_x.py", 5), "test_div[0]: ZeroDivisionError: division by zero"),
            (("test", "tests/test_x.py", 8), "TestC.test_m: AssertionError: dicts differ"),
            (("test", "tests/test_x.py", 10), "test_exc: Failed: DID NOT RAISE ValueError"),
        ],
    ),
    (
        "pytest tests/test_x.py::test_add -vv",
        1,
        "\n".join(
            [
                "============================= test session starts ==============================",
                "platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0 -- /home/ana/.venv/bin/python3",
                "cachedir: .pytest_cache",
                "hypothesis profile 'default'",
                "rootdir: /home/ana/shop",
                "plugins: hypothesis-6.170.15, xdist-3.8.0, anyio-4.16.0",
                "collecting ... collected 1 item",
                "",
                "tests/test_x.py::test_add FAILED                                         [100%]",
                "",
                "=================================== FAILURES ===================================",
                "___________________________________ test_add ___________________________________",
                "",
                ">   def test_add(): assert add(1,2)==3",
                "                    ^^^^^^^^^^^^^^^^^^",
                "E   assert -1 == 3",
                "E    +  where -1 = add(1, 2)",
                "",
                "tests/test_x.py:3: AssertionError",
                "=========================== short test summary info ============================",
                "FAILED tests/test_x.py::test_add - assert -1 == 3",
                " +  where -1 = add(1, 2)",
                "============================== 1 failed in 0.22s ===============================",
            ]
        ),
        [(("test", "tests/test_x.py", 3), "test_add: assert -1 == 3")],
    ),
    (
        "pytest -x --tb=no",
        2,
        "\n".join(
            [
                "============================= test session starts ==============================",
                "platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0",
                "rootdir: /home/ana/shop",
                "plugins: hypothesis-6.170.15, xdist-3.8.0, anyio-4.16.0",
                "collected 6 items / 1 error",
                "",
                "=========================== short test summary info ============================",
                "ERROR tests/test_y.py",
                "!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!",
                "!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!",
                "=============================== 1 error in 0.37s ===============================",
            ]
        ),
        [(("test", "tests/test_y.py", 0), "collection: failed")],
    ),
    (
        "pytest tests/nope.py",
        4,
        "\n".join(
            [
                "============================= test session starts ==============================",
                "platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0",
                "rootdir: /home/ana/shop",
                "plugins: hypothesis-6.170.15, xdist-3.8.0, anyio-4.16.0",
                "collected 0 items",
                "",
                "============================ no tests ran in 0.15s =============================",
                "ERROR: file or directory not found: tests/nope.py",
            ]
        ),
        [(("test", "", 0), "file or directory not found: tests/nope.py")],
    ),
    (
        "pytest tests/test_x.py::nope -q",
        4,
        "\n".join(
            [
                "",
                "no tests ran in 0.13s",
                "ERROR: not found: /home/ana/shop/tests/test_x.py::nope",
                "(no match in any of [<Module test_x.py>])",
            ]
        ),
        [(("test", "", 0), "not found: /home/ana/shop/tests/test_x.py::nope")],
    ),
    (
        "pytest -q -k nothing_matches tests/test_x.py",
        5,
        "\n".join(["", "6 deselected in 0.19s"]),
        [(("test", "", 0), "6 deselected")],
    ),
    (
        "mypy m.py",
        1,
        "\n".join(
            [
                'm.py:2: error: Incompatible return value type (got "int", expected "str")  [return-value]',
                'm.py:4: error: Argument 1 to "f" has incompatible type "str"; expected "int"  [arg-type]',
                'm.py:4: error: Name "undefined1" is not defined  [name-defined]',
                "Found 3 errors in 1 file (checked 1 source file)",
            ]
        ),
        [
            (
                ("typecheck", "m.py", 2),
                'error: Incompatible return value type (got "int", expected "',
            ),
            (
                ("typecheck", "m.py", 4),
                'error: Argument 1 to "f" has incompatible type "str"; expect',
            ),
            (("typecheck", "m.py", 4), 'error: Name "undefined1" is not defined [name-defined]'),
        ],
    ),
    (
        "mypy --show-column-numbers --no-error-summary m.py",
        1,
        "\n".join(
            [
                'm.py:2:12: error: Incompatible return value type (got "int", expected "str")  [return-value]',
                'm.py:4:3: error: Argument 1 to "f" has incompatible type "str"; expected "int"  [arg-type]',
                'm.py:4:13: error: Name "undefined1" is not defined  [name-defined]',
            ]
        ),
        [
            (
                ("typecheck", "m.py", 2),
                'error: Incompatible return value type (got "int", expected "',
            ),
            (
                ("typecheck", "m.py", 4),
                'error: Argument 1 to "f" has incompatible type "str"; expect',
            ),
            (("typecheck", "m.py", 4), 'error: Name "undefined1" is not defined [name-defined]'),
        ],
    ),
    (
        "mypy nope.py",
        2,
        "\n".join(
            [
                "nope.py: error: Cannot read file: No such file or directory",
                "Found 1 error in 1 file (errors prevented further checking)",
            ]
        ),
        [(("typecheck", "", 0), "nope.py: error: Cannot read file: No such file or directory")],
    ),
    (
        "mypy -p nopkg",
        2,
        "\n".join(["Can't find package 'nopkg'"]),
        [(("typecheck", "", 0), "Can't find package 'nopkg'")],
    ),
    (
        "ruff check m.py",
        1,
        "\n".join(
            [
                "I001 [*] Import block is un-sorted or un-formatted",
                " --> m.py:3:1",
                "  |",
                "1 | def f(x: int) -> str:",
                "2 |     return x",
                "3 | import os",
                "  | ^^^^^^^^^",
                '4 | f("a"); y = undefined1',
                "  |",
                "help: Organize imports",
                "  |",
                "3 | import os",
                "4 +",
                '5 | f("a"); y = undefined1',
                "  |",
                "",
                "F401 [*] `os` imported but unused",
                " --> m.py:3:8",
                "  |",
                "1 | def f(x: int) -> str:",
                "2 |     return x",
                "3 | import os",
                "  |        ^^",
                '4 | f("a"); y = undefined1',
                "  |",
                "help: Remove unused import: `os`",
                "  |",
                "2 |     return x",
                "  - import os",
                '3 | f("a"); y = undefined1',
                "  |",
                "",
                "F821 Undefined name `undefined1`",
                " --> m.py:4:13",
                "  |",
                "2 |     return x",
                "3 | import os",
                '4 | f("a"); y = undefined1',
                "  |             ^^^^^^^^^^",
                "",
                "Found 3 errors.",
                "[*] 2 fixable with `--fix`.",
            ]
        ),
        [
            (("lint", "m.py", 3), "I001: Import block is un-sorted or un-formatted"),
            (("lint", "m.py", 3), "F401: `os` imported but unused"),
            (("lint", "m.py", 4), "F821: Undefined name `undefined1`"),
        ],
    ),
    (
        "ruff check --output-format pylint m.py",
        1,
        "\n".join(
            [
                "m.py:3: [I001] Import block is un-sorted or un-formatted",
                "m.py:3: [F401] `os` imported but unused",
                "m.py:4: [F821] Undefined name `undefined1`",
            ]
        ),
        [
            (("lint", "m.py", 3), "I001 Import block is un-sorted or un-formatted"),
            (("lint", "m.py", 3), "F401 `os` imported but unused"),
            (("lint", "m.py", 4), "F821 Undefined name `undefined1`"),
        ],
    ),
    (
        "ruff check --output-format concise m.py",
        1,
        "\n".join(
            [
                "m.py:3:1: I001 [*] Import block is un-sorted or un-formatted",
                "m.py:3:8: F401 [*] `os` imported but unused",
                "m.py:4:13: F821 Undefined name `undefined1`",
                "Found 3 errors.",
                "[*] 2 fixable with `--fix`.",
            ]
        ),
        [
            (("lint", "m.py", 3), "I001 Import block is un-sorted or un-formatted"),
            (("lint", "m.py", 3), "F401 `os` imported but unused"),
            (("lint", "m.py", 4), "F821 Undefined name `undefined1`"),
        ],
    ),
    (
        "ruff check --output-format github m.py",
        1,
        "\n".join(
            [
                "::error title=ruff (I001),file=/home/ana/shop/m.py,line=3,col=1,endLine=3,endColumn=10::m.py:3:1: I001 Import block is un-sorted or un-formatted%0A  help: Organize imports",
                "::error title=ruff (F401),file=/home/ana/shop/m.py,line=3,col=8,endLine=3,endColumn=10::m.py:3:8: F401 `os` imported but unused%0A  help: Remove unused import: `os`",
                "::error title=ruff (F821),file=/home/ana/shop/m.py,line=4,col=13,endLine=4,endColumn=23::m.py:4:13: F821 Undefined name `undefined1`",
            ]
        ),
        [
            (("lint", "m.py", 3), "m.py:3: I001 Import block is un-sorted or un-formatted"),
            (("lint", "m.py", 3), "m.py:3: F401 `os` imported but unused"),
            (("lint", "m.py", 4), "m.py:4: F821 Undefined name `undefined1`"),
        ],
    ),
    (
        "ruff format --check m.py",
        1,
        "\n".join(
            [
                "unformatted: File would be reformatted",
                " --> m.py:3:1",
                "  |",
                "2 |     return x",
                "3 +",
                "4 +",
                "5 | import os",
                '  - f("a"); y = undefined1',
                "6 +",
                '7 + f("a")',
                "8 + y = undefined1",
                "  |",
                "",
                "1 file would be reformatted",
            ]
        ),
        [(("lint", "m.py", 3), "unformatted: File would be reformatted")],
    ),
    (
        "ruff check m.py && mypy m.py",
        1,
        "\n".join(
            [
                "I001 [*] Import block is un-sorted or un-formatted",
                " --> m.py:3:1",
                "  |",
                "1 | def f(x: int) -> str:",
                "2 |     return x",
                "3 | import os",
                "  | ^^^^^^^^^",
                '4 | f("a"); y = undefined1',
                "  |",
                "help: Organize imports",
                "  |",
                "3 | import os",
                "4 +",
                '5 | f("a"); y = undefined1',
                "  |",
                "",
                "F401 [*] `os` imported but unused",
                " --> m.py:3:8",
                "  |",
                "1 | def f(x: int) -> str:",
                "2 |     return x",
                "3 | import os",
                "  |        ^^",
                '4 | f("a"); y = undefined1',
                "  |",
                "help: Remove unused import: `os`",
                "  |",
                "2 |     return x",
                "  - import os",
                '3 | f("a"); y = undefined1',
                "  |",
                "",
                "F821 Undefined name `undefined1`",
                " --> m.py:4:13",
                "  |",
                "2 |     return x",
                "3 | import os",
                '4 | f("a"); y = undefined1',
                "  |             ^^^^^^^^^^",
                "",
                "Found 3 errors.",
                "[*] 2 fixable with `--fix`.",
            ]
        ),
        [
            (("lint", "m.py", 3), "I001: Import block is un-sorted or un-formatted"),
            (("lint", "m.py", 3), "F401: `os` imported but unused"),
            (("lint", "m.py", 4), "F821: Undefined name `undefined1`"),
        ],
    ),
    (
        "mypy m.py; ruff check -q --output-format concise m.py",
        1,
        "\n".join(
            [
                'm.py:2: error: Incompatible return value type (got "int", expected "str")  [return-value]',
                'm.py:4: error: Argument 1 to "f" has incompatible type "str"; expected "int"  [arg-type]',
                'm.py:4: error: Name "undefined1" is not defined  [name-defined]',
                "Found 3 errors in 1 file (checked 1 source file)",
                "m.py:3:1: I001 [*] Import block is un-sorted or un-formatted",
                "m.py:3:8: F401 [*] `os` imported but unused",
                "m.py:4:13: F821 Undefined name `undefined1`",
            ]
        ),
        [
            (
                ("typecheck", "m.py", 2),
                'error: Incompatible return value type (got "int", expected "',
            ),
            (
                ("typecheck", "m.py", 4),
                'error: Argument 1 to "f" has incompatible type "str"; expect',
            ),
            (("typecheck", "m.py", 4), 'error: Name "undefined1" is not defined [name-defined]'),
            (("lint", "m.py", 3), "I001 Import block is un-sorted or un-formatted"),
            (("lint", "m.py", 3), "F401 `os` imported but unused"),
            (("lint", "m.py", 4), "F821 Undefined name `undefined1`"),
        ],
    ),
    (
        "python m.py",
        1,
        "\n".join(
            [
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/m.py", line 4, in <module>',
                '    f("a"); y = undefined1',
                "                ^^^^^^^^^^",
                "NameError: name 'undefined1' is not defined",
            ]
        ),
        [(("runtime", "m.py", 4), "NameError: name 'undefined1' is not defined")],
    ),
    (
        "python -c 'import json; json.loads(\"{\")'",
        1,
        "\n".join(
            [
                "Traceback (most recent call last):",
                '  File "<string>", line 1, in <module>',
                '  File "/usr/local/lib/python3.11/json/__init__.py", line 346, in loads',
                "    return _default_decoder.decode(s)",
                "           ^^^^^^^^^^^^^^^^^^^^^^^^^^",
                '  File "/usr/local/lib/python3.11/json/decoder.py", line 337, in decode',
                "    obj, end = self.raw_decode(s, idx=_w(s, 0).end())",
                "               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
                '  File "/usr/local/lib/python3.11/json/decoder.py", line 353, in raw_decode',
                "    obj, end = self.scan_once(s, idx)",
                "               ^^^^^^^^^^^^^^^^^^^^^^",
                "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ]
        ),
        [(("runtime", "", 0), "json.decoder.JSONDecodeError: Expecting property name enclos")],
    ),
    (
        "python nofile.py",
        2,
        "\n".join(
            [
                "python: can't open file '/home/ana/shop/nofile.py': [Errno 2] No such file or directory"
            ]
        ),
        [(("runtime", "", 0), "python: can't open file '/home/ana/shop/nofile.py': [Errno 2")],
    ),
    (
        "python -m py_compile bad.py",
        1,
        "\n".join(
            ['  File "bad.py", line 1', "    def f(:", "          ^", "SyntaxError: invalid syntax"]
        ),
        [(("runtime", "bad.py", 1), "SyntaxError: invalid syntax")],
    ),
    (
        "python logs.py",
        1,
        "\n".join(
            ["ERROR 2 items skipped", "Exception handled: ValueError", "error: tax table is empty"]
        ),
        [(("runtime", "", 0), "error: tax table is empty")],
    ),
    (
        "python chained.py",
        1,
        "\n".join(
            [
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/chained.py", line 4, in <module>',
                "    a()",
                '  File "/home/ana/shop/chained.py", line 2, in a',
                '    return {}["k"]',
                "           ~~^^^^^",
                "KeyError: 'k'",
                "",
                "The above exception was the direct cause of the following exception:",
                "",
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/chained.py", line 6, in <module>',
                '    raise RuntimeError("no tax rate") from e',
                "RuntimeError: no tax rate",
            ]
        ),
        [(("runtime", "chained.py", 6), "RuntimeError: no tax rate")],
    ),
    (
        "python rec.py",
        1,
        "\n".join(
            [
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/rec.py", line 2, in <module>',
                "    f(0)",
                '  File "/home/ana/shop/rec.py", line 1, in f',
                "    def f(n): return f(n+1)",
                "                     ^^^^^^",
                '  File "/home/ana/shop/rec.py", line 1, in f',
                "    def f(n): return f(n+1)",
                "                     ^^^^^^",
                '  File "/home/ana/shop/rec.py", line 1, in f',
                "    def f(n): return f(n+1)",
                "                     ^^^^^^",
                "  [Previous line repeated 996 more times]",
                "RecursionError: maximum recursion depth exceeded",
            ]
        ),
        [(("runtime", "rec.py", 1), "RecursionError: maximum recursion depth exceeded")],
    ),
    (
        "python ut.py",
        1,
        "\n".join(
            [
                "FEF",
                "======================================================================",
                "ERROR: test_b (__main__.T.test_b)",
                "----------------------------------------------------------------------",
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/ut.py", line 4, in test_b',
                '    def test_b(self): raise OSError("disk")',
                "                      ^^^^^^^^^^^^^^^^^^^^^",
                "OSError: disk",
                "",
                "======================================================================",
                "FAIL: test_a (__main__.T.test_a)",
                "----------------------------------------------------------------------",
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/ut.py", line 3, in test_a',
                "    def test_a(self): self.assertEqual(1, 2)",
                "                      ^^^^^^^^^^^^^^^^^^^^^^",
                "AssertionError: 1 != 2",
                "",
                "======================================================================",
                "FAIL: test_c (__main__.T.test_c) (i=1)",
                "----------------------------------------------------------------------",
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/ut.py", line 7, in test_c',
                "    with self.subTest(i=i): self.assertNotEqual(i, 1)",
                "                            ^^^^^^^^^^^^^^^^^^^^^^^^^",
                "AssertionError: 1 == 1",
                "",
                "----------------------------------------------------------------------",
                "Ran 3 tests in 0.001s",
                "",
                "FAILED (failures=2, errors=1)",
            ]
        ),
        [
            (("test", "ut.py", 4), "test_b: OSError: disk"),
            (("test", "ut.py", 3), "test_a: AssertionError: 1 != 2"),
            (("test", "ut.py", 7), "test_c: AssertionError: 1 == 1"),
        ],
    ),
    (
        "python -m unittest ut -v",
        1,
        "\n".join(
            [
                "test_a (ut.T.test_a) ... FAIL",
                "test_b (ut.T.test_b) ... ERROR",
                "test_c (ut.T.test_c) ...",
                "  test_c (ut.T.test_c) (i=1) ... FAIL",
                "",
                "======================================================================",
                "ERROR: test_b (ut.T.test_b)",
                "----------------------------------------------------------------------",
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/ut.py", line 4, in test_b',
                '    def test_b(self): raise OSError("disk")',
                "                      ^^^^^^^^^^^^^^^^^^^^^",
                "OSError: disk",
                "",
                "======================================================================",
                "FAIL: test_a (ut.T.test_a)",
                "----------------------------------------------------------------------",
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/ut.py", line 3, in test_a',
                "    def test_a(self): self.assertEqual(1, 2)",
                "                      ^^^^^^^^^^^^^^^^^^^^^^",
                "AssertionError: 1 != 2",
                "",
                "======================================================================",
                "FAIL: test_c (ut.T.test_c) (i=1)",
                "----------------------------------------------------------------------",
                "Traceback (most recent call last):",
                '  File "/home/ana/shop/ut.py", line 7, in test_c',
                "    with self.subTest(i=i): self.assertNotEqual(i, 1)",
                "                            ^^^^^^^^^^^^^^^^^^^^^^^^^",
                "AssertionError: 1 == 1",
                "",
                "----------------------------------------------------------------------",
                "Ran 3 tests in 0.001s",
                "",
                "FAILED (failures=2, errors=1)",
            ]
        ),
        [
            (("test", "ut.py", 4), "test_b: OSError: disk"),
            (("test", "ut.py", 3), "test_a: AssertionError: 1 != 2"),
            (("test", "ut.py", 7), "test_c: AssertionError: 1 == 1"),
        ],
    ),
    ("grep -rn ValueError nothere", 2, "\n".join(["grep: nothere: No such file or directory"]), []),
    (
        "foo --bar",
        127,
        "\n".join(["bash: line 1: foo: command not found"]),
        [(("runtime", "", 0), "bash: line 1: foo: command not found")],
    ),
    ("test -f nope || false", 1, "", []),
    ("false", 1, "", []),
    (
        "node x.js",
        1,
        "\n".join(
            [
                "/home/ana/shop/x.js:1",
                "function load(o){ return o.items.map(i=>i); }",
                "                                 ^",
                "",
                "TypeError: Cannot read properties of undefined (reading 'map')",
                "    at load (/home/ana/shop/x.js:1:34)",
                "    at Object.<anonymous> (/home/ana/shop/x.js:2:1)",
                "    at Module._compile (node:internal/modules/cjs/loader:1521:14)",
                "    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)",
                "    at Module.load (node:internal/modules/cjs/loader:1266:32)",
                "    at Module._load (node:internal/modules/cjs/loader:1091:12)",
                "    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)",
                "    at node:internal/main/run_main_module:28:49",
                "",
                "Node.js v20.20.2",
            ]
        ),
        [(("runtime", "x.js", 1), "TypeError: Cannot read properties of undefined (reading 'map")],
    ),
    (
        "node rej.mjs",
        1,
        "\n".join(
            [
                "node:internal/fs/promises:637",
                "  return new FileHandle(await PromisePrototypeThen(",
                "                        ^",
                "",
                "Error: ENOENT: no such file or directory, open './nope.json'",
                "    at async open (node:internal/fs/promises:637:25)",
                "    at async readFile (node:internal/fs/promises:1249:14)",
                "    at async file:///home/ana/shop/rej.mjs:2:1 {",
                "  errno: -2,",
                "  code: 'ENOENT',",
                "  syscall: 'open',",
                "  path: './nope.json'",
                "}",
                "",
                "Node.js v20.20.2",
            ]
        ),
        [(("runtime", "rej.mjs", 2), "Error: ENOENT: no such file or directory, open")],
    ),
    (
        "node syn.js",
        1,
        "\n".join(
            [
                "/home/ana/shop/syn.js:1",
                "const a = { b: 1;",
                "                ^",
                "",
                "SyntaxError: Unexpected token ';'",
                "    at wrapSafe (node:internal/modules/cjs/loader:1464:18)",
                "    at Module._compile (node:internal/modules/cjs/loader:1495:20)",
                "    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)",
                "    at Module.load (node:internal/modules/cjs/loader:1266:32)",
                "    at Module._load (node:internal/modules/cjs/loader:1091:12)",
                "    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)",
                "    at node:internal/main/run_main_module:28:49",
                "",
                "Node.js v20.20.2",
            ]
        ),
        [(("runtime", "syn.js", 1), "SyntaxError: Unexpected token ';'")],
    ),
    (
        "node req.js",
        1,
        "\n".join(
            [
                "node:internal/modules/cjs/loader:1210",
                "  throw err;",
                "  ^",
                "",
                "Error: Cannot find module 'left-padd'",
                "Require stack:",
                "- /home/ana/shop/req.js",
                "    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
                "    at Module._load (node:internal/modules/cjs/loader:1038:27)",
                "    at Module.require (node:internal/modules/cjs/loader:1289:19)",
                "    at require (node:internal/modules/helpers:182:18)",
                "    at Object.<anonymous> (/home/ana/shop/req.js:1:1)",
                "    at Module._compile (node:internal/modules/cjs/loader:1521:14)",
                "    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)",
                "    at Module.load (node:internal/modules/cjs/loader:1266:32)",
                "    at Module._load (node:internal/modules/cjs/loader:1091:12)",
                "    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12) {",
                "  code: 'MODULE_NOT_FOUND',",
                "  requireStack: [ '/home/ana/shop/req.js' ]",
                "}",
                "",
                "Node.js v20.20.2",
            ]
        ),
        [(("runtime", "req.js", 1), "Error: Cannot find module 'left-padd'")],
    ),
    (
        "node --test a.test.mjs",
        1,
        "\n".join(
            [
                "TAP version 13",
                "# Subtest: adds",
                "not ok 1 - adds",
                "  ---",
                "  duration_ms: 3.869227",
                "  location: '/home/ana/shop/a.test.mjs:2:1'",
                "  failureType: 'testCodeFailure'",
                "  error: |-",
                "    sum",
                "",
                "    2 !== 3",
                "",
                "  code: 'ERR_ASSERTION'",
                "  name: 'AssertionError'",
                "  expected: 3",
                "  actual: 2",
                "  operator: 'strictEqual'",
                "  stack: |-",
                "    TestContext.<anonymous> (file:///home/ana/shop/a.test.mjs:2:29)",
                "    Test.runInAsyncScope (node:async_hooks:206:9)",
                "    Test.run (node:internal/test_runner/test:796:25)",
                "    Test.processPendingSubtests (node:internal/test_runner/test:526:18)",
                "    node:internal/test_runner/harness:255:12",
                "    node:internal/process/task_queues:140:7",
                "    AsyncResource.runInAsyncScope (node:async_hooks:206:9)",
                "    AsyncResource.runMicrotask (node:internal/process/task_queues:137:8)",
                "  ...",
                "# Subtest: throws",
                "not ok 2 - throws",
                "  ---",
                "  duration_ms: 0.161711",
                "  location: '/home/ana/shop/a.test.mjs:3:1'",
                "  failureType: 'testCodeFailure'",
                "  error: \"Cannot read properties of null (reading 'x')\"",
                "  code: 'ERR_TEST_FAILURE'",
                "  name: 'TypeError'",
                "  stack: |-",
                "    TestContext.<anonymous> (file:///home/ana/shop/a.test.mjs:3:29)",
                "    Test.runInAsyncScope (node:async_hooks:206:9)",
                "    Test.run (node:internal/test_runner/test:796:25)",
                "    Test.processPendingSubtests (node:internal/test_runner/test:526:18)",
                "    Test.postRun (node:internal/test_runner/test:889:19)",
                "    Test.run (node:internal/test_runner/test:835:12)",
                "    async Test.processPendingSubtests (node:internal/test_runner/test:526:7)",
                "  ...",
                "# Subtest: ok",
                "ok 3 - ok",
                "  ---",
                "  duration_ms: 0.195394",
                "  ...",
                "1..3",
                "# tests 3",
                "# suites 0",
                "# pass 1",
                "# fail 2",
                "# cancelled 0",
                "# skipped 0",
                "# todo 0",
                "# duration_ms 138.046894",
            ]
        ),
        [
            (("test", "a.test.mjs", 2), "adds: sum"),
            (("test", "a.test.mjs", 3), "throws: Cannot read properties of null (reading 'x')"),
        ],
    ),
    (
        "npm test",
        1,
        "\n".join(
            [
                "",
                "> shop@1.0.0 test",
                "> node --test a.test.mjs",
                "",
                "TAP version 13",
                "# Subtest: adds",
                "not ok 1 - adds",
                "  ---",
                "  duration_ms: 3.751217",
                "  location: '/home/ana/shop/a.test.mjs:2:1'",
                "  failureType: 'testCodeFailure'",
                "  error: |-",
                "    sum",
                "",
                "    2 !== 3",
                "",
                "  code: 'ERR_ASSERTION'",
                "  name: 'AssertionError'",
                "  expected: 3",
                "  actual: 2",
                "  operator: 'strictEqual'",
                "  stack: |-",
                "    TestContext.<anonymous> (file:///home/ana/shop/a.test.mjs:2:29)",
                "    Test.runInAsyncScope (node:async_hooks:206:9)",
                "    Test.run (node:internal/test_runner/test:796:25)",
                "    Test.processPendingSubtests (node:internal/test_runner/test:526:18)",
                "    node:internal/test_runner/harness:255:12",
                "    node:internal/process/task_queues:140:7",
                "    AsyncResource.runInAsyncScope (node:async_hooks:206:9)",
                "    AsyncResource.runMicrotask (node:internal/process/task_queues:137:8)",
                "  ...",
                "# Subtest: throws",
                "not ok 2 - throws",
                "  ---",
                "  duration_ms: 0.225922",
                "  location: '/home/ana/shop/a.test.mjs:3:1'",
                "  failureType: 'testCodeFailure'",
                "  error: \"Cannot read properties of null (reading 'x')\"",
                "  code: 'ERR_TEST_FAILURE'",
                "  name: 'TypeError'",
                "  stack: |-",
                "    TestContext.<anonymous> (file:///home/ana/shop/a.test.mjs:3:29)",
                "    Test.runInAsyncScope (node:async_hooks:206:9)",
                "    Test.run (node:internal/test_runner/test:796:25)",
                "    Test.processPendingSubtests (node:internal/test_runner/test:526:18)",
                "    Test.postRun (node:internal/test_runner/test:889:19)",
                "    Test.run (node:internal/test_runner/test:835:12)",
                "    async Test.processPendingSubtests (node:internal/test_runner/test:526:7)",
                "  ...",
                "# Subtest: ok",
                "ok 3 - ok",
                "  ---",
                "  duration_ms: 0.229789",
                "  ...",
                "1..3",
                "# tests 3",
                "# suites 0",
                "# pass 1",
                "# fail 2",
                "# cancelled 0",
                "# skipped 0",
                "# todo 0",
                "# duration_ms 163.664452",
            ]
        ),
        [
            (("test", "a.test.mjs", 2), "adds: sum"),
            (("test", "a.test.mjs", 3), "throws: Cannot read properties of null (reading 'x')"),
        ],
    ),
    (
        "npm run build",
        1,
        "\n".join(
            [
                "",
                "> shop@1.0.0 build",
                "> node syn.js",
                "",
                "/home/ana/shop/syn.js:1",
                "const a = { b: 1;",
                "                ^",
                "",
                "SyntaxError: Unexpected token ';'",
                "    at wrapSafe (node:internal/modules/cjs/loader:1464:18)",
                "    at Module._compile (node:internal/modules/cjs/loader:1495:20)",
                "    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)",
                "    at Module.load (node:internal/modules/cjs/loader:1266:32)",
                "    at Module._load (node:internal/modules/cjs/loader:1091:12)",
                "    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)",
                "    at node:internal/main/run_main_module:28:49",
                "",
                "Node.js v20.20.2",
            ]
        ),
        [(("build", "syn.js", 1), "SyntaxError: Unexpected token ';'")],
    ),
    ("npm run fail", 3, "\n".join(["", "> shop@1.0.0 fail", "> exit 3"]), []),
    (
        "npm run lint",
        127,
        "\n".join(["", "> shop@1.0.0 lint", "> eslintx src", "", "sh: 1: eslintx: not found"]),
        [(("lint", "", 0), "sh: 1: eslintx: not found")],
    ),
    (
        "npm run nosuch",
        1,
        "\n".join(
            [
                'npm error Missing script: "nosuch"',
                "npm error",
                "npm error To see a list of scripts, run:",
                "npm error   npm run",
            ]
        ),
        [(("runtime", "", 0), 'npm error Missing script: "nosuch" To see a list of scripts,')],
    ),
    (
        "node -e \"throw new Error('boom')\"",
        1,
        "\n".join(
            [
                "[eval]:1",
                "throw new Error('boom')",
                "^",
                "",
                "Error: boom",
                "    at [eval]:1:7",
                "    at runScriptInThisContext (node:internal/vm:209:10)",
                "    at node:internal/process/execution:118:14",
                "    at [eval]-wrapper:6:24",
                "    at runScript (node:internal/process/execution:101:62)",
                "    at evalScript (node:internal/process/execution:133:3)",
                "    at node:internal/main/eval_string:51:3",
                "",
                "Node.js v20.20.2",
            ]
        ),
        [(("runtime", "", 0), "Error: boom")],
    ),
    (
        "node nofile.js",
        1,
        "\n".join(
            [
                "node:internal/modules/cjs/loader:1210",
                "  throw err;",
                "  ^",
                "",
                "Error: Cannot find module '/home/ana/shop/nofile.js'",
                "    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
                "    at Module._load (node:internal/modules/cjs/loader:1038:27)",
                "    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)",
                "    at node:internal/main/run_main_module:28:49 {",
                "  code: 'MODULE_NOT_FOUND',",
                "  requireStack: []",
                "}",
                "",
                "Node.js v20.20.2",
            ]
        ),
        [(("runtime", "", 0), "Error: Cannot find module '/home/ana/shop/nofile.js'")],
    ),
    (
        "RUST_BACKTRACE=0 cargo test -q",
        101,
        "\n".join(
            [
                "",
                "running 4 tests",
                "tests::boom --- FAILED",
                "tests::nopanic --- FAILED",
                "tests::res --- FAILED",
                "tests::sums --- FAILED",
                "",
                "failures:",
                "",
                "---- tests::boom stdout ----",
                "",
                "thread 'tests::boom' (867) panicked at src/lib.rs:7:60:",
                "index out of bounds: the len is 0 but the index is 0",
                "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
                "",
                "---- tests::nopanic stdout ----",
                "note: test did not panic as expected at src/lib.rs:8:32",
                "---- tests::res stdout ----",
                'Error: "bad config"',
                "",
                "---- tests::sums stdout ----",
                "",
                "thread 'tests::sums' (870) panicked at src/lib.rs:6:25:",
                "assertion `left == right` failed: sum of items",
                "  left: 4",
                " right: 3",
                "",
                "",
                "failures:",
                "    tests::boom",
                "    tests::nopanic",
                "    tests::res",
                "    tests::sums",
                "",
                "test result: FAILED. 0 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                "",
                "error: test failed, to rerun pass `--lib`",
            ]
        ),
        [
            (
                ("test", "src/lib.rs", 7),
                "tests::boom: panicked: index out of bounds: the len is 0 but",
            ),
            (("test", "src/lib.rs", 8), "tests::nopanic: test did not panic as expected"),
            (("test", "", 0), 'tests::res: Error: "bad config"'),
            (
                ("test", "src/lib.rs", 6),
                "tests::sums: panicked: assertion `left == right` failed: sum",
            ),
        ],
    ),
    (
        "RUST_BACKTRACE=0 cargo test -q nopanic",
        101,
        "\n".join(
            [
                "",
                "running 1 test",
                "tests::nopanic --- FAILED",
                "",
                "failures:",
                "",
                "---- tests::nopanic stdout ----",
                "note: test did not panic as expected at src/lib.rs:8:32",
                "",
                "failures:",
                "    tests::nopanic",
                "",
                "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s",
                "",
                "error: test failed, to rerun pass `--lib`",
            ]
        ),
        [(("test", "src/lib.rs", 8), "tests::nopanic: test did not panic as expected")],
    ),
    (
        "cargo build -q",
        101,
        "\n".join(
            [
                "error[E0308]: mismatched types",
                " --> src/main.rs:2:83",
                "  |",
                '2 | fn main() { let s = String::from("a"); let t = s; println!("{}", s); let x: u32 = "1"; nope(); let unused = 1; }',
                "  |                                                                             ---   ^^^ expected `u32`, found `&str`",
                "  |                                                                             |",
                "  |                                                                             expected due to this",
                "",
                "error[E0425]: cannot find function `nope` in this scope",
                " --> src/main.rs:2:88",
                "  |",
                '2 | fn main() { let s = String::from("a"); let t = s; println!("{}", s); let x: u32 = "1"; nope(); let unused = 1; }',
                "  |                                                                                        ^^^^ not found in this scope",
                "",
                "Some errors have detailed explanations: E0308, E0425.",
                "For more information about an error, try `rustc --explain E0308`.",
                'error: could not compile `bad` (bin "bad") due to 2 previous errors',
            ]
        ),
        [
            (("build", "src/main.rs", 2), "E0308: mismatched types (expected `u32`, found `&str`)"),
            (
                ("build", "src/main.rs", 2),
                "E0425: cannot find function `nope` in this scope (not found",
            ),
        ],
    ),
    (
        "cargo check -q --message-format short",
        101,
        "\n".join(
            [
                "src/main.rs:2:83: error[E0308]: mismatched types: expected `u32`, found `&str`",
                "src/main.rs:2:88: error[E0425]: cannot find function `nope` in this scope: not found in this scope",
                'error: could not compile `bad` (bin "bad") due to 2 previous errors',
            ]
        ),
        [
            (
                ("build", "src/main.rs", 2),
                "error[E0308]: mismatched types: expected `u32`, found `&str`",
            ),
            (
                ("build", "src/main.rs", 2),
                "error[E0425]: cannot find function `nope` in this scope: not",
            ),
        ],
    ),
    (
        "cargo build",
        101,
        "\n".join(
            ["error: could not find `Cargo.toml` in `/home/ana/shop` or any parent directory"]
        ),
        [(("build", "", 0), "error: could not find `Cargo.toml` in `/home/ana/shop` or an")],
    ),
    (
        "cargo nope",
        101,
        "\n".join(
            [
                "error: no such command: `nope`",
                "",
                "help: a command with a similar name exists: `doc`",
                "",
                "help: view all installed commands with `cargo --list`",
                "help: find a package to install `nope` with `cargo search cargo-nope`",
            ]
        ),
        [(("runtime", "", 0), "error: no such command: `nope`")],
    ),
    (
        "javac Main.java",
        1,
        "\n".join(
            [
                "Main.java:1: error: ';' expected",
                "public class Main { static int f(int a){ return a / 0; } public static void main(String[] x){ String s = 5; foo(); System.out.println(f(1)) } }",
                "                                                                                                                                           ^",
                "1 error",
            ]
        ),
        [(("build", "Main.java", 1), "error: ';' expected")],
    ),
    (
        "javac Boom.java && java Boom",
        1,
        "\n".join(
            [
                'Exception in thread "main" java.lang.NullPointerException: Cannot invoke "String.length()" because "<parameter1>" is null',
                "\tat Boom.f(Boom.java:1)",
                "\tat Boom.main(Boom.java:1)",
            ]
        ),
        [
            (
                ("runtime", "Boom.java", 1),
                'java.lang.NullPointerException: Cannot invoke "String.length',
            )
        ],
    ),
    (
        "java Nope",
        1,
        "\n".join(
            [
                "Error: Could not find or load main class Nope",
                "Caused by: java.lang.ClassNotFoundException: Nope",
            ]
        ),
        [(("runtime", "", 0), "Error: Could not find or load main class Nope")],
    ),
    (
        "cmake --build nobuild",
        1,
        "\n".join(["Error: /home/ana/shop/nobuild is not a directory"]),
        [(("build", "", 0), "Error: /home/ana/shop/nobuild is not a directory")],
    ),
    (
        "git push origin nope",
        128,
        "\n".join(["fatal: not a git repository (or any of the parent directories): .git"]),
        [(("runtime", "", 0), "fatal: not a git repository (or any of the parent directorie")],
    ),
    (
        "tar xf nope.tgz",
        2,
        "\n".join(
            [
                "tar: nope.tgz: Cannot open: No such file or directory",
                "tar: Error is not recoverable: exiting now",
            ]
        ),
        [(("runtime", "", 0), "tar: nope.tgz: Cannot open: No such file or directory")],
    ),
    (
        "curl -sS http://127.0.0.1:9/x",
        7,
        "\n".join(
            [
                "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server"
            ]
        ),
        [(("runtime", "", 0), "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms:")],
    ),
    (
        "perl -e 'die \"oops\"'",
        255,
        "\n".join(["oops at -e line 1."]),
        [(("runtime", "", 0), "oops at -e line 1.")],
    ),
    (
        "bash -n bad.sh",
        2,
        "\n".join(["bad.sh: line 3: syntax error: unexpected end of file"]),
        [(("runtime", "bad.sh", 3), "syntax error: unexpected end of file")],
    ),
    (
        "npx eslint --format unix src",
        1,
        "\n".join(
            [
                "/home/ana/shop/src/a.js:3:7: 'x' is assigned a value but never used. [Error/no-unused-vars]",
                "/home/ana/shop/src/b.js:9:1: Unexpected console statement. [Warning/no-console]",
                "",
                "2 problems",
            ]
        ),
        [(("lint", "src/a.js", 3), "'x' is assigned a value but never used. [Error/no-unused-var")],
    ),
    (
        "npx eslint --format compact src",
        1,
        "\n".join(
            [
                "/home/ana/shop/src/a.js: line 3, col 7, Error - 'x' is assigned a value but never used. (no-unused-vars)",
                "",
                "1 problem",
            ]
        ),
        [(("lint", "src/a.js", 3), "'x' is assigned a value but never used. (no-unused-vars)")],
    ),
    (
        "npx eslint .",
        2,
        "\n".join(
            [
                "",
                "Oops! Something went wrong! :(",
                "",
                "ESLint: 9.14.0",
                "",
                "ESLint couldn't find an eslint.config.(js|mjs|cjs) file.",
                "",
                "From ESLint v9.0.0, the default configuration file is now eslint.config.js.",
            ]
        ),
        [(("lint", "", 0), "ESLint couldn't find an eslint.config.(js|mjs|cjs) file.")],
    ),
    (
        "npx jest",
        1,
        "\n".join(
            [
                " FAIL  src/cart.test.ts",
                "  cart",
                "    ✓ adds (2 ms)",
                "    ✕ totals with tax (4 ms)",
                "",
                "  ● cart › totals with tax",
                "",
                "    expect(received).toBe(expected) // Object.is equality",
                "",
                "    Expected: 120",
                "    Received: 119",
                "",
                "      8 |   it('totals with tax', () => {",
                "    > 9 |     expect(total(100)).toBe(120);",
                "        |                        ^",
                "     10 |   });",
                "",
                "      at Object.<anonymous> (src/cart.test.ts:9:24)",
                "",
                "Test Suites: 1 failed, 1 total",
                "Tests:       1 failed, 1 passed, 2 total",
            ]
        ),
        [
            (
                ("test", "src/cart.test.ts", 9),
                "cart › totals with tax: expect(received).toBe(expected) // O",
            )
        ],
    ),
    (
        "npx jest src/a.test.js",
        1,
        "\n".join(
            [
                "FAIL src/a.test.js",
                "  ● Test suite failed to run",
                "",
                "    SyntaxError: /home/ana/shop/src/a.js: Unexpected token (3:10)",
                "",
                "      1 | export function a() {",
                "    > 3 |   return {;",
                "        |           ^",
                "",
                "      at constructor (node_modules/@babel/parser/lib/index.js:359:19)",
                "",
                "Test Suites: 1 failed, 1 total",
                "Tests:       0 total",
            ]
        ),
        [
            (
                ("test", "src/a.test.js", 0),
                "Test suite failed to run: SyntaxError: /home/ana/shop/src/a.",
            )
        ],
    ),
    (
        "npx vitest run",
        1,
        "\n".join(
            [
                " RUN  v2.1.4 /home/ana/shop",
                "",
                " ❯ src/tax.test.ts (3 tests | 1 failed) 9ms",
                "   × tax > rounds half up 5ms",
                "     → expected 2 to be 3 // Object.is equality",
                "",
                "⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯",
                "",
                " FAIL  src/tax.test.ts > tax > rounds half up",
                "AssertionError: expected 2 to be 3 // Object.is equality",
                "",
                "- Expected",
                "+ Received",
                "",
                "- 3",
                "+ 2",
                "",
                " ❯ src/tax.test.ts:7:21",
                "      5|   it('rounds half up', () => {",
                "      7|     expect(round(2.5)).toBe(3)",
                "       |                     ^",
                "",
                "⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯",
                "",
                " Test Files  1 failed (1)",
                "      Tests  1 failed | 2 passed (3)",
            ]
        ),
        [
            (
                ("test", "src/tax.test.ts", 7),
                "tax > rounds half up: AssertionError: expected 2 to be 3 //",
            )
        ],
    ),
    (
        "npx vitest run",
        1,
        "\n".join(
            [
                " FAIL  src/x.test.ts [ src/x.test.ts ]",
                'Error: Failed to resolve import "./nope" from "src/x.test.ts". Does the file exist?',
                "  Plugin: vite:import-analysis",
                "  File: /home/ana/shop/src/x.test.ts:2:18",
                "",
                " Test Files  1 failed (1)",
                "      Tests  no tests",
            ]
        ),
        [
            (
                ("test", "src/x.test.ts", 0),
                'suite: Error: Failed to resolve import "./nope" from "src/x.',
            )
        ],
    ),
    (
        "go build ./...",
        1,
        "\n".join(
            [
                "# example.com/shop/cart",
                'cart/total.go:12:9: cannot use "x" (untyped string constant) as int value in return statement',
                "cart/total.go:20:2: undefined: tax",
            ]
        ),
        [
            (
                ("build", "cart/total.go", 12),
                'cannot use "x" (untyped string constant) as int value in ret',
            ),
            (("build", "cart/total.go", 20), "undefined: tax"),
        ],
    ),
    (
        "go test ./...",
        1,
        "\n".join(
            [
                "--- FAIL: TestTotal (0.00s)",
                "    --- FAIL: TestTotal/with_tax (0.00s)",
                "        total_test.go:18: got 119, want 120",
                "FAIL",
                "FAIL\texample.com/shop/cart\t0.004s",
                "ok  \texample.com/shop/tax\t0.002s",
                "FAIL",
            ]
        ),
        [(("test", "cart/total_test.go", 18), "TestTotal/with_tax: got 119, want 120")],
    ),
    (
        "go vet ./...",
        1,
        "\n".join(
            [
                "# example.com/shop/cart",
                "cart/total.go:9:2: fmt.Printf format %d has arg s of wrong type string",
            ]
        ),
        [(("lint", "cart/total.go", 9), "fmt.Printf format %d has arg s of wrong type string")],
    ),
    (
        "go test ./cart",
        1,
        "\n".join(
            [
                "# example.com/shop/cart [example.com/shop/cart.test]",
                "cart/total_test.go:7:12: undefined: Totall",
                "FAIL\texample.com/shop/cart [build failed]",
                "FAIL",
            ]
        ),
        [(("build", "cart/total_test.go", 7), "undefined: Totall")],
    ),
    (
        "go run .",
        2,
        "\n".join(
            [
                "panic: runtime error: invalid memory address or nil pointer dereference",
                "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x48f2a1]",
                "",
                "goroutine 1 [running]:",
                "main.load(...)",
                "\t/home/ana/shop/main.go:14",
                "main.main()",
                "\t/home/ana/shop/main.go:8 +0x1d",
                "exit status 2",
            ]
        ),
        [
            (
                ("runtime", "main.go", 14),
                "panic: runtime error: invalid memory address or nil pointer",
            )
        ],
    ),
    (
        "go mod tidy",
        1,
        "\n".join(
            [
                "go: finding module for package example.com/nope",
                "go: example.com/shop imports",
                "\texample.com/nope: cannot find module providing package example.com/nope",
            ]
        ),
        [(("build", "", 0), "example.com/nope: cannot find module providing package examp")],
    ),
    (
        "mvn -q test",
        1,
        "\n".join(
            [
                "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.shop.CartTest",
                "[ERROR] com.shop.CartTest.total -- Time elapsed: 0.01 s <<< FAILURE!",
                "org.opentest4j.AssertionFailedError: expected: <120> but was: <119>",
                "\tat com.shop.CartTest.total(CartTest.java:21)",
                "",
                "[ERROR] Failures: ",
                "[ERROR]   CartTest.total:21 expected: <120> but was: <119>",
                "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0",
                "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project shop: There are test failures.",
            ]
        ),
        [(("test", "CartTest.java", 21), "CartTest.total: expected: <120> but was: <119>")],
    ),
    (
        "mvn compile",
        1,
        "\n".join(
            [
                "[INFO] BUILD FAILURE",
                "[ERROR] COMPILATION ERROR : ",
                "[ERROR] /home/ana/shop/src/main/java/com/shop/Cart.java:[14,22] cannot find symbol",
                "[ERROR]   symbol:   variable tax",
                "[ERROR]   location: class com.shop.Cart",
            ]
        ),
        [(("build", "src/main/java/com/shop/Cart.java", 14), "cannot find symbol")],
    ),
    (
        "./gradlew test",
        1,
        "\n".join(
            [
                "> Task :test FAILED",
                "",
                "CartTest > total() FAILED",
                "    org.opentest4j.AssertionFailedError at CartTest.java:21",
                "",
                "2 tests completed, 1 failed",
                "",
                "FAILURE: Build failed with an exception.",
                "",
                "* What went wrong:",
                "Execution failed for task ':test'.",
                "> There were failing tests. See the report at: file:///home/ana/shop/build/reports/tests/test/index.html",
            ]
        ),
        [
            (
                ("test", "CartTest.java", 21),
                "CartTest > total(): org.opentest4j.AssertionFailedError",
            )
        ],
    ),
    (
        "gradle build",
        1,
        "\n".join(
            [
                "> Task :compileKotlin FAILED",
                "e: file:///home/ana/shop/src/main/kotlin/Cart.kt:9:17 Unresolved reference: tax",
                "",
                "FAILURE: Build failed with an exception.",
            ]
        ),
        [(("build", "src/main/kotlin/Cart.kt", 9), "Unresolved reference: tax")],
    ),
    (
        "gradle build",
        1,
        "\n".join(
            [
                "FAILURE: Build failed with an exception.",
                "",
                "* Where:",
                "Build file '/home/ana/shop/build.gradle' line: 7",
                "",
                "* What went wrong:",
                "A problem occurred evaluating root project 'shop'.",
                "> Could not find method implementaton() for arguments [x] on object of type DefaultDependencyHandler.",
            ]
        ),
        [
            (
                ("build", "build.gradle", 7),
                "A problem occurred evaluating root project 'shop'. Could not",
            )
        ],
    ),
    (
        "npx tsc -b",
        2,
        "\n".join(
            [
                "packages/a/src/x.ts(3,1): error TS2304: Cannot find name 'foo'.",
                "tsconfig.json(4,3): error TS5023: Unknown compiler option 'strickt'.",
            ]
        ),
        [
            (("typecheck", "packages/a/src/x.ts", 3), "TS2304: Cannot find name 'foo'."),
            (("typecheck", "tsconfig.json", 4), "TS5023: Unknown compiler option 'strickt'."),
        ],
    ),
    (
        "pnpm run typecheck",
        2,
        "\n".join(
            [
                "",
                "> shop@1.0.0 typecheck /home/ana/shop",
                "> tsc --noEmit",
                "",
                "src/a.ts:3:5 - error TS2322: Type 'string' is not assignable to type 'number'.",
                "",
                "3     x = 'a';",
                "      ~",
                "",
                "Found 1 error in src/a.ts:3",
                "",
                " ELIFECYCLE  Command failed with exit code 2.",
            ]
        ),
        [
            (
                ("typecheck", "src/a.ts", 3),
                "TS2322: Type 'string' is not assignable to type 'number'.",
            )
        ],
    ),
    (
        "clang -c a.c",
        1,
        "\n".join(
            [
                "a.c:4:3: error: use of undeclared identifier 'x'",
                "    4 |   x = 1;",
                "      |   ^",
                "1 error generated.",
            ]
        ),
        [(("build", "a.c", 4), "error: use of undeclared identifier 'x'")],
    ),
    (
        "make",
        2,
        "\n".join(
            [
                "cc -c -o main.o main.c",
                "main.c:1:10: fatal error: nope.h: No such file or directory",
                '    1 | #include "nope.h"',
                "      |          ^~~~~~~~",
                "compilation terminated.",
                "make: *** [<builtin>: main.o] Error 1",
            ]
        ),
        [(("build", "main.c", 1), "fatal error: nope.h: No such file or directory")],
    ),
    (
        "docker compose up -d",
        1,
        "\n".join(
            [
                "Error response from daemon: driver failed programming external connectivity: Bind for 0.0.0.0:5432 failed: port is already allocated"
            ]
        ),
        [(("runtime", "", 0), "Error response from daemon: driver failed programming extern")],
    ),
    (
        "npm install",
        1,
        "\n".join(
            [
                "npm error code ERESOLVE",
                "npm error ERESOLVE unable to resolve dependency tree",
                "npm error",
                "npm error While resolving: shop@1.0.0",
                "npm error Found: react@19.0.0",
            ]
        ),
        [(("build", "", 0), "npm error ERESOLVE: ERESOLVE unable to resolve dependency tr")],
    ),
    (
        "yarn build",
        1,
        "\n".join(
            [
                "yarn run v1.22.22",
                "$ vite build",
                "vite v5.4.0 building for production...",
                "error during build:",
                'src/main.ts (4:9): "nope" is not exported by "src/a.ts", imported by "src/main.ts".',
                "error Command failed with exit code 1.",
            ]
        ),
        [
            (
                ("build", "src/main.ts", 4),
                '"nope" is not exported by "src/a.ts", imported by "src/main.',
            )
        ],
    ),
    (
        "npx playwright test",
        1,
        "\n".join(
            [
                "Running 1 test using 1 worker",
                "",
                "  1) [chromium] › tests/login.spec.ts:5:1 › logs in ─────────",
                "",
                "    Error: expect(locator).toBeVisible() failed",
                "",
                "       8 |   await page.goto('/');",
                "    >  9 |   await expect(page.getByText('Hi')).toBeVisible();",
                "",
                "        at /home/ana/shop/tests/login.spec.ts:9:38",
                "",
                "  1 failed",
            ]
        ),
        [
            (
                ("test", "tests/login.spec.ts", 9),
                "logs in: Error: expect(locator).toBeVisible() failed",
            )
        ],
    ),
    (
        "cargo clippy -- -D warnings",
        101,
        "\n".join(
            [
                "error: this comparison involving the minimum or maximum element is always false",
                "  --> src/a.rs:4:8",
                "   |",
                "4  |     if x < 0 {}",
                "   |        ^^^^^",
                "   |",
                "   = help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#absurd_extreme_comparisons",
                "   = note: `-D clippy::absurd-extreme-comparisons` implied by `-D warnings`",
                "",
                "error: could not compile `shop` (lib) due to 1 previous error",
            ]
        ),
        [(("lint", "src/a.rs", 4), "this comparison involving the minimum or maximum element is")],
    ),
    (
        "cargo fmt --check",
        1,
        "\n".join(["Diff in /home/ana/shop/src/a.rs:3:", " fn a() {", "-  1;", "+    1;", " }"]),
        [(("lint", "src/a.rs", 3), "not formatted (rustfmt)")],
    ),
    (
        "mix test",
        2,
        "\n".join(
            [
                "Compiling 3 files (.ex)",
                "Generated shop app",
                "..",
                "",
                "  1) test rounds up (Shop.RatesTest)",
                "     test/shop/rates_test.exs:12",
                "     Assertion with == failed",
                "     code:  assert Rates.round(1.5) == 1",
                "     left:  2",
                "     right: 1",
                "     stacktrace:",
                "       test/shop/rates_test.exs:13: (test)",
                "",
                "Finished in 0.03 seconds (0.00s async, 0.03s sync)",
                "3 tests, 1 failure",
                "",
                "Randomized with seed 42",
            ]
        ),
        [(("test", "test/shop/rates_test.exs", 13), "rounds up")],
    ),
    (
        "mix compile",
        1,
        "\n".join(
            [
                "Compiling 1 file (.ex)",
                'error: undefined variable "amout"',
                "  │",
                "5 │     amout * 2",
                "  │     ^^^^^",
                "  │",
                "  └─ lib/shop/rates.ex:5:5: Shop.Rates.double/1",
                "",
                "** (CompileError) lib/shop/rates.ex: cannot compile module Shop.Rates (errors have been logged)",
            ]
        ),
        [(("build", "lib/shop/rates.ex", 5), "amout")],
    ),
    (
        "flutter test",
        1,
        "\n".join(
            [
                "00:02 +3: loading /home/dev/app/test/cart_test.dart",
                "00:03 +3 -1: Cart adds items [E]",
                "  Expected: <2>",
                "    Actual: <1>",
                "",
                "  package:matcher                                    expect",
                "  test/cart_test.dart 14:7                           main.<fn>.<fn>",
                "",
                "To run this test again: dart test test/cart_test.dart -p vm --plain-name 'Cart adds items'",
                "00:03 +3 -1: Some tests failed.",
            ]
        ),
        [(("test", "test/cart_test.dart", 14), "Cart adds items")],
    ),
    (
        "zig build",
        1,
        "\n".join(
            [
                "install",
                "└─ install shop",
                "   └─ zig build-exe shop Debug native 1 errors",
                "src/main.zig:6:17: error: use of undeclared identifier 'totl'",
                "    const x = 2 * totl;",
                "                  ^~~~",
                "error: the following build command failed with exit code 1:",
            ]
        ),
        [(("build", "src/main.zig", 6), "totl")],
    ),
    (
        "cabal build",
        1,
        "\n".join(
            [
                "Build profile: -w ghc-9.6.4 -O1",
                "[1 of 2] Compiling Cart             ( src/Cart.hs, dist/Cart.o )",
                "",
                "src/Cart.hs:9:11: error: [GHC-88464]",
                "    Variable not in scope: totl :: Int",
                "  |",
                "9 | double x = totl * 2",
                "  |            ^^^^",
                "Error: [Cabal-7125]",
                "Failed to build shop-0.1.0.0.",
            ]
        ),
        [(("build", "src/Cart.hs", 9), "totl")],
    ),
    (
        "dune build",
        1,
        "\n".join(
            [
                'File "lib/cart.ml", line 4, characters 10-14:',
                "4 | let x = totl * 2",
                "              ^^^^",
                "Error: Unbound value totl",
            ]
        ),
        [(("build", "lib/cart.ml", 4), "totl")],
    ),
    (
        "cargo test 2>&1 | tail -5; echo done",
        0,
        "\n".join(
            [
                "failures:",
                "    tests::rounds_up",
                "",
                "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
                "",
                "error: test failed, to rerun pass `--lib`",
                "done",
            ]
        ),
        [(("test", "", 0), "rounds_up")],
    ),
    (
        "deno test",
        1,
        "\n".join(
            [
                "running 2 tests from ./cart_test.ts",
                "adds ... FAILED (2ms)",
                "empties ... ok (0ms)",
                "",
                " ERRORS ",
                "",
                "adds => ./cart_test.ts:3:6",
                "error: AssertionError: Values are not equal.",
                "",
                "FAILURES ",
                "",
                "adds => ./cart_test.ts:3:6",
                "",
                "FAILED | 1 passed | 1 failed (5ms)",
                "",
                "error: Test failed",
            ]
        ),
        [(("test", "cart_test.ts", 3), "adds")],
    ),
    (
        "rebar3 eunit",
        1,
        "\n".join(
            [
                "===> Compiling shop",
                "===> Performing EUnit tests...",
                "F.",
                "Failures:",
                "",
                "  1) rates_tests:round_test/0",
                "     Failure/Error: ?assertEqual(1, rates:round_up(1.5))",
                "       expected: 1",
                "            got: 2",
                "     %% /home/dev/app/test/rates_tests.erl:7:in `rates_tests:-round_test/0-fun-0-/0`",
                "Finished in 0.01 seconds",
                "2 tests, 1 failures",
                "===> Error running tests",
            ]
        ),
        [(("test", "/home/dev/app/test/rates_tests.erl", 7), "round_test")],
    ),
]


@pytest.mark.parametrize(("command", "code", "output", "expected"), ROWS)
def test_errors_in_tool_output_are_found(
    command: str, code: int, output: str, expected: list[tuple[Place, str]]
) -> None:
    event = ToolFinished(tool="bash", command=command, output=output, exit_code=code, cwd=ROOT)
    found = after_tool((), event, root=ROOT, now=NOW, settings=SessionSettings(kept_errors=10))
    assert [(e.category, e.file, e.line) for e in found] == [place for place, _ in expected]
    assert all(words in e.summary for e, (_, words) in zip(found, expected, strict=True))


PLAIN = [row for row in ROWS if not ran(row[0], root=ROOT).hidden]
"""Rows whose exit code speaks of every check; `a; b` hides that of a, and its summary decides."""


@pytest.mark.parametrize(("command", "code", "output", "_expected"), PLAIN)
@pytest.mark.parametrize("said", [0, None])
def test_a_successful_or_unknown_command_opens_no_error(
    command: str, code: int, output: str, _expected: object, said: int | None
) -> None:
    event = ToolFinished(tool="bash", command=command, output=output, exit_code=said, cwd=ROOT)
    assert after_tool((), event, root=ROOT, now=NOW, settings=SessionSettings()) == ()
