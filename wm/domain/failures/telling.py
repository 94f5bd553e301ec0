"""Which line of an output states the failure best, for tools of unknown format (HS-2).

Each line becomes a set of features: its shapes, those of the lines beside it, and its position
among the lines, in its paragraph and among the lines that say that something is wrong. A linear
model weighs them; its weights are data, which `python -m tests.bench fit_telling` makes from
recorded outputs. Pure and linear in the output (EX-6).
"""

# ruff: noqa: E501  One shape, one line.
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import NamedTuple

from wm.domain.failures import summaries
from wm.domain.failures.detected import TABLES, DetectedError
from wm.domain.failures.json_reports import ABROAD, MILD_ABROAD
from wm.text.linear_model import LinearModel, read_model
from wm.text.patterns import Lazy, PatternSet, encoded

_ABROAD, _MILD_ABROAD = "|".join(sorted(ABROAD)), "|".join(sorted(MILD_ABROAD))
SHELL = r"^(?:ba|z|da|k)?sh: (?:line \d+: |\d+: )?\S"
"""A complaint of a shell."""
_CRASH = r"\bAborted(?: \(|$)|\b(?:Segmentation fault|Bus error|Illegal instruction|core dumped|Killed|Out of memory|stack overflow)\b"
_SHAPES = {
    # What the line says
    "level": r"(?i)^\W*(?:(?:fatal|fata|error|erro|err|fail|failed|failure|panic|emerg)\b|(?:critical|severe|alert)(?: ?[^\w\s]|$| error\b))|^\W*(?:CRITICAL|SEVERE|ALERT)\b",
    "labelled": rf"(?i)\b(?:error|fatal|exception|panic)\b ?(?:\[[\w-]+\])?:|(?:{_ABROAD})[^\pL:：]?[:：]",
    "exception": r"^\W*(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Failure|Fault|NotFound|Denied|Exceeded|Refused|Conflict)\b",
    "names_exception": r"\b[A-Z]\w*(?:Error|Exception|Fault|Failure)\b",
    "mild": rf"(?i)^[^'\"]{{0,70}}(?:{_MILD_ABROAD}) ?[:：]|^(?:[\w./-]+: ?(?:\d+:? ?)*)?\W*(?:warn(?:ing)?|note|hint|info|notice|help|tip|debug|trace)\b|^\W*W:|^[^'\"]{{0,70}}\b(?-i:WARN(?:ING)?|NOTICE|INFO|DEBUG)\b",
    "absent": r"(?i)\b(?:not found|no such|does ?n[o']t exist|cannot find|absent|undefined|undeclared|unresolved|not (?:defined|declared)|unbound|no \w+ (?:named|called|found)|no matching|nonexistent)\b|(?i)(?:^|[^\w./'])missing\b",
    "cannot": r"(?i)\b(?:cannot|can't|could not|couldn't|unable|fail(?:s|ed)? to)\b",
    "invalid": r"(?i)\b(?:unknown|unrecogni[sz]ed|invalid|illegal|unsupported|not (?:a )?(?:valid|recognized|supported|allowed)|bad|malformed|wrong|incorrect|ambiguous)\b",
    "syntax": r"(?i)\b(?:syntax|pars(?:e|ing)|unexpected|unterminated|unclosed|unmatched|mismatch\w*|end of (?:input|file))\b",
    "expected": r"(?i)\bexpect(?:ed|ing|s)?\b",
    "must": r"(?i)\b(?:must|required?|needs?|should|only|at least|at most|already|duplicate\w*)\b",
    "refused": r"(?i)\b(?:refused|denied|forbidden|rejected|timed? ?out|unreachable|unavailable|exceeded|conflicts?)\b",
    "failed": r"(?i)\bfail(?:ed|ing|ures?|s)?\b",
    "errors": r"(?i)\berrors?\b",
    "against": r"(?i)\b(?:not?|won't|don't|doesn't|isn't|wasn't|didn't|insufficient|incompatible|exhausted|overflow|cycle|circular|unauthorized|unlisted|broken|corrupt(?:ed)?|expired|outdated|violat\w+)\b",
    "crash": rf"{_CRASH}|\b(?:panicked at|(?i:unhandled|uncaught) [\w.-]+)\b",
    "none": r"(?i)\b(?:0|no) (?:\w+ )?(?:errors?|failures?|failed|warnings?|problems?|issues?|bugs?|defects?|violations?|vulnerabilit(?:y|ies)|differences?|conflicts?)\b|\b(?:errors?|failures?|problems?|warnings?)(?: found)?[:=] ?\"?(?:0\b|(?:none|nil|null)\W*$)",
    "count": r"(?i)\b\d+ (?:\w+ ){0,2}(?:errors?|fail\w*|problems?|issues?|warnings?|passed|tests?|files?)\b",
    "works": r"(?i)\b(?:success\w*|succeeded|passed|done|ok|completed?|connected|loaded|finished|using|loading|starting|reading|initializ\w+|running)\b",
    "good": r"(?i)\b(?:success(?:ful(?:ly)?)?|succeeded|all good|passed|done|ok)\b",
    "status": r"(?i)\b(?:with|exit) (?:a )?(?:non-?zero )?(?:exit )?(?:code|status):? -?\d",
    "apology": r"(?i)^\W*(?:oops|sorry|something went wrong|uh oh|unfortunately)",
    "echo": r"^\s*[$>+] ",
    "cells": r"[│|].*[│|]",
    "usage": r"(?i)^\s*(?:usage|options?|commands?|examples?|arguments|synopsis)\b",
    "advises": r"(?i)^\W*(?:for (?:a )?more|see |to (?:see|list)|run |try |use |you can|you may|did you mean|read more|please |learn|recommend|suggest|next steps|how to fix)",
    # What it looks like
    "frame": r"^\s*(?:at |File \"|from |in |#\d+ |while |\d+: )|^\s+\S+:\d+: ?in ",
    "source": r"^\s*(?:\d+ ?[|:│]|[|>│])|^\s*[\^~-]+\s*$|[;{}]\s*$|^\s*(?:def|class|function|import|from|return|const|let|var) ",
    "caret": r"^\s*[\^~]+\s*$",
    "shell": r"^\w*sh: (?:line )?\d+: ",
    "colon_end": r":\s*$",
    "quoted": r"[\"'`‘“][^\"'`’”]+[\"'`’”]",
    "colon": r"^[^:\s][^:]*: \S",
    "colons": r"^[^:]+: [^:]+: \S",
    "place_first": r"^\W*[\w./-]*\w(?::| line |\()\d+",
    "line_number": r"(?i)\bline:? \d+|\b\d+:\d+\b",
    "path": r"(?:^|[\s\"'(])[\w.-]*/[\w./-]+|\b\w[\w-]*\.\w{1,5}\b",
    "url": r"https?://",
    "json": r"^\s*[{\[\"]",
    "mark": r"^\s*[✖✗✘×❌●!*>+•→-]",
    "bad_bracket": r"^\s*(?:\[(?:ERROR|error|FATAL|FAIL|FAILED|!|E\b[^\]]*)\]|✖|✘|✗|×|❌|!)\s",
    "lower": r"^\s*[a-z]",
    "number": r"\d",
}
_KINDS = (
    # States an error and which one
    r"^(?:[\w./@+-]+(?:\[\d+\])? ?: )?(?:fatal|(?:fatal )?error|Error|ERROR|FATAL|FAIL|FAILED|E"
    r"|err|Fatal|panic|\[ERROR\]|\[error\]|✖|✘|❌)(?: \[?[\w-]+\]?)?(?::| -)\s+\S|^(?:Error"
    r"|error)(?: [a-z][\w./-]*){1,4}:(?: \S|$)|^ESLint couldn't \S|^[a-z]{4,10} error: \S|"
    rf"^(?:[^:：]{{0,60}}[^A-Za-z:：])?(?i:{_ABROAD})(?:[^\pL:：][^:：]{{0,60}})?[:：] *\S",
    # Names an exception type
    r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Failure|Fault|NotFound|Denied|Exceeded|Refused|"
    r"Conflict)\b(?:: |:?$| in )|^[A-Z]\w+ [Ee]rror(?:: | in )\S|"
    r"^[=─━*#-]{2,} ?\[?\w+(?:Error|Exception)\b",
    # Compares what came with what was expected
    r"(?i)\bexpected\b.{1,200}\b(?:but (?:was|got|found)|actual|received|got)\b.{0,3}\S",
    # A complaint of the shell
    SHELL,
    # A complaint of a program
    r"^[\w./@+-]+: .*(?i:no such file or directory|permission denied|not found|cannot |can't |"
    r"is a directory|not a directory|file exists|no such process|operation not permitted|"
    r"connection refused|could not|invalid|unrecogni[sz]ed|missing|unknown|no space left|failed|"
    r"too many|denied|unable|does not exist|no rule|no module named)",
    # A crash
    rf"{_CRASH}|\bFloating point exception\b",
    # Marked as an error
    r"^(?:\[(?:ERROR|error|FATAL|ALERT|alert|EMERG|emerg|CRIT|crit)\]|\[FAIL(?:ED)?[\]:]|✘|✖|✗|✕|×|❌|!!?|\[!\])\s+\S",
    # Begins like a failure
    r"^(?i:failed to |failure: |failed: |could not |cannot |can't |couldn't |unable to |aborting|"
    r"(?:message|reason|problem|cause) ?: |build failed|invalid |unknown |no such |unexpected |"
    r"uncaught |unhandled |missing |oops)",
    # Logged as an error
    r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b",
    # Reports that a part failed
    r"^g?make(?:\[\d+\])?: \*\*\* \[",
)
"""Kinds of lines that state an error, the clearest first."""
_CLEAR = tuple(map(Lazy, _KINDS))
_ANY_CLEAR = Lazy("|".join(f"(?:{kind})" for kind in _KINDS))
SUMS = tuple(TABLES.table("sums"))
"""Lines that only report that another tool failed."""

_NAMES = {Lazy(pattern): name for name, pattern in _SHAPES.items()}
_SET = PatternSet(_NAMES)
_WRONG = frozenset(
    ("level", "labelled", "exception", "absent", "cannot", "invalid", "syntax", "refused", "failed")
) | {"expected", "must", "crash"}
"""Shapes of a line that says that something is wrong."""

_MILD = frozenset(("mild", "apology", "status"))
"""Shapes of a line that does not say what is wrong: a warning, a complaint, an exit status."""

_CALLED = frozenset(("level", "labelled", "bad_bracket"))
"""Shapes of a line that calls something an error: beside one, a warning that does not say what could
not be done is not what failed."""

_STATES_FAILURE = _CALLED | {"exception", "shell"}
"""Shapes of a line that states a failure wherever it is."""

_STATES_FAILURE_AT_END = _WRONG - {"expected", "must", "syntax"}
"""Shapes of a last line that states a failure."""

_FAULTY = frozenset(("exception", "invalid", "syntax", "expected"))
"""Shapes of a line that says that something has a fault."""

_FINE = frozenset(("good", "none"))
"""Shapes of a line that says that all is well; `not ok` does not."""

MAX_CHARS = 400
"""Characters of a line that are looked at."""
MAX_LINES = 60
"""Lines at the beginning, at the end, and among those that say that something is wrong first and
last, that may be chosen."""

_LETTERS = Lazy(r"\pL{2}")
_FILES = Lazy(r"\b[\w./-]+\.[a-z]{1,4}\b")
"""`errors.md` says nothing of an error."""
_ZERO = Lazy(r"^\W*\w[\w ]*(?:[:=] *|  )0(?: +0)*\W*$")
"""`Fatal errors: 0`"""


class OutputLine(NamedTuple):
    """A line of an output that may state the failure. at: its index. features: names."""

    at: int
    features: frozenset[str]


def best(lines: Sequence[str]) -> tuple[int, float]:
    """The index of the line that states the failure, and its score; (-1, 0) for no words."""
    return max(scores(lines), key=lambda pair: (pair[1], -pair[0]), default=(-1, 0.0))


def outweighs(lines: Sequence[str], found: Collection[DetectedError]) -> bool:
    """Whether another line states the failure far better than those of the errors found."""
    said = other = -math.inf
    for at, score in scores(lines):
        text = lines[at].strip()
        if any(at == e.at or text in e.message or e.message in text or _at(e, text) for e in found):
            said = max(said, score)
        elif not only_sums(text):
            other = max(other, score)
    mild = all(is_mild(error.message) for error in found)
    return said < other if mild else -math.inf < said < other - FAR


def _at(error: DetectedError, text: str) -> bool:
    """Does the line name the place of the error?"""
    return bool(error.file) and error.file in text and str(error.line) in text


FAR = 3.5
"""The difference of two scores from which on a finding with a place is not the failure. Of 198
outputs of tools that were left out of the fit, 187 are right with it and 180 without; a difference
of 1 makes 183 right."""


def scores(lines: Sequence[str]) -> Iterator[tuple[int, float]]:
    """The index of each line that may be chosen, with its score."""
    weigh = model().weigh
    return ((at, weigh(features, frozenset())) for at, features in featured(lines))


@cache
def model() -> LinearModel:
    """The fitted weights."""
    return read_model("wm.domain.failures", "telling.toml")


def featured(lines: Sequence[str]) -> Iterator[OutputLine]:
    """The lines that may be chosen, with their features, in order."""
    full = [i for i, line in enumerate(lines) if line.strip()]
    shapes = [shapes_of(lines[i]) for i in full]
    wrong = [k for k, own in enumerate(shapes) if says_wrong(own)]
    place = {k: number for number, k in enumerate(wrong)}
    indents = [len(lines[i]) - len(lines[i].lstrip()) for i in full]
    heads = [lines[i].split(None, 1)[0][:MAX_CHARS] for i in full]
    names = [_named(lines[i]) for i in full]
    head_count, name_count = Counter(heads), Counter(names)
    clearest = _clearest(lines, full)
    called = any(not own.isdisjoint(_CALLED) and _MILD.isdisjoint(own) for own in shapes)
    for k in _chosen_from(len(full), wrong):
        i = full[k]
        fine = shapes[k] & _FINE and not shapes[k] & (_WRONG | {"against"})
        fine = fine or _ZERO.search(lines[i])
        fine = fine or (called and "mild" in shapes[k] and "cannot" not in shapes[k])
        if fine or "echo" in shapes[k] or not _LETTERS.search(lines[i]):
            continue
        found = {*shapes[k], *_position(k, len(full), place, wrong)}
        found |= {"indented"} if indents[k] else set()
        found |= {"clearest"} if i == clearest else set()
        found |= {"head:again"} if head_count[heads[k]] > 1 else set()
        found |= {f"name:{'once' if name_count[names[k]] == 1 else 'again'}"} if names[k] else set()
        found.add(f"objections:{min(3, len(_WRONG & shapes[k]))}")
        for name, near in (("above", k - 1), ("below", k + 1)):
            if not 0 <= near < len(full):
                found.add(f"{name}:none")
                continue
            found |= {f"{name}:{shape}" for shape in shapes[near]}
            deeper = indents[near] - indents[k]
            found.add(f"{name}:{'deeper' if deeper > 0 else 'same' if not deeper else 'less'}")
            found |= {f"{name}:head"} if heads[near] == heads[k] else set()
            found |= {f"{name}:blank"} if abs(full[near] - i) > 1 else set()
        yield OutputLine(i, frozenset(found))


def says_failure(lines: Sequence[str], *, placed: bool, clear: bool) -> bool:
    """Whether a line calls something an error, or the last one says that something is wrong.

    placed: also if the line begins with a place in a file. clear: only if something has a fault,
    not if it is absent, there already, or not reached.
    """
    full = worded(lines)
    for at, line in enumerate(full):
        shapes = shapes_of(line)
        if at == len(full) - 1 and "json" not in shapes:
            said = shapes_of(_FILES.sub("", line))
            states = said & _STATES_FAILURE_AT_END or shapes >= {"syntax", "errors"}
        else:
            states = shapes & _STATES_FAILURE
        if not states or not says_wrong(shapes) or (not placed and "place_first" in shapes):
            continue
        if clear and ("absent" in shapes or shapes.isdisjoint(_FAULTY)):
            continue
        if shapes.isdisjoint(("good", "none", "cells", "source", "advises")) and not (
            _ZERO.search(line) or (only_sums(line.strip()) and not is_marked(line))
        ):
            return True
    return False


def worded(lines: Sequence[str]) -> list[str]:
    """The lines with words among the first and the last ones."""
    return list(filter(_LETTERS.search, ends(lines)))


def ends(lines: Sequence[str]) -> list[str]:
    """The first and the last lines: no more is read of a tool that prints no summary."""
    return [*lines[:MAX_LINES], *lines[MAX_LINES:][-MAX_LINES:]]


def crashed(lines: Sequence[str]) -> bool:
    """Whether the output ends with a crash, or with an error and the stack frames around it."""
    full = list(filter(str.strip, lines[-MAX_LINES:]))
    outer = [i for i, t in enumerate(full) if not _BESIDE.match(t)]
    if any("crash" in shapes_of(full[i]) for i in outer[-2:]):
        return True
    last = full[outer[-1]] if outer else ""
    error = not shapes_of(last).isdisjoint(_EXCEPTIONS) or _THROWN.match(last) is not None
    above = objects(last) or _STACK.match(last) is not None
    frames = full if error else full[outer[-1] + 1 :] if outer and above else ()
    return any("frame" in shapes_of(line) for line in frames)


_THROWN = Lazy(r"^Error: |^[a-z]\w*(?:\.\w+)*\.[A-Z]\w*: \S")
"""An exception with its module, whatever its name."""
_STACK = Lazy(r"(?i)^(?:back|stack) ?trace(?:back)?:$")


_EXCEPTIONS = frozenset(("exception", "names_exception"))
_BESIDE = Lazy(r"[\s\"\])}]|Node\.js|note: ")
"""Frames, and what is printed below an error."""


def cause(lines: Sequence[str]) -> str:
    """The last line that names an exception; "" for none."""
    said = (line.strip() for line in reversed(lines))
    return next((t for t in said if _CLEAR[1].search(t) or t.startswith("Error: ")), "")


def warnings(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The first lines that warn of something, with their indexes."""
    said = ((i, line.strip()) for i, line in enumerate(lines) if is_mild(line))
    warn = ((i, t) for i, t in said if "warning" in t.lower() and not only_sums(t))
    return list(islice(warn, MAX_WARNINGS))


MAX_WARNINGS = 5


def is_mild(line: str) -> bool:
    """Whether the line warns or informs."""
    return "mild" in shapes_of(line)


def objects(line: str) -> bool:
    """Whether the line says that something is wrong."""
    return says_wrong(shapes_of(line)) or is_marked(line)


def is_marked(line: str) -> bool:
    """Whether a sign of an error, not of a warning, is in front of the line."""
    shapes = shapes_of(line)
    return "bad_bracket" in shapes and _MILD.isdisjoint(shapes)


def says_wrong(shapes: frozenset[str]) -> bool:
    """Whether shapes are those of a line that says that something is wrong."""
    return not _WRONG.isdisjoint(shapes) and _MILD.isdisjoint(shapes)


def advises(line: str) -> bool:
    """Whether the line says what to do, or shows where."""
    return not shapes_of(line).isdisjoint(
        ("mild", "usage", "advises", "caret", "frame", "url", "place_first")
    )


def _clearest(lines: Sequence[str], full: Sequence[int]) -> int:
    """The first line of the clearest kind; -1 for none. One that ends in a colon is less clear."""
    best, at = 2 * len(_KINDS), -1
    for i in full:
        text = lines[i].strip()
        if len(text) < 4 or _ANY_CLEAR.search(text) is None:
            continue
        clearer = enumerate(_CLEAR[: (best + 1) // 2])
        kind = next((n for n, pattern in clearer if pattern.search(text)), len(_KINDS))
        rank = 2 * kind + text.endswith(":")
        if rank < best and not only_sums(text):
            best, at = rank, i
        if best == 0:
            break
    return at


def only_sums(text: str) -> bool:
    """Does the line only report that something failed, or how much?"""
    counts = summaries.says_failed(text) or summaries.is_failed_run(text)
    return (
        text.startswith(SUMS)
        or _FOUND.search(text) is not None
        or _COUNTS.search(text) is not None
        or _CELLS.search(text) is not None
        or (counts and not _CAUSE.search(_ASIDES.sub("", text)))
    )


_FOUND = Lazy(
    r"(?i)^[^:]*(?:error: )?[\w ]*\b(?:issues|problems|errors|violations|vulnerabilities) "
    r"(?:were |have been )?(?:found|detected)\W*$"
    r"|^[^'\"]*\bcommand (?:\w+ )*with (?:a )?(?:non-?zero )?exit (?:code|status) \d"
    r"|^\W*(?i:failures?|errors?|failed)\W*$|^(?-i:[A-Z]+(?: [A-Z]+)*):$"
    r"|^(?:[A-Z]\w+: )*[A-Z][\w ]+ (?:is|are) (?:invalid|not valid)\W*$"
    r"|^\W*failed (?:to (?:compile|build)|\pL+)\W*$|^(?-i:FAIL(?:ED)?) +\S+(?: > .*)?$"
)
_COUNTS = Lazy(
    r"^\W*Found [1-9]\d* \w+(?: \w+)?\W*$|^\d+ \pL+(?: \pL+)?(?:, \d+ \pL+(?: \pL+)?){2,}\.?$"
    r"|^(?:x |\W*)[1-9]\d* (?:invalid|failing|failed|broken|bad|wrong) \pL+\W*$"
    r"|^(?:\pL+[:=] *\d+\W*){2,}$"
)
_CELLS = Lazy(_SHAPES["cells"])
_ASIDES = Lazy(r"\([^()]*\)")
_CAUSE = Lazy(r"^[\w./ -]+: .*\w: \S|['\"`]")
"""A summary that also says why: `error: build failed: no such file`."""


def _named(line: str) -> str:
    """The word before the first colon, for example the name of a program; "" for none."""
    found = _NAME.match(line[:MAX_CHARS])
    return str(found.group(1)) if found else ""


_NAME = Lazy(r"^\W*([\w./-]+):")


def kinds(text: str) -> list[int]:
    """The kinds of a line that states an error, the clearest first."""
    return [kind for kind, pattern in enumerate(_CLEAR) if pattern.search(text)]


def shapes_of(line: str) -> frozenset[str]:
    """The names of the shapes of a line."""
    text = line[:MAX_CHARS].rstrip().replace("(s)", "s")
    shapes = frozenset(map(_NAMES.__getitem__, _SET.matching(encoded(text))))
    return shapes - {"mild"} if "level" in shapes else shapes


def _chosen_from(count: int, wrong: Sequence[int]) -> list[int]:
    """The lines of a long output at which a reader looks first."""
    if count <= 2 * MAX_LINES:
        return list(range(count))
    ends = (*range(MAX_LINES), *range(count - MAX_LINES, count))
    return sorted({*ends, *wrong[:MAX_LINES], *wrong[-MAX_LINES:]})


def _position(k: int, count: int, place: dict[int, int], wrong: Sequence[int]) -> Iterator[str]:
    yield f"first:{_size(k)}"
    yield f"last:{_size(count - 1 - k)}"
    if not wrong:
        yield "wrong:none"
    elif k in place:
        yield f"wrong:first:{_size(place[k])}"
        yield f"wrong:last:{_size(len(wrong) - 1 - place[k])}"
    else:
        yield "wrong:after" if k > wrong[-1] else "wrong:before" if k < wrong[0] else "wrong:amid"


def _size(number: int) -> str:
    """A number up to 3 as it is, greater ones in ranges."""
    ends = (4, 7, 13, 41)
    low = next((a for a, b in pairwise(ends) if a <= number < b), 41)
    return str(number) if number < 4 else f"{low}+"
