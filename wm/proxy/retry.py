"""When a request may be sent a second time. Pure (PX-10).

The service may have billed a message that it has read: a second one is billed again. An upstream
may close a kept-alive connection at any moment, so losing one does not tell whether it had read
the request.
"""

from __future__ import annotations

from msgspec import Struct

_IDEMPOTENT = frozenset({b"GET", b"HEAD", b"PUT", b"DELETE"})
"""Methods for which a repetition has the same effect as one request (RFC 9110, 9.2.2)."""
STALE_S = 2.0
"""A kept-alive connection lost this soon after a request was already closed by the upstream."""


class Attempt(Struct, frozen=True):
    """One sending of a request whose connection was lost.

    sent: the system accepted at least one byte of it. answer_begun: part of an answer arrived.
    kept: all bytes sent are still available. reused: the connection had served another request
    before.
    """

    method: bytes
    sent: bool
    answer_begun: bool
    kept: bool
    reused: bool
    age_s: float = 0.0
    repeated: bool = False
    """This attempt is already a retry."""


def may_send_again(attempt: Attempt) -> bool:
    """Whether the upstream cannot have read any of it, or reading it twice is harmless."""
    if attempt.repeated or attempt.answer_begun or not attempt.kept:
        return False
    if not attempt.sent:
        return True
    return attempt.method in _IDEMPOTENT and attempt.reused and attempt.age_s < STALE_S
