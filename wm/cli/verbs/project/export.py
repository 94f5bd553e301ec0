"""`wm export`: writes one workspace's memory as JSON, to standard output or a new private file.

Never overwrites a file. `wm import` reads the result; evidence and sessions are not in it.
"""

from __future__ import annotations

import json
from typing import Any

import click

from wm.cli import output
from wm.cli.context import Caller, workspace_options
from wm.cli.new_file import create
from wm.cli.options import flag
from wm.formats.base import dump


@click.command("export")
@click.option(
    "-o",
    "--output",
    "target",
    metavar="FILE",
    default="-",
    show_default=True,
    help="Where to write; - is standard output.",
)
@flag(
    "--json",
    "as_json",
    help="The export is JSON in any case; with -o a report is printed as JSON too.",
)
@workspace_options
def command(caller: Caller, target: str, as_json: bool) -> int:
    """Write this workspace's memory, waiting memories (journal), digests of forgotten texts
    (tombstones), sessions and evidence as JSON."""
    answer: Any = caller.call("export_workspace")
    if target == "-":
        output.as_json(answer)
        return 0
    text = json.dumps(dump(answer), ensure_ascii=False, indent=2) + "\n"
    create(target, text)
    size = len(text.encode())
    if as_json:
        output.as_json({"file": target, "bytes": size})
    else:
        output.line(f"Wrote {target} ({size:,} bytes).")
    return 0
