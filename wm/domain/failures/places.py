"""The place of an error whose format has none: in its message, beside it, or in the only file that
the command named (HS-2)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from wm.domain.failures.detected import DetectedError, is_foreign, is_host, line_no, same_file
from wm.domain.failures.json_reports import PLAIN_FILES
from wm.text import patterns

REACH = 6
"""Lines below an error in which its place is looked for."""

_FILE = r"((?:\.{0,2}/)?[\w@+-][\w@+./-]*)"
_BEGINS = patterns.Lazy(r"^:?([^\s:]\S*\.\w+): ?(\d+)(?::\d+)?: (.+)$")
_PLACES = patterns.Lazy(
    rf"(?:^|[\s\"'`(\[]|file://){_FILE}(?:"
    r"(?::|\()(\d+)([:,] ?\d+|\.\d+(?:-[\d.]+)?:)?(?:[^\w.]|$)"  # a/b.c:4:2, a/b.c(4,2)
    r"|[\"'`]?,? \(?(?:(?:on|at|in) )?line:? (\d+)"  # a.fish (line 3)
    r"|(?:\[|: )(\d+)[\]:])"  # run.sh[2], run.sh: 3:
)
_LINE_OF = patterns.Lazy(
    rf"\bline (\d+)(?:, column \d+)?,? (?:of|in) (?:(?:file|resource) )?"
    rf"[\"'`]?(?:file:(?://)?)?{_FILE}"
)
_FROM = patterns.Lazy(
    rf"(?:\bimported from |\bresolve \S+ from )[\"'`]?(?:file://)?{_FILE}[\"'`]?\.?$"
)
"""The file that imports what is absent: `Cannot find package 'a' imported from b.mjs`."""
_OF_PROJECT = patterns.Lazy(rf"(?:^|[\s\"'`(]){_FILE} : error")
"""MSBuild names a project without a line: `a/b.csproj : error NU1`."""
_LINE = patterns.Lazy(r"(?i)\bline (\d+)|@ (\d+):\d+|\((\d+):\d+\)")
_PATH = patterns.Lazy(
    r"(?:^|[\s\"'`(])((?:\.{0,2}/)?[\w@+.-]+/[\w@+./-]*\.[A-Za-z]\w*)(?:[\s\"'`):]|$)"
)
_SHELL = patterns.Lazy(r"^\w*sh: line \d+: ")
"""The line of the command itself."""
_ENDING = patterns.Lazy(r"\.[A-Za-z]\w*$")


def located(found: DetectedError, lines: Sequence[str], named: Sequence[str]) -> DetectedError:
    """The error with its place. lines: those of the output that may belong to it, from its own on.
    named: the places that the command named."""
    begin = _BEGINS.match(found.message)
    if begin is not None and not is_foreign(begin.group(1)):
        file, number, message = begin.groups()
        if found.file.endswith(f"/{file}"):
            return replace(found, message=message)
        if "/" in file or file in named:
            return replace(found, file=file, line=line_no(number), message=message)
    if found.file and found.line:
        return found
    for text in (found.message, *lines):
        file, line = _place(text, found.file, named)
        if file:
            return replace(found, file=file, line=found.line or line)
    return _in_only_file(found, named)


def is_file(place: str) -> bool:
    """Whether an argument is a file, not a host, an address or a folder."""
    mail = "@" in place[1:] and "/" not in place
    number = place.replace(".", "").isdigit()
    return "." in place[1:-1] and not (mail or number or is_host(place))


def _place(text: str, known: str, named: Sequence[str]) -> tuple[str, int]:
    """The first place in a text; known: the file of the error, if it has one."""
    turned = (match.groups()[::-1] for match in _LINE_OF.finditer(text))
    places = [(file, "", "", number, "") for file, number in turned]
    places += [match.groups("") for match in _PLACES.finditer(text)]
    for file, number, column, of, only_named in places:
        file = file.rstrip(".")
        if known and not same_file(known, file):
            continue
        if not any(same_file(file, place) for place in named):
            sure = "/" in file or column or of
            named_so = _ENDING.search(file) or file.rsplit("/", 1)[-1] in PLAIN_FILES
            if only_named or not sure or not named_so or is_foreign(file) or is_host(file):
                continue
        return file, line_no(number or of or only_named)
    project = _OF_PROJECT.search(text) or _FROM.search(text) if not known else None
    return (project.group(1), 0) if project else ("", 0)


def _in_only_file(found: DetectedError, named: Sequence[str]) -> DetectedError:
    """A line without a file belongs to the only file that is named."""
    path = next((match.group(1) for match in _PATH.finditer(found.message)), "")
    files = [place for place in named if is_file(place)]
    file = found.file or (files[0] if len(files) == 1 else path)
    number = _LINE.search(found.message) if not _SHELL.match(found.message) else None
    if not file or not (found.line or number) or (path and not same_file(path, file)):
        return found
    line = line_no(next(filter(None, number.groups()))) if number else 0
    return replace(found, file=file, line=found.line or line)
