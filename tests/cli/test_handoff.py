"""`wm handoff`: what it says, what it writes, and its exit codes (CT-3)."""

from __future__ import annotations

from tests.cli.terminal import Terminal


def test_a_handoff_is_written_checked_and_printed(user: Terminal) -> None:
    user.wm("state", "init", "Ship the berth planner.")
    page = user.repo / "handoff" / "latest.md"
    said = user.wm("handoff", "--check")
    assert (said.code, "is not current" in said.out) == (1, True)
    assert user.wm("handoff", "--check", "--json").json["current"] is False
    printed = user.wm("handoff", "--print")
    assert printed.code == 0
    assert not page.exists()
    said = user.wm("handoff")
    assert (said.code, said.out.split()[0]) == (0, "Wrote")
    assert page.read_text() == printed.out
    assert "current already" in user.wm("handoff").out
    assert user.wm("handoff", "--check").code == 0


def test_inject_next_can_be_requested_and_withdrawn(user: Terminal) -> None:
    user.wm("state", "init", "Ship it.")
    said = " ".join(user.wm("handoff", "--inject-next").out.split())
    assert said.endswith("The next session that starts here gets it.")
    assert "gets it" not in user.wm("handoff", "--no-inject").out


def test_an_impossible_handoff_is_reported(user: Terminal) -> None:
    said = user.wm("handoff")
    assert said.code == 1
    assert "neither a session contract nor a session" in said.sentences
    user.wm("state", "init", "Ship it.")
    (user.repo / "handoff").mkdir()
    (user.repo / "handoff" / "latest.md").write_text("# mine\n")
    said = user.wm("handoff")
    assert (said.code, "--force" in said.sentences) == (1, True)
    assert user.wm("handoff", "--force").code == 0
    for words in (("--print", "--force"), ("--print", "--check"), ("--inject-next", "--no-inject")):
        assert user.wm("handoff", *words).code == 2
