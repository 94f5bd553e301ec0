"""What all verbs share: settings, the workspace, and access to use cases.

If the daemon runs, every command goes through it; otherwise the same use case runs in this process
on the same files under the same locks (ST-7).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from functools import partial, wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct

from wm.cli import output
from wm.cli.daemon_state import outdated
from wm.cli.options import folder_option, workspace_option
from wm.cli.options import json_option as json_option  # for verbs that print their own result
from wm.daemon.client import Client
from wm.errors import HostError, NotFound, Unavailable, UserError, WmError
from wm.settings import Settings, load, no_pydantic_plugins

if TYPE_CHECKING:  # most commands call the daemon and need no use case
    from wm.ops.runtime import Runtime

F = TypeVar("F", bound=Callable[..., Any])


STATUS_S = 3.0
"""A daemon that does not report its status within this time hangs."""
DEFAULTS_APPLY = "Until then the defaults apply, and what needs your consent is off."
LEAST_DIGITS = 4
"""Digits of an id that may name an entry; with fewer no other memory is asked for it."""
HINT_S = 0.3
"""Timeout for a hint after another error: a user does not wait long for it."""


def ask(
    settings: Settings, name: str, fields: Any = None, *, deadline_s: float | None = None
) -> Any:
    """The daemon's answer to one call. Raises Unavailable if no daemon runs."""
    with Client(settings) as client:
        return client.call(name, fields or {}, deadline_s=deadline_s)


def daemon_status(settings: Settings, *, deadline_s: float = STATUS_S) -> dict[str, Any]:
    """The status that the daemon of this data folder reports.

    Raises Unavailable if there is none, WmError if something else answers on its socket.
    """
    found = ask(settings, "status", deadline_s=deadline_s)
    path = settings.paths.socket
    if not isinstance(found, dict) or found.get("name") != "wm":
        raise WmError.of("daemon.foreign_program", path=path)
    if not _is_same_folder(str(found.get("home")), str(settings.paths.home)):
        raise WmError.of("daemon.another_home", path=path, home=found.get("home"))
    return found


def _outdated(settings: Settings) -> str:
    """A sentence for a user whose call was refused by a daemon of another wm version, else ""."""
    try:
        why = outdated(daemon_status(settings, deadline_s=HINT_S))
    except WmError:
        return ""
    return f"The daemon is outdated ({why}): `wm up` replaces it." if why else ""


def _is_same_folder(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return one == other


PATIENCE_S: Mapping[str, float] = {"sweep_storage": 600.0, "diag_alike": 60.0, "arrive": 60.0}
"""Use cases that may take longer than the answers that agents wait for: a folder of 100,000 files,
vectors of all entries."""


class Caller:
    """Runs use cases by name, through the daemon or on the files.

    directory: the value of -C, or "". The current folder is read only when a workspace is needed:
    many commands also work in a folder that was deleted.
    """

    def __init__(self, settings: Settings, directory: str, workspace: str) -> None:
        self.settings = settings
        self.workspace = workspace
        self.alone = False
        """The daemon is known not to answer: work on the files without asking again."""
        self.as_json = False
        """The answer is printed as JSON, so nothing else may be printed."""
        self._named = directory

    @property
    def directory(self) -> str:
        """The folder that the user means. Raises UserError if it cannot be found."""
        return absolute(self._named) if self._named else here()

    @property
    def names_workspace(self) -> bool:
        """Whether the user named a workspace, with -C or --workspace."""
        return bool(self._named or self.workspace)

    def scoped(self, **fields: Any) -> dict[str, Any]:
        """Request fields with the chosen workspace."""
        if self.workspace:
            return {"workspace": self.workspace, **fields}
        folder = self.directory
        scope: dict[str, Any] = {"directory": folder}
        if self._named and _is_same_folder(folder, os.path.expanduser("~")):
            # Only this folder itself: in a folder below it -C and cd must mean the same workspace.
            scope["explicit"] = True
        return {**scope, **fields}

    def call(self, name: str, **fields: Any) -> Any:
        """Run a use case on the chosen workspace and return its response model. An id that is
        unknown there may name an entry or an act of the user's memory for all projects: what `wm
        remember --user` prints must work where it was typed."""
        try:
            return self.run(name, self.scoped(**fields))
        except NotFound:
            wanted = str(fields.get("id") or fields.get("act") or "")
            if self.workspace or len(wanted.rpartition("_")[2]) < LEAST_DIGITS:
                raise
            with suppress(NotFound):
                return self.run(name, {"workspace": "user", **fields})
            raise

    def answer(self, name: str, /, **fields: Any) -> Any:
        """`run` with the fields as keywords."""
        return self.run(name, fields)

    def run(self, name: str, fields: dict[str, Any]) -> Any:
        """Run a use case by name. Raises the same errors with and without the daemon."""
        if "" in (fields.get("id"), fields.get("sessionId")):
            # An unset shell variable; in a path of the socket an empty id would name another route.
            lists = "`wm inspect --all` lists every entry with its id."
            if name == "show_output":
                lists = "The shortened output contains the handle."
            if name.endswith("_session"):
                lists = "`wm session list` lists the sessions with their ids."
            raise UserError("The id is empty.", fix=lists)
        with no_pydantic_plugins():
            return self._run(name, fields)

    def _run(self, name: str, fields: dict[str, Any]) -> Any:
        from pydantic import ValidationError
        from pydantic_core import to_jsonable_python

        from wm.ops.catalogue import answer_model

        plain = {key: _utf8(key, value) for key, value in fields.items()}
        fields = to_jsonable_python(plain, by_alias=True)
        if not self.alone:
            # The daemon validates the request; validating it here too would take a command longer.
            try:
                answer = ask(self.settings, name, fields, deadline_s=PATIENCE_S.get(name))
                return answer_model(name).model_validate(answer)
            except Unavailable:
                pass  # work on the files
            except (HostError, UserError) as error:
                error.fix = f"{error.fix} {_outdated(self.settings)}".strip()
                raise
            except ValidationError:
                raise WmError.of("daemon.unexpected_answer") from None
        return _files().run(self.settings, name, fields)

    def opened(self) -> AbstractContextManager[Runtime]:
        """The data folder, opened in this process. Raises WmError."""
        return _files().opened(self.settings)  # type: ignore[no-any-return]


def _files() -> ModuleType:
    """`wm.ops.local`, imported here because a command that the daemon answers needs no store."""
    from wm.ops import local

    return local


def workspace_options(command: F) -> F:
    """Add -C and --workspace, and pass a Caller as the verb's first argument. Prints the faults of
    config.toml before the verb runs."""
    return _with_options(command, report_config)


def lasting_options(command: F) -> F:
    """`workspace_options` for a verb that handles faults of config.toml itself."""
    return _with_options(command, lambda _settings: None)


def report_config(settings: Settings) -> None:
    """Report on stderr why config.toml cannot be used, or what is ignored in it."""
    error = settings.config_error
    if error is not None:
        output.problem(error.message, fix=f"{error.fix} {DEFAULTS_APPLY}")
    elif settings.config_warning:
        output.note(f"wm: {settings.config_warning}")


class Result(Struct, frozen=True):
    """The result of a verb: `answer` for programs (JSON), `show` for people.

    show: a line, or a function that prints the answer; unused with --json. failed: exit code 1.
    """

    answer: Any
    show: str | Callable[[Any], None]
    failed: bool = False


def prints(verb: Callable[..., Result]) -> Callable[..., int]:
    """Decorator for verbs that print a result: adds --json, -C, --workspace and the exit code."""
    return json_option(workspace_options(_printing(verb)))  # type: ignore[no-any-return]


def prints_answer(
    operation: str, *, failed: Callable[[Any], bool] = lambda _answer: False
) -> Callable[[Callable[[Any], None]], Callable[..., int]]:
    """Decorator that turns a function that prints an answer into the verb that asks for it.

    The verb's options are the fields of the request; the argument `entry_id` is the field `id`.
    failed: whether an answer means exit code 1.
    """

    def verb_of(show: Callable[[Any], None]) -> Callable[..., int]:
        @wraps(show)
        def verb(caller: Caller, **options: Any) -> Result:
            fields = {"id" if n == "entry_id" else n: value for n, value in options.items()}
            answer = caller.call(operation, **fields)
            return Result(answer, show, failed(answer))

        return prints(verb)

    return verb_of


def prints_always(verb: Callable[..., Result]) -> Callable[..., int]:
    """`prints` for a verb that must also work with an unusable config.toml."""
    return json_option(lasting_options(_printing(verb)))  # type: ignore[no-any-return]


def _printing(verb: Callable[..., Result]) -> Callable[..., int]:
    @wraps(verb)
    def command(caller: Caller, *, as_json: bool, **options: Any) -> int:
        caller.as_json = as_json
        result = verb(caller, **options)
        if as_json:
            output.as_json(result.answer)
        elif isinstance(result.show, str):
            output.line(result.show)
        else:
            output.with_pager(partial(result.show, result.answer))
        return int(result.failed)

    return command


def _with_options(command: F, report: Callable[[Settings], None]) -> F:
    @folder_option("Work on the workspace of DIR instead of the current folder.")
    @workspace_option("Work on the workspace with this key.")
    @wraps(command)
    def with_caller(*args: Any, directory: str, workspace: str, **options: Any) -> Any:
        if not directory and not workspace:
            # `wm -C DIR status` is `wm status -C DIR`.
            directory, workspace = click.get_current_context().find_root().obj or ("", "")
        if directory and workspace:
            raise click.UsageError("Give either -C DIR or --workspace KEY.")
        settings = load()
        report(settings)
        return command(Caller(settings, directory, workspace), *args, **options)

    return with_caller  # type: ignore[no-any-return]


def absolute(path: str) -> str:
    """The absolute path. Raises UserError for a relative path in a deleted folder, and for an empty
    one: an unset shell variable must not mean the current folder."""
    if not path:
        raise UserError.of("path.empty")
    return path if os.path.isabs(path) else os.path.normpath(os.path.join(here(), path))


def here() -> str:
    """The current folder. Raises UserError if it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        raise UserError.of("folder.deleted") from None


def _utf8(name: str, value: Any) -> Any:
    """Replace bytes that are not UTF-8: they are lone surrogates here, which no file can store.
    Raises UserError for the folder, whose name must not change."""
    if not isinstance(value, str) or value.isascii():
        return value
    plain = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if plain != value and name == "directory":
        raise UserError.of("folder.not_utf8", plain=plain)
    return plain
