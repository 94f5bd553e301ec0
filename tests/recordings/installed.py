"""What `wm setup` writes for the agents: recorded once, and run again as an older wm wrote it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import wm
from tests.cli.terminal import Terminal

PACKAGE = Path(wm.__file__).parent
SETTINGS, SERVERS, PLUGIN = ".claude/settings.json", ".claude.json", ".config/opencode/plugin/wm.js"
FILES = {"settings.json": SETTINGS, "claude.json": SERVERS, "wm.js": PLUGIN}
"""Recording -> the file below the home."""

PLACEHOLDERS = {"{python}": sys.executable, "{package}": str(PACKAGE)}


def written() -> dict[str, str]:
    """Recording -> what setup of this tree writes there, paths as placeholders."""
    with TemporaryDirectory(prefix="wm-") as folder:
        user = Terminal(Path(folder))
        user.install("claude", "opencode")
        user.wm("setup", "--yes")
        texts = {name: (user.home / path).read_text("utf-8") for name, path in FILES.items()}
    for name, text in texts.items():
        for stands, value in PLACEHOLDERS.items():
            text = text.replace(value, stands)
        texts[name] = text
    return texts


def filled(text: str) -> str:
    """What was recorded, for this machine."""
    for stands, value in PLACEHOLDERS.items():
        text = text.replace(stands, value)
    return text


def hook_lines(settings: str) -> dict[str, str]:
    """Event (and matcher) -> the shell line of Claude Code's settings."""
    parsed: dict[str, Any] = json.loads(settings)
    lines = {"statusLine": parsed["statusLine"]["command"]}
    for event, entries in parsed["hooks"].items():
        for entry in entries:
            name = " ".join(filter(None, (event, entry.get("matcher", ""))))
            lines[name] = entry["hooks"][0]["command"]
    return lines
