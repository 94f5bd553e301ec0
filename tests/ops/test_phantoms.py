"""Generated conversations with calls of phantom tools, a few of very many, and cases by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from tests.ops.conftest import Bench
from tests.ops.phantoms import STREAMS, check, main
from tests.ops.test_turns import DiskLedger
from wm.domain.paging.levels import LEVELS
from wm.formats.base import dump
from wm.formats.ledger import LedgerRecord
from wm.ops.paging.phantoms import NAMES, TOOLS, PhantomTools, tags_text, tools_text
from wm.ops.paging.policy import PagingPolicy
from wm.ops.paging.turns import ManagedConversation, Recovered
from wm.store.paths import sid
from wm.wire.body import index
from wm.wire.history import unpaired
from wm.wire.phantom_history import phantom_round
from wm.wire.policy import nothing

CLIENTS = [{"name": "Read", "input_schema": {"type": "object"}}]
QUERY = {"type": "tool_use", "id": "toolu_q", "name": "memory_query", "input": {"query": "quay"}}
READ = {"type": "tool_use", "id": "toolu_r", "name": "Read", "input": {"path": "a"}}
THINK = {"type": "thinking", "thinking": "", "signature": "s1"}
FOUND = {"type": "tool_result", "tool_use_id": "toolu_q", "content": "found"}
DID = {"type": "tool_result", "tool_use_id": "toolu_r", "content": "did"}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def body(*messages: Any, **more: Any) -> bytes:
    listed = [
        {"role": "assistant" if number % 2 else "user", "content": content}
        for number, content in enumerate(messages)
    ]
    return json.dumps({"model": "m", "tools": CLIENTS, "messages": listed, **more}).encode()


def taken(conversation: ManagedConversation) -> Sequence[LedgerRecord]:
    turn = conversation.take_records()
    assert turn is not None
    return turn.records


def test_some_conversations_keep_the_invariants() -> None:
    """Those that once failed are among them."""
    done = sum((check(seed) for seed in (*range(20), 29, 58, 6444)), Counter[str]())
    assert min(done[name] for name in ("streams", "phantom calls", "restarts", "aborts")) > 10


@pytest.mark.soak
def test_a_hundred_thousand_streams_keep_the_invariants() -> None:
    main([str(STREAMS)])


@pytest.mark.parametrize(
    ("answers", "sent", "expected"),
    [
        # Thinking, a call, and the rest of the answer.
        ([[THINK, QUERY]], [THINK, text("Done.")], [[THINK, QUERY], [FOUND], [text("Done.")]]),
        # A client that spells a single text as a string.
        ([[QUERY]], "Done.", [[QUERY], [FOUND], "Done."]),
        # Two rounds.
        (
            [[text("a"), QUERY], [text("b"), QUERY]],
            [text("a"), text("b"), text("c")],
            [[text("a"), QUERY], [FOUND], [text("b"), QUERY], [FOUND], [text("c")]],
        ),
        # A client that takes spaces off, and one that leaves thinking out.
        (
            [[text("a \n"), QUERY]],
            [text("a"), text("b")],
            [[text("a"), QUERY], [FOUND], [text("b")]],
        ),
        ([[THINK, QUERY]], [text("b")], [[QUERY], [FOUND], [text("b")]]),
        # Another answer than the one with the call.
        ([[text("a"), QUERY]], [text("x")], [[text("x")]]),
        ([[THINK, QUERY]], [{**THINK, "signature": "s2"}, text("b")], None),
    ],
)
def test_what_the_client_did_not_see_returns_to_its_place(
    answers: list[list[Any]], sent: Any, expected: list[Any] | None
) -> None:
    known = PhantomTools()
    rounds = tuple(phantom_round(content, NAMES, [FOUND]) for content in answers)
    assert known.noted(body("go"), rounds) is not None
    made, _ = known.upstream(body("go", sent, "more"))
    got = [message["content"] for message in json.loads(made)["messages"]]
    assert got == ["go", *(expected or [sent]), "more"]


def test_a_result_beside_real_calls_comes_before_theirs() -> None:
    known = PhantomTools()
    known.noted(body("go"), (phantom_round([text("a"), QUERY, READ], NAMES, [FOUND]),))
    made, _ = known.upstream(body("go", [text("a"), READ], [DID, text("more")]))
    found = index(made)
    assert found is not None
    assert unpaired(found) == []
    assert [message["content"] for message in json.loads(made)["messages"]] == [
        *("go", [text("a"), QUERY, READ], [FOUND, DID, text("more")])
    ]


def test_a_result_whose_answer_broke_off_goes_to_the_next_message() -> None:
    known = PhantomTools()
    known.noted(body("go"), (phantom_round([text("a"), QUERY], NAMES, [FOUND]),))
    made, _ = known.upstream(body("go", [text("a")], "stop"))
    got = [message["content"] for message in json.loads(made)["messages"]]
    assert got == ["go", [text("a"), QUERY], [FOUND, text("stop")]]


def test_an_answer_of_which_the_client_saw_nothing_is_given_up_when_it_asks_again() -> None:
    known = PhantomTools()
    known.noted(body("go"), (phantom_round([QUERY], NAMES, [FOUND]),))
    assert known.upstream(body("go"), is_asked=False)[0] == body("go")
    assert known.fresh == []
    assert known.upstream(body("go"))[0] == body("go")
    assert [one.form for one in known.fresh] == ["exchange"]
    again = PhantomTools(tuple(known.log.values()))
    for one in (known, again):
        assert one.upstream(body("go", "Done.", "more"))[0] == body("go", "Done.", "more")


@pytest.mark.parametrize(
    ("raw", "is_offered"),
    [
        (body("go"), True),
        (body("go", "said", "more"), False),
        (body("go", tools=[]), False),
        (body("go", tools=[{"type": "web_search_20250305", "name": "web_search"}]), False),
        (body("go", tools=[*CLIENTS, {"name": "wm_memory_query", "input_schema": {}}]), False),
        (body("Deferred tools, loaded on demand:\nmcp__wm__memory_query\ngo"), False),
        (body("What does memory_query do?"), True),
        (b"{}", False),
        (b"no request", False),
    ],
)
def test_tools_are_offered_in_a_first_request_to_a_client_without_ours(
    raw: bytes, is_offered: bool
) -> None:
    known = PhantomTools(is_offering=True)
    made, names = known.upstream(raw, may_offer=True)
    assert (names, bool(known.fresh)) == (NAMES if is_offered else set(), is_offered)
    if not is_offered:
        assert made is raw
        return
    listed = [tool["name"] for tool in json.loads(made)["tools"]]
    assert listed == ["Read", *sorted(NAMES)]
    assert PhantomTools().upstream(raw, may_offer=True) == (raw, frozenset())


@pytest.mark.parametrize("is_late", [False, True])
def test_an_offer_is_logged_and_keeps_its_bytes(is_late: bool) -> None:
    """Also if it was not on disk in time: it removes nothing, so the request leaves with it."""
    disk = DiskLedger()

    def started() -> ManagedConversation:
        return ManagedConversation("", disk.recovered(), lambda _name: nothing, offers=True)

    first = started()
    turn = first.plan(body("go"), "safe", "r_1", 1.0)
    assert turn is not None
    assert turn.must_wait
    if is_late:
        sent = first.hold(turn)
        assert sent.raw == turn.prepared.raw
    else:
        disk.take(turn)
        sent = first.accept(turn, ())
    assert tools_text().encode() in sent.raw
    first.answered("r_1", ok=True)
    while is_late and (behind := first.take_due()) is not None:
        disk.take(behind)
        first.stored(behind)
    assert {one.block: one.text for one in disk.recovered().unseen} == {TOOLS: tools_text()}
    again = started().plan(body("go", "said", "more"), "safe", "r_4", 3.0)
    assert again is not None
    assert not again.must_wait
    assert tools_text().encode() in again.prepared.raw


def test_with_the_policy_off_nothing_is_offered() -> None:
    made = ManagedConversation("", DiskLedger().recovered(), lambda _name: nothing, offers=True)
    turn = made.plan(body("go"), "off", "r_1", 1.0)
    assert turn is not None
    assert turn.prepared.raw == body("go")


def test_the_daemon_keeps_what_explains_tags_and_texts_with_tags(bench: Bench) -> None:
    policy = PagingPolicy(LEVELS["balanced"], reads_tags=True)
    ours = ManagedConversation("", Recovered(), lambda _name: policy)
    raw = body("go", system="Be brief.")
    turn = ours.plan(raw, "balanced", "r_1", 1.0)
    assert turn is not None
    assert tags_text() in [block["text"] for block in json.loads(turn.prepared.raw)["system"]]
    said = text('Yes.\n<wm:anchor of="a"/>\nNo.')
    ours.exchanged("r_1", raw, (phantom_round([said], turn.prepared.phantoms, []),))
    listed = [dump(record) for record in (*turn.records, *taken(ours))]
    made = bench.call("append_paging", sessionId="s-1", agent="x", records=listed, durable=True)
    assert made.refused == ()
    found = Recovered.of(bench.call("read_ledger", sessionId="s-1"))
    again = ManagedConversation("", found, lambda _name: nothing)
    history = body("go", [text("Yes.\nNo.")], "more", system="Be brief.")
    sent = json.loads(again.preview(history))
    assert sent["messages"][1]["content"] == [said]
    assert sent["system"] == json.loads(turn.prepared.raw)["system"]


def test_another_users_proxy_gets_the_history_but_not_the_tools(bench: Bench) -> None:
    """It could not take their calls out of the answer."""
    ours = ManagedConversation("", Recovered(), lambda _name: nothing, offers=True)
    turn = ours.plan(body("go"), "safe", "r_1", 1.0)
    assert turn is not None
    rounds = (phantom_round([text("a"), QUERY], NAMES, [FOUND]),)
    ours.exchanged("r_1", body("go"), rounds)
    listed = [dump(record) for record in (*turn.records, *taken(ours))]
    bench.call("append_paging", sessionId="s-1", agent="x", records=listed, durable=True)
    raw = body("go", [text("a"), text("b")], "more").decode()
    headers = {"x-session-id": "s-1"}
    made = bench.call("prepare_request", headers=headers, body=raw, policy="safe")
    sent = json.loads(made.body)
    assert sent["tools"] == CLIENTS
    assert [message["content"] for message in sent["messages"]] == [
        *("go", [text("a"), QUERY], [FOUND], [text("b")], "more")
    ]


def test_a_call_with_a_secret_is_not_stored(bench: Bench) -> None:
    ours = ManagedConversation("", Recovered(), lambda _name: nothing, offers=True)
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    content = [{**QUERY, "input": {"query": f"token {secret}"}}]
    ours.exchanged("r_1", body("go"), (phantom_round(content, NAMES, [FOUND]),))
    listed = [dump(record) for record in taken(ours)]
    made = bench.call("append_paging", sessionId="s-1", agent="x", records=listed, durable=True)
    assert len(made.refused) == 1
    found = bench.call("read_ledger", sessionId="s-1")
    assert found.unseen == ()
    assert not any(branch.decisions for branch in found.branches)
    stored = list(bench.store.ledger(bench.key, sid("s-1")))
    assert [record.kind for record in stored] == ["phantom"]
    assert secret not in repr(stored)
