"""Tables of command-line tools: aliases, wrappers, flags and purposes.

An unlisted tool works too: its name is its first word, its target the rest, and its errors are
runtime errors (HS-2).
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SILENT = frozenset(
    _words(
        """
        cat bat head tail less more zcat tac nl grep egrep fgrep zgrep rg ag ack diff cmp
        comm test [ [[ true false : exit return break continue echo printf pwd cd pushd popd
        export set unset alias source . type which whereis hash history man date env
        printenv sleep wait tee journalctl dmesg strings xxd od hexdump clear read local
        declare shopt trap xargs for while until if case select function done fi esac in
        coproc
        """
    )
)
"""Tools that show existing text or nothing: their output opens no error (HS-4)."""

SILENT_SUBCOMMANDS = {
    "git": frozenset(
        _words(
            """
            log diff show status blame grep reflog shortlog whatchanged ls-files ls-tree
            cat-file rev-parse rev-list describe range-diff bisect-log
            """
        )
    ),
    "docker": frozenset(_words("logs events")),
    "docker compose": frozenset(_words("logs events")),
    "kubectl": frozenset(_words("logs describe events")),
    "gh": frozenset(_words("run pr issue api workflow search")),
    "systemctl": frozenset(_words("status show list-units")),
}

LISTERS = frozenset(
    _words(
        """
        ls ll find tree du df stat file wc sort uniq cut tr sed awk gawk jq yq column ps
        lsof curl wget http ssh scp rsync nc dig ping host readlink realpath basename
        dirname md5sum sha256sum tar unzip zip gzip cp mv rm mkdir rmdir touch ln
        chmod chown kill
        """
    )
)
"""Tools that print other texts: only their own complaints (`ls: …`) are errors."""

ALIASES = {
    "python2": "python", "python3": "python", "py": "python", "pypy3": "python",
    "ipython": "python", "pip3": "pip", "py.test": "pytest", "nodejs": "node",
    "gradlew": "gradle", "mvnw": "mvn", "gmake": "make", "cc": "gcc", "c++": "g++",
    "docker-compose": "docker compose", "podman": "docker", "vue-tsc": "tsc",
    "golint": "golangci-lint", "tofu": "terraform",
}  # fmt: skip

PREFIXES = {
    "sudo": ("-u", "-g", "-C"), "doas": ("-u",), "env": ("-u", "-C"), "time": ("-f", "-o"),
    "nice": ("-n",), "ionice": ("-c", "-n"), "nohup": (), "command": (), "exec": (), "builtin": (),
    "stdbuf": ("-i", "-o", "-e"), "unbuffer": (), "chronic": (), "xvfb-run": ("-s",),
    "winpty": (), "caffeinate": (), "cross-env": (), "dotenv": ("-f", "-e"), "strace": ("-e", "-o"),
    "npx": ("-p", "--package", "-c"), "bunx": (), "pnpx": (), "uvx": ("--from", "--with", "-p"),
    "pipx run": (), "pnpm exec": (), "pnpm dlx": (), "npm exec": (), "npm x": (), "yarn exec": (),
    "yarn dlx": (), "bun x": (), "bundle exec": (),
    "uv run": ("--with", "--extra", "--group", "--package", "-p", "--python", "--project",
               "--env-file", "--directory"),
    "poetry run": (), "pipenv run": (), "pdm run": (), "hatch run": (), "rye run": (),
    "conda run": ("-n", "-p", "--name", "--prefix"), "mamba run": ("-n", "-p"),
    "direnv exec": (), "mise exec": (), "mise x": (), "asdf exec": (), "rustup run": (),
    "coverage run": ("--source", "--omit", "--include", "--rcfile"), "op run": (),
    "doppler run": (),
}  # fmt: skip
"""Words that run another command -> their flags that take a value."""

PREFIX_ARGUMENTS = {"timeout": 1, "gtimeout": 1, "flock": 1, "chroot": 1, "taskset": 1,
                    "direnv exec": 1, "rustup run": 1}  # fmt: skip
"""Prefixes with arguments of their own before the command."""

SUBCOMMANDS = frozenset(
    _words(
        """
        go cargo npm yarn pnpm bun deno git docker kubectl helm terraform pip uv poetry
        pipenv pdm manage.py gh dotnet swift mix rebar3 bundle rails rake gem composer php-artisan
        flutter dart zig nx turbo lerna rush bazel buck pants ruff biome next vite nuxt
        astro ng expo prisma alembic flask hatch conda brew apt apt-get systemctl aws gcloud
        az heroku fly vercel wrangler firebase supabase stack cabal sbt lein elm
        vue-cli-service tox nox pre-commit ansible vagrant hugo
        """
    )
)
"""Tools whose first plain word says what they do: `go test`, `ruff check`."""

GROUPS = frozenset(("docker compose", "docker buildx", "docker image", "uv pip", "gh pr"))
"""Subcommands with subcommands of their own."""

GLOBAL_FLAGS = {
    "git": ("-c", "--git-dir", "--work-tree"), "docker": ("-H", "--context", "-c", "--config"),
    "docker compose": ("-f", "--file", "-p", "--project-name", "--profile", "--env-file"),
    "kubectl": ("-n", "--namespace", "--context", "--kubeconfig"), "helm": ("-n", "--namespace"),
    "uv": ("--project", "--config-file", "--cache-dir"), "cargo": ("--config", "-Z", "--color"),
    "gh": ("-R", "--repo"), "aws": ("--profile", "--region"), "alembic": ("-c", "-x"),
    "ruff": ("--config",), "terraform": (), "pre-commit": ("-c",), "tox": ("-e",),
    "nox": ("-s", "--session", "-e"),
}  # fmt: skip
"""Flags with a value that precede the subcommand."""

SCRIPT_TOOLS = {("python", "manage.py"): "manage.py", ("php", "artisan"): "php-artisan"}
"""Interpreter and script -> the tool that the script is."""

PACKAGE_RUNNERS = frozenset(("npm", "yarn", "pnpm", "bun"))
NATIVE_PACKAGE_COMMANDS = frozenset(
    _words(
        """
        install i ci add remove rm uninstall un update up upgrade audit outdated pack
        publish link init create view info ls list why config cache dedupe prune rebuild
        root login version
        """
    )
)

TASK_RUNNERS = frozenset(_words("make just task npm yarn pnpm bun invoke rake mage"))
"""Tools whose target names their purpose: `make test`, `npm run lint`."""

RUN_VERBS = {"vitest": ("run", "watch", "dev"), "cypress": ("run",), "karma": ("start",)}
"""Tools with verbs that only say how to run: `vitest run` and `vitest` check the same."""

PLAIN_SCRIPTS = frozenset(
    _words("test tests unit lint typecheck type-check types check-types build compile")
)
"""Names of scripts and make targets that stand for a whole purpose of a project."""

DIRECTORY_FLAGS = {
    "make": ("-C", "--directory"), "npm": ("--prefix", "-C"), "pnpm": ("-C", "--dir"),
    "yarn": ("--cwd",), "bun": ("--cwd",), "go": ("-C",), "cargo": ("-C",), "git": ("-C",),
    "uv": ("--directory", "--project"), "poetry": ("-C", "--directory"), "pytest": ("--rootdir",),
    "vitest": ("--root", "--dir"), "vite": ("--root",), "just": ("-d", "--working-directory"),
    "gradle": ("-p", "--project-dir"), "terraform": ("-chdir",), "ninja": ("-C",),
    "jest": ("--rootDir",), "cmake": ("--build",), "flutter": ("-C",), "mix": (),
}  # fmt: skip

SELECTORS = {
    "pytest": ("-k", "-m", "--deselect", "--ignore", "--lf", "--last-failed", "--ff"),
    "jest": ("-t", "--testNamePattern", "--testPathPattern", "-o", "--onlyChanged",
             "--selectProjects", "--changedSince"),
    "vitest": ("-t", "--testNamePattern", "--project", "--changed"),
    "mocha": ("-g", "--grep", "-f"), "rspec": ("-e", "--example", "-t"),
    "playwright": ("-g", "--grep", "--project"), "go": ("-run", "-bench", "-tags", "-short"),
    "cargo": ("-p", "--package", "--lib", "--bin", "--bins", "--test", "--tests", "--example",
              "--doc", "--features", "--target", "--exclude", "--skip"),
    "tsc": ("-p", "--project", "-b", "--build"),
    "mvn": ("-pl", "-Dtest", "-P", "-f", "-DskipTests", "-Dmaven.test.skip"),
    "gradle": ("--tests", "-x"), "npm": ("-w", "--workspace"), "yarn": ("workspace",),
    "pnpm": ("--filter", "-F"), "turbo": ("--filter",), "nx": ("--projects",),
    "python": ("-c",), "node": ("-e", "--eval", "-p"), "make": ("-f", "--file"),
    "ruff": ("--select", "--ignore", "--exclude"), "mypy": ("-p", "-m", "--exclude"),
    "eslint": ("--rule", "--ignore-pattern"), "phpunit": ("--filter", "--testsuite"),
    "dotnet": ("--filter",), "ctest": ("-R", "-E", "-L"), "docker": ("-f", "--file", "--target"),
    "cmake": ("--target", "-t"),
    "ruby": ("-e",), "perl": ("-e",), "php": ("-r",), "bash": ("-c",), "sh": ("-c",),
    "tox": ("-e",), "nox": ("-s",), "terraform": ("-target",),
}  # fmt: skip
"""Flags that select what is checked; with one, a success proves less. Other flags do not count."""

DEFAULTS = {"tsc": ("-p=tsconfig.json", "--project=tsconfig.json", "-p=.", "-p=./tsconfig.json")}
"""Selections that a tool makes by itself."""

QUIET_VARIABLES = ("V=", "VERBOSE=", "Q=")
"""Variables of make that change what it prints, not what it does."""

VALUE_FLAGS = {
    "pytest": ("-n", "--tb", "-p", "-c", "-o", "-W", "--maxfail", "--durations", "--cov", "-r",
               "--timeout", "--junitxml", "--cov-report", "--dist", "--rootdir", "--color",
               "--log-level", "--junit-xml", "--import-mode", "--basetemp"),
    "jest": ("-c", "--config", "-w", "--maxWorkers", "--reporters", "--coverageReporters"),
    "vitest": ("-c", "--config", "--reporter", "--pool", "--environment", "--outputFile", "--mode"),
    "mocha": ("-R", "--reporter", "-r", "--require", "-t", "--timeout", "--config"),
    "mypy": ("--config-file", "--python-version", "--cache-dir", "--python-executable",
             "--platform", "--follow-imports", "--enable-error-code", "--disable-error-code"),
    "ruff": ("--output-format", "--config", "--line-length", "--target-version", "--cache-dir"),
    "eslint": ("-c", "--config", "--ext", "-f", "--format", "--max-warnings", "--cache-location",
               "-o", "--output-file", "--parser", "--resolve-plugins-relative-to"),
    "flake8": ("--config", "--max-line-length", "--format", "-j"),
    "pylint": ("--rcfile", "-j", "--output-format", "--disable", "--enable", "-d", "-e", "-f"),
    "prettier": ("--config", "--parser", "--ignore-path", "--log-level"),
    "black": ("-l", "--line-length", "-t", "--config"),
    "go": ("-count", "-timeout", "-o", "-parallel", "-cpu", "-coverprofile", "-ldflags", "-v=",
           "-mod", "-covermode", "-json="),
    "cargo": ("-j", "--jobs", "--color", "--message-format", "--profile", "--target-dir", "-Z"),
    "make": ("-j", "-l", "-o", "-W", "-I"), "tsc": ("--outDir", "--target", "-t", "--module"),
    "gcc": ("-o", "-I", "-L", "-x", "-MF", "-MT", "-isystem", "-include"),
    "g++": ("-o", "-I", "-L", "-x", "-MF", "-MT", "-isystem", "-include"),
    "clang": ("-o", "-I", "-L", "-x", "-MF", "-MT", "-isystem", "-include", "-target"),
    "clang++": ("-o", "-I", "-L", "-x", "-MF", "-MT", "-isystem", "-include", "-target"),
    "javac": ("-d", "-cp", "-classpath", "--release", "-source", "-target", "-encoding"),
    "java": ("-cp", "-classpath", "--class-path"), "docker": ("-t", "--tag", "--build-arg"),
    "python": ("-W", "-X"), "node": ("-r", "--require", "--import", "--loader"),
    "npm": ("--loglevel", "--registry"), "pip": ("--index-url", "-i", "--extra-index-url", "-t"),
    "unittest": ("-p", "-t", "-k"), "mvn": ("-T", "-s"), "gradle": ("--max-workers",),
    "esbuild": (), "webpack": ("-c", "--config", "--mode"),
    "cmake": ("-G", "-S", "-B", "-j", "--parallel", "--config", "--preset"),
}  # fmt: skip
"""Flags with a value that select nothing: flag and value are left out of the target."""

PROVES_NOTHING = frozenset(
    _words(
        """
        --help --version -V --dry-run --collect-only --co --listTests --list --no-run
        --showConfig --init --exit-zero --setup-only --setup-plan --just-print --recon
        --print-config --fixtures --markers --passWithNoTests --if-present
        """
    )
)
"""With one of these a command succeeds whatever the state of the code."""

LAST_WORDS = {"make": ("-n",), "pytest": ("-h",), "bash": ("-n",)}

PATH_TARGETS = frozenset(
    _words(
        """
        pytest unittest jest vitest mocha eslint prettier black flake8 pylint isort mypy
        pyright ty rspec phpunit stylelint shellcheck playwright rubocop tsc
        """
    )
) | {"ruff check", "ruff format", "biome check", "biome lint", "biome ci", "go test", "go build",
     "go vet", "node --test", "golangci-lint"}  # fmt: skip
"""Tools whose arguments are places to check: a wider place covers a narrower one."""

PHASES = {
    "mvn": ("validate", "process-", "compile", "test-compile", "test", "package", "verify",
            "install", "deploy"),
    "gradle": ("compile", "test", "check", "build"),
    "cargo": ("cargo check", "cargo build"),
}  # fmt: skip
"""Goals in the order in which each includes those before it; a name may be a beginning."""

GOAL_TOOLS = frozenset(("mvn", "gradle"))
"""Tools whose goals are arguments; those of the others are subcommands."""

FILTERED = frozenset(("cargo test", "cargo nextest"))
"""Tools whose arguments are parts of the names of tests: a shorter one matches more."""

PART_FLAGS = ("-p=", "--package=", "-w=", "--workspace=", "--filter=", "-F=")
"""Selectors that name one part of a project, which a run of the whole may not include."""

ALL_PARTS = frozenset(("--workspace", "--workspaces", "--all", "-ws", "-r", "--recursive"))
RUNS_ALL = frozenset(("turbo", "nx", "lerna", "bazel"))
"""What includes all parts of a project: flags, and tools that do without one."""

LISTS_ALL = frozenset(
    _words(
        """
        tsc eslint mypy pyright flake8 pylint prettier black stylelint shellcheck pytest
        jest vitest
        """
    )
) | {"ruff check", "ruff format", "biome check", "biome lint"}
"""Tools that report everything each time: what a rerun does not report is fixed."""

PURPOSES = {
    "typecheck": ("tsc", "mypy", "pyright", "pyre", "ty", "flow", "svelte-check", "sorbet"),
    "lint": (
        "eslint", "ruff", "ruff check", "ruff format", "flake8", "pylint", "prettier", "black",
        "isort", "biome", "biome check", "biome lint", "biome ci", "biome format", "stylelint",
        "shellcheck", "golangci-lint", "cargo clippy", "cargo fmt", "rustfmt", "gofmt", "go vet",
        "go fmt", "rubocop", "ktlint", "hadolint", "markdownlint", "yamllint", "pre-commit run",
        "standard", "oxlint", "clang-tidy", "clang-format", "next lint", "bandit", "xo", "tflint",
        "pydocstyle", "pycodestyle", "autopep8", "deno lint", "deno fmt", "actionlint",
    ),
    "test": (
        "pytest", "unittest", "jest", "vitest", "mocha", "ava", "tap", "go test", "cargo test",
        "cargo nextest", "rspec", "phpunit", "pest", "tox", "nox", "tox run", "ctest", "playwright",
        "playwright test", "cypress", "cypress run", "node --test", "deno test", "bun test",
        "mix test", "dotnet test", "swift test", "flutter test", "zig test", "rails test", "behave",
        "mvn test", "mvn verify", "gradle test", "gradle check", "sbt test", "lein test", "bats",
        "nose2", "trial",
        "manage.py test", "php-artisan test", "karma", "jasmine",
        "stack test", "cabal test", "bazel test", "dart test",
    ),
    "build": (
        "gcc", "g++", "clang", "clang++", "make", "cmake", "ninja", "meson", "go build",
        "go install", "go generate", "go mod", "go get", "cargo build", "cargo check", "cargo doc",
        "cargo install", "cargo bench", "rustc", "mvn", "gradle", "javac", "kotlinc", "scalac",
        "sbt", "webpack", "vite build", "esbuild", "rollup", "parcel", "tsup", "swc", "babel",
        "next build", "docker build", "docker buildx", "docker compose build", "npm install",
        "npm ci",
        "npm i", "npm add", "yarn install", "yarn add", "pnpm install", "pnpm add", "bun install",
        "bun build",
        "pip install", "uv sync", "uv pip", "uv add", "uv lock", "uv build", "poetry install",
        "poetry add", "poetry build", "bundle install", "composer install", "dotnet build",
        "swift build", "mix compile", "flutter build", "zig build", "ng build", "nuxt build",
        "astro build", "stack build", "cabal build", "ghc", "swiftc", "ld", "ar", "protoc", "bazel",
        "bazel build", "terraform plan", "terraform validate", "terraform apply", "sphinx-build",
        "mkdocs", "hugo", "latexmk", "pdflatex", "apt-get", "apt", "brew", "vite", "conda", "build",
        "nasm", "as", "xcodebuild", "tsx-build", "wasm-pack", "yarn", "helm",
    ),
}  # fmt: skip

PURPOSE_WORDS = (
    ("typecheck", ("typecheck", "type-check", "check-types", "types", "tsc", "mypy", "typing")),
    ("lint", ("lint", "format", "fmt", "prettier", "eslint", "style")),
    ("test", ("test", "spec", "e2e", "unit", "coverage", "verify", "jest", "vitest", "check")),
    ("build", ("build", "compile", "bundle", "install", "dist", "ci", "package", "all")),
)
"""Words in the name of a script or make target that reveal its purpose."""
