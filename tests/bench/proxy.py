"""What the proxy adds: time to the first byte, requests per second, memory with many sessions.

One upstream answers every request with a stream of two hundred events. The same client speaks to
it directly (`direct`), through a relay of bytes on the same event loop (`raw`), through one that
parses and frames each message, as any proxy of this stack must (`bare`), and through `wm proxy`,
in turns; the request bodies are histories of a conversation that grows by a turn each time. For
the rate it answers as a model does: after 50 ms, event by event.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from tests.bench.harness import ROOT, Row, at_least, at_most, environment, report, scratch, together
from tests.bench.idle import resident_mb

SIZES = {"50 KB": 50_000, "300 KB": 300_000, "2 MB": 2_000_000}
ROUNDS = 40
WORKERS = 8
PER_WORKER = 40
SESSIONS = 100
FIRST_BYTE_GOAL = 1.3
RATE_GOAL = 0.73
MEMORY_GOAL_MB = 60.0


TOOL = {"name": "Bash", "input_schema": {"type": "object"}}


def body(size: int, turn: int, model: str = "m") -> bytes:
    """A history of about `size` bytes and `turn` turns behind it."""
    block = {"type": "text", "text": "The quick brown fox jumps over the lazy dog. " * 40}
    messages = [{"role": "user", "content": [block]} for _ in range(max(1, size // 1900))]
    messages += [{"role": "assistant", "content": f"Turn {number}."} for number in range(turn)]
    fields = {"model": model, "max_tokens": 64, "stream": True, "tools": [TOOL]}
    return json.dumps({**fields, "messages": messages}).encode()


KEY = "sk-of-the-measurement"
"""One of the peers wants to be asked with a key."""


def request(base: str, session: str, content: bytes) -> bytes:
    parts = urlsplit(base)
    head = (
        f"POST {parts.path}/v1/messages HTTP/1.1\r\nHost: {parts.netloc}\r\nx-api-key: {KEY}\r\n"
        f"X-Claude-Code-Session-Id: {session}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


def connect(base: str) -> socket.socket:
    parts = urlsplit(base)
    assert parts.hostname is not None
    assert parts.port is not None
    sock = socket.create_connection((parts.hostname, parts.port), timeout=30)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def exchange(sock: socket.socket, data: bytes) -> float:
    """Seconds to the first byte; reads the answer to its end."""
    begun = time.perf_counter()
    sock.sendall(data)
    got = sock.recv(262144)
    first = time.perf_counter() - begun
    while not got.endswith(b"0\r\n\r\n"):
        more = sock.recv(262144)
        if not more:
            raise SystemExit(f"the answer broke off: {got[:200]!r}")
        got = got[-16:] + more
    return first


@contextlib.contextmanager
def process(module: str, *words: str, env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    started = subprocess.Popen(
        [sys.executable, "-m", module, *words], env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        started.wait(20)
        assert started.stdout is not None
        started.stdout.close()


def line_of(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    return started.stdout.readline().strip()


@contextlib.contextmanager
def ways(folder: Path) -> Iterator[tuple[dict[str, str], int]]:
    """Base URLs of the ways, and the process id of the proxy."""
    env = environment(folder)
    with process("tests.bench.proxy_peers", "upstream", env=env) as upstream:
        direct = f"http://127.0.0.1:{line_of(upstream)}"
        port = str(urlsplit(direct).port)
        with (
            process("tests.bench.proxy_peers", "relay", port, env=env) as relay,
            process("tests.bench.proxy_peers", "parsed", port, env=env) as parsed,
            process("wm", "proxy", "--port", "0", "--upstream", direct, "--json", env=env) as ours,
        ):
            raw, bare = (f"http://127.0.0.1:{line_of(one)}" for one in (relay, parsed))
            assert ours.stdout is not None
            printed = json.loads("".join(iter(ours.stdout.readline, "}\n")) + "}")
            yield {"direct": direct, "raw": raw, "bare": bare, "wm": printed["baseUrl"]}, ours.pid


def first_bytes(bases: dict[str, str], size: int, rounds: int = ROUNDS) -> dict[str, float]:
    """Median seconds to the first byte, each way in turn."""
    socks = {name: connect(base) for name, base in bases.items()}
    times: dict[str, list[float]] = {name: [] for name in bases}
    for turn in range(rounds):
        content = body(size, turn)
        for name, base in bases.items():
            times[name].append(exchange(socks[name], request(base, f"s-{size}", content)))
    for sock in socks.values():
        sock.close()
    return {name: median(found[5:]) for name, found in times.items()}


def rate(base: str, folder: Path) -> float:
    """Requests per second of eight workers, each with a connection of its own."""
    words = [sys.executable, "-m", "tests.bench.proxy_peers", "worker", base]
    results = together(
        [[*words, str(n), str(PER_WORKER)] for n in range(WORKERS)], environment(folder)
    )
    return WORKERS * PER_WORKER / max(float(result["seconds"]) for result in results)


def with_sessions(base: str, pid: int) -> float:
    """Resident MB of the proxy with a hundred sessions open, each of which asked once."""
    socks = []
    for number in range(SESSIONS):
        socks.append(connect(base))
        exchange(socks[-1], request(base, f"many-{number}", body(300_000, number)))
    resident = resident_mb(pid)
    for sock in socks:
        sock.close()
    return resident


def main() -> bool:
    rows: list[Row] = []
    with scratch() as folder, ways(folder) as (bases, pid):
        for name, size in SIZES.items():
            found = first_bytes(bases, size)
            ms = {way: f"{1000 * seconds:.2f}" for way, seconds in found.items()}
            note = f"  ({', '.join(f'{way} {time}' for way, time in ms.items())} ms)"
            share = found["wm"] / found["bare"]
            rows.append(at_most(f"first byte, {name}", share, FIRST_BYTE_GOAL, "x bare", note))
        rates: dict[str, list[float]] = {name: [] for name in bases}
        for _ in range(3):
            for name, base in bases.items():
                rates[name].append(rate(base, folder))
        mid = {name: median(found) for name, found in rates.items()}
        note = f"  ({mid['wm']:.0f}/s against {mid['direct']:.0f}/s, bare {mid['bare']:.0f}/s)"
        share = mid["wm"] / mid["direct"]
        rows.append(at_least("requests per second, 300 KB", share, RATE_GOAL, "x direct", note))
        resident = with_sessions(bases["wm"], pid)
        rows.append(at_most(f"memory, {SESSIONS} sessions", resident, MEMORY_GOAL_MB, "MB"))
    return report(f"the proxy, {os.cpu_count()} cores", rows)
