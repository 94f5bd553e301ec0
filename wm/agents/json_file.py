"""Our entries in a JSON file of the user: add, recognise, remove.

Pure. A file is a row of sections, each one kind of entry: hooks by event, an MCP server, a status
line. The user owns the file: every byte that is not ours stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from wm.agents.hook_lines import is_ours
from wm.agents.parts import SettingsPart, child, encoded, parse_object, refusal
from wm.errors import UserError
from wm.text import jsontext
from wm.text.jsontext import Node

EMPTY = jsontext.parse("{}")


class Section(Struct, frozen=True, kw_only=True):
    """One kind of entry. The methods get the text of the file, or its tree."""

    def check(self, path: Path, root: Node) -> None:
        """Raise UserError unless the file has the shape that we edit."""

    def mentions(self, text: str) -> bool:
        """Whether the text may contain our entry: a file without our words is not ours, even if it
        is damaged, and need not be repaired."""
        raise NotImplementedError

    def is_ours(self, root: Node) -> bool:
        """Whether our entry is there, of this version or another."""
        raise NotImplementedError

    def is_current(self, root: Node) -> bool:
        """Whether this version's entry is there, or the user's own equivalent."""
        raise NotImplementedError

    def remark(self, path: Path, root: Node) -> str:  # noqa: ARG002
        """A note for the user; mostly ""."""
        return ""

    def added_to(self, text: str) -> str:
        """The text with our entry."""
        raise NotImplementedError

    def without(self, text: str, before: Node) -> str:
        """The text without our entry. before: the file before setup, as far as it is known."""
        raise NotImplementedError


class JsonFile(SettingsPart, frozen=True, kw_only=True):
    """The sections of one file."""

    sections: tuple[Section, ...]

    def is_ours(self, raw: bytes) -> bool:
        text = raw.decode("utf-8", "replace")
        found = [section for section in self.sections if section.mentions(text)]
        return bool(found) and any(section.is_ours(self._tree(raw)[1]) for section in found)

    def is_current(self, raw: bytes) -> bool:
        root = self._tree(raw)[1]
        return all(section.is_current(root) for section in self.sections)

    def remark(self, raw: bytes) -> str:
        root = self._tree(raw)[1]
        return " ".join(filter(None, (each.remark(self.path, root) for each in self.sections)))

    def added_to(self, raw: bytes | None) -> bytes:
        text, _ = self._tree(raw or b"")
        for section in self.sections:
            text = section.added_to(text)
        return encoded(text, raw)

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:
        given, _ = self._tree(raw)
        text, before = given, self._before(original)
        for section in reversed(self.sections):
            text = section.without(text, before)
        if text == given:
            return raw
        if original is None and not jsontext.parse(text).children:
            return None
        return encoded(text, raw)

    def _before(self, original: bytes | None) -> Node:
        try:
            return EMPTY if original is None else self._tree(original)[1]
        except UserError:
            return EMPTY

    def _tree(self, raw: bytes) -> tuple[str, Node]:
        text, root = parse_object(self.path, raw)
        for section in self.sections:
            section.check(self.path, root)
        return text, root


class Version(Section, frozen=True, kw_only=True):
    """The number of the file's form, which some agents need. It goes with the last entry."""

    def mentions(self, text: str) -> bool:  # noqa: ARG002
        return False

    def is_current(self, root: Node) -> bool:
        return root.member("version") is not None

    def added_to(self, text: str) -> str:
        root = jsontext.parse(text)
        if root.member("version") is not None:
            return text
        return jsontext.add_member(text, root, "version", 1)

    def without(self, text: str, before: Node) -> str:
        root = jsontext.parse(text)
        alone = [name for name, _, _ in root.children] == ["version"]
        if alone and before.member("version") is None:
            return jsontext.remove(text, root, 0)
        return text


class HookLists(Section, frozen=True, kw_only=True):
    """Our handlers in the lists of `hooks`, by event.

    wanted: the items of each list: handlers, or groups of them with a matcher.
    """

    agent: str
    wanted: dict[str, list[dict[str, Any]]]

    def check(self, path: Path, root: Node) -> None:
        events = root.value.get("hooks", {})
        if not isinstance(events, dict):
            raise refusal(path, 'has "hooks" that is not an object')
        for event, listed in events.items():
            if not isinstance(listed, list):
                raise refusal(path, f'has "hooks" whose "{event}" is not a list')

    def mentions(self, text: str) -> bool:
        return is_ours(text, self.agent)

    def is_ours(self, root: Node) -> bool:
        return any(self._places(root))

    def is_current(self, root: Node) -> bool:
        events = root.value.get("hooks", {})
        ours = ((event, list(filter(self._is_our_item, items))) for event, items in events.items())
        return {event: items for event, items in ours if items} == self.wanted

    def added_to(self, text: str) -> str:
        root = jsontext.parse(text)
        if root.member("hooks") is None:
            return jsontext.add_member(text, root, "hooks", self.wanted)
        for event, items in self.wanted.items():
            text = _with_items(text, event, items)
        return text

    def without(self, text: str, before: Node) -> str:
        root = jsontext.parse(text)
        while (place := next(self._places(root), None)) is not None:
            text = jsontext.remove(text, *place)
            root = jsontext.parse(text)
        events = before.member("hooks")
        kept = () if events is None else ("hooks", *(name for name, _, _ in events.children))
        return _without_empty(text, kept)

    def _places(self, root: Node) -> Iterator[tuple[Node, int]]:
        """(parent, index) of each of our handlers and groups; inner ones first."""
        for _, _, events in _members_of_hooks(root):
            for _, _, listed in events.children:
                for number, (_, _, item) in enumerate(listed.children):
                    if self._is_our_item(item.value):
                        yield listed, number
                        continue
                    for _, _, handlers in _members_of_hooks(item):
                        for index, (_, _, handler) in enumerate(handlers.children):
                            if is_our_handler(handler.value, self.agent):
                                yield handlers, index

    def _is_our_item(self, value: Any) -> bool:
        """A handler of ours, or a group all of whose handlers are ours."""
        handlers = value.get("hooks") if isinstance(value, dict) else None
        if not isinstance(handlers, list) or not handlers:
            return is_our_handler(value, self.agent)
        return all(is_our_handler(handler, self.agent) for handler in handlers)


def is_our_handler(value: Any, agent: str) -> bool:
    """Whether an agent would run our line for this value."""
    if not isinstance(value, dict):
        return False
    return is_ours(str(value.get("command", value.get("bash", ""))), agent)


def _with_items(text: str, event: str, items: list[dict[str, Any]]) -> str:
    events = child(jsontext.parse(text), "hooks")
    if events.member(event) is None:
        return jsontext.add_member(text, events, event, items)
    for item in items:
        text = jsontext.add_item(text, child(child(jsontext.parse(text), "hooks"), event), item)
    return text


def _members_of_hooks(node: Node) -> list[tuple[str, int, Node]]:
    return [child for child in node.children if child[0] == "hooks"]


def _without_empty(text: str, kept: tuple[str, ...]) -> str:
    """Drop the lists that contained only our handlers, and `hooks` itself, unless they were there
    before."""
    events = jsontext.parse(text).member("hooks")
    while events is not None:
        empty = [
            index
            for index, (name, _, listed) in enumerate(events.children)
            if not listed.children and name not in kept
        ]
        if not empty:
            break
        text = jsontext.remove(text, events, empty[0])
        events = jsontext.parse(text).member("hooks")
    root = jsontext.parse(text)
    for index, (name, _, node) in enumerate(root.children):
        if name == "hooks" and not node.children and "hooks" not in kept:
            return jsontext.remove(text, root, index)
    return text


class ServerEntry(Section, frozen=True, kw_only=True):
    """Our MCP server, a member of `mcpServers`. A server of the same name that the user added
    stays; ours is then not added.

    title: the agent's name. wanted: the server as it should be in the file.
    """

    title: str
    wanted: dict[str, Any]

    def check(self, path: Path, root: Node) -> None:
        if not isinstance(root.value.get(SERVERS, {}), dict):
            raise refusal(path, f'has "{SERVERS}" that is not an object')

    def mentions(self, text: str) -> bool:
        return '"mcp"' in text

    def is_ours(self, root: Node) -> bool:
        return is_our_server(_server(root))

    def is_current(self, root: Node) -> bool:
        server = _server(root)
        return server is not None and (not is_our_server(server) or server == self.wanted)

    def remark(self, path: Path, root: Node) -> str:
        server = _server(root)
        if server is None or is_our_server(server) or server_command(server) == "wm":
            return ""  # none, or one that does the same
        return (
            f'{path} has another MCP server named "{NAME}". It is kept, so {self.title} gets wm\'s '
            "hooks, but not its memory tools. To get them too: rename that server, then run "
            "`wm setup` again."
        )

    def added_to(self, text: str) -> str:
        root = jsontext.parse(text)
        servers = root.member(SERVERS)
        if servers is None:
            return jsontext.add_member(text, root, SERVERS, {NAME: self.wanted})
        if servers.member(NAME) is not None:
            return text
        return jsontext.add_member(text, servers, NAME, self.wanted)

    def without(self, text: str, before: Node) -> str:
        root = jsontext.parse(text)
        if not self.is_ours(root):
            return text
        text = _without(text, child(root, SERVERS), NAME)
        root = jsontext.parse(text)
        if not child(root, SERVERS).children and before.member(SERVERS) is None:
            text = _without(text, root, SERVERS)
        return text


SERVERS, NAME = "mcpServers", "wm"


def is_our_server(server: Any) -> bool:
    """Whether setup wrote it: setup uses the program's full path, a user who writes `wm mcp` by
    hand does not."""
    return server_command(server).startswith("/")


def server_command(server: Any) -> str:
    """The program of a server whose last argument is `mcp`; "" for any other."""
    words = server.get("args") if isinstance(server, dict) else None
    if not isinstance(words, list) or words[-1:] != ["mcp"]:
        return ""
    return str(server.get("command", ""))


def _server(root: Node) -> Any:
    servers = root.member(SERVERS)
    server = None if servers is None else servers.member(NAME)
    return None if server is None else server.value


def _without(text: str, parent: Node, key: str) -> str:
    index = max(i for i, (name, _, _) in enumerate(parent.children) if name == key)
    return jsontext.remove(text, parent, index)
