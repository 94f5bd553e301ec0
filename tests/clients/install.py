"""Put the pinned clients into a cache folder outside the repository.

`python -m tests.clients.install` takes about 20 s and 780 MB once. The versions are pinned because
npm otherwise picks one by the node version, and developers would test different clients.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

CLAUDE_VERSION = "2.1.330"
OPENCODE_VERSION = "1.18.33"
CLIENTS = (f"@anthropic-ai/claude-code@{CLAUDE_VERSION}", f"opencode-ai@{OPENCODE_VERSION}")
# What OpenCode installs into its own config folder as soon as it sees a plugin there.
OPENCODE_PLUGIN = f"@opencode-ai/plugin@{OPENCODE_VERSION}"
INSTALL_TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class Installed:
    """The two programs, and a ready-made OpenCode config folder to seed homes from (or None)."""

    claude: Path
    opencode: Path
    opencode_config: Path | None


def folder() -> Path:
    """The folder that WM_TEST_CLIENTS names, where the clients are or will be; else the cache."""
    own = os.environ.get("WM_TEST_CLIENTS")
    if own:
        return Path(own).absolute()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "wm-tests" / "clients" / f"claude-{CLAUDE_VERSION}_opencode-{OPENCODE_VERSION}"


def find() -> Installed | None:
    """What is installed already; None when either program is missing."""
    base = folder()
    programs = base / "node_modules" / ".bin"
    claude, opencode = programs / "claude", programs / "opencode"
    if not (claude.exists() and opencode.exists()):
        return None
    seed = base / "opencode-config"
    return Installed(claude, opencode, seed if (seed / "node_modules").is_dir() else None)


def missing_reason() -> str:
    """Why the clients' tests cannot run here, and what to do."""
    if shutil.which("npm") is None:
        return "npm is not on PATH, so claude and opencode cannot be installed"
    return f"claude and opencode are not in {folder()}: run python -m tests.clients.install"


def install() -> Installed:
    """Install both clients, whole or not at all. Raises RuntimeError where npm is missing, and
    where something else is in the folder."""
    present = find()
    if present is not None:
        return present
    if shutil.which("npm") is None:
        raise RuntimeError(missing_reason())
    target = folder()
    if target.exists() and any(target.iterdir()):
        raise RuntimeError(
            f"{target} holds other things than claude and opencode: empty it, or let "
            "WM_TEST_CLIENTS name a folder that is empty, new, or has both in node_modules/.bin"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=".installing-", dir=target.parent))
    try:
        _npm(staged, *CLIENTS)
        _npm(staged / "opencode-config", OPENCODE_PLUGIN)
        try:
            staged.rename(target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            # A second installer was faster; its result is as good as ours.
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    found = find()
    if found is None:
        raise RuntimeError(f"npm finished, but {target} holds no claude and opencode")
    return found


def _npm(prefix: Path, *packages: str) -> None:
    prefix.mkdir(exist_ok=True)
    command = ["npm", "install", "--no-audit", "--no-fund", "--save-exact", "--prefix", str(prefix)]
    subprocess.run([*command, *packages], check=True, timeout=INSTALL_TIMEOUT_SECONDS, cwd=prefix)


def main() -> int:
    try:
        found = install()
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        print(f"could not install the clients: {error}", file=sys.stderr)
        return 1
    print(f"claude {CLAUDE_VERSION}: {found.claude}\nopencode {OPENCODE_VERSION}: {found.opencode}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
