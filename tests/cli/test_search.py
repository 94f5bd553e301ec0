"""`wm search` as a person reads it."""

from __future__ import annotations

import pytest

from tests.cli.terminal import Terminal


def rows(said: str) -> list[str]:
    """Lines of an answer without ids and what lies between columns."""
    return [" ".join(line.split()[line.startswith("  m_") :]) for line in said.splitlines()]


def test_an_entry_that_is_the_answer_is_printed_once(user: Terminal) -> None:
    user.wm("remember", "The staging broker listens on port 8883.")
    user.wm("remember", "The label printer speaks ZPL. It stands in the hall near the stairs.")
    assert rows(user.wm("search", "which port has the staging broker").out)[:2] == [
        "The staging broker listens on port 8883.",
        "project · the answer · words port, staging, broker",
    ]
    part = rows(user.wm("search", "what does the label printer speak").out)
    assert part[:3] == ["Answer", "The label printer speaks ZPL.", "Found"]


def test_a_hit_shows_its_branch_taint_and_changed_code(user: Terminal) -> None:
    code = user.repo / "dock.py"
    code.write_text("def berth(number):\n    return number + 1\n")
    user.wm("remember", "The berth counts from one on the quay.", "--anchor", "dock.py:berth")
    user.wm("remember", "The berth lies west on this branch.", "--branch")
    user.wm("remember", "berth")
    code.write_text("def berth(number):\n    return number\n")
    (user.repo / ".git" / "HEAD").write_text("ref: refs/heads/pier\n")
    said = " ".join(user.wm("search", "berth", "--all").out.split())
    for mark in (
        "project · suspect: the code that it describes changed · words berth",
        "project · only on branch main · words berth",
        "project · waits in the inbox · words berth",
    ):
        assert mark in said


def test_a_query_of_any_length_gets_the_same_answer_with_and_without_a_daemon(
    user: Terminal,
) -> None:
    user.wm("remember", "The walrus sleeps on the northern pier.")
    asked = " ".join(["walrus pier sleeps northern"] * 4_000)
    found = user.wm("search", asked, "--json")
    assert found.code == 0
    assert [hit["entry"]["text"] for hit in found.json["hits"]] == [
        "The walrus sleeps on the northern pier."
    ]


def test_a_search_for_an_id_suggests_wm_show(user: Terminal) -> None:
    kept = user.wm("remember", "The walrus sleeps on the pier.", "--json").json["entry"]["id"]
    found = user.wm("search", kept[:10])
    assert (found.code, found.out.splitlines()) == (
        1,
        ["Nothing fits, in 1 entry.", f"`wm show {kept[:10]}` shows an entry by its id."],
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("walrus",), "Nothing is remembered here yet."),
        (("walrus", "--type", "decision"), "No entry passes these filters."),
    ],
)
def test_an_empty_memory_says_so(user: Terminal, asked: tuple[str, ...], said: str) -> None:
    assert user.wm("search", *asked).out.splitlines() == [said]
