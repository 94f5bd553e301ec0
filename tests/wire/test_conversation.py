"""One conversation: whole steps and inputs are replaced, decisions are inherited, and a bounded
one never costs more than the client's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.clients.accounting import ThinkingLedger
from tests.clients.validity import refusals
from wm.wire.body import Body, index
from wm.wire.cachesim import PromptCache
from wm.wire.conversation import Conversation
from wm.wire.history import ConversationHistory, history
from wm.wire.policy import Decision, Log, Moment, Policy, nothing
from wm.wire.rows import row

MARK = {"type": "ephemeral"}
GO = {"type": "text", "text": "Go."}
LONG = "the quay is free " * 200


def step(number: int, words: str = LONG) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"path": words}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"{words}{number}"}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def raw_of(*messages: dict[str, Any], first: Any = "Go.") -> bytes:
    listed: list[Any] = [{"role": "user", "content": first}, *messages]
    last = {**listed[-1], "content": [*listed[-1]["content"]]}
    last["content"][-1] = {**last["content"][-1], "cache_control": MARK}
    system = [{"type": "text", "text": "Be brief. " * 500, "cache_control": MARK}]
    body = {"model": "claude-opus-4-8", "max_tokens": 9, "system": system}
    return json.dumps({**body, "messages": [*listed[:-1], last]}).encode()


def history_of(steps: int) -> list[dict[str, Any]]:
    return [message for number in range(steps) for message in step(number)]


def deciding(*decisions: tuple[int, int, str, str], when: int = 0) -> Policy:
    """Decides on (message, block, form, text) once there are `when` messages."""

    def policy(
        body: Body, past: ConversationHistory, log: Log, _moment: Moment
    ) -> tuple[Decision, ...]:
        if len(body.messages) < when:
            return ()
        return tuple(
            Decision(past.places[message][block], text, "test", form)  # type: ignore[arg-type]
            for message, block, form, text in decisions
            if message < len(past.places)
        )

    return policy


def sent(talk: Conversation, raw: bytes, policy: Policy = nothing) -> dict[str, Any]:
    made = talk.prepare(raw, policy)
    assert made is not None
    talk.keep(made.decisions)
    found: dict[str, Any] = json.loads(made.raw)
    assert refusals(found, ThinkingLedger()) == []
    return found


@pytest.mark.parametrize("first", ["Go.", [{"type": "text", "text": "Go."}]])
def test_steps_become_text_at_the_end_of_the_message_before_them(first: Any) -> None:
    policy = deciding((2, 0, "step", "[read 0]"), (4, 0, "step", "[read 1]"), when=6)
    found = sent(Conversation(), raw_of(*history_of(3), first=first), policy)
    texts = [block["text"] for block in found["messages"][0]["content"]]
    assert texts == ["Go.", "[read 0]", "[read 1]"]
    assert found["messages"][1:] == json.loads(raw_of(*step(2)))["messages"][1:]


@pytest.mark.parametrize(
    ("decision", "why"),
    [
        ((6, 0, "step", "x"), "the last message"),
        ((1, 0, "step", "x"), "an answer"),
        ((0, 0, "step", "x"), "a prompt"),
        ((2, 0, "input", "{}"), "a result has no input"),
        ((1, 0, "input", "no object"), "an input is an object"),
        ((1, 0, "content", "x"), "a call has no content"),
    ],
)
def test_a_decision_that_does_not_fit_its_block_has_no_effect(
    decision: tuple[int, int, str, str], why: str
) -> None:
    raw = raw_of(*history_of(3))
    made = Conversation().prepare(raw, deciding(decision))
    assert made is not None
    assert json.loads(made.raw) == json.loads(raw), why


def test_a_step_with_a_prompt_beside_its_results_stays() -> None:
    messages = history_of(3)
    messages[1]["content"].append({"type": "text", "text": "And?"})
    raw = raw_of(*messages)
    made = Conversation().prepare(raw, deciding((2, 1, "step", "x"), (2, 0, "step", "x")))
    assert made is not None
    assert json.loads(made.raw) == json.loads(raw)


@pytest.mark.parametrize(
    ("notes", "shown"),
    [
        ('{"path": "short"}', {"path": "short"}),
        ('{"path": null}', {}),
        ('{"other": "x"}', {"path": LONG}),  # not a member of this input
        ("[]", {"path": LONG}),
    ],
)
def test_members_of_an_input_are_replaced(notes: str, shown: dict[str, str]) -> None:
    found = sent(Conversation(), raw_of(*history_of(2)), deciding((1, 0, "input", notes)))
    assert found["messages"][1]["content"][0]["input"] == shown
    assert found["messages"][3]["content"][0]["input"] == {"path": LONG}


@pytest.mark.parametrize(
    ("references", "fits"),
    [
        ('[[0, 1, "[known]"]]', True),
        ('[[0, 99, "[known]"]]', False),
        ('[[1, 0, "x"], [0, 1, "y"]]', False),
        ("{}", False),
    ],
)
def test_lines_of_a_result_are_replaced_where_they_are(references: str, fits: bool) -> None:
    messages = history_of(2)
    given = json.loads(raw_of(*messages))["messages"][2]["content"][0]["content"]
    found = sent(Conversation(), raw_of(*messages), deciding((2, 0, "lines", references)))
    shown = found["messages"][2]["content"][0]["content"]
    assert shown == ("\n".join(["[known]", *given.split("\n")[1:]]) if fits else given)


def test_equal_blocks_have_different_places() -> None:
    again = {"role": "user", "content": [{"type": "text", "text": "Go on."}]}
    said = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}
    body = index(raw_of(said, again, said, again))
    assert body is not None
    past = history(body)
    assert past.lines[1] == past.lines[3]
    assert len({place for line in past.places for place in line}) == 5


def test_a_fork_before_a_cut_has_the_form_that_was_sent_there() -> None:
    """And the branch with the cut keeps it."""
    talk = Conversation()
    one, two, six = (raw_of(*history_of(n)) for n in (1, 2, 6))
    before = sent(talk, one)
    sent(talk, two)
    cut = sent(talk, six, deciding((2, 0, "content", "[gone]"), when=13))
    assert cut["messages"][2]["content"][0]["content"] == "[gone]"
    assert sent(talk, six) == cut
    fork = raw_of(*history_of(1), *step(77))
    assert sent(talk, fork)["messages"][2]["content"][0]["content"] == "[gone]"
    assert before["messages"][2]["content"][0]["content"].startswith("the quay")


def cutting(body: Body, past: ConversationHistory, _log: Log, _moment: Moment) -> Any:
    """Shortens the first result, whatever it costs."""
    if len(body.messages) < 8:
        return ()
    return (Decision(past.places[2][0], "[gone]", "cut"),)


def test_back_at_the_end_of_a_removed_step_all_is_sent_as_it_was_and_the_step_stays() -> None:
    """Nothing follows the step, so its removal has no effect; it must have none later either."""
    talk, messages = Conversation(), history_of(5)
    before = sent(talk, raw_of(*messages[:4]), deciding((2, 0, "content", "[short]")))
    sent(talk, raw_of(*messages), deciding((2, 0, "content", "[less]"), (4, 0, "step", "[gone]")))
    again = sent(talk, raw_of(*messages[:4]))
    assert again == before
    longer = sent(talk, raw_of(*messages[:4], *step(9)))
    assert [m["role"] for m in longer["messages"]] == ["user", "assistant"] * 3 + ["user"]
    # The other branch keeps what was decided there.
    assert len(sent(talk, raw_of(*messages, *step(5)))["messages"]) == 11


def test_a_text_behind_the_results_of_a_removed_step_leaves_the_step_as_it_was_before() -> None:
    talk, messages = Conversation(), history_of(3)
    sent(talk, raw_of(*messages[:2]), deciding((2, 0, "content", "[short]")))
    sent(talk, raw_of(*messages), deciding((4, 0, "step", "[gone]")))
    stopped = {"role": "user", "content": [*messages[3]["content"], GO]}
    found = sent(talk, raw_of(*messages[:3], stopped))
    assert found["messages"][2]["content"][0]["content"] == "[short]"
    assert len(found["messages"]) == 5
    found = sent(talk, raw_of(*messages[:3], stopped, *step(9)))
    assert len(found["messages"]) == 7


def test_a_bounded_conversation_refuses_what_costs_more_than_was_saved() -> None:
    free, bounded = Conversation(), Conversation(bounded=True)
    for number in range(1, 8):
        sent(free, raw_of(*history_of(number)), cutting)
        sent(bounded, raw_of(*history_of(number)), cutting)
    assert free.log
    assert not bounded.log
    assert bounded.account.credit == 0.0
    free.prepare(raw_of(*history_of(8)))
    assert free.account.credit < 0.0


def test_a_cut_is_free_when_the_cache_is_cold() -> None:
    talk = Conversation(bounded=True)
    for number, at in ((3, 0.0), (4, 10.0), (5, 1000.0)):
        made = talk.prepare(raw_of(*history_of(number)), cutting, at)
        assert made is not None
        talk.keep(made.decisions)
        assert bool(made.decisions) is (at == 1000.0)
    talk.prepare(raw_of(*history_of(6)), nothing, 1010.0)
    assert talk.account.credit > 0.0


def test_first_appearances_need_no_credit_and_earn_it() -> None:
    talk = Conversation(bounded=True)
    sent(talk, raw_of(*history_of(1)))
    sent(talk, raw_of(*history_of(2)), deciding((4, 0, "content", "[short]")))
    talk.prepare(raw_of(*history_of(3)))
    assert talk.account.credit > 0.0


def test_a_cut_marks_the_stable_boundary_and_the_end_of_the_changes() -> None:
    talk = Conversation(marks=True)
    for number in range(1, 6):
        sent(talk, raw_of(*history_of(number)))
    found = sent(talk, raw_of(*history_of(6)), deciding((6, 0, "content", "[gone]")))
    marked = [
        number
        for number, message in enumerate(found["messages"])
        if isinstance(message["content"], list) and "cache_control" in message["content"][-1]
    ]
    assert marked == [4, 6, 12]


def marked_texts(found: dict[str, Any]) -> list[str]:
    blocks = found["messages"][0]["content"]
    return [b["text"] for b in blocks if isinstance(b, dict) and "cache_control" in b]


def test_the_text_of_the_last_step_is_marked_and_found_again_at_the_next_cut() -> None:
    talk = Conversation(marks=True)
    first = [{"type": "text", "text": "Go."}]
    sent(talk, raw_of(first=first))
    sent(talk, raw_of(*history_of(6), first=first))
    policy = deciding((2, 0, "step", "[0]"), (4, 0, "step", "[1]"))
    assert marked_texts(sent(talk, raw_of(*history_of(7), first=first), policy)) == ["[1]"]
    policy = deciding((6, 0, "step", "[2]"))
    found = sent(talk, raw_of(*history_of(8), first=first), policy)
    assert marked_texts(found) == ["[2]"]  # it finds the one before it


def test_a_mark_behind_a_change_is_not_taken_for_the_stable_boundary() -> None:
    """The step between two replaced ones is replaced later: its text precedes the marked one."""
    talk = Conversation(marks=True)
    first = [{"type": "text", "text": "Go."}]
    sent(talk, raw_of(first=first))
    sent(talk, raw_of(*history_of(6), first=first))
    policy = deciding((2, 0, "step", "[0]"), (6, 0, "step", "[2]"))
    sent(talk, raw_of(*history_of(7), first=first), policy)
    found = sent(talk, raw_of(*history_of(8), first=first), deciding((4, 0, "step", "[1]")))
    assert marked_texts(found) == ["[2]"]


def marked(raw: bytes, *, heads: int, ends: int) -> bytes:
    """The request as a client marks it: so many texts of the system prompt, and so many of the last
    messages of the user."""
    body = json.loads(raw)
    body["system"] = [
        {"type": "text", "text": f"{n}. " * 500, **({"cache_control": MARK} if n < heads else {})}
        for n in range(3)
    ]
    for message in body["messages"][-2 * ends + 1 :: 2]:
        message["content"][-1]["cache_control"] = MARK
    return json.dumps(body).encode()


@pytest.mark.parametrize(("heads", "ends"), [(0, 1), (1, 1), (1, 2), (2, 2), (1, 3)])
@pytest.mark.parametrize("every", [1, 3, 12])
def test_the_cache_holds_what_a_cut_counts_on(heads: int, ends: int, every: int) -> None:
    """Cuts of old and of the newest results; the service's cache finds what the account expects,
    but for the message or two before a cut."""

    def policy(body: Body, past: ConversationHistory, log: Log, _moment: Moment) -> Any:
        newest = len(body.messages) - 3
        if newest < 2 or newest // 2 % every:
            return ()
        found = [
            Decision(past.places[n][0], f"[{n}]", "test", "content")
            for n in range(2, newest + 1, 2)
            if past.places[n][0] not in log
        ]
        if newest % 36 == 0:
            found += [
                Decision(past.places[n][-1], f"[step {n}]", "test", "step", 4)
                for n in range(2, newest - 8, 2)
            ]
        return found

    talk, cache = Conversation(marks=True), PromptCache(minimum=0)
    read = expected = 0
    for number in range(60):
        raw = marked(raw_of(*history_of(number), first=[GO]), heads=heads, ends=ends)
        goes = index(json.dumps(sent(talk, raw, policy)).encode())
        assert goes is not None
        expected += talk.forecast().sent.read
        read += cache.account(row(goes)).cache_read
    assert read > 0.92 * expected


def test_a_void_request_is_not_in_the_account() -> None:
    talk = Conversation(bounded=True)
    sent(talk, raw_of(*history_of(1)))
    made = talk.prepare(raw_of(*history_of(2)), deciding((4, 0, "content", "[short]")))
    assert made is not None
    assert made.decisions
    talk.void()
    sent(talk, raw_of(*history_of(2)))
    talk.prepare(raw_of(*history_of(3)))
    assert (talk.account.credit, talk.log) == (0.0, {})
