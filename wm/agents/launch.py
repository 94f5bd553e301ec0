"""The environment that sends a program's requests through our proxy, and its own upstream (PX-1).

Writes no file: what `wm run` sets ends with the program that it starts. An upstream that the user's
own settings name is kept: a key for a company's gateway must never be sent to another host.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any

from wm.errors import UserError

BASE_URL = "ANTHROPIC_BASE_URL"
OPENCODE_CONFIG = "OPENCODE_CONFIG"
OPENCODE_CONTENT = "OPENCODE_CONFIG_CONTENT"
FIRST_PARTY = "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL"
"""Without it Claude Code disables features, the large context among them, for another host."""

_FORWARD_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_LOOPBACK = ("127.0.0.1", "localhost")
_FIRST_PARTY_HOST = ".anthropic.com"
_MAX_FILE_BYTES = 4 * 1024 * 1024
_OPENCODE_FILES = ("opencode.json", "opencode.jsonc")


def configured_upstream(
    program: str, env: Mapping[str, str], *, claude: Path, opencode: Path, folder: Path
) -> str:
    """The upstream that the program's own settings name; "" if they name none.

    claude, opencode: the agents' own folders. folder: the program's working directory.

    Raises UserError if its settings override the environment, or cannot be read.
    """
    if PurePath(program).stem == "opencode":
        return _opencode_upstream(env, opencode, folder)
    if PurePath(program).stem == "claude":
        project_settings = folder / ".claude"
        for path in (
            claude / "settings.json",
            project_settings / "settings.json",
            project_settings / "settings.local.json",
        ):
            environment = _object(path).get("env")
            if isinstance(environment, dict) and environment.get(BASE_URL):
                raise UserError.of("run.overridden_url", path=path, variable=BASE_URL)
    return env.get(BASE_URL, "")


def environment(
    program: str, base_url: str, env: Mapping[str, str], *, upstream_host: str
) -> dict[str, str]:
    """The variables to add to `env`. Raises UserError if the configuration cannot be read."""
    if PurePath(program).stem == "opencode":
        content = _content(env)
        provider = content.setdefault("provider", {}).setdefault("anthropic", {})
        # This client's base URL ends in the version; the base URL of all others does not.
        provider["options"] = {**(provider.get("options") or {}), "baseURL": f"{base_url}/v1"}
        return {OPENCODE_CONTENT: json.dumps(content), **_past_forward_proxies(env)}
    found = {BASE_URL: base_url, **_past_forward_proxies(env)}
    if f".{upstream_host}".endswith(_FIRST_PARTY_HOST) and FIRST_PARTY not in env:
        found[FIRST_PARTY] = "1"
    return found


def _past_forward_proxies(env: Mapping[str, str]) -> dict[str, str]:
    """Requests to this machine must not go through the user's forward proxy."""
    if not any(env.get(name) or env.get(name.upper()) for name in _FORWARD_PROXIES):
        return {}
    found = {}
    for name in ("NO_PROXY", "no_proxy"):
        known = env.get("no_proxy") or env.get("NO_PROXY") or ""
        missing = [host for host in _LOOPBACK if host not in known.split(",") and known != "*"]
        found[name] = ",".join(filter(None, (known, *missing)))
    return found


# -- OpenCode ------------------------------------------------------------------------------------


def _opencode_upstream(env: Mapping[str, str], home: Path, folder: Path) -> str:
    """OpenCode merges its files in this order; the last one that names an upstream wins."""
    url = origin = ""
    paths: list[Path] = [home / name for name in _OPENCODE_FILES]
    if env.get(OPENCODE_CONFIG):
        paths.append(Path(env[OPENCODE_CONFIG]))
    for above in (*reversed(folder.parents), folder):
        paths += [above / name for name in _OPENCODE_FILES]
    sources: Iterable[tuple[str, Mapping[str, Any]]] = (
        *((str(path), _object(path)) for path in paths),
        (f"the environment ({OPENCODE_CONTENT})", _content(env)),
    )
    for where, content in sources:
        if named := _base_url(content):
            url, origin = named.rstrip("/").removesuffix("/v1"), where
    if "{" in url:
        raise UserError.of("run.variable_in_url", origin=origin)
    return url


def _base_url(content: Mapping[str, Any]) -> str:
    found: Any = content
    for name in ("provider", "anthropic", "options", "baseURL"):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""


def _content(env: Mapping[str, str]) -> dict[str, Any]:
    text = env.get(OPENCODE_CONTENT, "") or "{}"
    try:
        content = json.loads(without_comments(text))
        if not isinstance(content, dict):
            raise ValueError("it is not an object")
        found: Any = content
        for name in ("provider", "anthropic"):
            found = found.get(name, {})
            if not isinstance(found, dict):
                raise ValueError(f"its {name} is not an object")
        if not isinstance(found.get("options") or {}, dict):
            raise ValueError("its options are not an object")
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise UserError.of("run.unreadable_variable", variable=OPENCODE_CONTENT, why=why) from None
    return content


def _object(path: Path) -> dict[str, Any]:
    """The settings in a file; empty if there is no such file."""
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_FILE_BYTES)
        content = json.loads(without_comments(raw.decode("utf-8-sig")) or "{}")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise UserError.of("run.unreadable_settings", path=path, error=error) from None
    return content if isinstance(content, dict) else {}


_STRING = r'("(?:[^"\\]|\\.?)*+"?)'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)


def without_comments(text: str) -> str:
    """Convert JSON with comments and trailing commas, which OpenCode accepts, to plain JSON."""
    for what in (_COMMENT, _TRAILING_COMMA):
        text = what.sub(lambda found: found[1] or "", text)
    return text
