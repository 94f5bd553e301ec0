"""One call to a helper model over real HTTP: an answer, or the reason why there is none."""

from __future__ import annotations

import importlib.util
import json
import socket
import threading
import time
from contextlib import ExitStack, suppress

import pytest

from tests.scripted_helper import Raw, scripted
from wm.models.helper import HelperCall, HelperFailure, HelperReply, ask, server_at

needs_sdk = pytest.mark.skipif(
    importlib.util.find_spec("anthropic") is None,
    reason='the SDK is not installed: pip install "wm-memory[helper]"',
)
BOTH = [pytest.param("anthropic", marks=needs_sdk), "ollama"]


def call(provider: str, url: str, wait_s: float = 10.0) -> HelperCall:
    return HelperCall(provider, url, "claude-haiku-4-5", "own-key", "Shorten.", "Much.", 50, wait_s)


@pytest.mark.parametrize("provider", BOTH)
def test_a_reply_has_its_text_and_tokens(provider: str) -> None:
    with scripted(lambda _instructions, text: text.upper()) as helper:
        assert ask(call(provider, helper.url)) == HelperReply("MUCH.", 100, 20)
        [request] = helper.received
    assert b"own-key" in request.split(b"\n\n")[0]
    assert b"own-key" not in request.split(b"\n\n", 1)[1]


@needs_sdk
def test_the_sdk_sends_neither_key_nor_headers_of_the_users_own_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "clients-key")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "clients-token")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/elsewhere")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-gateway: clients-gateway")
    with scripted(lambda *_asked: "yes") as helper:
        assert ask(call("anthropic", helper.url)) == HelperReply("yes", 100, 20)
        [request] = helper.received
    assert b"clients-" not in request


GARBAGE = [
    *(b"", b"{", b"[]", b"null", b"7", b"[" * 9_000, b"\xff\xfe\x00", b"{}"),
    *(b'{"content": 5}', b'{"content": null}', b'{"content": []}', b'{"content": [null]}'),
    *(b'{"content": [{}]}', b'{"content": [{"type": "text"}]}'),
    b'{"content": [{"type": "text", "text": null}]}',
    b'{"content": [{"type": "text", "text": " "}], "usage": {"input_tokens": 9}}',
    b'{"content": [{"type": "text", "text": "a"}], "usage": [1]}',
    *(b'{"message": null}', b'{"message": []}', b'{"message": {"content": 7}}'),
    *(b'{"message": {"content": null}}', b'{"message": {"content": ""}}'),
]


@pytest.mark.parametrize("provider", BOTH)
@pytest.mark.parametrize("body", GARBAGE)
def test_garbage_is_a_reason(provider: str, body: bytes) -> None:
    with scripted(lambda *_asked: Raw(body)) as helper:
        found = ask(call(provider, helper.url))
    assert isinstance(found, HelperFailure)
    assert (found.reason, found.may_cost) == ("unreadable", True)


@pytest.mark.parametrize("provider", BOTH)
def test_an_endless_answer_is_not_read(provider: str) -> None:
    with scripted(lambda *_asked: Raw(b" " * (1 << 22))) as helper:
        found = ask(call(provider, helper.url))
    assert isinstance(found, HelperFailure)
    assert found.reason == "unreadable"


@pytest.mark.parametrize("provider", BOTH)
@pytest.mark.parametrize(
    ("status", "reason", "may_cost"),
    [
        (302, "refused", False),
        (400, "refused", False),
        (401, "refused", False),
        (429, "overloaded", False),
        (500, "refused", True),
    ],
)
def test_a_status_is_a_reason(provider: str, status: int, reason: str, may_cost: bool) -> None:
    """A redirect is none: it could lead to a host without consent."""
    with scripted(lambda *_asked: "never") as other:
        body = json.dumps({"error": {"message": "no"}}).encode()
        raw = Raw(body, status, headers={"location": f"{other.url}/v1/messages"})
        with scripted(lambda *_asked: raw) as helper:
            found = ask(call(provider, helper.url))
        assert isinstance(found, HelperFailure)
        assert (found.reason, found.may_cost) == (reason, may_cost)
        assert other.received == []


@pytest.mark.parametrize("provider", BOTH)
def test_a_silent_server_is_waited_for_no_longer_than_said(provider: str) -> None:
    end = threading.Event()
    with scripted(lambda *_asked: Raw(b"{}", wait=end)) as helper:
        found = ask(call(provider, helper.url, wait_s=0.2))
        end.set()
    assert found == HelperFailure("timeout", may_cost=True)


@pytest.mark.parametrize("provider", BOTH)
@pytest.mark.parametrize("kind", ["counts", "text"])
def test_numbers_and_letters_that_no_file_can_contain_are_replaced(
    provider: str, kind: str
) -> None:
    count = "1" + "0" * 400 if kind == "counts" else "true"
    said = "yes" if kind == "counts" else "\\ud800yes"
    body = (
        f'{{"content": [{{"type": "text", "text": "{said}"}}], "message": {{"content": "{said}"}},'
        f'"usage": {{"input_tokens": {count}, "output_tokens": -1}}, "prompt_eval_count": {count}}}'
    )
    with scripted(lambda *_asked: Raw(body.encode())) as helper:
        found = ask(call(provider, helper.url))
    if kind == "counts":
        assert found == HelperReply("yes", 1_000_000_000, 0)
    else:
        assert found == HelperReply("?yes", 0, 0)


SLOW = {
    "head": [b"HTTP/1.1 200 OK\r\nx: ", *[b"y"] * 400],
    "body": [b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n", *[b" "] * 400],
    "cut": [b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"],
    "no http": [b"GET me\r\n\r\n"],
    "wrong gzip": [b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc"],
}


@pytest.mark.parametrize("provider", BOTH)
@pytest.mark.parametrize("kind", SLOW)
def test_a_server_that_sends_slowly_or_breaks_off_is_a_reason_in_time(
    provider: str, kind: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        end = threading.Event()

        def serve() -> None:
            with server.accept()[0] as client, suppress(OSError):
                client.recv(1 << 16)
                for piece in SLOW[kind]:
                    client.sendall(piece)
                    if len(SLOW[kind]) > 1:
                        end.wait(0.05)

        thread = threading.Thread(target=serve)
        thread.start()
        begun = time.monotonic()
        found = ask(call(provider, f"http://127.0.0.1:{server.getsockname()[1]}", wait_s=0.5))
        took = time.monotonic() - begun
        end.set()
        thread.join()
    assert isinstance(found, HelperFailure)
    assert found.may_cost
    assert took < 5.0
    if kind in ("head", "body"):
        assert found.reason == "timeout"


@pytest.mark.parametrize("provider", BOTH)
def test_a_connection_that_is_never_made_costs_nothing(provider: str) -> None:
    """A server whose queue is full takes no connection, and its handshake is not answered."""
    with socket.socket() as server, ExitStack() as held:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        place = server.getsockname()
        for _ in range(4):  # the kernel takes one more than said
            one = held.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(place)
        found = ask(call(provider, f"http://127.0.0.1:{place[1]}", wait_s=0.3))
    assert isinstance(found, HelperFailure)
    assert (found.reason, found.may_cost) == ("unreachable", False)


@pytest.mark.parametrize("provider", BOTH)
def test_a_server_without_tls_costs_nothing(provider: str) -> None:
    with scripted(lambda *_asked: "never") as helper:
        found = ask(call(provider, helper.url.replace("http:", "https:")))
    assert isinstance(found, HelperFailure)
    assert (found.reason, found.may_cost) == ("unreachable", False)


@pytest.mark.parametrize("provider", BOTH)
def test_a_server_that_is_not_there_costs_nothing(provider: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        found = ask(call(provider, f"http://127.0.0.1:{taken.getsockname()[1]}"))
    assert isinstance(found, HelperFailure)
    assert (found.reason, found.may_cost) == ("unreachable", False)


@pytest.mark.parametrize(
    ("url", "host", "local"),
    [
        ("https://api.anthropic.com", "api.anthropic.com", False),
        ("http://127.0.0.1:11434", "127.0.0.1", True),
        ("http://[::1]:11434/", "::1", True),
        ("http://localhost", "localhost", True),
        ("http://api.anthropic.com", None, False),
        ("https://me:secret@host", None, False),
        ("https://host:99999", None, False),
        ("ftp://127.0.0.1", None, False),
        ("", None, False),
    ],
)
def test_a_server_is_https_or_on_this_machine(url: str, host: str | None, local: bool) -> None:
    found = server_at(url)
    assert (found.host if found else None) == host
    assert found is None or found.local is local
