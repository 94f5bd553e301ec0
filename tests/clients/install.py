"""Put the pinned clients into a cache folder outside the repository.

`python -m tests.clients.install` takes about two minutes and 1.8 GB once. The versions are pinned
because npm otherwise picks one by the node version, and developers would test different clients.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PACKAGES = {
    "claude": "@anthropic-ai/claude-code@2.1.332",
    "opencode": "opencode-ai@1.18.33",
    "codex": "@openai/codex@0.171.0",
    "copilot": "@github/copilot@1.0.102",
    "gemini": "@google/gemini-cli@0.61.0",
    "qwen": "@qwen-code/qwen-code@0.24.4",
    "node": "node@22.23.3",
}
"""Program -> its package. Qwen Code needs a newer node than many machines have."""
# What OpenCode installs into its own config folder as soon as it sees a plugin there.
OPENCODE_PLUGIN = "@opencode-ai/plugin@1.18.33"
INSTALL_TIMEOUT_SECONDS = 900


@dataclass(frozen=True)
class Installed:
    """The folder of the programs, and a ready-made OpenCode config folder to seed homes from (or
    None)."""

    programs: Path
    opencode_config: Path | None

    @property
    def claude(self) -> Path:
        return self.programs / "claude"

    @property
    def opencode(self) -> Path:
        return self.programs / "opencode"


def folder() -> Path:
    """The folder that WM_TEST_CLIENTS names, where the clients are or will be; else the cache."""
    own = os.environ.get("WM_TEST_CLIENTS")
    if own:
        return Path(own).absolute()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    versions = hashlib.sha256(" ".join(PACKAGES.values()).encode()).hexdigest()
    return cache / "wm-tests" / "clients" / f"agents-{versions[:12]}"


def find() -> Installed | None:
    """What is installed already; None when a program is missing."""
    base = folder()
    programs = base / "node_modules" / ".bin"
    if not all((programs / name).exists() for name in PACKAGES):
        return None
    seed = base / "opencode-config"
    return Installed(programs, seed if (seed / "node_modules").is_dir() else None)


def missing_reason() -> str:
    """Why the clients' tests cannot run here, and what to do."""
    if shutil.which("npm") is None:
        return "npm is not on PATH, so the agents cannot be installed"
    return f"the agents are not all in {folder()}: run python -m tests.clients.install"


def install() -> Installed:
    """Install all clients, whole or not at all. Raises RuntimeError where npm is missing, and
    where something else is in the folder."""
    present = find()
    if present is not None:
        return present
    if shutil.which("npm") is None:
        raise RuntimeError(missing_reason())
    target = folder()
    if target.exists() and any(target.iterdir()):
        raise RuntimeError(
            f"{target} holds other things than the agents, or not all of them: empty it, or let "
            "WM_TEST_CLIENTS name a folder that is empty, new, or has all in node_modules/.bin"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=".installing-", dir=target.parent))
    try:
        _npm(staged, *PACKAGES.values())
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
        raise RuntimeError(f"npm finished, but {target} does not hold all agents")
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
    for name, package in PACKAGES.items():
        print(f"{package}: {found.programs / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
