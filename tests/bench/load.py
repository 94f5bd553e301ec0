"""A load changes no byte on disk: inodes, times and contents before and after reads."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tests.bench.harness import at_most, daemon, report, scratch


def fingerprint(folder: Path) -> dict[str, tuple[int, int, str]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "daemon.log":
            about = os.stat(path)
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path)] = (about.st_ino, about.st_mtime_ns, digest)
    return found


def main() -> bool:
    with scratch() as folder:
        project = folder / "project"
        project.mkdir()
        scope = {"directory": str(project)}
        with daemon(folder) as client:
            client.call("remember", {**scope, "text": "We deploy with make ship."})
        with daemon(folder) as client:
            before = fingerprint(folder / "wm")
            for _ in range(20):
                client.call("inspect", scope)
                client.call("search", {**scope, "query": "deploy"})
                client.call("list_workspaces", {})
            changed = sum(
                before.get(name) != value for name, value in fingerprint(folder / "wm").items()
            )
    return report("reading", [at_most("files changed by 60 reads", changed, 0, "")])
