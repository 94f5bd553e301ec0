"""What a command line ran: each part as tool and target, and what its exit code proves (HS-2).

`python -m pytest X -v` and `cd . && CI=1 pytest X -q` are equal: tool pytest, target X. Protects
one rule: a success clears an error only if the exit code proves the success of that tool and
target. `|| true`, `; echo`, a pipe into `tail` and a loop prove nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from wm.domain.failures import known_tools, telling
from wm.domain.failures.shell import MAX_COMMAND_CHARS, MAX_NESTING, Pipeline, Script, read
from wm.domain.failures.terminal_lines import without_escapes
from wm.domain.session.file_paths import folder, normalised_path
from wm.text import patterns

INTERPRETERS = ("bash", "sh", "zsh", "dash")
MAX_TARGET_CHARS = 300


class ShellCommand(Struct, frozen=True):
    """One part of a command line.

    tool: what ran, with its subcommand (`go test`, `npm run lint`). folder: where, relative to the
    root, "" for the root. places: what it is to check. selectors: flags that narrow the
    check. widened: it checks all parts of the project. silent: its output opens no errors. lists:
    only its own complaints count. shows_all: its output is not truncated. idle: it succeeds
    whatever it finds. own: it is a program of the project; its exit code and output may mean
    anything.
    """

    tool: str
    folder: str = ""
    places: tuple[str, ...] = ()
    selectors: tuple[str, ...] = ()
    widened: bool = False
    silent: bool = False
    lists: bool = False
    shows_all: bool = True
    idle: bool = False
    own: bool = False
    filters: bool = False
    """It reads what another command prints."""
    word: str = ""
    """The program's own name, with which its complaints begin."""
    host: str = ""
    """The machine on which it ran, if it is another one."""

    @property
    def head(self) -> str:
        """The tool without its subcommand."""
        return self.tool.split(" ")[0]

    @property
    def target(self) -> str:
        """Folder, places and selectors as one text: equal for equal targets."""
        parts = [f"{self.folder or '.'}:", *(place.replace(" ", "%20") for place in self.places)]
        return " ".join([*parts, *self.selectors])[:MAX_TARGET_CHARS]

    @property
    def shows_text(self) -> bool:
        """May its output be any text: is its program written on the command line, or does it show
        a log, a document or rows of a table?"""
        words = {*self.tool.split(" "), *(() if self.purpose else self.places[:2])}
        if words & known_tools.READERS and self.word not in known_tools.TASK_RUNNERS:
            return True  # Not `make docs`, which names a target.
        if " " in self.tool or self.tool not in known_tools.INTERPRETERS:
            return False  # In `cargo run -p app`, -p names a package.
        flags = {selector.partition("=")[0] for selector in self.selectors}
        return "-" in self.places or bool(flags & {"-c", "-e", "--eval", "-p", "-r"})

    @property
    def purpose(self) -> str:
        """The category of errors that this tool looks for; "" for none."""
        return purpose_of(self.tool)


class Ran(Struct, frozen=True):
    """A whole command line.

    proved: parts whose success a zero exit code proves. suspects: parts that may have failed if the
    code is not zero, in order. chained: the suspects form one `&&` chain, so if one of them failed,
    those before it succeeded. hidden: programs whose result the exit code does not show. certain:
    the exit code says that one of the suspects failed. said: the last line of the output if the
    command line itself printed it, because a suspect failed.
    """

    proved: tuple[ShellCommand, ...]
    suspects: tuple[ShellCommand, ...]
    chained: bool = False
    hidden: tuple[ShellCommand, ...] = ()
    certain: bool = True
    said: str = ""


def ran(command: str, *, root: str, cwd: str = "") -> Ran:
    """Parse a command line. cwd: the folder in which it started. The last ones are kept in memory,
    so give it a command without secrets."""
    return _parsed(command[:MAX_COMMAND_CHARS], root, cwd or root)


@lru_cache(maxsize=16)  # several steps of one event ask
def _parsed(command: str, root: str, where: str) -> Ran:
    return _ran(_read(command), root, where, 0)


_read = lru_cache(maxsize=16)(read)


def with_printed_code(
    command: str, output: str, code: int | None, *, root: str, cwd: str = ""
) -> tuple[Ran, int | None]:
    """Parse a command line, and take the exit code that it prints (`…; echo "exit: $?"`, or
    `… || echo failed`) instead of its own one."""
    script, where = _read(command[:MAX_COMMAND_CHARS]), cwd or root
    if not code and (checked := _announced(script, output, root, where)):
        return checked, 1
    plain, used = (ran(command, root=root, cwd=cwd), code), _code_user(script)
    if used is None:
        return plain
    (word, *words), variable, before = used
    checked = _ran(replace(script, steps=before), root, where, 0)
    if word == "exit":
        # What follows a command may have printed only a part of what it wrote.
        shortened = (replace(command, shows_all=False) for command in checked.suspects)
        return replace(checked, suspects=tuple(shortened)), code
    text = " ".join(word for word in words if not word.startswith("-"))
    printed = _printed_code(text, variable, output)
    if printed is None or _may_mean_anything(checked, output):
        return plain
    return checked, printed


def _code_user(script: Script) -> tuple[tuple[str, ...], str, tuple[Pipeline, ...]] | None:
    """The words of the last command that prints the exit code of another one, or ends with it; the
    variable with the code, and the steps up to the one whose code it is."""
    last = len(script.steps) - 1
    for i in range(last, 0, -1):
        step, words = script.steps[i], script.steps[i].pipe[0]
        uses = words[0] in ("echo", "printf") or (words[0] == "exit" and i == last)
        if uses and not step.depth and step.before != "||":
            variable, before = _code_source(script, i)
            if before:
                return words, variable, before
    return None


def _code_source(script: Script, i: int) -> tuple[str, tuple[Pipeline, ...]]:
    """The variable in step `i` that contains an exit code, and the steps up to the one whose code
    it is; no steps if there is none."""
    sources = dict.fromkeys(_CODE_VARIABLES, (i, ""))
    for k, step in enumerate(script.steps[:i]):
        name, _, value = step.pipe[0][0].partition("=")
        if value:
            source = (k if value in _CODE_VARIABLES else 0, value)
            sources |= {f"${{{name}}}": source, f"${name}": source}
    used = (v for v in sources if any(v in word for word in script.steps[i].pipe[0]))
    variable = max(used, key=len, default="")
    end, value = sources.get(variable, (0, ""))
    before = script.steps[:end]
    if before and "PIPESTATUS" in f"{variable}{value}":
        before = (*before[:-1], replace(before[-1], pipe=before[-1].pipe[:1]))
    return variable, before


def _may_mean_anything(checked: Ran, output: str) -> bool:
    """Is it the code of a program of the project, which did not crash?"""
    checks = any(command.purpose for command in checked.suspects)
    is_own = any(command.own for command in checked.suspects)
    printed = without_escapes(output).rstrip().split("\n")[:-1]  # Without the line of `echo $?`.
    return is_own and not checks and not telling.crashed(printed)


def _announced(script: Script, output: str, root: str, cwd: str) -> Ran | None:
    """What failed if the last line of the output is that of `… || echo TEXT` or of an `else`."""
    last = without_escapes(output.rstrip()).rpartition("\n")[2].strip()
    for i in range(len(script.steps) - 1, 0, -1):
        step, (words, *others) = script.steps[i], script.steps[i].pipe
        otherwise = step.before in ("||", "else")
        otherwise |= step.before == "then" and script.steps[i - 1].negated
        if words[0] != "echo" or others or not otherwise or " ".join(words[1:]).strip() != last:
            continue
        thens = [
            k for k in range(1, i) if step.before == "else" and script.steps[k].before == "then"
        ]
        steps = script.steps[: thens[-1] if thens else i]
        if steps[-1].negated != (step.before == "then"):
            continue
        checked = _ran(replace(script, steps=steps), root, cwd, 0)
        active = [c for c in checked.suspects if not (c.silent or c.lists or c.idle)]
        says = any(c.purpose for c in active) or _FAILURE.search(last)
        if active and says and not _may_mean_anything(checked, output):
            return replace(checked, said=last)
    return None


_FAILURE = patterns.Lazy(r"(?i)\b(?:fail(?:ed|s|ure)?|errors?|broken|bad)\b")

_CODE_VARIABLES = ("${PIPESTATUS[0]}", "$PIPESTATUS", "${?}", "$?")


def _printed_code(text: str, variable: str, output: str) -> int | None:
    """The number in the place of `variable` in the last line of the output that fits `text`."""
    head, _, tail = (part.strip() for part in text.partition(variable))
    for line in reversed(without_escapes(output.rstrip()).split("\n")[-40:]):
        # What the command printed last need not end with a line end.
        bare = line.strip()
        at = bare.rfind(head) if head else 0
        if at >= 0 and bare.endswith(tail):
            number = bare[at + len(head) : len(bare) - len(tail)].strip()
            if number.isdigit() and len(number) < 4:
                return int(number)
    return None


def purpose_of(tool: str) -> str:
    for category, names in known_tools.PURPOSES.items():
        if tool in names:
            return category
    head, _, rest = tool.partition(" ")
    if head in known_tools.TASK_RUNNERS and rest:
        words = rest.removeprefix("run ").lower().replace(":", "-").split("-")
        for category, marks in known_tools.PURPOSE_WORDS:
            if any(mark in words or mark == rest.removeprefix("run ").lower() for mark in marks):
                return category
    if head != tool and head not in known_tools.TASK_RUNNERS and (purpose := purpose_of(head)):
        return purpose
    if head != tool and rest in _VERBS:
        return _VERBS[rest]
    named = head.lower().replace("-", ".").replace("_", ".").replace("/", ".").split(".")
    for category, parts in known_tools.NAME_PARTS:
        if "/" not in head and any(part in head.lower() for part in parts):
            return category
    is_test = "/" not in head and named[-1].endswith(("test", "tests"))
    is_test &= not named[-1].endswith("latest")
    return "test" if is_test or {"test", "tests", "spec"} & set(named) else ""


def takes_places(tool: str) -> bool:
    """Are the tool's arguments places to check? They are of all that only read what they check."""
    if tool in known_tools.PATH_TARGETS:
        return True
    head = tool.split(" ")[0]
    others = known_tools.FILTERED | known_tools.GOAL_TOOLS | known_tools.TASK_RUNNERS
    if head in others | known_tools.RUNS_ALL or tool in known_tools.FILTERED:
        return False
    return purpose_of(tool) in ("lint", "typecheck", "test")


# --- chains -----------------------------------------------------------------------------------


Part = tuple[Pipeline, tuple[ShellCommand, ...], bool]
"""A step, its commands, and whether its exit code is that of them all."""


def _ran(script: Script, root: str, cwd: str, depth: int) -> Ran:
    """Walk the steps, track the folder, and decide what the exit code means."""
    where = cwd
    outside: list[str] = []
    strict = pipefail = False
    parts: list[Part] = []
    hidden: list[ShellCommand] = []
    for step in script.steps:
        first = step.pipe[0]
        while step.depth > len(outside):
            outside.append(where)
        while step.depth < len(outside):
            where = outside.pop()
        if first[0] == "set" and len(first) > 1:
            strict |= any(w.startswith("-") and "e" in w[1:] for w in first[1:2])
            pipefail |= "pipefail" in first
        moved = _moved(first, where, cwd, root)
        if moved is not None:
            where = moved
            parts.append((step, (), pipefail))
            continue
        commands, inner = _commands(step, root, where, depth)
        hidden += inner
        parts.append((step, commands, pipefail or len(step.pipe) == 1))
    judged = _judged(script, parts, strict)
    return replace(judged, hidden=(*hidden, *_hidden(parts, judged.proved)))


def _commands(
    step: Pipeline, root: str, where: str, depth: int
) -> tuple[tuple[ShellCommand, ...], list[ShellCommand]]:
    """The commands of a pipeline, with those that one of them runs, and of these the ones whose
    result they hide."""
    commands: list[ShellCommand] = []
    hidden: list[ShellCommand] = []
    for words in step.pipe:
        nested, host = _nested(words, root, where, depth), _host(words)
        if nested is None:
            filters = step.fed or any(not (c.silent or c.lists) for c in commands)
            commands.append(replace(_command(words, root, where), host=host, filters=filters))
            continue
        hidden += (replace(c, host=c.host or host) for c in nested.hidden)
        for c in nested.suspects:
            idle = c.idle or c not in nested.proved
            commands.append(replace(c, idle=idle, host=c.host or host))
    return tuple(commands), hidden


def _hidden(parts: Sequence[Part], proved: Sequence[ShellCommand]) -> tuple[ShellCommand, ...]:
    """The programs among all commands whose success a zero exit code would not prove."""
    awaited = any(step.pipe[0][0] == "wait" for step, _c, _p in parts)
    found = (
        replace(command, shows_all=False) if len(commands) > 1 else command
        for step, commands, _p in parts
        for command in commands
        if (not step.detached or awaited) and command not in proved
    )
    return tuple(c for c in found if c.tool and not (c.silent or c.lists or c.idle or c.shows_text))


def _judged(script: Script, parts: Sequence[Part], strict: bool) -> Ran:
    ends = ("&",) if strict else (";", "&")
    begin = max((i for i, (step, _c, _p) in enumerate(parts) if step.before in ends), default=0)
    last = parts[begin:]
    suspects = [c for part in (parts if script.loose else last) for c in _blamed(part)]
    if script.loose or (last and last[-1][0].detached):
        return Ran((), tuple(suspects))
    again: set[int] = set()
    for i in range(1, len(last)):
        # In `a || b || b` the command before it ran only if a failed.
        if _is_repeated(last, i) and (last[i - 1][0].before != "||" or i - 1 in again):
            again.add(i)
    either = [
        i
        for i, (step, commands, _p) in enumerate(last)
        if step.before == "||" and i not in again and not _always_fails(step, commands)
    ]
    begin = max((0, *(i + 1 for i in either), *(i - 1 for i in again)))
    proved = [
        c
        for i, (step, commands, pipefail) in enumerate(last)
        if i >= begin and not step.negated and (step.before != "||" or i in again)
        for c in (commands if pipefail else commands[-1:])
    ]
    chained = all(step.before in ("", "&&", ";") for step, _c, _p in last)
    return Ran(tuple(proved), tuple(suspects), chained)


def _is_repeated(parts: Sequence[Part], i: int) -> bool:
    """Is it the same command once more: `python -m pytest || pytest`?"""
    return parts[i][0].before == "||" and bool(parts[i][1]) and parts[i][1] == parts[i - 1][1]


def _always_fails(step: Pipeline, commands: tuple[ShellCommand, ...]) -> bool:
    words = step.pipe[-1]
    return bool(commands) and (
        words[0] == "false" or (words[0] in ("exit", "return") and words[1:2] not in ((), ("0",)))
    )


def _blamed(part: Part) -> Iterator[ShellCommand]:
    """The commands of a pipeline that a failure may come from, without filters."""
    _step, commands, _pipefail = part
    for command in commands:
        yield replace(command, shows_all=False) if len(commands) > 1 else command


def _moved(words: tuple[str, ...], where: str, began: str, root: str) -> str | None:
    """The folder after `cd X`; None for other commands."""
    if words[0] not in ("cd", "pushd", "chdir") or len(words) < 2:
        return None
    goal = words[-1]
    if goal.startswith("-"):
        return where
    if goal.startswith("/"):
        return goal
    # Some agents report the shell's folder after the command instead of before it.
    relative = goal.removeprefix("./").rstrip("/")
    if where == began and relative and ".." not in relative and where.endswith(f"/{relative}"):
        return where
    if goal.startswith(("~", "$")):
        return f"/{goal}"
    return _into(goal, where, root)


def _nested(command: tuple[str, ...], root: str, where: str, depth: int) -> Ran | None:
    """What `bash -c "…"`, `ssh host "…"` or `NAME=$(…)` runs."""
    words = _unwrapped(command)[0]
    line, value = "", command[0].partition("=")[2]
    if not words and len(command) == 1 and value.startswith("$(") and value.endswith(")"):
        line = value[2:-1]
    elif len(words) == 1 and words != command and " " in words[0]:
        line = words[0]
    elif len(words) > 2 and _base(words[0]) in INTERPRETERS and _COMMAND_FLAG.fullmatch(words[1]):
        line = words[2]
    return _ran(read(line), root, where, depth + 1) if line and depth < MAX_NESTING else None


def _host(words: tuple[str, ...]) -> str:
    """The machine on which `ssh` runs a command; "" for other commands."""
    before = [_base(word) for word in words[: len(words) - len(_unwrapped(words)[0])]]
    rest = words[before.index("ssh") + 1 :] if "ssh" in before else ()
    return "".join(_after_flags("ssh", rest, "", "")[0][:1])


_COMMAND_FLAG = patterns.Lazy(r"-.*c")
"""The flag of a shell before a command line."""

# --- one command --------------------------------------------------------------------------------


def _command(words: tuple[str, ...], root: str, where: str) -> ShellCommand:
    first = next((word for word in words if not _is_assignment(word)), "")
    rest, where = _unwrapped(words, where, root)
    if not rest:
        return ShellCommand("", silent=True)
    path, (tool, rest) = rest[0], _named(rest)
    head = tool.split(" ")[0]
    rest, where = _folder_flags(head, rest, where, root)
    tool, rest = _with_subcommand(tool, rest)
    at = folder(where, root=root) if where != root else ""
    places, selectors, idle = _arguments(tool, rest)
    if takes_places(tool):
        places = tuple(sorted({_place(place, root, where, tool) for place in places}))
    elif head != "go":  # `go run ./x` runs a folder, `go run x` a package
        places = tuple(place.removeprefix("./") or "." for place in places)
    sub = tool.removeprefix(head).strip()
    group = "docker compose" if sub.startswith("compose ") else head
    verb = sub.removeprefix("compose ").split(" ")[0]
    silent = tool in known_tools.SILENT or head in known_tools.SILENT
    silent |= not {verb, sub}.isdisjoint(known_tools.SILENT_SUBCOMMANDS.get(group, ()))
    if tool == "test" and _base(words[0]) != tool and not any(w[:1] in "-=!" for w in rest):
        silent = False  # `pdm run test` runs a script of the project.
    wraps = silent and first != path  # In `docker run debian true`, docker itself may complain.
    return ShellCommand(
        tool=tool,
        folder=at,
        places=places,
        selectors=selectors,
        widened=head in known_tools.RUNS_ALL or any(w in known_tools.ALL_PARTS for w in rest),
        silent=silent and not wraps,
        lists=wraps or head in known_tools.LISTERS,
        idle=idle,
        own=tool in known_tools.INTERPRETERS or ("/" in path and not path.startswith(_SYSTEM)),
        word=_base(first) if wraps else head,
    )


_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/opt/")
"""Folders of programs that are not of the project."""


def _base(word: str) -> str:
    """The program's name without path, version and script extension."""
    name = word.replace("\\", "/").rsplit("/", 1)[-1]
    name = name.removesuffix(".exe").removesuffix(".cmd")
    stem = name.rstrip("0123456789.").rstrip("-")
    if stem and stem != name and (stem in known_tools.VERSIONED or stem in known_tools.ALIASES):
        name = stem
    return known_tools.ALIASES.get(name, name)


def _unwrapped(
    words: tuple[str, ...], where: str = "", root: str = ""
) -> tuple[tuple[str, ...], str]:
    """The command after assignments, `sudo`, `npx`, `uv run` and the like, and its folder."""
    for _ in range(12):
        while words and _is_assignment(words[0]):
            words = words[1:]
        if not words:
            break
        name = _base(words[0])
        if name in INTERPRETERS and (script := _script_of(words)):
            return script, where
        if name == "command" and words[1:2] in (("-v",), ("-V",)):
            break  # It asks where the command is.
        keys = (" ".join((name, *words[1:size])) for size in (3, 2, 1))
        key = next((k for k in keys if k in known_tools.RUNS_ANOTHER), "")
        if not key:
            break
        rest = words[1 + key.count(" ") - name.count(" ") :]  # `docker-compose` is two in `name`.
        rest, there = _after_flags(key, rest, where, root)
        rest = rest[known_tools.PREFIX_ARGUMENTS.get(key, 0) :]
        rest = rest[rest[:1] == ("--",) :]
        if not rest:
            break
        words, where = (*rest, "{}") if key == "xargs" else rest, there
    return words, where


def _script_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """`./a.sh x` for `bash -e a.sh x`; () if the shell runs no file."""
    at = next((i for i, word in enumerate(words[1:], 1) if not _OPTIONS.fullmatch(word)), 0)
    if not at or words[at].startswith("-"):
        return ()
    path = words[at] if words[at].startswith(("/", "./", "../", "~", "$")) else f"./{words[at]}"
    return (path, *words[at + 1 :])


_OPTIONS = patterns.Lazy(r"-[eulxv]+")
"""Options of a shell that do not change what it runs."""


def _after_flags(
    key: str, words: tuple[str, ...], where: str, root: str
) -> tuple[tuple[str, ...], str]:
    """Skip the flags of a prefix; one of them may name the folder."""
    rest = 0
    for _begin, end, flag, value in _flags(words, known_tools.PREFIXES.get(key, ("-k", "-s"))):
        if not flag:
            break
        rest = end
        if flag == "--":
            break
        if flag in ("--directory", "--project") and value and root:
            where = _into(value, where, root)
    return words[rest:], where


def _flags(words: Sequence[str], valued: Collection[str]) -> Iterator[tuple[int, int, str, str]]:
    """Yield (begin, end, flag, value): each flag with its value, and each other word as a value
    with the flag "". begin, end: the range of its words. valued: flags with the next word as
    value."""
    i = 0
    while i < len(words):
        begin = i
        flag, equals, value = words[i].partition("=")
        if not flag.startswith("-") or words[i] == "-":
            flag, value = "", words[i]
        elif not equals and flag in valued and i + 1 < len(words):
            i += 1
            value = words[i]
        i += 1
        yield begin, i, flag, value


def _is_assignment(word: str) -> bool:
    name, equals, _value = word.partition("=")
    return bool(equals) and name.isidentifier()


def _named(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The tool that the first words name, and the remaining words."""
    name, rest = _base(words[0]), words[1:]
    if name == "python":
        while rest and rest[0] in ("-u", "-B", "-O", "-s", "-S", "-E", "-I", "-b", "-v"):
            rest = rest[1:]
        if rest[:1] in (("-W",), ("-X",)):
            rest = rest[2:]
        if rest[:1] == ("-m",) and len(rest) > 1 and rest[1] not in _OF_SYSTEM:
            return _named((rest[1].removesuffix(".__main__"), *rest[2:]))
    script = rest[0].rsplit("/", 1)[-1] if rest else ""
    if f"{name} {script}" in known_tools.SCRIPT_TOOLS:
        return known_tools.SCRIPT_TOOLS[f"{name} {script}"], rest[1:]
    if name == "node" and "--test" in rest:
        return "node --test", tuple(w for w in rest if w != "--test")
    if "/" in words[0] and words[0][0] != "/" and name in _OF_SYSTEM:
        return words[0], rest  # `./test` is the project's own, `/bin/test` is not.
    if "/" in words[0] and name not in _ALL_KNOWN and not words[0].startswith("/usr/"):
        # A program of the project: its path is its name.
        return words[0].removeprefix("./"), rest
    return name, rest


_OF_SYSTEM = known_tools.SILENT | known_tools.LISTERS
_ALL_KNOWN = (
    _OF_SYSTEM
    | known_tools.SUBCOMMANDS
    | frozenset(known_tools.ALIASES.values())
    | frozenset(known_tools.PATH_TARGETS)
    | frozenset(name for names in known_tools.PURPOSES.values() for name in names)
    | frozenset(("node", "java", "ruby", "php", "perl", "bash", "sh", "ts-node", "tsx"))
)


def _with_subcommand(tool: str, rest: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Normalise the subcommand: `npm test` equals `npm run test`; `go` with its verb; `make` with
    its targets."""
    if tool in known_tools.PACKAGE_RUNNERS:
        return _script(tool, rest)
    if tool in known_tools.RUN_VERBS:
        verb, others = _first_plain(tool, rest)
        return tool, others if verb in known_tools.RUN_VERBS[tool] else rest
    if tool in ("mvn", "gradle"):
        goals = [w.rsplit(":", 1)[-1] for w in rest if not w.startswith("-")]
        goal = next((g for g in goals if g in ("test", "verify", "check")), "")
        return (f"{tool} {goal}" if goal else tool), rest
    if tool in ("make", "just", "task", "rake", "invoke"):
        targets = [w for w in _plain(tool, rest) if not _is_assignment(w)]
        rest = tuple(w for w in rest if not w.startswith(known_tools.QUIET_VARIABLES))
        if tool == "make" and targets == ["all"]:
            return tool, tuple(w for w in rest if w != "all")  # by convention the default target
        return " ".join([tool, *targets[:3]]), tuple(w for w in rest if w not in targets[:3])
    if tool not in known_tools.SUBCOMMANDS and not _says_purpose(tool, rest[:1]):
        return tool, rest
    verb, rest = _first_plain(tool, rest)
    if not verb:
        return tool, rest
    name = known_tools.SAME_VERBS.get(f"{tool} {verb}", f"{tool} {verb}")
    if name in known_tools.GROUPS:
        verb, rest = _first_plain(name, rest)
        name = f"{name} {verb}".rstrip()
    return name, rest


def _says_purpose(tool: str, words: tuple[str, ...]) -> bool:
    """Does the first word of an unlisted tool name a purpose: `nest build`, `rebar3 compile`?"""
    known = tool in _OF_SYSTEM or tool in known_tools.INTERPRETERS or purpose_of(tool)
    return not known and "." not in tool and "/" not in tool and "".join(words) in _VERBS


_VERBS = {verb: category for category, verbs in known_tools.VERBS.items() for verb in verbs}


def _first_plain(tool: str, rest: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The first word that is neither a flag nor a flag's value, and the other words."""
    for at, _end, flag, word in _flags(rest, known_tools.GLOBAL_FLAGS.get(tool, ())):
        if not flag and not word.startswith("+"):
            return word, (*rest[:at], *rest[at + 1 :])
    return "", rest


def _script(tool: str, rest: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """`npm t`, `npm run test`, `yarn test`: all become `npm run test`, `yarn run test`."""
    plain = _plain(tool, rest)
    if not plain:
        return (f"{tool} install" if tool == "yarn" else tool), rest
    verb = plain[0]
    rest = _without(rest, verb)
    if verb in ("run", "run-script") and len(plain) > 1:
        return f"{tool} run {plain[1]}", _without(rest, plain[1])
    if verb in known_tools.NATIVE_PACKAGE_COMMANDS:
        return f"{tool} {'install' if verb in ('i', 'add') else verb}", rest
    if tool == "npm":
        name = {"t": "test", "tst": "test"}.get(verb, verb)
        return f"npm run {name}" if name in ("test", "start", "stop") else f"npm {name}", rest
    if tool == "bun" and verb == "test":
        return "bun test", rest
    if _base(verb) in _ALL_KNOWN and verb not in ("test", "build", "start"):
        # `yarn tsc`, `pnpm vitest`: the tool itself.
        return _with_subcommand(_base(verb), rest)
    return f"{tool} run {verb}", rest


def _without(words: tuple[str, ...], word: str) -> tuple[str, ...]:
    i = words.index(word)
    return (*words[:i], *words[i + 1 :])


def _plain(tool: str, rest: tuple[str, ...]) -> list[str]:
    """The arguments that are neither flags nor values of flags."""
    return list(_arguments(tool, rest)[0])


def _folder_flags(
    tool: str, rest: tuple[str, ...], where: str, root: str
) -> tuple[tuple[str, ...], str]:
    """Remove the flags that name a working folder, and apply them."""
    flags = (*known_tools.DIRECTORY_FLAGS.get(tool, ()), "--manifest-path")
    kept: list[str] = []
    for begin, end, flag, value in _flags(rest, flags):
        if flag not in flags or (tool == "pytest" and "=" not in rest[begin]):
            kept += rest[begin:end]
        elif value:
            manifest = flag == "--manifest-path"
            value = value.removesuffix("Cargo.toml") or "." if manifest else value
            where = _into(value, where, root)
    return tuple(kept), where


def _into(value: str, where: str, root: str) -> str:
    found = folder(value, root=root, cwd=where)
    return found if found.startswith("/") else f"{root}/{found}" if found else root


def _arguments(tool: str, rest: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Places, selecting flags (with their values), and whether success is certain anyway."""
    head = tool.split(" ")[0]
    choosing = known_tools.SELECTORS.get(tool, ()) + known_tools.SELECTORS.get(head, ())
    valued = known_tools.VALUE_FLAGS.get(tool, ()) + known_tools.VALUE_FLAGS.get(head, ())
    valued += tuple(
        f for f in choosing if f not in known_tools.BARE or (head, f) == ("gradle", "--tests")
    )
    places: list[str] = []
    selectors: list[str] = []
    idle, tests = False, purpose_of(tool) == "test"
    for begin, _end, flag, value in _flags(rest, valued):
        name = rest[begin].partition("=")[0]
        idle |= name in known_tools.PROVES_NOTHING and name != "-V"
        idle |= not _single_flags(name).isdisjoint(known_tools.LAST_WORDS.get(head, ()))
        chosen = f"{flag}={value}" if value else flag
        if not flag:
            places.append(value)
        elif flag in choosing or (tests and _NARROWS.search(flag)):
            selectors += () if chosen in known_tools.DEFAULTS.get(head, ()) else (chosen,)
    idle |= "-V" in rest and not places  # The version, of a tool that is to check nothing.
    return tuple(places), tuple(sorted(selectors)), idle


_NARROWS = patterns.Lazy(
    r"(?i)^--.*(?:filter|grep|pattern|only|match|shard|changed|related|skip)s?$"
)
"""Flags with which a runner of tests leaves some out, whatever its name."""


def _single_flags(flag: str) -> frozenset[str]:
    """A flag, and the flags that a cluster such as `-kn` joins."""
    joined = flag[1:] if flag[1:].islower() and flag.isascii() and flag[1:].isalpha() else ""
    return frozenset((flag, *(f"-{letter}" for letter in joined)))


def _place(place: str, root: str, where: str, tool: str) -> str:
    """A place to check, relative to the root; go's `./...` keeps its dots."""
    if tool.startswith("go ") and place.endswith("..."):
        base = folder(place.removesuffix("...") or ".", root=root, cwd=where)
        return f"{base}/..." if base else "..."
    path, colons, test = place.partition("::")
    found = normalised_path(path.rstrip("/") or ".", root=root, cwd=where)
    if found in ("", root):
        # The root itself, or a pattern that is not a path.
        found = "." if path.rstrip("/") in ("", ".") or found == root else path
    if path.rstrip("/") == ".":
        found = folder(".", root=root, cwd=where) or "."
    return f"{found}{colons}{test}"
