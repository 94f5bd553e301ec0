"""The user's words and a model's wording of them are one entry (WM-5, WM-8)."""

from __future__ import annotations

import pytest

from tests.ops.conftest import Bench
from tests.ops.test_compaction import asked, finish, summary

SAME = (
    ("We deploy harbour with `just ship` every Monday.",
     "The harbour service is deployed every Monday with `just ship`."),
    ("Please always use just instead of ruff in customs.",
     "The user prefers just instead of ruff for customs."),
    ("I want commit messages in harbour to begin with the ticket number, like HAR-2975.",
     "Commit messages in harbour begin with the ticket number, like HAR-2975."),
    ("We always squash feature branches and never rebase the main branch.",
     "The main branch is never rebased."),
    ("Wir speichern in billing alle Beträge als ganze Cent.",
     "In billing werden alle Beträge als ganze Cent gespeichert."),
    ("En ferry siempre usamos poetry y nunca just.", "En ferry se usa poetry y nunca just."),
)  # fmt: skip
APART = (
    ("We deploy harbour with `just ship` every Monday.",
     "We deploy harbour with `just ship` every Monday after the review."),
    ("We deploy harbour with `just ship` every Monday.",
     "We deploy harbour with `just ship` every Tuesday."),
    ("We deploy harbour with `just ship` every Monday.",
     "We deploy ferry with `just ship` every Monday."),
    ("Never merge on a Friday without asking Ana first.", "Never merge on a Friday."),
    ("We always use pnpm in harbour.", "We always use pnpm 9.4 in harbour."),
)  # fmt: skip
TURNED = (
    ("Logs go to loki, metrics go to prometheus.",
     "Logs go to prometheus, metrics go to loki."),
    ("Invoices are written by the nightly job, the web app only reads them.",
     "Invoices are written by the web app, the nightly job only reads them."),
    ("Redis is overkill for the cache, use sqlite.",
     "Sqlite is overkill for the cache, use redis."),
    ("Kommentare schreiben wir auf Deutsch und Commits auf Englisch.",
     "Commits schreiben wir auf Deutsch und Kommentare auf Englisch."),
    ("提交代码之前一定要运行测试。", "运行测试之前一定要提交代码。"),
)  # fmt: skip


def says(bench: Bench, text: str) -> None:
    bench.later()
    bench.event("user_prompt", text=text)


def proposes(bench: Bench, text: str) -> list[tuple[str, tuple[str, ...]]]:
    bench.later()
    return finish(bench, summary(asked(bench), f"- [decision] {text}"))


@pytest.mark.parametrize("ask", ["", "Remember that "])
@pytest.mark.parametrize(("said", "proposed"), SAME)
def test_a_wording_of_what_the_user_said_is_absorbed(
    bench: Bench, said: str, proposed: str, ask: str
) -> None:
    bench.event("session_started")
    says(bench, ask + said)
    [known] = bench.memory().entries
    assert known.status == "active"
    assert [outcome for outcome, _ in proposes(bench, proposed)] == ["absorbed"]
    assert [e.text for e in bench.memory().entries] == [known.text]
    assert bench.recorded("memory_absorbed")[-1].details["text"] == proposed


@pytest.mark.parametrize(("said", "proposed"), SAME)
def test_the_users_words_replace_a_models_wording_of_them(
    bench: Bench, said: str, proposed: str
) -> None:
    bench.event("session_started")
    bench.event("assistant_text", text=proposed)
    assert [outcome for outcome, _ in proposes(bench, proposed)] == ["promoted"]
    [old] = bench.memory().entries
    bench.call("edit_entry", id=old.id, pinned=True)
    says(bench, f"Remember that {said}")
    [kept] = [e for e in bench.memory().entries if e.status == "active"]
    assert (kept.source, kept.origin, kept.pinned) == ("explicit", "user", True)
    assert kept.supersedes == (old.id,)


@pytest.mark.parametrize(("said", "proposed"), APART)
def test_what_says_more_or_something_else_is_not_absorbed(
    bench: Bench, said: str, proposed: str
) -> None:
    bench.event("session_started")
    says(bench, f"Remember that {said}")
    [(outcome, _)] = proposes(bench, proposed)
    assert outcome in ("promoted", "inbox")
    assert proposed in bench.texts("inbox") + bench.texts("active")
    assert len(bench.texts()) >= 1


@pytest.mark.parametrize(("said", "proposed"), TURNED)
def test_words_of_the_user_in_another_order_ask_nothing(
    bench: Bench, said: str, proposed: str
) -> None:
    bench.event("session_started")
    says(bench, f"Remember that {said}")
    [known] = bench.memory().entries
    assert [outcome for outcome, _ in proposes(bench, proposed)] == ["absorbed"]
    assert bench.memory().entries == (known,)
    assert bench.recorded("memory_absorbed")[-1].details["text"] == proposed


def test_an_agent_reads_what_is_known_instead(bench: Bench) -> None:
    bench.event("session_started")
    says(bench, "Remember that logs go to loki, metrics go to prometheus.")
    [known] = bench.memory().entries
    bench.later()
    turned = {"text": "Logs go to prometheus, metrics go to loki."}
    answer = bench.call("call_tool", name="remember", arguments=turned)
    assert answer.text.startswith(f"Known already, as {known.id}. It says: “")
    assert bench.memory().entries == (known,)
