"""Our hooks in the user's `settings.json` of Claude Code: add, recognise, remove.

Pure. The user owns the file: every byte that is not ours stays. A handler is ours if its command
runs our script; a status line is added only if the user has none.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wm.agents.claude_hooks import AGENT, hooks, statusline
from wm.agents.hook_lines import WmCommand, is_ours
from wm.agents.parts import SettingsPart, child, encoded, parse_object, refusal
from wm.errors import UserError
from wm.formats import jsontext
from wm.formats.jsontext import Node
from wm.settings import HookSettings


def part(path: Path, command: WmCommand, settings: HookSettings) -> ClaudeSettings:
    """The entries that this installation wants in Claude Code's settings."""
    script = shlex.quote(str(command.script))
    return ClaudeSettings(
        path=path,
        purpose="hooks: they bring memory into a session and record it",
        wanted=hooks(script, settings),
        status={"type": "command", "command": statusline(script)},
    )


class ClaudeSettings(SettingsPart, frozen=True, kw_only=True):
    """wanted: matcher groups by event. status: its line."""

    wanted: dict[str, list[dict[str, Any]]]
    status: dict[str, Any]

    def is_ours(self, raw: bytes) -> bool:
        # A file without our words is not ours, even if it is damaged: nobody need repair it.
        text = raw.decode("utf-8", "replace")
        return is_ours(text, AGENT) and any(_our_places(self._tree(raw)[1]))

    def is_current(self, raw: bytes) -> bool:
        if not self.is_ours(raw):
            return False
        root = self._tree(raw)[1]
        groups = root.value.get("hooks", {})
        ours = {
            event: [group for group in listed if _is_our_group(group)]
            for event, listed in groups.items()
        }
        line = root.value.get("statusLine")
        return {e: g for e, g in ours.items() if g} == self.wanted and (
            line == self.status if _is_our_handler(line) else "statusLine" in root.value
        )

    def added_to(self, raw: bytes | None) -> bytes:
        text, root = self._tree(raw or b"")
        if root.member("hooks") is None:
            text = jsontext.add_member(text, root, "hooks", self.wanted)
        else:
            for event, groups in self.wanted.items():
                text = _with_groups(text, event, groups)
        root = jsontext.parse(text)
        if root.member("statusLine") is None:
            text = jsontext.add_member(text, root, "statusLine", self.status)
        return encoded(text, raw)

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:
        text, root = self._tree(raw)
        while (place := next(_our_places(root), None)) is not None:
            text = jsontext.remove(text, *place)
            root = jsontext.parse(text)
        text = _without_empty(text, () if original is None else self._kept_keys(original))
        if original is None and not jsontext.parse(text).children:
            return None
        return encoded(text, raw)

    def _kept_keys(self, original: bytes) -> tuple[str, ...]:
        try:
            root = self._tree(original)[1]
        except UserError:
            return ()
        events = root.member("hooks")
        return () if events is None else ("hooks", *(name for name, _, _ in events.children))

    def _tree(self, raw: bytes) -> tuple[str, Node]:
        """The text and its tree. Raises UserError unless it has the shape that we edit."""
        text, root = parse_object(self.path, raw)
        groups = root.value.get("hooks", {})
        if not isinstance(groups, dict):
            raise refusal(self.path, 'has "hooks" that is not an object')
        for event, listed in groups.items():
            if not isinstance(listed, list):
                raise refusal(self.path, f'has "hooks" whose "{event}" is not a list')
        return text, root


def _with_groups(text: str, event: str, groups: list[dict[str, Any]]) -> str:
    events = child(jsontext.parse(text), "hooks")
    if events.member(event) is None:
        return jsontext.add_member(text, events, event, groups)
    for group in groups:
        text = jsontext.add_item(text, child(child(jsontext.parse(text), "hooks"), event), group)
    return text


def _our_places(root: Node) -> Iterator[tuple[Node, int]]:
    """(parent, index) of each of our handlers, groups and the status line; inner ones first."""
    for _, _, events in _named(root, "hooks"):
        for _, _, listed in events.children:
            for number, (_, _, group) in enumerate(listed.children):
                if _is_our_group(group.value):
                    yield listed, number
                    continue
                for _, _, handlers in _named(group, "hooks"):
                    for index, (_, _, handler) in enumerate(handlers.children):
                        if _is_our_handler(handler.value):
                            yield handlers, index
    for index, (name, _, line) in enumerate(root.children):
        if name == "statusLine" and _is_our_handler(line.value):
            yield root, index


def _named(node: Node, key: str) -> list[tuple[str, int, Node]]:
    return [child for child in node.children if child[0] == key]


def _is_our_handler(value: Any) -> bool:
    return isinstance(value, dict) and is_ours(str(value.get("command", "")), AGENT)


def _is_our_group(value: Any) -> bool:
    """A matcher group all of whose handlers are ours."""
    handlers = value.get("hooks") if isinstance(value, dict) else None
    if not isinstance(handlers, list) or not handlers:
        return False
    return all(_is_our_handler(handler) for handler in handlers)


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
