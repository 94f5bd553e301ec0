"""What `wm proxy` and `wm run` share: the address with its token, and the totals at the end (PX-1).

The totals say what was not stored and why; contents of requests are never printed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from msgspec import Struct
from msgspec.structs import replace

from wm.api.protocol import Scoped
from wm.cli import output
from wm.cli.context import Caller, daemon_status
from wm.daemon.lifecycle import start
from wm.domain.counts import saving
from wm.errors import UserError, WmError
from wm.ops.local import open_runtime
from wm.ops.paging.goals import GoalModel
from wm.ops.paging.ledger import totals_of
from wm.ops.paging.objects import objects_folder
from wm.ops.paging.turns import NamedPolicies
from wm.ops.place import locate
from wm.proxy.ledger import DaemonLedger
from wm.proxy.managing import OFF, ManagingPreparer
from wm.proxy.reporting import Reporter
from wm.proxy.serve import Running, running
from wm.proxy.watching import Note, Observer
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


def workspace_key(caller: Caller) -> str:
    """The key of the current workspace; "" without one."""
    try:
        scope = Scoped.model_validate(caller.scoped())
        return locate(open_runtime(caller.settings), scope).key
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


class ProxyRecords(Struct, frozen=True):
    """What a proxy observed, and its reporter to the daemon."""

    observer: Observer
    reporter: Reporter
    preparer: ManagingPreparer | None = None


@asynccontextmanager
async def watched(
    caller: Caller,
    settings: ProxySettings,
    token: str,
    *,
    port: int,
    policy: str = "",
    record: bool = False,
    workspace: str = "",
) -> AsyncIterator[tuple[Running, ProxyRecords]]:
    """A proxy that pages and records its exchanges. policy: for all of them; "" for what the person
    or config.toml chose. record: with their bodies. workspace: the key of all; "" for any. With an
    unusable config.toml nothing is removed and no bodies are recorded: that needs consent."""
    if record and caller.settings.config_error is not None:
        output.note("Nothing is recorded while config.toml cannot be used.")
        record = False
    reporter, ledger = Reporter(caller.settings), DaemonLedger(caller.settings)

    def report(note: Note) -> None:
        reporter(note)
        preparer.conclude(note.request)

    observer = Observer(
        report,
        lambda _error: None,
        record=record,
        unpacked_bytes=settings.unpacked_bytes,
        used=lambda request, usage: preparer.used(request, usage),
    )
    preparer = ManagingPreparer(
        policy or settings.policy or OFF,
        ledger,
        NamedPolicies(
            settings.passage_tokens,
            GoalModel(caller.settings.recall),
            caller.settings.pruning,
            settings.cleanup_tags and caller.settings.config_error is None,
        ),
        observer.failed,
        is_fixed=bool(policy),
        offers=settings.phantom_tools and caller.settings.config_error is None,
    )
    try:
        async with running(
            settings,
            token,
            port=port,
            watch=observer.watch,
            failed=observer.failed,
            preparer=preparer,
            network=find_network(),
        ) as proxy:
            await _start_daemon(caller, preparer.name, ledger, workspace, record=record)
            yield proxy, ProxyRecords(observer, reporter, preparer)
    finally:
        await preparer.close(settings.drain_s)
        await ledger.close()
        await reporter.close(settings.drain_s)


async def _start_daemon(
    caller: Caller, policy: str, ledger: DaemonLedger, workspace: str, *, record: bool
) -> None:
    """Start the daemon if something will be removed or recorded, and say what it stores. Requests
    that come meanwhile are served."""
    if policy != OFF or record:
        with suppress(WmError):  # requests then leave as the agent makes them
            await asyncio.to_thread(start, caller.settings)
    if await asyncio.to_thread(has_daemon, caller):
        ledger.read_ahead(caller.directory)  # with `off` too: what was removed before stays removed
        if policy != OFF:
            _announce(caller, policy, workspace)
    elif record:
        output.note(
            "Nothing is recorded: the daemon, which stores bodies, does not start. "
            "`wm doctor` says why."
        )


def _announce(caller: Caller, policy: str, workspace: str) -> None:
    """Say what is stored, where and for how long, before anything is (OB-1)."""
    days = caller.settings.storage.object_max_age_days
    home = caller.settings.paths.home
    folder = output.home_short(str(home / objects_folder(workspace or "<workspace>")))
    output.note(
        f"Paging policy {policy}: the steps of sessions are kept, without secrets, for {days:g} "
        f"days in {folder}, so that what is removed can be restored. `wm objects` shows them; "
        "`--policy off` stores nothing."
    )


def summary(records: ProxyRecords) -> str:
    """The totals in one line."""
    tally = records.observer.tally
    usage = tally.usage
    failed = f", {tally.failed} failed" if tally.failed else ""
    internal = output.count(tally.faults, "internal error")
    faults = f" {internal} of wm; no bytes were changed." if tally.faults else ""
    tokens = output.count(usage.prompt, "token")
    read = f"{tokens} read, {usage.cache_read:,} of them from the cache"
    return f"{output.count(tally.requests, 'request')}{failed}; {read}.{faults}"


def print_end(verb: str, records: ProxyRecords) -> None:
    """Print the totals, what was recorded, and what the daemon could not store."""
    for text in filter(None, (summary(records), paged(records), recorded(records), lost(records))):
        output.note(f"{verb}: {text}")


def paged(records: ProxyRecords) -> str:
    """What paging saved, in one line; "" if nothing was removed (PX-7)."""
    states = records.preparer.bills() if records.preparer else []
    bills = [totals_of(state, "") for state in states if state.removed]
    if records.preparer is None or not bills:
        return ""
    removed = sum(bill.removed for bill in bills)
    saved = sum(bill.saved - bill.spent for bill in bills)
    needed = sum(bill.faults for bill in bills)
    cost = sum(bill.fault_cost for bill in bills)
    misses = sum(bill.misses for bill in bills)
    phantoms = sum(bill.phantoms for bill in bills)
    asked = sum(bill.phantom_cost for bill in bills)
    passages = sum(bill.passages for bill in bills)
    is_priced = not any(bill.unpriced for bill in bills)
    text = f"policy {records.preparer.name}: {output.count(removed, 'token')} fewer at the end, "
    text += saving(saved, is_priced=is_priced)
    if needed:
        used = output.count(needed, "removed step")
        text += f"; {used} needed again" + (f" ({output.dollars(cost)})" if is_priced else "")
    if passages:
        text += f"; {output.count(passages, 'removed passage')} brought back unasked"
    if phantoms:
        text += f"; {output.count(phantoms, 'answer')} used hidden tools"
        text += f" ({output.dollars(asked)})" if is_priced else ""
    if misses:
        text += f"; {output.count(misses, 'cache miss', 'cache misses')}"
    return f"{text}. Estimated; `wm objects` has the details."


def lost(records: ProxyRecords) -> str:
    """Why the daemon could not store everything, or ""."""
    trouble = records.reporter.trouble
    if trouble is None:
        return ""
    return f"the daemon could not store all of it. {trouble.message} {trouble.fix}".strip()


def recorded(records: ProxyRecords) -> str:
    """What was recorded, in one line; "" if recording is off."""
    if not records.observer.record:
        return ""
    handover = records.reporter.handover
    text = f"{output.count(handover.recorded, 'exchange')} recorded without secrets"
    left = [f"{count:,} not: {reason}" for reason, count in sorted(handover.left.items()) if count]
    return "; ".join([text, *left]) + "."
