"""The request of one exchange: what arrived, what is sent, and what is kept for a retry (PX-3).

Stores and frames bytes. Does not connect, prepare, or handle the answer.
"""

from __future__ import annotations

from msgspec import Struct, field

from wm.net.messages import LAST_CHUNK, RequestHead, chunk
from wm.proxy import heads
from wm.proxy.preparing import MAX_BUFFERED_BYTES


class PendingRequest(Struct, eq=False):
    """The body of a request that is buffered until it is complete and prepared."""

    _pieces: list[bytes] = []
    _size: int = 0

    def add(self, data: bytes) -> bool:
        """Append data. False if the body is too long to be buffered further."""
        self._pieces.append(data)
        self._size += len(data)
        return self._size <= MAX_BUFFERED_BYTES

    def take(self) -> bytes:
        raw, self._pieces = b"".join(self._pieces), []
        return raw


class RequestSide(Struct, eq=False):
    """What is sent upstream. max_kept_bytes: a longer request is not kept for a retry."""

    head: RequestHead
    max_kept_bytes: int
    _sent_head: bytes = b""
    _unsent: list[bytes] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)
    """The whole body, while it may have to be sent again."""
    size: int = 0
    ended: bool = False

    def begin(
        self, target: bytes, host: bytes, length: int | None, beta: str = "", *, plain: bool = False
    ) -> None:
        """Start sending. length: of a body that replaces the client's own, else None. beta: a
        feature of the service that it needs. plain: the answer must not be compressed."""
        self._sent_head = heads.to_upstream(
            self.head,
            target=target,
            host=host,
            length=length,
            beta=beta.encode("ascii"),
            plain=plain,
        )
        self._unsent.append(self._sent_head)

    def add(self, data: bytes) -> None:
        if not data:  # an empty chunk would end the body
            return
        self.size += len(data)
        if self.kept:
            self.pieces.append(data)
        else:
            self.pieces.clear()
        self._unsent.append(chunk(data) if self.head.coded else data)

    def end(self) -> None:
        self.ended = True
        if self.head.coded:
            self._unsent.append(LAST_CHUNK)

    @property
    def kept(self) -> bool:
        """Whether the whole body is still available."""
        return self.size <= self.max_kept_bytes

    def take_unsent(self) -> list[bytes]:
        unsent, self._unsent = self._unsent, []
        return unsent

    def rewind(self) -> None:
        """Prepare to send the whole body again."""
        coded = self.head.coded
        self._unsent = [self._sent_head, *(chunk(p) if coded else p for p in self.pieces)]
        if self.ended and coded:
            self._unsent.append(LAST_CHUNK)

    def forget(self) -> None:
        """No retry will follow. A list `pieces` that was passed on stays valid."""
        self.pieces, self.max_kept_bytes = [], -1
