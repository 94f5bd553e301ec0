"""Edit a JSON text and leave every other byte as it was (IF-5).

For files that belong to the user (settings of agents, the session contract). An added value
is formatted like the text around it; a removed value leaves its neighbours unchanged.
Does not know what the text is about and opens no file. Edits strict JSON only and refuses
anything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec import Struct

MAX_DEPTH = 200
SPACE = " \t\n\r"
_BACKSLASH = ord("\\")


class NotJsonError(ValueError):
    """The text is not strict JSON; `str()` says what is wrong and where."""


def string_end(raw: bytes, start: int) -> int:
    """Return the end of the string that begins at `start`, 0 if it has none. The closing quote
    follows an even number of backslashes."""
    at = start
    while True:
        at = raw.find(b'"', at + 1)
        if at < 0:
            return 0
        row = at
        while raw[row - 1] == _BACKSLASH and row - 1 > start:
            row -= 1
        if (at - row) % 2 == 0:
            return at + 1


class Node(Struct, frozen=True):
    """One value and its position: text[start:end]. Children in the order of the text.

    children: of an object (key, start of the key, value); of a list ("", start, value).
    """

    value: Any
    start: int
    end: int
    children: tuple[tuple[str, int, Node], ...] = ()

    def member(self, key: str) -> Node | None:
        """Return the value of a key; of a repeated key the last one, as parsers do."""
        return next((child for name, _, child in reversed(self.children) if name == key), None)


def parse(text: str, *, numbers: bool = False) -> Node:
    """Parse a text into a tree. Raises NotJsonError. numbers: accept NaN and Infinity, which are
    not JSON, as numbers, so that a caller can point at them."""
    try:
        json.loads(text, parse_constant=float if numbers else _refuse)
    except RecursionError as error:
        raise NotJsonError("it is nested too deeply") from error
    except ValueError as error:
        raise NotJsonError(str(error)) from error
    return _value(text, _skip(text, 0), 0)


def object_of(text: str | bytes) -> dict[str, Any] | None:
    """Return the JSON object that this text is; None if it is anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def as_text(value: Any) -> str:
    """Return a value of a JSON text if it is a string; else ""."""
    return value if isinstance(value, str) else ""


def as_object(value: Any) -> Mapping[str, Any]:
    """Return a value of a JSON text if it is an object; else {}."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """Return a value of a JSON text if it is a list; else []."""
    return value if isinstance(value, list) else []


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, without its other items; [] for any other value."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def as_known(value: Any, known: Collection[str], default: str) -> str:
    """Return a value of a JSON text if it is one of the known words; else the default."""
    return value if isinstance(value, str) and value in known else default


def add_member(text: str, where: Node, key: str, value: Any) -> str:
    """Return `text` with a new last member in the object `where`."""
    colon = ":" if _is_tight(text) else ": "
    return _add(text, where, json.dumps(key, ensure_ascii=False) + colon, value)


def add_item(text: str, where: Node, value: Any) -> str:
    """Return `text` with a new last item in the list `where`."""
    return _add(text, where, "", value)


def replace(text: str, where: Node, value: Any) -> str:
    """Return `text` with `value` in place of `where`; nothing else changes."""
    if where.value == value and type(where.value) is type(value):
        return text
    gap = _newline(text) + _line_indent(text, where.start) if "\n" in text else ""
    return text[: where.start] + _dump(value, text, gap) + text[where.end :]


def remove(text: str, parent: Node, index: int) -> str:
    """Return `text` without the child at `index` and without its comma."""
    children = parent.children
    begin, end = children[index][1], children[index][2].end
    if index > 0:
        begin = children[index - 1][2].end
    elif len(children) > 1:
        end = children[1][1]
    else:
        begin, end = parent.start + 1, parent.end - 1
    return text[:begin] + text[end:]


def _refuse(word: str) -> Any:
    raise NotJsonError(f"{word} is not JSON")


# --- reading: the text is known to be valid here -----------------------------------------


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise NotJsonError("it is nested too deeply")
    if text[at] == "{":
        return _container(text, at, depth, _object_child)
    if text[at] == "[":
        return _container(text, at, depth, _list_child)
    value, end = json.JSONDecoder().raw_decode(text, at)
    return Node(value, at, end)


Child = tuple[str, int, Node]


def _container(text: str, at: int, depth: int, child: Callable[[str, int, int], Child]) -> Node:
    children: list[Child] = []
    end = _skip(text, at + 1)
    while text[end] not in "}]":
        if text[end] == ",":
            end = _skip(text, end + 1)
        children.append(child(text, end, depth))
        end = _skip(text, children[-1][2].end)
    value: Any = (
        {key: node.value for key, _, node in children}
        if text[at] == "{"
        else [node.value for _, _, node in children]
    )
    return Node(value, at, end + 1, tuple(children))


def _object_child(text: str, at: int, depth: int) -> Child:
    key, end = json.JSONDecoder().raw_decode(text, at)
    colon = _skip(text, end)
    return key, at, _value(text, _skip(text, colon + 1), depth + 1)


def _list_child(text: str, at: int, depth: int) -> Child:
    return "", at, _value(text, at, depth + 1)


# --- writing ------------------------------------------------------------------------------


def _add(text: str, where: Node, head: str, value: Any) -> str:
    if where.children:
        gap = _last_gap(text, where)
        at = where.children[-1][2].end
        return text[:at] + "," + gap + head + _dump(value, text, gap) + text[at:]
    inner = "" if _is_one_line(text) else _newline(text) + _line_indent(text, where.start)
    gap = inner + _indent_unit(text) if inner else ""
    # Empty brackets: replace the white space between them.
    added = gap + head + _dump(value, text, gap) + inner
    return text[: where.start + 1] + added + text[where.end - 1 :]


def _last_gap(text: str, where: Node) -> str:
    """Return the white space before the last child, to put before one more."""
    key_at = where.children[-1][1]
    if len(where.children) > 1:
        gap = text[where.children[-2][2].end : key_at]
        return gap.partition(",")[2]
    gap = text[where.start + 1 : key_at]
    return gap if gap or _is_tight(text) else " "


def _dump(value: Any, text: str, gap: str) -> str:
    """Return `value` as JSON in the style of the surrounding text; `gap` is the white space
    before it."""
    if "\n" not in gap:
        separators = (",", ":") if _is_tight(text) else (", ", ": ")
        return json.dumps(value, ensure_ascii=False, separators=separators)
    lines = json.dumps(value, ensure_ascii=False, indent=_indent_unit(text)).split("\n")
    return (_newline(text) + gap.rpartition("\n")[2]).join(lines)


def _is_one_line(text: str) -> bool:
    body = text.strip(SPACE)
    return "\n" not in body and body[1:-1].strip(SPACE) != ""


def _is_tight(text: str) -> bool:
    return '":' in text and '": ' not in text and _is_one_line(text)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent_unit(text: str) -> str:
    """Return the indentation of the first indented line; two spaces if there is none."""
    for line in text.split("\n")[1:]:
        bare = line.lstrip(" \t")
        if bare.strip() and len(bare) < len(line):
            return line[: len(line) - len(bare)]
    return "  "
