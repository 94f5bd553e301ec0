"""wm for Python programs: the use cases by name, with the daemon and without it (ST-7).

    from wm.library import Library

    library = Library()
    library.run("remember", {"directory": "/home/ann/ferry", "text": "We deploy with make ship."})

Requests and answers are plain JSON values, as on the socket (docs/protocol.md). While the daemon
lives every call goes through it; where nobody listens, the same use case runs here, on the same
files under the same locks. Starts nothing, and keeps nothing open between two calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wm.daemon.client import Client
from wm.errors import HostError, Unanswered, Unavailable
from wm.settings import Settings, load


class Library:
    """Reaches use cases by name."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or load()

    def run(
        self,
        name: str,
        fields: Mapping[str, Any],
        *,
        deadline_s: float | None = None,
        repeatable: bool = False,
    ) -> dict[str, Any]:
        """The answer of a use case. Raises WmError: what it refuses, the same from both ways.

        deadline_s: the longest wait for the daemon; None: its own and a little. repeatable: the
        call changes nothing, so where the daemon took it and did not answer, the files do.
        KeyError for a name that is none.
        """
        try:
            with Client(self._settings) as client:
                answer = client.call(name, fields, deadline_s=deadline_s)
        except Unavailable:
            return self._on_files(name, fields)
        except Unanswered:
            if not repeatable:
                raise
            return self._on_files(name, fields)
        assert isinstance(answer, dict), f"{name} answers with a text"
        return answer

    def _on_files(self, name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        # Loaded here: with a daemon nobody needs the models and the store.
        from pydantic import ValidationError

        from wm.formats.base import dump
        from wm.ops.base import execute
        from wm.ops.catalogue import OPERATIONS
        from wm.ops.local import open_runtime

        operation = OPERATIONS[name]
        try:
            request = operation.request.model_validate(dict(fields))
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise HostError(f"{place}: {first['msg']}.", status=422) from None
        runtime = open_runtime(self._settings)
        try:
            return dump(execute(runtime, operation, request))
        finally:
            runtime.store.close()
