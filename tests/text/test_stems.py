"""Forms of one word share a stem; different words keep apart."""

from __future__ import annotations

import pytest

from wm.text.stems import stem


@pytest.mark.parametrize(
    "forms",
    [
        "define defines defined defining",
        "migrate migrates migrated migrating migration migrations",
        "install installs installed installing installation",
        "organise organised organize organizing organization",
        "query queries queried querying",
        "retry retries retried retrying",
        "run runs running ran",
        "use uses used using",
        "write writes writing wrote written",
        "store stores stored storing",
        "deploy deploys deployed deploying deployment",
        "decide decides decided decision decisions",
        "pass passes passed passing",
        "commit commits committed committing",
        "test tests tested testing",
        "time times timed timing",
    ],
)
def test_forms_of_one_word_share_a_stem(forms: str) -> None:
    stems = {stem(form) for form in forms.split()}
    assert len(stems) == 1, stems


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("status", "state"),
        ("user", "use"),
        ("format", "form"),
        ("password", "pass"),
        ("string", "str"),
        ("node", "not"),
        ("import", "important"),
        ("access", "acces"),
    ],
)
def test_different_words_have_different_stems(a: str, b: str) -> None:
    assert stem(a) != stem(b)


@pytest.mark.parametrize("word", ["api", "go", "x86", "größe", "パス", "", "tls", "ids"])
def test_short_foreign_and_numbered_words_are_unchanged(word: str) -> None:
    assert stem(word) == word
