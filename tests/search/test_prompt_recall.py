"""RC-1: which sentences of a message are tasks, and which have no topic."""

from __future__ import annotations

import pytest

from wm.search.prompt_recall import is_chatter, is_task


@pytest.mark.parametrize(
    ("sentence", "task"),
    [
        ("add a list endpoint for invoices", True),
        ("please write the migration for the new orders table", True),
        ("can you add an export of the orders as csv", True),
        ("Schreibe bitte eine Liste aller Rechnungen", True),
        ("how do we page the lists of invoices?", False),
        ("it looks much better than before", False),
        ("I pushed my changes to the branch", False),
        ("sorry, I pasted the wrong file", False),
        ("fix it", False),
        ("", False),
    ],
)
def test_a_task_begins_with_what_is_to_be_done(sentence: str, task: bool) -> None:
    assert is_task(sentence) is task


@pytest.mark.parametrize(
    ("sentence", "chatter"),
    [
        ("run it again", True),
        ("no, the other one", True),
        ("how do we deploy?", False),
        ("deploy to production", False),
    ],
)
def test_a_sentence_without_a_topic_is_chatter(sentence: str, chatter: bool) -> None:
    assert is_chatter(sentence) is chatter
