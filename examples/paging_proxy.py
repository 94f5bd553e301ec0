"""A proxy for the Messages API that pages through the daemon of `wm`.

    python examples/paging_proxy.py https://api.anthropic.com 8700
    ANTHROPIC_BASE_URL=http://127.0.0.1:8700 claude

It shows the two calls that a proxy of one's own needs: `prepare_request` answers the body to send,
`finish_turn` takes the usage of the answer. `wm proxy` does the same, and streams.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from wm.daemon.client import Client
from wm.settings import load

UPSTREAM = sys.argv[1]  # an https URL
HOP = {"host", "content-length", "connection", "accept-encoding", "transfer-encoding"}


class Proxy(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = {"headers": headers, "body": body.decode(), "policy": "balanced"}
        with Client(load()) as wm:
            turn = wm.call("prepare_request", asked)
            if turn.get("beta"):
                headers["anthropic-beta"] = f"{headers.get('anthropic-beta', '')},{turn['beta']}"
            kept = {name: value for name, value in headers.items() if name not in HOP}
            sent = (turn.get("body") or "").encode() or body
            try:
                answer = urlopen(Request(UPSTREAM + self.path, sent, kept))  # noqa: S310
            except HTTPError as refused:
                answer = refused
            raw = answer.read()
            if turn.get("request"):
                ok = answer.status < 300
                report = {"request": turn["request"], "ok": ok, "usage": usage(raw) if ok else None}
                wm.call("finish_turn", report)
        self.send_response(answer.status)
        self.send_header("content-type", answer.headers["content-type"])
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def usage(raw: bytes) -> dict[str, int]:
    """The tokens of an answer that is not a stream."""
    found = json.loads(raw)["usage"]
    return {
        "input": found["input_tokens"],
        "output": found["output_tokens"],
        "cacheRead": found["cache_read_input_tokens"],
        "cacheWrite5m": found["cache_creation_input_tokens"],
    }


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Proxy).serve_forever()
