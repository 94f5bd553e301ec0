"""Edit a JSON text and leave every other byte as it was (IF-5).

For settings files that belong to the user: what is added is written the way the file is
written around it, what is taken out leaves its neighbours alone. Does not know what the text
is about, opens no file. Only strict JSON is edited; anything else is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 200
SPACE = " \t\n\r"


class NotJson(ValueError):
    """The text is no JSON that we edit; `str()` says what and where."""


@dataclass(frozen=True)
class Node:
    """One value and where it stands: text[start:end]. Children in the order of the text.

    children: of an object (key, where the key begins, value); of a list ("", begin, value).
    """

    value: Any
    start: int
    end: int
    children: tuple[tuple[str, int, Node], ...] = ()

    def member(self, key: str) -> Node | None:
        """The value of an object's key: the last of that name, as parsers have it."""
        return next((child for name, _, child in reversed(self.children) if name == key), None)


def parse(text: str) -> Node:
    """The tree of a text. Raises NotJson."""
    try:
        json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise NotJson("it is nested too deeply") from error
    except ValueError as error:
        raise NotJson(str(error)) from error
    node = _value(text, _skip(text, 0), 0)
    return node


def add_member(text: str, where: Node, key: str, value: Any) -> str:
    """`text` with a new last member in the object `where`."""
    return _add(text, where, f"{_dump(key)}: ", value)


def add_item(text: str, where: Node, value: Any) -> str:
    """`text` with a new last item in the list `where`."""
    return _add(text, where, "", value)


def remove(text: str, parent: Node, index: int) -> str:
    """`text` without the child at `index`, and without the comma that it needed."""
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
    raise NotJson(f"{word} is no JSON")


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- reading: the text is known to be valid here -----------------------------------------


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise NotJson("it is nested too deeply")
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
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _indent_unit(text)
    outer = _line_indent(text, where.start)
    if where.children:
        last = where.children[-1]
        before = _gap(text, where, len(where.children) - 1)
        if newline in before:
            inner = before.rpartition(newline)[2]
            added = "," + before + head + _written(value, inner, unit, newline)
        else:
            flat = before if before.strip(SPACE) == "" and before else _flat_gap(text)
            added = "," + flat + head + _dump_flat(value, text)
        return text[: last[2].end] + added + text[last[2].end :]
    inside = text[where.start + 1 : where.end - 1]
    if "\n" not in text.strip(SPACE) and len(text.strip(SPACE)) > 2:
        added = head + _dump_flat(value, text)  # a file of one line stays one
    else:
        inner = outer + unit
        added = newline + inner + head + _written(value, inner, unit, newline) + newline + outer
    # White space inside an empty pair of brackets has no other use than to be replaced.
    return text[: where.start + 1] + added + text[where.start + 1 + len(inside) :]


def _gap(text: str, where: Node, index: int) -> str:
    """The white space before a child."""
    begin = where.children[index - 1][2].end if index else where.start + 1
    gap = text[begin : where.children[index][1]]
    return gap[gap.index(",") + 1 :] if "," in gap else gap


def _written(value: Any, inner: str, unit: str, newline: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return (newline + inner).join(lines)


def _dump_flat(value: Any, text: str) -> str:
    tight = '":' in text and '": ' not in text
    return json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else (", ", ": "))


def _flat_gap(text: str) -> str:
    return "" if '":' in text and '": ' not in text else " "


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent_unit(text: str) -> str:
    """What the first indented line is indented by; two spaces where none is."""
    for line in text.split("\n")[1:]:
        stripped = line.lstrip(" \t")
        if stripped.strip() and len(stripped) < len(line):
            return line[: len(line) - len(stripped)]
    return "  "
