"""A policy that no user has: it shows what any policy may do to a history."""

from __future__ import annotations

from wm.wire.body import Body
from wm.wire.history import History
from wm.wire.policy import Decision, Log, Policy, results


def stubbing(seed: int) -> Policy:
    """Takes away some results, once two newer ones stand behind them."""

    def policy(body: Body, told: History, log: Log) -> tuple[Decision, ...]:
        names = [name for _, name in results(body, told)]
        return tuple(
            Decision(name, f"[taken out: {name}] ünd 'quotes' \"\\", "old")
            for name in names[:-2]
            if (int(name, 16) + seed) % 3 and name not in log
        )

    return policy
