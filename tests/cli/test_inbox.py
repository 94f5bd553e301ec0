"""`wm inbox`: several ids at once, rewording, and one id that fails."""

from __future__ import annotations

from tests.cli.terminal import Terminal


def waiting(user: Terminal, *texts: str) -> list[str]:
    return [user.remember(text) for text in texts]


def active(user: Terminal) -> list[str]:
    return [view["entry"]["text"] for view in user.wm("inspect", "--json").json["entries"]]


def test_several_entries_are_accepted_at_once(user: Terminal) -> None:
    said = user.wm("inbox", "accept", *waiting(user, "hm", "uh"))
    assert said.code == 0
    assert sorted(active(user)) == ["hm", "uh"]
    assert user.wm("inbox").out == "The inbox is empty.\n"


def test_an_id_that_fails_does_not_stop_the_others(user: Terminal) -> None:
    one, other = waiting(user, "hm", "uh")
    said = user.wm("inbox", "reject", one, "m_ffffffff", other)
    assert said.code == 1
    assert said.out.count("Rejected") == 2
    assert "There is no entry 'm_ffffffff'" in said.err
    assert user.wm("inbox").out == "The inbox is empty.\n"


def test_the_advice_for_a_text_that_is_too_long_can_be_followed(user: Terminal) -> None:
    kept = user.wm("remember", "We keep " + "the very old " * 200 + "logs.")
    assert "it is longer than an entry may be" in " ".join(kept.out.split())
    assert "wm inbox accept" not in kept.out
    assert "wm edit m_" in kept.out


def test_json_lists_done_and_failed_ids(user: Terminal) -> None:
    (one,) = waiting(user, "hm")
    said = user.wm("inbox", "accept", one, "m_ffffffff", "--json")
    assert said.code == 1
    assert [entry["text"] for entry in said.json["entries"]] == ["hm"]
    assert [problem["id"] for problem in said.json["problems"]] == ["m_ffffffff"]


def test_a_waiting_entry_is_reworded_and_accepted_in_one_step(user: Terminal) -> None:
    (one,) = waiting(user, "hm")
    said = user.wm("inbox", "edit", one, "The demo tenant is called Zebra.")
    assert said.code == 0
    assert active(user) == ["The demo tenant is called Zebra."]


def test_a_waiting_entry_can_be_reworded_without_accepting_it(user: Terminal) -> None:
    (one,) = waiting(user, "hm")
    user.wm("inbox", "edit", one, "--wait", "The demo tenant is called Zebra.")
    assert active(user) == []
    assert "Zebra" in user.wm("inbox").out


def test_an_active_entry_is_not_edited_by_inbox_edit(user: Terminal) -> None:
    kept = user.remember("We deploy with `make ship`.")
    said = user.wm("inbox", "edit", kept, "We deploy with `make boat`.")
    assert said.code == 1
    assert "is not in the inbox: it is active" in " ".join(said.err.split())
    assert active(user) == ["We deploy with `make ship`."]


def test_all_that_waits_is_accepted_or_rejected_at_once(user: Terminal) -> None:
    waiting(user, "hm", "uh")
    assert user.wm("inbox", "reject", "--type", "reference").code == 0
    done = user.wm("inbox", "accept", "--all")
    assert done.code == 0
    assert sorted(active(user)) == ["hm", "uh"]
    listed = sorted(line.split(None, 1)[1] for line in done.out.splitlines())
    assert listed == ["active: hm", "active: uh"]


def test_what_was_accepted_at_once_is_taken_back_at_once(user: Terminal) -> None:
    waiting(user, "hm", "uh")
    user.wm("inbox", "accept", "--all")
    said = user.wm("undo")
    assert said.out.startswith("Undid the accept: 2 entries back in the inbox.")
    assert active(user) == []


def test_each_waiting_entry_is_decided_with_one_key(user: Terminal) -> None:
    waiting(user, "hm", "uh", "er")
    said = user.wm("inbox", "review", stdin="ars")
    assert "Accepted 1, rejected 1." in said.out
    assert len(active(user)) == 1


def test_a_review_of_an_empty_inbox_says_so(user: Terminal) -> None:
    said = user.wm("inbox", "review")
    assert (said.code, said.out) == (0, "The inbox is empty: nothing waits.\n")


def test_a_choice_that_nothing_fits_is_answered(user: Terminal) -> None:
    for choice in ("--all", "--source=stated"):
        said = user.wm("inbox", "accept", choice)
        assert (said.code, said.out) == (
            0,
            "Nothing that waits fits; `wm inbox` lists what waits.\n",
        )


def test_what_waits_for_all_projects_is_found_from_a_workspace(terminal: Terminal) -> None:
    mine = terminal.remember("hm", "--user")
    for verb in ("inbox", "status", "inspect"):
        said = " ".join(terminal.wm(verb).out.split())
        assert "1 entry waits in your memory for all projects: wm inbox --workspace user" in said
    said = " ".join(terminal.wm("inspect", "--user").out.split())
    assert "for your approval: wm inbox --workspace user" in said
    assert terminal.wm("inbox", "accept", mine).code == 0
    assert "waits" not in terminal.wm("inbox").out


def test_a_list_of_all_says_which_entries_wait(user: Terminal) -> None:
    waiting(user, "hm")
    said = " ".join(user.wm("inspect", "--all").out.split())
    assert "waits in the inbox: it is too short" in said
