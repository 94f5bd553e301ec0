"""A recap as the text of a shared file, and back."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from wm.domain.sync.recaps import merged, recap_fields, recap_of
from wm.formats.recaps import CheckRun, LeftError, Recap

AT = "2026-11-21T12:00:00.000Z"
NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)


def unchanged(value: object) -> object:
    return value


def test_only_files_of_the_project_leave_and_no_id_of_an_entry() -> None:
    recap = Recap(
        session="s" * 32,
        at=AT,
        asked="Make it faster.",
        changed=("queue.py", "/etc/passwd", "~/notes.md", "../other/x.py"),
        checks=(CheckRun(name="pytest"),),
        open=(
            LeftError(category="test", file="/etc/hosts"),
            LeftError(category="type", file="a.py"),
        ),
        kept=("m_0123",),
        inbox=("m_4567",),
    )
    text = str(recap_fields(recap, unchanged)["text"])
    assert json.loads(text)["changed"] == ["queue.py"]
    assert [one["file"] for one in json.loads(text)["open"]] == ["a.py"]
    assert "m_" not in text
    back = recap_of("r_" + "s" * 32, {"text": text}, "Ann", unchanged, NOW)
    assert back is not None
    assert (back.session, back.author, back.asked) == ("s" * 32, "Ann", "Make it faster.")
    assert back.checks == recap.checks


def test_a_recap_that_says_nothing_does_not_leave() -> None:
    assert recap_fields(Recap(session="s", at=AT, changed=("/tmp/x",)), unchanged) == {}


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "7", '"a"', '{"asked": 7}', '{"checks": [7]}', "[" * 7000]
)
def test_anything_but_a_recap_reads_as_none(text: str) -> None:
    assert recap_of("r_1234", {"text": text}, "Ann", unchanged, NOW) is None


@pytest.mark.parametrize(
    ("moment", "kept"),
    [
        (AT, AT),
        ("2026-11-21T15:00:00.000Z", "2026-11-21T15:00:00.000Z"),
        ("2031-01-01T00:00:00.000Z", "2026-11-22T12:30:00.000Z"),
        ("9999-99-99", ""),
    ],
)
def test_a_time_far_in_the_future_is_taken_back(moment: str, kept: str) -> None:
    text = json.dumps({"asked": "Make it faster.", "startedAt": moment, "at": moment})
    back = recap_of("r_1234", {"text": text}, "Mallory", unchanged, NOW)
    assert back is not None
    assert (back.started_at, back.at) == (kept, kept)


def test_others_are_kept_by_session_and_withdrawn_ones_leave() -> None:
    first, second = (Recap(session=name, at=AT, asked=name, author="Ann") for name in "ab")
    assert merged((), {"a": first, "b": second}) == (first, second)
    assert merged((first, second), {"a": None}) == (second,)
