"""Choose the parser for an output, and the part of the command line each error belongs to (HS-2).

The table is ordered by trust: a test runner's own report, then compilers, then the last words of
a crashed program; a bare "error:" line counts only if nothing better was found. A line that one
parser took is not read by the next.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import islice

from msgspec import Struct, convert
from msgspec.structs import replace

from wm.domain.failures import json_reports, known_tools, places, summaries, telling, verdict
from wm.domain.failures.commands import Ran, ShellCommand
from wm.domain.failures.detected import (
    LAST_WORD,
    PACKAGE_MARK,
    TABLES,
    DetectedError,
    Family,
    line_no,
)
from wm.domain.failures.echoes import MIXED, folders, shows_commands
from wm.domain.failures.formats.generic import complaint
from wm.domain.failures.user_errors import user_errors
from wm.domain.session.file_paths import normalised_path
from wm.formats.events import ToolFinished
from wm.settings import SessionSettings
from wm.text import patterns


def _families(table: str) -> tuple[Family, ...]:
    return tuple(convert({"name": k, **row}, Family) for k, row in TABLES.table(table).items())


CHECKS, LAST_WORDS = _families("checks"), _families("last_words")
"""The reports of checkers, all read; the last words of a crash, each tried only if all before it
found nothing."""
STACKS = next(family for family in LAST_WORDS if family.name == "stacks")
LOCATED = next(family for family in LAST_WORDS if family.name == "located")
"""Any checker's findings. A tool that is known to check prints nothing else with a place; of any
other tool a crash counts first."""

USER = Family("user", ())
"""The user's own categories (`user_errors`)."""

MAX_FOUND = 200


class Placed(Struct, frozen=True):
    """A detected error with its category and file resolved, and the part of the command it belongs
    to."""

    found: DetectedError
    command: ShellCommand


Detections = list[tuple[Family, DetectedError]]
"""What was found in an output, each with the family that found it."""


def placed(
    event: ToolFinished, lines: Sequence[str], ran: Ran, *, root: str, settings: SessionSettings
) -> tuple[Placed, ...]:
    """The errors in a command's output, in order. lines: `lines_of` the output.

    If the exit code says nothing of the suspects (`ran.certain`), the output must show that they
    failed (`Proof`).
    """
    active = active_of(ran)
    if not active and not any(c.lists for c in ran.suspects):
        return ()
    output, command = event.output, event.command
    if ran.said:
        output = output.rstrip().removesuffix(ran.said)
        lines = [line for line in lines if line.strip() != ran.said]
    proof = proof_of(output, lines, active, ran, command)
    if proof in UNPROVED:
        complete = _CUT.search(command) is None
        if verdict.failed(features(lines, command, active), complete=complete):
            proof = Proof.FAILURE
    if proof is Proof.NONE:
        return ()
    certain = proof is Proof.FAILURE
    purposes = {command.purpose for command in active} - {""}
    runs_checks = purposes - {"test"} or any(map(shows_commands, active))
    families = (*CHECKS, LOCATED) if runs_checks else CHECKS
    users = list(user_errors(settings.errors).find(lines, command)) if settings.errors else []
    tested = purposes == {"test"} or (not purposes and bool(summaries.failed(lines, checks=False)))
    last: Sequence[Family] = LAST_WORDS
    if tested and len(list(islice(asked(STACKS, lines, "\n".join(lines)), 2))) > 1:
        last = (STACKS, *LAST_WORDS)  # Several tests failed; of a program the last stack counts.
    if proof is Proof.FINDINGS:
        lines, last = telling.ends(lines), last[:-1]  # The last family guesses.
    read = _read(lines, output, families, last, certain, users[:MAX_FOUND]) if active else []
    if proof is Proof.FINDINGS:
        read = [(f, e) for f, e in read if _is_finding(f, e, lines, known=bool(purposes))]
    read = [(f, replace(e, name="") if e.name == LAST_WORD else e) for f, e in read]
    if len(read) == 1 and _VACUOUS.match(read[0][1].message):
        read = [(family, _explained(found, lines)) for family, found in read]
    entered = [(-1, ""), *folders(lines)] if read else []
    settled = [
        _settled(_completed(found, lines), family, active, root, lines, entered)
        for family, found in (_titled(read, lines) if tested else read)
    ]
    if not settled:
        settled = [
            Placed(replace(found, category="runtime"), command)
            for command in ran.suspects
            if command.lists
            for found in complaint(lines, command.word)
        ]
    return tuple(sorted(settled, key=lambda p: p.found.at))


def active_of(ran: Ran) -> list[ShellCommand]:
    """The commands whose failure the output may show; a filter only if there is nothing else."""
    unseen = (c for c in ran.hidden if c not in ran.suspects)
    active = [*unseen, *(c for c in ran.suspects if not c.silent and not c.lists)]
    return [c for c in active if c.purpose or not c.filters] or active


def _explained(found: DetectedError, lines: Sequence[str]) -> DetectedError:
    """A failed test with the exception that the output names, unless it repeats the test's name."""
    said = telling.cause(lines)
    return found if said.partition(": ")[2] in found.name else replace(found, message=said)


_VACUOUS = patterns.Lazy(r"^\W*(?:\w+ )?failed\W*$")
"""Says that a test failed, not why."""


class Proof(Enum):
    """What shows that commands failed."""

    NONE = "nothing"
    FINDINGS = "lines in the format of a checker, if there are any"
    SUMMARY = "a closing summary or a report"
    FAILURE = "the exit code, or a line that states a failure"


_CUT = patterns.Lazy(r"\| *head\b")
"""The end of what the command prints is not in the output."""
UNPROVED = (Proof.NONE, Proof.FINDINGS)
"""What leaves the decision to `verdict`."""


def proof_of(
    output: str, lines: Sequence[str], active: Sequence[ShellCommand], ran: Ran, command: str
) -> Proof:
    """What shows by rule that the active commands failed. command: the command line."""
    if ran.certain:
        return Proof.FAILURE
    tolerates = "||" in command
    is_own = any(c.own or c.word in known_tools.TASK_RUNNERS for c in active)
    checks = any(c.purpose for c in active)
    reads_lines = checks or not is_own
    reads_lines &= all(c.silent or c.lists or c.filters for c in ran.proved)
    reads_findings = reads_lines and not tolerates and _CUT.search(command) is None
    printed = _printed(lines, command)
    for name in {f"{c.word}: " for c in active if c.word}:
        printed = [line.removeprefix(name) for line in printed]
    clear = tolerates and not checks
    states = reads_lines and telling.says_failure(printed, placed=reads_findings, clear=clear)
    if states or telling.crashed(printed):
        return Proof.FAILURE
    if _says_failed(lines, active) or _reported(output):
        return Proof.SUMMARY
    return Proof.FINDINGS if reads_findings else Proof.NONE


def _printed(lines: Sequence[str], command: str) -> list[str]:
    """The lines without those that an `echo` of the command line prints."""
    return [line for line in lines if line.strip(" \"'") not in command]


def features(lines: Sequence[str], command: str, active: Sequence[ShellCommand]) -> frozenset[str]:
    """What `verdict` weighs. active: the commands whose failure the output may show."""
    lines = _printed(lines, command)
    places = [found for found in LOCATED.find(lines) if found.line]
    return verdict.features(lines, command, active, places)


def _says_failed(lines: Sequence[str], active: Sequence[ShellCommand]) -> bool:
    """Does the output end with a summary of failures?

    Of a program that is not known to check, a count of failures is one only if a line is marked as
    an error, or names a place in a file and what is wrong there; a complaint that begins with the
    program's name is one unless it is the first line.
    """
    if summaries.failed(lines, checks=False):
        return True
    for last in [*filter(None, map(str.strip, lines))][1:][-2:]:  # The last may be of `; echo`.
        named = ": " in last and any(c.word and last.startswith(c.word) for c in active)
        if named and telling.objects(last) and not summaries.is_harmless(last):
            return True
    places = (found for found in LOCATED.find(lines) if found.line and found.name != LAST_WORD)
    shows = any(c.purpose for c in active) or any(map(telling.is_marked, lines)) or any(places)
    return bool(summaries.failed(lines)) and shows


def _is_finding(family: Family, found: DetectedError, lines: Sequence[str], *, known: bool) -> bool:
    """Is it an error in the format of a checker, and not only a warning? known: the tool is known
    to check; of another one, the line must also say that something is wrong."""
    line = "".join(lines[found.at : found.at + 1])
    mild = found.name == LAST_WORD or telling.is_mild(line)
    return not mild and (known or family is not LOCATED or telling.objects(line))


JSON = Family("json", ())
"""Reports that were asked for as JSON, of any tool."""


def _reported(output: str) -> bool:
    """Is it a JSON or XML report with errors? It is complete, so it needs no summary."""
    return bool(json_reports.find(output, certain=False)) or bool(_FAILED_SUITE.search(output))


_FAILED_SUITE = patterns.Lazy(
    r"<testsuites?\b[^>]{0,400}\b(?:failures|errors)=[\"'][1-9]"
    r"|<(?:error|issue|violation)\b[^>]{0,400}\bseverity=[\"'](?:error|[Ff]atal)"
)


def _completed(found: DetectedError, lines: Sequence[str]) -> DetectedError:
    """A message continues below if it ends in a colon, is only the name of an exception, or says
    only in which phase it failed, or what a parser of YAML was reading."""
    if more := _wrapped(found, lines):
        return replace(found, message=f"{found.message} {more}")
    phase = _PHASE.search(found.message)
    counts = telling.only_sums(found.message)
    if not (found.message.endswith(":") or _ONLY_NAME.fullmatch(found.message) or phase or counts):
        return found
    for i in range(found.at, min(max(found.at + REACH, found.until), len(lines))):
        if not (lines[i].rstrip().endswith(found.message) or (phase and found.message in lines[i])):
            continue
        below = [t.strip() for t in lines[i + 1 : i + (4 if phase else REACH)] if _LETTER.search(t)]
        if phase:
            below = [t for t in below if not _MARK.match(t)][:1]
            marks = [m.groups() for t in lines[i + 1 : i + 6] if (m := _MARK.match(t))]
            if marks and found.file in ("", marks[-1][0]):  # The first is the context.
                found = replace(found, file=marks[-1][0], line=line_no(marks[-1][1]))
        inner = (t for t in reversed(below) if _EXCEPTION.match(t))
        more = next(inner, "") or next(iter(below[:2]), "")
        colon = ":" if phase and not phase.start() else ""
        return replace(found, message=f"{found.message}{colon} {more}".strip())
    return found


def _wrapped(found: DetectedError, lines: Sequence[str]) -> str:
    """The rest of a wrapped message: the first word below would not have fitted on its line."""
    line, *below = [*(t.rstrip() for t in lines[found.at : found.at + 3]), "", ""][:3]
    if not line.endswith(found.message) or not _CONTINUES.match(below[0]) or "^" in below[1]:
        return ""
    needed = len(line) + 1 + len(below[0].split(None, 1)[0])
    usual = (60, 72, 80, 100, 120)
    return below[0].strip() if any(len(line) <= width < needed for width in usual) else ""


_CONTINUES = patterns.Lazy(r"^\s+[a-z'\"`].*[^;{}]$")


def _titled(
    read: Sequence[tuple[Family, DetectedError]], lines: Sequence[str]
) -> Iterator[tuple[Family, DetectedError]]:
    """The errors, each with the name of the test in the title above it."""
    ends = 0
    for family, found in sorted(read, key=lambda pair: pair[1].at):
        if not found.name and family in LAST_WORDS:
            above = range(min(found.at, len(lines) - 1), max(ends, found.at - REACH) - 1, -1)
            name = next(filter(None, (_title(lines, i) for i in above)), "")
            found = replace(found, name="" if name in found.message else name)
        ends = max(found.at, min(found.until, len(lines)) - 1, ends)
        yield family, found


def _title(lines: Sequence[str], i: int) -> str:
    """The name of a test that a line announces as failed; "" if it does not.

    The name may go on below, deeper indented, up to a colon.
    """
    title = _TEST.match(lines[i])
    if title is None:
        return ""
    name = next(filter(None, title.groups()), "").strip()
    below = [line.strip() for line in lines[i + 1 : i + 4]]
    if not name:
        return next(iter(below), "")
    last = next((n for n, text in enumerate(below) if text.endswith(":")), -1)
    if lines[i].lstrip()[:1].isdigit() and all(below[: last + 1]):
        return " ".join([name, *below[: last + 1]]).rstrip(":")
    return "" if name.endswith(":") else name


_TEST = patterns.Lazy(
    r"^\s*(?:_{3,} (\S.*?) _{3,}|(?:--- )?(?:FAIL|FAILED|ERROR): (\S+)(?: \(.*)?|\d{1,4}\) (\S.*)"
    r"|[●✖✕✗×✘] (\S.*)|not ok \d+ (?:- )?(\S.*)|(?:Failure|Error) (?:->|→|@) \S.*)$"
)
_PHASE = patterns.Lazy(
    r"^(?:(?:[Ss]yntax |[Pp]arse )?[Ee]rror(?: \w+ing(?: \w+)?)?|[A-Z]\w+ failed|FAILED)[.!]?$"
    r"|^Failure/Error: |\bwhile (?:parsing|scanning|constructing) an? [\w ]+$"
)
"""`Syntax error compiling`, `while parsing a mapping`, and source that a test runner quotes."""
_MARK = patterns.Lazy(r"^\s*in \"?(\S.*?)\"?, line (\d+)")
_ONLY_NAME = patterns.Lazy(r"(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception):?")
_EXCEPTION = patterns.Lazy(r"[A-Z]\w*(?:Error|Exception): \S")
_LETTER = patterns.Lazy(r"\pL{2}")
REACH = 40
"""Lines from the beginning of an error in which its message is looked for."""


def _read(
    lines: Sequence[str],
    output: str,
    families: Sequence[Family],
    last_words: Sequence[Family],
    certain: bool,
    own: Sequence[DetectedError] = (),
) -> Detections:
    """own: errors of the user's categories; their lines are not read again."""
    users = [(USER, item) for item in own]
    listed = [(JSON, item) for item in json_reports.find(output, certain=certain)[:MAX_FOUND]]
    if listed:
        return [*users, *listed]
    found, mild = _of_checkers(lines, families, users)
    if found:
        return found
    if certain and (refused := json_reports.refused(output)):
        return [(JSON, item) for item in refused[:MAX_FOUND]]
    long = any(len(line) > telling.MAX_CHARS for line in lines)  # No rule reads its end.
    if certain and long and (said := json_reports.texts(output)):
        lines = said
    return _of_last_words(lines, last_words, mild, certain)


def _of_checkers(
    lines: Sequence[str], families: Sequence[Family], users: Detections
) -> tuple[Detections, Detections]:
    """The errors in the reports of checkers, behind those of the user's categories; and what counts
    only if there are none, of the first family that finds such."""
    found, last, text = [*users], Detections(), "\n".join(lines)
    taken = {item.at for _family, item in users}
    for family in families:
        taken_places = {(item.file, item.line) for _family, item in found}
        items = list(islice(asked(family, lines, text), MAX_FOUND))
        begins = {item.at for item in items}
        for item in items:
            again = family is LOCATED and (item.file, item.line) in taken_places
            if again or item.at in taken or _POSITION.match(item.message):
                continue
            end = min((item.until, *(at for at in begins if at > item.at)))
            taken.update(range(item.at, max(end, item.at + 1)))
            (last if item.name == LAST_WORD else found).append((family, item))
    return found, [(family, item) for family, item in last if family is last[0][0]]


def _of_last_words(
    lines: Sequence[str], last_words: Sequence[Family], mild: Detections, certain: bool
) -> Detections:
    """The last words of a crash; failing them `mild`, or what sums up. Not `certain`: nothing that
    only guesses."""
    summary, text = summaries.failed(lines), "\n".join(lines)
    # Where no error is counted, warnings were taken for errors.
    counts = summary.replace("(s)", "s")
    warned = telling.warnings(lines) if "warnings" in counts and "error" not in counts else []
    for family in last_words:
        if warned and family.name == "generic":
            break
        items = list(islice(asked(family, lines, text), MAX_FOUND))
        best = [item for item in items if item.name != LAST_WORD]
        if family is LOCATED and certain and best and telling.outweighs(lines, best):
            continue  # The places only show how the failure came about.
        if best and (not mild or family.name in ("traces", "make", "packages")):
            return [(family, item) for item in best]
        if certain or family.name != "generic":  # A summary says more than a guess.
            mild = mild or [(family, item) for item in items]
    if mild or (certain and not warned):
        return mild
    shown = warned or ([(len(lines), summary)] if summary else [])
    return [(JSON, DetectedError("", says, at=at, name=LAST_WORD)) for at, says in shown]


_POSITION = patterns.Lazy(r"^(?:column|line) \d+$")


def asked(family: Family, lines: Sequence[str], text: str) -> Iterator[DetectedError]:
    """The errors that a family finds in an output that contains one of its hints."""
    if any(hint in text for hint in family.hints):
        yield from family.find(lines)


def _settled(
    found: DetectedError,
    family: Family,
    active: Sequence[ShellCommand],
    root: str,
    lines: Sequence[str],
    entered: Sequence[tuple[int, str]],
) -> Placed:
    category = found.category
    purposes = {command.purpose for command in active if command.purpose}
    if family is LOCATED and len(purposes) == 1 and category != "typecheck":
        category = purposes.pop()
    owner = _owner(replace(found, category=category), family, active)
    given = (*owner.places, owner.tool) if owner.own else owner.places
    found = places.located(found, _near(found, lines) if family in LAST_WORDS else (), given)
    if family.name == "golang" and not category:
        category = "lint" if owner.tool in ("go vet", "golangci-lint run") else "build"
    if not category:
        category = owner.purpose or ("test" if found.name else "runtime")
    named = (name for name in given if places.is_file(name) and name in found.message)
    absent = _ABSENT.search(found.message) is not None
    file = found.file or _heading_file(found, lines) or ("" if absent else next(named, ""))
    where = entered[bisect_left(entered, (found.at, "")) - 1][1]
    if file and where not in ("", MIXED) and not file.startswith(("/", PACKAGE_MARK)):
        file = f"{where}/{file}"
    file = _file(file, owner, root)
    line = found.line if file else 0
    return Placed(replace(found, category=category, file=file, line=line), owner)


def _near(found: DetectedError, lines: Sequence[str]) -> list[str]:
    """The lines that may name the place of an error: one above that announces it, those below."""
    above = lines[max(0, found.at - 1) : found.at]
    below = lines[found.at + 1 : max(found.until, found.at + 1) + places.REACH]
    return [*(line for line in above if line.endswith(":") or _PLACED.search(line)), *below]


_PLACED = patterns.Lazy(
    r"\S +# \S+:\d+$|^\W*(?i:error|failed)\b[^:]* line \d+ (?:of|in) (?:file )?\S+$"
)
"""A step of a scenario with the place that defines it; a line that says only where it failed."""


def _heading_file(found: DetectedError, lines: Sequence[str]) -> str:
    """The file that is named alone on the line above an indented error; "" for none."""
    above, own = lines[found.at - 1 : found.at + 1] if 0 < found.at < len(lines) else ("", "")
    return above.rstrip(":") if own[:1].isspace() and _FILE_ALONE.match(above) else ""


_FILE_ALONE = patterns.Lazy(r"^[\w@./-]+\.[A-Za-z]\w{0,5}:?$")
_ABSENT = patterns.Lazy(r"(?i)no such|not found|not exist|cannot find|can't (?:open|find)|\bno ")


def _owner(found: DetectedError, family: Family, active: Sequence[ShellCommand]) -> ShellCommand:
    """The part of the chain that printed it: a tool of this format, else one that may have run such
    a tool."""
    for command in sorted(active, key=lambda command: not command.purpose):
        fits = command.head in family.tools or command.tool in family.tools
        crashed = found.category == "runtime" and command.head in ("gcc", "g++", "clang", "make")
        if fits and not crashed:
            return command
    if (family.runtime and found.category != "test") or found.category == "runtime":
        programs = [c for c in active if not c.purpose]
        return (programs or list(active))[-1]
    checking = [c for c in active if c.purpose == found.category]
    return (checking or list(active))[-1]


def _file(file: str, owner: ShellCommand, root: str) -> str:
    """The path as hot state spells it; "" if it cannot be resolved."""
    if file.startswith(PACKAGE_MARK):
        file = _in_package(file.removeprefix(PACKAGE_MARK), owner, root)
    where = owner.folder if owner.folder.startswith("/") else f"{root}/{owner.folder}"
    return normalised_path(file, root=root, cwd=where)


def _in_package(file: str, owner: ShellCommand, root: str) -> str:
    """`example.org/shop/rates/rates_test.go` → `<root>/rates/rates_test.go`.

    The folder is the one package that the command named, else the part after the root's own name in
    the import path; failing both, only the file's name is known.
    """
    package, _, name = file.rpartition("/")
    named = [place for place in owner.places if not place.endswith("...")]
    if package.startswith("."):
        return f"{root}/{package.removeprefix('./')}/{name}" if package != "." else f"{root}/{name}"
    if len(named) == 1 and owner.tool in known_tools.PATH_TARGETS:
        return f"{root}/{named[0]}/{name}" if not named[0].startswith("/") else f"{named[0]}/{name}"
    if not owner.places:
        return name
    parts = package.split("/")
    base = root.rstrip("/").rsplit("/", 1)[-1]
    if base in parts:
        return "/".join([root, *parts[parts.index(base) + 1 :], name])
    return name
