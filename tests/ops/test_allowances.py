"""Texts that were declared not to be secrets are kept, at once and everywhere."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.conftest import Bench
from wm.errors import NotFound, UserError

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
SAID = f"The public demo token is {TOKEN}"


def label_of(bench: Bench) -> str:
    """What replaces the token."""
    return bench.runtime.redactor.text(TOKEN)


def test_a_text_is_allowed_by_its_label(bench: Bench) -> None:
    label = label_of(bench)
    assert label.startswith("[secret:github_token:")
    answer = bench.call("allow_secret", labels=[label])
    assert answer.changed == (label[-7:-1],)
    assert bench.runtime.redactor.text(SAID) == SAID
    assert bench.remember(SAID, type="reference").status == "active"


@pytest.mark.parametrize("text", [TOKEN, f"  {TOKEN}\n", f"GITHUB_TOKEN={TOKEN}"])
def test_a_text_is_allowed_directly_and_not_stored(bench: Bench, text: str) -> None:
    answer = bench.call("allow_secret", text=text)
    assert [len(digest) for digest in answer.changed] == [32]
    assert bench.runtime.redactor.text(SAID) == SAID
    assert TOKEN not in answer.model_dump_json()


def test_a_word_redacted_only_because_of_its_name_can_be_allowed(bench: Bench) -> None:
    said = "The password of the demo is harbour-lights-7"
    assert "[secret:" in bench.runtime.redactor.text(said)
    bench.call("allow_secret", text="harbour-lights-7")
    assert bench.runtime.redactor.text(said) == said


def test_allowing_twice_changes_nothing(bench: Bench) -> None:
    first = bench.call("allow_secret", text=TOKEN)
    assert bench.call("allow_secret", text=TOKEN).changed == ()
    assert bench.call("list_allowed").digests == first.digests


@pytest.mark.parametrize("by_label", [True, False])
@pytest.mark.parametrize("back_by_label", [True, False])
def test_an_allowance_can_be_removed(bench: Bench, by_label: bool, back_by_label: bool) -> None:
    label = label_of(bench)
    ways: dict[bool, dict[str, Any]] = {True: {"labels": [label]}, False: {"text": TOKEN}}
    bench.call("allow_secret", **ways[by_label])
    assert len(bench.call("disallow_secret", **ways[back_by_label]).changed) == 1
    assert bench.call("list_allowed").digests == {}
    assert label in bench.runtime.redactor.text(SAID)


def test_others_stay_redacted(bench: Bench) -> None:
    bench.call("allow_secret", text=TOKEN)
    other = TOKEN[:-1] + "6"
    assert other not in bench.runtime.redactor.text(f"{TOKEN} {other}")


@pytest.mark.parametrize("label", ["", "1a2b", "[secret:token:xyzxyz]", TOKEN, "1a" * 40])
def test_an_invalid_label_is_refused_and_not_quoted(bench: Bench, label: str) -> None:
    with pytest.raises(UserError) as refused:
        bench.call("allow_secret", labels=[label])
    assert refused.value.message == "That is not a label of a secret."


def test_an_empty_or_unknown_text_is_refused(bench: Bench) -> None:
    with pytest.raises(UserError, match="The request names no label"):
        bench.call("allow_secret", text=" \n")
    with pytest.raises(NotFound, match="1a2b3c was not allowed"):
        bench.call("disallow_secret", labels=["[secret:token:1a2b3c]"])


def test_an_allowance_applies_to_a_running_process(files: Bench) -> None:
    running = files.runtime.redactor
    assert running.text(SAID) != SAID
    files.reopen().call("allow_secret", text=TOKEN)
    assert running.text(SAID) == SAID


@pytest.mark.parametrize("allowed", [True, False])
def test_a_stated_decision_counts_if_its_secret_is_allowed(bench: Bench, allowed: bool) -> None:
    if allowed:
        bench.call("allow_secret", text=TOKEN)
    decision = f"We decided to ship the public demo token {TOKEN} with every example."
    bench.event("assistant_text", text=decision)
    found = [item.text for item in bench.state().recent_decisions]
    assert found == ([decision] if allowed else [])
