"""What the success of a command proves about an earlier failure (HS-2).

The same check in another spelling, or a wider run that includes the failed one. Protects one rule:
a success never clears an error in what it did not check.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from wm.domain.failures import known_tools
from wm.domain.failures.commands import ShellCommand, purpose_of, takes_places
from wm.text import patterns


class FailedCheck(Struct, frozen=True):
    """The command that opened an error, as the error names it, and the error's file and text.

    folder, words: its target.
    """

    tool: str
    folder: str
    words: tuple[str, ...]
    file: str
    text: str

    @property
    def head(self) -> str:
        return self.tool.split(" ")[0]

    @property
    def target(self) -> str:
        return " ".join((self.folder, *self.words))

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if not word.startswith("-"))

    @property
    def is_of_part(self) -> bool:
        """Whether it ran on one part of the project."""
        return any(word.startswith(known_tools.PART_FLAGS) for word in self.words)


def covers(success: ShellCommand, tool: str, target: str, file: str = "", text: str = "") -> bool:
    """Does the success of one command clear an error of `tool` at `target`?

    file, text: of the error. A run that was narrower than the failed one clears the errors in the
    files and tests that it covered, and no others.
    """
    target, _, host = target.partition(ON)
    target, _, made = target.partition(MADE)
    folder, *words = target.split(" ")
    failed = FailedCheck(tool, folder, tuple(words), file, text)
    if success.idle or success.host != host:
        return False
    return _clears(success, failed) or (bool(made) and _makes(success, failed, made))


def _clears(success: ShellCommand, failed: FailedCheck) -> bool:
    return (
        _reaches(success, failed)
        or _compiles(success, failed)
        or _is_around(success, failed)
        or (_is_same_check(success, failed) and _is_as_wide(success, failed))
    )


ON = " @ "
"""Before the machine, at the end of the target of an error on another one."""
MADE = " => "
"""Before the target or session that failed, at the end of the target of an error."""


def _is_in_folder(success: ShellCommand, failed: FailedCheck) -> bool:
    """Did both run in one folder? It is the first word of a target."""
    return failed.folder == f"{success.folder or '.'}:"


def _makes(success: ShellCommand, failed: FailedCheck, made: str) -> bool:
    """Did the runner of the error make the one target or session of it that had failed, alone or
    with others?"""
    part = f"{failed.head} {made}"
    one = success.tool == part and not success.selectors
    chosen = (f"-s={made}",), (f"-e={made}",)
    one |= success.tool == failed.tool and success.selectors in chosen
    alone = one and not success.places and _is_in_folder(success, failed)
    return alone or _clears(success, replace(failed, tool=part, words=()))


def _reaches(success: ShellCommand, failed: FailedCheck) -> bool:
    """Does the success include the failed goals, because its own one comes after them?

    `mvn verify` runs what `mvn test` runs, and `gradle build` what `gradle :api:test` runs.
    """
    phases = known_tools.PHASES.get(failed.head, ())
    if success.head != failed.head or success.selectors:
        return False
    if failed.head in known_tools.GOAL_TOOLS:
        done, goals = success.places, failed.places
    elif success.places or failed.is_of_part:
        return False
    else:
        done, goals = (success.tool,), (failed.tool, *failed.places)
    after = (any(_is_after(one, goal, phases) for one in done) for goal in goals)
    return bool(phases and goals) and _is_in_folder(success, failed) and all(after)


def _is_after(done: str, failed: str, phases: tuple[str, ...]) -> bool:
    """Is `done` the failed goal or a later one, of the same part of the project or of all?"""
    part, colon, goal = done.rpartition(":")
    failed_part, _colon, failed_goal = failed.rpartition(":")
    if colon and part != failed_part:
        return False
    ranks = [next((i for i, name in enumerate(phases) if word.startswith(name)), -1)
             for word in (goal, failed_goal)]  # fmt: skip
    return goal == failed_goal or ranks[0] > ranks[1] >= 0


def _compiles(success: ShellCommand, failed: FailedCheck) -> bool:
    """Did a compiler succeed on the very file that another build failed to compile?"""
    file, purposes = failed.file, (purpose_of(failed.tool), purpose_of(failed.head))
    if not file or success.selectors or success.purpose != "build" or "build" not in purposes:
        return False
    base = f"{success.folder}/" if success.folder else ""
    sources = {place if place.startswith("/") else f"{base}{place}" for place in success.places}
    named = file in sources or any("*" in s and _glob(s).fullmatch(file) for s in sources)
    return named and _LINKS.search(failed.text) is None


_LINKS = patterns.Lazy(
    r"(?i)\bundefined (?:reference|symbol)|\b(?:multiple|duplicate) (?:definition|symbol)"
    r"|\bunresolved"
)
"""A linker's complaint, which compiling says nothing of."""


def _is_around(success: ShellCommand, failed: FailedCheck) -> bool:
    """Did the same check succeed from a folder around the file, without a narrower target?"""
    folder, is_go = success.folder, failed.tool.startswith("go ")
    if success.tool != failed.tool or not success.purpose or is_go:
        return False
    narrowed = success.places or success.selectors
    return bool(folder) and not narrowed and failed.file.startswith(f"{folder}/")


def _is_same_check(success: ShellCommand, failed: FailedCheck) -> bool:
    """Is the command the failed tool, or the same check by another name?

    `npm test` and `npx vitest run` are one check: a script with the plain name of a purpose, and a
    tool with that purpose, in one folder. Two scripts are one check if they have one name.
    """
    tools = (success.tool, failed.tool)
    if success.tool == failed.tool:
        return True
    if not _is_in_folder(success, failed):
        return False
    if success.folder and BUILDERS.issuperset(tools):
        return True
    scripts = [_script(tool) for tool in tools]
    if all(scripts) and scripts[0] != scripts[1]:
        return False
    purpose = purpose_of(failed.tool)
    plain = any(_is_plain_script(tool) for tool in tools)
    return plain and bool(purpose) and purpose == success.purpose


BUILDERS = frozenset(("cmake", "make", "ninja"))
"""Without a target, they build the same in one folder of builds."""


def _script(tool: str) -> str:
    """The name of the script or target that a task runner runs; "" for other tools."""
    head, _, rest = tool.partition(" ")
    return rest.removeprefix("run ") if head in known_tools.TASK_RUNNERS else ""


def _is_plain_script(tool: str) -> bool:
    return _script(tool) in known_tools.PLAIN_SCRIPTS


def _is_as_wide(success: ShellCommand, failed: FailedCheck) -> bool:
    """Did the same check look at what the error is about?"""
    narrower = [selector for selector in success.selectors if selector not in failed.words]
    takes_paths = takes_places(success.tool) or _is_plain_script(success.tool)
    if success.tool == failed.tool and success.target == failed.target:
        return True
    if narrower:
        repeated = known_tools.REPEATS.issuperset(narrower)
        repeated = repeated and replace(success, selectors=()).target == failed.target
        return repeated or _selects(success, narrower, failed)
    if failed.file and success.places and takes_paths:
        return any(_covers_file(place, failed, success.tool) for place in success.places)
    if success.tool != failed.tool:
        return not success.places and failed.places == failed.words
    if takes_places(failed.tool):
        wide = success.places or (success.folder or ".",)
        places = failed.places or (failed.folder.rstrip(":"),)
        return all(any(_holds(w, p, failed.tool) for w in wide) for p in places)
    return _is_in_folder(success, failed) and _includes(success, failed)


def _includes(success: ShellCommand, failed: FailedCheck) -> bool:
    """Does a run of a tool whose arguments are not places include what another one failed at?"""
    places, purpose, is_part = failed.places, purpose_of(failed.tool), failed.is_of_part
    if failed.tool in known_tools.FILTERED and success.places:
        name = _test_of(failed)
        named = any(len(w) >= SHORTEST_NAME and w in name for w in success.places)
        return named or (bool(places) and all(any(w in p for w in success.places) for p in places))
    if success.places:  # Perhaps a compiler of these sources and more.
        only_places = places == failed.words != ()
        return purpose == "build" and only_places and {*places} <= {*success.places}
    # A run of a script without arguments is wider than one with them.
    is_script = failed.head in known_tools.PACKAGE_RUNNERS and " run " in f"{failed.tool} "
    return success.widened if is_part else is_script or purpose == "test"


def _selects(success: ShellCommand, selectors: list[str], failed: FailedCheck) -> bool:
    """Did a run of some tests, chosen by name, include the test of this error?"""
    head, file, name = success.head, failed.file, _test_of(failed)
    flags, spared = known_tools.NAME_FLAGS.get(head, ()), known_tools.EXCLUDES.get(head, ())
    stem = file.rsplit("/", 1)[-1].split(".")[0]
    for selector in selectors:
        flag, _, value = selector.partition("=")
        if flag in spared and file and not success.folder:
            is_other = _covers_file(value.removeprefix("./"), failed, success.tool)
        else:
            is_other = value not in name and value != stem
            is_other |= flag not in flags or len(value) < SHORTEST_NAME
        if is_other:
            return False
    return not success.places or any(_holds(p, file, success.tool) for p in success.places)


def _test_of(failed: FailedCheck) -> str:
    """The name of the test in the summary of an error."""
    parts = failed.text.split(": ")
    return parts[1] if failed.file and len(parts) > 2 else parts[0]


SHORTEST_NAME = 4
"""Characters of a name by which tests are chosen; a shorter one is in a text by chance."""


def _covers_file(place: str, failed: FailedCheck, tool: str) -> bool:
    """Does a run of `place` cover the error in its file? A single test (`file::name`) covers the
    errors that name it; a Go package covers the files in its folder."""
    file, text = failed.file, failed.text
    path, _, test = place.partition("::")
    if test:
        return path == file and test.rsplit("::", 1)[-1].partition("[")[0] in text
    dotted = all(map(str.isidentifier, place.split("."))) and not place.endswith(".py")
    if tool == "unittest" and dotted:
        return _is_of_module(place.split("."), file, text)
    if tool.startswith("go ") and not place.endswith("..."):
        folder = file.rpartition("/")[0] or "."
        named = "." in place.split("/")[0] and place.endswith(f"/{folder}")
        return place.rstrip("/") == folder or named
    return _holds(place, file, tool) or (tool in known_tools.PATH_PARTS and path in file)


def _is_of_module(parts: list[str], file: str, text: str) -> bool:
    """Is it the file of `package.module`, or the test of `package.module.Class.test`?"""
    for end in range(1, len(parts) + 1):
        if file == f"{'/'.join(parts[:end])}.py":
            return len(parts) == end or (len(parts) == end + 2 and parts[-1] in text)
    return file.startswith(f"{'/'.join(parts)}/")


_STARS = patterns.compile(r"(\*\*/|\*\*|\*)")


def _glob(wide: str) -> patterns.Pattern:
    """A shell pattern of paths: `*` stays within a folder, `**/` does not."""
    meant = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    parts = _STARS.split(wide)
    return patterns.compile("".join(meant.get(part, patterns.escaped(part)) for part in parts))


def _holds(wide: str, narrow: str, tool: str) -> bool:
    if wide == narrow or ("*" in wide and _glob(wide).fullmatch(narrow) is not None):
        return True
    if tool.startswith("go "):
        if not wide.endswith("..."):
            return False
        wide = wide.removesuffix("...").rstrip("/") or "."
        narrow = narrow.removesuffix("/...")
    if wide == ".":
        return not narrow.startswith("/")
    return narrow == wide or narrow.startswith((f"{wide}/", f"{wide}::"))
