"""A recap as the text of a shared file, and back."""

from __future__ import annotations

import json

import pytest

from wm.domain.sync.recaps import merged, recap_fields, recap_of
from wm.formats.recaps import CheckRun, Recap

AT = "2026-11-21T12:00:00.000Z"


def unchanged(value: object) -> object:
    return value


def test_only_files_of_the_project_leave_and_no_id_of_an_entry() -> None:
    recap = Recap(
        session="s" * 32,
        at=AT,
        asked="Make it faster.",
        changed=("queue.py", "/etc/passwd", "~/notes.md", "../other/x.py"),
        checks=(CheckRun(name="pytest"),),
        kept=("m_0123",),
        inbox=("m_4567",),
    )
    text = str(recap_fields(recap, unchanged)["text"])
    assert json.loads(text)["changed"] == ["queue.py"]
    assert "m_" not in text
    back = recap_of("r_" + "s" * 32, {"text": text}, "Ann", unchanged)
    assert back is not None
    assert (back.session, back.author, back.asked) == ("s" * 32, "Ann", "Make it faster.")
    assert back.checks == recap.checks


def test_a_recap_that_says_nothing_does_not_leave() -> None:
    assert recap_fields(Recap(session="s", at=AT, changed=("/tmp/x",)), unchanged) == {}


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "7", '"a"', '{"asked": 7}', '{"checks": [7]}', "[" * 7000]
)
def test_what_is_no_recap_is_none(text: str) -> None:
    assert recap_of("r_1234", {"text": text}, "Ann", unchanged) is None


def test_others_are_kept_by_session_and_withdrawn_ones_leave() -> None:
    first, second = (Recap(session=name, at=AT, asked=name, author="Ann") for name in "ab")
    assert merged((), {"a": first, "b": second}) == (first, second)
    assert merged((first, second), {"a": None}) == (second,)
