"""Which parser reads what, and which part of a command line an error belongs to (HS-2).

The table is the order of trust: a test runner's own report before the compilers, these before
the last words of a program that died, and a bare "error:" line only where nobody knew better.
A line that one parser took is not read by the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from wm.domain.session.errors import tools
from wm.domain.session.errors.commands import Command, Ran
from wm.domain.session.errors.found import LAST_WORD, PACKAGE_MARK, Family, Found
from wm.domain.session.errors.lines import lines_of
from wm.domain.session.paths import spelled
from wm.settings import SessionSettings

CHECKS = (
    Family("pytest",
           ("E   ", "FAILED ", "ERROR ", "ERROR: ", "FAILURES =", "ERRORS ="),
           ("pytest",)),
    Family("unittest", ("FAIL: ", "ERROR: "), ("unittest",)),
    Family("jest", ("FAIL", " failing", "(fail)", " › "),
           ("jest", "vitest", "mocha", "playwright", "bun")),
    Family("tap", ("not ok", "test at "), ("node --test", "vitest", "tap", "ava")),
    Family("typescript", ("error TS", ": error ", " - error"),
           ("tsc", "svelte-check", "pyright", "dotnet", "msbuild")),
    Family("eslint", ("error", "✖", "×", "warning", "[warn]", ":\n  "),
           ("eslint", "stylelint", "biome", "prettier", "next", "ruff")),
    Family("bundlers", ("[ERROR]", "ERROR in ", "rror: ", "error during build",
                        "Could not resolve", "./"),
           ("esbuild", "webpack", "vite", "rollup", "next", "tsup", "ng")),
    Family("golang", (".go:", "panic: ", "fatal error: ", "--- FAIL"),
           ("go", "golangci-lint", "staticcheck")),
    Family("rust", ("-->", "panicked at", " stdout ----", "Diff in ", "╭─[", "┌─"),
           ("cargo", "rustc", "ruff", "ty", "rustfmt", "oxlint")),
    Family("jvm", ("[ERROR]", " FAILED", "Exception in thread", "* What went wrong"),
           ("mvn", "gradle", "sbt")),
    Family("colon", (":", "eformat"),
           ("gcc", "g++", "clang", "clang++", "javac", "mypy", "ruff", "flake8", "pylint", "make",
            "cmake", "black", "kotlinc", "swiftc", "isort", "shellcheck", "ghc", "nasm")),
    Family("others", ("rspec ", "::error", "::", "Failed", "Error: ", "psql:", " - "),
           ("rspec", "phpunit", "dotnet", "terraform", "psql", "ctest")),
)  # fmt: skip

LAST_WORDS = (
    Family("traces", ("Traceback", "    at ", 'File "', "Sanitizer", ".rb:", " error:", ": line ",
                      "Unhandled", "** (", " line "), runtime=True),
    Family("make", ("CMake Error", "***", "referenced from:"), ("cmake", "make", "ld")),
    Family("packages", ("npm ", "ERR_PNPM", "➤ ", "error ", "ERROR: "),
           ("npm", "pnpm", "yarn", "pip", "uv", "bun")),
    Family("generic", ("",), runtime=True),
)  # fmt: skip
"""Each is asked only where all before it found nothing."""

MAX_FOUND = 200


class Placed(Struct, frozen=True):
    """A finding with its category and file settled, and the part of the command that owns it."""

    found: Found
    command: Command


def placed(output: str, ran: Ran, *, root: str, settings: SessionSettings) -> tuple[Placed, ...]:
    """The errors of a failed command's output, in the order in which they stand there."""
    active = [c for c in ran.suspects if not c.silent and not c.lists]
    if not active and not any(c.lists for c in ran.suspects):
        return ()
    lines = lines_of(output, settings)
    settled = [
        _settled(found, family, active, root)
        for family, found in (_read(lines, "\n".join(lines)) if active else ())
    ]
    if not settled:
        # Imported here, as every family of formats is when it is first asked (`Family.find`).
        from wm.domain.session.errors.formats.generic import complaint

        settled = [
            Placed(replace(found, category="runtime"), command)
            for command in ran.suspects
            if command.lists
            for found in complaint(lines, command.word)
        ]
    return tuple(sorted(settled, key=lambda p: p.found.at))


def _read(lines: Sequence[str], text: str) -> list[tuple[Family, Found]]:
    found: list[tuple[Family, Found]] = []
    last: list[tuple[Family, Found]] = []
    taken = bytearray(len(lines) + 1)
    for family in CHECKS:
        for item in islice(_asked(family, lines, text), MAX_FOUND):
            if taken[min(item.at, len(lines))]:
                continue
            for i in range(item.at, min(max(item.until, item.at + 1), len(lines))):
                taken[i] = 1
            if item.name == LAST_WORD:
                last.append((family, replace(item, name="")))
            else:
                found.append((family, item))
    if found or last:
        return found or last[:1]
    for family in LAST_WORDS:
        found = [(family, item) for item in islice(_asked(family, lines, text), MAX_FOUND)]
        if found:
            break
    return found


def _asked(family: Family, lines: Sequence[str], text: str) -> Iterator[Found]:
    if any(hint in text for hint in family.hints):
        yield from family.find(lines)


def _settled(found: Found, family: Family, active: Sequence[Command], root: str) -> Placed:
    owner = _owner(found, family, active)
    category = found.category
    if family.name == "golang" and not category:
        category = "lint" if owner.tool in ("go vet", "golangci-lint run") else "build"
    if not category:
        category = owner.purpose or "runtime"
    file = _file(found.file, owner, root)
    line = found.line if file else 0
    return Placed(replace(found, category=category, file=file, line=line), owner)


def _owner(found: Found, family: Family, active: Sequence[Command]) -> Command:
    """The part of the chain that wrote it: a tool of this format, else what may have run one."""
    for command in active:
        head = command.tool.split(" ")[0]
        fits = head in family.tools or command.tool in family.tools
        if fits and not (found.category == "runtime" and head in ("gcc", "g++", "clang", "make")):
            return command
    if family.runtime or found.category == "runtime":
        programs = [c for c in active if not c.purpose]
        return (programs or list(active))[-1]
    checking = [c for c in active if c.purpose == found.category]
    return (checking or list(active))[-1]


def _file(file: str, owner: Command, root: str) -> str:
    """As hot state spells it; what cannot be placed is left out."""
    if file.startswith(PACKAGE_MARK):
        file = _in_package(file.removeprefix(PACKAGE_MARK), owner, root)
    where = owner.folder if owner.folder.startswith("/") else f"{root}/{owner.folder}"
    return spelled(file, root=root, cwd=where)


def _in_package(file: str, owner: Command, root: str) -> str:
    """`example.org/shop/rates/rates_test.go` → `<root>/rates/rates_test.go`.

    The folder is the one package that the command named, else what follows the root's own
    name in the import path; failing both, only the file's name is known.
    """
    package, _, name = file.rpartition("/")
    named = [place for place in owner.places if not place.endswith("...")]
    if len(named) == 1 and owner.tool in tools.PATH_TARGETS:
        return f"{root}/{named[0]}/{name}" if not named[0].startswith("/") else f"{named[0]}/{name}"
    if not owner.places:
        return name
    parts = package.split("/")
    base = root.rstrip("/").rsplit("/", 1)[-1]
    if base in parts:
        return "/".join([root, *parts[parts.index(base) + 1 :], name])
    return name
