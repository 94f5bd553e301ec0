"""An idle daemon: its memory, and how often it wakes up in a minute (strace, /proc)."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from tests.bench.harness import Row, at_most, daemon, report, scratch
from wm.daemon.client import Client

SECONDS = 60


SHORT = "[recall]\nembed_idle_s = 0.5\n"
"""Unload the embedder at once instead of after five minutes."""


def main() -> bool:
    with scratch() as folder, daemon(folder) as client:
        pid = used(client, folder)
        rows = [at_most("memory", resident_mb(pid), 60, "MB")]
        rows.append(at_most(f"wake-ups in {SECONDS} s", wake_ups(pid, folder), 0, ""))
    with scratch() as folder, daemon(folder) as client:
        pid = used(client, folder, session="s1")
        rows.append(Row("memory after a session's first event", f"{resident_mb(pid):.3g} MB"))
    with scratch() as folder:
        (folder / "wm").mkdir(mode=0o700)
        (folder / "wm" / "config.toml").write_text(SHORT)
        with daemon(folder) as client:
            pid = used(client, folder, "ship")
            left = f"{resident_mb(pid):.3g} MB"
    rows.append(Row("memory after a search, embedder unloaded", left))
    return report("an idle daemon", rows)


def used(client: Client, folder: Path, query: str = "", session: str = "") -> int:
    """Remember, search if there is a query, and begin a session if one is named; the daemon's
    process, idle again."""
    project = folder / "project"
    project.mkdir()
    client.call("remember", {"directory": str(project), "text": "We ship with make."})
    if query:
        client.call("search", {"directory": str(project), "query": query})
    if session:
        start = {"session_id": session, "cwd": str(project), "hook_event_name": "SessionStart"}
        client.call("hook", {"agent": "claude-code", "name": "SessionStart", "payload": start})
    pid = int(client.call("status", {})["pid"])
    client.close()
    time.sleep(3)  # what was hot is flushed and connections are closed by now
    return pid


def wake_ups(pid: int, folder: Path) -> int:
    """System calls that a minute of strace sees; where there is no strace, context switches."""
    if shutil.which("strace"):
        return traced_calls(pid, folder)
    before = switches(pid)
    time.sleep(SECONDS)
    return switches(pid) - before


def resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def switches(pid: int) -> int:
    """Voluntary context switches of all threads so far."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                total += int(line.split()[1])
    return total


def traced_calls(pid: int, folder: Path) -> int:
    """System calls in a minute. The waits that were under way when strace came are not calls."""
    log = folder / "strace.log"
    tracer = subprocess.Popen(["strace", "-f", "-qq", "-p", str(pid), "-o", str(log)])
    time.sleep(SECONDS)
    tracer.terminate()
    tracer.wait(10)
    lines = [
        text
        for text in log.read_text().splitlines()
        if "resumed" not in text and "<unfinished" not in text and "detached" not in text
    ]
    return len(lines)
