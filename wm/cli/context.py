"""What every verb shares: settings, which workspace, and how a use case is reached.

While the daemon lives every command goes through it; without it the same use case runs here
on the same files under the same locks (ST-7).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import click

from wm.cli.given import given
from wm.daemon.client import Client
from wm.errors import HostError, Unavailable, UserError, WmError
from wm.settings import Settings, load, load_or_defaults

F = TypeVar("F", bound=Callable[..., Any])


STATUS_S = 3.0
"""A daemon that does not even say that it lives within this time hangs."""
HINT_S = 0.3
"""Where something else went wrong already, nobody waits long for a hint."""


def ask(
    settings: Settings, name: str, fields: Any = None, *, deadline_s: float | None = None
) -> Any:
    """The daemon's answer to one call. Raises Unavailable where there is no daemon."""
    with Client(settings) as client:
        return client.call(name, fields or {}, deadline_s=deadline_s)


def daemon_status(settings: Settings, *, deadline_s: float = STATUS_S) -> dict[str, Any]:
    """What the daemon of this data folder says of itself.

    Raises Unavailable where there is none, WmError where something else answers in its place.
    """
    found = ask(settings, "status", deadline_s=deadline_s)
    path = settings.paths.socket
    if not isinstance(found, dict) or found.get("name") != "wm":
        raise WmError(
            f"What answers on the socket {path} is no daemon of wm.",
            fix="Stop that program, or set WM_SOCKET to another path.",
        )
    if not _is_same(str(found.get("home")), settings.paths.home):
        raise WmError(
            f"The daemon on the socket {path} serves another data folder: {found.get('home')}.",
            fix="Give each data folder a socket of its own: correct WM_SOCKET or WM_HOME.",
        )
    return found


def _outdated(settings: Settings) -> str:
    """A sentence for whoever was refused by a daemon that is another wm; "" for any other."""
    from wm.cli.outdated import outdated

    try:
        why = outdated(daemon_status(settings, deadline_s=HINT_S))
    except WmError:
        return ""
    return f"The daemon is outdated ({why}): `wm down`, then `wm up`." if why else ""


def _is_same(home: str, ours: Path) -> bool:
    try:
        return os.path.samefile(home, ours)
    except OSError:
        return home == str(ours)


PATIENCE_S: Mapping[str, float] = MappingProxyType({"sweep_storage": 600.0, "diag_alike": 60.0})
"""What may take longer than the answers that agents wait for: a folder of 100,000 files, vectors
of all entries."""


class Caller:
    """Reaches use cases by name, through the daemon or on the files.

    directory: what the user gave with -C, or "". The current folder is asked for only when a
    workspace is wanted: much works in a folder that does not exist any more.
    """

    def __init__(self, settings: Settings, directory: str, workspace: str) -> None:
        self.settings = settings
        self.workspace = workspace
        self.alone = False
        """The daemon is known not to answer: the files do, without asking it again."""
        self._named = directory

    @property
    def directory(self) -> str:
        """The folder that the user means. Raises UserError where it cannot be found."""
        return absolute(self._named) if self._named else here()

    @property
    def names_workspace(self) -> bool:
        """The user named one, with -C or --workspace."""
        return bool(self._named or self.workspace)

    def scoped(self, **fields: Any) -> dict[str, Any]:
        """Request fields with the workspace that the user meant."""
        if self.workspace:
            return {"workspace": self.workspace, **fields}
        folder = self.directory
        scope: dict[str, Any] = {"directory": folder}
        if self._named and _is_home(folder):
            # Only that very folder: below it -C and cd must mean the same workspace.
            scope["explicit"] = True
        return {**scope, **fields}

    def call(self, name: str, **fields: Any) -> Any:
        """Run a use case on the chosen workspace; its response model."""
        return self.run(name, self.scoped(**fields))

    def run(self, name: str, fields: dict[str, Any]) -> Any:
        """Run a use case by name. Raises what it raises, the same from both ways."""
        from pydantic import ValidationError

        from wm.daemon.lean import find_no_plugins
        from wm.ops.catalogue import models_of

        find_no_plugins()

        if "" in (fields.get("id"), fields.get("sessionId")):
            # An unset shell variable; in a path of the socket it would name something else.
            lists = "`wm inspect --all` lists every entry with its id."
            if name == "show_output":
                lists = "The handle stands in the output that was cut."
            if name.endswith("_session"):
                lists = "`wm session list` lists the sessions with their ids."
            raise UserError("The id is empty.", fix=lists)
        asks, answers = models_of(name)
        request = asks.model_validate({key: _utf8(key, value) for key, value in fields.items()})
        if self.alone:
            return self._on_files(name, request)
        try:
            fields = request.model_dump(mode="json", by_alias=True)
            answer = ask(self.settings, name, fields, deadline_s=PATIENCE_S.get(name))
        except Unavailable:
            return self._on_files(name, request)
        except (HostError, UserError) as error:
            error.fix = f"{error.fix} {_outdated(self.settings)}".strip()
            raise
        try:
            return answers.model_validate(answer)
        except ValidationError:
            raise WmError(
                "The daemon answers in another form than this wm expects.",
                fix="It is probably another version: `wm down`, then `wm up`.",
            ) from None

    def _on_files(self, name: str, request: Any) -> Any:
        from wm.ops.base import execute
        from wm.ops.catalogue import OPERATIONS
        from wm.ops.local import open_runtime

        runtime = open_runtime(self.settings)
        try:
            return execute(runtime, OPERATIONS[name], request)
        finally:
            runtime.store.close()


def workspace_options(command: F) -> F:
    """Adds -C and --workspace, and hands the verb a Caller as its first argument."""
    return _with_options(command, load)


def lasting_options(command: F) -> F:
    """`workspace_options` for a verb that must work although config.toml does not fit."""
    return _with_options(command, load_or_defaults)


def _with_options(command: F, read: Callable[[], Settings]) -> F:
    @click.option(
        "-C",
        "directory",
        metavar="DIR",
        callback=given,
        help="Work on the workspace of DIR instead of the current folder.",
    )
    @click.option(
        "--workspace", metavar="KEY", callback=given, help="Work on the workspace with this key."
    )
    @wraps(command)
    def with_caller(*args: Any, directory: str, workspace: str, **options: Any) -> Any:
        if not directory and not workspace:
            # `wm -C DIR status` is `wm status -C DIR`.
            directory, workspace = click.get_current_context().find_root().obj or ("", "")
        if directory and workspace:
            raise click.UsageError("Give either -C DIR or --workspace KEY.")
        return command(Caller(read(), directory, workspace), *args, **options)

    return with_caller  # type: ignore[return-value]


def config_trouble() -> UserError | None:
    """Why config.toml does not count, None where it does or is not there."""
    try:
        load()
    except UserError as error:
        return error
    return None


def absolute(path: str) -> str:
    """The path from the root on. Raises UserError for a relative one in a deleted folder, and for
    an empty one: an unset shell variable does not mean this folder."""
    if not path:
        raise UserError("The path is empty.", fix="Name a folder, or `.` for this one.")
    return path if os.path.isabs(path) else os.path.normpath(os.path.join(here(), path))


def here() -> str:
    try:
        return os.getcwd()
    except OSError:
        raise UserError(
            "The current folder does not exist any more.",
            fix="Change into another folder, or name one with -C DIR.",
        ) from None


def _is_home(folder: str) -> bool:
    try:
        return os.path.samefile(folder, os.path.expanduser("~"))
    except OSError:
        return False


def _utf8(name: str, value: Any) -> Any:
    """Words that are not UTF-8 reach us with half surrogates in them, which no file can hold."""
    if not isinstance(value, str) or value.isascii():
        return value
    plain = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if plain != value and name == "directory":
        raise UserError(
            f"The name of the folder {plain} is not UTF-8, so no agent can name it.",
            fix="Rename the folder, or give the workspace with --workspace KEY.",
        )
    return plain


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
