"""What `wm proxy` and `wm run` share: the address with its token, and the totals at the end (PX-1).

The totals say what was not stored and why; contents of requests are never printed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from msgspec import Struct
from msgspec.structs import replace

from wm.api.protocol import PagingTotals, Scoped
from wm.cli import output
from wm.cli.context import Caller, daemon_status
from wm.cli.overview import memory_line, paging_line
from wm.daemon.lifecycle import start
from wm.errors import UserError, WmError
from wm.ops.local import open_runtime
from wm.ops.paging.goals import GoalModel
from wm.ops.paging.ledger import storage_note, totals_of
from wm.ops.paging.objects import folders
from wm.ops.paging.turns import NamedPolicies
from wm.ops.place import locate
from wm.proxy.ledger import DaemonLedger
from wm.proxy.managing import OFF, ManagingPreparer
from wm.proxy.observing import Note, Observer
from wm.proxy.reporting import Reporter
from wm.proxy.serve import Running, running
from wm.settings import ProxySettings, find_network


def settings_for(caller: Caller, upstream: str) -> ProxySettings:
    """The proxy's settings, with the upstream from the command line.

    Raises UserError if config.toml cannot be used and no upstream is given: a key for a company's
    gateway must not be sent to the default upstream.
    """
    if not upstream and caller.settings.config_error is not None:
        raise UserError.of(
            "proxy.unknown_upstream",
            message=caller.settings.config_error.message,
            fix=caller.settings.config_error.fix,
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
    """Whether a daemon answers."""
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
    folder: str = ""
    """Where bodies are recorded."""
    ledger: DaemonLedger | None = None


@asynccontextmanager
async def watched(
    caller: Caller,
    settings: ProxySettings,
    token: str,
    *,
    port: int,
    policy: str,
    record: bool,
    workspace: str = "",
) -> AsyncIterator[tuple[Running, ProxyRecords]]:
    """A proxy that pages and records its exchanges. policy: for all; "" for the chosen one. record:
    with their bodies, unless config.toml is unusable. workspace: the key of all; "" for any."""
    if record and caller.settings.config_error is not None:
        output.note("Nothing is recorded while config.toml cannot be used.")
        record = False
    folder = caller.directory if workspace else ""
    reporter, ledger = Reporter(caller.settings, folder), DaemonLedger(caller.settings, folder)

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
    _announce(caller, preparer.name, workspace)
    try:
        async with running(
            settings,
            token,
            port=port,
            observe=observer.observe,
            failed=observer.failed,
            preparer=preparer,
            network=find_network(),
        ) as proxy:
            await _start_daemon(caller, preparer.name, ledger, record=record)
            where = _folders(caller, workspace)[1]
            yield proxy, ProxyRecords(observer, reporter, preparer, where, ledger)
    finally:
        await preparer.close(settings.drain_s)
        await ledger.close()
        await reporter.close(settings.drain_s)


async def _start_daemon(caller: Caller, policy: str, ledger: DaemonLedger, *, record: bool) -> None:
    """Start the daemon if something will be removed or recorded. Requests that come meanwhile are
    served."""
    if policy != OFF or record:
        with suppress(WmError):  # requests then leave as the agent makes them
            await asyncio.to_thread(start, caller.settings)
    if await asyncio.to_thread(has_daemon, caller):
        ledger.read_ahead(caller.directory)  # with `off` too: what was removed before stays removed
    elif policy != OFF or record:
        what = "recorded" if record else "removed from requests"
        output.note(
            f"Nothing is {what} until the daemon runs: it does not start. `wm doctor` says why."
        )


def _folders(caller: Caller, workspace: str) -> list[str]:
    """The folders of a workspace's steps and of its recorded bodies, for people."""
    home = caller.settings.paths.home
    return [output.home_short(str(home / one)) for one in folders(workspace or "<workspace>")]


def _announce(caller: Caller, policy: str, workspace: str) -> None:
    """Say what is stored, before anything is: a daemon that starts later stores it, too (OB-1)."""
    if policy != OFF:
        note = storage_note(caller.settings, workspace, _folders(caller, workspace)[0])
        output.note(f"Paging policy {policy}: {note}; `--policy off` stores nothing.")


def summary(records: ProxyRecords) -> str:
    """The totals in one line."""
    tally = records.observer.tally
    if not tally.requests:
        return "0 requests; only programs that read ANTHROPIC_BASE_URL use the proxy."
    usage = tally.usage
    failed = f", {tally.failed} failed" if tally.failed else ""
    internal = output.count(tally.faults, "internal error")
    faults = f" {internal} of wm; no bytes were changed." if tally.faults else ""
    tokens = output.count(usage.prompt, "token")
    read = f"{tokens} read, {usage.cache_read:,} of them from the cache"
    return f"{output.count(tally.requests, 'request')}{failed}; {read}.{faults}"


def print_end(verb: str, records: ProxyRecords) -> None:
    """Print the totals, what was recorded, what the daemon could not store, and the bill."""
    made = records.preparer
    bills = [totals_of(one, "") for one in (made.bills() if made else ())]
    texts = (summary(records), recorded(records), lost(records))
    for text in filter(None, (*texts, *paged(bills, made.name if made else ""))):
        output.note(f"{verb}: {text}")


def paged(bills: Sequence[PagingTotals], policy: str) -> tuple[str, ...]:
    """What memory itself adds, and last what paging did; nothing without a bill that it changed."""
    if not bills:
        return ()
    used = next((one.policy for one in reversed(bills) if one.policy not in ("", OFF)), policy)
    total = bills[0].model_copy(
        update={name: sum(getattr(one, name) for one in bills) for name in _SUMMED}
        | {"policy": used, "unpriced": sum((b.unpriced for b in bills), ())}
        | {"uncut": bills[-1].uncut}
    )
    fewer = f"{output.count(total.removed, 'token')} fewer at the end"
    line = f"{paging_line(total)} · {fewer}. Estimated; `wm objects` has the details."
    says = total.saved or total.spent or total.misses or total.uncut not in (None, "policy")
    return memory_line(total), line if says else ""


_SUMMED = [key for key, one in PagingTotals.model_fields.items() if one.annotation in (int, float)]


def lost(records: ProxyRecords) -> str:
    """Why the daemon could not store everything, or ""."""
    trouble = (records.ledger and records.ledger.trouble) or records.reporter.trouble
    if trouble is None:
        return ""
    return f"the daemon could not store all of it. {trouble.message} {trouble.fix}".strip()


def recorded(records: ProxyRecords) -> str:
    """What was recorded, in one line; "" if recording is off."""
    if not records.observer.record:
        return ""
    handover = records.reporter.handover
    count = output.count(handover.recorded, "exchange")
    text = f"{count} recorded without secrets in {records.folder}"
    left = [f"{count:,} not: {reason}" for reason, count in sorted(handover.left.items()) if count]
    return "; ".join([text, *left]) + "."
