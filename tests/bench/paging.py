"""What paging adds: time of a request by its size, and the size of what is stored.

A session of four hundred steps grows to 2 MB. Each of its requests goes to an upstream directly and
through `wm proxy` with the policies `off` and `balanced` and a daemon, in turns; the upstream
answers at once. The first figures are differences of times to the first byte, beside what the
proxy's process worked meanwhile, which depends less on the load of the machine, and the same of
`off`; the last one compares files on disk.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from tests.bench.harness import Row, at_most, daemon, environment, report, scratch
from tests.bench.proxy import connect, exchange, line_of, process

STEPS = 400
STEP_LINES = 90
AGAIN = 8
"""Each step of this number reads the file of an earlier step again, unchanged."""
PAUSE_S = 0.1
"""Between requests, in which a client runs its tools and `wm` writes behind the answer."""
NEAR = 20
"""Requests around a size, of which the median is taken."""
GOALS_MS = {300_000: 4.0, 2_000_000: 10.0}
STORED_GOAL = 1.2
Times = tuple[int, float, float]
SESSIONS = {
    "off": "5e1f0b1c-7d0e-4b7a-9d43-8f1f5c2f9a11",
    "balanced": "0c6f1c52-93f1-4c39-8f0f-1d6d2b7f6e02",
}


class Work:
    """The session of a client: its messages as JSON, and its distinct calls and results."""

    def __init__(self, folder: Path) -> None:
        self._chance = Random(5)
        self._folder = folder
        self._files: list[str] = []
        first = {"role": "user", "content": [{"type": "text", "text": "Go."}]}
        self._messages = [json.dumps(first)]
        self._known: set[str] = set()

    def step(self, number: int) -> None:
        again = number % AGAIN == AGAIN - 1
        path = self._chance.randrange(len(self._files)) if again else len(self._files)
        if not again:
            self._files.append(self._text(number))
        given = {"file_path": f"{self._folder}/src/{path}.py"}
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": given}
        result = {
            "type": "tool_result", "tool_use_id": f"t{number}", "content": self._files[path],
        }  # fmt: skip
        self._messages += [
            json.dumps({"role": "assistant", "content": [call]}),
            json.dumps({"role": "user", "content": [result]}),
        ]
        self._known |= {json.dumps(given), json.dumps(self._files[path])}

    def _text(self, number: int) -> str:
        names = [f"quay_{self._chance.randrange(10**6)}" for _ in range(STEP_LINES)]
        return "\n".join(
            f"    {name} = berth_of(ship_{number}, draught={at}, line={name!r})"
            for at, name in enumerate(names)
        )

    def unique(self) -> int:
        """Bytes of its distinct inputs and results, as they are sent."""
        return sum(map(len, self._known))

    def request(self, base: str, session: str) -> bytes:
        mark = '"cache_control": {"type": "ephemeral"}, "type": "tool_result"'
        last = self._messages[-1].replace('"type": "tool_result"', mark)
        fields: dict[str, Any] = {
            "model": "claude-opus-5-5",
            "max_tokens": 64,
            "stream": True,
            "tools": [{"name": "Read", "input_schema": {"type": "object"}}],
            "system": "Be brief.",
        }
        messages = ", ".join([*self._messages[:-1], last])
        content = f'{json.dumps(fields)[:-1]}, "messages": [{messages}]}}'.encode()
        parts = urlsplit(base)
        head = (
            f"POST {parts.path}/v1/messages HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"User-Agent: claude-cli/2.1.330\r\nX-Claude-Code-Session-Id: {session}\r\n"
            f"X-Wm-Workspace: {self._folder}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        return head.encode() + content


def worked_s(process_id: int) -> float:
    """Processor time of a process so far."""
    threads = Path(f"/proc/{process_id}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in threads) / 1e9


def measured(direct: str, ways: dict[str, tuple[str, int]], work: Work) -> dict[str, list[Times]]:
    """Of each request with each policy: its size, the seconds that `wm` adds to it, and those that
    it works. ways: address and process of each proxy."""
    socks = {name: connect(base) for name, (base, _) in ways.items()}
    straight = connect(direct)
    found: dict[str, list[Times]] = {name: [] for name in ways}
    for number in range(STEPS):
        work.step(number)
        time.sleep(PAUSE_S)
        took = exchange(straight, work.request(direct, "-"))
        for name, (base, process_id) in ways.items():
            sent, begun = work.request(base, SESSIONS[name]), worked_s(process_id)
            added = exchange(socks[name], sent) - took
            found[name].append((len(sent), added, worked_s(process_id) - begun))
    for sock in (straight, *socks.values()):
        sock.close()
    return found


def near(found: list[Times], size: int) -> tuple[float, float]:
    """Milliseconds that are added to requests of about a size, and worked."""
    close = sorted(found, key=lambda one: abs(one[0] - size))[:NEAR]
    return 1000 * median(one[1] for one in close), 1000 * median(one[2] for one in close)


@contextlib.contextmanager
def proxies(direct: str, env: dict[str, str]) -> Iterator[dict[str, tuple[str, int]]]:
    """The address and the process of a proxy with each policy."""
    ways: dict[str, tuple[str, int]] = {}
    with contextlib.ExitStack() as stack:
        for name in SESSIONS:
            words = ("proxy", "--port", "0", "--policy", name, "--upstream", direct, "--json")
            ours = stack.enter_context(process("wm", *words, env=env))
            assert ours.stdout is not None
            said = json.loads("".join(iter(ours.stdout.readline, "}\n")) + "}")
            ways[name] = (said["baseUrl"], ours.pid)
        yield ways


def main() -> bool:
    rows: list[Row] = []
    with scratch() as folder, daemon(folder) as client:
        (folder / "shop").mkdir()
        work = Work((folder / "shop").resolve())
        env = environment(folder)
        with process("tests.bench.proxy_peers", "upstream", env=env) as upstream:
            direct = f"http://127.0.0.1:{line_of(upstream)}"
            with proxies(direct, env) as ways:
                found = measured(direct, ways, work)
        for size, goal in GOALS_MS.items():
            (plain, idle), (added, worked) = (near(found[name], size) for name in SESSIONS)
            note = f"  (processor {worked:.1f} ms; off {plain:.2f}, {idle:.1f} ms)"
            rows.append(at_most(f"added at {size // 1000:,} KB", added, goal, "ms", note))
        totals = client.call("list_objects", {"directory": str(folder / "shop")})
        cuts = sum(one["cuts"] for one in totals["totals"])
        logs = (folder / "wm" / "workspaces").glob("*/objects/*.jsonl")
        stored = sum(log.stat().st_size for log in logs) / work.unique()
        note = f"  ({len(totals['objects'])} steps, {cuts} cuts)"
        rows.append(at_most("stored", stored, STORED_GOAL, "x unique content", note))
    return report(f"paging, {os.cpu_count()} cores", rows)
