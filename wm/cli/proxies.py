"""What `wm proxy` and `wm run` share: the token, the address, the sums at the end (PX-1)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

from wm.cli import output
from wm.cli.context import Caller, daemon_status
from wm.errors import UserError, WmError
from wm.formats.protocol import Scoped
from wm.ops.local import open_runtime
from wm.ops.place import locate
from wm.proxy.reporting import Reporter
from wm.proxy.serve import Running, running
from wm.proxy.watching import Observer
from wm.settings import ProxySettings, find_network


def settings_for(caller: Caller, upstream: str) -> ProxySettings:
    """The proxy's settings, with the upstream that was asked for."""
    settings = caller.settings.proxy
    return replace(settings, upstream=upstream) if upstream else settings


def lasting_token(caller: Caller) -> str:
    """The token of this user's `wm proxy`: the same after a restart, on no other machine."""
    return open_runtime(caller.settings).store.digest("proxy token")


def workspace_part(caller: Caller) -> str:
    """`/w/<key>` of the workspace that the user is in; "" outside of any."""
    try:
        asked = Scoped.model_validate(caller.scoped())
        return f"/w/{locate(open_runtime(caller.settings), asked).key}"
    except UserError:
        if caller.names_workspace:
            raise
        return ""


def has_daemon(caller: Caller) -> bool:
    try:
        daemon_status(caller.settings)
    except WmError:
        return False
    return True


class Seen(Struct, frozen=True):
    """What a proxy saw, and whom it told."""

    observer: Observer
    reporter: Reporter


@asynccontextmanager
async def watched(
    caller: Caller, settings: ProxySettings, token: str, *, port: int, record: bool = False
) -> AsyncIterator[tuple[Running, Seen]]:
    """A proxy whose exchanges are noted; record: with their bodies."""
    if record and not has_daemon(caller):
        output.note("Nothing is recorded: bodies go to the daemon, and none runs. Start it: wm up")
    reporter = Reporter(caller.settings)
    observer = Observer(
        reporter,
        lambda _error: None,
        record=record,
        unpacked_bytes=settings.unpacked_bytes,
    )
    async with running(
        settings,
        token,
        port=port,
        watch=observer.watch,
        failed=observer.failed,
        network=find_network(),
    ) as proxy:
        yield proxy, Seen(observer, reporter)
    await reporter.close(settings.drain_s)


def summary(seen: Seen) -> str:
    """One line on what passed."""
    tally = seen.observer.tally
    usage = tally.usage
    failed = f", {tally.failed} failed" if tally.failed else ""
    faults = f" {output.count(tally.faults, 'fault')} of ours beside them." if tally.faults else ""
    tokens = output.count(usage.prompt, "token")
    read = f"{tokens} read, {usage.cache_read:,} of them from the cache"
    return f"{output.count(tally.requests, 'request')}{failed}; {read}.{faults}"


def lost(seen: Seen) -> str:
    """What kept the daemon from keeping what passed, "" where nothing did."""
    trouble = seen.reporter.trouble
    if trouble is None:
        return ""
    return f"the daemon could not keep all of it. {trouble.message} {trouble.fix}".strip()


def recorded(seen: Seen) -> str:
    """One line on what was recorded, "" where nobody asked for it."""
    if not seen.observer.record:
        return ""
    handover = seen.reporter.handover
    told = f"{output.count(handover.recorded, 'exchange')} recorded without secrets"
    left = [f"{count:,} not: {reason}" for reason, count in sorted(handover.left.items()) if count]
    return "; ".join([told, *left]) + "."
