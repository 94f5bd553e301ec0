"""Errors in the JSON that checkers and test runners print on request (HS-2).

Reporters name the same things differently, so no tool has a row here. A finding is an object with
a message and a place or a severity; a failed test is an object with a name and a failing status.
Both inherit the file from the objects around them. Parses only; judges nothing.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from msgspec.structs import replace

from wm.domain.failures.detected import TABLES, DetectedError, RatedError, line_no
from wm.domain.failures.summaries import says_failed
from wm.domain.failures.terminal_lines import without_escapes
from wm.text import patterns
from wm.text.jsontext import as_list

MAX_CHARS = 4_000_000
"""A longer report is not parsed: the lines of its text are read like any other output."""

MAX_DEPTH = 40
MAX_OBJECTS = 2_000

MAX_STARTS = 40
"""Lines at which a JSON value is looked for, after which each line is tried by itself."""

FILE = TABLES.words("file_keys")
PLAIN_FILES = frozenset(TABLES.words("plain_files"))
"""Files without an extension."""
LINE = ("row", "begin", "lnum")
PLACES = TABLES.words("place_keys")
"""Beginnings and ends of the keys of objects that say where something is."""
MESSAGE = TABLES.words("message_keys")
NAME = ("fullname", "fulltitle", "fulldescription", "nodeid", "title", "testname", "test", "name")
KIND = "type"
RULES = ("rule", "ruleid", "rulename", "check", "checkid", "checkname")
STATUS = ("status", "outcome", "result", "action", "state")
FAULTS = ("err", "failure", "failures", "failuremessages", "failedexpectations")
"""Keys of a test that are empty if it passed."""

ABROAD = frozenset(TABLES.words("bad_in_other_languages"))
"""Words for an error in other languages than English."""
MILD_ABROAD = frozenset(TABLES.words("mild_in_other_languages"))
BAD, MILD = {*TABLES.words("bad")} | ABROAD, {*TABLES.words("mild")} | MILD_ABROAD
FAILING = frozenset(TABLES.words("failing"))


PASSING = frozenset(("passed", "pass", "ok", "success", "successful", "skipped", "pending"))


def find(output: str, *, certain: bool = True) -> list[DetectedError]:
    """The errors of a JSON report; [] for an output that holds none.

    Warnings count only if the report has no error: then they are why the run failed, if it is
    certain that it failed.
    """
    findings: list[RatedError] = []
    said: dict[str, list[str]] = {}
    for value in _values(output) if not certain else chain(_values(output), _rows(output)):
        findings += _visit(value, "", 0)
        if isinstance(value, dict) and isinstance(value.get("Output"), str):
            said.setdefault(str(value.get("Test")), []).append(value["Output"])
        if len(findings) > MAX_OBJECTS:
            break
    if said:
        findings = _of_go(findings, said)
    bad = [one for one in findings if one.bad is not False]
    if any(one.found.file for one in bad):
        bad = [one for one in bad if one.found.file or not says_failed(one.found.message)]
    complete = output.rstrip().endswith(("}", "]"))  # Text below a log says why the run failed.
    chosen = dict.fromkeys(one.found for one in bad or (findings if certain and complete else []))
    return list(chosen)


_GO_PLACE = patterns.Lazy(r"^\s+(\S+\.go):(\d+): (.*\S)")


def _of_go(findings: list[RatedError], said: dict[str, list[str]]) -> list[RatedError]:
    """`go test -json` tells what a test prints apart from its result, and fails its parents too."""
    names = {one.found.name for one in findings}
    unique = []
    for one in findings:
        if any(name.startswith(f"{one.found.name}/") for name in names):
            continue
        places = map(_GO_PLACE.match, said.get(one.found.name, ()))
        place = next(filter(None, places), None)
        if place is not None:
            file, line, message = place.groups()
            found = replace(one.found, file=file, line=line_no(line), message=message)
            one = RatedError(found, one.bad)
        unique.append(one)
    return unique


def texts(output: str) -> list[str]:
    """The lines of all strings of a JSON report."""
    found: list[str] = []
    waiting = list(_values(output)) if output.rstrip().endswith(("}", "]")) else []
    while waiting and len(found) < MAX_OBJECTS:
        value = waiting.pop(0)
        if isinstance(value, str):
            found += without_escapes(value).split("\n")
        elif isinstance(value, dict | list):
            inner = value.values() if isinstance(value, dict) else value
            waiting += list(inner)[:MAX_OBJECTS]
    return found


def refused(output: str) -> list[DetectedError]:
    """What a JSON report without findings lists under keys that say what is wrong with it.

    `{"missing": {"left-pad": […]}}`: such a report has a key for each kind of fault.
    """
    found: list[DetectedError] = []
    waiting = [("", value) for value in _values(output)]
    while waiting and len(found) < MAX_OBJECTS:
        key, value = waiting.pop(0)
        listed = [("", one) for one in as_list(value)]
        inner = list(value.items() if isinstance(value, dict) else listed)[:MAX_OBJECTS]
        if not (key and _REFUSING.search(key)):
            waiting += [pair for pair in inner if not _SETTINGS.match(pair[0])]
            continue
        if isinstance(value, dict) and any(_is_scalar(one) for _name, one in inner):
            inner = [("", value)]
        texts = [name or ", ".join(_strings(one, 2)) for name, one in inner if one]
        found += [
            DetectedError("", f"{key}: {text}", text if _has_ending(text) else "")
            for text in ([value] if isinstance(value, str) else texts)
            if text
        ]
    return found


def _strings(value: Any, depth: int) -> Iterator[str]:
    """The texts of a value and of the objects in it."""
    if isinstance(value, dict) and depth >= 0:
        for inner in value.values():
            yield from _strings(inner, depth - 1)
    elif isinstance(value, str) and value:
        yield value


def _has_ending(text: str) -> bool:
    return _is_path(text) and text.rpartition(".")[2].isalpha()


_REFUSING = patterns.Lazy(
    r"(?i)missing|unused|invalid|unlisted|unresolved|undeclared|duplicate|error|fail|violation|"
    r"conflict|unknown|forbidden|outdated|mismatch|broken|problem"
)
_SETTINGS = patterns.Lazy(r"(?i)(?:settings|config|options|plugins|filters|rules|ignore)|.*_used$")
"""Keys of what a tool was asked to do."""


def _values(output: str) -> Iterator[Any]:
    """The JSON values of an output: a whole document, one among other lines, or one per line."""
    text = output.strip()
    if len(text) > MAX_CHARS or not ("{" in text or "[{" in text):
        return
    at, tried = 0, 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at] in "{[":
            tried += 1
            # A value over several lines is looked for only a few times: each try may read it all.
            value, size = _parsed(text[at:] if tried <= MAX_STARTS else text[at:end])
            if value is not None:
                yield value
            end = max(end, at + size)
        at = end + 1


def _rows(output: str) -> Iterator[dict[str, str]]:
    """The rows of a report as CSV, below a head that names the file and the message."""
    lines = output.split("\n")
    for at, line in enumerate(lines[:MAX_STARTS]):
        keys = {_key(cell.strip(' "')).replace(" ", "") for cell in line.strip().split(",")}
        if keys.isdisjoint(FILE) or keys.isdisjoint(MESSAGE) or not all(map(str.isalnum, keys)):
            continue
        with suppress(csv.Error):
            yield from islice(csv.DictReader(f"{row}\n" for row in lines[at:]), MAX_OBJECTS)
        return


def _parsed(text: str) -> tuple[Any, int]:
    """The value at the beginning of the text and its length; (None, 0) for none."""
    try:
        value, size = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None, 0
    return (value, size) if isinstance(value, dict | list) and value else (None, size)


def _visit(node: Any, file: str, depth: int) -> list[RatedError]:
    """The findings of a value and of everything inside it."""
    if depth > MAX_DEPTH:
        return []
    if isinstance(node, list):
        return [one for item in node[:MAX_OBJECTS] for one in _visit(item, file, depth + 1)]
    if not isinstance(node, dict):
        return []
    named = {_key(key): value for key, value in node.items()}
    file = _file(named) or file
    inner = [
        one
        for key, value in node.items()
        if isinstance(value, dict | list) and not _names_place(_key(key))
        for one in _visit(value, str(key) if _is_path(str(key)) else file, depth + 1)
        or _listed(str(key), value, file)
    ]
    own = _own(named, file)
    if own is None:
        return inner or _flagged(named, file)
    explained = (own.bad or own.found.line) and all(one.bad is not True for one in inner)
    tested = own.found.name and not any(one.found.name for one in inner)
    if explained and inner and not own.found.file:
        place = inner[0].found
        own = RatedError(replace(own.found, file=place.file, line=place.line), own.bad)
    return [own] if not inner or explained or tested else inner


def _own(named: dict[str, Any], file: str) -> RatedError | None:
    message = _message(named)
    status = next((str(named[key]).lower() for key in STATUS if _is_scalar(named.get(key))), "")
    name = _named(named, NAME)
    if status in PASSING:
        return None
    failing = status in FAILING or any(named.get(key) for key in FAULTS)
    if failing and name and not isinstance(named.get("tests"), list):
        line = _line(named)
        return RatedError(
            DetectedError("test", message or "failed", file, line, name=name), bad=True
        )
    levels = [str(value).lower() for key, value in named.items() if _is_scalar(value) and (
        key.endswith(("severity", "level")) or key in ("kind", "type", "levelname"))]  # fmt: skip
    level = next((level for level in levels if level in BAD or level in MILD), "")
    bad = level in BAD or status in FAILING
    if not message and bad:
        message = _described(named)
    if not message and KIND in named and _file(named) and _line(named):
        # No sentence: what kind of finding it is, and its first other text.
        texts = (v for k, v in named.items() if k not in (*FILE, KIND) and isinstance(v, str))
        message = f"{named[KIND]}: {next(texts, '')}".rstrip(": ")
    ruled = not named.keys().isdisjoint(RULES)
    if not message or not (level or bad or ruled or (file and _line(named))):
        return None
    return RatedError(DetectedError("", message, file, _line(named)), bad if bad or level else None)


def _described(named: dict[str, Any]) -> str:
    """What a bad object without a message is about: the title or the message of an object in it,
    else its codes (`CVE-2021-1`) and names."""
    inner = (one for one in named.values() if isinstance(one, dict))
    texts = (_named(one, ("title", *NAME)) or _message(one) for one in inner)
    codes = [v for v in named.values() if isinstance(v, str) and _CODE.fullmatch(v)]
    names = [v for k, v in named.items() if isinstance(v, str) and k.endswith(("name", "title"))]
    return next(filter(None, texts), "") or " ".join([*codes, *names] if codes else [])


_CODE = patterns.Lazy(r"[A-Z]{2,}[-_]?\d[\w-]*")


def _listed(key: str, value: Any, file: str) -> list[RatedError]:
    """The messages of a list of faults that say no place: `"errors": [{"message": …}]`."""
    if not isinstance(value, list) or _FAULTY.search(key) is None:
        return []
    items = [{_key(k): v for k, v in one.items()} for one in value if isinstance(one, dict)]
    return [
        RatedError(DetectedError("", message, file, _line(item), name=_named(item)), bad=True)
        for item in items[:MAX_OBJECTS]
        if (message := _pointed(item))
    ]


def _pointed(item: dict[str, Any]) -> str:
    """The message behind the JSON pointer to the value it is about: `/jobs/test: is required`."""
    message, at = _message(item), str(item.get("instancepath") or item.get("path") or "")
    return f"{at}: {message}" if message and at[:1] == "/" and not _is_path(at) else message


def _named(item: dict[str, Any], keys: tuple[str, ...] = ("name",)) -> str:
    return next((item[key] for key in keys if isinstance(item.get(key), str)), "")


_FAULTY = patterns.Lazy(r"(?i)^(?:errors|failures|violations|problems|issues)$")


def _flagged(named: dict[str, Any], file: str) -> list[RatedError]:
    """A value without a finding inside that says, by a flag or in an object for its result, that it
    did not pass."""
    results = (v for k, v in named.items() if k.endswith(STATUS) and isinstance(v, dict))
    states = (str(v.get(key)).lower() for v in results for key in STATUS)
    if not any(named.get(key) is False for key in _GOOD) and not any(
        state in FAILING for state in states
    ):
        return []
    scalars = {key: str(value) for key, value in named.items() if _is_scalar(value)}
    title = next((v for k, v in scalars.items() if k.endswith(("name", "title"))), "")
    message = _message(named) or next(
        (v for k, v in scalars.items() if k.endswith(("id", "code"))), ""
    )
    message = message or ", ".join(f"{k}: {v}" for k, v in scalars.items() if v != title)
    found = DetectedError("", message or "failed", file, _line(named), name=title)
    return [RatedError(found, bad=True)] if title or file or len(scalars) > 1 else []


_GOOD = ("passed", "ok", "success", "successful", "valid", "isvalid")


def _message(named: dict[str, Any], depth: int = 0) -> str:
    """The first line of the message, which may lie one or two objects deeper."""
    for key in (*MESSAGE, *(key for key in named if key.endswith(("description", "message")))):
        value = named.get(key)
        if isinstance(value, list):
            value = next((item for item in value if isinstance(item, str | dict)), None)
        if isinstance(value, dict) and depth < 2:
            value = _message({_key(k): v for k, v in value.items()}, depth + 1)
        if isinstance(value, str) and value.strip():
            first, *more = [line.strip() for line in value.split("\n") if line.strip()]
            return f"{first} {more[0]}" if more and first.startswith("●") else first
    return ""


def _file(named: dict[str, Any], depth: int = 0) -> str:
    for key in FILE:
        value = named.get(key)
        if not isinstance(value, str) or (key == "source" and "/" not in value):
            continue
        if _is_path(value) or value.rsplit("/", 1)[-1] in PLAIN_FILES:
            return value.removeprefix("file://")
    if depth < 4:
        for inner in _places(named, any_name=depth > 0):
            if file := _file(inner, depth + 1):
                return file
    name = named.get("name")  # jest names the file of a suite so
    return name if isinstance(name, str) and name.startswith("/") and _is_path(name) else ""


def _line(named: dict[str, Any], depth: int = 0) -> int:
    for key, value in named.items():
        value = value[0] if isinstance(value, list) and value else value
        counts = type(value) is int or (isinstance(value, str) and value.isdigit())
        if counts and (key in LINE or ("line" in key and not key.startswith(("end", "n")))):
            return line_no(str(value))
    if depth < 4:
        for inner in _places(named, any_name=depth > 0):
            if line := _line(inner, depth + 1):
                return line
    return 0


def _places(named: dict[str, Any], *, any_name: bool) -> Iterator[dict[str, Any]]:
    """The objects that say where something is. any_name: they are inside such an object."""
    for key, value in named.items():
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, dict) and (any_name or _names_place(key) or key in FILE):
            yield {_key(k): v for k, v in value.items()}


def _names_place(key: str) -> bool:
    ends = key.endswith(("location", "span")) and not key.startswith("end")
    return ends or key.startswith(PLACES)


def _key(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


def _is_path(text: str) -> bool:
    """A path of a file, not a sentence: it has an extension or a slash, and no line end."""
    last = text.rsplit("/", 1)[-1]
    return 2 < len(text) < 500 and "\n" not in text and ". " not in text and "." in last[1:]


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
