"""Tables of command-line tools, from `tools.toml`: aliases, wrappers, flags and purposes.

An unlisted tool works too: its name is its first word, its target the rest (HS-2).
"""

from __future__ import annotations

from wm.text.tables import Tables

_TABLES = Tables("wm.domain.failures", "tools.toml")


def _set(name: str) -> frozenset[str]:
    """A table of words, or a list of names that may hold spaces."""
    found = _TABLES.table(name)
    return frozenset(found.split() if isinstance(found, str) else found)


def _lists(name: str) -> dict[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in _TABLES.table(name).items()}


SILENT = _set("silent")
"""Tools that show existing text or nothing: their output opens no error (HS-4)."""
SILENT_SUBCOMMANDS = _lists("silent_subcommands")
READERS = _set("readers")
"""Tools and verbs of tools that show other texts: behind a hidden exit code their output says
nothing about the command."""
LISTERS = _set("listers")
"""Tools that print other texts: only their own complaints (`ls: …`) are errors."""
ALIASES: dict[str, str] = _TABLES.table("aliases")
PREFIXES = _lists("prefixes")
"""Words that run another command -> their flags that take a value."""
PREFIX_ARGUMENTS: dict[str, int] = _TABLES.table("prefix_arguments")
"""Prefixes with arguments of their own before the command."""
RUNS_ANOTHER = PREFIXES.keys() | PREFIX_ARGUMENTS
VERSIONED = _set("versioned")
"""Tools whose name may end in a version: `python3.11`."""
INTERPRETERS = _set("interpreters")
"""Tools that run a program of the project."""
SUBCOMMANDS = _set("subcommands")
"""Tools whose first plain word says what they do: `go test`, `ruff check`."""
GROUPS = _set("groups")
"""Subcommands with subcommands of their own."""
GLOBAL_FLAGS = _lists("global_flags")
"""Flags with a value that precede the subcommand."""
SCRIPT_TOOLS: dict[str, str] = _TABLES.table("script_tools")
"""Interpreter and script -> the tool that the script is."""
SAME_VERBS: dict[str, str] = _TABLES.table("same_verbs")
PACKAGE_RUNNERS = _set("package_runners")
NATIVE_PACKAGE_COMMANDS = _set("native_package_commands")
TASK_RUNNERS = _set("task_runners")
"""Tools whose target names their purpose: `make test`, `npm run lint`."""
RUN_VERBS = _lists("run_verbs")
"""Tools with verbs that only say how to run: `vitest run` and `vitest` check the same."""
PLAIN_SCRIPTS = _set("plain_scripts")
"""Names of scripts and make targets for a complete purpose of a project."""
DIRECTORY_FLAGS = _lists("directory_flags")
SELECTORS = _lists("selectors")
"""Flags that select what is checked; with one, a success proves less. Other flags do not count."""
REPEATS = _set("repeats")
"""Selectors of what failed in the run before."""
NAME_FLAGS = _lists("name_flags")
"""Selectors whose value is a part of the names of tests, or the name of their file."""
EXCLUDES = _lists("excludes")
"""Selectors that leave out a path."""
DEFAULTS = _lists("defaults")
"""Selections that a tool makes by itself."""
QUIET_VARIABLES = tuple(_TABLES.table("quiet_variables"))
"""Variables of make that change what it prints, not what it does."""
VALUE_FLAGS = _lists("value_flags")
"""Flags with a value that select nothing: flag and value are left out of the target."""
PROVES_NOTHING = _set("proves_nothing")
"""With one of these a command succeeds whatever the state of the code."""
BARE = _set("bare")
"""Selecting flags without a value."""
LAST_WORDS = _lists("last_words")
PATH_TARGETS = _set("path_targets")
"""Tools whose arguments are places to check: a wider place covers a narrower one."""
PHASES = _lists("phases")
"""Goals in the order in which each includes those before it; a name may be a beginning."""
GOAL_TOOLS = _set("goal_tools")
"""Tools whose goals are arguments; those of the others are subcommands."""
FILTERED = _set("filtered")
"""Tools whose arguments are parts of the names of tests: a shorter one matches more."""
PATH_PARTS = _set("path_parts")
"""Tools whose arguments are parts of the paths of tests."""
ONE_COUNT = _set("one_count")
"""Tools that count their tests once, at the end; others count by program, session or kind."""
PART_FLAGS = tuple(_TABLES.table("part_flags"))
"""Selectors that name one part of a project, which a run of the whole may not include."""
ALL_PARTS, RUNS_ALL = _set("all_parts"), _set("runs_all")
"""What includes all parts of a project: flags, and tools that do without one."""
LISTS_ALL = _set("lists_all")
"""Tools that report everything each time: what a rerun does not report is fixed."""
PURPOSES = _lists("purposes")
VERBS = _lists("verbs")
"""Subcommands that name the purpose of any tool."""
NAME_PARTS = tuple(_lists("name_parts").items())
PURPOSE_WORDS = tuple(_lists("purpose_words").items())
"""Words in the name of a script or make target that reveal its purpose."""
