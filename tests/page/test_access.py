"""Who may use the page: the rules, and attacks over a real socket (UI-1, TR-4)."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_other_users import as_nobody
from tests.daemon.foreign import needs_root
from tests.page.opened import OpenPage, opened
from wm.page.access import PageAccess
from wm.page.listener import owners_of

DOOR = PageAccess("secret", "cookie", "token", frozenset({"127.0.0.1:80", "localhost:80"}))
GOOD = {"host": "127.0.0.1:80", "cookie": "a=b; wm=cookie"}
FORM = {
    **GOOD,
    "origin": "http://127.0.0.1:80",
    "content-type": "application/x-www-form-urlencoded",
}


@pytest.mark.parametrize(
    ("method", "path", "headers", "refusal"),
    [
        ("GET", "/secret/w/k/memory", GOOD, ""),
        ("HEAD", "/secret/", {**GOOD, "host": "LOCALHOST:80"}, ""),
        ("GET", "/secret/", {**GOOD, "sec-fetch-site": "same-origin"}, ""),
        ("GET", "/secret/", {**GOOD, "sec-fetch-site": "none"}, ""),
        ("POST", "/secret/w/k/undo", FORM, ""),
        ("GET", "/secret/enter", {"host": "127.0.0.1:80", "sec-fetch-site": "cross-site"}, ""),
        ("GET", "/secret/", {}, "host"),
        ("GET", "/secret/", {**GOOD, "host": "127.0.0.1:81"}, "host"),
        ("GET", "/secret/", {**GOOD, "host": "evil.example:80"}, "host"),
        ("GET", "/secret/", {**GOOD, "host": "127.0.0.1:80, evil.example"}, "host"),
        ("GET", "/", GOOD, "path"),
        ("GET", "/secre/", GOOD, "path"),
        ("GET", "/Secret/", GOOD, "path"),
        ("GET", "//secret/", GOOD, "path"),
        ("PUT", "/secret/", GOOD, "method"),
        ("OPTIONS", "/secret/w/k/undo", FORM, "method"),
        ("GET", "/secret/", {**GOOD, "origin": "http://evil.example"}, "origin"),
        ("GET", "/secret/", {**GOOD, "origin": "null"}, "origin"),
        ("GET", "/secret/", {**GOOD, "origin": "http://localhost:80"}, "origin"),
        ("GET", "/secret/", {**GOOD, "sec-fetch-dest": "iframe"}, "embedded"),
        ("GET", "/secret/enter", {**GOOD, "sec-fetch-dest": "iframe"}, "embedded"),
        ("GET", "/secret/enter", {**GOOD, "sec-purpose": "prefetch;prerender"}, "prefetch"),
        ("GET", "/secret/enter/x", {"host": "127.0.0.1:80"}, "cookie"),
        ("GET", "/secret/", {**GOOD, "sec-fetch-site": "cross-site"}, "site"),
        ("GET", "/secret/", {**GOOD, "sec-fetch-site": "same-site"}, "site"),
        ("GET", "/secret/", {"host": "127.0.0.1:80"}, "cookie"),
        ("GET", "/secret/", {**GOOD, "cookie": "wm=cooki"}, "cookie"),
        ("GET", "/secret/", {**GOOD, "cookie": "wm=other; wm=cookie"}, "cookie"),
        ("POST", "/secret/w/k/undo", {**FORM, "content-type": "text/plain"}, "type"),
        ("POST", "/secret/w/k/undo", {**GOOD, "content-type": FORM["content-type"]}, "origin"),
    ],
)
def test_a_request_is_served_or_refused_for_a_reason(
    method: str, path: str, headers: dict[str, str], refusal: str
) -> None:
    assert DOOR.refusal(method, path, headers) == refusal


def test_a_form_needs_the_token_of_the_page() -> None:
    assert DOOR.accepts({"form": "token"})
    assert not DOOR.accepts({"form": "cookie"})
    assert not DOOR.accepts({})


def test_the_owner_of_a_connection_is_the_user_of_its_other_end() -> None:
    lines = [
        "0: 0100007F:1F90 00000000:0000 0A 0:0 0:0 0 1000 0 1",
        "1: 0100007F:C001 0100007F:1F90 01 0:0 0:0 0 1001 0 2",
        "2: 0100007F:1F90 0100007F:C001 01 0:0 0:0 0 1000 0 3",
        "a damaged line",
    ]
    assert list(owners_of(lines, 0xC001, 0x1F90)) == [1001]
    assert list(owners_of(lines, 0xC002, 0x1F90)) == []


# --- a real page -------------------------------------------------------------------------------


def test_the_address_is_in_no_command_line_and_its_file_only_for_its_user(user: Terminal) -> None:
    with opened(user) as page:
        secret = page.root[1:]
        assert not any(secret.encode() in line for line in _command_lines())
        (file,) = (
            p for p in Path("/tmp").glob("wm-open-*/open.html") if secret in p.read_text("utf-8")
        )
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        page.enter()
        assert not file.exists()
    assert not file.parent.exists()


def _command_lines() -> Iterator[bytes]:
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # the process has ended
            yield file.read_bytes()


def test_the_ticket_works_once(user: Terminal) -> None:
    with opened(user) as page:
        path = page.address.removeprefix(page.origin)
        assert page.ask(path, headers={"Sec-Purpose": "prefetch"}).status == 403
        page.enter()
        assert page.ask(path).status == 303  # the same browser goes on
        page.cookie = ""
        assert page.ask(path).status == 403


def test_the_cookie_is_for_this_path_and_no_script(page: OpenPage) -> None:
    cookie = page.headers["set-cookie"]
    assert f"Path={page.root}/" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_every_answer_forbids_frames_and_foreign_content(page: OpenPage) -> None:
    answers = (
        page.get("memory"),
        page.ask("/"),
        page.ask(f"{page.root}/static/page.css"),
        page.get("nothing-like-that"),
    )
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"


def _contents(user: Terminal) -> dict[Path, bytes]:
    files = user.data.glob("workspaces/*/*.json")
    return {file: file.read_bytes() for file in files}


PATHS = ("memory", "events", "entries/{id}/forget", "inbox", "undo", "remember", "learn")
ATTACKS: dict[str, dict[str, str | None]] = {
    "another site": {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    "another port": {"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"},
    "a sandboxed frame": {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    "a navigation from another site": {"Sec-Fetch-Site": "cross-site"},
    "a frame": {"Sec-Fetch-Dest": "iframe"},
    "a name that leads here": {"Host": "evil.example"},
    "a name with this port": {"Host": "evil.example:{port}"},
    "no cookie": {"Cookie": None},
    "a guessed cookie": {"Cookie": "wm=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
    "the cookie of an earlier page": {"Cookie": "wm={earlier}"},
}
BODIES = {
    "GET": None,
    "POST": b"form=%b&act=&text=An+attack+was+here&mode=off&decision=accept&id={id}",
    "POST as text": b"form=%b&text=An+attack+was+here",
}


def test_attacks_in_more_than_200_forms_have_no_effect(user: Terminal) -> None:
    """Also by whoever learned the path, and after the port was used by an earlier page."""
    with opened(user) as earlier:
        earlier.enter()
        port, stale = earlier.port, earlier.cookie
        stale_root = earlier.root
    with opened(user, "--port", str(port)) as page:
        page.enter()
        assert page.port == port
        workspace, token = page.workspace, page.token
        before = _contents(user)
        name = user.wm("inspect", "--json").json["entries"][0]["entry"]["id"]
        tried = 0
        for path, attack, method in product(PATHS, ATTACKS.values(), BODIES):
            body = BODIES[method]
            headers = {
                key: value and value.format(port=port, earlier=stale)
                for key, value in attack.items()
            }
            if method == "POST as text":
                headers["Content-Type"] = "text/plain"
            answer = page.ask(
                f"{workspace}/{path.format(id=name)}",
                method=method.split()[0],
                headers={"Origin": page.origin if body else None, **headers},
                body=body % token.encode() if body else None,
            )
            assert (answer.status, "ferry" in answer.text) == (403, False), (path, attack, method)
            tried += 1
        assert tried >= 200
        for path in ("/", f"{stale_root}/", f"{stale_root}/static/page.css", "/static/page.css"):
            assert page.ask(path).status == 403
        assert _contents(user) == before


@pytest.mark.parametrize("token", ["", "guess", "{cookie}"])
@pytest.mark.parametrize("path", [path for path in PATHS if path not in ("memory", "events")])
def test_a_form_without_the_token_changes_nothing(
    user: Terminal, page: OpenPage, path: str, token: str
) -> None:
    name = user.wm("inspect", "--json").json["entries"][0]["entry"]["id"]
    before = _contents(user)
    form = {"form": token.format(cookie=page.cookie), "text": "An attack was here", "id": name}
    assert page.ask(f"{page.workspace}/{path.format(id=name)}", form).status == 403
    assert _contents(user) == before


def test_a_form_that_is_too_long_is_refused(page: OpenPage) -> None:
    assert page.post("remember", text="x" * 400_000).status == 413


@needs_root
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose a connection is")
def test_another_user_gets_no_byte(page: OpenPage) -> None:
    request = f"GET {page.root}/ HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n"
    request += f"Cookie: wm={page.cookie}\r\n\r\n"

    def answered() -> int:
        with socket.create_connection(("127.0.0.1", page.port), timeout=10) as sock:
            try:
                sock.sendall(request.encode())
                return len(sock.recv(100))
            except OSError:
                return 0

    assert as_nobody(answered) == 0
    assert answered() > 0
    assert os.geteuid() == 0


def test_the_port_is_on_the_loopback_only(page: OpenPage) -> None:
    listening = [
        line.split()[1]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text("ascii").splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{page.port:04X}")
    ]
    assert listening == [f"0100007F:{page.port:04X}"]
