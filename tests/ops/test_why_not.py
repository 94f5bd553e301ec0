"""EV-2: the rule that keeps a text out, by running the text against all of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ops.conftest import CENTS, SHIP, Bench, entry
from wm.errors import UserError

PROGRESS = "All 40 tests pass now."
CRANE = "The crane on pier 4 is broken again."
AGAIN = "You forgot the log again, each voyage needs a log entry."


def forget(bench: Bench) -> None:
    bench.call("forget_entry", id=bench.remember(SHIP).id)


def forget_and_lose(bench: Bench) -> None:
    """The tombstone outlives the trash."""
    forget(bench)
    name = bench.trash()[0]
    from wm.ops.memory.entries import trash_ref

    ref = trash_ref(bench.key, name)
    with bench.store.transaction([ref]) as transaction:
        transaction.delete(ref)


def many(bench: Bench) -> None:
    bench.write_memory(
        *(
            entry(f"m_{n:08}", f"Rule {n}: dock {n} opens first.", source="explicit")
            for n in range(28)
        ),
        entry("m_weak0001", SHIP, user_importance="low"),
    )


CASES: tuple[tuple[str, Callable[[Bench], object], str, str, str], ...] = (
    ("it is there", lambda b: b.remember(SHIP), SHIP, "shown", "shown"),
    ("it lost a cap", many, SHIP, "hidden", "hidden"),
    ("it waits", lambda b: b.remember("hm"), "hm", "waiting", "waiting"),
    ("it was forgotten", forget, SHIP, "forgotten", "forgotten"),
    ("only the tombstone is left", forget_and_lose, SHIP, "forgotten", "forgotten"),
    ("the gate refuses it to all", lambda b: None, PROGRESS, "refused", "gate_asked"),
    ("the gate refuses it to a model", lambda b: None, "Use tabs.", "asked_only", "gate"),
    ("nothing stops it", lambda b: None, CENTS, "nothing", ""),
    ("only a request keeps it", lambda b: None, AGAIN, "passing", "passing"),
)


@pytest.mark.parametrize(
    ("prepare", "text", "verdict", "rule"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_the_rule_that_refuses_a_text_is_named(
    bench: Bench, prepare: Callable[[Bench], object], text: str, verdict: str, rule: str
) -> None:
    prepare(bench)
    records = len(bench.recorded())
    answer = bench.call("why_not", text=text)
    assert answer.verdict == verdict
    stopping = [check.rule for check in answer.checks if check.stops]
    assert rule in (*stopping, "shown", "")
    assert answer.sentence
    assert len(bench.recorded()) == records


def test_the_same_fact_in_other_words_is_recognised(bench: Bench) -> None:
    known = bench.remember("The API lives in services/ferry.", type="project")
    answer = bench.call("why_not", text="API lives in services/ferry", type="project")
    assert answer.verdict == "known"
    assert [c.entry for c in answer.checks if c.rule == "known"] == [known.id]


def test_an_earlier_refusal_is_reported_with_its_date(bench: Bench) -> None:
    bench.event("session_started")
    bench.event("compaction_started")
    bench.event("compaction_finished", summary=f"Memory candidates:\n- [project] {PROGRESS}\n")
    answer = bench.call("why_not", text=PROGRESS)
    assert answer.verdict == "refused"
    assert answer.records[-1].type == "candidate_rejected"
    assert "progress_snapshot" in answer.checks[0].reason_codes


def test_a_message_is_judged_by_its_requests(bench: Bench) -> None:
    answer = bench.call("why_not", text=f"Remember that {CENTS}")
    assert answer.text == CENTS
    assert answer.checks[0].rule == "trigger"
    assert answer.verdict == "nothing"


def test_a_message_without_a_request_is_reported(bench: Bench) -> None:
    answer = bench.call("why_not", text=f"Don't remember that {CENTS}")
    stopped = [c for c in answer.checks if c.rule == "trigger"]
    assert stopped[0].reason_codes == ("negated_request",)


def test_a_contradiction_is_reported_and_blocks_nothing(bench: Bench) -> None:
    known = bench.remember("We use npm for installs.", type="decision")
    answer = bench.call("why_not", text="We never use npm for installs.", type="decision")
    against = [c for c in answer.checks if c.rule == "contradicts"]
    assert [c.entry for c in against] == [known.id]
    assert answer.verdict == "nothing"


def test_an_empty_text_is_refused(bench: Bench) -> None:
    with pytest.raises(UserError, match="There is no text to ask about"):
        bench.call("why_not", text=" .. ")


def test_a_secret_in_the_text_is_searched_as_its_label(bench: Bench) -> None:
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    answer = bench.call("why_not", text=f"The deploy token is {token}.")
    assert token not in answer.model_dump_json()
    assert "secret" in answer.checks[0].reason_codes


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("We use hemp ropes here, never nylon.", "Said in passing, it is kept."),
        ("Add a list endpoint for cranes.", "it asks for a change of the program"),
        ("Is the crane on pier 4 broken?", "it is a question"),
        (CRANE, "nothing in it says that it is meant to last"),
    ],
)
def test_what_becomes_of_a_remark_is_said(bench: Bench, message: str, said: str) -> None:
    answer = bench.call("why_not", text=message)
    (passing,) = (check for check in answer.checks if check.rule == "passing")
    assert said in passing.sentence


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("off", "Said in passing it is not learned, because learning in passing is off here."),
        ("inbox", "Said in passing, it waits in the inbox: this workspace keeps"),
    ],
)
def test_what_becomes_of_a_remark_depends_on_how_a_workspace_learns(
    bench: Bench, mode: str, said: str
) -> None:
    bench.call("learning", mode=mode)
    answer = bench.call("why_not", text="We use hemp ropes here, never nylon.")
    (passing,) = (check for check in answer.checks if check.rule == "passing")
    assert passing.sentence.startswith(said)
