"""From starting the daemon's process to its first answer."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

from tests.bench.harness import ROOT, Row, at_most, environment, report, scratch, settings_for
from tests.bench.request import connect, receive

ROUNDS = 7


def main() -> bool:
    with scratch() as folder:
        settings = settings_for(folder)
        env = environment(folder)
        times, bare = [], []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", "import asyncio"], env=env, check=True)
            bare.append(time.perf_counter() - begun)
            times.append(one(settings.paths.socket, env))
    return report(
        "start to first answer",
        [
            at_most("daemon", median(times[1:]), 0.45, "s"),
            Row(
                "against python importing asyncio",
                f"{median(a / b for a, b in zip(times, bare, strict=True)):.2f} x",
            ),
        ],
    )


def one(path: object, env: dict[str, str]) -> float:
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-P", "-m", "wm.daemon"], env=env, cwd=ROOT)
    sock = connect(path)  # type: ignore[arg-type]
    sock.sendall(b"GET /v1/status HTTP/1.1\r\nHost: wm\r\n\r\n")
    receive(sock)
    took = time.perf_counter() - begun
    sock.close()
    process.terminate()
    process.wait(20)
    return took
