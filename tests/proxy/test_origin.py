"""Which upstream a URL names, and which it may not."""

from __future__ import annotations

import pytest

from wm.errors import UserError
from wm.proxy.origin import Origin, parse_origin


@pytest.mark.parametrize(
    ("url", "origin", "authority"),
    [
        ("https://api.example", Origin("https", "api.example", 443), b"api.example"),
        (
            "https://gateway.example:8443/llm/",
            Origin("https", "gateway.example", 8443, b"/llm"),
            b"gateway.example:8443",
        ),
        ("http://127.0.0.1:9999", Origin("http", "127.0.0.1", 9999), b"127.0.0.1:9999"),
        ("http://[::1]:9999/x", Origin("http", "::1", 9999, b"/x"), b"[::1]:9999"),
        ("http://localhost", Origin("http", "localhost", 80), b"localhost"),
        ("https://bü.example", Origin("https", "xn--b-eha.example", 443), b"xn--b-eha.example"),
    ],
)
def test_a_url_names_host_port_and_prefix(url: str, origin: Origin, authority: bytes) -> None:
    found = parse_origin(url)
    assert found == origin
    assert found.authority == authority


def test_the_prefix_precedes_every_target() -> None:
    assert parse_origin("https://h/llm").target(b"/v1/messages?a=b") == b"/llm/v1/messages?a=b"


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/messages"])
def test_an_upstream_may_end_in_the_version(path: str) -> None:
    asked = b"/v1/messages?a=b"
    assert parse_origin(f"https://h{path}").target(asked) == b"/v1/messages?a=b"
    assert parse_origin(f"https://h/llm{path}").target(asked) == b"/llm/v1/messages?a=b"


def test_only_a_repeated_version_is_left_out() -> None:
    target = parse_origin("https://h/v1").target
    assert target(b"/chat/completions") == b"/v1/chat/completions"
    assert target(b"/v1/files?of=/v1/v1/x") == b"/v1/files?of=/v1/v1/x"
    assert parse_origin("https://h/v1/acct").target(b"/v1/models") == b"/v1/acct/v1/models"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("api.example", "not an http or https URL"),
        ("ftp://host", "not an http or https URL"),
        ("https://", "not an http or https URL"),
        ("https://host:99999", "not a URL"),
        ("https://user:pass@host", "must have no user"),
        ("https://host/?x=1", "must have no user, query or fragment"),
        ("http://api.example", "without encryption"),
        ("http://10.0.0.1:8080", "without encryption"),
        ("https://host/ü", "not a URL"),
    ],
)
def test_an_invalid_upstream_is_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(UserError, match=why) as caught:
        parse_origin(url)
    assert "pass" not in str(caught.value).replace("passed", "")
