"""`wm logs`."""

from __future__ import annotations

import json
from collections import deque

import click

from wm.cli import output
from wm.cli.context import Caller, json_option, workspace_options
from wm.errors import UserError


@click.command("logs")
@click.option("-n", "--limit", "lines", type=click.IntRange(1), default=20, show_default=True)
@json_option
@workspace_options
def command(caller: Caller, lines: int, as_json: bool) -> int:
    """Show what the daemon wrote last. It logs names and ids, never contents."""
    path = caller.settings.paths.home / "daemon.log"
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            last = deque(file, maxlen=lines)
    except FileNotFoundError:
        if as_json:
            output.as_json({"records": []})
        else:
            output.line(f"There is no log yet at {output.home_short(str(path))}.")
        return 0
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror}.", fix="`wm doctor` looks at the data folder."
        ) from None
    records = [_record(text) for text in last]
    if as_json:
        output.as_json({"records": records})
        return 0
    if not records:
        output.line(f"The log {output.home_short(str(path))} is empty.")
    for record in records:
        rest = {k: v for k, v in record.items() if k not in ("at", "level", "event")}
        about = "  ".join(f"{name}={value}" for name, value in rest.items())
        when = str(record.get("at", ""))[:19].replace("T", " ")
        output.line(output.safe(f"{when}  {record.get('event', '')}  {about}".rstrip()))
    return 0


def _record(text: str) -> dict[str, object]:
    """A line of the log; one that is not ours is shown as it is."""
    try:
        record = json.loads(text)
    except ValueError:
        record = None
    return record if isinstance(record, dict) else {"event": text.rstrip("\n")}
