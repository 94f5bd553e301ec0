"""Every error that `wm` raises on purpose, ordered by who must act.

Refusals that are normal (the quality gate, a caps decision, nothing to do) are values
with reason codes, never exceptions. Anything raised that is not below is a bug of ours:
exit code 3 on the command line, a 500 with a log line in the daemon.
"""

from __future__ import annotations


class WmError(Exception):
    """Base of all deliberate errors. `str(error)` is one full sentence for a person.

    code: a stable snake_case word for programs (the `type` of a problem+json answer).
    fix: what the reader can do about it, a sentence or "".
    """

    code = "error"
    status = 500

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


class UserError(WmError):
    """The person at the keyboard must change something (exit 1, no traceback)."""

    code = "user_error"
    status = 400


class NotFound(UserError):
    """A named entry, workspace or session does not exist (exit 1, 404)."""

    code = "not_found"
    status = 404


class RootMismatch(UserError):
    """The workspace key of a folder names the memory of another folder; nothing is shared."""

    code = "root_mismatch"
    status = 409


class HostError(WmError):
    """A client sent what we cannot read or may not serve (4xx problem+json)."""

    code = "bad_request"
    status = 400

    def __init__(
        self, message: str, *, fix: str = "", status: int = 400, code: str = "bad_request"
    ) -> None:
        super().__init__(message, fix=fix)
        self.status = status
        self.code = code


class Unavailable(WmError):
    """The daemon cannot be reached, or not within the caller's deadline."""

    code = "unavailable"
    status = 503


class Unanswered(WmError):
    """The daemon took a request, but its answer did not come: nobody may do it a second time
    without looking (the files included)."""

    code = "unanswered"
    status = 504


class StoreError(WmError):
    """The data folder could not do what was asked; nothing was lost."""

    code = "store_error"
    status = 503


class Corrupt(StoreError):
    """No readable generation of a document is left; its bytes are kept in quarantine."""

    code = "corrupt"


class Busy(StoreError):
    """A lock was not free within the wait; the message says who holds it."""

    code = "busy"


class Unwritable(StoreError):
    """A staged document cannot be a file: too large, or not readable again. Nothing of its
    transaction was written; whoever batched several operations runs them one by one."""

    code = "unwritable"


class Conflict(StoreError):
    """The document changed since the version that the caller named."""

    code = "conflict"
    status = 409


class TooNew(StoreError):
    """A newer `wm` wrote this document: it is read-only here and stays as it is."""

    code = "too_new"
    status = 409


class ModelUnavailable(WmError):
    """A model that a feature wanted is not there; the feature degrades and says so."""

    code = "model_unavailable"
    status = 503
