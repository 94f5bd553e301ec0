"""Find the lines that must be seen: errors, failures and their context (PR-2).

Each shape of line is tested once, so a log of ten megabytes costs little more than reading it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from wm.domain.pruning.lines import MOST_ASKED, OutputLines
from wm.text.patterns import Lazy
from wm.text.tables import Tables

_TABLES = Tables("wm.domain.pruning")
_YES = Lazy(
    r"\b(?:ERROR|FATAL|CRITICAL|PANIC|SEVERE|EMERG|FAIL|FAILED|FAILURE|FAILURES)\b"
    r"|(?i:\berrors?\b\s*(?:[:(=]|\[|\d|TS\d|\w+\d+:|-->|in\b|at\b))"
    r"|^\W*(?:\S+:\s*)?(?i:errors?|fatal|panic|critical)\b"
    r"|(?i:\b(?:level|lvl|severity)\W{1,4}(?:error|fatal|critical|panic)\b)"
    r"|\b[A-Za-z_$][\w.$]*(?:Error|Exception|Fault|Panic)\b\s*(?::|\(|$)"
    r"|(?i:\bfail(?:ed|ure|ures|s|ing)\b)"
    r"|\bnot ok \d|[✕✖✗✘❌⨯●]|^\s*×"
    r"|\bassert(?:ion)? (?:failed|error)|^E {2,}|^>?\s*assert\b"
    rf"|(?i:{_TABLES.joined('failing')})"
)
_HASH = "|".join(rf"\d{{{n}}}[a-f][\da-f]{{{6 - n},{9 - n}}}" for n in range(7))
"""With a letter: a line may begin with a date or a number."""
_NO = Lazy(
    r"(?i)\b(?:0|no|zero|without(?: any)?)\s+(?:\w+\s+)?"
    r"(?:errors?|failures?|failed|failing)(?:[^\w=]|$)"
    r"|(?i)\b(?:\w*errors?|failed|failures?|fail)\b\"?\s*[=:]\s*(?:0\b|none\b|null\b|false\b|\[\]|\"\")"
    r"|(?i)\b(?:on|if|no|ignore|show|skip|exit|with)[-_]errors?\b|(?i)--?[\w-]*(?:error|fail)[\w-]*"
    r"|(?i)[\w./-]*(?:error|fail|exception|panic|assert)[\w-]*\.(?:[a-z]{1,5})\b(?:$|[\s,;)\]'\"])"
    rf"|^[*|\\/ ]*(?:{_HASH}) .*"  # a commit and its subject
)

_STATUS_PLACE = (
    r"(?:\" |\bHTTP/\d(?:\.\d)?\"? |\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+ (?:HTTP/\S+ )?"
    r"|(?i:\b(?:http_?)?(?:status|code|status_?code)\"?\s*[=:]\s*\"?)|(?:→|->|=>) ?"
    r"|\b(?i:completed|returned|responded|response|status) )"
)
_STATUS = Lazy(rf"{_STATUS_PLACE}[1-5]\d\d\b|^[1-5]\d\d:?(?: +[A-Z/h]|$)")
_BAD_STATUS = Lazy(rf"{_STATUS_PLACE}[45]\d\d\b|^[45]\d\d:?(?: +[A-Z/h]|$)")
"""An HTTP status: all lines of an access log have one shape, and only this number tells."""

_LEVEL = Lazy(r"\"(?:level|severity|severity_?number|priority)\"\s*:\s*\"?\d\d\b")
_BAD_LEVEL = Lazy(r"\"(?:level|severity|severity_?number|priority)\"\s*:\s*\"?[5-9]\d\b")
"""A level as a number, as pino, bunyan and Python's logging write it."""

_NUMBERS = ((_STATUS, _BAD_STATUS), (_LEVEL, _BAD_LEVEL))
"""Pairs: what has a telling number, and when the number is bad."""

_LETTER = Lazy(
    r"^[EFC]\d{4} \d\d:\d\d|^[EF], \[|^\[?[EFC]\]?[ /]\S|^(?:fail|crit|alert|emerg)(?::|\[| )"
    r"|\[(?:error|err|crit|alert|emerg|fail|fatal)\b|<[0-3]>"
    r"|\b(?:level|lvl|severity)\W{1,4}(?:err|crit|alert|emerg)\b"
)
"""A level as a letter or a short word at its place, as glog, Rails and .NET write it."""

WARNING = Lazy(r"(?i)\bwarn(?:ing|ings)?\b|\bWARN\b")

SUMMARY = Lazy(
    r"(?i)\b\d+ (?:passed|failed|failures?|errors?|warnings?|skipped|pending|tests?|examples?"
    r"|problems?|vulnerabilit(?:y|ies))\b.*(?:,| in \d|$)"
    r"|^\(\d+ rows?\)$|\b\d+ (?:directories|directory), \d+ files?\b"
    r"|(?i)^\W*(?:tests?(?: run| suites)?|test result|summary|total|snapshots):\s"
    r"|(?i)\bbuild (?:success|succeeded|successful|failed|failure)\b|(?i)^finished\b"
    r"|(?i)^(?:successfully (?:installed|built|tagged)|(?:added|removed|changed) \d+|up to date)"
    r"|\bpackets transmitted\b|(?i)^\W*done in \d|(?i)^found \d+ "
    r"|(?i)^exit(?:ed)?(?: with)?(?: code| status)? \d"
)
"""A tool's summary, at the end of its output or, with several tasks, in the middle."""

_FRAME_STARTS = tuple(_TABLES.table("frame_starts"))

MOST_ATTACHED = 8
"""Most context lines after an error; half as many before it."""
MOST_ABOVE = 3
_WORD = Lazy(r"[^\W\d_]{2}")


def errors(lines: OutputLines) -> list[int]:
    """Indexes of all lines that look like errors, in order."""
    if lines.errors is None:
        lines.errors = _errors(lines)
    return lines.errors


def _errors(lines: OutputLines) -> list[int]:
    plain, shapes = lines.plain, lines.shapes
    telling: set[bytes] = set()
    unless: dict[bytes, str] = {}
    for index in sampled(lines):
        if _is_error(plain[index]):
            telling.add(shapes[index])
        elif (excuse := _excuse(plain[index])) != "":
            unless[shapes[index]] = excuse
    firsts = list(lines.first_of_shape.values())[:MOST_ASKED]
    telling |= {shapes[i] for i in firsts if _LETTER.search(plain[i][:200]) is not None}
    refused = refused_or_worse(lines)
    if not telling and not unless:
        return refused
    # `errors=0` and `errors=7` have one shape, so each such line is tested by itself.
    found = [
        index
        for index, shape in enumerate(shapes)
        if shape in telling
        or (shape in unless and unless[shape] not in plain[index] and _is_error(plain[index]))
    ]
    found += [near for i in found for near in (*_element_around(plain, i), *_keys_around(plain, i))]
    return sorted({*found, *refused})


def _element_around(plain: Sequence[str], index: int) -> Iterator[int]:
    """The line above that opens the XML element of a failure: it names the test or the file."""
    line, above = plain[index].lstrip(), plain[index - 1] if index else ""
    opens = above.lstrip().startswith("<") and not above.lstrip().startswith("</")
    if line.startswith("<") and opens and _indent(above) < _indent(plain[index]):
        yield index - 1


def _keys_around(plain: Sequence[str], index: int) -> Iterator[int]:
    """The lines of the JSON objects around a failure that name it: rule, message, file, place."""
    if not plain[index].lstrip().startswith('"'):
        return
    for step in (-1, 1):
        least = _indent(plain[index])
        for at in range(index + step, index + step * (MOST_KEYS + 1), step):
            if not 0 <= at < len(plain) or not plain[at].strip():
                break
            inner = _indent(plain[at])
            if inner > least:
                continue  # Inside another object.
            least = inner
            if _NAMING.match(plain[at]) is not None:
                yield at


MOST_KEYS = 12
"""Lines before and after a failure."""
_NAMING = Lazy(r"^\s*\"\w*?(?:id|name|code|rule|title|file|path|line|message)\"\s*:\s*[\"\d]")


def refused_or_worse(lines: OutputLines) -> list[int]:
    """Indexes of lines with an HTTP status of 400 or more, or the number of an error's level.

    Shapes have no digits, so each line of a shape that has such a number is tested by itself.
    """
    plain, shapes = lines.plain, lines.shapes
    firsts = list(lines.first_of_shape.items())[:MOST_ASKED]
    found: set[int] = set()
    for has, bad in _NUMBERS:
        having = {shape for shape, i in firsts if has.search(plain[i][:2000]) is not None}
        found.update(
            index
            for index, shape in enumerate(shapes)
            if having and shape in having and bad.search(plain[index][:2000]) is not None
        )
    return sorted(found)


def warnings(lines: OutputLines) -> list[int]:
    """Indexes of warnings, if they are rare enough to stand out."""
    found = lines.like(WARNING, 400)
    return found if len(found) <= max(3, len(lines) // 20) else []


def _excuse(line: str) -> str:
    """The words with a number that keep a line from counting as an error."""
    found = _NO.search(line[:2000])
    said = found.group() if found is not None else ""
    return said if any(char.isdigit() for char in said) else ""


def sampled(lines: OutputLines) -> list[int]:
    """The first line of each shape; of very many shapes, those at both ends."""
    firsts = list(lines.first_of_shape.values())
    half = MOST_ASKED // 2
    return firsts if len(firsts) <= MOST_ASKED else [*firsts[:half], *firsts[-half:]]


def _is_error(line: str) -> bool:
    shown = line[:2000]
    if _YES.search(shown) is None:
        return False
    # "0 errors", `errors=0`, --no-error, error.ts: the word without a failure.
    return _NO.search(shown) is None or _YES.search(_NO.sub("", shown)) is not None


def attached(lines: OutputLines, found: Iterable[int]) -> list[int]:
    """Context lines of errors: frames, carets, quoted code. Nearest first."""
    by_distance: list[list[int]] = [[] for _ in range(MOST_ATTACHED)]
    marked = sorted(found)
    plain = lines.plain
    for index, following in pairwise([*marked, len(plain)]):
        for step in range(1, MOST_ATTACHED + 1):
            at = index + step
            if at >= following or not _belongs(plain[at], plain[index]):
                break
            by_distance[step - 1].append(at)
    before = -1
    for index in marked:
        for step in range(1, MOST_ATTACHED // 2 + 1):
            at = index - step
            if at <= before or not _is_frame(plain[at]):
                break
            by_distance[step - 1].append(at)
        before = index
    return list(dict.fromkeys(at for row in by_distance for at in row))


def above(lines: OutputLines, found: Collection[int]) -> Iterator[int]:
    """The last text above each line: it names the step or the file that failed."""
    for index in found:
        for at in range(index - 1, max(-1, index - 1 - MOST_ABOVE), -1):
            if at in found:
                break
            if _WORD.search(lines.plain[at]) is not None:
                yield at
                break


def _belongs(line: str, error: str) -> bool:
    body = _body(line)
    if not body.strip():
        return False
    return _is_frame(line) or _indent(body) > _indent(_body(error)) or body.lstrip()[:1] in ">|│"


def _is_frame(line: str) -> bool:
    body = _body(line)
    stripped = body.lstrip()
    if body[:1].isspace() and stripped:
        return stripped.startswith(_FRAME_STARTS) or "^" in stripped or _numbered(stripped)
    return stripped.startswith(("Caused by", "During handling", "The above exception"))


def _numbered(stripped: str) -> bool:
    """Is it a quoted source line: `12 | code`, `> 12 | code`?"""
    head, bar, _rest = stripped.lstrip("> ").partition("|")
    return bool(bar) and head.strip().isdigit()


def _body(line: str) -> str:
    """The line without the service name that `docker compose logs` prefixes."""
    head, bar, rest = line.partition(" | ")
    name = head.rstrip()
    if bar and name and " " not in name and not name.isdigit():
        return rest
    return line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def summaries(lines: OutputLines) -> list[int]:
    """Lines in which a tool summarises, in order."""
    return lines.like(SUMMARY, 400) if len(lines.first_of_shape) <= MOST_ASKED else []


_SEPARATORS = str.maketrans(dict.fromkeys("\"',;{}[]()=", " "))
SAME_ENDS = 10
"""Lines at each end that are not compared: titles and totals."""
_NUMBER = Lazy(r"^[-+.]?\d")
FEWEST_ALIKE = 20
MOST_VALUES = 8
"""Most different values of a column that says a state."""


def outliers(lines: OutputLines) -> list[list[int]]:
    """Three lists of lines: those without any of the words that the others repeat; those without a
    word that nearly all have, with a rare value in a column of few values, or without a number in a
    column of numbers (one `CrashLoopBackOff` among a hundred `Running`, one `nan`); those with a
    rare number of words. A list that is not short is empty; [] if too few lines are compared."""
    span = range(SAME_ENDS, len(lines) - SAME_ENDS)
    if len(span) > MOST_ASKED:
        span = range(len(lines) - MOST_ASKED, len(lines) - SAME_ENDS)
    rows = {i: lines.plain[i][:400].translate(_SEPARATORS).split() for i in span}
    rows = {i: row for i, row in rows.items() if row}
    if len(rows) < FEWEST_ALIKE:
        return []
    rare = max(2, len(rows) // 50)
    counts = Counter(word for row in rows.values() for word in set(row))
    usual = {word for word, count in counts.items() if len(rows) - rare <= count < len(rows)}
    out = {i for i, row in rows.items() if not usual.issubset(row)} if usual else set()
    forms: dict[tuple[int, str], list[int]] = {}
    for i, row in rows.items():
        # Rows that begin with `name:`, as in YAML, have columns of their own.
        name = row[0] if row[0].endswith(":") else ""
        forms.setdefault((len(row), name), []).append(i)
    for (width, _name), alike in forms.items():
        if len(alike) < FEWEST_ALIKE:
            continue
        for column in range(width):
            cells = {i: rows[i][column] for i in alike}
            if len(set(cells.values())) > MOST_VALUES:
                cells = {i: "0" if _NUMBER.match(cell) else "" for i, cell in cells.items()}
            values = Counter(cells.values())
            if 1 < len(values) <= MOST_VALUES:
                out |= {i for i in alike if values[cells[i]] <= rare}
    novel = [at for at in _novel(lines, rare) if at in rows]
    odd = sorted(i for alike in forms.values() if len(alike) <= rare for i in alike)
    return [kind if len(kind) <= 3 * rare else [] for kind in (novel, sorted(out), odd)]


def _novel(lines: OutputLines, rare: int) -> list[int]:
    """Lines of which no word is in more than a few other lines."""
    words = {shape: [w for w in shape.split() if w.lower() != w.upper()] for shape in lines.counts}
    counts: Counter[bytes] = Counter()
    for shape, own in words.items():
        for word in set(own):
            counts[word] += lines.counts[shape]
    return lines.of_shapes(
        {shape for shape, own in words.items() if own and all(counts[w] <= rare for w in own)}
    )
