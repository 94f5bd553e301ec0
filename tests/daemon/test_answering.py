"""The loop tells whoever computes beside it when it is at work."""

from __future__ import annotations

import asyncio
import threading

from wm.daemon.serve import _loop
from wm.ops.background import Answering

PATIENCE_S = 20.0


def test_the_loop_says_that_it_answers_whenever_it_does_not_wait_and_is_not_closed() -> None:
    answering = Answering()
    seen: list[bool] = []

    def look() -> None:
        for _ in range(int(PATIENCE_S * 1000)):
            if not answering.now:
                seen.append(True)
                break
            threading.Event().wait(0.001)
        loop.call_soon_threadsafe(go.set)

    async def run() -> None:
        seen.append(answering.now)
        threading.Thread(target=look).start()
        await go.wait()

        seen.append(answering.now)

    loop = _loop(answering)
    go = asyncio.Event()
    try:
        loop.run_until_complete(run())
    finally:
        loop.close()

    assert seen == [True, True, True]
    assert not answering.now
