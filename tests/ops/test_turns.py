"""A managed conversation under every fault of its ledger: never refused, always explained.

The upstream binds thinking to its prefix and refuses what the service refuses. The ledger takes
records, refuses them, or takes them and does not answer; the process may die at any turn.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.clients.scripts import Request, always, answer, call, script, think
from tests.clients.upstream import Upstream
from tests.ops.test_paging import words
from wm.api.protocol import WorkspacePlace
from wm.api.tools import TOOLS
from wm.cli.overview import memory_line
from wm.domain.contract import handoff_block
from wm.domain.paging.ledger import folded
from wm.domain.session import hot_snapshot, recap, working_memory
from wm.formats.base import dump
from wm.formats.ledger import LedgerRecord
from wm.ops.paging import contents
from wm.ops.paging.ledger import answer_of, totals_of
from wm.ops.paging.turns import ManagedConversation, NamedPolicies, PlannedTurn, Recovered
from wm.search import tool_rendering
from wm.wire.account import rates_of
from wm.wire.binding import BETA
from wm.wire.block import CHARS_PER_TOKEN, Block
from wm.wire.body import Body
from wm.wire.history import ConversationHistory
from wm.wire.policy import Decision, Log, Moment, Prepared
from wm.wire.prices import price_of
from wm.wire.rows import estimate
from wm.wire.spans import ByteSpan
from wm.wire.usage import Usage

MARK = {"cache_control": {"type": "ephemeral"}}
PLACE = WorkspacePlace(key="", root="")
POLICIES = NamedPolicies()


class DiskLedger:
    """What is on disk: records as they come back from a file, and the ids of stored steps."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.objects: set[str] = set()

    def take(self, turn: PlannedTurn) -> None:
        self.lines += [json.dumps(dump(record)) for record in turn.records]
        self.objects |= {one.id for one in turn.objects}

    def records(self) -> list[LedgerRecord]:
        return [LedgerRecord.model_validate_json(line) for line in self.lines]

    def recovered(self, conversation: str = "") -> Recovered:
        state = folded(self.records()).of(conversation)
        return Recovered.of(answer_of(state, PLACE, self.objects))


class Session:
    """An agent, its proxy process, the disk, and the service."""

    def __init__(self, policy: str) -> None:
        self.policy = policy
        self.model = "claude-opus-5-5"
        self.disk = DiskLedger()
        self.upstream = Upstream(script=script(always(lambda _request: True, self._next)))
        self.conversation = self._started()
        self.at = 1000.0
        self.step = 0
        self.number = 0
        self.tools: list[dict[str, Any]] = []
        self.messages: list[dict[str, Any]] = [
            {"role": "user", "content": [{"type": "text", "text": "Go."}]}
        ]

    def _next(self, _request: Request) -> Any:
        self.step += 1
        return answer(think("Look."), call("Bash", command=f"./ferry {self.step}"))

    def _started(self, *, lost: bool = False) -> ManagedConversation:
        found = Recovered(lost=True) if lost else self.disk.recovered()
        return ManagedConversation("", found, POLICIES)

    def turn(self, fault: str, lines: int) -> None:
        """One request. fault: what goes wrong with it."""
        self.at += 400.0 if fault == "gap" else 1.0
        if fault in ("killed", "unread"):
            self.conversation = self._started(lost=fault == "unread")
        raw = json.dumps(self._body()).encode()
        made = self._prepared(raw, fault)
        status, usage, said = self._sent(made)
        assert status == 200, "the service refused a request"
        ok = fault != "overloaded"
        self.conversation.answered(made.request, ok=ok)
        if not ok:
            return  # the client sends it again
        if fault == "cold":  # the service has lost its cache
            usage = Usage(usage.prompt, 9, 0, 0)
        if fault != "dies behind":
            self.conversation.used(made.request, usage)
            self.conversation.examine()
            while (behind := self.conversation.take_due()) is not None:
                if fault == "behind":
                    self.conversation.unwritten(behind)
                    break
                self.disk.take(behind)
                self.conversation.stored(behind)
        self._answered(said, lines)

    def _prepared(self, raw: bytes, fault: str) -> Prepared:
        self.number += 1
        name = f"r_{self.number:016x}"
        policy = "off" if fault == "off" else self.policy
        turn = self.conversation.plan(raw, policy, name, self.at)
        assert turn is not None
        if not turn.must_wait:
            return turn.prepared
        if fault == "full":
            return self.conversation.hold(turn)
        self.disk.take(turn)
        if fault == "late":  # on disk, and the request left before the answer came
            made = self.conversation.reuse_decisions(raw, name, self.at)
            self.conversation.unwritten(turn)
            return made
        if fault == "secret":
            refused = [one.block for one in turn.prepared.decisions[:1]]
            return self.conversation.accept(turn, refused)
        return self.conversation.accept(turn, ())

    def _sent(self, made: Prepared) -> tuple[int, Usage, list[dict[str, Any]]]:
        body = json.loads(made.raw)
        headers = {"anthropic-beta": BETA} if made.tolerant else {}
        verdict = self.upstream.decide(Request("POST", "/v1/messages", headers, body))
        used = verdict.usage
        assert verdict.status == 200, verdict.refused
        assert used is not None
        usage = Usage(used.input_tokens, 9, used.cache_read, used.cache_creation)
        return verdict.status, usage, list(verdict.blocks)

    def _answered(self, said: list[dict[str, Any]], lines: int) -> None:
        self.messages.append({"role": "assistant", "content": said})
        name = next(block["id"] for block in said if block["type"] == "tool_use")
        text = f"{self.step}\n{words(self.step * 3, lines)}"
        result = {"type": "tool_result", "tool_use_id": name, "content": text}
        self.messages.append({"role": "user", "content": [result]})

    def _body(self) -> dict[str, Any]:
        last = self.messages[-1]
        marked = {**last, "content": [*last["content"][:-1], {**last["content"][-1], **MARK}]}
        return {
            "model": self.model,
            "max_tokens": 9,
            "thinking": {"type": "adaptive"},
            "tools": self.tools,
            "system": [{"type": "text", "text": words(0, 60), **MARK}],
            "messages": [*self.messages[:-1], marked],
        }

    def rewind(self, share: int) -> None:
        del self.messages[1 + 2 * ((len(self.messages) // 2) * share // 10) :]


FAULTS = (
    *("full", "late", "secret", "killed", "unread", "overloaded", "behind", "dies behind"),
    *("gap", "off"),
)


@pytest.mark.parametrize("policy", ["safe", "balanced", "tight"])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    faults=st.lists(st.sampled_from([""] * 8 + ["rewind", *FAULTS]), min_size=8, max_size=40),
    lines=st.integers(20, 90),
)
def test_no_request_is_refused_whatever_happens_to_the_ledger(
    policy: str, faults: list[str], lines: int
) -> None:
    session = Session(policy)
    for number, fault in enumerate(faults):
        if fault == "rewind":
            session.rewind(number % 10)
        session.turn(fault, lines)
    assert session.upstream.refused == []
    state = folded(session.disk.records()).of("")
    decided: set[str] = set()
    for record in session.disk.records():  # a decision is on disk before it holds
        blocks = {one.block for one in record.decisions}
        assert record.kind == "decided" or blocks <= decided
        decided |= blocks
    if state.in_force:
        assert session.disk.objects


def test_safe_leaves_what_was_sent_while_it_was_off_also_when_the_cache_is_cold() -> None:
    session = Session("safe")
    for fault in [*[""] * 6, "off", "gap", ""]:
        session.turn(fault, 20)
    assert session.upstream.refused == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_long_session_costs_at_most_its_turn(fault: str) -> None:
    """Before and after one fault, cache reads shrink only at cuts and at the fault."""
    session = Session("balanced")
    for number in range(60):
        session.turn(fault if number == 45 else "", 80)
    reads = [x.usage.cache_read for x in session.upstream.exchanges if x.usage is not None]
    records = session.disk.records()
    cuts = sum(any(d.reason == "cut" for d in one.decisions) for one in records)
    shrunk = sum(after < before for before, after in pairwise(reads))
    assert cuts > 0
    assert shrunk <= cuts + 2
    assert session.upstream.refused == []


def test_a_miss_before_any_decision_is_not_a_loss_of_paging() -> None:
    """A service that never finds anything in its cache, and a client that is only watched."""
    session = Session("safe")
    for number in range(5):
        raw = json.dumps(session._body()).encode()
        made = session._prepared(raw, "")
        _, usage, said = session._sent(made)
        session.conversation.answered(made.request, ok=True)
        session.conversation.used(made.request, Usage(usage.prompt, 9, 0, 0))
        session.conversation.examine()
        while (behind := session.conversation.take_due()) is not None:
            session.disk.take(behind)
            session.conversation.stored(behind)
        session._answered(said, number)
    sent = [one for one in session.disk.records() if one.kind == "sent"]
    assert len(sent) == 5
    assert all(one.reported is not None and one.reported.read == 0 for one in sent)
    assert [one.saved for one in sent if one.saved < 0] == []
    assert session.conversation.totals.credit >= 0


def test_a_record_waits_for_the_figures_of_its_answer_but_not_longer_than_the_next_request() -> (
    None
):
    """Records are also written behind the answer before it, while this one still comes."""
    session = Session("safe")

    def asked() -> tuple[Prepared, Usage]:
        made = session._prepared(json.dumps(session._body()).encode(), "")
        _, usage, said = session._sent(made)
        session.conversation.answered(made.request, ok=True)
        session._answered(said, 20)
        return made, usage

    def requests(turn: PlannedTurn | None) -> list[str]:
        return [one.request for one in turn.records] if turn is not None else []

    first, _ = asked()
    assert not session.conversation.has_due_records
    assert requests(session.conversation.take_due()) == []
    second, usage = asked()  # the first one is written before it leaves, as it is
    session.conversation.used(first.request, None)
    session.conversation.examine()
    assert requests(session.conversation.take_due()) == []
    session.conversation.used(second.request, usage)
    session.conversation.examine()
    turn = session.conversation.take_due()
    assert requests(turn) == [second.request]
    assert turn is not None
    assert turn.records[0].reported is not None
    asked()
    assert len(requests(session.conversation.take_records())) == 1


def test_a_new_session_whose_ledger_is_read_too_late_loses_nothing() -> None:
    """There was no request before, so there are no decisions that could be lost."""
    session = Session("balanced")
    session.turn("unread", 80)
    assert session.conversation.totals.dropped == 0
    assert session.conversation.totals.credit >= 0


def test_each_branch_whose_decisions_were_lost_is_booked_and_the_others_keep_theirs() -> None:
    session = Session("balanced")
    for _ in range(40):
        session.turn("", 80)
    other = list(session.messages)
    session.rewind(2)
    session.turn("unread", 80)
    for _ in range(40):
        session.turn("", 80)
    assert session.conversation.totals.dropped == 1
    known = {one.block for one in folded(session.disk.records()).of("").in_force.values()}
    assert known
    session.messages = other
    credit = session.conversation.totals.credit
    session.turn("", 80)
    assert session.conversation.totals.dropped == 2
    assert session.conversation.totals.credit < credit
    assert known <= set(folded(session.disk.records()).of("").in_force)
    assert session.upstream.refused == []


@pytest.mark.parametrize("lost", [False, True])
def test_after_a_restart_each_branch_keeps_its_own_decisions(lost: bool) -> None:
    """A cut in one branch changes the beginning that it shares with another one. lost: the one with
    the cut is not known, as the ledger was not read before it."""
    session = Session("balanced")
    for _ in range(20):
        session.turn("", 80)
    first = list(session.messages)
    session.rewind(2)
    for _ in range(3):
        session.turn("", 80)
    other = list(session.messages)
    sent = json.loads(session.conversation.preview(json.dumps(session._body()).encode()))
    session.messages = first
    session.turn("unread" if lost else "", 80)
    for _ in range(40):
        session.turn("", 80)
    cut = folded(session.disk.records()).of("")
    assert any(one.reason == "cut" for one in cut.in_force.values())
    session.turn("killed", 80)
    dropped = session.conversation.totals.dropped
    session.messages = other
    again = json.loads(session.conversation.preview(json.dumps(session._body()).encode()))
    assert again["messages"] == sent["messages"]
    session.turn("", 80)
    assert session.conversation.totals.dropped == dropped
    assert session.upstream.refused == []


@pytest.mark.parametrize(
    ("model", "is_known"), [("claude-opus-5-5", True), ("claude-fable-5-1", False)]
)
def test_a_change_of_the_model_is_a_free_moment_after_a_restart(model: str, is_known: bool) -> None:
    """Nothing of the conversation is cached for a model that it never asked. How much is for the
    other one is a guess."""
    session = Session("safe")
    for _ in range(20):
        session.turn("", 80)
    session.policy, session.model = "balanced", model
    session.turn("killed", 80)
    records = session.disk.records()
    first = next(one for one in reversed(records) if one.kind == "sent")
    assert session.upstream.refused == []
    if is_known:
        assert first.predicted is None
    else:
        assert first.predicted is not None
        assert first.predicted.read == 0
        assert any(d.reason == "cut" for d in records[-2].decisions)
        assert first.removed > 0.5 * first.predicted.written


def test_a_fork_counts_as_cached() -> None:
    """Its beginning was sent by the conversation that it comes from, of which its ledger has no
    record: a cut is not free."""
    session = Session("safe")
    for _ in range(20):
        session.turn("", 80)
    session.disk, session.policy = DiskLedger(), "balanced"
    session.turn("killed", 80)
    records = session.disk.records()
    assert not any(d.reason == "cut" for one in records for d in one.decisions)
    assert [one.saved for one in records if one.saved < 0] == []


def test_after_late_decisions_some_requests_make_none() -> None:
    session = Session("balanced")
    for _ in range(40):
        session.turn("", 80)
    known = len(session.disk.records())
    for _ in range(60):
        session.turn("late", 80)
    late = [one for one in session.disk.records()[known:] if one.kind == "decided"]
    assert 2 < len(late) < 10
    for _ in range(30):
        session.turn("", 80)
    assert folded(session.disk.records()[known:]).whole.cuts > 0
    assert session.upstream.refused == []


def test_what_an_unproven_request_left_in_the_cache_is_not_known() -> None:
    """It may have reached the service before its process died, and no record names its model."""
    session = Session("balanced")
    for _ in range(40):
        session.turn("", 80)
    session.model = "claude-fable-5-1"
    session.turn("dies behind", 80)
    session.turn("killed", 80)
    last = next(one for one in reversed(session.disk.records()) if one.kind == "sent")
    assert last.model == session.model
    assert last.predicted is None
    assert session.upstream.refused == []


@pytest.mark.parametrize("first", ["overloaded", "elsewhere"])
def test_an_unproven_cut_is_made_again_when_its_branch_is_sent(first: str) -> None:
    """Its answer is bound to it. The first request after the restart does not show whether it was
    sent: the service refuses it, or it is of another branch."""
    session = Session("balanced")
    for _ in range(40):
        session.turn("", 80)
    session.model = "claude-fable-5-1"
    session.turn("dies behind", 80)
    cut = folded(session.disk.records()).of("").unproven
    assert cut
    session.conversation = session._started()
    branch = list(session.messages)
    if first == "elsewhere":
        session.rewind(0)
    session.turn(first, 80)
    session.messages = branch
    session.turn("", 80)
    made = folded(session.disk.records()).of("").in_force.values()
    assert {one for listed in cut.values() for one in listed} <= set(made)
    assert session.upstream.refused == []


def test_switched_off_after_a_restart_replays_while_the_cache_is_alive() -> None:
    session = Session("balanced")
    for _ in range(60):
        session.turn("", 80)
    size = len(session._prepared(json.dumps(session._body()).encode(), "off").raw)
    session.conversation = session._started()
    session.at += 60
    made = session._prepared(json.dumps(session._body()).encode(), "off")
    assert len(made.raw) < 1.1 * size
    assert session.conversation.totals.dropped == 0
    session.at += 400
    made = session._prepared(json.dumps(session._body()).encode(), "off")
    assert len(made.raw) > 1.5 * size
    assert session.conversation.totals.dropped == 1


def test_after_the_first_record_of_a_session_all_its_requests_are_recorded() -> None:
    """Else the next process would take what they left in the cache for absent."""
    session = Session("safe")
    for fault in ("", "", "off", "killed"):
        session.turn(fault, 20)
    session.policy = "off"
    for _ in range(2):
        session.turn("killed", 20)
    assert sum(one.kind == "sent" for one in session.disk.records()) == 6
    unmanaged = Session("off")
    unmanaged.turn("", 20)
    assert unmanaged.disk.records() == []


@pytest.mark.parametrize("fault", ["", "full", "late", "secret", "overloaded", "behind"])
def test_what_a_process_counts_is_what_its_records_say(fault: str) -> None:
    session = Session("balanced")
    for number in range(60):
        session.turn(fault if number % 7 == 6 else "", 80)
    session.turn("", 80)  # what waited is written
    counted = totals_of(session.conversation.totals, "s")
    assert counted == totals_of(folded(session.disk.records()).whole, "s")
    assert counted.cuts
    assert counted.policy == "balanced"


def test_a_miss_is_counted_when_the_figures_of_its_answer_come() -> None:
    session = Session("balanced")
    for _ in range(30):
        session.turn("", 80)
    session.turn("", 1)
    session.turn("cold", 1)  # nothing is decided on so short a result
    session.turn("", 1)
    assert session.conversation.totals.misses == 1


class Full(Session):
    """Behind a long prompt the window is full after some turns, by the service's count."""

    def __init__(self) -> None:
        self.asked: list[tuple[Body, ConversationHistory, Log]] = []
        super().__init__("balanced")
        self.model, self.upstream.binds_thinking = "claude-haiku-4-5", False
        self.messages[0]["content"][0]["text"] = "harbour " * 71_500

    def _started(self, *, lost: bool = False) -> ManagedConversation:
        return ManagedConversation("", self.disk.recovered(), lambda _name: self._decides)

    def _decides(
        self, body: Body, past: ConversationHistory, log: Log, moment: Moment
    ) -> tuple[Decision, ...]:
        self.asked.append((body, past, dict(log)))
        return POLICIES("balanced")(body, past, log, moment)

    def _sent(self, made: Prepared) -> tuple[int, Usage, list[dict[str, Any]]]:
        status, used, said = super()._sent(made)
        more = (round(1.3 * n) for n in (used.input, used.cache_read, used.cache_write_5m))
        fresh, read, written = more
        return status, Usage(fresh, 9, read, written), said


def test_the_same_cut_follows_from_the_logged_moment_alone() -> None:
    """Also one that a full window asked for, and the credit paid."""
    session, decided = Full(), 0
    for _ in range(18):
        session.turn("", 40)
        name = f"r_{session.number:016x}"
        of_it = (one for one in session.disk.records() if one.request == name)
        record = next(one for one in of_it if one.kind in ("decided", "sent"))
        if record.moment is None:
            continue
        known = {
            k: v for k, v in record.moment.model_dump().items() if k in Moment.__struct_fields__
        }
        made = NamedPolicies()("balanced")(*session.asked[-1], Moment(**known))
        assert [one.block for one in made] == [one.block for one in record.decisions]
        assert (known["window"], known["at"]) == (200_000, session.at)
        decided += record.moment.emergency
    assert decided == 2


def test_a_killed_process_knows_how_long_its_requests_are_by_the_count_of_the_service() -> None:
    cuts = []
    for fault in ("", "killed"):
        session = Full()
        for number in range(10):
            session.turn(fault if number == 9 else "", 40)
        last = [one for one in session.disk.records() if one.kind == "decided"][-1]
        cuts.append([one.block for one in last.decisions if one.reason == "cut"])
        assert last.moment is not None
        assert last.moment.emergency
    assert cuts[0] == cuts[1] != []


def test_what_cuts_cost_is_shown_apart_from_what_is_saved() -> None:
    session = Session("balanced")
    for _ in range(60):
        session.turn("", 80)
    records = [one for one in session.disk.records() if one.kind == "sent"]
    state = folded(records).whole
    assert [one.saved for one in records if one.saved < 0] == [], "no request cost more"
    assert 0 < state.spent < state.saved
    assert state.saved - state.spent == pytest.approx(sum(one.saved for one in records))


def test_what_memory_itself_adds_is_booked_apart() -> None:
    """Tools and texts that the client's own request has, too: they change nothing that paging saved
    or spent."""
    made = []
    tool = {"name": "mcp__wm__recap", "description": TOOLS[1].description, "input_schema": {}}
    odd = {"name": "odd", "description": [{}], "input_schema": {}}
    text = f"<workspace_memory>\n{words(0, 60)}\n</workspace_memory>"
    for texts in ([], [{"type": "text", "text": f"<system-reminder>{text}</system-reminder>"}]):
        session = Session("safe")
        session.messages[0]["content"] += texts
        session.tools = [odd, tool] if texts else [odd]
        for _ in range(3):
            session.turn("", 5)
        made.append(totals_of(session.conversation.totals, ""))
    without, own = made
    tokens = estimate(Block(ByteSpan(0, 0), json.dumps(tool).encode())) + len(text) // 4
    assert (without.added, without.added_cost) == (0, 0)
    assert own.added == pytest.approx(tokens, abs=8)
    rates = rates_of(price_of(session.model), "5m")
    assert own.added_cost == pytest.approx(own.added * (rates.write + 2 * rates.read), rel=0.01)
    assert (own.saved, own.spent) == (without.saved, without.spent)
    assert memory_line(own).startswith(
        f"memory itself adds: {own.added:,} tokens of tools and texts"
    )
    assert memory_line(without) == ""


def test_every_tag_of_a_text_that_memory_adds_is_counted() -> None:
    frames = (handoff_block, hot_snapshot, recap, working_memory)
    tags = {frame.OPENING.strip("<>") for frame in frames} | {tool_rendering.FENCE}
    assert tags <= set(contents._INJECTED)
    for tag in contents._INJECTED:
        text = f"<{tag}>\nthe pier\n</{tag}>"
        raw = json.dumps({"type": "text", "text": f"Go on. {text}"}).encode()
        block = Block(ByteSpan(0, len(raw)), raw)
        assert contents._added(block) == len(text) // CHARS_PER_TOKEN


def test_a_refused_decision_is_not_a_late_one() -> None:
    session = Session("balanced")
    for _ in range(40):
        session.turn("", 80)
    known = len(session.disk.records())
    for _ in range(20):
        session.turn("secret", 80)
    assert sum(one.kind == "decided" for one in session.disk.records()[known:]) > 6


def test_a_full_window_is_emptied_also_while_decisions_are_skipped() -> None:
    """Else the service would refuse the request as too long."""

    def all_old(body: Body, past: ConversationHistory, log: Log, _moment: Moment) -> Any:
        places = past.places[2][:1]
        return [Decision(place, "[gone]", "cut") for place in places if place not in log]

    def body(size: int) -> bytes:
        call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
        result = {"type": "tool_result", "tool_use_id": "t", "content": "x" * size}
        messages = [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Seen."},
            {"role": "user", "content": "On."},
        ]
        return json.dumps({"model": "claude-haiku-4-5", "messages": messages}).encode()

    made = ManagedConversation("", Recovered(), lambda _name: all_old, bounded=False)
    for number in range(2):
        turn = made.plan(body(900), "balanced", f"r_{number}", 0.0)
        assert turn is not None
        assert turn.must_wait
        made.reuse_decisions(body(900), f"r_{number}", 0.0)
    turn = made.plan(body(900), "balanced", "r_3", 0.0)
    assert turn is not None
    assert turn.prepared.decisions == ()
    turn = made.plan(body(780_000), "balanced", "r_4", 0.0)
    assert turn is not None
    assert turn.must_wait
