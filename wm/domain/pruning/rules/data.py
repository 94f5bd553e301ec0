"""JSON, lockfiles, tables of figures: data to look things up in, not to read through (PR-2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wm.domain.pruning import documents, rule, telling_lines
from wm.domain.pruning.lines import MOST_ASKED, OutputLines
from wm.domain.pruning.rule import Folds, OutputRule, nothing_more
from wm.domain.pruning.selection import KeptLines
from wm.domain.pruning.tool_call import PrunableCall
from wm.text.patterns import Lazy

_BAD = Lazy(
    r"(?i)\"(?:errors?|exception|failure|fatal|stack|stack_?trace|traceback)\"\s*:\s*"
    r"(?:\"[^\"]|\[\s*[^\]\s]|\[$|\{\s*[^}\s]|\{$|true|[1-9])"
    r"|(?i)\"(?:level|severity|type|kind|status|state|phase|health|result|outcome|conclusion|action)\"\s*:\s*"
    r"\"(?:error|fatal|critical|failed|failure|fail|panic|unhealthy|crashed|timed_?out|degraded)\""
    r"|(?i)\"(?:ok|healthy|passed|success|succeeded|valid|ready|available)\"\s*:\s*false\b"
    r"|(?i)\"\w*(?:killed|failed|errored|timed_?out|degraded|unhealthy)\"\s*:\s*true\b"
    r"|(?i)\"(?:exit_?code|exit_?status|return_?code)\"\s*:\s*\"?[1-9]"
    r"|(?i)\"severity\"\s*:\s*2\b|(?i)\"status_?(?:code)?\"\s*:\s*[45]\d\d\b"
)
_RULE = Lazy(
    r"(?i)^\s*\"(?:rule_?(?:id|name)|check_?(?:id|name)|cop_?name|test_?id|vulnerability_?id|violation)\""
    r"\s*:\s*\"[^\"]"
)
"""The rule that a finding breaks: without a severity it makes its object a finding."""
_SAYS = Lazy(
    r"(?i)^\s*\"(?:\w*_?(?:message|text)|msg|summary|title|description|reason|detail|details|rule|rule_?id"
    r"|code|check_?id|name|full_?name|check_?name|cop_?name|rule_?name|test_?id|vulnerability_?id|severity|file|path|file_?path|file_?name|line|row|uri)\"\s*:"
)
"""Members that say what a finding is about."""
_MESSAGE_KEY = Lazy(
    r"(?i)^\s*\"(?:\w*_?(?:message|text)|msg|title|description|severity|level)\"\s*:"
)
_TOP_KEY = Lazy(r"^(?: {1,2}|\t)\"[^\"]{1,80}\":|^[}\]]")
_PARTS = Lazy(
    r"^\s*(?:[\"\[{}\]\d-]|true|false|null).*(?:[,\[{}\]\"\d]|true|false|null)$|^\s*[\[{}\]],?$"
)

MOST_BAD = 4_000
"""Lines that report a failure, of those in one output."""
SIBLINGS = 12
"""Lines on each side of a failing member in which its object's other members are looked for."""


def json_kept(lines: OutputLines) -> KeptLines:
    """Keep members that mention a failure, with what their object says; then the outermost keys."""
    bad = lines.like(_BAD, 4000)
    found = {*bad, *_rare_values(lines), *telling_lines.refused_or_worse(lines)}
    failing = sorted(found)[:MOST_BAD]
    rules = lines.like(_RULE, 200)
    said = {at for index in failing for at in _siblings(lines, index)}
    said.update(at for index in rules for at in _siblings(lines, index, briefly=True))
    must = sorted({*failing, *said, *rules})[:MOST_BAD]
    more = [*lines.like(_MESSAGE_KEY, 200), *lines.like(_TOP_KEY, 200, 4000)]
    return KeptLines(must=must, more=more[:MOST_BAD])


def _siblings(lines: OutputLines, index: int, *, briefly: bool = False) -> Iterator[int]:
    """The members beside a failing one that say what it is about: as deep, in the same object, and
    those of the object around it that precede it. briefly: only its message and severity."""
    plain = lines.plain
    indent = len(plain[index]) - len(plain[index].lstrip())
    inner = indent
    for step in (-1, 1):
        at, indent, outer = index + step, inner, False
        while 0 <= at < len(plain) and abs(at - index) <= SIBLINGS:
            depth = len(plain[at]) - len(plain[at].lstrip())
            if depth < indent:
                if step > 0 or depth == 0 or outer:
                    break
                outer, indent = True, depth
            text = plain[at].strip()
            listed = depth > indent and text[:1] == '"' and ": " not in text
            same = depth == indent and _is_text(text) and not outer
            if outer and depth != indent:
                at += step
                continue
            if briefly:
                telling = depth >= indent and _MESSAGE_KEY.search(text[:200]) is not None
            else:
                telling = listed or same or _SAYS.search(text[:200]) is not None
            if telling:
                yield at
            at += step


def _is_text(member: str) -> bool:
    return member[:1] == '"' and '": "' in member and not member.rstrip(",").endswith('""')


def _rare_values(lines: OutputLines) -> list[int]:
    """Members whose key has few values in the whole document, and this one seldom."""
    of_key: dict[str, list[int]] = {}
    for index, line in enumerate(lines.plain[:MOST_ASKED]):
        key, colon, value = line.partition('": ')
        if colon and value[:1] not in "{[":
            of_key.setdefault(key, []).append(index)
    found = []
    for members in of_key.values():
        values = Counter(lines.plain[index].rstrip(",") for index in members)
        rare = max(1, len(members) // 50)
        few = 1 < len(values) <= telling_lines.MOST_VALUES
        if few and len(members) >= telling_lines.FEWEST_ALIKE:
            found += [i for i in members if values[lines.plain[i].rstrip(",")] <= rare]
    return found


def looks_like_json(lines: OutputLines) -> bool:
    first = next((line.lstrip() for line in lines.plain if line.strip()), "")
    opens = first[:1] in ("{", "[") and not first.startswith(("[INFO", "[ERROR", "[WARN"))
    parts = lines.share(lambda line: _PARTS.search(line) is not None)
    # Behind `| tail`, or below lines of a log, the text does not begin with a bracket.
    inner = parts > 0.9 and lines.share(lambda line: line.lstrip()[:1] == '"') > 0.5
    return inner or (opens and parts > 0.85)


_LOCKED = tuple(rule.TABLES.table("locked"))


def looks_locked(lines: OutputLines) -> bool:
    near = "\n".join(lines.plain[:40])
    return (
        near.startswith(_LOCKED)
        or '"lockfileVersion":' in near
        or "yarn lockfile v1" in near
        or (near.count("[[package]]") > 1 and 'name = "' in near)
        or lines.share(lambda line: " h1:" in line and line.endswith("=")) > 0.8
    )


def reads_lockfile(call: PrunableCall) -> bool:
    """Does the command name a lockfile?"""
    return any(documents.is_lockfile(word) for part in call.parts for word in part.plain)


LOCKFILES = OutputRule(
    "lockfile",
    "lines of the lockfile",
    looks=looks_locked,
    reduce=nothing_more,
    folds=Folds.NONE,
    states=False,
)
JSON = OutputRule(
    "json", "lines of JSON", looks=looks_like_json, reduce=json_kept, folds=Folds.NONE
)
_ROW = Lazy(r"^\s*[-+|]*[-+|=\s]{6,}$|\s\|\s|^\|")
_COUNT = Lazy(r"^\(?\d+ rows?(?: in set)?|^\d+ rows?|^Query |^ERROR")


def looks_tabular(lines: OutputLines) -> bool:
    return lines.share(lambda line: _ROW.search(line[:400]) is not None) > 0.8


def table_kept(lines: OutputLines) -> KeptLines:
    """The head of a table is its beginning; the row count stays."""
    errors = telling_lines.errors(lines)
    return KeptLines(
        must=[*range(min(2, len(lines))), *(i for i, t in enumerate(lines.plain) if _counts(t))],
        more=[*errors, *telling_lines.attached(lines, errors)],
    )


def _counts(line: str) -> bool:
    return line[:1] in "(0123456789QE" and _COUNT.search(line[:80]) is not None


TABLES = OutputRule("table", "rows", looks=looks_tabular, reduce=table_kept, folds=Folds.NONE)
