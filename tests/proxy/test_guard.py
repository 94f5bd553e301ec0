"""Access to the port: the table, and two hundred combinations of a hostile page."""

from __future__ import annotations

import itertools

import pytest

from wm.net.messages import RequestHead
from wm.proxy.guard import Admitted, Guard, RefusedRequest, hosts_of

GUARD = Guard(b"secret-token", hosts_of(8642))
GOOD_HOST = b"127.0.0.1:8642"


def head(
    target: bytes = b"/t/secret-token/v1/messages",
    *headers: tuple[bytes, bytes],
    method: bytes = b"POST",
    host: bytes | None = GOOD_HOST,
) -> RequestHead:
    named = () if host is None else ((b"Host", host),)
    return RequestHead(method, target, (*named, *headers))


@pytest.mark.parametrize(
    ("target", "asked", "workspace"),
    [
        (b"/t/secret-token/v1/messages", b"/v1/messages", ""),
        (b"/t/secret-token/v1/messages?beta=true", b"/v1/messages?beta=true", ""),
        (b"/t/secret-token", b"/", ""),
        (b"/t/secret-token/", b"/", ""),
        (b"/t/secret-token/w/0123456789abcdef/v1/models", b"/v1/models", "0123456789abcdef"),
        (b"/t/secret-token/w/0123", b"/", "0123"),
        (b"/t/secret-token/v1/w/0123", b"/v1/w/0123", ""),
        (b"/t/secret-token/t/other/v1", b"/t/other/v1", ""),
        (b"/t/secret-token/v1/a%2Fb/c", b"/v1/a%2Fb/c", ""),
        (b"/t/secret-token/v1/v1/messages?beta=true", b"/v1/messages?beta=true", ""),
        (b"/t/secret-token/w/0123/v1/v1/messages", b"/v1/messages", "0123"),
        (b"/t/secret-token/v1/files?of=/v1/v1/x", b"/v1/files?of=/v1/v1/x", ""),
    ],
)
def test_the_rest_of_the_path_is_forwarded_unchanged(
    target: bytes, asked: bytes, workspace: str
) -> None:
    assert GUARD.check(head(target)) == Admitted(asked, workspace)


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        (b"/v1/./messages", b"/v1/messages"),
        (b"/v1/a/../messages", b"/v1/messages"),
        (b"/../../etc", b"/etc"),
        (b"/%2e%2E/%2e./.%2e/etc", b"/etc"),
        (b"/v1/%2e/messages?x=../y", b"/v1/messages?x=../y"),
        (b"/v1/messages/..", b"/v1/"),
        (b"/v1/messages/.", b"/v1/messages/"),
        (b"/..", b"/"),
        (b"/a//../b", b"/a/b"),
        (b"/v1/a%2Fb/../c", b"/v1/c"),
        (b"/v1/...", b"/v1/..."),
        (b"/v1/.a/b.%2e", b"/v1/.a/b.%2e"),
        (b"//v1//x/", b"//v1//x/"),
    ],
)
def test_dot_segments_are_resolved_before_a_path_is_judged(asked: bytes, path: bytes) -> None:
    assert GUARD.check(head(b"/t/secret-token" + asked)) == Admitted(path)


@pytest.mark.parametrize("asked", [b"/x/../w/0123/v1", b"/%2e/w/0123/v1", b"/w/0123/v1/../v1"])
def test_a_workspace_is_found_after_dot_segments(asked: bytes) -> None:
    assert GUARD.check(head(b"/t/secret-token" + asked)) == Admitted(b"/v1", "0123")


@pytest.mark.parametrize(
    "host", [b"127.0.0.1:8642", b"localhost:8642", b"[::1]:8642", b"LOCALHOST:8642"]
)
def test_loopback_names_are_accepted_with_this_port(host: bytes) -> None:
    assert isinstance(GUARD.check(head(host=host)), Admitted)


@pytest.mark.parametrize(
    "target",
    [
        b"/v1/messages",
        b"/t/wrong/v1/messages",
        b"/t//v1/messages",
        b"/t/secret-token2/v1/messages",
        b"/t/secret-toke/v1/messages",
        b"//t/secret-token/v1/messages",
        b"/T/secret-token/v1/messages",
        b"/t/secret%2Dtoken/v1/messages",
        b"http://127.0.0.1:8642/t/secret-token/v1/messages",
        b"*",
        b"/t/secret-token/w/XYZ",
    ],
)
def test_a_path_without_the_token_is_refused(target: bytes) -> None:
    found = GUARD.check(head(target))
    assert isinstance(found, Admitted | RefusedRequest)
    if target.endswith(b"/w/XYZ"):
        assert found == Admitted(b"/w/XYZ")
    else:
        assert found == RefusedRequest(403, "The base URL must be the one that `wm proxy` printed.")


def test_a_hostile_page_has_no_effect_in_any_combination() -> None:
    """A page knows neither the token nor how to leave out what a browser adds."""
    hosts = [b"evil.example", b"evil.example:8642", b"127.0.0.1", b"127.0.0.1:80", GOOD_HOST]
    origins = [b"http://evil.example", b"null", b"http://127.0.0.1:8642", b"file://"]
    methods = [b"GET", b"POST", b"PUT", b"OPTIONS", b"DELETE"]
    kinds = [b"text/plain", b"application/json"]
    targets = [b"/t/secret-token/v1/messages", b"/v1/messages"]
    combinations = list(itertools.product(hosts, origins, methods, kinds, targets))
    assert len(combinations) == 400
    for host, origin, method, kind, target in combinations:
        sent = head(target, (b"Origin", origin), (b"Content-Type", kind), method=method, host=host)
        found = GUARD.check(sent)
        assert isinstance(found, RefusedRequest)
        assert found.status == 403


@pytest.mark.parametrize(
    "extra",
    [
        (b"Origin", b""),
        (b"sec-fetch-site", b"same-origin"),
        (b"Sec-Fetch-Mode", b"no-cors"),
        (b"Access-Control-Request-Method", b"POST"),
    ],
)
def test_any_sign_of_a_browser_is_refused(extra: tuple[bytes, bytes]) -> None:
    found = GUARD.check(head(b"/t/secret-token/v1/messages", extra))
    assert found == RefusedRequest(403, "This port serves agents, not web pages.")


@pytest.mark.parametrize("hosts", [(), (b"127.0.0.1:8642", b"evil.example")])
def test_a_missing_or_duplicate_host_is_refused(hosts: tuple[bytes, ...]) -> None:
    sent = head(b"/t/secret-token/v1", *((b"Host", h) for h in hosts), host=None)
    assert GUARD.check(sent) == RefusedRequest(403, "The Host header does not name this proxy.")


@pytest.mark.parametrize("method", [b"CONNECT", b"TRACE", b"OPTIONS", b"BREW"])
def test_methods_that_no_agent_uses_are_refused(method: bytes) -> None:
    found = GUARD.check(head(method=method))
    assert isinstance(found, RefusedRequest)
    assert found.status == 405
