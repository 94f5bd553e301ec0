"""`wm inspect` fits one screen, says what needs attention, and shows everything when asked."""

from __future__ import annotations

import pytest

from tests.cli.terminal import Terminal
from wm.cli.verbs.memory.inspect import _shares

TYPES = ("decision", "feedback", "project", "reference")
TEXT = "Berth {n} is reserved for the pilot boat on every weekday, as the harbour office decided."


@pytest.fixture
def full(terminal: Terminal) -> Terminal:
    """A workspace with 100 entries."""
    texts = [{"text": TEXT.format(n=n), "type": TYPES[n % 4]} for n in range(100)]
    terminal.seed(*(("remember", fields) for fields in texts))
    return terminal


def test_a_hundred_entries_fit_one_screen_with_some_of_each_type(full: Terminal) -> None:
    lines = full.wm("inspect").out.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert "  memory      100 entries" in lines
    shown = [line for line in lines if line.startswith("  m_")]
    assert len(shown) >= 12
    heads = [line for line in lines if line.startswith(TYPES)]
    assert heads == [f"{kind} · all 25: wm inspect --type {kind}" for kind in TYPES]


def test_everything_is_listed_in_full_on_request_and_by_filters(full: Terminal) -> None:
    for words, count in (("--full", 100), ("--all", 100), ("--type decision", 25)):
        said = full.wm("inspect", *words.split()).out
        assert said.count("\n  m_") == count
        assert said.count("you asked for it") == count


def test_a_few_entries_are_listed_in_full(terminal: Terminal) -> None:
    terminal.seed(("remember", {"text": TEXT.format(n=1), "type": "project"}))
    said = terminal.wm("inspect").out
    assert "you asked for it" in said
    assert "The number is the strength" in said


def test_a_memory_whose_entries_all_wait_is_not_called_empty(terminal: Terminal) -> None:
    terminal.seed(("remember", {"text": TEXT.format(n=1), "source": "manual", "origin": "tool"}))
    said = terminal.wm("inspect").out
    assert "1 entry waits for your approval: wm inbox" in said
    assert "Nothing is remembered here yet" not in said
    assert "Nothing is in force yet" in said


def test_an_entry_that_needs_a_look_is_counted_and_listed_first(full: Terminal) -> None:
    (full.repo / "dock.py").write_text("def berth(n):\n    return n\n")
    full.wm(
        "remember",
        "The berth is found by number",
        "--anchor",
        "dock.py:berth",
        "--type",
        "decision",
    )
    (full.repo / "dock.py").write_text("def berth(name):\n    return name\n")
    lines = full.wm("inspect").out.splitlines()
    assert "  attention   1 entry marked ! needs a look: wm show ID" in lines
    [marked] = [line for line in lines if line.startswith("! m_")]
    assert "The berth is found by number" in marked


@pytest.mark.parametrize(
    ("sizes", "room", "shown"),
    [([50, 2, 9], 10, [4, 2, 4]), ([3, 3], 10, [3, 3]), ([5, 5, 5], 0, [1, 1, 1]), ([], 5, [])],
)
def test_the_lines_are_shared_among_the_types(
    sizes: list[int], room: int, shown: list[int]
) -> None:
    assert _shares(sizes, room) == shown


def test_an_empty_memory_names_those_whose_folder_is_gone(terminal: Terminal) -> None:
    terminal.seed(("remember", {"text": TEXT.format(n=1), "type": "project"}))
    moved = terminal.at("moved")
    assert "if this folder moved" not in moved.wm("inspect").out
    terminal.repo.rename(terminal.home / "gone")
    assert "if this folder moved: wm workspace list" in moved.wm("inspect").out
    moved.wm("workspace", "mv", str(terminal.repo), str(moved.repo))
    assert "Berth 1 is reserved" in moved.wm("inspect").out


def test_characters_without_an_entry_of_the_workspace_are_explained(terminal: Terminal) -> None:
    terminal.wm("remember", "--user", "we deploy with make ship")
    said = " ".join(terminal.wm("status").out.split())
    assert "in prompts 0 of at most 28 entries · 273 of 3,600 characters, from your memory" in said
