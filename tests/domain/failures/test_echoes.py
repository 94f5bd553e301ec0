"""Runners show what they ran: their success clears that, and no more (HS-2)."""

from __future__ import annotations

import pytest

from tests.domain.failures.test_flow import Call, files, play

MAKE_BAD = "src/pier.c:4:9: error: 'tide' undeclared\nmake: *** [Makefile:3: pier] Error 1\n"
CMAKE_BAD = f"/home/ana/shop/{MAKE_BAD}"
JEST_BAD = "FAIL api/pier.test.js\n  ● tide falls\n\n    expect(2).toBe(1)\n"
CARGO_BAD = (
    "---- tide::falls stdout ----\nthread 'tide::falls' panicked at src/a.rs:3:1:\nboom\n"
    "test result: FAILED. 0 passed; 1 failed\n"
)
PYTEST_BAD = "FAILED tests/test_pier.py::test_tide - assert 1 == 2\n1 failed in 0.12s\n"
NODE_BAD = (
    "not ok 1 - tide\n  ---\n  location: '/home/ana/shop/api/pier.test.js:4:1'\n"
    "  error: 'off by one'\n  ...\n# fail 1\n"
)
UNITTEST_BAD = (
    "FAIL: test_tide (tests.test_pier.PierTest.test_tide)\n----\n"
    "Traceback (most recent call last):\n"
    '  File "/home/ana/shop/tests/test_pier.py", line 4, in test_tide\n    self.assertTrue(0)\n'
    "AssertionError: 0 is not true\n\nFAILED (failures=1)\n"
)
WEB = (
    "make -C web lint\nmake[1]: Entering directory '/home/ana/shop/web'\nruff check .\n"
    "make[1]: Leaving directory '/home/ana/shop/web'\n"
)
RUFF_BAD = "src/a.py:1:1: F401 `os` imported but unused\nFound 1 error.\n"
LINK_BAD = "src/pier.c:4: undefined reference to `tide'\nmake: *** [Makefile:3: pier] Error 1\n"


@pytest.mark.parametrize(
    ("failing", "passing"),
    [
        (("make", 2, MAKE_BAD), ("make pier", 0, "")),
        (("make", 2, MAKE_BAD), ("make quay", 0, "cc -O2 -c -o pier.o src/pier.c\ncc -o quay\n")),
        (("make pier", 2, MAKE_BAD), ("make -j4", 0, "cc -c -o pier.o src/pier.c\n")),
        (
            ("make", 2, MAKE_BAD),
            ("make -C src", 0, "make: Entering directory '/home/ana/shop/src'\ncc -c pier.c\n"),
        ),
        (("gcc src/pier.c src/a.c", 1, MAKE_BAD), ("gcc -c src/pier.c", 0, "")),
        (
            ("cmake --build out", 1, CMAKE_BAD),
            ("ninja -C out quay", 0, "[1/2] Building C object CMakeFiles/q.dir/src/pier.c.o\n"),
        ),
        (("cmake --build out", 1, CMAKE_BAD), ("ninja -C out", 0, "")),
        (
            ("make test", 2, PYTEST_BAD),
            ("make unit", 0, "pytest -q tests/test_pier.py\n1 passed\n"),
        ),
        (
            ("pytest tests/test_pier.py", 1, PYTEST_BAD),
            ("nox -s all", 0, "nox > Running session all\nnox > pytest -q\n1 passed\n"),
        ),
        (
            ("pytest", 1, PYTEST_BAD),
            ("tox -e py312", 0, "py312: commands[0]> pytest -q\n1 passed\n  py312: OK\n"),
        ),
        (
            ("npm run unit", 1, NODE_BAD),
            ("npm run all", 0, "\n> shop@1.0.0 all\n> node --test api/\n\n# pass 2\n"),
        ),
        (("npm test", 1, NODE_BAD), ("npm --prefix api test", 0, "")),
        (("rake", 1, PYTEST_BAD + "Tasks: TOP => default => test\n"), ("rake test", 0, "")),
        (("just", 1, PYTEST_BAD + "error: Recipe `test` failed on line 2\n"), ("just test", 0, "")),
        (("nox", 1, PYTEST_BAD + "nox > Session unit failed.\n"), ("nox -s unit", 0, "")),
        (("tox", 1, PYTEST_BAD + "  py: FAIL code 1 (3.7 seconds)\n"), ("tox -e py", 0, "")),
        (("make ci", 2, PYTEST_BAD + "make: *** [Makefile:2: test] Error 1\n"), ("pytest", 0, "")),
        (("javac A.java", 1, "A.java:1: error: cannot find symbol\n"), ("javac *.java", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("pytest --ignore=tests/test_quay.py", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("pytest --deselect tests/test_pier.py::test_a", 0, "")),
        (
            ("python -m unittest", 1, UNITTEST_BAD),
            ("python -m unittest tests.test_pier.PierTest.test_tide", 0, "OK\n"),
        ),
        (("python -m unittest", 1, UNITTEST_BAD), ("python -m unittest discover -s .", 0, "OK\n")),
        (
            ("make", 2, f"make[1]: Entering directory '/home/ana/shop/lib'\n{MAKE_BAD}"),
            ("gcc -c lib/src/pier.c", 0, ""),
        ),
        (
            ("make", 2, f"make[1]: Verzeichnis „/home/ana/shop/lib“ wird betreten\n{MAKE_BAD}"),
            ("gcc -c lib/src/pier.c", 0, ""),
        ),
        (
            ("make", 2, f"make[1]\xa0: on entre dans «\xa0/home/ana/shop/lib\xa0»\n{MAKE_BAD}"),
            ("gcc -c lib/src/pier.c", 0, ""),
        ),
        (("rake test", 1, PYTEST_BAD), ("bundle exec rake test || rake test", 0, "")),
        (("npx jest", 1, JEST_BAD), ("npx jest pier", 0, "")),
        (
            ("cargo test", 101, CARGO_BAD),
            ("cargo test falls", 0, "test result: ok. 1 passed; 0 failed\n"),
        ),
        (("pytest", 1, PYTEST_BAD), ("make all", 0, f"{WEB}pytest tests/test_pier.py\n1 passed\n")),
        (("pytest", 1, PYTEST_BAD), ("make all", 0, "make -C . lint\npytest -q\n1 passed\n")),
    ],
)
def test_a_run_that_included_the_failed_check_clears_it(failing: Call, passing: Call) -> None:
    assert play(failing)
    assert play(failing, passing) == ()


@pytest.mark.parametrize(
    ("failing", "passing"),
    [
        (("make", 2, MAKE_BAD), ("make quay", 0, "cc -c -o quay.o src/quay.c\n")),
        (("make", 2, MAKE_BAD), ("make quay", 0, "cc -MM src/pier.c\n")),
        (("make", 2, MAKE_BAD), ("make -n quay", 0, "cc -c -o pier.o src/pier.c\n")),
        (
            ("make", 2, MAKE_BAD),
            ("make quay", 0, "cc -c src/pier.c\nmake: [Makefile:3: quay] Error 1 (ignored)\n"),
        ),
        (("make", 2, MAKE_BAD), ("make quay || true", 0, "cc -c -o pier.o src/pier.c\n")),
        (("make", 2, LINK_BAD), ("gcc -c src/pier.c", 0, "")),
        (("make -C out", 2, MAKE_BAD), ("make", 0, "")),
        (("cmake -S . -B out", 1, MAKE_BAD), ("make", 0, "")),
        (
            ("make test", 2, PYTEST_BAD),
            ("make unit", 0, "pytest -q tests/test_quay.py\n1 passed\n"),
        ),
        (("make test", 2, PYTEST_BAD), ("make unit", 0, "pytest -q tests || true\n1 passed\n")),
        (("make test", 2, PYTEST_BAD), ("make lint", 0, "ruff check .\n")),
        (("make test", 2, PYTEST_BAD), ("make help", 0, "pytest   run all in tests\n")),
        (("make test", 2, PYTEST_BAD), ("nox -s a", 0, "nox > echo\n> pytest -q\n$ pytest -q\n")),
        (
            ("npm test", 1, NODE_BAD),
            ("npm run b", 0, "\n> shop@1 b\n> npm test -w b\n\n\n> b@1 test\n> node --test\n"),
        ),
        (("npm test", 1, NODE_BAD), ("npm --prefix web test", 0, "")),
        (("rake", 1, PYTEST_BAD + "Tasks: TOP => default => test\n"), ("rake lint", 0, "")),
        (("nox", 1, PYTEST_BAD + "nox > Session unit failed.\n"), ("nox -s lint", 0, "")),
        (("rake test", 1, PYTEST_BAD), ("rake test && make || make", 0, "")),
        (("make ci", 2, PYTEST_BAD + "make: *** [Makefile:2: lint] Error 1\n"), ("pytest", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("pytest --ignore=tests/test_pier.py", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("pytest --ignore tests", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("cd tests && pytest --ignore test_pier.py", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("pytest --deselect tests/test_pier.py::test_tide", 0, "")),
        (
            ("python -m unittest", 1, UNITTEST_BAD),
            ("python -m unittest tests.test_pier.PierTest.test_moor", 0, "OK\n"),
        ),
        (
            ("python -m unittest", 1, UNITTEST_BAD),
            ("python -m unittest tests.test_pier.PierTest", 0, "OK\n"),
        ),
        (("rake test", 1, PYTEST_BAD), ("rake test || rake unit", 0, "")),
        (("npm test", 1, NODE_BAD), ("npm test -w web", 0, "> web@1 test\n> node --test\n")),
        (("npx jest", 1, JEST_BAD), ("npx jest quay", 0, "")),
        (
            ("cargo test", 101, CARGO_BAD),
            ("cargo test rises", 0, "test result: ok. 1 passed; 0 failed\n"),
        ),
        (
            ("cd web && pytest", 1, PYTEST_BAD),
            ("make all", 0, f"{WEB}pytest tests/test_pier.py\n1 passed\n"),
        ),
        (("pytest", 1, PYTEST_BAD), ("make all", 0, "make -C web t\npytest -q\n1 passed\n")),
        (("pytest", 1, PYTEST_BAD), ("make all", 0, "cd web && make t\npytest -q\n1 passed\n")),
        (("pytest", 1, PYTEST_BAD), ("nox -s a", 0, "nox > cd web\nnox > pytest -q\n1 passed\n")),
        (("pytest", 1, PYTEST_BAD), ("nox -s a", 0, "nox > pytest -q\n1 failed in 0.1s\n")),
        (("pytest", 1, PYTEST_BAD), ("just all", 0, "pytest -q\n1 failed, 3 passed in 0.2s\n")),
        (("ruff check .", 1, RUFF_BAD), ("just all", 0, f"ruff check .\n{RUFF_BAD}")),
        (("pytest", 1, PYTEST_BAD), ("cd web && just all", 0, "pytest -q .. \n1 passed\n")),
        (
            ("ruff check .", 1, RUFF_BAD),
            ("tox -e py", 0, "py: commands[0]> ruff check .\n  py: IGNORED FAIL code 1\n"),
        ),
        (("pytest", 1, PYTEST_BAD), ("make setup", 0, "Now run:\npytest -q\n")),
        (("pytest", 1, PYTEST_BAD), ("make -kn all", 0, "pytest -q --maxfail=1\n")),
        (("pytest", 1, PYTEST_BAD), ("make -t test", 0, "touch test\n")),
        (("pytest", 1, PYTEST_BAD), ("make -i test", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("just -n all", 0, "pytest -q --maxfail=1\n")),
        (("npx jest", 1, JEST_BAD), ("npm run --silent docs", 0, "> jest\n1 page\n")),
        (("npx jest", 1, JEST_BAD), ("yarn -s docs", 0, "Usage:\n$ jest\n1 page\n")),
        (("pytest", 1, PYTEST_BAD), ("make lint || pytest || pytest", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("bash -c 'if true; then pytest; fi; true'", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("OUT=$(for i in 1 2; do pytest; done; true)", 0, "")),
        (("pytest", 1, PYTEST_BAD), ("command -v pytest && true", 0, "/usr/bin/pytest\n")),
    ],
)
def test_a_run_of_other_parts_clears_nothing(failing: Call, passing: Call) -> None:
    before = play(failing)
    assert before
    assert files(play(failing, passing)) == files(before)


def test_a_failed_target_is_cleared_by_the_complete_build_too() -> None:
    assert play(("make", 2, MAKE_BAD), ("make", 0, "")) == ()
    assert play(("make", 2, MAKE_BAD), ("make all", 0, "")) == ()
