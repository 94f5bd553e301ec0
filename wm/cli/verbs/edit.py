"""`wm edit ID [TEXT]`."""

from __future__ import annotations

import sys
from typing import Any

import click

from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.entries import print_answer
from wm.errors import UserError
from wm.formats.workspace_memory import TYPES
from wm.settings import has_editor


@click.command("edit")
@click.argument("entry_id", metavar="ID")
@click.argument("text", nargs=-1)
@click.option("--rationale", default=None, help='The new rationale; "" removes it.')
@click.option("--type", "kind", type=click.Choice(TYPES), default=None)
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="PATH[:WHERE]",
    help='The code that it speaks of, as it is now; "" ties it to none.',
)
@json_option
@workspace_options
def command(
    caller: Caller,
    entry_id: str,
    text: tuple[str, ...],
    rationale: str | None,
    kind: str | None,
    anchors: tuple[str, ...],
    as_json: bool,
) -> int:
    """Change the entry ID. Without TEXT and options your editor opens with its text.

    TEXT "-" reads the new text from standard input. WHERE is a symbol, or lines as 12-40.
    """
    fields: dict[str, Any] = {"id": entry_id}
    given = " ".join(text)
    if given == "-":
        fields["text"] = sys.stdin.read()
    elif text:
        fields["text"] = given
    elif rationale is None and kind is None and not anchors:
        fields["text"] = _from_editor(caller, entry_id)
    if rationale is not None:
        fields["rationale"] = rationale
    if kind is not None:
        fields["type"] = kind
    if anchors:
        fields["anchors"] = [anchor for anchor in anchors if anchor]
    return print_answer(caller.call("edit_entry", **fields), as_json)


def _from_editor(caller: Caller, entry_id: str) -> str:
    before: Any = caller.call("show_entry", id=entry_id)
    if before.entry.status == "trashed":
        raise UserError(f"{before.entry.id} was forgotten.", fix=before.message)
    if not has_editor() and not sys.stdin.isatty():
        raise UserError(
            "There is no terminal to open an editor in.",
            fix="Give the new text, or - to read it from standard input, or set EDITOR.",
        )
    try:
        after = click.edit(before.entry.text, extension=".md")
    except click.ClickException as error:
        raise UserError(
            f"The editor did not end well: {error.message}.", fix="Set EDITOR to one that runs."
        ) from error
    if after is None or after.strip() == before.entry.text.strip():
        raise UserError("Nothing was changed: the text is as it was.")
    return str(after).strip()
