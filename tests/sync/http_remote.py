"""git's own HTTP backend on loopback: a remote that is reached as over a network."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def _handler(folder: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def _serve(self) -> None:
            path, _, query = self.path.partition("?")
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            if self.headers.get("transfer-encoding") == "chunked":
                body = self._chunks()
            env = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("content-type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
                "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
                "REMOTE_USER": "tests",
                "REMOTE_ADDR": "127.0.0.1",
            }
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=env, capture_output=True, check=False
            )
            head, _, rest = done.stdout.partition(b"\r\n\r\n")
            fields = dict(
                line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line
            )
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(rest)

        def _chunks(self) -> bytes:
            found = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            return found

        do_GET = do_POST = _serve  # noqa: N815

        def log_message(self, *_args: object) -> None:
            pass

    return Handler


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The URL below which the bare repositories of a folder are served."""
    for repository in folder.glob("*.git"):
        subprocess.run(
            ["git", "-C", str(repository), "config", "http.receivepack", "true"], check=True
        )
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(folder)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
