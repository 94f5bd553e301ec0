"""The error of a tool without a parser of its own (HS-2).

At most one error: the line that `telling` finds to state the failure best, with the detail that the
tool gives below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from wm.domain.failures import telling
from wm.domain.failures.detected import LAST_WORD, DetectedError
from wm.domain.failures.formats.located import below_source
from wm.text import patterns


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    """The line that states the failure; a guess if it only reports that something failed."""
    advice = next((i for i, line in enumerate(lines) if i and _ADVICE.match(line)), len(lines))
    lines = lines[:advice]
    at, _score = telling.best(lines)
    sums = at >= 0 and telling.only_sums(lines[at].strip())
    if sums or (at >= 0 and not telling.objects(lines[at])):
        bare = ["" if telling.only_sums(t.strip()) else t for t in lines]
        ranked = sorted(telling.scores(bare), key=lambda pair: -pair[1])
        says = telling.objects if sums else telling.is_marked
        at = next((other for other, _score in ranked if says(lines[other])), at)
    if at >= 0:
        guessed = telling.only_sums(lines[at].strip()) or not telling.objects(lines[at])
        name = LAST_WORD if guessed else ""
        said = stated(lines, at)
        if at and _COMPARES.match(lines[at]) and telling.objects(lines[at - 1]):
            said = f"{lines[at - 1].strip()} {said}"
        yield DetectedError("", said, at=at, until=at + 1, name=name)


_COMPARES = patterns.Lazy(r"(?i)^\s*[-+]?\s*expected ?[:=]")
"""The values of an assertion, which the line above names."""


_ADVICE = patterns.Lazy(
    r"(?i)^\W*(?:recommendations?|suggestions?|next steps|how to fix(?: it| this)?)\W*$"
)
"""A heading, below which a tool says what to do, not what is wrong."""


def stated(lines: Sequence[str], at: int) -> str:
    """What a line says, with the detail below it."""
    text = _RULE.sub(" ", lines[at].strip()).strip()
    heading = len(text.split()) < 3 or _RULE.search(lines[at]) is not None
    heading = heading or text.endswith(":") or _ONLY_FILE.search(text) is not None
    quoted = below_source(lines, at) if heading or _ENDS_AT.search(text) else -1
    below = [lines[quoted].strip(" |│^~-")] if quoted >= 0 else _below(lines, at)
    if heading and not below:
        below = [t.strip() for t in lines[at + 1 : at + 6] if _WORD.search(t)]
        below = [t for t in below if not _WHERE.match(t)]
        below = below[: 2 if below and below[0].endswith(":") else 1]
    return " ".join([text, *below])


_ENDS_AT = patterns.Lazy(r"(?:\bline \d+(?:,? col\w* \d+)?|\w:\d+(?::\d+)?)$")
"""The place of source that is quoted below."""
_WHERE = patterns.Lazy(r"^(?:in \w+ \S+$|at \S+:\d)")
"""Says where, not what."""
_SHELL_SAYS = patterns.Lazy(telling.SHELL)

_DETAIL = patterns.Lazy(
    r"^(?:[│|] *)?(?:(?:[cC]aused? by|[cC]ause|[rR]eason|[dD]etails?|(?:[eE]rror )?[mM]essage):"
    r"|[╰├└]─+[>▶]?|×|->)"
)
_ARROW = patterns.Lazy(r"^[│| ]*[╰├└]─+[>▶]")
"""Before the cause of the line above."""
MAX_BELOW = 6
MAX_FIELDS = 3
_FIELD = patterns.Lazy(r"^[a-z]+: \S")


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
        if _WORD.search(text) is not None and not telling.advises(text):
            said.append(text)
    said = [text for text in said if not text.endswith(":") or _FIELD.match(text)]
    fields = list(takewhile(_FIELD.match, said))  # `expected: a`, `actual: b`
    said = [text for text in said if not telling.only_sums(text)] or said
    said = said[: 2 if _ARROW.match("".join(said[1:2])) else 1]
    return [text.lstrip("│|╰├└─>▶× ") for text in fields[:MAX_FIELDS] or said]


_ONLY_FILE = patterns.Lazy(
    r"^[\w ]+: [\"'`]?[\w./@-]+\.\w{1,6}[\"'`]?$"
    r"|^\w+ at line \d+(?:, column \d+)? (?:in|of) file \S+$"
)
"""`Error compiling: a.vy`: which file, not what is wrong with it."""
_RULE = patterns.Lazy(r"^-- | ?-{4,} ?|^[=─━]{3,} ?| ?[=─━]{3,}$")


_WORD = patterns.Lazy(r"\pL{2}")


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
