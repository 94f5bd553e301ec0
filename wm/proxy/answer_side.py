"""The answer of one exchange on its way to the client (PX-10).

Frames the answer for the client, and sends every byte at once.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct, field

from wm.net.messages import LAST_CHUNK, Framing, RequestHead, ResponseHead, chunk, framing
from wm.proxy import heads


class ClientSide(Protocol):
    """What an exchange needs from the client's connection."""

    def send(self, data: bytes) -> None:
        """Write these bytes to the client."""

    def accepts(self, ready: bool) -> None:
        """Report whether the exchange can take more of the request now."""

    def done(self, *, keep: bool) -> None:
        """The answer is complete. keep: leave the connection open."""

    def cut(self, *, seen: bool) -> None:
        """Abort so that the client can see that the answer is incomplete. seen: closing the
        connection is enough for that."""


class AnswerSide(Struct, eq=False):
    """Writes the answer to the client."""

    client: ClientSide
    asked: RequestHead
    _framing: Framing | None = None
    _unsent: list[bytes] = field(default_factory=list)
    keep: bool = False
    """Whether the client's connection stays open after the answer."""

    @property
    def begun(self) -> bool:
        return self._framing is not None

    @property
    def ends_with_connection(self) -> bool:
        return self._framing is not None and self._framing.closes

    def informational(self, head: ResponseHead) -> None:
        version = self.asked.version
        if not self.begun and version == "1.1":
            framing = Framing(bodiless=True)
            self.client.send(heads.to_client(head, framing=framing, keep=True, version=version))

    def head(self, head: ResponseHead, *, keep: bool) -> None:
        """Send the head. keep: the request is complete, so another one may follow it."""
        version = self.asked.version
        self._framing = framing(head, method=self.asked.method, version=version)
        self.keep = keep and self.asked.keep and not self._framing.closes
        self._unsent.append(
            heads.to_client(head, framing=self._framing, keep=self.keep, version=version)
        )

    def body(self, data: bytes) -> None:
        if data and self._framing is not None and not self._framing.bodiless:
            self._unsent.append(chunk(data) if self._framing.chunked else data)

    def end(self) -> None:
        if self._framing is not None and self._framing.chunked:
            self._unsent.append(LAST_CHUNK)

    def flush(self) -> None:
        """Send what has arrived since the last flush, in one write so that it is one packet."""
        if self._unsent:
            unsent, self._unsent = self._unsent, []
            self.client.send(unsent[0] if len(unsent) == 1 else b"".join(unsent))
