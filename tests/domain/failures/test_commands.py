"""A command line as tools and targets, and what its exit code vouches for (HS-2)."""

from __future__ import annotations

import pytest

from wm.domain.failures.commands import purpose_of, ran
from wm.domain.failures.coverage import covers
from wm.domain.failures.shell import read

ROOT = "/home/ana/shop"


def proved(command: str, cwd: str = ROOT) -> list[tuple[str, str]]:
    return [(c.tool, c.target) for c in ran(command, root=ROOT, cwd=cwd).proved if not c.silent]


def blamed(command: str) -> list[str]:
    return [c.tool for c in ran(command, root=ROOT).suspects if not c.silent]


@pytest.mark.parametrize(
    ("spellings", "expected"),
    [
        (
            [
                "pytest tests/a.py -q",
                "python -m pytest tests/a.py -v",
                "python3.11 -m pytest -x --tb=short tests/a.py",
                "uv run --with x pytest tests/a.py",
                "poetry run pytest ./tests/a.py",
                "CI=1 .venv/bin/pytest tests/a.py",
                "cd tests && pytest a.py",
                "(cd tests; pytest a.py)",
                "timeout 60 sudo -u me env A=1 pytest tests/a.py 2>&1 > out.txt",
                "bash -lc 'pytest tests/a.py'",
                "docker compose exec -T web pytest tests/a.py",
                "pytest -n auto --cov app tests/a.py || exit 1",
                "set -eo pipefail; pytest tests/a.py | tee out.txt",
                "pytest \\\n  tests/a.py  # the slow one",
                "echo start; pytest tests/a.py",
            ],
            "tests/a.py",
        )
    ],
)
def test_different_spellings_of_one_run_are_equal(spellings: list[str], expected: str) -> None:
    for spelling in spellings:
        found = [pair for pair in proved(spelling) if pair[0] == "pytest"]
        assert [target.split(" ", 1)[1] for _tool, target in found] == [expected], spelling


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npx tsc --noEmit", [("tsc", ".:")]),
        ("npx tsc -p tsconfig.build.json", [("tsc", ".: -p=tsconfig.build.json")]),
        ("yarn tsc --noEmit", [("tsc", ".:")]),
        ("npm test", [("npm run test", ".:")]),
        ("npm run test -- src/a.js", [("npm run test", ".: src/a.js")]),
        ("npm --prefix web run lint", [("npm run lint", "web:")]),
        ("pnpm --filter web test", [("pnpm run test", ".: --filter=web")]),
        ("yarn", [("yarn install", ".:")]),
        ("make -j4", [("make", ".:")]),
        ("make -C sub test CC=gcc", [("make test", "sub: CC=gcc")]),
        ("go test ./... -run TestA", [("go test", ".: ... -run=TestA")]),
        ("go vet ./rates/", [("go vet", ".: rates")]),
        ("cargo t --lib", [("cargo test", ".: --lib")]),
        ("./gradlew :app:test", [("gradle test", ".: :app:test")]),
        ("ruff check . --output-format concise", [("ruff check", ".: .")]),
        ("tsc && eslint src", [("tsc", ".:"), ("eslint", ".: src")]),
        ("(cd web && tsc) && eslint .", [("tsc", "web:"), ("eslint", ".: .")]),
        ("git -C sub push origin main", [("git push", "sub: origin main")]),
        ("python load.py 'a b.csv'", [("python", ".: load.py a%20b.csv")]),
        ("python - <<'EOF'\nerror && tsc\nEOF", [("python", ".: -")]),
        ("ssh -p 22 ana@pier 'cd web && tsc'", [("tsc", "web:")]),
        ("ssh ana@pier tsc -p .", [("tsc", ".:")]),
        ("docker run --rm -v $PWD:/w -w /w shop:dev tsc", [("tsc", ".:")]),
        ("docker run shop:dev", [("docker run", ".: shop:dev")]),
        ("git diff --name-only | xargs -n 9 ruff check", [("ruff check", ".: {}")]),
        ("bash -e ./ci.sh fast", [("ci.sh", ".: fast")]),
        ("sh ci.sh", [("ci.sh", ".:")]),
    ],
)
def test_a_command_has_a_tool_and_a_target(command: str, expected: list[tuple[str, str]]) -> None:
    assert proved(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "pytest || true",
        "pytest; echo done",
        "pytest\necho done",
        "pytest | tail -5",
        "pytest 2>&1 | grep -c FAILED",
        "! pytest",
        "pytest &",
        "if pytest; then echo ok; fi",
        "for t in a b; do pytest $t; done",
        "pytest || echo failed",
        "bash -c 'pytest; echo done'",
        "echo pytest",
        "# pytest",
        "echo 'a && pytest'",
        "",
        "&& || ;",
    ],
)
def test_commands_that_run_no_tests_clear_nothing(command: str) -> None:
    assert [pair for pair in proved(command) if pair[0] == "pytest"] == []


@pytest.mark.parametrize(
    ("success", "failed", "expected"),
    [
        ("pytest tests/a.py", "pytest tests/a.py::test_x", True),
        ("pytest tests", "pytest tests/a.py", True),
        ("pytest", "pytest tests/a.py -k slow", True),
        ("pytest tests/a.py", "pytest tests", False),
        ("pytest tests/a.py", "pytest tests/ab.py", False),
        ("pytest -k fast", "pytest tests/a.py", False),
        ("pytest --collect-only", "pytest", False),
        ("pytest --lf", "pytest tests/a.py", False),
        ("pytest -q --lf", "pytest -x", True),
        ("cargo test", "cargo build", True),
        ("cargo test --lib", "cargo build", False),
        ("terraform apply -auto-approve", "terraform plan", True),
        ("terraform validate", "terraform plan", False),
        ("dotnet test", "dotnet build -c Release", True),
        ("npx playwright test", "npx playwright test --project=chromium", True),
        ("python -m unittest discover", "python -m unittest tests.test_a", True),
        ("pytest --lf -k fast", "pytest", False),
        ("./ci.sh", "bash ci.sh", True),
        ("node --test --test-name-pattern=a", "node --test", False),
        ("npx vitest --exclude-pattern b", "npx vitest", False),
        ("ls a.py | xargs ruff check", "ruff check .", False),
        ("npx webpack --stats minimal", "npx webpack", True),
        ("python3 ./load.py", "python load.py", True),
        ("go run ./load", "go run load", False),
        ("javac -d out A.java B.java", "javac -d out A.java", True),
        ("javac -d out A.java", "javac -d out A.java B.java", False),
        ("gcc -c main.c util.c", "gcc -Wall -c util.c", True),
        ("docker build .", "docker build -f dev.Dockerfile .", False),
        ("psql -d shop -f seed.sql", "psql -f seed.sql -d shop -U ann", True),
        ("psql -d shop_dev -f seed.sql", "psql -d shop -f seed.sql", False),
        ("psql -h localhost -f seed.sql", "psql -h db.example.org -f seed.sql", False),
        ("psql -f seed.sql", "psql -d shop -f seed.sql", False),
        ("cd web && npx tsc", "cd api && npx tsc", False),
        ("go vet ./...", "go vet ./rates/", True),
        ("go vet ./rates/...", "go vet ./rates/deep", True),
        ("go vet ./rates", "go vet ./rates/deep", False),
        ("go build ./worker/", "go build ./...", False),
        ("npm test", "npm test -- src/a.js", True),
        ("npm test -- src/a.js", "npm test", False),
        ("npm run lint", "npm run test", False),
        ("make", "make -j8", True),
        ("make test", "make", False),
        ("make -n", "make", False),
        ("cargo fmt --check", "cargo test", False),
        ("mypy app", "mypy app/a.py", True),
        ("ruff check --exit-zero .", "ruff check .", False),
        ("python a.py", "python b.py", False),
        ("go test ./rates", "go test ./rates -run TestX", True),
        ("cargo build", "cargo check", True),
        ("cargo check", "cargo build", False),
        ("cargo check --workspace", "cargo check -p core", True),
        ("cargo check", "cargo check -p core", False),
        ("cargo test cart", "cargo test cart::adds", True),
        ("cargo test cart", "cargo test", False),
        ("mvn verify", "mvn test", True),
        ("mvn package", "mvn compile", True),
        ("mvn compile", "mvn test", False),
        ("mvn install -DskipTests", "mvn install", False),
        ("./gradlew build", "gradle compileKotlin", True),
        ("./gradlew test", "./gradlew :api:test", True),
        ("./gradlew :web:test", "./gradlew test", False),
        ("./gradlew test", "./gradlew test --tests CartTest", True),
        ("./gradlew clean", "./gradlew build", False),
        ("make", "make all", True),
        ("make V=1", "make", True),
        ("nox", "nox -s tests", True),
        ("npm run test:unit", "npm test", False),
        ("npm test", "npm run test:unit", False),
        ("yarn test", "npm test", True),
        ("npm run lint", "npx eslint src", True),
        ("npm run lint", "npx eslint --rule x src", False),
        ("npx tsc -p tsconfig.json", "npx tsc", True),
        ("cmake --build out -j 8", "cmake --build out", True),
        ("cmake --build out --target a", "cmake --build out", False),
    ],
)
def test_a_success_covers_its_target_and_everything_below(
    success: str, failed: str, expected: bool
) -> None:
    (good,) = ran(success, root=ROOT).proved
    (bad,) = ran(failed, root=ROOT).suspects
    assert covers(good, bad.tool, bad.target) is expected


def test_a_cd_to_the_current_folder_is_not_applied_twice() -> None:
    assert proved("cd web && npx tsc", cwd=f"{ROOT}/web") == [("tsc", "web:")]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("javac A.java && java A", ["javac", "java"]),
        ("npm ci; npm test", ["npm run test"]),
        ("set -e; npm ci; npm test", ["set", "npm ci", "npm run test"][1:]),
        ("for f in a b; do python x.py $f; done", ["python"]),
        ("cat a | python x.py", ["python"]),
        ("head -2 ci.log && exit 1", []),
    ],
)
def test_a_failure_may_come_from_any_possible_last_part(command: str, expected: list[str]) -> None:
    assert blamed(command) == expected


@pytest.mark.parametrize(
    ("tool", "purpose"),
    [
        ("pytest", "test"),
        ("npm run test:unit", "test"),
        ("npm run type-check", "typecheck"),
        ("yarn run lint", "lint"),
        ("make build", "build"),
        ("make", "build"),
        ("just fmt", "lint"),
        ("npm run start", ""),
        ("python", ""),
    ],
)
def test_the_category_of_an_error_follows_the_tool(tool: str, purpose: str) -> None:
    assert purpose_of(tool) == purpose


@pytest.mark.parametrize(
    "command",
    ["(" * 5000, '"' * 5001, "$(" * 5000, "\\" * 5000, "a && " * 3000, "bash -c '" * 900,
     "x <<A " * 2000, "cd a && " * 2000, "\x00\x1b[31m", "'unclosed && rm", "a |& b", ";;;&&||"],
)  # fmt: skip
def test_any_command_line_is_parsed(command: str) -> None:
    assert len(read(command).steps) <= 200
    ran(command, root=ROOT)


def test_a_go_package_covers_the_errors_in_its_folder_only() -> None:
    (good,) = ran("go test ./rates", root=ROOT).proved
    (bad,) = ran("go test ./...", root=ROOT).suspects
    assert covers(good, bad.tool, bad.target, "rates/rates_test.go")
    assert not covers(good, bad.tool, bad.target, "rates/deep/deep_test.go")
    assert not covers(good, bad.tool, bad.target, "orders/orders_test.go")
