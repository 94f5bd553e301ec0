"""The handoff is written from its sources, and given to the next session on request (CT-3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.ops.conftest import Bench
from wm.domain.contract.handoff import MARK
from wm.domain.contract.handoff_block import OPENING
from wm.errors import NotFound, UserError
from wm.formats.core_memory import CoreBlock, CoreBlocks, CoreMemory
from wm.ops.runtime import make_runtime
from wm.store.base import Ref
from wm.store.paths import sid

FACT = "The tide gate talks the Bramble protocol on port 7411."


@pytest.fixture
def made(bench: Bench) -> Bench:
    bench.call("init_contract", goal="Ship the berth planner.")
    bench.call("change_contract", field="decisions", change="append", values=[FACT])
    return bench


def page(bench: Bench) -> Path:
    return bench.project / "handoff" / "latest.md"


def block(bench: Bench, session: str) -> str:
    """The handoff that a session is given, "" for none."""
    found = [b.text for b in bench.prompt(session).blocks if b.name == "handoff"]
    return found[0] if found else ""


def test_unchanged_sources_write_nothing(made: Bench) -> None:
    made.event("session_started")
    made.event("tool_finished", tool="edit", paths=["src/dock.py"])
    first = made.call("handoff")
    assert (first.changed, first.current, first.session) == (True, True, "s-1")
    text = page(made).read_text("utf-8")
    assert text == first.text
    assert text.startswith(MARK)
    for part in ("Ship the berth planner.", FACT, "src/dock.py"):
        assert part in text
    inode = page(made).stat().st_ino
    again = made.call("handoff")
    assert (again.changed, again.current) == (False, True)
    assert page(made).stat().st_ino == inode


def test_check_writes_nothing_and_reports_whether_it_is_current(made: Bench) -> None:
    seen = made.call("handoff", write=False)
    assert (seen.changed, seen.current) == (False, False)
    assert not page(made).parent.exists()
    made.call("handoff")
    assert made.call("handoff", write=False).current
    made.call("change_contract", field="current_phase", values=["ship"])
    assert not made.call("handoff", write=False).current


def test_the_page_contains_core_blocks_of_the_session(made: Bench) -> None:
    made.event("session_started")
    core = CoreMemory(
        session_id="s-1", blocks=CoreBlocks(progress=CoreBlock(content="The parser is done."))
    )
    made.put((Ref(CoreMemory, made.key, sid("s-1")), core))
    assert "The parser is done." in made.call("handoff").text


def test_the_newest_main_session_or_the_named_one_is_used(made: Bench) -> None:
    for session, file in (("s-1", "one.py"), ("s-2", "two.py")):
        made.event("session_started", session=session)
        made.event("tool_finished", session=session, tool="edit", paths=[file])
    made.event("session_started", session="sub", subagent=True)
    made.event("tool_finished", session="sub", tool="edit", paths=["sub.py"])
    assert made.call("handoff").session == "s-2"
    assert "one.py" in made.call("handoff", session="s-1").text
    with pytest.raises(NotFound, match="matches 2 sessions"):
        made.call("handoff", session="s")
    with pytest.raises(NotFound, match="matches no session"):
        made.call("handoff", session="zz")


def test_an_empty_handoff_is_reported(bench: Bench) -> None:
    with pytest.raises(NotFound, match="neither a session contract nor a session"):
        bench.call("handoff")
    assert not page(bench).parent.exists()


def test_a_contract_with_faults_stops_the_handoff(made: Bench) -> None:
    made.call("handoff")
    before = page(made).read_bytes()
    contract = made.project / "state" / "session-state.json"
    contract.write_text(contract.read_text().replace("Ship the berth planner.", ""))
    with pytest.raises(UserError, match="goal is empty"):
        made.call("handoff")
    assert page(made).read_bytes() == before


def test_a_page_of_another_author_is_not_overwritten(made: Bench) -> None:
    page(made).parent.mkdir()
    page(made).write_text("# My own notes\n")
    with pytest.raises(UserError, match="was not written by"):
        made.call("handoff")
    assert page(made).read_text() == "# My own notes\n"
    assert made.call("handoff", force=True).changed
    page(made).write_text("")
    assert made.call("handoff").changed


def test_secrets_do_not_reach_the_page(made: Bench) -> None:
    secret = "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    made.event("session_started")
    made.event(
        "tool_finished", tool="bash", command="make", exit_code=2, output=f"error: bad {secret}"
    )
    assert secret not in made.call("handoff").text


# --- given to the next session ------------------------------------------------------------


def test_only_the_next_session_gets_the_page_on_request(made: Bench) -> None:
    made.call("handoff")
    made.event("session_started", session="before")
    assert block(made, "before") == ""
    assert made.call("handoff", next=True).asked
    assert block(made, "before") == ""
    made.event("session_started", session="after")
    given = block(made, "after")
    assert given.startswith(OPENING)
    assert FACT in given
    assert block(made, "after") == given
    [record] = made.recorded("handoff_given")
    assert record.session == sid("after")
    made.event("session_started", session="later")
    assert block(made, "later") == ""


def test_the_request_can_be_withdrawn(made: Bench) -> None:
    assert made.call("handoff", next=True).asked
    assert made.call("handoff").asked
    assert not made.call("handoff", withdraw=True).asked
    made.event("session_started")
    assert block(made, "s-1") == ""


def test_the_text_is_frozen_for_the_epoch(made: Bench) -> None:
    made.call("handoff", next=True)
    made.event("session_started")
    given = block(made, "s-1")
    page(made).write_text(MARK + "\nOther words.\n")
    assert block(made, "s-1") == given


def test_subagents_and_side_calls_do_not_consume_the_request(made: Bench) -> None:
    made.call("handoff", next=True)
    made.event("session_started", session="sub", subagent=True)
    assert block(made, "sub") == ""
    made.event("session_started")
    assert made.prompt("s-1", call="title").blocks == ()
    assert block(made, "s-1") != ""


def test_by_configuration_every_new_session_gets_the_page(made: Bench) -> None:
    made.call("handoff")
    contract = replace(made.settings.contract, inject_handoff=True)
    settings = replace(made.settings, contract=contract)
    made.runtime = make_runtime(settings, made.store, now=lambda: made.moment, ids=made.runtime.ids)
    for session in ("one", "two"):
        made.event("session_started", session=session)
        assert FACT in block(made, session)
    made.event("session_started", session="two", source="compact")
    assert block(made, "two") == ""


def test_an_object_in_place_of_the_page_is_ignored(made: Bench) -> None:
    made.call("handoff", next=True)
    page(made).unlink()
    page(made).symlink_to("/etc/hostname")
    made.event("session_started")
    assert block(made, "s-1") == ""


def test_a_contract_in_another_project_of_the_workspace_is_not_used(made: Bench) -> None:
    made.call("handoff", next=True)
    part = made.project / "part"
    part.mkdir()
    made.call(
        "record_event",
        directory=str(part),
        session_id="s-9",
        agent="tests",
        event={"kind": "session_started"},
    )
    assert made.call("handoff", write=False).asked


def propose(bench: Bench, text: str) -> list[tuple[str, str]]:
    """What became of a fact that the session's model proposes at a compaction."""
    start = bench.event("compaction_started").instructions
    (line,) = [one for one in start.splitlines() if one.startswith("Memory ref snapshot id: ")]
    bench.event(
        "compaction_finished", summary=f"Done.\n\nMemory candidates:\n{line}\n- [project] {text}"
    )
    return [(e.status, e.text) for e in bench.memory().entries]


def test_words_of_a_handoff_are_foreign_in_the_receiving_session(made: Bench) -> None:
    """It is a file of the repository: the model's repeating it makes no memory by itself."""
    made.call("handoff", next=True)
    made.event("session_started")
    assert block(made, "s-1") != ""
    made.later(minutes=5)
    text = f"It is known here: {FACT}"
    made.event("assistant_text", text=text)
    assert propose(made, text) == [("inbox", text)]


def test_a_handoff_is_not_learned_literally(made: Bench) -> None:
    made.call("handoff", next=True)
    made.event("session_started")
    assert block(made, "s-1") != ""
    assert propose(made, FACT) == []


def test_in_ci_the_page_uses_the_contract_alone(made: Bench) -> None:
    seen = made.call("handoff", write=False)
    assert seen.session == ""
    assert json.loads(json.dumps(seen.omitted)) == {}
    assert "Session of" not in seen.text
