"""What the success of a command proves about an earlier failure (HS-2).

The same check in another spelling, or a wider run that includes the failed one. Protects one rule:
a success never clears an error in what it did not check.
"""

from __future__ import annotations

from msgspec.structs import replace

from wm.domain.failures import known_tools
from wm.domain.failures.commands import ShellCommand, purpose_of, takes_places
from wm.text import patterns


def covers(success: ShellCommand, tool: str, target: str, file: str = "", text: str = "") -> bool:
    """Does the success of one command clear an error of `tool` at `target`?

    file, text: of the error. A run that was narrower than the failed one clears the errors in the
    files and tests that it covered, and no others.
    """
    if success.idle:
        return False
    target, _, host = target.partition(ON)
    if host != success.host:
        return False
    target, _, made = target.partition(MADE)
    where, *words = target.split(" ")
    if made and where == _folder_of(success) and _made(success, tool, made):
        return True
    part = f"{tool.split(' ')[0]} {made}"
    if made and covers(success, part, f"{where}{ON}{host}", file, text):
        return True
    if where == _folder_of(success) and _reaches(success, tool, words):
        return True
    if _compiles(success, tool, file, text) or _is_inside(success, tool, file):
        return True
    if not _is_same_check(success, tool, target):
        return False
    if success.tool == tool and success.target == target:
        return True
    narrower = [selector for selector in success.selectors if selector not in words]
    if narrower:
        failed_again = known_tools.REPEATS.issuperset(narrower)
        if failed_again and replace(success, selectors=()).target == target:
            return True
        return _selected(success, narrower, file, text)
    takes_paths = takes_places(success.tool) or _is_plain_script(success.tool)
    if file and success.places and takes_paths:
        return any(_covers_file(place, file, text, success.tool) for place in success.places)
    places = [word for word in words if not word.startswith("-")]
    if success.tool != tool:
        return not success.places and len(places) == len(words) and where == _folder_of(success)
    if takes_places(tool):
        wide = success.places or (success.folder or ".",)
        return all(any(_holds(w, p, tool) for w in wide) for p in places or [where.rstrip(":")])
    if where != _folder_of(success):
        return False
    if purpose_of(tool) == "build" and places == words != [] and set(places) <= set(success.places):
        return True  # a compiler of these sources and more
    if tool in known_tools.FILTERED and success.places:
        name = _test_of(file, text)
        if any(len(w) >= SHORTEST_NAME and w in name for w in success.places):
            return True
        return bool(places) and all(any(w in p for w in success.places) for p in places)
    parts = any(word.startswith(known_tools.PART_FLAGS) for word in words)
    whole = _is_task(tool) or purpose_of(tool) == "test" or parts
    return not success.places and whole and (success.widened or not parts)


ON = " @ "
"""Before the machine, at the end of the target of an error on another one."""
MADE = " => "
"""Before the target or session that failed, at the end of the target of an error."""


def _made(success: ShellCommand, tool: str, made: str) -> bool:
    """Did the runner of an error make the one target that had failed, and perhaps no other?"""
    head = tool.split(" ")[0]
    one = success.tool == f"{head} {made}" and not success.selectors
    chosen = success.tool == tool and success.selectors in ((f"-s={made}",), (f"-e={made}",))
    return (one or chosen) and not success.places


def _selected(success: ShellCommand, selectors: list[str], file: str, text: str) -> bool:
    """Did a run of some tests, chosen by name, include the test of this error?"""
    head = success.tool.split(" ")[0]
    flags, spared = known_tools.NAME_FLAGS.get(head, ()), known_tools.EXCLUDES.get(head, ())
    name = _test_of(file, text)
    stem = file.rsplit("/", 1)[-1].split(".")[0]
    for selector in selectors:
        flag, _, value = selector.partition("=")
        if flag in spared and file and not success.folder:
            if _covers_file(value.removeprefix("./"), file, text, success.tool):
                return False
            continue
        if flag not in flags or len(value) < SHORTEST_NAME or (value not in name and value != stem):
            return False
    return not success.places or any(_holds(p, file, success.tool) for p in success.places)


def _test_of(file: str, text: str) -> str:
    """The name of the test in the summary of an error."""
    parts = text.split(": ")
    return parts[1] if file and len(parts) > 2 else parts[0]


def _compiles(success: ShellCommand, tool: str, file: str, text: str) -> bool:
    """Did a compiler succeed on the very file that another build failed to compile?"""
    purposes = (purpose_of(tool), purpose_of(tool.split(" ")[0]))
    if not file or success.selectors or success.purpose != "build" or "build" not in purposes:
        return False
    base = f"{success.folder}/" if success.folder else ""
    sources = {place if place.startswith("/") else f"{base}{place}" for place in success.places}
    named = file in sources or any("*" in s and _glob(s).fullmatch(file) for s in sources)
    return named and _LINKS.search(text) is None


_LINKS = patterns.Lazy(
    r"(?i)\bundefined (?:reference|symbol)|\b(?:multiple|duplicate) (?:definition|symbol)"
    r"|\bunresolved"
)
"""A linker's complaint, which compiling says nothing of."""


def _is_inside(success: ShellCommand, tool: str, file: str) -> bool:
    """Did the same check succeed from a folder around the file, without a narrower target?"""
    folder = success.folder
    if success.tool != tool or not success.purpose or tool.startswith("go "):
        return False
    narrowed = success.places or success.selectors
    return bool(folder) and not narrowed and file.startswith(f"{folder}/")


SHORTEST_NAME = 4
"""Characters of a name by which tests are chosen; a shorter one is in a text by chance."""


def _folder_of(command: ShellCommand) -> str:
    """The first word of a target."""
    return f"{command.folder or '.'}:"


def _reaches(success: ShellCommand, tool: str, words: list[str]) -> bool:
    """Does the success include the failed goals, because its own one comes after them?

    `mvn verify` runs what `mvn test` runs, and `gradle build` what `gradle :api:test` runs.
    """
    head = tool.split(" ")[0]
    phases = known_tools.PHASES.get(head)
    if not phases or success.tool.split(" ")[0] != head or success.selectors:
        return False
    done = success.places if head in known_tools.GOAL_TOOLS else (success.tool,)
    failed = [w for w in words if not w.startswith("-")]
    failed = failed if head in known_tools.GOAL_TOOLS else [tool, *failed]
    narrowed = any(word.startswith(known_tools.PART_FLAGS) for word in words)
    if not done or (head not in known_tools.GOAL_TOOLS and (success.places or narrowed)):
        return False
    return bool(failed) and all(any(_is_after(d, f, phases) for d in done) for f in failed)


def _is_after(done: str, failed: str, phases: tuple[str, ...]) -> bool:
    """Is `done` the failed goal or a later one, of the same part of the project or of all?"""
    part, colon, goal = done.rpartition(":")
    failed_part, _colon, failed_goal = failed.rpartition(":")
    if colon and part != failed_part:
        return False
    if goal == failed_goal:
        return True
    ranks = [next((i for i, name in enumerate(phases) if word.startswith(name)), -1)
             for word in (goal, failed_goal)]  # fmt: skip
    return ranks[0] > ranks[1] >= 0


def _is_same_check(success: ShellCommand, tool: str, target: str) -> bool:
    """Is the command the failed tool, or the same check by another name?

    `npm test` and `npx vitest run` are one check: a script with the plain name of a purpose, and a
    tool with that purpose, in one folder. Two scripts are one check if they have one name.
    """
    if success.tool == tool:
        return True
    if target.split(" ")[0] != _folder_of(success):
        return False
    if success.folder and {success.tool, tool} <= BUILDERS:
        return True
    scripts = [_script(name) for name in (success.tool, tool)]
    if all(scripts) and scripts[0] != scripts[1]:
        return False
    purpose = purpose_of(tool)
    plain = any(_is_plain_script(name) for name in (success.tool, tool))
    return plain and bool(purpose) and purpose == purpose_of(success.tool)


BUILDERS = frozenset(("cmake", "make", "ninja"))
"""Without a target, they build the same in one folder of builds."""


def _script(tool: str) -> str:
    """The name of the script or target that a task runner runs; "" for other tools."""
    head, _, rest = tool.partition(" ")
    return rest.removeprefix("run ") if head in known_tools.TASK_RUNNERS else ""


def _is_plain_script(tool: str) -> bool:
    return _script(tool) in known_tools.PLAIN_SCRIPTS


def _covers_file(place: str, file: str, text: str, tool: str) -> bool:
    """Does a run of `place` cover the error in `file`? A single test (`file::name`) covers the
    errors that name it; a Go package covers the files in its folder."""
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


def _is_task(tool: str) -> bool:
    """A task runner: a run of a script without arguments is wider than one with them."""
    return tool.split(" ")[0] in known_tools.PACKAGE_RUNNERS and " run " in f"{tool} "


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
