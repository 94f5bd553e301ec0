"""Other proxies for the Messages API beside ours, in one run with the same client and upstream.

    python -m tests.bench proxy_rivals [--install] [NAME…]

NAME is `litellm`, `mitmproxy` or `pichay`; all without one. Each lives in a virtual environment of
its own under the cache (`~/.cache/wm-tests/rivals`), which `--install` makes; nothing of them is
part of this repository. One that is not there, or does not come up, is skipped with the reason.
WM_BENCH_PICHAY names a folder or URL to install pichay from.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from tests.bench import proxy
from tests.bench.harness import Row, report, scratch

ROUNDS = 15
UP_WITHIN_S = 150.0
LITELLM_CONFIG = """
model_list:
  - model_name: "*"
    litellm_params: {{model: "anthropic/*", api_base: "{upstream}", api_key: "none"}}
general_settings: {{master_key: "{key}"}}
litellm_settings: {{telemetry: false}}
"""


@dataclass(frozen=True)
class Rival:
    """packages: what pip installs, option words included. python: the oldest that it runs on.

    command: of its folder of programs, its port, the upstream, and a folder to write to.
    """

    name: str
    packages: tuple[tuple[str, ...], ...]
    command: Callable[[Path, int, str, Path], list[str]]
    python: tuple[int, int] = (3, 10)


def _litellm(bin_folder: Path, port: int, upstream: str, folder: Path) -> list[str]:
    config = folder / "litellm.yaml"
    config.write_text(LITELLM_CONFIG.format(upstream=upstream, key=proxy.KEY))
    return [
        str(bin_folder / "litellm"),
        *("--config", str(config), "--host", "127.0.0.1", "--port", str(port)),
    ]


def _mitmproxy(bin_folder: Path, port: int, upstream: str, folder: Path) -> list[str]:
    return [
        str(bin_folder / "mitmdump"),
        *("--mode", f"reverse:{upstream}", "--listen-host", "127.0.0.1"),
        *("--listen-port", str(port), "--set", "stream_large_bodies=1", "--quiet"),
        *("--set", f"confdir={folder / 'mitm'}"),
    ]


def _pichay(bin_folder: Path, port: int, upstream: str, folder: Path) -> list[str]:
    return [
        *(str(bin_folder / "pichay"), "--no-launch", "--port", str(port)),
        *("--anthropic-upstream", upstream, "--log-dir", str(folder / "logs")),
    ]


PICHAY = os.environ.get("WM_BENCH_PICHAY") or "git+https://github.com/fsgeek/pichay"
RIVALS = (
    Rival("litellm", (("litellm[proxy]",),), _litellm),
    Rival("mitmproxy", (("mitmproxy",),), _mitmproxy),
    Rival(
        "pichay",
        (
            ("--no-deps", PICHAY),
            ("httpx", "fastapi", "uvicorn", "flask", "prometheus-client", "anthropic", "numpy"),
        ),
        _pichay,
        python=(3, 12),
    ),
)


class Absent(Exception):
    """It cannot be measured here; the text says why."""


def home(rival: Rival) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "wm-tests" / "rivals" / rival.name


def install(rival: Rival) -> None:
    """Raises Absent."""
    place = home(rival)
    python = _python(rival.python)
    shutil.rmtree(place, ignore_errors=True)
    words = [[python, "-m", "venv", str(place)]]
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    words += [[*pip, *packages] for packages in rival.packages]
    for command in words:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            last = (done.stderr.strip() or "without a word").splitlines()[-1]
            shutil.rmtree(place, ignore_errors=True)
            raise Absent(f"cannot be installed: {last[:200]}")


def _python(oldest: tuple[int, int]) -> str:
    """A Python that is new enough. Raises Absent."""
    if sys.version_info[:2] >= oldest:
        return sys.executable
    for minor in range(oldest[1], oldest[1] + 4):
        if found := shutil.which(f"python{oldest[0]}.{minor}"):
            return found
    raise Absent(f"needs Python {oldest[0]}.{oldest[1]} on the PATH")


@contextlib.contextmanager
def serving(rival: Rival, upstream: str, folder: Path) -> Iterator[tuple[str, int]]:
    """Its base URL and process id. Raises Absent."""
    bin_folder = home(rival) / "bin"
    if not bin_folder.exists():
        raise Absent("is not installed; --install makes it")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "NO_PROXY": "127.0.0.1"}
    with (folder / f"{rival.name}.log").open("wb") as log:
        process = subprocess.Popen(
            rival.command(bin_folder, port, upstream, folder),
            env=env,
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        try:
            base = f"http://127.0.0.1:{port}"
            _wait_for(base, process, folder / f"{rival.name}.log")
            yield base, process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()


def _wait_for(base: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + UP_WITHIN_S
    port = urlsplit(base).port
    while time.monotonic() < end:
        if process.poll() is not None:
            said = log.read_text("utf-8", "replace").strip().splitlines()
            raise Absent(f"ended at once: {said[-1][:200] if said else 'without a word'}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port or 0), 1):
            return
        time.sleep(0.2)
    raise Absent(f"did not listen within {UP_WITHIN_S:.0f} s")


def measured(name: str, base: str, direct: str, pid: int, folder: Path) -> list[Row]:
    """Rows without goals: what it is measured to be, not what it should be."""
    rows = []
    try:
        for size_name, size in proxy.SIZES.items():
            found = proxy.first_bytes({"direct": direct, name: base}, size, ROUNDS)
            added = 1000 * (found[name] - found["direct"])
            figure = f"{added:.2f} ms  (direct {1000 * found['direct']:.2f} ms)"
            rows.append(Row(f"{name}: added before the first byte, {size_name}", figure))
        rates = [proxy.rate(base, folder) for _ in range(2)]
        rows.append(Row(f"{name}: requests per second, 8 workers", f"{median(rates):.1f}/s"))
        held = proxy.with_sessions(base, pid)
        rows.append(Row(f"{name}: memory, {proxy.SESSIONS} sessions", f"{held:.0f} MB"))
    except (OSError, SystemExit) as error:
        rows.append(Row(f"{name}: broke off", str(error)[:160]))
    return rows


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench proxy_rivals")
    parser.add_argument("--install", action="store_true", help="make their environments anew")
    parser.add_argument("names", nargs="*", metavar="NAME")
    asked = parser.parse_args(words)
    rivals = [rival for rival in RIVALS if not asked.names or rival.name in asked.names]
    rows: list[Row] = []
    with scratch() as folder, proxy.ways(folder) as (bases, pid):
        rows += measured("wm", bases["wm"], bases["direct"], pid, folder)
        for rival in rivals:
            try:
                if asked.install:
                    install(rival)
                with serving(rival, bases["direct"], folder) as (base, its_pid):
                    rows += measured(rival.name, base, bases["direct"], its_pid, folder)
            except Absent as why:
                rows.append(Row(rival.name, f"skipped: {why}"))
    return 0 if report(f"proxies side by side, {os.cpu_count()} cores", rows) else 1
