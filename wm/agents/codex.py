"""Codex's own ways: hooks that its user must trust, and an MCP server in a TOML file.

Pure. Codex runs a hook only after its user trusted exactly this line in the terminal; a new or
changed one is skipped without a word. `wm` never writes that trust; it computes the hash that Codex
would store, and names what is missing.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wm.agents.json_file import NAME, HookLists, is_our_handler, is_our_server, server_command
from wm.agents.parts import SettingsPart, parse_toml
from wm.errors import UserError
from wm.text.jsontext import Node

BEGIN, END = "# wm: added by `wm setup`", "# wm: end"
TABLE = "mcp_servers"

ENVIRONMENT = ("WM_HOME", "WM_SOCKET", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
"""Variables that decide where memory is; Codex passes only few others to a server."""

_OURS = re.compile(rf"(?:\A|\n)?{re.escape(BEGIN)}\n(?:.*\n)*?{re.escape(END)}\n")
_CAPITAL = re.compile(r"(?<!^)([A-Z])")


class CodexHooks(HookLists, frozen=True, kw_only=True):
    """config: Codex's `config.toml`, in which it keeps what the user trusted."""

    config: bytes | None = None

    def remark(self, path: Path, root: Node) -> str:
        config = _parsed(self.config)
        if _table(config, "features").get("hooks") is False:
            return "Codex's hooks are switched off: its config.toml has `hooks = false`."
        missing = untrusted(path, root.value.get("hooks", {}), config)
        if not missing:
            return ""
        return (
            f"Codex does not run {len(missing)} of wm's hooks yet ({', '.join(missing)}). Start "
            '`codex` once; when it says "Hooks need review", look at them and trust them.'
        )


def untrusted(path: Path, hooks: dict[str, Any], config: dict[str, Any]) -> list[str]:
    """The events of our handlers that the user has not trusted, as the file has them."""
    trusted = _table(config, "hooks", "state")
    return [
        event
        for event, key, handler in _our_handlers(path, hooks)
        if _table(trusted, key).get("trusted_hash") != trust_hash(event, handler)
    ]


def _our_handlers(path: Path, hooks: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Event, Codex's name, and value of each handler of ours in a group without a matcher."""
    for event, groups in hooks.items():
        for number, group in enumerate(groups):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for index, handler in enumerate(handlers if isinstance(handlers, list) else []):
                if is_our_handler(handler, "codex"):
                    yield event, f"{path}:{_snake(event)}:{number}:{index}", handler


def trust_hash(event: str, handler: dict[str, Any]) -> str:
    """What Codex stores when its user trusts a handler."""
    named = {"async": False, "timeout": 600, **handler}
    text = json.dumps(
        {"event_name": _snake(event), "hooks": [named]}, sort_keys=True, separators=(",", ":")
    )
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _snake(event: str) -> str:
    return _CAPITAL.sub(r"_\1", event).lower()


def _table(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    """A table in a table; an empty one if it is missing or something else."""
    for key in keys:
        found = value.get(key)
        value = found if isinstance(found, dict) else {}
    return value


def _parsed(raw: bytes | None) -> dict[str, Any]:
    try:
        return tomllib.loads((raw or b"").decode())
    except ValueError:
        return {}  # refused where the server is added


class CodexServer(SettingsPart, frozen=True, kw_only=True):
    """Our MCP server in `config.toml`, between two comments. A server of the same name that the
    user added stays.

    wanted: program and arguments.
    """

    wanted: dict[str, Any]

    def is_ours(self, raw: bytes) -> bool:
        return _OURS.search(raw.decode("utf-8", "replace")) is not None

    def is_current(self, raw: bytes) -> bool:
        text = raw.decode("utf-8", "replace")
        if self.is_ours(raw):
            return self._block() in text
        return self._server(text) is not None

    def remark(self, raw: bytes) -> str:
        server = self._server(raw.decode("utf-8", "replace"))
        if server is None or is_our_server(server) or server_command(server) == "wm":
            return ""
        return (
            f'{self.path} has another MCP server named "{NAME}". It is kept, so Codex gets wm\'s '
            "hooks, but not its memory tools."
        )

    def added_to(self, raw: bytes | None) -> bytes:
        text = (raw or b"").decode("utf-8", "replace")
        before = parse_toml(self.path, text)
        gap = "" if not text or text.endswith("\n") else "\n"
        changed = f"{text}{gap}{chr(10) if text else ''}{self._block()}"
        servers = {**_table(before, TABLE), NAME: tomllib.loads(self._block())[TABLE][NAME]}
        try:
            if tomllib.loads(changed) == {**before, TABLE: servers}:
                return changed.encode()
        except ValueError:
            pass  # a section that cannot be extended at the end of the file
        raise UserError.of("codex.cannot_extend", path=self.path, table=TABLE)

    def without(self, raw: bytes, original: bytes | None) -> bytes | None:
        text = _OURS.sub("", raw.decode("utf-8", "replace"))
        return text.encode() if text.strip() or original is not None else None

    def _block(self) -> str:
        words = ", ".join(json.dumps(word, ensure_ascii=False) for word in self.wanted["args"])
        names = ", ".join(json.dumps(name) for name in ENVIRONMENT)
        return (
            f"{BEGIN}\n"
            f"[{TABLE}.{NAME}]\n"
            f"command = {json.dumps(self.wanted['command'], ensure_ascii=False)}\n"
            f"args = [{words}]\n"
            f"env_vars = [{names}]\n"
            "# Without this, `codex exec` refuses the tools that write.\n"
            'default_tools_approval_mode = "approve"\n'
            f"{END}\n"
        )

    def _server(self, text: str) -> Any:
        return _table(parse_toml(self.path, text), TABLE).get(NAME)
