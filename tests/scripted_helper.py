"""A helper model's server on the loopback: both APIs, and an answer that a test writes.

It keeps every byte that it is sent, so that a test can look for what must never be there.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from wm.domain.paging.abstracts import must_survive
from wm.domain.paging.stubs import handle_of

Script = Callable[[str, str], "str | Raw"]
"""Instructions and text of a call -> the reply."""


@dataclass
class Raw:
    """An answer as bytes. wait: an event that it waits for."""

    body: bytes = b""
    status: int = 200
    wait: threading.Event | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class ScriptedHelper:
    script: Script
    usage: tuple[int, int] = (100, 20)
    received: list[bytes] = field(default_factory=list)
    """Head and body of each request."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def reply(self, path: str, body: bytes) -> Raw:
        asked = json.loads(body)
        if path.startswith("/v1/messages"):
            said = self.script(asked["system"], asked["messages"][0]["content"])
        else:
            said = self.script(*(message["content"] for message in asked["messages"]))
        return said if isinstance(said, Raw) else Raw(json.dumps(self._shaped(path, said)).encode())

    def _shaped(self, path: str, text: str) -> dict[str, Any]:
        read, written = self.usage
        if path.startswith("/v1/messages"):
            return {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "claude-haiku-4-5",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": read, "output_tokens": written},
            }
        message = {"role": "assistant", "content": text}
        return {"message": message, "prompt_eval_count": read, "eval_count": written}


@contextmanager
def scripted(script: Script, **fields: Any) -> Iterator[ScriptedHelper]:
    helper = ScriptedHelper(script, **fields)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            helper.received.append(f"{self.path}\n{self.headers}".encode() + body)
            made = helper.reply(self.path, body)
            if made.wait is not None:
                made.wait.wait(20)
            try:
                self.send_response(made.status)
                self.send_header("content-type", "application/json")
                for name, value in made.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(made.body)))
                self.end_headers()
                self.wfile.write(made.body)
            except OSError:
                pass  # the caller did not wait

        def log_message(self, *_args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    helper.port = server.server_port
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield helper
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# --- content that was removed, and what an honest model says of it --------------------------------

PIERS = range(90)
CONTENT = "\n".join(
    [
        "src/quay/berths.py",
        "def berth_of(ship, draught_m=4.25):",
        "    raise NoBerthFree: error 4711 in harbour_plan",
        *(
            f"    the tide of pier {number + 100} is noted by pilot_{number:03}"
            for number in range(90)
        ),
    ]
)
HANDLE = handle_of(CONTENT)


def good_summary() -> str:
    """What an honest model says: the names that must survive, and a question it can answer."""
    wanted = ", ".join(must_survive(CONTENT))
    detailed = f"The file defines how a ship gets a berth. Names: {wanted}."
    return json.dumps(
        {
            "detailed": detailed,
            "compact": "src/quay/berths.py: berth_of gives a ship its berth.",
            "losses": ["the tides of the piers"],
            "can_answer": ["What does the file define?"],
        }
    )


QUOTE = json.dumps({"quotes": ["defines how a ship gets a berth"]})
ANSWER = {
    "answer": "berth_of raises NoBerthFree with error 4711.",
    "citations": [{"id": HANDLE, "first": 2, "last": 3, "quote": "raise NoBerthFree: error 4711"}],
}


def honest(instructions: str, text: str) -> str | Raw:
    if "shorten" in instructions:
        return good_summary()
    return QUOTE if "check a summary" in instructions else json.dumps(ANSWER)


def paged(content: str = CONTENT) -> dict[str, Any]:
    """What a proxy appends: a step with this result, its removal, and that the request left."""
    handle = handle_of(content)
    part = {"id": handle, "kind": "result", "text": content}
    step = {"id": "o_000000000001", "places": ["0" * 16], "number": 1, "type": "file_context"}
    step |= {"tokens": len(content) // 4, "parts": [part], "label": "Read berths.py"}
    stub = {"block": "0" * 16, "text": f"[wm: removed; {handle}]", "reason": "cut"}
    records = [
        {"kind": "decided", "request": "r_1", "decisions": [stub]},
        {"kind": "sent", "request": "r_1"},
    ]
    return {"objects": [step], "records": records, "durable": True}
