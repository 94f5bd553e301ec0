"""The use cases of wm for Python programs, by name, with or without the daemon (ST-7).

    from wm.library import Library

    library = Library()
    library.run("remember", {"directory": "/home/ann/ferry", "text": "We deploy with make ship."})

Requests and answers are plain JSON values, as on the socket (docs/protocol.md). While a daemon
runs, every call goes through it; otherwise the same use case runs in this process, on the same
files under the same locks. It starts no daemon, and keeps nothing open between two calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wm.daemon.client import Client
from wm.errors import Unanswered, Unavailable
from wm.settings import Settings, load


class Library:
    """Runs use cases by name."""

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
        """The answer of a use case. Raises WmError for a refusal, with and without the daemon.

        deadline_s: the longest wait for the daemon; None: a little longer than the daemon's own
        limit. repeatable: the call changes nothing, so it runs on the files if the daemon accepted
        it and did not answer. Raises KeyError for an unknown name.
        """
        try:
            with Client(self._settings) as client:
                return client.run(name, fields, deadline_s=deadline_s)
        except Unavailable:
            return self._on_files(name, fields)
        except Unanswered:
            if not repeatable:
                raise
            return self._on_files(name, fields)

    def _on_files(self, name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        # Imported here: a call that the daemon answers needs neither the models nor the store.
        from wm.ops import local

        answer = local.run(self._settings, name, fields)
        return answer.model_dump(mode="json", by_alias=True)  # type: ignore[no-any-return]
