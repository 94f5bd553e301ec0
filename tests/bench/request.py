"""One small request through the whole daemon, against the same handler in FastAPI.

Both parse the request into the same pydantic model and answer with the same pydantic model
over a Unix socket, keep-alive, one connection, the same hand-made client.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.bench.harness import ROOT, at_most, daemon, environment, ratio, report, scratch, settle
from wm.daemon.client import Client

REQUESTS = 1500


def per_request(sock: socket.socket, head: bytes) -> float:
    """Seconds per request, over a batch on an open connection."""
    begun = time.perf_counter()
    for _ in range(REQUESTS):
        sock.sendall(head)
        receive(sock)
    return (time.perf_counter() - begun) / REQUESTS


def receive(sock: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += sock.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise SystemExit(f"unexpected answer: {data[:200]!r}")
    length = next(
        int(line[15:])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length:")
    )
    while len(body) < length:
        body += sock.recv(65536)
    return body


def connect(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    end = time.monotonic() + 20
    while True:
        try:
            sock.connect(str(path))
            return sock
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.002)


def asking(client: Client, project: Path) -> bytes:
    """A request for the one entry that it makes in this project."""
    made = client.call("remember", {"directory": str(project), "text": "We deploy with make ship."})
    target = f"/v1/entries/{made['entry']['id']}?directory={project}"
    return f"GET {target} HTTP/1.1\r\nHost: wm\r\n\r\n".encode()


def main() -> bool:
    try:
        import fastapi  # noqa: F401
    except ImportError:
        print("request: needs the `bench` extra (pip install -e '.[bench]')")
        return False
    with scratch() as folder:
        project = folder / "project"
        project.mkdir()
        peer_socket = folder / "fastapi.sock"
        peer = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.request_peer", str(peer_socket), str(project)],
            env=environment(folder),
            cwd=ROOT,
        )
        try:
            with daemon(folder) as client:
                head = asking(client, project)
                ours = connect(folder / "wm" / "run" / "wm.sock")
                theirs = connect(peer_socket)
                settle(client)
                for sock in (ours, theirs):
                    per_request(sock, head)
                value, left, right = ratio(
                    lambda: per_request(ours, head), lambda: per_request(theirs, head)
                )
        finally:
            peer.terminate()
            peer.wait(20)
    note = f"  ({left * 1e6:.0f} µs against {right * 1e6:.0f} µs)"
    return report(
        "a small request through the whole daemon",
        [at_most("GET /v1/entries/{id}", value, 0.8, "x FastAPI", note)],
    )
