"""`wm status`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from wm import __version__
from wm.cli import output
from wm.cli.context import Caller, client_of, json_option, workspace_options
from wm.domain.times import parse
from wm.errors import Unavailable, UserError


@click.command("status", short_help="Is the daemon up, and what is here.")
@json_option
@workspace_options
def command(caller: Caller, as_json: bool) -> int:
    """Show the daemon, where the files are, and this workspace in a few lines.

    Ends with exit code 0 also when the daemon is down: everything works without it.
    """
    daemon = _daemon(caller)
    here: Any = None
    trouble = ""
    try:
        here = caller.call("inspect")
    except UserError as error:
        trouble = error.message
    if as_json:
        output.as_json(
            {
                "daemon": daemon,
                "home": str(caller.settings.paths.home),
                "socket": str(caller.settings.paths.socket),
                "workspace": here.place.model_dump(mode="json", by_alias=True) if here else None,
                "counts": here.counts if here else {},
                "sessions": len(here.sessions) if here else 0,
            }
        )
        return 0
    output.line(_headline(daemon))
    output.lines(output.pairs(_where(caller)))
    output.line()
    if here is None:
        output.line(f"  {trouble}")
        return 0
    output.line(output.bold(output.home_short(here.place.root)))
    output.lines(output.pairs(_memory(here)))
    return 0


def _daemon(caller: Caller) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = client_of(caller.settings).call("status", {})
    except Unavailable:
        return None
    return found


def _headline(daemon: dict[str, Any] | None) -> str:
    if daemon is None:
        return f"wm {__version__} · {output.warn('daemon is down')} (wm up starts it)"
    started = parse(str(daemon["startedAt"]))
    seconds = (datetime.now(UTC) - started).total_seconds() if started else 0.0
    up = output.ago(seconds).removesuffix(" ago")
    up = "just started" if up == "just now" else f"up {up}"
    mixed = (
        ""
        if daemon["version"] == __version__
        else output.warn(f" · it is version {daemon['version']}; wm down, wm up")
    )
    return f"wm {__version__} · {output.good('daemon is up')} (pid {daemon['pid']}, {up}){mixed}"


def _where(caller: Caller) -> list[tuple[str, str]]:
    paths = caller.settings.paths
    return [
        ("files", output.home_short(str(paths.home))),
        ("socket", output.home_short(str(paths.socket))),
    ]


def _memory(here: Any) -> list[tuple[str, str]]:
    counts = here.counts
    parts = [output.count(counts.get("active", 0), "entry", "entries")]
    if counts.get("inbox"):
        parts.append(output.warn(f"{counts['inbox']} in the inbox (wm inbox)"))
    if here.pending:
        parts.append(f"{here.pending} pending")
    open_sessions = [s for s in here.sessions if not s.ended]
    errors = sum(s.open_errors for s in open_sessions)
    rows = [
        (
            "workspace",
            here.place.key + (f"  branch {here.place.branch}" if here.place.branch else ""),
        ),
        ("memory", ", ".join(parts)),
        ("in prompts", f"{here.shown_chars:,} of {here.max_chars:,} characters"),
        (
            "sessions",
            f"{len(open_sessions)} open of {len(here.sessions)}, "
            f"{output.count(errors, 'open error')}",
        ),
    ]
    if here.health not in ("ok", "missing"):
        rows.append(("health", f"{here.health}: {here.detail}"))
    return rows
