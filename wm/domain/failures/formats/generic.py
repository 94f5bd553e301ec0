"""The error of a tool without a parser of its own (HS-2).

At most one error: the line that states the failure best, or, if none does, the last line that says
something against what was asked, or the last telling line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wm.domain.failures import summaries
from wm.domain.failures.detected import LAST_WORD, TABLES, DetectedError
from wm.domain.failures.json_reports import ABROAD
from wm.text import patterns

_ABROAD = "|".join(sorted(ABROAD))
_SHELL = r"^(?:ba|z|da|k)?sh: (?:line \d+: |\d+: )?\S"

LEVELS = (
    # 1 states an error and which one
    r"^(?:[\w./@+-]+(?:\[\d+\])? ?: )?(?:fatal|(?:fatal )?error|Error|ERROR|"
    r"FATAL|FAIL|FAILED|E|err|Fatal|panic|"
    r"\[ERROR\]|\[error\]|✖|✘|❌)(?: \[?[\w-]+\]?)?(?::| -)\s+\S|"
    r"^(?:Error|error)(?: [a-z][\w./-]*){1,4}:(?: \S|$)|^ESLint couldn't \S|^[a-z]{4,10} error: \S|"
    rf"^(?:[^:：]{{0,60}}[^A-Za-z:：])?(?i:{_ABROAD})(?:[^\pL:：][^:：]{{0,60}})?[:：] *\S",
    # 2 names an exception type
    r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Failure|Fault|NotFound|Denied|Exceeded|Refused|"
    r"Conflict)\b(?:: |:?$| in )|^[A-Z]\w+ [Ee]rror(?:: | in )\S|"
    r"^[=─━*#-]{2,} ?\[?\w+(?:Error|Exception)\b",
    # 3 compares what came with what was expected
    r"(?i)\bexpected\b.{1,200}\b(?:but (?:was|got|found)|actual|received|got)\b.{0,3}\S",
    # 4 a complaint of the shell
    _SHELL,
    # 5 a complaint of a program
    r"^[\w./@+-]+: .*(?i:no such file or directory|permission denied|not found|cannot |can't |"
    r"is a directory|not a directory|file exists|no such process|operation not permitted|"
    r"connection refused|could not|invalid|unrecogni[sz]ed|missing|unknown|no space left|failed|"
    r"too many|denied|unable|does not exist|no rule|no module named)",
    # 6 a crash
    r"\bAborted(?: \(|$)|"
    r"\b(?:Segmentation fault|Bus error|Illegal instruction|Floating point exception|"
    r"core dumped|Killed|Out of memory|stack overflow)\b",
    # 7 marked as an error
    r"^(?:\[(?:ERROR|error|FATAL|ALERT|alert|EMERG|emerg|CRIT|crit)\]|\[FAIL(?:ED)?[\]:]|✘|✖|✗|✕|×|❌|!!?|\[!\])\s+\S",
    # 8 begins like a failure
    r"^(?i:failed to |failure: |failed: |could not |cannot |can't |couldn't |unable to |aborting|"
    r"(?:message|reason|problem|cause) ?: |build failed|invalid |unknown |no such |unexpected |"
    r"uncaught |unhandled |missing |oops)",
    # 9 logged as an error
    r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b",
    # 10 reports that a part failed
    r"^g?make(?:\[\d+\])?: \*\*\* \[",
)
"""Kinds of lines, the clearest first."""

MAX_LOOKED_AT = 200
"""Lines at the end of an output among which the last telling one is looked for."""

_LEVELS = tuple(patterns.Lazy(level) for level in LEVELS)
_ANY = patterns.Lazy("|".join(f"(?:{level})" for level in LEVELS))
_SHELL_SAYS = patterns.Lazy(_SHELL)
_SHELL_PID = patterns.Lazy(r"^((?:ba|z|da|k)?sh: line )\d+: +\d+ ")

SUMS = tuple(TABLES.table("sums"))
"""Lines that only report that another tool failed."""


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    """The first line of the clearest kind; a summary line only if there is nothing else."""
    advice = next((i for i, line in enumerate(lines) if i and _ADVICE.match(line)), len(lines))
    lines = lines[:advice]
    best: tuple[int, int] | None = None
    for i, line in enumerate(lines):
        text = line.strip()
        if len(text) < 4 or _ANY.search(text) is None:
            continue
        level = next(n for n, pattern in enumerate(_LEVELS) if pattern.search(text))
        rank = 2 * level + (2 * len(_LEVELS) if _only_sums(text) else text.endswith(":"))
        if best is None or rank < best[0]:
            best = (rank, i)
        if rank == 0:
            break
    i = best[1] if best is not None else -1
    details: list[str] = []
    guessed = best is None or best[0] >= 2 * len(_LEVELS)
    if guessed:
        other = _last_telling(lines, refusing=best is not None)
        other, details = _listed_under(lines, other)
        other = other if other >= 0 else _counted(lines, i)
        i = other if other >= 0 else i
    if i >= 0:
        text = _RULE.sub(" ", _SHELL_PID.sub(r"\1", lines[i].strip())).strip()
        heading = len(text.split()) < 3 or _RULE.search(lines[i]) is not None
        heading = heading or text.endswith(":") or _ONLY_FILE.search(text) is not None
        below = _below(lines, i)
        if heading and not below:
            below = [t.strip() for t in lines[i + 1 : i + 6] if _WORD.search(t)]
            below = [t for t in below if not t.endswith(":")] or below
        name = LAST_WORD if guessed else ""
        yield DetectedError(
            "", " ".join([text, *(details or below[:1])]), at=i, until=i + 1, name=name
        )


def _counted(lines: Sequence[str], summary: int) -> int:
    """The first of the numbered items that a summary counts; -1 if their number is another one."""
    items = [i for i, line in enumerate(lines[: max(0, summary)]) if _NUMBERED.match(line)]
    count = _COUNT.search(lines[summary]) if items else None
    return items[0] if count and int(count.group()) == len(items) else -1


_NUMBERED = patterns.Lazy(r"^\s*\d+[).] \S")
_COUNT = patterns.Lazy(r"\b\d{1,5}\b")


def _listed_under(lines: Sequence[str], at: int) -> tuple[int, list[str]]:
    """The line above an indented one that it explains, with all such lines; else the line itself.

    `detected invalid host for package: a`, and below it `expected: b`, `actual: c`.
    """
    top = at
    while top > 0 and lines[top][:1].isspace() and lines[top - 1].strip():
        top -= 1
    if at < 0 or top == at or lines[top][:1].isspace() or _AGAINST.search(lines[top]) is None:
        return at, []
    end = next((i for i in range(at, len(lines)) if not lines[i][:1].isspace()), len(lines))
    return top, [text.strip() for text in lines[top + 1 : min(end, top + 4)] if text.strip()]


_DETAIL = patterns.Lazy(
    r"^(?:[│|] *)?(?:(?:[cC]aused? by|[cC]ause|[rR]eason|[dD]etails?):|[╰├└]─+[>▶]?|×|->)"
)
MAX_BELOW = 6


def _below(lines: Sequence[str], at: int) -> list[str]:
    """The reasons that a tool gives under its error: indented, framed or after `caused by`."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    said: list[str] = []
    for line in lines[at + 1 : at + 1 + MAX_BELOW]:
        text = line.strip()
        if not text:
            continue
        deeper = len(line) - len(line.lstrip()) > indent
        if not deeper and _DETAIL.match(text) is None:
            break
        if _WORD.search(text) is not None and _ASIDE.search(text) is None:
            said.append(text.lstrip("│|╰├└─>▶× "))
    return [text for text in said if not text.endswith(":")][:1]


_ONLY_FILE = patterns.Lazy(r"^[\w ]+: [\"'`]?[\w./@-]+\.\w{1,6}[\"'`]?$")
"""`Error compiling: a.vy`: which file, not what is wrong with it."""
_RULE = patterns.Lazy(r"^-- | ?-{4,} ?|^[=─━]{3,} ?| ?[=─━]{3,}$")


def _only_sums(text: str) -> bool:
    """Does the line only report that something failed, or how much?"""
    return (
        text.startswith(SUMS)
        or _FOUND.search(text) is not None
        or _COUNTS.search(text) is not None
        or (summaries.says_failed(text) and not _CAUSE.search(_ASIDES.sub("", text)))
    )


_FOUND = patterns.Lazy(
    r"(?i)^[^:]*(?:error: )?[\w ]*\b(?:issues|problems|errors|violations|vulnerabilities) "
    r"(?:were |have been )?(?:found|detected)\W*$"
    r"|^[^'\"]*\bcommand (?:\w+ )*with (?:a )?(?:non-?zero )?exit (?:code|status) \d"
)
_COUNTS = patterns.Lazy(
    r"^\W*Found [1-9]\d* \w+(?: \w+)?\W*$|^\d+ \pL+(?: \pL+)?(?:, \d+ \pL+(?: \pL+)?){2,}\.?$"
)
_ASIDES = patterns.Lazy(r"\([^()]*\)")
_CAUSE = patterns.Lazy(r"^[\w./ -]+: .*\w: \S|['\"`]")
"""A summary that also says why: `error: build failed: no such file`."""


_ADVICE = patterns.Lazy(
    r"(?i)^\W*(?:recommendations?|suggestions?|next steps|how to fix(?: it| this)?)\W*$"
)
"""A heading, below which a tool says what to do, not what is wrong."""
_AGAINST = patterns.Lazy(
    r"(?i)\b(?:\w*(?:fail|error)(?:ed|ure)?|not?|cannot|can't|couldn't|won't|don't|doesn't|isn't|wasn't|didn't|unable|fail(?:s|ed|"
    r"ing|ure|ures)?|errors?|exceptions?|refused|denied|missing|invalid|conflicts?|unknown|illegal|"
    r"unexpected|expected|wrong|unsupported|required|must|exceeded|abort(?:ed|ing)?|duplicate[ds]?|"
    r"unrecogni[sz]ed|unavailable|insufficient|ambiguous|incompatible|incorrect|exhausted|overflow|"
    r"cycle|circular|mismatch(?:ed)?|timed? ?out|undefined|unresolved|already|rejected|forbidden|"
    r"unauthorized|unreachable|undeclared|unlisted|broken|corrupt(?:ed)?|expired|outdated|violat\w+|panic\w*|critical)\b"
)
_ASIDE = patterns.Lazy(
    r"(?i)^(?:hint|note|help|tip|info|warn(?:ing)?|debug|usage|examples?|options)\b[: ]|"
    r"^(?:for (?:a )?more|see |to (?:see|list)|run |try |use |you can|you may|"
    r"did you mean|read more|please |learn|done in|finished|time:|duration|"
    r"(?:real|user|sys)\s+\d|ran all|start at|in folder|more info|"
    r"process (?:exited|completed|finished)|exit(?:ed)? (?:code|status|with)|"
    r"command (?:failed|exited)|a complete log|npm (?:notice|warn))|^\W*exit|"
    r"^[\^~]|^(?:at|\$|>|\+) |"
    r"^\S+:\d+:in [`']|^https?://\S+$|^[a-z]+ v?\d[\d.]*$|^\(.*\)$|^\".*[^.]\"$|"
    r"^(?:while executing|invoked from)\b|^error in \S+ \(line \d+\)$"
)
_NO_FAULTS = (
    r"(?i)\b(?:(?:0|no) (?:\w+ )?(?:errors?|failures?|failed|warnings?|problems?|issues?)|"
    r"(?:errors?|failures?|problems?|warnings?)(?: found)?[:=] ?0)\b"
)
_COUNTS_NONE = patterns.Lazy(_NO_FAULTS)
_GOOD = patterns.Lazy(
    rf"{_NO_FAULTS}|\b(?:success(?:ful(?:ly)?)?|succeeded|all good|passed|done|ok)\b"
)
_CALL = patterns.Lazy(r"(?i)^(?:usage|hint|note|try |use )")
_BULLET = patterns.Lazy(r"^\s*[*•-] \S")
_WORD = patterns.Lazy(r"\pL{2}")


def _last_telling(lines: Sequence[str], *, refusing: bool) -> int:
    """The last line with a word of refusal, else the last line that is neither a hint nor says that
    all is well, one that is not indented first; -1 for none.

    refusing: only one with such a word, or a warning: a summary says that something failed.
    """
    last = plain = warned = summed = against = called = -1
    for i in range(len(lines) - 1, max(-1, len(lines) - MAX_LOOKED_AT - 1), -1):
        text = lines[i].strip()
        called = i if _CALL.search(text) else called
        if _WORD.search(text) is None or _ASIDE.search(text) or _is_good(text):
            warns = warned < 0 and text.lower().startswith("warn") and _AGAINST.search(text)
            warned = i if warns else warned
            continue
        if _only_sums(text):
            summed = i if summed < 0 else summed
            continue
        last = i if last < 0 else last
        plain = i if plain < 0 and not lines[i][:1].isspace() else plain
        if _AGAINST.search(text):
            if text.endswith(":") and _BULLET.match("\n".join(lines[i + 1 : i + 2])):
                return i  # What follows names the files or packages.
            against = i if against < 0 else against
    if against >= 0:
        return against
    if refusing:
        return warned
    return next((i for i in (warned, plain, last, summed, called) if i >= 0), -1)


def _is_good(text: str) -> bool:
    """Does the line say that all is well? `not ok` and `done: 1 mismatch` do not."""
    if _GOOD.search(text) is None:
        return False
    return _AGAINST.search(_COUNTS_NONE.sub("", text)) is None


def complaint(lines: Sequence[str], tool: str) -> Iterator[DetectedError]:
    """A tool's complaint about itself (`ls: cannot access …`), for tools that print other texts."""
    for i, line in enumerate(lines):
        text = line.strip()
        prefixes = (1 + (": line " in text)) if _SHELL_SAYS.match(text) else 0
        rest = text.split(": ", prefixes)[-1]
        if rest.startswith((f"{tool}: ", f"{tool} (")) or rest.startswith(OWN_WORDS):
            below = _MARKED_BELOW.search("".join(lines[i + 1 : i + 2]))
            said = f"{text} {below.group(1)}" if below else text  # awk points at its source.
            yield DetectedError("", said, at=i, until=i + 1)
            return


_MARKED_BELOW = patterns.Lazy(r": +\^ (\S.*)$")
OWN_WORDS = ("gzip: ", "bzip2: ", "xz: ", "zstd: ", "parse error")
"""Programs that other tools run to unpack, and a complaint without a name."""
