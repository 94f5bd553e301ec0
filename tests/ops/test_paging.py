"""Paging of generated conversations: valid requests, the same bytes again, a bounded bill."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.clients.accounting import ThinkingLedger
from tests.clients.validity import refusals
from tests.wire.conversations import Conversation as Made
from tests.wire.conversations import conversations
from wm.domain.paging.levels import LEVELS, PagingLimits
from wm.domain.paging.stubs import handle_of
from wm.ops.paging.policy import PagingPolicy
from wm.settings import PruningSettings
from wm.wire.body import Body
from wm.wire.conversation import Conversation
from wm.wire.history import ConversationHistory
from wm.wire.policy import Decision, Log, Moment, Policy, behind, nothing

MARK = {"type": "ephemeral"}
EAGER = PagingLimits(reads=True, stubs=True, keep=0, hot=1, collapse=2, least=1)
LINES = [f"quay_{n} = berth_of(ship_{n}, draught={n})  # line {n}" for n in range(400)]


def words(start: int, count: int) -> str:
    return "\n".join(LINES[(start + n) % len(LINES)] for n in range(count))


class Session:
    """A client that appends, retries, rewinds, forks, waits and changes its model."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
        self.model = "claude-opus-4-8"
        self.at = 0.0
        self.calls = 0

    def step(self, start: int, count: int, path: int) -> None:
        self.calls += 1
        name = f"t{self.calls}"
        given = {"file_path": f"{path}.py"} if path % 3 else {"content": words(start, count)}
        call = {"type": "tool_use", "id": name, "name": "Read" if path % 3 else "Write"}
        result = {"type": "tool_result", "tool_use_id": name, "content": words(start, count)}
        self.messages += [
            {"role": "assistant", "content": [{**call, "input": given}]},
            {"role": "user", "content": [result]},
        ]

    def prompt(self, start: int) -> None:
        self.messages += [
            {"role": "assistant", "content": [{"type": "text", "text": words(start, 2)}]},
            {"role": "user", "content": [{"type": "text", "text": words(start + 9, 1)}]},
        ]

    def rewind(self, share: int) -> None:
        keep = 1 + 2 * ((len(self.messages) // 2) * share // 10)
        del self.messages[keep:]

    def raw(self) -> bytes:
        last = self.messages[-1]
        if isinstance(last["content"], list):
            marked = {**last["content"][-1], "cache_control": MARK}
            last = {**last, "content": [*last["content"][:-1], marked]}
        body = {"model": self.model, "max_tokens": 9, "system": words(0, 30)}
        return json.dumps({**body, "messages": [*self.messages[:-1], last]}).encode()


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["step"] * 12 + ["prompt", "rewind", "wait", "model", "again", "tag"]),
        st.integers(0, 399),
        st.integers(1, 90),
        st.integers(0, 6),
    ),
    min_size=5,
    max_size=45,
)


def acted(session: Session, act: tuple[str, int, int, int]) -> None:
    name, start, count, path = act
    session.at += 400.0 if name == "wait" else 1.0
    match name:
        case "step" | "wait":
            session.step(start, count, path)
        case "tag":
            session.step(start, 3, path)
            session.messages[-2]["content"].insert(0, {"type": "text", "text": tag(start, path)})
        case "prompt":
            session.prompt(start)
        case "rewind":
            session.rewind(path)
        case "model":
            models = ("claude-opus-4-8", "claude-opus-5-5", "claude-fable-5-1")
            session.model = models[path % 3]


def tag(start: int, path: int) -> str:
    """A tag of the model about an earlier call."""
    name = ("drop", "anchor", "summarize", "collapse", "declare_losses")[start % 5]
    of = f"{path}.py" if path % 3 else "Write"
    end = "/>" if start % 5 < 2 else f">{words(start, 1)}</wm:{name}>"
    return f'So.\n<wm:{name} of="{of}"{end}\n'


def greedy(
    body: Body, past: ConversationHistory, _log: Log, _moment: Moment
) -> tuple[Decision, ...]:
    """Removes whatever can be removed, with no thought of the bill."""
    return tuple(
        Decision(place, "[gone]", "greedy")
        for message, line in zip(body.messages, past.places, strict=True)
        for block, place in zip(message.blocks, line, strict=True)
        if block.type == "tool_result" and len(block.raw) > 200
    )


def talkative(
    body: Body, past: ConversationHistory, log: Log, moment: Moment
) -> tuple[Decision, ...]:
    """Also appends passages to every request, with no thought of the bill."""
    made = Decision(behind(past.places[-1][-1]), words(len(body.messages), 9), "", "passages", 0)
    return (*greedy(body, past, log, moment), made)


LIMITS = {**LEVELS, "eager": EAGER, "tags": EAGER}
POLICIES: dict[str, Policy] = {
    **{name: PagingPolicy(one, reads_tags=name == "tags") for name, one in LIMITS.items()},
    "greedy": greedy,
    "talkative": talkative,
}


@pytest.mark.parametrize("name", sorted(POLICIES))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=ACTS)
def test_the_bill_so_far_is_never_above_that_without_paging(
    name: str, acts: list[tuple[str, int, int, int]]
) -> None:
    session, talk = Session(), Conversation(bounded=True, marks=True)
    for act in acts:
        acted(session, act)
        raw = session.raw()
        made = talk.prepare(raw, POLICIES[name], session.at)
        assert made is not None
        talk.keep(made.decisions)
        assert refusals(json.loads(made.raw), ThinkingLedger()) == []
        plain, sent = talk.plain, talk.sent
        assert plain is not None
        assert sent is not None
        assert sent.row.prompt <= plain.prompt
        talk.mark_sent()
        in_blocks, _ = talk.account.credits
        assert in_blocks >= -1e-3 * abs(plain.prompt)
        again = talk.prepare(raw, nothing, session.at)  # a retry, or paging switched off
        assert again is not None
        assert json.loads(again.raw)["messages"] is not None


def afresh(name: str) -> Policy:
    """The policy without what it remembers of histories."""
    known = POLICIES[name]
    if not isinstance(known, PagingPolicy):
        return known
    return PagingPolicy(LIMITS[name], reads_tags=known.reads_tags)


@pytest.mark.parametrize("name", sorted(POLICIES))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=ACTS, late=st.sets(st.integers(0, 44)))
def test_what_is_kept_to_save_work_changes_no_decision_and_no_byte(
    name: str, acts: list[tuple[str, int, int, int]], late: set[int]
) -> None:
    """At each request another process decides with the same log and account, and nothing else."""
    session, talk, policy = Session(), Conversation(bounded=True, marks=True), afresh(name)
    for number, act in enumerate(acts):
        acted(session, act)
        other = deepcopy(talk)
        other.mark_sent()
        other.before = other.plain = other.sent = None
        made = talk.prepare(session.raw(), policy, session.at)
        assert made is not None
        assert other.prepare(session.raw(), afresh(name), session.at) == made
        if number in late:
            talk.void()
        else:
            talk.keep(made.decisions)


class Returning(Session):
    """A client that works on, lets the cache become cold, and returns to an earlier place. Its long
    prompts stay, so what a cut removes is less than what follows it."""

    def __init__(self) -> None:
        super().__init__()
        self.left: list[list[dict[str, Any]]] = []

    def works(self, kind: str, start: int, count: int) -> None:
        if kind == "step":
            self.step(start, count, start % 7)
        else:
            self.prompt(start)
            self.messages[-1]["content"][0]["text"] = words(start, 4 * count)

    def thinks(self) -> None:
        self.calls += 1
        thought = {"type": "thinking", "thinking": words(self.calls, 9), "signature": "sealed"}
        self.messages[-2]["content"].insert(0, thought)

    def becomes_cold(self, how: str) -> None:
        self.at += 400.0 if how == "wait" else 1.0
        models = {"opus": "claude-opus-4-8", "fable": "claude-fable-5-1"}
        self.model = models.get(how, self.model)

    def returns(self, how: str, share: int) -> None:
        """To a beginning of its history, to one that it left, or to other results of a call."""
        self.left.append(list(self.messages))
        if how == "rewind":
            self.rewind(share)
        elif how == "back":
            self.messages = list(self.left[share % len(self.left)])
        elif how == "other":
            self.rewind(share)
            self.messages[-1] = {"role": "user", "content": [self._other_result()]}

    def _other_result(self) -> dict[str, Any]:
        last = self.messages[-1]["content"][0]
        content = {"content": words(7, 4)} if isinstance(last, dict) else {}
        is_result = isinstance(last, dict) and last["type"] == "tool_result"
        return {**last, **content} if is_result else {"type": "text", "text": "Go."}


PHASES = st.lists(
    st.tuples(
        st.lists(
            st.tuples(
                st.sampled_from(["step"] * 3 + ["prompt"]), st.integers(0, 399), st.integers(1, 60)
            ),
            min_size=2,
        ),
        st.sampled_from(["wait", "opus", "fable", "warm"]),
        st.lists(
            st.tuples(st.sampled_from(["rewind", "rewind", "back", "other"]), st.integers(0, 9)),
            max_size=3,
        ),
    ),
    min_size=2,
    max_size=6,
)


@pytest.mark.parametrize("name", ["balanced", "eager", "tight"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(phases=PHASES)
def test_a_return_into_what_a_cut_removed_from_a_cold_cache_is_paid_by_what_it_saved(
    name: str, phases: list[tuple[Any, str, Any]]
) -> None:
    session, talk = Returning(), Conversation(bounded=True, marks=True)

    def sends() -> None:
        made = talk.prepare(session.raw(), POLICIES[name], session.at)
        assert made is not None
        talk.keep(made.decisions)
        talk.mark_sent()
        assert talk.account.credits[0] >= -1e-3 * talk.plain.prompt  # type: ignore[union-attr]

    for works, cold, returns in phases:
        for kind, start, count in works:
            session.works(kind, start, count)
            if start % 3 == 0:
                session.thinks()
            session.becomes_cold("warm")
            sends()
        session.becomes_cold(cold)
        sends()
        for how, share in returns:
            session.returns(how, share)
            session.becomes_cold("warm")
            sends()


@pytest.mark.parametrize("name", ["balanced", "eager", "tags"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(acts=ACTS)
def test_a_cut_is_the_same_as_one_planned_from_scratch(
    name: str, acts: list[tuple[str, int, int, int]]
) -> None:
    """A plan keeps what is unchanged since the last request."""
    limits = LEVELS.get(name, EAGER)
    session, talk = Session(), Conversation(bounded=True, marks=True)
    policy = partial(PagingPolicy, limits, reads_tags=name == "tags")
    kept = policy()

    def both(
        body: Body, past: ConversationHistory, log: Log, moment: Moment
    ) -> tuple[Decision, ...]:
        found = kept(body, past, log, moment)
        fresh = policy()(body, past, log, moment)
        whys = ("cut", "summarized")
        assert [d for d in found if d.reason in whys] == [d for d in fresh if d.reason in whys]
        return found

    for act in acts:
        acted(session, act)
        made = talk.prepare(session.raw(), both, session.at)
        assert made is not None
        talk.keep(made.decisions)


def test_balanced_saves_on_a_long_session_and_nothing_is_lost_unnamed() -> None:
    session, talk = Session(), Conversation(bounded=True)
    policy = PagingPolicy(LEVELS["balanced"])
    reads: list[dict[str, Any]] = []
    for number in range(80):
        session.step(number * 7, 40, number % 7)
        made = talk.prepare(session.raw(), policy)
        assert made is not None
        talk.keep(made.decisions)
        reads = json.loads(made.raw)["messages"]
    talk.mark_sent()
    assert talk.account.credit > 0
    assert len(json.dumps(reads)) < 0.6 * len(session.raw())
    forms = {decision.form for decision in talk.log.values()}
    assert forms >= {"content", "step"}
    assert all("o_" in one.text for one in talk.log.values() if one.form != "thinking")


@pytest.mark.parametrize("command", ["find . -name '*.py'", "cat src/quay.py"])
def test_safe_prunes_a_long_output_when_it_first_appears_but_no_file(command: str) -> None:
    policy = PagingPolicy(LEVELS["safe"], pruning=PruningSettings())
    output = "\n".join(f"./src/quay_{number}/berth_{number * 7}.py" for number in range(400))
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": command}}
    session = Session()
    session.messages += [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{**result_of("t1"), "content": output}]},
    ]
    talk = Conversation(bounded=True)
    made = talk.prepare(session.raw(), policy)
    assert made is not None
    shown = json.loads(made.raw)["messages"][2]["content"][0]["content"]
    if command.startswith("cat"):
        assert shown == output
        return
    talk.keep(made.decisions)
    marks = [line for line in shown.split("\n") if line.startswith("[wm: ")]
    assert set(shown.split("\n")) - set(marks) < set(output.split("\n"))
    assert f"memory_restore {handle_of(output)}" in marks[0]
    assert len(shown) < 0.5 * len(output)
    session.step(3, 9, 1)
    again = talk.prepare(session.raw(), policy)
    assert again is not None
    assert json.loads(again.raw)["messages"][2]["content"][0]["content"] == shown


def result_of(call: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call}


def test_safe_leaves_text_that_was_requested_by_a_read() -> None:
    session, talk = Session(), Conversation(bounded=True)
    policy = PagingPolicy(LEVELS["safe"])
    session.step(0, 60, 1)
    session.step(0, 60, 1)
    raw = session.raw()
    made = talk.prepare(raw, policy)
    assert made is not None
    assert made.raw is raw or made.raw == raw
    balanced = Conversation(bounded=True).prepare(raw, PagingPolicy(LEVELS["balanced"]))
    assert balanced is not None
    assert len(balanced.raw) < 0.8 * len(raw)


def test_thinking_of_finished_turns_is_removed_at_a_cut_and_no_other() -> None:
    session = Session()
    thought = {"type": "thinking", "thinking": words(5, 40), "signature": "sealed"}
    for number in range(6):
        session.step(number * 50, 60, 0)
        session.messages[-2]["content"].insert(0, thought)
    session.prompt(0)
    session.step(0, 3, 0)
    session.messages[-2]["content"].insert(0, thought)
    for number in range(4):
        session.step(200 + number, 3, 0)
    talk = Conversation(bounded=True)
    limits = PagingLimits(stubs=True, keep=0, hot=1, collapse=0, least=1)
    made = talk.prepare(session.raw(), PagingPolicy(limits))  # cold: free
    assert made is not None
    kinds = [
        b["type"]
        for m in json.loads(made.raw)["messages"]
        if m["role"] == "assistant"
        for b in m["content"]
    ]
    assert kinds.count("thinking") == 1


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(conversations(most_turns=4))
def test_any_history_stays_valid_and_has_the_same_bytes_from_its_log(made: Made) -> None:
    talk = Conversation(bounded=True)
    for raw in made.requests():
        prepared = talk.prepare(raw, PagingPolicy(EAGER))
        assert prepared is not None
        talk.keep(prepared.decisions)
        assert refusals(json.loads(prepared.raw), made.ledger) == []
        again = Conversation(dict(talk.log)).prepare(raw, nothing)
        assert again is not None
        assert again.raw == prepared.raw


def called(session: Session, tool: str, handle: str, result: str) -> None:
    """The model uses one of our tools."""
    session.step(0, 1, 0)
    session.messages[-2]["content"][0] |= {"name": f"mcp__wm__{tool}", "input": {"id": handle}}
    session.messages[-1]["content"][0]["content"] = result


HANDLE = "o_0123456789ab"


def kept(session: Session, text: str, turns: int) -> bool:
    """Whether this text is still in the request after so many more steps, at no price."""
    for number in range(turns):
        session.step(number * 11, 3, 0)
    talk = Conversation(bounded=True)
    made = talk.prepare(session.raw(), PagingPolicy(LEVELS["balanced"]))
    assert made is not None
    return text in json.dumps(json.loads(made.raw)["messages"])


@pytest.mark.parametrize(("turns", "stays"), [(10, True), (40, False)])
def test_what_the_model_brought_back_stays_for_a_while(turns: int, stays: bool) -> None:
    session = Session()
    session.step(0, 80, 0)
    called(session, "memory_restore", HANDLE, words(100, 80))
    assert kept(session, LINES[120], turns) is stays


def test_what_the_model_brought_back_twice_stays_until_it_gives_it_up() -> None:
    session = Session()
    for number in range(2):
        called(session, "memory_restore", HANDLE, words(100, 80))
        for _ in range(20):
            session.step(number * 11, 3, 0)
    assert kept(session, LINES[120], 40)
    called(session, "memory_release", HANDLE, "Released.")
    assert not kept(session, LINES[120], 3)


@pytest.mark.parametrize("name", ["balanced", "tight", "eager"])
def test_no_cut_takes_results_that_the_model_has_not_seen(name: str) -> None:
    """Of parallel calls only the last result has no newer one."""
    session, talk = Session(), Conversation(bounded=True, marks=True)
    for _ in range(3):
        session.messages += batch(session, 4)
        made = talk.prepare(session.raw(), POLICIES[name], session.at)
        assert made is not None
        talk.keep(made.decisions)
        (*_, last) = json.loads(made.raw)["messages"]
        assert "[wm: " not in json.dumps(last)
    assert "[wm: " in json.dumps(json.loads(made.raw)["messages"])


def batch(session: Session, calls: int) -> list[dict[str, Any]]:
    """The messages of parallel calls whose results are long and share no line."""
    made: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for _ in range(calls):
        session.calls += 1
        name, given = f"t{session.calls}", {"command": f"./ferry {session.calls}"}
        made.append({"type": "tool_use", "id": name, "name": "Bash", "input": given})
        text = words(0, 200).replace("quay", f"quay_{name}")
        results.append({"type": "tool_result", "tool_use_id": name, "content": text})
    return [{"role": "assistant", "content": made}, {"role": "user", "content": results}]


def filled(session: Session, prompts: tuple[int, ...]) -> str:
    """What is sent of a conversation that the cache holds when it fills the window: 40 files, each
    read once, a prompt behind these steps, and something brought back. No credit is there."""
    talk, policy = Conversation(bounded=True, marks=True), PagingPolicy(LEVELS["balanced"])
    session.model = "claude-haiku-4-5"
    for number in range(40):
        session.step(number, 3, 1)
        name = {"file_path": f"src/part_{number}.py"}
        session.messages[-2]["content"][0]["input"] = name
        long = f"part {number}\n" + "\n".join(f"{LINES[n]} of {number}" for n in range(300))
        session.messages[-1]["content"][0]["content"] = long
        if number == 30:
            called(session, "memory_restore", HANDLE, "The pilot is on board.\n" * 30)
        if number in prompts:
            session.prompt(number)
    talk.prepare(session.raw(), nothing)
    session.step(0, 3, 0)
    plain = Conversation().prepare(session.raw())
    assert plain is not None
    talk.scale = 199_000 / (len(plain.raw) / 4)
    made = talk.prepare(session.raw(), policy)
    assert made is not None
    talk.keep(made.decisions)
    assert talk.is_emergency()
    assert refusals(json.loads(made.raw), ThinkingLedger()) == []
    assert len(made.raw) < 0.95 * 200_000 / 199_000 * len(plain.raw)
    return json.dumps(json.loads(made.raw)["messages"])


@pytest.mark.parametrize(
    ("prompts", "first"),
    [((), 37), ((5,), 37), ((0, 1), 37), ((5, 15, 36), 16), ((10, 20, 30), 21)],
)
def test_a_full_window_is_emptied_at_any_price_but_for_pins_and_the_last_two_user_turns(
    prompts: tuple[int, ...], first: int
) -> None:
    """If these fill the window, the last four results stay of them. The last one is short."""
    shown = filled(Session(), prompts)
    found = [number for number in range(40) if f"part {number}\\n" in shown]
    assert found == list(range(first, 40))
    assert "Go." in shown
    assert "The pilot is on board." in shown


def tagged(*tags: str, is_error: bool = False) -> str:
    """The messages of a request behind two results and these tags, when a cut costs nothing."""
    session = Session()
    session.step(0, 80, 1)
    session.messages[-1]["content"][0]["is_error"] = is_error
    session.step(100, 80, 2)
    session.messages[-2]["content"].insert(0, {"type": "text", "text": "\n".join(tags)})
    session.step(200, 3, 4)
    made = Conversation(bounded=True).prepare(
        session.raw(), PagingPolicy(LEVELS["balanced"], reads_tags=True)
    )
    assert made is not None
    return json.dumps(json.loads(made.raw)["messages"])


DROP = '<wm:drop of="1.py"/>'
SUMMARY = '<wm:summarize of="1.py">Berths <b>0</b> to 79.</wm:summarize>'


def test_a_tag_gives_up_the_newest_copy_of_a_file_which_stays_otherwise() -> None:
    assert LINES[20] in tagged("So.")
    assert LINES[20] not in tagged(DROP)
    assert LINES[120] in tagged(DROP)
    found = tagged(SUMMARY)
    assert LINES[20] not in found
    assert f"[wm: in your words: Berths <b>0</b> to 79.; {handle_of(words(0, 80))}]" in found
    lost = tagged(DROP, '<wm:declare_losses of="1.py">the draughts</wm:declare_losses>')
    assert ", lost: the draughts; o_" in lost


@pytest.mark.parametrize(
    "tags",
    [
        ('<wm:anchor of="1.py"/>', DROP, SUMMARY),
        (f"`{DROP}`",),
        (f"```\n{DROP}\n```",),
        ('<wm:drop of="another.py"/>',),
        # Its words are longer than what they replace.
        (f'<wm:summarize of="4.py">{"x" * 900}</wm:summarize>',),
    ],
)
def test_a_tag_removes_nothing_that_must_stay(tags: tuple[str, ...]) -> None:
    assert LINES[20] in tagged(*tags)


def test_a_tag_removes_no_open_error() -> None:
    assert LINES[20] in tagged(DROP, '<wm:collapse of="1.py">Done.</wm:collapse>', is_error=True)


def test_tags_of_the_user_or_of_a_tool_are_text_and_one_repeated_from_a_tool_does_nothing() -> None:
    session = Session()
    session.step(0, 80, 1)
    session.step(100, 3, 0)
    session.messages[-1]["content"][0]["content"] = f"{DROP}\n"
    session.messages[-1]["content"].append({"type": "text", "text": f"{DROP}\n"})
    session.step(200, 3, 4)
    session.messages[-2]["content"].insert(0, {"type": "text", "text": f"It says:\n{DROP}\n"})
    policy = PagingPolicy(LEVELS["balanced"], reads_tags=True)
    made = Conversation(bounded=True).prepare(session.raw(), policy)
    assert made is not None
    assert LINES[20] in json.dumps(json.loads(made.raw)["messages"])


def test_a_collapsed_phase_becomes_the_words_of_the_model() -> None:
    session = Session()
    for number in range(4):
        session.step(number * 50, 40, 0)
        name = {"file_path": f"src/part_{number}.py"}
        session.messages[-2]["content"][0] |= {"name": "Read", "input": name}
    end = '<wm:collapse of="src/part_1.py">The parts are read.</wm:collapse>'
    session.step(300, 3, 4)
    session.messages[-2]["content"].insert(0, {"type": "text", "text": end})
    session.prompt(3)
    policy = PagingPolicy(LEVELS["balanced"], reads_tags=True)
    made = Conversation(bounded=True).prepare(session.raw(), policy)
    assert made is not None
    steps = [one.text for one in made.decisions if one.form == "step"]
    assert [text.startswith("[wm: in your words: The parts are read.; o_") for text in steps] == [
        *(True, False, False)
    ]
    shown = json.dumps(json.loads(made.raw)["messages"])
    assert LINES[10] in shown, "it was read before the phase"
    assert all(line not in shown for line in (LINES[60], LINES[110], LINES[160]))
    assert '"Go."' in shown


REMINDER = "<system-reminder>\n" + words(0, 12) + "\n</system-reminder>"


@pytest.mark.parametrize(
    ("role", "first", "again", "is_collapsed"),
    [
        ("user", REMINDER, REMINDER, True),
        ("system", words(0, 12), words(0, 12), True),
        ("user", REMINDER, REMINDER.replace("quay_3", "pier_3"), False),
        ("user", words(0, 12), words(0, 12), False),
        ("user", f"{REMINDER}\nGo on.", f"{REMINDER}\nGo on.", False),
        ("user", "<system-reminder>Be brief.</system-reminder>" * 2, "", False),
    ],
    ids=["reminder", "system", "changed", "the user's words", "with the user's words", "short"],
)
def test_a_text_that_the_client_adds_again_is_shown_once(
    role: str, first: str, again: str, *, is_collapsed: bool
) -> None:
    session = Session()
    for text in (first, again or first):
        session.prompt(0)
        last = {"role": role, "content": [{"type": "text", "text": text}]}
        session.messages += [last] if role == "system" else []
        session.messages[-1] = last
    talk = Conversation(bounded=True)
    made = talk.prepare(session.raw(), PagingPolicy(LEVELS["safe"]), session.at)
    assert made is not None
    sent = json.loads(made.raw)["messages"]
    shown = sent[-1]["content"][0]
    assert sent[-3]["content"] == session.messages[-3]["content"]
    assert shown["cache_control"] == MARK
    expected = f'[wm: {first.count(chr(10)) + 1} lines as above, from "{LINES[0][:40]}"]'
    assert shown["text"] == (expected if is_collapsed else again or first)
    talk.keep(made.decisions)
    assert len(made.decisions) == is_collapsed
    restarted = Conversation(dict(talk.log)).prepare(session.raw(), nothing, session.at)
    assert restarted is not None
    assert restarted.raw == made.raw


@pytest.mark.parametrize(
    ("level", "lines", "stays"),
    [("balanced", 90, True), ("balanced", 110, False), ("tight", 20, False)],
)
def test_a_short_text_that_the_model_wrote_stays_with_its_step(
    level: str, lines: int, *, stays: bool
) -> None:
    limits = replace(LEVELS[level], collapse=0, repeats=False)
    session, talk = Session(), Conversation(bounded=True)
    session.step(0, lines, 0)
    for number in range(30):
        session.step(40 + 3 * number, 30, 1)
        made = talk.prepare(session.raw(), PagingPolicy(limits), session.at)
        assert made is not None
        talk.keep(made.decisions)
    sent = json.loads(made.raw)["messages"]
    assert sent[2]["content"][0]["content"].startswith("[wm: ")
    assert (sent[1] == session.messages[1]) is stays
