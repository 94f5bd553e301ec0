"""A proxy for the Messages API that pages through the daemon of `wm`.

    python examples/paging_proxy.py https://api.anthropic.com 8700
    ANTHROPIC_BASE_URL=http://127.0.0.1:8700 claude

A proxy of one's own needs two calls: `prepare_request` returns the body and headers to send,
`finish_turn` takes the answer. If wm does not answer within a second, the client's own request is
sent. A notice says what is stored, before anything is.
"""

import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib import error, request

from wm.errors import WmError
from wm.library import Library

WM, UPSTREAM = Library(), sys.argv[1]
HOP = {"host", "content-length", "connection", "accept-encoding", "transfer-encoding"}


class Proxy(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body, turn, raw = self.rfile.read(int(self.headers["content-length"])).decode(), {}, b""
        headers = {key.lower(): one for key, one in self.headers.items() if key.lower() not in HOP}
        with suppress(WmError, KeyError):
            turn = WM.run("prepare_request", {"headers": headers, "body": body}, deadline_s=1.0)
            self.log_message("%s", turn["notice"])
        headers |= turn.get("headers", {})
        sent = request.Request(UPSTREAM + self.path, (turn.get("body") or body).encode(), headers)  # noqa: S310
        try:
            answer = request.urlopen(sent)  # noqa: S310
        except error.HTTPError as refused:
            answer = refused
        self.send_response(answer.status)
        self.send_header("content-type", answer.headers["content-type"])
        self.end_headers()
        while piece := answer.read1():
            self.wfile.write(piece)
            raw += piece
        with suppress(WmError):
            WM.run("finish_turn", {"request": turn.get("request", ""), "answer": raw.decode()})


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Proxy).serve_forever()
