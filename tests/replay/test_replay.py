"""Recordings of every kind, replayed."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.clients.accounting import canonical
from tests.clients.scripts import Request
from tests.clients.upstream import Upstream
from tests.replay.parts import (
    LONG,
    MESSAGES,
    MODEL,
    answer,
    assistant,
    bodies,
    capture,
    line_of,
    plain,
    replayed,
    result,
    session,
    text,
    used,
    user,
    written,
)
from tests.wire.policies import results
from wm.errors import UserError
from wm.ops.paging.policy import paging_policy
from wm.replay.files import recorded
from wm.replay.report import OVER, assumptions
from wm.replay.requests import UNSEEN, SkippedRequests
from wm.replay.rivals import COMPACTED_TOKENS, RIVALS, SUMMARY_TOKENS
from wm.wire.block import Block
from wm.wire.body import Body
from wm.wire.history import ConversationHistory
from wm.wire.policy import Decision, Log, Moment

PAIR = 2
EXAMPLES = Path(__file__).parents[2] / "examples" / "files"


# --- which requests -----------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_a_session_has_one_request_per_answer(tmp_path: Path, packed: bool) -> None:
    found = bodies(written(tmp_path / "s", [session()], packed=packed))
    assert [plain(body["messages"]) for body in found] == [MESSAGES[:1], MESSAGES[:3], MESSAGES[:5]]
    assert {(body["model"], body["system"][0]["text"]) for body in found} == {(MODEL, "Be brief.")}
    assert all("cache_control" in body["messages"][-1]["content"][-1] for body in found)


def test_a_capture_is_replayed_byte_for_byte(tmp_path: Path) -> None:
    raw = '{"model" : "claude-opus-5-5", "messages":[ {"role":"user","content":"hi"}]}'
    line = {"path": "/v1/messages", "body": raw}
    (found,) = recorded(written(tmp_path / "c", [line]), SkippedRequests(), lambda _a, _b: None)
    assert found.raw == raw.encode()


def test_other_requests_of_a_capture_are_skipped_and_reported(tmp_path: Path) -> None:
    lines = [
        capture(1, 1.0),
        capture(1, 2.0, status=529),
        capture(1, 3.0, path="/v1/messages/count_tokens"),
        {"path": "/v1/messages", "body": "no"},
        "{ torn",
    ]
    report = replayed(written(tmp_path / "c", lines))
    assert (report.total.requests, report.left) == (
        1,
        {
            "requests that the service refused": 1,
            "other paths of the service": 1,
            "bodies that are not requests": 1,
            "lines that are not JSON": 1,
        },
    )


TRANSCRIPT = [
    {"type": "summary", "summary": "Ferries", "leafUuid": "u9"},
    line_of("user", 1, {"role": "user", "content": "Where do the ferries land?"}),
    line_of("assistant", 2, answer("m1", text("I look."), prompt=5_000)),
    line_of("assistant", 3, answer("m1", used("c1", "/a"), used("c2", "/b"), prompt=5_000)),
    line_of("user", 4, user(result("c1", "one")), after=3),
    line_of("user", 5, user(result("c2", "two")), after=3),
    line_of("assistant", 6, answer("m2", text("At berth two."), prompt=5_100)),
    line_of("user", 7, user(text("And the boats?"))),
    line_of("assistant", 8, answer("m3", text("There."), prompt=5_200)),
]
ASKED = user(text("Where do the ferries land?"))
LOOKED = assistant(text("I look."), used("c1", "/a"), used("c2", "/b"))
GIVEN = user(result("c1", "one"), result("c2", "two"))


def test_a_transcript_is_assembled_into_requests(tmp_path: Path) -> None:
    found = bodies(written(tmp_path / "t", TRANSCRIPT))
    assert [plain(body["messages"]) for body in found] == [
        [ASKED],
        [ASKED, LOOKED, GIVEN],
        [ASKED, LOOKED, GIVEN, assistant(text("At berth two.")), user(text("And the boats?"))],
    ]
    head = found[0]["system"][0]["text"]
    assert head.startswith(UNSEEN)
    assert 4 * 4_900 < len(head) < 4 * 5_000


def test_a_prompt_after_an_earlier_line_rewinds_to_it(tmp_path: Path) -> None:
    back = line_of("user", 9, user(text("No: the trains?")), after=6)
    again = line_of("assistant", 10, answer("m4", text("At the hall.")))
    found = bodies(written(tmp_path / "t", [*TRANSCRIPT, back, again]))
    assert plain(found[-1]["messages"]) == [
        *(ASKED, LOOKED, GIVEN, assistant(text("At berth two."))),
        user(text("No: the trains?")),
    ]


def test_a_prompt_without_a_parent_follows_all_lines(tmp_path: Path) -> None:
    """As in a transcript whose lines have no ids."""
    lines = [
        *TRANSCRIPT[1:6],
        line_of("user", 9, user(text("Now!"))),
        line_of("assistant", 10, answer("m4", text("Here."))),
    ]
    nameless = [{**line, "uuid": None, "parentUuid": None} for line in lines]
    found = bodies(written(tmp_path / "t", nameless))
    last_message = user(result("c1", "one"), result("c2", "two"), text("Now!"))
    assert plain(found[-1]["messages"]) == [ASKED, LOOKED, last_message]


def test_a_compaction_starts_a_new_history(tmp_path: Path) -> None:
    cut = line_of("system", 9, None, subtype="compact_boundary")
    summary = line_of("user", 10, user(text("So far: ferries.")), isCompactSummary=True)
    after = line_of("assistant", 11, answer("m4", text("Go on.")))
    found = bodies(written(tmp_path / "t", [*TRANSCRIPT, cut, summary, after]))
    assert plain(found[-1]["messages"]) == [user(text("So far: ferries."))]


def test_reminders_tools_and_system_prompt_are_read_from_the_transcript(tmp_path: Path) -> None:
    shape = {"system": [text("You are an agent.")], "tools": [{"name": "Read"}]}
    lines = [
        line_of(
            "attachment", 1, None, rendered=[{"content": "Environment"}], renderedRole="system"
        ),
        line_of("user", 2, user(text("hi"))),
        line_of("attachment", 3, None, rendered=[{"content": "git"}], renderedRole="user"),
        {"type": "api-request-shape", "sessionId": "s1", "shape": shape},
        line_of("assistant", 4, answer("m1", text("hello"), prompt=90)),
    ]
    (found,) = bodies(written(tmp_path / "t", lines))
    assert plain(found["messages"]) == [
        user(text("hi"), text("git")),
        {"role": "system", "content": [text("Environment")]},
    ]
    assert (found["tools"], found["system"][0]["text"]) == (shape["tools"], "You are an agent.")


def test_errors_made_by_the_client_are_not_answers(tmp_path: Path) -> None:
    wrong = line_of("assistant", 9, {**answer("x", text("API Error")), "model": "<synthetic>"})
    assert len(bodies(written(tmp_path / "t", [*TRANSCRIPT, wrong]))) == 3


def test_a_subagent_has_its_own_conversation(tmp_path: Path) -> None:
    lines = [
        line_of("user", 1, user(text("main"))),
        line_of("user", 2, user(text("side")), isSidechain=True, agentId="a1"),
        line_of("assistant", 3, answer("m1", text("side too")), isSidechain=True, agentId="a1"),
        line_of("assistant", 4, answer("m2", text("main too")), after=1),
    ]
    report = replayed(written(tmp_path / "t", lines))
    assert [(turn.conversation, turn.call) for turn in report.turns] == [
        ("s1/a1", "subagent"),
        ("s1", "main"),
    ]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["hello", "world"], "it has no line of JSON"),
        ([], "it has no line of JSON"),
        ([{"a": 1}], "its lines are JSON of another kind"),
        ([[1]], "it has no line of JSON"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_its_name(
    tmp_path: Path, lines: list[Any], why: str
) -> None:
    path = written(tmp_path / "strange", lines)
    with pytest.raises(UserError) as error:
        replayed(path)
    assert str(error.value) == f"{path} is not a recording that wm can read: {why}."


@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_is_read_as_a_file_is(tmp_path: Path, packed: bool) -> None:
    path = written(tmp_path / "s", [session()], packed=packed)
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(path.read_bytes())
    done: list[tuple[int, int]] = []
    requests = list(
        recorded(Path(f"/dev/fd/{reading}"), SkippedRequests(), lambda *far: done.append(far))
    )
    os.close(reading)
    assert requests == list(recorded(path, SkippedRequests(), lambda _a, _b: None))
    assert set(done) == {(0, 0)}


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that fails")
def test_an_unreadable_second_log_is_reported_and_skipped(tmp_path: Path) -> None:
    flow = json.loads((EXAMPLES / "flow.json").read_text("utf-8"))
    for name in ("flows", "recordings"):
        (tmp_path / name).mkdir()
    path = written(tmp_path / "flows" / "s.jsonl", [flow])
    (tmp_path / "recordings" / "s.jsonl").symlink_to("/proc/self/mem")
    left = SkippedRequests()
    assert list(recorded(path, left, lambda _a, _b: None)) == []
    assert left.counts == {
        "logs in recordings that could not be read": 1,
        "requests that the log does not hold whole": 1,
    }


def test_a_truncated_compressed_file_is_reported(tmp_path: Path) -> None:
    whole = written(tmp_path / "s", [session()] * 9, packed=True)
    whole.write_bytes(whole.read_bytes()[:-12])
    with pytest.raises(UserError, match="cannot be read to its end"):
        replayed(whole)


def test_a_damaged_compressed_file_is_reported(tmp_path: Path) -> None:
    whole = written(tmp_path / "s", [session()] * 9, packed=True)
    raw = bytearray(whole.read_bytes())
    raw[20:60] = b"\xff" * 40
    whole.write_bytes(bytes(raw))
    with pytest.raises(UserError, match="cannot be read to its end"):
        bodies(whole)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (1_763_800_000, "2025-11-22T08:26:40.000Z"),
        (1_763_800_000_250, "2025-11-22T08:26:40.250Z"),
        ("2025-11-22T08:26:40Z", "2025-11-22T08:26:40.000Z"),
        (float("nan"), ""),
        (float("inf"), ""),
        (-5, ""),
        (10**400, ""),
        (True, ""),
    ],
)
def test_capture_times_are_in_seconds_or_milliseconds(
    tmp_path: Path, at: Any, expected: str
) -> None:
    (turn,) = replayed(written(tmp_path / "c", [capture(1, at)])).turns
    assert turn.at == expected


# --- what it counts -----------------------------------------------------------------------


def test_the_sums_add_up_to_the_turns(tmp_path: Path) -> None:
    report = replayed(written(tmp_path / "s", [session("a"), session("b")]))
    assert report.total.requests == 6
    assert [one.name for one in report.conversations] == ["a", "b"]
    tokens = report.total.tokens
    assert tokens.prompt == sum(turn.tokens.prompt for turn in report.turns)
    assert tokens.prompt == tokens.input + tokens.cache_read + tokens.cache_write_5m
    assert report.total.bills.as_marked < report.total.bills.uncached
    assert report.total.last_tokens == report.turns[-1].tokens.prompt
    assert (report.timed, report.before) == (False, None)


def test_a_gap_over_five_minutes_is_billed_unless_marks_last_an_hour(tmp_path: Path) -> None:
    report = replayed(written(tmp_path / "c", [capture(5, 0.0), capture(5, 400.0)]))
    again = report.turns[1]
    assert again.tokens.cache_read == 0
    assert again.bills.one_hour < again.bills.five_minutes
    assert report.timed


def test_estimates_are_corrected_by_reported_usage(tmp_path: Path) -> None:
    lines = [capture(5, 0.0)]
    estimated = replayed(written(tmp_path / "c", lines)).total.tokens.prompt
    usage = {"input_tokens": 0, "cache_creation_input_tokens": 2 * estimated}
    report = replayed(written(tmp_path / "d", [capture(5, 0.0, usage)]))
    assert report.total.tokens.prompt == pytest.approx(2 * estimated, rel=0.01)
    assert (report.models[0].factor, report.models[0].reported) == (2.0, 1)
    assert report.total.reported.cache_write_5m == 2 * estimated


def test_reads_and_writes_of_exchanges_match_reported_usage(tmp_path: Path) -> None:
    upstream, lines = Upstream(), []
    for end in (1, 3, 5, 3, 5):
        line = capture(end, float(end))
        upstream.decide(Request("POST", line["path"], {}, line["body"]))
        usage = upstream.exchanges[-1].usage
        assert usage is not None
        lines.append({**line, "usage": usage.wire(0)})
    report = replayed(written(tmp_path / "c", lines), measure=by_the_upstream)
    assert [turn.tokens for turn in report.turns] == [turn.reported for turn in report.turns]
    assert report.models[0].factor == 1.0


def by_the_upstream(block: Block) -> int:
    """What the upstream calls a token."""
    return max(1, len(canonical(block.value)) // 4)


# --- policies -----------------------------------------------------------------------------


def old_results(
    body: Body, history: ConversationHistory, log: Log, _moment: Moment
) -> tuple[Decision, ...]:
    names = [name for _, name in results(body, history)]
    return tuple(Decision(name, "[gone]") for name in names[: 1 - PAIR] if name not in log)


def test_a_policy_is_compared_with_no_policy_and_its_faults_counted(tmp_path: Path) -> None:
    more = [
        *MESSAGES,
        user(text("Again?")),
        assistant(used("c3", "/pier/berths.py")),
        user(result("c3", LONG)),
        assistant(text("At berth two.")),
    ]
    report = replayed(written(tmp_path / "s", [session(messages=more)]), rule=old_results)
    assert report.before is not None
    assert report.total.last_tokens < report.before.last_tokens
    assert [turn.replaced for turn in report.turns] == [0, 0, 1, 1, 2]
    assert [turn.rereads for turn in report.turns] == [0, 0, 0, 0, 0]  # a newer copy was there
    assert report.before.rereads == 0


def all_results(
    body: Body, history: ConversationHistory, log: Log, _moment: Moment
) -> tuple[Decision, ...]:
    """Removes every result from the second request on that holds it."""
    last = len(body.messages) - 1
    places = [place for line in history.places[:last] for place in line]
    return tuple(
        Decision(place, "[gone]") for _, place in results(body, history) if place in places
    )


def a_fault(*answer_blocks: Any) -> list[Any]:
    """A session whose last answers come after all results were removed."""
    return [
        user(text("Go.")),
        assistant(used("c1", "/pier/berths.py")),
        user(result("c1", "def berth_of(ship):\n    return quay_table[ship.draught_cm]\n")),
        assistant(text("I think.")),
        user(text("Go on.")),
        assistant(*answer_blocks),
        user(text("And?")),
        assistant(text("Done.")),
    ]


@pytest.mark.parametrize(
    ("answer_block", "faults", "exact"),
    [
        (text("It says\n  return quay_table[ship.draught_cm]\nthere."), 1, 1),
        (text("Its berth_of needs draught_cm."), 1, 0),
        (text("Its berth_of is wrong."), 0, 0),
        (text("All is well."), 0, 0),
    ],
)
def test_an_answer_that_uses_what_was_removed_is_a_fault_with_a_cost(
    tmp_path: Path, answer_block: Any, faults: int, exact: int
) -> None:
    path = written(tmp_path / "s", [session(messages=a_fault(answer_block))])
    total = replayed(path, rule=all_results).total
    assert (total.faults, total.exact_faults) == (faults, exact)
    assert (total.refetch.as_marked > 0) is bool(faults)
    assert replayed(path).total.faults == 0


@pytest.mark.parametrize(
    ("between", "rereads"),
    [([], 1), ([assistant(used("w", "/pier/berths.py", "Write")), user(result("w", "ok"))], 0)],
)
def test_reading_an_unchanged_file_again_is_counted_if_its_newest_copy_is_gone(
    tmp_path: Path, between: list[Any], rereads: int
) -> None:
    again = [assistant(used("c9", "/pier/berths.py")), user(result("c9", LONG))]
    messages = [*a_fault(text("Hm."))[:-1], *between, *again, assistant(text("So."))]
    path = written(tmp_path / "s", [session(messages=messages)])
    assert replayed(path, rule=all_results).total.rereads == rereads


def test_a_model_and_a_head_can_be_assumed(tmp_path: Path) -> None:
    path = written(tmp_path / "s", [session(model="llama")])
    plain, counted = replayed(path), replayed(path, assumed=assumptions(MODEL, 5_000, "1h"))
    assert (plain.total.bills.as_marked, plain.models[0].known) == (0.0, False)
    assert counted.total.bills.as_marked == counted.total.bills.one_hour > 0
    assert counted.turns[0].tokens.prompt == plain.turns[0].tokens.prompt + 5_000
    assert counted.turns[0].tokens.cache_write_1h > 5_000
    with pytest.raises(UserError, match="No price is known of llama"):
        assumptions("llama", 0, "")


def test_requests_larger_than_the_window_are_left_out_of_every_sum(tmp_path: Path) -> None:
    large = user(text("x" * 4 * 190_000))
    messages = [large, *MESSAGES[1:5], assistant(text("y" * 4 * 20_000)), user(text("z")), large]
    path = written(tmp_path / "s", [session(messages=[*messages, assistant(text("."))])])
    report = replayed(path, assumed=assumptions("claude-opus-4-5", 0, ""), rivals=RIVALS)
    assert (report.total.requests, report.left) == (3, {OVER: 1})
    assert {one.name for one in report.compared} == set(RIVALS)


def test_rivals_are_compared_in_shares_of_the_input_bill(tmp_path: Path) -> None:
    steps = [
        one
        for number in range(12)
        for one in (
            assistant(used(f"c{number}", f"/pier/{number}.py")),
            user(result(f"c{number}", f"{number} {LONG}")),
        )
    ]
    path = written(tmp_path / "s", [session(messages=[MESSAGES[0], *steps, MESSAGES[-1]])])
    report = replayed(path, policy="age-4", rivals=RIVALS)
    by_name = {one.name: one for one in report.compared}
    assert by_name["clear-100k-3"].bill == by_name["opencode-prune"].bill == 1.0
    own = by_name["age-4"]
    assert own.last < 0.6
    assert own.bill == own.bill_without_faults != 1.0
    assert (own.long, report.before is not None) == (None, True)
    assert all(turn.unmanaged for turn in report.turns)


@pytest.mark.parametrize("ttl", ["5m", "1h"])
def test_the_model_with_marks_agrees_with_the_block_model_within_three_points(
    tmp_path: Path, ttl: str
) -> None:
    """On generated sessions of parallel calls, reads, writes and prompts."""
    sessions = [session(f"s{seed}", messages=worked(Random(seed), 90)) for seed in range(4)]
    path = written(tmp_path / "s", sessions)
    own = {name: paging_policy(name) for name in ("safe", "balanced", "tight")}
    report = replayed(path, rivals=own, assumed=assumptions(MODEL, 8_000, ttl))
    apart = {one.name: abs(one.in_blocks - one.bill) for one in report.compared}
    assert set(apart) == set(own)
    assert all(points <= 0.03 for points in apart.values()), apart
    assert min(one.bill for one in report.compared) < 0.8
    total = report.total.bills
    assert total.in_blocks == pytest.approx(total.as_marked, rel=0.03)


def worked(chance: Random, steps: int) -> list[Any]:
    """The messages of a session."""
    messages = [MESSAGES[0]]
    for step in range(steps):
        calls, results = [], []
        for part in range(chance.choice((1, 1, 1, 2, 5))):
            name, path = f"c{step}_{part}", f"/pier/{chance.randrange(30)}.py"
            tool = chance.choice(("Read", "Read", "Write", "Bash"))
            given = {"command": f"./ferry {name}"} if tool == "Bash" else {"file_path": path}
            made = "\n".join(f"{name} lands at {n} o'clock" for n in range(chance.randrange(300)))
            given |= {"content": made} if tool == "Write" else {}
            calls.append({"type": "tool_use", "id": name, "name": tool, "input": given})
            results.append(result(name, "ok" if tool == "Write" else made))
        messages += [assistant(*calls), user(*results)]
        if chance.random() < 0.1:
            messages += [assistant(text(f"Done: {step}.")), user(text(f"And then? {step}"))]
    return [*messages, MESSAGES[-1]]


@pytest.mark.parametrize(("policy", "blocks"), [("age-4", 8), ("age-4-inputs", 16)])
def test_a_rule_by_age_removes_inputs_only_if_asked(
    tmp_path: Path, policy: str, blocks: int
) -> None:
    steps = [
        one
        for number in range(12)
        for one in (
            assistant(used(f"c{number}", f"/pier/{'dock' * 200}{number}.py")),
            user(result(f"c{number}", f"{number} {LONG}")),
        )
    ]
    path = written(tmp_path / "s", [session(messages=[MESSAGES[0], *steps, MESSAGES[-1]])])
    assert replayed(path, policy=policy).total.removed_blocks == blocks


def test_a_compaction_leaves_one_summary_however_often_it_comes(tmp_path: Path) -> None:
    steps = [
        one
        for number in range(12)
        for one in (
            assistant(used(f"c{number}", f"/pier/{number}.py")),
            user(result(f"c{number}", f"{number} " + "berth " * 12_000)),
        )
    ]
    path = written(tmp_path / "s", [session(messages=[MESSAGES[0], *steps, MESSAGES[-1]])])
    report = replayed(path, policy="compact-50k")
    sizes = [turn.tokens.prompt for turn in report.turns]
    assert max(sizes) <= COMPACTED_TOKENS
    least = [later for before, later in pairwise(sizes) if later < before]
    assert len(least) > 3
    # The newest result, one summary, and a point for each other step.
    assert max(least) - 18_000 < SUMMARY_TOKENS + 500


def test_thinking_that_a_policy_breaks_is_counted(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "", "signature": "sealed"}
    messages = [*MESSAGES[:3], assistant(thought, *MESSAGES[3]["content"]), *MESSAGES[4:]]
    path = written(tmp_path / "s", [session(messages=messages)])
    assert replayed(path).total.broken_thinking == 0
    assert replayed(path, rule=old_results).total.broken_thinking == 1


def test_half_a_surrogate_pair_and_a_fifth_mark_are_reported_as_refused(tmp_path: Path) -> None:
    marks = [{**text(str(n)), "cache_control": {"type": "ephemeral"}} for n in range(5)]
    body = {"model": MODEL, "messages": [user(result("lost", "x"), *marks)]}
    report = replayed(written(tmp_path / "c", [{"path": "/v1/messages", "body": body}]))
    assert report.turns[0].wrong == (
        "1 tool call or result without the other half",
        "5 cache marks; 4 are allowed",
    )
