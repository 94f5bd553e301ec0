"""Recaps of sessions travel once a person shares them, and are shown to people, not to models."""

from __future__ import annotations

import json

from tests.sync import hostile
from tests.sync.clones import Person, World
from wm.formats.recaps import Recap

SHIP = "We deploy with `make ship` from the release branch."


def worked(person: Person, session: str, asked: str, *files: str) -> None:
    """A session that edits files and ends."""
    bench = person.bench
    bench.event("session_started", session)
    bench.event("user_prompt", session, text=asked)
    for file in files:
        path = str(person.project / file)
        bench.event("tool_finished", session, tool="edit", paths=[path])
    bench.event("session_ended", session)


def recaps(person: Person) -> list[Recap]:
    return list(person.call("recap_sessions", team=True).recaps)


def recap_answer(person: Person) -> str:
    """What a model gets that asks about sessions."""
    answer = person.call("call_tool", name="recap")
    return str(answer.text)


def test_recaps_stay_here_until_they_are_shared(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben")
    worked(ann, "s-1", "Make the harbour queue faster.", "queue.py", "/etc/harbour.conf")
    ann.shared(SHIP)
    ann.sync()
    assert not [raw for raw in world.objects() if b"harbour" in raw]
    ann.share(recaps=True)
    ann.sync()
    done = ben.sync()
    assert done.parts[0].received["recap"] == 1
    [recap] = recaps(ben)
    assert (recap.author, recap.asked) == ("Ann", "Make the harbour queue faster.")
    assert recap.changed == ("queue.py",)
    assert ben.call("recap_sessions").recaps == ()
    assert ben.tree() == ann.tree() == world.tree()


def test_later_sessions_follow_and_ending_it_withdraws_them(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben")
    ann.share(recaps=True)
    for number in range(3):
        worked(ann, f"s-{number}", f"Task {number} of the harbour.", "queue.py")
        ann.sync()
    ben.sync()
    assert len(recaps(ben)) == 3
    ann.bench.event("session_deleted", "s-1")
    ann.sync()
    ben.sync()
    assert [one.asked[:6] for one in recaps(ben)] == ["Task 2", "Task 0"]
    ann.share(recaps=True, end=True)
    ann.sync()
    ben.sync()
    assert recaps(ben) == []
    assert len(recaps(ann)) == 2
    assert not ann.sync().parts[0].sent


def test_leaving_the_team_drops_the_recaps_of_others(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben")
    ann.share(recaps=True)
    worked(ann, "s-1", "Make the harbour queue faster.", "queue.py")
    ann.sync()
    ben.sync()
    ben.call("team", leave=True)
    assert recaps(ben) == []


def test_another_persons_recap_reaches_no_model(world: World) -> None:
    ann, ben = world.person("ann"), world.person("ben", accept="all")
    ann.share(recaps=True)
    worked(ann, "s-1", "Make the harbour queue faster.", "queue.py")
    ann.sync()
    ben.sync()
    assert recaps(ben)
    assert "harbour" not in ben.bench.prompt("s-2").model_dump_json()
    assert "harbour" not in recap_answer(ben)
    assert "harbour" in recap_answer(ann)


def test_a_hostile_recap_is_bounded_and_redacted(world: World) -> None:
    ben = world.person("ben", accept="all")
    tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
    texts = {
        "asked": f"\x1b[2J the token is {hostile.SECRET} {'a' * 900}",
        "changed": ["x" * 500, 7, "a\nb"],
    }
    many = {"asked": "Fine.", "changed": [f"{number}.py" for number in range(500)]}
    for number, text in enumerate((json.dumps(texts), json.dumps(many), "[", "[" * 7000, "{}")):
        name = f"r_{number:032x}"
        tree.put(hostile.path_of(name), hostile.entry(name, text=text, type="recap"))
    hostile.push(world.remote, tree.written())
    assert not ben.sync().trouble
    for recap in recaps(ben):
        raw = recap.model_dump_json()
        assert "\\u001b" not in raw
        assert hostile.SECRET not in raw
        assert len(recap.asked) <= 200
        assert len(recap.changed) <= 60
