"""What `wm proxy` and `wm run` share: the address with its token, and the totals at the end (PX-1).

The totals say what was not stored and why; contents of requests are never printed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from msgspec import Struct

from wm.api.protocol import Scoped
from wm.cli import output
from wm.cli.context import Caller, daemon_status
from wm.errors import UserError, WmError
from wm.ops.local import open_runtime
from wm.ops.place import locate
from wm.proxy.reporting import Reporter
from wm.proxy.serve import Running, running
from wm.proxy.watching import Observer
from wm.settings import ProxySettings, find_network


def settings_for(caller: Caller, upstream: str) -> ProxySettings:
    """The proxy's settings, with the upstream from the command line.

    Raises UserError if config.toml cannot be used and no upstream is given: a key for a company's
    gateway must not be sent to the default upstream.
    """
    if not upstream and caller.settings.config_error is not None:
        raise UserError(
            f"The upstream is not known: {caller.settings.config_error.message}",
            fix=f"{caller.settings.config_error.fix} Or name the upstream with --upstream URL.",
        )
    settings = caller.settings.proxy
    return replace(settings, upstream=upstream) if upstream else settings


def lasting_token(caller: Caller) -> str:
    """The token of this user's `wm proxy`: kept across restarts, different on other machines."""
    return open_runtime(caller.settings).store.digest("proxy token")


def workspace_part(caller: Caller) -> str:
    """`/w/<key>` of the current workspace; "" without one."""
    try:
        scope = Scoped.model_validate(caller.scoped())
        return f"/w/{locate(open_runtime(caller.settings), scope).key}"
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
    """What a proxy observed, and its reporter to the daemon."""

    observer: Observer
    reporter: Reporter


@asynccontextmanager
async def watched(
    caller: Caller, settings: ProxySettings, token: str, *, port: int, record: bool = False
) -> AsyncIterator[tuple[Running, Seen]]:
    """A proxy that records its exchanges; record: with their bodies. With an unusable config.toml
    no bodies are recorded: that needs consent, and the limits are unknown."""
    if record and caller.settings.config_error is not None:
        output.note("Nothing is recorded while config.toml cannot be used.")
        record = False
    if record and not has_daemon(caller):
        output.note(
            "Nothing is recorded: the daemon, which stores bodies, is down. Start it: wm up"
        )
    reporter = Reporter(caller.settings)
    observer = Observer(
        reporter, lambda _error: None, record=record, unpacked_bytes=settings.unpacked_bytes
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
    """The totals in one line."""
    tally = seen.observer.tally
    usage = tally.usage
    failed = f", {tally.failed} failed" if tally.failed else ""
    internal = output.count(tally.faults, "internal error")
    faults = f" {internal} of wm; no bytes were changed." if tally.faults else ""
    tokens = output.count(usage.prompt, "token")
    read = f"{tokens} read, {usage.cache_read:,} of them from the cache"
    return f"{output.count(tally.requests, 'request')}{failed}; {read}.{faults}"


def print_end(verb: str, seen: Seen) -> None:
    """Print the totals, what was recorded, and what the daemon could not store."""
    for text in filter(None, (summary(seen), recorded(seen), lost(seen))):
        output.note(f"{verb}: {text}")


def lost(seen: Seen) -> str:
    """Why the daemon could not store everything, or ""."""
    trouble = seen.reporter.trouble
    if trouble is None:
        return ""
    return f"the daemon could not store all of it. {trouble.message} {trouble.fix}".strip()


def recorded(seen: Seen) -> str:
    """What was recorded, in one line; "" if recording is off."""
    if not seen.observer.record:
        return ""
    handover = seen.reporter.handover
    text = f"{output.count(handover.recorded, 'exchange')} recorded without secrets"
    left = [f"{count:,} not: {reason}" for reason, count in sorted(handover.left.items()) if count]
    return "; ".join([text, *left]) + "."
