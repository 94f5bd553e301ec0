"""Findings of any checker: a place in a file, and what is wrong there (HS-2).

Checkers print a finding in a few shapes: place and message on one line, the place under or above
its message, rows below the name of their file, annotations of a CI service, XML. No tool has a row
here; the words of severity are in `words.toml`.
"""

# ruff: noqa: E501  One expression, one line.
from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from wm.domain.failures.detected import (
    LAST_WORD,
    DetectedError,
    RatedError,
    is_foreign,
    is_host,
    line_no,
)
from wm.domain.failures.json_reports import BAD, MILD
from wm.text import patterns

_FILE = (
    r"(?:file://)?(?:[A-Za-z]:[\\/])?(?:[^\s:()\[\]{}\"'`<>,;=|*]*[^\s:()\[\]{}\"'`<>,;=|*.]"
    r"\.[A-Za-z][\w+-]{0,11}|(?:\S*/)?(?:Dockerfile|Makefile|Containerfile|Jenkinsfile|Gemfile|"
    r"Rakefile|Justfile|SConstruct|Snakefile|Vagrantfile|\.[a-z]\w{2,12}))"
)
_AT = (
    r"(?:(?::[A-Za-z_][\w.]*)?[:@](\d+)(?::\d+){0,3}(?:-\d+(?::\d+)?)?|(?:: )?\((\d+)(?:[,:]\s?\d+)?(?:-\d+)?\)|:?\[(\d+)[,:]\s?\d+\]|[\"'],(\d+) |"
    r"[\"'`]?(?:[,:]? |:)(?:on )?(?:line|lines|Line|Ln|Zeile|ligne) (\d+)(?:-\d+)?(?:,? (?:char\w*|[Cc]ol|[Pp]os)\.? \d+(?:-\d+)?)?|:? (?:at )?\(?(\d+):\d+(?:-\d+(?::\d+)?)?\)?)"
)
_LABEL = r"(?:([\pL!]+(?: [a-z]+)?(?:\[[\w-]+\])?)(?: in)?: *|(?:Failure|Error|Warning) \(|(?:ERROR|WARNING) in )?"
_ARROW = (
    r"(?:(?:-+>|=>|→|›|❯|@|╭─\[?|┌─\[?|,-\[|::):? *|"
    r"(?:at|in|In|on|file|File|FILE|Location)(?:: *| +|$))"
)
_LEADING = patterns.Lazy(
    rf"^[\s│|#─└├╰]*(?:\d+[.)] +)?[✖✗✘×⨯✕●*>!-]{{0,2}} *(?:\[[\w!]+\] |\[[A-Z]+:|[\w.+-]+: |\(\w+Error\) )?{_LABEL}(?:(?:\pL+ [-=]>)? *{_ARROW})?[\"'`(\[]{{0,2}}({_FILE}){_AT}[\"'`)\].,:]*(.*)$"
)
_TRAILING = patterns.Lazy(
    rf"^\s*(\S.*?\S)(?:,? (?:at|in|on|from|@|→|->)| \(| \[| •| -|:) ?[\"'`(]?({_FILE}){_AT}"
    r"[\"'`)\].,:]*(?: (?:at|near|in) .{0,80}| [•-] (.{0,300})|\s*)$"
)
_NAMED = patterns.Lazy(
    rf"^[\s#=\[>✖✗✘×]*(?:FILE: |File: |File |Line +)?[\"'`]?({_FILE})[\"'`]?[\]:=\s]*(?:FAIL(?:ED)?)?$"
)
_ROW = patterns.Lazy(
    r"^(?:\s+[✖✗✘×⨯!│|]* *(?:[A-Z]+\d+ +)?(?:(?:line|Line|L)[: ]*|#)?(\d+)(?:[:,]\d+)?"
    r"|\s*(?:[A-Z]+\d+ +)?(?:L:? *(\d+)|[Ll]ine:? (\d+)|(\d+)[:,]\d+))(?:,? ?(?:col|column)\.? ?\d+)?"
    r"(?:-\d+(?::\d+)?)?(?:\s*[:|]\s*|\s+)(?:P: +\d+ \| )?(\S.*)$"
)
_ENDED_ROW = patterns.Lazy(r"^\s*([^\s\d(].*\pL) \((\d+):\d+\)$")
"""`Unexpected token (2:1)`: a finding whose file is named above, as parsers of JavaScript say it."""
_CODED_ROW = patterns.Lazy(r"^(?:Line +)?(\d+): ((?:[A-Z]{1,3}\d{1,4}|[EWFC]) \w.*)$")
"""`8: T1 Title exceeds max length`: a finding in the only file that was checked."""
_BARE = patterns.Lazy(r"^(-|[A-Za-z<{][^\s:=]{0,80}):([1-9]\d*):\d+: +(\S.*\pL{2}.*)$")
"""A place with a column in a file whose name has no ending."""
_STDIN = patterns.Lazy(r"^\W*(?:stdin|standard[ _]input)?\W*$")
_COUNT = patterns.Lazy(
    r"(?i)^(?:errors?|warnings?|problems?|(?:tests? )?(?:failed|passed)|files?)\b(?:,| ?\(| and| found| in | poten|$)|^[a-z]+s [a-z]+ed\W*$"
)
_SUM = patterns.Lazy(r"^\d+ (?:errors?|warnings?|problems?|failures?|issues?)\b")
_ANNOTATION = patterns.Lazy(
    r"^(?:.{0,40}?)(?:::|##vso\[task\.logissue |##\[?)(error|warning|notice|type=\w+)\b[ ;]?(.*?)(?:::|\])(.*)$"
)
_TEAMCITY = patterns.Lazy(r"^\s*##teamcity\[testFailed name='([^']*)' message='((?:[^'|]|\|.)*)'")
_FIELD = patterns.Lazy(r"(?:^|[,;])(file|line|sourcepath|linenumber)=([^,;]+)")
_FRAME = patterns.Lazy(
    r"^\s*(?:at |by 0x|@ |from |\([^'\"].*\)$|while |in expression |==\d+== +(?:at|by) |#\d|\d+: +0x|\d+ ?[|│] |[|│^~]|>(?:[^>]|$)|>>> (?:referenced|defined)|\.\.\.|File \"[^\"]*\", line \d+(?:,? in |$)|note:|In file included)"
)
_CELL = patterns.Lazy(r"^\s*\d+ \| (?:ERROR|WARNING)\b")
_OTHER_FAILED = patterns.Lazy(
    r"^\s*(?:FAILED|Failed) for\b|^\s*(?:More Info|Severity|Confidence|CWE|See also|Docs?|URL)\b.*:|"
    r"\bexit(?:ed with)?(?: code| status)?:? \d|did not complete success|traceback:|"
    r"^\W*(?:[Ff]ailures?|[Ee]rrors?|FAILURES|ERRORS|FAILED|FAIL)\W*$"
)
"""Reports only that another tool failed."""
_LETTERS = patterns.Lazy(r"\pL{2}")
_WORDS = patterns.Lazy(
    r"^[\s\[(*✖✘×●-]*(?:(\pL+)(?:[^\pL\d_]|$))?(?:\S{0,30}: [\[(]?(\pL+)(?:[^\pL\d_]|$))?"
)
_RULE = patterns.Lazy(r"\[(Error|Warning)/")
_BRACKETED = patterns.Lazy(r"^\[([A-Z]{1,6}\d{2,5})\]:? ")
_CODE = patterns.Lazy(r"^(?:\[?([A-Z]{1,6}\d{2,5})\]?:? )(?:\[\*\] )?")

_EMPTY_MESSAGES = frozenset(("failure", "failed"))
"""Messages that only say that it went wrong: the line beside them says what."""
MAX_NEAR = 6
"""Lines between a place and its message."""


def find(lines: Sequence[str]) -> Iterator[DetectedError]:
    """Warnings are marked if something is called an error: then it is why the check failed."""
    text = "\n".join(lines)
    findings = list(_elements(text)) if "<" in text and ('="' in text or "='" in text) else []
    findings = findings or [*_annotations(lines)] or [*_placed(lines)]
    # Where errors are called so, what has no word of severity only explains one. Beside warnings it
    # is the error, unless it begins with the code of a rule.
    called = any(one.bad for one in findings) or _CALLED.search(text) is not None
    plain = any(one.bad is None and not _CODED_MESSAGE.match(one.found.message) for one in findings)
    seen: set[tuple[str, int, str]] = set()
    for one in _without_echoes(findings):
        key = (one.found.file, one.found.line, one.found.message)
        if key not in seen:
            seen.add(key)
            warns = any(map(_WARNS.search, lines[one.found.at : one.found.at + 1]))
            mild = called and (one.bad is False or not one.found.category)
            mild = not one.bad and (mild or (plain and one.bad is False and warns))
            yield replace(one.found, name=LAST_WORD) if mild else one.found


def _without_echoes(findings: Sequence[RatedError]) -> list[RatedError]:
    """The findings, of which the first at a place is the error if a few words about the same place
    (`fatal parse error`) only say that there is one."""
    made: list[RatedError] = []
    firsts: dict[tuple[str, int], int] = {}
    for one in findings:
        place = (one.found.file, one.found.line)
        first = firsts.setdefault(place, len(made)) if one.found.line else len(made)
        if first < len(made) and _DETAIL.match(one.found.message):
            continue
        if first < len(made) and made[first].bad is None and one.bad and _is_short(one):
            made[first] = RatedError(made[first].found, bad=True)
        else:
            made.append(one)
    return made


_DETAIL = patterns.Lazy(r"(?i)^(?:expected|got|actual|found|received)\s*:")


def _is_short(one: RatedError) -> bool:
    return len(one.found.message.split()) <= 3


def _level(*texts: str) -> bool | None:
    """True for an error, False for less, None if no word says it."""
    for text in texts:
        if text.lstrip()[:1] in _MARKS:
            return text.lstrip()[:1] != "⚠"
        match = _WORDS.match(text)
        rule = _RULE.search(text)
        for word in (*match.groups(), rule.group(1) if rule else ""):
            lower = (word or "").casefold()
            if lower in BAD or lower in MILD or lower.endswith(("error", "exception")):
                return lower not in MILD
    return None


_WARNS = patterns.Lazy(r"(?i)\b(?:warning|warn|note|info|style|hint)[:)\]]")
_CODED_MESSAGE = patterns.Lazy(r"^\W*[A-Z]+\d*\b")
"""The code of a rule, which tells nothing of its severity."""
_CALLED = patterns.Lazy(r"(?m)^\S{1,40}: (?:fatal )?error: |undefined reference to ")
_MARKS = frozenset("✖✘×✗⚠")
_SEVERITY = patterns.Lazy(
    r"^(?:[\s✖✘×●⚠-]*\[?(?:error|warning|ERROR|WARNING)\]? +|- (?:error|warning): |[ew]: |[✖✘×●⚠] +)(\S.*)$"
)
"""A severity that is not part of the message: it has no colon, or comes after a dash."""


def _made(message: str, file: str, line: str, at: int, *levels: str) -> RatedError:
    file = file.removeprefix("file://")
    bad = _level(*levels, message)
    bare = _SEVERITY.match(message)
    text = (bare.group(1) if bare else message).strip(" -:|•").replace("[*] ", "")
    text = _BRACKETED.sub(r"\1 ", text)
    found = DetectedError(_category(file, text), text, file, line_no(line), at, at + 1)
    return RatedError(found, bad)


def _category(file: str, message: str) -> str:
    """What a finding looks like; the tool, if it is known, outweighs it."""
    code = _CODE.match(message)
    if code:
        return "typecheck" if code.group(1).startswith("TS") else "lint"
    if not message.startswith(("error:", "error[", "fatal error:", "error ")):
        return ""
    return "typecheck" if file.endswith((".py", ".pyi")) else "build"


# --- lines ------------------------------------------------------------------------------------


def _placed(lines: Sequence[str]) -> Iterator[RatedError]:
    named = ""
    calls = -1  # The indent of a heading that announces a stack of calls.
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.endswith(":") and _CALLS.match(line):
            calls = indent
        calls = calls if indent >= calls else -1
        if 0 <= calls < indent:
            continue
        if not any(map(str.isdigit, line)):
            header = _NAMED.match(line) if "." in line or "file" in line else None
            if header or (line.strip() and not line[0].isspace()):
                rule = "──" in line or "--" in line
                named = header.group(1) if header else named if rule else ""
            continue
        if _FRAME.match(line) and not _CELL.match(line):
            continue
        if place := _LEADING.match(line):
            if (found := _leading(lines, i, place)) is not None:
                yield found
            continue
        place = _TRAILING.match(line) if "." in line else None
        row = _ROW.match(line) if named or line.startswith("line ") else None
        if place and _is_file(place.group(2)):
            yield _trailing(lines, i, place)
        elif not named and (alone := _CODED_ROW.match(line)):
            yield _made(alone.group(2), "", alone.group(1), i)
        elif alone := _BARE.match(line):
            file, number, said = alone.groups()
            yield _made(said, "" if _STDIN.match(file) else file, number, i)
        elif header := _NAMED.match(line):
            named = header.group(1)
        elif named and (ended := _ENDED_ROW.match(line)):
            yield _made(ended.group(1), named, ended.group(2), i)
        elif row and _LETTERS.search(row.groups()[-1]) and not _COUNT.match(row.groups()[-1]):
            number = next(filter(None, row.groups()), "")
            said = " ".join(row.groups()[-1].split())
            below = _MARKED.match(lines[i + 1].strip()) if lines[i + 1 :] else None
            said = below.group(1) if below else said
            yield _made(said, named, number, i)


_CALLS = patterns.Lazy(r"(?i)^\s*(?:context|(?:back|stack) ?trace|call (?:stack|history))\W*$")


def _is_file(path: str) -> bool:
    return not (is_host(path) or is_foreign(path))


def _trailing(lines: Sequence[str], i: int, place: patterns.Pattern) -> RatedError:
    """The finding of a line whose place is behind the message."""
    message, file, *numbers, rest = place.groups()
    message = f"{message}: {rest}" if rest else message
    above = _title(lines, i, below=False) if message.casefold() in _EMPTY_MESSAGES else -1
    message = lines[above].strip("─ ") if above >= 0 else message
    only_level = message.strip("- ").casefold() in BAD and lines[i].rstrip().endswith(":")
    if only_level and lines[i + 1 :] and _is_message(lines[i + 1]):
        message = lines[i + 1].strip("- ")  # `Error in a.yab, line 4:`
    return _made(message, file, next(filter(None, numbers), ""), i)


def _leading(lines: Sequence[str], i: int, place: patterns.Pattern) -> RatedError | None:
    """The finding of a line that begins with a place: its message is behind it, or in the lines
    near it; None if the place only belongs to something else."""
    label, file, *numbers, rest = place.groups()
    number = next(filter(None, numbers), "")
    # A call in quoted source: `raw.add(1);`; a frame of a panic.
    is_call = (rest.startswith((";", ")", ".")) and numbers[1]) or rest.startswith("+0x")
    if is_call or not _is_file(file):
        return None
    bare = rest.rstrip("━─ ").removesuffix(" FIXABLE")
    if rest.endswith(("━", "─")):
        # A title in a frame: the message is below it.
        below = (text.strip() for text in lines[i + 1 : i + 4] if _is_message(text))
        rest = f"{bare} {next(below, '').lstrip('×✖! ')}"
    rest = rest.lstrip(" –—:|•\t,")
    rest = "" if _NAMES_ONLY.match(rest) else rest
    rest = marked.group(1) if (marked := _MARKED.match(rest)) else rest
    above = _heading(lines, i)
    if above >= 0 and rest and not rest.startswith("#") and _level(lines[above]) is None:
        above = -1
    frame = rest.startswith(("at ", "in ")) or lines[i].lstrip("# ").startswith(("at ", "in "))
    if above >= 0 and _REFERS.match(lines[above]):
        return None
    if above >= 0 and lines[i].lstrip(" └─")[:1].isalpha() and not frame:
        return _made(lines[above].strip(), file, number, above)
    bare_level, _, code = rest.rstrip(": ]").partition(": [")
    bare_level = bare_level.casefold()
    if (bare_level in BAD or bare_level in MILD) and " " not in code:
        texts = [text.strip() for text in lines[i + 1 : i + 4] if _is_message(text)]
        said = " ".join(texts[: 2 if texts and texts[0].endswith(":") else 1])
        return _made(f"{bare_level}: {said.lstrip('•*- ')}", file, number, i)
    if rest.removeprefix("error: ").strip("! ").casefold() in _EMPTY_MESSAGES and i:
        return _made(lines[i - 1].strip("# ") or rest, file, number, i, "error")
    if _LETTERS.search(rest) and not rest.startswith(("at ", "in ")):
        if rest.endswith(":") and i + 1 < len(lines) and _is_message(lines[i + 1]):
            rest = f"{rest} {lines[i + 1].strip()}"
        named = label and label not in ("e", "w", "file")
        before = lines[i].partition(file)[0]
        level = "error" if "Error) " in lines[i][:60] else label or before.rstrip(": ")
        return _made(f"{label}: {rest}" if named else rest, file, number, i, level)
    near = _title(lines, i, below=not frame)
    if near < 0 or _REFERS.match(lines[near]):
        return None
    marked = _MARK.match(lines[near])
    return _made((marked and marked.group(1)) or lines[near].strip(), file, number, near)


_REFERS = patterns.Lazy(r"^(?:References?|See(?: also)?|Related|Notes?):$")
"""A heading of places that only explain an error."""
_MARKED = patterns.Lazy(r"^[~-]*\^[\^~-]* +(\S.*)$")
"""A message behind the mark below quoted source."""
_NAMES_ONLY = patterns.Lazy(r"^element \S+$|^<-|^/?[\w.]+\([^ ]*\)(?:->[\w.]+\([^ ]*\))*$")
"""The element or function at the place; the message is in the line beside it."""


def _heading(lines: Sequence[str], i: int) -> int:
    """The line above an indented place that it belongs to, by the indents: -1 for none."""
    indent = len(lines[i]) - len(lines[i].lstrip())
    for j in range(i - 1, max(-1, i - 1 - MAX_NEAR), -1):
        if indent and not lines[j].strip():
            break
        if len(lines[j]) - len(lines[j].lstrip()) < indent and _is_message(lines[j]):
            return j
    return -1


def _title(lines: Sequence[str], i: int, *, below: bool) -> int:
    """The line with the message of a place on a line of its own: -1 for none."""
    if (quoted := below_source(lines, i)) >= 0:
        return quoted
    if not "".join(lines[max(0, i - 1) : i]).strip() and lines[i + 1 : i + 2] == [""]:
        after = next((j for j in range(i + 2, min(i + 4, len(lines))) if lines[j].strip()), i)
        if not lines[i][:1].isspace() and _is_message(lines[after]):
            return after  # The place is the heading of a paragraph.
    if i and _CODED.match(lines[i - 1]):
        return i - 1
    marked = any(map(_CARETS.match, lines[i + 2 : i + 3]))  # Below it, so it is source.
    if (
        below
        and not (lines[i][:1].isspace() or marked)
        and any(map(_is_message, lines[i + 1 : i + 2]))
    ):
        return i + 1
    for j in range(i - 1, max(-1, i - 1 - MAX_NEAR), -1):
        if _ANNOUNCES.match(lines[j]):
            break
        if _CARETS.match(lines[j + 1]):
            continue  # The source that is quoted.
        if _is_message(lines[j]):
            return j
    reach = min(i + 3 + MAX_NEAR, len(lines))
    return next((j for j in range(i + 1, reach) if _is_message(lines[j])), -1)


def below_source(lines: Sequence[str], i: int) -> int:
    """The line with the message of source that is quoted below a place: behind the mark, or
    below it; -1 if no source is quoted there."""
    for j in range(i + 1, min(i + REACH, len(lines))):
        mark = _MARK.match(lines[j])
        if mark is not None:
            return j if mark.group(1) else _below_mark(lines, j)
        source = not _LETTERS.search(lines[j]) or _QUOTED.match(lines[j])
        if not source and _MARK.match("".join(lines[j + 1 : j + 2])) is None:
            quoted = [t.strip() for t in lines[i + 1 : j] if t.strip()]
            marked = any(t[:1] == ">" and _QUOTED.match(t) for t in quoted)
            return j if marked and _is_message(lines[j]) else -1
    return -1


def _below_mark(lines: Sequence[str], mark: int) -> int:
    """The line with the message below a mark; -1 for none. Below a mark in a frame, only the next
    line may be outside of the frame."""
    below = range(mark + 1, min(mark + REACH, len(lines)))
    near = [k for k in below if _FRAMED.match(lines[k]) or not _QUOTED.match(lines[k])][:3]
    found = next((k for k in near if _FRAMED.match(lines[k]) or _is_message(lines[k])), -1)
    is_apart = found > mark + 1 and _QUOTED.match(lines[mark]) and not _FRAMED.match(lines[found])
    return -1 if is_apart else found


REACH = 12
"""Lines below a place in which the source that it quotes ends."""
_MARK = patterns.Lazy(r"^\s*(?:\d+ ?)?[|│]?\s*(?:[~-]*\^[\^~ -]*(\pL\S* \S.*)?|~+|1)$")
"""Below quoted source, with or without the message; Fortran compilers mark with a number."""
_QUOTED = patterns.Lazy(r"^[\s>]*\d* ?[|│]|^\w* *[|│]$|^> ")
_CARETS = patterns.Lazy(r"^\s*-*[~^#]+-*\s*$")
_FRAMED = patterns.Lazy(r"^\s*[|│] [^\s|│]")
"""A message in the frame around quoted source, below the mark."""
_CODED = patterns.Lazy(r"^\[[A-Z]{0,6}\d{2,5}\] \S")
"""`[201] Trailing whitespace`: the code of a rule, and what it says about the place below."""


_ANNOUNCES = patterns.Lazy(r"^\W*(?:[Oo]ops\b|[Ww]e(?:'ve| have)? found an? )[^:`\"]*$")
"""A title that only says that something is wrong; the message follows the place."""


def _is_message(line: str) -> bool:
    return (
        _LETTERS.search(line) is not None
        and _FRAME.match(line) is None
        and _LEADING.match(line) is None
        and _OTHER_FAILED.search(line) is None
        and not line.lstrip().startswith("Did you mean")
    )


# --- annotations of CI services, XML ------------------------------------------------------------


def _annotations(lines: Sequence[str]) -> Iterator[RatedError]:
    for i, line in enumerate(lines):
        match = _ANNOTATION.match(line) if "::" in line or "##" in line else None
        if match:
            level, fields, message = match.groups()
            named: dict[str, str] = dict(_FIELD.findall(fields))
            file = named.get("file", named.get("sourcepath", ""))
            number = named.get("line", named.get("linenumber", ""))
            message = message.split("%0A")[0]
            if message.strip() and (file or not _SUM.match(message)):
                yield _made(message, file, number, i, level.removeprefix("type="))
        failed = _TEAMCITY.match(line) if "##teamcity[" in line else None
        if failed:
            name, message = failed.groups()
            found = DetectedError("test", message, at=i, until=i + 1, name=name)
            yield RatedError(found, bad=True)


_ELEMENT = patterns.Lazy(
    r"<(/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+=(?:\"[^\"<]*\"|'[^'<]*'))*)\s*(/?)>([^<]*)"
)
_ATTRIBUTE = patterns.Lazy(r"([\w:.-]+)=(\"[^\"<]*\"|'[^'<]*')")
_PROBLEMS = frozenset(("failure", "error", "violation", "issue", "problem", "result", "bug"))


def _elements(text: str) -> Iterator[RatedError]:
    """JUnit, Checkstyle and the like: a problem inherits file and name from the elements around."""
    file = name = line = ""
    for at, match in enumerate(_ELEMENT.finditer(text)):
        closing, tag, raw, _empty, body = match.groups()
        if closing:
            continue
        fields = {key.lower(): html.unescape(value[1:-1]) for key, value in _ATTRIBUTE.findall(raw)}
        paths = (fields.get(key, "") for key in ("file", "filename", "path", "name", "classname"))
        named = next(
            (path for path in paths if ("/" in path or tag == "file") and _NAMED.match(path)), ""
        )
        if tag == "testsuite":
            file, name = named, ""
        file, line = named or file, fields.get("line", line if tag != "testcase" else "")
        name = fields.get("name", "") if tag == "testcase" else name
        if tag.lower() not in _PROBLEMS:
            continue
        parts = [part for part in html.unescape(body).strip().split("\n") if part.strip()]
        said = next((fields[key] for key in ("message", "msg", "reason") if fields.get(key)), "")
        level = fields.get("severity", "error" if tag in ("failure", "error") else "")
        rows = [row for part in parts if (row := _ROW.match(f" {part}"))] if not said else []
        rows = [row for row in rows if _LETTERS.search(row.groups()[-1])]
        for row in rows:
            yield _made(
                row.groups()[-1] or "", file, next(filter(None, row.groups()), "") or "", at, level
            )
        if rows:
            continue
        message = said.strip().split("\n")[0] or next(iter(parts), "failed")
        place = _LEADING.match(message)
        if place:
            _label, path, *numbers, rest = place.groups()
            yield _made(rest or "", path or "", next(filter(None, numbers), "") or "", at, level)
        else:
            one = _made(message, file, line, at, level)
            yield RatedError(replace(one.found, name=name), one.bad)
