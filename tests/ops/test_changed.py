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
