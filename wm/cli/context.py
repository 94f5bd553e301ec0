"""What every verb shares: settings, which workspace, and how a use case is reached.

While the daemon lives every command goes through it; without it the same use case runs here
on the same files under the same locks (ST-7).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from wm.daemon.client import Client
from wm.errors import Unavailable
from wm.formats.base import Record, dump
from wm.settings import Settings, load

F = TypeVar("F", bound=Callable[..., Any])


def client_of(settings: Settings) -> Client:
    """A client of this user's daemon, which need not be there."""
    return Client(settings)


class Caller:
    """Reaches use cases by name, through the daemon or on the files."""

    def __init__(self, settings: Settings, directory: str, workspace: str) -> None:
        self.settings = settings
        self.directory = directory
        self.workspace = workspace

    def scoped(self, **fields: Any) -> dict[str, Any]:
        """Request fields with the workspace that the user meant."""
        scope = {"workspace": self.workspace} if self.workspace else {"directory": self.directory}
        return {**scope, **fields}

    def call(self, name: str, **fields: Any) -> Any:
        """Run a use case on the chosen workspace; its response model."""
        return self.run(name, self.scoped(**fields))

    def run(self, name: str, fields: dict[str, Any]) -> Any:
        """Run a use case by name. Raises what it raises, the same from both ways."""
        from wm.ops.catalogue import OPERATIONS

        operation = OPERATIONS[name]
        request = operation.request.model_validate(fields)
        try:
            answer = client_of(self.settings).call(name, dump(request))
        except Unavailable:
            return self._on_files(name, request)
        return operation.response.model_validate(answer)

    def _on_files(self, name: str, request: Record) -> Record:
        from wm.ops.base import execute
        from wm.ops.catalogue import OPERATIONS
        from wm.ops.local import open_runtime

        runtime = open_runtime(self.settings)
        try:
            return execute(runtime, OPERATIONS[name], request)  # type: ignore[no-any-return]
        finally:
            runtime.store.close()


def workspace_options(command: F) -> F:
    """Adds -C and --workspace, and hands the verb a Caller as its first argument."""

    @click.option(
        "-C",
        "directory",
        metavar="DIR",
        default="",
        help="Work on the workspace of DIR instead of the current folder.",
    )
    @click.option(
        "--workspace", metavar="KEY", default="", help="Work on the workspace with this key."
    )
    @wraps(command)
    def with_caller(*args: Any, directory: str, workspace: str, **options: Any) -> Any:
        if directory and workspace:
            raise click.UsageError("Give either -C DIR or --workspace KEY.")
        where = os.path.abspath(directory) if directory else _here(workspace)
        return command(Caller(load(), where, workspace), *args, **options)

    return with_caller  # type: ignore[return-value]


def _here(workspace: str) -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        if workspace:
            return ""
        raise click.ClickException(
            "The current folder does not exist any more; go to another or give -C DIR."
        ) from None


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
