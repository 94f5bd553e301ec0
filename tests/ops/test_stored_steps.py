"""Stored steps: what is said before the first one, purging, the quota, and what fsck finds."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.ops.conftest import Bench
from tests.ops.needles import SESSION, WORDS, body_of
from tests.ops.test_govern import limited
from wm.api.paging import PrepareAnswer
from wm.domain.paging.ledger import handles_in
from wm.domain.paging.stubs import handle_of
from wm.errors import NotFound, Unwritable
from wm.formats.ledger import LedgerDecision
from wm.ops.storage.check import check_store
from wm.store.paths import DECISIONS, OBJECTS, sid


def result(number: int) -> str:
    """So irregular that it is not pruned when it first appears."""
    chance = random.Random(number)
    words = (chance.choices(WORDS, k=chance.randint(4, 9)) for _ in range(60))
    return "\n".join(f"{number}.{at} {' '.join(line)}" for at, line in enumerate(words))


class Client:
    """A conversation behind a proxy that pages through the operations."""

    def __init__(self, bench: Bench, session: str = SESSION) -> None:
        self.bench, self.session = bench, session
        self.messages: list[dict[str, Any]] = [
            {"role": "user", "content": [{"type": "text", "text": "Go."}]}
        ]
        self.sent = ""
        self.number = 0

    def works(self, steps: int, policy: str = "balanced") -> list[PrepareAnswer]:
        return [self.step(policy) for _ in range(steps)]

    def step(self, policy: str) -> PrepareAnswer:
        """One call, its result, and the request with it."""
        name, self.number = f"t{self.number}", self.number + 1
        call = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": f"run {name}"}}
        found = {"type": "tool_result", "tool_use_id": name, "content": result(self.number)}
        self.messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [found]},
        ]
        headers = {"x-claude-code-session-id": self.session, "user-agent": "claude-cli/2.1.330"}
        body = body_of(self.messages)
        made = self.bench.call("prepare_request", headers=headers, body=body, policy=policy)
        self.bench.call("finish_turn", request=made.request, ok=True)
        assert isinstance(made, PrepareAnswer)
        self.sent = made.body or body
        return made


def is_shown(client: Client, number: int) -> bool:
    return json.dumps(result(number))[1:-1] in client.sent


# --- before the first step ------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["safe", "balanced"])
def test_the_first_answer_of_a_workspace_says_what_is_stored_before_anything_is(
    bench: Bench, policy: str
) -> None:
    client = Client(bench)
    first = client.works(1, policy)[0]
    folder = bench.settings.paths.home / "workspaces" / bench.key / OBJECTS
    assert first.notice.startswith(
        f"wm: the steps of sessions are kept, without secrets, for 30 days in {folder}, "
    )
    assert bench.store.sessions_with(bench.key, OBJECTS) == ()
    assert [one.notice for one in client.works(3, policy)] == ["", "", ""]
    assert bench.store.sessions_with(bench.key, OBJECTS) == (sid(SESSION),)
    bench = bench.reopen()
    assert Client(bench, "another").works(1, policy)[0].notice == ""


def test_with_the_policy_off_nothing_is_stored_or_said(bench: Bench) -> None:
    assert [one.notice for one in Client(bench).works(3, "off")] == ["", "", ""]
    assert bench.store.sessions_with(bench.key, OBJECTS) == ()


def test_steps_that_were_stored_together_are_listed_from_the_newest_too(bench: Bench) -> None:
    Client(bench).works(5)
    labels = [one.label for one in bench.call("list_objects").objects]
    assert labels == ["run t4", "run t3", "run t2", "run t1", "run t0"]


def test_what_was_appended_of_a_step_is_shown_with_its_cause(bench: Bench) -> None:
    """`behaviour` or `goal` (GA-3)."""
    Client(bench).works(2)
    step = bench.call("list_objects").objects[0]
    part = bench.call("show_object", id=step.id).object.parts[-1].id
    appended = {"block": "a_1", "text": f"[{part}] words", "reason": "behaviour"}
    decision = {**appended, "form": "passages", "level": 0}
    record = {"kind": "decided", "request": "r_9", "decisions": [decision]}
    bench.call("append_paging", session_id=SESSION, objects=[], records=[record], durable=True)
    events = bench.call("show_object", id=step.id).events
    assert events[-1].endswith(" passages of it appended: behaviour")


# --- purge ----------------------------------------------------------------------------------------


def test_a_purged_text_is_reported_with_the_time(bench: Bench) -> None:
    Client(bench).works(30)
    step = bench.call("list_objects").objects[-1].id
    bench.call("purge_objects", session=SESSION)
    at = bench.moment.strftime("%Y-%m-%dT%H:%M:%S")
    for handle in (step, step[:9], handle_of(result(1))):
        with pytest.raises(NotFound, match=f"The stored text of {handle} was purged at {at}"):
            bench.call("show_object", id=handle)
    asked = {"name": "memory_restore", "arguments": {"id": handle_of(result(1))}}
    with pytest.raises(NotFound) as caught:
        bench.call("call_tool", **asked, session=SESSION)
    assert caught.value.fix == "To have it again, read the file or run the command again."
    with pytest.raises(NotFound, match="There is no stored content 'o_0123456789ab' in "):
        bench.call("show_object", id="o_0123456789ab")


def test_after_a_purge_nothing_is_removed_that_is_not_stored(bench: Bench) -> None:
    """The proxy at work still counts the purged steps as stored."""
    client = Client(bench)
    client.works(6, "safe")
    assert all(is_shown(client, number) for number in range(1, 7))
    bench.call("purge_objects", session=SESSION)
    client.works(20)
    stored = bench.store.object_ids(bench.key, sid(SESSION))
    gone = [number for number in range(1, 27) if not is_shown(client, number)]
    assert len(gone) > 10
    assert [number for number in gone if handle_of(result(number)) not in stored] == []


def test_a_note_with_its_brackets_names_a_step(bench: Bench) -> None:
    Client(bench).works(3)
    handle = handle_of(result(1))
    assert bench.call("show_object", id=f"[wm: 24 lines removed; {handle}]").text == result(1)


def test_a_policy_is_chosen_for_the_session_whose_id_begins_so(bench: Bench) -> None:
    Client(bench).works(2)
    bench.call("choose_policy", policy="tight", session=sid(SESSION)[:8])
    assert bench.store.sessions_with(bench.key, DECISIONS) == (sid(SESSION),)


def test_a_policy_for_a_session_that_has_not_begun_says_so(bench: Bench) -> None:
    Client(bench).works(2)
    said = bench.call("choose_policy", policy="tight", session="later").message
    assert said.startswith("Session 'later', which has no requests here yet, uses tight.")
    again = bench.call("choose_policy", policy="safe", session="later").message
    assert again.startswith("This session uses safe.")


# --- the quota ------------------------------------------------------------------------------------


def test_over_the_quota_no_step_of_a_live_conversation_is_deleted_and_none_is_added(
    files: Bench,
) -> None:
    client = Client(files)
    client.works(4)
    bench = limited(files, workspace_max_bytes=1_000)
    bench.moment += timedelta(days=3)
    done = bench.call("sweep_storage")
    assert done.logs[0].over > 0
    before = bench.store.object_ids(bench.key, sid(SESSION))
    assert before
    client = Client(bench, "later")
    answers = client.works(30)
    assert "more than their quota" in answers[0].notice
    assert [one.notice for one in answers[1:]] == [""] * 29
    assert all(is_shown(client, number) for number in range(1, 31))
    assert bench.store.sessions_with(bench.key, OBJECTS) == (sid(SESSION),)
    step = bench.store.objects(bench.key, sid(SESSION))[0].model_dump()
    with pytest.raises(Unwritable, match="more than their quota"):
        bench.call("append_paging", sessionId="other", agent="x", objects=[step], durable=True)
    bench.call("purge_objects", session=SESSION)
    client.works(1)
    assert bench.store.sessions_with(bench.key, OBJECTS) == (sid("later"),)


# --- fsck -----------------------------------------------------------------------------------------


def findings(bench: Bench, *, deep: bool) -> list[tuple[str, str]]:
    found = check_store(bench.runtime, deep=deep)
    return [(one.code, one.path.split("/")[2]) for one in found if one.severity != "note"]


def log_of(bench: Bench, session: str = SESSION) -> Path:
    return bench.settings.paths.home / "workspaces" / bench.key / OBJECTS / f"{sid(session)}.jsonl"


def test_fsck_reports_lost_steps_until_a_person_purges_them(files: Bench) -> None:
    for session in (SESSION, "s-2"):
        Client(files, session).works(30)
    files.call("choose_policy", policy="safe", session="s-3")  # a ledger without any decision
    assert [findings(files, deep=deep) for deep in (False, True)] == [[], []]
    log_of(files).unlink()
    lost = [("lost_steps", "objects")]
    assert [findings(files, deep=deep) for deep in (False, True)] == [lost, lost]
    files.call("purge_objects", session=SESSION)
    assert [findings(files, deep=deep) for deep in (False, True)] == [[], []]
    files.call("purge_objects", session="s-2")
    assert [findings(files, deep=deep) for deep in (False, True)] == [[], []]


def test_a_step_whose_line_lost_only_its_newline_is_found(files: Bench) -> None:
    """Steps are found by their lines: two in one line would both be missed."""
    ids = ("o_000000000001", "o_000000000002")
    for name in ids:
        step = {
            "id": name,
            "places": [name.rjust(16, "0")],
            "number": 1,
            "type": "plan",
            "tokens": 9,
        }
        files.call("append_paging", session_id=SESSION, objects=[step], records=[], durable=True)
        log = log_of(files)
        log.write_bytes(log.read_bytes().removesuffix(b"\n"))
    for name in ids:
        assert [one.id for _, one in files.store.find_object(files.key, name)] == [name]


def test_deep_fsck_reports_steps_that_are_missing_in_a_log(files: Bench) -> None:
    Client(files).works(30)
    log = log_of(files)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[5:]))
    lost = [("lost_steps", "objects")]
    assert [findings(files, deep=deep) for deep in (False, True)] == [[], lost]


def test_the_handle_of_a_note_is_the_last_one_in_it() -> None:
    other, own = "o_0123456789ab", "o_abcdefabcdef"
    for text in (
        f"[wm: 9 lines removed; {other}; {own}]",
        f'[[1, 8, "[wm: 7 more; all: memory_restore {own}, or `wm objects show {own}`]"]]',
        f"[wm: step: wm objects show {other}; {own}]",
    ):
        assert handles_in(LedgerDecision(block="b", text=text)) == {own}
    passages = LedgerDecision(block="a_b", text=f"[{own}]", form="passages", level=0)
    assert handles_in(passages) == frozenset()
