"""The keyed digest is HMAC-SHA256, whatever the key's length and however the text is cut."""

from __future__ import annotations

import hmac

import pytest

from wm.store import keyed

TEXT = b"one line of a log" * 9


@pytest.mark.parametrize("length", [1, 32, 63, 64, 65, 200])
def test_it_is_hmac_sha256(length: int) -> None:
    key = bytes(range(1, length + 1))
    wanted = hmac.digest(key, TEXT, "sha256").hex()
    assert keyed.hexdigest(key, TEXT) == wanted
    assert keyed.hexdigest(key, TEXT[:5], b"", TEXT[5:]) == wanted


def test_a_digest_leaves_nothing_behind_for_the_next() -> None:
    key = bytes(32)
    assert keyed.hexdigest(key, b"a") == keyed.hexdigest(key, b"a")
    assert keyed.hexdigest(key, b"a") != keyed.hexdigest(key, b"a", b"a")
