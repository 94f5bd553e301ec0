"""WM-8: what replaced a statement, in the prompt, the search, the tool and `wm why`."""

from __future__ import annotations

from tests.ops.conftest import Bench

OLD = "The docs are on port 8000."
NEW = "The docs are on port 9000, no longer on port 8000."
OTHER = "The shop is on port 8000."


def changed(bench: Bench) -> None:
    for text in (OLD, OTHER, NEW):
        bench.later(days=1)
        bench.event("user_prompt", text=f"Remember that {text[0].lower()}{text[1:]}")


def test_a_prompt_shows_what_is_current_and_since_when(bench: Bench) -> None:
    changed(bench)
    bench.event("session_started", session="s-2")
    shown = "\n".join(b.text for b in bench.prompt("s-2").blocks if b.name == "workspace_memory")
    assert "port 9000, no longer on port 8000. (since " in shown
    assert "the shop is on port 8000" in shown
    assert "the docs are on port 8000" not in shown


def test_a_search_answers_with_the_current_one(bench: Bench) -> None:
    changed(bench)
    found = bench.call("search", query="which port are the docs on?")
    assert found.answer.text.endswith("no longer on port 8000.")
    assert all(hit.entry.status == "active" for hit in found.hits)


def test_a_question_about_the_past_says_what_replaced_it_and_when(bench: Bench) -> None:
    changed(bench)
    heir = next(e for e in bench.memory().entries if "9000" in e.text)
    asked = {"query": "which port were the docs on before?"}
    answer = bench.call("call_tool", name="memory_query", arguments=asked)
    by = f"no longer true, replaced by {heir.id[:14]} on {heir.since[:10]}"
    [old] = [h for h in answer.structured["hits"] if h["text"] == "the docs are on port 8000."]
    assert by in old["doubts"]
    assert by in answer.text


def test_why_quotes_what_replaced_an_entry_and_what_it_replaced(bench: Bench) -> None:
    changed(bench)
    old, _, new = bench.memory().entries
    assert f"No longer true since {new.since[:10]}: “{new.text}”" in (
        bench.call("why", subject=old.id).sentences
    )
    assert f"It replaced “{old.text}”" in bench.call("why", subject=new.id).sentences
    bench.event("user_prompt", text="remember that we use yarn")
    bench.event("user_prompt", text="We switched to pnpm")
    [asks] = [e for e in bench.memory().entries if e.status == "inbox"]
    assert "It would replace “we use yarn”" in bench.call("why", subject=asks.id).sentences


def test_a_new_value_that_waits_replaces_the_old_one_once_it_is_accepted(bench: Bench) -> None:
    bench.event("user_prompt", text="the sandbox account id is 9911, keep that in mind")
    bench.later(days=1)
    bench.event("user_prompt", text="sandbox id changed: 9912", session="s-2")
    old, waits = bench.memory().entries
    assert (waits.status, waits.supersedes) == ("inbox", (old.id,))
    accepted = bench.call("accept_entry", id=waits.id)
    assert accepted.message == f"It replaces “{old.text}”."
    shown = "\n".join(b.text for b in bench.prompt("s-3").blocks if b.name == "workspace_memory")
    assert "sandbox id changed: 9912 (since " in shown
    assert "9911" not in shown
    bench.call("undo")
    assert [e.status for e in bench.memory().entries] == ["active", "inbox"]


def test_what_may_contradict_an_entry_is_asked_about_once_it_is_accepted(bench: Bench) -> None:
    both = "prod is on the Harbour cluster, staging is on Pierhost"
    bench.event("user_prompt", text=f"Remember that {both}")
    bench.later(days=1)
    said = "staging moved from Pierhost to Quayhost again, sorry for the back and forth"
    bench.event("user_prompt", text=said, session="s-2")
    old, waits = bench.memory().entries
    assert (waits.status, waits.supersedes, waits.conflicts) == ("inbox", (), (old.id,))
    bench.call("accept_entry", id=waits.id)
    old, new, asks = bench.memory().entries
    assert (old.status, old.conflicts, new.status) == ("active", (new.id,), "active")
    assert asks.reasons == ("may_replace",)


def test_an_accepted_question_names_the_entry_that_is_in_force(bench: Bench) -> None:
    bench.event("user_prompt", text="remember that we use yarn")
    bench.event("user_prompt", text="We switched to pnpm")
    old, new, asks = bench.memory().entries
    bench.later(days=1)
    accepted = bench.call("accept_entry", id=asks.id)
    assert (accepted.entry.id, accepted.message) == (new.id, f"It replaces “{old.text}”.")
    sentences = bench.call("why", subject=asks.id).sentences
    assert f"{new.id} says the same, and is kept in its place." in sentences
    assert not any("No longer true" in one for one in sentences)


def test_the_history_of_a_workspace_says_what_replaced_what(bench: Bench) -> None:
    changed(bench)
    old = bench.memory().entries[0]
    bench.event("session_started", session="s-2")
    bench.prompt("s-2")
    said = [one.sentence for one in bench.call("history").happenings]
    assert said[0] == "put into a prompt, entries: 2"
    assert f"kept, in place of {old.id} (it says that something changed)" in said
