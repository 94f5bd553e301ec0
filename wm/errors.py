"""The errors that `wm` raises on purpose, grouped by who must act.

Expected refusals (the quality gate, a limit, nothing to do) are values with reason codes, never
exceptions. Any other exception is a bug: exit code 3 on the command line, a 500 with a log line in
the daemon.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Self


@cache
def sentences() -> dict[str, list[str]]:
    """The rows of `errors.txt`: name -> sentence and, for most, fix."""
    text = (pkgutil.get_data("wm", "errors.txt") or b"").decode()
    blocks = (block.splitlines() for block in text.split("\n\n")[1:])
    return {name: words for name, *words in blocks}


class WmError(Exception):
    """Base of all deliberate errors. `str(error)` is one full sentence for a person.

    code: a stable snake_case word for programs (the `type` of a problem+json answer).
    fix: what the reader can do about it, a sentence or ""; that of the class if none is given.
    """

    code = "error"
    status = 500
    usual_fix = ""

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix or self.usual_fix

    @classmethod
    def of(cls, row: str, /, **values: object) -> Self:
        """The error in the words of `errors.txt`. row: its name there; values: those in braces."""
        message, *fix = (words.format(**values) for words in sentences()[row])
        return cls(message, fix="".join(fix))


class UserError(WmError):
    """The user must change something (exit 1, no traceback)."""

    code = "user_error"
    status = 400


class NotFound(UserError):
    """A named entry, workspace or session does not exist (exit 1, 404)."""

    code = "not_found"
    status = 404


class RootMismatch(UserError):
    """The workspace key of a folder belongs to the memory of another folder; nothing is shared."""

    code = "root_mismatch"
    status = 409


class HostError(WmError):
    """A client sent a request that we cannot read or may not serve (4xx problem+json)."""

    code = "bad_request"
    status = 400
    usual_fix = "`/v1/openapi.json` of the daemon describes every request."

    def with_status(self, status: int, code: str = code) -> Self:
        """The same error, that the daemon answers with another status."""
        self.status, self.code = status, code
        return self


class Unavailable(WmError):
    """The daemon cannot be reached, or not within the caller's deadline."""

    code = "unavailable"
    status = 503
    usual_fix = "`wm doctor` tests the daemon; `wm logs` shows its errors."


class Unanswered(WmError):
    """The daemon accepted a request, but its answer did not come. It must not be repeated without
    a check of the result, over the files neither."""

    code = "unanswered"
    status = 504


class StoreError(WmError):
    """The data folder could not be read or written as asked; nothing was lost."""

    code = "store_error"
    status = 503
    usual_fix = "Nothing was lost. `wm doctor` tests the data folder."


class Corrupt(StoreError):
    """No readable generation of a document is left; its bytes are kept in quarantine."""

    code = "corrupt"


class Busy(StoreError):
    """A lock was not free within the wait; the message says who holds it."""

    code = "busy"


class Unwritable(StoreError):
    """A staged document cannot be written: it is too large, or not readable again. Nothing of its
    transaction was written; a caller that batched several operations runs them one by one."""

    code = "unwritable"


class Conflict(StoreError):
    """The document changed since the version that the caller read."""

    code = "conflict"
    status = 409


class TooNew(StoreError):
    """A newer `wm` wrote this document: it is read-only here and stays as it is."""

    code = "too_new"
    status = 409


class ModelUnavailable(WmError):
    """A model that a feature needs is missing; the feature degrades and reports it."""

    code = "model_unavailable"
    status = 503


class OnError:
    """Undo a step if the block ends with an exception of any kind, an interruption included:
    `with OnError(file.close): …`. The exception goes on."""

    __slots__ = ("_undo",)

    def __init__(self, undo: Callable[[], object]) -> None:
        self._undo = undo

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        if kind is not None:
            self._undo()
