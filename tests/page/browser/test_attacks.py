"""Attacks in a real Chromium: a page of another origin, and a program that takes over the port."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any

from tests.cli.terminal import Terminal
from tests.page.browser.tab import IS_LIVE, wait_until
from tests.page.opened import OpenPage, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PATHS = ("memory", "inbox", "undo", "remember", "learn", "events", "entries/{id}/forget")
WAYS = (
    "form",
    "form in a frame",
    "fetch",
    "fetch without cors",
    "frame",
    "image",
    "script",
    "window",
)
ATTACK = """
async ([url, way, fields]) => {
  const form = () => {
    const made = document.createElement("form");
    made.method = "post";
    made.action = url;
    for (const [name, value] of Object.entries(fields)) {
      const field = document.createElement("input");
      field.name = name;
      field.value = value;
      made.append(field);
    }
    document.body.append(made);
    return made;
  };
  const framed = (name) => {
    const frame = document.createElement("iframe");
    frame.name = name;
    document.body.append(frame);
    return frame;
  };
  const loaded = (element) =>
    new Promise((done) => {
      element.onload = () => done("loaded");
      element.onerror = () => done("failed");
      setTimeout(() => done("silent"), 300);
    });
  const body = new URLSearchParams(fields);
  if (way === "form in a frame" || way === "form") {
    const frame = framed("target");
    const made = form();
    made.target = "target";
    const done = loaded(frame);
    made.submit();
    return done;
  }
  if (way === "fetch") {
    return fetch(url, { method: "POST", body, credentials: "include" }).then(
      (answer) => "read " + answer.status,
      () => "failed",
    );
  }
  if (way === "fetch without cors") {
    const sent = fetch(url, { method: "POST", body, credentials: "include", mode: "no-cors" });
    return sent.then((answer) => answer.type, () => "failed");
  }
  if (way === "window") {
    const other = window.open(url);
    if (!other) return "failed";
    try {
      for (let tries = 0; tries < 200; tries++) {
        if (other.location.href !== "about:blank") break;
        await new Promise((done) => setTimeout(done, 20));
      }
      return "read " + other.document.body.textContent.length;
    } catch {
      return "failed";
    } finally {
      other?.close();
    }
  }
  const tags = { image: "img", script: "script" };
  const element = way === "frame" ? framed("seen") : document.createElement(tags[way]);
  const done = loaded(element);
  element.src = url;
  document.body.append(element);
  const how = await done;
  if (way !== "frame") return how;
  try {
    return "read " + element.contentDocument.body.textContent.length;
  } catch {
    return "failed";
  }
}
"""


@contextmanager
def serving(answer: Any, port: int = 0) -> Iterator[int]:
    """A server whose GET and POST requests `answer` handles."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        do_POST = do_GET  # noqa: N815 - the name that the library calls

        def log_message(self, *_words: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        allow_reuse_address = True
        daemon_threads = True

    with Server(("127.0.0.1", port), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def _blank(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    handler.wfile.write(b"<!doctype html><title>attack</title><body></body>")


def _memory(user: Terminal) -> dict[str, Any]:
    found: dict[str, Any] = user.wm("inspect", "--all", "--json").json
    # The strength of an entry falls while the attacks run.
    entries = [{**view, "strength": None} for view in found["entries"]]
    return {"entries": entries, "learn": user.wm("learn", "--json").json["mode"]}


def test_a_page_of_another_origin_learns_and_changes_nothing(
    browser: Browser, user: Terminal, entered: tuple[OpenPage, Any]
) -> None:
    """It even knows the secret path and the token of the forms."""
    page, state = entered
    before = _memory(user)
    name = before["entries"][0]["entry"]["id"]
    fields = {
        "form": page.token,
        "text": "An attack was here.",
        "id": name,
        "act": "",
        "mode": "off",
    }
    learned = []
    with serving(_blank) as port:
        context = browser.new_context(storage_state=state)
        for origin in (f"http://127.0.0.1:{port}", f"http://localhost:{port}"):
            tab = context.new_page()
            tab.goto(origin)
            for path, way in product(PATHS, WAYS):
                url = f"{page.origin}{page.workspace}/{path.format(id=name)}"
                result = tab.evaluate(ATTACK, [url, way, fields])
                if result.startswith("read") or (way in ("image", "script") and result == "loaded"):
                    learned.append((origin, path, way, result))
        context.close()
    assert learned == []
    assert _memory(user)["entries"] == before["entries"]
    assert _memory(user)["learn"] == before["learn"]


def test_another_program_on_the_port_of_a_closed_page_is_reported_and_shows_nothing(
    browser: Browser, user: Terminal
) -> None:
    asked: list[str] = []

    def hostile(handler: http.server.BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        hello = json.dumps({"proof": "guess", "live": True})
        change = json.dumps({"slugs": ["everything"], "live": True})
        text = f"event: hello\ndata: {hello}\n\nevent: change\ndata: {change}\n\n"
        handler.wfile.write(text.encode())

    with opened(user) as page:
        tab = browser.new_page()
        tab.goto(page.address)
        tab.wait_for_url("**/memory")
        wait_until(tab, IS_LIVE)
        port = page.port
    tab.locator("#closed:not([hidden])").wait_for()
    with serving(hostile, port):
        tab.wait_for_timeout(4000)
        assert asked  # the tab tried to connect again
        assert all(path.endswith("/events") for path in asked)
        assert tab.locator("#closed").is_visible()
        assert tab.locator("main").evaluate("main => main.inert")
        assert tab.locator(".row").count() > 10
    tab.close()
