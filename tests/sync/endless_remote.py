"""Remotes that speak git's protocol over HTTP and never end: endless packs, refs and messages, or
no answer at all."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

from tests.sync.clones import REF

COMMIT = "12" * 20
OBJECT_BYTES = 1024 * 1024
PACKET_BYTES = 65515


def packet(data: bytes) -> bytes:
    return b"%04x" % (len(data) + 4) + data


def _sideband(channel: int, data: bytes) -> bytes:
    found = (data[at : at + PACKET_BYTES] for at in range(0, len(data), PACKET_BYTES))
    return b"".join(packet(bytes([channel]) + part) for part in found)


def _head(kind: int, size: int) -> bytes:
    """The head of an object in a pack."""
    byte, size = kind << 4 | size & 15, size >> 4
    found = bytearray()
    while size:
        found.append(byte | 128)
        byte, size = size & 127, size >> 7
    return bytes([*found, byte])


def endless_objects() -> Iterator[bytes]:
    """A pack of two million objects that do not compress."""
    packed = zlib.compress(Random(1).randbytes(OBJECT_BYTES), 0)
    yield _sideband(1, b"PACK" + (2).to_bytes(4) + (2_000_000).to_bytes(4))
    one = _sideband(1, _head(3, OBJECT_BYTES) + packed)
    while True:
        yield one


def one_endless_object() -> Iterator[bytes]:
    """A pack with one object of a million megabytes."""
    yield _sideband(1, b"PACK" + (2).to_bytes(4) + (1).to_bytes(4) + _head(3, 10**12))
    packer, data = zlib.compressobj(0), Random(1).randbytes(OBJECT_BYTES)
    while True:
        yield _sideband(1, packer.compress(data))


def endless_messages() -> Iterator[bytes]:
    """What a server may say to the person, and no pack."""
    one = _sideband(2, b"Counting objects: never done\n" * 2000)
    while True:
        yield one


def endless_refs() -> Iterator[bytes]:
    """Names of refs in place of the first answer."""
    number = 0
    while True:
        lines = (f"{COMMIT} refs/wm/memory/{number + n:020}\n".encode() for n in range(10_000))
        yield b"".join(map(packet, lines))
        number += 10_000


class Remote:
    """url: where it is. asked: set when git waits for it. sent: bytes that it wrote."""

    def __init__(self, body: Callable[[], Iterator[bytes]] | None) -> None:
        self.body = body
        self.url = ""
        self.sent = 0
        self.asked, self.end = threading.Event(), threading.Event()

    def answer(self, asked: bytes) -> Iterator[bytes]:
        """The answer to a request, given its body; b"" asks for the refs."""
        self.asked.set()
        if self.body is None:
            self.end.wait()
            return
        is_endless = not asked and self.body is endless_refs
        if not asked:
            yield packet(b"# service=git-upload-pack\n") + b"0000"
            yield packet(f"{COMMIT} {REF}\0side-band-64k ofs-delta\n".encode())
            yield b"" if is_endless else b"0000"
        else:
            yield packet(b"NAK\n")
        if is_endless or b"done" in asked:
            yield from self.body()


def _handler(remote: Remote) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def _serve(self) -> None:
            asked = self.rfile.read(int(self.headers.get("content-length") or 0))
            kind = "result" if asked else "advertisement"
            with suppress(ConnectionError):
                self.send_response(200)
                self.send_header("content-type", f"application/x-git-upload-pack-{kind}")
                self.end_headers()
                for part in remote.answer(asked):
                    self.wfile.write(part)
                    remote.sent += len(part)

        do_GET = do_POST = _serve  # noqa: N815

        def log_message(self, *_args: object) -> None:
            pass

    return Handler


@contextmanager
def endless(body: Callable[[], Iterator[bytes]] | None) -> Iterator[Remote]:
    """A remote that goes on like that; without a body it does not answer before `end` is set."""
    remote = Remote(body)
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(remote)) as server:
        remote.url = f"http://127.0.0.1:{server.server_address[1]}/shop.git"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield remote
        finally:
            remote.end.set()
            server.shutdown()
            thread.join()
