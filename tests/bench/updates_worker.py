"""One agent of the `updates` measurement: SIDE WHERE ENTRY UPDATES."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.bench.request import connect, receive
from wm.settings import load


def main() -> None:
    side, where, entry, updates = sys.argv[1:5]
    update = wm_update(where, entry) if side == "wm" else sqlite_update(where)
    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps(run(update, int(updates))), flush=True)
    sys.stdin.read()


def run(update: Callable[[int], Any], updates: int) -> dict[str, float]:
    longest, first = 0.0, time.monotonic()
    for number in range(updates):
        begun = time.monotonic()
        update(number)
        longest = max(longest, time.monotonic() - begun)
    return {"seconds": time.monotonic() - first, "longest": longest}


def wm_update(project: str, entry: str) -> Callable[[int], Any]:
    """A keep-alive connection and ready-made requests, as an agent's plugin has them: what is
    measured is the daemon, not the Python client."""
    sock = connect(load().paths.socket)
    requests = []
    for importance in ("low", "high"):
        body = json.dumps({"directory": project, "importance": importance}).encode()
        head = f"PATCH /v1/entries/{entry} HTTP/1.1\r\nHost: wm\r\nContent-Length: {len(body)}"
        requests.append(head.encode() + b"\r\n\r\n" + body)
    sock.sendall(b"GET /v1/status HTTP/1.1\r\nHost: wm\r\n\r\n")
    receive(sock)

    def update(number: int) -> Any:
        sock.sendall(requests[number % 2])
        return json.loads(receive(sock))

    return update


def make_database(path: str) -> None:
    """Once, before the agents come: of several that turn the log on at once, one is refused."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("pragma journal_mode=wal")
        database.execute("create table documents (id integer primary key, body text)")
        body = json.dumps({"text": "x" * 5000, "number": 0})
        database.execute("insert into documents values (1, ?)", (body,))


def sqlite_update(path: str) -> Callable[[int], Any]:
    database = sqlite3.connect(path, timeout=60, isolation_level=None)
    database.execute("pragma busy_timeout=60000")
    database.execute("pragma synchronous=full")

    def update(number: int) -> None:
        database.execute("begin immediate")
        row = database.execute("select body from documents where id = 1").fetchone()
        document = {**json.loads(row[0]), "number": number}
        database.execute("update documents set body = ? where id = 1", (json.dumps(document),))
        database.execute("commit")

    return update


if __name__ == "__main__":
    main()
