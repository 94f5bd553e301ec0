"""Compilers, type checkers, linters, builds: every complaint and the totals stay (PR-2).

Progress ("Compiling …", "Downloaded …") is what goes.
"""

# ruff: noqa: E501  One expression, one line: a broken one is harder to read.

from __future__ import annotations

from wm.domain.pruning.rule import Folds, OutputRule, keeping, looks
from wm.text.patterns import Lazy

_SNIPPETS = Lazy(
    r"^\s*\d+ \| |^\s*\| |^\s*[~^]+|: note: |^\s+at \S|In file included from|: warning: "
)

TSC = OutputRule(
    "tsc",
    "lines of the type check",
    ("tsc", "vue-tsc", "svelte-check", "pyright", "mypy", "ty", "flow"),
    looks=looks(Lazy(r"error TS\d+:|^Found \d+ errors? in |: error: .* \[[\w-]+\]$|\d+ errors?, \d+ warnings?, ")),
    reduce=keeping(
        Lazy(r"error TS\d+|: error:|^Found \d+ errors?|^Success:|^\s*\d+ errors?, "),
        Lazy(r"^\s*\d+ |^\s*~+|: note: |^  \S"),
    ),
)  # fmt: skip
LINTERS = OutputRule(
    "lint",
    "lines of the linter",
    ("eslint", "ruff", "ruff check", "ruff format", "flake8", "pylint", "biome", "stylelint",
     "shellcheck", "golangci-lint", "rubocop", "prettier", "black", "oxlint", "next lint",
     "pre-commit", "clang-tidy", "yamllint", "markdownlint", "ktlint", "checkstyle", "swiftlint"),
    looks=looks(Lazy(r"^✖ \d+ problems? \(|^\s+\d+:\d+\s+(?:error|warning)\s|^Found \d+ errors?(?:\.| \()|\d+ fixable")),
    reduce=keeping(
        Lazy(r"^\s+\d+:\d+\s+error\s|^✖ |^Found \d+|^[\w./-]+:\d+:\d+: (?:E|F)\d{3}"),
        Lazy(r"^/\S+$|^[\w./-]+\.\w+$|^\s+\d+:\d+\s+warning\s|^[\w./-]+:\d+:\d+: "),
    ),
)  # fmt: skip
COMPILERS = OutputRule(
    "compile",
    "lines of the build",
    ("gcc", "g++", "clang", "clang++", "make", "cmake", "ninja", "meson", "go build", "go vet",
     "go install", "javac", "kotlinc", "swiftc", "swift build", "zig build", "dotnet build",
     "msbuild", "xcodebuild", "bazel", "ghc", "nvcc", "ld"),
    looks=looks(Lazy(r"^[\w./+-]+:\d+:\d+: (?:fatal )?(?:error|warning|note): |^make(?:\[\d+\])?: |^\[\s*\d+%\] (?:Building|Linking)")),
    reduce=keeping(
        Lazy(r": (?:fatal )?error: |^make(?:\[\d+\])?: \*\*\*|undefined reference|^collect2|^ninja: |^FAILED: |^CMake Error|^ld: |error CS\d+|^#\s"),
        _SNIPPETS,
    ),
    folds=Folds.ALIKE,
)  # fmt: skip
JVM = OutputRule(
    "jvm",
    "lines of the build",
    ("mvn", "gradle", "sbt", "ant", "lein"),
    looks=looks(
        Lazy(
            r"^\[INFO\] (?:BUILD|Scanning|Reactor|-{5})|^> Task :|^BUILD (?:SUCCESSFUL|FAILED)|^\[(?:info|error)\] "
        )
    ),
    reduce=keeping(
        Lazy(
            r"^\[ERROR\]|BUILD (?:SUCCESS|FAIL)|^Tests run:|^\[(?:INFO|WARNING|ERROR)\] Tests run:"
            r"|FAILED$|^\* What went wrong|^FAILURE:|^> [^T]|^e: |^\[error\]|^Caused by"
        ),
        Lazy(r"^\[INFO\] .*(?:SUCCESS|FAILURE) \[|^\[WARNING\]|^\s+at \S|^w: "),
    ),
    folds=Folds.ALIKE,
)
BUNDLERS = OutputRule(
    "bundle",
    "lines of the build",
    ("webpack", "vite", "vite build", "rollup", "esbuild", "next", "next build", "parcel", "tsup",
     "ng", "nuxt", "astro", "turbo", "nx", "docker build", "docker buildx", "terraform", "hugo",
     "sphinx-build", "mkdocs", "latexmk", "pdflatex", "ansible-playbook"),
    looks=looks(Lazy(r"^webpack \d|compiled (?:successfully|with)|^vite v\d|^#\d+ (?:\[|DONE|CACHED)|^Plan: \d+ to add")),
    reduce=keeping(
        Lazy(r"^ERROR in |\[ERROR\]|^✘ |^Plan: |^#\d+ ERROR|compiled (?:successfully|with)|^Apply complete|^fatal: \["),
        Lazy(r"^WARNING in |^\(!\)|^#\d+ \["),
    ),
    folds=Folds.ALIKE,
)  # fmt: skip
INSTALLS = OutputRule(
    "install",
    "lines of the installation",
    ("npm install", "npm ci", "npm i", "npm add", "npm update", "npm audit", "yarn install",
     "yarn add", "pnpm install", "pnpm add", "bun install", "pip install", "pip", "uv pip",
     "uv sync", "uv add", "poetry install", "poetry add", "bundle install", "composer install",
     "apt", "apt-get", "brew", "conda", "cargo install", "go get", "go mod", "apk", "dnf", "yum",
     "gem", "npm outdated"),
    looks=looks(Lazy(r"^(?:added|removed|changed) \d+ packages?|^Successfully installed |^npm (?:warn|WARN) deprecated|^Requirement already satisfied|^Setting up \S+ \(|^Collecting \S+|^➤ YN\d+")),
    reduce=keeping(
        Lazy(
            r"^(?:Successfully|added|removed|changed|audited|up to date)\b|npm (?:ERR!|error)|^ERROR|vulnerabilit"
            r"|ERESOLVE|^E: |^Err:|ResolutionImpossible|^\d+ upgraded|^Installed \d+|^Resolved \d+"
        ),
        Lazy(r"^Collecting |npm (?:warn|WARN)|^WARNING|^Installing |^Setting up |^\s*[+-] \S+==?"),
    ),
    folds=Folds.ALIKE,
)  # fmt: skip
BUILDERS = (TSC, LINTERS, JVM, BUNDLERS, INSTALLS, COMPILERS)
