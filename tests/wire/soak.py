"""`python -m tests.wire.soak [COUNT]`: histories and streams by the hundred thousand.

A conversation has five or six requests, each of them a history that the proxy sees, and as many
answers, each of them a stream: 20,000 conversations are some 110,000 and 90,000.

Each chunk is a run of hypothesis with a seed of its own, in a process of its own, so that all
processors work and one run never grows so long that its book-keeping is what takes the time. A
chunk that finds something is run again by `python -m tests.wire.soak chunk SEED COUNT`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import deque
from random import Random

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.wire import policies, streams
from tests.wire.conversations import Conversation, conversations

CONVERSATIONS = 20_000
CHUNK = 2_000


def chunk(number: int, count: int) -> dict[str, int]:
    """Raises AssertionError, with the smallest example that it found."""
    done = {"conversations": 0, "requests": 0, "streams": 0}

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(conversations(), st.integers(0, 2**32))
    def run(made: Conversation, chance: int) -> None:
        random = Random(chance)
        done["requests"] += policies.check(made)
        for raw in streams.streams(made, random):
            streams.check(raw, random)
            done["streams"] += 1
        done["conversations"] += 1

    run()
    return done


def soak(conversations: int, chunk_size: int = CHUNK) -> dict[str, int]:
    """Run so many, on all processors; what was checked. Raises AssertionError."""
    left = deque(range(-(-conversations // chunk_size)))
    total = {"conversations": 0, "requests": 0, "streams": 0}
    running: list[tuple[int, subprocess.Popen[str]]] = []
    begun = time.monotonic()
    while left or running:
        while left and len(running) < (os.cpu_count() or 1):
            number = left.popleft()
            words = [sys.executable, "-m", "tests.wire.soak", "chunk", str(number), str(chunk_size)]
            running.append((number, subprocess.Popen(words, stdout=subprocess.PIPE, text=True)))
        number, process = running.pop(0)
        output, _ = process.communicate()
        assert process.returncode == 0, f"chunk {number} found something"
        for name, count in json.loads(output).items():
            total[name] += count
        print(f"{time.monotonic() - begun:6.0f} s  {total}", file=sys.stderr, flush=True)
    return total


def main(words: list[str]) -> None:
    if words[:1] == ["chunk"]:
        print(json.dumps(chunk(int(words[1]), int(words[2]))))
    else:
        print(json.dumps(soak(int(words[0]) if words else CONVERSATIONS)))


if __name__ == "__main__":
    main(sys.argv[1:])
