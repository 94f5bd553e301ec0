"""What the user returns to comes back: once for each return, behind the message that returns."""

from __future__ import annotations

import json

import pytest

from tests.ops.test_paging import words
from tests.ops.test_uncertainty import TOKENS, Managed, strip
from wm.domain.paging.goals import GoalLimits
from wm.domain.paging.levels import BALANCED, with_passages
from wm.models.embed import NONE
from wm.ops.paging.goals import GoalModel
from wm.ops.paging.policy import PagingPolicy
from wm.ops.paging.uncertainty import TURNS, UncertaintySignal
from wm.settings import RecallSettings
from wm.wire.conversation import Conversation
from wm.wire.policy import nothing

LOGIN = (
    "Users are logged out after ten minutes although they want to stay signed in.",
    "The refresh token of the session is thrown away on every request, keep it.",
    "Make the cookie of the login HttpOnly, and check the session of other browsers.",
    "Sign all other sessions out when the password is changed.",
)
IMAGES = (
    "Pictures from phones are shown sideways, we ignore the orientation.",
    "Turn the image upright before the thumbnail is made.",
    "Resize large pictures to WebP with a quality that keeps the colours.",
    "Some images have a transparent background that becomes black, fill it.",
)
BACK = "Users are logged out again: for how many days does the refresh token of a session live?"
ANSWER = "REFRESH_TOKEN_DAYS = 30"
SHOWN = "\n".join([words(100, 20), f"{ANSWER}  # of a session", words(140, 20)])


def followed(model: GoalModel | None = None) -> Managed:
    one = Managed()
    goals = model or GoalModel(RecallSettings(), wait_s=30.0)
    one.policy = PagingPolicy(with_passages(BALANCED, TOKENS), goals)
    return one


def asks(one: Managed, text: str, result: str = "", said: str = "") -> None:
    """The user asks, and the model works on it."""
    one.session.prompt(0)
    one.session.messages[-1]["content"][0]["text"] = text
    one.send()
    if said:
        one.says(said)
    if result:
        one.session.step(0, 1, 0)
        one.session.messages[-1]["content"][0]["content"] = result
        one.send()
    one.work(4)


def left(one: Managed) -> Managed:
    """A conversation whose work on the login was left for pictures, and removed."""
    for number, text in enumerate(LOGIN):
        asks(one, text, SHOWN if number == 1 else "")
    for text in IMAGES:
        asks(one, text)
    assert one.removed(ANSWER)
    assert one.appended == []
    return one


def back(one: Managed) -> None:
    one.session.prompt(0)
    one.session.messages[-1]["content"][0]["text"] = BACK
    one.send()


def test_a_return_brings_passages_of_its_subject_behind_the_message() -> None:
    one = left(followed())
    before = one.sent
    back(one)
    assert len(one.appended) == 1
    assert ANSWER in one.appended[0]
    assert one.sent[-1]["content"][-1]["text"] == one.appended[0]
    assert [strip(message) for message in one.sent[: len(before)]] == [strip(m) for m in before]
    [made] = [d for d in one.talk.log.values() if d.form == "passages"]
    assert made.reason == "goal"


def test_the_rest_of_the_turn_brings_nothing_more() -> None:
    one = left(followed())
    back(one)
    one.work(5)
    assert len(one.appended) == 1


def test_work_on_the_same_subject_brings_nothing() -> None:
    one = left(followed())
    asks(one, "Crop square thumbnails of the pictures around the centre of the image.")
    asks(one, "ok, go on")
    assert one.appended == []


def test_the_passage_is_repeated_after_a_restart_and_not_made_again() -> None:
    one = left(followed())
    back(one)
    with_passage = one.sent[-1]
    again = Conversation(dict(one.talk.log)).prepare(one.session.raw(), nothing)
    assert again is not None
    assert strip(json.loads(again.raw)["messages"][-1]) == strip(with_passage)
    one.signal = UncertaintySignal(one.faults)
    one.work(3)
    assert len(one.appended) == 1


def test_what_the_model_has_just_written_about_does_not_count_as_a_return() -> None:
    one = left(followed())
    asks(one, "Now list what is still open.", said="\n".join((*LOGIN, BACK)))
    back(one)
    assert one.appended == []


def test_an_edited_message_is_judged_anew() -> None:
    one = left(followed())
    back(one)
    one.session.messages[-1]["content"][0]["text"] = "Add a border around the pictures."
    one.send()
    one.work(2)
    assert len(one.appended) == 1
    assert one.removed(ANSWER)


def test_a_return_that_is_noticed_late_counts_for_the_next_request() -> None:
    one = left(followed(GoalModel(RecallSettings(), name=NONE, wait_s=30.0)))
    back(one)
    assert one.appended == []
    one.policy = followed().policy  # the model is there now
    one.work(1)
    assert [ANSWER in text for text in one.appended] == [True]


def test_without_a_model_nothing_is_looked_for() -> None:
    one = left(followed(GoalModel(RecallSettings(), name=NONE, wait_s=30.0)))
    back(one)
    assert one.appended == []


class EveryMessageReturns(GoalModel):
    """Takes each message for a return."""

    @property
    def limits(self) -> GoalLimits | None:
        return super().limits and (-9.0, -9.0)


def test_a_wrong_goal_removes_nothing_and_appends_little() -> None:
    one = followed(EveryMessageReturns(RecallSettings(), wait_s=30.0))
    for number, text in enumerate((*LOGIN, *IMAGES, *LOGIN)):
        asks(one, f"{text} Part {number}.", SHOWN if number == 1 else "")
    answers = sum(message["role"] == "assistant" for message in one.sent)
    assert 1 <= len(one.appended) <= answers // TURNS
    assert {d.reason for d in one.talk.log.values() if d.form != "passages"} <= {"cut", "repeated"}
    assert not any(one.removed(f"Part {number}.") for number in range(12))


@pytest.mark.parametrize(("turns", "gone"), [(1, False), (2, True)])
def test_what_two_turns_of_the_user_did_not_use_is_cut(turns: int, *, gone: bool) -> None:
    one = Managed()
    one.session.step(0, 1_500, 1)
    one.send()
    one.session.step(0, 1, 2)
    one.send()
    for _ in range(turns):
        one.session.prompt(390)
        one.send()
        one.session.step(395, 2, 2)
        one.send()
    assert one.removed(words(100, 9)) is gone


def test_what_a_hook_adds_to_results_does_not_count_as_a_user_turn() -> None:
    one = Managed()
    one.session.step(0, 1_500, 1)
    one.send()
    one.session.step(0, 1, 2)
    one.send()
    for _ in range(4):
        one.session.step(395, 2, 2)
        text = "<system-reminder>The formatter has run.</system-reminder>"
        one.session.messages[-1]["content"].append({"type": "text", "text": text})
        one.send()
    assert not one.removed(words(100, 9))
