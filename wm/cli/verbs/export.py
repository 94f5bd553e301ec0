"""`wm export`."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, workspace_options
from wm.formats.base import dump


@click.command("export", short_help="Write everything kept of a workspace as one JSON file.")
@click.option(
    "-o",
    "--output",
    "target",
    metavar="FILE",
    default="-",
    show_default=True,
    help="Where to write; - is standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="The export is JSON in any case.")
@workspace_options
def command(caller: Caller, target: str, as_json: bool) -> int:  # noqa: ARG001
    """Write memory, journal, tombstones, sessions and evidence of this workspace as JSON."""
    answer: Any = caller.call("export_workspace")
    if target == "-":
        output.as_json(answer)
        return 0
    text = json.dumps(dump(answer), ensure_ascii=False, indent=2) + "\n"
    try:
        # Memory is private: the export is readable by its owner only, like the files it is of.
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise click.ClickException(f"{target} exists; name another file.") from None
    except OSError as error:
        raise click.ClickException(f"{target} cannot be written: {error.strerror}.") from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    output.line(f"Wrote {target} ({len(text):,} characters).")
    return 0
